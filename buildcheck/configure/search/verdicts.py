"""Verdicts of earlier searches, each with all that was read for it.

A verdict follows from the fields that were read to reach it, of the parts and of what stays the
same in every machine, such as the site. It therefore holds for every later search over the same
rules, parts and prices in which these are equal, whatever it is for. Only then is it found here.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck import store
from buildcheck.configure.search.classes import CURRENCY
from buildcheck.configure.search.recall import Recall, number_of, numbered
from buildcheck.configure.search.space import given_key
from buildcheck.logic.quantity import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from buildcheck.catalog import Catalog
    from buildcheck.catalog.price_book import PriceBook
    from buildcheck.configure.search.ground import Ground
    from buildcheck.configure.search.recall import Filled, Read
    from buildcheck.rulebook import Rulebook

    #: A rule, and whether known warnings count as failures of it.
    Which = tuple[str, bool]
    #: A verdict, and what was read of roles for it.
    Recalled = tuple[int, frozenset[Read]]

#: What the names of the files begin with.
NAME = "verdicts"
#: More verdicts are not kept: those of the oldest searches are dropped for new ones.
MOST = 50_000
#: Most files kept, each of grounds with equal subjects.
FILES = 8
#: Fewer of one search are not worth a file.
LEAST = 100


class Verdicts:
    """What is known of a law over one ground, from `kept` chunks, each of one search."""

    def __init__(self, ground: Ground, kept: Iterable[dict[str, Any]] = ()) -> None:
        self._ground = ground
        self._recalls: dict[Which, Recall] = {}
        #: What is new, by the fields that were read for it.
        self._fresh: dict[tuple[Which, frozenset[Read]], Recall] = {}
        #: Groups of each rule, careful or not, until first asked for, with values of their fields.
        self._kept: dict[Which, list[tuple[list[Any], list[int]]]] = {}
        for chunk in kept:
            numbers = [number_of(_thing(row)) for row in chunk["things"]]
            for row in chunk["groups"]:
                self._kept.setdefault((row[0], row[1]), []).append((row, numbers))

    def _recall(self, which: Which) -> Recall:
        """What is kept of a rule."""
        found = self._recalls.get(which)
        if found is None:
            found = self._recalls[which] = Recall()
            for row, numbers in self._kept.pop(which, ()):
                self._load(found, row, numbers)
        return found

    def _load(self, recall: Recall, row: list[Any], numbers: list[int]) -> None:
        """Take over a group if its ground is this one."""
        _, _, own, ground, columns, verdicts = row
        if any(self._stands(role, name) != numbers[n] for role, name, n in ground):
            return
        reads = frozenset((role, name) for role, name in own)
        answers = recall.seen_of(reads).answers
        pairs = {verdict: (verdict, reads) for verdict in set(verdicts)}
        if columns:
            keys = zip(*(map(numbers.__getitem__, column) for column in columns), strict=True)
            answers.update(zip(keys, map(pairs.__getitem__, verdicts), strict=True))
        else:
            answers[()] = pairs[verdicts[0]]

    def _stands(self, role: str, name: str) -> int:
        """Number of the value of a field of the ground; -1 for none."""
        subject = self._ground.subjects.get(role)
        return -1 if subject is None else number_of(given_key(name, subject))

    def find(self, which: Which, filled: Filled) -> Recalled | None:
        """The verdict of a rule on a machine equal in all that was read; None if there is none."""
        found: Recalled | None = self._recall(which).find(filled)
        return found

    def keep(self, which: Which, filled: Filled, reads: frozenset[Read], verdict: int) -> None:
        """Note what a rule was found to say, and what was read for it, of the ground as well."""
        self._fresh.setdefault((which, reads), Recall()).keep(filled, reads, verdict)

    def fresh(self) -> dict[str, Any]:
        """What was found since the last time it was asked for, as plain data."""
        written: dict[int, int] = {}
        groups = [
            [*which, *self._plain(reads, recall.order[0].answers, written)]
            for (which, reads), recall in self._fresh.items()
        ]
        self._fresh = {}
        things = numbered()
        return {
            "number": sum(len(group[-1]) for group in groups),
            "groups": groups,
            "things": [_plain(things[n]) for n in written],
        }

    def _plain(
        self, reads: frozenset[Read], answers: dict[tuple[int, ...], int], written: dict[int, int]
    ) -> list[Any]:
        """Verdicts as plain data; `written` renumbers the values of fields."""

        def place(number: int) -> int:
            return written.setdefault(number, len(written))

        own = sorted(read for read in reads if read[0] not in self._ground.subjects)
        ground = sorted(reads.difference(own))
        where = [[role, name, place(self._stands(role, name))] for role, name in ground]
        columns = [list(map(place, column)) for column in zip(*answers, strict=True)]
        return [own, where, columns, list(answers.values())]


class Over(NamedTuple):
    """What verdicts depend on in addition to fields: they hold again where all of it is equal."""

    catalog: Catalog
    rulebook: Rulebook
    book: PriceBook
    ground: Ground
    currency: str = CURRENCY
    trust: str = ""

    def text(self) -> str:
        """What tells it from others."""
        digests = (self.catalog.digest, self.rulebook.digest, self.book.digest)
        return repr((digests, self.currency, self.trust, _shape_of(self.ground)))

    def name(self) -> str:
        """The name of its file."""
        return f"{NAME}-{zlib.crc32(_shape_of(self.ground).encode()) % FILES}"


def kept(over: Over) -> list[dict[str, Any]]:
    """The chunks that are kept."""
    where = over.name(), over.text()
    return [*(store.packed(*where) or []), *(store.remembered(*where) or [])]


def pack(into: Path, found: list[tuple[Over, Verdicts]]) -> None:
    """Write verdicts for a package."""
    chunks: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for over, verdicts in found:
        chunks.setdefault((over.name(), over.text()), []).append(verdicts.fresh())
    for where, some in chunks.items():
        store.pack(into, *where, some)


def remember(over: Over, verdicts: Verdicts) -> None:
    """Keep what is new, if it is worth it, and drop the oldest if there is too much."""
    chunk = verdicts.fresh()
    if chunk["number"] < LEAST:
        return
    where = over.name(), over.text()
    chunks = [*(store.remembered(*where) or []), chunk]
    while sum(one["number"] for one in chunks) > MOST and len(chunks) > 1:
        chunks.pop(0)
    store.remember(*where, chunks)


def _shape_of(ground: Ground) -> str:
    """Everything of a ground that may be read in addition to fields."""
    subjects = [
        (s.id, s.kind, s.name, s.path, s.part, s.listed, s.count) for s in ground.subjects.values()
    ]
    return repr((subjects, ground.pins))


def _plain(thing: Any) -> Any:
    """Values of fields as plain data; the numbers of one part, as most are, in one row."""
    if isinstance(thing, Interval):
        return {"i": [thing.low, thing.high]}
    if not isinstance(thing, tuple):
        return thing
    if thing and all(
        isinstance(one, tuple) and len(one) == 1 and type(one[0]) is int for one in thing
    ):
        return {"row": [one[0] for one in thing]}
    return [_plain(one) for one in thing]


def _thing(data: Any) -> Any:
    """What `_plain` made plain."""
    if isinstance(data, dict):
        return tuple([(n,) for n in data["row"]]) if "row" in data else Interval(*data["i"])
    return tuple([_thing(one) for one in data]) if isinstance(data, list) else data
