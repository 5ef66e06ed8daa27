"""The choices of a build file: its parts, counts, limits, site and words, one by one.

Each has its phrase, and the changes by which it is open or otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from buildcheck.configure.common import Phrase, phrase
from buildcheck.configure.decisions import counted, settings_of
from buildcheck.configure.search.classes import ROLES
from buildcheck.edit import Change
from buildcheck.model.answer import figure
from buildcheck.model.build import LISTS, SECTION_KIND
from buildcheck.rulebook.proposals import proposals
from buildcheck.units import POWER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.model.finding import Report
    from buildcheck.model.source import Path

#: Kinds of choice: a part, how many, the power limit, the wall, a word, a setting, an entry.
PART, COUNT, LIMIT, SITE = "part", "count", "limit", "site"
WORD, SETTING, ENTRY = "word", "setting", "entry"
#: Where the machine is plugged in.
OUTLET = ("outlet", "country", "voltage", "breaker")
#: More of a part than most machines have, where more may be what is needed.
MANY = 16
#: Sections that say something of the machine as a whole.
_WHOLE = ("workload", "firmware", "network", "cooling", "memory")
#: Sections from the firmest choice to the softest.
_FIRM = (
    *("workload", "gpus", "network", "motherboard", "cpu", "memory", "case", "cpu_cooler"),
    *("psus", "storage", "add_in_cards", "risers", "cables", "nvlink", "ups", "psu_sync"),
    *("cooling", "firmware", "site"),
)
_RANKS = {PART: 0, WORD: 0, ENTRY: 0, COUNT: 1, SITE: 2, SETTING: 3, LIMIT: 4}
#: Other words a workload may have that ask no more of a machine.
_EASIER: dict[str, tuple[Any, ...]] = {
    "kind": ("inference", "mining"),
    "parallel": ("none",),
    "preprocessing": ("ahead",),
}


@dataclass(frozen=True, eq=False)
class Chosen:
    """One choice: its kind, place and value, and its phrase."""

    kind: str
    path: Path
    value: Any
    what: Phrase
    low: float = 0.0
    high: float = 0.0

    @property
    def section(self) -> str:
        """The section of the build file it is in."""
        return str(self.path[0])

    @property
    def role(self) -> str | None:
        """The role of the machine whose part it chooses; None for another choice."""
        return self.section if self.kind == PART and self.section in ROLES else None


def choices(data: dict[str, Any], report: Report) -> list[Chosen]:
    """Every choice of a build file whose short forms are spelt out, the firmest first."""
    found: list[Chosen] = []
    for section, given in data.items():
        if section in SECTION_KIND:
            found += _of_parts(section, given, report)
        elif section in ("name", "quotes", "waivers"):
            continue
        elif section == "site":
            found += _of_site(given)
        elif isinstance(given, dict):
            found += [
                Chosen(WORD, (section, key), value, _word(section, key, value))
                for key, value in given.items()
            ]
        else:
            found.append(Chosen(WORD, (section,), given, _word(section, "", given)))
    order = {section: number for number, section in enumerate(_FIRM)}
    found.sort(key=lambda c: (_RANKS[c.kind] > 1, order.get(c.section, 99), _RANKS[c.kind]))
    return found


def matters(choice: Chosen, reads: set[str]) -> bool:
    """Can a choice matter to rules that read these fields? Roles and settings are not looked at."""
    if choice.kind not in (WORD, COUNT) or choice.section not in _WHOLE:
        return True
    if choice.section == "memory":
        return any(name.startswith(("memory.", "module.")) for name in reads)
    if choice.path[1:] == ("kind",):
        # Many facts about the work come from its kind.
        return any(name.startswith("workload.") for name in reads)
    return ".".join(map(str, choice.path)) in reads


def _of_parts(section: str, value: Any, report: Report) -> Iterator[Chosen]:
    items = value if isinstance(value, list) else [value]
    several = section in LISTS
    own = settings_of(section)
    for index, item in enumerate(items):
        path: Path = (section, index) if several else (section,)
        count = item.get("count", 1)
        part = item.get("part")
        if len(items) > 1:
            what = phrase("entry", section=section, part=part, count=count)
            yield Chosen(ENTRY, path, item, what)
        else:
            role = PART if section in ROLES else ENTRY
            yield Chosen(role, path, part, phrase("part", section=section, part=part))
        if several and count > 1:
            what = phrase("count", section=section, count=count)
            yield Chosen(COUNT, (*path, "count"), count, what)
        for key, given in item.items():
            if key in own and key not in ("count", "power_limit"):
                what = phrase("setting", section=section, part=part, key=key, value=given)
                yield Chosen(SETTING, (*path, key), given, what)
        if section == "gpus":
            yield from _limit(path, item, report)


def _limit(path: Path, item: dict[str, Any], report: Report) -> Iterator[Chosen]:
    """The power limit of an entry of cards, which is their default if it is not given."""
    card = next((s for s in report.graph.of("gpu") if s.path == path), None)
    power = card.value("board_power") if card else None
    if card is None or power is None:
        return
    least = card.value("power_limit_min")
    low = least.low if least else power.low * proposals().least_limit
    given = item.get("power_limit")
    what = phrase("limit", watts=given, default=figure(power, POWER))
    yield Chosen(LIMIT, (*path, "power_limit"), given, what, low, power.high)


def _of_site(site: Any) -> Iterator[Chosen]:
    if not isinstance(site, dict):
        return
    wall = {key: site[key] for key in OUTLET if key in site}
    if wall:
        yield Chosen(SITE, ("site",), wall, phrase("wall", wall=wall))
    for key, value in site.items():
        if key not in OUTLET:
            yield Chosen(SETTING, ("site", key), value, _word("site", key, value))


def _word(section: str, key: str, value: Any) -> Phrase:
    return phrase("word", section=section, key=key, value=value)


def opened(choice: Chosen, data: dict[str, Any]) -> list[list[Change]]:
    """Ways to write a build that together cover all that a choice could be."""
    if choice.kind == LIMIT:
        return [[Change(choice.path, f"{choice.low:.0f}..{choice.high:.0f} W")]]
    if choice.kind == COUNT:
        found = [counted(data, choice.section, int(choice.path[1]), 1)]
        return found if choice.section == "gpus" else [*found, [Change(choice.path, MANY)], []]
    if choice.kind == SITE:
        return [[Change(("site", key), None) for key in choice.value]]
    if choice.section == "workload" and choice.path[-1] in _EASIER:
        others = [v for v in _EASIER[str(choice.path[-1])] if v != choice.value]
        return [*([Change(choice.path, v)] for v in others), []]
    if isinstance(choice.value, bool):
        return [[Change(choice.path, not choice.value)], []]
    return [[Change(choice.path, None)]]


def relaxed(choice: Chosen, data: dict[str, Any]) -> list[Change]:
    """A build in which a choice asks for as little as it can."""
    if choice.kind == LIMIT:
        return [Change(choice.path, f"{choice.low:.0f} W")]
    return opened(choice, data)[0]
