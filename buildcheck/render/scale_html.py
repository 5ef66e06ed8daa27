"""What several cards bring, for the section of a build's report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.bench import trial_of, unusable
from buildcheck.render.drawings.scaling import scaling_drawing
from buildcheck.render.scale_text import (
    SCALE,
    no_bridge,
    no_variants,
    ratio,
    remarks,
    steps_text,
    told,
    variant_table,
)
from buildcheck.scale import scaled

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.scale import Scale

_PAIR = 2


def scale_words(report: Report) -> dict[str, Any] | None:
    """What the template of the section asks for; None where nothing is shared or could be."""
    tried = trial_of(report)
    if tried is None or len(report.graph.of("gpu")) < _PAIR or any(unusable(tried)):
        return None
    found = scaled(tried)
    return {
        "told": told(found),
        "figure": _figure(found),
        "drawing": scaling_drawing(found),
        "variants": variant_table(found),
        "none": no_variants(found),
        "no_bridge": no_bridge(found),
        "remarks": remarks(found),
    }


def _figure(found: Scale) -> tuple[str, str] | None:
    """What all cards of a machine bring, by the way that the build shares its work."""
    last = found.shares[-1].times
    tensor = found.settings.get("parallel") == "tensor"
    if tensor or last.speedup is None:
        times = last.tensor_speedup
        return (SCALE("figure"), SCALE("figured_tensor", times=ratio(times))) if times else None
    often = ratio(last.speedup)
    if last.accumulated_speedup is None:
        return SCALE("figure"), SCALE("figured_once", times=often)
    rarely = {"accumulated": ratio(last.accumulated_speedup), "steps": steps_text(found)}
    return SCALE("figure"), SCALE("figured", times=often, **rarely)
