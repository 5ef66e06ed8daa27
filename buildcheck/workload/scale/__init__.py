"""Several GPUs on one job: step times on a build, with fewer GPUs, and with other links."""

from __future__ import annotations

from buildcheck.workload.scale.answer import ScaleAnswer, read_scale, scale_answer

__all__ = ["ScaleAnswer", "read_scale", "scale_answer"]
