"""What commands that take long share: progress on a terminal, time limit, Ctrl-C, outputs."""

from __future__ import annotations

import contextlib
import math
import shutil
import signal
import sys
import time
from typing import TYPE_CHECKING, Any, Self

import click

from buildcheck.cli.build import check_output
from buildcheck.configure.stopping import StoppedError
from buildcheck.errors import InputError, Problem
from buildcheck.model.vocabulary import problem
from buildcheck.streams import shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import FrameType

    from buildcheck.configure import engine as searched
    from buildcheck.configure.answer import ConfigureAnswer
    from buildcheck.configure.common import Progress

#: Seconds between two updates of the progress.
_APART = 0.25
#: Seconds after which a line tells whoever reads standard error from a pipe or file.
PATIENCE = 0.5
#: Seconds after Ctrl-C in which the work may stop by itself.
_GRACE = 0.5


def answered(problem: searched.SearchProblem, watch: Watch, top: int = 1) -> ConfigureAnswer:
    """The answer of a search, or what was found until it was stopped."""
    from buildcheck.configure.best import best_builds, stopped

    watch.follow(problem)
    try:
        return best_builds(problem, top=top, stop=watch)
    except StoppedError:
        return stopped(problem, top)


def check_outputs(paths: dict[str, Path | None], inputs: tuple[str | Path, ...]) -> None:
    """Files to write, by their option: each a file of its own, and none of the inputs.

    Raises `InputError`.
    """
    taken: dict[Path, str] = {}
    problems: list[Problem] = []
    for option, path in ((o, p) for o, p in paths.items() if p is not None):
        if str(path) == "-":
            problems.append(problem(option, "file-out"))
            continue
        with InputError.added_to(problems):
            check_output(path, inputs)
        other = taken.setdefault(path.resolve(), option)
        if other != option:
            problems.append(problem(option, "out-twice", path=shown(str(path)), option=other))
    InputError.raise_any(problems)


class Watch:
    """Asked by long work between its steps whether to stop; shows how far it is meanwhile.

    Ctrl-C stops the work: where it does not ask soon after, it is ended with `StoppedError`, and
    where Ctrl-C comes again with `KeyboardInterrupt`.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.until = math.inf if limit is None else time.monotonic() + limit
        #: How far the work is; None while files are loaded.
        self.progress: Callable[[], Progress] | None = None
        self.is_shown = sys.stderr is not None and sys.stderr.isatty()
        self.interrupted = 0.0
        self._next, self._tells = 0.0, time.monotonic() + PATIENCE
        self._start = ""
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        # A signal may come between two imports, so that what it shows is made before.
        self._start = self.line()
        # Signals reach the main thread alone.
        with contextlib.suppress(ValueError):
            self._before[signal.SIGINT] = signal.signal(signal.SIGINT, self._interrupt)
            self._before[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._tick)
            signal.setitimer(signal.ITIMER_REAL, _APART, _APART)
        self.show()
        return self

    def __exit__(self, *_: object) -> None:
        if self._before:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self.is_shown and self._next:
            click.echo("\r\033[K", nl=False, err=True)

    def __call__(self) -> bool:
        """Is it time to stop?"""
        return bool(self.interrupted) or time.monotonic() >= self.until

    def follow(self, problem: searched.SearchProblem) -> None:
        """Show how far the search of a problem is."""
        self.progress = lambda: problem.progress

    def show(self) -> None:
        """Show how far the work is where it was not a moment ago; without a terminal only once."""
        now = time.monotonic()
        if not self.is_shown and now >= self._tells and sys.stderr is not None:
            self._tells = math.inf
            click.echo(self._start, err=True)
        if self.is_shown and now >= self._next:
            self._next = now + _APART
            width = shutil.get_terminal_size().columns - 1
            click.echo(f"\r{self.line()[:width]}\033[K", nl=False, err=True)

    def line(self) -> str:
        """How far the work is, in one line."""
        from buildcheck.render.templates import text

        return text("progress", self.progress() if self.progress else None).rstrip("\n")

    def _tick(self, _number: int, _frame: FrameType | None) -> None:
        if self.interrupted and time.monotonic() > self.interrupted + _GRACE:
            raise StoppedError
        self.show()

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = time.monotonic()
