"""Several PSUs in one machine: what is connected to which, and what they share."""

import math

from buildcheck import units
from buildcheck.facts.registry import TRUTH, Ask, graph, relation
from buildcheck.logic.interval import either
from buildcheck.logic.quantity import ONE, ZERO, Interval
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject


def _shares(psu: Subject) -> bool:
    return psu.value("shares_output") is True


@relation
def together(psu: Subject, ask: Ask) -> list[Subject]:
    """The PSU and those in parallel with it on a distribution board.

    Redundant PSUs are in parallel with all, as a spare takes over from any; where one of several is
    stated to feed a GPU, each is on a board of its own.
    """
    supplies = ask.graph.of("psu")
    if any(s.value("redundant") is True for s in supplies):
        return list(supplies)
    bus = [s for s in supplies if _shares(s)] if _shares(psu) else [psu]
    apart = any(edge.data["pinned"] for s in bus for edge in ask.graph.out("feeds", s))
    return [psu] if apart else bus


@graph("psu._part", units.NUMBER)
def part(psu: Subject, ask: Ask) -> Interval:
    """Its part of what the PSUs in parallel carry: that of its rating in theirs.

    Spares carry nothing, unless all are: what they give while all works does not add up.
    """
    supplies = ask.graph.of("psu")
    spares = {s.id for s in supplies if s.value("redundant") is True}
    carriers = {s.id for s in supplies} - spares or spares
    if psu.id not in carriers:
        return ZERO
    others = [s for s in together(psu, ask) if s.id != psu.id and s.id in carriers]
    if not others:
        return ONE
    own = ask.number("psu.rated_power", psu)
    rest = add_up([ask.number("psu.rated_power", other) for other in others])
    return Interval(_fraction(own.low, rest.high), _fraction(own.high, rest.low, unknown=1.0))


def _fraction(own: float, rest: float, unknown: float = 0.0) -> float:
    whole = own + rest
    return unknown if not whole or math.isinf(whole) else own / whole


@relation
def drawing(psu: Subject, ask: Ask) -> list[Subject]:
    """The GPUs that draw from it: its own, and from that of the board those with another."""
    cards = ask.graph.of("card") if ask.graph.out("runs", psu) else []
    others = [c for c in cards if ask("gpu.has_psu_apart_from_board", c)]
    return [*ask.graph.ends("feeds", psu), *others]


@relation
def fed(psu: Subject, ask: Ask) -> list[Subject]:
    """The GPUs on it, or on any PSU in parallel with it."""
    return [card for s in together(psu, ask) for card in ask.graph.ends("feeds", s)]


@graph("build.has_board_feed", TRUTH)
def has_board_feed(build: Subject, ask: Ask) -> bool | None:
    """Has any PSU the 24-pin plug of a board?

    A server PSU has a card edge alone. The cage of a closed case has a distribution board with
    the plugs, an open frame has none unless they are stated.
    """
    answers: list[bool | None] = []
    for psu in ask.graph.of("psu"):
        fact = psu.facts.get("plugs")
        if not _shares(psu) or ask.graph.out("stocks", psu):
            answers.append(True)
        elif fact and fact.confidence != "typical":
            answers.append(ZERO.is_below(fact.value.get("atx-24-pin", ZERO)))
        else:
            is_open = ask("case.is_open", ask.graph.the("case"))
            answers.append(None if is_open is None else not is_open)
    return either(answers)


@graph("build.has_mixed_psus", TRUTH)
def has_mixed_psus(build: Subject, ask: Ask) -> bool | None:
    """Are there PSUs of different models, unless all are in parallel by design?

    Entries with neither a name nor different ratings may be of one model: None.
    """
    supplies = ask.graph.of("psu")
    if all(map(_shares, supplies)):
        return False
    if len({(s.part or s.name, ask("psu.rated_power", s)) for s in supplies}) > 1:
        return True
    is_named = all(s.part or (s.near is not None and not s.could_be) for s in supplies)
    return False if is_named or len({s.path for s in supplies}) == 1 else None


@graph("build.power_with_one_failed", units.POWER)
def power_with_one_failed(build: Subject, ask: Ask) -> Interval:
    """Sustained output of the PSUs when the largest has failed, or a circuit of several has."""
    usable = [ask.number("psu.usable_power", s) for s in ask.graph.ends("powered_by", build)]
    lows, highs = sorted(u.low for u in usable), sorted(u.high for u in usable)
    circuits = ask("circuit.circuits")
    lost = 1 if circuits is None else math.ceil(len(usable) / circuits.low)
    left = len(usable) - (lost if lost < len(usable) else 1)
    return Interval(sum(lows[:left]), sum(highs[:left]))


@graph("gpu.has_psu_apart_from_board", TRUTH)
def has_psu_apart_from_board(card: Subject, ask: Ask) -> bool:
    """Are its sockets connected to another PSU than the board, and not one in parallel with it?"""
    feeders = ask.graph.into("feeds", card)
    runners = ask.graph.into("runs", ask.graph.the("motherboard"))
    if not feeders or not runners or ask("gpu.plugs", card) == {}:
        return False
    feeder, runner = (ask.graph.subjects[e[0].start] for e in (feeders, runners))
    return runner.id not in {s.id for s in together(feeder, ask)}


@graph("gpu.is_fed_by_two", TRUTH)
def is_fed_by_two(card: Subject, ask: Ask) -> bool | None:
    """Are its sockets, or its sockets and its powered riser, connected to different PSUs?"""
    if ask("gpu.split_feed", card) is True:
        return True
    feeders = ask.graph.into("feeds", card)
    if len(ask.graph.of("psu")) <= 1 or not feeders or not ask("gpu.is_on_riser", card):
        return False
    return _lacks_riser(ask.graph.subjects[feeders[0].start], ask)


def _lacks_riser(psu: Subject, ask: Ask) -> bool | None:
    """Are GPUs on this PSU on risers that are stated to be powered by another one?

    Which riser serves which GPU is not stated, so risers go to GPUs of their own PSU first; those
    whose PSU is not stated, or that have no power of their own, go to any.
    """
    mounted = [c for c in ask.graph.of("card") if ask("gpu.is_on_riser", c)]
    risers = ask.graph.of("riser")
    powered = [riser for riser in risers if ask("riser.is_powered", riser)]
    powers = [edge for riser in powered for edge in ask.graph.into("powers", riser)]
    stated = [edge for edge in powers if edge.data["pinned"]]
    free = max(len(mounted), len(risers)) - len(stated)
    lacks, on = {}, {}
    for other in ask.graph.of("psu"):
        on[other.id] = sum(card in mounted for card in ask.graph.ends("feeds", other))
        alike = {s.id for s in together(other, ask)}
        lacks[other.id] = on[other.id] - sum(edge.start in alike for edge in stated)
    if lacks[psu.id] <= 0 or sum(max(0, n) for n in lacks.values()) <= free:
        return False
    return True if not free and lacks[psu.id] == on[psu.id] else None
