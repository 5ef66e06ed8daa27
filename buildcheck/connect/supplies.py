"""Cards → power supplies: the split with the lowest share of rated power in use.

The board, CPU and drives are on the PSU that is stated, else on the first that is no server PSU
on a distribution board, as those have no plug for a board; on the first if all are. Pinned cards
stay; the others go where no supply is overloaded by what it gives over plugs and through slots,
each has the plugs for its cards, and the share of the fullest, with its cards whole, is least:
found by trying every split of equal cards over the supplies.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain, product, repeat
from math import comb, prod
from typing import TYPE_CHECKING

from buildcheck.logic.quantity import Interval
from buildcheck.model.graph import Edge, Subject, by_facts, by_key, stable_text

if TYPE_CHECKING:
    from buildcheck.resolve.pins import Pins

#: Splits looked at; beyond it cards are dealt out one by one to the emptiest supply.
MOST_SPLITS = 20_000
#: What a riser without power of its own is fed by, or else is.
_BARE = ("none", "ribbon", None)
#: What says how a card is fed.
_FEEDS = ("plugs", "adapter", "bundled_adapter")
_EDGES = {"gpu": "feeds", "riser": "powers", "cable": "stocks"}


def share(subjects: dict[str, Subject], pins: Pins) -> list[Edge]:
    """Edges `feeds` (supply → card), `runs` (supply → board), `powers` (supply → riser).

    `stocks` leads from a supply to the cables the build lists for it.
    """
    supplies = [s for s in subjects.values() if s.kind == "psu"]
    cards = by_facts(s for s in subjects.values() if s.kind == "gpu")
    if not supplies:
        return []
    # A search may try fewer PSUs than the build pins GPUs to.
    pinned = {key: number for key, number in pins.supplies.items() if number <= len(supplies)}
    main = next((s for s in supplies if s.value("shares_output") is None), supplies[0])
    main = supplies[pinned["motherboard"] - 1] if "motherboard" in pinned else main
    chosen = {c.id: supplies[pinned[c.id] - 1] for c in cards if c.id in pinned}
    free = [c for c in cards if c.id not in chosen]
    # A bus of several PSUs counts as its first; one that is stated to feed a GPU is on none.
    is_bus = any(s.value("redundant") is True for s in supplies)
    stated = {k: supplies[number - 1] for k, number in pinned.items() if k not in pins.shared}
    apart = any(stated[c.id].value("shares_output") is True for c in cards if c.id in stated)
    on_bus = [s for s in supplies if is_bus or (s.value("shares_output") is True and not apart)]
    boxes = [s for s in supplies if s not in on_bus[1:]]
    if len(boxes) == 1:
        chosen |= {c.id: boxes[0] for c in free}
    else:
        slots = {card.id: _slot_draw(card, subjects) for card in cards}
        # What slots give comes from the supply of the board, whichever feeds the card.
        through = {s.id: -sum(slots[c] for c in chosen if chosen[c] is s) for s in supplies}
        through[main.id] += sum(slots.values())
        loads = _loads(main, supplies, cards, chosen, subjects)
        chosen |= _spread(free, boxes, loads, slots, through)
    fed = {key: chosen[key] for key in subjects if key in chosen}
    fed |= _with_accessories(subjects, stated, chosen, main)
    return [
        Edge("runs", main.id, "motherboard"),
        *(
            Edge(_EDGES[subjects[key].kind], psu.id, key, {"pinned": key in stated})
            for key, psu in fed.items()
        ),
    ]


def _with_accessories(
    subjects: dict[str, Subject],
    stated: dict[str, Subject],
    chosen: dict[str, Subject],
    first: Subject,
) -> dict[str, Subject]:
    """PSU of cables and risers where it is not stated: that of the GPU which is on the riser."""
    homes = [chosen[s.id] for s in subjects.values() if s.id in chosen and s.value("riser")]
    risers = {s.id: s.value("feed") for s in subjects.values() if s.kind == "riser"}
    if not (subjects["motherboard"].value("plugs") or {}).keys().isdisjoint(risers.values()):
        # The board needs these cables of its PSU.
        homes.sort(key=lambda psu: psu is first)
    for psu in (stated[key] for key in risers if key in stated):
        # A riser whose PSU is stated carries a GPU of that PSU.
        homes.remove(psu) if psu in homes else None
    follows = chain(homes, repeat(first))
    cables = {s.id: stated.get(s.id, first) for s in subjects.values() if s.kind == "cable"}
    return cables | {key: stated[key] if key in stated else next(follows) for key in risers}


def _middle(value: Interval | None) -> float:
    return 0.0 if value is None or not value.is_known else (value.low + value.high) / 2


def _draw(card: Subject) -> float:
    return _middle(card.value("power_limit") or card.value("board_power"))


def _slot_draw(card: Subject, subjects: dict[str, Subject]) -> float:
    """What a card draws through a slot of the board, in W: nothing if risers have other power."""
    risers = (s for s in subjects.values() if s.kind == "riser")
    feeds = [s.value("feed") or s.value("kind") for s in risers] if card.value("riser") else []
    if feeds and not any(feed in _BARE for feed in feeds):
        return 0.0
    slot = card.value("slot_draw") or subjects["standard"].value("slot_power_12v")
    return _draw(card) if card.value("plugs") == {} else min(_draw(card), _middle(slot))


def _loads(
    main: Subject,
    supplies: list[Subject],
    cards: list[Subject],
    chosen: dict[str, Subject],
    subjects: dict[str, Subject],
) -> dict[str, float]:
    cpu, board = subjects["cpu"], _middle(subjects["motherboard"].value("typical_power"))
    loads = {s.id: sum(_draw(c) for c in cards if chosen.get(c.id) is s) for s in supplies}
    loads[main.id] += _middle(cpu.value("base_power")) * cpu.count + board
    return loads


def _spread(
    cards: list[Subject],
    supplies: list[Subject],
    loads: dict[str, float],
    slots: dict[str, float],
    through: dict[str, float],
) -> dict[str, Subject]:
    """The supply of each card; `through` is what slots add to each, or take off, without them."""
    rated = {s.id: _middle(s.value("rated_power")) or 1.0 for s in supplies}
    feeds = {c.id: stable_text([c.value(name) for name in _FEEDS]) for c in cards}
    alike = [*by_key(((_draw(c), slots[c.id], feeds[c.id]), c) for c in cards).items()]
    boxes = len(supplies)
    if prod(comb(len(group) + boxes - 1, boxes - 1) for _, group in alike) > MOST_SPLITS:
        return _deal(cards, supplies, loads, rated)

    @cache
    def full(number: int, counts: tuple[int, ...]) -> tuple[float, float, float]:
        """Shares in use of one PSU with `counts` cards of each group, and its missing outputs.

        The first is with what slots of the board give in place of its plugs.
        """
        supply, powered = supplies[number], list(zip(alike, counts, strict=True))
        use = sum((draw * n for ((draw, *_), _), n in powered), loads[supply.id])
        own = use + through[supply.id] - sum(slot * n for ((_, slot, _), _), n in powered)
        lacks = _short(supply, [(group[0], n) for (_, group), n in powered])
        return own / rated[supply.id], round(use / rated[supply.id], 9), lacks

    def fullest(split: tuple[tuple[int, ...], ...]) -> tuple[float, ...]:
        each = [full(number, counts) for number, counts in enumerate(zip(*split, strict=True))]
        shares = sorted((share for _, share, _ in each), reverse=True)
        own = round(max([1.0, *(own for own, _, _ in each)]), 9)
        return own, sum(lacks for *_, lacks in each), *shares

    best = min(product(*(_shares(len(group), boxes) for _, group in alike)), key=fullest)
    found = dict[str, Subject]()
    for (_, group), counts in zip(alike, best, strict=True):
        order = chain.from_iterable(map(repeat, supplies, counts))
        found |= zip((card.id for card in group), order, strict=True)
    return found


def _short(supply: Subject, powered: list[tuple[Subject, int]]) -> float:
    """Outputs that a supply lacks for cards that take its own kind of plug."""
    outputs: dict[str, Interval] | None = supply.value("plugs")
    if outputs is None:
        return 0.0
    need: dict[str, float] = {}
    for card, count in powered:
        if card.value("adapter") or card.value("bundled_adapter"):
            continue
        for connector, number in (card.value("plugs") or {}).items():
            need[connector] = need.get(connector, 0.0) + number.high * count
    have = {connector: number.high for connector, number in outputs.items()}
    return sum(max(0.0, n - have.get(c, 0.0)) for c, n in need.items())


def _shares(items: int, boxes: int) -> Iterator[tuple[int, ...]]:
    """Every way to put equal items into boxes."""
    if boxes == 1:
        yield (items,)
        return
    for first in range(items, -1, -1):
        for rest in _shares(items - first, boxes - 1):
            yield (first, *rest)


def _deal(
    cards: list[Subject], supplies: list[Subject], loads: dict[str, float], rated: dict[str, float]
) -> dict[str, Subject]:
    use, result = dict(loads), {}
    for card in sorted(cards, key=_draw, reverse=True):
        supply = min(supplies, key=lambda s: (use[s.id] + _draw(card)) / rated[s.id])
        use[supply.id] += _draw(card)
        result[card.id] = supply
    return result
