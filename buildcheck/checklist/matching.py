"""Which items of a list a judged build needs, with the build's values in their words."""

import re
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Literal

from buildcheck import units
from buildcheck.checklist.items import OWN_WORDS, PLACEHOLDER, Item, Items
from buildcheck.logic.interval import either, evaluate
from buildcheck.logic.parse import parse
from buildcheck.logic.quantity import ZERO, Interval
from buildcheck.logic.quantity import total as add_up
from buildcheck.measure.shapes import shape_of
from buildcheck.model.finding import FAILING, OPEN, Report
from buildcheck.model.frozen import Frozen
from buildcheck.model.graph import Subject
from buildcheck.model.labels import labelled, subject_labels
from buildcheck.rulebook.wording import show_value

#: Verdicts of findings that call for an item, and whether they surely do.
_CALLING: dict[str, bool | None] = dict.fromkeys((*FAILING, "waived"), True) | dict.fromkeys(OPEN)
_tree = cache(parse)
#: A finding that calls for an item, and whether it surely does.
_Call = tuple[str, bool | None]


class ApplicableItem(Frozen):
    """An item that some subjects of a build need, or may need."""

    item: Item
    state: Literal["needed", "open"]
    text: str
    why: str
    command: str
    name: str
    subjects: tuple[str, ...] = ()
    expect: str = ""
    #: Rules of its `findings` that called for it.
    rules: tuple[str, ...] = ()
    amount: Interval | None = None


@dataclass
class _Group:
    """The first subject that an item applies to, and those for which its words are equal."""

    item: Item
    answer: bool | None
    subject: Subject
    ids: list[str] = field(default_factory=list)
    amounts: list[Interval] = field(default_factory=list)
    rules: dict[str, None] = field(default_factory=dict)


def applicable_items(items: Items, report: Report) -> list[ApplicableItem]:
    """Every item that applies to a build, in the order of the list; equal words once."""
    called = _called(report)
    groups: dict[tuple[Any, ...], _Group] = {}
    for item in items.items:
        for subject in report.graph.of(item.applies_to):
            if any(subject.id in called.get(rule, {}) for rule in items.rule_ids(item.unless)):
                continue
            calling = _calling(item, tuple(items.rule_ids(item.findings)), subject, called)
            answer = _answer(item, subject, report, calling)
            amount = _amount(item, subject, report)
            if answer is False or amount == ZERO or (answer is None and not item.unknown):
                continue
            words = _words(item, report, subject, answer, {}).values()
            key = (item.id, answer, subject.name, *words)
            group = groups.setdefault(key, _Group(item, answer, subject))
            group.ids.append(subject.id)
            group.amounts += [amount] if amount else []
            group.rules |= dict.fromkeys(rule for rule, _ in calling)
    return [_applicable(group, report) for group in groups.values()]


def _answer(item: Item, subject: Subject, report: Report, calling: list[_Call]) -> bool | None:
    """Does the item apply? Kleene's `and` of its findings and its condition."""
    called = either([sure for _, sure in calling]) if item.findings else True
    if called is False or not item.when:
        return called
    answer: Any = evaluate(_tree(item.when), partial(report.facts.worth, subject=subject))
    return called if answer else answer


def _amount(item: Item, subject: Subject, report: Report) -> Interval | None:
    if not item.amount:
        return None
    amount = evaluate(_tree(item.amount), partial(report.facts.worth, subject=subject))
    return amount if isinstance(amount, Interval) else None


def _calling(
    item: Item, rules: tuple[str, ...], subject: Subject, called: dict[str, dict[str, bool | None]]
) -> list[_Call]:
    """The findings that call for the item; for an item about the build those on any subject."""
    found: list[_Call] = []
    for rule in rules:
        on = called.get(rule, {})
        if item.applies_to == "build" and on:
            found.append((rule, either(list(on.values()))))
        elif subject.id in on:
            found.append((rule, on[subject.id]))
    return found


def _words(
    item: Item, report: Report, subject: Subject, answer: bool | None, own: dict[str, str]
) -> dict[str, str]:
    """The words of an item with the build's values in them; a command keeps its lines."""
    fill = partial(_filled, report=report, subject=subject, own=own)
    text = item.text if answer else item.unknown
    plain = {"text": text, "why": item.why, "expect": item.expect if answer else ""}
    words = {name: " ".join(fill(given).split()) for name, given in plain.items()}
    return {**words, "command": fill(item.command)}


def _applicable(group: _Group, report: Report) -> ApplicableItem:
    amount = add_up(group.amounts) if group.amounts else None
    own = {"subject": subject_labels(group.ids), "amount": show_value(amount, units.NUMBER)}
    words = _words(group.item, report, group.subject, group.answer, own)
    words["text"] = words["text"][:1].upper() + words["text"][1:]
    return ApplicableItem(
        item=group.item,
        state="needed" if group.answer else "open",
        name=group.subject.name,
        subjects=tuple(group.ids),
        amount=amount,
        rules=tuple(group.rules),
        **words,
    )


def _called(report: Report) -> dict[str, dict[str, bool | None]]:
    """Rules that call for something → the subjects they call for it on, and whether surely."""
    found: dict[str, dict[str, bool | None]] = {}
    for finding in report.findings:
        if finding.verdict in _CALLING:
            on = found.setdefault(finding.rule.id, {})
            answers = [_CALLING[finding.verdict], on.get(finding.subject, False)]
            on[finding.subject] = either(answers)
    return found


def _filled(text: str, *, report: Report, subject: Subject, own: dict[str, str]) -> str:
    """Words with the build's values in them, all put in at once: names are no templates."""

    def word(found: re.Match[str]) -> str:
        if found[1] == "name":
            return subject.name
        if found[1] in OWN_WORDS:
            return own.get(found[1], found[0])
        value = report.facts(found[1], report.facts.holder(found[1], subject))
        return labelled(show_value(value, shape_of(found[1])))

    return PLACEHOLDER.sub(word, text).strip()
