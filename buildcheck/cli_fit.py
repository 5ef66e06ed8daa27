"""The command that says whether a model fits the cards of a build."""

from __future__ import annotations

from typing import Any

import click

from buildcheck.cli_frame import Frame, framed
from buildcheck.cli_model import KIND, told
from buildcheck.streams import read_build, shown


@click.command("fit")
@click.argument("build", metavar="BUILD")
@framed(
    KIND,
    told("parameters", "Parameters of the model, such as 7B or 350M."),
    told("precision", "Number format of the weights: fp32, fp16, bf16, int8, int4.", "NAME"),
    told("optimizer", "How weights are updated: adam, adam-8bit, sgd, sgd-momentum.", "NAME"),
    told("batch", "Sequences that a card works on at once."),
    told("context", "Tokens of a sequence, the answer included."),
    told("layers", "Layers of the model; estimated unless given."),
    told("hidden-size", "Width of its layers; estimated unless given."),
    told("heads", "Attention heads of a layer."),
    told("kv-heads", "Heads with keys and values of their own."),
    told("vocabulary", "Entries of its vocabulary."),
    click.option(
        "--checkpointing/--no-checkpointing",
        default=None,
        help="Whether activations are computed again instead of kept.",
    ),
    click.option(
        "--flash-attention/--no-flash-attention",
        default=None,
        help="Whether attention scores are never stored.",
    ),
)
def main(frame: Frame, *, build: str, **said: Any) -> int:
    """Say whether a model fits the cards and the memory of a build, and what would make it fit.

    Memory is a range where the model's shape is estimated. The options have the words of the
    `workload` section of a build file, and stand over it.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build or the
    model cannot be used.
    """
    from buildcheck.fit import fit  # noqa: PLC0415 - keeps --help and --version quick
    from buildcheck.render.fit_text import fit_data, fit_text  # noqa: PLC0415

    found = fit(read_build(build), shown(build), frame.catalog(build), said)
    frame.show(lambda: fit_text(found), lambda: fit_data(found))
    return 0
