"""What GPUs are asked for: the options, read and looked up, all that is wrong at once."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any

from buildcheck import units
from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.errors import InputError, Problem
from buildcheck.logic.quantity import Interval, read
from buildcheck.model.advice import chart, guide
from buildcheck.model.frozen import dataclass
from buildcheck.model.money import Money, read_money
from buildcheck.model.part import Part
from buildcheck.model.rate import Rates
from buildcheck.workload.overrides import parse_prices, shortened

#: The most GPUs that can be asked for, and the number format that speed is ranked by.
MOST_GPUS, BITS = 10_000, 16
_NEAREST = 3
_ANSWERS = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}


@dataclass(frozen=True)
class AdviceRequest:
    """What GPUs are for, and what they may cost and draw; None where it is not given.

    `memory` is of one GPU in GB. `answers` are to questions of the flowchart, `desktop` and
    `electricity` the prices of the machine around the GPUs and of a kWh, as they were written.
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
        """Does it not tell one GPU from another?"""
        return self.use is None and self.memory is None and self.budget is None

    @property
    def outlet_power(self) -> Interval | None:
        """The continuous power of the outlet, in W."""
        names = ("voltage", "continuous_current")
        volts, amperes = map(self.outlet.value, names) if self.outlet else (None, None)
        return volts * amperes if volts and amperes else None


def advice_request(catalog: Catalog, options: Mapping[str, Any]) -> AdviceRequest:
    """Options by their names, read. Raises `InputError` with everything wrong in them."""
    problems: list[Problem] = []

    def read_option(name: str, how: Callable[[str], Any]) -> Any:
        text = options.get(name)
        try:
            return None if text is None else how(text)
        except InputError as error:
            problems.extend(error.problems)
        except ValueError as error:
            problems.append(Problem(f"--{name}", 0, 0, str(error)))
        return None

    rates = options.get("rates") or Rates()
    budget = read_option("budget", _budget)
    found = AdviceRequest(
        use=read_option("use", _use),
        budget=budget and rates.money(budget),
        count=read_option("count", _count) or 1,
        memory=read_option("memory", _memory),
        bits=int(options.get("bits") or BITS),
        used=bool(options.get("used")),
        outlet=read_option("outlet", lambda text: _outlet(text, catalog)),
        desktop=options.get("desktop"),
        electricity=options.get("electricity"),
        answers=_answers(options.get("answer") or (), problems),
        prices=parse_prices(options.get("price") or (), problems),
        rates=rates,
    )
    if problems:
        raise InputError(problems)
    return found


def _refusal(option: str, what: str, advice: str, near: Iterable[str] = ()) -> InputError:
    return InputError([Problem(option, 0, 0, what, advice, tuple(near)[:_NEAREST])])


def _use(text: str) -> str:
    found = guide()
    words = {word: name for name, use in found.uses.items() for word in (name, *use.words)}
    name = "-".join(text.lower().replace("_", " ").split())
    known = words.get(name) or next((words[w] for w in name.split("-") if w in words), "")
    if known:
        return known
    if {name, *name.split("-")} & {*found.not_covered}:
        what = f"there is no advice on '{shortened(text)}': GPUs are ranked by deep-learning speed"
        raise _refusal("--use", what, f"Known uses: {', '.join(found.uses)}")
    near = _near(name, words)
    advice = "" if near else f"Known uses: {', '.join(found.uses)}"
    raise _refusal("--use", f"there is no use '{shortened(text)}'", advice, near)


def _near(name: str, known: Iterable[str]) -> tuple[str, ...]:
    return tuple(difflib.get_close_matches(name, list(known), _NEAREST, 0.6))


def _budget(text: str) -> Money:
    try:
        found = read_money(text)
    except ValueError as error:
        raise ValueError(f"a budget {error}") from None
    if found.amount <= 0:
        raise _refusal("--budget", f"a budget of {found} buys nothing", "Give an amount above zero")
    return found


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST_GPUS:
        advice = f"Give a whole number from 1 to {MOST_GPUS}"
        raise _refusal("--count", f"'{shortened(text)}' is not a number of GPUs", advice)
    return int(text)


def _memory(text: str) -> Interval:
    found = read(text, units.DATA, binary=True)
    if found.low <= 0:
        what = f"'{shortened(text)}' is not an amount of memory"
        raise _refusal("--memory", what, "Give it as in '24 GB'")
    return found


def _outlet(text: str, catalog: Catalog) -> Part:
    try:
        return catalog.part(catalog.find("outlet", text))
    except NameUnknownError as error:
        advice = "" if error.near else "`buildcheck parts search --kind outlet` lists them"
        what = f"no outlet is called '{shortened(text)}'"
        raise _refusal("--outlet", what, advice, error.near) from None


def _answers(texts: Iterable[str], problems: list[Problem]) -> dict[str, bool]:
    found: dict[str, bool] = {}

    def refuse(what: str, advice: str, near: tuple[str, ...] = ()) -> None:
        problems.append(Problem("--answer", 0, 0, what, advice, near))

    for text in texts:
        name, _, word = map(str.strip, text.partition("="))
        answer = _ANSWERS.get(word.lower())
        if answer is None:
            refuse(f"'{shortened(text)}' is not an answer", "Write it as in training=yes")
        elif name not in chart().questions:
            what = f"the flowchart has no question '{shortened(name)}'"
            near = _near(name, chart().questions)
            refuse(what, "" if near else "`buildcheck advise --chart` shows them", near)
        elif found.setdefault(name, answer) != answer:
            refuse(f"'{name}' is answered in both ways", "Give one answer")
    return found
