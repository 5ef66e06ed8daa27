"""A build file that is open in an editor: what is wrong where, and what could be written there.

Lines and columns count from 1, columns in characters.
"""

from __future__ import annotations

import datetime
import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, cast

from buildcheck.catalog.layers import shipped
from buildcheck.cli.settings import Lab
from buildcheck.configure.repair.repair import Repair, repair
from buildcheck.configure.repair.safe import safely_edited
from buildcheck.configure.stopping import Stop
from buildcheck.errors import BuildcheckError, Problem
from buildcheck.load.groups import known_fields
from buildcheck.model.build import SECTION_KIND, Build
from buildcheck.model.finding import Report
from buildcheck.pipeline import Judging
from buildcheck.render.templates import words
from buildcheck.report.answer import BuildAnswer, PlaceAnswer
from buildcheck.report.build import build_answer
from buildcheck.words.keys import field_of, place_of

#: The most parts that are proposed, and of which it is shown what they would make of the build.
MOST, MOST_JUDGED = 50, 5
#: What stands before the cursor: a key of the file, one of an entry, an entry of a list, or words.
_START = r"(?:^|[{,]|-\s)\s*"
_VALUE = re.compile(_START + r"(?P<key>[\w -]+?):\s+\[?(?:\d+\s*x\s+)?(?P<typed>[^,{}\[\]:#]*)$")
_ITEM = re.compile(r"^\s*-\s+(?:\d+\s*x\s+)?(?P<typed>[^{}\[\]:#]*)$")
_KEY = re.compile(_START + r"(?P<typed>[\w-]*)$")
_TOP = re.compile(r"""["']?([\w -]+?)["']?\s*:(?:\s|$)""")


class Mark(NamedTuple):
    """Something found: where, how many characters wide, how bad, by which rule, and in words.

    `level` is error, warning or information; `also` are other lines that take part.
    """

    line: int
    column: int
    width: int
    level: str
    rule: str
    said: str
    also: tuple[PlaceAnswer, ...] = ()


class Suggestion(NamedTuple):
    """A key or a name to write from a column on, and what that would make of the build."""

    text: str
    column: int
    detail: str = ""


class Way(NamedTuple):
    """A way to change the file: in words, and its text then."""

    title: str
    text: str


@dataclass(eq=False)
class OpenBuild:
    """A build file as an editor has it, judged once."""

    path: str
    text: str
    judging: Judging | None
    report: Report | None
    problems: tuple[Problem, ...] = ()

    @cached_property
    def answer(self) -> BuildAnswer | None:
        """What is said of the build, with the source of each value; None if it cannot be used."""
        return build_answer(self.report, verbose=True) if self.report else None

    @property
    def marks(self) -> Iterator[Mark]:
        """Everything found. A problem of another file is at the first line, with its place."""
        say = words("editor")
        for p in self.problems:
            said, is_here = say.problem(p), p.path == self.path and p.line > 0
            place = (p.line, p.column, p.width) if is_here else (1, 1, 1)
            yield Mark(*place, "error", "read", said if is_here else f"{p.where}: {said}")
        if self.answer is None:
            return
        for f in self.answer.raised:
            level, said, at = str(say.LEVELS.get(f.state, "information")), say.finding(f), f.place
            yield Mark(at.line, at.column, at.width, level, f.rule, said, f.places[1:])
        for unread in self.answer.not_read:
            yield Mark(unread[1], 1, len(unread[0]), "information", "not-used", say.unread(*unread))

    def hover(self, line: int) -> str:
        """The part of a line: its power, what is left of its limits, where each value comes from.

        Markdown; empty where there is no part.
        """
        if self.report is None or self.answer is None:
            return ""
        document = self.report.document
        tops = [at[0] for path, at in document.keys.items() if len(path) == 1 and at[0] <= line]
        starts = {
            s.id: document.position(s.path, key=True)[0]
            for s in self.report.graph.subjects.values()
            if s.path and s.listed
        }
        within = [n for n in starts.values() if max(tops, default=line) <= n <= line]
        ids = {one for one, start in starts.items() if within and start == max(within)}
        return str(words("editor").hover(self.answer, ids)).strip()

    def suggestions(self, line: int, column: int, labs: Sequence[Path]) -> list[Suggestion]:
        """What could be written at a place: names of parts with the verdict then, or keys."""
        lines = self.text.splitlines() or [""]
        before = lines[line - 1][: column - 1] if line <= len(lines) else ""
        tops = (_TOP.match(lines[n]) for n in range(min(line, len(lines)) - 1, -1, -1))
        section = next(((place_of(top[1]) or ("",))[0] for top in tops if top), "")
        is_top = before[:1] not in (" ", "-") and not re.search("[{,]", before)
        if found := _VALUE.search(before):
            is_part = is_top or field_of(section, found["key"]) == "part"
        elif not (found := _ITEM.match(before)) and (found := _KEY.search(before)):
            known = Build.model_fields if is_top else _fields(section)
            start = found.start("typed") + 1
            return [Suggestion(f"{k}: ", start) for k in known if k.startswith(found["typed"])]
        else:
            is_part = found is not None
        if found is None or not is_part or section not in SECTION_KIND:
            return []
        parts = shipped(labs=tuple(labs)).typed([SECTION_KIND[section]], found["typed"])
        fitting = [*parts.values()][:MOST]
        start = found.start("typed") + 1
        details = (self._outcome(line, start, column, name) for name in fitting[:MOST_JUDGED])
        return [Suggestion(name, start, next(details, "")) for name in fitting]

    def _outcome(self, line: int, start: int, column: int, name: str) -> str:
        """The verdict with a name from one column to another."""
        lines = self.text.splitlines(keepends=True)
        own = lines[line - 1]
        lines[line - 1] = own[: start - 1] + name + own[column - 1 :]
        try:
            if self.judging:
                report = self.judging.check("".join(lines).encode(), self.path)
                return str(words("editor").outcome(build_answer(report)))
        except BuildcheckError:
            pass
        return ""

    def safe(self) -> list[Way]:
        """The safe edits, as one way; none if there is nothing to edit."""
        if self.report is None or self.judging is None:
            return []
        made = safely_edited(self.text.encode(), self.report, self.judging)[0].decode()
        return [Way(str(words("editor").SAFE), made)] * (made != self.text)

    def ways(self, stop: Stop) -> list[Way]:
        """The ways that `repair` finds until it is stopped."""
        if self.report is None or self.judging is None:
            return []
        found = repair(self.text.encode(), self.path, self.judging, stop=stop).repairs
        said = words("editor").way
        return [Way(str(said(w)), w.raw.decode()) for w in cast("tuple[Repair, ...]", found)]

    def edits(self, text: str) -> Iterator[tuple[int, int, str]]:
        """What differs in another text: from a line to before another, and the lines then."""
        old, new = (one.splitlines(keepends=True) for one in (self.text, text))
        for what, first, last, start, end in difflib.SequenceMatcher(
            None, old, new, autojunk=False
        ).get_opcodes():
            if what != "equal":
                yield first + 1, last + 1, "".join(new[start:end])


def _fields(section: str) -> list[str]:
    """The keys of an entry of a section; none of what has no entries."""
    try:
        return [*known_fields(section)]
    except (KeyError, AttributeError):
        return []


def open_build(path: str, text: str, lab: Lab, today: datetime.date) -> OpenBuild:
    """A build file judged by the settings where it lies."""
    judging = None
    try:
        judging = lab.judging(today, path)
        return OpenBuild(path, text, judging, judging.check(text.encode(), path))
    except BuildcheckError as error:
        return OpenBuild(path, text, judging, None, tuple(error.problems))
