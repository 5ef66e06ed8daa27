"""The commands that tell whether a model fits the GPUs of a build, and what they do on one job."""

from __future__ import annotations

from typing import Any

import click

from buildcheck.cli.build import build_argument, command
from buildcheck.cli.frame import KIND, Frame, field_option, framed
from buildcheck.streams import read_build, shown

_SHAPE = (
    field_option("layers", "Layers of the model; estimated unless given."),
    field_option("hidden-size", "Width of its layers; estimated unless given."),
)


@command("fit")
@build_argument()
@framed(
    KIND,
    field_option("parameters", "Parameters of the model, such as 7B or 350M."),
    field_option("precision", "Format of the weights: fp32, fp16, bf16, int8, int4.", "NAME"),
    field_option("optimizer", "Optimizer: adam, adam-8bit, sgd, sgd-momentum.", "NAME"),
    click.option(
        "--method",
        type=click.Choice(["full", "lora", "qlora"]),
        help="What is trained: all weights, adapters, or adapters on 4-bit weights.",
    ),
    field_option("lora-rank", "Rank of the adapters  [default: 64]"),
    field_option("batch", "Sequences a GPU works on at once."),
    field_option("context", "Tokens of a sequence, the answer included."),
    *_SHAPE,
    field_option("heads", "Attention heads of a layer."),
    field_option("kv-heads", "Key-value heads of a layer."),
    field_option("vocabulary", "Entries of its vocabulary."),
    click.option(
        "--checkpointing/--no-checkpointing",
        default=None,
        help="Whether activations are recomputed instead of kept.",
    ),
    click.option(
        "--flash-attention/--no-flash-attention",
        default=None,
        help="Whether attention scores are never stored; the default.",
    ),
)
def main(frame: Frame, *, build: str, **options: Any) -> int:
    """Tell whether a model fits the GPUs and the RAM of a build, and what makes it fit.

    A served model that is larger than one GPU is split over all. Memory is a range where the
    shape of the model is estimated. Options replace fields of `workload:` in the build file.
    Without --parameters, there or here, the answer is how large a model fits.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build or the
    model cannot be used.
    """
    from buildcheck.workload.fit import read_fit

    answer = read_fit(read_build(build), shown(build), frame.lab.catalog(build), options)
    frame.answer("fit", answer)
    return 0


@command("scale")
@build_argument()
@framed(
    KIND,
    field_option("parameters", "Parameters of the model, such as 7B or 350M."),
    field_option("precision", "Format of the weights: fp32, fp16, bf16.", "NAME"),
    field_option("step-time", "Time of a training step on one GPU, such as '0.3 s'.", "TIME"),
    field_option("batch", "Sequences a GPU works on at once."),
    field_option("context", "Tokens of a sequence."),
    *_SHAPE,
)
def scale(frame: Frame, *, build: str, **options: Any) -> int:
    """Tell how much faster a job is on all GPUs of a build, and with faster links.

    A measured --step-time narrows the answer. Several machines and the link between them are
    stated under `network:` in the build file.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build or the
    model cannot be used.
    """
    from buildcheck.workload.scale import read_scale

    answer = read_scale(read_build(build), shown(build), frame.lab.catalog(build), options)
    frame.answer("scale", answer)
    return 0
