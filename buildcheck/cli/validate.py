"""`buildcheck validate`: build files against the rulebook, for people and for other programs."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from buildcheck.cli.build import (
    EPILOG,
    TODAY,
    build_argument,
    check_output,
    command,
    day,
    judged,
    lab_options,
    page_of,
    read_files,
)
from buildcheck.cli.frame import rule_options
from buildcheck.cli.search import check_outputs
from buildcheck.errors import BuildcheckError, InputError, Problem
from buildcheck.model.finding import TROUBLES
from buildcheck.render.terminal import plain
from buildcheck.report import validate_answer
from buildcheck.streams import (
    VERBOSE,
    answer_text,
    choice,
    error_text,
    format_option,
    has_colour,
    path_option,
    read_build,
    shown,
    write_files,
    write_out,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from buildcheck.cli.settings import Lab
    from buildcheck.model.finding import Finding, Report, Verdict
    from buildcheck.rulebook import Selection

_YEAR = datetime.timedelta(days=365)
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


_FAIL_ON = choice("Lowest severity that makes the exit code 1.", "--fail-on", among=_LEVELS)
_STAGE = choice(
    "What may still be likely, open or not listed; at `order` nothing.", "--stage", among=[*_STAGES]
)


@command("validate", epilog=EPILOG)
@build_argument("builds", "BUILD...", nargs=-1, required=True)
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
@_FAIL_ON
@_STAGE
@click.option("--strict", is_flag=True, help="Count likely and unknown as failing.")
@click.option("--quiet", "-q", "only", flag_value="quiet", help="Print the verdicts alone.")
@click.option("--statistics", "only", flag_value="statistics", help="Count findings by rule.")
@click.option("--show-settings", is_flag=True, help="Print what applies to these files, and stop.")
@click.option("--stdin-filename", "stdin", metavar="NAME", help="What `-` is called in findings.")
@VERBOSE
@TODAY
@rule_options
@lab_options
def main(
    builds: tuple[str, ...],
    form: str,
    outputs: dict[Path, str],
    lab: Lab,
    chosen: Selection,
    *,
    page: Path | None,
    only: str | None,
    show_settings: bool,
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
    if show_settings:
        click.echo(_settings(builds, lab, chosen), nl=False)
        return 0
    try:
        reports = judged(builds, lab, today, stdin=stdin or "", chosen=chosen)
    except BuildcheckError as error:
        write_files({p: text for p, f in outputs.items() if (text := error_text(error, f))})
        raise
    _check(outputs, builds, [file for report in reports for file in read_files(report)])
    bad = _STAGES["quote" if strict and stage == "draft" else stage]
    stopping = [_stopping(report, fail_on, bad) for report in reports]
    asked = "--strict" if strict else f"--stage {stage}" if stage != "draft" else ""
    judging = _Judged(lab, reports, stopping, asked, verbose)
    write_files({path: judging.text(form) for path, form in outputs.items()})
    click.echo(judging.text(only or form, colour=has_colour()), nl=False, color=has_colour())
    return int(any(stopping))


@command("baseline")
@build_argument()
@click.option("--because", required=True, metavar="TEXT", help="Why it is accepted.")
@click.option("--by", metavar="NAME", help="Who accepts it.")
@click.option("--until", metavar="DATE", help="Last day; a year from now unless given.")
@path_option("-o", "--output", help="Write to this file, and leave the build file alone.")
@_FAIL_ON
@_STAGE
@TODAY
@rule_options
@lab_options
def baseline(
    build: str,
    *,
    because: str,
    by: str | None,
    until: str | None,
    output: Path | None,
    fail_on: str,
    stage: str,
    today: datetime.date,
    chosen: Selection,
    lab: Lab,
) -> None:
    """Accept what is wrong with a machine that exists: write waivers into its build file.

    They cover what fails, likely fails or is open with the same --fail-on and --stage; what is
    not listed or only likely passes no waiver covers. From then on `validate` fails for what is
    new, and for all of it when they end.
    """
    from buildcheck.edit import accepted, edit

    check_output(output, (build,))
    raw = read_build(build)
    report = lab.judging(today, build, chosen=chosen).check(raw, shown(build))
    bad = tuple(v for v in _STAGES[stage] if v in TROUBLES)
    found = _stopping(report, fail_on, bad)
    last = day(click.get_current_context(), None, until) if until else today + _YEAR
    words = {"because": because, "until": last.isoformat(), **({"by": by} if by else {})}
    if last < today:
        raise InputError([Problem("--until", 0, 0, f"{last} is past", "Give a later day")])
    # What is wrong with a waiver no other covers.
    changes = accepted(report, (f for f in found if f.rule.applies_to != "waiver"), words)
    if not changes:
        click.echo("There is nothing to accept: nothing is written.", err=True)
        return
    to = output or Path(build)
    write_out(edit(raw, build, changes), to, read=None if output else raw)
    many = f"{len(changes)} waiver{'s' * (len(changes) != 1)}"
    where = "standard output" if str(to) == "-" else plain(str(to))
    click.echo(f"{many} until {last} written to {where}.", err=True)


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
        return render_findings(answer, form, rules, self.reports[0].left_out)


def _settings(builds: tuple[str, ...], lab: Lab, chosen: Selection) -> str:
    """What applies to build files, as a file with settings has it. Raises `InputError`."""
    from buildcheck.render.templates import file_text

    settings = lab.settings(builds)
    return file_text(
        "validate/settings",
        path=settings.path,
        folders={key: lab.folders(key, *builds) for key in ("parts", "rules")},
        selections=(settings.selection, chosen),
        book=lab.rulebook(*builds).selected(settings.selection, chosen),
    )


def _check(outputs: dict[Path, str], builds: tuple[str, ...], read: Sequence[str]) -> None:
    """Files can be written, none over what was read; a page holds one build.

    Raises `InputError`.
    """
    for path, form in outputs.items():
        if form == "html" and len(builds) > 1:
            what, advice = "one report holds one build", "Give one build file"
            raise InputError([Problem(str(path), 0, 0, what, advice)])
    check_outputs({f"-o {form}={path}": path for path, form in outputs.items()}, (*builds, *read))


def _stopping(report: Report, fail_on: str, bad: tuple[Verdict, ...]) -> list[Finding]:
    """What makes the exit code 1."""
    levels = () if fail_on == "never" else _LEVELS[: _LEVELS.index(fail_on) + 1]
    return [f for f in report.findings if f.verdict in bad and f.severity in levels]
