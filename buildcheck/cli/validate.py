"""`buildcheck validate`: build files against the rulebook, for people and for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from buildcheck.cli.build import (
    EPILOG,
    TODAY,
    check_output,
    command,
    judged,
    lab_options,
    page_of,
    read_files,
)
from buildcheck.errors import InputError, Problem
from buildcheck.model.finding import TROUBLES
from buildcheck.report import validate_answer
from buildcheck.streams import (
    VERBOSE,
    answer_text,
    choice,
    format_option,
    has_colour,
    path_option,
    write_files,
)

if TYPE_CHECKING:
    import datetime
    from collections.abc import Sequence

    from buildcheck.cli.settings import Lab
    from buildcheck.model.finding import Finding, Report, Verdict

_LEVELS = ("error", "warning", "note", "never")
#: Verdicts that count as failing, from the first draft to the order.
_STAGES: dict[str, tuple[Verdict, ...]] = {
    "draft": ("fail",),
    "quote": TROUBLES,
    "order": (*TROUBLES, "not-listed", "likely-pass"),
}
_FORMS = (
    *("text", "concise", "json", "jsonl", "sarif", "junit", "github", "gitlab", "markdown"),
    "html",
)


def _outputs(
    _ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]
) -> dict[Path, str]:
    found: dict[Path, str] = {}
    for one in given:
        form, _, name = one.partition("=")
        if form not in _FORMS or not name:
            what = f"'{one}' is no format with a file, as in sarif=findings.sarif"
            raise click.BadParameter(f"{what}; formats: {', '.join(_FORMS)}")
        if Path(name) in found:
            raise click.BadParameter(f"'{name}' is given twice")
        found[Path(name)] = form
    return found


@command("validate", epilog=EPILOG)
@click.argument("builds", nargs=-1, required=True, metavar="BUILD...")
@format_option(*_FORMS[:-1], default="text")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FMT=FILE",
    callback=_outputs,
    help="Also write this format to a file, as in `-o sarif=findings.sarif -o html=report.html`.",
)
@path_option("--report", "page", help="The same as `-o html=FILE`.")
@choice("Lowest severity that makes the exit code 1.", "--fail-on", among=_LEVELS)
@choice(
    "What may still be likely, open or not listed; at `order` nothing.", "--stage", among=[*_STAGES]
)
@click.option("--strict", is_flag=True, help="Count likely and unknown as failing.")
@click.option("--quiet", "-q", "only", flag_value="quiet", help="Print the verdicts alone.")
@click.option("--statistics", "only", flag_value="statistics", help="Count findings by rule.")
@click.option("--stdin-filename", "stdin", metavar="NAME", help="What `-` is called in findings.")
@VERBOSE
@TODAY
@lab_options
def main(
    builds: tuple[str, ...],
    form: str,
    outputs: dict[Path, str],
    lab: Lab,
    *,
    page: Path | None,
    only: str | None,
    fail_on: str,
    stage: str,
    strict: bool,
    stdin: str | None,
    verbose: bool,
    today: datetime.date,
) -> int:
    """Check build files against the rulebook. `-` reads standard input.

    Findings go to standard output, everything else to standard error.
    """
    outputs |= {page: "html"} if page else {}
    _check(outputs, builds, ())
    reports = judged(builds, lab, today, stdin=stdin or "")
    _check(outputs, builds, [file for report in reports for file in read_files(report)])
    bad = _STAGES["quote" if strict and stage == "draft" else stage]
    stopping = [_stopping(report, fail_on, bad) for report in reports]
    asked = "--strict" if strict else f"--stage {stage}" if stage != "draft" else ""
    judging = _Judged(lab, reports, stopping, asked, verbose)
    write_files({path: judging.text(form) for path, form in outputs.items()})
    click.echo(judging.text(only or form, colour=has_colour()), nl=False, color=has_colour())
    return int(any(stopping))


class _Judged(NamedTuple):
    """Builds that were judged, and what stops them at the stage that was asked for, if any."""

    lab: Lab
    reports: list[Report]
    stopping: list[list[Finding]]
    asked: str
    verbose: bool

    def text(self, form: str, *, colour: bool = False) -> str:
        """All of it in one format."""
        if form == "html":
            return page_of(self.reports[0])
        # What passed is a case for JUnit as well.
        verbose = self.verbose or form == "junit"
        stopping = self.stopping if self.asked else ()
        answer = validate_answer(self.reports, stopping, self.asked, verbose=verbose)
        if form in ("text", "json"):
            return answer_text("validate", answer, form, verbose=verbose, colour=colour)
        from buildcheck.render.documents import render_findings
        from buildcheck.report.rules import rules_answer

        files = (report.document.path for report in self.reports)
        rules = rules_answer(self.lab.rulebook(*files)).rules if form == "sarif" else ()
        return render_findings(answer, form, rules)


def _check(outputs: dict[Path, str], builds: tuple[str, ...], read: Sequence[str]) -> None:
    """Files can be written, none over what was read; a page holds one build.

    Raises `InputError`.
    """
    for path, form in outputs.items():
        if str(path) == "-":
            what, advice = "this needs a file", "Give a name such as report.html"
            raise InputError([Problem(str(path), 0, 0, what, advice)])
        if form == "html" and len(builds) > 1:
            what, advice = "one report holds one build", "Give one build file"
            raise InputError([Problem(str(path), 0, 0, what, advice)])
        check_output(path, (*builds, *read))


def _stopping(report: Report, fail_on: str, bad: tuple[Verdict, ...]) -> list[Finding]:
    """What makes the exit code 1."""
    levels = () if fail_on == "never" else _LEVELS[: _LEVELS.index(fail_on) + 1]
    return [f for f in report.findings if f.verdict in bad and f.severity in levels]
