"""What the command line reads and writes: build files, reports, and streams that fail."""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import click

from buildcheck import INTERRUPTED
from buildcheck.errors import BuildcheckError, InputError, capped, closing
from buildcheck.model import patterns
from buildcheck.model.vocabulary import caught, refused

#: What a command leaves with, and what that means.
EXIT_CODES = {
    0: "nothing found at or above the fail level",
    1: "something found at or above it",
    2: "could not judge: bad usage, an unreadable file, a broken rule or part file",
    INTERRUPTED: "interrupted",
}


def show_answer(command: str, answer: Any, form: str, *, verbose: bool = False) -> None:
    """Print a command's answer: as text by its template, or as JSON."""
    colour = has_colour()
    shown = answer_text(command, answer, form, verbose=verbose, colour=colour)
    click.echo(shown, nl=False, color=colour)


def has_colour() -> bool:
    """Is what is printed coloured: as `--color` says, else on a terminal or where it is forced."""
    context = click.get_current_context(silent=True)
    if context and context.color is not None:
        return context.color
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return bool(os.environ.get("FORCE_COLOR") or is_terminal) and not os.environ.get("NO_COLOR")


def answer_text(
    command: str, answer: Any, form: str, *, verbose: bool = False, colour: bool = False
) -> str:
    """A command's answer as text by its template, or as JSON."""
    if form == "json":
        from buildcheck.render.envelope import enveloped

        return enveloped(command, answer, verbose=verbose)
    from buildcheck.render.templates import text

    return text(command, answer, verbose=verbose, colour=colour)


def stop(error: BuildcheckError, form: str) -> NoReturn:
    """Say what is wrong, in the form asked for, and leave with 2."""
    if form == "json":
        from buildcheck.render.envelope import enveloped

        command = click.get_current_context().info_name or ""
        click.echo(enveloped(command, None, capped(error.problems)), nl=False)
    complain(error, "nothing was done")
    sys.exit(2)


def complain(error: BuildcheckError, end: str) -> None:
    """Say on standard error what is wrong, and what that means for the rest."""
    for problem in capped(error.problems):
        click.echo(problem.block(), err=True)
    if isinstance(error, InputError) and (last := closing(error.problems)):
        click.echo(f"{last}; {end}", err=True)


def shown(path: str) -> str:
    """A path as it is named in messages and reports; bytes that are no text are marked."""
    return "<stdin>" if path == "-" else os.fsencode(path).decode("utf-8", "replace")


def read_build(path: str) -> bytes:
    """The bytes of a build file, or of standard input for `-`. Raises `InputError`."""
    from buildcheck.model.source import MAX_BYTES

    try:
        if path == "-" and sys.stdin is None:
            raise refused("<stdin>", "stdin-closed")
        if path == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise refused(path, "no-file") from None
    except IsADirectoryError:
        raise refused(path, "folder-in") from None
    except OSError as error:
        raise refused(path, "unreadable", why=error.strerror) from None


def write_out(
    made: str | bytes, path: Path | None, *, read: bytes | None = None, folders: bool = False
) -> None:
    """Print it, or write it whole or not at all. Raises `InputError`.

    `read` is what the file held when it was read, where it is the one to be changed: what
    somebody else wrote meanwhile stays. `folders` on the way to it are made, if asked for.
    """
    if path is None or str(path) == "-":
        if sys.stdout is None:
            raise refused("-", "stdout-closed")
        click.echo(made, nl=False, file=None if isinstance(made, str) else sys.stdout.buffer)
        return
    try:
        if read is not None and path.read_bytes() != read:
            raise refused(str(path), "changed-meanwhile")
        if folders:
            path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(str(path), "unwritten", why=error.strerror) from None
    write_files({path: made})


def write_files(made: Mapping[Path, str | bytes]) -> None:
    """Write all of these files, each whole, or none. Raises `InputError`."""
    from buildcheck.store import UnwrittenError, write_all

    for path in made:
        check_writable(path)
    try:
        write_all(made)
    except UnwrittenError as error:
        raise refused(str(error.path), "unwritten", why=error.why.strerror) from None


def check_writable(path: Path) -> None:
    """Raises `InputError` if this file certainly cannot be made or replaced.

    A file is replaced by another, so its folder has to let that be; a device or pipe itself.
    """
    place = os.path.realpath(path)
    folder = os.path.dirname(place)  # paths asked in this way raise nothing
    why = ""
    if not os.path.isdir(folder):
        why = f"there is no folder {shown(folder)}"
    elif len(os.fsencode(os.path.basename(place))) > os.pathconf(folder, "PC_NAME_MAX"):
        why = os.strerror(errno.ENAMETOOLONG)
    elif os.path.islink(place):
        why = os.strerror(errno.ELOOP)
    else:
        is_special = os.path.exists(place) and not os.path.isfile(place)
        if not os.access(place if is_special else folder, os.W_OK):
            why = os.strerror(errno.EACCES)
    if why:
        raise refused(str(path), "unwritable", why=why)


def check_new(path: Path | None) -> None:
    """Raises `InputError` if there is a file already."""
    if path and path.exists():
        raise refused(str(path), "there-already")


def run_to_end(main: Callable[..., int | None]) -> None:
    """Run a command and leave, with a word and exit code 2 where it is refused or fails.

    Where it is interrupted the code is that of shells for it, and nothing is half-written.
    """
    raw = sys.stdout and sys.stdout.buffer
    if isinstance(raw, io.RawIOBase):
        # What has no buffer, by `PYTHONUNBUFFERED`, loses what does not fit, and says nothing.
        made, old = io.BufferedWriter(raw), sys.stdout
        sys.stdout = io.TextIOWrapper(made, old.encoding, old.errors, line_buffering=True)
    code = 2
    with caught("buildcheck") as problems:
        code = _code(main)
    for problem in problems:
        click.echo(problem.block(), err=True)
    patterns.keep()
    # Nothing is left to say; what cannot be flushed has been complained of.
    os._exit(_flushed(code))


def _code(main: Callable[..., int | None]) -> int:
    """What a command leaves with; that it is stopped is said."""
    try:
        code = main(standalone_mode=False) or 0
        # What served an editor has closed them.
        if sys.stdout is not None and not sys.stdout.closed:
            sys.stdout.flush()
    except click.exceptions.Abort:
        with contextlib.suppress(OSError):
            click.echo("Interrupted; nothing was written.", err=True)
        code = INTERRUPTED
    except click.ClickException as error:
        error.show()
        code = 2
    except BrokenPipeError:
        code = 0
    except OSError as error:
        with contextlib.suppress(OSError):
            nameless = "the working folder" if error.errno == errno.ENOENT else "standard output"
            where = nameless if error.filename is None else shown(str(error.filename))
            click.echo(f"buildcheck: it cannot go on: {where}: {error.strerror}", err=True)
        code = 2
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 2
    return code


def _flushed(code: int) -> int:
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BrokenPipeError:
            continue
        except OSError:
            code = 2
    return code
