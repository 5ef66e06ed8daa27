"""What rules of the record are about: prices, quotes and waivers, as they are on one day.

They are no parts of the machine, so they are not in its graph. The day is given, never looked up.
"""

import datetime
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from buildcheck.logic.quantity import exact
from buildcheck.model.build import Waiver
from buildcheck.model.frozen import Frozen
from buildcheck.model.graph import Subject
from buildcheck.model.order import Offer, OfferedLine, Order, OrderLine
from buildcheck.model.part import USER, Sourced

#: No list of names in a sentence is longer.
MOST_NAMED = 4


class Record(Frozen):
    """What the build file holds besides the machine, and the day of the check."""

    today: datetime.date
    waivers: tuple[Waiver, ...] = ()
    order: Order = field(default_factory=Order)

    def is_past(self, day: datetime.date) -> bool:
        """Is the last day of something over?"""
        return self.today > day


def entries(record: Record) -> list[Subject]:
    """Every price of the build file and every quote, as subjects."""
    return [*_prices(record), *_quotes(record)]


def price_id(number: int) -> str:
    """The id of the price of a line of the order, from 0."""
    return f"prices[{number}]"


def _prices(record: Record) -> Iterator[Subject]:
    for number, line in enumerate(record.order.lines):
        price = line.price
        if price is None:
            continue
        facts: dict[str, Any] = {
            "called": f"the price of {line.name}" + (f" ({price.vendor})" if price.vendor else ""),
            "is_dated": price.date is not None,
            "is_held": price.until is not None and not record.is_past(price.until),
            "is_expired": price.until is not None and record.is_past(price.until),
        }
        if price.until:
            facts["until"] = price.until.isoformat()
        if price.date:
            facts["days_old"] = exact(float(max(0, (record.today - price.date).days)))
        path = (*line.path, "price")
        yield noted(price_id(number), "price", f"price of {line.name}", facts, path)


def _quotes(record: Record) -> Iterator[Subject]:
    order = record.order
    for number, offer in enumerate(order.offers):
        valid = offer.quote.valid_until
        # A part with a price of its own is bought elsewhere, unless the quote has some of it.
        lacking = [
            n for n in order.lacking(offer) if not order.lines[n].price or offer.count(n) > 0
        ]
        nowhere = [
            n for n in lacking if all(o.count(n) < order.lines[n].count for o in order.offers)
        ]
        elsewhere = [n for n in lacking if n not in nowhere]
        instead = [o for o in offer.lines if o.fit == "instead"]
        replaced = [_swap(o, order.lines[o.answers]) for o in instead if o.answers is not None]
        facts: dict[str, Any] = {
            "called": _called(offer),
            "states_validity": valid is not None,
            "is_expired": valid is not None and record.is_past(valid),
        }
        # Of a quote for a whole machine that lists no parts it is not known what is in it.
        contents: dict[str, Any] = {
            "parts_lacking": exact(float(len(nowhere))),
            "lacking": _format_names([_short(order, offer, n) for n in nowhere]),
            "parts_elsewhere": exact(float(len(elsewhere))),
            "elsewhere": _format_names([_short(order, offer, n) for n in elsewhere]),
            "parts_replaced": exact(float(len(instead))),
            "replaced": _format_names(replaced),
        }
        facts |= contents if offer.lines else {}
        if valid:
            facts["until"] = valid.isoformat()
        yield noted(f"quotes[{number}]", "quote", f"quote of {offer.name}", facts, offer.path)


def _called(offer: Offer) -> str:
    """A quote as sentences speak of it."""
    quote = offer.quote
    number = f" {quote.number}" if quote.number else ""
    which = f" ({offer.ordinal})" if offer.ordinal > 1 else ""
    return f"the quote{number} of {quote.vendor}{which}"


def _short(order: Order, offer: Offer, number: int) -> str:
    line, there = order.lines[number], offer.count(number)
    return f"{line.name} ({there} of {line.count})" if there else line.name


def _swap(offered: OfferedLine, line: OrderLine) -> str:
    of = f"instead of {line.name}" if line.is_chosen else "where the build names none"
    return f"{offered.name} {of}"


def _format_names(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return "; ".join(names[:MOST_NAMED] + ([f"and {more} more"] if more > 0 else [])) or "none"


def noted(key: str, kind: str, name: str, states: dict[str, Any], path: Any) -> Subject:
    """A subject whose facts come from the record."""
    facts = {n: Sourced(v, USER, USER.confidence, "") for n, v in states.items()}
    return Subject(key, kind, name, facts, path)
