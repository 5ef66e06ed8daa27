"""Where everything is placed and what connects it: slots, lanes, cables, circuits, heat."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from buildcheck.logic.quantity import Interval, total
from buildcheck.model.answer import Figure, figure
from buildcheck.model.board import M2, Slot
from buildcheck.model.finding import VERDICTS, Report
from buildcheck.model.graph import Subject
from buildcheck.report.placement_answer import (
    CircuitAnswer,
    DriveAnswer,
    HeatAnswer,
    PlacementAnswer,
    PowerAnswer,
    SeatAnswer,
    SlotAnswer,
)
from buildcheck.report.values import figure_of
from buildcheck.units import CURRENT, LENGTH, POWER

#: What a GPU draws its slot power from: the slot of the board, or the plug of its riser.
SLOT, RISER = "slot", "riser"
#: The fact that rules judge temperatures by.
_JUDGED = "gpu.thermal_loss"


def placement_answer(report: Report, *, detail: bool = False) -> PlacementAnswer:
    """Slot assignment, power tree and drives of a build; in detail all that drawings need."""
    answer = PlacementAnswer(
        seats=tuple(_seat(report, card) for card in chain(*map(report.graph.of, ("gpu", "addin")))),
        drives=tuple(
            DriveAnswer(e.start, report.graph.subjects[e.start].name, e.data["socket"])
            for e in report.graph.edges
            if e.kind == "plugged"
        ),
        power=tuple(_power(report)),
    )
    if not detail:
        return answer
    board, case = report.graph.the("motherboard"), report.graph.the("case")
    openings, facts = case.value("expansion_slots"), report.facts
    return replace(
        answer,
        slots=tuple(map(_slot, board.value("slots") or ())),
        sockets=tuple(map(_slot, board.value("m2_slots") or ())),
        circuit=_circuit(report),
        heat=tuple(_heat(report, gpu) for gpu in report.graph.of("gpu")),
        expansion_slots=int(openings.high) if openings and openings.is_known else None,
        gpu_length_max=figure(case.value("card_length_max"), LENGTH),
        slot_pitch=figure_of(facts, "standard.slot_pitch"),
        cpu_lanes_used=figure_of(facts, "build.cpu_lanes_used"),
        cpu_lanes=figure_of(facts, "cpu.all_lanes"),
    )


def _seat(report: Report, card: Subject) -> SeatAnswer:
    facts, is_gpu = report.facts, card.kind == "gpu"
    seats = report.graph.out("seated", card)
    seat = seats[0].data if seats else {}
    below = report.graph.out("above", card)
    last = facts("gpu.last_expansion_slot", card) if is_gpu else None
    position, gap = seat.get("position"), facts("gpu.gap", card) if is_gpu else None
    return SeatAnswer(
        subject=card.id,
        kind=card.kind,
        name=card.name,
        slot=seat.get("slot"),
        position=position,
        last_position=math.ceil(last.high) if position and last and last.is_known else position,
        lanes=figure_of(facts, f"{card.kind}.link_lanes", card),
        gen=figure_of(facts, f"{card.kind}.link_gen", card),
        owner=seat.get("owner"),
        is_riser_mounted=bool(is_gpu and facts("gpu.is_riser_mounted", card)),
        is_vertical=bool(is_gpu and facts("gpu.vertical", card)),
        length=figure_of(facts, "gpu.length", card) if is_gpu else None,
        thickness=figure_of(facts, f"{card.kind}.thickness", card),
        cooling=facts("gpu.cooling", card) if is_gpu else None,
        sustained_power=figure_of(facts, "gpu.sustained_power", card) if is_gpu else None,
        next_card=below[0].end if below else None,
        gap=figure(gap, LENGTH) if isinstance(gap, Interval) and gap.is_known else None,
    )


def _slot(slot: Slot | M2) -> SlotAnswer:
    position = getattr(slot, "position", None)
    return SlotAnswer(slot.label, position, figure(slot.lanes), figure(slot.gen), slot.owner)


def _power(report: Report) -> Iterator[PowerAnswer]:
    """Every connection from the wall to the GPUs: mains first, then cables, then slots."""
    graph, facts = report.graph, report.facts
    for ups in graph.of("ups"):
        if ups.listed:
            load, current = facts("ups.load", ups), facts("ups.current", ups)
            yield _edge("site", ups.id, "plug", load, current)
    for psu in graph.of("psu"):
        watts, amps = facts("psu.input_power", psu), facts("psu.input_current", psu)
        start = "ups" if graph.into("backs", psu) else "site"
        yield _edge(start, psu.id, facts("psu.inlet", psu) or "mains cord", watts, amps)
        if graph.out("runs", psu):
            # What GPUs draw through their slots comes to the board by these cables.
            watts = facts("psu.system_power", psu) + facts.number("motherboard.card_slot_power")
            amps = _board_current(report, psu)
            yield _edge(psu.id, "motherboard", "board cables", watts, amps)
        for cable in graph.out("cabled", psu):
            card = graph.subjects[cable.end]
            if card.kind == "gpu":
                watts, amps = facts("gpu.cable_power", card), facts("gpu.cable_current", card)
                yield _edge(psu.id, card.id, cable.data["output"], watts, amps)
    for card in graph.of("gpu"):
        watts, amps = facts("gpu.slot_draw_now", card), facts("gpu.slot_current", card)
        if facts("gpu.draws_from_board", card) is False:
            yield _edge(_riser_feeder(report, card), card.id, RISER, watts, amps)
        elif graph.out("seated", card):
            yield _edge("motherboard", card.id, SLOT, watts, amps)


def _edge(
    start: str, end: str, by: str, watts: Interval | None, amps: Interval | None
) -> PowerAnswer:
    return PowerAnswer(start, end, by, figure(watts, POWER), figure(amps, CURRENT))


def _riser_feeder(report: Report, card: Subject) -> str:
    """The PSU that powers a GPU's riser: that of all risers, else that of the GPU."""
    graph = report.graph
    every = {e.start for riser in graph.of("riser") for e in graph.into("powers", riser)}
    own = [e.start for e in graph.into("feeds", card)]
    return every.pop() if len(every) == 1 else own[0] if own else "psus[0]"


def _board_current(report: Report, psu: Subject) -> Interval | None:
    """Current of the board, and through all slots that it powers, at 12 V."""
    facts = report.facts
    cards = (c for c in report.graph.of("gpu") if facts("gpu.draws_from_board", c) is not False)
    amps = [facts("psu.system_current", psu), *(facts("gpu.slot_current", c) for c in cards)]
    return None if None in amps else total(amps)


def _circuit(report: Report) -> CircuitAnswer:
    facts, circuit = report.facts, report.graph.the("circuit")
    several = facts("circuit.is_one_of_several", circuit)
    pinned = {e.end: e.data.get("circuit") for e in report.graph.out("supplies", circuit)}
    names = ("voltage", "breaker", "current", "worst_current", "continuous_current", "heat")
    return CircuitAnswer(
        outlet=facts("circuit.outlet", circuit),
        **{n: figure_of(facts, f"circuit.{n}", circuit) for n in (*names, "heat_btu_per_hour")},
        circuits=int(facts("circuit.circuits", circuit).low) if several else 1,
        psus={p: n for p, n in pinned.items() if n is not None} or None if several else None,
    )


def _heat(report: Report, gpu: Subject) -> HeatAnswer:
    facts = report.facts
    rises = [facts(f"gpu.{name}_rise", gpu) for name in ("case", "neighbour")]
    verdicts = {
        f.verdict for f in report.findings if f.subject == gpu.id and _JUDGED in f.rule.require
    }
    rise = rises[0] + rises[1] if all(r and r.is_known for r in rises) else None
    return HeatAnswer(
        gpu.id,
        gpu.name,
        figure_of(facts, "gpu.temperature", gpu),
        figure_of(facts, "gpu.throttle_temperature", gpu),
        Figure(round(rise.low, 1), round(rise.high, 1), "K") if rise else None,
        next((v for v in VERDICTS if v in verdicts), None),
    )
