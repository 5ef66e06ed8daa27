"""The command line: read arguments, call the pipeline, print, return an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import click

from buildcheck import __version__
from buildcheck.cli.build import EPILOG, Command, lab_options
from buildcheck.errors import InputError, Problem
from buildcheck.streams import FORMAT, run_to_end, show_answer

if TYPE_CHECKING:
    from buildcheck.cli.settings import Lab

_ELSEWHERE = (
    *("advise", "checklist", "complete", "configure", "cost", "docs", "fit", "limit", "parts"),
    *("parts-list", "repair", "report", "scale", "speed", "validate", "why"),
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
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="buildcheck")
def main() -> None:
    """Check a multi-GPU machine before it is bought."""


@main.command(epilog=EPILOG)
@FORMAT
@lab_options
def rules(form: str, lab: Lab) -> None:
    """List every rule: its worst severity, its id and its title."""
    from buildcheck.report.rules import rules_answer

    show_answer("rules", rules_answer(lab.rulebook()), form)


@main.command(epilog=EPILOG)
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
