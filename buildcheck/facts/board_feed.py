"""The board's own plugs: what feeds CPU and slots, and what they take from it."""

import math
from typing import Any

from buildcheck import units
from buildcheck.facts.plugs import EPS, rating_of, unfed
from buildcheck.facts.registry import Ask, graph
from buildcheck.logic.quantity import ONE, UNKNOWN, ZERO, Interval
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject

# -- the CPU's plugs ---------------------------------------------------------


@graph("motherboard.cpu_plugs_fed", units.NUMBER)
def cpu_plugs_fed(board: Subject, ask: Ask) -> Any:
    """EPS sockets for which its PSU has a cable; one at least, or nothing would start.

    Where the number of sockets is a guess, a board for the CPU has as many as that needs.
    """
    cabled = ask.graph.into("board_cabled", board)
    plugs = ask("motherboard.plugs", board)
    if plugs is None or not cabled:
        return None
    heads = (ask("psu.plugs", ask.graph.subjects[cabled[0].start]) or {}).get(EPS, ZERO)
    sockets, data = plugs.get(EPS, ZERO), cabled[0].data
    if not sockets.is_exact or board.facts["plugs"].is_usual:
        needed = math.ceil(ask.number("cpu.plug_power").low / ask.number("standard.eps_rating").low)
        fed = max(ONE.low, float(data["with"].get(EPS, 0)), min(float(needed), heads.low))
        return Interval(fed, max(sockets.high, fed))
    ends = (data["with"].get(EPS, 0), sockets.high - data["lacking"].get(EPS, 0))
    return Interval(*sorted(max(ONE.low, float(end)) for end in ends))


# -- what feeds the slots ----------------------------------------------------


@graph("motherboard.slot_plugs_unfed", units.NUMBER)
def slot_plugs_unfed(board: Subject, ask: Ask) -> Any:
    """Number of slot power plugs for which its PSU has no cable left."""
    fed, there = ask.graph.into("slot_fed", board), ask("motherboard.slot_plugs", board)
    return unfed(fed[0], ask, there) if fed else None


@graph("motherboard.slot_feed_extra", units.POWER)
def slot_feed_extra(board: Subject, ask: Ask) -> Interval:
    """Power of the extra slot sockets that have a cable, in W."""
    plugs = ask("motherboard.slot_power_plugs", board)
    if plugs is None:
        return UNKNOWN
    ratings = {c: rating_of(c, ask) or UNKNOWN for c in plugs}
    whole = add_up([n * ratings[c] for c, n in plugs.items()])
    without = ask("motherboard.slot_plugs_unfed", board)
    if without is None:
        return whole.hull(ZERO)
    if not without.high:
        return whole
    # At worst every socket is there and those of the kinds named go without.
    lacking = ask.graph.into("slot_fed", board)[0].data["lacking"]
    left = sum((n.high - lacking.get(c, 0)) * ratings[c].low for c, n in plugs.items())
    least = 0.0 if without.high >= ask("motherboard.slot_plugs", board).high else left
    surely_lost = without.low * min(rating.low for rating in ratings.values())
    return Interval(min(whole.low, least), max(0.0, whole.high - surely_lost))
