"""The parts list as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from buildcheck.bill.comparison import Comparison, comparison, speaks_of
from buildcheck.bill.lines import Charge, Line, Total, charges, lines, totals
from buildcheck.items import load_items, standing
from buildcheck.model.quantity import Interval, ends_text

if TYPE_CHECKING:
    from buildcheck.items import Standing
    from buildcheck.model.finding import Report


@dataclass(frozen=True)
class Accessory:
    """Something the build implies and does not list."""

    id: str
    name: str
    why: str
    #: Such as `2` or `0..1`.
    count: str
    subjects: tuple[str, ...]
    #: Is it known to be needed, or to be found out?
    is_needed: bool


@dataclass(frozen=True)
class Bill:
    """What to order for a build."""

    name: str
    file: str
    checked: str
    verdict: Literal["pass", "fail", "unknown"]
    lines: tuple[Line, ...]
    charges: tuple[Charge, ...]
    accessories: tuple[Accessory, ...]
    totals: tuple[Total, ...]
    comparison: Comparison | None

    @property
    def priced(self) -> int:
        """Lines that have a price."""
        return sum(line.total is not None for line in self.lines)

    @property
    def days(self) -> tuple[str, ...]:
        """The days of its prices, the oldest first; a price without a day has none."""
        prices = [line.price for line in self.lines if line.total and line.price]
        return tuple(sorted({p.date.isoformat() for p in prices if p.date}))

    @property
    def is_complete(self) -> bool:
        """Is every line chosen and priced, every charge priced, and nothing else to buy?"""
        besides = self.to_buy or any(c.total is None for c in self.charges)
        return self.priced == len(self.lines) and not besides

    @property
    def to_buy(self) -> tuple[Accessory, ...]:
        """Accessories that are needed."""
        return tuple(a for a in self.accessories if a.is_needed)

    @property
    def to_find_out(self) -> tuple[Accessory, ...]:
        """Accessories of which nobody can say whether they are."""
        return tuple(a for a in self.accessories if not a.is_needed)

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said of the sums, and of ordering."""
        return tuple(_notes(self))

    def label(self, total: Total) -> str:
        """What a sum is of; a total only if it is of everything, and what it leaves out."""
        if self.is_complete and len(self.totals) == 1:
            sides = _left_out(self)
            words = ", ".join(dict.fromkeys(word for side in sides for word in side))
            if not words:
                return "Total"
            return (
                f"Total without {words}" if len(sides) == 1 else f"Sum of all, some without {words}"
            )
        lines = f"Sum of {total.lines} of {len(self.lines)} lines"
        many = "charge" if total.charges == 1 else "charges"
        return f"{lines} and {total.charges} {many}" if total.charges else lines


def bill(report: Report) -> Bill:
    """The parts list of a judged build. Raises `RulebookError` if a template is broken."""
    found = lines(report)
    besides = charges(report, found)
    accessories = tuple(_accessory(s) for s in standing(load_items("accessories"), report))
    return Bill(
        name=report.name,
        file=report.document.path,
        checked=report.checked,
        verdict=report.verdict,
        lines=found,
        charges=besides,
        accessories=tuple(sorted(accessories, key=lambda a: not a.is_needed)),
        totals=totals(found, besides),
        comparison=comparison(report),
    )


def _charged(made: Bill) -> list[str]:
    """What has to be said of charges, and of alternatives in the quotes that price lines."""
    found = []
    silent = [f"{c.name} ({c.price.quote})" for c in made.charges if c.total is None]
    if silent:
        found.append(f"Charges without a price: {', '.join(silent)}.")
    quotes = made.comparison
    for number, column in enumerate(quotes.columns if quotes else ()):
        taken = sum(
            line.price is not None and line.price.quote == column.name for line in made.lines
        )
        offered = sum(bool(row.cells[number].fit) for row in quotes.rows) if quotes else 0
        is_charged = any(c.price.quote == column.name for c in made.charges)
        if is_charged and taken < offered:
            found.append(
                f"{column.name} charges shipping and extras for {offered} parts, of which {taken}"
                f" {'is' if taken == 1 else 'are'} taken from it here: they may change."
            )
        others = [e for e in column.extras if e.fit == "alternative"] if taken else []
        told = ", ".join(f"{e.name} {e.total or 'without a price'}" for e in others)
        found += [f"{column.name} offers alternatives, in no sum here: {told}."] * bool(others)
    return found


def _left_out(made: Bill) -> set[tuple[str, ...]]:
    """What prices do not hold by their own word, but for shipping that is charged in a row."""
    shipped = {c.price.quote for c in made.charges if c.kind == "shipping"}
    prices = [line.price for line in made.lines if line.price]
    return {
        tuple(w for w in p.excludes if not (p.quote in shipped and speaks_of("shipping", w)))
        for p in prices
    }


def _bases(made: Bill) -> list[str]:
    """What has to be said of taxes and shipping in the prices."""
    prices = [n.price for n in made.lines if n.price]
    bases = {(frozenset(p.includes), frozenset(p.excludes)) for p in prices}
    if len(bases) > 1:
        return ["Prices include different things (see each line), so a sum mixes them."]
    if bases == {(frozenset(), frozenset())}:
        is_shipped = any(c.kind == "shipping" for c in made.charges)
        what = "tax is" if is_shipped else "tax and shipping are"
        return [f"No price says whether {what} included."]
    words = [", ".join(side) for side in _left_out(made)]
    return [f"Prices are without {word}." for word in words if word]


def _accessory(one: Standing) -> Accessory:
    needed = one.state == "needed" and one.item.group == "buy"
    count = str(len(one.subjects)) if one.amount is None else _shown(one.amount)
    return Accessory(one.item.id, one.text, one.why, count, one.subjects, needed)


def _shown(amount: Interval) -> str:
    return ends_text(amount) if amount.is_known else ""


def _notes(made: Bill) -> list[str]:
    """Sentences for whoever orders, the gravest first."""
    found = []
    if made.verdict == "fail":
        found.append("The check of this build fails: do not order it as it is.")
    elif made.verdict == "unknown":
        found.append("The check of this build lacks data that could decide whether it works.")
    if made.priced < len(made.lines):
        found.append(f"Not all lines are priced: {made.priced} of {len(made.lines)}.")
    if some := sum("see-quotes" in line.marks for line in made.lines):
        found.append(
            f"Lines that several quotes offer and none prices: {some}."
            " Choose a quote (`chosen: true` in it, or --choose)."
        )
    if made.to_buy:
        kinds = len(made.to_buy)
        what = "one kind of accessory" if kinds == 1 else f"{kinds} kinds of accessory"
        found.append(f"Not priced either: {what} to buy as well.")
    if len(made.totals) > 1:
        found.append("Prices are in different currencies, and sums of them are not added.")
    columns = made.comparison.columns if made.comparison else ()
    found += [
        f"The chosen quote {c.name} ended on {c.valid_until}."
        for c in columns
        if c.is_chosen and c.is_expired
    ]
    found += [
        f"The quote {c.name} is dated in the future: {c.date}."
        for c in columns
        if c.date and c.date.isoformat() > made.checked
    ]
    found += [*_charged(made), *_bases(made)]
    exact = sum("not-exact" in line.marks for line in made.lines)
    if exact:
        found.append(
            f"Lines without an exact model, which cannot be ordered as they stand: {exact} of"
            f" {len(made.lines)}."
        )
    return found
