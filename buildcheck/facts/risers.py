"""Riser cables: what they carry, how long they are, and what kind they are of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph, is_surely, states
from buildcheck.model.quantity import ONE, Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

is_surely("riser.is_cabled", "kind", "cabled")
states("riser.states_length", "length")


def _lanes(riser: Subject, ask: Ask) -> Any:
    """Lanes it carries; a mining extender's USB plug has one."""
    lanes = ask("riser.lanes", riser)
    return ONE if lanes is None and ask("riser.kind", riser) == "usb" else lanes


def limits(card: Subject, ask: Ask, name: str) -> list[Interval]:
    """A limit that every listed riser sets on a riser-mounted GPU.

    The build does not state which riser a GPU is on, so each may be the one. An unstated limit
    is none.
    """
    if not ask("gpu.is_on_riser", card):
        return []
    risers = ask.graph.of("riser")
    given = [_lanes(r, ask) if name == "lanes" else ask(f"riser.{name}", r) for r in risers]
    known = [k for k in given if k is not None]
    if not known:
        return []
    highest = math.inf if None in given else max(k.high for k in known)
    return [Interval(min(k.low for k in known), highest)]


def _kinds(card: Subject, ask: Ask) -> set[str]:
    """Kinds of riser it may be on; a riser of unlisted kind is a plain ribbon."""
    if not ask("gpu.is_on_riser", card):
        return set()
    return {ask("riser.kind", r) or "ribbon" for r in ask.graph.of("riser")} or {"ribbon"}


@graph("gpu.is_on_ribbon", TRUTH)
def is_on_ribbon(card: Subject, ask: Ask) -> bool:
    """May it be on a plain cable without redriver or retimer?"""
    return "ribbon" in _kinds(card, ask)


@graph("gpu.is_on_usb_riser", TRUTH)
def is_on_usb_riser(card: Subject, ask: Ask) -> bool:
    """May it be on a mining extender?"""
    return "usb" in _kinds(card, ask)


def surely_usb(card: Subject, ask: Ask) -> bool:
    """Is it on a mining extender, whichever riser it is on?"""
    return _kinds(card, ask) == {"usb"}


def _ribbons(ask: Ask) -> list[Subject]:
    return [r for r in ask.graph.of("riser") if (ask("riser.kind", r) or "ribbon") == "ribbon"]


@graph("gpu.states_riser_length", TRUTH)
def states_riser_length(card: Subject, ask: Ask) -> bool:
    """Are there plain risers, all with their length stated?"""
    lengths = [ask("riser.length", r) for r in _ribbons(ask)]
    return ask("gpu.is_on_ribbon", card) and bool(lengths) and None not in lengths


@graph("gpu.riser_length", units.LENGTH)
def riser_length(card: Subject, ask: Ask) -> Any:
    """Length of the plain riser it is on: any listed one, as which is not stated."""
    lengths = [ask("riser.length", r) for r in _ribbons(ask)]
    if not ask("gpu.states_riser_length", card):
        return None
    return Interval(min(n.low for n in lengths), max(n.high for n in lengths))


@graph("gpu.riser_length_at_least", units.LENGTH)
def riser_length_at_least(card: Subject, ask: Ask) -> Any:
    """Length of the shortest plain riser it may be on."""
    length = ask("gpu.riser_length", card)
    return None if length is None else exact(length.low)


@graph("gpu.states_riser_gen", TRUTH)
def states_riser_gen(card: Subject, ask: Ask) -> bool:
    """Is the rated generation of any riser it may be on stated?"""
    return bool(limits(card, ask, "gen"))


@graph("gpu.riser_gen", units.NUMBER)
def riser_gen(card: Subject, ask: Ask) -> Any:
    """Generation its riser is made for."""
    found = limits(card, ask, "gen")
    return found[0] if found else None
