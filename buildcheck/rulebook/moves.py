"""What may be tried to fix a build, and against which rules: `rules/moves.yaml`, read once."""

from __future__ import annotations

from dataclasses import field, fields
from functools import cache
from typing import TYPE_CHECKING, Any

from buildcheck import store
from buildcheck.model.frozen import dataclass
from buildcheck.model.source import read

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from buildcheck.errors import Problem

#: What a move changes; `blame` is none, but says which parts rules are about.
KINDS = ("setting", "accessory", "swap", "blame")
#: Fewest characters of a reason.
_LEAST_WHY = 20


@dataclass(frozen=True)
class MoveRules:
    """One entry of the file, where its fields are explained."""

    kind: str
    rules: tuple[str, ...]
    why: str
    graded: bool = False
    steady: bool = False
    instead: tuple[str, ...] = ()
    set: dict[str, Any] = field(default_factory=dict)
    unstated: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()
    say: tuple[str, ...] = ()
    buys: str = ""
    sections: tuple[str, ...] = ()

    def concerns(self, rules: Iterable[str]) -> bool:
        """Is it about one of these rules?"""
        return any(_begins(pattern, rule) for rule in rules for pattern in self.rules)


def _begins(pattern: str, rule: str) -> bool:
    return rule.startswith(pattern[:-1]) if pattern.endswith("*") else rule == pattern


@cache
def moves() -> dict[str, MoveRules]:
    """Every entry by its name; the rulebook proves them."""
    path = store.data_folder("rules") / "moves.yaml"
    text = path.read_text(encoding="utf-8")
    data = store.cached("moves", store.key_of(text), lambda: read(text.encode(), str(path)).data)
    return {name: _read(given) for name, given in data.items()}


def _read(given: dict[str, Any]) -> MoveRules:
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
    return MoveRules(**values)


def prove_moves(path: Path, known: Collection[str]) -> Iterator[Problem]:
    """Everything that is wrong in a file of moves, rules that do not exist included."""
    document = read(path.read_bytes(), str(path))
    yield from document.problems
    names = {one.name for one in fields(MoveRules)}
    for name, given in document.data.items() if isinstance(document.data, dict) else ():
        if not isinstance(given, dict) or not {"kind", "rules", "why"} <= set(given) <= names:
            yield document.problem((name,), f"'{name}' needs a kind, rules and a why")
        elif given["kind"] not in KINDS or len(str(given["why"])) < _LEAST_WHY:
            yield document.problem((name,), f"'{name}' is of no kind of move, or has no reason")
        else:
            for number, pattern in enumerate(given["rules"]):
                if not any(_begins(pattern, rule) for rule in known):
                    what = f"no rule is called '{pattern}'"
                    yield document.problem((name, "rules", number), what)
