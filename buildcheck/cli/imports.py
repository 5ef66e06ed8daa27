"""The command that turns a list of parts into a build file."""

from __future__ import annotations

from pathlib import Path

import click

from buildcheck.cli.build import command, imported
from buildcheck.cli.settings import Lab
from buildcheck.streams import PARTS, put_out, read_build

_EPILOG = """\b
Exit codes:
  0  written
  1  written, and lines need a choice: they are named on standard error
  2  nothing written: bad usage, no list, or a file that cannot be read or written
"""


@command("import", epilog=_EPILOG)
@click.argument("path", metavar="LIST")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write here, not to the screen."
)
@PARTS
def main(path: str, output: Path | None, folders: tuple[Path, ...]) -> int:
    """Turn a part list of a shop, a forum or PCPartPicker into a build file.

    LIST is Markdown, HTML, BBCode, CSV or plain text; `-` reads standard input. Prices stay, and
    what cannot be read is kept as comments.
    """
    made, wrong = imported(read_build(path), path, Lab(folders).catalog())
    put_out(made, output)
    return int(wrong > 0)
