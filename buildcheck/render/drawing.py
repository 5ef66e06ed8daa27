"""The slot map: where cards, gaps and openings are, in drawing units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from buildcheck.model.quantity import number_text

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject
    from buildcheck.model.kinds import Slot

#: Drawing units per millimetre, across (length of a card) and down (its thickness).
ACROSS, DOWN = 1.6, 2.0
LEFT, TOP, SIDE = 190.0, 34.0, 150.0
#: Drawn in mm for a card whose length nobody gave; the drawing says so.
NO_LENGTH = 267.0


@dataclass(frozen=True)
class Box:
    """A card: its place, its thin and thick outline, and what is written on it."""

    y: float
    width: float
    height: float
    height_most: float
    title: str
    detail: str
    gap: str
    gap_y: float


@dataclass(frozen=True)
class Row:
    """One bracket opening, with the slot that lies there, if any."""

    number: int
    y: float
    height: float
    label: str
    in_case: bool


@dataclass(frozen=True)
class SlotMap:
    """The whole drawing; `why_not` says why there is none."""

    rows: tuple[Row, ...] = ()
    boxes: tuple[Box, ...] = ()
    width: float = 0.0
    height: float = 0.0
    why_not: str = ""
    left: float = LEFT


def slot_map(report: Report) -> SlotMap:
    """The map of a build; empty, with the reason, if slot positions are not known."""
    graph, facts = report.graph, report.facts
    slots = graph.the("motherboard").value("slots")
    if not slots:
        return SlotMap(why_not="The slots of the motherboard are not known.")
    if not any(s.position for s in slots):
        return SlotMap(
            why_not="Which bracket openings the slots of this board lie at is not known."
        )
    pitch = facts.number("standard.slot_pitch").low * DOWN
    openings = graph.the("case").value("expansion_slots")
    boxes = tuple(b for c in graph.of("gpu") if (b := _box(c, report, pitch)) is not None)
    if not boxes:
        return SlotMap(
            why_not="No card sits in a slot of known place; cards on risers are in the table."
        )
    count = int(
        max(
            [
                7,
                *(s.position or 0 for s in slots),
                openings.high if openings else 0,
                *((b.y - TOP + b.height_most) / pitch + 0.99 for b in boxes),
            ]
        )
    )
    rows = tuple(
        _row(n, slots, pitch, openings.high if openings else None) for n in range(1, count + 1)
    )
    width = LEFT + max((b.width for b in boxes), default=200.0) + SIDE
    return SlotMap(rows, boxes, width, TOP + count * pitch + 20)


def _row(number: int, slots: tuple[Slot, ...], pitch: float, openings: float | None) -> Row:
    here = next((s for s in slots if s.position == number), None)
    label = ""
    if here is not None:
        lanes = f"x{number_text(here.lanes.high)}" if here.lanes else "lanes not known"
        label = f"{here.label}: {lanes}" + (f" Gen{number_text(here.gen.high)}" if here.gen else "")
    return Row(
        number, TOP + (number - 1) * pitch, pitch, label, openings is None or number <= openings
    )


def _box(card: Subject, report: Report, pitch: float) -> Box | None:
    facts = report.facts
    seats = report.graph.out("seated", card)
    if not seats or seats[0].data["position"] is None or facts("gpu.is_on_riser", card):
        return None
    thickness, length, gap = (
        facts("gpu.thickness", card),
        facts("gpu.length", card),
        facts("gpu.gap", card),
    )
    lanes, gen = facts("gpu.link_lanes", card), facts("gpu.link_gen", card)
    thin, thick = (thickness.low, thickness.high) if thickness else (pitch / DOWN, pitch / DOWN)
    y = TOP + (seats[0].data["position"] - 1) * pitch
    link = (
        f"x{number_text(lanes.low)} Gen{number_text(gen.low)}"
        if lanes and gen and lanes.is_exact and gen.is_exact
        else "link not known"
    )
    power = facts("gpu.sustained_power", card)
    watts = f", {number_text(power.low)} W" if power and power.is_exact else ""
    unsaid = "".join(
        f", {what} not known"
        for what, size in (("thickness", thickness), ("length", length))
        if size is None
    )
    words = f"{_range(gap.low, gap.high)} mm of air" if gap.is_known else ""
    return Box(
        y + 2,
        (length.high if length else NO_LENGTH) * ACROSS,
        thin * DOWN - 4,
        max(thin, thick) * DOWN - 4,
        f"{card.id} {card.name}",
        f"{link}{watts}{unsaid}",
        words,
        y + (thin + thick) * DOWN / 2,
    )


def _range(low: float, high: float) -> str:
    a, b = number_text(low), number_text(high)
    return a if a == b else f"{a}..{b}"
