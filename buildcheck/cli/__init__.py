"""The command line: read arguments, call the pipeline, print, return an exit code."""

from typing import ClassVar

import click

from buildcheck import __version__
from buildcheck.cli.declared import Command, exits, parsed
from buildcheck.streams import EXIT_CODES, run_to_end

#: The commands of each module; one of the module's own name is `main` there.
_MODULES = {
    **{n: n for n in ("complete", "configure", "parts", "validate")},
    "change": "baseline fmt limit repair",
    "docs": "completion docs explain init lsp mcp rules schema",
    "documents": "checklist diff import parts-list report",
    "why": "sensitivity why",
    "workload": "advise cost fit scale speed",
}


class _Commands(click.Group):
    """The commands, which lie in modules that are read only when they are used."""

    command_class = Command
    #: By their name, the module.
    elsewhere: ClassVar = {
        name: f"buildcheck.cli.{module}"
        for module, names in _MODULES.items()
        for name in names.split()
    }

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Every command by name."""
        return sorted(self.elsewhere)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command; its module is imported, unless a shell only completes its words."""
        if cmd_name not in self.elsewhere:
            return None
        if ctx.resilient_parsing and (known := parsed(cmd_name)):
            return known
        import importlib  # for these commands alone

        module = importlib.import_module(self.elsewhere[cmd_name])
        own = {module.__name__.rpartition(".")[2]: "main", "import": "import_list"}
        found: click.Command = getattr(module, own.get(cmd_name, cmd_name.replace("-", "_")))
        return found


@click.group(
    cls=_Commands,
    epilog=exits(EXIT_CODES),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="buildcheck")
def main() -> None:
    """Check a multi-GPU machine before it is bought."""


def run() -> None:
    """The program."""
    run_to_end(main)
