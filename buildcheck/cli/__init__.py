"""The command line: read arguments, call the pipeline, print, return an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import click

from buildcheck import __version__
from buildcheck.cli.build import (
    TODAY,
    Command,
    check_output,
    judged,
    lab_options,
    page_of,
    read_files,
)
from buildcheck.errors import InputError, Problem
from buildcheck.model.finding import TROUBLES
from buildcheck.streams import (
    EXIT_CODES,
    FORMAT,
    VERBOSE,
    choice,
    path_option,
    run_to_end,
    show_answer,
    write_out,
)

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from buildcheck.cli.settings import Lab
    from buildcheck.model.finding import Finding, Report, Verdict

_EPILOG = "\n".join(["\b", "Exit codes:", *(f"  {n}  {w}" for n, w in EXIT_CODES.items())])
_LEVELS = ("error", "warning", "note", "never")
#: Verdicts that count as failing, from the first draft to the order.
_STAGES: dict[str, tuple[Verdict, ...]] = {
    "draft": ("fail",),
    "quote": TROUBLES,
    "order": (*TROUBLES, "not-listed", "likely-pass"),
}


_ELSEWHERE = (
    *("advise", "checklist", "complete", "configure", "cost", "docs", "fit", "limit", "parts"),
    *("parts-list", "repair", "report", "scale", "speed", "why"),
)


class _Commands(click.Group):
    """The commands, of which some lie in modules that are read only when they are used."""

    command_class = Command
    #: By their name, the module and what it is called there, if not `main`.
    elsewhere: ClassVar = {
        **{n: f"buildcheck.cli.{n.replace('-', '_')}" for n in _ELSEWHERE},
        "import": "buildcheck.cli.imports",
        "schema": "buildcheck.cli.docs:schema",
        "sensitivity": "buildcheck.cli.why:sensitivity",
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
@choice("Lowest severity that makes the exit code 1.", "--fail-on", among=_LEVELS)
@choice(
    "What may still be likely, open or not listed; at `order` nothing.", "--stage", among=[*_STAGES]
)
@click.option("--strict", is_flag=True, help="Count likely and unknown as failing.")
@VERBOSE
@TODAY
@lab_options
def validate(
    builds: tuple[str, ...],
    form: str,
    page: Path | None,
    fail_on: str,
    lab: Lab,
    *,
    stage: str,
    strict: bool,
    verbose: bool,
    today: datetime.date,
) -> int:
    """Check build files against the rulebook. `-` reads standard input.

    Findings go to standard output, everything else to standard error.
    """
    if page:
        _check_page(page, builds)
    reports = judged(builds, lab, today)
    if page:
        check_output(page, read_files(reports[0]))
        write_out(page_of(reports[0]), page)
    from buildcheck.report import validate_answer

    bad = _STAGES["quote" if strict and stage == "draft" else stage]
    stopping = [_stopping(report, fail_on, bad) for report in reports]
    asked = "--strict" if strict else f"--stage {stage}" if stage != "draft" else ""
    answer = validate_answer(reports, stopping if asked else (), asked, verbose=verbose)
    show_answer("validate", answer, form, verbose=verbose)
    return int(any(stopping))


def _check_page(page: Path, builds: tuple[str, ...]) -> None:
    """A page needs a file of its own, and holds one build. Raises `InputError`."""
    if str(page) == "-":
        what, advice = "a report needs a file", "Give a name such as report.html"
        raise InputError([Problem(str(page), 0, 0, what, advice)])
    if len(builds) > 1:
        what, advice = "one report holds one build", "Give one build file with --report"
        raise InputError([Problem(str(page), 0, 0, what, advice)])
    check_output(page, builds)


def _stopping(report: Report, fail_on: str, bad: tuple[Verdict, ...]) -> list[Finding]:
    """What makes the exit code 1."""
    levels = () if fail_on == "never" else _LEVELS[: _LEVELS.index(fail_on) + 1]
    return [f for f in report.findings if f.verdict in bad and f.severity in levels]


@main.command(epilog=_EPILOG)
@FORMAT
@lab_options
def rules(form: str, lab: Lab) -> None:
    """List every rule: its worst severity, its id and its title."""
    from buildcheck.report.rules import rules_answer

    show_answer("rules", rules_answer(lab.rulebook()), form)


@main.command(epilog=_EPILOG)
@click.argument("rule_id", metavar="RULE")
@FORMAT
@lab_options
def explain(rule_id: str, form: str, lab: Lab) -> None:
    """Explain one rule: what it requires, its limits, why, and how to fix a failure."""
    from buildcheck.report.rules import rule_answer

    book = lab.rulebook()
    rule = book.get(rule_id) or next(
        (r for r in book.rules if r.id.rpartition("/")[2] == rule_id), None
    )
    if rule is None:
        import difflib

        near = difflib.get_close_matches(rule_id, [r.id for r in book.rules], 3, 0.4)
        advice = f"Did you mean {' or '.join(near)}?" if near else "'buildcheck rules' lists them"
        raise InputError([Problem(rule_id, 0, 0, "there is no such rule", advice)])
    show_answer("explain", rule_answer(rule), form)


def run() -> None:
    """The program."""
    run_to_end(main)
