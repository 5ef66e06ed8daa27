"""The whole story: a build file → a `Report`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from buildcheck import __version__
from buildcheck.connect import connect
from buildcheck.errors import InputError, Problem
from buildcheck.judge import judge
from buildcheck.load import load
from buildcheck.measure import measure
from buildcheck.model.finding import Report
from buildcheck.resolve import resolve

if TYPE_CHECKING:
    import datetime

    from buildcheck.catalog import Catalog
    from buildcheck.load import Loaded
    from buildcheck.rulebook import Rulebook


def check(
    raw: bytes, path: str, catalog: Catalog, rulebook: Rulebook, today: datetime.date
) -> Report:
    """Judge the build file `raw`. Raises `InputError` if it cannot be used."""
    loaded = load(raw, path)
    assembly = resolve(_with_waiver_problems(loaded, rulebook), catalog)
    graph = connect(assembly)
    facts = measure(graph)
    findings = tuple(judge(rulebook, facts, loaded.document, loaded.build.waivers, today))
    return Report(
        document=loaded.document,
        name=loaded.build.name or path,
        findings=findings,
        graph=graph,
        facts=facts,
        rulebook_digest=rulebook.digest,
        catalog_digest=catalog.digest,
        version=__version__,
        checked=today.isoformat(),
        counts=dict(Counter(f.verdict for f in findings)),
    )


def _with_waiver_problems(loaded: Loaded, rulebook: Rulebook) -> Loaded:
    """The same, with a problem for each waiver of a rule that does not exist."""
    if not loaded.build.waivers:
        return loaded
    import difflib  # noqa: PLC0415 - needed for few builds
    from dataclasses import replace  # noqa: PLC0415

    known = [r.id for r in rulebook.rules]
    problems: list[Problem] = []
    for number, waiver in enumerate(loaded.build.waivers):
        if waiver.rule not in known:
            near = difflib.get_close_matches(waiver.rule, known, 1, 0.5)
            advice = f"Did you mean '{near[0]}'?" if near else "'buildcheck rules' lists them"
            problems.append(
                loaded.document.problem(
                    ("waivers", number, "rule"), f"there is no rule '{waiver.rule}'", advice
                )
            )
    return replace(loaded, problems=(*loaded.problems, *problems)) if problems else loaded


__all__ = ["InputError", "check"]
