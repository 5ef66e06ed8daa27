"""Positions of parts and values to measure there, for the assembly plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.circuit import makes_current
from buildcheck.facts.plugs import cabled
from buildcheck.facts.registry import CODE, TRUTH, Ask, graph
from buildcheck.facts.space import in_the_board, seat
from buildcheck.logic.quantity import ZERO, Interval, exact
from buildcheck.logic.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Edge, Subject

# -- whose cards they are ----------------------------------------------------

#: Architectures of cards that are not NVIDIA's, and whose they are.
_MAKERS = {
    **dict.fromkeys(("Polaris", "RDNA 2", "RDNA 3", "RDNA 4", "Vega and CDNA"), "AMD"),
    "Arc": "Intel",
}
#: Bits in a byte.
_BITS = exact(8.0)
#: Label for a card of unknown architecture.
_UNKNOWN = "unknown architecture"

# It brings a radiator of its own, which has to be put somewhere.


@graph("gpu.chip_maker", CODE)
def chip_maker(card: Subject, ask: Ask) -> Any:
    """Maker of its chip, which decides the vendor tool: NVIDIA, AMD or Intel."""
    architecture = ask("gpu.architecture", card)
    if architecture is None or architecture == _UNKNOWN:
        return None
    return _MAKERS.get(architecture, "NVIDIA")


def _made_by(name: str, maker: str) -> None:
    """Declare the number of a maker's GPUs; a range where makers are not known."""

    @graph(name, units.NUMBER)
    def made_by(build: Subject, ask: Ask) -> Interval:
        makers = [ask("gpu.chip_maker", card) for card in ask.graph.of("gpu")]
        sure = makers.count(maker)
        return Interval(float(sure), float(sure + makers.count(None)))


_made_by("build.nvidia_cards", "NVIDIA")
_made_by("build.amd_cards", "AMD")
_made_by("build.intel_cards", "Intel")


# -- limits that somebody has to set -----------------------------------------


@graph("gpu.limit_is_to_set", TRUTH)
def limit_is_to_set(card: Subject, ask: Ask) -> bool:
    """Does the build give a power limit that the card does not come with?

    Where its default is a range the limit has to be set in any case.
    """
    limit, default = ask("gpu.power_limit", card), ask("gpu.board_power", card)
    return limit is not None and not (limit.is_exact and limit == default)


@graph("build.nvidia_limits_to_set", units.NUMBER)
def nvidia_limits_to_set(build: Subject, ask: Ask) -> Interval:
    """Number of power limits to set with nvidia-smi; a range where makers are not known."""
    cards = [c for c in ask.graph.ends("cards", build) if ask("gpu.limit_is_to_set", c)]
    ours = [ask("gpu.is_of_nvidia", card) for card in cards]
    return Interval(float(ours.count(True)), float(len(ours) - ours.count(False)))


# -- where things go ---------------------------------------------------------


@graph("gpu.expansion_slot", units.NUMBER)
@graph("addin.expansion_slot", units.NUMBER)
def expansion_slot(card: Subject, ask: Ask) -> Interval | None:
    """Bracket opening of its slot, counted from the CPU."""
    ask("motherboard.slots")
    found = seat(card, ask)
    position = found["position"] if found else None
    return None if position is None else exact(float(position))


@graph("gpu.place_in_board_is_known", TRUTH)
def place_in_board_is_known(card: Subject, ask: Ask) -> bool | None:
    """Has the plan a slot for it, with its place? Not for cards on risers or in brackets."""
    if ask("gpu.is_riser_mounted", card):
        return False
    there, place = ask("gpu.has_slot", card), ask("gpu.expansion_slot", card)
    return None if there and place is None else there


@graph("build.has_cards_in_board", TRUTH)
def has_cards_in_board(build: Subject, ask: Ask) -> bool:
    """Does any card sit in a slot of the board itself?"""
    return bool(in_the_board(ask) or ask.graph.of("addin"))


@graph("addin.place_is_known", TRUTH)
def addin_place_is_known(card: Subject, ask: Ask) -> bool | None:
    """Has the plan a slot for it, with its place?"""
    if ask("addin.has_slot", card) is False:
        return False
    return True if ask("addin.expansion_slot", card) is not None else None


@graph("storage.plugged_into", CODE)
def plugged_into(drive: Subject, ask: Ask) -> Any:
    """Label of the M.2 socket it is assigned to."""
    ask("motherboard.m2_slots")
    edges = ask.graph.out("plugged", drive)
    return edges[0].data["socket"] if edges else None


@graph("storage.socket_is_known", TRUTH)
def socket_is_known(drive: Subject, ask: Ask) -> bool | None:
    """Has the plan an M.2 socket for it? Not so for drives of other forms."""
    if not ask.graph.out("plugged", drive):
        return False
    return True if ask("storage.plugged_into", drive) is not None else None


@graph("bridge.joined_cards", CODE)
def joined_cards(bridge: Subject, ask: Ask) -> Any:
    """The cards it joins, by id."""
    return " and ".join(card.id for card in ask.graph.ends("joins", bridge)) or None


# -- which cable goes where --------------------------------------------------


def _planned(edge: Edge, ask: Ask) -> bool:
    """Is every socket at the end of a cable known, and has it a plug?"""
    end = ask.graph.subjects[edge.end]
    ask("psu.plugs", ask.graph.subjects[edge.start])
    if end.kind == "riser":
        return bool(edge.data["unfed"] == ZERO)
    plugs = ask(f"{end.kind}.{'slot_power_plugs' if edge.kind == 'slot_fed' else 'plugs'}", end)
    counted = plugs is not None and all(number.is_exact for number in plugs.values())
    return counted and bool(edge.data["unfed"] == ZERO)


@graph("gpu.supply", CODE)
@graph("motherboard.supply", CODE)
def supply(fed: Subject, ask: Ask) -> Any:
    """The supply that feeds its sockets or runs the board, by id."""
    edges = ask.graph.into("runs" if fed.kind == "motherboard" else "feeds", fed)
    return edges[0].start if edges else None


@graph("gpu.fed_by", CODE)
@graph("motherboard.fed_by", CODE)
def fed_by(fed: Subject, ask: Ask) -> Any:
    """The plugs of its supply that go into it, if all its sockets have one."""
    edges = cabled(fed, ask)
    return edges[0].data["output"] if edges and _planned(edges[0], ask) else None


@graph("gpu.feed_is_planned", TRUTH)
def feed_is_planned(card: Subject, ask: Ask) -> bool | None:
    """Does the plan say which plugs of which supply feed it? Not for cards without sockets."""
    if ask("gpu.has_power_sockets", card) is False:
        return False
    if None in (ask("gpu.supply", card), ask("gpu.fed_by", card)):
        return None
    return True


@graph("gpu.has_several_plugs", TRUTH)
def has_several_plugs(card: Subject, ask: Ask) -> bool | None:
    """Do several cable plugs go into it, or into its adapter?"""
    heads = ask("gpu.cable_heads", card)
    answer: bool | None = None if heads is None else exact(1.0).is_below(heads)
    return answer


@graph("motherboard.feed_is_planned", TRUTH)
def board_feed_is_planned(board: Subject, ask: Ask) -> bool | None:
    """Does the plan say which plugs feed it? Not where no supply is listed."""
    if ask("motherboard.supply", board) is None:
        return False
    return None if ask("motherboard.fed_by", board) is None else True


@graph("psu.card_plugs", CODE)
def card_plugs(psu: Subject, ask: Ask) -> Any:
    """Its plugs that feed cards, by kind, where each socket of them is known to get one."""
    cards = [e for e in ask.graph.out("cabled", psu) if ask.graph.subjects[e.end].kind == "gpu"]
    planned = [_planned(edge, ask) for edge in cards]
    if not all(planned):
        return None
    used: dict[str, int] = {}
    for edge in cards:
        for connector, number in edge.data["with"].items():
            used[connector] = used.get(connector, 0) + number
    return ", ".join(f"{number}x {connector}" for connector, number in used.items()) or "none"


@graph("psu.card_plugs_are_planned", TRUTH)
def card_plugs_are_planned(psu: Subject, ask: Ask) -> bool | None:
    """Does the plan say which of its plugs feed cards? Not where it feeds none."""
    if not ask.graph.out("feeds", psu) or ask("psu.card_plugs", psu) == "none":
        return False
    return None if ask("psu.card_plugs", psu) is None else True


# -- what to measure ---------------------------------------------------------


@graph("gpu.link_is_known", TRUTH)
def link_is_known(card: Subject, ask: Ask) -> bool | None:
    """Are width and generation of its link each one number?"""
    for name in ("gpu.link_lanes", "gpu.link_gen"):
        value = ask(name, card)
        if value is None or not value.is_exact:
            return None
    return True


@graph("psu.input_is_known", TRUTH)
def input_is_known(psu: Subject, ask: Ask) -> bool | None:
    """Is what it draws from the wall at work known at least as a range?"""
    if not ask("psu.feeds_anything", psu):
        return False
    return True if ask.number("psu.input_power", psu).is_known else None


# All at peak load of the machine.
makes_current("psu.input_current_worst", of="psu.input_power_worst")


@graph("psu.is_behind_ups", TRUTH)
def is_behind_ups(psu: Subject, ask: Ask) -> bool:
    """Is it powered by the UPS, so that no wall plug of its own can be measured?"""
    return bool(ask.graph.into("backs", psu))


@graph("ups.worst_load", units.POWER)
def worst_load(ups: Subject, ask: Ask) -> Interval:
    """Load of the UPS at peak load of the machine, in W."""
    backed = ask.graph.ends("backs", ups)
    if not backed:
        return ask.number("ups.load", ups)
    loads = [ask.number("psu.input_power_worst", psu) for psu in backed]
    return add_up([ask.number("ups.added_load", ups), *loads])


@graph("ups.load_is_known", TRUTH)
def load_is_known(ups: Subject, ask: Ask) -> bool | None:
    """Is the load on it known at least as a range? Not where no UPS is listed."""
    if not ask("ups.is_listed", ups):
        return False
    return True if ask.number("ups.load", ups).is_known else None


def _gigabits(name: str, of: str) -> None:
    """Declare a rate in Gbit/s, as networks are labelled and measured."""

    @graph(name, units.NUMBER)
    def gigabits(subject: Subject, ask: Ask) -> Interval | None:
        rate: Interval | None = ask(of, subject)
        return None if rate is None else rate * _BITS


_gigabits("addin.gigabits", of="addin.rate")
_gigabits("network.gigabits", of="network.rate")
_gigabits("network.card_gigabits", of="network.card_rate")


@graph("memory.total_is_known", TRUTH)
def total_is_known(memory: Subject, ask: Ask) -> bool | None:
    """Are the size of all memory and the number of modules known? Not where none is listed."""
    if not ask("memory.is_listed", memory):
        return False
    known = None not in (ask("memory.total", memory), ask("memory.modules", memory))
    return True if known else None


@graph("circuit.heat_is_known", TRUTH)
def heat_is_known(circuit: Subject, ask: Ask) -> bool | None:
    """Is the heat of the machine known at least as a range?"""
    return True if ask.number("circuit.heat", circuit).is_known else None


@graph("gpu.temperature_is_known", TRUTH)
def temperature_is_known(card: Subject, ask: Ask) -> bool | None:
    """Is there an estimate of its temperature, and the one at which it slows down?"""
    return True if ask("gpu.temperature_is_estimated", card) else None


def _stays_cool(card: Subject, ask: Ask) -> bool | None:
    limit = ask("gpu.throttle_temperature", card)
    return ask.number("gpu.temperature", card).is_below(limit) if limit is not None else None


@graph("gpu.stays_below_its_limit", TRUTH)
def stays_below_its_limit(card: Subject, ask: Ask) -> bool | None:
    """Is all of the estimate below the temperature at which it slows down?"""
    if not ask("gpu.temperature_is_estimated", card):
        return None
    return _stays_cool(card, ask) is True


@graph("gpu.reaches_its_limit", TRUTH)
def reaches_its_limit(card: Subject, ask: Ask) -> bool:
    """Is all of the estimate at or above the temperature at which it slows down?"""
    return bool(ask("gpu.temperature_is_estimated", card)) and _stays_cool(card, ask) is False
