"""The commands that write the reference and print JSON Schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import click

from buildcheck.cli.build import command
from buildcheck.streams import path_option, write_files, write_out


@command("docs")
@path_option("-o", "--output", metavar="DIR", required=True, help="The folder to write it to.")
@click.pass_context
def main(context: click.Context, output: Path) -> None:
    """Write the reference as web pages: rules, files, commands and JSON.

    They need no network and no server; open index.html in a browser.
    """
    from buildcheck.docs import docs_pages
    from buildcheck.rulebook import load_rulebook

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
    from buildcheck.docs.schemas import ANSWERS, FILES, schema_of

    found = json.dumps(schema_of(name), indent=2) if name else "\n".join((*FILES, *ANSWERS))
    click.echo(found)
