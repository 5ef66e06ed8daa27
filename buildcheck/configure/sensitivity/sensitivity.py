"""How far a build is from its limits, and what of it may change before its verdict does.

Margins come from the findings themselves; everything else from builds that were changed as
plain data and judged again by `check`.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.check import check
from buildcheck.edit import Change, changed, named
from buildcheck.errors import InputError
from buildcheck.load import spelt_out
from buildcheck.logic.interval import evaluate
from buildcheck.logic.parse import Compare, names
from buildcheck.measure import field_shapes, unit_of
from buildcheck.model.quantity import UNKNOWN, Interval, show
from buildcheck.proposals import proposals
from buildcheck.render.words import Words
from buildcheck.rulebook import Rulebook
from buildcheck.units import BASE
from buildcheck.wording import Wording, label, span

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.model.finding import Finding, Report
    from buildcheck.model.graph import Subject
    from buildcheck.source import Path

#: What is said of all this.
TELL = Words("sensitivity")
_NUMERIC = ("<=", "<", ">=", ">")
_WORDS = {True: "pass", False: "fail", None: "unknown"}
#: What stands in the way by rules of a domain, where it is the cards that they speak of.
_IN_THE_WAY = {"cable": "psu", "space": "motherboard", "pcie": "motherboard", "power": "psu"}
#: Steps of the power limit that are shown, as shares of the default.
STEP = 0.05
#: Supplies are looked at from and to these ratings, in these steps, in W.
RATINGS = (100, 5000, 10)
#: Cards that are added to see what blocks them.
MORE = (1, 2)
#: How far a datum is changed: to the double and to the half, in so many steps.
STEPS = 256
_SITE = ("outlet", "country", "voltage", "breaker")


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
    """What more cards come to; no blockers where they fit as far as is known."""

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
    does not change down to the half, or up to the double. `below` and `above` say what then
    becomes of which rules.
    """

    what: str
    path: str
    now: float
    unit: str
    low: float | None
    high: float | None
    below: tuple[str, ...]
    above: tuple[str, ...]


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


def sensitivity(
    report: Report, catalog: Catalog, rulebook: Rulebook, today: datetime.date
) -> Sensitivity:
    """What a judged build is sensitive to."""
    desk = _Desk(report, catalog, rulebook, today)
    more, card = desk.more()
    return Sensitivity(
        name=report.name,
        verdict=report.verdict,
        fails=desk.fails(),
        margins=tuple(margins(report)),
        more=more,
        card=card,
        frontier=tuple(desk.frontier()),
        turns=tuple(desk.turns()),
    )


# -- margins -----------------------------------------------------------------


def margins(report: Report) -> list[Margin]:
    """The margin of every numeric comparison, the tightest first."""
    found: dict[Margin, list[str]] = {}
    for finding in report.findings:
        one = _margin(finding)
        if one is not None:
            found.setdefault(one._replace(subject=""), []).append(finding.subject)
    rows = [row._replace(subject=span(tuple(subjects))) for row, subjects in found.items()]
    return sorted(rows, key=_tightness)


def _tightness(row: Margin) -> tuple[bool, float, str, str]:
    share = math.copysign(math.inf, row.margin) if row.share is None else row.share
    return row.severity != "error", share, row.rule, row.subject


def _margin(finding: Finding) -> Margin | None:
    """What is left at the worst grade of a rule, whatever the two sides are within their ranges."""
    claim, words = finding.rule.claim, finding.words
    if finding.verdict == "not-applicable" or not isinstance(words, Wording):
        return None
    if not isinstance(claim, Compare) or claim.op not in _NUMERIC:
        return None
    grade = finding.rule.grades[0]
    left, right = (evaluate(s, lambda n: words.value(n, grade)) for s in (claim.left, claim.right))
    if not isinstance(left, Interval) or not isinstance(right, Interval):
        return None
    if UNKNOWN in (left, right):
        return None
    left_rest = right.low - left.high if claim.op[0] == "<" else left.low - right.high
    if math.isinf(left_rest) or math.isnan(left_rest):
        return None
    shape = words._dimension(claim.left)  # noqa: SLF001 - as its messages say it
    limit = right.low if claim.op[0] == "<" else right.high
    return Margin(
        rule=finding.rule.id,
        subject="",
        severity=grade.severity,
        verdict=_WORDS[claim_holds(claim.op, left, right)],
        value=show(left, shape),
        relation=claim.op,
        limit=show(right, shape),
        margin=round(left_rest, 6),
        unit=BASE.get(shape, ""),
        share=round(left_rest / abs(limit), 4) if limit else None,
    )


def claim_holds(relation: str, left: Interval, right: Interval) -> bool | None:
    """Does a comparison hold, whatever the two sides are within their ranges?"""
    if relation[0] == ">":
        left, right = right, left
    return left.is_at_most(right) if relation.endswith("=") else left.is_below(right)


# -- changed builds ----------------------------------------------------------


class _Verdict(NamedTuple):
    """The verdict of a build, and the error-grade rules that fail or are not known to hold."""

    word: str
    failed: frozenset[str]
    unknown: frozenset[str]


class _Desk:
    def __init__(
        self, report: Report, catalog: Catalog, rulebook: Rulebook, today: datetime.date
    ) -> None:
        self.report, self.catalog, self.today = report, catalog, today
        data = spelt_out(report.document.data)
        self.data: dict[str, Any] = {k: v for k, v in data.items() if k != "quotes"}
        graves = tuple(r for r in rulebook.rules if r.severity == "error")
        self.graves = Rulebook(graves, rulebook.digest)
        supply = tuple(r for r in graves if "psu.usable_power" in names(r.claim))
        self.supply = Rulebook(supply, rulebook.digest)
        wall = tuple(r for r in graves if r.applies_to == "circuit")
        self.wall = Rulebook(wall, rulebook.digest)

    def _judged(self, changes: list[Change], rules: Rulebook | None = None) -> Report | None:
        """The report of the build with changes; None for one that cannot be read."""
        try:
            raw = json.dumps(changed(self.data, changes), ensure_ascii=False).encode()
            return check(raw, "build", self.catalog, rules or self.graves, self.today)
        except (InputError, ValueError):
            return None

    @staticmethod
    def _verdict(report: Report) -> _Verdict:
        grave = [f for f in report.findings if f.severity == "error"]
        failed = frozenset(f.rule.id for f in grave if f.verdict == "fail")
        unknown = frozenset(f.rule.id for f in grave if f.verdict == "unknown")
        return _Verdict(report.verdict, failed, unknown)

    def fails(self) -> tuple[str, ...]:
        """The error-grade rules by which the build fails as it is."""
        return tuple(sorted(self._verdict(self.report).failed))

    # One more card

    def more(self) -> tuple[tuple[More, ...], str]:
        """What blocks one more of the first cards, and two; and what card that is."""
        card = self.report.graph.of("gpu")[0]
        base = self._verdict(self.report)
        entry = self.data["gpus"][0]
        found = []
        for number in MORE:
            changes = [Change(("gpus", 0, "count"), entry.get("count", 1) + number)]
            note = ""
            if "slots" in entry:
                changes.append(Change(("gpus", 0, "slots"), None))
                note = TELL("slots_left_open")
            report = self._judged(changes)
            if report is None:
                found.append(More(number, "cannot be read", (), TELL("cannot_be_checked")))
                continue
            said = self._verdict(report)
            blockers = [
                *self._blockers(report, "fail", said.failed - base.failed),
                *self._blockers(report, "unknown", said.unknown - base.unknown - base.failed),
            ]
            found.append(More(number, report.verdict, tuple(blockers), note))
        return tuple(found), card.name

    def _blockers(self, report: Report, verdict: str, rules: frozenset[str]) -> Iterator[Blocker]:
        for rule in sorted(rules):
            findings = [f for f in report.findings if f.rule.id == rule and f.verdict == verdict]
            first = findings[0]
            subjects = span(tuple(f.subject for f in findings))
            yield Blocker(rule, self._blocking(first, report), subjects, verdict, first.message)

    @staticmethod
    def _blocking(finding: Finding, report: Report) -> str:
        """The part a finding is about that is not the card: its subject, or what its rule reads."""
        kind = report.graph.subjects[finding.subject].kind
        others = [n.partition(".")[0] for n in names(finding.rule.claim)]
        others = [k for k in others if k not in ("gpu", "build", "standard")]
        if kind not in ("gpu", "build"):
            return finding.subject_name
        for other in (*others, _IN_THE_WAY.get(finding.rule.domain, kind)):
            found = report.graph.of(other)
            if found:
                return found[0].name
        return finding.subject_name

    # Power limit against supply and circuit

    def frontier(self) -> Iterator[Point]:
        """The least supply and circuit for each power limit of all cards."""
        cards = self.report.graph.of("gpu")
        powers = [c.value("board_power") for c in cards]
        if not all(powers) or len({(p.low, p.high) for p in powers}) > 1:
            # Cards that differ have no one limit.
            return
        default = powers[0].high
        least = max((m.low for c in cards if (m := c.value("power_limit_min"))), default=0.0)
        outlets = self._outlets()
        for number in range(round((1 - proposals().least_limit) / STEP) + 1):
            share = 1 - number * STEP
            limit = round(default * share)
            if limit < least:
                break
            entries = range(len(self.data["gpus"]))
            held = [Change(("gpus", i, "power_limit"), f"{limit} W") for i in entries]
            yield Point(
                limit, round(share, 2), self._supply(held), tuple(self._walls(held, outlets))
            )

    def _supply(self, held: list[Change]) -> int | None:
        """The least rating of each supply, in W, with which no supply is overloaded."""
        psus = self.data.get("psus")
        if not psus:
            return None

        def passes(watts: int) -> bool:
            kept = [{k: v for k, v in p.items() if k in ("count", "circuit")} for p in psus]
            # What a supply of its own gives at a low voltage is not asked of any supply.
            rated = {"rated_power": f"{watts} W", "rated_power_low_line": f"{watts} W"}
            some = [{**rated, **k} for k in kept]
            report = self._judged([*held, Change(("psus",), some)], self.supply)
            return report is not None and report.verdict == "pass"

        low, high, step = RATINGS
        if not passes(high):
            return None
        bad, good = low // step - 1, high // step
        while good - bad > 1:
            middle = (good + bad) // 2
            if passes(middle * step):
                good = middle
            else:
                bad = middle
        return good * step

    def _outlets(self) -> dict[float, list[tuple[float, str]]]:
        """Known outlets by voltage, the smallest first: those of the build's, or the usual ones."""
        now = self.report.graph.the("circuit").value("voltage")
        volts = (now.high,) if now else proposals().mains
        found: dict[float, list[tuple[float, str]]] = {v: [] for v in volts}
        for part_id in self.catalog.ids("outlet"):
            part = self.catalog.part(part_id)
            voltage, breaker = (part.facts.get(n) for n in ("voltage", "breaker"))
            if voltage and breaker and voltage.value.high in found:
                found[voltage.value.high].append((breaker.value.high, part.name))
        return {v: sorted(rows) for v, rows in found.items()}

    def _walls(
        self, held: list[Change], outlets: dict[float, list[tuple[float, str]]]
    ) -> Iterator[tuple[str, float, float]]:
        """The least outlet of each voltage with which no circuit is overloaded."""
        site = self.data.get("site") or {}
        gone = [Change(("site", k), None) for k in _SITE if k in site and k != "outlet"]
        for volts, rows in outlets.items():
            tried = set()
            for amps, name in rows:
                if amps in tried:
                    continue
                report = self._judged([*held, Change(("site", "outlet"), name), *gone], self.wall)
                if report is not None and report.verdict == "pass":
                    yield name, volts, amps
                    break
                tried.add(amps)

    # What may change

    def turns(self) -> list[Turn]:
        """Each datum that error-grade rules read, and how far it may go; the tightest first."""
        found = []
        base = self._verdict(self.report)
        for (path, field), subject in self._data().items():
            value = subject.value(field)
            now = value.high
            unit = unit_of(f"{subject.kind}.{field}")
            is_whole = not unit and now == round(now)
            low, below = self._edge(path, now, now / 2, unit, base, is_whole=is_whole)
            high, above = self._edge(path, now, now * 2, unit, base, is_whole=is_whole)
            if low is None and high is None:
                continue
            what = f"{label(field)} of {subject.name}" if subject.part else f"{label(field)}"
            found.append(Turn(what, named(path), now, unit, low, high, below, above))
        return sorted(found, key=_nearness)

    def _data(self) -> dict[tuple[Path, str], Subject]:
        """Exact numbers of the build or its parts that error-grade rules read, each once."""
        facts = self.report.facts
        queue = [
            (used.name, used.subject)
            for finding in self.report.findings
            if finding.severity == "error" or finding.rule.severity == "error"
            for used in finding.numbers
        ]
        seen: set[tuple[str, str]] = set()
        found: dict[tuple[Path, str], Subject] = {}
        while queue:
            key = queue.pop()
            if key in seen:
                continue
            seen.add(key)
            name, subject = key[0], facts.graph.subjects[key[1]]
            queue += facts.used(name, subject)
            field = name.partition(".")[2]
            value = subject.value(field)
            if (
                facts.source(name, subject) is not None
                and isinstance(value, Interval)
                and value.is_exact
                and 0 < value.high < math.inf
                and subject.listed
                and subject.path
                and field in field_shapes(subject.kind)
            ):
                found.setdefault(((*subject.path, field), field), subject)
        return dict(sorted(found.items(), key=lambda item: named(item[0][0])))

    def _edge(
        self, path: Path, now: float, end: float, unit: str, base: _Verdict, *, is_whole: bool
    ) -> tuple[float | None, tuple[str, ...]]:
        """The last value on the way to `end` with the same verdict, and the rules that turn."""

        def at(step: int) -> float:
            value = now + (end - now) * step / STEPS
            return float(round(value)) if is_whole else float(f"{value:.4g}") if step else now

        def said(value: float) -> _Verdict | None:
            text: Any = (
                int(value) if is_whole else f"{value:.9f}".rstrip("0").rstrip(".") + f" {unit}"
            )
            report = self._judged([Change(path, text)])
            return None if report is None else self._verdict(report)

        far = said(at(STEPS))
        if far is None or far.word == base.word:
            return None, ()
        good, bad, turned = 0, STEPS, far
        while bad - good > 1:
            middle = (good + bad) // 2
            found = said(at(middle))
            if found is not None and found.word == base.word:
                good = middle
            else:
                bad, turned = middle, found or turned
        rules = (turned.failed ^ base.failed) or (turned.unknown ^ base.unknown)
        return at(good), tuple(sorted(rules))


def _nearness(turn: Turn) -> tuple[float, str]:
    ways = [abs(v - turn.now) / turn.now for v in (turn.low, turn.high) if v is not None]
    return min(ways), turn.path
