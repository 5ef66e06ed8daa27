"""The best power limit of a build for a goal: every limit is judged before it counts.

Cards are held at one share of their default power, in whole steps of watts. The rest of the build
stays as it is, so a limit is proposed only where the build passes with it; that something sets it
at every start is taken, and the unit that does is part of the answer.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.check import check
from buildcheck.configure.stopping import never
from buildcheck.edit import Change, changed
from buildcheck.errors import InputError
from buildcheck.facts.limits import decoding_speed_at, speed_at
from buildcheck.load import spelt_out
from buildcheck.model.quantity import ZERO, Interval, exact
from buildcheck.model.quantity import total as add_up
from buildcheck.proposals import proposals

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Iterable, Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.configure.stopping import Stop
    from buildcheck.measure import Facts
    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject
    from buildcheck.rulebook import Rulebook

#: What a limit can be the best for.
GOALS = ("speed", "per-watt", "rack")
#: Share of full speed at a limit, by kind of work.
_SPEED = {"training": speed_at, "inference": decoding_speed_at}


class Entry(NamedTuple):
    """An entry of cards: its number in the file, the cards, and their default and lowest limit."""

    number: int
    cards: tuple[Subject, ...]
    default: float
    lowest: float


class Setting(NamedTuple):
    """Limits that were judged. Powers are in W, speeds in cards at full speed.

    `watts` are the limits of the entries, `share` is of their defaults. `wall` is what the machine
    takes at work, None if it is not known; `fails` are the rules by which it then fails, and
    `open` those that cannot be judged.
    """

    share: float
    watts: dict[int, int]
    training: Interval | None
    inference: Interval | None
    cards: Interval
    wall: Interval | None
    verdict: str
    fails: tuple[str, ...]
    open: tuple[str, ...]

    def speed(self, work: str) -> Interval | None:
        """Card-equivalents at a kind of work."""
        return self.training if work == "training" else self.inference

    def worth(self, goal: str, work: str, rack: float) -> float | None:
        """What is to be as large as can be, at the least it may be; None if not known."""
        speed = self.speed(work)
        if speed is None:
            return None
        if goal == "speed":
            return speed.low
        if self.wall is None or self.wall.high <= 0:
            return None
        if goal == "rack":
            return math.floor(rack / self.wall.high) * speed.low
        return speed.low / self.wall.high


@dataclass(frozen=True)
class Limits:
    """Every setting, from no limit down, and the best for the goal; `report` is of the best.

    Nothing fails with the best, and what is not judged with it is judged with none.
    `lacks` names the cards whose default power or lowest limit is not known, with which nothing is
    tried, and `uncurved` those whose speed at a limit is not, with which no best is named.
    """

    name: str
    verdict: str
    goal: str
    work: str
    #: What a rack gives, in W.
    rack: float
    entries: tuple[Entry, ...]
    settings: tuple[Setting, ...]
    best: Setting | None
    report: Report | None
    changes: tuple[Change, ...]
    #: Rules by which the build fails at every limit.
    always_fails: tuple[str, ...]
    lacks: tuple[str, ...]
    uncurved: tuple[str, ...]
    #: It was cut short; these limits of the entries, in W, were then not tried.
    stopped: bool = False
    untried: tuple[dict[int, int], ...] = ()

    @property
    def passing(self) -> tuple[Setting, ...]:
        """The settings that the build passes with, from the highest limit down."""
        return tuple(one for one in self.settings if one.verdict == "pass")


def limits(  # noqa: PLR0913 - a build, what judges it, and who watches
    report: Report,
    catalog: Catalog,
    rulebook: Rulebook,
    today: datetime.date,
    aim: tuple[str, str, float],
    *,
    stop: Stop = never,
    told: Callable[[int, int], None] = lambda _done, _all: None,
) -> Limits:
    """What limits do to a judged build. `aim` is a goal, a kind of work and the power of a rack.

    `stop` is asked before each limit whether to end with what there is; `told` is how many of how
    many are done.
    """
    goal, work, rack = aim
    untried: list[dict[int, int]] = []
    entries, lacks = _entries(report)
    uncurved = _uncurved(entries, report)
    tried: list[tuple[Setting, Report, tuple[Change, ...]]] = []
    if not lacks:
        data = {k: v for k, v in spelt_out(report.document.data).items() if k != "quotes"}
        steps = list(_steps(entries))
        for done, (share, watts) in enumerate(steps):
            told(done, len(steps))
            if stop():
                untried = [left for _, left in steps[done:]]
                break
            changes = tuple(_changes(entries, watts, data))
            then = _judged(data, changes, (catalog, rulebook, today))
            if then is not None:
                tried.append((_setting(share, watts, then, entries), then, changes))
    settings = tuple(setting for setting, *_ in tried)
    # What no limit changes is told, and does not keep the others from being compared.
    open_ = _in_all(one.open for one in settings)
    chosen, most = None, -math.inf
    for one in tried:
        setting = one[0]
        fits = not setting.fails and set(setting.open) <= open_
        worth = setting.worth(goal, work, rack) if fits and not uncurved else None
        # Of several that are worth the same the last, which takes the least.
        if worth and worth >= most:
            chosen, most = one, worth
    return Limits(
        name=report.name,
        verdict=report.verdict,
        goal=goal,
        work=work,
        rack=rack,
        entries=tuple(entries),
        settings=settings,
        best=chosen[0] if chosen else None,
        report=chosen[1] if chosen else None,
        changes=chosen[2] if chosen else (),
        always_fails=tuple(sorted(_in_all(one.fails for one in settings))),
        lacks=tuple(lacks),
        uncurved=uncurved,
        stopped=bool(untried),
        untried=tuple(untried),
    )


def _in_all(rules: Iterable[tuple[str, ...]]) -> set[str]:
    """The rules that are in each of some."""
    found = [set(one) for one in rules]
    return set.intersection(*found) if found else set()


def _entries(report: Report) -> tuple[list[Entry], list[str]]:
    """The entries of cards that can be held, and the cards of which something is not known."""
    facts = report.facts
    found: dict[int, list[Subject]] = {}
    for card in report.graph.of("gpu"):
        number = card.path[1]
        found.setdefault(number if isinstance(number, int) else 0, []).append(card)
    entries, lacks = [], []
    for number, cards in found.items():
        first = cards[0]
        default = facts("gpu.board_power", first)
        least = facts("gpu.power_limit_min", first) or facts("gpu.likely_lowest_limit", first)
        if default is None or least is None:
            lacks.append(first.name)
            continue
        # What every card of a generic name takes.
        entries.append(Entry(number, tuple(cards), default.low, least.high))
    return entries, lacks


def _uncurved(entries: list[Entry], report: Report) -> tuple[str, ...]:
    """The cards of whose architecture nobody has measured the speed at a limit."""
    cards = (entry.cards[0] for entry in entries)
    names = (c.name for c in cards if report.facts("gpu.speed_at_limit", c) is None)
    return tuple(dict.fromkeys(names))


def _steps(entries: list[Entry]) -> Iterator[tuple[float, dict[int, int]]]:
    """Shares of the default from all of it down, with limits in whole steps for each entry."""
    step = proposals().limit_step
    if not entries:
        return
    apart = step / entries[0].default if len(entries) == 1 else proposals().common_limit_step
    lowest = max(e.lowest / e.default for e in entries)
    yield 1.0, {}
    last: dict[int, int] = {}
    for number in range(1, math.floor((1 - lowest) / apart + 1e-9) + 1):
        share = 1 - number * apart
        watts = {e.number: _whole(e.default * share, e.lowest, step) for e in entries}
        if watts != last:
            yield share, watts
        last = watts


def _whole(watts: float, lowest: float, step: float) -> int:
    """Down to a whole step, but not below what the card takes."""
    down = math.floor(watts / step + 1e-9) * step
    return round(down if down >= lowest else math.ceil(lowest / step) * step)


def _changes(entries: list[Entry], watts: dict[int, int], data: dict[str, Any]) -> Iterator[Change]:
    for entry in entries:
        given = data["gpus"][entry.number]
        if not watts:
            yield from (
                Change(("gpus", entry.number, key), None)
                for key in ("power_limit", "limit_at_boot")
                if key in given
            )
            continue
        yield Change(("gpus", entry.number, "power_limit"), f"{watts[entry.number]} W")
        if given.get("limit_at_boot") is not True:
            yield Change(("gpus", entry.number, "limit_at_boot"), True)


def _judged(
    data: dict[str, Any],
    changes: tuple[Change, ...],
    by: tuple[Catalog, Rulebook, datetime.date],
) -> Report | None:
    try:
        raw = json.dumps(changed(data, list(changes)), ensure_ascii=False).encode()
        return check(raw, "build", *by)
    except (InputError, ValueError):
        return None


def _setting(share: float, watts: dict[int, int], then: Report, entries: list[Entry]) -> Setting:
    grave = [f for f in then.findings if f.severity == "error"]
    wall = then.facts.number("circuit.heat")
    held = {e.number: exact(float(watts.get(e.number, e.default))) for e in entries}
    return Setting(
        share=share,
        watts=watts,
        training=_equivalents("training", held, entries, then.facts),
        inference=_equivalents("inference", held, entries, then.facts),
        cards=add_up([held[e.number] * exact(float(len(e.cards))) for e in entries]),
        wall=wall if wall.is_known and wall != ZERO else None,
        verdict=then.verdict,
        fails=_ids(grave, "fail"),
        open=_ids(grave, "unknown"),
    )


def _equivalents(
    work: str, held: dict[int, Interval], entries: list[Entry], facts: Facts
) -> Interval | None:
    """How many cards at full speed those of a build are like at these limits."""
    found = []
    for entry in entries:
        each = _SPEED[work](entry.cards[0], facts, held[entry.number])
        if each is None:
            return None
        found.append(each * exact(float(len(entry.cards))))
    return add_up(found)


def _ids(findings: list[Any], verdict: str) -> tuple[str, ...]:
    return tuple(sorted({f.rule.id for f in findings if f.verdict == verdict}))
