"""Short forms → mappings: a name for a part, `4x RTX 3090 @ 280W` for several with a limit."""

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

from buildcheck import units
from buildcheck.logic.quantity import read, read_any
from buildcheck.model.build import SINGLES
from buildcheck.model.money import price_in
from buildcheck.model.price import read_day, side_of
from buildcheck.model.source import Path
from buildcheck.model.values import read_texts
from buildcheck.words.entry import Entry, entry_of, number_in, price_of
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import phrase

#: Notes what is wrong at a place, by its code.
Complain = Callable[..., None]
#: Sections whose entry has no count.
_ONE_PART = {*SINGLES} - {"cpu"}
#: Numbers alone that can only be a power, or an amount of memory.
_PLAIN = {"psus": (range(200, 6000), "W"), "memory": (range(4, 8193), "GB")}
#: Sections whose values may be words, such as `5600 MT/s` or `DDR4 RDIMM ECC`.
_WORDED = ("memory", "psus", "storage")
#: Some write `1500 GB` for 1536.
_ROUNDED = 0.05
#: What no part is called by; `2080 s` is a name.
_AMOUNTS = (units.POWER, units.VOLTAGE, units.CURRENT, units.LENGTH)


def silent(*_: Any, **_words: Any) -> None:
    """Complaints nobody asked for."""


def entry(item: Any, section: str = "", at: Path = (), complain: Complain = silent) -> Any:
    """An entry of the parts list as a mapping: its part, how many of it, and its other keys."""
    if isinstance(item, (int, float)) and not isinstance(item, bool):
        sizes, unit = _PLAIN.get(section, ((), ""))
        text = f"{item} {unit}" if item in sizes else str(item)
        item = {"count": item} if section == "risers" and isinstance(item, int) else text
    if isinstance(item, dict):
        made = dict(item)
        if isinstance(made.get("count"), str):
            made |= _counted(made, section, at, complain)
        made |= _priced(made, at, complain)
        for name, text in [*made.items()] if section in _WORDED else ():
            fields, rest = facts_in(section, text) if isinstance(text, str) else ({}, "")
            if name in fields and (name == "type" or not rest):
                made = fields | made | {name: fields[name]}
        # With a count of its own, what a text of memory counts are the modules of a kit.
        is_kit = section == "memory" and "count" in made
        if is_kit or not isinstance(made.get("part"), str):
            return made
        said = _said(made["part"], section, at, complain)
        if said.get("count", made.get("count")) != made.get("count", said.get("count")):
            words = {"count": made["count"], "part": made["part"], "said": said["count"]}
            complain((*at, "count"), "other-count", **words)
        return {**said, **made, "part": said["part"]}
    return _said(item, section, at, complain) if isinstance(item, str) else item


def _counted(made: dict[str, Any], section: str, at: Path, complain: Complain) -> dict[str, Any]:
    """The fields that a count in words gives: `2x`, and of memory `8x 32GB`."""
    text = made["count"]
    if section != "memory" or number_in(text):
        return {"count": number_in(text) or text}
    fields, rest = facts_in("memory", text)
    modules = fields.get("kit_modules")
    if rest or not modules or not fields.keys() <= {"kit_modules", "module"}:
        return {}
    total = re.fullmatch(r"\d+(?:\.\d+)? ?[GT]i?B", str(made.pop("total", "")))
    of_all = modules * int(fields["module"].split()[0])
    stated = read(total[0], units.DATA, binary=True).low if total else of_all
    if abs(stated - of_all) > _ROUNDED * of_all:
        complain((*at, "total"), "other-total", text=text, of_all=of_all, stated=stated)
    return {"count": modules, "module": fields["module"]}


def _said(text: str, section: str, at: Path, complain: Complain) -> dict[str, Any]:
    """What a text says of a part, by the keys of an entry."""
    found = entry_of(text, section)
    again = section == "gpus" and re.search(phrase("recounted"), text)
    if wrong := re.match(phrase("no_count"), found.name) or again:
        name = found.name.replace(wrong[0], "").strip()
        complain(at, "no-number", soft=False, text=wrong[0].strip(), name=name)
    try:
        _, dimension = read_any(found.name)
    except ValueError as error:
        what, _, advice = str(error).partition("; ")
        complain(at, "no-unit", soft=False, what=what, advice=advice.capitalize())
        dimension = None
    if dimension in _AMOUNTS and section and not facts_in(section, found.name)[0]:
        complain(at, "amount-for-name", name=found.name)
    said: dict[str, Any] = {"part": found.name, **found.settings}
    if found.count is not None and section not in _ONE_PART:
        said["count"] = found.count
    elif found.count not in (None, 1):
        if section not in ("cpu_cooler", "case"):
            complain(at, "several-of-one", text=text)
        found.notes.append(f"{found.count} pieces")
    if found.price:
        said |= _price(found, at, complain)
    # A duct is no remark: it is read.
    found.notes = [n for n in found.notes if not facts_in("cooling", n).fields.get("duct")]
    if found.notes:
        said["note"] = "; ".join(found.notes)
    return said


def _priced(made: dict[str, Any], at: Path, complain: Complain) -> dict[str, Any]:
    """The price of an entry from its words, such as `about $650 each` or `3.995 EUR net`."""
    text = made.get("price")
    found = price_of(text) if isinstance(text, str) else None
    if not found or found.written == text:
        return {}
    count = made.get("count", entry_of(str(made.get("part", ""))).count)
    found.count = count if isinstance(count, int) else None
    found.each = found.each is not False
    noted = "; ".join(filter(None, (made.get("note"), *found.notes)))
    return {**_price(found, at, complain), **({"note": noted} if noted else {})}


def _price(found: Entry, at: Path, complain: Complain) -> dict[str, Any]:
    """The price of one piece, with who sells it and what is said of taxes; empty if unclear."""
    each = _each(found, at, complain)
    more = {**found.taxes, **({"vendor": found.vendor} if found.vendor else {})}
    return {"price": {"each": each, **more} if more else each} if each else {}


def _each(found: Entry, at: Path, complain: Complain) -> Any:
    """The price of one piece; None, with a problem, where it could be that of all."""
    count = found.count or 1
    price = found.written
    modules = facts_in("memory", found.name).fields.get("kit_modules", 1)
    if found.section == "memory" and found.each and found.price and count == 1 < modules:
        # An entry of `8x32GB` is one kit.
        return f"{found.price.amount * modules:f} {found.price.currency}"
    if found.each is None and count > 1:
        complain((*at, "price"), "price-of-one-or-all", price=price, count=count)
        return None
    if found.each is False and count > 1 and found.price:
        each = found.price.amount / count
        if each != each.quantize(Decimal("0.01")):
            complain((*at, "price"), "no-cents", price=price, count=count)
            return None
        return f"{each.normalize():f} {found.price.currency}"
    return price


def quote(item: Any, at: Path = (), complain: Complain = silent) -> Any:
    """A quote with its lines spelt out, or the name of its file."""
    if not isinstance(item, dict):
        return {"file": item}
    made = dict(item)
    lines = made.get("lines", [])
    some = lines if isinstance(lines, list) else [lines]
    made["lines"] = [
        _line(line, made.get("currency"), (*at, "lines", n), complain)
        for n, line in enumerate(some)
    ]
    made = _taxed(made, at, complain)
    for name in ("total", "shipping"):
        found = price_of(made[name]) if isinstance(made.get(name), str) else None
        if found:
            made = {**(found.taxes if name == "total" else {}), **made, name: found.written}
        if name in made:
            made[name] = _in_currency(made[name], made.get("currency"))
    days = re.fullmatch(phrase("days"), str(made.get("valid_until", "")))
    if days:
        try:
            made["valid_until"] = read_day(made.get("date")) + timedelta(days=int(days[1]))
        except ValueError:
            complain((*at, "valid_until"), "days-without-date")
            del made["valid_until"]
    return made


def _line(line: Any, currency: Any, at: Path, complain: Complain) -> Any:
    """A line of a quote as a mapping, its price in the currency of the quote."""
    made = entry(line, "", at, complain)
    if not isinstance(made, dict) or "price" not in made:
        return made
    price = made["price"]
    if isinstance(price, dict) and "each" in price:
        taxes = [f"{n} {', '.join(price[n])}" for n in ("includes", "excludes") if n in price]
        made = {**({"note": taxes[0]} if taxes else {}), **made}
        price = price["each"]
    return {**made, "price": _in_currency(price, currency)}


def _taxed(made: dict[str, Any], at: Path, complain: Complain) -> dict[str, Any]:
    """A quote with what it says of tax under `includes` or `excludes`, if that is no amount."""
    noted = {
        line.get("note") for line in made["lines"] if isinstance(line, dict) and "price" in line
    }
    said = re.fullmatch(r"(includes|excludes) (.+)", str(*noted)) if len(noted) == 1 else None
    if said and not made.keys() & {"includes", "excludes", "tax"}:
        return {**made, said[1]: [said[2]]}
    text = made.get("tax")
    if isinstance(text, (int, float)) or price_in(str(text or "1 EUR")):
        return made
    rest = {key: value for key, value in made.items() if key != "tax"}
    side, texts = side_of(str(text)), (str(text), f"tax {text}")
    if not side:
        complain((*at, "tax"), "tax-unclear", text=text)
        return rest
    named = next(filter(None, (re.search(phrase("tax"), one) for one in texts)))
    return {**rest, side: [*read_texts(rest.get(side, [])), named[0].strip()]}


def _in_currency(amount: Any, currency: Any) -> Any:
    """An amount without a currency, in that of the quote."""
    is_bare = isinstance(amount, (int, float)) and not isinstance(amount, bool)
    return f"{amount} {currency}" if is_bare and isinstance(currency, str) else amount
