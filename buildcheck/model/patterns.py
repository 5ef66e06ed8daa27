"""Regular expressions, compiled once and kept from run to run.

Compiling a pattern takes Python as long as hundreds of searches, and reading a list needs eight
hundred. What is kept is the program that Python's compiler made of it, for that Python alone.
"""

import re
import sys
from array import array
from base64 import b64decode, b64encode
from functools import cache
from importlib import import_module
from typing import Any

from buildcheck import store

#: Kept programs by their flags and pattern: flags, program, groups and their names.
_Programs = dict[str, list[Any]]
_FILE, _FOR = "patterns", sys.version
#: More than all patterns there are.
_MOST = 4096
_new: _Programs = {}
_kept = cache(lambda: {**(store.remembered(_FILE, _FOR) or {})})


@cache
def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    r"""A pattern that comes with the program, ready for use; of what a user wrote none is kept.

    >>> pattern(r"(?P<watts>\d+) ?W", re.IGNORECASE).search("at 280w")["watts"]
    '280'
    """
    key = f"{int(flags)} {text}"
    try:
        if key not in _kept():
            _new[key] = _kept()[key] = _program(text, flags)
        how, code, groups, names = _kept()[key]
        by_number = {number: name for name, number in names.items()}
        steps = array("I", b64decode(code)).tolist()
        given = how, steps, groups, names, tuple(map(by_number.get, range(groups + 1)))
        made: re.Pattern[str] = import_module("_sre").compile(text, *given)
    except (AttributeError, ImportError, RuntimeError, TypeError, ValueError):
        # Another Python may do it in another way.
        for programs in (_new, _kept()):
            programs.pop(key, None)
        return re.compile(text, flags)
    return made


def _program(text: str, flags: int) -> list[Any]:
    compiler, parser = import_module("re._compiler"), import_module("re._parser")
    parsed = parser.parse(text, flags)
    code = array("I", vars(compiler)["_code"](parsed, flags)).tobytes()
    state = parsed.state
    return [int(flags | state.flags), b64encode(code).decode(), state.groups - 1, state.groupdict]


def keep() -> None:
    """Keep for the next run what was compiled in this one."""
    if _new and len(_kept()) < _MOST:
        store.remember(_FILE, _FOR, {**(store.remembered(_FILE, _FOR) or {}), **_new})
        _new.clear()
