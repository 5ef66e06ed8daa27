"""An explanation as text for people, and as plain data for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from buildcheck.configure.why import FORMAT_VERSION
from buildcheck.streams import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.why import Conflict, Explanation

_PLURALS = {"wish": "wishes", "choice": "choices"}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def why_text(found: Explanation) -> str:
    """The whole explanation, line by line."""
    return "".join(f"{printable(line)}\n" for line in _lines(found))


def _lines(found: Explanation) -> Iterator[str]:
    if not found.conflicts:
        yield f"{found.name}: {found.said}"
        for rule in found.open:
            yield f"  not known: {rule}"
        return
    done = "wished for" if found.what == "wish" else "planned"
    yield f"{found.name}: this cannot be as it is {done}."
    told: set[str] = set()
    for number, conflict in enumerate(found.conflicts, 1):
        yield ""
        yield from _conflict(conflict, found, number, told)
    yield ""
    yield from _ways(found)


def _conflict(conflict: Conflict, found: Explanation, number: int, told: set[str]) -> Iterator[str]:
    size = len(conflict.members)
    thing = "wish" if found.what == "wish" else "choice"
    head = f"{number}. " if len(found.conflicts) > 1 else ""
    rest = "with the rest as it is" if conflict.kept else "whatever the rest is"
    many = _NUMBERS[size] if size < len(_NUMBERS) else str(size)
    things = f"This {thing}" if size == 1 else f"These {many} {_PLURALS[thing]}"
    if size and not conflict.certain:
        yield f"{head}Nothing is known to pass with {things[0].lower()}{things[1:]}, {rest}:"
    elif size:
        together = "" if size == 1 else " together"
        yield f"{head}{things} cannot stand{together}, {rest}:"
    else:
        yield f"{head}{found.said}:"
    for member in conflict.members:
        yield f"     - {member.text}  ({member.path})"
    for rule in conflict.rules:
        yield f"   {rule.id}: {rule.text}"
    for fate in conflict.fates:
        if fate.text not in told:
            told.add(fate.text)
            yield f"   * {fate.text}"


def _ways(found: Explanation) -> Iterator[str]:
    if found.ways:
        what = "Each of these alone is enough" if len(found.ways) > 1 else "The way out"
        open_ = f"{len(found.open)} rule{'' if len(found.open) == 1 else 's'}"
        doubt = f"; {open_} cannot be judged before or after" if found.open else ""
        yield f"{what} (verified, the rest kept as it is{doubt}):"
        for number, way in enumerate(found.ways, 1):
            yield f"  {number}. {way.text}"
    elif any(conflict.members for conflict in found.conflicts):
        yield "No way out was found that changes up to three of these and leaves the rest."
    if found.said and any(conflict.members for conflict in found.conflicts):
        yield found.said
    if not found.is_whole:
        yield "There may be more: not every combination was looked at."


def why_data(found: Explanation) -> dict[str, Any]:
    """The same as plain data."""
    ways = [asdict(way) | {"number": n} for n, way in enumerate(found.ways, 1)]
    conflicts = []
    for conflict in found.conflicts:
        plain = {
            "members": [m._asdict() for m in conflict.members],
            "rules": [r._asdict() for r in conflict.rules],
            "same_fate": [f._asdict() for f in conflict.fates],
            "ways_out": [ways[n] for n in conflict.ways_out],
            "certain": conflict.certain,
            "rest_kept": conflict.kept,
        }
        conflicts.append(plain)
    return {
        "format_version": FORMAT_VERSION,
        "name": found.name,
        "of": found.what,
        "possible": not found.conflicts,
        "said": found.said,
        "conflicts": conflicts,
        "ways_out": ways,
        "complete": found.is_whole,
        "not_judged": list(found.open),
    }
