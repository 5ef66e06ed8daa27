"""Is a card what its chip is said to be?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.model.quantity import ZERO, Interval
from buildcheck.plausible.checks.cards import plugs_needed
from buildcheck.plausible.look import count_text, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.model.part import Part
    from buildcheck.plausible.look import Doubt, Look


def card_chip(look: Look) -> Iterator[Doubt]:
    """Values of a card lie within the ranges of its chip, which hold for every card."""
    chip = look.other("gpu", look.own("chip"))
    if chip is None:
        return
    for field in look.all_own():
        outer = chip.value(field)
        if field == "cooling":
            yield from _card_cooling(look, chip)
        elif field == "plugs" and outer is not None:
            yield from _chip_plugs(look, chip, outer)
        elif isinstance(outer, Interval) and not within(look.of(field), outer):
            message = (
                f"{look.text(field)} is outside what {chip.name} has, {look.text(field, outer)}"
            )
            yield look.doubt(field, message, _too_narrow(chip))


def _too_narrow(chip: Part) -> str:
    return f"Check it; if it is right, {chip.id} says too little"


def _card_cooling(look: Look, chip: Part) -> Iterator[Doubt]:
    among = chip.value("cooling_among")
    if among is not None and look.of("cooling") not in among:
        message = f"{look.of('cooling')} is none of {chip.name}'s: {', '.join(sorted(among))}"
        yield look.doubt("cooling", message, _too_narrow(chip))


def _chip_plugs(look: Look, chip: Part, outer: dict[str, Interval]) -> Iterator[Doubt]:
    own = plugs_needed(look, look.of("plugs"))
    for connector in sorted({*own, *outer}):
        has, may = own.get(connector, ZERO), outer.get(connector, ZERO)
        if not within(has, may):
            message = (
                f"{count_text(has)} {connector} is outside what {chip.name} has, {count_text(may)}"
            )
            yield look.doubt("plugs", message, _too_narrow(chip))
