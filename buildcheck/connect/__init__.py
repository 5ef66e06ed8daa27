"""Subjects → graph: which card sits where, on which lanes, fed by which supply.

What the user pinned is kept; the rest is assigned to the best of all arrangements.
The stages below decide nothing about good or bad, they only find where things go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.connect.cables import feed, feed_board
from buildcheck.connect.outputs import BOARD_PLUGS
from buildcheck.connect.slots import joined, place, plug, room
from buildcheck.connect.supplies import share
from buildcheck.model.graph import Edge, Graph, Subject, by_facts, is_apart

if TYPE_CHECKING:
    from buildcheck.resolve import Assembly
    from buildcheck.resolve.pins import Pins

#: What each stage made, with what it read for it.
Made = dict[str, list[tuple[list[Any], list[Edge]]]]


class Stage(NamedTuple):
    """One step of putting a machine together.

    `kinds` are the edges it makes, `after` those it needs, and `roles` the sections of a build
    file of which it reads how many things there are. `seats` is the section of those that it
    gives the best of several places: with others another arrangement may be best, so that what
    it finds for things of which only a range is known says nothing of each of them.
    """

    kinds: tuple[str, ...]
    roles: tuple[str, ...]
    after: tuple[str, ...]
    make: Callable[[Assembly, list[Edge]], list[Edge]]
    seats: str = ""


_BOOKED = ("storage", "allowance", "addin")
_PLACE = ("seated", "above", "placed")
_SHARE = ("runs", "feeds", "powers", "stocks")
_CARDS = ("gpus", "storage")
_FED = ("gpus", "psus")
#: Every stage by name, in the order in which they are made.
STAGES: dict[str, Stage] = {
    "cards": Stage(("cards", "adapter", "bundled_adapter"), ("gpus",), (), lambda a, _: _cards(a)),
    # What draws power and is booked for the machine; the modules that make its memory.
    "books": Stage(("books",), ("storage",), (), lambda a, _: _each(a, "build", "books", *_BOOKED)),
    "holds": Stage(("holds",), ("memory",), (), lambda a, _: _each(a, "memory", "holds", "module")),
    "supplies": Stage(
        ("powered_by", "supplies", "backs"), ("psus",), (), lambda a, _: _supplies(a)
    ),
    "room": Stage(("room",), ("gpus",), (), lambda a, _: room(inside(a), a.pins)),
    "place": Stage(_PLACE, _CARDS, ("room",), lambda a, e: place(inside(a), a.pins, e), "gpus"),
    "plug": Stage(("plugged",), _CARDS, _PLACE[:1], lambda a, e: plug(a.subjects, a.pins, e)),
    "share": Stage(_SHARE, _FED, (), lambda a, _: share(inside(a, "power"), a.pins)),
    "feed board": Stage(("board_cabled",), _FED, _SHARE, lambda a, e: feed_board(a.subjects, e)),
    "feed": Stage(("cabled", "slot_fed"), _FED, _SHARE, lambda a, e: feed(inside(a), e, a.pins)),
    "bridge": Stage(("joins",), ("gpus",), (), lambda a, _: _bridges(a)),
}
#: The stage that makes edges of a kind.
STAGE_OF = {kind: name for name, stage in STAGES.items() for kind in stage.kinds}
_BOARD = "slots lane_modes m2_slots switches openings"
_LANES = {
    "cpu": "pcie_lanes lanes_two_sockets graphics_lanes",
    "storage": "form protocol",
    "standard": "lane_rate split_least slot_pitch slot_clearance slot_tolerance bracket_slots",
    "motherboard": _BOARD,
}
_PLUGS = {"gpu": "plugs adapter bundled_adapter", "psu": "plugs cables sixteen_pin_sockets"}
_FEEDING = {
    **_PLUGS,
    "motherboard": "plugs slot_power_plugs adapter bundled_adapter",
    "riser": "feed chained",
    "cable": "connector heads",
    "connector": "fits",
    "adapter": "inputs output",
}
_LINK = "thickness pcie_lanes pcie_gen riser vertical cooling"
#: Of GPUs that are all alike none is hotter.
_HEAT = "~board_power"
_SEATS = {
    **_LANES,
    "gpu": f"{_LINK} nvlink {_HEAT}",
    "addin": f"{_LINK} edge board_power",
    "riser": "kind lanes cards",
    "case": "kind expansion_slots",
    "bridge": "spacing",
    "workload": "useful_rate",
}
#: The fields that each stage looks at, by kind of subject: no other fact changes what it makes,
#: but for the order of cards that are alike.
READS: dict[str, dict[str, str]] = {
    "cards": {"gpu": _PLUGS["gpu"]},
    "books": {},
    "holds": {},
    "supplies": {},
    "room": _SEATS,
    "place": _SEATS,
    "plug": _LANES,
    "share": {
        "gpu": f"{_PLUGS['gpu']} board_power power_limit riser slot_draw",
        "psu": "plugs rated_power shares_output",
        "cpu": "base_power",
        "motherboard": "typical_power plugs",
        "riser": "feed kind",
        "standard": "slot_power_12v",
    },
    "feed board": _FEEDING,
    "feed": _FEEDING,
    "bridge": {"gpu": "nvlink"},
}


def placed(graph: Graph, pins: Pins) -> Pins:
    """Pins that put every card where it is in a graph."""
    seats = {e.start: e.data["slot"] for e in graph.edges if e.kind == "seated"}
    return replace(pins, slots={**seats, **pins.slots}, stated=frozenset(pins.slots))


def settled(graph: Graph, pins: Pins) -> Pins:
    """Pins that power everything as in a graph, and leave open what nothing states."""
    supplies = {psu.id: number for number, psu in enumerate(graph.of("psu"), 1)}
    edges = [e for e in graph.edges if e.kind in ("feeds", "stocks")]
    fed = {e.end: supplies[e.start] for e in edges}
    shared = frozenset(e.end for e in edges if e.kind == "feeds" and len(supplies) > 1)
    shared -= {*pins.supplies}
    return replace(pins, supplies={**fed, **pins.supplies}, is_certain=True, shared=shared)


class Connected(Graph):
    """The subjects of a build put together; edges are found when first asked for, by stages."""

    assembly: Assembly
    known: Made | None
    #: What each stage made so far.
    made: dict[str, list[Edge]]

    def __init__(self, assembly: Assembly, known: Made | None = None) -> None:
        super().__init__(assembly.subjects)
        vars(self).update(assembly=assembly, made={}, known=known)
        del vars(self)["edges"]

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All edges, in the order of the stages."""
        return tuple(edge for name in STAGES for edge in self._stage(name))

    def _find(self, kind: str) -> None:
        self._stage(STAGE_OF[kind])

    def _stage(self, name: str) -> list[Edge]:
        """The edges that a stage makes, or has made of the same."""
        if name not in self.made:
            stage = STAGES[name]
            before = self._before(stage)
            known, read = (
                ([], [])
                if self.known is None
                else (self.known.setdefault(name, []), _read(name, self, before))
            )
            found = next((edges for then, edges in known if then == read), None)
            if found is None:
                found = stage.make(self.assembly, before)
                known.append((read, found))
            self.made[name] = found
            self._add(found)
        return self.made[name]

    def _before(self, stage: Stage) -> list[Edge]:
        """The edges that a stage needs."""
        for kind in stage.after:
            self._find(kind)
        names = dict.fromkeys(map(STAGE_OF.__getitem__, stage.after))
        return [e for name in names for e in self.made[name] if e.kind in stage.after]


def connect(assembly: Assembly, made: Made | None = None) -> Graph:
    """Put the subjects of a build together.

    `made` keeps what each stage made of the same parts with the same pins but other facts: it is
    made again only for what the stage reads.
    """
    return Connected(assembly, made)


def _read(name: str, graph: Graph, edges: list[Edge]) -> list[Any]:
    """What a stage reads: edges made before, and the order and fields of subjects."""
    found: list[Any] = [edges]
    idle = _idle(graph) if READS[name] is _FEEDING else ()
    for kind, fields in READS[name].items():
        ones = by_facts(graph.of(kind))
        found.append([one.id for one in ones])
        alike = all(one.facts is ones[0].facts for one in ones)
        names = fields.replace(_HEAT, "" if alike else _HEAT[1:])
        for one in ones[:1] if alike else ones:
            values = [one.value(field) for field in names.split()]
            # What is first in a list of plugs is fed first.
            found.append(
                [
                    [i for i in v.items() if i[0] not in idle] if isinstance(v, dict) else v
                    for v in values
                ]
            )
    return found


def _idle(graph: Graph) -> set[str]:
    """The plugs of PSUs that nothing in the machine takes, directly or as they fit its sockets."""
    fed = [s for kind in ("gpu", "motherboard", "adapter") for s in graph.of(kind)]
    lists = [s.value(name) for s in fed for name in ("plugs", "slot_power_plugs", "inputs")]
    taken = {plug for plugs in lists for plug in plugs or ()}
    taken |= {*BOARD_PLUGS, *(riser.value("feed") for riser in graph.of("riser"))}
    fits = ((one.name, one.value("fits") or ()) for one in graph.of("connector"))
    taken |= {name for name, sockets in fits if not taken.isdisjoint(sockets)}
    return {plug for psu in graph.of("psu") for plug in psu.value("plugs") or ()} - taken


def _cards(assembly: Assembly) -> list[Edge]:
    """The cards of the machine, and the adapters that are used on them or come with them."""
    edges = []
    for subject in _of(assembly, "gpu"):
        edges.append(Edge("cards", "build", subject.id))
        edges += [
            Edge(fact, subject.id, f"adapter:{subject.value(fact)}")
            for fact in ("adapter", "bundled_adapter")
            if subject.value(fact)
        ]
    return edges


def _each(assembly: Assembly, start: str, edge: str, *kinds: str) -> list[Edge]:
    """An edge to each subject of some kinds, from what it is part of."""
    return [Edge(edge, start, s.id) for s in _of(assembly, *kinds)]


def _supplies(assembly: Assembly) -> list[Edge]:
    """The PSUs, the circuit each is connected to, and the UPS in front of all."""
    edges = []
    for psu in _of(assembly, "psu"):
        edges.append(Edge("powered_by", "build", psu.id))
        circuit = assembly.pins.circuits.get(psu.id)
        edges.append(Edge("supplies", "site", psu.id, {"circuit": circuit}))
        if assembly.subjects["ups"].listed:
            edges.append(Edge("backs", "ups", psu.id))
    return edges


def _bridges(assembly: Assembly) -> list[Edge]:
    """The cards that each NVLink bridge joins."""
    pairs = joined(assembly.subjects, assembly.pins).items()
    return [Edge("joins", bridge, card) for bridge, pair in pairs for card in pair]


def inside(assembly: Assembly, area: str = "space") -> dict[str, Subject]:
    """The subjects without the GPUs that an area of rules says nothing of."""
    return {key: s for key, s in assembly.subjects.items() if not is_apart(s, area)}


def _of(assembly: Assembly, *kinds: str) -> list[Subject]:
    return [s for s in assembly.subjects.values() if s.kind in kinds]
