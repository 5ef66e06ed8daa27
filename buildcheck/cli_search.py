"""What the commands that search share: their options, progress, and being stopped."""

from __future__ import annotations

import contextlib
import math
import shutil
import signal
import sys
import time
from typing import TYPE_CHECKING, Any, Self

import click

from buildcheck.cli_build import check_output
from buildcheck.configure.wish.names import check_names
from buildcheck.configure.wish.options import wish_from_options
from buildcheck.configure.wish.wish import read_wish
from buildcheck.errors import InputError, Problem
from buildcheck.render.terminal import plain
from buildcheck.streams import shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import FrameType

    from buildcheck.configure import engine as searched
    from buildcheck.configure.engine import Engine
    from buildcheck.configure.wish.reading import Said
    from buildcheck.configure.wish.wish import Wish

#: Progress is shown anew after so many seconds, and no sooner.
_APART = 0.1
_CENTS = 100


def _seconds(_ctx: click.Context, _param: click.Parameter, value: float | None) -> float | None:
    if value is not None and not (value > 0 and math.isfinite(value)):
        raise click.BadParameter(f"{value} is not a number of seconds above zero")
    return value


TIME_LIMIT = click.option(
    "--time-limit",
    "limit",
    type=float,
    metavar="SECONDS",
    callback=_seconds,
    help="Stop after this time with what was found and proven until then.",
)


def wish_said(
    raw: bytes | None, path: str, words: dict[str, Any], base: tuple[Said, ...] = ()
) -> tuple[Wish | None, tuple[Said, ...]]:
    """A wish from a file and options, and what the options said; None if neither says anything.

    Options stand over `base`, which is said whatever they say.
    Raises `InputError` with what is wrong in both.
    """
    problems: list[Problem] = []
    said: tuple[Said, ...] = ()
    wish = None
    try:
        said = base + wish_from_options(**words)
    except InputError as error:
        problems += error.problems
    try:
        if raw is not None or said:
            wish = read_wish(raw, path, said)
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return wish, said


def problem_of(engine: Engine, wish: Wish, asked: Wish | None = None) -> searched.Problem:
    """A wish made ready to be searched; the names in `asked`, or all of them, are looked up.

    Raises `InputError` with every name and price that is wrong.
    """
    problems = check_names(asked or wish, engine.catalog)
    try:
        found = engine.problem(wish)
    except InputError as error:
        raise InputError([*problems, *error.problems]) from None
    except LookupError:
        # A name that nothing goes by, which is told above.
        if not problems:
            raise
        raise InputError(problems) from None
    if problems:
        raise InputError(problems)
    return found


def check_outputs(paths: dict[str, Path | None], inputs: tuple[str | Path, ...]) -> None:
    """Files to write, by their option: each a file of its own, and none of the inputs.

    Raises `InputError`.
    """
    taken: dict[Path, str] = {}
    problems: list[Problem] = []
    for option, path in paths.items():
        if path is None:
            continue
        try:
            _check_one(option, path, inputs, taken)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)


def _check_one(
    option: str, path: Path, inputs: tuple[str | Path, ...], taken: dict[Path, str]
) -> None:
    """One of them, beside those that are `taken`. Raises `InputError`."""
    if str(path) == "-":
        advice = "Give a name; the answer itself goes to the screen"
        raise InputError([Problem(option, 0, 0, "this needs a file", advice)])
    check_output(path, inputs)
    place = path.resolve()
    if place in taken:
        what = f"{shown(str(path))} is given to {taken[place]} as well"
        raise InputError([Problem(option, 0, 0, what, "Give each a file of its own")])
    taken[place] = option


class Watch:
    """Asked by a search between its steps: shows how far it is, and says whether to stop.

    Ctrl-C stops a search; the second one ends the program.
    """

    def __init__(self, limit: float | None) -> None:
        self.until = math.inf if limit is None else time.monotonic() + limit
        self.problem: searched.Problem | None = None
        #: Says how far other work than such a search is.
        self.told: Callable[[], str] | None = None
        self.is_shown = sys.stderr is not None and sys.stderr.isatty()
        self.interrupted = False
        self._next = 0.0
        self._before: Any = None

    def __enter__(self) -> Self:
        # Signals reach the main thread alone.
        with contextlib.suppress(ValueError):
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        self._show(time.monotonic())
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if self.is_shown and self._next:
            click.echo("\r\033[K", nl=False, err=True)

    def __call__(self) -> bool:
        """Is it time to stop?"""
        now = time.monotonic()
        self._show(now)
        return self.interrupted or now >= self.until

    def _show(self, now: float) -> None:
        if self.is_shown and now >= self._next:
            self._next = now + _APART
            width = shutil.get_terminal_size().columns - 1
            click.echo(f"\r{plain(self.line())[:width]}\033[K", nl=False, err=True)

    def line(self) -> str:
        """How far the search is, in one line."""
        from buildcheck.configure.search.costs import PRICE  # noqa: PLC0415 - a search has begun
        from buildcheck.render.proof_text import SAY, count_text  # noqa: PLC0415

        if self.told is not None:
            return self.told()
        search = self.problem.running if self.problem else None
        if self.problem is None or search is None:
            return SAY("getting_ready")
        tally = search.tally
        excluded, all_ = map(count_text, (sum(tally.excluded.values()), tally.machines))
        found = SAY("progress_found", number=count_text(tally.found))
        found = found if tally.found else SAY("progress_none")
        words = SAY("progress", excluded=excluded, all=all_, found=found)
        is_cheapest = set(self.problem.wish.best) == {"price"}
        if is_cheapest and tally.bound and math.isfinite(tally.bound[PRICE]):
            least = f"{tally.bound[PRICE] / _CENTS:.2f} {self.problem.currency}"
            words += SAY("progress_bound", money=least)
        return words

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
