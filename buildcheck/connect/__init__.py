"""Subjects → graph: which card sits where, on which lanes, fed by which supply.

What the user pinned is kept; the rest is assigned to the best of all arrangements.
The stages below decide nothing about good or bad, they only find where things go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.connect.bridges import joined
from buildcheck.connect.cables import feed
from buildcheck.connect.slots import place
from buildcheck.connect.supplies import share
from buildcheck.model.graph import Edge, Graph

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject
    from buildcheck.resolve import Assembly
    from buildcheck.resolve.pins import Pins


def connect(assembly: Assembly) -> Graph:
    """Put the subjects of a build together."""
    subjects, pins = assembly.subjects, assembly.pins
    edges = [
        *_membership(assembly),
        *place(subjects, pins),
        *(supply := share(subjects, pins.supplies)),
        *feed(subjects, supply),
        *_bridged(subjects, pins),
    ]
    return Graph(subjects, tuple(edges))


def _membership(assembly: Assembly) -> list[Edge]:
    """What belongs to the machine, and what hangs on the wall."""
    edges = []
    subjects = assembly.subjects
    for subject in subjects.values():
        if subject.kind == "gpu":
            edges.append(Edge("cards", "build", subject.id))
            edges += [
                Edge(fact, subject.id, f"adapter:{subject.value(fact)}")
                for fact in ("adapter", "bundled_adapter")
                if subject.value(fact)
            ]
        if subject.kind in ("storage", "allowance"):
            edges.append(Edge("books", "build", subject.id))
        if subject.kind == "module":
            edges.append(Edge("holds", "memory", subject.id))
        if subject.kind == "addin":
            edges.append(Edge("books", "build", subject.id))
        if subject.kind == "psu":
            edges.append(Edge("powered_by", "build", subject.id))
            circuit = assembly.pins.circuits.get(subject.id)
            edges.append(Edge("supplies", "site", subject.id, {"circuit": circuit}))
            if subjects["ups"].listed:
                edges.append(Edge("backs", "ups", subject.id))
    return edges


def _bridged(subjects: dict[str, Subject], pins: Pins) -> list[Edge]:
    """Bridge → the cards it joins."""
    pairs = joined(subjects, pins)
    return [Edge("joins", bridge, card) for bridge, pair in pairs.items() for card in pair]
