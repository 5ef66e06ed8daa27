"""The command line: read arguments, call the pipeline, print, return an exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, ClassVar

import click

from buildcheck import __version__
from buildcheck.cli_build import TODAY, check_output, judged, read_files
from buildcheck.errors import BuildcheckError, InputError, Problem
from buildcheck.streams import (
    EXIT_CODES,
    FORMAT,
    PARTS,
    VERBOSE,
    path_option,
    run_to_end,
    show_answer,
    stop,
    write_out,
)

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from buildcheck.model.finding import Report
    from buildcheck.rulebook import Rulebook

_EPILOG = "\n".join(["\b", "Exit codes:", *(f"  {n}  {w}" for n, w in EXIT_CODES.items())])
_LEVELS = ("error", "warning", "note", "never")


class _Commands(click.Group):
    """The commands, of which some lie in modules that are read only when they are used."""

    elsewhere: ClassVar = {
        "docs": "buildcheck.cli_docs",
        "schema": "buildcheck.cli_docs:schema",
        "parts": "buildcheck.cli_parts",
        "import": "buildcheck.cli_import",
        "parts-list": "buildcheck.cli_parts_list",
        "checklist": "buildcheck.cli_checklist",
        "report": "buildcheck.cli_report",
        "configure": "buildcheck.cli_configure",
        "complete": "buildcheck.cli_complete",
        "repair": "buildcheck.cli_repair",
        "why": "buildcheck.cli_why",
        "sensitivity": "buildcheck.cli_sensitivity",
        "cost": "buildcheck.cli_cost",
        "fit": "buildcheck.cli_fit",
        "scale": "buildcheck.cli_scale",
        "speed": "buildcheck.cli_speed",
        "advise": "buildcheck.cli_advise",
        "limit": "buildcheck.cli_limit",
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command by name."""
        return sorted([*super().list_commands(ctx), *self.elsewhere])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command; its module is imported."""
        if cmd_name in self.elsewhere:
            import importlib  # for these commands alone

            module, _, name = self.elsewhere[cmd_name].partition(":")
            found: click.Command = getattr(importlib.import_module(module), name or "main")
            return found
        return super().get_command(ctx, cmd_name)


@click.group(
    cls=_Commands,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="buildcheck")
def main() -> None:
    """Check a multi-GPU machine before it is bought."""


@main.command(epilog=_EPILOG)
@click.argument("builds", nargs=-1, required=True, metavar="BUILD...")
@FORMAT
@path_option("--report", "page", help="Also write an HTML report to this file.")
@click.option(
    "--fail-on",
    type=click.Choice(_LEVELS),
    default="error",
    show_default=True,
    help="Lowest severity that makes the exit code 1.",
)
@click.option("--strict", is_flag=True, help="Count what could not be judged as failing.")
@VERBOSE
@TODAY
@PARTS
def validate(
    builds: tuple[str, ...],
    form: str,
    page: Path | None,
    fail_on: str,
    folders: tuple[Path, ...],
    *,
    strict: bool,
    verbose: bool,
    today: datetime.date,
) -> None:
    """Check build files against the rulebook. `-` reads standard input.

    Findings go to standard output, everything else to standard error.
    """
    try:
        if page:
            _check_page(page, builds)
        reports = judged(builds, folders, today)
        if page:
            from buildcheck.render.page import to_html
            from buildcheck.whole_report import report_answer

            check_output(page, read_files(reports[0]))
            write_out(to_html(report_answer(reports[0])), page)
    except BuildcheckError as error:
        stop(error, form)
    else:
        from buildcheck.report import validate_answer

        answer = validate_answer(reports, verbose=verbose)
        show_answer("validate", answer, form, verbose=verbose)
        sys.exit(_exit_code(reports, fail_on, strict=strict))


def _check_page(page: Path, builds: tuple[str, ...]) -> None:
    """A page needs a file of its own, and holds one build. Raises `InputError`."""
    if str(page) == "-":
        what, advice = "a report needs a file", "Give a name such as report.html"
        raise InputError([Problem(str(page), 0, 0, what, advice)])
    if len(builds) > 1:
        what, advice = "one report holds one build", "Give one build file with --report"
        raise InputError([Problem(str(page), 0, 0, what, advice)])
    check_output(page, builds)


def _exit_code(reports: list[Report], fail_on: str, *, strict: bool) -> int:
    levels = () if fail_on == "never" else _LEVELS[: _LEVELS.index(fail_on) + 1]
    bad = ("fail", "unknown") if strict else ("fail",)
    return int(any(f.verdict in bad and f.severity in levels for r in reports for f in r.findings))


def _rulebook(form: str) -> Rulebook:
    from buildcheck.rulebook import load_rulebook

    try:
        return load_rulebook()
    except BuildcheckError as error:
        stop(error, form)


@main.command(epilog=_EPILOG)
@FORMAT
def rules(form: str) -> None:
    """List every rule: its worst severity, its id and its title."""
    from buildcheck.report.rules import rules_answer

    show_answer("rules", rules_answer(_rulebook(form)), form)


@main.command(epilog=_EPILOG)
@click.argument("rule_id", metavar="RULE")
@FORMAT
def explain(rule_id: str, form: str) -> None:
    """Explain one rule: what it requires, its limits, why, and how to fix a failure."""
    from buildcheck.report.rules import rule_answer

    book = _rulebook(form)
    rule = book.get(rule_id) or next(
        (r for r in book.rules if r.id.rpartition("/")[2] == rule_id), None
    )
    if rule is None:
        import difflib

        near = difflib.get_close_matches(rule_id, [r.id for r in book.rules], 3, 0.4)
        advice = f"Did you mean {' or '.join(near)}?" if near else "'buildcheck rules' lists them"
        stop(InputError([Problem(rule_id, 0, 0, "there is no such rule", advice)]), form)
    show_answer("explain", rule_answer(rule), form)


def run() -> None:
    """The program."""
    run_to_end(main)
