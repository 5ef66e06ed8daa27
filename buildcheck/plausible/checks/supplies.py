"""Do ratings and plugs of power supplies, cables, outlets and UPSs go together?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.plausible.limits import CONNECTOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.plausible.look import Doubt, Look

#: Design guides before ATX12V 3.0 know no 16-pin output.
OLD_STANDARD = "ATX 2.x"
#: Plugs of a supply add up to more than its rating, since nobody loads all of them. For more than
#: this many times the rating, heads were counted in place of cables. Our choice: no supply
#: of the catalogue comes near.
MOST_PLUGGED = 3.0
#: Least that the sense pins of a 16-pin output ask for (ATX12V 3.0 Design Guide): 150 W.
CODED_LEAST = 150
#: Watts of all 12 V outputs over the rating: labels round to whole amperes.
MOST_TWELVE_VOLT = 1.05
TWELVE_VOLT = 12
#: Housings in mm: SFX is 100 deep, SFX-L 125 or 130; with room for sockets of modular cables.
DEEPEST = {"SFX": 110, "SFX-L": 140}


def psu_ratings(look: Look) -> Iterator[Doubt]:
    """What a supply gives at low voltage or at 12 V is part of what it gives."""
    rated, low = look.of("rated_power"), look.of("rated_power_low_line")
    if rated is not None and low is not None and low.high > rated.high:
        message = f"{look.text('rated_power_low_line')} is above {look.text('rated_power')}"
        yield look.doubt("rated_power_low_line", message, "Check whether the two are mixed up")
    current = look.of("twelve_volt_current")
    if rated is not None and current is not None:
        watts = current.low * TWELVE_VOLT
        if watts > MOST_TWELVE_VOLT * rated.high:
            message = f"{look.text('twelve_volt_current')} at 12 V are {watts:g} W"
            message += f", of a supply of {look.text('rated_power')}"
            yield look.doubt("twelve_volt_current", message)


def psu_plugs(look: Look) -> Iterator[Doubt]:
    """The plugs go with the supply's standard, and with what it gives."""
    plugs, rated = look.of("plugs"), look.of("rated_power")
    if plugs is None:
        return
    if "16-pin" in plugs and look.of("standard") == OLD_STANDARD and not look.explained("standard"):
        message = f"a 16-pin output on a supply to {OLD_STANDARD}: ATX 3.0 brought that plug"
        yield look.doubt("standard", message, "Check it, or say in its note why both are so")
    rating = {**CONNECTOR, "16-pin": CODED_LEAST}
    watts = sum(n.low * rating[c] for c, n in plugs.items() if c in rating)
    if rated is not None and watts > MOST_PLUGGED * rated.high:
        message = f"they carry {watts:g} W, and the supply gives {look.text('rated_power')}"
        yield look.doubt("plugs", message, "Count cables with a socket of their own, not heads")


def psu_size(look: Look) -> Iterator[Doubt]:
    """A housing is as deep as its form factor allows."""
    form, length = look.of("form_factor"), look.of("length")
    deepest = DEEPEST.get(form or "")
    if deepest is not None and length is not None and length.low > deepest:
        message = f"{look.text('length')} is longer than {form} is"
        yield look.doubt("length", message, "Check length and form factor")


def breaker(look: Look) -> Iterator[Doubt]:
    """The advised sustained current is at most the breaker's."""
    breaker, advised = look.of("breaker"), look.of("continuous_current")
    if breaker is None or advised is None:
        return
    if advised.low > breaker.low or advised.high > breaker.high:
        message = f"{look.text('continuous_current')} trips a breaker of {look.text('breaker')}"
        yield look.doubt("continuous_current", message)


def ups(look: Look) -> Iterator[Doubt]:
    """Watts are no small part of the volt-amperes."""
    power, apparent = look.of("power"), look.of("apparent_power")
    if power is not None and apparent is not None and power.high < apparent.low / 3:
        message = f"{look.text('power')} is under a third of {look.text('apparent_power')}"
        yield look.doubt("power", message, "Check both: makers print watts and volt-amperes")


def adapter(look: Look) -> Iterator[Doubt]:
    """An adapter is rated for no more than the plugs it takes its power from."""
    inputs, rating = look.of("inputs"), look.of("rating")
    if inputs is None or rating is None or set(inputs) - {*CONNECTOR}:
        return
    most = sum(n.high * CONNECTOR[c] for c, n in inputs.items())
    if rating.high > most:
        message = f"{look.text('rating')} is more than its inputs are specified for, {most:g} W"
        yield look.doubt("rating", message)


def cable(look: Look) -> Iterator[Doubt]:
    """A cable is rated for no more than its plugs."""
    heads, rating = look.of("heads"), look.of("rating")
    one = CONNECTOR.get(look.of("connector") or "")
    if None not in (heads, rating, one) and rating.high > heads.high * one:
        message = f"{look.text('rating')} is more than its plugs are specified for"
        yield look.doubt("rating", message)
