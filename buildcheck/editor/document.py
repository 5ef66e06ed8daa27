"""A build file that is open in an editor: what is wrong where, and what could be written there.

Lines and columns count from 1, columns in characters.
"""

import datetime
import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, cast, get_args

from buildcheck.catalog.layers import shipped
from buildcheck.cli.settings import Lab
from buildcheck.configure.repair.repair import Repair, repair
from buildcheck.configure.repair.safe import safely_edited
from buildcheck.configure.stopping import Stop
from buildcheck.docs.fields import fields_of, words_of
from buildcheck.edit import respelt
from buildcheck.errors import Problem
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.finding import BuildVerdict, Report
from buildcheck.model.vocabulary import caught
from buildcheck.pipeline import Judging
from buildcheck.render.templates import words
from buildcheck.report.answer import BuildAnswer, PlaceAnswer
from buildcheck.report.build import build_answer
from buildcheck.words.keys import field_of, place_of

#: The most parts that are proposed, and of which it is shown what they would make of the build.
MOST, MOST_JUDGED = 50, 5
#: Verdicts of builds, the best first.
_BEST = get_args(BuildVerdict)[::-1]
#: A key in a line, behind its indentation and dashes; and one with what is typed behind it.
_KEY = re.compile(r"""((?:\s|- )*)["']?(\w[\w -]*?)["']?\s*:(?=\s|$)""")
_VALUE = re.compile(r"""["']?(?P<key>\w[\w -]*?)["']?:\s+\[?(?:\d+\s*x\s+)?(?P<typed>[^\[\]#]*)$""")
_TYPED = re.compile(r"(?:\d+\s*x\s+)?(?P<typed>[\w ./+-]*)$")


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
    """A key or a name to write from a column on, and what that would make of the build.

    `rank` is the place of the verdict among those of builds, the best first.
    """

    text: str
    column: int
    detail: str = ""
    rank: int = 99


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
        lines = self.text.splitlines()
        for kind, line, of in self.answer.remarks:
            level, said = say.LEVELS.get(kind, "information"), str(say.remark(kind, of))
            indent = len(lines[line - 1]) - len(lines[line - 1].lstrip())
            yield Mark(line, indent + 1, len(lines[line - 1]) - indent, level, kind, said)

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
        """What could be written at a place: names, words that a key takes, or keys."""
        lines = [*self.text.splitlines(), ""]
        before = "".join(lines[line - 1 : line])[: column - 1]
        indent = len(before) - len(before.lstrip(" -"))
        inside, piece, is_entry = _brackets(before, indent)
        keys = [*_above(lines[:line], indent), *inside]
        fields, value = fields_of(keys), _VALUE.match(piece)
        found = value or _TYPED.match(piece)
        if not fields or found is None:
            return []
        start, typed = column - len(found["typed"]), found["typed"]
        name = value["key"] if value else "part"
        if value is None and not (is_entry and name in fields):
            return [Suggestion(f"{k}: ", start) for k in fields if k.startswith(typed)]
        top = "" if keys else (place_of(name) or (name,))[0]
        if kind := SECTION_KIND.get(top or keys[0]) if top or name == "part" else None:
            names = [*shipped(labs=tuple(labs)).typed([kind], typed).values()][:MOST]
            made = [self._outcome(line, start, column, one) for one in names[:MOST_JUDGED]]
            made.sort(key=lambda one: one.rank)
            return made + [Suggestion(one, start) for one in names[MOST_JUDGED:]]
        if keys[:1] == ["waivers"] and name == "rule" and self.judging:
            ids = (rule.id for rule in self.judging.rulebook.rules)
            return [Suggestion(one, start) for one in ids if typed in one]
        among = words_of(keys, top or field_of(keys[0], name), typed)
        return [Suggestion(one, start) for one in among][:MOST]

    def _outcome(self, line: int, start: int, column: int, name: str) -> Suggestion:
        """A name from one column to another, with the verdict then."""
        lines = self.text.splitlines(keepends=True)
        own = lines[line - 1]
        lines[line - 1] = own[: start - 1] + name + own[column - 1 :]
        with caught(self.path):
            if self.judging:
                report = self.judging.check("".join(lines).encode(), self.path)
                said = str(words("editor").outcome(build_answer(report)))
                return Suggestion(name, start, said, _BEST.index(report.verdict))
        return Suggestion(name, start)

    def safe(self) -> list[Way]:
        """The safe edits, as one way; none if there is nothing to edit."""
        if self.judging is None:
            return []
        raw = self.text.encode()
        safe = safely_edited(raw, self.report, self.judging)[0] if self.report else b""
        made = (safe or respelt(raw, self.problems)).decode()
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


def _above(lines: Sequence[str], column: int) -> list[str]:
    """The keys of blocks that hold what begins at a column of the last line, from the top."""
    found: list[str] = []
    for text in reversed(lines):
        key = _KEY.match(text)
        if key and len(key[1]) < column:
            found, column = [key[2], *found], len(key[1])
    return found


def _brackets(before: str, indent: int) -> tuple[list[str], str, bool]:
    """The keys whose brackets are open before the cursor, and what is typed in the last.

    Is it, or behind a dash, the beginning of an entry?
    """
    opened: list[int] = []
    for sign in re.finditer(r"[{}\[\]]", before):
        if sign[0] in "{[":
            opened.append(sign.start())
        elif opened:
            opened.pop()
    held = (re.search(r"(\w[\w -]*?)\s*:\s*[{\[]$", before[: at + 1]) for at in opened)
    keys = [key[1] for key in held if key]
    if not opened:
        return keys, before[indent:], "-" in before[:indent]
    piece = before[opened[-1] + 1 :].rpartition(",")[2].lstrip()
    return keys, piece, before[opened[-1]] == "["


def open_build(path: str, text: str, lab: Lab, today: datetime.date) -> OpenBuild:
    """A build file judged by the settings where it lies."""
    judging = report = None
    with caught(path) as problems:
        judging = lab.judging(today, path)
        report = judging.check(text.encode(), path)
    return OpenBuild(path, text, judging, report, tuple(problems))
