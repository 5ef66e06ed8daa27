"""The choices of a build file: its parts, counts, limits, site and words, one by one.

Each has its phrase, and the changes by which it is open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from buildcheck.configure.common import Phrase, phrase
from buildcheck.configure.decisions import OUTLET, counted, limited_entries, settings_of
from buildcheck.configure.search.classes import ROLES
from buildcheck.edit import Change
from buildcheck.model.answer import figure
from buildcheck.model.build import LISTS, SECTION_KIND
from buildcheck.model.finding import Report
from buildcheck.model.source import Path
from buildcheck.rulebook.proposals import proposals
from buildcheck.units import POWER

#: Sections that say something of the machine as a whole.
_WHOLE = ("workload", "firmware", "network", "cooling", "memory")
#: In each section what it is comes first, then how many; after all of these come the settings.
_WHAT, _COUNT, _SITE, _SETTING, _LIMIT = range(5)


@dataclass(frozen=True, eq=False)
class Chosen:
    """One choice: its place, value and phrase, and its `rank`, the firmest first.

    `opened` are ways to write the build that together cover all it could be. A part of a `role` of
    the machine has none: any other may be in its place.
    """

    path: Path
    value: Any
    what: Phrase
    rank: int
    opened: tuple[tuple[Change, ...], ...] = ()
    role: str | None = None

    @property
    def section(self) -> str:
        """The section of the build file it is in."""
        return str(self.path[0])

    def matters(self, reads: set[str]) -> bool:
        """Can it matter to rules that read these fields?"""
        if self.section not in _WHOLE:
            return True
        if self.section == "memory":
            return any(name.startswith(("memory.", "module.")) for name in reads)
        if self.path[1:] == ("kind",):
            # Many facts about the work come from its kind.
            return any(name.startswith("workload.") for name in reads)
        return ".".join(map(str, self.path)) in reads


def choices(data: dict[str, Any], report: Report) -> list[Chosen]:
    """Every choice of a build file whose short forms are spelt out, the firmest first."""
    found = [*_limits(data, report)]
    for section, given in data.items():
        if section in SECTION_KIND:
            found += _of_parts(data, section)
        elif section in ("name", "quotes", "waivers"):
            continue
        elif isinstance(given, dict):
            words = given
            if section == "site":
                wall = {key: given[key] for key in OUTLET if key in given}
                words = {key: value for key, value in given.items() if key not in wall}
                gone = tuple(Change(("site", key), None) for key in wall)
                what = phrase("wall", wall=wall)
                found += [Chosen(("site",), wall, what, _SITE, (gone,))] if wall else []
            found += [_word((section, key), value) for key, value in words.items()]
        elif section != "site":
            found.append(_word((section,), given))
    order = {section: number for number, section in enumerate(proposals().firm_sections)}
    return sorted(found, key=lambda c: (c.rank > _COUNT, order.get(c.section, 99), c.rank))


def _of_parts(data: dict[str, Any], section: str) -> Iterator[Chosen]:
    several, own = section in LISTS, settings_of(section)
    items = data[section] if isinstance(data[section], list) else [data[section]]
    for index, item in enumerate(items):
        path: Path = (section, index) if several else (section,)
        part, count = item.get("part"), item.get("count", 1)
        about = {"section": section, "part": part}
        role = section if section in ROLES and len(items) == 1 else None
        value, what = part, phrase("part", **about)
        if len(items) > 1:
            value, what = item, phrase("entry", count=count, **about)
        yield Chosen(path, value, what, _WHAT, () if role else ((Change(path, None),),), role)
        if several and count > 1:
            what = phrase("count", section=section, count=count)
            one = tuple(counted(data, section, index, 1))
            many = (Change((*path, "count"), proposals().many_parts),)
            opened = (one,) if section == "gpus" else (one, many, ())
            yield Chosen((*path, "count"), count, what, _COUNT, opened)
        for key, value in item.items():
            if key in own and key not in ("count", "power_limit"):
                at, what = (*path, key), phrase("setting", key=key, value=value, **about)
                yield Chosen(at, value, what, _SETTING, _otherwise(at, value))


def _limits(data: dict[str, Any], report: Report) -> Iterator[Chosen]:
    """The power limit of each entry of GPUs, which is their default if it is not given."""
    for entry in limited_entries(report.facts)[0]:
        at: Path = ("gpus", entry.number, "power_limit")
        given = data["gpus"][entry.number].get("power_limit")
        power = report.facts("gpu.board_power", entry.gpus[0])
        what = phrase("limit", watts=given, default=figure(power, POWER))
        any_ = Change(at, f"{entry.least:.0f}..{power.high:.0f} W")
        yield Chosen(at, given, what, _LIMIT, ((any_,),))


def _word(path: Path, value: Any) -> Chosen:
    section, key = (*path, "")[:2]
    rank = _SETTING if section == "site" else _WHAT
    what = phrase("word", section=section, key=key, value=value)
    return Chosen(path, value, what, rank, _otherwise(path, value))


def _otherwise(path: Path, value: Any) -> tuple[tuple[Change, ...], ...]:
    """Ways to write what a word or a setting could be instead."""
    easier = proposals().easier_work.get(str(path[-1])) if path[0] == "workload" else None
    if easier:
        others = [v for v in easier if v != value]
        return (*((Change(path, v),) for v in others), ())
    if isinstance(value, bool):
        return ((Change(path, not value),), ())
    return ((Change(path, None),),)
