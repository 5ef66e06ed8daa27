"""Cooler kinds and who breathes whose air."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.facts.registry import TRUTH, Ask, graph

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


def _is(card: Subject, ask: Ask, *kinds: str) -> bool | None:
    """Is the cooler one of these? Where only its possible kinds are known, if they agree."""
    cooling = ask("gpu.cooling", card)
    if cooling is not None:
        return cooling in kinds
    among = ask("gpu.cooling_among", card)
    if not among:
        return None
    answers = {kind in kinds for kind in among}
    return answers.pop() if len(answers) == 1 else None


@graph("gpu.is_open_air", TRUTH)
def is_open_air(card: Subject, ask: Ask) -> bool | None:
    """Do its fans blow through the card into the case? Flow-through coolers do too."""
    return _is(card, ask, "open-air", "flow-through")


@graph("gpu.is_blower", TRUTH)
def is_blower(card: Subject, ask: Ask) -> bool | None:
    """Does it push its air out at the bracket?"""
    return _is(card, ask, "blower")


@graph("gpu.is_passive", TRUTH)
def is_passive(card: Subject, ask: Ask) -> bool | None:
    """Has it no fan of its own?"""
    return _is(card, ask, "passive")


@graph("case.is_ducted", TRUTH)
def is_ducted(case: Subject, ask: Ask) -> bool | None:
    """Do case fans push air through the cards? A case that does not say so does not."""
    ducted = ask("case.ducted", case)
    return ducted if ducted is not None or not case.listed else False


@graph("gpu.is_flow_through", TRUTH)
def is_flow_through(card: Subject, ask: Ask) -> bool | None:
    """Does one of its fans blow through the card onto whatever lies behind?"""
    return _is(card, ask, "flow-through")
