"""What published advice says of choosing cards: `rules/advice.yaml` and `rules/chart.yaml`, proven.

A guide is proven when every statement names a source that is there, and every source is named.
The chart is proven when each way through it ends: what it names is there, nothing in it is out of
reach, and no question leads back to itself.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from buildcheck import store
from buildcheck.errors import InputError, Problem, RulebookError
from buildcheck.load import validated
from buildcheck.model.advice import Chart, Guide
from buildcheck.source import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pydantic import BaseModel

    from buildcheck.source import Document
    from buildcheck.source import Path as Spot

_Model = TypeVar("_Model", bound="BaseModel")


@cache
def guide() -> Guide:
    """The shipped guide. Raises `RulebookError` with all that is wrong in its file."""
    return Guide.model_validate(_data("advice", prove_guide))


@cache
def chart() -> Chart:
    """The shipped chart. Raises `RulebookError` with all that is wrong in its file."""
    return Chart.model_validate(_data("chart", lambda found: prove_chart(found, guide())))


def _data(name: str, prove: Callable[[Document], list[Problem]]) -> dict[str, Any]:
    """What stands in a file of `rules/`, once it is proven."""
    path = store.data_folder("rules") / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")

    def proven() -> dict[str, Any]:
        document = read(text.encode(), str(path))
        problems = prove(document)
        if problems:
            raise RulebookError(problems)
        found: dict[str, Any] = read(text.encode(), str(path)).data
        return found

    found: dict[str, Any] = store.cached(f"guide-{name}", store.key_of(text), proven)
    return found


def prove_guide(document: Document) -> list[Problem]:
    """Everything that is wrong in a guide."""
    found, problems = _read(document, Guide)
    if found is None:
        return problems
    asked = list(_sources_of(found))
    problems += _lacking(document, asked, found.sources)
    for number, one in enumerate(found.named):
        at = ("named", number)
        for use in one.uses:
            if use not in found.uses:
                problems.append(document.problem((*at, "uses"), f"there is no use '{use}'"))
        if one.prices and len(one.prices) != len(one.cards):
            what = f"{len(one.cards)} cards have {len(one.prices)} prices"
            problems.append(document.problem((*at, "prices"), what))
    return problems


def _sources_of(found: Guide) -> Iterator[tuple[Spot, str]]:
    """Every name of a source, with its place."""
    for code, use in found.uses.items():
        for n, said in enumerate(use.memory):
            yield ("uses", code, "memory", n, "source"), said.source
    for key, listed in (
        ("priorities", found.priorities),
        ("splits", found.splits),
        ("named", found.named),
    ):
        for n, one in enumerate(listed):
            yield (key, n, "source"), one.source  # type: ignore[attr-defined]
    for code, avoided in found.avoid.items():
        yield from ((("avoid", code, "sources"), source) for source in avoided.sources)
    for key in ("half_precision_gain", "machine_around", "cluster"):
        yield (key, "source"), getattr(found, key).source


def _lacking(
    document: Document, asked: list[tuple[Spot, str]], sources: dict[str, Any]
) -> list[Problem]:
    """Sources that are named and not there, and those that are there and never named."""
    named = {name for _, name in asked}
    found = [
        document.problem(at, f"there is no source '{n}'") for at, n in asked if n not in sources
    ]
    idle = [name for name in sources if name not in named]
    return found + [
        document.problem(("sources", name), f"nothing names '{name}'", key=True) for name in idle
    ]


def prove_chart(document: Document, found_guide: Guide) -> list[Problem]:
    """Everything that is wrong in a chart, for the uses of a guide."""
    found, problems = _read(document, Chart)
    if found is None:
        return problems
    problems += _lacking(document, [(("source",), found.source)], found.sources)
    both = found.questions.keys() & found.ends.keys()
    for name in sorted(both):
        problems.append(document.problem(("ends", name), f"'{name}' is a question too", key=True))
    problems += _strays(document, found)
    problems += _question_problems(document, found, found_guide)
    return [*problems, *_circles(document, found)]


def _strays(document: Document, found: Chart) -> list[Problem]:
    """What leads nowhere, and what nothing leads to."""
    known = found.questions.keys() | found.ends.keys()
    steps: list[tuple[Spot, str]] = [(("start",), found.start)]
    for name, one in found.questions.items():
        steps += [(("questions", name, "then"), one.then)]
        steps += [(("questions", name, "otherwise"), one.otherwise)]
    problems = [
        document.problem(at, f"there is no question and no end '{to}'")
        for at, to in steps
        if to not in known
    ]
    reached = reachable(found)
    for key, names in (("questions", found.questions), ("ends", found.ends)):
        problems += [
            document.problem((key, name), f"no answer leads to '{name}'", key=True)
            for name in names
            if name not in reached
        ]
    return problems


def reachable(found: Chart) -> set[str]:
    """Every question and end that some answers lead to."""
    seen: set[str] = set()
    open_ = [found.start]
    while open_:
        name = open_.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in found.questions:
            open_ += [found.questions[name].then, found.questions[name].otherwise]
    return seen


def _question_problems(document: Document, found: Chart, told: Guide) -> Iterator[Problem]:
    """What questions say of uses and ends that are not there, or of both answers at once."""
    for name, one in found.questions.items():
        at = ("questions", name)
        for key, uses in (("yes_for", one.yes_for), ("no_for", one.no_for)):
            for use in uses:
                if use not in told.uses:
                    yield document.problem((*at, key), f"there is no use '{use}'")
        for use in {*one.yes_for} & {*one.no_for}:
            yield document.problem((*at, "no_for"), f"'{use}' is answered in both ways")
        if one.affords and (one.affords not in found.ends or not found.ends[one.affords].memory):
            what = f"'{one.affords}' is no end with an amount of memory"
            yield document.problem((*at, "affords"), what)


def _circles(document: Document, found: Chart) -> list[Problem]:
    """Questions from which an answer leads back to themselves."""
    done: set[str] = set()
    problems: list[Problem] = []

    def walk(name: str, way: tuple[str, ...]) -> None:
        if name in way:
            what = f"'{name}' leads back to itself"
            problems.append(document.problem(("questions", name), what, key=True))
        elif name in found.questions and name not in done:
            one = found.questions[name]
            walk(one.then, (*way, name))
            walk(one.otherwise, (*way, name))
            done.add(name)

    walk(found.start, ())
    return problems


def _read(document: Document, model: type[_Model]) -> tuple[_Model | None, list[Problem]]:
    """A file as its model, and what is wrong with it."""
    problems = list(document.problems)
    if problems or not isinstance(document.data, dict):
        return None, problems or [document.problem((), "this is no guide")]
    try:
        found, wrong = validated(document.data, document, model)
    except InputError as error:
        return None, list(error.problems)
    # What was set aside as unusable would be missed by everything that names it.
    return (None, wrong) if wrong else (found, [])
