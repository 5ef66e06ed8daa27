"""What a build costs, in words, tables and plain data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck.model.quantity import Interval, ends_text, number_text, percent
from buildcheck.render.data import value_data
from buildcheck.render.drawings.pen import Table
from buildcheck.render.terminal import columns, plain, wrapped
from buildcheck.render.words import Words, filled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.cost import Cost, Rented, Where
    from buildcheck.facts.cost import AtUse
    from buildcheck.model.part import Source
    from buildcheck.model.rate import Rates

#: Version of the JSON.
FORMAT_VERSION = "1.0"
COST_WORDS = Words("cost")
#: So many machines that could be rented are listed.
_OFFERS = 6


def cost_text(cost: Cost) -> str:
    """All of it for a terminal."""
    lines = [f"{cost.file}: {COST_WORDS('headed', name=cost.name, verdict=_verdict(cost))}"]
    lines += [row for line in told(cost) for row in wrapped(line, 0, 2)]
    for table in (use_table(cost), year_table(cost), rented_table(cost)):
        lines += ["", f"{table.caption}:", *columns(table)] if table.rows else []
    lines += ["", *compared(cost)] if compared(cost) else []
    for heading, rows in remarks(cost):
        lines += ["", heading, *(part for row in rows for part in wrapped(f"- {row}", 2, 2))]
    lines += ["", *wrapped(COST_WORDS("left_out"), 0, 2)]
    return "".join(f"{plain(line)}\n" for line in lines)


def _verdict(cost: Cost) -> str:
    return COST_WORDS.table("verdicts")[cost.verdict]


def told(cost: Cost) -> list[str]:
    """What it takes from the wall, and what comes on top of a year at work."""
    power, heat = amount_text(cost.power, "W"), amount_text(cost.heat, COST_WORDS("btu"))
    lines = [COST_WORDS("power", power=power, heat=heat)]
    if cost.idle and cost.idle.high > 0:
        lines.append(COST_WORDS("idle", energy=amount_text(cost.idle, "kWh")))
    if cost.cooling:
        lines.append(COST_WORDS("cooling", energy=amount_text(cost.cooling, "kWh")))
    return [*lines, *_unpriced(cost.where)]


def _unpriced(where: Where | None) -> Iterator[str]:
    """What to say so that electricity has a price."""
    if where is None:
        return
    if where.country:
        yield COST_WORDS("unpriced_country", country=where.country)
        return
    if where.found_in:
        yield COST_WORDS("unpriced_outlet", outlet=where.outlet, places=", ".join(where.found_in))
    else:
        yield COST_WORDS("unpriced")
    if where.priced:
        words = {"first": where.priced[-1], "places": ", ".join(where.priced)}
        yield COST_WORDS("say_country", **words)
    else:
        yield COST_WORDS("say_price")


def use_table(cost: Cost) -> Table:
    """A year at each use."""
    head = tuple(COST_WORDS.table("use_columns").values())
    rows = [_use_row(cost, row) for row in cost.uses]
    return Table(COST_WORDS("by_use"), head, tuple(rows))


def year_figure(cost: Cost) -> tuple[str, str] | None:
    """A year at the stated use as one figure: what it is of, and its amounts."""
    row = next((row for row in cost.uses if row.of == "stated"), None)
    if row is None:
        return None
    _, energy, electricity, carbon, _ = _use_row(cost, row)
    words = {"energy": energy, "electricity": electricity, "carbon": carbon}
    return COST_WORDS("year_at", use=percent(row.share)), COST_WORDS("year_told", **words)


def _use_row(cost: Cost, row: AtUse) -> tuple[str, ...]:
    words = COST_WORDS.table("uses")[row.of]
    currency = cost.tariff.currency if cost.tariff else ""
    return (
        COST_WORDS("of_use", share=percent(row.share), of=words),
        amount_text(row.energy, "kWh"),
        amount_text(row.electricity, currency),
        amount_text(row.carbon, "kg"),
        _day(cost, row.share),
    )


def _day(cost: Cost, share: Interval) -> str:
    even = cost.owning.break_even
    if even is None:
        return COST_WORDS("not_known")
    if even.is_never:
        return COST_WORDS("never")
    return days_text(even.days(share))


def days_text(days: Interval) -> str:
    """The day on which so many days are over, or the first and last it can be; or never."""
    if math.isinf(days.low):
        return COST_WORDS("never")
    if math.isinf(days.high):
        return COST_WORDS("at_least", amount=str(math.ceil(days.low)))
    return ends_text(Interval(float(math.ceil(days.low)), float(math.ceil(days.high))))


def year_table(cost: Cost) -> Table:
    """What has been spent by the end of each year."""
    use = percent(cost.use) if cost.use else ""
    rows = [
        (
            str(y.number),
            *(amount_text(v, cost.currency) for v in (y.electricity, y.owned, y.rented)),
        )
        for y in cost.spent
        if y.owned or y.rented or y.electricity
    ]
    head = tuple(COST_WORDS.table("year_columns").values())
    return Table(COST_WORDS("by_year", use=use), head, tuple(rows))


def rented_table(cost: Cost) -> Table:
    """What could be rented for the same work, the cheapest first, and until when it is cheaper."""
    offers = cost.renting.offers
    rows = [
        (
            one.part.name,
            _work(one),
            f"{amount_text(one.rent, one.tariff.currency)}",
            _price_day(one.price.source),
            _day_against(cost, one),
        )
        for one in offers[:_OFFERS]
    ]
    head = tuple(COST_WORDS.table("rented_columns").values())
    more = len(offers) - len(rows)
    caption = COST_WORDS("by_rented_more", more) if more > 0 else COST_WORDS("by_rented")
    return Table(caption, head, tuple(rows))


def _price_day(source: Source) -> str:
    """The day or year a price is of; the day it was read only says that it is no newer."""
    if source.as_of or not source.read:
        return source.as_of or COST_WORDS("not_known")
    return COST_WORDS("undated", day=source.read)


def _work(one: Rented) -> str:
    """How many do the work, in two digits, with the range of the estimate."""
    ends = one.work.range
    if ends.is_exact:
        return _digits(one.work.usual)
    usual, low, high = map(_digits, (one.work.usual, ends.low, ends.high))
    return COST_WORDS("estimate", usual=usual, low=low, high=high)


def _digits(value: float) -> str:
    return number_text(float(f"{value:.2g}"))


def _day_against(cost: Cost, one: Rented) -> str:
    """The day from which owning is cheaper than renting this one."""
    if cost.use is None or one.tariff.currency != cost.currency:
        return COST_WORDS("not_known")
    even = cost.owning.against(one.rent).break_even
    return days_text(even.days(cost.use)) if even else COST_WORDS("not_known")


def compared(cost: Cost) -> list[str]:
    """Price, rent, and when both have cost the same."""
    lines = []
    if cost.price:
        price = amount_text(cost.price.amount, cost.price.currency)
        whole = cost.price.is_whole
        lines.append(COST_WORDS("bought" if whole else "bought_in_part", price=price))
    if cost.owning.rent:
        rent = amount_text(cost.owning.rent, cost.currency)
        cloud = cost.cloud or COST_WORDS("own_name")
        lines.append(COST_WORDS("rents", cloud=cloud, rent=rent, machines=_machines(cost)))
        lines += [COST_WORDS("interruptible")] * cost.interruptible
    return [*lines, *_even(cost), *_of_days(cost)]


def _of_days(cost: Cost) -> Iterator[str]:
    """Of which days the prices in these sums are, those of the machine from the oldest on."""
    days = {name: one.source.as_of for name, _, one in cost.stated}
    if cost.price:
        days["machine"] = " to ".join(dict.fromkeys((*cost.price.days[:1], *cost.price.days[-1:])))
    names = COST_WORDS.table("day_names").items()
    told = [f"{words} {days[name]}" for name, words in names if days.get(name)]
    if told:
        yield COST_WORDS("of_days", days=", ".join(told))


def _machines(cost: Cost) -> str:
    if cost.instances.is_exact and not cost.instances.low.is_integer():
        return COST_WORDS("machines_of", number=_digits(cost.instances.low))
    if cost.instances.is_exact:
        return COST_WORDS("machines", int(cost.instances.low))
    return COST_WORDS("machines_between", number=ends_text(cost.instances))


def _even(cost: Cost) -> Iterator[str]:
    even = cost.owning.break_even
    if even is None or cost.use is None:
        return
    hours = number_text(even.hours.low)
    if even.is_never:
        yield COST_WORDS("even_never")
    elif math.isinf(even.hours.high):
        yield COST_WORDS("even_open", hours=hours)
    else:
        days, use = even.days(cost.use), percent(cost.use)
        form = "even_idle" if math.isinf(days.low) else "even"
        yield COST_WORDS(form, hours=ends_text(even.hours), days=days_text(days), use=use)
        yield from _within(cost.years, even.use(cost.years)) if cost.years else ()


def _within(number: Interval, use: Interval) -> Iterator[str]:
    if number.is_exact:
        years = COST_WORDS("in_years", int(number.low))
    else:
        years = COST_WORDS("in_years_between", number=ends_text(number))
    if use.low > 1:
        yield COST_WORDS("even_not_within", years=years)
    elif use.high > 1:
        yield COST_WORDS("even_perhaps_within", years=years, use=f"{number_text(100 * use.low)} %")
    else:
        shares = f"{ends_text(Interval(100 * use.low, 100 * use.high))} %"
        yield COST_WORDS("even_within", years=years, use=shares)


def remarks(cost: Cost) -> list[tuple[str, list[str]]]:
    """What is lacking, what was taken, and where the rest is from, each under its heading."""
    lacks, takes = COST_WORDS.table("lacks"), COST_WORDS.table("takes")
    words = {"cloud": cost.cloud, "work": _work(cost.renting.one) if cost.renting.one else ""}
    found = [
        (COST_WORDS("unknown"), [lacks[lack] for lack in cost.lacks]),
        (COST_WORDS("taken"), [*_rates(cost), *(filled(takes[one], words) for one in cost.taken)]),
        (COST_WORDS("known_from"), list(_sources(cost))),
    ]
    return [(heading, rows) for heading, rows in found if rows]


def _rates(cost: Cost) -> Iterator[str]:
    """By which rates money was turned."""
    if cost.rates:
        yield COST_WORDS("rated", rates=cost.rates.said)


def _sources(cost: Cost) -> Iterator[str]:
    names = COST_WORDS.table("names")
    for name, value, sourced in cost.stated:
        title, confidence = sourced.source.title, sourced.confidence
        note = COST_WORDS("noted", note=sourced.note) if sourced.note else ""
        words = {"name": names[name], "value": value, "title": title, "confidence": confidence}
        yield COST_WORDS("from", **words) + note + _looked_up(sourced.source)


def _looked_up(source: Source) -> str:
    """Of which day a source speaks, and when it was looked up."""
    of = COST_WORDS("as_of", day=source.as_of) if source.as_of else ""
    return of + (COST_WORDS("read", day=source.read) if source.read else "")


def amount_text(value: Interval | None, unit: str) -> str:
    """A quantity or money for people."""
    if value is None or (math.isinf(value.high) and not 0 < value.low < math.inf):
        return COST_WORDS("not_known")
    if math.isinf(value.high):
        return COST_WORDS("at_least", amount=f"{number_text(value.low)} {unit}".rstrip())
    return f"{ends_text(value)} {unit}".rstrip()


def cost_data(cost: Cost) -> dict[str, Any]:
    """The same as plain data; what is not known is null."""
    return {
        "format_version": FORMAT_VERSION,
        "file": cost.file,
        "name": cost.name,
        "verdict": cost.verdict,
        "power": _data(cost.power, "W"),
        "heat_btu_per_hour": _data(cost.heat, ""),
        "years_by_use": list(_uses_data(cost)),
        "yearly_idle_energy": _data(cost.idle, "kWh"),
        "yearly_cooling_energy": _data(cost.cooling, "kWh"),
        "use": _data(cost.use, ""),
        "currency": cost.currency or None,
        "rates": rates_data(cost.rates),
        "machine": _machine_data(cost),
        "cloud": cost.cloud or None,
        "instances": _data(cost.instances, ""),
        "cloud_by": _cloud_by(cost),
        "same_work": [_rented_data(one) for one in cost.renting.offers],
        "hourly_rent": _data(cost.owning.rent, cost.currency),
        "hourly_electricity": _data(cost.owning.electricity, cost.currency),
        "spent": list(_spent_data(cost)),
        "break_even": _even_data(cost),
        "not_known": list(cost.lacks),
        "outlet": _outlet_data(cost.where),
        "taken": list(cost.taken),
        "sources": list(_sources_data(cost)),
    }


def rates_data(rates: Rates) -> list[dict[str, str]]:
    """Rates as plain data; nobody but the user gives any."""
    source = {"source": "given by user"}
    return [{"of": r.of, "to": r.to, "rate": f"{r.each:f}", **source} for r in rates.all]


def _cloud_by(cost: Cost) -> str | None:
    """Who says what is rented: the file or an option, or the estimated speed of the cards."""
    if cost.renting.is_chosen:
        return "estimated-speed"
    return "stated" if cost.owning.rent or cost.cloud else None


def _rented_data(one: Rented) -> dict[str, Any]:
    source = one.price.source
    return {
        "cloud": one.part.name,
        "id": one.part.id,
        "hourly_price": _data(one.tariff.each, one.tariff.currency),
        "instances": {**_some(one.work.range, ""), "usual": one.work.usual},
        "hourly_rent": _data(one.rent, one.tariff.currency),
        "same_cards": one.is_same,
        "source": {"title": source.title, "url": source.url, **_days(source)},
    }


def _outlet_data(where: Where | None) -> dict[str, Any] | None:
    """The outlet, and the countries that have it, where one of them would say a price."""
    if where is None or not where.outlet:
        return None
    return {"name": where.outlet, "countries": [*where.found_in], "priced": [*where.priced]}


def _days(source: Source) -> dict[str, str]:
    """When it was looked up, and the day or year it speaks of; empty is not known."""
    return {"read": source.read, "as_of": source.as_of}


def _uses_data(cost: Cost) -> Iterator[dict[str, Any]]:
    even, currency = cost.owning.break_even, cost.tariff.currency if cost.tariff else ""
    for row in cost.uses:
        yield {
            "of": row.of,
            "use": _data(row.share, ""),
            "energy": _data(row.energy, "kWh"),
            "electricity": _data(row.electricity, currency),
            "carbon": _data(row.carbon, "kg"),
            "break_even_day": _data(even.days(row.share) if even else None, "day"),
        }


def _machine_data(cost: Cost) -> dict[str, Any] | None:
    price = cost.price
    if price is None:
        return None
    return {
        **_some(price.amount, price.currency),
        "is_whole": price.is_whole,
        "price_days": [*price.days],
    }


def _spent_data(cost: Cost) -> Iterator[dict[str, Any]]:
    for year in cost.spent:
        yield {
            "year": year.number,
            "electricity": _data(year.electricity, cost.currency),
            "owned": _data(year.owned, cost.currency),
            "rented": _data(year.rented, cost.currency),
        }


def _even_data(cost: Cost) -> dict[str, Any] | None:
    even = cost.owning.break_even
    if even is None or cost.use is None:
        return None
    return {
        "hours": _data(even.hours, "h"),
        "day": _data(even.days(cost.use), "day"),
        "use": _data(even.use(cost.years), "") if cost.years else None,
        "never": even.is_never,
    }


def _sources_data(cost: Cost) -> Iterator[dict[str, Any]]:
    for name, value, found in cost.stated:
        yield {
            "name": name,
            "value": value,
            "title": found.source.title,
            "url": found.source.url,
            "confidence": found.confidence,
            **_days(found.source),
            "note": found.note,
        }


def _data(value: Interval | None, unit: str) -> dict[str, Any] | None:
    return None if value is None else _some(value, unit)


def _some(value: Interval, unit: str) -> dict[str, Any]:
    return {**value_data(value), "unit": unit}
