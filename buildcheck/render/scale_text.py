"""What several cards bring, as text for people and as plain data for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.model.quantity import ONE, UNKNOWN, Interval, show
from buildcheck.render.fit_text import amount, plain_data
from buildcheck.render.terminal import plain, wrapped
from buildcheck.render.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.scale import Scale, Times

#: Version of the JSON.
FORMAT_VERSION = "1.0"
#: What is said of all this.
SCALE = Words("scale")


def scale_text(found: Scale) -> str:
    """Links, times of a step, and a line for each change of the links."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: Scale) -> Iterator[str]:
    machines = SCALE("machines", round(found.machines.high))
    cards = SCALE("cards", found.cards)
    yield plain(SCALE("headed", name=found.name, cards=cards, machines=machines))
    rates = {"link": found.link, "copies": found.copies}
    said = {name: amount(rate, units.RATE) for name, rate in rates.items()}
    yield from wrapped(SCALE("links", **said))
    if found.machines.high > 1:
        yield from wrapped(SCALE("network", rate=amount(found.network, units.RATE)))
    if found.mixed != ONE:
        yield from wrapped(SCALE("mixed", share=amount(found.mixed, units.NUMBER)))
    yield ""
    for name, value in found.times._asdict().items():
        if name == "between_machines" and found.machines.high <= 1:
            continue
        yield f"  {_shown(name, value)}  {SCALE.table('times')[name]}"
    if found.times.speedup is None:
        yield from wrapped(SCALE("no_step"))
    yield ""
    yield SCALE("variants") if found.variants else SCALE("no_variants")
    for one in found.variants:
        changes = SCALE.table("changes")[one.key]
        yield from wrapped(
            SCALE(
                "variant",
                change=changes,
                what=one.what,
                rate=amount(one.rate, units.RATE),
                exchange=_sum(one.times),
                tensor=_shown("tensor_exchange", one.times.tensor_exchange).strip(),
                speedup=_shown("speedup", one.times.speedup).strip(),
            ),
            2,
        )


def _sum(times: Times) -> str:
    if times.exchange is None or times.between_machines is None:
        return amount(None, units.TIME)
    return _time(times.exchange + times.between_machines)


def _time(value: Interval) -> str:
    """Seconds, or milliseconds where they are few."""
    if value.high < 1:
        thousand = Interval(value.low * 1e3, value.high * 1e3)
        return SCALE("milliseconds", number=amount(thousand, units.NUMBER))
    return amount(value, units.TIME)


_WIDTH = 20


def _shown(name: str, value: Interval | None) -> str:
    if value is None:
        return show(UNKNOWN, units.NUMBER).rjust(_WIDTH)
    text = amount(value, units.NUMBER) if name == "speedup" else _time(value)
    return text.rjust(_WIDTH)


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
        "slowest_link": plain_data(found.link),
        "copies": plain_data(found.copies),
        "network": plain_data(found.network),
        "mixed_efficiency": plain_data(found.mixed),
        "times": _times(found.times),
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
