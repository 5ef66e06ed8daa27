"""Why a wish cannot be met: which wishes, by which rules, and what each could be instead.

The oracle is the search itself, with some of the wishes left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from buildcheck.configure.classes import CENTS
from buildcheck.configure.conflicts import explain, minimal_conflict
from buildcheck.configure.why import Broken, Conflict, Explanation, Member, Way, way
from buildcheck.configure.why_choices import OUTLET
from buildcheck.configure.wish_model import GpuWish, LimitWish, PsuWish
from buildcheck.edit import named
from buildcheck.model.quantity import Interval, exact, number_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from buildcheck.configure.engine import Engine
    from buildcheck.configure.space import Option
    from buildcheck.configure.wish import Wish
    from buildcheck.source import Path

#: Boxes of machines that a search looks at before it is said that a machine may exist: while
#: conflicts are looked for, and for the wish itself and each way out.
FEW_BOXES, MOST_BOXES = 300, 2500
#: Rules that are blamed for a conflict.
MOST_RULES = 4
#: Shares of the memory wished for that are tried where all of it is too much, in eighths.
EIGHTHS = 8


@dataclass(frozen=True, eq=False)
class Wished:
    """One wish: where it stands, in words, its value, and the wishes without it."""

    path: Path
    text: str
    value: Any
    without: Callable[[Wish], Wish]
    gone: str = ""

    @property
    def member(self) -> Member:
        """It as the member of a conflict."""
        return Member(self.text, named(self.path), {named(self.path): self.value})


@dataclass(frozen=True)
class _Found:
    """What a search came to: the price of the best machine in hundredths, and the machine."""

    price: float
    machine: dict[str, Option] | None
    excluded: dict[str, int]
    is_sure: bool = True


def why_wish(wish: Wish, engine: Engine) -> Explanation:
    """What stands in the way of a wish. Raises `InputError`."""
    return _WhyWish(wish, engine).explanation()


class _WhyWish:
    def __init__(self, wish: Wish, engine: Engine) -> None:
        self.wish = replace(wish, best={"price": 1.0})
        self.engine = engine
        self.currency = wish.budget.currency if wish.budget else "USD"
        self.wishes = list(_wishes(self.wish))
        self.budget = next((w for w in self.wishes if w.path == ("wish", "budget")), None)
        self._known: dict[frozenset[Wished], _Found] = {}
        self._tried: dict[str, _Found] = {}

    def explanation(self) -> Explanation:
        """Conflicts with their ways out."""
        name = self.wish.document.path
        if self._best(self.wishes, MOST_BOXES).price < math.inf:
            return Explanation(name, "wish", (), (), said=self._said())

        def conflict_in(kept: Sequence[Wished]) -> tuple[Wished, ...] | None:
            return minimal_conflict(kept, self._can_stand)

        first = conflict_in(self.wishes)
        if not first:
            said = "No machine is known to pass, whatever is wished for of those things"
            empty = Conflict((), self._rules((), self._best((), FEW_BOXES)))
            return Explanation(name, "wish", (empty,), (), said=said)
        explained = explain(self.wishes, conflict_in, lambda _given_up, _known: None, [first])
        # What was not searched to the end is no way out yet.
        sets = [s for s in explained.ways if self._is_found(s)]
        return Explanation(
            name=name,
            what="wish",
            conflicts=tuple(
                Conflict(
                    members=tuple(w.member for w in conflict),
                    rules=self._rules(conflict, self._best(conflict, FEW_BOXES)),
                    ways_out=tuple(n for n, s in enumerate(sets) if s & set(conflict)),
                )
                for conflict in explained.conflicts
            ),
            ways=tuple(map(self._way, sets)),
            is_whole=explained.is_whole and all(f.is_sure for f in self._known.values()),
            said=self._unsearched([s for s in explained.ways if s not in sets]),
        )

    def _is_found(self, given_up: frozenset[Wished]) -> bool:
        kept = [w for w in self.wishes if w not in given_up]
        return self._best(kept, MOST_BOXES).machine is not None

    def _unsearched(self, sets: list[frozenset[Wished]]) -> str:
        if not sets:
            return ""
        ways = "; ".join(" and ".join(w.text for w in self.wishes if w in s) for s in sets)
        return f"Giving up these may help as well, but no build was found in time: {ways}."

    def _said(self) -> str:
        found = self._best(self.wishes, MOST_BOXES)
        if found.machine is None:
            return (
                "Nothing is known to be in the way; the search was ended before it found a build."
            )
        price = self._money(found.price)
        return f"Nothing is in the way: the cheapest build that meets the wish costs {price}."

    def _money(self, cents: float) -> str:
        return f"{cents / CENTS:.2f} {self.currency}"

    # The oracle

    def _can_stand(self, kept: Sequence[Wished]) -> bool:
        return self._best(kept, FEW_BOXES).price < math.inf

    def _least(self, kept: Sequence[Wished]) -> _Found:
        """The cheapest machine that meets these wishes, money aside."""
        return self._best([w for w in kept if w is not self.budget], MOST_BOXES)

    def _best(self, kept: Sequence[Wished], boxes: int) -> _Found:
        """The cheapest machine that meets these wishes within their budget.

        A search that was ended early is taken up again only to look further.
        """
        key = frozenset(kept)
        if key not in self._known or (not self._known[key].is_sure and boxes > FEW_BOXES):
            self._known[key] = self._search(self._made(key), boxes)
        return self._known[key]

    def _made(self, kept: frozenset[Wished]) -> Wish:
        made = self.wish
        for wished in self.wishes:
            if wished not in kept:
                made = wished.without(made)
        return made

    def _search(self, wish: Wish, most: int) -> _Found:
        problem = self.engine.problem(wish)
        boxes = 0

        def stop() -> bool:
            nonlocal boxes
            boxes += 1
            return boxes > most

        search = problem.search(strict=True, stop=stop)
        machine = next(search.solutions(), None)
        excluded = dict(search.tally.excluded.most_common())
        if machine is None:
            # A search that was ended early has refuted nothing.
            cents = 0.0 if search.stopped else math.inf
            return _Found(cents, None, excluded, not search.stopped)
        return _Found(float(sum(o.price for o in machine.values())), machine, excluded)

    def _rules(self, conflict: Sequence[Wished], found: _Found) -> tuple[Broken, ...]:
        """The rules that excluded most machines in which these wishes are met."""
        rules = [(r, n) for r, n in found.excluded.items() if self.engine.rulebook.get(r)]
        broken = []
        for rule_id, number in rules[:MOST_RULES]:
            rule = self.engine.rulebook.get(rule_id)
            title = rule.title if rule else ""
            broken.append(Broken(rule_id, f"{title} ({number:.3g} machines)"))
        if self.budget in conflict:
            least = self._least(conflict)
            least = least if least.machine else self._least(self.wishes)
            if least.machine is not None:
                price = self._money(least.price)
                text = f"the cheapest machine that meets the other wishes costs {price}"
                broken = [Broken("budget", text)]
        return tuple(broken)

    # Ways out

    def _way(self, given_up: frozenset[Wished]) -> Way:
        order = [w for w in self.wishes if w in given_up]
        kept = [w for w in self.wishes if w not in given_up]
        found = self._best(kept, MOST_BOXES)
        changes: dict[Path, tuple[str, Any]] = {}
        price = found.price
        for wished in order:
            text, value, cents = self._become(wished, kept, found)
            changes[wished.path] = (text, value)
            price = max(price, cents)
        return way(changes, self._money(price) if 0 < price < math.inf else "")

    def _become(
        self, wished: Wished, kept: Sequence[Wished], found: _Found
    ) -> tuple[str, Any, float]:
        """What a wish would have to be, as words and value, and what the machine costs then."""
        if wished is self.budget:
            cents = math.ceil(found.price / CENTS) * CENTS
            money = f"{cents // CENTS} {self.currency}"
            return f"a budget from {money}", money, found.price
        last = wished.path[-1]
        if last == "count" and wished.path[1] == "gpus":
            return self._fewer(wished, kept, found)
        if last == "memory_total":
            return self._less(wished, kept, found)
        if wished.path == ("site",):
            return self._outlet(wished, found)
        return (
            f"{wished.gone or f'without {wished.text}'}{self._instead(wished, found)}",
            None,
            found.price,
        )

    def _fewer(
        self, wished: Wished, kept: Sequence[Wished], found: _Found
    ) -> tuple[str, Any, float]:
        index, number = int(wished.path[2]), int(self.wish.gpus[int(wished.path[2])].number.low)
        for count in range(number - 1, 0, -1):
            tried = self._with(kept, index, count=exact(float(count)))
            if tried.machine is not None:
                money = f" (from {self._money(tried.price)})"
                words = f"{count} cards or fewer" if count > 1 else "one card"
                return words + money, count, tried.price
        return (
            f"{wished.gone or f'without {wished.text}'}{self._instead(wished, found)}",
            None,
            found.price,
        )

    def _less(
        self, wished: Wished, kept: Sequence[Wished], found: _Found
    ) -> tuple[str, Any, float]:
        """The most memory, in eighths of what is wished for, that can be had."""
        index = int(wished.path[2])
        total = self.wish.gpus[index].memory_total
        for eighths in range(EIGHTHS - 1, 0, -1):
            least = (total.low if total else 0.0) * eighths / EIGHTHS
            tried = self._with(kept, index, memory_total=Interval(least, math.inf))
            if tried.machine is not None:
                amount = f"{number_text(least)} GB"
                money = self._money(tried.price)
                return f"{amount} of GPU memory or less (from {money})", amount, tried.price
        return (
            f"{wished.gone or f'without {wished.text}'}{self._instead(wished, found)}",
            None,
            found.price,
        )

    def _with(self, kept: Sequence[Wished], index: int, **changes: Any) -> _Found:
        """The search with other words for one card."""
        made = self._made(frozenset(kept))
        card = made.gpus[index].model_copy(update=changes)
        gpus = tuple(card if n == index else c for n, c in enumerate(made.gpus))
        key = f"{sorted(map(id, kept))} {index} {changes}"
        if key not in self._tried:
            self._tried[key] = self._search(replace(made, gpus=gpus), MOST_BOXES)
        return self._tried[key]

    def _outlet(self, wished: Wished, found: _Found) -> tuple[str, Any, float]:
        """The smallest known outlets that the cheapest machine without a site does with."""
        return f"another outlet than {wished.text}{self._instead(wished, found)}", None, found.price

    def _instead(self, wished: Wished, found: _Found) -> str:
        """What the cheapest machine has where something else was wished for."""
        if found.machine is None:
            return ""
        price = f"; a machine then costs {self._money(found.price)}"
        role = _ROLE.get(str(wished.path[1] if len(wished.path) > 1 else wished.path[0]))
        option = found.machine.get(role) if role else None
        if option is None or not option.units:
            return price
        units = " and ".join(
            f"{u.count}x {self.engine.catalog.index.name(u.sort.part)}" for u in option.units
        )
        return f"{price}, with {units}"


_ROLE = {
    **{n: n for n in ("gpus", "cpu", "memory", "storage", "psus", "case", "motherboard")},
    "board": "motherboard",
    "platform": "motherboard",
}


def _wishes(wish: Wish) -> Iterator[Wished]:
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
        yield Wished(("owned", section), f"the {section} that is owned", value, _no_owned(section))
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
            yield Wished(("wish", name), f"{name} {said}", said, _no(name, None))
    if wish.psus.part or wish.psus.model_fields_set:
        said = _said(wish.psus)
        yield Wished(("wish", "psus"), f"power supply {said}", said, _no("psus", PsuWish()))


def _of_words(wish: Wish) -> Iterator[Wished]:
    if wish.platforms:
        text = " or ".join(wish.platforms)
        yield Wished(
            ("wish", "platform"), f"platform {text}", list(wish.platforms), _no("platforms", ())
        )
    if wish.board:
        yield Wished(
            ("wish", "board", "part"), f"motherboard {wish.board}", wish.board, _no("board", None)
        )
    if wish.boards:
        text = " or ".join(wish.boards)
        yield Wished(("wish", "board"), f"board size {text}", list(wish.boards), _no("boards", ()))
    for index, word in enumerate(wish.avoid):
        yield Wished(("avoid", index), f"no {word}", word, _no_avoid(word))
    if wish.quiet:
        yield Wished(("wish", "quiet"), "a quiet machine", True, _no("quiet", False))
    if wish.trust:
        yield Wished(("wish", "trust"), f"trust {wish.trust}", wish.trust, _no("trust", None))


def _of_limits(wish: Wish) -> Iterator[Wished]:
    if not wish.limits.allowed:
        text, gone = "no lowered power limits", "with lower power limits"
        yield Wished(("wish", "power_limits"), text, False, _no("limits", LimitWish()), gone)
    elif wish.limits.least:
        text = f"power limits of at least {wish.limits.least:.0%}"
        yield Wished(("wish", "power_limits"), text, wish.limits.least, _no("limits", LimitWish()))
    if wish.budget:
        text = f"a budget of {wish.budget.amount} {wish.budget.currency}"
        yield Wished(
            ("wish", "budget"),
            text,
            f"{wish.budget.amount} {wish.budget.currency}",
            _no("budget", None),
        )


def _of_card(index: int, card: GpuWish) -> Iterator[Wished]:
    at: Path = ("wish", "gpus", index)
    if card.part:
        yield Wished(
            (*at, "part"),
            f"card {card.part}",
            card.part,
            _no_card(index, part=None, count=card.number),
        )
    if card.count is not None:
        text = _range(card.count)
        free = Interval(1.0, max(card.count.high, 8.0))
        yield Wished((*at, "count"), f"{text} cards", text, _no_card(index, count=free))
    if card.memory_total:
        text = f"{number_text(card.memory_total.low)} GB"
        yield Wished(
            (*at, "memory_total"), f"{text} of GPU memory", text, _no_card(index, memory_total=None)
        )
    if card.memory_each:
        text = f"{number_text(card.memory_each.low)} GB"
        yield Wished(
            (*at, "memory_each"), f"{text} on each card", text, _no_card(index, memory_each=None)
        )
    if card.cooling:
        text = " or ".join(card.cooling)
        yield Wished(
            (*at, "cooling"), f"{text} cards", list(card.cooling), _no_card(index, cooling=())
        )
    for word in card.avoid:
        left = tuple(w for w in card.avoid if w != word)
        yield Wished((*at, "avoid"), f"cards that are no {word}", word, _no_card(index, avoid=left))


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
        return ", ".join(wall) or "the site"
    if isinstance(value, dict):
        return f"{name} " + ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in value.items())
    return f"the {name.replace('_', ' ')} given"


def _said(entry: Any) -> str:
    found = []
    for name in sorted(entry.model_fields_set):
        value = getattr(entry, name)
        shown = _range(value) if isinstance(value, Interval) else value
        shown = " or ".join(shown) if isinstance(shown, tuple) else shown
        found.append(str(shown) if name == "part" else f"{name.replace('_', ' ')} {shown}")
    return ", ".join(found)


def _range(value: Interval) -> str:
    low = number_text(value.low)
    if value.is_exact:
        return low
    return f"{low} or more" if math.isinf(value.high) else f"{low}..{number_text(value.high)}"
