"""Makes tests quick; imported before all else of the program, which takes `check` by its name.

A build that many tests look at is judged once in a process, as nothing changes a report; and tables
of tests are read by the C library, where there is one.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import yaml

import buildcheck.check

if TYPE_CHECKING:
    from buildcheck.model.finding import Report

#: More reports than this are not kept; the oldest go first.
MOST = 200
judge = buildcheck.check.check
_known: dict[tuple[object, ...], Report] = {}


def check(raw, path, catalog, rulebook, today, quotes=()) -> Report:
    """The report of a build file, kept unless it depends on other files."""
    if quotes or b"quotes" in raw:
        return judge(raw, path, catalog, rulebook, today, quotes)
    rules = (rulebook.digest, len(rulebook.rules), *(r.id for r in rulebook.rules[:1]))
    key = (raw, path, catalog.digest, rules, today)
    if key not in _known:
        if len(_known) >= MOST:
            del _known[next(iter(_known))]
        _known[key] = judge(raw, path, catalog, rulebook, today)
    return _known[key]


buildcheck.check.check = check
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
yaml.safe_load = partial(yaml.load, Loader=_LOADER)
