"""Lines of quotes → lines of the order: the part itself, one in its place, or something else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from buildcheck.catalog import NameUnknownError
from buildcheck.errors import InputError, Problem
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
    offers = tuple(matcher.offer(one) for one in given)
    if matcher.problems:
        raise InputError(matcher.problems)
    return Order(lines, offers, tuple(n for n, one in enumerate(given) if one.quote.chosen))


@dataclass
class _Matcher:
    """Holds quotes against the lines of one build."""

    wanted: tuple[Wanted, ...]
    catalog: Catalog
    problems: list[Problem] = field(default_factory=list)
    _known: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def offer(self, given: Given) -> Offer:
        """A quote with each of its lines matched."""
        found: dict[int, Offered] = {}
        for number, line in enumerate(given.quote.lines):
            one = self._as_asked(line, list(found.values()))
            if one:
                found[number] = one
        for number, line in enumerate(given.quote.lines):
            if number not in found:
                found[number] = self._other(line, list(found.values()), given, number)
        lines = tuple(found[n] for n in sorted(found))
        return Offer(given.quote, lines, given.named, given.document.path)

    def _as_asked(self, line: QuoteLine, taken: list[Offered]) -> Offered | None:
        """The line as an answer to what is asked; of several alike, the first still open."""
        fits = [(n, fit) for n, w in enumerate(self.wanted) if (fit := self._fit(line, w))]
        if not fits:
            return None
        pieces = {n: sum(o.line.count for o in taken if o.wanted == n) for n, _ in fits}
        still = [f for f in fits if pieces[f[0]] < self.wanted[f[0]].count]
        number, fit = (still or fits)[0]
        return Offered(line, self._name(line, self.wanted[number].kind), fit, number)

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
