"""The whole story: a build file → a `Report`."""

import datetime
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from buildcheck import __version__
from buildcheck.catalog import Catalog
from buildcheck.connect import connect, placed, settled
from buildcheck.errors import InputError, Problem
from buildcheck.judge import Readings, judge
from buildcheck.judge.designs import Designs
from buildcheck.judge.record import Record
from buildcheck.judge.unread import UnreadLines
from buildcheck.load import Loaded, load
from buildcheck.measure import measure
from buildcheck.model.finding import Report
from buildcheck.model.vocabulary import problem
from buildcheck.purchasing.quotes.matching import order
from buildcheck.purchasing.quotes.reading import read_quotes
from buildcheck.resolve import Assembly, resolve
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
    cards = Counter(card.name for card in facts.expected.graph.of("gpu"))
    record = Record(today, loaded.build.waivers, wanted)
    unread = UnreadLines(loaded.document, facts.expected)
    findings = tuple(judge(rulebook, facts, loaded.document, record, unread))
    return Report(
        document=loaded.document,
        # A build without a name goes by its cards: `4x NVIDIA GeForce RTX 3090`.
        name=loaded.build.name or " and ".join(f"{n}x {name}" for name, n in cards.items()),
        findings=findings,
        graph=facts.expected.graph,
        facts=facts.expected,
        certain=facts.certain,
        rulebook_digest=rulebook.digest,
        left_out=rulebook.left_out,
        catalog_digest=catalog.digest,
        version=__version__,
        checked=today.isoformat(),
        order=wanted,
        counts=dict(Counter(f.verdict for f in findings)),
        open_lines=tuple(sorted(unread.lines)),
        catalog=catalog,
    )


class Judging(NamedTuple):
    """What builds are judged by, and on which day."""

    catalog: Catalog
    rulebook: Rulebook
    today: datetime.date

    def check(self, raw: bytes, path: str, quotes: Iterable[Path] = ()) -> Report:
        """Judge the build file `raw`. Raises `InputError` if it cannot be used."""
        return check(raw, path, *self, quotes)


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
    problems: list[Problem] = []
    for number, waiver in enumerate(loaded.build.waivers):
        if not rulebook.get(waiver.rule) and waiver.rule not in rulebook.left_out:
            wrong = problem("", "no-rule", rulebook.near(waiver.rule), rule=waiver.rule)
            place = ("waivers", number, "rule")
            found = loaded.document.problem(place, wrong.message, wrong.suggestion)
            problems.append(found._replace(near=wrong.near))
    return replace(loaded, problems=(*loaded.problems, *problems)) if problems else loaded


__all__ = ["InputError", "Judging", "check"]
