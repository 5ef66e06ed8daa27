"""The commands that show why a build or a wish is not possible, and how far one is from limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from buildcheck.cli.build import build_text
from buildcheck.cli.declared import Frame, command, framed
from buildcheck.cli.search import Watch
from buildcheck.configure.wish.reading import OptionValue
from buildcheck.errors import InputError
from buildcheck.streams import shown

if TYPE_CHECKING:
    from buildcheck.configure.trial import Trials
    from buildcheck.configure.why.answer import WhyAnswer
    from buildcheck.model.rate import Rates
    from buildcheck.pipeline import Judging

#: Sections that only a wish file has.
_WISHES = ("wish", "owned", "avoid", "prices")


@command("why")
@framed
def main(frame: Frame, *, file: str, rates: Rates) -> int:
    """Show why a build or a wish is not possible, and what would have to change."""
    with Watch(frame.limit) as watch:
        found = _explained(frame, file, rates, watch)
    frame.answer("why", found)
    return int(not found.possible)


def _explained(frame: Frame, file: str, rates: Rates, watch: Watch) -> WhyAnswer:
    """The explanation of a file. Raises `InputError`."""
    from buildcheck.model.source import read

    raw, name, _ = build_text(file, frame.lab.catalog(file))
    data = read(raw, name).data
    if isinstance(data, dict) and any(section in data for section in _WISHES):
        from buildcheck.configure.common import Progress
        from buildcheck.configure.why.wish import WhyWish
        from buildcheck.configure.wish.names import check_names
        from buildcheck.configure.wish.wish import read_wish

        rated = (
            [OptionValue("--rate", ("rates",), [one.text for one in rates.all])] if rates else ()
        )
        wish, engine = read_wish(raw, name, rated), frame.engine(file)
        InputError.raise_any(check_names(wish, engine.catalog))
        asked = WhyWish(wish, engine, watch)
        watch.progress = lambda: Progress("wish", asked.oracle.searches)
        return asked.explanation()
    from buildcheck.configure.why.build import why_build

    trials = _trials(frame.lab.judging(frame.today, file), raw, name, watch, "build")
    return why_build(trials, raw, rates)


def _trials(judging: Judging, raw: bytes, path: str, watch: Watch, step: str) -> Trials:
    """A judged build, of which other decisions are tried. Raises `InputError`."""
    from buildcheck.configure.common import Progress
    from buildcheck.configure.trial import Trials

    trials = Trials(judging.check(raw, path), judging, watch)
    watch.progress = lambda: Progress(step, trials.judged)
    return trials


@command("sensitivity")
@framed
def sensitivity(frame: Frame, *, build: str, whole: bool) -> None:
    """Show how far a build is from its limits, and what may change before its verdict does."""
    with Watch(frame.limit) as watch:
        from buildcheck.configure.sweep.sensitivity import sensitivity as limits_of

        judging = frame.lab.judging(frame.today, build)
        raw, _, _ = build_text(build, judging.catalog)
        found = limits_of(_trials(judging, raw, shown(build), watch, "sensitivity"))
    replace(frame, verbose=frame.verbose or whole).answer("sensitivity", found)
