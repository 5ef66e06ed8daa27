"""What the report of a build shows."""

# Annotations of answers are read at run time, by pydantic when JSON is made of them.
from buildcheck.cost.answer import CostAnswer
from buildcheck.fit.answer import FitAnswer
from buildcheck.model.frozen import dataclass
from buildcheck.purchasing.answer import PartsListAnswer
from buildcheck.report.answer import BuildAnswer
from buildcheck.scale.answer import ScaleAnswer
from buildcheck.speed.answer import SpeedAnswer


@dataclass(frozen=True)
class ReportAnswer:
    """A build with its findings, parts list, cost, speed, scaling and model sizes."""

    build: BuildAnswer
    parts_list: PartsListAnswer
    cost: CostAnswer
    speed: SpeedAnswer
    scale: ScaleAnswer | None = None
    fit: FitAnswer | None = None
