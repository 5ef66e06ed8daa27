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
from buildcheck.configure.search.space import given_key, number_of, numbered
from buildcheck.configure.search.watch import Recall
from buildcheck.logic.quantity import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from buildcheck.catalog import Catalog
    from buildcheck.catalog.price_book import PriceBook
    from buildcheck.configure.search.ground import Ground
    from buildcheck.configure.search.law import Asked
    from buildcheck.configure.search.space import Hull, Option
    from buildcheck.configure.search.watch import Read
    from buildcheck.rulebook import Rulebook

    Filled = Mapping[str, Option | Hull]
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


class _RuleVerdicts(NamedTuple):
    """Verdicts of a rule, careful or not, for which the same fields were read."""

    rule: str
    careful: bool
    reads: frozenset[Read]


class Verdicts:
    """What is known of a law over one ground, from `kept` chunks, each of one search."""

    def __init__(self, ground: Ground, kept: Iterable[dict[str, Any]] = ()) -> None:
        self._ground = ground
        self._recalls: dict[tuple[str, bool], Recall] = {}
        self._fresh: dict[_RuleVerdicts, Recall] = {}
        #: Groups of each rule, careful or not, until first asked for, with values of their fields.
        self._kept: dict[tuple[str, bool], list[tuple[list[Any], list[int]]]] = {}
        for chunk in kept:
            numbers = [number_of(_thing(row)) for row in chunk["things"]]
            for row in chunk["groups"]:
                self._kept.setdefault((row[0], row[1]), []).append((row, numbers))

    def _recall(self, asked: Asked) -> Recall:
        """What is kept of a rule."""
        which = asked.rule.id, asked.minds
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

    def find(self, asked: Asked, filled: Filled) -> Recalled | None:
        """The verdict of a rule on a machine equal in all that was read; None if there is none."""
        found: Recalled | None = self._recall(asked).find(filled)
        return found

    def keep(self, asked: Asked, filled: Filled, reads: frozenset[Read], verdict: int) -> None:
        """Note what a rule was found to say, and what was read for it, of the ground as well."""
        group = _RuleVerdicts(asked.rule.id, asked.minds, reads)
        self._fresh.setdefault(group, Recall()).keep(filled, group.reads, verdict)

    def fresh(self) -> dict[str, Any]:
        """What was found since the last time it was asked for, as plain data."""
        written: dict[int, int] = {}
        groups = [
            self._plain(group, recall.order[0].answers, written)
            for group, recall in self._fresh.items()
        ]
        self._fresh = {}
        things = numbered()
        return {
            "number": sum(len(group[-1]) for group in groups),
            "groups": groups,
            "things": [_plain(things[n]) for n in written],
        }

    def _plain(
        self, group: _RuleVerdicts, answers: dict[tuple[int, ...], int], written: dict[int, int]
    ) -> list[Any]:
        """A group as plain data; `written` renumbers the values of fields."""

        def place(number: int) -> int:
            return written.setdefault(number, len(written))

        own = sorted(read for read in group.reads if read[0] not in self._ground.subjects)
        ground = sorted(group.reads.difference(own))
        where = [[role, name, place(self._stands(role, name))] for role, name in ground]
        columns = [list(map(place, column)) for column in zip(*answers, strict=True)]
        return [group.rule, group.careful, own, where, columns, list(answers.values())]


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
