"""Whether all cards find room, on the board and in the case, and what is in the way."""

from __future__ import annotations

from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.connect.witness import Witness
from buildcheck.facts.registry import CODE, DATA, TRUTH, Ask, graph
from buildcheck.facts.space import board_spans, covers, in_the_board, seat
from buildcheck.model.quantity import ONE, UNKNOWN, ZERO, Interval, exact
from buildcheck.model.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


def _left_over(build: Subject, ask: Ask) -> Interval:
    """What the search found; without slots to search, what any board of that size leaves."""
    (placed,) = ask.graph.out("placed", build)
    left: Interval = placed.data["left_over"]
    cards = ask.graph.of("gpu")
    others = float(max(0, len(cards) - 1))
    if ask("motherboard.slots") is None and any(seat(c, ask) is None for c in cards):
        left = Interval(len(cards) - float(_most(_openings(ask), ask)), others)
    if any(ask("gpu.thickness", c) is None for c in in_the_board(ask)):
        # A card that does not say how thick it is may be in the way of all others.
        left = Interval(left.low, max(left.high, others))
    return left


def _openings(ask: Ask) -> list[float]:
    """Openings each card takes at the least, thin ones first; a hanging card takes one."""
    taken = [ONE if ask("gpu.hangs", c) else covers(c, ask) or ONE for c in ask.graph.of("gpu")]
    return sorted(t.low for t in taken)


def _most(sizes: list[float], ask: Ask) -> int:
    """Cards of these sizes that find openings on the board; the last may reach beyond it."""
    spans = board_spans(ask)
    ends = (n for n in count(1) if n > len(sizes) or sum(sizes[: n - 1]) >= spans)
    return next(ends) - 1


@graph("build.cards_without_slot", units.NUMBER)
def cards_without_slot(build: Subject, ask: Ask) -> Any:
    """Cards that no arrangement seats clear of the others, as far as there are slots."""
    if not ask.graph.out("placed", build):
        return None
    if not in_the_board(ask):
        # Cards on risers only take a slot each.
        return ZERO
    left = _left_over(build, ask)
    slots = ask("motherboard.usable_slots")
    # Cards beyond the number of slots are another matter than cards in each other's way.
    surplus = 0.0 if slots is None else max(0.0, len(ask.graph.of("gpu")) - slots.low)
    return Interval(max(0.0, left.low - surplus), max(0.0, left.high - surplus))


@graph("build.crowd", DATA)
def crowd(build: Subject, ask: Ask) -> Witness | None:
    """The cards that do not all fit, and what would seat them."""
    (placed,) = ask.graph.out("placed", build)
    if placed.data["why"] is not None:
        return placed.data["why"]()  # type: ignore[no-any-return]
    sizes = _openings(ask)
    if not sizes or _most(sizes, ask) == len(sizes):
        return None
    return Witness(
        tuple(c.id for c in ask.graph.of("gpu")),
        int(sizes[-1]),
        _most(sizes, ask),
        (),
        tuple(_ways(sizes, ask)),
    )


def _ways(sizes: list[float], ask: Ask) -> list[str]:
    """What may seat as many cards where no slots are known."""
    number = len(sizes)
    hung = (n for n in range(1, number) if _most([1.0] * n + sizes[: number - n], ask) >= number)
    risers = next(hung, None)
    thin = [min(size, 2.0) for size in sizes]
    return [
        *(["cards of 2 slots"] if _most(thin, ask) >= number else []),
        *([f"risers for {risers} of them"] if risers else []),
        "fewer cards",
    ]


def _said(name: str, shape: Any, doc: str, say: Any) -> None:
    """Declare something to be said of the cards that do not all fit."""

    @graph(f"build.{name}", shape)
    def fact(build: Subject, ask: Ask) -> Any:
        found = ask("build.crowd", build)
        return None if found is None else say(found, ask)

    fact.__doc__ = doc


def _span(ids: tuple[str, ...]) -> str:
    """Subjects of one kind, runs of them shortened: gpus[0..2,5]."""
    numbers = sorted(int(i.partition("[")[2].rstrip("]")) for i in ids)
    starts = [numbers[0], *(b for a, b in pairwise(numbers) if b > a + 1)]
    ends = [*(a for a, b in pairwise(numbers) if b > a + 1), numbers[-1]]
    runs = [f"{a}" if a == b else f"{a}..{b}" for a, b in zip(starts, ends, strict=True)]
    return f"{ids[0].partition('[')[0]}[{','.join(runs)}]"


def _places(found: Witness, ask: Ask) -> str:
    if found.positions:
        return f"slots at {', '.join(found.positions)}"
    return f"any slot of a board of {board_spans(ask):g} openings"


_said("crowded_cards", CODE, "The cards that do not all fit.", lambda w, _: _span(w.cards))
_said("crowded_count", units.NUMBER, "How many they are.", lambda w, _: exact(float(len(w.cards))))
_said("crowded_covers", units.NUMBER, "Openings each takes.", lambda w, _: exact(float(w.covers)))
_said("crowded_fit", units.NUMBER, "How many of them fit.", lambda w, _: exact(float(w.fit)))
_said("crowded_positions", CODE, "The slots they qualify for.", _places)
_said("ways_to_seat", CODE, "What would seat them all.", lambda w, _: "; ".join(w.ways))


# -- the case ----------------------------------------------------------------


def _taken(cards: list[Subject], ask: Ask) -> Interval:
    """Openings these cards take together."""
    least = Interval(1.0, UNKNOWN.high)
    return add_up([covers(card, ask) or least for card in cards])


@graph("build.openings_needed", units.NUMBER)
def openings_needed(build: Subject, ask: Ask) -> Interval:  # noqa: ARG001 - a fact's signature
    """Openings of the case that the cards in the board take."""
    return _taken(in_the_board(ask), ask)


@graph("build.openings_of_all_cards", units.NUMBER)
def openings_of_all_cards(build: Subject, ask: Ask) -> Interval:  # noqa: ARG001 - a fact's signature
    """Openings that all cards need, those on risers and in brackets too."""
    return _taken(ask.graph.of("gpu"), ask)


@graph("build.seats_several_cards", TRUTH)
def seats_several_cards(build: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Do several cards sit in the board itself?"""
    return len(in_the_board(ask)) > 1


@graph("case.all_openings", units.NUMBER)
def all_openings(case: Subject, ask: Ask) -> Any:
    """Its openings, the vertical ones too."""
    slots = ask("case.expansion_slots", case)
    return None if slots is None else slots + (ask("case.vertical_slots", case) or UNKNOWN)


@graph("build.vertical_openings", units.NUMBER)
def vertical_openings(build: Subject, ask: Ask) -> Interval:  # noqa: ARG001 - a fact's signature
    """Openings that the cards in vertical brackets need."""
    return _taken([c for c in ask.graph.of("gpu") if ask("gpu.is_vertical", c)], ask)


@graph("build.has_vertical_cards", TRUTH)
def has_vertical_cards(build: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Does any card stand in a vertical bracket?"""
    return any(ask("gpu.is_vertical", c) for c in ask.graph.of("gpu"))


@graph("build.cards_on_risers", units.NUMBER)
def cards_on_risers(build: Subject, ask: Ask) -> Interval:  # noqa: ARG001 - a fact's signature
    """Cards that hang on risers."""
    return exact(float(sum(ask("gpu.is_on_riser", card) for card in ask.graph.of("gpu"))))


@graph("build.risers", units.NUMBER)
def risers(build: Subject, ask: Ask) -> Interval:  # noqa: ARG001 - a fact's signature
    """Risers listed."""
    return exact(float(len(ask.graph.of("riser"))))


@graph("build.lists_risers", TRUTH)
def lists_risers(build: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Does the build list any riser?"""
    return bool(ask.graph.of("riser"))


@graph("build.bay_drives", units.NUMBER)
def bay_drives(build: Subject, ask: Ask) -> Interval:  # noqa: ARG001 - a fact's signature
    """Drives that need a bay: SATA and U.2; one whose form nobody states may."""
    forms = [ask("storage.form", s) for s in ask.graph.of("storage") if s.listed]
    return add_up(
        [exact(float(f in ("sata", "u.2"))) if f else Interval(ZERO.low, ONE.high) for f in forms]
    )


@graph("build.has_bay_drives", TRUTH)
def has_bay_drives(build: Subject, ask: Ask) -> bool | None:
    """Does any drive need a bay? None if one may."""
    drives: Interval = ask("build.bay_drives", build)
    return True if drives.low > 0 else None if drives.high > 0 else False


@graph("build.hard_disks", units.NUMBER)
def hard_disks(build: Subject, ask: Ask) -> Interval:  # noqa: ARG001 - a fact's signature
    """Drives that turn; one whose kind nobody states may, unless its form says otherwise."""
    drives = [s for s in ask.graph.of("storage") if s.listed]
    return add_up([_turns(drive, ask) for drive in drives])


def _turns(drive: Subject, ask: Ask) -> Interval:
    """One if it turns: no drive does that is a card or goes into an M.2 socket."""
    spins = ask("storage.spins", drive)
    if spins is None and ask("storage.form", drive) not in ("m.2", "card"):
        return Interval(ZERO.low, ONE.high)
    return exact(float(spins is True))
