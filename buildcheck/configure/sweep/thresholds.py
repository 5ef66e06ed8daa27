"""How far each value may go, what each power limit needs, and what blocks more GPUs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from buildcheck.configure.common import FindingBrief, brief_findings
from buildcheck.configure.decisions import (
    OUTLET,
    ErrorRules,
    Outlet,
    circuit_warnings,
    edge,
    error_rules,
    outlets_of,
    reads_of,
)
from buildcheck.configure.sweep.answer import (
    BlockerAnswer,
    LimitNeed,
    MoreGpusAnswer,
    OutletAnswer,
    ThresholdAnswer,
)
from buildcheck.configure.trial import Trials
from buildcheck.edit import Change, named
from buildcheck.judge.record import KINDS
from buildcheck.logic.parse import names
from buildcheck.logic.quantity import Interval
from buildcheck.measure.shapes import field_shapes, unit_of
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.finding import FAILING, Report
from buildcheck.model.graph import Subject
from buildcheck.model.source import Path
from buildcheck.rulebook.moves import moves
from buildcheck.rulebook.proposals import proposals

#: A value is varied from half to double, in this number of steps.
STEPS = 256
#: Steps of the power limit that are shown, as shares of the default.
LIMIT_STEP = 0.05
#: PSUs are tried from and to these ratings, in these steps, in W.
RATINGS = (100, 5000, 10)
#: GPUs that are added to see what blocks them.
MORE = (1, 2)


def thresholds(trials: Trials) -> Iterator[ThresholdAnswer]:
    """Each value that error-grade rules read, and how far it may go."""
    for (path, field), (subject, rules) in _data(trials).items():
        now, unit = subject.value(field).high, unit_of(f"{subject.kind}.{field}")
        (low, below, falls_to), (high, above, rises_to) = (
            _edge(trials, path, rules, (now, end), unit) for end in (now / 2, now * 2)
        )
        if low is None and high is None:
            continue
        yield ThresholdAnswer(
            field=field,
            path=named(path),
            now=now,
            unit=unit.replace("degC", "°C"),
            part=" ".join(subject.name.split()) if subject.part else None,
            low=low,
            high=high,
            below=below,
            above=above,
            falls_to=falls_to,
            rises_to=rises_to,
        )


def _data(trials: Trials) -> dict[tuple[Path, str], tuple[Subject, set[str]]]:
    """Exact numbers of the build or its parts, each once, with the error-grade rules that read it.

    A rule that does not apply may read anything once it does.
    """
    facts = trials.report.facts
    findings = [f for f in trials.report.findings if f.rule.applies_to not in KINDS]
    judged = [f for f in findings if f.severity == "error" or f.rule.severity == "error"]
    spared = {f.rule.id for f in judged if f.verdict == "not-applicable"}
    found: dict[tuple[Path, str], tuple[Subject, set[str]]] = {}
    for name, of, rule in sorted(reads_of(trials.report, judged)):
        subject = facts.graph.subjects[of]
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
            key = ((*subject.path, field), field)
            found.setdefault(key, (subject, {*spared}))[1].add(rule)
    return dict(sorted(found.items(), key=lambda item: named(item[0][0])))


def _edge(
    trials: Trials, path: Path, rules: set[str], way: tuple[float, float], unit: str
) -> tuple[float | None, tuple[str, ...], str]:
    """The last value on a way with the same verdict, the rules that change it, and to what."""
    base, (now, end) = error_rules(trials.report), way
    is_whole = not unit and now == round(now)

    def at(step: int) -> float:
        value = now + (end - now) * step / STEPS
        return float(round(value)) if is_whole else float(f"{value:.4g}") if step else now

    def verdict(step: int) -> ErrorRules | None:
        value = at(step)
        text: Any = int(value) if is_whole else f"{value:.9f}".rstrip("0").rstrip(".") + f" {unit}"
        found = trials.after(trials.data, [Change(path, text)])
        return found.verdict.of(rules, base) if found else None

    def stays(step: int) -> bool:
        return (then := verdict(step)) is not None and then.word == base.word

    far, good = verdict(STEPS), edge(0, STEPS, stays) or 0
    if far is None or good == STEPS:
        return None, (), ""
    turned = verdict(good + 1) or far
    turning = (turned.failed ^ base.failed) or (turned.unknown ^ base.unknown)
    return at(good), tuple(sorted(turning)), turned.word


def nearness(one: ThresholdAnswer) -> tuple[float, str]:
    """By which thresholds are sorted: the share of the value that it is away."""
    ways = [abs(v - one.now) / one.now for v in (one.low, one.high) if v is not None]
    return min(ways), one.path


def limit_needs(trials: Trials) -> Iterator[LimitNeed]:
    """The least PSU and the smallest outlet for each power limit of all GPUs."""
    gpus = trials.report.graph.of("gpu")
    powers = [c.value("board_power") for c in gpus]
    if not all(powers) or len({(p.low, p.high) for p in powers}) > 1:
        # GPUs that differ have no common limit.
        return
    least = max((m.low for c in gpus if (m := c.value("power_limit_min"))), default=0.0)
    outlets = _outlets(trials)
    for number in range(round((1 - proposals().least_limit) / LIMIT_STEP) + 1):
        share = 1 - number * LIMIT_STEP
        limit = round(powers[0].high * share)
        if limit < least:
            break
        entries = range(len(trials.data["gpus"]))
        held = [Change(("gpus", i, "power_limit"), f"{limit} W") for i in entries]
        walls = tuple(_walls(trials, held, outlets))
        yield LimitNeed(limit, round(share, 2), _psu(trials, held), walls)


def _psu(trials: Trials, held: list[Change]) -> int | None:
    """The least rating of each PSU, in W, with which no PSU is overloaded."""
    psus = trials.data.get("psus")
    if not psus:
        return None
    rules = {r.id for r in trials.judging.rulebook.rules if "psu.usable_power" in names(r.claim)}

    low, high, step = RATINGS

    def passes(number: int) -> bool:
        watts = number * step
        kept = [{k: v for k, v in p.items() if k in ("count", "circuit")} for p in psus]
        # What one PSU gives at a low voltage says nothing of another.
        rated = {"rated_power": f"{watts} W", "rated_power_low_line": f"{watts} W"}
        return _passes(trials, [*held, Change(("psus",), [{**rated, **k} for k in kept])], rules)

    least = edge(high // step, low // step, passes)
    return None if least is None else least * step


def _outlets(trials: Trials) -> dict[float, list[Outlet]]:
    """Outlets by voltage, the smallest first: of the build's country, or the usual ones.

    Without a country they are of all that have the outlet it names.
    """
    circuit, catalog = trials.report.graph.the("circuit"), trials.catalog

    def ids(names: Iterable[str]) -> set[str]:
        return {catalog.find("outlet", name) for name in names}

    now, name, local = (circuit.value(n) for n in ("voltage", "outlet", "outlets"))
    here = ids(local or ([name] if name else []))
    facts = (catalog.part(part).facts.get("outlets") for part in catalog.ids("country"))
    others = [ids(fact.value) for fact in facts if fact and not local]
    near = here.union(*(of for of in others if of & here))
    return {
        v: [o for o in outlets_of(catalog) if o.volts == v and (o.part in near or not near)]
        for v in ((now.high,) if now else proposals().mains)
    }


def _walls(
    trials: Trials, held: list[Change], outlets: dict[float, list[Outlet]]
) -> Iterator[OutletAnswer]:
    """The smallest outlet of each voltage with which no circuit is overloaded."""
    wall = {r.id for r in trials.judging.rulebook.rules if r.applies_to == "circuit"}
    site = trials.data.get("site") or {}
    gone = [Change(("site", k), None) for k in OUTLET if k in site and k != "outlet"]
    for volts, rows in outlets.items():
        # Of outlets with one breaker the first is tried.
        for _, one in sorted({o.amps: o for o in reversed(rows)}.items()):
            changes = [*held, Change(("site", "outlet"), one.name), *gone]
            if _passes(trials, changes, wall, lasting=True):
                yield OutletAnswer(one.name, volts, one.amps)
                break


def _passes(
    trials: Trials, changes: list[Change], rules: set[str], *, lasting: bool = False
) -> bool:
    """Do some rules hold of the build with changes, where it is `lasting` without a warning?"""
    found = trials.after(trials.data, changes)
    if found is None or any(rule in rules for rule, _ in found.fails | found.unknown):
        return False
    return not lasting or bool(found.report and not circuit_warnings(found.report))


def more_gpus(trials: Trials) -> Iterator[MoreGpusAnswer]:
    """What blocks one more of the first GPUs, and two."""
    base = error_rules(trials.report)
    entry = trials.data["gpus"][0]
    pinned = "slots" in entry
    for number in MORE:
        changes = [Change(("gpus", 0, "count"), entry.get("count", 1) + number)]
        changes += [Change(("gpus", 0, "slots"), None)] if pinned else []
        trial = trials.after(trials.data, changes)
        report = trial.report if trial else None
        if report is None:
            yield MoreGpusAnswer(number)
            continue
        found = error_rules(report)
        fresh = {*found.failed - base.failed, *found.unknown - base.unknown - base.failed}
        blockers = (
            BlockerAnswer(**vars(one), part=_blocking(one, report))
            for one in brief_findings(report, *FAILING, "unknown")
            if one.rule in fresh and one.severity == "error"
        )
        yield MoreGpusAnswer(number, report.verdict, tuple(blockers), pinned)


def _blocking(one: FindingBrief, report: Report) -> str:
    """The part a finding is about that is no GPU: its subject, or what its rule reads."""
    finding = next(f for f in report.findings if (f.rule.id, f.subject) == (one.rule, one.subject))
    others = [n.partition(".")[0] for n in names(finding.rule.claim)]
    others = [k for k in others if k not in ("gpu", "build", "standard")]
    if report.graph.subjects[one.subject].kind not in ("gpu", "build"):
        return finding.subject_name
    usual = [
        SECTION_KIND[section]
        for name in ("by PSU", "by board")
        for section in moves()[name].sections
        if moves()[name].concerns((one.rule,))
    ]
    for other in (*others, *usual):
        found = report.graph.of(other)
        if found:
            return found[0].name
    return finding.subject_name
