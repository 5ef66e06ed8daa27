"""What rules read of parts, learned from a few searches and kept.

A search takes parts for alike that are equal in all that rules read. Which fields these are
shows only as rules are asked, and a search that finds more begins anew. These searches are made
once for a rulebook, catalogue and prices, so that others rarely have to. The verdicts in them are
kept as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from buildcheck import store
from buildcheck.catalog.price_book import price_book
from buildcheck.configure.search import verdicts
from buildcheck.configure.search.classes import CURRENCY, ROLES, Classes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from buildcheck.catalog import Catalog
    from buildcheck.configure.search.law import Law
    from buildcheck.rulebook import Rulebook

    Reads = dict[str, frozenset[str]]


class Searched(NamedTuple):
    """What was found in a search: by which law, over what, and the verdicts."""

    law: Law
    over: verdicts.Over
    verdicts: verdicts.Verdicts


if TYPE_CHECKING:
    Learn = Callable[[bytes, Reads], Searched | None]

#: Wishes that between them ask most of what rules ask.
WISHES = (
    b"wish: {gpus: {count: 4, memory_each: 24 GB}}\nsite: {voltage: 230 V, breaker: 16 A}\n",
    b"wish: {gpus: {count: 4, memory_each: 24 GB}}\n",
    b"wish: {gpus: {memory_total: 96 GB}}\nsite: {outlet: NEMA 5-15}\n",
)
_TRAINING = b"site: {voltage: 230 V, breaker: 16 A}\nworkload: {kind: training, parallel: data}\n"
#: Wishes that many have: what rules say of parts for them goes into the package as well.
TYPICAL = (
    b"wish: {gpus: {count: 2, memory_each: 24 GB}}\n" + _TRAINING,
    b"wish: {gpus: {memory_total: 48 GB}}\nsite: {outlet: NEMA 5-15}\n",
    b"wish: {gpus: {memory_total: 192 GB}}\n" + _TRAINING,
)


def reads_of(law: Law) -> Reads:
    """What the rules of a law were seen to read of each role."""
    return {role: law.reads(role) for role in ROLES}


class UnfinishedError(Exception):
    """It was not learned to the end, and is not kept."""


def learned_reads(catalog: Catalog, rulebook: Rulebook, learn: Learn) -> Reads | None:
    """What rules read of each role.

    `learn` searches for what a wish asks, with what is known to be read, and None ends it.
    """

    def look() -> dict[str, list[str]]:
        problems = _searched(learn, WISHES)
        for problem in problems:
            verdicts.remember(problem.over, problem.verdicts)
        return _reads(problems)

    try:
        data = store.derived("reads", _text(catalog, rulebook), look)
    except UnfinishedError:
        return None
    return {role: frozenset(names) for role, names in data.items()}


def pack(into: Path, catalog: Catalog, rulebook: Rulebook, learn: Learn) -> None:
    """Write what is learned, and the classes of all parts, for a package."""
    Classes(catalog, price_book(catalog, ()), CURRENCY).pack(into)
    problems = _searched(learn, WISHES)
    store.pack(into, "reads", _text(catalog, rulebook), _reads(problems))
    problems += _searched(learn, TYPICAL, problems)
    verdicts.pack(into, [problem[1:] for problem in problems])


def _text(catalog: Catalog, rulebook: Rulebook) -> str:
    return f"{catalog.digest} {rulebook.digest} {price_book(catalog, ()).digest}"


def _searched(
    learn: Learn, wishes: Iterable[bytes], before: Sequence[Searched] = ()
) -> list[Searched]:
    """Each wish once it was searched for. Raises `UnfinishedError`.

    One is searched for with what was read for those before it, so that few begin anew.
    """
    found: list[Searched] = []
    for wish in wishes:
        reads = {role: frozenset(names) for role, names in _reads([*before, *found]).items()}
        problem = learn(wish, reads)
        if problem is None:
            raise UnfinishedError
        found.append(problem)
    return found


def _reads(problems: list[Searched]) -> dict[str, list[str]]:
    """What the rules of any of several laws were seen to read of each role."""
    found = [reads_of(problem.law) for problem in problems]
    return {role: sorted(frozenset().union(*(reads[role] for reads in found))) for role in ROLES}
