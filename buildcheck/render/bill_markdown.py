"""A parts list as Markdown, for issues, mails and wikis; names in it are inert text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from buildcheck.render.bill_quotes import stated, terms
from buildcheck.render.bill_rows import rows
from buildcheck.render.bill_text import bill_verdict
from buildcheck.render.terminal import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.bill import Bill, Comparison
    from buildcheck.render.bill_rows import BillRow

_SIGNS = re.compile(r"([\\`*_{}\[\]()#+!|~$])")
_HEADS = ("", "Quantity", "Part", "Part number", "Each", "Total", "From", "Remarks")
#: Columns of figures stand at the right.
_RIGHT = (0, 1, 4, 5)


def bill_markdown(bill: Bill) -> str:
    """A heading, the table with sums below, what has to be said, and the quotes."""
    parts = [f"# Parts list: {escaped(bill.name)}", f"Of {bill.checked}."]
    body = [_cells(row) for row in rows(bill)]
    body += [
        ["", "", f"**{escaped(bill.label(t))}**", "", "", f"**{t.money}**", "", ""]
        for t in bill.totals
    ]
    parts.append(_table(_HEADS, body, _RIGHT))
    parts += ["\n".join(f"- {escaped(note)}" for note in bill.notes)] if bill.notes else []
    if bill.comparison:
        parts += _quotes(bill, bill.comparison)
    return "\n\n".join(parts) + "\n"


def _cells(row: BillRow) -> list[str]:
    day = f"of {row.price_date}" if row.price_date else ""
    until = f"until {row.price_until}" if row.price_until else ""
    quote = f"by {row.price_from}" if row.price_from.startswith("quote ") else ""
    without = f"without {row.excludes}" if row.excludes else ""
    words = (row.vendor, row.order_number, day, until, row.includes, without, quote)
    origin = ", ".join(filter(None, words))
    kind = "" if row.kind in ("part", "not chosen") else row.kind
    remarks = ": ".join(filter(None, (kind, row.remarks)))
    figures = [str(row.unit_price or ""), str(row.line_total or "")]
    texts = [
        str(row.line),
        str(row.quantity),
        row.name,
        row.part_numbers,
        *figures,
        origin,
        remarks,
    ]
    return list(map(escaped, texts))


def _quotes(bill: Bill, quotes: Comparison) -> list[str]:
    heads = ("", "Part", *(escaped(column.heading) for column in quotes.columns))
    body = [
        [str(row.number), escaped(row.name)]
        + [
            escaped("; ".join(filter(None, (str(c.each or ""), str(c.total or ""), c.remark))))
            for c in row.cells
        ]
        for row in quotes.rows
    ]
    told = [dict(terms(column)) for column in quotes.columns]
    body += [
        ["", name, *(escaped(one.get(name, "not stated")) for one in told)]
        for name in stated(quotes.columns)
    ]
    extras = [
        "; ".join(f"{e.name} {e.total or ''}".strip() for e in c.extras) for c in quotes.columns
    ]
    body += [["", "in addition", *map(escaped, extras)]] if any(extras) else []
    said = bill_verdict(bill)
    tail = "\n".join([escaped(said[0]), *(f"- {escaped(s[2:])}" for s in said[1:])]) if said else ""
    return ["## Quotes", _table(heads, body, ()), *([tail] if tail else [])]


def _table(heads: Iterable[str], body: list[list[str]], right: tuple[int, ...]) -> str:
    heads = list(heads)
    rule = ["---:" if n in right else "---" for n in range(len(heads))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, rule, *body))


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no cell, no link of its own."""
    text = _SIGNS.sub(r"\\\1", plain(text)).replace("&", "&amp;").replace("<", "&lt;")
    text = text.replace(">", "&gt;").replace("@", "&#64;")
    return text.replace("://", "&#58;//").replace("www.", "www&#46;")
