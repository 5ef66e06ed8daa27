"""What rules read of parts, learnt from a few searches and kept.

A search takes parts for alike that are equal in all that rules read. Which fields these are
shows only as rules are asked, and a search that finds more begins anew. These searches are made
once for a rulebook, catalogue and prices, so that others rarely have to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck import store
from buildcheck.configure.search.classes import CURRENCY, ROLES, Classes
from buildcheck.price_book import price_book

if TYPE_CHECKING:
    from collections.abc import Callable
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


def reads_of(law: Law) -> Reads:
    """What the rules of a law were seen to read of each role."""
    return {role: law.reads(role) for role in ROLES}


def learnt(catalog: Catalog, rulebook: Rulebook, learn: Callable[[bytes], Law]) -> Reads:
    """What rules read of each role; `learn` searches for what a wish asks."""
    text = _text(catalog, rulebook)
    data = store.derived("reads", text, lambda: _learn(learn))
    return {role: frozenset(names) for role, names in data.items()}


def pack(into: Path, catalog: Catalog, rulebook: Rulebook, learn: Callable[[bytes], Law]) -> None:
    """Write what is learnt, and the classes of all parts, for a package."""
    Classes(catalog, price_book(catalog, ()), CURRENCY).pack(into)
    store.pack(into, "reads", _text(catalog, rulebook), _learn(learn))


def _text(catalog: Catalog, rulebook: Rulebook) -> str:
    return f"{catalog.digest} {rulebook.digest} {price_book(catalog, ()).digest}"


def _learn(learn: Callable[[bytes], Law]) -> dict[str, list[str]]:
    laws = [reads_of(learn(wish)) for wish in WISHES]
    return {role: sorted(frozenset().union(*(found[role] for found in laws))) for role in ROLES}
