"""Options for fields of a build file, and what a model is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable


def field_option(name: str, text: str, metavar: str = "N") -> Callable[[Any], Any]:
    """An option with the name of a field of the build file."""
    return click.option(f"--{name}", metavar=metavar, help=text)


KIND = click.option(
    "--for", "kind", type=click.Choice(["training", "inference"]), help="What the model is for."
)
