"""The proof of all rule files: of each its shape, its names, its units.

Used when a rulebook is loaded for the first time and by the tests of the rulebook;
a proven rule is not proven again.
"""

from collections.abc import Collection, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from buildcheck import store, units
from buildcheck.errors import Problem, RulebookError
from buildcheck.logic import dimension
from buildcheck.logic.parse import Compare, Tree, names, pack, parse
from buildcheck.logic.sentence import Placeholder, sentence
from buildcheck.measure.shapes import shape_of, subject_kinds
from buildcheck.model.document import StrictModel
from buildcheck.model.graph import SINGLE
from buildcheck.model.rule import BASES, GRADE_KEYS, plain_rule, rule_files
from buildcheck.model.source import Document
from buildcheck.rulebook.overlay import Limit, laid_over, loosened, tightened

Text = Annotated[str, Field(min_length=3, max_length=2000)]


class SourceDocument(StrictModel):
    """Where a number or a claim comes from."""

    title: Text
    url: Text | None = None
    document: Text | None = None
    read: str | None = None


class TermDocument(StrictModel):
    """A named number that all grades share."""

    value: int | float | str
    why: Text
    source: str


class GradeDocument(BaseModel):
    """A severity and its limits; every further key is a named limit."""

    model_config = ConfigDict(extra="allow")

    severity: Literal["error", "warning", "note"]
    title: Annotated[str, Field(min_length=3, max_length=80)]
    why: Text
    source: str
    message: Text | None = None
    fix: Text | None = None


class ExampleDocument(StrictModel):
    """Given these facts, expect this: a grade that fails, or another verdict."""

    given: dict[str, Any]
    expect: str | list[str]


class RuleDocument(StrictModel):
    """A rule file."""

    id: str
    applies_to: str
    when: Text | None = None
    require: Text
    terms: dict[str, TermDocument] = Field({})
    limits: Annotated[list[GradeDocument], Field(min_length=1, max_length=3)]
    basis: str
    message: Text
    passes: Text
    fix: Text
    define: dict[str, Any] = Field({})
    follows: list[str] = Field([])
    why: Text
    impact: Text
    remedy: Text
    sources: dict[str, SourceDocument]
    examples: Annotated[list[ExampleDocument], Field(min_length=4)]

    @field_validator("basis")
    @classmethod
    def _known_basis(cls, value: str) -> str:
        if value not in BASES:
            raise ValueError(f"needs one of: {', '.join(BASES)}")
        return value


def prove(folders: list[Path], limits: Sequence[Limit] = ()) -> dict[str, Any]:
    """Read and prove every rule of several folders; plain data for the cache."""
    problems: list[Problem] = []
    files: dict[str, Path] = {}
    proven: dict[str, dict[str, Any]] = {}
    known = {i for folder in folders for i, _ in rule_files(folder)}
    for folder in folders:
        for rule_id, path in rule_files(folder):
            document, wrong = laid_over(path, proven)
            problems += wrong + _add(rule_id, document, proven, known)
            files[rule_id] = path
    for limit in () if problems else limits:
        document, wrong = tightened(limit, proven)
        problems += wrong or _add(limit[0], document, proven, known)
    problems = problems or _circle(list(proven.values()), files)
    RulebookError.raise_any(problems)
    rules = [plain_rule(proven[rule_id]) for rule_id in sorted(proven)]
    for rule in rules:
        texts = {key: rule[key] for key in ("when", "require") if rule[key]}
        rule["trees"] = {key: pack(parse(text)) for key, text in texts.items()}
    digests = [store.digest(folder) for folder in folders]
    if limits:
        said = repr([(rule, grades) for rule, _, _, grades in limits])
        digests.append(f"limits:{store.key_of(said)}")
    return {"rules": rules, "digest": digests[0] if len(digests) == 1 else " ".join(digests)}


def _add(
    rule_id: str, document: Document, rules: dict[str, dict[str, Any]], known: Collection[str]
) -> list[Problem]:
    """Prove a rule, which finds no less than the one it is laid over; what is wrong with it."""
    data, problems = prove_rule(rule_id, document, known)
    if not problems:
        problems = loosened(document, rules.get(rule_id, data), data)
        rules[rule_id] = data
    return problems


def _circle(rules: list[dict[str, Any]], files: dict[str, Path]) -> list[Problem]:
    """Rules that are, by `follows`, consequences of themselves."""
    try:
        TopologicalSorter({rule["id"]: rule.get("follows", ()) for rule in rules}).prepare()
    except CycleError as error:
        advice = "Take one 'follows' out"
        circle: list[str] = error.args[1][1:]
        return [Problem(str(files[i]), 1, 1, f"'{i}' follows from itself", advice) for i in circle]
    return []


def prove_rule(
    rule_id: str, document: Document, known: Collection[str]
) -> tuple[dict[str, Any], list[Problem]]:
    """The plain data of a rule file, and everything wrong with it; `known` are all ids."""
    if document.problems or not isinstance(document.data, dict):
        return {}, document.problems or [document.problem((), "a rule file is a mapping")]
    try:
        RuleDocument.model_validate(document.data)
    except ValidationError as error:
        return document.data, [
            document.problem(d["loc"], f"'{d['loc'][-1] if d['loc'] else 'rule'}': {d['msg']}")
            for d in error.errors()
        ]
    proof = _Proof(rule_id, document)
    proof.run()
    lost = [
        document.problem(("follows", number), f"there is no rule '{cause}'")
        for number, cause in enumerate(document.data.get("follows", []))
        if cause not in known
    ]
    return document.data, proof.problems + lost


class _Proof:
    def __init__(self, rule_id: str, document: Document) -> None:
        self.id = rule_id
        self.document = document
        self.data = document.data
        self.problems: list[Problem] = []

    def _complain(self, path: tuple[str | int, ...], message: str) -> None:
        self.problems.append(self.document.problem(path, message))

    def run(self) -> None:
        if self.data["id"] != self.id:
            self._complain(("id",), f"the id must be '{self.id}', as the path is")
        if (kind := self.data["applies_to"]) not in subject_kinds():
            self._complain(("applies_to",), f"there is no kind of subject '{kind}'")
        self._check_sources()
        for number, grade in enumerate(self.data["limits"]):
            self._check_grade(number, grade)

    def _check_sources(self) -> None:
        known = set(self.data["sources"])
        used = [(("limits", i), g["source"]) for i, g in enumerate(self.data["limits"])]
        used += [(("terms", n), t["source"]) for n, t in self.data.get("terms", {}).items()]
        for path, name in used:
            if name not in known:
                self._complain((*path, "source"), f"there is no source '{name}'")

    def _check_grade(self, number: int, grade: dict[str, Any]) -> None:
        limits = {n: v for n, v in grade.items() if n not in GRADE_KEYS}
        limits |= {n: t["value"] for n, t in self.data.get("terms", {}).items()}
        shapes = {n: dimension.of(str(text)) for n, text in limits.items()}
        claims = {key: self.data[key] for key in ("when", "require") if self.data.get(key)}
        used = [name for k, text in claims.items() for name in self._check_claim(k, text, shapes)]
        for name in sorted(set(limits) - {*used}):
            self._complain(("limits", number), f"the limit '{name}' is not used")
        for key in ("message", "passes", "fix"):
            if key in grade:
                self._check_sentence(("limits", number, key), grade[key], shapes)
            if key in self.data:
                self._check_sentence((key,), self.data[key], shapes)

    def _check_sentence(
        self, path: tuple[str | int, ...], text: str, limits: dict[str, dimension.Shape]
    ) -> None:
        """Every placeholder names what the rule can see, in units that make sense."""
        try:
            for part in sentence(" ".join(text.split())):
                if isinstance(part, Placeholder):
                    found = names(part.tree)
                    self._check_kinds([n for n in found if n not in limits])
                    shapes = {n: limits.get(n) or shape_of(n) for n in found}
                    known = {n: s for n, s in shapes.items() if s is not None}
                    self._check_shown(part, dimension.side(part.tree, known))
        except ValueError as error:
            self._complain(path, str(error))

    @staticmethod
    def _check_shown(part: Placeholder, shape: dimension.Shape) -> None:
        if part.is_percentage and shape != units.NUMBER:
            raise ValueError("a percentage is made of a number without a unit")
        if shape == dimension.TRUTH:
            raise ValueError("a truth cannot be filled into a sentence")

    def _check_claim(self, key: str, text: str, limits: dict[str, dimension.Shape]) -> list[str]:
        try:
            tree = parse(text)
            found = names(tree)
            self._check_names(key, tree, found, limits)
            shapes = {n: limits.get(n) or shape_of(n) for n in found}
            dimension.check(tree, {n: s for n, s in shapes.items() if s is not None})
        except ValueError as error:
            self._complain((key,), str(error))
            return []
        return found

    def _check_names(
        self, key: str, tree: Tree, found: list[str], limits: dict[str, dimension.Shape]
    ) -> None:
        facts = [n for n in found if n not in limits]
        self._check_kinds(facts)
        if isinstance(tree, Compare) and len(facts) > len(set(facts)):
            raise ValueError(
                "a fact stands twice in one comparison; name a fact for what they make together"
            )
        if key == "require" and not isinstance(tree, Compare) and len(facts) != 1:
            raise ValueError("'require' is one comparison or one truth; anything more is two rules")

    def _check_kinds(self, facts: list[str]) -> None:
        for name in facts:
            kind = name.partition(".")[0]
            if kind != self.data["applies_to"] and kind not in SINGLE:
                raise ValueError(
                    f"'{name}' is not a fact of a {self.data['applies_to']}, "
                    "nor of something a build has one of"
                )
