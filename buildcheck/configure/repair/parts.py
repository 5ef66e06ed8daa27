"""Replacing a part: whether another part can replace it, and what changes in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.edit import Change
from buildcheck.logic.quantity import exact
from buildcheck.model.build import SINGLES
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.configure.repair.trial import Outcome
    from buildcheck.configure.search.classes import PartClass
    from buildcheck.configure.search.space import Unit
    from buildcheck.logic.quantity import Interval
    from buildcheck.model.graph import Subject

#: What has to be known of a part before it is proposed: none is ordered because data are missing.
DESCRIBED = {
    "gpus": ("board_power", "plugs", "thickness", "length", "cooling"),
    "psus": ("rated_power", "plugs", "standard", "efficiency"),
    "case": ("expansion_slots", "card_length_max", "board_form_factors"),
    "motherboard": ("socket", "form_factor", "slots", "memory_generation"),
    "memory": ("module", "module_kind"),
    "cpu_cooler": ("sockets", "kind"),
    "cpu": ("socket", "cores", "base_power", "pcie_lanes"),
    "storage": ("capacity", "interface", "form"),
}


def is_described(role: str, sort: PartClass) -> bool:
    """Is known of a part what matters most?"""
    return all(sort.value(name) is not None for name in DESCRIBED[role])


def is_as_good(sort: PartClass, now: Subject) -> bool:
    """Has another card as much memory, the same maker of chips, and nearly the speed?"""
    memory, speed = now.value("memory"), now.value("fp32_rate")
    more: Interval | None = sort.value("memory")
    faster: Interval | None = sort.value("fp32_rate")
    maker = str(now.value("architecture") or "").partition("/")[0]
    if memory is None or more is None or more.low < memory.low:
        return False
    least = proposals().other_card_speed
    if speed is not None and (faster is None or faster.low < least * speed.high):
        return False
    if sort.value("display_outputs") is False and now.value("display_outputs") is not False:
        return False
    return not maker or maker in str(sort.value("architecture") or maker)


def kits_for(outcome: Outcome, sort: PartClass) -> list[int]:
    """Numbers of a kit of memory that are proposed and hold as much as the build has."""
    total = outcome.facts("memory.total")
    least = total.low if total is not None and total.is_known else 0.0
    module, kit = sort.value("module"), sort.value("kit_modules") or exact(1.0)
    return [n for n in (proposals().kits if module else ()) if module.low * kit.low * n >= least]


def replacement(outcome: Outcome, role: str, unit: Unit, name: str) -> Iterator[Change]:
    """Another part where the old one stood, with what belonged to the old one taken away."""
    plain: Any = outcome.plain[role]
    entries = plain if isinstance(plain, list) else [plain]
    raw = outcome.data[role]
    at: tuple[str | int, ...] = (role,) if role in SINGLES else (role, 0)
    for number in range(len(entries) - 1, 0, -1):
        yield Change((role, number), None)
    stands = raw[0] if isinstance(raw, list) else raw
    count = {"count": unit.number} if unit.number > 1 else {}
    kept = {n: text for n, text, _ in unit.settings if n != "count"}
    if not isinstance(stands, dict) or "part" not in stands:
        yield Change(at, {"part": name, **count, **kept} if count or kept else name)
        return
    yield Change((*at, "part"), name)
    for key in stands:
        if key not in ("part", "count", *kept):
            yield Change((*at, key), None)
    if count and stands.get("count") != unit.number:
        yield Change((*at, "count"), unit.number)
    elif not count and "count" in stands:
        yield Change((*at, "count"), None)
