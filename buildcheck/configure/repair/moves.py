"""What can be tried to fix a build: what `rules/moves.yaml` states, and what its parts allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from buildcheck.configure.common import action
from buildcheck.configure.decisions import Bought, Decision
from buildcheck.configure.repair.accessories import ACCESSORIES
from buildcheck.configure.repair.settings import SETTINGS
from buildcheck.edit import Change
from buildcheck.model.build import LISTS
from buildcheck.rulebook.moves import moves as move_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.configure.trial import Trial
    from buildcheck.rulebook.moves import MoveRules

KINDS = ("setting", "accessory", "swap")
#: What is offered last.
FEWER = "fewer cards"
SECOND_PSU = "second PSU"
#: Two supplies of another model in the place of one.
TWO_SUPPLIES = "two supplies"
#: Exchanged together, where one of them alone does not help.
PLATFORM_FAMILY = "platform"
#: Settings that can be needed after accessories: the circuits of a second PSU.
_AFTER = {"circuits": (1, SECOND_PSU), "outlet": (2, "")}
#: Parts whose exchange fixes the same after settings and accessories as before them.
MATCHED = {"motherboard", "cpu", "cpu_cooler", "memory", "modules"}
APART_FROM_POWER = MATCHED | {"case", "other chip", PLATFORM_FAMILY, "storage"}
#: Moves of which one is enough.
_APART = (
    {"same chip", "other chip"},
    {"risers", "case", "frame"},
    {SECOND_PSU, "psus", TWO_SUPPLIES},
    {"memory", "modules"},
    *({PLATFORM_FAMILY, family} for family in sorted(MATCHED)),
)
#: What finds the ways of moves that depend on the parts that are there.
_WAYS = SETTINGS | ACCESSORIES


@dataclass(frozen=True)
class Move:
    """What can be done about a failing build, the least first.

    `pick` finds a way for the machine it is given. With `after` that is the machine after one of
    those ways, which are then part of what is done.
    """

    family: str
    of: MoveRules
    ways: tuple[Decision, ...] = ()
    pick: Callable[[Trial], Decision | None] | None = None
    after: tuple[Decision, ...] = ()

    @property
    def kind(self) -> str:
        """Setting, accessory or swap."""
        return self.of.kind

    @property
    def graded(self) -> bool:
        """Does a later way fix whatever an earlier one does?"""
        return self.of.graded

    @property
    def place(self) -> tuple[int, str]:
        """Moves are made in this order, so that each set of them is looked at once."""
        return _AFTER.get(self.family, (KINDS.index(self.kind), self.family))


def go_together(taken: frozenset[str], family: str) -> bool:
    """May a move be made after others?"""
    if family.startswith("limit") and any(f.startswith("limit") for f in taken):
        return False
    return not any(family in apart and taken & apart for apart in _APART)


def stated_moves(trial: Trial, catalog: Catalog) -> Iterator[Move]:
    """All moves a build allows but those that exchange parts, in the order of the file."""
    for name, of in move_rules().items():
        found: Any = _WAYS[name](trial, catalog) if name in _WAYS else _by_data(trial, of)
        several = found if isinstance(found, dict) else {"": found}
        moves = (Move(f"{name} {key}".strip(), of, tuple(ways)) for key, ways in several.items())
        yield from (move for move in moves if move.ways)


def _by_data(trial: Trial, of: MoveRules) -> dict[str, list[Decision]]:
    """The ways of a move that the file states: what is set, one by one, or taken out."""
    found: dict[str, list[Decision]] = {}
    for place, value in of.set.items():
        path = tuple(place.split("."))
        section = trial.plain.get(path[0])
        now = section.get(path[-1]) if isinstance(section, dict) else section
        if not _is(now, value) and (now is not None or place in of.unstated):
            name = path[-1] if len(of.set) > 1 else ""
            found[name] = [_decided(of, (Change(path, value),), path[-1], now)]
    changes = [change for place in of.unset for change in _unset(trial, *place.split("."))]
    if changes:
        found[""] = [_decided(of, tuple(changes), str(changes[0].path[-1]), None)]
    return found


def _is(now: Any, value: Any) -> bool:
    """Is a value another way to write one, such as 0 for `0 W`?"""
    return now == value or (isinstance(value, str) and str(now) == value.split()[0])


def _unset(trial: Trial, section: str, key: str = "") -> Iterator[Change]:
    if section not in LISTS:
        yield from [Change((section,), None)] * bool(trial.section(section))
        return
    for number, entry in enumerate(trial.entries(section)):
        if entry.get(key) not in (None, False):
            yield Change((section, number, key), None)


def _decided(of: MoveRules, changes: tuple[Change, ...], key: str, now: Any) -> Decision:
    code, *names = of.say
    values = {name: key if name == "key" else now for name in names}
    buys = (Bought(None, len(changes), item=of.buys),) * bool(of.buys)
    return Decision(changes, (action(code, **values),), buys)
