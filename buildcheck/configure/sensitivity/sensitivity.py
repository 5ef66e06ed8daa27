"""How far a build is from its limits, and what of it may change before its verdict does.

Margins come from the findings themselves; everything else from builds that were changed as
plain data and judged again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.configure.sensitivity.desk import Desk
from buildcheck.configure.sensitivity.frontier import frontier
from buildcheck.configure.sensitivity.margins import margins
from buildcheck.configure.sensitivity.model import Sensitivity
from buildcheck.configure.sensitivity.more import more
from buildcheck.configure.sensitivity.turns import turns

if TYPE_CHECKING:
    import datetime

    from buildcheck.catalog import Catalog
    from buildcheck.model.finding import Report
    from buildcheck.rulebook import Rulebook


def sensitivity(
    report: Report, catalog: Catalog, rulebook: Rulebook, today: datetime.date
) -> Sensitivity:
    """What a judged build is sensitive to."""
    desk = Desk(report, catalog, rulebook, today)
    return Sensitivity(
        name=report.name,
        verdict=report.verdict,
        fails=tuple(sorted(desk.base.failed)),
        margins=tuple(margins(report)),
        more=more(desk),
        card=report.graph.of("gpu")[0].name,
        frontier=tuple(frontier(desk)),
        turns=tuple(turns(desk)),
    )
