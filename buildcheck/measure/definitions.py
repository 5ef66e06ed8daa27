"""A folder of rules → the facts it declares, their names and units proven.

They are in `definitions/` and, where one rule alone needs them, in its own `define:`.

A file holds facts by name. `is:` is a claim or a side of the rule language, where a quantity that
is not known is any; `first:` is the first of several of which all that it is made from is known.
`sum:`, `total:` (nothing if one is not known), `largest:`, `least:`, `span:` (from the least to the
largest), `same:` (what all have), `kinds:` (how many different ones), `any:` and `all:` are over
the subjects that an edge or a relation of `facts.registry` leads to (`over:`) or an edge comes from
(`from:`), or of a kind (`of:`); `count:` and `has:` of a kind likewise. `where:` leaves some out,
and `share:` says what part of several the subject has.
`seated.slot` is what the edge of that kind of a subject says of its slot. `for: {x: [a, b]}` makes
one fact of each word, in place of every `{x}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from buildcheck import store
from buildcheck.connect import STAGE_OF
from buildcheck.errors import Problem, RulebookError
from buildcheck.facts import FACTS
from buildcheck.facts.declared import Definition, declare
from buildcheck.facts.registry import EDGES, RELATIONS
from buildcheck.logic import dimension
from buildcheck.logic.dimension import Shape
from buildcheck.logic.parse import Number, Tree, names, pack, parse
from buildcheck.measure.shapes import shape_of, subject_kinds
from buildcheck.model.source import Document, value_at
from buildcheck.units import NUMBER

FORMS = (
    *("is", "first", "sum", "total", "largest", "least", "span", "same", "kinds"),
    *("any", "all", "count", "has"),
)
WAYS = ("over", "from", "of")
#: Forms of which a value may be a claim, a quantity or a code.
_OWN = ("is", "first", "same")
_KEYS = {*FORMS, *WAYS, "where", "share", "terms", "says"}


def load_definitions(folder: Path | None = None) -> None:
    """Declare the facts of a folder of rules. Raises `RulebookError` with all that is wrong."""
    where = folder or store.data_folder("rules")
    data = store.cached("definitions", store.signature(where), lambda: prove(where))
    declare(Definition(n, tuple(s) if isinstance(s, list) else s, *rest) for n, s, *rest in data)


def prove(folder: Path) -> list[Definition]:
    """Every definition of a folder, what each is made from first; plain data for the cache."""
    problems: list[Problem] = []
    waiting: dict[str, _Stated] = {}
    for one in _stated(folder, problems):
        if one.name in waiting or (one.name in FACTS and FACTS[one.name].reads is None):
            problems.append(one.problem(f"there is a fact '{one.name}' already"))
        waiting[one.name] = one
    proven: dict[str, Definition] = {}
    while waiting:
        ready = [n for n, one in waiting.items() if not _lacks(one.data, waiting)]
        if not ready:
            problems.append(next(iter(waiting.values())).problem("it is made from itself"))
            break
        for name in ready:
            one = waiting.pop(name)
            try:
                proven[name] = _proven(name, one.data, proven)
            except ValueError as error:
                problems.append(one.problem(str(error)))
    RulebookError.raise_any(problems)
    return list(proven.values())


class _Stated(NamedTuple):
    """A definition as a file has it."""

    name: str
    data: Any
    document: Document
    path: tuple[str, ...]

    def problem(self, what: str) -> Problem:
        return self.document.problem((*self.path, self.name), f"{self.name}: {what}")


def _stated(folder: Path, problems: list[Problem]) -> Iterator[_Stated]:
    """Every definition of a folder; a rule file without any is not read."""
    from buildcheck.model.source import read  # only when a definition has changed

    for file_id, path in store.files(folder):
        raw, is_own = path.read_bytes(), file_id.startswith("definitions/")
        if is_own or b"\ndefine:" in raw:
            document = read(raw, str(path))
            problems += document.problems
            at = () if is_own else ("define",)
            # What is no mapping in a rule file is found where its rule is proven.
            stated = value_at(document.data, at)
            for name, data in stated.items() if isinstance(stated, dict) else ():
                for each, one in _family(name, data):
                    yield _Stated(each, one, document, at)


def _family(name: str, data: Any) -> Iterator[tuple[str, Any]]:
    """A definition, or those of a family that differ in some words."""
    words = data.get("for") if isinstance(data, dict) else None
    if not (isinstance(words, dict) and all(isinstance(of, list) for of in words.values())):
        yield name, data
        return
    texts = [json.dumps([name, {k: v for k, v in data.items() if k != "for"}])]
    for word, values in words.items():
        texts = [text.replace(f"{{{word}}}", str(v)) for text in texts for v in values]
    yield from map(json.loads, texts)


def _lacks(data: Any, waiting: dict[str, Any]) -> bool:
    """Does a definition name another that is not proven yet?"""
    stated = [data.get(k) for k in (*FORMS, "where", "share")] if isinstance(data, dict) else []
    return not waiting.keys().isdisjoint(re.findall(r"[\w.]+", str(stated)))


def _proven(name: str, data: Any, proven: dict[str, Definition]) -> Definition:
    """A definition with its shape. Raises `ValueError` with what is wrong."""
    if not isinstance(data, dict) or data.keys() - _KEYS:
        raise ValueError(f"needs a mapping with keys of: {', '.join(sorted(_KEYS))}")
    if name.partition(".")[0] not in subject_kinds():
        raise ValueError("its first word is no kind of subject")
    form, way = _one(data, FORMS), _one(data, WAYS)
    if form in ("count", "has") and way is None:
        data, way = {**data, "of": data[form]}, "of"
    if form is None or (way is None) != (form in ("is", "first")):
        raise ValueError(f"needs one of {', '.join(FORMS)}; from 'sum' on also one of {WAYS}")
    known = {*STAGE_OF, *RELATIONS} if way == "over" else {"card", *subject_kinds()}
    known = {*STAGE_OF} if way == "from" else known
    if way and str(data[way]) not in known:
        raise ValueError(f"'{way}' needs one of: {', '.join(sorted(known))}")
    terms = _terms(data.get("terms", {}))
    stated = data[form] if isinstance(data[form], list) else [data[form]]
    values = [] if form in ("count", "has") else [parse(str(text)) for text in stated]
    where, share = ([parse(str(data[key]))] if key in data else [] for key in ("where", "share"))
    shapes = _shapes(values + where + share, terms, proven)
    for claim in where:
        dimension.check(claim, shapes)
    if any(dimension.side(tree, shapes) != NUMBER for tree in share):
        raise ValueError("'share' needs a part of a whole")
    # Nothing fits any dimension.
    kinds = {dimension.side(t, shapes) for t in values if t != Number(0) or form == "is"}
    found = kinds or {dimension.TRUTH if form == "has" else NUMBER}
    if len(found) > 1:
        raise ValueError("what it may be is not of one kind")
    (shape,) = {NUMBER} if form == "kinds" else found
    if (shape == dimension.TRUTH) != (form in ("any", "all", "has")) and form not in _OWN:
        raise ValueError(f"'{form}' does not go with {shape}")
    named = [n for n in shapes if n not in terms]
    reads = tuple(dict.fromkeys([*named, *(field for n in named for field in _lacked(n))]))
    numbers = tuple(n for n in named if isinstance(shapes[n], tuple))
    edge = str(data[way]) if way else ""
    trees, claims, shares = ([pack(tree) for tree in some] for some in (values, where, share))
    return Definition(
        name, shape, form, trees, way or "", edge, claims, shares, terms, reads, numbers
    )


def _lacked(name: str) -> Iterator[str]:
    """The fields that what an edge says was made from."""
    kind, _, datum = name.partition(".")
    if kind in EDGES:
        yield from filter(None, (EDGES[kind].field, *EDGES[kind].of_ends.get(datum, ())))


def _terms(given: Any) -> dict[str, str]:
    if not isinstance(given, dict) or any(value_at(given, (n, "value")) is None for n in given):
        raise ValueError("'terms' needs a value for each name, as in {most: {value: 2, why: ...}}")
    return {name: str(given[name]["value"]) for name in given}


def _one(data: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    found = [key for key in keys if key in data]
    if len(found) > 1:
        raise ValueError(f"has both {' and '.join(found)}")
    return found[0] if found else None


def _shapes(
    trees: list[Tree], terms: dict[str, str], proven: dict[str, Definition]
) -> dict[str, Shape]:
    shapes: dict[str, Shape] = {n: dimension.of(text) for n, text in terms.items()}
    for name in (n for tree in trees for n in names(tree) if n not in terms):
        kind, _, datum = name.partition(".")
        shape = EDGES[kind].shapes.get(datum) if kind in EDGES else shape_of(name)
        shape = proven[name].shape if name in proven else shape
        if shape is None:
            raise ValueError(f"there is no fact or term '{name}'")
        shapes[name] = shape
    return shapes
