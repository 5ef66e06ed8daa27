"""What lines that were not read do to findings: they may be about the very thing."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from buildcheck.model.build import SECTION_KIND, SECTIONS
from buildcheck.model.finding import PASSING, Finding, Verdict
from buildcheck.model.graph import Graph
from buildcheck.model.kinds import KINDS
from buildcheck.model.rule import SEVERITIES
from buildcheck.model.source import Unread
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import doubted, is_idle, phrase


class UnreadLines:
    """The lines of a build file that were not read, by the fields they are about."""

    def __init__(self, unread: list[Unread], graph: Graph) -> None:
        #: The line of each field that would have had a value.
        names = (s.name.partition(" (")[0].lower() for s in graph.subjects.values())
        listed = " ".join(names) if unread else ""
        self._lost = {name: u.line for u in unread for name in _lost(u, graph, listed)}
        idle = (u for u in unread if not (u.hint or u.is_part) and u.is_remark)
        #: Lines of values that were lost, and of remarks that are not known to change nothing.
        self.lines = {u.line for u in idle if not is_idle(*u.remark)} | {*self._lost.values()}

    def weighed(self, finding: Finding) -> Finding:
        """A finding that such a line could change: an error is likely, what passes is open."""
        is_sure = finding.verdict == "fail" and finding.severity == SEVERITIES[0]
        if not (is_sure or finding.verdict in (*PASSING, "not-applicable", "not-listed")):
            return finding
        lines = (
            {self._lost[n] for n in finding.words.rests_on_any(self._lost)} if self._lost else ()
        )
        if not lines:
            return finding
        softer: Verdict = "likely-fail" if is_sure else "unknown"
        answer = finding.answer if is_sure else None
        return replace(finding, verdict=softer, answer=answer, not_read=tuple(sorted(lines)))


def _lost(unread: Unread, graph: Graph, listed: str) -> set[str]:
    """The fields that a lost value would have given, or a remark may be about.

    An outlet gives its volts and amperes too.
    """
    if unread.is_part:
        return set()
    if not unread.is_remark:
        field = str(unread.place[-1])
        fields_of = getattr(KINDS.get(field), "model_fields", ())
        return _of(str(unread.place[0]), {field, *fields_of}, graph)
    text, section = unread.remark
    if section in SECTION_KIND and _is_known(unread.said or unread.key, section, graph):
        return set()
    found = doubted(text, section, listed)
    return {name for of, fields in found.items() for name in _of(of, fields, graph)}


def _is_known(text: str, section: str, graph: Graph) -> bool:
    """Does a remark say of the parts of its section what is known of each of them?"""
    parts = [one for one in graph.subjects.values() if one.path[:1] == (section,)]
    clauses = re.split(phrase("clauses"), text)
    for clause in (c for c in clauses if len(clauses) == 1 or doubted(c, section)):
        fields, rest = facts_in(section, clause.strip(" !?."))
        # Watts alone are those of the part, or its limit.
        given = {n.replace("_watts", "board_power"): value for n, value in fields.items()}
        if rest or not given or not given.keys() <= SECTIONS[section].model_fields.keys():
            return False
        said = SECTIONS[section].model_validate({"part": text, **given})
        if any(one.value(n) != getattr(said, n) for one in parts for n in given):
            return False
    return bool(parts)


def _of(section: str, fields: Collection[str], graph: Graph) -> set[str]:
    """Fields of a section's subjects, by the names that rules know; `*` is all."""
    return {
        f"{one.kind}.{name}"
        for one in graph.subjects.values()
        if one.path[:1] == (section,)
        for name in (
            getattr(KINDS.get(one.kind), "model_fields", one.facts) if "*" in fields else fields
        )
    }
