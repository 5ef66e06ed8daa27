"""The slot map: expansion slots from the CPU down, and every GPU from the side, to scale.

It is narrow enough for a phone. What fails is red and hatched, what is likely to hatched in
dashes; what does not fit is drawn where it would be.
"""

from typing import NamedTuple

from buildcheck.model.answer import link
from buildcheck.model.labels import subject_label
from buildcheck.render.drawings.pen import WIDTH, Drawing, Pen, folded, width_of
from buildcheck.report.answer import BuildAnswer
from buildcheck.report.placement_answer import SeatAnswer, SlotAnswer

_LEFT, _CARD, _TOP = 30.0, 160.0, 6.0
#: Drawing units per millimetre down, and the height of a card away from the board.
_DOWN, _AWAY = 1.65, 56.0
#: Drawn in mm where the length of a GPU is not known, and for other cards.
_LENGTH, _OTHER_LENGTH = 267.0, 168.0
#: How much longer than the longest GPU the map is, and the height of a line of text.
_SPARE, _LINE = 1.08, 14.0
#: A tower has seven expansion slots; fewer are not drawn.
_LEAST_SLOTS = 7
#: The fact that says how many GPUs have no slot.
_LEFT_OVER = "build.cards_without_slot"


class _Scale(NamedTuple):
    """Units per millimetre across, and the height of an expansion slot."""

    across: float
    pitch: float


def slot_map(build: BuildAnswer) -> Drawing | None:
    """The map, with GPUs whose slot is not known below it; None without GPUs."""
    placement = build.placement
    seats = placement.seats
    if not seats:
        return None
    placed = [s for s in seats if s.position and not s.is_riser_mounted]
    is_known = bool(placed) or any(s.position for s in placement.slots)
    marks = _marks(build)
    last = [s.last_position or 0 for s in placed] + [s.position or 0 for s in placement.slots]
    count = max(_LEAST_SLOTS, placement.expansion_slots or 0, *last) if is_known else 0
    longest, pitch = max(_LENGTH, *map(_length, seats)) * _SPARE, placement.slot_pitch
    down = (pitch.low if pitch and pitch.low else 0) * _DOWN
    pen, scale = Pen(), _Scale((WIDTH - _CARD - 8) / longest, down)
    for number in range(1, count + 1):
        slot = next((s for s in placement.slots if s.position == number), None)
        is_there = placement.expansion_slots is None or number <= placement.expansion_slots
        _row(pen, number, slot, scale, is_there=is_there)
    bottom = _TOP + count * scale.pitch
    most = placement.gpu_length_max
    if is_known and most and most.low and _CARD + most.low * scale.across < WIDTH:
        # The longest GPU that the case takes, where one comes near it.
        x = _CARD + most.low * scale.across
        pen.line("limit", (x, _TOP), (x, bottom))
    for seat in placed:
        _card(pen, seat, scale, marks.get(seat.subject, ""))
    for seat in (s for s in seats if s.is_riser_mounted or not s.position):
        bottom = _away(pen, seat, scale, bottom, marks.get(seat.subject, ""))
    return pen.drawn("slots", bottom + 8)


def _marks(build: BuildAnswer) -> dict[str, str]:
    """What fails or is likely to with an error, by subject: `bad` or `likely`."""
    found: dict[str, str] = {}
    for verdict, mark in (("likely-fail", "likely"), ("fail", "bad")):
        errors = build.of(verdict, "error")
        found |= dict.fromkeys((s for f in errors for s in (f.subject, *f.subjects)), mark)
        if any(n.name == _LEFT_OVER for f in errors for n in f.numbers):
            left = (s for s in build.placement.seats if not s.slot and not s.is_riser_mounted)
            found |= dict.fromkeys((s.subject for s in left), mark)
    return found


def _length(seat: SeatAnswer) -> float:
    if seat.length and seat.length.high:
        return seat.length.high
    return _LENGTH if seat.kind == "gpu" else _OTHER_LENGTH


def _row(pen: Pen, number: int, slot: SlotAnswer | None, scale: _Scale, *, is_there: bool) -> None:
    y = _TOP + (number - 1) * scale.pitch
    pen.box(2, y, WIDTH - 4, scale.pitch, "opening" if is_there else "no-slot")
    pen.write(10, y + 20, str(number), "strong")
    if slot is not None:
        pen.write(_LEFT, y + 14, slot.label, "small", room=_CARD - _LEFT - 6)
        pen.write(_LEFT, y + 27, link(slot.lanes, slot.gen), "small aside", room=_CARD - _LEFT - 6)


def _card(pen: Pen, seat: SeatAnswer, scale: _Scale, mark: str) -> None:
    y = _TOP + ((seat.position or 1) - 1) * scale.pitch + 2
    ends = (seat.thickness.low, seat.thickness.high) if seat.thickness else (None, None)
    thin, thick = ((end * _DOWN if end else scale.pitch) - 4 for end in ends)
    if thick > thin:
        pen.box(_CARD, y, _length(seat) * scale.across, thick, "card-most")
    _box(pen, seat, scale, (y, thin), mark)


def _box(pen: Pen, seat: SeatAnswer, scale: _Scale, place: tuple[float, float], mark: str) -> None:
    """A card with its name, link, power and gap."""
    y, height = place
    length = _length(seat) * scale.across
    style = "card" if seat.position or seat.is_riser_mounted else "card away"
    pen.box(_CARD, y, length, height, f"{style} {mark}".rstrip())
    if mark:
        pen.hatch(_CARD, y, length, height, f"hatch {mark}")
    #: The name in as many lines as there are, but for the last, which is of what the card does.
    lines, room = max(1, int(height / _LINE)), WIDTH - _CARD - 16
    names = folded(f"{subject_label(seat.subject)} {seat.name}", length - 16, "strong")
    if len(names) > max(1, lines - 1):
        names = [" ".join(names)]
    about = _about(seat)
    while len(about) > 1 and width_of(" · ".join(about), "small") > room:
        about.pop()
    texts = [(name, "strong aside") for name in names] + [(" · ".join(about), "small aside")]
    for number, (text, style) in enumerate(texts[:lines]):
        pen.write(_CARD + 8, y + 13 + number * _LINE, text, style, room=room)


def _about(seat: SeatAnswer) -> list[str]:
    """What a card does, the most telling first."""
    gap = f"{seat.gap} to {subject_label(seat.next_card)}" if seat.gap and seat.next_card else ""
    texts = (link(seat.lanes, seat.gen), seat.sustained_power, gap, seat.cooling)
    return [str(text) for text in texts if text]


def _away(pen: Pen, seat: SeatAnswer, scale: _Scale, bottom: float, mark: str) -> float:
    """A card on a riser, or one without a slot, below the board; where it ends."""
    y = bottom + 6
    if seat.is_riser_mounted:
        pen.line("riser", (_LEFT + 60, y + 18), (_CARD, y + 18))
    words = seat.slot or (
        "riser" if seat.is_riser_mounted else "no slot" if mark == "bad" else "slot?"
    )
    pen.write(10, y + 22, words, "small", room=_CARD - 24)
    _box(pen, seat, scale, (y, _AWAY - 4), mark)
    return y + _AWAY
