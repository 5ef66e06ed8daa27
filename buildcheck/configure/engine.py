"""One way from a wish to an answer: lists, search, proposals, proof."""

from __future__ import annotations

import copy
import datetime
import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from buildcheck.catalog import Catalog
from buildcheck.configure.answer import ConfigureAnswer, Proof, Proposal
from buildcheck.configure.common import Progress
from buildcheck.configure.search.classes import CENTS, FINE, ROLES, Classes, currency_of, money
from buildcheck.configure.search.conflicts import Store
from buildcheck.configure.search.law import Law, ground_of
from buildcheck.configure.search.lists import Lists
from buildcheck.configure.search.search import Cap, Search
from buildcheck.configure.search.space import PRICE, Domain, Hull, Option
from buildcheck.configure.stopping import Stop, never
from buildcheck.configure.wish.model import LESS, OBJECTIVES
from buildcheck.configure.wish.wish import Wish, words_of
from buildcheck.load import Loaded
from buildcheck.load.price_list import price_book
from buildcheck.model.answer import Amount
from buildcheck.model.build import Build
from buildcheck.pipeline import Judging
from buildcheck.resolve import resolve
from buildcheck.rulebook import Rulebook
from buildcheck.rulebook.proposals import proposals

#: Sections in which the next of several proposals differs from those before.
APART = ("gpus", "motherboard")
#: Of which role parts are counted to tell how far a search is: of the first with a choice.
_COUNTED = ("motherboard", "gpus", "psus", "case", "cpu", "memory", "cpu_cooler", "storage")
#: The facts that say what each section draws at work, and of what subject.
_DRAWS = {
    "gpus": "gpu.sustained_power",
    "cpu": "cpu.work_power",
    "motherboard": "motherboard.typical_power",
    "memory": "memory.work_power",
    "cpu_cooler": "cooler.typical_power",
    "storage": "storage.typical_power",
}
#: What parts of a role state that adds up to a measure.
_STATED = (("gpus", "gpu_memory", "memory"), ("psus", "headroom", "rated_power"))


class Engine(NamedTuple):
    """What all searches over one catalogue share."""

    catalog: Catalog
    rulebook: Rulebook
    today: datetime.date
    prices: tuple[Path, ...] = ()

    @property
    def judging(self) -> Judging:
        """What builds are judged by."""
        return Judging(self.catalog, self.rulebook, self.today)

    def problem(self, wish: Wish) -> SearchProblem:
        """A wish made ready to be searched. Raises `InputError`."""
        return SearchProblem(self, wish)


class SearchProblem:
    """A wish with everything it is searched over."""

    def __init__(self, engine: Engine, wish: Wish) -> None:
        """Raises `InputError`."""
        self.engine, self.wish = engine, wish
        self.currency = currency_of(wish)
        self.book = price_book(
            *(engine.catalog, engine.prices, wish.prices or None),
            document=wish.document,
            rates=wish.rates,
        )
        self.classes = Classes(engine.catalog, self.book, self.currency, wish.trust or "")
        self.data: dict[str, Any] = {**wish.fixed, **wish.owned}
        self.data.setdefault("firmware", {"above_4g": True})
        if wish.psus.count.high > 1:
            # Several supplies have to start together; an adapter does it on any board.
            self.data.setdefault("psu_sync", "adapter")
        loaded = Loaded(Build.model_validate(self.data), wish.document)
        stated = resolve(loaded, engine.catalog).stated()
        wished = (card.adapter for card in wish.gpus if card.adapter)
        self.ground = ground_of(stated, self.classes, wished)
        spared = proposals().settled_by_reading if wish.careful is None else ()
        self.spared = frozenset(spared)
        law = Law(engine.rulebook, self.ground, spared=spared)
        self.law = law.with_care() if wish.careful else law
        self._speeds: dict[Hashable, float] = {}
        self.running: Search | None = None
        self._digests = engine.catalog.digest, engine.rulebook.digest, self.book.digest
        #: The last build that was found to pass.
        self.incumbent: Proposal | None = None

    def asking(self, wish: Wish) -> SearchProblem:
        """The problem of another wish over the same ground; it shares the law, and equal lists."""
        found = copy.copy(self)
        found.wish = wish
        for made in ("lists", "store") if found.text != self.text else ():
            vars(found).pop(made, None)
        return found

    @property
    def text(self) -> str:
        """What tells its lists and its law from others: a budget changes neither."""
        return repr((self._digests, self.currency, words_of(self.wish, "budget")))

    @cached_property
    def lists(self) -> dict[str, list[Option]]:
        """The options of each role, the best first."""
        made = Lists(self.wish, self.engine.catalog, self.classes, self.ground)
        return self._valued({role: made.of(role) for role in ROLES})

    # What an option is worth

    def _valued(self, lists: dict[str, list[Option]]) -> dict[str, list[Option]]:
        """The lists in the order of the wish."""
        for options in lists.values():
            for option in options:
                option.cost = (option.price, option.order)
        # The best has the least score.
        best = {n: w if n in LESS else -w for n, w in self.wish.weights.items()}
        # Where a list is empty there is no machine to measure, and nothing to put in order.
        if set(best) - {"price"} and all(lists.values()):
            hulls = {role: Domain(role, options).whole for role, options in lists.items()}
            for role, options in lists.items():
                for option in options:
                    measured = self._measured(role, option, hulls, best)
                    score = sum(w * measured.get(n, 0.0) for n, w in best.items())
                    # What is not known to be bounded is worse than all that is.
                    score = round(score * FINE) if math.isfinite(score) else score
                    option.cost = (score, option.price, option.order)
                options.sort(key=lambda o: o.cost)
        return lists

    def _measured(
        self,
        role: str,
        option: Option,
        hulls: Mapping[str, Hull | Option],
        names: Collection[str] = OBJECTIVES,
    ) -> dict[str, float]:
        """What an option adds to measures of these names; what is not known adds nothing good."""
        found = {"price": option.price / CENTS}
        if role in _DRAWS and not {"power", "headroom"}.isdisjoint(names):
            facts, name = self.law.machine({**hulls, role: option}), _DRAWS[role]
            kind = name.partition(".")[0]
            made = option.subjects(self.law.log)
            found["power"] = sum(facts.number(name, s).high for s in made if s.kind == kind)
            found["headroom"] = -found["power"]
        for of, measure, field in _STATED:
            if role == of and measure in names:
                values = zip(option.values(field), option.numbers, strict=True)
                found[measure] = sum(value.low * number for value, number in values if value)
        if role == "gpus" and "speed" in names:
            found["speed"] = self._speed(option, hulls)
        return found

    def _speed(self, option: Option, hulls: Mapping[str, Hull | Option]) -> float:
        """The training speed of all cards; those of one model in one setting are equally fast."""
        numbers = Counter[Hashable](map(id, option.given))
        for unit in option.units:
            numbers[id(unit.sort), *(setting[:2] for setting in unit.settings)] += unit.number
        if numbers.keys() - self._speeds:
            cards = option.subjects(self.law.log)
            facts = self.law.machine({**hulls, "gpus": option})
            for key, card in zip(numbers.elements(), cards, strict=True):
                if key not in self._speeds:
                    found = facts("gpu.estimated_speed", card)
                    # GPUs of unknown speed are slower than all that are known, and never 0.
                    self._speeds[key] = found.low if found else -math.inf
        return sum(number * self._speeds[key] for key, number in numbers.items())

    def measured(self, role: str, names: Collection[str]) -> list[tuple[Option, dict[str, float]]]:
        """Each option of a role with what it adds to measures of these names."""
        return [(o, self._measured(role, o, self.open_machine, names)) for o in self.lists[role]]

    def answer(self, proof: Proof, builds: Iterable[Proposal] = (), **more: Any) -> ConfigureAnswer:
        """What is answered to the wish: builds with their proof, and what `more` there is."""
        return ConfigureAnswer(
            name=self.wish.document.path,
            wish=self.wish.document.data,
            currency=self.currency,
            proof=proof,
            builds=tuple(builds),
            rates=tuple(rate.text for rate in self.wish.rates.all),
            parts=self.counts,
            **more,
        )

    @property
    def counts(self) -> dict[str, int]:
        """How many ways there are to fill each role, parts that are alike included."""
        return {role: sum(o.members for o in options) for role, options in self.lists.items()}

    @property
    def open_machine(self) -> dict[str, Option | Hull]:
        """The machine of what is given, the other roles still open if there are parts for them."""
        return {r: domain.whole for r, domain in self.store.domains.items() if domain.options}

    def objective(self, machine: dict[str, Option]) -> dict[str, float]:
        """Every measure of a machine."""
        total = dict.fromkeys(OBJECTIVES, 0.0)
        for role, option in machine.items():
            for name, value in self._measured(role, option, machine).items():
                total[name] += value
        return {n: round(v, 3) for n, v in total.items()}

    # The search

    @property
    def progress(self) -> Progress:
        """How far its search is: boards ruled out, or other parts that there is a choice for."""
        search, best = self.running, self.incumbent
        price = Amount(best.price.amount, self.currency) if best else None
        if search is None or not search.nodes:
            return Progress("search", best=price)
        totals, bound = self.counts, search.bound
        role = next((r for r in _COUNTED if totals[r] > 1), _COUNTED[0])
        is_cheapest = set(self.wish.weights) == {"price"} and bound and math.isfinite(bound[PRICE])
        least = money(bound[PRICE], self.currency) if is_cheapest else None
        done = totals[role] - search.left(role)
        return Progress("search", done, totals[role], section=role, best=price, bound=least)

    def search(
        self,
        *,
        strict: bool = True,
        stop: Stop = never,
        nodes: float = math.inf,
        only: Mapping[str, list[Option]] | None = None,
        cap: Cap | None = None,
        rules: Collection[str] | None = None,
    ) -> Search:
        """A search for the best; strict lets nothing pass that is not known to.

        `rules` are all that are asked, of the whole rulebook unless given.
        `only` are the options of some roles that are wanted. With a `cap` of what machines with
        some GPUs may cost, all within it are given. The search stays in
        `running`, to be watched.
        """
        budget = self.wish.budget
        law, store = self.law if strict else self.law.hoping(), self.store
        wanted = {o.serial for options in (only or {}).values() for o in options}
        self.running = Search(
            store,
            law if rules is None else law.only(rules),
            only={r: store.domains[r].where(lambda o: o.serial in wanted) for r in only or {}},
            most=None if budget is None else int(budget.amount * CENTS),
            stop=stop,
            nodes=nodes,
            apart=id if cap else self._like,
            cap=cap,
        )
        return self.running

    @cached_property
    def store(self) -> Store:
        """What all its searches learn."""
        return Store(self.law, self.lists, self.text)

    def _like(self, option: Option) -> object:
        """Equal for options that differ in no more than a colour or a setting."""
        if option.role not in APART:
            return ()
        return tuple((u.sort.value("chip") or u.sort.part, u.number) for u in option.units)
