"""Short forms → mappings: a name for a part, `4x RTX 3090 @ 280W` for several with a limit."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.load.groups import goes_by
from buildcheck.logic.quantity import read, read_any
from buildcheck.model.build import LISTS, SINGLES
from buildcheck.model.money import price_in
from buildcheck.model.price import read_day, side_of
from buildcheck.model.values import read_texts
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.entry import entry_of, number_in, price_of
from buildcheck.words.facts import facts_in, habitual_watts, hull, load_in
from buildcheck.words.keys import phrase

if TYPE_CHECKING:
    from collections.abc import Callable

    from buildcheck.model.money import MoneyInText
    from buildcheck.model.source import Path
    from buildcheck.words.entry import Entry

    #: Notes what is wrong at a place, and what to do.
    Complain = Callable[..., None]

#: Sections whose entry has no count.
_ONE_PART = {*SINGLES} - {"cpu"}
#: Numbers alone that can only be a power, or an amount of memory.
_PLAIN = {"psus": (range(200, 6000), "W"), "memory": (range(4, 8193), "GB")}
#: Sections whose words in place of a name are facts that others may contradict.
_DESCRIBED = ("psus", "storage", "risers")
#: Sections whose values may be words, such as `5600 MT/s` or `DDR4 RDIMM ECC`.
_WORDED = ("memory", "psus", "storage")
#: What sums are rounded by.
_ROUNDED_UP = Decimal("1.01")
#: Some write `1500 GB` for 1536.
_ROUNDED = 0.05
#: What people write where nothing is there.
_ABSENT = frozenset(("none", "no", "nothing", "-", "n/a"))
#: What no part is called by; `2080 s` is a name.
_AMOUNTS = (units.POWER, units.VOLTAGE, units.CURRENT, units.LENGTH)


def _silent(*_: Any, soft: bool = True) -> None:
    """Complaints nobody asked for."""


def spelt_out(data: dict[str, Any], complain: Complain = _silent) -> dict[str, Any]:
    """Sections of a build file with their short forms as mappings and lists."""
    data = _filled_in(data)
    result = dict(data)
    on_risers = result.get("risers") is True
    for section in (*LISTS, *SINGLES):
        value = result.pop(section, None)
        if section not in data or _is_absent(value) or (section == "risers" and on_risers):
            continue
        # Modules that are alike are one kit.
        is_kit = section == "memory" and isinstance(value, list) and len({*map(str, value)}) == 1
        if section not in LISTS or is_kit:
            one = with_units(section, _one(value, section, complain))
            result[section] = [one] if is_kit else one
            continue
        items = value if isinstance(value, list) else [value]
        several = items is value
        result[section] = [
            with_units(section, entry(item, section, (section, n)[: 1 + several], complain))
            for n, item in enumerate(items)
            if not _is_absent(item)
        ]
    risers = [{}] if on_risers else result.get("risers", [])
    if on_risers or (len(risers) == 1 and _of_all(risers[0])):
        counts = [i.get("count", 1) for i in result.get("gpus", []) if isinstance(i, dict)]
        each = sum(n for n in counts if isinstance(n, int)) or 1
        result["risers"] = [{**risers[0], "count": each}]
    _count_ways(result.get("gpus", []))
    _agree(result, complain)
    if "quotes" in result:
        listed = result["quotes"] if isinstance(result["quotes"], list) else [result["quotes"]]
        result["quotes"] = [quote(q, ("quotes", n), complain) for n, q in enumerate(listed)]
    for item in result.get("memory", []):
        # Memory is often given by its amount alone.
        if isinstance(item, dict) and re.fullmatch(phrase("amount"), str(item.get("part"))):
            item["module" if item.get("count", 1) != 1 else "total"] = item.pop("part")
    _pay(result, complain)
    result |= {"site": _circuit(result["site"], complain)} if "site" in result else {}
    result |= {s: with_units(s, result[s]) for s in ("site", "cooling") if s in result}
    if "workload" in result:
        result["workload"] = _workload(result["workload"], complain)
    return result


def _of_all(riser: Any) -> bool:
    """Are several risers meant, and not how many: one for each GPU?"""
    part = riser.get("part") if isinstance(riser, dict) and "count" not in riser else None
    return bool(re.search(phrase("several_risers"), str(part)))


def _count_ways(gpus: list[Any]) -> None:
    """Count the GPUs of the one entry that has `(2-Way SLI)` behind it, as PCPartPicker has."""
    noted = ((g, str(g.get("note"))) for g in gpus if isinstance(g, dict))
    found = [g for g, note in noted if re.search(phrase("n_way"), note)]
    for item in found if len(found) == 1 and "count" not in found[0] else ():
        item["count"] = int(re.findall(phrase("n_way"), str(item["note"]))[0])
        item["note"] = re.sub(phrase("n_way"), "", str(item["note"])) or None


def _pay(data: dict[str, Any], complain: Complain) -> None:
    """Read a price of the whole machine with words around it, such as `about $1900 all in`."""
    cost = data.get("cost")
    paid = price_of(str(cost.get("machine"))) if isinstance(cost, dict) else None
    if cost and paid:
        data["cost"] = cost | {"machine": paid.written}
        said = [f"that it {name} {taxes[0]}" for name, taxes in paid.taxes.items()]
        for what in (*said, *(f"'{note}'" for note in paid.notes)):
            complain(("cost", "machine"), f"{what} is not read", "State it in a quote")
        if paid.price:
            _add_up(data, paid.price, complain)


def _add_up(data: dict[str, Any], stated: MoneyInText, complain: Complain) -> None:
    """Report that the prices of the parts do not add up to that of the machine."""
    sections = [data[s] for s in (*LISTS, *SINGLES) if s in data]
    items = [i for s in sections for i in (s if isinstance(s, list) else [s])]
    priced = [item for item in items if isinstance(item, dict) and item.get("price")]
    each = [
        (p.get("each") if isinstance(p := i["price"], dict) else p, i.get("count")) for i in priced
    ]
    known = [(price_in(str(p)), n if isinstance(n, int) else 1) for p, n in each]
    total = sum(p.amount * n for p, n in known if p and p.currency == stated.currency)
    is_less = len(known) == len(items) and total * _ROUNDED_UP < stated.amount
    if total > stated.amount * _ROUNDED_UP or is_less:
        what = f"the prices of the parts add up to {total:,.2f} {stated.currency}"
        complain(("cost", "machine"), what, "Correct them, or the price of the machine")


def _filled_in(value: Any) -> Any:
    """Data without the keys whose value is still to be filled in, or not known."""
    if isinstance(value, dict):
        is_open = re.compile(phrase("unstated")).fullmatch
        return {k: _filled_in(v) for k, v in value.items() if not is_open(str(v))}
    return [*map(_filled_in, value)] if isinstance(value, list) else value


def _is_absent(value: Any) -> bool:
    text = value.strip().lower() if isinstance(value, str) else ""
    return value is False or text in _ABSENT or bool(re.fullmatch(phrase("unstated"), text))


def _one(value: Any, section: str, complain: Complain) -> Any:
    """The entry of a section that has one; a list of equal ones is one with a count."""
    if isinstance(value, list) and value and all(item == value[0] for item in value):
        found = entry(value[0], section, (section, 0), complain)
        count = found.get("count", 1) if isinstance(found, dict) else None
        many = {"count": len(value) * count} if len(value) > 1 and isinstance(count, int) else {}
        return {**found, **many} if isinstance(found, dict) else found
    return entry(value, section, (section,), complain)


def _agree(data: dict[str, Any], complain: Complain) -> None:
    """Report facts of entries that their own words contradict."""
    for section, key in (("site", "outlet"), *((s, "part") for s in _DESCRIBED)):
        value: Any = data.get(section)
        several = isinstance(value, list)
        for index, item in enumerate(value if several else [value]):
            if not isinstance(item, dict) or not isinstance(item.get(key), str):
                continue
            fields, rest = facts_in(section, item[key])
            is_full = section == "psus" and not re.search(phrase("derated"), item[key])
            named = is_full and habitual_watts(rest)
            own = {**fields, **item} if named else item
            fields = {"rated_power": named} if named else {} if rest else fields
            for name in (fields.keys() & own.keys()) - {key}:
                stated = facts_in(section, str(own[name])).fields.get(name, own[name])
                if _squeezed(stated) != _squeezed(fields[name]):
                    what = f"'{name}' is {own[name]}, and '{item[key]}' says {fields[name]}"
                    at = (section, index, name) if several else (section, name)
                    complain(at, what, "Keep one of them", soft=False)


def _squeezed(value: Any) -> str:
    return str(value).lower().replace(" ", "").removesuffix(".0")


def _circuit(site: Any, complain: Complain) -> Any:
    """A site whose circuits or breaker are in words: `2x 16 A 230 V`, `B16, shared`."""
    if not isinstance(site, dict):
        return site
    # An outlet that is `wall` or a PDU by its model says nothing of the circuit.
    more = len(site) > 1
    made = {
        n: v
        for n, v in site.items()
        if not (more and n == "outlet") or any(facts_in("site", str(v)))
    }
    for name in ("outlet", "breaker", "circuits"):
        pieces = re.split(phrase("listed"), str(made.get(name)))
        others = (piece for piece in pieces[1:] if facts_in("site", piece).rest)
        others = (piece for piece in others if not re.search(phrase("lacking"), piece))
        loads = [piece for piece in others if re.search(rf"{phrase('load')}\b", piece)]
        if loads and (load := load_in(", ".join(loads))):
            left = ", ".join(p.rstrip(" ,") for p in pieces if p not in loads)
            made = {**made, **_both({"other_load": load}, made), name: left}
    for name in ("breaker", "circuits", "ambient", "room_cooling"):
        if not isinstance(made.get(name), str):
            continue
        fields, rest = facts_in("site", made[name])
        if fields:
            own = {n: v for n, v in made.items() if n != name}
            made = {**fields, **own, **_both(fields, own)}
        if fields and rest and "outlet" not in made and goes_by("outlet", rest):
            made["outlet"] = rest
        elif fields and rest:
            is_load = name in ("breaker", "circuits")
            advice = is_load * "Loads that share the circuit are written as 'other_load: 800 W'"
            complain(("site", name), f"'{rest}' is not read", advice)
    return made


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Values of one that another may state otherwise: of those, the range of both."""
    twice = one.keys() & other.keys() & {*vocabulary()["ranges"]}
    return {**one, **{n: hull(str(one[n]), str(other[n])) for n in twice}}


def with_units(section: str, item: Any) -> Any:
    """An entry whose numbers alone have the unit that people leave out: W, V, A or degC."""
    if not isinstance(item, dict):
        return item
    units_of = vocabulary()["units_left_out"].get(section, {})
    bare = {
        n: unit for n, unit in units_of.items() if re.fullmatch(phrase("bare"), str(item.get(n)))
    }
    made = {**item, **{name: f"{item[name]} {unit}" for name, unit in bare.items()}}
    if section == "site" and isinstance(made.get("electricity_price"), str):
        made["electricity_price"] = re.sub(r"(?<=\d),(?=\d)", ".", made["electricity_price"])
    if section == "cooling" and "radiators" in made:
        made["radiators"] = _radiators(made["radiators"])
    return made


def _radiators(value: Any) -> Any:
    """`2x 360mm` and lists of such as counts by size."""
    if isinstance(value, dict):
        return value
    texts = value if isinstance(value, list) else re.split(phrase("listed"), str(value))
    found: dict[str, int] = {}
    for text in texts:
        read = re.fullmatch(phrase("radiators"), str(text).strip())
        if not read:
            return value
        size = f"{read[2]} mm"
        found[size] = found.get(size, 0) + int(read[1] or 1)
    return found


def entry(item: Any, section: str = "", at: Path = (), complain: Complain = _silent) -> Any:
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
            what = f"'count' is {made['count']}, and '{made['part']}' says {said['count']}"
            complain((*at, "count"), what, "Keep one of them")
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
        complain((*at, "total"), f"{text} is {of_all} GB, not {stated:g} GB", "Keep one of them")
    return {"count": modules, "module": fields["module"]}


def _said(text: str, section: str, at: Path, complain: Complain) -> dict[str, Any]:
    """What a text says of a part, by the keys of an entry."""
    found = entry_of(text, section)
    again = section == "gpus" and re.search(phrase("recounted"), text)
    if wrong := re.match(phrase("no_count"), found.name) or again:
        what, name = f"'{wrong[0].strip()}' is no number of parts", found.name.replace(wrong[0], "")
        complain(at, what, f"Write it as '2x {name.strip()}'", soft=False)
    try:
        _, dimension = read_any(found.name)
    except ValueError as error:
        what, _, advice = str(error).partition("; ")
        complain(at, what, advice.capitalize(), soft=False)
        dimension = None
    if dimension in _AMOUNTS and not facts_in(section, found.name).fields:
        what = f"'{found.name}' is an amount, and names no part"
        complain(at, what, "Write its name, or the amount under a key of its own")
    said: dict[str, Any] = {"part": found.name, **found.settings}
    if found.count is not None and section not in _ONE_PART:
        said["count"] = found.count
    elif found.count not in (None, 1):
        if section not in ("cpu_cooler", "case"):
            complain(at, f"'{text}' are several, and one is checked", "Write one of them")
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
        what = f"'{price}' could be the price of one or of all {count}"
        complain((*at, "price"), what, f"Write '{price} each' or '{price} total'")
        return None
    if found.each is False and count > 1 and found.price:
        each = found.price.amount / count
        if each != each.quantize(Decimal("0.01")):
            what = f"'{price}' is not {count} times a price in cents"
            complain((*at, "price"), what, "Write the price of each")
            return None
        return f"{each.normalize():f} {found.price.currency}"
    return price


def _workload(value: Any, complain: Complain) -> Any:
    """What the machine is for, in words or by keys."""
    text = value.get("kind") if isinstance(value, dict) else value
    if not isinstance(text, str):
        return value
    fields = facts_in("workload", text).fields
    is_known = "kind" in fields
    if isinstance(value, dict):
        return {**fields, **value, "kind": fields["kind"]} if is_known else value
    if not is_known:
        what = f"'{text}' is not a use that is known"
        complain(("workload",), what, "Write training, inference, rendering or mining")
    return fields


def quote(item: Any, at: Path = (), complain: Complain = _silent) -> Any:
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
            complain(
                (*at, "valid_until"), "a quote that is valid for days needs a date", "Add 'date:'"
            )
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
        what = f"'{text}' does not say whether tax is in the prices"
        complain((*at, "tax"), what, "Write '19 % included' or '19 % on top'")
        return rest
    named = next(filter(None, (re.search(phrase("tax"), one) for one in texts)))
    return {**rest, side: [*read_texts(rest.get(side, [])), named[0].strip()]}


def _in_currency(amount: Any, currency: Any) -> Any:
    """An amount without a currency, in that of the quote."""
    is_bare = isinstance(amount, (int, float)) and not isinstance(amount, bool)
    return f"{amount} {currency}" if is_bare and isinstance(currency, str) else amount
