"""The command that turns a build into steps to walk through, and its power limits into a unit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from buildcheck.cli.build import OUTPUT, check_output, command, form_of, judged, read_files
from buildcheck.cli.frame import Frame, framed
from buildcheck.streams import answer_text, format_option, write_out

if TYPE_CHECKING:
    from pathlib import Path

    from buildcheck.model.finding import Report


#: The formats of the list.
_FORMS = ("text", "markdown", "html", "unit", "script", "json")


@command("checklist")
@click.argument("build", metavar="BUILD")
@framed(OUTPUT, form=format_option(*_FORMS))
def main(frame: Frame, build: str, output: Path | None) -> int:
    """Print what to do for a build, from before the quote to the hand-over.

    Findings, placement and parts decide which steps there are. `html` is a page to tick or print,
    `markdown` a list for an issue, `unit` and `script` set the power limits. The exit code is 0
    whatever was found; `buildcheck validate` checks the build.
    """
    form = form_of(frame.form, output, *_FORMS)
    check_output(output, (build,))
    (report,) = judged((build,), frame.lab, frame.today)
    check_output(output, read_files(report))
    if form in ("text", "json") and output is None:
        from buildcheck.checklist.steps import checklist_answer

        answer = checklist_answer(report)
        replace(frame, form=form).answer("checklist", answer if frame.verbose else answer.brief)
    else:
        write_out(_rendered(report, form, verbose=frame.verbose), output)
    return 0


def _rendered(report: Report, form: str, *, verbose: bool) -> str:
    """The checklist in a format. Raises `NoLimitError` where there is no limit to set."""
    from buildcheck.checklist.power_limits import power_limits
    from buildcheck.checklist.steps import checklist_answer
    from buildcheck.render.documents import render_checklist
    from buildcheck.render.templates import file_text

    if form in ("unit", "script"):
        return file_text(f"power-limit.{form}", limits=power_limits(report))
    answer = checklist_answer(report)
    if form in ("text", "json"):
        answer = answer if verbose or form == "text" else answer.brief
        return answer_text("checklist", answer, form, verbose=verbose or form == "text")
    return render_checklist(answer, form)
