"""The command line: read arguments, call the pipeline, print, return an exit code."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Any, ClassVar

import click

from buildcheck import __version__
from buildcheck.cli_build import TODAY, check_output, judged, read_files
from buildcheck.errors import BuildcheckError, InputError, Problem
from buildcheck.render.terminal import plain
from buildcheck.streams import FORMAT, PARTS, path_option, run_to_end, stop, write_out

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from buildcheck.model.finding import Report
    from buildcheck.rulebook import Rulebook

EXIT_CODES = """
\b
Exit codes:
  0  nothing found at or above the fail level
  1  something found at or above it
  2  could not judge: bad usage, an unreadable file, a broken rule or part file
"""
_LEVELS = ("error", "warning", "note", "never")


class _Commands(click.Group):
    """The commands, of which some lie in modules that are read only when they are used."""

    elsewhere: ClassVar = {
        "parts": "buildcheck.cli_parts",
        "import": "buildcheck.cli_import",
        "parts-list": "buildcheck.cli_bill",
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
            import importlib  # noqa: PLC0415 - for these commands alone

            found: click.Command = importlib.import_module(self.elsewhere[cmd_name]).main
            return found
        return super().get_command(ctx, cmd_name)


@click.group(
    cls=_Commands,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="buildcheck")
def main() -> None:
    """Check a multi-GPU machine before it is bought."""
    # A run lives for a quarter of a second and frees nothing worth looking for;
    # collecting garbage while importing would take a twentieth of it.
    gc.set_threshold(100_000)
    # Plugins of other packages have no business in reading build files, and looking for
    # them takes pydantic as long as reading one.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


@main.command(epilog=EXIT_CODES)
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
@click.option("--verbose", "-v", is_flag=True, help="Print what passed as well.")
@TODAY
@PARTS
def validate(  # noqa: PLR0913 - one per option
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
            from buildcheck.render import to_html  # noqa: PLC0415 - jinja2 is slow to import

            check_output(page, read_files(reports[0]))
            write_out(to_html(reports[0]), page)
    except BuildcheckError as error:
        stop(error, form)
    else:
        _show(reports, form, verbose=verbose)
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


def _show(reports: list[Report], form: str, *, verbose: bool) -> None:
    from buildcheck.render import to_json, to_text  # noqa: PLC0415

    if form == "json":
        click.echo(to_json(reports), nl=False)
        return
    colour = sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    click.echo(
        "\n".join(to_text(r, colour=colour, verbose=verbose) for r in reports),
        nl=False,
        color=colour,
    )


def _exit_code(reports: list[Report], fail_on: str, *, strict: bool) -> int:
    levels = () if fail_on == "never" else _LEVELS[: _LEVELS.index(fail_on) + 1]
    bad = ("fail", "unknown") if strict else ("fail",)
    return int(any(f.verdict in bad and f.severity in levels for r in reports for f in r.findings))


def _rulebook() -> Rulebook:
    from buildcheck.rulebook import load_rulebook  # noqa: PLC0415

    try:
        return load_rulebook()
    except BuildcheckError as error:
        stop(error, "text")
        raise


@main.command(epilog=EXIT_CODES)
@FORMAT
def rules(form: str) -> None:
    """List every rule: its worst severity, its id, what it is about."""
    book = _rulebook()
    if form == "json":
        import json  # noqa: PLC0415

        rows: list[dict[str, Any]] = [
            {
                "id": r.id,
                "title": r.title,
                "applies_to": r.applies_to,
                "severities": [g.severity for g in r.grades],
                "basis": r.basis,
                "require": r.require,
                "when": r.when,
            }
            for r in book.rules
        ]
        click.echo(
            json.dumps({"format_version": "1.0", "digest": book.digest, "rules": rows}, indent=2)
        )
        return
    width = max(len(r.id) for r in book.rules)
    for rule in book.rules:
        click.echo(f"{rule.severity:8} {rule.id:{width}}  {rule.title}")
    click.echo(f"\n{len(book.rules)} rules. 'buildcheck explain RULE' says more of one.")


@main.command(epilog=EXIT_CODES)
@click.argument("rule_id", metavar="RULE")
def explain(rule_id: str) -> None:
    """Explain one rule: what it asks, with which limits, why, and what to do."""
    from buildcheck.render.explain import explanation  # noqa: PLC0415

    book = _rulebook()
    rule = book.get(rule_id) or next(
        (r for r in book.rules if r.id.rpartition("/")[2] == rule_id), None
    )
    if rule is None:
        import difflib  # noqa: PLC0415

        near = difflib.get_close_matches(rule_id, [r.id for r in book.rules], 3, 0.4)
        advice = f"Did you mean {' or '.join(near)}?" if near else "'buildcheck rules' lists them."
        click.echo(plain(f"there is no rule '{rule_id}'. {advice}"), err=True)
        sys.exit(2)
    click.echo(explanation(rule), nl=False)


def run() -> None:
    """The program."""
    run_to_end(main)
