"""The wishes of a wish, one by one: where each stands, in words, and the wish without it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from buildcheck.configure.why.choices import OUTLET
from buildcheck.configure.why.why import WHY, Member, called
from buildcheck.configure.wish.model import GpuWish, LimitWish, PsuWish
from buildcheck.edit import named
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.quantity import Interval, exact, number_text
from buildcheck.render.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from buildcheck.configure.wish.wish import Wish
    from buildcheck.source import Path

#: What wishes are called, and what is said of them.
WISHED = Words("wished")
#: Shares of the memory wished for that are tried where all of it is too much, in eighths.
EIGHTHS = 8
#: Where the budget stands.
BUDGET = ("wish", "budget")


@dataclass(frozen=True, eq=False)
class Wished:
    """One wish: where it stands, in words, its value, and the wishes without it.

    `eased` are the wishes with as little of it as is asked for at least: what meets those meets
    the ones without it, and is found sooner.
    """

    path: Path
    text: str
    value: Any
    without: Callable[[Wish], Wish]
    gone: str = ""
    eased: Callable[[Wish], Wish] | None = None

    @property
    def is_budget(self) -> bool:
        """Is it the budget?"""
        return self.path == BUDGET

    @property
    def member(self) -> Member:
        """It as the member of a conflict."""
        return Member(self.text, named(self.path), {named(self.path): self.value})


def wishes_of(wish: Wish) -> Iterator[Wished]:
    """Every wish, the firmest first."""
    for section in sorted(wish.fixed, key=lambda n: n != "workload"):
        if section in ("name", "waivers"):
            continue
        yield Wished(
            (section,),
            _section(section, wish.fixed[section]),
            wish.fixed[section],
            _no_fixed(section),
        )
    for section, value in wish.owned.items():
        what = _names(value) or called(SECTION_KIND[section])
        text = WISHED("owned", what=what)
        yield Wished(("owned", section), text, value, _no_owned(section))
    for index, card in enumerate(wish.gpus):
        yield from _of_card(index, card)
    yield from _of_parts(wish)
    yield from _of_words(wish)
    yield from _of_limits(wish)


def _of_parts(wish: Wish) -> Iterator[Wished]:
    for name in ("cpu", "memory", "storage", "case"):
        entry = getattr(wish, name)
        if entry is not None:
            said = _said(entry)
            text = WISHED("of_section", section=name, said=said)
            yield Wished(("wish", name), text, said, _no(name, None))
    if wish.psus.part or wish.psus.model_fields_set:
        said = _said(wish.psus)
        text = WISHED("of_section", section=called(SECTION_KIND["psus"]), said=said)
        yield Wished(("wish", "psus"), text, said, _no("psus", PsuWish()))


def _of_words(wish: Wish) -> Iterator[Wished]:
    if wish.platforms:
        text = WISHED("platform", platforms=WHY("or").join(wish.platforms))
        yield Wished(("wish", "platform"), text, list(wish.platforms), _no("platforms", ()))
    if wish.board:
        text = WISHED("of_section", section=called(SECTION_KIND["motherboard"]), said=wish.board)
        yield Wished(("wish", "board", "part"), text, wish.board, _no("board", None))
    if wish.boards:
        text = WISHED("board_size", sizes=WHY("or").join(wish.boards))
        yield Wished(("wish", "board"), text, list(wish.boards), _no("boards", ()))
    for index, word in enumerate(wish.avoid):
        text, gone = WISHED("avoid", word=word), WISHED("allowed", word=word)
        yield Wished(("avoid", index), text, word, _no_avoid(word), gone)
    if wish.quiet:
        yield Wished(("wish", "quiet"), WISHED("quiet"), True, _no("quiet", False))
    if wish.careful:
        text, gone = WISHED("careful"), WISHED("warned")
        yield Wished(("wish", "careful"), text, True, _no("careful", False), gone)
    if wish.trust:
        yield Wished(
            ("wish", "trust"), WISHED("trust", trust=wish.trust), wish.trust, _no("trust", None)
        )


def _of_limits(wish: Wish) -> Iterator[Wished]:
    if not wish.limits.allowed:
        text, gone = WISHED("no_limits"), WISHED("lower_limits")
        yield Wished(("wish", "power_limits"), text, False, _no("limits", LimitWish()), gone)
    elif wish.limits.least:
        text = WISHED("least_limit", percent=f"{wish.limits.least:.0%}")
        yield Wished(("wish", "power_limits"), text, wish.limits.least, _no("limits", LimitWish()))
    if wish.budget:
        text = WISHED("budget", amount=wish.budget.amount, currency=wish.budget.currency)
        yield Wished(
            BUDGET,
            text,
            f"{wish.budget.amount} {wish.budget.currency}",
            _no("budget", None),
        )


def _of_card(index: int, card: GpuWish) -> Iterator[Wished]:
    at: Path = ("wish", "gpus", index)
    if card.part:
        yield Wished(
            (*at, "part"),
            WISHED("card", part=card.part),
            card.part,
            _no_card(index, part=None, count=card.number),
        )
    if card.count is not None:
        text = _range(card.count)
        free = Interval(1.0, max(card.count.high, 8.0))
        yield Wished(
            (*at, "count"),
            WISHED("cards", 1 if text == "1" else None, number=text),
            text,
            _no_card(index, count=free),
            eased=_no_card(index, count=exact(1.0)),
        )
    if card.memory_total:
        text = f"{number_text(card.memory_total.low)} GB"
        some = Interval(card.memory_total.low / EIGHTHS, math.inf)
        yield Wished(
            (*at, "memory_total"),
            WISHED("gpu_memory", amount=text),
            text,
            _no_card(index, memory_total=None),
            eased=_no_card(index, memory_total=some),
        )
    if card.memory_each:
        text = f"{number_text(card.memory_each.low)} GB"
        each = WISHED("memory_each", amount=text)
        yield Wished((*at, "memory_each"), each, text, _no_card(index, memory_each=None))
    if card.cooling:
        text = WISHED("cooling", kinds=WHY("or").join(card.cooling))
        yield Wished((*at, "cooling"), text, list(card.cooling), _no_card(index, cooling=()))
    for word in card.avoid:
        left = tuple(w for w in card.avoid if w != word)
        text, gone = WISHED("avoid_cards", word=word), WISHED("allowed", word=word)
        yield Wished((*at, "avoid"), text, word, _no_card(index, avoid=left), gone)


def _names(entries: Any) -> str:
    """What parts of a section are called, where they have names."""
    items = entries if isinstance(entries, list) else [entries]
    names = [str(item["part"]) for item in items if isinstance(item, dict) and "part" in item]
    return WHY("and").join(names) if len(names) == len(items) else ""


def _no(name: str, value: Any) -> Callable[[Wish], Wish]:
    return lambda wish: replace(wish, **{name: value})


def _no_fixed(section: str) -> Callable[[Wish], Wish]:
    return lambda wish: replace(wish, fixed={k: v for k, v in wish.fixed.items() if k != section})


def _no_owned(section: str) -> Callable[[Wish], Wish]:
    return lambda wish: replace(wish, owned={k: v for k, v in wish.owned.items() if k != section})


def _no_avoid(word: str) -> Callable[[Wish], Wish]:
    return lambda wish: replace(wish, avoid=tuple(w for w in wish.avoid if w != word))


def _no_card(index: int, **changes: Any) -> Callable[[Wish], Wish]:
    def without(wish: Wish) -> Wish:
        card = wish.gpus[index].model_copy(update=changes)
        return replace(wish, gpus=tuple(card if n == index else c for n, c in enumerate(wish.gpus)))

    return without


def _section(name: str, value: Any) -> str:
    if name == "site" and isinstance(value, dict):
        wall = [str(value[k]) for k in OUTLET if k in value]
        return ", ".join(wall) or WISHED("site")
    if isinstance(value, dict):
        said = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in value.items())
        return WISHED("of_section", section=name, said=said)
    return WISHED("given", section=name.replace("_", " "))


def _said(entry: Any) -> str:
    found = []
    for name in sorted(entry.model_fields_set):
        value = getattr(entry, name)
        shown = _range(value) if isinstance(value, Interval) else value
        shown = WHY("or").join(shown) if isinstance(shown, tuple) else shown
        found.append(str(shown) if name == "part" else f"{name.replace('_', ' ')} {shown}")
    return ", ".join(found)


def _range(value: Interval) -> str:
    low = number_text(value.low)
    if value.is_exact:
        return low
    if math.isinf(value.high):
        return WISHED("or_more", low=low)
    return f"{low}..{number_text(value.high)}"
