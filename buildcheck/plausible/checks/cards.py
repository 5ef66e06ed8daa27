"""Do a card's power and sockets go together, and is it what its chip is said to be?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.model.quantity import ZERO, Interval
from buildcheck.plausible.checks.supplies import CONNECTOR
from buildcheck.plausible.look import count_text, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.model.part import Part
    from buildcheck.plausible.look import Checks, Doubt, Look


#: PCI Express Card Electromechanical Specification: most power a card draws through its slot.
SLOT = 75


def plugs_needed(look: Look, plugs: dict[str, Interval]) -> dict[str, Interval]:
    """What a card needs of a supply: behind the 12-pin, the plugs of the adapter it comes with."""
    if "nvidia-12-pin" not in plugs:
        return plugs
    adapter = look.other("adapter", look.of("bundled_adapter"))
    inputs: dict[str, Interval] | None = adapter and adapter.value("inputs")
    return plugs if inputs is None else inputs


def card_adapter(look: Look) -> Iterator[Doubt]:
    """A card with NVIDIA's own socket comes with an adapter to it."""
    if "nvidia-12-pin" not in (look.of("plugs") or ()):
        return
    adapter = look.other("adapter", look.of("bundled_adapter"))
    if adapter is None or adapter.value("output") != "nvidia-12-pin":
        message = "a card with the 12-pin socket comes with an adapter to it, and none is named"
        yield look.doubt("bundled_adapter", message, "Name the adapter, as '2x 8-pin to 12-pin'")


def card_plugs(look: Look) -> Iterator[Doubt]:
    """Sockets and slot are specified for the card's power, or the maker's exemption is noted."""
    power, plugs = look.of("board_power"), look.of("plugs")
    if power is None or plugs is None:
        return
    plugs = plugs_needed(look, plugs)
    strange = sorted(set(plugs) - {*CONNECTOR, "nvidia-12-pin"})
    if strange:
        message = f"cards have no sockets for {', '.join(strange)}"
        yield look.doubt("plugs", message, f"Connectors of cards: {', '.join(sorted(CONNECTOR))}")
    if set(plugs) - {*CONNECTOR}:
        return
    most = SLOT + sum(n.high * CONNECTOR[c] for c, n in plugs.items())
    exempt = look.of("plug_exemption") is True
    # A card that states both itself leaves no room for doubt.
    both = look.own("board_power") is not None and look.own("plugs") is not None
    least = power.high if both else power.low
    if least > most and not exempt:
        message = (
            f"slot and sockets are specified for {most:g} W, and the card draws "
            f"{look.text('board_power')}"
        )
        yield look.doubt("plugs", message, "Check both, or state plug_exemption")
    if exempt and power.low <= most:
        message = f"slot and sockets are specified for {most:g} W, which needs no exemption"
        yield look.doubt("plug_exemption", message, "Leave it out, or check plugs and power")


def card_chip(look: Look) -> Iterator[Doubt]:
    """Values of a card lie within the ranges of its chip, which hold for every card."""
    chip = look.other("gpu", look.own("chip"))
    if chip is None:
        return
    for field in look.all_own():
        outer = chip.value(field)
        if field == "cooling":
            among = chip.value("cooling_among")
            if among is not None and look.of(field) not in among:
                message = f"{look.of(field)} is none of {chip.name}'s: {', '.join(sorted(among))}"
                yield look.doubt(field, message, _too_narrow(chip))
        elif field == "plugs" and outer is not None:
            yield from _chip_plugs(look, chip, outer)
        elif isinstance(outer, Interval) and not within(look.of(field), outer):
            message = (
                f"{look.text(field)} is outside what {chip.name} has, {look.text(field, outer)}"
            )
            yield look.doubt(field, message, _too_narrow(chip))


def _too_narrow(chip: Part) -> str:
    return f"Check it; if it is right, {chip.id} says too little"


def _chip_plugs(look: Look, chip: Part, outer: dict[str, Interval]) -> Iterator[Doubt]:
    own = plugs_needed(look, look.of("plugs"))
    for connector in sorted({*own, *outer}):
        has, may = own.get(connector, ZERO), outer.get(connector, ZERO)
        if not within(has, may):
            message = (
                f"{count_text(has)} {connector} is outside what {chip.name} has, {count_text(may)}"
            )
            yield look.doubt("plugs", message, _too_narrow(chip))


CHECKS: Checks = {"gpu": (card_adapter, card_plugs, card_chip)}
