"""How fast cards are, as text for people and as plain data for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.model.quantity import number_text, percent, show
from buildcheck.render.drawings.pen import Table
from buildcheck.render.terminal import columns, plain, wrapped
from buildcheck.render.words import Words, filled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from buildcheck.facts.speed import Compared, Work
    from buildcheck.model.quantity import Interval
    from buildcheck.speed import MachineSpeed, Place, Row
    from buildcheck.speed.answer import Ranked
    from buildcheck.speed.machine import Sum

#: Version of the JSON.
FORMAT_VERSION = "1.0"
#: What is said of all this.
SPEED = Words("speed")
#: Digits that an estimate deserves, and those that programs get.
_DIGITS, _DIGITS_OF_DATA = 2, 3


def ranked_text(found: Ranked) -> str:
    """The ranking, the one for money, and what they rest on."""
    return "".join(f"{line}\n" for line in _ranked(found))


def _ranked(found: Ranked) -> Iterator[str]:
    if not found.rows:
        yield SPEED("nothing")
        yield from _unknown(found)
        return
    table = speed_table(found)
    yield plain(f"{table.caption}:")
    yield from columns(table, left=(1,))
    yield ""
    worth = worth_table(found)
    if worth.rows:
        yield from wrapped(f"{worth.caption}:", 0, 2)
        yield from columns(worth, left=(1,))
    elif "free" not in found.unpriced.values():
        yield from wrapped(SPEED("no_prices"))
    for words in _unpriced(found):
        yield from wrapped(words, 0, 2)
    yield ""
    for words in remarks(found):
        yield from wrapped(words, 0, 2)
    yield from _unknown(found)


def _unpriced(found: Ranked) -> Iterator[str]:
    """Which cards are in no ranking for money, by the reason."""
    for why, words in SPEED.table("unpriced").items():
        names = [name for name, reason in found.unpriced.items() if reason == why]
        if names:
            yield filled(words, {"names": ", ".join(names)})


def said_of(work: Work) -> dict[str, str]:
    """The words for a kind of work."""
    return {
        "use": SPEED.table("uses")[work.use],
        "net": SPEED.table("nets")[work.net],
        "bits": SPEED.table("bits")[work.bits],
    }


def speed_table(found: Ranked) -> Table:
    """Each card with its place, its memory and its speed."""
    against = found.names.get(found.against, "")
    cells = [
        {
            "place": place(row.place),
            "name": found.names[row.id],
            "memory": _memory(found.memory[row.id]),
            "measured": _measured(found, row.id),
            **dict(zip(("ratio", "range"), ratio(row.ratio), strict=True)),
        }
        for row in found.rows
    ]
    caption = SPEED("headed", **said_of(found.work), against=against)
    heads = {
        key: words
        for key, words in SPEED.table("columns").items()
        if key != "measured" or found.measured
    }
    return Table(caption, tuple(heads.values()), tuple(tuple(c[k] for k in heads) for c in cells))


def _measured(found: Ranked, part_id: str) -> str:
    one = found.measured.get(part_id)
    return SPEED("measured", ratio=number_text(rough(one.ratio)), by=one.name) if one else ""


def worth_table(found: Ranked) -> Table:
    """The same by speed for money, with what each costs."""
    by = found.terms
    caption = SPEED(
        "worth_headed",
        desktop=by.desktop,
        years=number_text(by.years.high),
        price=by.electricity,
        use=percent(by.use),
    )
    rows = tuple(_worth_row(found, row) for row in found.worth)
    return Table(caption, tuple(SPEED.table("worth_columns").values()), rows)


def _worth_row(found: Ranked, row: Row) -> tuple[str, ...]:
    one = found.owned[row.id]
    money = (float(one.price.amount), one.electricity, one.whole)
    amounts = (f"{value:.0f}" for value in money)
    return (place(row.place), found.names[row.id], *ratio(row.ratio), *amounts)


def remarks(found: Ranked) -> Iterator[str]:
    """How it was estimated, how far that is off, and what was taken."""
    yield SPEED("swaps")
    spread = found.spread
    for title in dict.fromkeys(one.title for one in found.measured.values()):
        yield SPEED("measured_by", title=title)
    yield SPEED("model", other=number_text(spread.other), alike=number_text(spread.alike))
    yield SPEED("fitted")
    if found.work.use == "inference":
        yield SPEED("serving")
        if found.work.bits == "8bit":
            yield SPEED("old_8bit")
    elif found.work.bits == "8bit":
        yield SPEED("training_8bit")
    if found.cache:
        yield SPEED("cache", size=f"{1000 * found.cache.high:.0f} MB")
    if found.without_bf16 and found.work.bits == "16bit":
        yield SPEED("no_bf16", names=", ".join(found.without_bf16))
    if found.cycles:
        amounts = {name: number_text(c.high) for name, c in found.cycles._asdict().items()}
        yield SPEED("cycles", **amounts)
    if found.worth:
        yield SPEED("priced_as", sources="; ".join(_price_sources(found)))
        taken = ", ".join(SPEED.table("takes")[name] for name in found.terms.taken)
        if taken:
            yield SPEED("taken", names=taken)


def _price_sources(found: Ranked) -> list[str]:
    said = {
        SPEED("of_day", source=one.price.source, day=one.price.as_of)
        if one.price.as_of
        else one.price.source
        for one in found.owned.values()
    }
    return sorted(said)


def _unknown(found: Ranked) -> Iterator[str]:
    if found.unknown:
        yield from wrapped(SPEED("unknown", names=", ".join(found.unknown)), 0, 2)


def rough(value: float, digits: int = _DIGITS) -> float:
    """A number with no more digits than an estimate deserves.

    >>> rough(0.3333), rough(12.94)
    (0.33, 13.0)
    """
    return float(f"{value:.{digits}g}")


def ratio(value: Compared) -> tuple[str, str]:
    """An estimate and its range, each rounded."""
    usual, ends = number_text(rough(value.usual)), value.range
    if ends.is_exact:
        return usual, ""
    low, high = number_text(rough(ends.low)), number_text(rough(ends.high))
    return usual, SPEED("between", low=low, high=high)


def place(value: Place) -> str:
    """A place, and the ones it may as well be."""
    if value.best == value.worst:
        return SPEED("place", usual=value.usual)
    return SPEED("place_between", **value._asdict())


def _memory(value: Interval | None) -> str:
    return SPEED("not_known") if value is None else show(value, units.DATA)


def machine_text(found: MachineSpeed) -> str:
    """A build's cards, and their speed at each kind of work."""
    return "".join(f"{line}\n" for line in _machine(found))


def _machine(found: MachineSpeed) -> Iterator[str]:
    verdict = SPEED.table("verdicts")[found.verdict]
    yield plain(f"{found.file}: {SPEED('machine_headed', name=found.name, verdict=verdict)}")
    if not found.cards:
        yield SPEED("no_cards")
        return
    for words in kinds_told(found):
        yield from wrapped(words)
    yield ""
    table = machine_table(found)
    if table.rows:
        for one in (table, *beside_tables(found)):
            yield plain(f"{one.caption}:")
            yield from columns(one) if one.rows else wrapped(SPEED("beside_unknown"))
            yield ""
        yield from wrapped(SPEED("not_parallel"))
        if found.without_bf16:
            yield from wrapped(SPEED("no_bf16", names=", ".join(found.without_bf16)))
        yield from wrapped(SPEED("fitted"))
    if found.unknown:
        yield from wrapped(SPEED("machine_unknown", names=", ".join(found.unknown)))


def kinds_told(found: MachineSpeed) -> Iterator[str]:
    """Cards that are alike, with what their limit leaves of their speed."""
    for kind in found.kinds:
        limit = SPEED("no_limit")
        if kind.limit is not None:
            shares = (
                SPEED("not_known") if share is None else percent(share)
                for share in (kind.training, kind.serving)
            )
            words = dict(zip(("training", "serving"), shares, strict=True))
            limit = SPEED("limited", limit=show(kind.limit, units.POWER), **words)
        yield SPEED("kind", cards=kind.cards, name=kind.name, limit=limit)


def machine_table(found: MachineSpeed) -> Table:
    """All cards of a build at each kind of work that they have a speed at."""
    return _works_table(SPEED("machine_table"), found.works, found.cards)


def beside_tables(found: MachineSpeed) -> Iterator[Table]:
    """The same over each card that was named; without rows where nothing can be said."""
    for other in found.beside:
        yield _works_table(SPEED("beside_table", name=other.name), other.works, found.cards)


def _works_table(caption: str, works: Iterable[Sum], cards: int) -> Table:
    rows = []
    for work, together in works:
        if together is None:
            continue
        name = SPEED("work", **said_of(work))
        one = number_text(rough(together.usual / cards))
        rows.append((name, *ratio(together), one))
    head = tuple(SPEED.table("machine_columns").values())
    return Table(caption, head, tuple(rows))


def ranked_data(found: Ranked) -> dict[str, Any]:
    """The ranking as plain data, rounded to what estimates deserve."""
    by = found.terms
    return {
        "format_version": FORMAT_VERSION,
        "for": found.work.use,
        "at": found.work.bits,
        "net": found.work.net,
        "against": found.against or None,
        "spread": found.spread._asdict(),
        "note": SPEED("fitted"),
        "cards": [
            {
                **_row(found, row),
                "memory": _ends(found.memory[row.id]),
                "measured": _measured_data(found, row.id),
            }
            for row in found.rows
        ],
        "for_money": {
            "currency": by.desktop.currency,
            "desktop": str(by.desktop),
            "electricity_price": str(by.electricity),
            "years": by.years.high,
            "use": by.use.high,
            "taken": list(by.taken),
            "left_out": [{"name": n, "why": why} for n, why in found.unpriced.items()],
            "cards": [
                {
                    **_row(found, row),
                    "price": float(found.owned[row.id].price.amount),
                    "price_source": found.owned[row.id].price.source,
                    "electricity": round(found.owned[row.id].electricity, 2),
                    "together": round(found.owned[row.id].whole, 2),
                }
                for row in found.worth
            ],
        },
        "not_known": list(found.unknown),
        "without_bf16": list(found.without_bf16),
    }


def _measured_data(found: Ranked, part_id: str) -> dict[str, Any] | None:
    one = found.measured.get(part_id)
    return one and {**one._asdict(), "ratio": rough(one.ratio, _DIGITS_OF_DATA)}


def _row(found: Ranked, row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": found.names[row.id],
        **compared_data(row.ratio),
        "place": row.place._asdict(),
    }


def compared_data(value: Compared) -> dict[str, float]:
    """An estimate and its ends."""
    ends = {"estimate": value.usual, "low": value.range.low, "high": value.range.high}
    return {name: rough(end, _DIGITS_OF_DATA) for name, end in ends.items()}


def _ends(value: Interval | None) -> dict[str, float] | None:
    return None if value is None else {"low": value.low, "high": value.high}


def machine_data(found: MachineSpeed) -> dict[str, Any]:
    """The same of a build; what is not known is null."""
    return {
        "format_version": FORMAT_VERSION,
        "file": found.file,
        "name": found.name,
        "verdict": found.verdict,
        "cards": found.cards,
        "kinds": [
            {
                "name": kind.name,
                "cards": kind.cards,
                "power_limit": _ends(kind.limit),
                "training": _ends(kind.training),
                "serving": _ends(kind.serving),
            }
            for kind in found.kinds
        ],
        "over": "Tesla V100 SXM2 at 16 bit",
        "note": SPEED("fitted"),
        "works": _works_data(found.works),
        "beside": [
            {"id": other.id, "name": other.name, "works": _works_data(other.works)}
            for other in found.beside
        ],
        "not_known": list(found.unknown),
        "without_bf16": list(found.without_bf16),
    }


def _works_data(works: Iterable[Sum]) -> list[dict[str, Any]]:
    return [
        {**work._asdict(), "all": None if one is None else compared_data(one)}
        for work, one in works
    ]
