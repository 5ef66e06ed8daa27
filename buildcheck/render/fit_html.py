"""How large a model fits a build, for the section of its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.bench import KINDS, as_kind, trial_of
from buildcheck.fit import fitted, unfit
from buildcheck.render.drawings.sizes import sizes_drawing
from buildcheck.render.fit_text import FIT, fit_told, reckoned, size_text, unused
from buildcheck.sizes import sizes

if TYPE_CHECKING:
    from buildcheck.bench import Trial
    from buildcheck.model.finding import Report
    from buildcheck.sizes import Sizes


def fit_words(report: Report) -> dict[str, Any] | None:
    """What the template of the section asks for; None where no model is trained or served."""
    own = trial_of(report)
    if own is None:
        return None
    found = tuple(one for kind in KINDS if (one := sizes(as_kind(own, kind))).ways)
    said = [FIT("reckoned", settings=reckoned(one)) for one in found[:1]]
    said += [unused(one) for one in found[:1] if one.unused]
    return {
        "told": [*(_stated(own) if "parameters" in own.settings else ()), *said],
        "figure": _figure(found),
        "drawing": sizes_drawing(report.name, found),
        "remarks": " ".join((FIT("adapters"), FIT("not_counted"))),
    }


def _stated(own: Trial) -> list[str]:
    """The model that the build states, or why it cannot be fitted."""
    wrong = [problem.message for problem in unfit(own, "")]
    if wrong:
        return [FIT("unfit", why=wrong[0])]
    return fit_told(fitted(own))


def _figure(found: tuple[Sizes, ...]) -> tuple[str, str] | None:
    """The largest model that surely fits by any way, trained and served."""
    best = [one.best for one in found]
    ends = [size_text(way.parameters.low, up=False) for way in best if way and way.parameters]
    if len(ends) < len(KINDS):
        return None
    words = dict(zip(KINDS, ends, strict=True))
    return FIT("figure"), FIT("figured", **words)
