"""The commands that write references, rules, schemas, a first build file; and serve editors."""

import importlib
import json
from pathlib import Path
from typing import cast

import click
from click.shell_completion import get_completion_class

from buildcheck.cli.declared import command, with_lab
from buildcheck.cli.options import completing
from buildcheck.cli.settings import Lab
from buildcheck.docs.schemas import ANSWERS, FILES, schema_of
from buildcheck.docs.site import docs_pages
from buildcheck.errors import InputError
from buildcheck.load import load
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.finding import SECTIONS
from buildcheck.model.flow import word
from buildcheck.model.source import read
from buildcheck.model.vocabulary import refused
from buildcheck.render.templates import file_text
from buildcheck.report.rules import rule_answer, rules_answer
from buildcheck.rulebook import load_rulebook
from buildcheck.streams import check_new, show_answer, write_files, write_out

#: What bash does where it takes a word: it quotes one with spaces, and waits behind a slash.
_ADDED_QUOTED = r"""local typed=${COMP_WORDS[COMP_CWORD]}
            [[ $value == *" "* && $typed != [\"\']* ]] && printf -v value %q "$value"
            [[ $value == */ ]] && compopt -o nospace 2> /dev/null
            COMPREPLY+=("$value")
"""
_SCHEMA = "build.schema.json"


@command("docs")
@click.pass_context
def main(context: click.Context, output: Path) -> None:
    """Write the reference as web pages: rules, files, commands and JSON."""
    pages = docs_pages(load_rulebook(), cast("click.Group", context.find_root().command))
    write_out(pages["index.html"], output / "index.html", folders=True)
    write_files({output / name: page for name, page in pages.items()})
    click.echo(f"{len(pages)} pages. Open {output / 'index.html'}", err=True)


@command("schema")
def schema(name: str | None) -> None:
    """Print the JSON Schema of a file, or of what COMMAND prints with `--format json`."""
    click.echo(json.dumps(schema_of(name), indent=1) if name else "\n".join((*FILES, *ANSWERS)))


_SECTIONS: list[click.Parameter] = [
    click.Option(
        [section, f"--{section.replace('_', '-')}"],
        metavar="TEXT",
        help=f"What stands under `{section}:`.",
        shell_complete=completing(f"parts: {kind}" if kind else f"key: {section}"),
    )
    for section, kind in ((s, SECTION_KIND.get(s)) for s in SECTIONS.values())
]


@command("init", sections=_SECTIONS)
def init(output: Path | None, **given: str | None) -> None:
    """Write a build file to begin with, and its JSON Schema, by which editors complete its keys."""
    path = output or Path("build.yaml")
    values = {key: _written(text) for key, text in given.items() if text}
    text = file_text("build-file.yaml", given=values, schema=_SCHEMA, path=path)
    if "gpus" in values and (problems := load(text.encode(), str(path)).problems):
        raise InputError(problems)
    if str(path) == "-":
        write_out(text, path)
        return
    check_new(path)
    schema, schema_path = schema_of("build"), path.with_name(_SCHEMA)
    # One that an older version wrote is written anew, and no file of somebody else's.
    if schema_path.exists() and schema["title"].encode() not in schema_path.read_bytes():
        check_new(schema_path)
    write_files({path: text, schema_path: json.dumps(schema, indent=1) + "\n"})
    first = "" if "gpus" in values else "fill in its lines, then "
    what = f"{path} and {_SCHEMA}, its schema for editors, are written"
    click.echo(f"{what}. Next: {first}buildcheck validate {path}", err=True)


def _written(text: str) -> str:
    """What stands behind a key: keys in braces and lists as they are, else a text."""
    found = read(f"k: {text}\n".encode(), "")
    is_whole = isinstance(found.data, dict) and isinstance(found.data.get("k"), dict | list)
    return text if is_whole and not found.problems else word(text, in_brackets=False)


@command("completion")
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what makes SHELL complete commands, options, ids of rules and of parts."""
    if found := get_completion_class(shell):
        made = found(context.find_root().command, {}, "buildcheck", "_BUILDCHECK_COMPLETE")
        click.echo(made.source().replace("COMPREPLY+=($value)\n", _ADDED_QUOTED))


@command("rules")
@with_lab
def rules(form: str, lab: Lab) -> None:
    """List every rule: its worst severity, its id and its title."""
    show_answer("rules", rules_answer(lab.rulebook()), form)


@command("explain")
@with_lab
def explain(rule_id: str, form: str, lab: Lab) -> None:
    """Explain one rule: what it requires, its limits, why, and how to fix a failure."""
    rules = lab.rulebook().rules
    if not (found := [r for r in rules if rule_id in (r.id, r.id.rpartition("/")[2])]):
        raise refused(rule_id, "no-such-rule", lab.rulebook().near(rule_id))
    show_answer("explain", rule_answer(found[0]), form)


@command("lsp")
@with_lab
def lsp(lab: Lab) -> None:
    """Serve an editor: findings where they are, parts explained, names completed, fixes offered."""
    _serve("lsp", "editor", lab)


@command("mcp")
@with_lab
def mcp(lab: Lab) -> None:
    """Serve an agent that proposes builds: tools validate, repair and search_parts."""
    _serve("mcp", "agent", lab)


def _serve(extra: str, room: str, lab: Lab) -> None:
    """Serve from a room of its own. Raises `InputError` where its library is not installed."""
    try:
        module = importlib.import_module(f"buildcheck.{room}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("buildcheck"):
            raise
        raise refused(extra, "not-served", name=error.name, extra=extra) from None
    module.serve(lab)
