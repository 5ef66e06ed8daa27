"""What others measured of two cards: `rules/throughput.yaml`, read once.

Throughput is compared within a set, which one source measured with one software. Ratios are as
published, with the batch that each card ran with. Estimates are held against them, not made of
them.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck import store
from buildcheck.source import read

if TYPE_CHECKING:
    from buildcheck.facts.speed import Work

_FILE = "throughput"


class Measured(NamedTuple):
    """How many times as fast one card was measured as another, and by whom."""

    ratio: float
    name: str
    title: str
    url: str


def measured(one: str, other: str, work: Work) -> Measured | None:
    """The ratio of two parts at a kind of work, by their ids; None where no set has both."""
    found = _data()
    given = found["works"].get(f"{work.use}-{work.bits}-{work.net}")
    for name in given["sets"] if given and one != other else ():
        rows = [_throughput(found, name, part, given.get("tasks")) for part in (one, other)]
        if None not in rows:
            return Measured(rows[0] / rows[1], **found["sources"][name])
    return None


def _throughput(found: dict[str, Any], name: str, part: str, tasks: list[str] | None) -> Any:
    """The geometric mean over tasks, and over runs of one card; None if it was not measured."""
    logs = []
    for row in found[name]:
        if row["part"] != part:
            continue
        places = [found["tasks"].index(task) for task in tasks or ()]
        logs += [math.log(row["rates"][n]) for n in places] if tasks else [math.log(row["rate"])]
    return math.exp(sum(logs) / len(logs)) if logs else None


@cache
def _data() -> dict[str, Any]:
    path = store.data_folder("rules") / f"{_FILE}.yaml"
    text = path.read_text(encoding="utf-8")
    data: dict[str, Any] = store.cached(
        _FILE, store.key_of(text), lambda: read(text.encode(), str(path)).data
    )
    return data
