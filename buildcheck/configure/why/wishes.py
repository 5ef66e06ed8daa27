"""The wishes of a wish, one by one: where each stands, in words, and the wish without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from buildcheck.configure.common import Phrase, phrase
from buildcheck.configure.decisions import OUTLET
from buildcheck.configure.wish.model import BoardWish, GpuWish, WishSection
from buildcheck.configure.wish.wish import Wish
from buildcheck.logic.quantity import Interval, exact, written
from buildcheck.model.answer import figure
from buildcheck.model.source import Path
from buildcheck.units import DATA

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
    def given_up(self) -> Phrase:
        """The phrase for giving it up."""
        return self.gone or phrase("without", what=self.what)


def wishes_of(wish: Wish) -> Iterator[Wished]:
    """Every wish, the firmest first."""
    for section in sorted(wish.fixed, key=lambda n: n != "workload"):
        if section in ("name", "waivers"):
            continue
        value = wish.fixed[section]
        without, what = _no_section("fixed", section), _section(section, value)
        gone = phrase("another-outlet", **what.values) if what.code == "wall" else None
        yield Wished((section,), what, value, without, gone)
    for section, value in wish.owned.items():
        what = phrase("owned", section=section, parts=_names(value))
        yield Wished(("owned", section), what, value, _no_section("owned", section))
    for index, card in enumerate(wish.gpus):
        yield from _of_card(index, card)
    yield from _of_parts(wish)
    yield from _of_words(wish)


def _of_parts(wish: Wish) -> Iterator[Wished]:
    for name in ("cpu", "memory", "storage", "case", "psus"):
        entry = getattr(wish, name)
        if entry is not None and (name != "psus" or entry.model_fields_set):
            words = _written(entry)
            yield _of_word(name, phrase("wished-part", section=name, words=words), ", ".join(words))

    if wish.platform:
        words = list(wish.platform)
        yield _of_word("platform", phrase("platform", platforms=words), words)


def _of_words(wish: Wish) -> Iterator[Wished]:
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
        yield _of_word("quiet", phrase("quiet"), True)
    if wish.careful:
        what, gone = phrase("no-warnings"), phrase("with-warnings")
        yield Wished(("wish", "careful"), what, True, lambda w: w.but(careful=False), gone)
    if wish.trust:
        yield _of_word("trust", phrase("trust", level=wish.trust), wish.trust)
    limits = wish.power_limits
    if not limits.allowed:
        yield _of_word("power_limits", phrase("no-limits"), False, phrase("with-limits"))
    elif limits.least:
        what = phrase("least-limit", share=limits.least)
        yield _of_word("power_limits", what, limits.least)
    if wish.budget:
        text = f"{wish.budget.amount} {wish.budget.currency}"
        yield _of_word("budget", phrase("budget", money=text), text)


def _of_word(name: str, what: Phrase, value: Any, gone: Phrase | None = None) -> Wished:
    """The wish of a word; without it, it is what it is unless given."""
    unless = WishSection.model_fields[name].default
    return Wished(("wish", name), what, value, lambda wish: wish.but(**{name: unless}), gone)


def _of_card(index: int, card: GpuWish) -> Iterator[Wished]:
    def wished(
        name: str, what: Phrase, value: Any, gone: Phrase | None = None, **less: Any
    ) -> Wished:
        """The wish of a word, and what the entry says without it."""
        path = ("wish", "gpus", index, name)
        return Wished(path, what, value, with_card(index, **{name: None} | less), gone)

    if card.part:
        what = phrase("part", section="gpus", part=card.part)
        yield wished("part", what, card.part, count=card.number)
    if card.count is not None:
        any_ = Interval(1.0, max(card.count.high, 8.0))
        what = phrase("gpus", count=figure(card.count))
        yield wished("count", what, written(card.count), count=any_)
    for name, code in (("memory_total", "gpu-memory"), ("memory_each", "memory-each")):
        if amount := getattr(card, name):
            what = phrase(code, amount=figure(exact(amount.low), DATA))
            yield wished(name, what, f"{written(exact(amount.low))} GB")
    if card.cooling:
        kinds = list(card.cooling)
        yield wished("cooling", phrase("cooling", kinds=kinds), kinds, cooling=())
    for word in card.avoid:
        left = tuple(w for w in card.avoid if w != word)
        what, gone = phrase("avoid-gpus", word=word), phrase("allowed", word=word)
        yield wished("avoid", what, word, gone, avoid=left)


def _names(entries: Any) -> list[str]:
    """The parts of a section; none unless all have names."""
    items = entries if isinstance(entries, list) else [entries]
    names = [str(item["part"]) for item in items if isinstance(item, dict) and "part" in item]
    return names if len(names) == len(items) else []


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
