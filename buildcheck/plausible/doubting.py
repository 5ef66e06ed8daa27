"""All that is looked at in a part, by its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.plausible.checks import (
    boards,
    cards,
    cases,
    siblings,
    sockets,
    supplies,
    values,
    words,
)
from buildcheck.plausible.look import Look

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog
    from buildcheck.model.part import Part
    from buildcheck.plausible.look import Checks, Doubt

#: Checks of values and words come first, of the kind alone and of parts around it after them.
CHECKS: tuple[Checks, ...] = tuple(
    module.CHECKS for module in (values, words, sockets, boards, cards, siblings, cases, supplies)
)


def doubts(part: Part, catalog: Catalog) -> list[Doubt]:
    """Everything implausible about a part: its own values, and compared with parts around it."""
    look = Look(part, catalog)
    found = (
        d for kind in ("", part.kind) for c in CHECKS for f in c.get(kind, ()) for d in f(look)
    )
    return list(dict.fromkeys(found))
