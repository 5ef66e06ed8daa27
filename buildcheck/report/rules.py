"""Rules as the commands that list and explain them show them."""

from buildcheck.logic.sentence import outline
from buildcheck.measure.shapes import shape_of
from buildcheck.model.answer import made_of
from buildcheck.model.frozen import Frozen
from buildcheck.model.rule import Rule
from buildcheck.report.answer import SourceAnswer
from buildcheck.rulebook import Rulebook
from buildcheck.units import describe


class GradeAnswer(Frozen):
    """A severity with its title, its limits and their reason."""

    severity: str
    title: str
    why: str
    limits: dict[str, str]


class TermAnswer(Frozen):
    """A number that all grades of a rule share."""

    name: str
    value: str
    why: str


class RuleAnswer(Frozen):
    """Everything a rule says."""

    id: str
    applies_to: str
    require: str
    basis: str
    grades: tuple[GradeAnswer, ...]
    when: str = ""
    why: str = ""
    impact: str = ""
    fix: str = ""
    remedy: str = ""
    follows: tuple[str, ...] = ()
    terms: tuple[TermAnswer, ...] = ()
    #: The facts it compares, and what each is: a kind of quantity, a truth or a code.
    facts: dict[str, str] | None = None
    sources: tuple[SourceAnswer, ...] = ()


class RulesAnswer(Frozen):
    """The rulebook."""

    digest: str
    rules: tuple[RuleAnswer, ...]


def rules_answer(book: Rulebook) -> RulesAnswer:
    """Every rule, in short."""
    of = (
        RuleAnswer(r.id, r.applies_to, r.require, r.basis, _grades(r), r.when) for r in book.rules
    )
    return RulesAnswer(book.digest, tuple(of))


def rule_answer(rule: Rule) -> RuleAnswer:
    """One rule, whole."""
    shapes = {name: shape_of(name) for name in sorted(rule.used)}
    return made_of(
        RuleAnswer,
        rule,
        grades=_grades(rule),
        fix=outline(rule.fix),
        terms=tuple(TermAnswer(n, t["value"], t["why"]) for n, t in rule.terms.items()),
        facts={n: s if isinstance(s, str) else describe(s) for n, s in shapes.items() if s},
        sources=source_answers(rule),
    )


def source_answers(rule: Rule) -> tuple[SourceAnswer, ...]:
    """The documents that a rule is from."""
    every = rule.sources.values()
    return tuple(SourceAnswer(s["title"], s.get("url") or s.get("document", "")) for s in every)


def _grades(rule: Rule) -> tuple[GradeAnswer, ...]:
    return tuple(GradeAnswer(g.severity, g.title, g.why, g.limits) for g in rule.grades)
