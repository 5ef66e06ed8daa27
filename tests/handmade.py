"""Subjects and graphs made by hand, for tests of what connects them and what they amount to.

Facts are written as in a build file. Nothing comes from the catalogue, so every number
of a test stands in it.
"""

from dataclasses import replace
from typing import Any

import pytest
from conftest import table

from buildcheck.connect import connect
from buildcheck.logic.quantity import Interval
from buildcheck.measure import Facts, measure
from buildcheck.measure.shapes import MODELS
from buildcheck.model.build import Build
from buildcheck.model.graph import Graph, Subject
from buildcheck.model.part import Source, Sourced
from buildcheck.resolve import Assembly
from buildcheck.resolve.pins import Pins

SOURCE = Source("made up for a test", "", "manual")
#: The subjects of which every build has one, by id.
ALWAYS = table("handmade", "always")
#: The standard's numbers, which most tests need.
STANDARD = table("handmade", "standard")


def subject(subject_id: str, kind: str, /, count: int = 1, **facts: Any) -> Subject:
    """A subject with facts as a build file writes them."""
    read = MODELS[kind].model_validate(facts) if kind in MODELS else None
    sourced = {n: Sourced(getattr(read, n), SOURCE, "manual", "test") for n in facts}
    return Subject(subject_id, kind, subject_id, sourced, count=count)


def of_kind(subject_id: str, of: str, kind: str | None = None, **facts: Any) -> Subject:
    """A subject with a fact called `kind`, if there is one."""
    made = subject(subject_id, of, **facts)
    what = {"kind": Sourced(kind, SOURCE, "manual", "test")} if kind else {}
    return replace(made, facts={**made.facts, **what})


def cards(*facts: dict[str, Any]) -> list[Subject]:
    """Cards in the order of the build file."""
    return [subject(f"gpus[{n}]", "gpu", **f) for n, f in enumerate(facts)]


def supplies(*facts: dict[str, Any]) -> list[Subject]:
    """Supplies in the order of the build file."""
    return [subject(f"psus[{n}]", "psu", **f) for n, f in enumerate(facts)]


def slot(position: int | None, **given: Any) -> dict[str, Any]:
    """A slot of sixteen lanes of the CPU, but for what is given."""
    whole = {"mechanical": 16, "lanes": 16, "gen": 4, "owner": "cpu"}
    return {"label": f"S{position}", "position": position, **whole, **given}


def machine(
    *subjects: Subject,
    slots: dict[str, int | str] | None = None,
    fed_by: dict[str, int] | None = None,
    circuits: dict[str, int] | None = None,
    bridges: dict[str, tuple[str, ...]] | None = None,
) -> Graph:
    """The subjects put together; what every build has and nobody gave is empty."""
    found = {s.id: s for s in subjects}
    for subject_id, kind in ALWAYS.items():
        facts = STANDARD if kind == "standard" else {}
        if subject_id not in found:
            made = subject(subject_id, kind, **facts)
            found[subject_id] = replace(made, listed=kind != "ups")
    return connect(
        Assembly(
            Build.model_construct(),
            found,
            Pins(slots or {}, fed_by or {}, circuits or {}, bridges=bridges or {}),
        )
    )


def facts_of(*subjects: Subject, **pins: Any) -> Facts:
    """The facts of a machine made by hand."""
    return measure(machine(*subjects, **pins))


def ask(facts: Facts, name: str, subject_id: str | None = None) -> Any:
    """A fact of a subject, or of the only one of its kind."""
    return facts(name, facts.graph.subjects[subject_id] if subject_id else None)


def near(value: Interval, low: float, high: float | None = None, rel: float = 1e-4) -> bool:
    """Are both ends the expected ones?"""
    ends = (low, low if high is None else high)
    return (value.low, value.high) == pytest.approx(ends, rel=rel, abs=1e-9)


def seats(graph: Graph) -> dict[str, str]:
    """Label of the slot of each card."""
    return {e.start: e.data["slot"] for e in graph.edges if e.kind == "seated"}


def lanes(graph: Graph) -> dict[str, Interval]:
    """Lanes that each card gets."""
    return {e.start: e.data["lanes"] for e in graph.edges if e.kind == "seated"}


def left_over(graph: Graph) -> Interval:
    """Number of cards without a slot."""
    (edge,) = [e for e in graph.edges if e.kind == "room"]
    return edge.data["left_over"]


def pitches(graph: Graph) -> list[int]:
    """Slots from each card to the next."""
    return [e.data["pitches"] for e in graph.edges if e.kind == "above"]


def fed_by(graph: Graph) -> dict[str, str]:
    """The PSU of each card."""
    return {e.end: e.start for e in graph.edges if e.kind == "feeds"}


def cabled(graph: Graph) -> dict[str, dict[str, Any]]:
    """What is said of the cables of the board, each card and each riser."""
    return {e.end: e.data for e in graph.edges if e.kind in {"board_cabled", "cabled"}}


def unfed(graph: Graph) -> dict[str, Interval]:
    """Sockets without a cable."""
    return {end: data["unfed"] for end, data in cabled(graph).items()}
