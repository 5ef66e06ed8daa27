"""Build files, one or many: found in folders, and judged, by several processes if they are many."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from buildcheck.cli.build import build_text, page_of, read_files
from buildcheck.cli.declared import gathered
from buildcheck.cli.settings import NAME, Lab, words_of
from buildcheck.configure.repair.safe import safely_edited
from buildcheck.edit import respelt
from buildcheck.errors import InputError, Problem
from buildcheck.model.finding import TROUBLES, VERDICTS, Finding, Report, Verdict
from buildcheck.model.vocabulary import problem
from buildcheck.pipeline import Judging
from buildcheck.report.answer import BuildAnswer
from buildcheck.report.build import build_answer
from buildcheck.streams import shown
from buildcheck.words.keys import place_of

#: Verdicts that count as failing, from the first draft to the order.
_BAD: dict[str, tuple[Verdict, ...]] = {
    "draft": ("fail",),
    "quote": TROUBLES,
    "order": (*TROUBLES, "not-listed", "likely-pass"),
}
#: A key at the top of a file.
_KEY = re.compile(r"""(?m)^["']?(\w[\w -]*?)["']?\s*:(?=\s)""")
#: As many build files take longer than to start a process more.
_WORTH_A_PROCESS = 5


def build_files(given: Sequence[str]) -> tuple[tuple[str, ...], list[Problem]]:
    """Build files as they are given, and of each folder those below it, in order of their paths.

    And what is wrong with folders: one that cannot be read, or without build files.
    """
    found, problems = list[str](), list[Problem]()
    for name in given:
        # Of changed settings, as a hook before a commit names them, all that they hold for.
        one = str(Path(name).parent) if Path(name).name == NAME else name
        if not Path(one).is_dir():
            found.append(one)
            continue
        errors, below = list[OSError](), list[Path]()
        # Files that are YAML by their names, neither hidden nor in a hidden folder.
        for here, folders, names in os.walk(one, onerror=errors.append):
            folders[:] = [name for name in folders if not name.startswith(".")]
            yaml = (n for n in names if n.endswith((".yaml", ".yml")) and not n.startswith("."))
            below += (Path(here, name) for name in yaml)
        inside = [str(path) for path in sorted(below) if _may_list_gpus(path)]
        found += inside
        problems += (problem(e.filename, "unreadable", why=e.strerror) for e in errors)
        if not inside and not errors and one == name:
            problems.append(problem(one, "no-gpus-listed", number=len(below)))
        elif inside and (rest := len(below) - len(inside)):
            files = "1 YAML file" if rest == 1 else f"{rest} YAML files"
            click.echo(f"{shown(one)}: {files} without `gpus:` not judged", err=True)
    return tuple(dict.fromkeys(found)), problems


def _may_list_gpus(path: Path) -> bool:
    """Has a file a section of GPUs, or is that not known? No pipe is waited for."""
    try:
        is_file = path.is_file() or not path.exists()
        return is_file and lists_gpus(path.read_text(encoding="utf-8-sig", errors="replace"))
    except OSError:
        return True


def lists_gpus(text: str) -> bool:
    """Has a file a section of GPUs, and is it no wish?"""
    keys = set(_KEY.findall(text))
    return "wish" not in keys and ("gpus",) in map(place_of, keys)


class Bar(NamedTuple):
    """What makes the exit code 1: findings from a severity on, and what may be open at a stage."""

    fail_on: str
    stage: str
    strict: bool = False

    def within(self, lab: Lab, builds: tuple[str, ...]) -> "Bar":
        """What holds for build files: where no option says it, their settings do."""
        fail_on = lab.asked("fail-on", self.fail_on, *builds)
        return Bar(fail_on, lab.asked("stage", self.stage, *builds), self.strict)

    @property
    def asked(self) -> str:
        """The options by which more than errors stops a build; empty where none was given."""
        by_stage = f"--stage {self.stage}" if self.stage in words_of("stage")[1:] else ""
        by_level = f"--fail-on {self.fail_on}" if self.fail_on in ("warning", "note") else ""
        return " ".join(filter(None, ("--strict" if self.strict else by_stage, by_level)))

    def stopping(self, report: Report, among: Sequence[Verdict] = VERDICTS) -> list[Finding]:
        """What makes the exit code 1."""
        words = words_of("fail-on")
        levels = () if self.fail_on == "never" else words[: words.index(self.fail_on) + 1]
        bad = _BAD["quote" if self.strict and self.stage == "draft" else self.stage]
        found = (f for f in report.findings if f.verdict in bad and f.verdict in among)
        return [f for f in found if f.severity in levels]

    def stopped(self, answer: BuildAnswer, found: Sequence[Finding]) -> BuildAnswer:
        """An answer with what stops the build, where more than errors was asked to."""
        if not self.asked:
            return answer
        by, rules = self.asked if found else "", dict.fromkeys(f.rule.id for f in found)
        counts: dict[str, int] = {**Counter(f.verdict for f in found)}
        return replace(answer, stopped=counts, stopped_by=by, stopped_rules=tuple(rules))


#: Gives a function the options that say what makes the exit code 1.
with_bar = gathered("bar", Bar)


class Judged(NamedTuple):
    """What is said of a build file, brief and with what passed, or why it cannot be judged."""

    answers: dict[bool, BuildAnswer]
    #: Is the exit code 1 for it?
    is_stopped: bool = False
    #: Files of quotes that it was made from.
    read: tuple[str, ...] = ()
    page: str = ""
    problems: tuple[Problem, ...] = ()
    #: Its text before and after edits; None if there are none.
    edits: tuple[bytes, bytes] | None = None


class Under(NamedTuple):
    """What a build file is judged by, by the settings nearest to it."""

    judging: Judging
    bar: Bar


class Judge(NamedTuple):
    """How build files are judged, each by its path, and which answers are asked for."""

    under: dict[str, Under]
    stdin: str
    verbose: frozenset[bool]
    has_page: bool
    is_edited: bool = False

    def one(self, build: str) -> Judged:
        """What is said of a build file; `-` is standard input."""
        named = self.stdin if build == "-" else build
        judging, bar = self.under[named]
        try:
            raw, name, unclear = build_text(build, judging.catalog)
        except InputError as error:
            return Judged({}, problems=tuple(error.problems))
        # A part list has no build file yet.
        is_edited = self.is_edited and name == shown(build)
        made, report, problems = _checked(judging, raw, shown(named), is_edited=is_edited)
        edits = (raw, made) if made != raw else None
        if report is None:
            return Judged({}, problems=problems, edits=edits)
        found = sorted(bar.stopping(report), key=lambda f: VERDICTS.index(f.verdict))
        every = {n: build_answer(report, verbose=n, facts=n) for n in self.verbose}
        answers = {n: bar.stopped(answer, found) for n, answer in every.items()}
        page = page_of(report) if self.has_page else ""
        is_open = bool(unclear) or (bar.strict and report.verdict == "unknown")
        return Judged(answers, bool(found) or is_open, read_files(report), page, edits=edits)

    def all(self, builds: Sequence[str]) -> list[Judged]:
        """What is said of each build file."""
        count = min(os.cpu_count() or 1, len(builds) // _WORTH_A_PROCESS)
        if count <= 1 or "-" in builds:
            return [*map(self.one, builds)]
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        # A process that is forked has the catalogue and the rules.
        fork = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(count, fork, _inherited.append, (self,)) as pool:
            return [*pool.map(_judged, builds)]


def _checked(
    judging: Judging, raw: bytes, path: str, *, is_edited: bool
) -> tuple[bytes, Report | None, tuple[Problem, ...]]:
    """A build file after its safe edits, and its report then, or what is wrong with it."""
    try:
        report = judging.check(raw, path)
        return (*(safely_edited(raw, report, judging) if is_edited else (raw, report)), ())
    except InputError as error:
        made = respelt(raw, error.problems) if is_edited else raw
        if made != raw:
            return _checked(judging, made, path, is_edited=True)
        return raw, None, tuple(error.problems)


#: What a process that judges builds was started with.
_inherited: list[Judge] = []


def _judged(build: str) -> Judged:
    return _inherited[-1].one(build)
