"""A finding put into words: its sentence, its numbers with their trail, its places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, cast

from buildcheck import units
from buildcheck.facts import FACTS
from buildcheck.logic.dimension import side
from buildcheck.logic.interval import Value, evaluate
from buildcheck.logic.parse import Compare, Name, Tree, names
from buildcheck.logic.quantity import Interval, exact, percent, show
from buildcheck.logic.sentence import Placeholder, filled
from buildcheck.measure import Facts, Missing, VariedFacts, measure
from buildcheck.measure.shapes import shape_of
from buildcheck.model.finding import PASSING, PlaceOf, Step, Used, Verdict
from buildcheck.model.graph import Graph, Subject
from buildcheck.model.labels import fact_words, labelled
from buildcheck.model.part import Sourced
from buildcheck.model.rule import Grade, Rule
from buildcheck.model.source import Document

_THOUSANDS = re.compile(r"(?<![\w.-])\d{4,}(?![\w-])")
MOST_PLACES = 5
#: How many steps the numbers of a finding are followed back.
MOST_STEPS, DEEPEST = 5, 64
NOT_KNOWN = "not known"
#: Of a range whose ends are further apart than this, a fix names the least alone.
_WIDE = 1.5
_KINDS = {"gpu": "GPU", "psu": "PSU", "cpu": "CPU"}


def show_value(value: Any, shape: Any) -> str:
    """A fact's value for people."""
    if value is None:
        return NOT_KNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Interval):
        return show(value, shape if isinstance(shape, tuple) else units.NUMBER)
    if isinstance(value, frozenset):
        return labelled(", ".join(sorted(value))) or "none"
    return labelled(str(value))


class Wording:
    """One rule on one subject of one build."""

    def __init__(self, rule: Rule, subject: Subject, facts: Facts, document: Document) -> None:
        self.rule, self.subject, self.facts, self.document = rule, subject, facts, document
        self._values: dict[str, Value] = {}
        self._missing: tuple[Missing, ...] | None = None

    def value(self, name: str, grade: Grade | None) -> Value:
        """What a name is worth: a limit of the grade, a term of the rule, or a fact."""
        if grade is not None and name in grade.values:
            return grade.values[name]
        if name in self.rule.term_values:
            return self.rule.term_values[name]
        if name not in self._values:
            self._values[name] = self.facts.worth(name, self.subject)
        return self._values[name]

    def is_same(self, other: Wording) -> bool:
        """Is all that has been asked for worth as much in another reading?"""
        return all(other.value(name, None) == value for name, value in self._values.items())

    def _of(self, name: str) -> Subject:
        return self.facts.holder(name, self.subject)

    def _fact(self, name: str) -> Any:
        return self.facts(name, self._of(name))

    def values(self) -> Iterator[tuple[str, str, Any]]:
        """The facts compared: name, subject and value."""
        return ((n, self._of(n).id, self._fact(n)) for n in self.rule.compared)

    def numbers(self) -> tuple[Used, ...]:
        """The facts used."""
        return tuple(Used(name, self._of(name).id) for name in self.rule.used)

    def missing(self) -> tuple[Missing, ...]:
        """The data that are lacking, each once."""
        if self._missing is None:
            found = (m for n in self.rule.used for m in self.facts.missing(n, self._of(n)))
            self._missing = tuple(dict.fromkeys(found))
        return self._missing

    def usual(self) -> dict[tuple[str, str], Sourced]:
        """What the finding rests on that is only usual, by name and subject."""
        found: dict[tuple[str, str], Sourced] = {}
        for name in self.rule.used:
            found |= self.facts.usual((name, self._of(name).id))
        return found

    def rests_on_any(self, fields: Container[str]) -> set[str]:
        """Those of these fields that its numbers, or that it does not apply, were worked out with.

        Known or not.
        """
        deciding = self.rule.used if self.applies else names(self.rule.guard or self.rule.claim)
        seen: dict[tuple[str, str], int] = {}
        for name in (n for n in self.rule.used if n in deciding):
            self._leaves(name, self._of(name), {}, DEEPEST, seen)
        return {name for name, _ in seen if name in fields}

    def decides(self, subject: str, field: str, grade: Grade) -> bool:
        """Would the finding not stand without a field that is only usual?"""
        graph, whole = self.facts.graph, self.facts.graph.subjects[subject]
        facts = {n: f for n, f in whole.facts.items() if n != field}
        # What is certain of it, if anything is.
        facts |= {n: f for n, f in whole.wide.items() if n == field}
        alike = [one for one in graph.of(whole.kind) if one.facts is whole.facts]
        for one in alike:
            graph = graph.with_subject(replace(one, facts=facts))
        varied = VariedFacts(graph, base=self.facts, changed=tuple(one.id for one in alike))
        return not self._fails(varied, grade)

    def fails_without(self, fields: Container[str], grade: Grade) -> bool:
        """Does it fail whatever these fields are, of any subject?"""
        left = dict(self.facts.graph.subjects)
        for key, one in left.items():
            facts = {n: f for n, f in one.facts.items() if f"{one.kind}.{n}" not in fields}
            left[key] = replace(one, facts=facts)
        return self._fails(measure(Graph(left, self.facts.graph.edges)), grade)

    def _fails(self, facts: Facts, grade: Grade) -> bool:
        """Does the rule fail by other facts?"""
        other = Wording(self.rule, facts.graph.subjects[self.subject.id], facts, self.document)
        return other.applies and self.rule.claim_reading(partial(other.value, grade=grade)) is False

    def message(self, verdict: Verdict, grade: Grade, answer: bool | None) -> str:
        """The finding as a sentence with the build's numbers; empty where one is not known."""
        # A sentence about a truth would state it; what likely does not apply has nothing to say.
        says = isinstance(self.rule.claim, Compare) and verdict != "likely-pass"
        if not says and (answer is None or not self.applies):
            return ""
        text = self.rule.passes if verdict in PASSING else grade.message or self.rule.message
        return self._filled(text, grade)

    @property
    def applies(self) -> bool:
        """Is the rule known to apply to the subject?"""
        guard = self.rule.guard_reading
        return guard is None or guard(lambda name: self.value(name, None)) is True

    def fix(self, grade: Grade) -> str:
        """What to do, as one imperative with the build's own numbers; of wide ranges the least."""
        return self._filled(grade.fix or self.rule.fix, grade, least=True)

    def _filled(self, text: str, grade: Grade, *, least: bool = False) -> str:
        return filled(text, lambda part: self._shown(part, grade, least=least)) or ""

    def _shown(self, part: Placeholder, grade: Grade, *, least: bool) -> str | None:
        if isinstance(part.tree, Name) and not part.is_percentage:
            shown = self._show(part.tree.text, grade)
        else:
            value = evaluate(part.tree, lambda n: self.value(n, grade))
            if least and isinstance(value, Interval) and value.high > _WIDE * value.low:
                value = exact(value.low) if value.low > 0 else None
            if part.is_percentage:
                says = isinstance(value, Interval) and (value.low > 0 or value.high < 1)
                shown = percent(cast("Interval", value)) if says else NOT_KNOWN
            else:
                shown = show_value(value, self.dimension(part.tree))
        return shown if shown and shown != NOT_KNOWN else None

    def _show(self, name: str, grade: Grade) -> str:
        text = grade.limits.get(name) or self.rule.terms.get(name, {}).get("value")
        if text is not None:
            return _THOUSANDS.sub(lambda found: f"{int(found[0]):,}", text)
        return show_value(self._fact(name), shape_of(name))

    def dimension(self, tree: Tree) -> Any:
        """The dimension of a sum or product: that of its facts multiplied out."""
        shapes = self.rule.shapes
        return side(tree, {n: shapes.get(n) or shape_of(n) for n in names(tree)})  # type: ignore[misc]

    def sum_of(self, name: str) -> str:
        """What a fact was calculated from, in words; empty for what was looked up."""
        subject, value = self._of(name), self._fact(name)
        if name not in FACTS or not isinstance(value, Interval):
            return ""
        subjects = self.facts.graph.subjects
        made_of = [self.facts(n, subjects[i]) for n, i in self.facts.used(name, subject)]
        return "" if made_of == [value] else self._trail(name, subject, 2)

    def _trail(self, name: str, subject: Subject, depth: int) -> str:
        """What a fact was made from, a few steps down, as one line."""
        if self.facts.source(name, subject) is not None:
            return ""
        parts: dict[str, int] = {}
        used = self.facts.used(name, subject)
        for inner, inner_id in used:
            inner_subject = self.facts.graph.subjects[inner_id]
            value = self.facts(inner, inner_subject)
            if not isinstance(value, Interval):
                continue
            below = depth > 1 and self._trail(inner, inner_subject, depth - 1)
            own = inner_subject.id in (subject.id, "build", "standard")
            of = "" if own else f" of {inner_subject.name}"
            text = f"{fact_words(inner)}{of} {show_value(value, shape_of(inner))}"
            text += f" ({below})" if below else ""
            parts[text] = parts.get(text, 0) + 1
            # What is said is said as often as it is in the sum, where it is all of it.
            whole = self.facts(name, subject)
            most = subject.count if len(used) == 1 and own else parts[text]
            in_sum = (n for n in range(1, most + 1) if value * exact(float(n)) == whole)
            parts[text] = next(in_sum, parts[text])
        return ", ".join(f"{n}× {t}" if n > 1 else t for t, n in parts.items())

    def steps(self) -> tuple[Step, ...]:
        """How the numbers of the rule came about: what each was made from, each once."""
        found: dict[tuple[str, str, str], Step] = {}
        for name in self.rule.used:
            self._step(name, self._of(name), 0, found)
        return tuple(found.values())

    def _step(
        self, name: str, subject: Subject, depth: int, found: dict[tuple[str, str, str], Step]
    ) -> None:
        shown = show_value(self.facts(name, subject), shape_of(name))
        key = (name, subject.name, shown)
        if key in found:
            return
        sourced = self.facts.source(name, subject)
        inner = [
            (n, self.facts.graph.subjects[i])
            for n, i in self.facts.used(name, subject)
            if isinstance(self.facts(n, self.facts.graph.subjects[i]), (Interval, str))
        ]
        own = (subject.id, "build", "standard")
        made = Counter(
            fact_words(n) + f" of {s.name}" * (s.id not in own and s.name != subject.name)
            for n, s in inner
        )
        made_from = ", ".join(f"{n}× {t}" if n > 1 else t for t, n in made.items())
        found[key] = Step(depth, name, subject.name, shown, made_from, sourced)
        if depth < MOST_STEPS:
            for inner_name, inner_subject in inner:
                self._step(inner_name, inner_subject, depth + 1, found)

    def places(self) -> tuple[PlaceOf, ...]:
        """Where the build file names what takes part, the subject first."""
        subjects, seen = {self.subject.id: self.subject}, dict[tuple[str, str], int]()
        for name in self.rule.used:
            self._leaves(name, self._of(name), subjects, 3, seen)
        listed = [(s.path, s.name) for s in subjects.values() if s.path and s.listed]
        found: dict[tuple[int, int], PlaceOf] = {}
        for path, name in listed or [((), self.subject.name)]:
            at = self.document.position(path)
            found.setdefault(at, PlaceOf(self.document.path, *at, name))
        return tuple(found.values())[:MOST_PLACES]

    def _leaves(
        self,
        name: str,
        subject: Subject,
        into: dict[str, Subject],
        depth: int,
        seen: dict[tuple[str, str], int],
    ) -> None:
        if seen.get((name, subject.id), -1) >= depth:
            return
        seen[name, subject.id] = depth
        if subject.path:
            into.setdefault(subject.id, subject)
        if depth:
            for inner, inner_id in self.facts.used(name, subject):
                self._leaves(inner, self.facts.graph.subjects[inner_id], into, depth - 1, seen)
