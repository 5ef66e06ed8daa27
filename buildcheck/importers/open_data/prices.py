"""Prices seen at a shop portal (pc-part-dataset) → prices of parts of the catalogue.

Like parts are those that `words/list-prices.yaml` holds prices against. Colours of one part are one
row, with the lowest price.
"""

from __future__ import annotations

import json
from decimal import Decimal
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.catalog import Catalog
from buildcheck.importers.open_data import rows
from buildcheck.importers.open_data.matching import (
    CATEGORIES,
    SAID,
    PricedRecord,
    apart,
    match,
    offer,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from pathlib import Path

    from buildcheck.importers.open_data.rows import Counts

#: The day the prices were seen; a newer copy needs a new one, and makes a file of its own.
AS_OF = "2025-07-23"
CURRENCY = "USD"
#: Version of the form of the file.
FORMAT = 1


class FoundPrice(NamedTuple):
    """A record that is a part's."""

    part_id: str
    amount: Decimal
    name: str
    doubt: str
    #: How far its name is from that of the part.
    apart: int


def import_prices(path: Path, into: Path, catalog: Catalog | None = None) -> rows.Counted:
    """Write the prices of a copy of pc-part-dataset into a folder.

    The copy is a file with a record per line: `category`, `name`, `price_usd` and the source's
    own fields. Raises `CatalogError`; then nothing is written.
    """
    catalog = catalog or Catalog()
    counted, offers = rows.Counted(), []
    for number, record in rows.records(path):
        recipe = CATEGORIES.get(str(record.get("category")))
        price = rows.typed(record, "price_usd", (int, float), path, number)
        if recipe and price and rows.typed(record, "name", str, path, number):
            offers.append(offer(recipe, record))
    if not offers:
        raise rows.problem(path, 1, "there is no record with a price in it")
    medians = _medians(offers)
    found: list[FoundPrice] = []
    for one in offers:
        counts = counted.of(one.recipe.kind)
        counts.read += 1
        part_id = match(one, catalog, counts)
        if part_id:
            far = apart(one, catalog.index.name(part_id))
            amount = _amount(part_id, one, medians, counts, far)
            found += [amount] if amount else []
    rows.write(into, {f"us-{AS_OF}.jsonl": _text(found, counted)})
    return counted


def _medians(offers: list[PricedRecord]) -> dict[Hashable, float]:
    """The middle price of what is alike, per unit of its measure, where there are enough."""
    groups: dict[Hashable, list[float]] = {}
    for one in offers:
        if one.like:
            groups.setdefault((one.recipe.kind, one.like[0]), []).append(one.price / one.like[1])
    return {g: median(each) for g, each in groups.items() if len(each) >= SAID["fewest"]}


def _amount(
    part_id: str, one: PricedRecord, medians: Mapping[Hashable, float], counts: Counts, apart: int
) -> FoundPrice | None:
    """The price of a record, marked if it is far from its like; None if it is too far."""
    middle = medians.get((one.recipe.kind, one.like[0])) if one.like else None
    times = one.price / one.like[1] / middle if one.like and middle else 1.0
    far, most = max(times, 1 / times), one.recipe.table.get("far", SAID["far"])
    if far > 2 * most:
        counts.gated["price: more than twice as far from its like as marked ones"] += 1
        return None
    doubt = f"{times:.2g} times the median of its like" if far > most else ""
    amount = Decimal(str(one.price)).quantize(Decimal("0.01"))
    return FoundPrice(part_id, amount, one.name, doubt, apart)


def _text(found: list[FoundPrice], counted: rows.Counted) -> str:
    parts: dict[str, list[FoundPrice]] = {}
    for one in found:
        parts.setdefault(one.part_id, []).append(one)
    header = {
        "format": FORMAT,
        "as_of": AS_OF,
        "currency": CURRENCY,
        **{key: SAID[key] for key in ("source", "licence")},
        "fields": ["id", "amount", "name", "records", "doubt"],
    }
    lines = [json.dumps(header, ensure_ascii=False)]
    for part_id, every in sorted(parts.items()):
        # An edition that shares the part's file has a price only where the part has none.
        nearest = min(one.apart for one in every)
        records = [one for one in every if one.apart == nearest]
        counts = counted.of(part_id.partition("/")[0])
        counts.written += 1
        counts.merged += len(every) - 1
        best = min(records, key=lambda r: (bool(r.doubt), r.amount, r.name))
        if best.doubt:
            counts.gated["price: marked as far from its like"] += 1
        row: list[Any] = [part_id, str(best.amount), best.name, len(records)]
        row += [best.doubt] if best.doubt else []
        lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
    return "\n".join(lines) + "\n"
