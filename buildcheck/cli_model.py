"""The options that say what model a command is about, by the fields of the `workload` section."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable


def told(name: str, said: str, metavar: str = "N") -> Callable[[Any], Any]:
    """An option with the word of a field of the `workload` section."""
    return click.option(f"--{name}", metavar=metavar, help=said)


KIND = click.option(
    "--for", "kind", type=click.Choice(["training", "inference"]), help="What the model is for."
)
