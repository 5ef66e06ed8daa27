"""Rulebook × facts → findings: the law, applied to every subject a rule is about.

For each rule and subject the worst grade that fails is found; where a worse grade
cannot be judged, that is said as well. What is known decides; what it leaves open is read
again with what such parts usually have, and is then likely at most; and what that leaves open of
a name that could mean several parts, with each of them. Waivers take findings out of the count, in
the open. Nothing here changes what it judges.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from buildcheck.judge.designs import Designs
from buildcheck.judge.record import Record, entries, noted
from buildcheck.judge.unread import UnreadLines
from buildcheck.logic.parse import Compare
from buildcheck.logic.quantity import exact
from buildcheck.measure import Facts, measure
from buildcheck.measure.shapes import field_of
from buildcheck.model.finding import (
    RECORDS,
    SECTIONS,
    TROUBLES,
    Drawn,
    Finding,
    FindingWords,
    Tried,
    Verdict,
)
from buildcheck.model.graph import Graph, Subject, is_apart
from buildcheck.model.labels import subject_id
from buildcheck.model.rule import Grade, Rule
from buildcheck.model.source import Document
from buildcheck.rulebook import Rulebook
from buildcheck.rulebook.wording import Wording

_SPAN = re.compile(r"(\w+)\[([0-9]{1,4}(?:\.\.[0-9]{1,4})?(?:,[0-9]{1,4}(?:\.\.[0-9]{1,4})?)*)\]")
#: No build has more subjects of a kind than this.
MOST_SPREAD = 256


class Readings(NamedTuple):
    """The facts of a build that are certain, and those with what its parts usually have.

    `designs` are the names that could mean several parts, where these are to be tried; `elsewhere`
    gives what is certain with the slots that are best by what is certain alone.
    """

    certain: Facts
    expected: Facts
    designs: Designs | None = None
    elsewhere: Callable[[], Facts] | None = None


def judge(
    rulebook: Rulebook, facts: Readings, document: Document, record: Record, unread: UnreadLines
) -> list[Finding]:
    """Every rule's word on every subject it applies to, those of the record last."""
    written = _facts_of(entries(record))
    findings = [
        f
        for rule in rulebook.rules
        for f in _over(rule, written if rule.applies_to in RECORDS else facts, document)
    ]
    findings = [_waive(unread.weighed(f), record) for f in findings]
    findings = _together(findings, facts.designs)
    about = _facts_of(_waiver_subjects(findings, record, rulebook))
    return [*findings, *(f for rule in rulebook.rules for f in _over(rule, about, document))]


def _facts_of(subjects: list[Subject]) -> Readings:
    """The facts of subjects that are no part of the machine."""
    facts = measure(Graph({s.id: s for s in subjects}))
    return Readings(facts, facts)


def _over(rule: Rule, facts: Readings, document: Document) -> Iterator[Finding]:
    for subject in facts.certain.graph.of(rule.applies_to):
        if is_apart(subject, rule.domain):
            continue
        yield from judge_one(rule, subject, facts, document)


def judge_one(rule: Rule, subject: Subject, facts: Readings, document: Document) -> list[Finding]:
    """One rule's word on one subject: one finding, or two where a worse grade is less certain."""
    words = Wording(rule, subject, facts.certain, document)
    found = _read(words)
    if facts.certain is facts.expected or found[0].verdict == "pass":
        return found
    usual = Wording(rule, facts.expected.graph.subjects[subject.id], facts.expected, document)
    open_ = found[0].verdict == "unknown"
    again = found if not open_ and words.is_same(usual) else _read(usual)
    sure = [f for f in found if f.verdict == "fail" and _stands(f, words, again, facts)]
    if len(sure) == len(found) or (found[0].verdict == "not-applicable" and again is found):
        return found
    open_ = found[0].verdict != "not-applicable"
    if facts.designs and any(f.verdict == "unknown" for f in again):
        drawn = _by_draw(again, facts.designs, document)
        if any(f.verdict == "unknown" for f in drawn):
            # A choice of a part says more than a count of machines, where it leaves no more open.
            chosen = _by_design(again, facts.designs, document)
            drawn = min(drawn, chosen, key=_open_at) if drawn is not again else chosen
        again = drawn
    return [*_likely(again, sure, facts.expected.graph, open_=open_), *sure]


def _stands(finding: Finding, words: Wording, again: list[Finding], facts: Readings) -> bool:
    """Is a certain failure one of what is usual too, and wherever the GPUs are placed?

    Slots that are not stated are chosen by what is usual.
    """
    rule, readings = words.rule, [again]
    if facts.elsewhere and any(words.facts.rests_on(n, "motherboard") for n in words.numbers()):
        other = facts.elsewhere()
        subject = other.graph.subjects[finding.subject]
        readings.append(_read(Wording(rule, subject, other, words.document)))
    worst = rule.grades.index(finding.grade)
    return all(
        any(f.verdict == "fail" and rule.grades.index(f.grade) <= worst for f in reading)
        for reading in readings
    )


def _likely(
    again: list[Finding], sure: list[Finding], graph: Graph, *, open_: bool
) -> Iterator[Finding]:
    """What the expected reading adds to what is certain: worse grades that are likely or open."""
    for finding in again:
        if finding.verdict in ("pass", "not-applicable"):
            if not sure:
                is_open = finding.verdict == "pass" or open_
                yield replace(finding, verdict="likely-pass") if is_open else finding
        elif sure and finding.rule.grades.index(finding.grade) >= finding.rule.grades.index(
            sure[0].grade
        ):
            continue
        elif finding.verdict == "fail":
            yield replace(finding, verdict="likely-fail")
        elif not open_:
            # That a rule applies is only usual, and then it is not known what it finds.
            yield replace(finding, verdict="not-applicable")
        elif any(
            # What every machine has, and the build lists none of; no mains are usual.
            s.kind in SECTIONS and not s.listed and (s.kind == "circuit" or not m.narrows)
            for m in finding.words.missing()
            for s in (graph.subjects[m.subject],)
        ):
            yield replace(finding, verdict="not-listed")
        else:
            yield finding


def _by_design(again: list[Finding], designs: Designs, document: Document) -> list[Finding]:
    """What is open because a name could mean several parts: what nearly all of them make of it.

    It stays as it is where most of them leave it open, for data of something else.
    """
    first = again[0]
    rule, words = first.rule, first.words
    for named, fields in designs.behind(_data(words)):
        groups = designs.alike(named[0], fields)
        answers: dict[str, list[bool | None]] = {}
        # The largest first, so that it shows soon where most leave it open.
        elsewhere, most = 0, sum(map(len, groups)) / 2
        for ids in sorted(groups, key=len, reverse=True):
            facts = designs.having(named[0], ids[0])
            with_one = Wording(rule, facts.graph.subjects[first.subject], facts, document)
            applies, found = _answers(with_one)
            # Where it is open whether the rule applies, a claim that fails is as open.
            held = [a or None if applies is None else a for a in found]
            answers.update(dict.fromkeys(ids, held))
            if None in held and not {m.subject for m in with_one.missing()} <= {
                n.id for n in named
            }:
                elsewhere += len(ids)
                if elsewhere >= most:
                    break
        if elsewhere >= most:
            continue
        answers, tried = {part: answers[part] for ids in groups for part in ids}, []
        for number in range(len(rule.grades)):
            # At a grade passes what passes at all worse ones too.
            worse = {part: held[: number + 1] for part, held in answers.items()}
            passing = tuple(part for part, held in worse.items() if all(held))
            failing = tuple(part for part, held in worse.items() if False in held)
            tried.append(Tried(named[0].id, fields, passing, failing, tuple(answers)))
        return [
            replace(first, verdict=v, grade=g, answer=a, tried=tried[rule.grades.index(g)])
            for v, g, a in outcome(rule.grades, True, [designs.most(t) for t in tried])
        ]
    return again


def _by_draw(again: list[Finding], designs: Designs, document: Document) -> list[Finding]:
    """What is open because of several parts together: what nearly all machines drawn make of it."""
    first, machines = again[0], designs.catalog.ranges.machines
    rule, nearly = first.rule, designs.enough(machines)
    answers, spared, open_ = list[list[bool | None]](), 0, [0] * len(rule.grades)
    while len(answers) < machines:
        facts = designs.machine(len(answers))
        subject = facts.graph.subjects[first.subject]
        applies, found = _answers(Wording(rule, subject, facts, document))
        spared += applies is False
        answers.append([a or None if applies is None else a for a in found])
        open_ = [n + (a is None) for n, a in zip(open_, answers[-1], strict=True)]
        if min(open_) > machines - nearly:
            # What no comparable part tells stays open in machines as well.
            return again
    if spared >= nearly:
        return [replace(first, verdict="not-applicable", answer=None)]
    # Who picks a board or a PSU has looked at its slots or cables, and parts are bought to fit:
    # what comparable ones lack, these need not lack. Sums are as they are, and so is what slows.
    is_sum = isinstance(rule.claim, Compare) and rule.claim.op in ("<", "<=", ">", ">=")
    data = _data(first.words)
    may_lack = is_sum and not designs.whole & data
    fits = min(nearly, designs.fits(data) * machines)
    drawn = [
        Drawn(
            *(of.count(True), of.count(False), machines),
            frozenset(n for n, a in enumerate(of) if a is False and may_lack),
        )
        for of in zip(*answers, strict=True)
    ]
    fit = [fits if grade.severity == "error" else nearly for grade in rule.grades]
    lack = [nearly if may_lack or g.severity != "error" else machines + 1 for g in rule.grades]
    decided = [
        True if d.passing >= most else False if d.failing >= least else None
        for d, most, least in zip(drawn, fit, lack, strict=True)
    ]
    return [
        replace(first, verdict=v, grade=g, answer=a, drawn=drawn[rule.grades.index(g)])
        for v, g, a in outcome(rule.grades, True, decided)
    ]


def _together(findings: list[Finding], designs: Designs | None) -> list[Finding]:
    """The same; where nearly every machine drawn has an open error, the commonest is likely."""
    waiting = [f for f in findings if f.drawn and (f.verdict, f.severity) == ("unknown", "error")]
    bad = [f.drawn.bad for f in waiting if f.drawn]
    every = len(frozenset[int]().union(*bad))
    if not designs or every < designs.enough(designs.catalog.ranges.machines):
        return findings
    worst = waiting[max(range(len(bad)), key=lambda n: len(bad[n]))]
    # What else its rule finds there is less than that.
    others = (f for f in findings if (f.rule.id, f.subject) != (worst.rule.id, worst.subject))
    return [replace(worst, verdict="likely-fail"), *others]


def _open_at(found: list[Finding]) -> tuple[int, bool]:
    """How much is open: the worst grade, and then whether no choice of a part is named for it."""
    worst = next((f for f in found if f.verdict == "unknown"), None)
    if worst is None:
        return 0, False
    return len(worst.rule.grades) - worst.rule.grades.index(worst.grade), not worst.tried


def _data(words: FindingWords) -> set[tuple[str, str]]:
    """What a finding lacks or has only as usual: ids of subjects, each with a field."""
    lacking = {(m.subject, m.field) for m in words.missing()}
    return lacking | {(subject, field_of(name)) for name, subject in words.usual()}


def _read(words: Wording) -> list[Finding]:
    """One rule on one subject in one reading: one finding, or two where a worse grade is open."""
    rule, subject = words.rule, words.subject
    applies, answers = _answers(words)
    return [
        Finding(rule, subject.id, subject.name, verdict, grade, answer, words)
        for verdict, grade, answer in outcome(rule.grades, applies, answers)
    ]


def _answers(words: Wording) -> tuple[bool | None, list[bool | None]]:
    """Whether a rule applies to a subject, and whether its claim holds at each grade if it may."""
    guard, grades = words.rule.guard_reading, words.rule.grades
    applies = True if guard is None else guard(partial(words.value, grade=None))
    if applies is False:
        return False, [True] * len(grades)
    claim = words.rule.claim_reading
    return applies, [claim(partial(words.value, grade=grade)) for grade in grades]


def outcome(
    grades: tuple[Grade, ...], applies: bool | None, answers: list[bool | None]
) -> list[tuple[Verdict, Grade, bool | None]]:
    """What the answers for each grade, worst first, amount to."""
    if applies is False:
        return [("not-applicable", grades[0], None)]
    failed = next((i for i, a in enumerate(answers) if a is False), None)
    unknown = next((i for i, a in enumerate(answers) if a is None), None)
    if failed is None and unknown is None:
        return [("pass", grades[0], True)]
    if applies is None:
        # Whether the rule applies is itself not known, and it would matter.
        return [("unknown", grades[min(i for i in (failed, unknown) if i is not None)], None)]
    found: list[tuple[Verdict, Grade, bool | None]] = []
    if unknown is not None and (failed is None or unknown < failed):
        found.append(("unknown", grades[unknown], None))
    if failed is not None:
        found.append(("fail", grades[failed], False))
    return found


def spread(subjects: str) -> list[str]:
    """The subjects a waiver names, one by one.

    >>> spread("gpus[0..1,3]"), spread("site"), spread("PSU 1")
    (['gpus[0]', 'gpus[1]', 'gpus[3]'], ['site'], ['psus[0]'])
    """
    found = _SPAN.fullmatch(subject_id(subjects))
    if not found:
        return [subject_id(subjects)]
    numbers: list[int] = []
    for run in found[2].split(","):
        first, _, last = run.partition("..")
        numbers += range(int(first), min(int(last or first), int(first) + MOST_SPREAD) + 1)
    return [f"{found[1]}[{n}]" for n in numbers]


def _waive(finding: Finding, record: Record) -> Finding:
    if finding.verdict not in TROUBLES:
        return finding
    for waiver in record.waivers:
        if (
            waiver.rule == finding.rule.id
            and finding.subject in spread(waiver.subject)
            and not record.is_past(waiver.until)
        ):
            return replace(finding, verdict="waived", waived=waiver)
    return finding


def _waiver_subjects(findings: list[Finding], record: Record, rulebook: Rulebook) -> list[Subject]:
    troubles = {(f.rule.id, f.subject) for f in findings if f.verdict in (*TROUBLES, "waived")}
    found = []
    for number, waiver in enumerate(record.waivers):
        left = max(0, (waiver.until - record.today).days)
        states: dict[str, Any] = {
            "is_expired": record.is_past(waiver.until),
            "days_left": exact(float(left)),
        }
        if rulebook.get(waiver.rule):
            states["is_used"] = any((waiver.rule, s) in troubles for s in spread(waiver.subject))
        name = f"waiver of {waiver.rule} for {waiver.subject}"
        found.append(noted(f"waivers[{number}]", "waiver", name, states, ("waivers", number)))
    return found
