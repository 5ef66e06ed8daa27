"""The name of a quote, as somebody types it → the quote whose prices are taken."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from buildcheck.errors import InputError, Problem
from buildcheck.words.names import squashed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.model.order import Offer, Order


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

    Others are those with it in their name.
    """
    asked = squashed(text)
    if not asked:
        return []
    named = [n for n, offer in enumerate(order.offers) if asked == squashed(offer.name)]
    if len(named) == 1:
        return named
    full = [n for n, offer in enumerate(order.offers) if asked in _names(offer)]
    return full or [n for n, offer in enumerate(order.offers) if asked in squashed(offer.name)]


def _names(offer: Offer) -> set[str]:
    texts = (offer.quote.vendor, offer.quote.number, offer.name)
    return {squashed(text) for text in texts if text}


def _refused(order: Order, text: str, fits: list[int]) -> Problem:
    if not order.offers:
        return Problem("--choose", 0, 0, "the build has no quotes", "Add one with --quote")
    what = f"several quotes are called '{text}'" if fits else f"no quote is called '{text}'"
    shown = [order.offers[n].name for n in fits or range(len(order.offers))]
    return Problem("--choose", 0, 0, what, f"Name one of: {', '.join(shown)}")
