"""What may be tried to fix a build, and against which rules: `rules/moves.yaml`, read once."""

from collections.abc import Iterable
from dataclasses import field
from functools import cache
from typing import Any

from buildcheck.model.frozen import Frozen
from buildcheck.model.vocabulary import shipped


class MoveRules(Frozen):
    """One entry of the file, where its fields are explained."""

    #: What it changes: setting, accessory or swap; `blame` only says which parts rules are about.
    kind: str
    rules: tuple[str, ...]
    why: str
    graded: bool = False
    slows: bool = False
    late: bool = False
    opens: bool = False
    unless: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    set: dict[str, Any] = field(default_factory=dict)
    unstated: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()
    safe: dict[str, dict[str, str]] = field(default_factory=dict)
    say: tuple[str, ...] = ()
    buys: str = ""
    sections: tuple[str, ...] = ()

    def concerns(self, rules: Iterable[str]) -> bool:
        """Is it about one of these rules?"""
        return any(
            rule.startswith(pattern[:-1]) if pattern.endswith("*") else rule == pattern
            for rule in rules
            for pattern in self.rules
        )


@cache
def moves() -> dict[str, MoveRules]:
    """Every entry by its name."""
    entries: dict[str, dict[str, Any]] = {
        name: {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
        for name, given in shipped("rules", "moves").items()
    }
    return {name: MoveRules(**values) for name, values in entries.items()}
