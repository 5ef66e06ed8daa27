"""Do ratings and plugs of power supplies, adapters and cables go together?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.plausible.look import Checks, Doubt, Look

#: Power each connector is specified for: PCI-SIG's (75 W and 150 W for the older two, 600 W for
#: 12VHPWR and 12V-2x6), and for EPS four contacts of 7 A at 12 V.
CONNECTOR = {"pcie-6-pin": 75, "pcie-8-pin": 150, "16-pin": 600, "eps-8-pin": 336}
#: Design guides before ATX12V 3.0 know no 16-pin output.
OLD_STANDARD = "ATX 2.x"
#: Plugs of a supply add up to more than its rating, since nobody loads all of them. For more than
#: this many times the rating, heads were counted in place of cables. Our choice: no supply
#: of the catalogue comes near.
MOST_PLUGGED = 3.0
#: Least that the sense pins of a 16-pin output ask for (ATX12V 3.0 Design Guide): 150 W.
CODED_LEAST = 150


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


CHECKS: Checks = {"adapter": (adapter,), "cable": (cable,), "psu": (psu_plugs,)}
