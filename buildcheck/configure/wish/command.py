"""The wish of a command: from a file and options, ready to be searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.configure.wish.names import check_names
from buildcheck.configure.wish.options import wish_from_options
from buildcheck.configure.wish.wish import read_wish
from buildcheck.errors import InputError, Problem

if TYPE_CHECKING:
    from buildcheck.configure import engine as searched
    from buildcheck.configure.engine import Engine
    from buildcheck.configure.wish.reading import OptionValue
    from buildcheck.configure.wish.wish import Wish


def wish_from(
    raw: bytes | None, path: str, words: dict[str, Any], base: tuple[OptionValue, ...] = ()
) -> tuple[Wish | None, tuple[OptionValue, ...]]:
    """A wish from a file and options, and what the options given; None if neither says anything.

    Options override `base`, which is always given.
    Raises `InputError` with what is wrong in both.
    """
    problems: list[Problem] = []
    given: tuple[OptionValue, ...] = ()
    wish = None
    try:
        given = base + wish_from_options(**words)
    except InputError as error:
        problems += error.problems
    try:
        if raw is not None or given:
            wish = read_wish(raw, path, given)
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return wish, given


def problem_of(engine: Engine, wish: Wish, asked: Wish | None = None) -> searched.SearchProblem:
    """A wish made ready to be searched; the names in `asked`, or all of them, are looked up.

    Raises `InputError` with every name and price that is wrong.
    """
    problems = check_names(asked or wish, engine.catalog)
    try:
        found = engine.problem(wish)
    except InputError as error:
        raise InputError([*problems, *error.problems]) from None
    except LookupError:
        # A name that is not known, which is reported above.
        if not problems:
            raise
        raise InputError(problems) from None
    if problems:
        raise InputError(problems)
    return found
