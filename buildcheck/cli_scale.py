"""The command that says what several cards bring on one job."""

from __future__ import annotations

from typing import Any

import click

from buildcheck.cli_frame import Frame, framed
from buildcheck.cli_model import KIND, told
from buildcheck.streams import read_build, shown


@click.command("scale")
@click.argument("build", metavar="BUILD")
@framed(
    KIND,
    told("parameters", "Parameters of the model, such as 7B or 350M."),
    told("precision", "Number format of the weights: fp32, fp16, bf16.", "NAME"),
    told("step-time", "Time of a training step on one card alone, such as '0.3 s'.", "TIME"),
    told("batch", "Sequences that a card works on at once."),
    told("context", "Tokens of a sequence."),
    told("layers", "Layers of the model; estimated unless given."),
    told("hidden-size", "Width of its layers; estimated unless given."),
)
def main(frame: Frame, *, build: str, **said: Any) -> int:
    """Say how long the cards of a build exchange data, and what faster links would bring.

    With --step-time it says how much more all cards do than one. Several machines and the link
    between them stand under `network:` in the build file.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build or the
    model cannot be used.
    """
    from buildcheck.render.scale_text import scale_data, scale_text  # noqa: PLC0415
    from buildcheck.scale import scale  # noqa: PLC0415 - keeps --help and --version quick

    found = scale(read_build(build), shown(build), frame.catalog(build), said)
    frame.show(lambda: scale_text(found), lambda: scale_data(found))
    return 0
