"""What feeds the slot of a riser: the board, or a supply cable of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.plugs import DRIVE_PLUGS, unfed
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.model.quantity import ONE

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


@graph("riser.is_powered", TRUTH)
def is_powered(riser: Subject, ask: Ask) -> bool | None:
    """Does a supply cable of its own feed its slot? Extenders on a USB cable carry no power."""
    feed = ask("riser.feed", riser)
    if feed is None:
        return True if ask("riser.kind", riser) == "usb" else None
    answer: bool = feed != "none"
    return answer


@graph("riser.is_surely_powered", TRUTH)
def is_surely_powered(riser: Subject, ask: Ask) -> bool:
    """Does the build say that it has a plug of its own, or can it not do without?"""
    return ask("riser.is_powered", riser) is True


def _is_fed_by(riser: Subject, ask: Ask, connector: str) -> bool | None:
    feed = ask("riser.feed", riser)
    return None if feed is None else feed == connector


@graph("riser.is_fed_by_sata", TRUTH)
def is_fed_by_sata(riser: Subject, ask: Ask) -> bool | None:
    """Does a SATA power plug feed it?"""
    return _is_fed_by(riser, ask, "sata")


@graph("riser.is_fed_by_molex", TRUTH)
def is_fed_by_molex(riser: Subject, ask: Ask) -> bool | None:
    """Does a Molex drive plug feed it?"""
    return _is_fed_by(riser, ask, "molex")


@graph("riser.has_card_plug", TRUTH)
def has_card_plug(riser: Subject, ask: Ask) -> bool:
    """Does it take a plug of the kinds that feed cards?"""
    return ask("riser.feed", riser) not in (None, "none", *DRIVE_PLUGS)


@graph("riser.is_chained", TRUTH)
def is_chained(riser: Subject, ask: Ask) -> bool:
    """Does the build say that it shares its supply cable with other risers?"""
    return ask("riser.chained", riser) is True


@graph("riser.plugs_without_cable", units.NUMBER)
def riser_plugs_without_cable(riser: Subject, ask: Ask) -> Any:
    """Its sockets for which its supply has no cable left."""
    cabled = ask.graph.into("cabled", riser)
    if not cabled:
        return None
    ask("psu.plugs", ask.graph.subjects[cabled[0].start])
    return unfed(cabled[0], ask, ONE)
