"""An explanation as text for people, and as plain data for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from buildcheck.render.terminal import plain, wrapped
from buildcheck.render.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.why.why import Conflict, Explanation

WHY = Words("why")
#: Version of the JSON.
FORMAT_VERSION = "1.0"
#: So much is named that was not tried.
_MOST_UNTRIED = 6


def why_text(found: Explanation) -> str:
    """The whole explanation, line by line."""
    return "".join(f"{plain(line)}\n" for line in _lines(found))


def _lines(found: Explanation) -> Iterator[str]:
    if not found.conflicts:
        yield from _no_conflict(found)
        return
    is_wish = found.what == "wish"
    yield WHY("cannot_be_wished" if is_wish else "cannot_be_planned", name=found.name)
    told: set[str] = set()
    for number, conflict in enumerate(found.conflicts, 1):
        yield ""
        yield from _conflict(conflict, found, number, told)
    if found.counted:
        yield ""
        yield from wrapped(WHY("counted", rule=found.counted))
    yield ""
    yield from _ways(found)


def _no_conflict(found: Explanation) -> Iterator[str]:
    if found.stopped:
        head = "cannot_be_planned" if found.unexplained else "stopped_first"
        yield WHY(head, name=found.name)
        yield from _stopped(found)
        return
    yield WHY("said", name=found.name, said=found.said)
    for rule in found.open:
        yield WHY("not_known", rule=rule)


def _stopped(found: Explanation) -> Iterator[str]:
    """That it was cut short, and what was not looked at."""
    if found.unexplained:
        yield WHY("unexplained", rules=", ".join(found.unexplained))
    if found.untried:
        shown = "; ".join(found.untried[:_MOST_UNTRIED])
        more = len(found.untried) - _MOST_UNTRIED
        yield WHY("untried", ways=shown, more=WHY("untried_more", more) if more > 0 else "")
    if not (found.unexplained or found.untried) and found.conflicts:
        yield WHY("stopped")


def searched(number: int) -> str:
    """How far it is with a wish: searches made."""
    return WHY("searched", number)


def judged(number: int) -> str:
    """How far it is with a build: builds judged."""
    return WHY("judged", number)


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
        head += "" if conflict.minimal else WHY("not_minimal")
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
        is_open = found.stopped or found.what == "build"
        yield WHY("ways_of_build" if is_open else "ways", len(found.ways), doubt=doubt)
        for number, way in enumerate(found.ways, 1):
            yield WHY("way", place=number, text=way.text)
        if found.warned:
            yield from wrapped(WHY("warned"))
    elif any(conflict.members for conflict in found.conflicts) and not found.stopped:
        yield WHY("no_way")
    if found.said and any(conflict.members for conflict in found.conflicts):
        yield from wrapped(found.said)
    if found.stopped:
        yield from _stopped(found)
    elif not found.is_whole:
        yield WHY("not_whole")
    if found.what == "build":
        yield from wrapped(WHY("ask_repair"))


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
            "minimal": conflict.minimal,
        }
        conflicts.append(plain)
    return {
        "format_version": FORMAT_VERSION,
        "name": found.name,
        "of": found.what,
        "possible": found.is_possible,
        "said": found.said,
        "conflicts": conflicts,
        "ways_out": ways,
        "complete": found.is_whole,
        "not_judged": list(found.open),
        "stopped": found.stopped,
        "not_explained": list(found.unexplained),
        "untried": list(found.untried),
        "counted_under": found.counted or None,
        "prices_with_warnings": found.warned,
    }
