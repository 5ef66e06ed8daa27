"""The entries of GPUs in a build file, and the power limits that are tried for them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.edit import Change
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject


class LimitedEntry(NamedTuple):
    """An entry of GPUs: its number in the file, the GPUs, and their default and lowest limit."""

    number: int
    gpus: tuple[Subject, ...]
    default: float
    lowest: float


def entries_of(report: Report) -> tuple[list[LimitedEntry], list[str]]:
    """The entries of GPUs that can be limited, and the GPUs of which something is not known."""
    facts = report.facts
    found: dict[int, list[Subject]] = {}
    for gpu in report.graph.of("gpu"):
        number = gpu.path[1]
        found.setdefault(number if isinstance(number, int) else 0, []).append(gpu)
    entries, unknown = [], []
    for number, gpus in found.items():
        first = gpus[0]
        default = facts("gpu.board_power", first)
        least = facts("gpu.power_limit_min", first) or facts("gpu.likely_lowest_limit", first)
        if default is None or least is None:
            unknown.append(first.name)
            continue
        # What every GPU of a generic name takes.
        entries.append(LimitedEntry(number, tuple(gpus), default.low, least.high))
    return entries, unknown


def steps_of(entries: list[LimitedEntry]) -> Iterator[tuple[float, dict[int, int]]]:
    """Shares of the default from all of it down, with limits in whole steps for each entry."""
    step = proposals().limit_step
    if not entries:
        return
    apart = step / entries[0].default if len(entries) == 1 else proposals().common_limit_step
    lowest = max(e.lowest / e.default for e in entries)
    yield 1.0, {}
    last: dict[int, int] = {}
    for number in range(1, math.floor((1 - lowest) / apart + 1e-9) + 1):
        share = 1 - number * apart
        watts = {e.number: _whole(e.default * share, e.lowest, step) for e in entries}
        if watts != last:
            yield share, watts
        last = watts


def _whole(watts: float, lowest: float, step: float) -> int:
    """Down to a whole step, but not below what the GPU takes."""
    down = math.floor(watts / step + 1e-9) * step
    return round(down if down >= lowest else math.ceil(lowest / step) * step)


def limit_changes(
    entries: list[LimitedEntry], watts: dict[int, int], data: dict[str, Any]
) -> Iterator[Change]:
    """The changes of a build file that set these limits, or take away what limits there are."""
    for entry in entries:
        given = data["gpus"][entry.number]
        if not watts:
            yield from (
                Change(("gpus", entry.number, key), None)
                for key in ("power_limit", "limit_at_boot")
                if key in given
            )
            continue
        yield Change(("gpus", entry.number, "power_limit"), f"{watts[entry.number]} W")
        if given.get("limit_at_boot") is not True:
            yield Change(("gpus", entry.number, "limit_at_boot"), True)
