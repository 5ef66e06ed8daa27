"""Whether a model fits, as text for people and as plain data for programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.model.quantity import UNKNOWN, Interval, ends_text, number_text, show
from buildcheck.render.drawings.pen import Table
from buildcheck.render.terminal import columns, plain, wrapped
from buildcheck.render.words import Words, filled
from buildcheck.sizes import MOST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from buildcheck.fit import Fit, Way
    from buildcheck.sizes import Largest, Sizes
    from buildcheck.techniques import Need

#: Version of the JSON.
FORMAT_VERSION = "1.0"
#: What is said of all this.
FIT = Words("fit")
#: Digits that an estimate deserves.
_DIGITS = 3
#: What floating point may be off by.
_SLIP = 1e-9
#: How main memory is given; its braces are no place to fill in.
_MEMORY = "memory: {total: 128 GB}"
#: The work that has gradients.
_TRAINING = "training"
#: What the head of the text says already.
_SAID = ("kind", "parameters")


def fit_text(found: Fit) -> str:
    """Settings, what a card holds, and a line for each technique."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: Fit) -> Iterator[str]:
    yield plain(FIT("named", name=found.name, headed=_head(found)))
    stated = {n: v for n, v in found.settings.items() if n not in _SAID and n in _names()}
    if stated:
        yield from wrapped(FIT("settings", settings=setting_words(stated)))
    if found.taken:
        yield from wrapped(FIT("taken", settings=setting_words(found.taken)))
    yield _shape(found)
    if found.without_bf16:
        yield from wrapped(no_bf16(found.without_bf16))
    yield ""
    yield FIT("on_card")
    rows = [[amount(value), FIT.table("parts")[name]] for name, value in found.on_card.items()]
    rows.append([amount(found.need.card), FIT("whole")])
    width = max(len(row[0]) for row in rows)
    yield from (f"  {amount.rjust(width)}  {name}" for amount, name in rows)
    yield from wrapped(_room(found))
    yield from lacking((found.sizes,))
    yield from wrapped(_answer(found))
    yield from wrapped(_undecided(found)) if found.undecided_by else ()
    yield ""
    yield FIT("ways")
    yield from _table(found.ways)
    yield ""
    yield from wrapped(unused(found.sizes)) if found.sizes.unused else ()
    sizes = size_table(found.sizes)
    yield f"{sizes.caption}:"
    yield from columns(sizes)
    yield ""
    if found.unstated and not found.undecided_by:
        yield from wrapped(FIT("narrows", options=_options(found), fields=_fields(found)))
    if found.kind == _TRAINING:
        yield from wrapped(FIT("flash")) if "flash_attention" in found.taken else ()
        yield from wrapped(FIT("adapters"))
    yield from wrapped(FIT("not_counted"))


def _head(found: Fit) -> str:
    parameters = parameters_text({**found.taken, **found.settings}["parameters"])
    work = FIT.table("work")[found.kind]
    return FIT("headed", work=work, parameters=parameters, cards=FIT("cards", found.cards))


def _room(found: Fit) -> str:
    return FIT("room", card=amount(found.room.card), host=amount(found.room.host))


def _answer(found: Fit) -> str:
    said, need = FIT.table("verdicts")[found.verdict], found.need
    return FIT("verdict", verdict=said, card=amount(need.card), host=amount(need.host))


def _undecided(found: Fit) -> str:
    """What range leaves it open, and what to say to narrow it."""
    name = found.undecided_by or ""
    words = {"part": FIT.table("parts")[name], "amount": amount(found.on_card[name])}
    return FIT("undecided", **words, options=_options(found), fields=_fields(found))


def _options(found: Fit) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in found.unstated)


def _fields(found: Fit) -> str:
    """The same as the file of a published model has them."""
    return ", ".join(FIT.table("config")[name] for name in found.unstated)


def fit_told(found: Fit) -> list[str]:
    """The model that a build states, and whether it fits, in a few sentences."""
    said = [no_bf16(found.without_bf16)] if found.without_bf16 else []
    open_ = [_undecided(found)] if found.undecided_by else []
    return [FIT("stated", headed=_head(found)), *said, _answer(found), _room(found), *open_]


def no_bf16(names: Iterable[str]) -> str:
    """That these cards have no units for the format that is asked of them."""
    return FIT("no_bf16", names=", ".join(names))


def _names() -> dict[str, str]:
    return FIT.table("names")


def setting_words(values: Mapping[str, Any]) -> str:
    """What is stated or taken of a model, by its names for people."""
    said = {name: _value(value) for name, value in values.items()}
    if "parameters" in said:
        said["parameters"] = f"{said['parameters']}B"
    return ", ".join(FIT("setting", name=_names()[n], value=v) for n, v in said.items())


def parameters_text(billions: Interval) -> str:
    """The size of a model: in thousands of millions, or in millions where they are few."""
    if billions.high < 1:
        millions = Interval(round(1e3 * billions.low), round(1e3 * billions.high))
        return FIT("millions", number=ends_text(millions))
    return FIT("billions", number=_numbers(billions))


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


def size_table(sizes: Sizes) -> Table:
    """The largest models by each way: those that fit whatever their shape, and that may."""
    head = tuple(FIT.table("largest_columns").values())
    caption = FIT("largest", work=FIT.table("largest_work")[sizes.kind])
    return Table(caption, head, tuple(_size_row(way) for way in sizes.ways))


def sizes_text(name: str, found: tuple[Sizes, ...]) -> str:
    """How large a model fits, where nobody names one."""
    return "".join(f"{line}\n" for line in _size_lines(name, found))


def _size_lines(name: str, found: tuple[Sizes, ...]) -> Iterator[str]:
    yield plain(f"{name}:")
    yield from lacking(found)
    for one in found:
        yield ""
        said = reckoned(one)
        yield from wrapped(FIT("reckoned", settings=said)) if said else ()
        yield from wrapped(unused(one)) if one.unused else ()
        table = size_table(one)
        yield f"{table.caption}:"
        yield from columns(table)
    yield ""
    yield from wrapped(FIT("not_counted"))


def lacking(found: Iterable[Sizes]) -> Iterator[str]:
    """What memory nobody knows, and how to say it, once for all that hangs on it."""
    for whose in dict.fromkeys(whose for one in found for whose in one.lacks):
        yield from wrapped(filled(FIT.table("lacks")[whose], {"example": _MEMORY}))


def unused(sizes: Sizes) -> str:
    """What of a stated shape the largest models do not take over; empty if there is no such."""
    names = [_names()[name] for name in sizes.unused]
    return FIT("unused", len(names), names=", ".join(names)) if names else ""


def reckoned(sizes: Sizes) -> str:
    """What sizes were reckoned with, stated and taken."""
    values = {**sizes.settings, **sizes.taken}
    return setting_words({n: v for n, v in values.items() if n in _names()})


def sizes_data(name: str, found: tuple[Sizes, ...]) -> dict[str, Any]:
    """The same as plain data, in thousands of millions of parameters."""
    return {
        "format_version": FORMAT_VERSION,
        "name": name,
        "largest": [
            {"for": one.kind, "technique": way.key, "parameters": plain_data(way.parameters)}
            for one in found
            for way in one.ways
        ],
    }


def _size_row(way: Largest) -> tuple[str, ...]:
    name, ends = way_name(way.key), way.parameters
    if ends is None:
        return name, FIT("not_known"), FIT("not_known")
    return name, size_text(ends.low, up=False), size_text(ends.high, up=True)


def way_name(key: str) -> str:
    """A way to save memory; or none beside what the build file states."""
    return FIT("as_it_is") if key == "plain" else FIT.table("techniques")[key]


def size_text(billions: float, *, up: bool) -> str:
    """The largest model that fits, such as 7B, with no more digits than it deserves.

    Rounded down where it surely fits, and up where it may.

    >>> size_text(8.57, up=False), size_text(0.4457, up=True)
    ('8.5B', '450M')
    """
    if billions <= 0:
        return FIT("none_fits")
    if billions >= MOST:
        return FIT("more_than", parameters=f"{MOST:g}B")
    size = 10.0 ** (math.floor(math.log10(billions)) - 1)
    steps = billions / size
    rounded = (math.ceil(steps - _SLIP) if up else math.floor(steps + _SLIP)) * size
    return f"{rounded:g}B" if rounded >= 1 else f"{round(1e3 * rounded)}M"


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
        "undecided_by": found.undecided_by,
        "layers": plain_data(found.layers),
        "hidden_size": plain_data(found.width),
        "on_card": {name: plain_data(value) for name, value in found.on_card.items()},
        "need": _need(found.need),
        "room": _need(found.room),
        "without_bf16": list(found.without_bf16),
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
        "largest": [
            {"technique": way.key, "parameters": plain_data(way.parameters)}
            for way in found.sizes.ways
        ],
        "largest_without": list(found.sizes.unused),
    }


def _need(need: Need) -> dict[str, Any]:
    return {"card": plain_data(need.card), "host": plain_data(need.host)}


def plain_data(value: Any) -> Any:
    """An interval as its ends, of which one that nobody knows is null."""
    if not isinstance(value, Interval):
        return value
    return {"low": value.low, "high": value.high if math.isfinite(value.high) else None}
