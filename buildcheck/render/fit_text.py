"""Whether a model fits, as text for people and as plain data for programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.model.quantity import UNKNOWN, Interval, number_text, show
from buildcheck.render.terminal import plain, wrapped
from buildcheck.render.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from buildcheck.fit import Fit, Need, Way

#: Version of the JSON.
FORMAT_VERSION = "1.0"
#: What is said of all this.
FIT = Words("fit")
#: Digits that an estimate deserves.
_DIGITS = 3
#: What the head of the text says already.
_SAID = ("kind", "parameters")


def fit_text(found: Fit) -> str:
    """Settings, what a card holds, and a line for each technique."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: Fit) -> Iterator[str]:
    size = FIT("billions", number=_numbers(found.settings["parameters"]))
    cards = FIT("cards", found.cards)
    work = FIT.table("work")[found.kind]
    yield plain(FIT("headed", name=found.name, work=work, parameters=size, cards=cards))
    stated = {n: v for n, v in found.settings.items() if n not in _SAID and n in _names()}
    if stated:
        yield from wrapped(FIT("settings", settings=_settings(stated)))
    if found.taken:
        yield from wrapped(FIT("taken", settings=_settings(found.taken)))
    yield _shape(found)
    yield ""
    yield FIT("on_card")
    rows = [[amount(value), FIT.table("parts")[name]] for name, value in found.on_card.items()]
    rows.append([amount(found.need.card), FIT("whole")])
    width = max(len(row[0]) for row in rows)
    yield from (f"  {amount.rjust(width)}  {name}" for amount, name in rows)
    yield from wrapped(FIT("room", card=amount(found.room.card), host=amount(found.room.host)))
    said = FIT.table("verdicts")[found.verdict]
    need = found.need
    yield from wrapped(FIT("verdict", verdict=said, card=amount(need.card), host=amount(need.host)))
    yield ""
    yield FIT("ways")
    yield from _table(found.ways)
    yield ""
    if found.unstated:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in found.unstated)
        yield from wrapped(FIT("narrows", options=options))
    yield from wrapped(FIT("not_counted"))


def _names() -> dict[str, str]:
    return FIT.table("names")


def _settings(values: Mapping[str, Any]) -> str:
    named = {_names()[name]: value for name, value in values.items()}
    return ", ".join(FIT("setting", name=n, value=_value(v)) for n, v in named.items())


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return FIT.table("truths")[str(value).lower()]
    return _numbers(value) if isinstance(value, Interval) else str(value)


def _shape(found: Fit) -> str:
    if found.layers is None or found.width is None:
        return FIT("shape_unknown")
    layers, width = _whole(found.layers), _whole(found.width)
    if found.layers.is_exact and found.width.is_exact:
        return FIT("shape_stated", layers=layers, width=width)
    return FIT("shape", layers=layers, width=width)


def _table(ways: tuple[Way, ...]) -> Iterator[str]:
    rows = [list(FIT.table("columns").values()), *map(_row, ways)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(wide) for cell, wide in zip(row[1:-1], widths[1:-1], strict=True)]
        yield f"  {'  '.join([*cells, row[-1]])}".rstrip()


def _row(way: Way) -> list[str]:
    name = FIT.table("techniques")[way.key]
    if way.verdict == "not-applicable":
        return [name, "", "", "", FIT("too_few", way.cards)]
    in_use = FIT("in_use") if way.in_use else ""
    said = FIT("way", verdict=FIT.table("verdicts")[way.verdict], in_use=in_use)
    return [name, amount(way.need.card), amount(way.need.host), amount(way.saves), said]


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else value


def amount(value: Interval | None, dimension: units.Dimension = units.DATA) -> str:
    """An estimate, with no more digits than it deserves."""
    known = UNKNOWN if value is None else value
    return show(Interval(_rounded(known.low), _rounded(known.high)), dimension)


def _whole(value: Interval) -> str:
    return show(Interval(round(value.low), round(value.high)), units.NUMBER)


def _numbers(value: Interval) -> str:
    if value.is_exact:
        return number_text(value.low)
    return show(value, units.NUMBER)


def fit_data(found: Fit) -> dict[str, Any]:
    """The same as plain data. Memory is in GB, each amount with its low and high end."""
    return {
        "format_version": FORMAT_VERSION,
        "name": found.name,
        "for": found.kind,
        "cards": found.cards,
        "settings": {n: plain_data(v) for n, v in found.settings.items() if n != "kind"},
        "taken": {n: plain_data(v) for n, v in found.taken.items()},
        "would_narrow": list(found.unstated),
        "layers": plain_data(found.layers),
        "hidden_size": plain_data(found.width),
        "on_card": {name: plain_data(value) for name, value in found.on_card.items()},
        "need": _need(found.need),
        "room": _need(found.room),
        "verdict": found.verdict,
        "techniques": [
            {
                "technique": way.key,
                "verdict": way.verdict,
                "in_use": way.in_use,
                "least_cards": way.cards,
                "need": _need(way.need),
                "saves": plain_data(way.saves),
            }
            for way in found.ways
        ],
    }


def _need(need: Need) -> dict[str, Any]:
    return {"card": plain_data(need.card), "host": plain_data(need.host)}


def plain_data(value: Any) -> Any:
    """An interval as its ends, of which one that nobody knows is null."""
    if not isinstance(value, Interval):
        return value
    return {"low": value.low, "high": value.high if math.isfinite(value.high) else None}
