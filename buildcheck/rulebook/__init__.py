"""rules/ → rules whose names, units and examples' shapes are proven.

Every rule file is read strictly, checked against its model, and its expressions are
given the dimension reading, so that no comparison of watts with millimetres survives
loading. All problems of all files are reported together. A proven rulebook is kept
in the cache as plain data until a rule, or a line of this program, changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from buildcheck import store
from buildcheck.errors import Problem, RulebookError
from buildcheck.logic.parse import pack, parse
from buildcheck.model.frozen import dataclass
from buildcheck.model.rule import Rule, plain_rule, rule_from


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
    """Every rule of builds, as (id, path): files in the folders of domains."""
    return (
        (i, p)
        for i, p in store.files(folder)
        if "/" in i and not i.startswith(("part/", "definitions/"))
    )


def prove(folder: Path) -> dict[str, Any]:
    """Read and prove every rule; plain data for the cache."""
    from buildcheck.rulebook.proof import prove_rule  # only when a rule has changed

    problems: list[Problem] = []
    rules = []
    files = dict(rule_files(folder))
    for rule_id, path in files.items():
        data, found = prove_rule(rule_id, path, files)
        problems += found
        rules.append(data)
    problems = problems or _circles(rules, files)
    if problems:
        raise RulebookError(problems)
    rules = list(map(plain_rule, rules))
    for rule in rules:
        texts = {key: rule[key] for key in ("when", "require") if rule[key]}
        rule["trees"] = {key: pack(parse(text)) for key, text in texts.items()}
    return {"rules": rules, "digest": store.digest(folder)}


def _circles(rules: list[dict[str, Any]], files: dict[str, Path]) -> list[Problem]:
    """Rules that are, by `follows`, consequences of themselves."""
    follows = {rule["id"]: rule.get("follows", []) for rule in rules}
    found = []
    for rule_id, causes in follows.items():
        seen: set[str] = set()
        left = list(causes)
        while left:
            if (one := left.pop()) not in seen:
                seen.add(one)
                left += follows[one]
        if rule_id in seen:
            what = f"'{rule_id}' follows from itself"
            found.append(Problem(str(files[rule_id]), 1, 1, what, "Take one 'follows' out"))
    return found
