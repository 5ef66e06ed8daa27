"""What a build costs, for the section of its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.render.cost import (
    COST_WORDS,
    amount_text,
    compared,
    remarks,
    rented_table,
    told,
    use_table,
    year_figure,
)
from buildcheck.render.drawings.owning import owning_drawing

if TYPE_CHECKING:
    from buildcheck.cost import Cost


def cost_words(cost: Cost) -> dict[str, Any]:
    """What the template of the section asks for."""
    return {
        "told": [*told(cost), *compared(cost)],
        "figure": year_figure(cost),
        "machine": _stated_price(cost),
        "uses": use_table(cost),
        "drawing": owning_drawing(cost),
        "rented": rented_table(cost),
        "remarks": remarks(cost),
        "left_out": COST_WORDS("left_out"),
    }


def _stated_price(cost: Cost) -> str:
    """The price of the machine where it is stated as one, for the head of the report."""
    price = cost.price
    if price is None or not price.is_stated:
        return ""
    return COST_WORDS("price_stated", price=amount_text(price.amount, price.currency))
