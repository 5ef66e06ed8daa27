"""How large a model fits a build, for the section of its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.bench import KINDS, trial_of
from buildcheck.fit import fitted
from buildcheck.render.drawings.sizes import sizes_drawing
from buildcheck.render.fit_text import FIT, fit_told, setting_words, size_text
from buildcheck.sizes import sizes

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.sizes import Sizes


def fit_words(report: Report) -> dict[str, Any] | None:
    """What the template of the section asks for; None where no model is trained or served."""
    own = trial_of(report)
    trials = [trial_of(report, kind) for kind in KINDS]
    if own is None:
        return None
    found = tuple(sizes(tried) for tried in trials if tried)
    said = {**found[0].settings, **found[0].taken}
    told = FIT(
        "reckoned",
        settings=setting_words({n: v for n, v in said.items() if n in FIT.table("names")}),
    )
    stated = fit_told(fitted(own)) if "parameters" in own.settings else []
    return {
        "told": [*stated, told],
        "figure": _figure(found),
        "drawing": sizes_drawing(report.name, found),
        "remarks": FIT("not_counted"),
    }


def _figure(found: tuple[Sizes, ...]) -> tuple[str, str] | None:
    """The largest model that surely fits by any way, trained and served."""
    best = [one.best for one in found]
    ends = [size_text(way.parameters.low, up=False) for way in best if way and way.parameters]
    if len(ends) < len(found):
        return None
    words = dict(zip(KINDS, ends, strict=True))
    return FIT("figure"), FIT("figured", **words)
