"""What rules read of parts, learnt from a few searches and kept.

A search takes parts for alike that are equal in all that rules read. Which fields these are
shows only as rules are asked, and a search that finds more begins anew. These searches are made
once for a rulebook, catalogue and prices, so that others rarely have to. What rules said in them is
kept as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck import store
from buildcheck.configure.search import verdicts
from buildcheck.configure.search.classes import CURRENCY, ROLES, Classes
from buildcheck.price_book import price_book

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from buildcheck.catalog import Catalog
    from buildcheck.configure.search.law import Law
    from buildcheck.rulebook import Rulebook

    Reads = dict[str, frozenset[str]]

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


class StoppedError(Exception):
    """It was not learnt to the end, and is not kept."""


def learnt(
    catalog: Catalog, rulebook: Rulebook, learn: Callable[[bytes], Law | None]
) -> Reads | None:
    """What rules read of each role; `learn` searches for what a wish asks, and None ends it."""

    def look() -> dict[str, list[str]]:
        laws = list(_laws(learn, WISHES))
        text = verdicts.over(catalog, rulebook, price_book(catalog, ()), CURRENCY)
        for law in laws:
            if law.verdicts:
                verdicts.remember(text, law.verdicts)
        return _reads(laws)

    try:
        data = store.derived("reads", _text(catalog, rulebook), look)
    except StoppedError:
        return None
    return {role: frozenset(names) for role, names in data.items()}


def pack(
    into: Path, catalog: Catalog, rulebook: Rulebook, learn: Callable[[bytes], Law | None]
) -> None:
    """Write what is learnt, and the classes of all parts, for a package."""
    Classes(catalog, price_book(catalog, ()), CURRENCY).pack(into)
    laws = list(_laws(learn, WISHES))
    store.pack(into, "reads", _text(catalog, rulebook), _reads(laws))
    laws += _laws(learn, TYPICAL)
    chunks = [law.verdicts.fresh() for law in laws if law.verdicts]
    text = verdicts.over(catalog, rulebook, price_book(catalog, ()), CURRENCY)
    store.pack(into, verdicts.NAME, text, chunks)


def _text(catalog: Catalog, rulebook: Rulebook) -> str:
    return f"{catalog.digest} {rulebook.digest} {price_book(catalog, ()).digest}"


def _laws(learn: Callable[[bytes], Law | None], wishes: Iterable[bytes]) -> Iterator[Law]:
    """The law of each wish once it was searched for. Raises `StoppedError`."""
    for wish in wishes:
        law = learn(wish)
        if law is None:
            raise StoppedError
        yield law


def _reads(laws: list[Law]) -> dict[str, list[str]]:
    """What the rules of any of several laws were seen to read of each role."""
    found = [reads_of(law) for law in laws]
    return {role: sorted(frozenset().union(*(reads[role] for reads in found))) for role in ROLES}
