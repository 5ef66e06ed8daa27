"""A parts list as JSON; amounts are text, so that no reader rounds them. Changes only add."""

from __future__ import annotations

import datetime
import json
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from buildcheck import __version__
from buildcheck.model.money import Money

if TYPE_CHECKING:
    from buildcheck.bill import Bill, Line

FORMAT_VERSION = "1.0"


def bill_json(bill: Bill) -> str:
    """The list, its sums, accessories and quotes."""
    data = {
        "format_version": FORMAT_VERSION,
        "tool": {"name": "buildcheck", "version": __version__},
        "file": bill.file,
        "name": bill.name,
        "checked": bill.checked,
        "verdict": bill.verdict,
        "lines": [_line(line) for line in bill.lines],
        "charges": [{**_data(c), "total": _data(c.total)} for c in bill.charges],
        "accessories": _data(bill.accessories),
        "sums": [
            {"label": bill.label(t), "is_total": bill.label(t) == "Total", **_data(t)}
            for t in bill.totals
        ],
        "priced": bill.priced,
        "is_complete": bill.is_complete,
        "notes": list(bill.notes),
        "quotes": _data(bill.comparison),
        "lowest_quotes": list(bill.comparison.lowest) if bill.comparison else [],
    }
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _line(line: Line) -> dict[str, Any]:
    found: dict[str, Any] = _data(line)
    found["total"] = _data(line.total)
    found["remarks"] = list(line.said)
    return found


def _data(value: Any) -> Any:
    """Dataclasses as objects, money with its amount as text, days as ISO 8601."""
    if isinstance(value, Money):
        return {"amount": value.figure, "currency": value.currency}
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (tuple, list)):
        return [_data(item) for item in value]
    if is_dataclass(value):
        return {f.name: _data(getattr(value, f.name)) for f in fields(value)}
    return value
