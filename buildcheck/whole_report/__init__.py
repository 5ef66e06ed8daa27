"""Everything that the report of a build shows, calculated before it is rendered."""

from __future__ import annotations

from buildcheck.model.finding import Report
from buildcheck.purchasing.cost import cost_answer
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.report.build import build_answer
from buildcheck.whole_report.answer import ReportAnswer
from buildcheck.workload.fit.answer import fit_answer
from buildcheck.workload.scale.answer import scale_answer
from buildcheck.workload.speed.machine import report_speed


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
