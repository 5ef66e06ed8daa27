"""Lists of things to do or buy, each with the condition under which a build needs it.

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

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator

from buildcheck import store, units
from buildcheck.errors import Problem, RulebookError
from buildcheck.facts.registry import DATA
from buildcheck.logic import dimension
from buildcheck.logic.parse import Tree, names, parse
from buildcheck.measure.shapes import shape_of, subject_kinds
from buildcheck.model.document import StrictModel
from buildcheck.model.graph import SINGLE
from buildcheck.model.source import Document, read
from buildcheck.rulebook import rule_files

#: Words an item can use besides facts: its subjects, their name, and how many of it there are.
OWN_WORDS = ("subject", "name", "amount")
PLACEHOLDER = re.compile(r"\{([a-z_.0-9]+)\}")
#: What an item takes from the one it is like.
_ALIKE = ("applies_to", "text", "unknown", "why", "command", "expect", "sources")
_Text = Annotated[str, Field(min_length=3, max_length=2000)]


class ItemSource(StrictModel):
    """A document to look up."""

    title: _Text
    url: str = ""
    read: str = ""


class Item(StrictModel):
    """One thing to do or to buy, and the condition for it."""

    id: _Text
    like: str = ""
    applies_to: str = "build"
    when: _Text | None = None
    findings: tuple[str, ...] = ()
    #: Rules whose findings, sure or open, take it away.
    unless: tuple[str, ...] = ()
    amount: _Text | None = None
    text: _Text
    unknown: _Text | None = None
    #: True of open items as well.
    why: _Text | None = None
    command: _Text | None = None
    #: What a measurement should find.
    expect: _Text | None = None
    sources: tuple[str, ...] = ()

    @property
    def phase(self) -> str:
        """Its group, the beginning of its id."""
        return self.id.partition("/")[0]


class Items(StrictModel):
    """A list: its groups in order, each with a heading, and its items."""

    groups: dict[str, str]
    rules: dict[str, tuple[str, ...]] = Field({})
    sources: dict[str, ItemSource] = Field({})
    items: tuple[Item, ...]

    @field_validator("items", mode="before")
    @classmethod
    def _whole(cls, items: Any) -> Any:
        """The items with what they take from those they are like."""
        found: dict[str, Any] = {}
        for item in (i for i in items if isinstance(i, dict) and "id" in i):
            base = found.get(str(item.get("like")), {})
            found[item["id"]] = {name: base[name] for name in _ALIKE if name in base} | item
        return [*found.values()] if len(found) == len(items) else items

    def rule_ids(self, named: Iterable[str]) -> Iterator[str]:
        """The ids of rules, sets of them in full."""
        for name in named:
            yield from self.rules.get(name, (name,))


def load_items(name: str) -> Items:
    """The list in `templates/<name>.yaml`. Raises `RulebookError` with all that is wrong in it."""
    folder = store.data_folder("templates")
    path = folder / f"{name}.yaml"
    # Items name rules, so a list is proven anew when a rule comes or goes.
    key = store.signature(folder) + store.signature(store.data_folder("rules"))
    data = store.cached(f"items-3-{name}", key, lambda: _proven(path))
    return Items.model_validate(data)


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
        wrong += [] if item.like in ("", *seen) else [f"there is no item '{item.like}' above"]
        wrong += [] if item.phase in items.groups else [f"there is no group '{item.phase}'"]
        named = items.rule_ids((*item.findings, *item.unless))
        wrong += [f"there is no rule '{rule}'" for rule in named if rule not in rules]
        wrong += [f"there is no source '{s}'" for s in item.sources if s not in items.sources]
        seen.add(item.id)
        wrong += _wrong_in(item)
        problems += [document.problem(("items", number), f"'{item.id}': {w}") for w in wrong]
    return problems


def _wrong_in(item: Item) -> list[str]:
    """What is wrong with an item's conditions and words."""
    if item.applies_to not in subject_kinds():
        return [f"there is no kind of subject '{item.applies_to}'"]
    wrong = _wrong_claim(item.when, item, dimension.check) if item.when else []
    wrong += _wrong_claim(item.amount, item, _check_amount) if item.amount else []
    words = (item.text, item.unknown, item.why, item.command, item.expect)
    named = [name for text in words if text for name in PLACEHOLDER.findall(text)]
    return wrong + [
        w for n in dict.fromkeys(named) if n not in OWN_WORDS for w in _wrong_name(n, item)
    ]


def _wrong_claim(text: str, item: Item, check: Callable[[Tree, Any], object]) -> list[str]:
    try:
        tree = parse(text)
        found = dict.fromkeys(names(tree))
        if wrong := [w for name in found for w in _wrong_name(name, item)]:
            return wrong
        check(tree, {name: shape_of(name) for name in found})
    except ValueError as error:
        return [str(error)]
    return []


def _check_amount(tree: Tree, shapes: dict[str, dimension.Shape]) -> None:
    found = dimension.side(tree, shapes)
    if found != units.NUMBER:
        raise ValueError("an amount is a plain number")


def _wrong_name(name: str, item: Item) -> list[str]:
    shape = shape_of(name)
    if shape is None:
        return [f"there is no fact '{name}'"]
    if shape == DATA:
        return [f"'{name}' is data for other facts, and cannot be compared or shown"]
    if name.partition(".")[0] not in (item.applies_to, *SINGLE):
        return [f"'{name}' is no fact of a {item.applies_to}, nor of something a build has one of"]
    return []
