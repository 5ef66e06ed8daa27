"""What a GPU needs of a PSU, and how it compares with its chip and its siblings."""

from __future__ import annotations

from functools import lru_cache
from statistics import median
from typing import Any

from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.importers.lint.facts import PartFacts
from buildcheck.logic.quantity import ZERO, Interval, ends_text
from buildcheck.model.codec import unpack

Items = list[dict[str, Any]]
#: Fewest GPUs of one maker and chip that another is compared with, and the sizes compared.
_SIBLINGS, _SIZES = 3, ("thickness", "board_power", "length")


def needed_plugs(part: PartFacts) -> Any:
    """What a GPU needs of a PSU: behind the 12-pin, the plugs of the adapter it comes with."""
    plugs = part.of("plugs")
    inputs = part.value("bundled_adapter.inputs") if "nvidia-12-pin" in (plugs or ()) else None
    return plugs if inputs is None else inputs


def chip_ranges(part: PartFacts) -> Items:
    """Each quantity that a GPU states, with what its chip has, and each connector of either."""
    chip, found = part.other("chip"), []
    for field, fact in part.own().items() if chip else ():
        has, may = fact.value, chip and chip.value(field)
        if isinstance(may, Interval):
            found.append((field, has, may, part.text(field, has), part.text(field, may)))
        elif field == "plugs" and may is not None:
            plugs = needed_plugs(part)
            for one in sorted({*plugs, *may}):
                a, b = plugs.get(one, ZERO), may.get(one, ZERO)
                found.append((field, a, b, f"{ends_text(a)} {one}", ends_text(b)))
    # With room for the rounding of decimal values.
    return [
        {"field": n, "has": has, "may": Interval(may.low - 1e-9, may.high + 1e-9), **more}
        for n, has, may, shown, usual in found
        for more in ({"shown": shown, "usual": usual},)
    ]


def sibling_sizes(part: PartFacts) -> Items:
    """How far each size of a GPU is from the nearest of its siblings, and what they have."""
    key = _family(part.catalog, part.part.id, part.of("chip"))
    family = _families(part.catalog).get(key or "", {})
    found = []
    for field, fact in part.own().items():
        others = [v[field] for i, v in family.items() if i != part.part.id and field in v]
        if len(others) >= _SIBLINGS:
            usual = Interval(min(o.low for o in others), max(o.high for o in others))
            near = min(max(fact.value.low - o.high, o.low - fact.value.high) for o in others)
            found.append(
                {
                    "field": field,
                    "apart": near,
                    "median": median((o.low + o.high) / 2 for o in others),
                    "number": len(others),
                    "shown": part.text(field, fact.value),
                    "usual": part.text(field, usual),
                }
            )
    return found


@lru_cache(maxsize=2)
def _families(catalog: Catalog) -> dict[str, dict[str, dict[str, Any]]]:
    """What GPUs state of themselves, by maker and chip and by id.

    Those of open data are left out: too many of their sizes are rounded.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for part_id, row in catalog.index.written("gpu"):
        own = {n: value for n, value, *_ in row.facts[1]} if row.facts else {}
        if key := _family(catalog, part_id, own.get("chip")):
            family = found.setdefault(key, {})
            values = {n: unpack(own[n]) for n in _SIZES if n in own}
            family[part_id] = values | family.get(part_id, {})
    return found


def _family(catalog: Catalog, part_id: str, chip: str | None) -> str | None:
    try:
        return f"{part_id.split('/')[1]} {catalog.find('gpu', chip)}" if chip else None
    except NameUnknownError:
        return None
