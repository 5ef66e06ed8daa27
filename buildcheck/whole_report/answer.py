"""What the report of a build shows."""

# Annotations of answers are read at run time, by pydantic when JSON is made of them.
from buildcheck.model.frozen import dataclass
from buildcheck.purchasing.answer import PartsListAnswer
from buildcheck.purchasing.cost.answer import CostAnswer
from buildcheck.report.answer import BuildAnswer
from buildcheck.workload.fit.answer import FitAnswer
from buildcheck.workload.scale.answer import ScaleAnswer
from buildcheck.workload.speed.answer import SpeedAnswer


@dataclass(frozen=True)
class ReportAnswer:
    """A build with its findings, parts list, cost, speed, scaling and model sizes."""

    build: BuildAnswer
    parts_list: PartsListAnswer
    cost: CostAnswer
    speed: SpeedAnswer
    scale: ScaleAnswer | None = None
    fit: FitAnswer | None = None
