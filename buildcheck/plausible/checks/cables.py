"""Are cables and adapters rated for no more than their plugs?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.plausible.limits import CONNECTOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.plausible.look import Doubt, Look


def adapter(look: Look) -> Iterator[Doubt]:
    """An adapter is rated for no more than the plugs it takes its power from."""
    inputs, rating = look.of("inputs"), look.of("rating")
    if inputs is None or rating is None or set(inputs) - {*CONNECTOR}:
        return
    most = sum(n.high * CONNECTOR[c] for c, n in inputs.items())
    if rating.high > most:
        message = f"{look.text('rating')} is more than its inputs are specified for, {most:g} W"
        yield look.doubt("rating", message)


def cable(look: Look) -> Iterator[Doubt]:
    """A cable is rated for no more than its plugs."""
    heads, rating = look.of("heads"), look.of("rating")
    one = CONNECTOR.get(look.of("connector") or "")
    if None not in (heads, rating, one) and rating.high > heads.high * one:
        message = f"{look.text('rating')} is more than its plugs are specified for"
        yield look.doubt("rating", message)
