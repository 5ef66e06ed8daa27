"""The command line: read arguments, call the pipeline, print, return an exit code."""

from __future__ import annotations

from typing import ClassVar

import click

from buildcheck import __version__
from buildcheck.cli.build import EPILOG, Command
from buildcheck.streams import run_to_end

_ELSEWHERE = (
    *("advise", "complete", "configure", "cost", "docs", "fit", "limit", "parts", "repair"),
    *("report", "rules", "speed", "validate", "why"),
)


class _Commands(click.Group):
    """The commands, which lie in modules that are read only when they are used."""

    command_class = Command
    #: By their name, the module and what it is called there, if not `main`.
    elsewhere: ClassVar = {
        **{n: f"buildcheck.cli.{n}" for n in _ELSEWHERE},
        "baseline": "buildcheck.cli.validate:baseline",
        "checklist": "buildcheck.cli.lists:checklist",
        "completion": "buildcheck.cli.docs:completion",
        "diff": "buildcheck.cli.report:diff",
        "explain": "buildcheck.cli.rules:explain",
        "import": "buildcheck.cli.lists:import_list",
        "init": "buildcheck.cli.docs:init",
        "parts-list": "buildcheck.cli.lists:parts_list",
        "scale": "buildcheck.cli.fit:scale",
        "schema": "buildcheck.cli.docs:schema",
        "sensitivity": "buildcheck.cli.why:sensitivity",
    }

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Every command by name."""
        return sorted(self.elsewhere)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command; its module is imported."""
        if cmd_name not in self.elsewhere:
            return None
        import importlib  # for these commands alone

        module, _, name = self.elsewhere[cmd_name].partition(":")
        found: click.Command = getattr(importlib.import_module(module), name or "main")
        return found


@click.group(
    cls=_Commands,
    epilog=EPILOG,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "BUILDCHECK",
    },
)
@click.version_option(__version__, prog_name="buildcheck")
def main() -> None:
    """Check a multi-GPU machine before it is bought."""


def run() -> None:
    """The program."""
    run_to_end(main)
