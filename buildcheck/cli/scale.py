"""The command that tells what several GPUs do on one job."""

from __future__ import annotations

from typing import Any

import click

from buildcheck.cli.build import command
from buildcheck.cli.frame import KIND, Frame, field_option, framed
from buildcheck.streams import read_build, shown


@command("scale")
@click.argument("build", metavar="BUILD")
@framed(
    KIND,
    field_option("parameters", "Parameters of the model, such as 7B or 350M."),
    field_option("precision", "Format of the weights: fp32, fp16, bf16.", "NAME"),
    field_option("step-time", "Time of a training step on one GPU, such as '0.3 s'.", "TIME"),
    field_option("batch", "Sequences a GPU works on at once."),
    field_option("context", "Tokens of a sequence."),
    field_option("layers", "Layers of the model; estimated unless given."),
    field_option("hidden-size", "Width of its layers; estimated unless given."),
)
def main(frame: Frame, *, build: str, **options: Any) -> int:
    """Tell how much faster a job is on all GPUs of a build, and with faster links.

    A measured --step-time narrows the answer. Several machines and the link between them are
    stated under `network:` in the build file.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build or the
    model cannot be used.
    """
    from buildcheck.workload.scale import read_scale

    answer = read_scale(read_build(build), shown(build), frame.catalog(build), options)
    frame.answer("scale", answer)
    return 0
