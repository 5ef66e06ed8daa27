"""What several cards bring, as text for people and as plain data for programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.model.quantity import ONE, UNKNOWN, Interval, ends_text, exact, percent, show
from buildcheck.render.drawings.pen import Table
from buildcheck.render.fit_text import amount, no_bf16, parameters_text, plain_data, setting_words
from buildcheck.render.terminal import columns, plain, wrapped
from buildcheck.render.words import Words, filled
from buildcheck.wording import span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.scale import Link, Scale, Times

#: Version of the JSON.
FORMAT_VERSION = "1.0"
#: What is said of all this.
SCALE = Words("scale")
_WIDTH = 20
#: Times that are told on their own: the rest stands elsewhere, or is only for several machines.
_TOLD_BEFORE = ("alone",)
_BETWEEN = ("between_machines",)
#: What an estimated step hangs on beside the parameters.
_OF_STEP = ("batch", "context", "precision")
#: Smaller units of time, of which a second has so many, and the least of one that reads well.
_SMALLER = (("milliseconds", 1e3), ("microseconds", 1e6), ("nanoseconds", 1e9))
_READABLE = 0.01
#: What only training has.
_OF_GRADIENTS = (
    *("exchange", "between_machines", "plain_exchange", "step"),
    *("speedup", "accumulated_speedup"),
)


def scale_text(found: Scale) -> str:
    """Links, times of a step, and a line for each number of cards and change of the links."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: Scale) -> Iterator[str]:
    yield plain(f"{found.name}: {_cards(found)}")
    for words in told(found):
        yield from wrapped(words)
    yield ""
    yield SCALE("whole")
    for name, value in found.times._asdict().items():
        if name in _TOLD_BEFORE or (name in _BETWEEN and found.machines.high <= 1):
            continue
        if name in _OF_GRADIENTS and not _trains(found):
            continue
        yield f"  {_shown(name, value).rjust(_WIDTH)}  {_filled('times', found)[name]}"
    for table in (share_table(found), variant_table(found)):
        if table.rows:
            yield ""
            yield f"{table.caption}:"
            yield from columns(table)
    for words in (no_variants(found), no_bridge(found)):
        if words:
            yield ""
            yield from wrapped(words)


def _cards(found: Scale) -> str:
    machines = SCALE("machines", round(found.machines.high))
    return SCALE("headed", cards=SCALE("cards", found.cards), machines=machines)


def told(found: Scale) -> list[str]:
    """The model, what copies go over, and the time of a step on one card."""
    said = [_model(found), *_ends(found), *_held(found)]
    if found.without_bf16:
        said.append(no_bf16(found.without_bf16))
    if not _trains(found):
        said.append(SCALE("serving"))
    if found.taken:
        said.append(SCALE("taken", settings=setting_words(found.taken)))
    said += _path(found.link)
    if found.machines.high > 1:
        said.append(SCALE("network", rate=amount(found.network, units.RATE)))
    if found.mixed != ONE:
        said.append(
            SCALE("mixed", share=percent(found.mixed) if found.mixed else SCALE("not_known"))
        )
    if found.times.alone is None:
        return [*said, SCALE("no_step")]
    time = _time(found.times.alone)
    if found.step == "stated":
        return [*said, SCALE("alone", time=time), *_utilised(found)]
    key = "alone_by_both" if found.by_both else "alone_estimated"
    return [*said, SCALE(key, time=time, share=percent(found.utilised or UNKNOWN))]


def _ends(found: Scale) -> Iterator[str]:
    """What the ends of the speed-up mean, and what to say so that they come closer."""
    times = found.times
    exchange = _sum(times)
    if not _trains(found) or not times.speedup or not times.alone or not exchange:
        return
    if not math.isfinite(exchange.high) or not math.isfinite(times.alone.high):
        yield SCALE("ends_open", times=ratio(times.speedup))
        return
    short, long = (_time(exact(end)) for end in (times.alone.low, times.alone.high))
    quick, slow = (_time(exact(end)) for end in (exchange.low, exchange.high))
    ends = {"short": short, "long": long, "quick": quick, "slow": slow}
    yield SCALE("ends", times=ratio(times.speedup), **ends)
    unsaid = [f"--{name}" for name in _OF_STEP if name not in found.settings]
    if found.step == "stated":
        yield SCALE("left_open")
    elif unsaid:
        yield SCALE("narrow", options=", ".join(unsaid))
    else:
        yield SCALE("narrow_step")


def _utilised(found: Scale) -> Iterator[str]:
    """What a stated step reaches of the card's peak, and whether anything published does.

    Of a size that is taken it is said only where that is too much, as the batch taken is the
    least there is.
    """
    if found.utilisation is None or found.utilised is None:
        return
    words = {"reached": percent(found.utilisation), "share": percent(found.utilised)}
    if exact(found.utilised.high).is_below(found.utilisation):
        taken = {name: found.taken[name] for name in found.unsized if name in found.taken}
        key = "utilised_too_far_taken" if taken else "utilised_too_far"
        yield SCALE(key, settings=setting_words(taken), **words)
    elif not found.unsized:
        yield SCALE("utilised", **words)


def held(found: Scale) -> bool | None:
    """Does a card hold the model as stated? None where nobody knows."""
    known = found.need is not None and found.room is not None
    return found.need.is_at_most(found.room) if known else None  # type: ignore[union-attr, arg-type]


def _held(found: Scale) -> Iterator[str]:
    if found.need is None or found.room is None or held(found):
        return
    ends = {"need": amount(found.need, units.DATA), "room": amount(found.room, units.DATA)}
    yield SCALE("held", **ends) if held(found) is False else SCALE("held_perhaps", **ends)


def _model(found: Scale) -> str:
    values = {**found.taken, **found.settings}
    batch = values["batch"]
    sequences = (
        SCALE("sequences", round(batch.low))
        if batch.is_exact
        else SCALE("sequences_between", number=ends_text(batch))
    )
    return SCALE(
        "model",
        work=SCALE.table("work")[found.kind],
        parameters=parameters_text(values["parameters"]),
        precision=values["precision"],
        batch=sequences,
        context=ends_text(values["context"]),
    )


def _path(link: Link) -> Iterator[str]:
    said = [SCALE.table("over")[link.over]]
    if link.copies is not None:
        said.append(SCALE("reach", copies=amount(link.copies, units.RATE)))
    if link.over != "bridge":
        said.append(_slowest(link))
    yield " ".join(said)


def _slowest(link: Link) -> str:
    if link.rate is None or not link.cards:
        return SCALE("link_unknown")
    lanes, generation = (ends_text(v or UNKNOWN) for v in (link.lanes, link.generation))
    rate = amount(link.rate, units.RATE)
    slowest = SCALE("link", lanes=lanes, generation=generation, rate=rate)
    said = SCALE("slowest", link=slowest, cards=span(link.cards))
    return said if link.copies is None else f"{said} {SCALE('short')}"


def remarks(found: Scale) -> str:
    """Where the speed-ups hold, and what does without an exchange."""
    return SCALE("remarks" if _trains(found) else "remarks_serving")


def no_variants(found: Scale) -> str:
    """That no other link would help, where the one there is known."""
    return "" if found.variants or found.link.copies is None else SCALE("no_variants")


def no_bridge(found: Scale) -> str:
    """Why no bridge is tried, where the cards take one."""
    if not found.no_bridge or found.link.copies is None:
        return ""
    return filled(SCALE.table("no_bridge")[found.no_bridge], {"cards": found.cards})


def _filled(table: str, found: Scale) -> dict[str, str]:
    """The words of a table, with the steps between two exchanges."""
    steps = steps_text(found)
    return {key: filled(words, {"steps": steps}) for key, words in SCALE.table(table).items()}


def steps_text(found: Scale) -> str:
    """Steps between two exchanges, where gradients are accumulated."""
    return ends_text(found.steps or UNKNOWN)


def _trains(found: Scale) -> bool:
    return found.kind == "training"


def share_table(found: Scale) -> Table:
    """What two and more of the cards bring; in serving nothing of gradients."""
    rows = [
        {
            "cards": str(share.cards),
            "exchange": _time_or_not(share.times.exchange),
            "data": ratio(share.times.speedup),
            "accumulated": ratio(share.times.accumulated_speedup),
            "each": percent(share.efficiency) if share.efficiency else SCALE("not_known"),
            "tensor": ratio(share.times.tensor_speedup),
            "pipeline": ratio(share.times.pipeline_speedup),
        }
        for share in (found.shares if found.link.copies else ())
    ]
    return _table(SCALE("by_cards"), _filled("columns", found), rows, found)


def variant_table(found: Scale) -> Table:
    """What all cards together bring as they are, and with other links."""
    words = SCALE.table("changes")
    changes = [
        (SCALE("changed", change=words[one.key], what=one.what).strip(), one.rate, one.times)
        for one in found.variants
    ]
    now = (SCALE("now"), found.link.copies, found.times)
    rows = [
        {
            "change": what,
            "rate": amount(rate, units.RATE),
            "exchange": _time_or_not(_sum(times)),
            "data": ratio(times.speedup),
            "tensor": ratio(times.tensor_speedup),
        }
        for what, rate, times in ([now, *changes] if changes else [])
    ]
    return _table(SCALE("variants"), SCALE.table("change_columns"), rows, found)


def _table(
    caption: str, columns: dict[str, str], rows: list[dict[str, str]], found: Scale
) -> Table:
    """Rows with the columns that the kind of work has."""
    gone = () if _trains(found) else ("exchange", "data", "accumulated", "each")
    kept = [key for key in columns if key not in gone]
    head = tuple(columns[key] for key in kept)
    return Table(caption, head, tuple(tuple(row[key] for key in kept) for row in rows))


def _sum(times: Times) -> Interval | None:
    if times.exchange is None or times.between_machines is None:
        return None
    return times.exchange + times.between_machines


def ratio(value: Interval | None) -> str:
    """How many times as much, with a decimal."""
    if value is None:
        return SCALE("not_known")
    low, high = f"{value.low:.1f}", f"{value.high:.1f}"
    return low if low == high else f"{low}..{high}"


def _time(value: Interval) -> str:
    """Seconds, or milliseconds where they are few, or what still says more than nothing."""
    if value.high >= 1:
        return amount(value, units.TIME)
    key, number = next(
        (one for one in _SMALLER if not value.high or value.high * one[1] >= _READABLE),
        _SMALLER[-1],
    )
    return SCALE(
        key, number=amount(Interval(value.low * number, value.high * number), units.NUMBER)
    )


def _time_or_not(value: Interval | None) -> str:
    return SCALE("not_known") if value is None else _time(value)


def _shown(name: str, value: Interval | None) -> str:
    if value is None:
        return show(UNKNOWN, units.NUMBER)
    return ratio(value) if name.endswith("speedup") else _time(value)


def scale_data(found: Scale) -> dict[str, Any]:
    """The same as plain data. Rates are in GB/s and times in seconds, with both ends of each."""
    return {
        "format_version": FORMAT_VERSION,
        "name": found.name,
        "for": found.kind,
        "cards": found.cards,
        "machines": plain_data(found.machines),
        "settings": {n: plain_data(v) for n, v in found.settings.items() if n != "kind"},
        "taken": {n: plain_data(v) for n, v in found.taken.items()},
        "copies_over": found.link.over,
        "slowest_link": plain_data(found.link.rate),
        "slowest_cards": list(found.link.cards),
        "copies": plain_data(found.link.copies),
        "network": plain_data(found.network),
        "mixed_efficiency": plain_data(found.mixed),
        "step_time_is": found.step or None,
        "step_time_by_both_readings": found.by_both if found.step == "estimated" else None,
        "card_need": plain_data(found.need),
        "card_room": plain_data(found.room),
        "one_card_holds_it": held(found),
        "accumulated_steps": plain_data(found.steps),
        "no_bridge": found.no_bridge or None,
        "without_bf16": list(found.without_bf16),
        "utilisation": plain_data(found.utilisation),
        "utilisation_takes": list(found.unsized) if found.utilisation else [],
        "published_utilisation": plain_data(found.utilised),
        "times": _times(found.times),
        "by_cards": [
            {
                "cards": share.cards,
                "efficiency": plain_data(share.efficiency),
                "times": _times(share.times),
            }
            for share in found.shares
        ],
        "changes": [
            {
                "change": one.key,
                "to": one.what,
                "rate": plain_data(one.rate),
                "times": _times(one.times),
            }
            for one in found.variants
        ],
    }


def _times(times: Times) -> dict[str, Any]:
    return {name: plain_data(value) for name, value in times._asdict().items()}
