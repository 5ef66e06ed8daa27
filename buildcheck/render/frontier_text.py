"""The builds that no other beats, as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.render.drawings.pen import Table
from buildcheck.render.frontier_words import build_words
from buildcheck.render.proof_text import (
    SAY,
    UNITS,
    builds_text,
    excluded_lines,
    measure_words,
    nothing_lines,
    rounded,
)
from buildcheck.render.terminal import columns, joined, wrapped

if TYPE_CHECKING:
    from buildcheck.configure.pareto import Frontier


def value_text(measure: str, point_value: float, currency: str = "") -> str:
    """A measure of a build with its unit."""
    if measure == "price":
        return f"{point_value:.2f} {currency}".rstrip()
    return f"{rounded(point_value)} {UNITS[measure]}"


def frontier_text(frontier: Frontier, name: str) -> str:
    """A frontier as a table with its proof."""
    words = SAY("frontier_and").join(map(measure_words, frontier.measures))
    lines = [SAY("frontier", name=name, measures=words), ""]
    if frontier.points:
        heads = (*map(measure_words, frontier.measures), SAY("frontier_warned"))
        rows = [
            (
                *(value_text(m, point.value(m), frontier.currency) for m in frontier.measures),
                str(len(set(point.proposal.warnings))),
                called,
            )
            for point, called in zip(frontier.points, build_words(frontier), strict=True)
        ]
        table = Table("", (*heads, SAY("frontier_build")), tuple(rows))
        lines += columns(table, left=(len(heads),))
        lines.append("")
        lines += (
            wrapped(SAY("rated", rates=frontier.wish.rates.said)) if frontier.wish.rates else []
        )
    found = len(frontier.points)
    made = builds_text(frontier.candidates)
    if frontier.stopped:
        lines += wrapped(SAY("frontier_stopped", found))
    elif frontier.unmeasured and not frontier.candidates:
        lines += wrapped(SAY("frontier_unmeasured_all"))
    elif not frontier.candidates:
        lines += nothing_lines(frontier.counts, frontier.currency)
    elif found:
        lines += wrapped(SAY("frontier_proof", found, builds=made, scope=SAY("scope")))
    else:
        lines += [SAY("frontier_none", builds=made)]
        lines += excluded_lines(frontier.excluded_by, frontier.unknown_by)
        lines += wrapped(SAY("ask_why"))
    if frontier.unmeasured:
        lines += wrapped(SAY("frontier_unmeasured", frontier.unmeasured))
    return joined(lines)
