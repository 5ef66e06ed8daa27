"""How fast the cards of a build are beside others, for the section of its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.render.drawings.beside import BESIDE, beside_drawing
from buildcheck.render.speed_text import SPEED, kinds_told, machine_table
from buildcheck.speed import machine_speed
from buildcheck.speed.beside import WORKS, beside

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.speed.beside import Card


def beside_words(report: Report) -> dict[str, Any]:
    """What the template of the section asks for."""
    cards, machine = beside(report), machine_speed(report)
    return {
        "told": [BESIDE("told", name=cards[0].name), SPEED("fitted")] if cards else [],
        "kinds": list(kinds_told(machine)),
        "figure": _figure(cards),
        "drawing": beside_drawing(report.name, cards),
        "machine": machine_table(machine),
        "remarks": SPEED("not_parallel"),
    }


def _figure(cards: tuple[Card, ...]) -> tuple[str, str] | None:
    """The first card beside the first of the others; the fastest of both is never 1."""
    other = next((card for card in cards if not card.is_own), None)
    ratio = other and other.ratios[WORKS[0]]
    if other is None or ratio is None:
        return None
    low, high = (f"{1 / end:.1f}" for end in (ratio.range.high, ratio.range.low))
    times = low if low == high else f"{low}..{high}"
    return BESIDE("figure"), BESIDE("figured", times=times, other=other.name)
