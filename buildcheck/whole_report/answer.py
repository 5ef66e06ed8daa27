"""Everything that the report of a build shows, calculated before it is rendered."""

from buildcheck.model.finding import Report
from buildcheck.model.frozen import Frozen
from buildcheck.purchasing.answer import PartsListAnswer
from buildcheck.purchasing.cost.answer import CostAnswer, cost_answer
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.report.answer import BuildAnswer
from buildcheck.report.build import build_answer
from buildcheck.workload.fit.answer import FitAnswer, fit_answer
from buildcheck.workload.scale.answer import ScaleAnswer, scale_answer
from buildcheck.workload.speed.answer import SpeedAnswer
from buildcheck.workload.speed.machine import report_speed


class ReportAnswer(Frozen):
    """A build with its findings, parts list, cost, speed, scaling and model sizes."""

    build: BuildAnswer
    parts_list: PartsListAnswer
    cost: CostAnswer
    speed: SpeedAnswer
    scale: ScaleAnswer | None = None
    fit: FitAnswer | None = None


def report_answer(report: Report) -> ReportAnswer:
    """The answer of a judged build."""
    parts = parts_list_answer(report)
    return ReportAnswer(
        build=build_answer(report, verbose=True, in_a_line=("pass", "unknown")),
        parts_list=parts,
        cost=cost_answer(report, parts),
        speed=report_speed(report),
        scale=scale_answer(report),
        fit=fit_answer(report),
    )
