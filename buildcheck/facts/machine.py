"""What the build file lists, and how many of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.facts.registry import TRUTH, Ask, graph

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


@graph("build.has_several_cards", TRUTH)
def has_several_cards(build: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Is there more than one card?"""
    return len(ask.graph.of("gpu")) > 1


@graph("build.has_several_supplies", TRUTH)
def has_several_supplies(build: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Is there more than one power supply?"""
    return len(ask.graph.of("psu")) > 1


def _listed(name: str, kind: str) -> None:
    @graph(name, TRUTH)
    def listed(subject: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
        return any(s.listed for s in ask.graph.of(kind))

    listed.__doc__ = f"Does the build list a {kind}?"


_listed("build.lists_cpu", "cpu")
_listed("build.lists_motherboard", "motherboard")
_listed("build.lists_memory", "memory")
_listed("build.lists_supply", "psu")
_listed("cpu.is_listed", "cpu")
_listed("motherboard.is_listed", "motherboard")
_listed("memory.is_listed", "memory")
