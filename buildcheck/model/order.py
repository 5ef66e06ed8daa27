"""What is to be ordered: the parts of a build as lines, and what vendors offer of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from buildcheck.model.money import Money, sums

if TYPE_CHECKING:
    from buildcheck.model.price import Price, Quote, QuoteLine
    from buildcheck.source import Path

#: How a line of a quote answers the build: with the part itself, with an exact model of what
#: the build names in general, with another part in its place, or with something else.
Fit = Literal["part", "model", "instead", "extra"]
#: Fits that are what was asked for.
AS_ASKED = ("part", "model")


@dataclass(frozen=True)
class Wanted:
    """One line of what a build needs: so many of a part, or a part nobody has chosen."""

    section: str
    kind: str
    name: str
    path: Path
    #: As the build file writes it; empty if it gives facts alone.
    written: str = ""
    #: The part in the catalogue, and the numbers its maker sells it by.
    part: str | None = None
    numbers: tuple[str, ...] = ()
    count: int = 1
    #: Does it name one model that a vendor can deliver?
    is_exact: bool = True
    is_chosen: bool = True
    price: Price | None = None


@dataclass(frozen=True)
class Offered:
    """A line of a quote, and which line of the build it answers, from 0."""

    line: QuoteLine
    name: str
    fit: Fit
    wanted: int | None = None
    #: That its number is that of another part; empty if not.
    doubt: str = ""

    @property
    def total(self) -> Money | None:
        """What the whole line costs; None if it has no price."""
        return self.line.price.times(self.line.count) if self.line.price else None


@dataclass(frozen=True)
class Offer:
    """A quote held against the build."""

    quote: Quote
    lines: tuple[Offered, ...]
    #: Where the build file names it, and the file it stands in.
    path: Path
    file: str
    #: Of quotes that are called the same, which this is, from 1.
    ordinal: int = 1

    @property
    def name(self) -> str:
        """The vendor, and the number of the quote; no two quotes have one name."""
        which = f"({self.ordinal})" if self.ordinal > 1 else None
        return " ".join(filter(None, (self.quote.vendor, self.quote.number, which)))

    def of(self, wanted: int) -> list[Offered]:
        """Its lines for a line of the build."""
        return [line for line in self.lines if line.wanted == wanted]

    def count(self, wanted: int) -> int:
        """Pieces it offers of what a line of the build asks for; substitutes do not count."""
        return sum(o.line.count for o in self.as_asked(wanted))

    def as_asked(self, wanted: int) -> list[Offered]:
        """Its lines with what a line of the build asks for."""
        return [line for line in self.of(wanted) if line.fit in AS_ASKED]

    def is_silent(self, wanted: int) -> bool:
        """Does it neither offer what a line of the build asks for, nor anything in its place?"""
        return not self.of(wanted)

    @property
    def sums(self) -> list[Money]:
        """What all of it costs, shipping too, in each currency."""
        parts = [line.total for line in self.lines if line.total]
        return sums([*parts, *([self.quote.shipping] if self.quote.shipping else [])])


@dataclass(frozen=True)
class Order:
    """Everything a build needs, and every quote."""

    wanted: tuple[Wanted, ...] = ()
    offers: tuple[Offer, ...] = ()
    #: Numbers of the offers that are chosen, from 0, those that go first first.
    chosen: tuple[int, ...] = ()

    def lacking(self, offer: Offer) -> list[int]:
        """Lines of the build that a quote says nothing of, or too few of."""
        return [
            n
            for n, w in enumerate(self.wanted)
            if w.is_chosen and not _replaced(offer, n) and offer.count(n) < w.count
        ]

    def is_chosen(self, offer: Offer) -> bool:
        """Are its prices taken before those of others?"""
        return any(self.offers[n] is offer for n in self.chosen)

    def source(self, wanted: int) -> tuple[Offer, list[Offered]] | None:
        """The quote, and its lines, that price a line of the build.

        That is the first chosen one that offers all of it at a price, or else the only one that
        speaks of it.
        """
        speaks = [offer for offer in self.offers if not offer.is_silent(wanted)]
        only = speaks if len(speaks) == 1 else []
        for offer in (*(self.offers[n] for n in self.chosen), *only):
            asked = offer.as_asked(wanted)
            is_whole = offer.count(wanted) == self.wanted[wanted].count
            if asked and is_whole and all(o.line.price for o in asked):
                return offer, asked
        return None


def _replaced(offer: Offer, wanted: int) -> bool:
    return any(o.fit == "instead" for o in offer.of(wanted))
