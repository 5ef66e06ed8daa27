"""Whether the build or a data sheet states something at all, for rules about optional data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.facts.registry import TRUTH, Ask, graph

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


def _states(name: str, *fields: str) -> None:
    """Declare whether all of these fields of a subject are known."""
    kind = name.partition(".")[0]

    @graph(name, TRUTH)
    def states(subject: Subject, ask: Ask) -> bool:
        return all(ask(f"{kind}.{field}", subject) is not None for field in fields)

    states.__doc__ = f"Is the {kind}'s {' and '.join(fields).replace('_', ' ')} stated?"


_states("addin.states_bifurcation", "needs_bifurcation")
_states("addin.states_rate", "rate")
_states("case.states_card_height", "card_height_max")
_states("case.states_expansion_slots", "expansion_slots")
_states("case.states_psu_length", "psu_length_max")
_states("circuit.states_local_outlets", "country", "outlet", "outlets")
_states("gpu.states_height", "height")
_states("gpu.states_thickness", "thickness")
_states("gpu.states_weight", "weight")
_states("motherboard.states_m2_slots", "m2_slots")
_states("motherboard.states_sata_ports", "sata_ports")
