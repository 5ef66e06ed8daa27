"""The priced parts of the catalogue, in classes: parts that are equal in all that is known of them.

No rule can tell the members of a class apart, so a search needs to look at the cheapest only.
The classes are made once for a catalogue and a price book and kept in the cache.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache, cached_property
from typing import Any, NamedTuple

from buildcheck import store
from buildcheck.catalog import Catalog
from buildcheck.catalog.price_book import PriceBook
from buildcheck.configure.wish.wish import Wish
from buildcheck.model.answer import Amount
from buildcheck.model.build import SECTION_KIND, SUBJECT_KIND
from buildcheck.model.codec import pack, unpack
from buildcheck.model.part import CONFIDENCE, Source, Sourced
from buildcheck.model.source import Document
from buildcheck.resolve.naming import Naming
from buildcheck.resolve.parts import placed

#: Sections a search fills, in the order in which it decides about them.
ROLES = ("gpus", "motherboard", "psus", "cpu", "memory", "case", "cpu_cooler", "storage")
#: Kinds of subject that are the catalogue's, and the same in every build that has them.
FIXED = ("connector", "adapter", "standard")
#: The role of each kind of subject that fills one.
ROLE_OF_KIND = {SUBJECT_KIND.get(SECTION_KIND[r], SECTION_KIND[r]): r for r in ROLES}
ROLE_OF_KIND |= {"module": "memory", "memory": "memory", "card": "gpus"}
#: Prices are in this currency unless a budget or a rate says another.
CURRENCY = "USD"
#: Money is counted in hundredths.
CENTS = 100
#: Other measures are whole numbers of thousandths, so that sums are exact.
FINE = 1000
_NO_SOURCE = Source("the catalogue", "", "derived")


def currency_of(wish: Wish) -> str:
    """Currency of the search: that of the budget, otherwise that of the rates."""
    return wish.budget.currency if wish.budget else wish.rates.into or CURRENCY


def money(cents: float, currency: str) -> Amount:
    """An amount from hundredths."""
    return Amount((Decimal(round(cents)) / CENTS).quantize(Decimal("0.01")), currency)


class Member(NamedTuple):
    """A part of a class and its price in hundredths of the currency."""

    price: int
    part: str


class PartClass:
    """Parts that are equal in every fact, the cheapest first."""

    def __init__(self, table: Table, members: Iterable[Member], cells: list[int]) -> None:
        self.table, self.members, self.cells = table, tuple(members), cells

    @property
    def price(self) -> int:
        """What the cheapest costs."""
        return self.members[0].price

    @property
    def part(self) -> str:
        """The cheapest."""
        return self.members[0].part

    def cell(self, field: str) -> int:
        """Number of the value of a field in its column; -1 for none."""
        column = self.table.columns.get(field)
        return -1 if column is None else self.cells[column]

    def value(self, field: str) -> Any:
        """The value of a field, or None."""
        cell = self.cell(field)
        return None if cell < 0 else self.table.value(field, cell)

    @cached_property
    def facts(self) -> dict[str, Sourced]:
        """Every fact, as the law reads them; where they come from is left out."""
        return {
            field: Sourced(self.table.value(field, cell), _NO_SOURCE, "", "")
            for field, column in self.table.columns.items()
            if (cell := self.cells[column]) >= 0
        }

    def only(self, members: Iterable[Member]) -> PartClass:
        """The class with some of its members."""
        left = tuple(members)
        return self if len(left) == len(self.members) else PartClass(self.table, left, self.cells)


class Table:
    """The classes of one kind of part, the cheapest first, with their values written once each."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.columns = {field: number for number, field in enumerate(data["fields"])}
        self._packed: list[list[Any]] = data["values"]
        #: The value of a number in a column.
        self.value = cache(lambda field, cell: unpack(self._packed[self.columns[field]][cell]))
        self.classes = [
            PartClass(self, [Member(*m) for m in members], cells) for members, cells in data["rows"]
        ]


class Classes:
    """The tables of all kinds, each read from the cache when first asked for."""

    def __init__(self, catalog: Catalog, book: PriceBook, currency: str, trust: str = "") -> None:
        """Of all parts with a price in `currency`; facts less sure than `trust` are not known."""
        self.catalog, self.book, self.currency, self.trust = catalog, book, currency, trust
        #: The table of one kind.
        self.of = cache(lambda kind: Table(store.cached(f"classes-{kind}", *self.made(kind))))

    @cached_property
    def adapters(self) -> frozenset[str]:
        """The names of the adapters that GPUs come with."""
        return frozenset(filter(None, (c.value("bundled_adapter") for c in self.of("gpu").classes)))

    def chip(self, part: str | None, name: str | None) -> str | None:
        """The id of the chip of a GPU, which one without the name of a chip is itself."""
        return part if name is None else self.catalog.find("gpu", name)

    def made(self, kind: str) -> tuple[str, Callable[[], dict[str, Any]]]:
        """What tells the table of a kind from others, and what makes it."""
        key = f"{self.catalog.digest} {self.book.digest} {self.currency} {self.trust}"
        listed = ((i, one) for i in self.book.ids(kind) if (one := self.book.of(i)))
        own = ((i, int(o.amount * CENTS)) for i, o in listed if o.currency == self.currency)
        return store.key_of(key), lambda: classed(kind, self.catalog, dict(own), self.trust)


def classed(kind: str, catalog: Catalog, prices: dict[str, int], trust: str) -> dict[str, Any]:
    """The classes of the parts with a price, as plain data for a `Table`."""
    booked = Naming(catalog, Document("", {}), []).booked(kind, {})
    sure = CONFIDENCE[: CONFIDENCE.index(trust) + 1] if trust else CONFIDENCE
    fields: dict[str, dict[str, int]] = {}
    values: dict[str, list[Any]] = {}
    classes: dict[tuple[tuple[str, int], ...], list[Member]] = {}
    for part_id, price in prices.items():
        listed = catalog.part(part_id).facts.items()
        facts = placed({n: f for n, f in listed if f.confidence in sure})
        cells = []
        for name, fact in sorted({**booked, **facts}.items()):
            packed = pack(fact.value)
            known = fields.setdefault(name, {})
            text = json.dumps(packed, sort_keys=True)
            if text not in known:
                known[text] = len(known)
                values.setdefault(name, []).append(packed)
            cells.append((name, known[text]))
        classes.setdefault(tuple(cells), []).append(Member(price, part_id))
    names = list(fields)
    rows = [
        [sorted(members), [dict(cells).get(name, -1) for name in names]]
        for cells, members in classes.items()
    ]
    rows.sort()
    return {"fields": names, "values": [values[n] for n in names], "rows": rows}
