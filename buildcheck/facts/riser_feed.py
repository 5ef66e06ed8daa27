"""Power of a riser's slot: from the board, or from a PSU cable of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.plugs import DRIVE_PLUGS, rating_of, unfed
from buildcheck.facts.registry import TRUTH, Ask, graph, is_among, is_true
from buildcheck.model.quantity import ONE, Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

# The build says that it has a plug of its own, or it cannot do without.
is_true("riser.is_surely_powered", "is_powered")
is_true("riser.is_chained", "chained")
is_among("riser.is_fed_by_sata", "feed", "sata")
is_among("riser.is_fed_by_molex", "feed", "molex")


@graph("riser.is_powered", TRUTH)
def is_powered(riser: Subject, ask: Ask) -> bool | None:
    """Does a PSU cable of its own power its slot? Extenders on a USB cable carry no power."""
    feed = ask("riser.feed", riser)
    if feed is None:
        return True if ask("riser.kind", riser) == "usb" else None
    answer: bool = feed != "none"
    return answer


@graph("riser.has_card_plug", TRUTH)
def has_card_plug(riser: Subject, ask: Ask) -> bool:
    """Does it take a plug of the kinds that feed GPUs?"""
    return ask("riser.feed", riser) not in (None, "none", *DRIVE_PLUGS)


@graph("riser.plugs_without_cable", units.NUMBER)
def riser_plugs_without_cable(riser: Subject, ask: Ask) -> Any:
    """Its sockets for which its PSU has no cable left."""
    cabled = ask.graph.into("cabled", riser)
    if not cabled:
        return None
    ask("psu.plugs", ask.graph.subjects[cabled[0].start])
    return unfed(cabled[0], ask, ONE)


# -- several risers on one PSU cable --------------------------------------


@graph("riser.feed_rating", units.POWER)
def feed_rating(riser: Subject, ask: Ask) -> Any:
    """Rated power of the plug that powers the riser, in W; None if it has none."""
    feed = ask("riser.feed", riser)
    return None if feed in (None, "none") else rating_of(feed, ask)


def _chain(riser: Subject, ask: Ask) -> int:
    """Risers on its PSU cable; without a PSU, every one listed as chained."""
    cabled = ask.graph.into("cabled", riser)
    if not cabled:
        return sum(ask("riser.is_chained", r) for r in ask.graph.of("riser"))
    first, psu = cabled[0].data.get("chain"), ask.graph.subjects[cabled[0].start]
    return sum(e.data.get("chain") == first for e in ask.graph.out("cabled", psu)) if first else 1


@graph("riser.chain_count", units.NUMBER)
def chain_count(riser: Subject, ask: Ask) -> Interval:
    """Risers that share its PSU cable, itself included."""
    return exact(float(_chain(riser, ask)))


@graph("riser.chain_load", units.POWER)
def chain_load(riser: Subject, ask: Ask) -> Interval:
    """12 V that the GPUs on the risers of its chain take through their slots.

    Which GPU is on which riser is not stated: at least those that draw least, at most those
    that draw most, and at least as many as find no riser outside the chain.
    """
    every = ask.graph.of("gpu")
    mounted = [card for card in every if ask("gpu.is_on_riser", card)]
    draws = [ask.number("gpu.slot_draw_now", card) for card in mounted or every]
    chained = _chain(riser, ask)
    least = max(0, len(mounted) - (len(ask.graph.of("riser")) - chained))
    lows, highs = (sorted(d.low for d in draws), sorted((d.high for d in draws), reverse=True))
    return Interval(sum(lows[:least]), sum(highs[:chained]))
