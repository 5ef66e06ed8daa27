"""Lines of quotes → lines of the order: the part itself, one in its place, or something else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from buildcheck.catalog import NameUnknownError
from buildcheck.errors import InputError, Problem
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.order import AS_ASKED, Offer, Offered, Order
from buildcheck.names import squashed
from buildcheck.quotes.wanted import wanted

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog
    from buildcheck.model.order import Fit, Wanted
    from buildcheck.model.price import QuoteLine
    from buildcheck.quotes.reading import Given
    from buildcheck.resolve import Assembly
    from buildcheck.source import Document


def order(assembly: Assembly, build: Document, given: list[Given], catalog: Catalog) -> Order:
    """What the build needs and what each quote offers of it.

    Raises `InputError` where a line stands in for something that is not in the build.
    """
    lines = wanted(assembly, build, catalog)
    matcher = _Matcher(lines, catalog)
    offers = _numbered([matcher.offer(one) for one in given])
    if matcher.problems:
        raise InputError(matcher.problems)
    return Order(lines, offers, tuple(n for n, one in enumerate(given) if one.quote.chosen))


def _numbered(offers: list[Offer]) -> tuple[Offer, ...]:
    """The same, so that no two are called the same."""
    called = [offer.name for offer in offers]
    return tuple(
        replace(offer, ordinal=1 + called[:number].count(offer.name))
        for number, offer in enumerate(offers)
    )


@dataclass
class _Matcher:
    """Holds quotes against the lines of one build."""

    wanted: tuple[Wanted, ...]
    catalog: Catalog
    problems: list[Problem] = field(default_factory=list)
    _known: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def offer(self, given: Given) -> Offer:
        """A quote with each of its lines matched."""
        found: dict[int, list[Offered]] = {}
        for number, line in enumerate(given.quote.lines):
            some = self._as_asked(line, [o for each in found.values() for o in each])
            if some:
                found[number] = some
        for number, line in enumerate(given.quote.lines):
            if number not in found:
                taken = [o for each in found.values() for o in each]
                found[number] = [self._other(line, taken, given, number)]
            self._refuse_negative(found[number][0], given, number)
        lines = tuple(o for n in sorted(found) for o in found[n])
        return Offer(given.quote, lines, given.named, given.document.path)

    def _refuse_negative(self, offered: Offered, given: Given, number: int) -> None:
        price = offered.line.price
        if offered.fit == "extra" or price is None or price.amount >= 0:
            return
        spot = (*given.path, "lines", number, "price")
        message = "a part of the build cannot have a negative price"
        advice = "Write a rebate as a line of its own, such as {part: Rebate, price: -50.00 EUR}"
        self.problems.append(given.document.problem(spot, message, advice))

    def _as_asked(self, line: QuoteLine, taken: list[Offered]) -> list[Offered]:
        """The line as an answer to what is asked; it fills what is still open, in order.

        What is over stays with the last it fills.
        """
        fits = self._fits(line)
        pieces = {n: sum(o.line.count for o in taken if o.wanted == n) for n, _ in fits}
        still = [(n, fit) for n, fit in fits if pieces[n] < self.wanted[n].count] or fits[:1]
        found, left = [], line.count
        for place, (number, fit) in enumerate(still):
            room = self.wanted[number].count - pieces[number]
            after = sum(self.wanted[n].count for n, _ in still[place + 1 :])
            count = left if not after else min(left, room)
            if count:
                part = line.model_copy(update={"count": count})
                name = self._name(line, self.wanted[number].kind)
                doubt = self._doubt(line, self.wanted[number])
                found.append(Offered(part, name, fit, number, doubt))
            left -= count
        return found

    def _fits(self, line: QuoteLine) -> list[tuple[int, Fit]]:
        """Lines of the build that a line answers, those it answers exactly first.

        Where its number is that of a part of another kind than its name, the name counts.
        """
        fits = [(n, fit) for n, w in enumerate(self.wanted) if (fit := self._fit(line, w))]
        name = squashed(line.part or "")
        named = {self.wanted[n].kind for n, _ in fits if name in _names(self.wanted[n])}
        fits = [(n, fit) for n, fit in fits if not named or self.wanted[n].kind in named]
        return sorted(fits, key=lambda f: f[1] != "part")

    def _doubt(self, line: QuoteLine, want: Wanted) -> str:
        """That the number of a line is known, and that of a part of another kind."""
        if not line.number or not line.part or squashed(line.number) in map(squashed, want.numbers):
            return ""
        kinds = dict.fromkeys(SECTION_KIND.values())
        if self._called(want.kind, line.number):
            return ""
        others = [p for k in kinds if (p := self._called(k, line.number))]
        return (
            f"number {line.number} is that of {self.catalog.index.name(others[0])}"
            if others
            else ""
        )

    def _other(self, line: QuoteLine, taken: list[Offered], given: Given, number: int) -> Offered:
        """The line as something in place of a part of the build, or as something else."""
        name = line.part or line.number or ""
        if line.instead is None:
            return Offered(line, name, "extra")
        asked = [n for n, w in enumerate(self.wanted) if self._is_meant(line.instead, w)]
        answered = {o.wanted for o in taken if o.fit in AS_ASKED}
        still = [n for n in asked if n not in answered] if len(asked) > 1 else asked
        if len(still) == 1:
            want = self.wanted[still[0]]
            # What has facts and no name is not replaced, but named.
            fit: Fit = "model" if want.is_chosen and not want.part else "instead"
            return Offered(line, self._name(line, want.kind), fit, still[0])
        if asked:
            message = f"'{line.instead}' could be more than one line of the build"
            advice = f"Write one of: {', '.join(repr(self.wanted[n].name) for n in asked)}"
        else:
            message = f"the build has no section or part '{line.instead}'"
            sections = dict.fromkeys(w.section for w in self.wanted)
            advice = f"Sections: {', '.join(sections)}"
        spot = (*given.path, "lines", number, "for")
        self.problems.append(given.document.problem(spot, message, advice))
        return Offered(line, name, "extra")

    def _is_meant(self, text: str, line: Wanted) -> bool:
        return text == line.section or squashed(text) in _names(line)

    def _fit(self, line: QuoteLine, want: Wanted) -> Fit | None:
        """How a line answers one of the build. A number counts before a name."""
        if not want.is_chosen:
            return None
        found = None
        if line.number:
            if squashed(line.number) in map(squashed, want.numbers):
                return "part"
            found = self._called(want.kind, line.number)
        if not found and line.part:
            if squashed(line.part) in _names(want):
                return "part"
            found = self._find(want.kind, line.part)
        if not found or not want.part:
            return None
        if found == want.part:
            return "part"
        return "model" if not want.is_exact and self._is_model(found, want) else None

    def _is_model(self, part_id: str, want: Wanted) -> bool:
        """Is it a card with the chip that the build names?"""
        chip = self.catalog.part(part_id).facts.get("chip")
        return chip is not None and self._find(want.kind, chip.value) == want.part

    def _called(self, kind: str, number: str) -> str | None:
        """The one part that goes by just this number."""
        found = self.catalog.index.called(kind, number)
        return found[0] if len(found) == 1 else None

    def _find(self, kind: str, name: str) -> str | None:
        """The part of a name; None if there is none, or more than one."""
        if (kind, name) not in self._known:
            try:
                self._known[kind, name] = self.catalog.find(kind, name)
            except NameUnknownError:
                self._known[kind, name] = None
        return self._known[kind, name]

    def _name(self, line: QuoteLine, kind: str) -> str:
        """What a line offers, as the catalogue calls it if it knows it."""
        for text, find in ((line.number, self._called), (line.part, self._find)):
            found = find(kind, text) if text else None
            if found:
                return self.catalog.index.name(found)
        return line.part or line.number or ""


def _names(line: Wanted) -> set[str]:
    """All that a line of the build goes by."""
    texts = (line.name, line.written, *line.numbers, line.part or "")
    return {squashed(text) for text in texts} - {""}
