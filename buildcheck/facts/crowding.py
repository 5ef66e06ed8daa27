"""Space for all GPUs on the board and in the case, and what blocks it."""

from itertools import count
from typing import Any

from buildcheck import units
from buildcheck.connect.slots import room_outside
from buildcheck.connect.witness import Witness
from buildcheck.facts.registry import CODE, DATA, Ask, graph
from buildcheck.facts.space import board_spans, in_the_board, seat
from buildcheck.logic.quantity import ONE, ZERO, Interval, exact, least
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject
from buildcheck.model.labels import runs


def _left_over(build: Subject, ask: Ask) -> Interval:
    """GPUs left over by the search; without listed slots, those any such board leaves."""
    (room,) = ask.graph.out("room", build)
    left: Interval = room.data["left_over"]
    cards = ask.graph.of("card")
    others = float(max(0, len(cards) - 1))
    if ask("motherboard.slots") is None and any(seat(c, ask) is None for c in cards):
        out = room_outside(ask.graph.the("case")) and None in (c.value("riser") for c in cards)
        left = Interval(0.0 if out else len(cards) - _most(_openings(ask), ask), others)
    if any(ask("gpu.thickness", c) is None for c in in_the_board(ask)):
        # A GPU of unlisted thickness may be in the way of all others.
        left = Interval(left.low, max(left.high, others))
    return left


def _openings(ask: Ask) -> list[float]:
    """Expansion slots each GPU takes at least, thin ones first; a riser-mounted one takes one."""
    return sorted(
        (ONE if ask("gpu.is_riser_mounted", c) else ask("gpu._covers", c) or ONE).low
        for c in ask.graph.of("card")
    )


def _most(sizes: list[float], ask: Ask) -> int:
    """GPUs of these sizes that find slots on the board; the last may reach beyond it."""
    spans = board_spans(ask)
    return next(n for n in count(1) if n > len(sizes) or sum(sizes[: n - 1]) >= spans) - 1


@graph("build.cards_without_slot", units.NUMBER)
def cards_without_slot(build: Subject, ask: Ask) -> Any:
    """GPUs left over by the best slot assignment, as far as there are slots of a listed board."""
    if not ask.graph.out("room", build):
        return None
    if not ask("motherboard.is_listed"):
        return ask("motherboard.slots")
    cards, slots = float(len(ask.graph.of("card"))), ask("motherboard.usable_slots")
    if not in_the_board(ask):
        # Riser-mounted GPUs only take a slot each.
        short = cards if slots is None else max(0.0, cards - slots.low)
        return None if slots is None and cards else Interval(0.0, short)
    left = _left_over(build, ask)
    # GPUs beyond the number of slots are another matter than GPUs in each other's way.
    cards += ask("build.cards_in_sockets").low
    short = 0.0 if slots is None else max(0.0, cards - slots.high)
    return Interval(max(0.0, left.low - short), max(0.0, left.high - short))


@graph("build.crowd", DATA)
def crowd(build: Subject, ask: Ask) -> Witness | None:
    """The GPUs that do not all fit, and what would give them slots."""
    (placed,) = ask.graph.out("placed", build)
    if why := placed.data["why"]:
        return why()  # type: ignore[no-any-return]
    sizes = _openings(ask)
    if not sizes or _most(sizes, ask) == len(sizes):
        return None
    cards = tuple(card.id for card in ask.graph.of("card"))
    return Witness(cards, int(sizes[-1]), _most(sizes, ask), (), tuple(_ways(sizes, ask)))


def _ways(sizes: list[float], ask: Ask) -> list[str]:
    """Ways to give every GPU a slot where no slots are listed."""
    number = len(sizes)
    fit = (n for n in range(1, number) if _most([1.0] * n + sizes[: number - n], ask) >= number)
    risers, thin = next(fit, None), [min(size, 2.0) for size in sizes]
    return [
        *(["take two-slot GPUs"] if _most(thin, ask) >= number else []),
        *([f"put {risers} of the GPUs on risers"] if risers else []),
        "take fewer GPUs",
    ]


def _declare(name: str, shape: Any, say: Any) -> None:
    """Declare a fact about the GPUs that do not all fit."""

    @graph(f"build.{name}", shape)
    def fact(build: Subject, ask: Ask) -> Any:
        found = ask("build.crowd", build)
        return None if found is None else say(found, ask)


def _places(found: Witness, ask: Ask) -> str:
    if found.positions:
        are_numbers = all(map(str.isdigit, found.positions))
        slots = runs(map(int, found.positions)) if are_numbers else ", ".join(found.positions)
        return f"in {slots}" if "slot" in slots.lower() else f"in slots {slots}"
    return f"on a board of {board_spans(ask):g} slots"


def _advice(found: Witness, _: Ask) -> str:
    *others, last = found.ways
    text = f"{', '.join(others)}, or {last}" if others else last
    return text[:1].upper() + text[1:]


# How many they are, openings each takes, how many fit, their slots, and what would give all one.
_declare("crowded_count", units.NUMBER, lambda w, _: exact(float(len(w.cards))))
_declare("crowded_covers", units.NUMBER, lambda w, _: exact(float(w.covers)))
_declare("crowded_fit", units.NUMBER, lambda w, _: exact(float(w.fit)))
_declare("crowded_positions", CODE, _places)
_declare("ways_to_place", CODE, _advice)


@graph("build.expansion_slots_at_least", units.NUMBER)
def expansion_slots_at_least(build: Subject, ask: Ask) -> Interval:
    """The same, if the thickest is the last and what its bracket does not cover overhangs."""
    taken = [ask("gpu._takes", card) for card in in_the_board(ask)]
    lows, highs = sorted(t.low for t in taken), sorted(t.high for t in taken)
    thickest = Interval(lows[-1], highs[-1]) if taken else ZERO
    last = least([thickest, ask("standard.bracket_slots")]) or thickest
    return Interval(sum(lows[:-1]) + last.low, sum(highs[:-1]) + last.high)


@graph("build.risers", units.NUMBER)
def risers(build: Subject, ask: Ask) -> Interval:
    """GPUs that the listed risers carry; those behind switches are on the switch boards listed."""
    seats = (seat(card, ask) for card in ask.graph.of("card"))
    behind = sum(found is not None and found["switch"] is not None for found in seats)
    listed = ask.graph.of("riser")
    boards = [r for r in listed if behind and ask("riser.kind", r) == "switch"]
    carried = [ask("riser.carries", riser) for riser in listed if riser not in boards]
    carried += [exact(float(behind))] * bool(boards)
    # Boards that split a slot may come with the cables that are listed, or need them.
    split, whole = [c for c in carried if c.high > 1], add_up(carried)
    cables = len(carried) - len(split)
    return Interval(max(add_up(split).low, cables), whole.high) if split and cables else whole
