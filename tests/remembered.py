"""Makes tests quick; imported before all else of the program, which takes `check` by its name.

A build that many tests look at is judged once in a process, as nothing changes a report; tables
of tests are read by the C library, where there is one; and garbage is looked for as seldom as in
the program itself.
"""

import gc
from functools import partial

import yaml

import buildcheck.pipeline
from buildcheck.model.finding import Report

gc.set_threshold(300_000)
#: More reports than this are not kept; what was asked for last stays longest.
MOST = 500
judge = buildcheck.pipeline.check
_known: dict[tuple[object, ...], Report] = {}


def check(raw, path, catalog, rulebook, today, quotes=()) -> Report:
    """The report of a build file, kept unless it depends on other files that may change."""
    if quotes or (b"quotes" in raw and "tests/orders/" not in str(path)):
        return judge(raw, path, catalog, rulebook, today, quotes)
    rules = (rulebook.digest, *(r.id for r in rulebook.rules))
    key = (raw, path, catalog.digest, rules, today)
    found = _known.pop(key, None) or judge(raw, path, catalog, rulebook, today)
    _known[key] = found
    if len(_known) > MOST:
        del _known[next(iter(_known))]
    return found


buildcheck.pipeline.check = check
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
yaml.safe_load = partial(yaml.load, Loader=_LOADER)
