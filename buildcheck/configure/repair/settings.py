"""What can be set otherwise without buying anything: limits, pins, circuits, firmware."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck.configure.common import action
from buildcheck.configure.repair.trial import Bought, Move, Way
from buildcheck.edit import Change
from buildcheck.logic.quantity import number_text
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.configure.repair.trial import Outcome
    from buildcheck.model.graph import Subject

SETTING, SWAP = "setting", "swap"
_LOAD = ("power/", "circuit/", "cable/", "cooling/")
_SEATS = ("space/", "pcie/", "cooling/", "platform/")
#: Keys that pin a part to a slot, a PSU, a socket or a cable.
_PINS = (
    ("slots", ("gpus", "add_in_cards"), _SEATS),
    ("psu", ("gpus", "risers", "cables"), ("power/", "cable/", "circuit/")),
    ("socket", ("storage",), ("pcie/",)),
    ("cable", ("gpus",), ("cable/",)),
    ("vertical", ("gpus",), ("space/",)),
)
#: What rules ask firmware to be set to.
_FIRMWARE: dict[str, Any] = {
    "above_4g": True,
    "resizable_bar": True,
    "csm": False,
    "iommu": "passthrough",
    "updated": True,
}


def settings(outcome: Outcome, catalog: Catalog) -> Iterator[Move]:
    """Every setting that could be another."""
    yield from _limits(outcome)
    yield from _turbo(outcome)
    yield from _pins(outcome)
    yield from _firmware(outcome)
    yield from _circuits(outcome)
    yield from _outlets(outcome, catalog)


# -- power limits --------------------------------------------------------------


def _limits(outcome: Outcome) -> Iterator[Move]:
    entries = outcome.entries("gpus")
    spans = {i: s for i in range(len(entries)) if (s := _span(outcome, i))}
    if not spans:
        return
    if len(spans) > 1 and all(low <= top for low, top, _ in spans.values()):
        ways = tuple(_together(outcome, spans))
        yield Move("limit", SETTING, _LOAD, ways, graded=True)
    for number, (low, top, _) in spans.items():
        if top < low:
            # What is set is refused: the nearest that is not.
            watts = _round_up(low)
            yield Move("limit", SETTING, _LOAD, (_limited(outcome, {number: watts}),))
            continue
        found = range(_round_down(top), _round_up(low) - 1, -_step())
        ways = tuple(_limited(outcome, {number: w}) for w in found)
        family = "limit" if len(spans) == 1 else f"limit {number + 1}"
        if ways:
            yield Move(family, SETTING, _LOAD, ways, graded=True)


def _step() -> int:
    """What limits are whole multiples of, in W."""
    return round(proposals().limit_step)


def _round_up(watts: float) -> int:
    return math.ceil(watts / _step()) * _step()


def _round_down(watts: float) -> int:
    return math.floor(watts / _step()) * _step()


def cards_of(outcome: Outcome, number: int) -> list[Subject]:
    """The cards of an entry."""
    return [s for s in outcome.graph.of("gpu") if s.path[:2] == ("gpus", number)]


def _span(outcome: Outcome, number: int) -> tuple[float, float, float] | None:
    """Lowest and highest limit to propose for an entry, and the default; None if not known."""
    cards = cards_of(outcome, number)
    facts = outcome.facts
    default = facts("gpu.board_power", cards[0]) if cards else None
    if default is None or not default.is_known:
        return None
    least = facts("gpu.power_limit_min", cards[0]) or facts("gpu.likely_lowest_limit", cards[0])
    low = default.low * proposals().least_limit
    if least is not None and least.is_known:
        low = least.high
    now = facts("gpu.power_limit", cards[0])
    if now is None:
        return low, default.low - 1, default.low
    return low, now.low - 1, default.low


def _together(outcome: Outcome, spans: dict[int, tuple[float, float, float]]) -> Iterator[Way]:
    """All cards held to the same share of their default, as far down as each goes."""
    share = 1.0
    last: dict[int, int] = {}
    while share > proposals().least_limit:
        share -= proposals().common_limit_step
        watts = {
            n: max(_round_up(low), _round_down(min(top, default * share)))
            for n, (low, top, default) in spans.items()
        }
        if watts != last:
            yield _limited(outcome, watts)
        last = watts


def _limited(outcome: Outcome, watts: dict[int, int]) -> Way:
    changes, limits = [], []
    entries = outcome.entries("gpus")
    for number, limit in watts.items():
        changes.append(Change(("gpus", number, "power_limit"), f"{limit} W"))
        if entries[number].get("limit_at_boot") is not True:
            changes.append(Change(("gpus", number, "limit_at_boot"), True))
        cards = cards_of(outcome, number)
        default = outcome.facts("gpu.board_power", cards[0])
        row = {"gpu": cards[0].name, "count": len(cards), "watts": limit, "default": default.low}
        limits.append(row)
    return Way(tuple(changes), (action("limit", limits=limits),))


def _turbo(outcome: Outcome) -> Iterator[Move]:
    cpu = outcome.graph.subjects.get("cpu")
    if cpu is None or not cpu.listed:
        return
    base, turbo = cpu.value("base_power"), cpu.value("turbo_power")
    if base is None or not base.is_exact or (turbo is not None and turbo.high <= base.high):
        return
    change = Change(("cpu", "turbo_power"), f"{number_text(base.high)} W")
    way = Way((change,), (action("no-turbo", watts=base.high),))
    about = ("power/", "circuit/", "cooling/cpu", "cable/cpu")
    yield Move("turbo", SETTING, about, (way,))


# -- what is pinned ------------------------------------------------------------


def _pins(outcome: Outcome) -> Iterator[Move]:
    for key, sections, about in _PINS:
        changes = tuple(
            Change((section, number, key), None)
            for section in sections
            for number, entry in enumerate(outcome.entries(section))
            if entry.get(key) not in (None, False)
        )
        if changes:
            ways = (Way(changes, (action("unpin", key=key),)),)
            yield Move(f"pins {key}", SETTING, about, ways)


def _firmware(outcome: Outcome) -> Iterator[Move]:
    section = outcome.section("firmware")
    for key, value in _FIRMWARE.items():
        if section.get(key) != value and (key in section or key in ("above_4g", "updated")):
            way = Way((Change(("firmware", key), value),), (action("firmware", key=key),))
            yield Move(f"firmware {key}", SETTING, ("platform/", "pcie/", "cpu/"), (way,))


# -- the wall --------------------------------------------------------------------


#: What a further circuit asks for.
CIRCUIT = Bought(None, 1, item="circuit")


def _circuits(outcome: Outcome) -> Iterator[Move]:
    site = outcome.section("site")
    supplies = outcome.graph.of("psu")
    if outcome.section("ups"):
        way = Way((Change(("ups",), None),), (action("no-ups"),))
        yield Move("ups", SETTING, ("circuit/ups",), (way,))
    if len(supplies) > 1 and site.get("circuits") in (None, 1):
        apart = (*outcome.unset("psus", "circuit"), Change(("site", "circuits"), 2))
        earth = (*apart, Change(("site", "same_earth"), True))
        number = len(supplies)
        ways = tuple(
            Way(changes, (action("two-circuits", psus=number, one_earth=one),), (CIRCUIT,))
            for changes, one in ((apart, False), (earth, True))
        )
        yield Move("circuits", SETTING, ("circuit/",), ways)
    load = site.get("other_load")
    if load is not None and str(load) not in ("0", "0 W"):
        way = Way((Change(("site", "other_load"), "0 W"),), (action("no-other-load", load=load),))
        yield Move("other load", SETTING, ("circuit/",), (way,))


def _outlets(outcome: Outcome, catalog: Catalog) -> Iterator[Move]:
    """Stronger outlets of the same country, the weakest first."""
    site = outcome.section("site")
    circuit = outcome.graph.subjects["site"]
    now = _strength(circuit.value)
    maker = _standard(site, circuit, catalog)
    if not site or now is None or not maker:
        return
    found = []
    for part_id in catalog.ids("outlet"):
        part = catalog.part(part_id)
        strength = _strength(lambda n, part=part: part.facts[n].value if n in part.facts else None)
        if part_id.split("/")[1] == maker and strength is not None and strength > now:
            found.append((strength, part.name, part_id))
    stated = [key for key in ("voltage", "breaker", "continuous_current") if key in site]
    dropped = tuple(Change(("site", key), None) for key in stated)
    ways = tuple(
        Way(
            (Change(("site", "outlet"), name), *dropped),
            (action("outlet", name=name),),
            (Bought(None, 1, item="electrician"),),
        )
        for _, name, _ in sorted(found)
    )
    if ways:
        yield Move("outlet", SETTING, ("circuit/", "power/"), ways)


def _strength(value: Any) -> float | None:
    """Sustained power of a circuit, in W, from its own figure or its breaker; None if not known."""
    volts, amps = value("voltage"), value("continuous_current") or value("breaker")
    return None if volts is None or amps is None else float(volts.low * amps.low)


def _standard(site: dict[str, Any], circuit: Subject, catalog: Catalog) -> str:
    """The body whose outlets the site has; empty if not stated."""
    if "outlet" in site:
        try:
            return catalog.find("outlet", str(site["outlet"])).split("/")[1]
        except LookupError:
            return ""
    outlet = circuit.value("outlet")
    if outlet:
        return catalog.find("outlet", str(outlet)).split("/")[1]
    volts = circuit.value("voltage")
    return _BY_VOLTAGE.get(volts.low, "") if volts is not None else ""


#: Mains voltages, in V, that one country's outlets alone have.
_BY_VOLTAGE = {100.0: "jis", 120.0: "nema", 208.0: "nema"}


# -- fewer cards -----------------------------------------------------------------


def fewer(outcome: Outcome) -> Iterator[Move]:
    """Some of the cards left out, one after the other, the last of the file first."""
    cards = outcome.graph.of("gpu")
    counts = [len(cards_of(outcome, n)) for n in range(len(outcome.entries("gpus")))]
    ways, changes, total, left = [], [], len(cards), []
    while total > 1:
        number = max(n for n, count in enumerate(counts) if count)
        gone = cards_of(outcome, number)[counts[number] - 1]
        counts[number] -= 1
        total -= 1
        left.append(Bought(gone.part, 1, gone.name))
        pins = outcome.entries("gpus")[number].get("slots")
        if counts[number]:
            changes.append(Change(("gpus", number, "count"), counts[number]))
            if isinstance(pins, list) and len(pins) > counts[number]:
                changes.append(Change(("gpus", number, "slots"), pins[: counts[number]]))
        else:
            changes.append(Change(("gpus", number), None))
        made = (action("fewer-gpus", count=total, before=len(cards)),)
        ways.append(Way(tuple(changes), made, leaves=tuple(left)))
    if ways:
        yield Move("fewer cards", SWAP, ("",), tuple(ways))
