"""The parts list as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from buildcheck.bill.comparison import Comparison, comparison
from buildcheck.bill.lines import Line, Total, lines, totals
from buildcheck.items import load_items, standing
from buildcheck.model.quantity import Interval, ends_text

if TYPE_CHECKING:
    from buildcheck.bill.comparison import Column
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
    accessories: tuple[Accessory, ...]
    totals: tuple[Total, ...]
    comparison: Comparison | None

    @property
    def priced(self) -> int:
        """Lines that have a price."""
        return sum(line.total is not None for line in self.lines)

    @property
    def is_complete(self) -> bool:
        """Is every line chosen and priced, and nothing else to buy?"""
        besides = self.to_buy or self.charges
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
    def charges(self) -> tuple[str, ...]:
        """What quotes that prices are taken from charge besides, a sentence for each quote."""
        used = {line.price.quote for line in self.lines if line.price}
        columns = self.comparison.columns if self.comparison else ()
        return tuple(filter(None, (_charged(c) for c in columns if c.name in used)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said of the sums, and of ordering."""
        return tuple(_notes(self))

    def label(self, total: Total) -> str:
        """What a sum is of; a total only if it is of everything."""
        if self.is_complete and len(self.totals) == 1:
            return "Total"
        return f"Sum of {total.lines} of {len(self.lines)} lines"


def bill(report: Report) -> Bill:
    """The parts list of a judged build. Raises `RulebookError` if a template is broken."""
    found = lines(report)
    accessories = tuple(_accessory(s) for s in standing(load_items("accessories"), report))
    return Bill(
        name=report.name,
        file=report.document.path,
        checked=report.checked,
        verdict=report.verdict,
        lines=found,
        accessories=tuple(sorted(accessories, key=lambda a: not a.is_needed)),
        totals=totals(found),
        comparison=comparison(report),
    )


def _charged(column: Column) -> str:
    """What a quote charges besides parts of the build; empty if nothing."""
    parts = [f"shipping {column.shipping}"] if column.shipping else []
    parts += [f"{e.name} {e.total or 'without a price'}" for e in column.extras]
    return f"{column.name} charges besides, in no sum here: {', '.join(parts)}." if parts else ""


def _bases(made: Bill) -> list[str]:
    """What has to be said of taxes and shipping in the prices."""
    prices = [n.price for n in made.lines if n.price]
    bases = {(frozenset(p.includes), frozenset(p.excludes)) for p in prices}
    if len(bases) > 1:
        return ["Prices include different things (see each line), so a sum mixes them."]
    if bases == {(frozenset(), frozenset())}:
        return ["No price says whether tax and shipping are included."]
    words = ", ".join(prices[0].excludes) if prices else ""
    return [f"Prices are without {words}."] if words else []


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
        found.append(f"Not priced either: {len(made.to_buy)} kinds of accessory to buy as well.")
    if len(made.totals) > 1:
        found.append("Prices are in different currencies, and sums of them are not added.")
    columns = made.comparison.columns if made.comparison else ()
    found += [
        f"The chosen quote {c.name} ended on {c.valid_until}."
        for c in columns
        if c.is_chosen and c.is_expired
    ]
    found += [*made.charges, *_bases(made)]
    exact = sum("not-exact" in line.marks for line in made.lines)
    if exact:
        found.append(
            f"Lines without an exact model, which cannot be ordered as they stand: {exact} of"
            f" {len(made.lines)}."
        )
    return found
