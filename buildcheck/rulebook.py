"""rules/ → rules whose names, units and examples' shapes are proven.

Every rule file is read strictly, checked against its model, and its expressions are
given the dimension reading, so that no comparison of watts with millimetres survives
loading. All problems of all files are reported together. A proven rulebook is kept
in the cache as plain data until a rule, or a line of this program, changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from buildcheck import store
from buildcheck.errors import Problem, RulebookError
from buildcheck.logic.parse import pack, parse
from buildcheck.model.rule import Rule, rule_from

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True)
class Rulebook:
    """Proven rules in order of id, and the digest of the files they came from."""

    rules: tuple[Rule, ...]
    digest: str

    def get(self, rule_id: str) -> Rule | None:
        """The rule of that id, or None."""
        return next((r for r in self.rules if r.id == rule_id), None)


def load_rulebook(folder: Path | None = None) -> Rulebook:
    """The rules below a folder. Raises `RulebookError` with everything wrong in them."""
    where = folder or store.data_folder("rules")
    key = store.signature(where)
    data = store.cached("rulebook", key, lambda: prove(where))
    return Rulebook(tuple(map(rule_from, data["rules"])), data["digest"])


def rule_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every rule, as (id, path): in the folder of its domain; a file beside those is none."""
    return ((rule_id, path) for rule_id, path in store.files(folder) if "/" in rule_id)


def prove(folder: Path) -> dict[str, Any]:
    """Read and prove every rule; plain data for the cache."""
    from buildcheck.proof import prove_rule  # noqa: PLC0415 - only when a rule has changed

    problems: list[Problem] = []
    rules = []
    for rule_id, path in rule_files(folder):
        data, found = prove_rule(rule_id, path)
        problems += found
        rules.append({k: v for k, v in data.items() if k != "examples"})
    if problems:
        raise RulebookError(problems)
    for rule in rules:
        texts = {key: rule[key] for key in ("when", "require") if rule.get(key)}
        rule["trees"] = {key: pack(parse(" ".join(text.split()))) for key, text in texts.items()}
    return {"rules": rules, "digest": store.digest(folder)}
