"""All that is looked at in a part, by its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.plausible.checks.boards import (
    board_lanes,
    board_memory,
    board_modes,
    board_places,
    board_socket,
    board_widths,
)
from buildcheck.plausible.checks.cards import card_adapter, card_chip, card_plugs, card_power
from buildcheck.plausible.checks.cases import case, cooler
from buildcheck.plausible.checks.links import add_in_card, riser, storage
from buildcheck.plausible.checks.memory import memory, memory_speed
from buildcheck.plausible.checks.processors import cpu_platform, cpu_threads, cpu_turbo
from buildcheck.plausible.checks.siblings import siblings
from buildcheck.plausible.checks.sockets import known_socket
from buildcheck.plausible.checks.supplies import (
    adapter,
    breaker,
    cable,
    psu_plugs,
    psu_ratings,
    psu_size,
    ups,
)
from buildcheck.plausible.checks.values import (
    among_choices,
    efficiency,
    in_bounds,
    in_order,
    peaks,
    price_days,
    read_days,
    speed,
)
from buildcheck.plausible.checks.words import families, known_words, splits
from buildcheck.plausible.look import Look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.model.part import Part
    from buildcheck.plausible.look import Doubt

#: What is looked at in every part.
_ALL = (in_bounds, in_order, among_choices, read_days, known_words)
_PLACES = (board_places, board_widths, board_lanes, board_modes, splits)
_BOARD = (known_socket, board_socket, *_PLACES, families)
#: Checks per kind of part, in addition to those for all parts.
CHECKS: Mapping[str, tuple[Callable[[Look], Iterator[Doubt]], ...]] = {
    "adapter": (adapter,),
    "add-in-card": (add_in_card,),
    "cable": (cable,),
    "case": (case,),
    "cooler": (cooler,),
    "cloud-instance": (price_days,),
    "country": (breaker, price_days),
    "cpu": (known_socket, cpu_threads, cpu_turbo, cpu_platform),
    "efficiency": (efficiency,),
    "gpu": (card_power, card_adapter, card_plugs, card_chip, peaks, speed, siblings),
    "gpu-architecture": (peaks, speed),
    "memory": (memory, memory_speed),
    "memory-kind": (memory,),
    "motherboard": (*_BOARD, board_memory),
    "outlet": (breaker,),
    "psu": (psu_ratings, psu_plugs, psu_size, efficiency, peaks),
    "psu-standard": (peaks,),
    "riser": (riser,),
    "storage": (storage,),
    "storage-interface": (storage,),
    "ups": (ups,),
}


def doubts(part: Part, catalog: Catalog) -> list[Doubt]:
    """Everything implausible about a part: its own values, and compared with parts around it."""
    look = Look(part, catalog)
    checks = (*_ALL, *CHECKS.get(part.kind, ()))
    return list(dict.fromkeys(d for check in checks for d in check(look)))
