"""What is to be ordered: the parts of a build as lines, and what vendors offer for them."""

from dataclasses import field
from typing import Any, Literal

from buildcheck.model.frozen import Frozen
from buildcheck.model.money import Money, sums
from buildcheck.model.price import Price, Quote, QuoteLine
from buildcheck.model.source import Path

#: How a line of a quote answers an order line: the part itself, an exact model of what the build
#: names in general, another part instead, a charge, or goods that the build does not list.
Fit = Literal["part", "model", "instead", "extra", "unmatched"]
#: Fits that are what was asked for.
AS_ASKED = ("part", "model")


class OrderLine(Frozen):
    """One part of the build and how many are needed; or a section without a part."""

    section: str
    kind: str
    name: str
    path: Path
    #: As the build file writes it; empty if it gives facts alone.
    written: str = ""
    #: The part in the catalogue, and the numbers its maker sells it by.
    part: str | None = None
    numbers: tuple[str, ...] = ()
    #: Its part number by the build file.
    number: str = ""
    #: Of one in no catalogue: the facts and the other words that describe it.
    facts: dict[str, Any] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    count: int = 1
    #: Does it name one model that a vendor can deliver?
    is_exact: bool = True
    is_chosen: bool = True
    price: Price | None = None


class OfferedLine(Frozen):
    """A line of a quote, and the number of the order line it answers, from 0."""

    line: QuoteLine
    name: str
    fit: Fit
    answers: int | None = None
    #: Name of the other part that its part number belongs to; empty if none.
    number_of: str = ""

    @property
    def total(self) -> Money | None:
        """Price of the whole line; None if it has none."""
        return self.line.price.times(self.line.count) if self.line.price else None


class Offer(Frozen):
    """A quote compared with the build."""

    quote: Quote
    lines: tuple[OfferedLine, ...]
    #: Where the build file names it, and the file it is read from.
    path: Path
    file: str
    #: Number among quotes of one name, from 1.
    ordinal: int = 1

    @property
    def name(self) -> str:
        """The vendor and the number of the quote; no two quotes have one name."""
        which = f"({self.ordinal})" if self.ordinal > 1 else None
        return " ".join(filter(None, (self.quote.vendor, self.quote.number, which)))

    def of(self, line: int) -> list[OfferedLine]:
        """Its lines for an order line."""
        return [offered for offered in self.lines if offered.answers == line]

    def as_asked(self, line: int) -> list[OfferedLine]:
        """Its lines with the part that an order line asks for."""
        return [offered for offered in self.of(line) if offered.fit in AS_ASKED]

    def count(self, line: int) -> int:
        """Pieces offered of an order line; other parts do not count."""
        return sum(o.line.count for o in self.as_asked(line))

    @property
    def is_turnkey(self) -> bool:
        """Has it one price for the whole machine?"""
        return self.quote.total is not None

    def covers(self, line: int, asked: OrderLine) -> bool:
        """Is an order line in the price of the whole machine, as far as the quote says?"""
        if not self.is_turnkey or not asked.is_chosen:
            return False
        return not self.quote.lines or self.count(line) >= asked.count

    @property
    def sums(self) -> list[Money]:
        """Price of everything on it, shipping included, in each currency."""
        parts = [self.quote.total] if self.quote.total else [line.total for line in self.lines]
        return sums(filter(None, (*parts, self.quote.shipping)))


class Order(Frozen):
    """Everything a build needs, and every quote."""

    lines: tuple[OrderLine, ...] = ()
    offers: tuple[Offer, ...] = ()
    #: Numbers of the chosen offers, from 0; the first goes before the others.
    chosen: tuple[int, ...] = ()

    def lacking(self, offer: Offer) -> list[int]:
        """Order lines that a quote does not offer, or too few of; none where it lists no parts."""
        if offer.is_turnkey and not offer.quote.lines:
            return []
        return [
            number
            for number, line in enumerate(self.lines)
            if line.is_chosen
            and not any(o.fit == "instead" for o in offer.of(number))
            and offer.count(number) < line.count
        ]

    def machine_source(self, line: int) -> Offer | None:
        """The quote whose price of the whole machine an order line is in; None without one.

        That is a chosen one, else the only quote if the build file has no price.
        """
        offers = [self.offers[n] for n in self.chosen]
        if len(self.offers) == 1 and not any(asked.price for asked in self.lines):
            offers = list(self.offers)
        return next((offer for offer in offers if offer.covers(line, self.lines[line])), None)

    def is_chosen(self, offer: Offer) -> bool:
        """Do its prices go before those of others?"""
        return any(self.offers[n] is offer for n in self.chosen)

    def source(self, line: int) -> tuple[Offer, list[OfferedLine]] | None:
        """The quote that prices an order line, and its lines; None where several could.

        The first chosen one that offers all of it at a price; with none chosen, the only one that
        offers it.
        """
        speaking = [offer for offer in self.offers if offer.of(line)]
        only = speaking if len(speaking) == 1 else []
        for offer in [self.offers[n] for n in self.chosen] or only:
            if offer.is_turnkey:
                continue  # its parts are sold together
            asked = offer.as_asked(line)
            is_whole = offer.count(line) == self.lines[line].count
            if asked and is_whole and all(o.line.price for o in asked):
                return offer, asked
        return None
