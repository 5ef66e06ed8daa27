"""How far a build is from its limits, and what of it may change before its verdict does.

Margins come from the findings themselves; everything else from builds that were changed as
plain data and judged again.
"""

from __future__ import annotations

from buildcheck.configure.sensitivity.answer import (
    LimitNeed,
    MoreGpusAnswer,
    SensitivityAnswer,
    ThresholdAnswer,
)
from buildcheck.configure.sensitivity.headroom import more_gpus
from buildcheck.configure.sensitivity.margins import margins
from buildcheck.configure.sensitivity.power_limits import limit_needs
from buildcheck.configure.sensitivity.thresholds import nearness, thresholds
from buildcheck.configure.stopping import StoppedError
from buildcheck.configure.what_if import WhatIf

__all__ = ["WhatIf", "sensitivity"]


def sensitivity(what_if: WhatIf) -> SensitivityAnswer:
    """What a judged build is sensitive to; where it is stopped, what was found until then."""
    report = what_if.report
    more: list[MoreGpusAnswer] = []
    needs: list[LimitNeed] = []
    found: list[ThresholdAnswer] = []
    stopped = False
    try:
        more.extend(more_gpus(what_if))
        needs.extend(limit_needs(what_if))
        found.extend(thresholds(what_if))
    except StoppedError:
        stopped = True
    return SensitivityAnswer(
        name=" ".join(report.name.split()),
        file=report.document.path,
        verdict=report.verdict,
        gpu=" ".join(report.graph.of("gpu")[0].name.split()),
        fails=tuple(sorted(what_if.base.failed)),
        margins=tuple(margins(report)),
        more_gpus=tuple(more),
        power_limits=tuple(needs),
        thresholds=tuple(sorted(found, key=nearness)),
        stopped=stopped,
    )
