"""Lists of things to say of a build, each where a fact of it or a finding asks for it.

The steps of the checklist and the accessories a build implies are such lists: YAML files in
`templates/`, in the language of the rules. An item says when it stands (`when`, about each
subject of `applies_to`; `findings`, rules of which one failed, could not be judged or was
waived there), how many it stands for (`amount`), and its words. Where `when` cannot be
decided the item stands as an open one, in its `unknown` words, or not at all without them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from buildcheck import measure, store
from buildcheck.errors import Problem, RulebookError
from buildcheck.logic import dimension
from buildcheck.logic.interval import Value, evaluate, holds
from buildcheck.logic.parse import Tree, names, parse
from buildcheck.model.graph import SINGLE
from buildcheck.model.quantity import ZERO, Interval
from buildcheck.source import Document, read
from buildcheck.wording import show_value

if TYPE_CHECKING:
    from pathlib import Path

    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject

State = Literal["needed", "open"]
#: Words an item can use beside facts: its subjects' ids and name, and how many it stands for.
OWN_WORDS = ("subject", "name", "amount")
_PLACEHOLDER = re.compile(r"\{([a-z_.0-9]+)\}")
#: Verdicts of findings that call for an item.
_CALLING = ("fail", "unknown", "waived")
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
    amount: _Text | None = None
    text: _Text
    unknown: _Text | None = None
    why: _Text | None = None
    command: _Text | None = None
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
    amount: Interval | None = None
    missing: tuple[measure.Missing, ...] = ()


def load_items(name: str) -> Items:
    """The list in `templates/<name>.yaml`. Raises `RulebookError` with all that is wrong in it."""
    folder = store.data_folder("templates")
    path = folder / f"{name}.yaml"
    data = store.cached(f"items-{name}", store.signature(folder), lambda: _proven(path))
    return Items.model_validate(data)


def standing(items: Items, report: Report) -> list[Standing]:
    """Every item that stands for a build, in the order of the list; equal words once."""
    called = _called(report)
    found: dict[tuple[str, ...], Standing] = {}
    for item in items.items:
        for subject in report.graph.of(item.applies_to):
            one = _stands(item, subject, report, called)
            if one is None:
                continue
            key = (item.id, one.state, one.text, one.command, subject.name)
            old = found.get(key)
            found[key] = _merged(old, one) if old else one
    return list(found.values())


def _stands(
    item: Item, subject: Subject, report: Report, called: dict[str, set[str]]
) -> Standing | None:
    worth = partial(_worth, report, subject)
    answer = _is_called(item, subject, called)
    if answer and item.when:
        answer = holds(_tree(item.when), worth)
    amount = evaluate(_tree(item.amount), worth) if answer is not False and item.amount else None
    if answer is False or amount == ZERO or (answer is None and not item.unknown):
        return None
    say = partial(_filled, report=report, subject=subject)
    return Standing(
        item,
        "needed" if answer else "open",
        " ".join(say(item.text if answer else item.unknown or "").split()),
        " ".join(say(item.why or "").split()),
        say(item.command or ""),
        subject.name,
        (subject.id,),
        amount if isinstance(amount, Interval) else None,
        () if answer else _missing(item, subject, report),
    )


def _is_called(item: Item, subject: Subject, called: dict[str, set[str]]) -> bool | None:
    """Does a finding call for the item there, or need none?"""
    if not item.findings:
        return True
    ids = set().union(*(called.get(rule, set()) for rule in item.findings))
    return bool(ids) if item.applies_to == "build" else subject.id in ids


def _missing(item: Item, subject: Subject, report: Report) -> tuple[measure.Missing, ...]:
    """The data that would decide whether an item stands."""
    asked = names(_tree(item.when)) if item.when else []
    found = (
        m for name in asked for m in report.facts.missing(name, _holder(report, subject, name))
    )
    return tuple(dict.fromkeys(found))


@cache
def _tree(text: str) -> Tree:
    return parse(text)


def _merged(old: Standing, new: Standing) -> Standing:
    amount = old.amount + new.amount if old.amount and new.amount else old.amount or new.amount
    missing = tuple(dict.fromkeys((*old.missing, *new.missing)))
    return replace(old, subjects=(*old.subjects, *new.subjects), amount=amount, missing=missing)


def _called(report: Report) -> dict[str, set[str]]:
    """Rules that call for something → the subjects they call for it on."""
    found: dict[str, set[str]] = {}
    for finding in report.findings:
        if finding.verdict in _CALLING:
            found.setdefault(finding.rule.id, set()).add(finding.subject)
    return found


def _holder(report: Report, subject: Subject, name: str) -> Subject:
    kind = name.partition(".")[0]
    return subject if kind == subject.kind else report.graph.the(kind)


def _worth(report: Report, subject: Subject, name: str) -> Value:
    value: Value = report.facts(name, _holder(report, subject, name))
    if value is None and isinstance(measure.shape_of(name), tuple):
        return report.facts.number(name, _holder(report, subject, name))
    return value


def _filled(text: str, *, report: Report, subject: Subject) -> str:
    """Words with the build's own values in them."""

    def word(found: re.Match[str]) -> str:
        if found[1] == "name":
            return subject.name
        if found[1] in OWN_WORDS:
            return found[0]
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
    """Everything wrong with a list: its shape, its names, its units."""
    try:
        items = Items.model_validate(document.data)
    except ValidationError as error:
        return [
            document.problem(d["loc"], f"'{d['loc'][-1] if d['loc'] else 'list'}': {d['msg']}")
            for d in error.errors()
        ]
    problems: list[Problem] = []
    seen: set[str] = set()
    for number, item in enumerate(items.items):
        wrong = [f"the id '{item.id}' is given twice"] if item.id in seen else []
        wrong += [] if item.group in items.groups else [f"there is no group '{item.group}'"]
        seen.add(item.id)
        wrong += _wrong_words(item)
        problems += [document.problem(("items", number), w) for w in wrong]
    return problems


def _wrong_words(item: Item) -> list[str]:
    if item.applies_to not in measure.subject_kinds():
        return [f"there is no kind of subject '{item.applies_to}'"]
    wrong = []
    for text in filter(None, (item.when, item.amount)):
        try:
            tree = parse(text)
            shapes = {n: measure.shape_of(n) for n in names(tree)}
            if text == item.when:
                dimension.check(tree, {n: s for n, s in shapes.items() if s is not None})
        except ValueError as error:
            wrong.append(f"'{item.id}': {error}")
            continue
        wrong += [f"'{item.id}': there is no fact '{n}'" for n, s in shapes.items() if s is None]
        wrong += [f"'{item.id}': {w}" for n in shapes if (w := _out_of_reach(n, item))]
    for text in filter(None, (item.text, item.unknown, item.why, item.command)):
        for name in _PLACEHOLDER.findall(text):
            if name not in OWN_WORDS and measure.shape_of(name) is None:
                wrong.append(f"'{item.id}': there is no fact '{name}' to put into words")
            elif name not in OWN_WORDS and (told := _out_of_reach(name, item)):
                wrong.append(f"'{item.id}': {told}")
    return wrong


def _out_of_reach(name: str, item: Item) -> str:
    kind = name.partition(".")[0]
    if kind in (item.applies_to, *SINGLE):
        return ""
    return f"'{name}' is no fact of a {item.applies_to}, nor of something a build has one of"
