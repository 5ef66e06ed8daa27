"""Names of GPUs → their ranking by speed, by speed for money, and as published measurements say.

Measured throughput is compared within a set, which one source measured with one software. Ratios
are as published, with the batch that each GPU ran. Estimates are tested by them, not made of them.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from buildcheck import units
from buildcheck.catalog import Catalog
from buildcheck.catalog.price_book import PriceBook
from buildcheck.errors import InputError, NameUnknownError
from buildcheck.facts.speed import Work
from buildcheck.model.answer import figure
from buildcheck.model.vocabulary import problem, refused, shipped
from buildcheck.workload.speed.answer import (
    GpuCost,
    MeasuredRatio,
    RankedGpu,
    Ranking,
    SpeedAnswer,
)
from buildcheck.workload.speed.ranking import (
    KINDS,
    SpeedRow,
    Speeds,
    Terms,
    estimate,
    known_chips,
    ranking,
    terms,
)

#: Near names that are offered for one that is not known.
_OFFERED = 3
_TILES = ("plain", "tensor", "overlapped")


def ranking_answer(
    catalog: Catalog,
    prices: PriceBook,
    at: tuple[str, str, str],
    names: Sequence[str] = (),
    against: str | None = None,
    money: tuple[str | None, str | None] = (None, None),
) -> SpeedAnswer:
    """The GPUs of these names, or all that are known, at some work. Raises `InputError`.

    `money` is the price of a desktop and that of electricity.
    """
    work = Work(*at)
    ids = list(dict.fromkeys(find_gpus(catalog, names, work) if names else known_chips(catalog)))
    base = find_gpus(catalog, [against], work)[0] if against else None
    speeds = Speeds(catalog, [*ids, *([base] if base else [])])
    by = terms(speeds, *money)
    rows, base = _rows(speeds, work, base)
    cost, unpriced = _costs(speeds, prices, by)
    values = ranking(speeds, work, None, {i: cost[i].total for i in ids if i in cost})
    spread, cache = speeds.spread(work), speeds.facts("standard.cache_for_layer")
    names_of = {part_id: part.name for part_id, part in speeds.parts.items()}
    ranked = Ranking(
        use=work.use,
        precision=work.bits,
        architecture=work.net,
        baseline=names_of.get(base, ""),
        spread=spread.other,
        spread_alike=spread.alike,
        by_speed=tuple(_ranked(speeds, r, measured=measured(r.id, base, work)) for r in rows),
        by_value=tuple(_ranked(speeds, r, cost=_rounded(cost[r.id])) for r in values),
        terms=by.shown,
        unpriced={names_of[r.id]: unpriced[r.id] for r in rows if r.id in unpriced},
        cache=round(1000 * cache.high) if cache else None,
        cycles=tuple(speeds.facts(f"standard.{way}_tile_cycles").high for way in _TILES),
        unknown=tuple(names_of[i] for i in ids if speeds.of(i, work) is None),
        without_bf16=tuple(names_of[r.id] for r in rows if speeds.has_bf16(r.id) is False),
    )
    return SpeedAnswer(ranking=ranked)


def _rows(speeds: Speeds, work: Work, asked: str | None) -> tuple[list[SpeedRow], str]:
    """GPUs by speed, and the one they are relative to; empty if none. Raises `InputError`."""
    rows = ranking(speeds, work, asked)
    if asked and asked not in {row.id for row in rows}:
        raise refused("--against", "no-speed", name=speeds.parts[asked].name)
    return rows, asked or (rows[0].id if rows else "")


def _ranked(speeds: Speeds, row: SpeedRow, **more: Any) -> RankedGpu:
    part = speeds.parts[row.id]
    memory = figure(part.value("memory"), units.DATA)
    return RankedGpu(row.id, part.name, estimate(row.ratio), *row.place, memory, **more)


def _costs(
    speeds: Speeds, prices: PriceBook, by: Terms
) -> tuple[dict[str, GpuCost], dict[str, str]]:
    """What owning each GPU costs with a desktop, and why that is not known of the others."""
    found, unpriced = dict[str, GpuCost](), dict[str, str]()
    for part_id in speeds.parts:
        price = prices.of_chip(part_id) if part_id.startswith("gpu/") else None
        electricity = by.running(speeds.power(part_id))
        if price is None:
            # No desktop takes a module.
            unpriced[part_id] = "price" if part_id.startswith("gpu/") else "module"
        elif price.currency != by.desktop.currency:
            unpriced[part_id] = "currency"
        elif electricity is None:
            unpriced[part_id] = "power"
        elif (whole := float(price.amount + by.desktop.amount) + electricity) > 0:
            amounts = (float(price.amount), electricity, whole)
            found[part_id] = GpuCost(*amounts, price.source, price.as_of)
        else:
            unpriced[part_id] = "free"
    return found, unpriced


def _rounded(one: GpuCost) -> GpuCost:
    return replace(one, electricity=round(one.electricity, 2), total=round(one.total, 2))


def speeds_of(catalog: Catalog, names: Sequence[str]) -> Speeds:
    """The speeds of the GPUs of these names. Raises `InputError`."""
    return Speeds(catalog, find_gpus(catalog, names, Work()))


def find_gpus(catalog: Catalog, names: Sequence[str], work: Work) -> list[str]:
    """The parts of these names, GPUs before modules. Raises `InputError`.

    Near names are offered if their speed at the work is known.
    """
    ids: list[str] = []
    problems = []
    for name in names:
        one, near = _find(catalog, name, work)
        ids += [one] if one else []
        if not one:
            problems.append(problem(name, "no-gpu", near))
    InputError.raise_any(problems)
    return ids


def _find(catalog: Catalog, name: str, work: Work) -> tuple[str | None, list[str]]:
    near: dict[str, str] = {}
    for kind in KINDS:
        try:
            return catalog.find(kind, name), []
        except NameUnknownError as error:
            near |= {one: catalog.find(kind, one) for one in error.near}
    speeds = Speeds(catalog, near.values())
    known = [one for one, part_id in near.items() if speeds.of(part_id, work)]
    return None, (known or [*near])[:_OFFERED]


def measured(one: str, other: str, work: Work) -> MeasuredRatio | None:
    """The ratio of two parts at a kind of work, by their ids; None where no set has both."""
    found = shipped("rules", "throughput")
    given = found["works"].get(f"{work.use}-{work.bits}-{work.net}")
    for name in given["sets"] if given and one != other else ():
        rows = [_throughput(found, name, part, given.get("tasks")) for part in (one, other)]
        if None not in rows:
            ratio = float(f"{rows[0] / rows[1]:.3g}")
            return MeasuredRatio(ratio, **found["sources"][name])
    return None


def _throughput(found: dict[str, Any], name: str, part: str, tasks: list[str] | None) -> Any:
    """The geometric mean over tasks, and over runs of one GPU; None if it was not measured."""
    logs = []
    for row in found[name]:
        if row["part"] != part:
            continue
        places = [found["tasks"].index(task) for task in tasks or ()]
        logs += [math.log(row["rates"][n]) for n in places] if tasks else [math.log(row["rate"])]
    return math.exp(sum(logs) / len(logs)) if logs else None
