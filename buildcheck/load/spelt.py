"""Sections of a build file → their short forms spelt out: `psus: 1600W` as a list of entries."""

import re
from decimal import Decimal
from typing import Any

from buildcheck.load.forms import Complain, entry, quote, silent
from buildcheck.load.groups import goes_by
from buildcheck.model.build import LISTS, SINGLES
from buildcheck.model.money import MoneyInText, price_in
from buildcheck.model.patterns import pattern
from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.entry import price_of
from buildcheck.words.facts import facts_in, habitual_watts, hull, load_in
from buildcheck.words.keys import phrase, written

#: Sections whose words in place of a name are facts that others may contradict.
_DESCRIBED = ("psus", "storage", "risers")
#: What sums are rounded by.
_ROUNDED_UP = Decimal("1.01")
#: What people write where nothing is there.
_ABSENT = frozenset(("none", "no", "nothing", "-", "n/a"))


def spelt_out(data: dict[str, Any], complain: Complain = silent) -> dict[str, Any]:
    """Sections of a build file with their short forms as mappings and lists."""
    data = _filled_in(data)
    result = dict(data)
    on_risers = result.get("risers") is True
    for section in (*LISTS, *SINGLES):
        value = result.pop(section, None)
        if section in data and not (_is_absent(value) or (section == "risers" and on_risers)):
            result[section] = _section(value, section, complain)
    risers = [{}] if on_risers else result.get("risers", [])
    one = risers[0] if len(risers) == 1 and isinstance(risers[0], dict) else {}
    part = str(one.get("part")) if "count" not in one else ""
    if on_risers or re.search(phrase("several_risers"), part):  # One for each GPU.
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
    result |= {s: _with_units(s, result[s]) for s in ("site", "cooling") if s in result}
    if "workload" in result:
        result["workload"] = _workload(result["workload"], complain)
    return result


def _section(value: Any, section: str, complain: Complain) -> Any:
    """The entries of a section, or its one entry."""
    # Modules that are alike are one kit.
    is_kit = section == "memory" and isinstance(value, list) and len({*map(str, value)}) == 1
    if section not in LISTS or is_kit:
        one = _with_units(section, _one(value, section, complain))
        return [one] if is_kit else one
    items = value if isinstance(value, list) else [value]
    several = items is value
    return [
        _with_units(section, entry(item, section, (section, n)[: 1 + several], complain))
        for n, item in enumerate(items)
        if not _is_absent(item)
    ]


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
            complain(("cost", "machine"), "cost-not-read", what=what)
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
        complain(("cost", "machine"), "sum-of-parts", total=total, currency=stated.currency)


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
                    at = (section, index, name) if several else (section, name)
                    said = {"name": name, "given": own[name], "said": fields[name]}
                    complain(at, "words-differ", soft=False, text=item[key], **said)


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
        loads = [piece for piece in others if pattern(rf"(?i){written('load')}\b").search(piece)]
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
            complain(("site", name), "not-read", text=rest, advice=advice)
    return made


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Values of one that another may state otherwise: of those, the range of both."""
    twice = one.keys() & other.keys() & {*vocabulary()["ranges"]}
    return {**one, **{n: hull(str(one[n]), str(other[n])) for n in twice}}


def _with_units(section: str, item: Any) -> Any:
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


def _workload(value: Any, complain: Complain) -> Any:
    """What the machine is for, in words or by keys."""
    text = value.get("kind") if isinstance(value, dict) else value
    if not isinstance(text, str):
        return value
    fields = facts_in("workload", text).fields
    is_known = "kind" in fields
    if isinstance(value, dict):
        return {**fields, **value, "kind": fields["kind"]} if is_known else value
    if not fields:
        complain(("workload",), "no-such-use", text=text)
    return fields
