"""Which sockets there are, is a part's socket one of them, and has a CPU what its platform has?"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.errors import CatalogError
from buildcheck.plausible.look import per_catalog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.model.part import Part
    from buildcheck.plausible.look import Checks, Doubt, Look


class Socket(NamedTuple):
    """What all platforms of a socket have between them."""

    lanes: float
    generations: frozenset[str]
    chipsets: frozenset[str]


@per_catalog
def sockets(catalog: Catalog) -> dict[str, Socket]:
    """Every socket that a platform of the catalogue has."""
    found: dict[str, Socket] = {}
    for part_id in catalog.ids("platform"):
        part = _part(catalog, part_id)
        socket = part and part.value("socket")
        if part and socket:
            lanes = part.value("pcie_lanes")
            old = found.get(socket, Socket(0, frozenset(), frozenset()))
            found[socket] = Socket(
                max(old.lanes, lanes.high if lanes else 0),
                old.generations | (part.value("memory_generations") or frozenset()),
                old.chipsets | (part.value("chipsets") or frozenset()),
            )
    return found


def _part(catalog: Catalog, part_id: str) -> Part | None:
    try:
        return catalog.part(part_id)
    except CatalogError:
        return None


def known_socket(look: Look) -> Iterator[Doubt]:
    """An unknown socket is usually another spelling of a known one."""
    known = sockets(look.catalog)
    socket = look.own("socket")
    if socket is not None and look.part.kind != "platform" and socket not in known:
        message = f"no platform has the socket {socket}"
        near = get_close_matches(socket.upper(), {k.upper(): k for k in known}, 1)
        meant = next((k for k in known if k.upper() in near), "")
        advice = f"Did you mean {meant}? " * bool(meant) + (
            f"Check the spelling, or add a platform. Known: {', '.join(sorted(known))}"
        )
        yield look.doubt("socket", message, advice)


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


CHECKS: Checks = {"cpu": (known_socket, cpu_platform), "motherboard": (known_socket,)}
