"""Lines of quotes → the order lines they answer, and names of quotes → those that are chosen."""

from collections.abc import Iterable
from dataclasses import field, replace
from decimal import Decimal
from itertools import chain
from typing import Any

from buildcheck.catalog import Catalog
from buildcheck.errors import InputError, Problem
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.frozen import Frozen
from buildcheck.model.order import AS_ASKED, Fit, Offer, OfferedLine, Order, OrderLine
from buildcheck.model.part import is_same_model
from buildcheck.model.price import QuoteLine
from buildcheck.model.source import Document
from buildcheck.model.vocabulary import problem
from buildcheck.purchasing.quotes.order_lines import described, order_lines
from buildcheck.purchasing.quotes.reading import Given
from buildcheck.resolve import Assembly
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import is_charge
from buildcheck.words.names import squashed


def order(assembly: Assembly, build: Document, given: list[Given], catalog: Catalog) -> Order:
    """What the build needs and what each quote offers of it.

    Raises `InputError` where a quote offers something instead of a part the build does not have.
    """
    lines = order_lines(assembly, build, catalog)
    matcher = _Matcher(lines, catalog)
    offers = [matcher.offer(one) for one in given]
    names = [offer.name for offer in offers]
    # Those of one name are numbered.
    ordinals = [1 + names[:number].count(name) for number, name in enumerate(names)]
    offers = [replace(o, ordinal=n) for o, n in zip(offers, ordinals, strict=True)]
    InputError.raise_any(matcher.problems)
    return Order(lines, tuple(offers), tuple(n for n, one in enumerate(given) if one.quote.chosen))


def choose(order: Order, called: Iterable[str]) -> Order:
    """The same order with these quotes chosen before all others, in their order.

    A quote goes by its vendor, its number or both, in full or in part. Raises `InputError` with
    the quotes there are for each name that fits none, or several.
    """
    found: list[int] = []
    problems: list[Problem] = []
    for text in called:
        fits = _fitting(order, text)
        found += fits if len(fits) == 1 else []
        if len(fits) != 1:
            problems.append(_refused(order, text, fits))
    InputError.raise_any(problems)
    return replace(order, chosen=tuple(dict.fromkeys((*found, *order.chosen))))


def _fitting(order: Order, text: str) -> list[int]:
    """The quotes of a name: the one of that name, those of that vendor or number, or others.

    Others are those whose name begins with it, or else has it.
    """
    asked = squashed(text)
    names = [(n, squashed(offer.name), offer.quote) for n, offer in enumerate(order.offers)]
    ways = (
        [n for n, name, _ in names if name == asked],
        [n for n, _, q in names if asked in map(squashed, filter(None, (q.vendor, q.number)))],
        [n for n, name, _ in names if name.startswith(asked)],
        [n for n, name, _ in names if asked in name],
    )
    return next(filter(None, ways), []) if asked else []


def _refused(order: Order, text: str, fits: list[int]) -> Problem:
    if not order.offers:
        return problem("--choose", "no-quotes")
    code, shown = ("several-quotes" if fits else "no-quote"), fits or range(len(order.offers))
    names = ", ".join(order.offers[n].name for n in shown)
    return problem("--choose", code, text=text, shown=names)


#: The facts that tell parts of a kind apart first.
_SIZES = {"module", "total", "rated_power", "capacity", "spacing"}


class _Matcher(Frozen):
    """Finds the order line that each line of a quote answers."""

    lines: tuple[OrderLine, ...]
    catalog: Catalog
    problems: list[Problem] = field(default_factory=list)

    def offer(self, given: Given) -> Offer:
        """A quote with each of its lines matched."""
        taken: list[OfferedLine] = []
        found: list[list[OfferedLine]] = []
        for line in given.quote.lines:
            found.append(self._as_asked(line, taken))
            taken += found[-1]
        for number, line in enumerate(given.quote.lines):
            if not found[number]:
                found[number] = [self._other(line, taken, given, number)]
                taken += found[number]
            if found[number][0].fit != "extra" and line.price and line.price.amount < 0:
                self._refuse(given, number, "price", "negative-part")
        lines = tuple(chain.from_iterable(found))
        return Offer(given.quote, lines, given.named, given.document.path)

    def _refuse(self, given: Given, number: int, key: str, code: str, **words: Any) -> None:
        place = (*given.path, "lines", given.numbers[number], key)
        self.problems.append(given.document.wrong(place, code, **words))

    def _as_asked(self, line: QuoteLine, taken: list[OfferedLine]) -> list[OfferedLine]:
        """The order lines that a line of a quote answers; it fills those still open, in order.

        Further pieces are added to the last one.
        """
        fits = self._fits(line)
        line = _in_modules(line, self.lines[fits[0][0]]) if fits else line
        pieces = {n: sum(o.line.count for o in taken if o.answers == n) for n, _ in fits}
        still = [(n, fit) for n, fit in fits if pieces[n] < self.lines[n].count] or fits[:1]
        found, left = [], line.count
        for place, (number, fit) in enumerate(still):
            missing = self.lines[number].count - pieces[number]
            after = sum(self.lines[n].count for n, _ in still[place + 1 :])
            count = left if not after else min(left, missing)
            if count:
                part = line.model_copy(update={"count": count})
                # A server goes by the name it is bought by, and not by that of its board.
                is_so = squashed(line.part or "") == squashed(self.lines[number].name)
                name = (
                    line.part if is_so and line.part else self._name(line, self.lines[number].kind)
                )
                other = self._other_number(line, self.lines[number])
                found.append(OfferedLine(part, name, fit, number, other))
            left -= count
        return found

    def _fits(self, line: QuoteLine) -> list[tuple[int, Fit]]:
        """Order lines that a line of a quote answers, exact answers first.

        Where its number and its name belong to parts of different kinds, the name counts.
        """
        fits = [(n, fit) for n, w in enumerate(self.lines) if (fit := self._fit(line, w))]
        name = squashed(line.part or "")
        named = {self.lines[n].kind for n, _ in fits if name in _names(self.lines[n])}
        fits = [(n, fit) for n, fit in fits if not named or self.lines[n].kind in named]
        return sorted(fits, key=lambda f: f[1] != "part")

    def _other_number(self, line: QuoteLine, asked: OrderLine) -> str:
        """Name of the other part that its number belongs to; empty if there is none."""
        if not line.number or not line.part:
            return ""
        if squashed(line.number) in map(squashed, (*asked.numbers, asked.number)):
            return ""
        is_model = not asked.is_exact and self._part_of_number(asked.kind, line.number)
        kinds = () if is_model else dict.fromkeys(SECTION_KIND.values())
        others = (self._part_of_number(k, line.number) for k in kinds)
        found = (o for o in others if o and not is_same_model(o, asked.part))
        return next(map(self.catalog.index.name, found), "")

    def _other(
        self, line: QuoteLine, taken: list[OfferedLine], given: Given, number: int
    ) -> OfferedLine:
        """A line that answers none as asked: another part instead, or an extra."""
        name = line.part or line.number or ""
        if line.instead is None:
            is_rebate = line.price is not None and line.price.amount < 0
            return OfferedLine(line, name, "extra" if is_rebate or is_charge(name) else "unmatched")
        said = line.instead
        by_name = [said == w.section or squashed(said) in _names(w) for w in self.lines]
        asked = [n for n, is_meant in enumerate(by_name) if is_meant]
        answered = {o.answers for o in taken if o.fit in AS_ASKED}
        still = [n for n in asked if n not in answered] if len(asked) > 1 else asked
        if len(still) == 1:
            meant = self.lines[still[0]]
            # A part that the build gives by facts alone is not replaced, but named.
            fit: Fit = "model" if meant.is_chosen and not meant.part else "instead"
            return OfferedLine(line, self._name(line, meant.kind), fit, still[0])
        near = [repr(self.lines[n].name) for n in asked] or dict.fromkeys(
            w.section for w in self.lines
        )
        code = "several-lines" if asked else "no-section"
        self._refuse(given, number, "for", code, said=said, near_names=", ".join(near))
        return OfferedLine(line, name, "extra")

    def _fit(self, line: QuoteLine, asked: OrderLine) -> Fit | None:
        """How a line of a quote answers an order line, by its number or its name."""
        if not asked.is_chosen or not (line.part or line.number):
            return None
        number, name = line.number or "", line.part or ""
        stated = map(squashed, (*asked.numbers, asked.number))
        if (number and squashed(number) in stated) or (name and squashed(name) in _names(asked)):
            return "part"
        if not asked.part:
            return "model" if name and _is_like(line, asked) else None
        named = self.catalog.known(asked.kind, name) if name else None
        # A name of one model counts, whatever its number; of a general name the number says which.
        if named != asked.part or not asked.is_exact:
            named = (number and self._part_of_number(asked.kind, number)) or named
        if named == asked.part:
            return "part"
        if not named:
            # Shops write features behind a comma; what is offered is shown as they have it.
            head, comma, _ = name.partition(",")
            return "model" if comma and self.catalog.known(asked.kind, head) == asked.part else None
        # A GPU with the chip that the build names is of its model.
        chip = None if asked.is_exact else self.catalog.part(named).value("chip")
        return "model" if chip and self.catalog.known(asked.kind, chip) == asked.part else None

    def _part_of_number(self, kind: str, number: str) -> str | None:
        """The one part of a part number; None if there is none, or more than one."""
        found = self.catalog.index.called(kind, number)
        return found[0] if len(found) == 1 else None

    def _name(self, line: QuoteLine, kind: str) -> str:
        """The name of what is offered: that of the catalogue if the part is in it."""
        for text, find in ((line.number, self._part_of_number), (line.part, self.catalog.known)):
            found = find(kind, text) if text else None
            if found:
                return self.catalog.index.name(found)
        return line.part or line.number or ""


def _is_like(line: QuoteLine, asked: OrderLine) -> bool:
    """Does a name hold all by which the build describes a part, and contradict none of it?"""
    facts, words = described(asked.section, line.part or "", line.count)
    both = facts.keys() & asked.facts.keys()
    is_named = any(map(str.isdigit, asked.words)) or bool(both & _SIZES)
    return is_named and asked.words <= words and all(_agree(facts[n], asked.facts[n]) for n in both)


def _agree(one: Any, other: Any) -> bool:
    """Are two values equal, or does one code say more than the other: `DDR5`, `DDR5 RDIMM`?"""
    if isinstance(one, str) and isinstance(other, str):
        few, many = sorted((set(one.split()), set(other.split())), key=len)
        return few <= many
    return bool(one == other)


def _in_modules(line: QuoteLine, asked: OrderLine) -> QuoteLine:
    """A line of kits of memory as one of the modules that the build counts."""
    if asked.section != "memory" or asked.part or "kit_modules" in asked.facts or not line.part:
        return line
    kit = int(facts_in("memory", line.part, line.count).fields.get("kit_modules", 1))
    price = line.price and line.price._replace(amount=line.price.amount / kit)
    if price and price.amount != Decimal(price.figure):
        return line
    return line.model_copy(update={"count": line.count * kit, "price": price})


def _names(line: OrderLine) -> set[str]:
    """All names of an order line."""
    texts = (line.name, line.written, *line.numbers, line.part or "")
    return {squashed(text) for text in texts} - {""}
