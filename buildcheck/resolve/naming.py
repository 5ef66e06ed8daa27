"""Names in a build file → parts of the catalogue, and the facts an entry ends up with."""

from collections.abc import Iterable
from functools import reduce
from typing import Any

from buildcheck.catalog import Catalog, NameUnknownError, references
from buildcheck.errors import Problem
from buildcheck.load.sentences import faults
from buildcheck.logic.quantity import Interval
from buildcheck.model.build import OF_ONE_PART, SETTINGS, Build
from buildcheck.model.frozen import Frozen
from buildcheck.model.kinds import DECLARED, KINDS
from buildcheck.model.part import USER, Sourced
from buildcheck.model.source import REMARK, Document, Path, Unread
from buildcheck.model.strict import Strict
from buildcheck.words.names import said

#: Keys of entries that say how many of a part are used, where, and at what price; no facts of it.
_ALWAYS_SETTINGS = OF_ONE_PART | {"count", "note"}
#: Facts that are connectors, or counts of them.
_CONNECTORS = {"plugs", "slot_power_plugs", "cable", "connector", "feed", "inputs", "output"}
#: What a GPU is otherwise with another cooler.
_COOLER = ("thickness", "length", "height")
_LONGEST = 60
#: Most near names shown.
SHOWN = 3


def word(kind: str) -> str:
    """A kind of part in words."""
    return str(DECLARED.get(kind, {}).get("word", kind))


class Naming(Frozen):
    """The catalogue and the build file, and every problem found between them."""

    catalog: Catalog
    document: Document
    problems: list[Problem]

    def complain(self, path: Path, code: str, near: Iterable[str] = (), **words: Any) -> None:
        """Note a problem at a place of the build file, with names that were probably meant."""
        for problem in faults(self.document, path, code, **words):
            self.problems.append(problem._replace(near=tuple(near)[:SHOWN]))

    def aside(self, text: str, path: Path, hint: str = "") -> None:
        """Note a text at a place that no check reads, and where the fact belongs."""
        place = (*path[:1], REMARK)
        note = Unread(text, self.document.position(path)[0], hint, place=place)
        self.document.unread.extend([note] * (note not in self.document.unread))

    def find(self, kind: str, name: str, path: Path) -> str | None:
        """The id of the part called `name`; None, and a problem, if there is no such one."""
        try:
            return self.catalog.find(kind, name)
        except NameUnknownError as error:
            self.unknown(word(kind), name, error, path)
            return None

    def unknown(
        self, what: str, name: str, error: NameUnknownError, path: Path, advice: str = ""
    ) -> None:
        """Note that no part, or more than one, goes by a name."""
        shown, advice = name[:_LONGEST], advice or ("" if error.near else "Check the spelling")
        if error.ambiguous:
            advice = f"`buildcheck parts search '{shown}'` lists all" * (len(error.near) > SHOWN)
        words = {"what": what, "name": shown, "advice": advice}
        code = "ambiguous-name" if error.ambiguous else "unknown-name"
        self.complain(path, code, error.near, written=name, **words)

    def given(self, entry: Strict, path: Path) -> dict[str, Sourced]:
        """The facts an entry gives itself, as the user's, with what they refer to."""
        settings = _ALWAYS_SETTINGS | SETTINGS.get(type(entry), set())
        origin = f"{self.document.path}:{self.document.position(path)[0]}"
        facts = {
            name: Sourced(getattr(entry, name), USER, USER.confidence, origin)
            for name in type(entry).model_fields
            if name not in settings
            and getattr(entry, name, None) is not None
            and name in entry.model_fields_set
        }
        for name, kind in references(type(entry)).items():
            if name in facts and not self.find(kind, facts[name].value, (*path, name)):
                del facts[name]
        for name in _CONNECTORS & set(facts):
            facts[name] = facts[name]._replace(value=self._codes(facts[name].value, (*path, name)))
        return self.catalog.fill(type(entry), facts)

    def _codes(self, value: Any, path: Path) -> Any:
        """Connectors by the one code each has, whatever they are called in the build file."""
        if isinstance(value, str):
            if value == "none":
                return value
            found = self.find("connector", value, path)
            return found.rpartition("/")[2] if found else value
        return {self._codes(name, path): number for name, number in value.items()}

    def with_cpu_of(self, socket: str | None, build: Build) -> Build:
        """The build with a CPU of an ambiguous name called by the one that fits the socket."""
        if build.cpu is None or build.cpu.part is None or socket is None:
            return build
        try:
            self.catalog.find("cpu", build.cpu.part)
        except NameUnknownError as error:
            sockets = {i: self.catalog.part(i).facts.get("socket") for i in error.ids}
            fits = [i for i, own in sockets.items() if own is None or own.value == socket]
            if len(fits) == 1:
                return build.model_copy(
                    update={"cpu": build.cpu.model_copy(update={"part": fits[0]})}
                )
        return build

    def shared(self, part_ids: tuple[str, ...]) -> dict[str, Sourced]:
        """The facts in which several parts agree; of numbers the range that holds all."""
        first, *others = (self.catalog.part(i).facts for i in part_ids)
        found = {}
        for name, fact in first.items():
            values = [fact.value, *(o[name].value for o in others if name in o)]
            if len(values) <= len(others):
                continue
            if all(isinstance(v, Interval) for v in values):
                found[name] = fact._replace(value=reduce(Interval.hull, values))
            elif all(v == fact.value for v in values):
                found[name] = fact
        return found

    def designs(
        self, kind: str, facts: dict[str, Sourced], part_id: str | None, called: str
    ) -> tuple[str, ...]:
        """The parts that a chip or a description could mean; of a maker's only its own."""
        index = self.catalog.index
        found = self.catalog.ranges.designs(kind, facts, part_id and index.name(part_id))
        makers = said(kind, called).makers if found else frozenset()
        return tuple(i for i in found if makers & said(kind, index.name(i)).makers) or found

    def usual(self, kind: str, facts: dict[str, Sourced]) -> dict[str, Sourced]:
        """`facts` with what comparable parts have, and with what is booked for unlisted ones."""
        found = self.catalog.fill(KINDS[kind], {**self.catalog.typical(kind, facts), **facts})
        return self.booked(kind, found)

    def booked(self, kind: str, facts: dict[str, Sourced]) -> dict[str, Sourced]:
        """`facts` with what is booked for parts of a kind that do not say it themselves."""
        part_id = f"{kind}/generic/unlisted"
        if not self.catalog.has(part_id):
            return facts
        return self.over(kind, facts, self.catalog.part(part_id).facts)

    def over(
        self, kind: str, facts: dict[str, Sourced], under: dict[str, Sourced]
    ) -> dict[str, Sourced]:
        """`facts` laid over those of a part.

        What the part only has from a standard, chip or the like goes with it when another is named.
        """
        loops = [f for f in (facts, under) if "needs_radiator" in f and f["needs_radiator"].value]
        if loops == [facts]:
            # A water block takes the place of the cooler, whose size it was.
            under = {n: f for n, f in under.items() if n not in _COOLER}
        replaced = {
            self.catalog.find(of, under[name].value)
            for name, of in references(KINDS[kind]).items()
            if name in facts and name in under and facts[name].value != under[name].value
        }
        return {**{n: f for n, f in under.items() if f.origin not in replaced}, **facts}
