"""A judged build file → the same after the edits that `rules/moves.yaml` calls safe.

They state what the file leaves open, or take out what is about nothing. Each is written into the
text and judged again, and is made only if no other finding changes.
"""

from collections import Counter
from collections.abc import Iterator

from buildcheck.edit import Change, edit
from buildcheck.errors import InputError
from buildcheck.model.build import LISTS
from buildcheck.model.finding import TROUBLES, Finding, Report
from buildcheck.model.source import value_at
from buildcheck.pipeline import Judging
from buildcheck.rulebook.moves import moves


def safely_edited(raw: bytes, report: Report, judging: Judging) -> tuple[bytes, Report]:
    """A build file after its safe edits, and its report then; both as given if there are none."""
    for change, rules in [*_changes(report)]:
        try:
            text = edit(raw, report.document.path, [change])
            after = judging.check(text, report.document.path)
        except InputError:
            continue
        if _settles(rules, report, after):
            raw, report = text, after
    return raw, report


def _changes(report: Report) -> Iterator[tuple[Change, dict[str, str]]]:
    """What may be changed for what is found, and the grades of rules that it may settle.

    Entries to take out come last first, so that the numbers of the others hold.
    """
    for move in moves().values():
        for place, rules in move.safe.items():
            path = tuple(place.split("."))
            found = [
                f for f in report.findings if _is_open(f) and rules.get(f.rule.id) == f.severity
            ]
            if path[0] in LISTS:
                # A record goes by the number of its entry, such as `waivers[1]`.
                numbers = {int(f.subject.partition("[")[2][:-1]) for f in found}
                for number in sorted(numbers, reverse=True):
                    yield Change((*path, number), None), rules
            elif found and value_at(report.document.data, path) is None:
                yield Change(path, move.set[place]), rules


def _is_open(finding: Finding) -> bool:
    return finding.verdict in TROUBLES


def _settles(rules: dict[str, str], before: Report, after: Report) -> bool:
    """Is less found by these grades of rules after an edit, and the same by all others?"""
    old, new = (
        Counter((f.rule.id, f.severity, f.title, f.verdict) for f in report.findings if _is_open(f))
        for report in (before, after)
    )
    gone = old - new
    return bool(gone) and not new - old and all(rules.get(r) == grade for r, grade, *_ in gone)
