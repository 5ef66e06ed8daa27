"""The whole story: a build file → a `Report`."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from buildcheck import __version__
from buildcheck.connect import connect, placed, settled
from buildcheck.errors import InputError, Problem
from buildcheck.judge import Readings, judge
from buildcheck.judge.designs import Designs
from buildcheck.judge.record import Record
from buildcheck.load import load
from buildcheck.measure import measure
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.finding import PASSING, Finding, Report
from buildcheck.model.rule import SEVERITIES
from buildcheck.purchasing.quotes import order, read_quotes
from buildcheck.resolve import resolve
from buildcheck.words.keys import areas_of

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable
    from pathlib import Path

    from buildcheck.catalog import Catalog
    from buildcheck.load import Loaded
    from buildcheck.model.source import Path as Place
    from buildcheck.model.source import Unread
    from buildcheck.resolve import Assembly
    from buildcheck.rulebook import Rulebook


def check(
    raw: bytes,
    path: str,
    catalog: Catalog,
    rulebook: Rulebook,
    today: datetime.date,
    quotes: Iterable[Path] = (),
) -> Report:
    """Judge the build file `raw`. Raises `InputError` if it cannot be used.

    `quotes` are files of quotes in addition to those that the build file gives or names.
    """
    loaded = load(raw, path)
    given, problems = read_quotes(loaded, quotes)
    loaded = replace(loaded, problems=(*loaded.problems, *problems))
    assembly = resolve(_with_waiver_problems(loaded, rulebook), catalog)
    wanted = order(assembly, loaded.document, given, catalog)
    facts = readings(assembly, catalog)
    graph = facts.expected.graph
    cards = Counter(card.name for card in graph.of("gpu"))
    record = Record(today, loaded.build.waivers, wanted)
    found = judge(rulebook, facts, loaded.document, record)
    lost = {name: u.line for u in loaded.document.unread for name in _lost_at(u.place)}
    findings = tuple(_beside_unread(f, loaded.document.unread, lost) for f in found)
    return Report(
        document=loaded.document,
        # A build without a name goes by its cards: `4x NVIDIA GeForce RTX 3090`.
        name=loaded.build.name or " and ".join(f"{n}x {name}" for name, n in cards.items()),
        findings=findings,
        graph=graph,
        facts=facts.expected,
        certain=facts.certain,
        rulebook_digest=rulebook.digest,
        catalog_digest=catalog.digest,
        version=__version__,
        checked=today.isoformat(),
        order=wanted,
        counts=dict(Counter(f.verdict for f in findings)),
        catalog=catalog,
    )


def _beside_unread(finding: Finding, unread: list[Unread], lost: dict[str, int]) -> Finding:
    """A finding that a line which was not read could change: an error is likely, a pass open.

    `lost` are the fields that such lines would have given, each with its line.
    """
    if finding.verdict == "fail" and finding.severity == SEVERITIES[0]:
        area = finding.rule.id.partition("/")[0]
        lines = [u.line for u in unread if area in areas_of(f"{u.key}: {u.said}")]
        return replace(finding, verdict="likely-fail", not_read=tuple(lines)) if lines else finding
    is_open = finding.verdict in (*PASSING, "not-applicable", "not-listed")
    if lost and is_open and (names := finding.words.rests_on_any(lost)):
        lines = sorted({lost[name] for name in names})
        return replace(finding, verdict="unknown", answer=None, not_read=tuple(lines))
    return finding


def _lost_at(place: Place) -> tuple[str, ...]:
    """The fields that a value at a place would have given: an outlet has volts and amps."""
    section, field = (str(place[0]), str(place[-1])) if place else ("", "")
    kind = {"site": "circuit", **SECTION_KIND}.get(section, section)
    more = ("voltage", "breaker") if field in ("outlet", "country") else ()
    return tuple(f"{kind}.{name}" for name in (field, *more) if place)


class Judging(NamedTuple):
    """What builds are judged by, and on which day."""

    catalog: Catalog
    rulebook: Rulebook
    today: datetime.date

    def check(self, raw: bytes, path: str) -> Report:
        """Judge the build file `raw`. Raises `InputError` if it cannot be used."""
        return check(raw, path, *self)


def readings(assembly: Assembly, catalog: Catalog) -> Readings:
    """The facts of a build in both readings, with everything in the same place."""
    graph = connect(assembly)
    seats = [e.data for e in graph.edges if e.kind == "seated"]
    shown = placed(graph, assembly.pins)
    known = connect(assembly.certain(settled(graph, shown)))
    elsewhere = cache(lambda: measure(connect(assembly.certain(settled(graph, assembly.pins)))))
    is_stated = all(seat["pinned"] for seat in seats)
    # A machine that is drawn has its GPUs where they are shown, unless it draws the board's slots.
    is_drawn = not all(seat["position"] for seat in seats)
    designs = Designs(assembly if is_drawn else replace(assembly, pins=shown), catalog)
    return Readings(measure(known), measure(graph), designs, None if is_stated else elsewhere)


def _with_waiver_problems(loaded: Loaded, rulebook: Rulebook) -> Loaded:
    """The same, with a problem for each waiver of a rule that does not exist."""
    if not loaded.build.waivers:
        return loaded
    import difflib  # needed for few builds

    known = [r.id for r in rulebook.rules]
    problems: list[Problem] = []
    for number, waiver in enumerate(loaded.build.waivers):
        if waiver.rule not in known:
            near = tuple(difflib.get_close_matches(waiver.rule, known, 1, 0.5))
            advice = "" if near else "`buildcheck rules` lists them"
            problem = loaded.document.problem(
                ("waivers", number, "rule"), f"there is no rule '{waiver.rule}'", advice
            )
            problems.append(problem._replace(near=near))
    return replace(loaded, problems=(*loaded.problems, *problems)) if problems else loaded


__all__ = ["InputError", "Judging", "check"]
