"""What lines that were not read do to findings: they may be about the very thing."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from buildcheck.model.build import SECTION_KIND
from buildcheck.model.finding import FAILING, PASSING, Finding, Verdict
from buildcheck.model.graph import Graph
from buildcheck.model.kinds import KINDS
from buildcheck.model.rule import SEVERITIES
from buildcheck.model.source import REMARK, Unread
from buildcheck.words.keys import areas_of, doubted, remarked, section_of


class UnreadLines:
    """The lines of a build file that were not read, by the rules they are about."""

    def __init__(self, unread: list[Unread], graph: Graph) -> None:
        self._areas = [(u.line, areas) for u in unread if (areas := areas_of(f"{u.key}: {u.said}"))]
        #: The line of each field that would have had a value.
        self._lost = {name: u.line for u in unread for name in _lost(u, graph)}

    def weighed(self, finding: Finding) -> Finding:
        """A finding that such a line could change: an error is likely; what is likely is open."""
        is_error = finding.verdict in FAILING and finding.severity == SEVERITIES[0]
        if not (is_error or finding.verdict in (*PASSING, "not-applicable", "not-listed")):
            return finding
        lines = (
            {self._lost[n] for n in finding.words.rests_on_any(self._lost)} if self._lost else ()
        )
        is_sure = finding.verdict == "fail"
        if is_sure and not lines:
            lines = {line for line, areas in self._areas if finding.rule.domain in areas}
        if not lines:
            return finding
        softer: Verdict = "likely-fail" if is_sure else "unknown"
        answer = finding.answer if is_sure else None
        return replace(finding, verdict=softer, answer=answer, not_read=tuple(sorted(lines)))


def _lost(unread: Unread, graph: Graph) -> set[str]:
    """The fields that a lost value would have given, or a remark may be about.

    An outlet gives its volts and amperes too.
    """
    if unread.is_part:
        return set()
    if not unread.place:
        # A note is about the parts that it names.
        text = f"{unread.key}: {unread.said}"
        words = {section_of(word) for word in re.findall(r"[^\W\d_]+", text)}
        named = (name for name in SECTION_KIND if name in words)
        notes = (unread._replace(key=text, place=(name, REMARK)) for name in named)
        about = {field for note in notes for field in _lost(note, graph)}
        return about.union(*(_of(section, of, graph) for section, of in remarked(text).items()))
    section, field = str(unread.place[0]), str(unread.place[-1])
    if field != REMARK:
        return _of(section, {field, *_fields(field)}, graph)
    fields_of = remarked(unread.key)
    fields_of[section] = fields_of.get(section, frozenset()) | doubted(section, unread.key)
    return {name for of, fields in fields_of.items() for name in _of(of, fields, graph)}


def _of(section: str, fields: Collection[str], graph: Graph) -> set[str]:
    """Fields of a section's subjects, by the names that rules know."""
    subjects = [s for s in graph.subjects.values() if s.path[:1] == (section,)]
    return {
        f"{one.kind}.{name}"
        for one in subjects
        for name in (_fields(one.kind) or one.facts if "*" in fields else fields)
    }


def _fields(kind: str) -> Collection[str]:
    return KINDS[kind].model_fields if kind in KINDS else ()
