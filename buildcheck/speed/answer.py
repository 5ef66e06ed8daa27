"""Names of cards → their ranking by speed, and by speed for money, with what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from buildcheck.errors import InputError, Problem
from buildcheck.index import NameUnknownError
from buildcheck.speed.measured import Measured, measured
from buildcheck.speed.ranking import KINDS, Row, Speeds, known_chips, ranking
from buildcheck.speed.worth import Owned, Terms, owned, running, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from buildcheck.catalog import Catalog
    from buildcheck.facts.cycles import Cycles
    from buildcheck.facts.speed import Spread, Work
    from buildcheck.model.quantity import Interval
    from buildcheck.price_book import PriceBook

#: So many names are offered for one that nobody knows.
_OFFERED = 3


@dataclass(frozen=True)
class Ranked:
    """Cards by speed and by speed for money; ids lead to names, memory and what owning costs."""

    work: Work
    #: The part that speeds are over.
    against: str
    rows: tuple[Row, ...]
    worth: tuple[Row, ...]
    names: Mapping[str, str]
    memory: Mapping[str, Interval | None]
    owned: Mapping[str, Owned]
    terms: Terms
    spread: Spread
    cycles: Cycles | None
    #: The cache from which on a layer may stay in it.
    cache: Interval | None
    #: Cards whose speed at this work is not known, by name.
    unknown: tuple[str, ...]
    #: Ranked cards that have no bfloat16, by name: what is said of them holds for fp16.
    without_bf16: tuple[str, ...]
    #: Ranked cards that are in no ranking for money, by name, with why: a key of the words.
    unpriced: Mapping[str, str]
    #: What others measured of a card over the one that speeds are over, by its id.
    measured: Mapping[str, Measured]


def ranked(
    catalog: Catalog,
    prices: PriceBook,
    work: Work,
    names: Sequence[str] = (),
    against: str | None = None,
    money: tuple[str | None, str | None] = (None, None),
) -> Ranked:
    """The cards of these names, or all that are known. Raises `InputError`.

    `money` is the price of a desktop and that of electricity.
    """
    ids = list(dict.fromkeys(found(catalog, names, work) if names else known_chips(catalog)))
    base = found(catalog, [against], work)[0] if against else None
    speeds = Speeds(catalog, [*ids, *([base] if base else [])])
    by = terms(speeds, *money)
    rows = ranking(speeds, work, base)
    cost = owned(speeds, prices, by, ids)
    if base and not any(row.id == base for row in rows):
        what = f"the speed of '{speeds.parts[base].name}' at this work is not known"
        raise InputError([Problem("--against", 0, 0, what, "Name another card")])
    return Ranked(
        work=work,
        against=base or (rows[0].id if rows else ""),
        rows=tuple(rows),
        worth=tuple(ranking(speeds, work, None, {i: one.whole for i, one in cost.items()})),
        names={i: part.name for i, part in speeds.parts.items()},
        memory={i: _memory(speeds, i) for i in speeds.parts},
        owned=cost,
        terms=by,
        spread=speeds.spread(work),
        cache=speeds.facts("standard.cache_for_layer"),
        cycles=speeds.facts("standard.tile_cycles"),
        unknown=tuple(speeds.parts[i].name for i in ids if speeds.of(i, work) is None),
        unpriced={
            speeds.parts[row.id].name: _why_not(speeds, row.id, prices, by)
            for row in rows
            if row.id not in cost
        },
        measured=_measured(rows, base or (rows[0].id if rows else ""), work),
        without_bf16=tuple(speeds.parts[r.id].name for r in rows if speeds.has_bf16(r.id) is False),
    )


def _why_not(speeds: Speeds, part_id: str, prices: PriceBook, by: Terms) -> str:
    """Why a card is in no ranking for money: a word that the words have a sentence for."""
    if not part_id.startswith("gpu/"):
        return "module"
    price = prices.of_chip(part_id)
    if price is None:
        return "price"
    if price.currency != by.desktop.currency:
        return "currency"
    return "power" if running(speeds, by, part_id) is None else "free"


def _measured(rows: Iterable[Row], base: str, work: Work) -> dict[str, Measured]:
    found = {row.id: measured(row.id, base, work) for row in rows}
    return {part_id: one for part_id, one in found.items() if one}


def _memory(speeds: Speeds, part_id: str) -> Interval | None:
    found = speeds.parts[part_id].facts.get("memory")
    return None if found is None else found.value


def found(catalog: Catalog, names: Sequence[str], work: Work) -> list[str]:
    """The parts that these names mean, cards before modules. Raises `InputError`.

    Of the names near one that nobody knows, those are offered whose speed at the work is known.
    """
    ids: list[str] = []
    problems = []
    for name in names:
        one, near = _one(catalog, name, work)
        ids += [one] if one else []
        if not one:
            advice = f"Did you mean {' or '.join(near)}?" if near else "Try 'parts search'"
            problems.append(Problem(name, 0, 0, "there is no card of this name", advice))
    if problems:
        raise InputError(problems)
    return ids


def _one(catalog: Catalog, name: str, work: Work) -> tuple[str | None, list[str]]:
    near: dict[str, str] = {}
    for kind in KINDS:
        try:
            return catalog.find(kind, name), []
        except NameUnknownError as error:
            near |= {one: catalog.find(kind, one) for one in error.near}
    speeds = Speeds(catalog, near.values())
    known = [one for one, part_id in near.items() if speeds.of(part_id, work)]
    return None, (known or [*near])[:_OFFERED]
