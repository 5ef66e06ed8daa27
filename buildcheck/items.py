"""Lists of things to say of a build, each where a fact of it or a finding asks for it.

The steps of the checklist and the accessories a build implies are such lists: YAML files in
`templates/`, in the language of the rules. An item says when it stands (`when`, about each
subject of `applies_to`; `findings`, rules of which one failed or was waived there; `unless`,
rules of which none failed, was waived or could not be judged there), how many it stands for
(`amount`), and its words. Where `when` cannot be decided, or none of the rules
failed and one could not be judged, the item stands as an open one, in its `unknown` words, or
not at all without them. Its `why` is not said there, as it may not be so; `unknown_why` is.

Words hold facts in braces, such as `{gpu.slot}`, and `{name}`, `{subject}` and `{amount}` of
what the item stands for. Subjects of which it says the same share one item.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from buildcheck import measure, store, units
from buildcheck.errors import Problem, RulebookError
from buildcheck.facts.registry import DATA
from buildcheck.logic import dimension
from buildcheck.logic.interval import Value, either, evaluate, holds
from buildcheck.logic.parse import Tree, names, parse
from buildcheck.model.graph import SINGLE
from buildcheck.model.quantity import ZERO, Interval
from buildcheck.model.quantity import total as add_up
from buildcheck.rulebook import rule_files
from buildcheck.source import Document, read
from buildcheck.wording import show_value, span

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject

State = Literal["needed", "open"]
#: Words an item can use beside facts: its subjects' ids and name, and how many it stands for.
OWN_WORDS = ("subject", "name", "amount")
_PLACEHOLDER = re.compile(r"\{([a-z_.0-9]+)\}")
#: Verdicts of findings that call for an item, and whether they surely do.
_CALLING: dict[str, bool | None] = {"fail": True, "waived": True, "unknown": None}
_Text = Annotated[str, Field(min_length=3, max_length=2000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ItemSource(_Strict):
    """A document somebody can look up."""

    title: _Text
    url: str = ""
    read: str = ""


class Item(_Strict):
    """One thing to say, and where it is to be said."""

    id: _Text
    group: _Text
    applies_to: str
    when: _Text | None = None
    findings: tuple[str, ...] = ()
    #: Rules whose findings, sure or open, take it away there.
    unless: tuple[str, ...] = ()
    amount: _Text | None = None
    text: _Text
    unknown: _Text | None = None
    why: _Text | None = None
    #: Why it is to be found out, where it stands open.
    unknown_why: _Text | None = None
    command: _Text | None = None
    #: What is to be found when it is measured.
    expect: _Text | None = None
    sources: tuple[ItemSource, ...] = ()


class Items(_Strict):
    """A list: its groups in order, each with a heading, and its items."""

    groups: dict[str, str]
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Standing:
    """An item as it stands for some subjects of a build."""

    item: Item
    state: State
    text: str
    why: str
    command: str
    name: str
    subjects: tuple[str, ...] = ()
    expect: str = ""
    #: Rules of its `findings` that called for it.
    rules: tuple[str, ...] = ()
    amount: Interval | None = None
    missing: tuple[measure.Missing, ...] = ()


def load_items(name: str) -> Items:
    """The list in `templates/<name>.yaml`. Raises `RulebookError` with all that is wrong in it."""
    folder = store.data_folder("templates")
    path = folder / f"{name}.yaml"
    # Items name rules, so a list is proven anew when a rule comes or goes.
    key = store.signature(folder) + store.signature(store.data_folder("rules"))
    data = store.cached(f"items-{name}", key, lambda: _proven(path))
    return Items.model_validate(data)


@dataclass
class _Found:
    """An item that stands, for the first subject found and those of which it says the same."""

    item: Item
    answer: bool | None
    subject: Subject
    ids: list[str] = field(default_factory=list)
    amounts: list[Interval] = field(default_factory=list)
    missing: dict[measure.Missing, None] = field(default_factory=dict)
    rules: dict[str, None] = field(default_factory=dict)


def standing(items: Items, report: Report) -> list[Standing]:
    """Every item that stands for a build, in the order of the list; equal words once."""
    called = _called(report)
    found: dict[tuple[Any, ...], _Found] = {}
    for item in items.items:
        for subject in report.graph.of(item.applies_to):
            if any(subject.id in called.get(rule, {}) for rule in item.unless):
                continue
            calling = _calling(item, subject, called)
            answer = _answer(item, subject, report, calling)
            amount = _amount(item, subject, report)
            if answer is False or amount == ZERO or (answer is None and not item.unknown):
                continue
            words = _words(item, report, subject, answer)
            key = (item.id, answer, subject.name, *words.values())
            one = found.setdefault(key, _Found(item, answer, subject))
            one.ids.append(subject.id)
            one.amounts += [amount] if amount else []
            one.rules |= dict.fromkeys(rule for rule, _ in calling)
            if answer is None:
                one.missing |= dict.fromkeys(_missing(item, subject, report, calling))
    return [_told(one, report) for one in found.values()]


#: A finding that calls for an item, and whether it surely does.
_Call = tuple[str, bool | None]


def _answer(item: Item, subject: Subject, report: Report, calling: list[_Call]) -> bool | None:
    """Does the item stand there? Kleene's and of what calls for it and when it stands."""
    called = either([sure for _, sure in calling]) if item.findings else True
    if called is False or not item.when:
        return called
    answer = holds(_tree(item.when), partial(_worth, report, subject))
    return called if answer else answer


def _amount(item: Item, subject: Subject, report: Report) -> Interval | None:
    if not item.amount:
        return None
    amount = evaluate(_tree(item.amount), partial(_worth, report, subject))
    return amount if isinstance(amount, Interval) else None


def _calling(
    item: Item, subject: Subject, called: dict[str, dict[str, bool | None]]
) -> list[_Call]:
    """The findings that call for the item there; those on anything, for one about the build."""
    found: list[_Call] = []
    for rule in item.findings:
        on = called.get(rule, {})
        if item.applies_to == "build" and on:
            found.append((rule, either(list(on.values()))))
        elif subject.id in on:
            found.append((rule, on[subject.id]))
    return found


def _words(
    item: Item,
    report: Report,
    subject: Subject,
    answer: bool | None,
    own: dict[str, str] | None = None,
) -> dict[str, str]:
    """What an item says, with the build's values in it; a command keeps its lines."""
    say = partial(_filled, report=report, subject=subject, own=own or {})
    text = item.text if answer else item.unknown or ""
    why = item.why if answer else item.unknown_why
    plain = {"text": text, "why": why or "", "expect": (item.expect or "") if answer else ""}
    words = {name: " ".join(say(told).split()) for name, told in plain.items()}
    return {**words, "command": say(item.command or "")}


def _told(one: _Found, report: Report) -> Standing:
    amount = add_up(one.amounts) if one.amounts else None
    shown = show_value(amount, units.NUMBER)
    own = {"subject": span(tuple(one.ids)), "amount": shown}
    words = _words(one.item, report, one.subject, one.answer, own)
    return Standing(
        item=one.item,
        state="needed" if one.answer else "open",
        name=one.subject.name,
        subjects=tuple(one.ids),
        amount=amount,
        missing=tuple(one.missing),
        rules=tuple(one.rules),
        **words,
    )


@cache
def _tree(text: str) -> Tree:
    return parse(text)


def _missing(
    item: Item, subject: Subject, report: Report, calling: list[_Call]
) -> list[measure.Missing]:
    """The data that would decide whether an item stands."""
    asked = names(_tree(item.when)) if item.when else []
    found = [
        m for name in asked for m in report.facts.missing(name, _holder(report, subject, name))
    ]
    open_rules = {rule for rule, sure in calling if sure is None}
    for finding in report.findings:
        about = item.applies_to == "build" or finding.subject == subject.id
        if about and finding.rule.id in open_rules:
            found += finding.missing
    return found


def _called(report: Report) -> dict[str, dict[str, bool | None]]:
    """Rules that call for something → the subjects they call for it on, and whether surely."""
    found: dict[str, dict[str, bool | None]] = {}
    for finding in report.findings:
        if finding.verdict in _CALLING:
            on = found.setdefault(finding.rule.id, {})
            answers = [_CALLING[finding.verdict], on.get(finding.subject, False)]
            on[finding.subject] = either(answers)
    return found


def _holder(report: Report, subject: Subject, name: str) -> Subject:
    kind = name.partition(".")[0]
    return subject if kind == subject.kind else report.graph.the(kind)


def _worth(report: Report, subject: Subject, name: str) -> Value:
    value: Value = report.facts(name, _holder(report, subject, name))
    if value is None and isinstance(measure.shape_of(name), tuple):
        return report.facts.number(name, _holder(report, subject, name))
    return value


def _filled(text: str, *, report: Report, subject: Subject, own: dict[str, str]) -> str:
    """Words with the build's own values in them, all put in at once: names are no templates."""

    def word(found: re.Match[str]) -> str:
        if found[1] == "name":
            return subject.name
        if found[1] in OWN_WORDS:
            return own.get(found[1], found[0])
        value = report.facts(found[1], _holder(report, subject, found[1]))
        return show_value(value, measure.shape_of(found[1]))

    return _PLACEHOLDER.sub(word, text).strip()


def _proven(path: Path) -> dict[str, Any]:
    document = read(path.read_bytes(), str(path))
    problems = list(document.problems) or prove(document)
    if problems:
        raise RulebookError(problems)
    data: dict[str, Any] = document.data
    return data


def prove(document: Document) -> list[Problem]:
    """Everything wrong with a list: its shape, its names, its units, the rules it names."""
    try:
        items = Items.model_validate(document.data)
    except ValidationError as error:
        return [
            document.problem(d["loc"], f"'{d['loc'][-1] if d['loc'] else 'list'}': {d['msg']}")
            for d in error.errors()
        ]
    problems: list[Problem] = []
    seen: set[str] = set()
    rules = {rule for rule, _ in rule_files(store.data_folder("rules"))}
    for number, item in enumerate(items.items):
        wrong = ["this id is given twice"] if item.id in seen else []
        wrong += [] if item.group in items.groups else [f"there is no group '{item.group}'"]
        wrong += [
            f"there is no rule '{rule}'"
            for rule in (*item.findings, *item.unless)
            if rule not in rules
        ]
        seen.add(item.id)
        wrong += _wrong_in(item)
        problems += [document.problem(("items", number), f"'{item.id}': {w}") for w in wrong]
    return problems


def _wrong_in(item: Item) -> list[str]:
    """What is wrong with an item's conditions and words."""
    if item.applies_to not in measure.subject_kinds():
        return [f"there is no kind of subject '{item.applies_to}'"]
    wrong = _wrong_claim(item.when, item, dimension.check) if item.when else []
    wrong += _wrong_claim(item.amount, item, _check_amount) if item.amount else []
    words = (item.text, item.unknown, item.why, item.unknown_why, item.command, item.expect)
    named = [name for text in words if text for name in _PLACEHOLDER.findall(text)]
    wrong += [w for n in dict.fromkeys(named) if n not in OWN_WORDS for w in _wrong_name(n, item)]
    return wrong


def _wrong_claim(text: str, item: Item, check: Callable[[Tree, Any], object]) -> list[str]:
    try:
        tree = parse(text)
        found = dict.fromkeys(names(tree))
        if wrong := [w for name in found for w in _wrong_name(name, item)]:
            return wrong
        check(tree, {name: measure.shape_of(name) for name in found})
    except ValueError as error:
        return [str(error)]
    return []


def _check_amount(tree: Tree, shapes: dict[str, dimension.Shape]) -> None:
    found = dimension.side(tree, shapes)
    if found != units.NUMBER:
        raise ValueError("an amount is a plain number")


def _wrong_name(name: str, item: Item) -> list[str]:
    shape = measure.shape_of(name)
    if shape is None:
        return [f"there is no fact '{name}'"]
    if shape == DATA:
        return [f"'{name}' is data for other facts, and nothing that can be compared or said"]
    if name.partition(".")[0] not in (item.applies_to, *SINGLE):
        return [f"'{name}' is no fact of a {item.applies_to}, nor of something a build has one of"]
    return []
