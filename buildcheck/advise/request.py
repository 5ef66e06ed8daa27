"""What GPUs are asked for: the options, read and looked up, all that is wrong at once."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any

from buildcheck import units
from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.errors import InputError, Problem
from buildcheck.load.sentences import near_words
from buildcheck.logic.quantity import Interval, read
from buildcheck.model.advice import chart, guide
from buildcheck.model.frozen import Frozen
from buildcheck.model.money import Money, read_money
from buildcheck.model.part import Part
from buildcheck.model.rate import Rates
from buildcheck.model.vocabulary import problem, refused
from buildcheck.workload.overrides import parse_prices, shortened

#: The most GPUs that can be asked for, and the number format that speed is ranked by.
MOST_GPUS, BITS = 10_000, 16
_NEAREST = 3
_ANSWERS = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}


class AdviceRequest(Frozen):
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
    InputError.raise_any(problems)
    return found


def _use(text: str) -> str:
    found = guide()
    words = {word: name for name, use in found.uses.items() for word in (name, *use.words)}
    name = "-".join(text.lower().replace("_", " ").split())
    known = words.get(name) or next((words[w] for w in name.split("-") if w in words), "")
    if known:
        return known
    said: dict[str, Any] = {"text": shortened(text), "uses": ", ".join(found.uses)}
    if {name, *name.split("-")} & {*found.not_covered}:
        raise refused("--use", "no-advice", **said)
    raise refused("--use", "no-use", near_words(name, words, _NEAREST, 0.6), **said)


def _budget(text: str) -> Money:
    try:
        found = read_money(text)
    except ValueError as error:
        raise ValueError(f"a budget {error}") from None
    if found.amount <= 0:
        raise refused("--budget", "empty-budget", found=found)
    return found


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST_GPUS:
        raise refused("--count", "no-gpu-count", text=shortened(text), most=MOST_GPUS)
    return int(text)


def _memory(text: str) -> Interval:
    found = read(text, units.DATA, binary=True)
    if found.low <= 0:
        raise refused("--memory", "no-memory", text=shortened(text))
    return found


def _outlet(text: str, catalog: Catalog) -> Part:
    try:
        return catalog.part(catalog.find("outlet", text))
    except NameUnknownError as error:
        near = error.near[:_NEAREST]
        raise refused("--outlet", "no-outlet", near, text=shortened(text)) from None


def _answers(texts: Iterable[str], problems: list[Problem]) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for text in texts:
        name, _, word = map(str.strip, text.partition("="))
        answer = _ANSWERS.get(word.lower())
        if answer is None:
            problems.append(problem("--answer", "no-answer", text=shortened(text)))
        elif name not in chart().questions:
            near = near_words(name, chart().questions, _NEAREST, 0.6)
            problems.append(problem("--answer", "no-question", near, name=shortened(name)))
        elif found.setdefault(name, answer) != answer:
            problems.append(problem("--answer", "answered-both", name=name))
    return found
