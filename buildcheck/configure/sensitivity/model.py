"""What is told of how sensitive a build is: margins, more cards, supplies and data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Margin(NamedTuple):
    """How far a comparison is from failing: below zero where it does not hold.

    `share` is of the limit; None where that is zero. `value` and `limit` are in `unit`.
    """

    rule: str
    subject: str
    severity: str
    verdict: str
    value: str
    relation: str
    limit: str
    margin: float
    unit: str
    share: float | None


class Blocker(NamedTuple):
    """A rule that fails, or is not known to hold, with more cards: about which part, and how."""

    rule: str
    part: str
    subject: str
    verdict: str
    message: str


class More(NamedTuple):
    """What more cards come to; no blockers where they fit as far as is known.

    There is no `verdict` where so many cannot be checked; `note` is a code of what was changed to
    check them.
    """

    cards: int
    verdict: str
    blockers: tuple[Blocker, ...]
    note: str = ""


class Point(NamedTuple):
    """A power limit with the least rating of each supply and the least outlets that pass.

    None, or no outlets, where none does.
    """

    limit: int
    share: float
    supply: int | None
    outlets: tuple[tuple[str, float, float], ...]


class Turn(NamedTuple):
    """How far a datum may go down and up before the verdict of the build changes.

    `low` and `high` are the last values that were judged with the same verdict; None where it
    does not change down to the half, or up to the double. `below` and `above` are the rules that
    turn it then, `falls_to` and `rises_to` what it turns to: one that cannot be judged for want of
    data is no failure.
    """

    what: str
    path: str
    now: float
    unit: str
    low: float | None
    high: float | None
    below: tuple[str, ...]
    above: tuple[str, ...]
    falls_to: str = ""
    rises_to: str = ""


@dataclass(frozen=True)
class Sensitivity:
    """All of it for one build. `fails` are the rules by which it fails as it is."""

    name: str
    verdict: str
    fails: tuple[str, ...]
    margins: tuple[Margin, ...]
    more: tuple[More, ...]
    card: str
    frontier: tuple[Point, ...]
    turns: tuple[Turn, ...]
