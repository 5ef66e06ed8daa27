"""rules/ → rules whose names, units and examples' shapes are proven.

Folders of a lab add rules, and tighten those that there are: see `buildcheck.rulebook.overlay`.

Every rule file is read strictly, checked against its model, and its expressions are
given the dimension reading, so that no comparison of watts with millimetres survives
loading. All problems of all files are reported together. A proven rulebook is kept
in the cache as plain data until a rule, or a line of this program, changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from buildcheck import store
from buildcheck.errors import InputError
from buildcheck.measure.definitions import load_definitions
from buildcheck.model.frozen import Frozen
from buildcheck.model.rule import Rule, rule_from
from buildcheck.model.vocabulary import problem
from buildcheck.rulebook.overlay import Limit


class Selection(NamedTuple):
    """Rules to judge by, each an id, a domain or `ALL`, and where they are asked for."""

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    path: str = "--select, --ignore"
    #: Where names are in that file.
    lines: Mapping[str, int] = MappingProxyType({})


class Rulebook(Frozen):
    """Proven rules in order of id, and the digest of the files they came from."""

    rules: tuple[Rule, ...]
    digest: str
    #: Ids of the rules that a selection leaves out.
    left_out: tuple[str, ...] = ()

    def get(self, rule_id: str) -> Rule | None:
        """The rule of that id, or None."""
        return next((r for r in self.rules if r.id == rule_id), None)

    def near(self, name: str) -> tuple[str, ...]:
        """The ids nearest to a name that is of no rule, but for rules that are left out."""
        return tuple(get_close_matches(name, [*self.left_out, *(r.id for r in self.rules)], 3, 0.5))

    def selected(self, *selections: Selection) -> Rulebook:
        """The rules that are selected; of two selections the later, of two names the narrower wins.

        Raises `InputError` for a name of nothing, or if no rule is left.
        """
        chosen, problems = {r.id for r in self.rules}, []
        for one in selections:
            names = [(n, True) for n in (*one.select, *one.extend_select)]
            names += [(n, False) for n in one.ignore]
            chosen = set() if one.select else chosen
            for name, is_wanted in sorted(names, key=lambda n: (n[0] != "ALL", "/" in n[0])):
                found = {r.id for r in self.rules if name in (r.id, r.domain, "ALL")}
                chosen = chosen | found if is_wanted else chosen - found
                if not found:
                    domains = dict.fromkeys(r.domain for r in self.rules)
                    near = tuple(get_close_matches(name, domains, 1)) or self.near(name)
                    wrong = problem(one.path, "no-rule-or-domain", near, name=name)
                    problems.append(wrong._replace(line=one.lines.get(name, 0), column=1))
        if not chosen and not problems:
            problems = [problem(selections[-1].path, "no-rule-left")]
        InputError.raise_any(problems)
        return self.only(chosen)

    def only(self, names: Iterable[str]) -> Rulebook:
        """The rules of these ids."""
        chosen = set(names)
        if not (out := tuple(r.id for r in self.rules if r.id not in chosen)):
            return self
        rules = tuple(r for r in self.rules if r.id in chosen)
        return Rulebook(rules, f"{self.digest} without:{store.key_of(repr(out))}", out)


def load_rulebook(
    folder: Path | None = None, labs: Iterable[Path] = (), limits: Sequence[Limit] = ()
) -> Rulebook:
    """The rules below a folder, and of a lab. Raises `RulebookError` with all that is wrong."""
    folders = [folder or store.data_folder("rules"), *labs]
    for lab in folders[1:]:
        load_definitions(lab)
    key = "".join(map(store.signature, folders)) + repr(limits or "")

    def proven() -> dict[str, Any]:
        from buildcheck.rulebook.proof import prove  # only when a rule has changed

        return prove(folders, limits)

    data = store.cached("rulebook", store.key_of(key), proven)
    return Rulebook(tuple(map(rule_from, data["rules"])), data["digest"])
