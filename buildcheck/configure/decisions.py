"""Something of a build decided otherwise: changes of its file, their words and their price.

And what limits, counts and outlets there are to decide for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.edit import Change
from buildcheck.model.build import OF_ONE_PART, SECTION_KIND, SECTIONS
from buildcheck.model.kinds import KINDS
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.configure.common import Phrase
    from buildcheck.measure import Facts
    from buildcheck.model.graph import Subject


class Bought(NamedTuple):
    """A part that is bought; what is in no catalogue has a code as `item`, such as `fan`."""

    part: str | None = None
    name: str = ""
    item: str = ""


@dataclass(frozen=True)
class Decision:
    """A part, count, setting, accessory or site decided otherwise.

    `said` are phrases for it. It `needs` what is bought besides the parts that the file lists.
    """

    changes: tuple[Change, ...]
    said: tuple[Phrase, ...]
    needs: tuple[Bought, ...] = ()


def joined(*some: Decision) -> Decision:
    """Several decisions as one, in order."""
    return Decision(
        tuple(change for one in some for change in one.changes),
        tuple(phrase for one in some for phrase in one.said),
        tuple(part for one in some for part in one.needs),
    )


def counted(data: dict[str, Any], section: str, number: int, count: int) -> list[Change]:
    """The changes to another count of an entry, with no more slots than parts; without it at 0."""
    if not count:
        return [Change((section, number), None)]
    slots = data[section][number].get("slots")
    is_long = isinstance(slots, list) and len(slots) > count
    pins = [Change((section, number, "slots"), slots[:count])] if is_long else []
    return [Change((section, number, "count"), count), *pins]


def settings_of(section: str) -> set[str]:
    """Keys of an entry that say how a part is used; they are no facts of it, nor of one piece."""
    facts = KINDS[SECTION_KIND[section]].model_fields
    return {*SECTIONS[section].model_fields} - {*facts} - OF_ONE_PART


# Power limits


class LimitedEntry(NamedTuple):
    """An entry of GPUs by its number in the file: their default limit and the lowest, in W.

    `lowest` is what every GPU of the entry takes; None if that is not known.
    """

    number: int
    gpus: tuple[Subject, ...]
    default: float
    lowest: float | None

    @property
    def least(self) -> float:
        """The lowest limit that is considered."""
        return self.default * proposals().least_limit if self.lowest is None else self.lowest

    def at(self, share: float) -> int:
        """A share of the default down to a whole step, but not below what the GPUs take."""
        step = proposals().limit_step
        down = math.floor(self.default * share / step + 1e-9) * step
        return round(down if down >= self.least else math.ceil(self.least / step) * step)


def limited_entries(facts: Facts) -> tuple[list[LimitedEntry], list[str]]:
    """The entries of GPUs whose default limit is known, and the names of the others."""
    found: dict[int, list[Subject]] = {}
    for gpu in facts.graph.of("gpu"):
        number = gpu.path[1]
        found.setdefault(number if isinstance(number, int) else 0, []).append(gpu)
    entries, unknown = [], []
    for number, gpus in found.items():
        default = facts("gpu.board_power", gpus[0])
        least = facts("gpu.power_limit_min", gpus[0])
        if least is None or not least.is_known:
            least = facts("gpu.likely_lowest_limit", gpus[0])
        if default is None or not default.is_known:
            unknown.append(gpus[0].name)
            continue
        lowest = least.high if least is not None and least.is_known else None
        entries.append(LimitedEntry(number, tuple(gpus), default.low, lowest))
    return entries, unknown


def common_limits(
    entries: list[LimitedEntry], lowest: float | None = None, tops: Mapping[int, int] = {}
) -> Iterator[tuple[float, dict[int, int]]]:
    """Shares of the default down to the lowest, with limits in whole steps, at most `tops`.

    Unless it is given, `lowest` is the share that all entries can go down to.
    """
    lowest = lowest or max(e.least / e.default for e in entries)
    step = proposals().limit_step
    apart = step / entries[0].default if len(entries) == 1 else proposals().common_limit_step
    last: dict[int, int] = {}
    for number in range(1, math.floor((1 - lowest) / apart + 1e-9) + 1):
        share = 1 - number * apart
        watts = {e.number: min(e.at(share), tops.get(e.number, 10**6)) for e in entries}
        if watts != last:
            yield share, watts
        last = watts


def limit_changes(data: dict[str, Any], watts: Mapping[int, int | None]) -> Iterator[Change]:
    """The changes that set the limits of entries, or take away what limit there is."""
    for number, limit in watts.items():
        entry = data["gpus"][number]
        if limit is None:
            keys = (key for key in ("power_limit", "limit_at_boot") if key in entry)
            yield from (Change(("gpus", number, key), None) for key in keys)
            continue
        yield Change(("gpus", number, "power_limit"), f"{limit} W")
        if entry.get("limit_at_boot") is not True:
            yield Change(("gpus", number, "limit_at_boot"), True)


# Outlets

#: Where the machine is plugged in, among the keys of the site.
OUTLET = ("outlet", "country", "voltage", "breaker")


class Outlet(NamedTuple):
    """An outlet: its voltage in V, breaker in A, name, id, and sustained power in W."""

    volts: float
    amps: float
    name: str
    part: str
    watts: float


def outlets_of(catalog: Catalog) -> list[Outlet]:
    """Every outlet whose voltage and breaker are known, the smallest first."""
    found = []
    for part_id in catalog.ids("outlet"):
        part = catalog.part(part_id)
        volts, amps = (part.facts.get(name) for name in ("voltage", "breaker"))
        if volts and amps:
            sustained = strength(
                lambda name, part=part: getattr(part.facts.get(name), "value", None)
            )
            found.append(Outlet(volts.value.high, amps.value.high, part.name, part_id, sustained))
    return sorted(found, key=lambda one: (one.volts * one.amps, one.name))


def strength(value: Any) -> float:
    """Sustained power of a circuit, in W, from its own figure or its breaker; 0 if not known."""
    volts, amps = value("voltage"), value("continuous_current") or value("breaker")
    return 0.0 if volts is None or amps is None else float(volts.low * amps.low)
