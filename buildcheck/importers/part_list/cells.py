"""Cells of tables, whatever separates them, and what their columns are called."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from buildcheck.importers.part_list.lines import NAME, NO_PRICE, counted, is_shop, joined, named
from buildcheck.importers.part_list.markup import plain
from buildcheck.importers.part_list.prices import cost_in, priced, with_cost
from buildcheck.model.money import bare_amount, is_price, price_in
from buildcheck.model.vocabulary import listed, vocabulary
from buildcheck.words.keys import ANY, said_by, section_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from buildcheck.importers.part_list.lines import Said
    from buildcheck.importers.part_list.rows import Row

#: What columns are called, by what they hold.
_ROLES = {
    role: frozenset(listed(words))
    for role, words in vocabulary("part-lists")["cells"]["called"].items()
}
_CURRENCY = re.compile(r"\s*[(\[]?\b(?:in )?(?:[a-z]{3}|[$€£¥₹])\)?\]?$")
_EACH = re.compile(r"\b(?:unit|each|einzel|stück)", re.IGNORECASE)
_PIPE = re.compile(r"(?<!\\)\|")
#: Separators of tables in plain text, and of files of spreadsheets.
_DELIMITERS = (",", ";", "\t")
#: No table of parts has more columns.
_MOST = 40


def cells_of(line: str, delimiter: str | None) -> list[str] | None:
    """The cells of a line of a table; None if it is no such line."""
    if max(map(line.count, "|\t")) > _MOST:
        return None
    if "|" in line:
        parts = _PIPE.split(line)
        if line.lstrip().startswith("|") and line.rstrip().endswith("|"):
            parts = parts[1:-1]
        return parts
    if delimiter:
        return _split(line, delimiter)
    return line.split("\t") if "\t" in line.strip() else None


def delimiter_of(line: str) -> str | None:
    """What separates the columns that a line names; None if it names none."""
    return next((d for d in _DELIMITERS if d in line and columns(_split(line, d) or [])), None)


def columns(cells: Sequence[str]) -> dict[int, tuple[str, str]]:
    """What each column holds, and its heading, by position; empty if these are no headings.

    >>> columns(["Part", "Model", "Price (EUR)"])[2]
    ('price', 'Price (EUR)')
    >>> columns(["CPU", "Ryzen 5", "$300"])
    {}
    """
    headings = [plain(cell)[0] for cell in cells]
    words = [_CURRENCY.sub("", h.lower()).strip(" :") or h.lower() for h in headings]
    known = frozenset[str]().union(*_ROLES.values())
    strange = [w for w in words if w and w not in known]
    # Of a table in another language one heading may be in whatever words.
    is_word = any(w.isalpha() and section_of(w) in (None, ANY) for w in strange)
    if sum(w in known for w in words) <= 1 or len(strange) > is_word:
        return {}
    roles = list(_ROLES)
    if not any(w in _ROLES["name"] - {"part"} for w in words):
        # Then the parts themselves are in the column "Part".
        roles = ["name", *(r for r in roles if r != "name")]
    found: dict[int, tuple[str, str]] = {}
    for at, word in enumerate(words):
        taken = {role for role, _ in found.values()} - {"other"}
        role = next((r for r in roles if word in _ROLES[r] and r not in taken), "other")
        found[at] = (role, headings[at])
    if strange and all(role != "name" for role, _ in found.values()):
        at = words.index(strange[0])
        found[at] = ("name", headings[at])
    return found if any(role == "name" for role, _ in found.values()) else {}


def row_by_columns(
    cells: Sequence[str], said: Said, headings: Mapping[int, tuple[str, str]], above: str
) -> Row | None:
    """A row of a table with headings; None if it does not keep to them.

    `above` is the kind of the row above, which is that of a row with a blank.
    """
    got: dict[str, str] = {}
    notes = []
    for at, cell in enumerate(cells):
        role, heading = headings.get(at, ("other", ""))
        shown = plain(cell)[0]
        if role == "other":
            notes.append(f"{heading}: {shown}" if shown else "")
        else:
            got[role] = cell if role == "name" else shown
    titles = dict(headings.values())
    name, _, tail = plain(got.get("name", ""))
    paid_for = "price" if got.get("price") else "sum"
    cost = got.get(paid_for, "")
    there = price_in(cost) or bare_amount(cost) is not None or NO_PRICE.fullmatch(cost)
    is_shifted = not there and any(is_price(plain(c)[0]) for c in cells)
    if not NAME.search(name) or is_price(name) or is_shifted:
        return None
    kind = got.get("kind", "")
    if "kind" in got and not kind and said_by(name) in (ANY, section_of(above)):
        kind = above
    if paid_for == "price" and got.get("sum"):
        notes.append(f"{titles['sum']}: {got['sum']}")
    found = cost_in(cost, titles.get(paid_for, ""), bare=True)
    if found.each is None:
        has_both = paid_for == "price" and "sum" in got
        each = has_both or bool(_EACH.search(titles.get(paid_for, ""))) or None
        found = found._replace(each=False if paid_for == "sum" else each)
    if got.get("shop"):
        found = found._replace(shop=got["shop"], note=joined(found.shop, found.note))
    row = counted(named(kind, name, said, tail), got.get("count", ""))
    row = priced(row) if not found.money and price_in(name) else with_cost(row, found)
    note, number = joined(row.note, *notes), got.get("number", "")
    return replace(row, shop=row.shop or found.shop, note=note, number=number)


def row_by_order(texts: Sequence[str], said: Said, *, last: bool) -> Row | None:
    """A row of a table without headings, or with others than it has cells.

    With a column of base prices the `last` price is what one pays.
    """
    texts = [t for t in texts if t]
    word = texts[0] if texts else ""
    known = section_of(word) is not None and len(texts) > 1
    rest = texts[1:] if known else texts
    names = [t for t in rest if NAME.search(t) and not is_price(t) and not NO_PRICE.fullmatch(t)]
    names = [t for t in names if bare_amount(t) is None]
    costs = [t for t in rest if price_in(t) and t != (names or [""])[0]]
    head, colon, _ = names[0].partition(":") if names else ("", "", "")
    typed = bool(colon) and section_of(head) is not None
    if not names or not (known or typed or (costs and said_by(names[0]) != ANY)):
        return None
    cost = costs[-1 if last else 0] if costs else ""
    row = named(word if known else "", names[0], said, "")
    row = with_cost(row, cost_in(cost)) if cost else priced(row)
    others = [t for t in rest if t not in (names[0], cost)]
    shops = [t for t in others if is_shop(t)] if row.price and not row.shop else []
    shop = row.shop or next(reversed(shops), "")
    return replace(row, shop=shop, note=joined(row.note, *(t for t in others if t != shop)))


def _split(line: str, delimiter: str) -> list[str] | None:
    """A line of a file of a spreadsheet; None if its quotes are broken."""
    try:
        return next(csv.reader([line], delimiter=delimiter), None)
    except csv.Error:
        return None
