"""Is a kit the sum of its modules, of one kind and of a speed there is?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.model.quantity import Interval
from buildcheck.plausible.look import SLACK, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.plausible.look import Doubt, Look

#: Transfers per second in millions, from the slowest speed grade (JESD79-3, -4, -5) to the
#: fastest kits sold with overclocking profiles.
SPEEDS = {"DDR3": (800, 3200), "DDR4": (1600, 5600), "DDR5": (3200, 10_000)}


def memory(look: Look) -> Iterator[Doubt]:
    """A kit is the sum of its modules, and fits together."""
    kit, module, total = map(look.of, ("kit_modules", "module", "total"))
    if None not in (kit, module, total) and not _meet(kit * module, total):
        message = f"{look.text('kit_modules')} × {look.text('module')} is not {look.text('total')}"
        yield look.doubt("total", message, "Check modules in the kit and the size of each")
    registered, module_kind = look.of("registered"), look.of("module_kind")
    if registered is True and look.of("ecc") is False:
        message = "registered modules correct errors"
        yield look.doubt("ecc", message, "Check whether it is registered at all")
    if None not in (registered, module_kind) and registered is (module_kind == "udimm"):
        message = f"a module of kind {module_kind} is{' not' * (not registered)} called registered"
        yield look.doubt("registered", message, "UDIMMs are not registered, all others are")


def _meet(one: Interval, other: Interval) -> bool:
    return one.low <= other.high + SLACK and other.low <= one.high + SLACK


def memory_speed(look: Look) -> Iterator[Doubt]:
    """The speed is one of its generation, in millions of transfers."""
    speed, generation = look.of("speed"), look.of("generation")
    least, most = SPEEDS.get(generation or "", (0, float("inf")))
    if speed is not None and not within(speed, Interval(least, most)):
        message = f"{look.text('speed')} is no speed of {generation}, {least} to {most}"
        yield look.doubt("speed", message, "Write millions of transfers: 3200, not 1600 MHz")
