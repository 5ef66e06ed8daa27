"""Do a processor's power, cores and platform go together?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.plausible.look import Doubt, Look

#: Turbo power over base power: the largest ratio is of 65 W Core processors with a short-term
#: limit of 224 W (Intel ARK).
MOST_TURBO = 4.0
#: Threads a core runs at once, on any x86 processor.
THREADS = 2


def cpu_turbo(look: Look) -> Iterator[Doubt]:
    """Turbo power is a few times the base power."""
    base, turbo = look.of("base_power"), look.of("turbo_power")
    if base is not None and turbo is not None and turbo.low > MOST_TURBO * base.high:
        message = f"{look.text('turbo_power')} is over four times {look.text('base_power')}"
        yield look.doubt("turbo_power", message)


def cpu_threads(look: Look) -> Iterator[Doubt]:
    """No core runs more than two threads."""
    cores, threads = look.of("cores"), look.of("threads")
    if cores is not None and threads is not None and threads.high > THREADS * cores.high:
        message = f"{look.text('threads')} threads are over two for each of {look.text('cores')}"
        yield look.doubt("threads", f"{message} cores", "Check whether the two are mixed up")


#: Numbers of a CPU that its platform does not exceed.
_SHARED = ("pcie_lanes", "pcie_gen", "memory_channels", "sockets_max")


def cpu_platform(look: Look) -> Iterator[Doubt]:
    """A CPU has no more than the platform it names, and its socket."""
    platform = look.other("platform", look.own("platform"))
    if platform is None:
        return
    advice = f"Check it, or name another platform than {platform.name}"
    socket, there = look.own("socket"), platform.value("socket")
    if socket is not None and there is not None and socket != there:
        yield look.doubt("socket", f"{socket} is not the socket of its platform, {there}", advice)
    for field in _SHARED:
        value, most = look.own(field), platform.value(field)
        if value is not None and most is not None and value.high > most.high:
            message = f"{look.text(field)} is above that of its platform, {look.text(field, most)}"
            yield look.doubt(field, message, advice)
    value, known = look.own("memory_generations"), platform.value("memory_generations")
    if value is not None and known is not None and not value <= known:
        message = f"its platform takes only {', '.join(sorted(known))}"
        yield look.doubt("memory_generations", message, advice)
