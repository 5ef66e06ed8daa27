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
from dataclasses import field
from typing import Any

from buildcheck.model.frozen import Frozen
from buildcheck.model.vocabulary import shipped
from buildcheck.report.answer import SourceAnswer

#: Words an item can use besides facts: its subjects, their name, and how many of it there are.
OWN_WORDS = ("subject", "name", "amount")
PLACEHOLDER = re.compile(r"\{([a-z_.0-9]+)\}")
#: What an item takes from the one it is like.
_ALIKE = ("applies_to", "text", "unknown", "why", "command", "expect", "sources")


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
