"""A judged build → its answer."""

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import replace

from buildcheck import store
from buildcheck.facts import FACTS
from buildcheck.logic.quantity import Interval
from buildcheck.measure.shapes import only_helps, shape_of
from buildcheck.model.answer import made_of
from buildcheck.model.finding import VERDICTS, Report
from buildcheck.model.source import Unread
from buildcheck.report.answer import (
    AssumptionAnswer,
    BuildAnswer,
    PartAnswer,
    UncataloguedAnswer,
    Value,
)
from buildcheck.report.budgets import budget_answers
from buildcheck.report.findings import finding_answers
from buildcheck.report.limits import limit_loads, limit_speeds
from buildcheck.report.missing import missing_answers
from buildcheck.report.placement import placement_answer
from buildcheck.report.sources import notices, own_values, part_values
from buildcheck.report.values import figure_of, of_report, plain_value
from buildcheck.words.keys import is_idle

#: Verdicts that are shown, others only if asked for.
_SHOWN = ("fail", "likely-fail", "unknown", "waived")
#: Subjects that are no parts.
_AROUND = ("circuit", "workload", "network", "cost", "build")
#: The fact by which a part's power is known.
_POWERS = {"psu": "psu.rated_power", "ups": "ups.power", "gpu": "gpu.sustained_power"}


def build_answer(
    report: Report, *, verbose: bool = False, facts: bool = False, in_a_line: Container[str] = ()
) -> BuildAnswer:
    """One build. Verbose adds passes, arithmetic and what is not checked; `facts` all facts.

    Findings with a verdict `in_a_line` have no numbers, places and arithmetic.
    """
    shown = tuple(v for v in VERDICTS if v != "not-applicable" and (verbose or v in _SHOWN))
    document, states = report.document, {"fail": "{}", "likely-fail": "likely-{}"}
    brief = in_a_line if verbose else ("unknown",)
    counted = (states.get(f.verdict, f.verdict).format(f.severity) for f in report.findings)
    answer = BuildAnswer(
        **of_report(report),
        counts=dict(Counter(counted)),
        left_out=len(report.left_out),
        gpu_count=len(report.graph.of("gpu")),
        gpu_memory=figure_of(report.facts, "build.card_memory"),
        findings=finding_answers(report, *shown, in_a_line=brief, detail=verbose),
        placement=placement_answer(report, detail=verbose),
        budgets=budget_answers(report),
        missing=missing_answers(report, detail=verbose),
        not_listed=report.not_listed,
        assumptions=tuple(_assumptions(report)),
        not_read=tuple(dict.fromkeys(map(_shown, sorted(document.unread, key=_weight)))),
        open_lines=report.open_lines,
        uncatalogued=tuple(_uncatalogued(report)),
        facts=_facts(report) if facts else None,
        own_part_files=own_values(report) or None,
    )
    return _in_full(answer, report) if verbose else answer


def _shown(unread: Unread) -> tuple[str, int, str]:
    """A key that no check reads, with what it says where that is a remark; its line, and a hint."""
    is_own = unread.is_remark and unread.said and not unread.hint
    is_remark = is_own and not is_idle(*unread.remark)
    return f"{unread.key}: {unread.said}" if is_remark else unread.key, unread.line, unread.hint


def _weight(unread: Unread) -> tuple[bool, bool, bool]:
    """What could change a verdict comes first: values and remarks, before prices."""
    may_change = not (unread.is_remark and is_idle(*unread.remark))
    return "price" in unread.key + unread.hint, not may_change, not unread.hint


def _in_full(answer: BuildAnswer, report: Report) -> BuildAnswer:
    """An answer with parts, sources, limits and what is not checked."""
    values = (f for subject in report.graph.subjects.values() for f in subject.facts.values())
    return replace(
        answer,
        parts=tuple(_parts(report)),
        values=part_values(report),
        limit_speeds=limit_speeds(report),
        limit_loads=limit_loads(report),
        not_applicable=tuple(
            sorted({f.rule.id for f in report.findings if f.verdict == "not-applicable"})
        ),
        not_checked=_lines("not-checked.txt"),
        notices=notices(values),
    )


def _assumptions(report: Report) -> Iterator[AssumptionAnswer]:
    """What is assumed for what a build file leaves out, by section."""
    found: dict[str, list[str]] = {}
    for line in _lines("defaults.txt"):
        section, settled, words = line.split(" | ")
        if not any(_settles(what, report) for what in settled.split(", ")):
            found.setdefault(section, []).append(words)
    return (AssumptionAnswer(section, "; ".join(words)) for section, words in found.items())


def _settles(what: str, report: Report) -> bool:
    """Is a section listed (`risers`), a fact of it stated (`gpus.riser`), or a part `one psu`?"""
    if what.startswith("no "):
        return not _settles(what.removeprefix("no "), report)
    if what.startswith("one "):
        return len(report.graph.of(what.removeprefix("one "))) <= 1
    section, _, name = what.partition(".")
    among = [s for s in report.graph.subjects.values() if s.id == section or section in s.path[:1]]
    if not name:
        return any(s.listed for s in among)
    return any(name in s.facts and s.facts[name].confidence != "assumption" for s in among)


def _uncatalogued(report: Report) -> Iterator[UncataloguedAnswer]:
    """Each line of the build file that names a part of no catalogue."""
    lost = [s for s in report.graph.subjects.values() if s.near is not None]
    for path in dict.fromkeys(
        s.path for s in sorted(lost, key=lambda s: s.path and report.document.position(s.path))
    ):
        of = [s for s in lost if s.path == path]
        yield UncataloguedAnswer(
            subjects=tuple(s.id for s in of),
            name=of[0].name,
            line=report.document.position(path)[0],
            near=of[0].near or (),
            could_be=() if of[0].part else of[0].could_be,
            judged_as=report.catalog.part(of[0].part).name if report.catalog and of[0].part else "",
        )


def _lines(name: str) -> tuple[str, ...]:
    text = (store.data_folder("templates") / name).read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line)


def _parts(report: Report) -> Iterator[PartAnswer]:
    for subject in report.graph.subjects.values():
        if subject.path and subject.kind not in _AROUND:
            fact = _POWERS.get(subject.kind)
            power = figure_of(report.facts, fact, subject) if fact else None
            own = {"subject": subject.id, "is_listed": subject.listed, "power": power}
            yield made_of(PartAnswer, subject, **own)


def _facts(report: Report) -> dict[str, Value]:
    """Every fact but those that only help others, and the fields that were asked for, by name."""
    for fact in (fact for fact in FACTS.values() if not only_helps(fact.name)):
        for subject in report.graph.of(fact.of):
            report.facts(fact.name, subject)
    rows: dict[str, Value] = {}
    for (name, subject_id), value in sorted(report.facts.known().items()):
        if isinstance(value, (Interval, bool, str, frozenset)) and not only_helps(name):
            kind, _, rest = name.partition(".")
            key = name if subject_id == kind else f"{subject_id}.{rest}"
            rows[key] = plain_value(value, shape_of(name))
    return rows
