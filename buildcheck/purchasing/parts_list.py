"""A judged build → its parts list: rows, sums, and quotes compared.

Sums are exact and kept per currency; the sum of some lines is never called the total.
"""

from collections.abc import Iterator

from buildcheck.model.answer import Amount, amount
from buildcheck.model.finding import Report
from buildcheck.model.money import Money, sums
from buildcheck.purchasing.answer import (
    PartsListAnswer,
    PartsListLine,
    PartsListSum,
    QuoteComparison,
)
from buildcheck.purchasing.comparison import quote_comparison, states, tax_on_top
from buildcheck.purchasing.lines import list_rows
from buildcheck.report.sources import notices
from buildcheck.report.values import of_report


def parts_list_answer(report: Report) -> PartsListAnswer:
    """What to order for a build."""
    lines = list_rows(report)
    stated: Money | None = report.facts("cost.machine")
    # Without other prices the stated one is a charge, and is that of everything.
    is_complete = (
        stated is not None and not any(line.total for line in lines if line.part)
    ) or all(
        line.is_priced if line.is_order_line else line.total is not None
        for line in lines
        if line.kind != "find-out"
    )
    bases = [(p.includes, p.excludes) for line in lines if line.is_order_line and (p := line.price)]
    excluded, quotes = _excluded(lines), quote_comparison(report, lines)
    return PartsListAnswer(
        **{**of_report(report), "name": report.name},
        lines=lines,
        sums=tuple(_sums(lines, quotes, is_complete=is_complete)),
        stated=amount(stated),
        is_complete=is_complete,
        excludes=tuple(dict.fromkeys(word for words in excluded for word in words)),
        is_excluded_by_all=len(set(excluded)) == 1,
        has_mixed_prices=len({(frozenset(a), frozenset(b)) for a, b in bases}) > 1,
        states_tax=any(a or b for a, b in bases),
        quotes=quotes,
        notices=notices(f for s in report.graph.subjects.values() for f in s.facts.values()),
    )


def _excluded(lines: tuple[PartsListLine, ...]) -> list[tuple[str, ...]]:
    """What each price leaves out by its own word, but for shipping that is a row of the list."""
    shipped = {line.price.quote for line in lines if line.kind == "shipping" and line.price}
    prices = [line.price for line in lines if line.is_order_line and line.price]
    return [
        tuple(w for w in p.excludes if not (p.quote in shipped and states("shipping", w)))
        for p in prices
    ]


def _sums(
    lines: tuple[PartsListLine, ...], quotes: QuoteComparison | None, *, is_complete: bool
) -> Iterator[PartsListSum]:
    """The sum of each currency, in the order they come."""
    machines = {
        line.price.quote: line.total for line in lines if line.kind == "machine" and line.price
    }

    def paid(line: PartsListLine) -> Amount | None:
        if "in-machine-price" in line.marks and line.price:
            return machines.get(line.price.quote)
        return line.total

    found = sums(line.total.money for line in lines if line.total)
    for money in found:
        own = [x for x in lines if (total := paid(x)) and total.currency == money.currency]
        priced = [line for line in own if line.is_order_line]
        words = [word for line in priced if line.price for word in line.price.includes]
        rate = tax_on_top([line.price for line in own if line.price])
        whole = [q for q in quotes.quotes if q.total == (amount(money),)] if quotes else []
        stated = [q.total_with_tax[0].money for q in whole if q.tax and q.total_with_tax]
        named = {line.price.quote for line in own if line.price} == {q.name for q in whole}
        with_tax = money.plus(rate) if rate else money
        with_tax = stated[0] if stated and named else with_tax
        tax = with_tax._replace(amount=with_tax.amount - money.amount)
        yield PartsListSum(
            amount(money),
            lines=len(priced),
            charges=sum(line.is_charge for line in own),
            is_total=is_complete and len(found) == 1,
            includes={word: words.count(word) for word in dict.fromkeys(words)},
            tax=amount(tax) if rate else None,
            with_tax=amount(with_tax) if rate else None,
        )
