"""What `why` answers: conflicts, and ways out."""

from collections.abc import Iterable
from typing import Any

from buildcheck.configure.common import Phrase
from buildcheck.edit import named
from buildcheck.model.answer import Amount
from buildcheck.model.frozen import Frozen


class ConflictMember(Frozen):
    """One choice of a build, or one wish: its phrase, and its place."""

    what: Phrase
    path: str
    value: Any


class BrokenRule(Frozen):
    """A rule that a conflict breaks, as in its first finding; or a reason that is no finding."""

    rule: str
    title: str = ""
    message: str = ""
    subjects: tuple[str, ...] = ()
    reason: Phrase | None = None


class WayOut(Frozen):
    """A minimal set of things to give up, and what each would have to become.

    `values` are by path; `prices` are of the parts that are bought, or of a machine that passes.
    """

    changes: tuple[Phrase, ...]
    path: str
    values: dict[str, Any]
    prices: tuple[Amount, ...] = ()


class ConflictAnswer(Frozen):
    """Things of which each can stand with the others but one, and what resolves them.

    One that is not `certain` is of things with which nothing is known to pass, for want of data.
    """

    members: tuple[ConflictMember, ...]
    rules: tuple[BrokenRule, ...]
    certain: bool
    #: They conflict with the rest as it is, not with any.
    rest_kept: bool = False
    #: Fewer of them may conflict already: the search for those was stopped.
    may_be_fewer: bool = False


class WhyAnswer(Frozen):
    """Why a build or a wish is not possible; no conflict means that nothing is in the way.

    `possible` is None where it was stopped before that was known.
    """

    name: str
    of: str
    possible: bool | None
    conflicts: tuple[ConflictAnswer, ...] = ()
    ways_out: tuple[WayOut, ...] = ()
    #: There are no further conflicts and ways out.
    complete: bool = True
    #: What is known where there is no conflict, or of ways that were not searched to the end.
    summary: Phrase | None = None
    #: Rules that could find an error and cannot be judged.
    unknown: tuple[str, ...] = ()
    stopped: bool = False
    #: Rules that fail and were not looked at.
    unexplained: tuple[str, ...] = ()
    #: The prices of ways are those of builds that rules may warn of.
    prices_with_warnings: bool = False
    #: Nothing that fails is certain.
    is_likely: bool = False


def conflict_members(some: "Iterable[Any]") -> tuple[ConflictMember, ...]:
    """Choices or wishes as the members of a conflict."""
    return tuple(ConflictMember(one.what, named(one.path), one.value) for one in some)
