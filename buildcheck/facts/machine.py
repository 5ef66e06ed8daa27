"""Numbers of the parts that the build file lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.facts.registry import TRUTH, Ask, graph

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


def _listed(name: str, kind: str) -> None:
    @graph(name, TRUTH)
    def listed(subject: Subject, ask: Ask) -> bool:
        return any(s.listed for s in ask.graph.of(kind))

    listed.__doc__ = f"Does the build list a {kind}?"


_listed("build.lists_cpu", "cpu")
_listed("build.lists_motherboard", "motherboard")
_listed("build.lists_memory", "memory")
_listed("build.lists_psu", "psu")
_listed("cpu.is_listed", "cpu")
_listed("motherboard.is_listed", "motherboard")
_listed("memory.is_listed", "memory")
