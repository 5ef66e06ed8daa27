"""Answers held against the cases of a table: `says`, `never` and `is`, each as plain as YAML has it.

A case of `tests/tables/*.yaml` gives the words that the text has (`says`) and has not (`never`), and
what stands at some places of the answer (`is`): `rentals.0.name` is an attribute of the first
entry, `rentals.*.name` that of each, `gpus.RTX 3090.power` that of one by its name. A number has four digits and a range is `low..high`; instead
of a value there may be `above`, `below`, `has`, `lacks` and `count`.
"""

import math
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from buildcheck.logic.quantity import Interval

#: What an entry of a list is called by.
KEYS = ("name", "section", "reason", "technique", "kind", "id", "field")
BUILDS = Path(__file__).parent / "builds"
#: What may be said of a value that is not given.
TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "above": lambda found, wanted: found > wanted,
    "below": lambda found, wanted: found < wanted,
    "has": lambda found, wanted: all(one in found for one in wanted),
    "lacks": lambda found, wanted: not any(one in found for one in wanted),
    "count": lambda found, wanted: len(found) == wanted,
}


def plain(value: Any, digits: int = 4) -> Any:
    """A value as a table has it: so many digits, a range as `low..high`, money and days as text."""
    if hasattr(value, "low") and hasattr(value, "high"):
        low, high = (plain(end, digits) for end in (value.low, value.high))
        ends = ("" if end is None else f"{end}".removesuffix(".0") for end in (low, high))
        return low if low == high else "..".join(ends)
    if isinstance(value, dict):
        return {str(k): plain(v, digits) for k, v in value.items()}
    if isinstance(value, (set, frozenset, list, tuple)):
        found = [plain(one, digits) for one in value]
        return sorted(found, key=str) if isinstance(value, (set, frozenset)) else found
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        return float(f"{value:.{digits}g}") if math.isfinite(value) else str(value)
    return value if value is None or isinstance(value, (bool, str)) else str(value)


def span(value: Any) -> Any:
    """A number or range of a table as an interval; what is neither stays."""
    if value is None or isinstance(value, bool):
        return value
    low, _, high = str(value).partition("..")
    return Interval(float(low), float(high or low))


def at(answer: Any, path: str) -> Any:
    """What stands at a place of an answer; None where there is no such key or entry."""
    for number, step in enumerate(steps := path.split(".")):
        if step == "*":
            rest = ".".join(steps[number + 1 :])
            return [at(one, rest) if rest else one for one in answer]
        if isinstance(answer, dict):
            answer = answer.get(step)
        elif step in getattr(answer, "_fields", ()):
            answer = getattr(answer, step)
        elif isinstance(answer, (list, tuple)) and step.isdigit():
            answer = answer[int(step)] if int(step) < len(answer) else None
        elif isinstance(answer, (list, tuple)):
            answer = next((one for one in answer if step in map(partial(_key, one), KEYS)), None)
        else:
            answer = None if answer is None else getattr(answer, step)
    return answer


def _key(one: Any, key: str) -> Any:
    return one.get(key) if isinstance(one, dict) else getattr(one, key, None)


def part_file(folder: Path, part_id: str, facts: dict[str, str], head: str = "") -> Path:
    """A part file with facts as text; what stands above them is its name if nothing else."""
    lines = "".join(f"  {n}: {{value: {v}, source: s}}\n" for n, v in facts.items())
    source = '{title: "a page", url: "https://example.org", confidence: vendor, read: 2026-11-20}'
    named = head or f"name: {part_id.rpartition('/')[2]}"
    text = f"id: {part_id}\n{named}\nfacts:{' {}' * (not facts)}\n{lines}"
    return put(folder, part_id, f"{text}sources:\n  s: {source}\n")


def put(folder: Path, name: str, text: str) -> Path:
    """A YAML file below a folder."""
    path = folder / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def swapped(case: dict[str, Any], bases: dict[str, str]) -> str:
    """The text of a case: its base with `swap` made and `add` below.

    The first base if it names none; a build of `tests/builds` by the name of its folder.
    """
    name = case.get("base") or next(iter(bases))
    text = bases.get(name) or (BUILDS / name / "build.yaml").read_text(encoding="utf-8")
    for old, new in case.get("swap", {}).items():
        assert old in text, old
        text = text.replace(old, new)
    return text + case.get("add", "")


def holds(answer: Any, case: dict[str, Any], text: str = "") -> None:
    """Fails where the answer, or its text, is not what the case says."""
    said = " ".join(text.split())
    for words in case.get("says", ()):
        assert words in said, (words, said)
    for words in case.get("never", ()):
        assert words not in said, (words, said)
    for path, wanted in case.get("is", {}).items():
        found = plain(at(answer, path))
        if isinstance(wanted, dict) and wanted and wanted.keys() <= TESTS.keys():
            for test, value in wanted.items():
                assert TESTS[test](found, value), (path, found, test, value)
        else:
            assert found == plain(wanted), path
