"""The rear of the machine: bracket openings, what sits in each, the air between the cards.

Brackets at the left as they are seen from behind, and beside each its card from the side, to
scale: length across, thickness down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from buildcheck.model.quantity import ends_text, number_text
from buildcheck.render.data import slot_rows
from buildcheck.render.drawings.pen import Drawing, Pen, Table
from buildcheck.wording import show_value

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject
    from buildcheck.model.kinds import Slot
    from buildcheck.model.quantity import Interval

#: Drawing units per millimetre, across (length of a card) and down (its thickness).
ACROSS, DOWN = 1.4, 2.0
#: Where openings, brackets and cards begin, and how wide the column of air is.
_LEFT, _BRACKET, _CARD, _AIR = 8.0, 250.0, 282.0, 190.0
_TOP, _BETWEEN = 34.0, 46.0
#: Drawn in mm for a card whose length or thickness nobody gave; the drawing says so.
NO_LENGTH = 267.0
#: The height of two lines of writing.
_TWO_LINES = 34.0
#: A tower has seven openings; fewer are not drawn.
_LEAST_OPENINGS = 7
#: Cards that are no GPUs, in mm, where nobody says; usual low and short cards.
_SMALL_LENGTH, _SMALL_THICKNESS = 168.0, 18.7

#: What each kind of cooler does with the air.
_AIR_WORDS = {
    "blower": "blows out at the rear",
    "open-air": "blows into the case",
    "flow-through": "blows through, upwards",
    "passive": "needs air pushed through",
    "hybrid": "heat goes to its radiator",
    "water": "heat goes to the loop",
}


@dataclass(frozen=True)
class _Place:
    """A card to draw: where, how large, and what is written on it."""

    card: Subject
    y: float
    length: float
    thin: float
    thick: float
    words: str
    covers: range


def slot_map(report: Report) -> Drawing:
    """The map of a build; without a picture, and with the reason, where places are not known."""
    table = _table(report)
    board = report.graph.the("motherboard")
    slots = board.value("slots")
    if not slots:
        return _without("The slots of the motherboard are not known.", table)
    if not any(s.position for s in slots):
        return _without(
            "Which bracket openings the slots of this board lie at is not known.", table
        )
    pitch = report.facts.number("standard.slot_pitch").low * DOWN
    places = _places(report, pitch)
    if not places:
        return _without("No card sits in a slot of known place; all are in the table.", table)
    return _drawn(report, slots, pitch, places, table)


def _without(why: str, table: Table) -> Drawing:
    return Drawing("slots", "Slot map", "", table, why_not=why)


def _drawn(
    report: Report, slots: tuple[Slot, ...], pitch: float, places: list[_Place], table: Table
) -> Drawing:
    openings = report.graph.the("case").value("expansion_slots")
    lowest = [s.position or 0 for s in slots] + [p.covers.stop - 1 for p in places]
    count = int(max(_LEAST_OPENINGS, *lowest, openings.high if openings else 0))
    width = _CARD + max(p.length for p in places) * ACROSS + _AIR
    pen = Pen()
    pen.write(_LEFT, 20, "Opening and slot", "head")
    pen.write(_BRACKET, 20, "Rear", "head", to="start")
    pen.write(_CARD + 20, 20, "Cards from the side; the CPU is above", "head")
    pen.write(width - 8, 20, "Air", "head", to="end")
    for number in range(1, count + 1):
        inside = openings is None or number <= openings.high
        _opening(pen, number, (slots, places), pitch, width, inside=inside)
    _longest(pen, report, count * pitch)
    for place in places:
        _card(pen, report, place, width)
    bottom = _TOP + count * pitch + 8
    bottom = _away(pen, report, bottom)
    return Drawing(
        "slots",
        f"Slot map of {report.name}",
        "Bracket openings from the CPU downwards, with the slot at each, its bracket, and its "
        "card to scale. The table says the same in words.",
        table,
        width,
        bottom + 6,
        tuple(pen.shapes),
        key=_key(places, openings is not None and count > openings.high),
    )


def _key(places: list[_Place], beyond: bool) -> tuple[tuple[str, str], ...]:
    found = [("card", "card"), ("covered", "opening covered by the card above")]
    if any(p.thick > p.thin for p in places):
        found.append(("card-most", "as thick as it may be"))
    if beyond:
        found.append(("no-opening", "no opening in the case"))
    return tuple(found)


def _opening(
    pen: Pen,
    number: int,
    what: tuple[tuple[Slot, ...], list[_Place]],
    pitch: float,
    width: float,
    *,
    inside: bool,
) -> None:
    slots, places = what
    y = _TOP + (number - 1) * pitch
    pen.box(4, y, width - 8, pitch, "opening" if inside else "no-opening")
    pen.write(_LEFT + 2, y + 16, str(number), "strong")
    room = _BRACKET - _LEFT - 54
    here = next((s for s in slots if s.position == number), None)
    if here is not None:
        pen.write(_LEFT + 24, y + 16, _slot_words(here), "small", room=room)
    elif not inside:
        pen.write(_LEFT + 24, y + 16, "no opening in the case", "small", room=room)
    cover = next((p for p in places if number in p.covers), None)
    if cover is None:
        return
    first = number == cover.covers.start
    pen.box(_BRACKET, y + 2, 22, pitch - 4, "bracket" if first else "covered")
    if here is not None and not first:
        pen.write(_LEFT + 24, y + 31, f"covered by {cover.card.id}", "small lost", room=room)


def _slot_words(slot: Slot) -> str:
    lanes = f"x{number_text(slot.lanes.high)}" if slot.lanes else "lanes not known"
    gen = f" Gen{number_text(slot.gen.high)}" if slot.gen else ""
    return f"{slot.label}: {lanes}{gen}"


def _longest(pen: Pen, report: Report, height: float) -> None:
    """The longest card that the case takes, as a line down the map."""
    longest = report.graph.the("case").value("card_length_max")
    lengths = [report.facts("gpu.length", c) for c in report.graph.of("gpu")]
    drawn = max((v.high for v in lengths if v), default=NO_LENGTH)
    if longest and longest.low <= drawn + _AIR / ACROSS / 2:
        x = _CARD + longest.low * ACROSS
        pen.line("limit", (x, _TOP), (x, _TOP + height))


def _card(pen: Pen, report: Report, place: _Place, width: float) -> None:
    x, y, length = _CARD, place.y + 2, place.length * ACROSS
    thin, thick = place.thin * DOWN - 4, place.thick * DOWN - 4
    small = "" if place.card.kind == "gpu" else " other"
    if thick > thin:
        pen.box(x, y, length, thick, "card-most")
    pen.box(x, y, length, thin, f"card{small}")
    room = length - 20
    pen.write(x + 10, y + 15, f"{place.card.id} {place.card.name}", "strong", room=room)
    if thin > _TWO_LINES:
        pen.write(x + 10, y + 31, place.words, "small", room=room)
    if place.card.kind != "gpu":
        return
    kind = report.facts("gpu.cooling", place.card)
    right = x + length
    if kind in _AIR_WORDS:
        middle = y + thin / 2 + 4
        pen.write(right + 22, middle, _AIR_WORDS[kind], "small aside", room=width - right - 26)
    _flow(pen, kind, (x, right), (y, y + thin))
    gap = report.facts("gpu.gap", place.card)
    if gap.is_known:
        _gap(
            pen, gap, right, (y + thin + 2, place.y + place.thin * DOWN + max(gap.low, 0.0) * DOWN)
        )


def _flow(
    pen: Pen, kind: str | None, across: tuple[float, float], down: tuple[float, float]
) -> None:
    """Which way the air goes, as arrows at the ends of a card."""
    (_, right), (y, bottom) = across, down
    middle = (y + bottom) / 2
    if kind in ("blower", "open-air", "flow-through"):
        pen.arrow("air", (right - 34, bottom + 3), (right - 34, bottom - 12))
    if kind in ("blower", "passive"):
        pen.arrow("air", (_BRACKET - 2, y + 12), (_BRACKET - 22, y + 12))
    if kind == "open-air":
        pen.arrow("air", (right - 2, middle), (right + 18, middle))
    elif kind == "flow-through":
        pen.arrow("air", (right - 16, bottom - 4), (right - 16, y - 6))
    elif kind == "passive":
        pen.arrow("air", (right + 18, middle), (right - 2, middle))


def _gap(pen: Pen, gap: Interval, right: float, ends: tuple[float, float]) -> None:
    """The air below a card, as a measure between two ticks."""
    x = right + 8
    top, bottom = ends
    for y in (top, bottom):
        pen.line("measure", (x - 4, y), (x + 4, y))
    if bottom > top:
        pen.line("measure", (x, top), (x, bottom))
    words = ends_text(gap)
    pen.write(x + 14, (top + bottom) / 2 + 4, f"{words} mm of air", "small aside")


def _away(pen: Pen, report: Report, y: float) -> float:
    """Cards that stand or hang somewhere else, in a strip below; where it ends."""
    cards = [c for c in report.graph.of("gpu") if report.facts("gpu.hangs", c)]
    if not cards:
        return y
    pen.write(_LEFT, y + 14, "Away from the board", "head")
    y += 22
    for card in cards:
        length = report.facts("gpu.length", card)
        across = (length.high if length else NO_LENGTH) * ACROSS
        pen.line("riser", (_BRACKET + 11, y + 20), (_CARD, y + 20))
        seats = report.graph.out("seated", card)
        slot = seats[0].data["slot"] if seats else "slot not known"
        pen.write(_LEFT + 2, y + 24, f"from {slot}", "small", room=_BRACKET - _LEFT)
        pen.box(_CARD, y, across, _BETWEEN - 8, "card away")
        pen.write(_CARD + 10, y + 15, f"{card.id} {card.name}", "strong", room=across - 20)
        how = "in a vertical bracket" if report.facts("gpu.vertical", card) else "on a riser"
        words = f"{how}, {_link(report, card)}, {_held(report, card)}"
        pen.write(_CARD + 10, y + 31, words, "small", room=across - 20)
        y += _BETWEEN
    return y


def _places(report: Report, pitch: float) -> list[_Place]:
    found = []
    for card in (*report.graph.of("gpu"), *report.graph.of("addin")):
        seats = report.graph.out("seated", card)
        position = seats[0].data["position"] if seats else None
        away = card.kind == "gpu" and report.facts("gpu.hangs", card)
        if position is not None and not away:
            found.append(_place(report, card, position, pitch))
    return found


def _place(report: Report, card: Subject, position: int, pitch: float) -> _Place:
    facts = report.facts
    is_gpu = card.kind == "gpu"
    thickness = facts(f"{card.kind}.thickness", card)
    length = facts("gpu.length", card) if is_gpu else None
    usual = pitch / DOWN if is_gpu else _SMALL_THICKNESS
    last = facts("gpu.last_opening", card) if is_gpu else None
    unsaid = [n for n, size in (("thickness", thickness), ("length", length)) if size is None]
    words = [_link(report, card), *([_held(report, card)] if is_gpu else [])]
    words += [f"{n} not known" for n in unsaid] if is_gpu else []
    return _Place(
        card,
        _TOP + (position - 1) * pitch,
        length.high if length else NO_LENGTH if is_gpu else _SMALL_LENGTH,
        thickness.low if thickness else usual,
        thickness.high if thickness else usual,
        ", ".join(words),
        range(position, int(math.ceil(last.high) if last and last.is_known else position) + 1),
    )


def _link(report: Report, card: Subject) -> str:
    lanes, gen = (report.facts(f"{card.kind}.link_{n}", card) for n in ("lanes", "gen"))
    if not (lanes and gen and lanes.is_known and gen.is_known):
        return "link not known"
    return f"x{ends_text(lanes)} Gen{ends_text(gen)}"


def _held(report: Report, card: Subject) -> str:
    power = report.facts("gpu.sustained_power", card)
    return f"{ends_text(power)} W" if power else "power not known"


def _table(report: Report) -> Table:
    """Where each card sits, in words."""
    head = ("Card", "Slot", "Opening", "Lanes", "Generation", "Lanes from", "Cooler", "Air below")
    rows = []
    for seat in slot_rows(report):
        card = report.graph.subjects[seat["card"]]

        def say(name: str, card: Subject = card) -> str:
            return show_value(report.facts(f"{card.kind}.{name}", card), ())

        rows.append(
            (
                f"{card.id} {card.name}",
                seat["slot"] or "not known",
                _openings(report, card, seat["position"]),
                say("link_lanes"),
                say("link_gen"),
                seat["owner"] or "not known",
                _cooler(report, card),
                _air(report, card, seat),
            )
        )
    return Table("Where each card sits", head, tuple(rows))


def _openings(report: Report, card: Subject, position: int | None) -> str:
    if card.kind == "gpu" and report.facts("gpu.hangs", card):
        return "in a vertical bracket" if report.facts("gpu.vertical", card) else "on a riser"
    if position is None:
        return "not known"
    last = report.facts("gpu.last_opening", card) if card.kind == "gpu" else None
    end = int(last.high) if last else position
    return str(position) if end == position else f"{position} to {end}"


def _cooler(report: Report, card: Subject) -> str:
    kind = report.facts("gpu.cooling", card) if card.kind == "gpu" else None
    if card.kind != "gpu":
        return "none asked"
    return f"{kind}: {_AIR_WORDS[kind]}" if kind in _AIR_WORDS else "not known"


def _air(report: Report, card: Subject, seat: dict[str, object]) -> str:
    if card.kind != "gpu":
        return "not looked at"
    if report.facts("gpu.hangs", card):
        return "away from the board"
    if seat["slot"] and not seat["next_card"]:
        return "no card below"
    gap = report.facts("gpu.gap", card)
    return f"{ends_text(gap)} mm" if gap.is_known else "not known"
