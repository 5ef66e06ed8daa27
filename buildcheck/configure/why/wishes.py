"""The wishes of a wish, one by one, and what machines meet some of them.

Searches over one ground share a law, which judges nothing twice, and those over the same lists
share what they learned. A search is cut short by a number of nodes, never by time, so that the
answer is the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from buildcheck.configure.common import Phrase, phrase
from buildcheck.configure.decisions import OUTLET
from buildcheck.configure.engine import Engine, SearchProblem
from buildcheck.configure.search.classes import CENTS
from buildcheck.configure.search.search import Machine
from buildcheck.configure.stopping import Stop, never
from buildcheck.configure.wish.model import GpuWish, WishSection
from buildcheck.configure.wish.wish import Wish, words_of
from buildcheck.logic.quantity import Interval, exact, written
from buildcheck.model.answer import figure
from buildcheck.model.money import Money
from buildcheck.model.source import Path
from buildcheck.model.strict import Strict
from buildcheck.units import DATA

#: Shares of the memory wished for that are tried where all of it is too much, in eighths.
EIGHTHS = 8
#: Nodes that a search looks at before it is left open whether there is a machine.
MOST_NODES = 3000
#: Where the budget stands.
BUDGET = ("wish", "budget")
#: Sections and words of a wish that nothing is refused for.
_FREE = ("name", "waivers", "gpus", "best")
#: Phrases for giving a wish up, where that is not to go without it.
_GONE = {"careful": phrase("with-warnings"), "power_limits": phrase("with-limits")}


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
        if section not in _FREE:
            yield _given("fixed", section, wish.fixed[section])
    for section, value in wish.owned.items():
        yield _given("owned", section, value)
    for index, card in enumerate(wish.gpus):
        yield from _of_card(index, card)
    for index, word in enumerate(wish.avoid):
        left = tuple(w for w in wish.avoid if w != word)
        yield _avoided(("avoid", index), "avoid", word, _without(avoid=left))
    for name, field in WishSection.model_fields.items():
        value, unless = getattr(wish, name), field.default
        if name not in _FREE and value not in (unless, False):
            what = phrase("wished", key=name, words=_words(value))
            without = _without(**{name: unless})
            yield Wished(("wish", name), what, _plain(value), without, _GONE.get(name))


def _of_card(index: int, card: GpuWish) -> Iterator[Wished]:
    for name, field in GpuWish.model_fields.items():
        value, at = getattr(card, name), ("wish", "gpus", index, name)
        if value == field.default:
            continue
        if name == "avoid":
            for word in value:
                left = tuple(w for w in value if w != word)
                yield _avoided(at, "avoid-gpus", word, with_card(index, avoid=left))
            continue
        less, shown = {name: field.default}, _plain(value)
        what = phrase("wished-gpus", key=name, value=shown)
        if name == "part":
            less["count"] = card.number
        elif name == "count":
            less["count"] = Interval(1.0, max(value.high, 8.0))
            what = phrase("gpus", count=figure(value))
        elif isinstance(value, Interval):
            shown = f"{written(exact(value.low))} GB"
            what = phrase("wished-gpus", key=name, value=figure(exact(value.low), DATA))
        yield Wished(at, what, shown, with_card(index, **less))


def _avoided(path: Path, code: str, word: str, without: Callable[[Wish], Wish]) -> Wished:
    return Wished(path, phrase(code, word=word), word, without, phrase("allowed", word=word))


def _given(of: str, section: str, value: Any) -> Wished:
    """A section of those that are `fixed` or `owned`."""
    path, gone = (section,) if of == "fixed" else (of, section), None
    if of == "owned":
        what = phrase("owned", section=section, parts=_names(value))
    elif section == "site" and isinstance(value, dict):
        what = phrase("wall", wall={key: value[key] for key in OUTLET if key in value})
        gone = phrase("another-outlet", **what.values)
    else:
        words = [f"{k} {v}" for k, v in value.items()] if isinstance(value, dict) else []
        what = phrase("given", section=section, words=words)

    def without(wish: Wish) -> Wish:
        return wish.but(**{of: {k: v for k, v in getattr(wish, of).items() if k != section}})

    return Wished(path, what, value, without, gone)


def _without(**unless: Any) -> Callable[[Wish], Wish]:
    return lambda wish: wish.but(**unless)


def with_card(index: int, **changes: Any) -> Callable[[Wish], Wish]:
    """The wish with other words for one entry of GPUs."""

    def without(wish: Wish) -> Wish:
        card = wish.gpus[index].model_copy(update=changes)
        return wish.but(gpus=tuple(card if n == index else c for n, c in enumerate(wish.gpus)))

    return without


def _names(entries: Any) -> list[str]:
    """The parts of a section; none unless all have names."""
    items = entries if isinstance(entries, list) else [entries]
    names = [str(item["part"]) for item in items if isinstance(item, dict) and "part" in item]
    return names if len(names) == len(items) else []


def _words(value: Any) -> list[str]:
    """A word of a wish as it writes it: the fields of a part, each of several words, or the one."""
    if isinstance(value, Strict):
        given = ((name, _plain(getattr(value, name))) for name in sorted(value.model_fields_set))
        return [str(v) if name == "part" else f"{name.replace('_', ' ')} {v}" for name, v in given]
    is_list = isinstance(value, tuple) and not isinstance(value, Interval | Money)
    return list(value) if is_list else [str(_plain(value))]


def _plain(value: Any) -> Any:
    """A value of a wish as plain data."""
    if isinstance(value, Interval):
        least = written(exact(value.low))
        return f"at least {least}" if math.isinf(value.high) else written(value)
    if isinstance(value, Money):
        return f"{value.amount} {value.currency}"
    if isinstance(value, tuple | Strict):
        return ", ".join(_words(value))
    return value


@dataclass(frozen=True)
class Found:
    """What a search came to: the cheapest machine, if there is one.

    No machine costs less than `bound`, in hundredths. `rules` are those by which machines were
    excluded, the most first. One that is not `is_whole` was cut short: its machine need not be the
    cheapest, and without one it is open whether there is any.
    """

    machine: Machine | None = None
    bound: float = 0.0
    rules: tuple[str, ...] = ()
    is_whole: bool = True

    @property
    def is_refuted(self) -> bool:
        """Is it known that there is no machine?"""
        return self.is_whole and self.machine is None

    @property
    def price(self) -> float:
        """What the machine costs, in hundredths; zero without one."""
        return float(sum(o.price for o in (self.machine or {}).values()))

    def within(self, most: float) -> Found:
        """What is known of machines that cost no more than this, in hundredths."""
        if self.machine is not None and self.price <= most:
            return self
        return replace(self, machine=None, is_whole=self.is_whole or self.bound > most)


class Oracle:
    """What can be had of a wish. When it is time to stop, what needs a new search is left open."""

    def __init__(
        self, wish: Wish, wishes: list[Wished], engine: Engine, stop: Stop = never
    ) -> None:
        self.wish, self.wishes, self.engine, self.stop = wish, wishes, engine, stop
        #: How many searches were made.
        self.searches = 0
        self._grounds: dict[str, SearchProblem] = {}
        self._problems: dict[str, SearchProblem] = {}
        self._known: dict[tuple[Any, ...], Found] = {}
        #: The whole wish, which alone is searched to the end, as `configure` does.
        self._whole = (words_of(wish, "budget"), True, None)

    def made(self, kept: Collection[Wished]) -> Wish:
        """The wish with some of its wishes alone."""
        made = self.wish
        for wished in self.wishes:
            if wished not in kept:
                made = wished.without(made)
        return made

    def best(
        self, kept: Collection[Wished], *, strict: bool = True, rules: Collection[str] | None = None
    ) -> Found:
        """The cheapest machine that meets these wishes within their budget.

        Strict, none passes that is not known to. `rules` are all that are asked, of the whole
        rulebook unless given.
        """
        return self.of(self.made(kept), strict=strict, rules=rules)

    def of(self, made: Wish, *, strict: bool = True, rules: Collection[str] | None = None) -> Found:
        """The cheapest machine of a wish; one search answers for every budget."""
        key = (words_of(made, "budget"), strict, None if rules is None else frozenset(rules))
        if key not in self._known:
            if self.stop():
                return Found(is_whole=False)
            nodes = math.inf if key == self._whole else MOST_NODES
            self._known[key] = self._search(made, nodes=nodes, strict=strict, rules=rules)
        found = self._known[key]
        return found.within(float(made.budget.amount * CENTS)) if made.budget else found

    # The search

    def _search(self, made: Wish, **how: Any) -> Found:
        self.searches += 1
        search = self.problem(made).search(stop=self.stop, **how)
        machine = next(search.solutions(), None)
        if search.stopped:
            machine = search.some() if how["rules"] is None else None
        named = tuple(rule for rule, number in search.excluded.most_common() if number)
        bound = (search.proof().bound or 0.0) * CENTS
        return Found(machine, bound, named, is_whole=not search.stopped)

    def problem(self, made: Wish) -> SearchProblem:
        """What searches over a wish share; that is the same whatever the budget."""
        key = words_of(made, "budget")
        if key not in self._problems:
            # The whole wish has the currency of the prices.
            ground = {n: getattr(made, n) for n in ("fixed", "owned", "trust", "psus", "careful")}
            several = made.psus.count.high > 1
            of = f"{made.fixed} {made.owned} {made.trust} {several} {made.careful}"
            if of not in self._grounds:
                self._grounds[of] = self.engine.problem(self.wish.but(**ground))
            self._problems[key] = self._grounds[of].asking(made.but(budget=None))
        return self._problems[key]
