"""An explanation as text for people, and as plain data for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from buildcheck.render.terminal import plain
from buildcheck.render.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.why.why import Conflict, Explanation

WHY = Words("why")
#: Version of the JSON.
FORMAT_VERSION = "1.0"


def why_text(found: Explanation) -> str:
    """The whole explanation, line by line."""
    return "".join(f"{plain(line)}\n" for line in _lines(found))


def _lines(found: Explanation) -> Iterator[str]:
    if not found.conflicts:
        yield WHY("said", name=found.name, said=found.said)
        for rule in found.open:
            yield WHY("not_known", rule=rule)
        return
    is_wish = found.what == "wish"
    yield WHY("cannot_be_wished" if is_wish else "cannot_be_planned", name=found.name)
    told: set[str] = set()
    for number, conflict in enumerate(found.conflicts, 1):
        yield ""
        yield from _conflict(conflict, found, number, told)
    yield ""
    yield from _ways(found)


def _conflict(conflict: Conflict, found: Explanation, number: int, told: set[str]) -> Iterator[str]:
    size = len(conflict.members)
    head = found.said
    if size:
        many = WHY.table("numbers").get(str(size), str(size))
        rest = WHY("rest_kept" if conflict.kept else "rest_open")
        if found.what == "wish":
            key = "wishes" if conflict.certain else "wishes_unknown"
        else:
            key = "choices" if conflict.certain else "choices_unknown"
        head = WHY(key, size, many=many, rest=rest)
    several = len(found.conflicts) > 1
    yield WHY("numbered", place=number, head=head) if several else WHY("alone", head=head)
    for member in conflict.members:
        yield WHY("member", text=member.text, path=member.path)
    for rule in conflict.rules:
        yield WHY("rule", id=rule.id, text=rule.text)
    for fate in conflict.fates:
        if fate.text not in told:
            told.add(fate.text)
            yield WHY("fate", text=fate.text)


def _ways(found: Explanation) -> Iterator[str]:
    if found.ways:
        doubt = WHY("not_judged", len(found.open)) if found.open else ""
        yield WHY("ways", len(found.ways), doubt=doubt)
        for number, way in enumerate(found.ways, 1):
            yield WHY("way", place=number, text=way.text)
    elif any(conflict.members for conflict in found.conflicts):
        yield WHY("no_way")
    if found.said and any(conflict.members for conflict in found.conflicts):
        yield found.said
    if not found.is_whole:
        yield WHY("not_whole")


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
