"""What fills the roles of a machine, and what was worked out of it by what was read for that."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from buildcheck.model.graph import Subject

#: A role of a machine (a section of the build file) and a field of the part that fills it.
Read = tuple[str, str]
#: What was worked out, and what was read for it.
Recalled = tuple[Any, frozenset[Read]]
#: Key of the number of parts, among names of fields.
COUNT = "#"
#: Before a field that was read as an offer of room, of which the placement takes the most there
#: could be: what is not known with it is not known with less.
ROOM = "~"
#: Mark of values in which options differ.
DIFFER = "~"
#: Values of fields, each with a number of its own, as numbers are quicker to look up.
_NUMBERS: dict[object, int] = {}


class Filler:
    """What fills a role. `known` are the numbers of values that were asked for so far."""

    role: str
    serial: int
    known: dict[Any, Any]
    _subjects: tuple[Subject, ...] | None = None

    def is_open(self, _name: str) -> bool:
        """Do the options differ in a field? There may be but one."""
        return False

    def subjects(self, log: Any) -> tuple[Subject, ...]:
        """What it puts into the machine, watched by a log."""
        if self._subjects is None:
            self._subjects = tuple(self._make(log))
        return self._subjects

    def _make(self, log: Any) -> Iterable[Subject]:
        raise NotImplementedError

    def cell(self, name: str) -> Any:
        """Number of the value of a field: equal for what has equal values."""
        found = self.known.get(name)
        if found is None:
            found = self.known[name] = self._cell(name)
        return found

    def _cell(self, name: str) -> Any:
        raise NotImplementedError

    def cells(self, names: tuple[str, ...]) -> int:
        """One number for the values of several fields."""
        found: int | None = self.known.get(names)
        if found is None:
            row = tuple([self.cell(name) for name in names])
            found = self.known[names] = _NUMBERS.setdefault(row, len(_NUMBERS))
        return found


#: A machine, by its roles.
Filled = Mapping[str, Filler]


class Seen(NamedTuple):
    """What was worked out by reading the same fields, by what stood in them.

    `fields` are those of each role.
    """

    fields: tuple[tuple[str, tuple[str, ...]], ...]
    answers: dict[tuple[int, ...], Recalled]


class Recall:
    """What was worked out so far, by what was read for it.

    `order` has the fields of what answered last first: the next machine is most like that one.
    """

    __slots__ = ("order", "seen")

    def __init__(self) -> None:
        self.seen: dict[frozenset[Read], Seen] = {}
        self.order: list[Seen] = []

    def recalled(self, filled: Filled, work: Callable[[], Recalled]) -> Recalled:
        """What is remembered for a machine; it is worked out if need be."""
        known = self._find(filled)
        if known is None:
            known = work()
            self._keep(filled, known)
        return known

    def _find(self, filled: Filled) -> Recalled | None:
        """What was worked out for a machine equal in all that was read; None if nothing was."""
        for place, (fields, answers) in enumerate(self.order):
            try:
                # Nothing is done more often in a search than this.
                key = tuple([filled[role].known[names] for role, names in fields])
            except KeyError:
                key = tuple([filled[role].cells(names) for role, names in fields])
            known = answers.get(key)
            if known is not None:
                if place:
                    self.order.insert(0, self.order.pop(place))
                return known
        return None

    def _keep(self, filled: Filled, answer: Recalled) -> None:
        """Keep an answer. What was read of no role is the same in all machines."""
        _, reads = answer
        seen = self.seen.get(reads)
        if seen is None:
            names: dict[str, set[str]] = {}
            for role, name in reads:
                if role in filled:
                    names.setdefault(role, {COUNT}).add(name)
            fields = tuple((role, tuple(sorted(names[role]))) for role in sorted(names))
            same = next((s for s in self.order if s.fields == fields), None)
            seen = self.seen[reads] = same or Seen(fields, {})
            if same is None:
                self.order.insert(0, seen)
        fields, answers = seen
        answers[tuple([filled[role].cells(names) for role, names in fields])] = answer
