"""The wishes of a wish, one by one: where each stands, in words, and the wish without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from buildcheck.configure.common import Phrase, phrase
from buildcheck.configure.why.answer import ConflictMember
from buildcheck.configure.why.choices import OUTLET
from buildcheck.configure.wish.model import BoardWish, GpuWish, WishSection
from buildcheck.edit import named
from buildcheck.logic.quantity import Interval, exact, written
from buildcheck.model.answer import figure
from buildcheck.units import DATA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from buildcheck.configure.wish.wish import Wish
    from buildcheck.model.source import Path

#: Shares of the memory wished for that are tried where all of it is too much, in eighths.
EIGHTHS = 8
#: Where the budget stands.
BUDGET = ("wish", "budget")


@dataclass(frozen=True, eq=False)
class Wished:
    """One wish: its place, its phrase, its value, and the wishes without it."""

    path: Path
    what: Phrase
    value: Any
    without: Callable[[Wish], Wish]
    #: The phrase for giving it up, where that is not "without" it.
    gone: Phrase | None = None

    @property
    def is_budget(self) -> bool:
        """Is it the budget?"""
        return self.path == BUDGET

    @property
    def member(self) -> ConflictMember:
        """It as the member of a conflict."""
        return ConflictMember(self.what, named(self.path), self.value)


def wishes_of(wish: Wish) -> Iterator[Wished]:
    """Every wish, the firmest first."""
    for section in sorted(wish.fixed, key=lambda n: n != "workload"):
        if section in ("name", "waivers"):
            continue
        value = wish.fixed[section]
        without = _no_section("fixed", section)
        yield Wished((section,), _section(section, value), value, without)
    for section, value in wish.owned.items():
        what = phrase("owned", section=section, parts=_names(value))
        yield Wished(("owned", section), what, value, _no_section("owned", section))
    for index, card in enumerate(wish.gpus):
        yield from _of_card(index, card)
    yield from _of_parts(wish)
    yield from _of_words(wish)
    yield from _of_limits(wish)


def _of_parts(wish: Wish) -> Iterator[Wished]:
    for name in ("cpu", "memory", "storage", "case", "psus"):
        entry = getattr(wish, name)
        if entry is not None and (name != "psus" or entry.model_fields_set):
            words = _written(entry)
            what = phrase("wished-part", section=name, words=words)
            yield Wished(("wish", name), what, ", ".join(words), _no(name))


def _of_words(wish: Wish) -> Iterator[Wished]:
    if wish.platform:
        what = phrase("platform", platforms=list(wish.platform))
        yield Wished(("wish", "platform"), what, list(wish.platform), _no("platform"))
    board = wish.board
    if board and board.part:
        what = phrase("wished-part", section="motherboard", words=[board.part])
        yield Wished(("wish", "board", "part"), what, board.part, _no_board("part"))
    if board and board.form_factor:
        forms = list(board.form_factor)
        what = phrase("board-size", sizes=forms)
        yield Wished(("wish", "board"), what, forms, _no_board("form_factor"))
    for index, word in enumerate(wish.avoid):
        what, gone = phrase("avoid", word=word), phrase("allowed", word=word)
        yield Wished(("avoid", index), what, word, _no_avoid(word), gone)
    if wish.quiet:
        yield Wished(("wish", "quiet"), phrase("quiet"), True, _no("quiet"))
    if wish.careful:
        what, gone = phrase("no-warnings"), phrase("with-warnings")
        yield Wished(("wish", "careful"), what, True, lambda w: w.but(careful=False), gone)
    if wish.trust:
        what = phrase("trust", level=wish.trust)
        yield Wished(("wish", "trust"), what, wish.trust, _no("trust"))


def _of_limits(wish: Wish) -> Iterator[Wished]:
    at, limits = ("wish", "power_limits"), wish.power_limits
    if not limits.allowed:
        free = phrase("with-limits")
        yield Wished(at, phrase("no-limits"), False, _no("power_limits"), free)
    elif limits.least:
        what = phrase("least-limit", share=limits.least)
        yield Wished(at, what, limits.least, _no("power_limits"))
    if wish.budget:
        text = f"{wish.budget.amount} {wish.budget.currency}"
        yield Wished(BUDGET, phrase("budget", money=text), text, _no("budget"))


def _of_card(index: int, card: GpuWish) -> Iterator[Wished]:
    at: Path = ("wish", "gpus", index)
    if card.part:
        what = phrase("part", section="gpus", part=card.part)
        without = with_card(index, part=None, count=card.number)
        yield Wished((*at, "part"), what, card.part, without)
    if card.count is not None:
        yield Wished(
            (*at, "count"),
            phrase("gpus", count=figure(card.count)),
            written(card.count),
            with_card(index, count=Interval(1.0, max(card.count.high, 8.0))),
        )
    if card.memory_total:
        yield Wished(
            (*at, "memory_total"),
            phrase("gpu-memory", amount=figure(exact(card.memory_total.low), DATA)),
            _gigabytes(card.memory_total),
            with_card(index, memory_total=None),
        )
    if card.memory_each:
        what = phrase("memory-each", amount=figure(exact(card.memory_each.low), DATA))
        without = with_card(index, memory_each=None)
        yield Wished((*at, "memory_each"), what, _gigabytes(card.memory_each), without)
    if card.cooling:
        what, without = phrase("cooling", kinds=list(card.cooling)), with_card(index, cooling=())
        yield Wished((*at, "cooling"), what, list(card.cooling), without)
    for word in card.avoid:
        left = tuple(w for w in card.avoid if w != word)
        what, gone = phrase("avoid-gpus", word=word), phrase("allowed", word=word)
        yield Wished((*at, "avoid"), what, word, with_card(index, avoid=left), gone)


def _gigabytes(value: Interval) -> str:
    return f"{written(exact(value.low))} GB"


def _names(entries: Any) -> list[str]:
    """The parts of a section; none unless all have names."""
    items = entries if isinstance(entries, list) else [entries]
    names = [str(item["part"]) for item in items if isinstance(item, dict) and "part" in item]
    return names if len(names) == len(items) else []


def _no(name: str) -> Callable[[Wish], Wish]:
    """The wish with what a word of it is unless given."""
    return lambda wish: wish.but(**{name: WishSection.model_fields[name].default})


def _no_board(name: str) -> Callable[[Wish], Wish]:
    """The wish without a word about the motherboard."""
    unless = BoardWish.model_fields[name].default
    return lambda wish: wish.but(board=wish.board and wish.board.model_copy(update={name: unless}))


def _no_section(of: str, section: str) -> Callable[[Wish], Wish]:
    """The wish without a section of those that are `fixed` or `owned`."""
    return lambda w: w.but(**{of: {k: v for k, v in getattr(w, of).items() if k != section}})


def _no_avoid(word: str) -> Callable[[Wish], Wish]:
    return lambda wish: wish.but(avoid=tuple(w for w in wish.avoid if w != word))


def with_card(index: int, **changes: Any) -> Callable[[Wish], Wish]:
    """The wish with other words for one entry of GPUs."""

    def without(wish: Wish) -> Wish:
        card = wish.gpus[index].model_copy(update=changes)
        return wish.but(gpus=tuple(card if n == index else c for n, c in enumerate(wish.gpus)))

    return without


def _section(name: str, value: Any) -> Phrase:
    if name == "site" and isinstance(value, dict):
        return phrase("wall", wall={key: value[key] for key in OUTLET if key in value})
    if isinstance(value, dict):
        return phrase("wished-part", section=name, words=[f"{k} {v}" for k, v in value.items()])
    return phrase("given", section=name)


def _written(entry: Any) -> list[str]:
    """The fields that a wish gives for a part, as it writes them."""
    found = []
    for name in sorted(entry.model_fields_set):
        value = getattr(entry, name)
        shown = written(value) if isinstance(value, Interval) else value
        shown = " or ".join(shown) if isinstance(shown, tuple) else shown
        found.append(str(shown) if name == "part" else f"{name.replace('_', ' ')} {shown}")
    return found
