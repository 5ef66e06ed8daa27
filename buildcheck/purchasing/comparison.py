"""Quotes compared line by line and as a whole, and why their sums differ in what they hold."""

import datetime
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from buildcheck.model.answer import Amount, amount, made_of
from buildcheck.model.finding import Report
from buildcheck.model.money import Money, sums
from buildcheck.model.order import AS_ASKED, Offer, OfferedLine, Order
from buildcheck.model.price import shares_in
from buildcheck.model.vocabulary import vocabulary
from buildcheck.purchasing.answer import (
    LinePrice,
    PartsListLine,
    QuoteAnswer,
    QuoteComparison,
    QuoteDifference,
    QuoteExtra,
    QuoteOffer,
    TurnkeyComparison,
)

#: What prices can include or not, and the words people use for it.
_BASES: dict[str, str] = vocabulary("part-lists")["quote"]["bases"]


def quote_comparison(report: Report, lines: tuple[PartsListLine, ...]) -> QuoteComparison | None:
    """The quotes of a build compared; None without quotes."""
    order = report.order
    if not order.offers:
        return None
    numbers = [
        n
        for n, asked in enumerate(order.lines)
        if asked.is_chosen or any(offer.of(n) for offer in order.offers)
    ]
    several = len(order.offers) > 1
    common = [n for n in numbers if several and order.lines[n].is_chosen and _is_common(order, n)]
    quotes = _with_tax(tuple(_quote(report, o, lines, common) for o in order.offers))
    differences = tuple(dict.fromkeys(_differences(order, quotes))) if several else ()
    alike = quotes if several and not differences else ()
    total = {q.name: (q.total_with_tax or q.total)[0].amount for q in alike}
    return QuoteComparison(
        quotes,
        lines=tuple(n + 1 for n in numbers),
        common_lines=len(common),
        differences=differences,
        lowest=tuple(name for name, least in total.items() if least == min(total.values())),
        turnkey=tuple(_turnkey_comparisons(order, quotes, report.facts("cost.machine"))),
    )


def _is_common(order: Order, number: int) -> bool:
    """Do all quotes offer the part itself, all pieces of it, at a price?"""
    return all(
        (offered := offer.as_asked(number))
        and offered[0].fit == "part"
        and offer.count(number) == order.lines[number].count
        and _line_total(offered) is not None
        for offer in order.offers
    )


def _line_total(offered: list[OfferedLine]) -> Money | None:
    """Price of all lines together; None where one has none, or in several currencies."""
    found = sums(o.total for o in offered if o.total)
    return found[0] if len(found) == 1 and all(o.line.price for o in offered) else None


def _quote(
    report: Report, offer: Offer, lines: tuple[PartsListLine, ...], common: list[int]
) -> QuoteAnswer:
    order, quote, whole = report.order, offer.quote, offer.sums
    today = datetime.date.fromisoformat(report.checked)
    offers = tuple(_offer(n, found) for n in range(len(order.lines)) if (found := offer.of(n)))
    alike = sums(o.total.money for o in offers if o.total and o.line - 1 in common)
    times = (f"{o.name} {o.line.lead_time}" for o in offer.lines if o.line.lead_time)
    return made_of(
        QuoteAnswer,
        quote,
        name=offer.name,
        vendor=quote.vendor or "",
        is_chosen=order.is_chosen(offer),
        is_turnkey=offer.is_turnkey,
        is_expired=quote.valid_until is not None and today > quote.valid_until,
        currency=quote.currency or (whole[0].currency if whole else ""),
        total=tuple(map(amount, whole)),
        stated=None if quote.stated in whole else amount(quote.stated),
        lead_time="; ".join(filter(None, (quote.lead_time, *times))),
        common=amount(alike[0]) if len(alike) == 1 else None,
        offers=offers,
        # What is no part of the build, and alternatives to parts that are offered too.
        extras=tuple(
            _extra(order, o)
            for o in offer.lines
            if o.answers is None or (o.fit == "instead" and offer.count(o.answers) > 0)
        ),
        lacks=tuple(order.lines[n].name for n in order.lacking(offer)),
        lines_offered=len(offers),
        lines_used=sum(
            x.is_order_line and x.price is not None and x.price.quote == offer.name for x in lines
        ),
    )


def _offer(number: int, offered: list[OfferedLine]) -> QuoteOffer:
    shown = [o for o in offered if o.fit in AS_ASKED] or offered
    prices = {o.line.price for o in shown}
    return QuoteOffer(
        line=number + 1,
        fit=shown[0].fit,
        count=sum(o.line.count for o in shown),
        each=amount(shown[0].line.price) if len(prices) == 1 else None,
        total=amount(_line_total(shown)),
        name="; ".join(dict.fromkeys(o.name for o in shown)) if shown[0].fit != "part" else "",
        number_of="; ".join(dict.fromkeys(o.number_of for o in shown if o.number_of)),
        is_priced=None not in prices,
    )


def _extra(order: Order, offered: OfferedLine) -> QuoteExtra:
    instead_of = "" if offered.answers is None else order.lines[offered.answers].name
    own = {"each": amount(offered.line.price), "is_charge": offered.fit == "extra"}
    return made_of(QuoteExtra, offered, offered.line, instead_of=instead_of, **own)


def _with_tax(quotes: tuple[QuoteAnswer, ...]) -> tuple[QuoteAnswer, ...]:
    """The quotes, with the sums with tax where all state one rate of it."""
    answers = [basis(quote, "tax") for quote in quotes]
    # What holds the tax need not say at which rate.
    stated = zip(answers, map(_rates, quotes), strict=True)
    rates = {frozenset(rates) for included, rates in stated if rates or not included}
    if None in answers or False not in answers or len(rates) != 1 or len(min(rates)) != 1:
        return quotes
    (rate,) = min(rates)
    taxed = []
    for quote, included in zip(quotes, answers, strict=True):
        tax = Decimal(0) if included else rate
        both = amount(quote.common.money.plus(tax)) if quote.common else None
        total = tuple(amount(one.money.plus(tax)) for one in quote.total)
        if quote.tax and not included:
            total = tuple(map(amount, sums(x.money for x in (*quote.total, quote.tax))))
        taxed.append(replace(quote, total_with_tax=total, common_with_tax=both))
    return tuple(taxed)


def tax_on_top(prices: list[LinePrice]) -> Decimal | None:
    """The one rate of tax, in per cent, that comes on top of all prices; None if there is none."""
    rates = {tuple(_rates(price)) for price in prices}
    is_within = any(states("tax", text) for price in prices for text in price.includes)
    (rate,) = rates.pop() if len(rates) == 1 and len(min(rates)) == 1 else (None,)
    return None if is_within else rate


def _rates(quote: QuoteAnswer | LinePrice) -> list[Decimal]:
    """The rates of tax that a quote states, each once."""
    texts = [t for t in (*quote.includes, *quote.excludes) if states("tax", t)]
    return shares_in(" ".join(texts))


def states(what: str, text: str) -> bool:
    """Are these words about tax, shipping or duty?"""
    return re.search(_BASES[what], text) is not None


def basis(quote: QuoteAnswer, what: str) -> bool | None:
    """Is tax, shipping or duty in the prices of a quote? None if it does not state it."""
    answers = [
        answer
        for answer, texts in ((True, quote.includes), (False, quote.excludes))
        if any(states(what, text) for text in texts)
    ]
    if not answers and {"shipping": quote.shipping, "tax": quote.tax}.get(what) is not None:
        return False
    return answers[0] if len(answers) == 1 else None


def _differences(order: Order, quotes: tuple[QuoteAnswer, ...]) -> Iterator[QuoteDifference]:
    """Everything that keeps the sums of quotes from being compared."""
    currencies = dict.fromkeys(quote.currency for quote in quotes)
    names = tuple(quote.name for quote in quotes)
    if len(currencies) > 1:
        yield QuoteDifference("currency", names, tuple(currencies))
    for quote in quotes:
        yield from _own_differences(order, quote)
    for what in _BASES:
        yield from _base_differences(quotes, what)
    rates = {q.name: " and ".join(f"{rate} %" for rate in _rates(q)) for q in quotes if _rates(q)}
    if len({frozenset(_rates(q)) for q in quotes if _rates(q)}) > 1:
        yield QuoteDifference("tax-rates", tuple(rates), tuple(rates.values()))


def _own_differences(order: Order, quote: QuoteAnswer) -> Iterator[QuoteDifference]:
    """What sets one quote apart from what the build asks for, with names where it is of parts."""
    pairs = [(order.lines[offer.line - 1], offer) for offer in quote.offers]
    asked = [(line, offer) for line, offer in pairs if offer.fit in AS_ASKED and line.is_chosen]
    found: dict[str, list[str] | bool] = {
        "no-prices": not quote.total,
        "not-itemised": quote.is_turnkey and not quote.offers,
        "lacks": list(quote.lacks),
        "instead": [offer.name for _, offer in pairs if offer.fit in ("instead", "model")],
        "more-pieces": [line.name for line, offer in asked if offer.count > line.count],
        "unpriced": [n.name for n, o in pairs if o.total is None and not quote.is_turnkey],
        "other-number": [offer.number_of for _, offer in pairs if offer.number_of],
        "extras": [
            f"{extra.name} (instead of {extra.instead_of})" if extra.instead_of else extra.name
            for extra in quote.extras
        ],
        "expired": quote.is_expired,
    }
    for kind, names in found.items():
        items = dict.fromkeys(names) if isinstance(names, list) else ()
        if names:
            yield QuoteDifference(kind, (quote.name,), tuple(items))


def _base_differences(quotes: tuple[QuoteAnswer, ...], what: str) -> Iterator[QuoteDifference]:
    """Tax, shipping or duty that some prices hold and others do not, or none states."""
    answers = [basis(quote, what) for quote in quotes]
    names = {
        side: tuple(q.name for q, a in zip(quotes, answers, strict=True) if a is side)
        for side in (True, False, None)
    }
    if set(answers) == {None} and what == "duty":
        return  # within a country no quote states it
    if what == "shipping" and all(a or q.shipping for q, a in zip(quotes, answers, strict=True)):
        return  # wherever it is not included it is a price of its own, and in the sum
    if names[True] and names[False]:
        if what != "tax" or not quotes[0].total_with_tax:
            yield QuoteDifference(f"{what}-mixed", names[True], names[False])
    elif names[None]:
        yield QuoteDifference(f"{what}-unstated", names[None])
    elif not names[True] and what != "tax":
        yield QuoteDifference(f"{what}-on-top", names[False])


def _turnkey_comparisons(
    order: Order, quotes: tuple[QuoteAnswer, ...], stated: Money | None
) -> Iterator[TurnkeyComparison]:
    """Each price of a whole machine against its parts, and those of other whole machines."""
    own = _build_file_prices(order, stated)
    every = [q for q in (*quotes, own) if len(q.total) == 1]
    machines = [q for q in every if q.is_turnkey]
    for number, quote in enumerate(q for q in machines if q is not own):
        for other in (*(q for q in every if not q.is_turnkey), *machines[number + 1 :]):
            yield _turnkey_comparison(quote, other)


def _turnkey_comparison(quote: QuoteAnswer, other: QuoteAnswer) -> TurnkeyComparison:
    """The difference is None unless the other prices all parts, in one currency, taxed alike."""
    priced = [o for o in other.offers if o.fit in AS_ASKED and o.total is not None]
    is_taxed = bool(quote.total_with_tax and other.total_with_tax)
    pair = [(q.total_with_tax if is_taxed else q.total)[0] for q in (quote, other)]
    is_alike = is_taxed or basis(quote, "tax") is basis(other, "tax")
    is_whole = len(priced) == len(other.offers) and not other.lacks
    if other.is_turnkey:
        is_whole = quote.lacks == other.lacks
    difference = None
    if is_alike and is_whole and pair[0].currency == pair[1].currency:
        difference = Amount(pair[0].amount - pair[1].amount, pair[0].currency)
    of, against = quote.name, other.name
    lines, whole = len(priced), other.is_turnkey
    return TurnkeyComparison(of, pair[0], against, pair[1], lines, whole, difference)


def _build_file_prices(order: Order, stated: Money | None) -> QuoteAnswer:
    """The prices of the build file, or its stated one, as if a quote gave them."""
    chosen = [(n, line) for n, line in enumerate(order.lines) if line.is_chosen]
    priced = {n: line.price for n, line in chosen if line.price}
    if not priced:
        total = tuple(map(amount, [stated] if stated else []))
        return QuoteAnswer(name="", vendor="", is_turnkey=True, total=total)
    totals = {n: price.each.times(order.lines[n].count) for n, price in priced.items()}
    bases = {(price.includes, price.excludes) for price in priced.values()}
    includes, excludes = bases.pop() if len(bases) == 1 else ((), ())
    return QuoteAnswer(
        name="",
        vendor="",
        total=tuple(map(amount, sums(totals.values()))),
        includes=includes,
        excludes=excludes,
        offers=tuple(
            QuoteOffer(n + 1, "part", order.lines[n].count, total=amount(total))
            for n, total in totals.items()
        ),
        lacks=tuple(line.name for n, line in chosen if n not in priced),
    )
