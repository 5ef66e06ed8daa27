"""How fast the cards of a build are beside others, for the section of its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.model.quantity import percent
from buildcheck.render.drawings.beside import BESIDE, beside_drawing
from buildcheck.render.drawings.pen import amount
from buildcheck.speed.beside import WORKS, beside

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.speed.beside import Card


def beside_words(report: Report) -> dict[str, Any]:
    """What the template of the section asks for."""
    cards = beside(report)
    return {
        "told": _told(cards),
        "figure": _figure(cards),
        "drawing": beside_drawing(report.name, cards),
    }


def _told(cards: tuple[Card, ...]) -> list[str]:
    said = [BESIDE("told", name=cards[0].name)] if cards else []
    for card in cards:
        if card.limit is None:
            continue
        limit = amount(card.limit, "W")
        if card.limited is None:
            said.append(BESIDE("limited_unknown", limit=limit, name=card.name))
        else:
            share = percent(card.limited)
            said.append(BESIDE("limited", limit=limit, name=card.name, share=share))
    return said


def _figure(cards: tuple[Card, ...]) -> tuple[str, str] | None:
    """The first card beside the first of the others; the fastest of both is never 1."""
    other = next((card for card in cards if not card.is_own), None)
    ratio = other and other.ratios[WORKS[0]]
    if other is None or ratio is None:
        return None
    low, high = (f"{1 / end:.1f}" for end in (ratio.range.high, ratio.range.low))
    times = low if low == high else f"{low}..{high}"
    return BESIDE("figure"), BESIDE("figured", times=times, other=other.name)
