"""Is a card like the others of its maker and chip?"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from buildcheck.catalog import NameUnknownError
from buildcheck.model.codec import unpack
from buildcheck.model.quantity import Interval
from buildcheck.model.values import SLOT_PITCH
from buildcheck.plausible.look import per_catalog
from buildcheck.plausible.twins import written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.plausible.look import Checks, Doubt, Look

#: Fewest siblings for an outlier, and how far it is from all of them: slots apart in mm, or a share
#: of the siblings' median.
SIBLINGS = 3
FAR_OFF: Mapping[str, tuple[float, float]] = {
    "thickness": (1.5 * SLOT_PITCH, 0),
    "board_power": (0, 0.4),
    "length": (0, 0.4),
}
#: What cards say of themselves, by maker and chip and by id.
_Families = dict[str, dict[str, dict[str, Interval]]]


@per_catalog
def _families(catalog: Catalog) -> _Families:
    """Cards by maker and chip, with what they say of themselves.

    Those of open data are left out: too many of their sizes are rounded.
    """
    found: _Families = {}
    for part_id, row in written(catalog, "gpu"):
        own = {n: value for n, value, *_ in row.facts[1]} if row.facts else {}
        key = _family_key(catalog, part_id, own.get("chip"))
        if key is not None:
            family = found.setdefault(key, {})
            values = {n: unpack(own[n]) for n in FAR_OFF if n in own}
            family[part_id] = values | family.get(part_id, {})
    return found


def _family_key(catalog: Catalog, part_id: str, chip: str | None) -> str | None:
    if chip is None:
        return None
    try:
        return f"{part_id.split('/')[1]} {catalog.find('gpu', chip)}"
    except NameUnknownError:
        return None


def siblings(look: Look) -> Iterator[Doubt]:
    """Cards of one maker and chip are alike, as far as that goes."""
    key = _family_key(look.catalog, look.part.id, look.own("chip"))
    if key is None:
        return
    family = {**_families(look.catalog).get(key, {})}
    family.pop(look.part.id, None)
    for field, (apart, share) in FAR_OFF.items():
        value = look.own(field)
        others = [known[field] for known in family.values() if field in known]
        if value is None or len(others) < SIBLINGS:
            continue
        near = apart + share * median((o.low + o.high) / 2 for o in others)
        if all(max(value.low - o.high, o.low - value.high) > near for o in others):
            usual = Interval(min(o.low for o in others), max(o.high for o in others))
            message = (
                f"{look.text(field)} is far from its {len(others)} siblings of the same maker and "
                f"chip, {look.text(field, usual)}"
            )
            yield look.doubt(field, message)


CHECKS: Checks = {"gpu": (siblings,)}
