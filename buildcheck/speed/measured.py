"""Published measurements of two GPUs: `rules/throughput.yaml`, read once.

Throughput is compared within a set, which one source measured with one software. Ratios are as
published, with the batch that each GPU ran. Estimates are tested by them, not made of them.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from buildcheck import store
from buildcheck.source import read
from buildcheck.speed.answer import MeasuredRatio

if TYPE_CHECKING:
    from buildcheck.facts.speed import Work

_FILE = "throughput"


def measured(one: str, other: str, work: Work) -> MeasuredRatio | None:
    """The ratio of two parts at a kind of work, by their ids; None where no set has both."""
    found = _data()
    given = found["works"].get(f"{work.use}-{work.bits}-{work.net}")
    for name in given["sets"] if given and one != other else ():
        rows = [_throughput(found, name, part, given.get("tasks")) for part in (one, other)]
        if None not in rows:
            ratio = float(f"{rows[0] / rows[1]:.3g}")
            return MeasuredRatio(ratio, **found["sources"][name])
    return None


def _throughput(found: dict[str, Any], name: str, part: str, tasks: list[str] | None) -> Any:
    """The geometric mean over tasks, and over runs of one GPU; None if it was not measured."""
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
