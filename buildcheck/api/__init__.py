"""What `import buildcheck` offers to other programs; all of it is typed.

    >>> import buildcheck
    >>> build = buildcheck.check({"gpus": "4x RTX 4090", "psus": "1600W"})
    >>> build.verdict, build.raised[0].rule
    ('fail', 'power/psu-overload')

Answers are frozen values of the shapes that `--format json` prints; numbers are `Figure` with the
ends of a range and a unit. What cannot be used raises `BuildcheckError`, whose `problems` have
path, line, column, message and suggestion. Nothing is printed, and no network is used.
"""

import datetime
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from buildcheck.cli.settings import Lab
from buildcheck.configure.repair.repair import Repair
from buildcheck.docs.schemas import schema_of as schema
from buildcheck.errors import BuildcheckError, InputError, Problem
from buildcheck.importers.parts.answer import PartSearchAnswer
from buildcheck.importers.parts.lookup import part_search_answer as find_parts
from buildcheck.model.answer import Figure
from buildcheck.model.answer import plain_answer as as_data
from buildcheck.model.frozen import Frozen
from buildcheck.model.vocabulary import refused
from buildcheck.pipeline import Judging
from buildcheck.report.answer import BuildAnswer, FindingAnswer
from buildcheck.report.build import build_answer
from buildcheck.report.rules import RuleAnswer, rule_answer
from buildcheck.rulebook import Selection
from buildcheck.streams import read_build
from buildcheck.whole_report.diff import DiffAnswer, diff_answer

__all__ = ["BuildAnswer", "BuildcheckError", "Checker", "DiffAnswer", "Figure", "FindingAnswer"]
__all__ += ["InputError", "PartSearchAnswer", "Problem", "Repair", "RuleAnswer", "as_data", "check"]
__all__ += ["diff", "find_parts", "repair", "rules", "schema"]

#: A path, or the data of a build file.
Build = str | os.PathLike[str] | Mapping[str, Any]


class Checker(Frozen):
    """What `check`, `diff` and `repair` judge by.

    `today`, folders of a lab's `parts` and `rules`, and rules or domains to `select` or `ignore`.
    Settings apply as on the command line, unless it is `isolated`.
    """

    today: datetime.date | None = None
    parts: tuple[Path, ...] = ()
    rules: tuple[Path, ...] = ()
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    isolated: bool = False

    def check(self, build: Build, *, verbose: bool = False) -> BuildAnswer:
        """A build's verdict, findings, placement, budgets and what is missing.

        `verbose` adds what passed, the arithmetic with the source of each value, and all facts.
        Watts, mm and the like are in `Figure`; `raised` has the errors that are open as well, with
        the verdict `unknown`. Raises `BuildcheckError`.
        """
        raw, name, judging = self._given(build)
        return build_answer(judging.check(raw, name), verbose=verbose, facts=verbose)

    def diff(self, before: Build, after: Build) -> DiffAnswer:
        """The parts, findings, watts and price that change. Raises `BuildcheckError`."""
        given = map(self._given, (before, after))
        return diff_answer(*(judging.check(raw, name) for raw, name, judging in given))

    def repair(self, build: Build) -> tuple[Repair, ...]:
        """Ways after which nothing fails, the best first: changes, cost, and `raw`, the file then.

        Raises `BuildcheckError`.
        """
        from buildcheck.configure.repair.repair import repair as found

        return cast("tuple[Repair, ...]", found(*self._given(build)).repairs)

    def _given(self, build: Build) -> tuple[bytes, str, Judging]:
        if isinstance(build, Mapping):
            raw, name = json.dumps(build, default=str).encode(), "<build>"
        elif not isinstance(build, str | os.PathLike):
            raise refused("<build>", "no-build", given=build)
        else:
            name = os.fspath(build)
            raw = read_build(name)
        files = () if isinstance(build, Mapping) else (name,)
        lab = Lab(self.parts, self.rules, self.isolated)
        given = (self.select, self.ignore)
        select, ignore = ((n,) if isinstance(n, str) else tuple(n) for n in given)
        chosen = Selection(select, (), ignore, "select, ignore")
        today = self.today or datetime.datetime.now(tz=datetime.UTC).date()
        return raw, name, lab.judging(today, *files, chosen=chosen)


check, diff, repair = Checker().check, Checker().diff, Checker().repair


def rules(*folders: Path) -> tuple[RuleAnswer, ...]:
    """Every rule with its sources, those of a lab's folders as well. Raises `BuildcheckError`."""
    return tuple(map(rule_answer, Lab(rules=folders).rulebook().rules))
