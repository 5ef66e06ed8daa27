"""What lines that were not read do to findings: they may be about the very thing."""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from buildcheck.measure import Facts
from buildcheck.model.build import SECTION_KIND, SECTIONS
from buildcheck.model.finding import PASSING, Finding, Verdict
from buildcheck.model.graph import Graph, Subject
from buildcheck.model.kinds import KINDS
from buildcheck.model.rule import SEVERITIES
from buildcheck.model.source import Document, Unread
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import doubted, is_idle, phrase, said_broken

#: Some write `1500 GB` for 1536.
_ROUNDED = 0.05


class UnreadLines:
    """The lines of a build file that were not read, by the fields they are about."""

    def __init__(self, document: Document, facts: Facts) -> None:
        #: The line of each field that would have had a value, or is said to be another or broken.
        self._lost: dict[str, int] = {}
        #: The line of each field that a remark may be about, which few change.
        self._doubted: dict[str, int] = {}
        #: Lines of values that were lost, and of remarks that are not known to change nothing.
        self.lines: set[int] = set()
        names = (s.name.partition(" (")[0].lower() for s in facts.graph.subjects.values())
        listed = " ".join(names) if document.unread else ""
        for unread in document.unread:
            if unread.is_part:
                self.lines.add(unread.line)
                continue
            text, denied, section = _weighed(unread, document, facts)
            doubts = doubted(text, section, listed) if unread.is_remark else {}
            if unread.is_remark:
                found = [*said_broken(text, section).items(), (section, frozenset(denied))]
            else:
                field = str(unread.place[-1])
                # An outlet gives its volts and amperes too.
                more = getattr(KINDS.get(field), "model_fields", ())
                found = [(str(unread.place[0]), frozenset((field, *more)))]
            lost, open_ = (
                {name for of, fields in these for name in _of(of, fields, facts.graph)}
                for these in (found, doubts.items())
            )
            self._lost |= dict.fromkeys(lost, unread.line)
            self._doubted |= dict.fromkeys(open_, unread.line)
            is_open = unread.is_remark and not (unread.hint or is_idle(text, section))
            self.lines |= {unread.line} if lost or open_ or is_open else set()

    def weighed(self, finding: Finding) -> Finding:
        """A finding that such a line could change: an error is likely, what passes is open.

        A remark that need not change anything leaves what passes as it is: all that passes is
        then likely, unless the line says otherwise.
        """
        is_sure = finding.verdict == "fail" and finding.severity == SEVERITIES[0]
        if not (is_sure or finding.verdict in (*PASSING, "not-applicable", "not-listed")):
            return finding
        by_field = {**self._doubted, **self._lost} if is_sure else self._lost
        names = finding.words.rests_on_any(by_field) if by_field else set()
        lines = {by_field[n] for n in names}
        # Other remarks on GPUs may be about how many there are.
        may_stand = is_sure and not any(n in self._lost or n.startswith("gpu.") for n in names)
        if not lines or (may_stand and finding.words.fails_without(names, finding.grade)):
            return finding
        softer: Verdict = "likely-fail" if is_sure else "unknown"
        answer = finding.answer if is_sure else None
        return replace(finding, verdict=softer, answer=answer, not_read=tuple(sorted(lines)))


def _weighed(unread: Unread, document: Document, facts: Facts) -> tuple[str, set[str], str]:
    """A remark without what it says as it is known, what it says otherwise, and its section."""
    text, section = unread.remark
    listed = [one for one in facts.graph.subjects.values() if one.path[:1] and one.listed]
    own = [one for one in listed if document.position(one.path)[0] == unread.line]
    # A server is a case and a board.
    sections = dict.fromkeys((section, *(str(one.path[0]) for one in own)))
    if section not in SECTION_KIND or not any(one.path[0] == section for one in listed):
        return text, set(), section
    left, denied = list[str](), set[str]()
    for clause in filter(str.strip, re.split(phrase("clauses"), text)):
        for of in (of for of in sections if of in SECTION_KIND):
            parts = [one for one in own or listed if one.path[0] == of]
            # `tower / 4U` is one of both.
            pieces = re.split(phrase("slash"), clause)
            ways, rests = zip(*(_stated(of, piece) for piece in pieces), strict=True)
            if None not in ways and not any(rests):
                other = [{n for n in w if not _agrees(n, w[n], parts, facts)} for w in ways if w]
                denied |= other[0] if other and all(other) else set()
                break
        else:
            # Figures in it that are known as they are stated raise no doubt.
            fields, rest = _stated(section, clause)
            parts = [one for one in own or listed if one.path[0] == section]
            is_so = fields and all(_agrees(n, v, parts, facts) for n, v in fields.items())
            left.append(rest if is_so else clause)
    return "; ".join(left), denied, section


def _stated(section: str, clause: str) -> tuple[dict[str, Any] | None, str]:
    """The fields that a clause states of a part, None if they are none of it; and what it adds."""
    size = re.search(phrase("size"), clause) if section == "gpus" else None
    is_all = re.search(phrase("memory_of_all"), clause)
    text = re.sub(phrase("size"), "", clause) if size and not is_all else clause
    fields, rest = facts_in(section, text.strip(" !?."))
    # Watts alone are those of the part, or its limit.
    given = {n.replace("_watts", "board_power"): value for n, value in fields.items()}
    given |= {"memory": size[0]} if size and not is_all else {}
    if not given.keys() <= SECTIONS[section].model_fields.keys():
        return None, clause
    said = SECTIONS[section].model_validate({"part": section, **given})
    return {n: getattr(said, n) for n in given}, rest


def _agrees(name: str, value: Any, parts: list[Subject], facts: Facts) -> bool:
    """Is a value what is known of a field of parts; of memory its sum, of each entry or of all?"""
    names = (name, "amount") if name == "total" else (name,)
    known = [facts(f"{one.kind}.{n}", one) for one in parts for n in names]
    sizes = [size.low for size in known if name == "total" and size]
    return value in known or any(abs(value.low - low) <= _ROUNDED * low for low in sizes)


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
