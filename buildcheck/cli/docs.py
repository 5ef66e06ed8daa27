"""The commands that write references, rules, schemas, a first build file; and serve editors."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any, cast

import click
from click.shell_completion import get_completion_class

from buildcheck.cli.build import EPILOG, command, lab_options
from buildcheck.cli.frame import part_ids, rule_ids
from buildcheck.cli.settings import Lab
from buildcheck.docs import docs_pages
from buildcheck.docs.schemas import ANSWERS, FILES, schema_of
from buildcheck.errors import InputError, Problem
from buildcheck.load import load
from buildcheck.model.finding import SECTIONS
from buildcheck.model.flow import word
from buildcheck.render.templates import file_text
from buildcheck.report.rules import rule_answer, rules_answer
from buildcheck.rulebook import load_rulebook
from buildcheck.streams import FORMAT, check_new, path_option, show_answer, write_files, write_out

_SCHEMA = "build.schema.json"


@command("docs")
@path_option("-o", "--output", metavar="DIR", required=True, help="The folder to write it to.")
@click.pass_context
def main(context: click.Context, output: Path) -> None:
    """Write the reference as web pages: rules, files, commands and JSON.

    They need no network and no server; open index.html in a browser.
    """
    program = cast("click.Group", context.find_root().command)
    pages = docs_pages(load_rulebook(), program)
    write_out(pages["index.html"], output / "index.html", folders=True)
    write_files({output / name: page for name, page in pages.items()})
    click.echo(f"{len(pages)} pages. Open {output / 'index.html'}", err=True)


@command("schema")
@click.argument("name", required=False, metavar="[build|wish|COMMAND]")
def schema(name: str | None) -> None:
    """Print the JSON Schema of a file, or of what COMMAND prints with `--format json`.

    With that of `build`, saved as build.schema.json, editors complete and explain the keys of a
    build file whose first line is `# yaml-language-server: $schema=build.schema.json`. Without a
    name, list what has a schema. `report` is another name of `validate`.
    """
    found = json.dumps(schema_of(name), indent=2) if name else "\n".join((*FILES, *ANSWERS))
    click.echo(found)


def _sections(command: Any) -> Any:
    for section in reversed([*SECTIONS.values()]):
        text = f"What stands under `{section}:`."
        option = click.option(
            f"--{section.replace('_', '-')}", metavar="TEXT", help=text, shell_complete=part_ids
        )
        command = option(command)
    return command


@command("init")
@path_option("-o", "--output", help="The new file; build.yaml unless given, `-` prints it.")
@click.option("--name", metavar="TEXT", help="What the machine is called.")
@_sections
def init(output: Path | None, **given: str | None) -> None:
    """Write a build file to begin with, and its JSON Schema, by which editors complete its keys.

    What is not given is there as a comment, as in `buildcheck init --gpus '4x RTX 3090'`.
    """
    path = output or Path("build.yaml")
    values = {key: word(text, in_brackets=False) for key, text in given.items() if text}
    text = file_text("build-file.yaml", given=values, schema=_SCHEMA, path=path)
    if "gpus" in values and (problems := load(text.encode(), str(path)).problems):
        raise InputError(problems)
    if str(path) == "-":
        write_out(text, path)
        return
    check_new(path)
    schema = json.dumps(schema_of("build"), indent=1) + "\n"
    write_files({path: text, path.with_name(_SCHEMA): schema})
    first = "" if "gpus" in values else "fill in its lines, then "
    what = f"{path} and {_SCHEMA}, its schema for editors, are written"
    click.echo(f"{what}. Next: {first}buildcheck validate {path}", err=True)


@command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what makes SHELL complete commands, options, ids of rules and of parts.

    bash: buildcheck completion bash > ~/.local/share/bash-completion/completions/buildcheck
    """
    found = get_completion_class(shell)
    if found:
        made = found(context.find_root().command, {}, "buildcheck", "_BUILDCHECK_COMPLETE")
        click.echo(made.source())


@command("rules", epilog=EPILOG)
@FORMAT
@lab_options
def rules(form: str, lab: Lab) -> None:
    """List every rule: its worst severity, its id and its title."""
    show_answer("rules", rules_answer(lab.rulebook()), form)


@command("explain", epilog=EPILOG)
@click.argument("rule_id", metavar="RULE", shell_complete=rule_ids)
@FORMAT
@lab_options
def explain(rule_id: str, form: str, lab: Lab) -> None:
    """Explain one rule: what it requires, its limits, why, and how to fix a failure."""
    book = lab.rulebook()
    found = [r for r in book.rules if rule_id in (r.id, r.id.rpartition("/")[2])]
    if not found:
        near = book.near(rule_id)
        advice = "" if near else "'buildcheck rules' lists them"
        raise InputError([Problem(rule_id, 0, 0, "there is no such rule", advice, near)])
    show_answer("explain", rule_answer(found[0]), form)


@command("lsp")
@lab_options
def lsp(lab: Lab) -> None:
    """Serve an editor: findings where they are, parts explained, names completed, fixes offered.

    It speaks the Language Server Protocol over standard input and output, and needs
    `pip install buildcheck[lsp]`. In Neovim: vim.lsp.config("buildcheck", {cmd = {"buildcheck",
    "lsp"}, filetypes = {"yaml"}, root_markers = {".git"}}), then vim.lsp.enable("buildcheck").
    Files that list no GPUs are left alone.
    """
    _serve("lsp", "editor", lab)


@command("mcp")
@lab_options
def mcp(lab: Lab) -> None:
    """Serve an agent that proposes builds: tools validate, repair and search_parts.

    It speaks the Model Context Protocol over standard input and output, and needs
    `pip install buildcheck[mcp]`. Each tool answers with the JSON of the command of its name.
    """
    _serve("mcp", "agent", lab)


def _serve(extra: str, room: str, lab: Lab) -> None:
    """Serve from a room of its own. Raises `InputError` where its library is not installed."""
    try:
        module = importlib.import_module(f"buildcheck.{room}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("buildcheck"):
            raise
        what = f"it is served with {error.name}, which is not installed"
        raise InputError([Problem(extra, 0, 0, what, f"Install buildcheck[{extra}]")]) from None
    module.serve(lab)
