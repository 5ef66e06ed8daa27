"""What an explanation is made of: conflicts, parts with the same fate, and ways out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.edit import named
from buildcheck.render.words import Words
from buildcheck.resolve.naming import word as kind_word

if TYPE_CHECKING:
    from buildcheck.source import Path

#: What is said of conflicts and ways out.
WHY = Words("why")


def called(kind: str, number: int = 1) -> str:
    """What so many parts of a kind are called."""
    word = kind_word(kind).replace("GPU", "card")
    return word if number == 1 else WHY.table("plurals").get(word, f"{word}s")


class Member(NamedTuple):
    """One choice or wish of a conflict: as words, where it stands, and what it says."""

    text: str
    path: str
    values: dict[str, Any]


class Broken(NamedTuple):
    """A rule that a conflict breaks, with the sentence of its first finding."""

    id: str
    text: str
    subjects: tuple[str, ...] = ()


class Fate(NamedTuple):
    """Parts of a section that all come to the same with the rest kept.

    `rule` is the rule that refuses them, none for those that would do. `number` counts parts.
    """

    section: str
    text: str
    number: int
    rule: str = ""
    field: str = ""
    low: float | None = None
    high: float | None = None
    cheapest: str = ""


@dataclass(frozen=True)
class Way:
    """A minimal set of things to give up, and what each would have to become.

    `changes` are in words, one for each; `values` say the same by path. `price` is what a
    part or a machine of it costs, as text.
    """

    text: str
    path: str
    values: dict[str, Any]
    changes: tuple[str, ...]
    price: str = ""


@dataclass(frozen=True)
class Conflict:
    """Things of which each can stand with the others but one, and what resolves them.

    `ways_out` are numbers of the ways of the whole explanation. One that is not `certain` is of
    things with which nothing is known to pass, for want of data. With `kept` they cannot stand
    with the rest as it is, which could be such that they do. If it is not `minimal`, fewer of them
    may be in each other's way already: the search for those was stopped.
    """

    members: tuple[Member, ...]
    rules: tuple[Broken, ...]
    fates: tuple[Fate, ...] = ()
    ways_out: tuple[int, ...] = ()
    certain: bool = True
    kept: bool = False
    minimal: bool = True


@dataclass(frozen=True)
class Explanation:
    """Why nothing is possible; no conflict means that nothing is in the way.

    `is_whole` says that there are no further conflicts and ways out. `said` is what there is
    to say where there is no conflict, `open` are rules that could not be judged. With `stopped`
    it was cut short: `unexplained` are rules that fail and were not looked at, and `untried`
    is what was not tried to give up, in words. `counted` is the rule under which `configure`
    counts most builds, where another is the reason. With `warned` the prices of ways are those of
    builds that rules may warn of.
    """

    name: str
    what: str
    conflicts: tuple[Conflict, ...]
    ways: tuple[Way, ...]
    is_whole: bool = True
    said: str = ""
    open: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    stopped: bool = False
    unexplained: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    counted: str = ""
    warned: bool = False

    @property
    def is_possible(self) -> bool | None:
        """Is nothing in the way? None where it was stopped before that was known."""
        if self.conflicts or self.unexplained:
            return False
        return None if self.stopped else True


def way(changes: dict[Path, tuple[str, Any]], price: str = "") -> Way:
    """A way out from what becomes of each path, as words and as a value."""
    texts = tuple(text for text, _ in changes.values())
    return Way(
        text=WHY("also").join(texts),
        path=", ".join(map(named, changes)),
        values={named(path): value for path, (_, value) in changes.items()},
        changes=texts,
        price=price,
    )
