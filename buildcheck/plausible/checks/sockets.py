"""Which sockets there are, and is a part's socket one of them?"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from buildcheck.errors import CatalogError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.model.part import Part
    from buildcheck.plausible.look import Doubt, Look


class Socket(NamedTuple):
    """What all platforms of a socket have between them."""

    lanes: float
    generations: frozenset[str]
    chipsets: frozenset[str]


_SOCKETS: WeakKeyDictionary[Catalog, dict[str, Socket]] = WeakKeyDictionary()


def sockets(catalog: Catalog) -> dict[str, Socket]:
    """Every socket that a platform of the catalogue has."""
    if catalog not in _SOCKETS:
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
        _SOCKETS[catalog] = found
    return _SOCKETS[catalog]


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
