"""A finding put into words: its sentence, its numbers with their trail, its places."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts import FACTS
from buildcheck.logic.dimension import TRUTH, side
from buildcheck.logic.interval import Value, evaluate
from buildcheck.logic.parse import Tree, names
from buildcheck.logic.prose import say
from buildcheck.measure import shape_of, unit_of
from buildcheck.model.finding import PlaceOf, Step, Used
from buildcheck.model.quantity import Interval, show

if TYPE_CHECKING:
    from buildcheck.measure import Facts, Missing
    from buildcheck.model.finding import Verdict
    from buildcheck.model.graph import Subject
    from buildcheck.model.rule import Grade, Rule
    from buildcheck.source import Document

_INDEXED = re.compile(r"(\w+)\[(\d+)\]")
_PLACEHOLDER = re.compile(r"\{([a-z_.0-9]+)\}")
MOST_MISSING = 6
MOST_PLACES = 5
#: How many steps the numbers of a finding are followed back.
MOST_STEPS = 5
NOT_KNOWN = "not known"
_KINDS = {"gpu": "card", "psu": "supply", "cpu": "CPU"}


def show_value(value: Any, shape: Any) -> str:
    """A fact's value for people."""
    if value is None:
        return NOT_KNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Interval):
        return show(value, shape if isinstance(shape, tuple) else units.NUMBER)
    if isinstance(value, frozenset):
        return ", ".join(sorted(value)) or "none"
    return str(value)


def label(name: str) -> str:
    """A fact's name as words.

    >>> label("psu.train_load")
    'train load'
    """
    return name.rpartition(".")[2].replace("_", " ")


def span(subjects: tuple[str, ...]) -> str:
    """`gpus[0]`, `gpus[1]` and `gpus[2]` as `gpus[0..2]`; each is named once.

    >>> span(("gpus[0]", "gpus[1]", "gpus[3]"))
    'gpus[0..1,3]'
    """
    subjects = tuple(dict.fromkeys(subjects))
    first = _INDEXED.fullmatch(subjects[0])
    if first is None or len(subjects) == 1:
        return ", ".join(subjects)
    numbers = [int(m[2]) for s in subjects if (m := _INDEXED.fullmatch(s))]
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return f"{first[1]}[{','.join(str(r[0]) if len(r) == 1 else f'{r[0]}..{r[-1]}' for r in runs)}]"


def _truth(name: str, value: bool | None) -> str:
    """A truth as a clause.

    >>> _truth("case.is_ducted", None), _truth("psu.is_used", False)
    ('it is not known whether the case is ducted', 'the supply is not used')
    """
    kind = name.partition(".")[0]
    clause = f"the {_KINDS.get(kind, kind)} {label(name)}"
    if value is None:
        return f"it is not known whether {clause}"
    if value:
        return clause
    return (
        clause.replace(" is ", " is not ", 1) if " is " in clause else f"it is not so that {clause}"
    )


@cache
def _kind(name: str) -> str:
    return name.partition(".")[0]


def _of_another(inner: Subject, subject: Subject) -> str:
    own = inner.id in (subject.id, "build", "standard") or inner.name == subject.name
    return "" if own else f" of {inner.name}"


class Wording:
    """One rule on one subject of one build."""

    def __init__(self, rule: Rule, subject: Subject, facts: Facts, document: Document) -> None:
        self.rule, self.subject, self.facts, self.document = rule, subject, facts, document
        self._values: dict[str, Value] = {}

    def value(self, name: str, grade: Grade | None) -> Value:
        """What a name is worth: a limit of the grade, a term of the rule, or a fact."""
        if grade is not None and name in grade.values:
            return grade.values[name]
        if name in self.rule.term_values:
            return self.rule.term_values[name]
        if name not in self._values:
            value: Value = self._fact(name)
            if value is None and isinstance(shape_of(name), tuple):
                value = self.facts.number(name, self._of(name))
            self._values[name] = value
        return self._values[name]

    def _of(self, name: str) -> Subject:
        kind = _kind(name)
        return self.subject if kind == self.subject.kind else self.facts.graph.the(kind)

    def _fact(self, name: str) -> Any:
        return self.facts(name, self._of(name))

    @property
    def _used(self) -> list[str]:
        """The facts the rule names, limits left out."""
        limits = {*self.rule.grades[0].limits, *self.rule.terms}
        return [n for n in dict.fromkeys(self._names()) if n not in limits]

    def numbers(self) -> tuple[Used, ...]:
        """The facts used, with what they were made from."""
        return tuple(map(self._number, self._used))

    def missing(self) -> tuple[Missing, ...]:
        """The data that are lacking, each once."""
        found = (m for n in self._used for m in self.facts.missing(n, self._of(n)))
        return tuple(dict.fromkeys(found))[:MOST_MISSING]

    def _names(self) -> list[str]:
        return names(self.rule.claim) + (names(self.rule.guard) if self.rule.guard else [])

    def message(self, verdict: Verdict, grade: Grade, answer: bool | None) -> str:
        """The finding as a sentence with the build's own numbers."""
        if self.rule.message and verdict == "fail":
            return _PLACEHOLDER.sub(lambda m: self._show(m[1], grade), self.rule.message)

        def worth(tree: Tree) -> str:
            result = evaluate(tree, lambda n: self.value(n, grade))
            return show_value(result, self._dimension(tree))

        def name(text: str) -> str:
            shown = self._show(text, grade)
            if text in grade.values or text in self.rule.term_values:
                return shown
            if shape_of(text) == TRUTH:
                return _truth(text, self._fact(text))
            return f"{label(text)} ({shown})" if shown == NOT_KNOWN else f"{label(text)} {shown}"

        return say(self.rule.claim, name, answer, worth)

    def _show(self, name: str, grade: Grade) -> str:
        text = grade.limits.get(name) or self.rule.terms.get(name, {}).get("value")
        return text if text is not None else show_value(self._fact(name), shape_of(name))

    def _dimension(self, tree: Tree) -> Any:
        """The dimension of a sum or product: that of its facts multiplied out."""
        shapes = {**self.rule.grades[0].shapes, **self.rule.term_shapes}
        for name in names(tree):
            shapes.setdefault(name, shape_of(name))  # type: ignore[arg-type]
        return side(tree, shapes)  # type: ignore[arg-type]

    def _number(self, name: str) -> Used:
        subject = self._of(name)
        value = self._fact(name)
        made_of = [self.facts.known().get(key) for key in self.facts.used(name, subject)]
        reckoned = name in FACTS and isinstance(value, Interval) and made_of != [value]
        sum_of = self.trail(name, subject, 2, sources=False) if reckoned else ""
        return Used(name, subject.id, value, unit_of(name), self.trail(name, subject, 3), sum_of)

    def trail(self, name: str, subject: Subject, depth: int, *, sources: bool = True) -> str:
        """What a fact was made from, a few steps down, as one line."""
        sourced = self.facts.source(name, subject)
        if sourced is not None:
            return f"{sourced.source.title} [{sourced.confidence}]" if sources else ""
        parts: dict[str, int] = {}
        for inner, inner_id in self.facts.used(name, subject):
            inner_subject = self.facts.graph.subjects[inner_id]
            value = self.facts(inner, inner_subject)
            if not isinstance(value, Interval):
                continue
            below = depth > 1 and self.trail(inner, inner_subject, depth - 1, sources=sources)
            own = inner_subject.id in (subject.id, "build", "standard")
            of = "" if own else f" of {inner_subject.name}"
            text = f"{label(inner)}{of} {show_value(value, shape_of(inner))}"
            text += f" ({below})" if below else ""
            parts[text] = parts.get(text, 0) + 1
        return ", ".join(f"{n}× {t}" if n > 1 else t for t, n in parts.items())

    def steps(self) -> tuple[Step, ...]:
        """How the numbers of the rule came about: what each was made from, each once."""
        found: dict[tuple[str, str, str], Step] = {}
        for name in self._used:
            self._step(name, self._of(name), 0, found)
        return tuple(found.values())

    def _step(
        self, name: str, subject: Subject, depth: int, found: dict[tuple[str, str, str], Step]
    ) -> None:
        value = self.facts(name, subject)
        shown = show_value(value, shape_of(name))
        key = (name, subject.name, shown)
        if key in found:
            return
        sourced = self.facts.source(name, subject)
        inner = [
            (n, self.facts.graph.subjects[i])
            for n, i in self.facts.used(name, subject)
            if isinstance(self.facts(n, self.facts.graph.subjects[i]), (Interval, str))
        ]
        made = Counter(f"{label(n)}{_of_another(s, subject)}" for n, s in inner)
        made_from = ", ".join(f"{n}× {t}" if n > 1 else t for t, n in made.items())
        found[key] = Step(depth, name, subject.name, shown, made_from, sourced)
        if depth < MOST_STEPS:
            for inner_name, inner_subject in inner:
                self._step(inner_name, inner_subject, depth + 1, found)

    def places(self) -> tuple[PlaceOf, ...]:
        """Where the build file names what takes part, the subject first."""
        subjects = [self.subject]
        for name in self._used:
            self._leaves(name, self._of(name), subjects, 3)
        found: dict[tuple[int, int], PlaceOf] = {}
        for subject in subjects:
            if subject.path and subject.listed:
                line, column = self.document.position(subject.path)
                found.setdefault(
                    (line, column), PlaceOf(self.document.path, line, column, subject.name)
                )
        if not found:
            line, column = self.document.position(())
            return (PlaceOf(self.document.path, line, column, self.subject.name),)
        return tuple(found.values())[:MOST_PLACES]

    def _leaves(self, name: str, subject: Subject, into: list[Subject], depth: int) -> None:
        if subject not in into and subject.path:
            into.append(subject)
        if depth:
            for inner, inner_id in self.facts.used(name, subject):
                self._leaves(inner, self.facts.graph.subjects[inner_id], into, depth - 1)
