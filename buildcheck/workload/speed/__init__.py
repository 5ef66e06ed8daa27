"""How fast GPUs are relative to each other, and for their money.

    speeds = Speeds(catalog, ["gpu/nvidia/rtx-3090", REFERENCE])
    work = Work("training", "16bit", "transformer")           # or inference, 8bit, vision
    speeds.relative("gpu/nvidia/rtx-3090", REFERENCE, work)   # Compared(usual, range), or None
    ranking(speeds, work)                                     # rows, fastest first, with places

An estimate comes with the range that nine of ten such pairs lie in; it is None where the rates of
a GPU are not known. The model and its errors are those of `facts.speed`.
"""

from __future__ import annotations

from buildcheck.facts.speed import Compared, Work
from buildcheck.workload.speed.answer import SpeedAnswer, SpeedEstimate, ValueTerms
from buildcheck.workload.speed.machine import build_speed, report_speed
from buildcheck.workload.speed.ranked import find_gpus, ranking_answer, value_terms
from buildcheck.workload.speed.ranking import (
    REFERENCE,
    Rank,
    SpeedRow,
    Speeds,
    known_chips,
    ranking,
)

__all__ = [
    "REFERENCE",
    "Compared",
    "Rank",
    "SpeedAnswer",
    "SpeedEstimate",
    "SpeedRow",
    "Speeds",
    "ValueTerms",
    "Work",
    "build_speed",
    "find_gpus",
    "known_chips",
    "ranking",
    "ranking_answer",
    "report_speed",
    "value_terms",
]
