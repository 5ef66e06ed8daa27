"""Published advice on choosing GPUs, proven: `rules/advice.yaml` and `rules/chart.yaml`.

Every statement names a source, and every source is named. Each path through the flowchart reaches
an end, everything in it is on a path, and no question leads back to itself.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from buildcheck import store
from buildcheck.errors import InputError, Problem, RulebookError
from buildcheck.load.sentences import validated
from buildcheck.model.advice import Chart, Guide
from buildcheck.model.source import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pydantic import BaseModel

    from buildcheck.model.source import Document
    from buildcheck.model.source import Path as Spot

_Model = TypeVar("_Model", bound="BaseModel")


@cache
def guide() -> Guide:
    """The shipped guide. Raises `RulebookError` with all that is wrong in its file."""
    return Guide.model_validate(_data("advice", prove_guide))


@cache
def chart() -> Chart:
    """The shipped flowchart. Raises `RulebookError` with all that is wrong in its file."""
    return Chart.model_validate(_data("chart", lambda found: prove_chart(found, guide())))


def _data(name: str, prove: Callable[[Document], list[Problem]]) -> dict[str, Any]:
    """The content of a file of `rules/`, once it is proven."""
    path = store.data_folder("rules") / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")

    def proven() -> dict[str, Any]:
        problems = prove(read(text.encode(), str(path)))
        if problems:
            raise RulebookError(problems)
        found: dict[str, Any] = read(text.encode(), str(path)).data
        return found

    found: dict[str, Any] = store.cached(f"guide-{name}", store.key_of(text), proven)
    return found


def prove_guide(document: Document) -> list[Problem]:
    """Everything that is wrong in a guide."""
    found, problems = _read(document, Guide)
    for number, one in enumerate(found.named if found else ()):
        at = ("named", number)
        problems += _unknown_uses(document, found, (*at, "uses"), one.uses)
        if one.prices and len(one.prices) != len(one.cards):
            what = f"{len(one.cards)} cards have {len(one.prices)} prices"
            problems.append(document.problem((*at, "prices"), what))
    return problems


def prove_chart(document: Document, advice: Guide) -> list[Problem]:
    """Everything that is wrong in a flowchart, for the uses of a guide."""
    found, problems = _read(document, Chart)
    if found is None:
        return problems
    for name in sorted(found.questions.keys() & found.ends.keys()):
        problems.append(document.problem(("ends", name), f"'{name}' is a question too", key=True))
    for name, one in found.questions.items():
        at = ("questions", name)
        for key, uses in (("yes_for", one.yes_for), ("no_for", one.no_for)):
            problems += _unknown_uses(document, advice, (*at, key), uses)
        for use in {*one.yes_for} & {*one.no_for}:
            problems.append(document.problem((*at, "no_for"), f"'{use}' is answered in both ways"))
        if one.affords and (one.affords not in found.ends or not found.ends[one.affords].memory):
            what = f"'{one.affords}' is no end with an amount of memory"
            problems.append(document.problem((*at, "affords"), what))
    return [*problems, *_path_problems(document, found)]


def _path_problems(document: Document, found: Chart) -> Iterator[Problem]:
    """Answers that lead nowhere, what no answer leads to, and questions that lead to themselves."""
    import networkx as nx  # slow to import, and only when the file has changed

    steps = [
        (name, key, getattr(one, key))
        for name, one in found.questions.items()
        for key in ("then", "otherwise")
    ]
    places: list[tuple[Spot, str]] = [(("start",), found.start)]
    places += [(("questions", name, key), to) for name, key, to in steps]
    for at, to in places:
        if to not in found.questions and to not in found.ends:
            yield document.problem(at, f"there is no question and no end '{to}'")
    graph: nx.DiGraph[str] = nx.DiGraph((name, to) for name, _, to in steps)
    graph.add_node(found.start)
    reached = {found.start, *nx.descendants(graph, found.start)}
    for key, names in (("questions", found.questions), ("ends", found.ends)):
        for name in names:
            if name not in reached:
                yield document.problem((key, name), f"no answer leads to '{name}'", key=True)
    for circle in nx.simple_cycles(graph):
        what = f"'{circle[0]}' leads back to itself"
        yield document.problem(("questions", circle[0]), what, key=True)


def _unknown_uses(
    document: Document, advice: Guide | None, at: Spot, uses: tuple[str, ...]
) -> list[Problem]:
    known = advice.uses if advice else {}
    return [document.problem(at, f"there is no use '{use}'") for use in uses if use not in known]


def _read(document: Document, model: type[_Model]) -> tuple[_Model | None, list[Problem]]:
    """A file as its model, None if it is unusable, and what is wrong with it or its sources."""
    problems = list(document.problems)
    if problems or not isinstance(document.data, dict):
        return None, problems or [document.problem((), "this is no guide")]
    named = list(_named_sources(document.data))
    try:
        found, problems = validated(document.data, document, model)
    except InputError as error:
        return None, list(error.problems)
    # What was set aside as unusable would be missed by everything that names it.
    if problems:
        return None, problems
    sources = document.data["sources"]
    problems = [
        document.problem(at, f"there is no source '{name}'")
        for at, name in named
        if name not in sources
    ]
    for name in sorted(sources.keys() - {name for _, name in named}):
        problems.append(document.problem(("sources", name), f"nothing names '{name}'", key=True))
    return found, problems


def _named_sources(value: Any, at: Spot = ()) -> Iterator[tuple[Spot, str]]:
    """Every name of a source, with its place."""
    if at[-1:] == ("source",):
        yield at, value
    elif at[-1:] == ("sources",) and isinstance(value, list):
        yield from ((at, name) for name in value)
    elif isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in items:
            yield from _named_sources(one, (*at, key))
