"""How much memory a use needs: what each year said of it, and what decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from buildcheck.facts.choice import decisive
from buildcheck.guide import guide

if TYPE_CHECKING:
    from buildcheck.advise.asked import Asked
    from buildcheck.model.advice import AdviceSource, MemorySaid, Named
    from buildcheck.model.quantity import Interval


@dataclass(frozen=True)
class Need:
    """Memory of one card in GB: what is reckoned with, and the statements behind it, oldest first.

    `by` is `told` where the asker gave it, the year of the statement that decides, or empty where
    nothing is asked for.
    """

    memory: Interval | None
    by: str
    said: tuple[tuple[AdviceSource, MemorySaid], ...]


def need(told: Asked) -> Need:
    """What the asker gives, else what the latest statement on the use asks for."""
    said = statements(told.use) if told.use else ()
    if told.memory:
        return Need(told.memory, "told", said)
    if not said:
        return Need(None, "", ())
    found = decisive((source.year, one.least) for source, one in said)
    return Need(found, str(max(source.year for source, _ in said)), said)


def statements(use: str) -> tuple[tuple[AdviceSource, MemorySaid], ...]:
    """What each source says of a use, oldest first."""
    sources = guide().sources
    found = [(sources[one.source], one) for one in guide().uses[use].memory]
    return tuple(sorted(found, key=lambda pair: pair[0].year))


def named(use: str | None) -> tuple[tuple[AdviceSource, Named], ...]:
    """Cards that were named for a use, or in general where none is given, oldest first."""
    sources = guide().sources
    found = [
        (sources[one.source], one)
        for one in guide().named
        if (use in one.uses if use else not one.uses)
    ]
    return tuple(sorted(found, key=lambda pair: pair[0].year))
