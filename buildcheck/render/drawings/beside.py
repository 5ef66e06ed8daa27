"""How fast cards are beside each other: a dot for each kind of work, and a line for its range."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from buildcheck.model.quantity import number_text, percent
from buildcheck.render.drawings.pen import Drawing, Pen, Table, amount
from buildcheck.render.words import Words
from buildcheck.speed.beside import WORKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.facts.speed import Compared, Work
    from buildcheck.speed.beside import Card

BESIDE = Words("beside")
_LEFT, _WIDTH, _RIGHT = 300.0, 976.0, 150.0
_TOP, _ROW, _BAR, _HEAD = 30.0, 24.0, 12.0, 30.0
#: Where the scale of logarithms has lines.
_TICKS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)


def beside_drawing(name: str, cards: tuple[Card, ...]) -> Drawing:
    """A panel for each kind of work; without a picture where no speed is known."""
    title = BESIDE("drawn", name=name)
    if not cards:
        return Drawing("speed", title, "", why_not=BESIDE("not_drawn"))
    # Training of two kinds of net differs too little for two panels.
    works = [work for work in WORKS if work.net == WORKS[0].net]
    shown = {w: [(c, r) for c in cards if (r := c.ratios[w])] for w in works}
    ends = [end for rows in shown.values() for _, ratio in rows for end in _ends(ratio)]
    least = max((n for n in _TICKS if n <= min(ends)), default=_TICKS[0])
    most = min((n for n in _TICKS if n >= max(ends)), default=_TICKS[-1])
    height = _TOP + sum(_HEAD + _ROW * len(rows) for rows in shown.values())
    pen = Pen()

    def x(ratio: float) -> float:
        share = math.log(min(most, max(least, ratio)) / least) / math.log(most / least)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    for ratio in _TICKS:
        if least <= ratio <= most:
            pen.line("measure" if ratio == 1 else "grid", (x(ratio), _TOP), (x(ratio), height))
            pen.write(x(ratio), _TOP - 12, number_text(ratio), "head", to="middle")
    y = _TOP
    for work, rows in shown.items():
        pen.write(8, y + _HEAD - 10, work_words(work), "strong")
        y += _HEAD
        for card, compared in rows:
            style = "strong" if card.is_own else "small"
            pen.write(20, y + _BAR - 1, card.name, style, room=_LEFT - 32)
            _mark(pen, compared, y, x)
            y += _ROW
    key = (("dot", BESIDE("key_usual")), ("wire", BESIDE("key_range")))
    shapes, words = tuple(pen.shapes), BESIDE("describes")
    return Drawing("speed", title, words, beside_table(cards), _WIDTH, height, shapes, key=key)


def _mark(pen: Pen, compared: Compared, y: float, x: Callable[[float], float]) -> None:
    """A dot on a line with ends, and the numbers behind it."""
    low, high = (x(end) for end in _ends(compared))
    middle = y + _BAR / 2
    if high > low:
        pen.line("wire", (low, middle), (high, middle))
        for end in (low, high):
            pen.line("wire", (end, y + 1), (end, y + _BAR - 1))
    pen.dot(x(compared.usual), middle, 5, "dot")
    pen.write(high + 12, y + _BAR - 2, ratio_text(compared), "small aside")


def work_words(work: Work) -> str:
    """A kind of work by its name."""
    return BESIDE.table("works")["-".join(work)]


def ratio_text(compared: Compared | None) -> str:
    """An estimate with its range, no more exact than it is."""
    if compared is None:
        return BESIDE("not_known")
    usual, low, high = (_rounded(v) for v in (compared.usual, *_ends(compared)))
    return (
        BESIDE("exactly", usual=usual)
        if low == high
        else BESIDE("value", usual=usual, low=low, high=high)
    )


def _ends(compared: Compared) -> tuple[float, float]:
    return compared.range.low, compared.range.high


def _rounded(value: float) -> str:
    return f"{float(f'{value:.2g}'):g}"


def beside_table(cards: tuple[Card, ...]) -> Table:
    """Every card at every kind of work."""
    columns = BESIDE.table("columns")
    head = (columns["card"], columns["limit"], *(work_words(work) for work in WORKS))
    rows = [(c.name, _limit(c), *(ratio_text(c.ratios[w]) for w in WORKS)) for c in cards]
    return Table(BESIDE("table", name=cards[0].name), head, tuple(rows))


def _limit(card: Card) -> str:
    if not card.is_own:
        return ""
    if card.limit is None:
        return BESIDE("no_limit")
    share = percent(card.limited) if card.limited else BESIDE("not_known")
    return BESIDE("at", limit=amount(card.limit, "W"), share=share)
