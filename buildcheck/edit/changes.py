"""Changes of a build file as plain data, and how they are named and shown."""

import copy
import datetime
import difflib
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from buildcheck.errors import Problem
from buildcheck.judge import spread
from buildcheck.load.belonging import TEXTS
from buildcheck.load.sentences import is_slip
from buildcheck.load.shapes import of_section
from buildcheck.load.spelt import spelt_out
from buildcheck.model.build import LISTS, SINGLES, Waiver
from buildcheck.model.finding import Finding
from buildcheck.model.graph import by_key
from buildcheck.model.labels import plain, spans
from buildcheck.model.source import Path

#: Halves of characters, which no UTF-8 text holds.
_HALVES = re.compile("[\ud800-\udfff]")
#: How alike a key is to the one that is meant where more than one letter differs.
_SLIP = 0.9
#: Sections whose entries may be names alone.
_SHORT = {*LISTS, *SINGLES, "quotes"} - {"waivers"}


class Change(NamedTuple):
    """One edit of a build file: what stands at `path` becomes `value`; None takes it away.

    A number after the last entry of a list appends; one entry where a list is meant is
    entry 0. Paths of later changes hold after the earlier ones.
    """

    path: Path
    value: Any


def accepted(
    findings: Sequence[Finding], waivers: list[Waiver], day: datetime.date, words: dict[str, str]
) -> list[Change]:
    """Waivers of findings, one for each rule and kind of subject, behind those of the build file.

    Of its `waivers` those that expired before a day go if they were for one of the findings.
    `words` are what all new ones say: because, until, and by.
    """
    covered = {(finding.rule.id, finding.subject) for finding in findings}
    expired = [
        number
        for number, waiver in enumerate(waivers)
        if waiver.until < day and any((waiver.rule, s) in covered for s in spread(waiver.subject))
    ]
    subjects = by_key((finding.rule.id, finding.subject) for finding in findings)
    new = [(rule, subject) for rule, found in subjects.items() for subject in spans(found)]
    changes = [Change(("waivers", number), None) for number in reversed(expired)]
    return changes + [
        Change(("waivers", number), {"rule": rule, "subject": subject, **words})
        for number, (rule, subject) in enumerate(new, len(waivers) - len(expired))
    ]


def respelt(raw: bytes, problems: Sequence[Problem]) -> bytes:
    """A file with the keys that are meant where these problems are slips of a letter."""
    lines = raw.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    for p in sorted(problems, reverse=True):
        text, end = "".join(lines[p.line - 1 : p.line]), p.column - 1 + p.width
        key, meant = text[p.column - 1 : end], "".join(p.near[:1])
        likeness = difflib.SequenceMatcher(None, key, meant).ratio()
        is_meant = is_slip(key.lower(), meant) or likeness > _SLIP
        if p.line and meant and text.rstrip() == p.source and text[end:].startswith(":") * is_meant:
            lines[p.line - 1] = text[: p.column - 1] + meant + text[end:]
    return "".join(lines).encode("utf-8", "surrogateescape")


def difference(old: bytes, new: bytes, path: str) -> str:
    """What changes between two versions of a file, as a unified diff fit for a terminal."""
    sides: list[list[str]] = []
    for raw in (old, new):
        *lines, last = raw.decode("utf-8-sig", "replace").split("\n")
        tail = [f"{_shown(last)}\n\\ No newline at end of file\n"] if last else []
        sides.append([f"{_shown(line)}\n" for line in lines] + tail)
    name = plain(path)
    return "".join(difflib.unified_diff(sides[0], sides[1], name, name))


def _shown(line: str) -> str:
    return "\t".join(map(plain, line.removesuffix("\r").split("\t")))


def named(path: Path) -> str:
    """A path as people write it.

    >>> named(("gpus", 0, "power_limit"))
    'gpus[0].power_limit'
    """
    steps = (f"[{s}]" if isinstance(s, int) else f".{s}" for s in path)
    return "".join(steps).removeprefix(".")


def changed(data: Any, changes: Sequence[Change]) -> Any:
    """Plain data after changes. Raises `ValueError` for one that cannot be made."""
    result = copy.deepcopy(data)
    for change in changes:
        if not change.path or isinstance(change.path[0], int):
            raise ValueError("it names no place")
        value = None if change.value is None else _plain(change.value)
        result = _changed(result, change.path, value, ())
        if result is None:
            raise ValueError("nothing would be left of the file")
    return result


def _changed(data: Any, path: Path, value: Any, at: Path) -> Any:
    """What stands at `at` after a change in it; None if nothing is left."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int) and not isinstance(data, list):
        if step == 0:
            return _changed(data, rest, value, at)
        data = [data]
    elif isinstance(step, str) and not isinstance(data, (dict, list)):
        data = _spelt(at, data)
    if _has(data, step):
        inner = _changed(data[step], rest, value, (*at, step))
    elif value is None:
        raise ValueError("there is nothing to take away")
    else:
        inner = _wrapped(rest, value)
    if inner is None:
        del data[step]
    elif isinstance(data, list) and step == len(data):
        data.append(inner)
    else:
        data[step] = inner
    return data or None


def _has(data: Any, step: str | int) -> bool:
    """Whether there is something at a step. Raises `ValueError` if nothing can be."""
    if isinstance(data, dict):
        return step in data
    if isinstance(step, str):
        raise ValueError(f"there is a list where '{step}' should be a key")
    if not 0 <= step <= len(data):
        raise ValueError(f"there are {len(data)} entries, so none can have number {step}")
    return step < len(data)


def _wrapped(path: Path, value: Any) -> Any:
    """A value inside the lists and mappings that a path to it needs."""
    for step in reversed(path):
        if isinstance(step, int) and step:
            raise ValueError(f"there is no entry before number {step}")
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _spelt(at: Path, item: Any) -> dict[str, Any]:
    """A short form as its full mapping. Raises `ValueError` if it is none."""
    names = of_section([step for step in at if isinstance(step, str)])
    entry: Any = None
    if names == ["workload"]:
        entry = spelt_out({"workload": item})["workload"]
    elif len(names) == 1 and names[0] in TEXTS:
        entry = {TEXTS[names[0]]: item}
    elif len(names) == 1 and names[0] in _SHORT:
        found = spelt_out({names[0]: item}).get(names[0])
        entry = found[0] if isinstance(found, list) and found else found
    elif names == ["quotes", "lines"]:
        entry = spelt_out({"quotes": {"lines": item}})["quotes"][0]["lines"][0]
    if not isinstance(entry, dict):
        raise ValueError("there is a value where keys should be")
    return dict(sorted(entry.items(), key=lambda pair: pair[0] == "count"))


def _plain(value: Any) -> Any:
    """A value as the reader gives it. Raises `ValueError` for what a file cannot hold."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        # More decimals are not read.
        return round(value, 9)
    if isinstance(value, (str, bool, int)) and not _HALVES.search(str(value)):
        return value
    raise ValueError(f"a build file cannot hold {value!r}")
