"""Lists of things to do or buy, and which of them a judged build needs, in its own words.

The steps of the checklist and the accessories of the parts list are YAML files in `templates/`, in
the language of the rules. An item applies to each subject of `applies_to` where its condition
`when` holds, one of the rules `findings` failed or was waived, and none of the rules `unless`
failed, was waived or is unknown. `amount` is how many of it there are. Where `when` cannot be
decided, or no rule failed and one is unknown, the item is open: its `unknown` words are used, or
without them it is left out. Its `why` has to be true then as well. What an item does not state, but
for its conditions, is that of the one above which it is `like`.

Words hold facts in braces, such as `{gpu.slot}`, and `{name}`, `{subject}` and `{amount}` of what
the item is about. `rules` and `sources` of a list are named sets of rules and documents that items
refer to.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cache, partial
from typing import Any, Literal, NamedTuple

from buildcheck import units
from buildcheck.logic.interval import either, evaluate
from buildcheck.logic.parse import parse
from buildcheck.logic.quantity import ZERO, Interval
from buildcheck.logic.quantity import total as add_up
from buildcheck.measure.shapes import shape_of
from buildcheck.model.finding import FAILING, OPEN, Report
from buildcheck.model.frozen import Frozen
from buildcheck.model.graph import Subject, by_key
from buildcheck.model.labels import labelled, subject_labels
from buildcheck.model.vocabulary import shipped
from buildcheck.report.answer import SourceAnswer
from buildcheck.rulebook.wording import show_value

#: Words an item can use besides facts: its subjects, their name, and how many of it there are.
OWN_WORDS = ("subject", "name", "amount")
PLACEHOLDER = re.compile(r"\{([a-z_.0-9]+)\}")
#: What an item takes from the one it is like.
_ALIKE = ("applies_to", "text", "unknown", "why", "command", "expect", "sources")
#: Verdicts of findings that call for an item, and whether they surely do.
_CALLING: dict[str, bool | None] = dict.fromkeys((*FAILING, "waived"), True) | dict.fromkeys(OPEN)
_tree = cache(parse)


class Item(Frozen):
    """One thing to do or to buy, and the condition for it."""

    id: str
    text: str
    like: str = ""
    applies_to: str = "build"
    when: str = ""
    findings: tuple[str, ...] = ()
    #: Rules whose findings, sure or open, take it away.
    unless: tuple[str, ...] = ()
    amount: str = ""
    unknown: str = ""
    #: True of open items as well.
    why: str = ""
    command: str = ""
    #: What a measurement should find.
    expect: str = ""
    sources: tuple[str, ...] = ()

    @property
    def phase(self) -> str:
        """Its group, the beginning of its id."""
        return self.id.partition("/")[0]


class Items(Frozen):
    """A list: its groups in order, each with a heading, and its items."""

    groups: dict[str, str]
    items: tuple[Item, ...]
    rules: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sources: dict[str, SourceAnswer] = field(default_factory=dict)

    def rule_ids(self, named: Iterable[str]) -> Iterator[str]:
        """The ids of rules, sets of them in full."""
        for name in named:
            yield from self.rules.get(name, (name,))


def load_items(name: str) -> Items:
    """The list in `templates/<name>.yaml`."""
    return items_of(shipped("templates", name))


def items_of(data: dict[str, Any]) -> Items:
    """A list, its items with what they take from those they are like."""
    whole, items = dict[str, dict[str, Any]](), list[Item]()
    for item in data["items"]:
        base = whole.get(item.get("like"), {})
        whole[item["id"]] = {name: base[name] for name in _ALIKE if name in base} | item
        items.append(Item(**whole[item["id"]]))
    documents = data.get("sources", {}).items()
    sources = {name: SourceAnswer(one["title"], one.get("url", "")) for name, one in documents}
    return Items(data["groups"], tuple(items), data.get("rules", {}), sources)


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


class _Need(NamedTuple):
    """A subject that an item applies to, how many it needs, and the rules that called for it."""

    item: Item
    answer: bool | None
    subject: Subject
    amount: Interval | None
    rules: list[str]


def applicable_items(items: Items, report: Report) -> list[ApplicableItem]:
    """Every item that applies to a build, in the order of the list; equal words once."""
    return [_applicable(needs, report) for needs in by_key(_needs(items, report)).values()]


def _needs(items: Items, report: Report) -> Iterator[tuple[tuple[Any, ...], _Need]]:
    """Each subject that needs an item, by what is equal where the words are."""
    called = _called(report)
    for item in items.items:
        for subject in report.graph.of(item.applies_to):
            if any(subject.id in called.get(rule, {}) for rule in items.rule_ids(item.unless)):
                continue
            calling = _calling(item, items.rule_ids(item.findings), subject, called)
            answer = _answer(item, subject, report, [*calling.values()])
            amount = _value(item.amount, subject, report) if item.amount else None
            if answer is False or amount == ZERO or (answer is None and not item.unknown):
                continue
            words = _words(item, report, subject, answer, {}).values()
            need = _Need(item, answer, subject, amount, [*calling])
            yield (item.id, answer, subject.name, *words), need


def _answer(
    item: Item, subject: Subject, report: Report, calling: list[bool | None]
) -> bool | None:
    """Does the item apply? Kleene's `and` of its findings and its condition."""
    called = either(calling) if item.findings else True
    if called is False or not item.when:
        return called
    answer: bool | None = _value(item.when, subject, report)
    return called if answer else answer


def _value(text: str, subject: Subject, report: Report) -> Any:
    """What an expression comes to for a subject."""
    return evaluate(_tree(text), partial(report.facts.worth, subject=subject))


def _calling(
    item: Item, rules: Iterable[str], subject: Subject, called: dict[str, dict[str, bool | None]]
) -> dict[str, bool | None]:
    """The rules that call for an item, and whether surely; of the build those on any subject."""
    found = {rule: called[rule] for rule in rules if rule in called}
    if item.applies_to == "build":
        return {rule: either([*on.values()]) for rule, on in found.items()}
    return {rule: on[subject.id] for rule, on in found.items() if subject.id in on}


def _words(
    item: Item, report: Report, subject: Subject, answer: bool | None, own: dict[str, str]
) -> dict[str, str]:
    """The words of an item with the build's values in them; a command keeps its lines."""
    fill = partial(_filled, report=report, subject=subject, own=own)
    text = item.text if answer else item.unknown
    plain = {"text": text, "why": item.why, "expect": item.expect if answer else ""}
    words = {name: " ".join(fill(given).split()) for name, given in plain.items()}
    return {**words, "command": fill(item.command)}


def _applicable(needs: list[_Need], report: Report) -> ApplicableItem:
    item, answer, subject, *_ = needs[0]
    amounts = [need.amount for need in needs if need.amount]
    amount = add_up(amounts) if amounts else None
    ids = tuple(need.subject.id for need in needs)
    own = {"subject": subject_labels(ids), "amount": show_value(amount, units.NUMBER)}
    words = _words(item, report, subject, answer, own)
    words["text"] = words["text"][:1].upper() + words["text"][1:]
    return ApplicableItem(
        item=item,
        state="needed" if answer else "open",
        name=subject.name,
        subjects=ids,
        amount=amount,
        rules=tuple(dict.fromkeys(rule for need in needs for rule in need.rules)),
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
