"""The name of a quote, as somebody types it → the quote whose prices are taken."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from buildcheck.errors import InputError, Problem
from buildcheck.words.names import squashed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.model.order import Order


def choose(order: Order, called: Iterable[str]) -> Order:
    """The same order with these quotes chosen before all others, in their order.

    A quote goes by its vendor, its number or both, in full or in part. Raises `InputError` with
    the quotes there are for each name that fits none, or several.
    """
    found: list[int] = []
    problems: list[Problem] = []
    for text in called:
        fits = _fitting(order, text)
        found += fits if len(fits) == 1 else []
        if len(fits) != 1:
            problems.append(_refused(order, text, fits))
    if problems:
        raise InputError(problems)
    return replace(order, chosen=tuple(dict.fromkeys((*found, *order.chosen))))


def _fitting(order: Order, text: str) -> list[int]:
    """The quotes of a name: the one of that name, those of that vendor or number, or others.

    Others are those whose name begins with it, or else has it.
    """
    asked = squashed(text)
    names = [(n, squashed(offer.name), offer.quote) for n, offer in enumerate(order.offers)]
    ways = (
        [n for n, name, _ in names if name == asked],
        [n for n, _, q in names if asked in map(squashed, filter(None, (q.vendor, q.number)))],
        [n for n, name, _ in names if name.startswith(asked)],
        [n for n, name, _ in names if asked in name],
    )
    return next(filter(None, ways), []) if asked else []


def _refused(order: Order, text: str, fits: list[int]) -> Problem:
    if not order.offers:
        return Problem("--choose", 0, 0, "the build has no quotes", "Add one with --quote")
    what = f"several quotes are called '{text}'" if fits else f"no quote is called '{text}'"
    shown = [order.offers[n].name for n in fits or range(len(order.offers))]
    return Problem("--choose", 0, 0, what, f"Name one of: {', '.join(shown)}")
