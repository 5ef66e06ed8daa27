"""What a machine needs in addition to its parts: cords, adapters, risers, bridges and fans.

These facts serve the list of accessories; what comes with a part is none of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from buildcheck.facts.registry import CODE, TRUTH, Ask, graph

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

_COUPLER = re.compile(r"C ?(\d{1,2})\b")
_PAIR = 2


@graph("gpu.adapter_comes_along", TRUTH)
def adapter_comes_along(card: Subject, ask: Ask) -> bool | None:
    """Is the listed adapter the one bundled with the card? None if not known."""
    bundled = ask.graph.ends("bundled_adapter", card)
    own = ask.graph.ends("adapter", card)
    if not bundled:
        return None
    return {a.name for a in own} <= {a.name for a in bundled}


@graph("psu.cord_end", CODE)
def cord_end(psu: Subject, ask: Ask) -> str | None:
    """The coupler of the mains cord that goes into its inlet: C13 into C14, C19 into C20."""
    found = _COUPLER.search(ask("psu.inlet", psu) or "")
    if not found:
        return None
    number = int(found[1])
    return f"C{number if number % 2 else number - 1}"


@graph("build.counts_on_a_bridge", TRUTH)
def counts_on_a_bridge(build: Subject, ask: Ask) -> bool | None:
    """Would a bridge that is not listed give the copies between cards that the work relies on?

    Cards that copy straight over PCIe need none.
    """
    cards = ask.graph.of("gpu")
    if ask.graph.of("bridge") or len(cards) != _PAIR or not ask("workload.relies_on_peers"):
        return False
    edges = {ask("gpu.nvlink", card) for card in cards}
    if ask("build.cards_copy_directly", build) is not False or None in edges:
        return None if ask("build.cards_copy_directly", build) is None else False
    return len(edges) == 1 and edges != {"none"}
