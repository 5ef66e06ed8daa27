"""Cells of tables, whatever separates them, and what their columns are called."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from buildcheck.part_list.markup import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What columns are called, by what they hold. "Part" is the kind of part if there is a column
#: with better a name for the part itself.
_CALLED = {
    "kind": "type, component, components, category, part type, kind, part, section, komponente,"
    " kategorie, typ, composant, componente, componenti",
    "name": "item, selection, name, product, part name, model, description, part description,"
    " part, item name, title, bezeichnung, artikel, produkt, produit, producto, modell",
    "count": "qty, quantity, count, amount, pcs, units, menge, anzahl, stück, quantité, cantidad",
    "price": "price, unit price, price each, cost, unit cost, price paid, paid, preis,"
    " einzelpreis, stückpreis, prix, precio, prezzo, pris, prijs, cena",
    "sum": "total, line total, total price, subtotal, sum, extended price, total cost, summe,"
    " gesamt, gesamtpreis",
    "shop": "where, shop, merchant, vendor, store, retailer, seller, source, supplier, händler,"
    " shop name, laden, marchand, tienda, butik, winkel, sklep",
    "link": "link, url, links, product link, product url, address",
    "number": "part number, part no, part no., mpn, sku, manufacturer part number, part #,"
    " artikelnummer, model number",
    "other": "base, base price, promo, shipping, tax, taxes, discount, rebate, note, notes,"
    " comment, comments, status, currency, #, availability, remarks, color, colour, warranty,"
    " versand, purchased, bemerkung, details, specs, reason",
}
_ROLES = {
    role: frozenset(word.strip() for word in words.split(",")) for role, words in _CALLED.items()
}
_CURRENCY = re.compile(r"\s*[(\[]?\b(?:in )?(?:[a-z]{3}|[$€£¥₹])\)?\]?$")
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
    if sum(map(bool, words)) < 2 or not all(w in known for w in words if w):  # noqa: PLR2004 - one column is no table
        return {}
    found: dict[int, tuple[str, str]] = {}
    taken: set[str] = set()
    roles = list(_ROLES)
    if not any(w in _ROLES["name"] - {"part"} for w in words):
        # Then the parts themselves stand below "Part".
        roles = ["name", *(r for r in roles if r != "name")]
    for at, word in enumerate(words):
        role = next((r for r in roles if word in _ROLES[r] and r not in taken), "other")
        found[at] = (role, headings[at])
        taken.add(role)
        taken.discard("other")
    return found if "name" in taken else {}


def _split(line: str, delimiter: str) -> list[str] | None:
    """A line of a file of a spreadsheet; None if its quotes are broken."""
    try:
        return next(csv.reader([line], delimiter=delimiter), None)
    except csv.Error:
        return None
