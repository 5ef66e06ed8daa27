"""Subjects and graphs made by hand, for tests of what connects them and what they amount to.

Facts are written as in a build file. Nothing comes from the catalogue, so every number
of a test stands in it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from buildcheck.connect import connect
from buildcheck.measure import MODELS, Facts, measure
from buildcheck.model.build import Build
from buildcheck.model.graph import Graph, Subject
from buildcheck.model.part import Source, Sourced
from buildcheck.resolve import Assembly
from buildcheck.resolve.pins import Pins

SOURCE = Source("made up for a test", "", "assumption")
#: The subjects of which every build has one, by id.
ALWAYS = {
    "build": "build",
    "cpu": "cpu",
    "motherboard": "motherboard",
    "memory": "memory",
    "case": "case",
    "cpu_cooler": "cooler",
    "site": "circuit",
    "workload": "workload",
    "network": "network",
    "cost": "cost",
    "cooling": "cooling",
    "firmware": "firmware",
    "ups": "ups",
    "standard": "standard",
}
#: The standard's numbers, which most tests need.
STANDARD = {
    "slot_power": "75 W",
    "slot_pitch": "20.32 mm",
    "slot_clearance": "1.6 mm",
    "slot_tolerance": "3.6 mm",
    "power_factor": 0.98,
    "low_line_max": "127 V",
    "lane_rate": [[3, 0.9846], [4, 1.969]],
}


def subject(subject_id: str, kind: str, count: int = 1, **facts: Any) -> Subject:
    """A subject with facts as a build file writes them."""
    read = MODELS[kind].model_validate(facts) if kind in MODELS else None
    sourced = {n: Sourced(getattr(read, n), SOURCE, "assumption", "test") for n in facts}
    return Subject(subject_id, kind, subject_id, sourced, count=count)


def cards(*facts: dict[str, Any]) -> list[Subject]:
    """Cards in the order of the build file."""
    return [subject(f"gpus[{n}]", "gpu", **f) for n, f in enumerate(facts)]


def supplies(*facts: dict[str, Any]) -> list[Subject]:
    """Supplies in the order of the build file."""
    return [subject(f"psus[{n}]", "psu", **f) for n, f in enumerate(facts)]


def machine(
    *subjects: Subject,
    slots: dict[str, int | str] | None = None,
    fed_by: dict[str, int] | None = None,
    bridges: dict[str, tuple[str, ...]] | None = None,
) -> Graph:
    """The subjects put together; what every build has and nobody gave is empty."""
    found = {s.id: s for s in subjects}
    for subject_id, kind in ALWAYS.items():
        facts = STANDARD if kind == "standard" else {}
        if subject_id not in found:
            made = subject(subject_id, kind, **facts)
            found[subject_id] = replace(made, listed=kind != "ups")
    return connect(Assembly(Build(), found, Pins(slots or {}, fed_by or {}, bridges=bridges or {})))


def facts_of(*subjects: Subject, **pins: Any) -> Facts:
    """The facts of a machine made by hand."""
    return measure(machine(*subjects, **pins))
