"""Cooler kinds, who breathes whose air, and what blows where."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.facts.space import in_the_board
from buildcheck.logic.quantity import ANYTHING, Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

OPEN = ("open-air", "flow-through")
#: Enclosures whose fans are mostly strong, and often ducted without saying so.
_RACK = ("2U", "3U", "4U", "5U")


def _is(name: str, *kinds: str) -> None:
    """Declare whether a GPU's cooler is one of these; its possible kinds decide if they agree."""

    @graph(name, TRUTH)
    def is_cooled_so(card: Subject, ask: Ask) -> bool | None:
        cooling = ask("gpu.cooling", card)
        if cooling is not None:
            return cooling in kinds
        among = ask("gpu.cooling_among", card)
        if not among:
            return None
        answers = {kind in kinds for kind in among}
        return answers.pop() if len(answers) == 1 else None


# Fans that blow through the GPU into the case: flow-through coolers do too.
_is("gpu.is_open_air", *OPEN)
_is("gpu.is_blower", "blower")
_is("gpu.is_passive", "passive")
_is("gpu.is_flow_through", "flow-through")


@graph("gpu.gap_above", units.LENGTH)
def gap_above(card: Subject, ask: Ask) -> Interval:
    """Free air between its back and the cooler of the GPU above it."""
    above = ask.graph.into("above", card)
    return ask.number("gpu.gap", ask.graph.subjects[above[0].start]) if above else ANYTHING


@graph("gpu.yields_air_to_cooler_card", TRUTH)
def yields_air_to_cooler_card(card: Subject, ask: Ask) -> bool:
    """Is there a GPU in the board that certainly draws less and has more air below it?"""
    power, gap = ask.number("gpu.sustained_power", card), ask.number("gpu.gap", card)
    for other in in_the_board(ask):
        below = ask("gpu.has_card_below", other)
        freer = gap.is_below(ask.number("gpu.gap", other)) if below else below is False
        if freer and ask.number("gpu.sustained_power", other).is_below(power):
            return True
    return False


@graph("build.gap_at_best", units.LENGTH)
def gap_at_best(build: Subject, ask: Ask) -> Interval:
    """The most that the tightest gap between its GPUs can be, however they are placed.

    GPUs of unlisted thickness may leave less.
    """
    gap = ask.number("build.smallest_gap_at_best", build)
    sizes = [ask("gpu.thickness", card) for card in in_the_board(ask)]
    if not gap.is_known:
        return ANYTHING
    return Interval(-math.inf, gap.high) if None in sizes else exact(gap.high)


@graph("case.may_be_rack", TRUTH)
def may_be_rack(case: Subject, ask: Ask) -> bool:
    """Is it a rack chassis, or a case in no catalogue whose kind is not stated?"""
    kind = ask("case.kind", case)
    return kind in _RACK or (kind is None and case.near is not None)
