"""What somebody asks advice for: the options, read and looked up, all that is wrong at once."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.catalog import NameUnknownError
from buildcheck.errors import InputError, Problem
from buildcheck.guide import chart, guide
from buildcheck.model.money import read_money
from buildcheck.model.quantity import read
from buildcheck.model.rate import Rates
from buildcheck.told import short, told_prices

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.model.money import Money
    from buildcheck.model.part import Part
    from buildcheck.model.quantity import Interval

#: As many cards as anybody asks advice for, and the widest number format that is ranked by.
MOST_CARDS, BITS = 10_000, 16
_SHOWN = 3
_YES, _NO = ("yes", "y", "true"), ("no", "n", "false")


@dataclass(frozen=True)
class Asked:
    """What cards are for, and what they may cost and draw; None where nothing is said.

    `memory` is of one card in GB. `answers` are those to questions of the chart.
    """

    use: str | None = None
    budget: Money | None = None
    count: int = 1
    memory: Interval | None = None
    bits: int = BITS
    used: bool = False
    outlet: Part | None = None
    desktop: str | None = None
    electricity: str | None = None
    answers: Mapping[str, bool] = field(default_factory=dict)
    prices: Mapping[str, str] = field(default_factory=dict)
    rates: Rates = field(default_factory=Rates)

    @property
    def is_open(self) -> bool:
        """Is nothing given that tells one card from another, so that any would do?"""
        return self.use is None and self.memory is None and self.budget is None


def asked(catalog: Catalog, told: Mapping[str, Any]) -> Asked:
    """What options say, by their names. Raises `InputError` with everything wrong in them."""
    problems: list[Problem] = []
    rates = told.get("rates") or Rates()
    budget = _money(told.get("budget"), problems)
    found = Asked(
        use=_use(told.get("use"), problems),
        budget=budget and rates.money(budget),
        count=_count(told.get("count"), problems),
        memory=_memory(told.get("memory"), problems),
        bits=int(told.get("bits") or BITS),
        used=bool(told.get("used")),
        outlet=_outlet(told.get("outlet"), catalog, problems),
        desktop=told.get("desktop"),
        electricity=told.get("electricity"),
        answers=_answers(told.get("answer") or (), problems),
        prices=told_prices(told.get("price") or (), problems),
        rates=rates,
    )
    if problems:
        raise InputError(problems)
    return found


def _use(text: str | None, problems: list[Problem]) -> str | None:
    if text is None:
        return None
    uses = guide().uses
    name = "-".join(text.lower().replace("_", " ").split())
    if name in uses:
        return name
    what = f"there is no use '{short(text)}'"
    advice = _by_model(name) or _near(name, uses)
    problems.append(Problem("--use", 0, 0, what, advice))
    return None


def _by_model(name: str) -> str:
    """What to ask instead where the memory of a use follows from the model; empty if none is."""
    for one in guide().by_model.values():
        if {*name.split("-")} & {*one.words}:
            return (
                f"No guide states the memory for {one.what}, as it follows from the model. Ask for"
                f" it with your model and cards: `{one.ask}`. Then give what each card needs:"
                " `buildcheck advise --memory '48 GB'`, which ranks by training speed;"
                f" `{one.rank}` ranks for this work"
            )
    return ""


def _near(name: str, known: Iterable[str]) -> str:
    words = list(known)
    near = difflib.get_close_matches(name, words, _SHOWN, 0.6)
    if near:
        return f"Did you mean {' or '.join(near)}?"
    return f"Known here: {', '.join(words)}"


def _money(text: str | None, problems: list[Problem]) -> Money | None:
    if text is None:
        return None
    try:
        found = read_money(text)
    except ValueError as error:
        problems.append(Problem("--budget", 0, 0, f"a budget {error}"))
        return None
    if found.amount <= Decimal(0):
        what = f"a budget of {found} buys nothing"
        problems.append(Problem("--budget", 0, 0, what, "Give an amount above zero"))
        return None
    return found


def _count(text: str | None, problems: list[Problem]) -> int:
    if text is None:
        return 1
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST_CARDS:
        what = f"'{short(text)}' is no number of cards"
        advice = f"Give a whole number from 1 to {MOST_CARDS}"
        problems.append(Problem("--count", 0, 0, what, advice))
        return 1
    return int(text)


def _memory(text: str | None, problems: list[Problem]) -> Interval | None:
    if text is None:
        return None
    try:
        found = read(text, units.DATA)
    except ValueError as error:
        problems.append(Problem("--memory", 0, 0, str(error)))
        return None
    if found.low <= 0:
        what = f"'{short(text)}' is no amount of memory"
        problems.append(Problem("--memory", 0, 0, what, "Give it as in '24 GB'"))
        return None
    return found


def _outlet(text: str | None, catalog: Catalog, problems: list[Problem]) -> Part | None:
    if text is None:
        return None
    try:
        return catalog.part(catalog.find("outlet", text))
    except NameUnknownError as error:
        choices = ", ".join(f"'{n}'" for n in error.near)
        advice = (
            f"Did you mean {choices}?" if choices else "'buildcheck parts search --kind outlet'"
        )
        what = f"there is no outlet '{short(text)}'"
        problems.append(Problem("--outlet", 0, 0, what, advice))
        return None


def _answers(texts: Iterable[str], problems: list[Problem]) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for text in texts:
        name, sign, word = map(str.strip, text.partition("="))
        answer = word.lower()
        if not sign or answer not in (*_YES, *_NO):
            what = f"'{short(text)}' is no answer"
            problems.append(Problem("--answer", 0, 0, what, "Write it as in training=yes"))
        elif name not in chart().questions:
            what = f"the chart has no question '{short(name)}'"
            problems.append(Problem("--answer", 0, 0, what, _near(name, chart().questions)))
        elif name in found and found[name] != (answer in _YES):
            what = f"'{name}' is answered in both ways"
            problems.append(Problem("--answer", 0, 0, what, "Give one answer"))
        else:
            found[name] = answer in _YES
    return found
