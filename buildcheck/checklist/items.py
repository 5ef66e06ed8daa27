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

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from pydantic import Field, field_validator

from buildcheck.model.document import StrictModel
from buildcheck.model.vocabulary import shipped

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
    """The list in `templates/<name>.yaml`."""
    return Items.model_validate(shipped("templates", name))
