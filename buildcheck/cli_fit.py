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
    click.option(
        "--method",
        type=click.Choice(["full", "lora", "qlora"]),
        help="What is trained: all weights, adapters, or adapters beside weights of 4 bit.",
    ),
    told("lora-rank", "Rank of the adapters; 64 unless given."),
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
        help="Whether attention scores are never stored; they are not unless told.",
    ),
)
def main(frame: Frame, *, build: str, **said: Any) -> int:
    """Say whether a model fits the cards and the memory of a build, and what would make it fit.

    Memory is a range where the model's shape is estimated. The options have the words of the
    `workload` section of a build file, and stand over it. Without --parameters, in the file or
    here, it says how large a model fits.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build or the
    model cannot be used.
    """
    from buildcheck.bench import KINDS, as_kind, trial  # noqa: PLC0415 - keeps --help quick
    from buildcheck.fit import checked  # noqa: PLC0415
    from buildcheck.render import fit_text as words  # noqa: PLC0415
    from buildcheck.sizes import sizes  # noqa: PLC0415

    path = shown(build)
    tried = trial(read_build(build), path, frame.catalog(build), said, sized=False)
    if "parameters" in tried.settings:
        found = checked(tried, path)
        frame.show(lambda: words.fit_text(found), lambda: words.fit_data(found))
    else:
        kinds = (tried.kind,) if said["kind"] else KINDS
        largest = tuple(sizes(as_kind(tried, kind)) for kind in kinds)
        name = tried.name
        frame.show(lambda: words.sizes_text(name, largest), lambda: words.sizes_data(name, largest))
    return 0
