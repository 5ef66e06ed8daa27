"""Plugs, cables and adapters: what is fed, by what, and what each may carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import CODE, TRUTH, Ask, graph
from buildcheck.logic.interval import either
from buildcheck.model.quantity import ONE, UNKNOWN, ZERO, Interval
from buildcheck.model.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

SIXTEEN_PIN = "16-pin"
_EPS = "eps-8-pin"
_PCIE = ("pcie-6-pin", "pcie-8-pin")


def _unfed(subject: Subject, ask: Ask) -> Any:
    # Asked for so that a missing count is named as what is missing.
    ask(f"{subject.kind}.plugs", subject)
    cabled = ask.graph.into("cabled", subject)
    if not cabled:
        return None
    ask("psu.plugs", ask.graph.subjects[cabled[0].start])
    unfed: Interval = cabled[0].data["unfed"]
    return unfed


@graph("gpu.plugs_without_cable", units.NUMBER)
def card_plugs_without_cable(card: Subject, ask: Ask) -> Any:
    """Power sockets of the card for which its supply has no cable left."""
    return _unfed(card, ask)


@graph("motherboard.plugs_without_cable", units.NUMBER)
def board_plugs_without_cable(board: Subject, ask: Ask) -> Any:
    """Power sockets of the board for which the first supply has no cable left."""
    return _unfed(board, ask)


def _lacking(subject: Subject, ask: Ask) -> str:
    cabled = ask.graph.into("cabled", subject)
    kinds: dict[str, int] = cabled[0].data["lacking"] if cabled else {}
    return ", ".join(f"{number}x {connector}" for connector, number in kinds.items())


@graph("gpu.lacking_plugs", CODE)
def card_lacking_plugs(card: Subject, ask: Ask) -> str:
    """The sockets for which no cable is left, by kind, at worst."""
    return _lacking(card, ask)


@graph("motherboard.lacking_plugs", CODE)
def board_lacking_plugs(board: Subject, ask: Ask) -> str:
    """The sockets for which no cable is left, by kind, at worst."""
    return _lacking(board, ask)


@graph("gpu.plug_count", units.NUMBER)
def plug_count(card: Subject, ask: Ask) -> Any:
    """Power sockets on the card."""
    plugs = ask("gpu.plugs", card)
    return None if plugs is None else add_up(list(plugs.values()))


@graph("gpu.feed_rating", units.POWER)
def feed_rating(card: Subject, ask: Ask) -> Any:
    """What its slot and its sockets are specified for together."""
    plugs = ask("gpu.plugs", card)
    if plugs is None:
        return None
    sockets = [
        n * ask.number("connector.rating", ask.graph.subjects[f"connector:{c}"])
        for c, n in plugs.items()
    ]
    return add_up([ask.number("standard.slot_power"), *sockets])


@graph("gpu.is_exempt", TRUTH)
def is_exempt(card: Subject, ask: Ask) -> bool:
    """Does the maker say that it may draw more than its plugs are rated for?"""
    return ask("gpu.plug_exemption", card) is True


def _beside_slot(card: Subject, ask: Ask) -> Interval:
    """Power that comes through cables."""
    power, slot = ask.number("gpu.sustained_power", card), ask.number("gpu.slot_draw", card)
    slot = slot if slot.is_known else ZERO
    through = power - slot
    return Interval(max(0.0, through.low), max(0.0, through.high))


@graph("gpu.shares_a_cable", TRUTH)
def shares_a_cable(card: Subject, ask: Ask) -> bool | None:
    """Do several of its sockets hang on one supply cable? Only if the build says so."""
    cables = ask("gpu.power_cables", card)
    if cables is None:
        return False
    plugs = ask("gpu.plug_count", card)
    if plugs is None:
        return None
    answer: bool | None = cables.is_below(plugs)
    return answer


@graph("gpu.cable_load", units.POWER)
def cable_load(card: Subject, ask: Ask) -> Interval:
    """Watts on each supply cable of the card."""
    cables = ask("gpu.power_cables", card)
    if cables is None:
        cables = ask("gpu.plug_count", card)
    if cables is None:
        return UNKNOWN
    return _beside_slot(card, ask) / (cables if cables.low > 0 else ONE)


def _own_adapter(card: Subject, ask: Ask) -> Subject | None:
    found = ask.graph.ends("adapter", card)
    return found[0] if found else None


@graph("gpu.uses_adapter", TRUTH)
def uses_adapter(card: Subject, ask: Ask) -> bool:
    """Does the build list a power adapter for it?"""
    return _own_adapter(card, ask) is not None


@graph("gpu.adapter_rating", units.POWER)
def adapter_rating(card: Subject, ask: Ask) -> Any:
    """What the listed adapter is coded or specified for."""
    adapter = _own_adapter(card, ask)
    return None if adapter is None else ask("adapter.rating", adapter)


@graph("gpu.cable_power", units.POWER)
def cable_power(card: Subject, ask: Ask) -> Interval:
    """Power the card draws through its sockets."""
    return _beside_slot(card, ask)


def _has(plugs: Any, connector: str) -> bool | None:
    if plugs is None:
        return None
    return ZERO.is_below(plugs.get(connector, ZERO))


@graph("gpu.has_sixteen_pin", TRUTH)
def has_sixteen_pin(card: Subject, ask: Ask) -> bool | None:
    """Is it fed by a 12VHPWR or 12V-2x6 plug?"""
    return _has(ask("gpu.plugs", card), SIXTEEN_PIN)


@graph("gpu.sixteen_pin_rating", units.POWER)
def sixteen_pin_rating(card: Subject, ask: Ask) -> Any:
    """What its 16-pin sockets are specified for."""
    plugs = ask("gpu.plugs", card)
    connector = ask.graph.subjects.get(f"connector:{SIXTEEN_PIN}")
    if plugs is None or connector is None:
        return None
    return plugs.get(SIXTEEN_PIN, ZERO) * ask.number("connector.rating", connector)


@graph("gpu.cable_is_stated", TRUTH)
def cable_is_stated(card: Subject, ask: Ask) -> bool:
    """Does the build say which cable goes into the card?"""
    return ask("gpu.cable", card) is not None


@graph("gpu.cable_fits", TRUTH)
def cable_fits(card: Subject, ask: Ask) -> bool | None:
    """Does the stated cable go into a socket of the card, or into its adapter?"""
    plugs, cable = ask("gpu.plugs", card), ask("gpu.cable", card)
    if plugs is None or cable is None:
        return None
    connector = ask.graph.subjects[f"connector:{cable}"]
    into = {cable} | (ask("connector.fits", connector) or frozenset())
    adapter = _own_adapter(card, ask)
    inputs = (ask("adapter.inputs", adapter) or {}) if adapter else {}
    answers = [_has(sockets, socket) for sockets in (plugs, inputs) for socket in sorted(into)]
    return either(answers)


@graph("gpu.is_eps_fed", TRUTH)
def is_eps_fed(card: Subject, ask: Ask) -> bool | None:
    """Does it take the CPU's 8-pin plug, which looks like the PCIe one?"""
    return _has(ask("gpu.plugs", card), _EPS)


@graph("gpu.is_pcie_fed", TRUTH)
def is_pcie_fed(card: Subject, ask: Ask) -> bool | None:
    """Does it take PCIe 6- or 8-pin plugs?"""
    answers = [_has(ask("gpu.plugs", card), c) for c in _PCIE]
    return either(answers)


@graph("build.supplies_start_together", TRUTH)
def supplies_start_together(build: Subject, ask: Ask) -> bool | None:
    """Is there anything that switches all supplies on at once?"""
    sync = ask("build.psu_sync", build)
    return None if sync is None else sync != "none"
