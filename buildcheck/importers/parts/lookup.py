"""Names as people type them → parts of the catalogue, of whatever kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.catalog.layers import kinds, shipped
from buildcheck.errors import InputError, NameUnknownError, Problem
from buildcheck.importers.parts.answer import FoundPart, PartSearchAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from buildcheck.catalog import Catalog

_NEAREST = 3


def part_search_answer(
    words: str, kind: str | None = None, limit: int = 20, labs: Iterable[Path] = ()
) -> PartSearchAnswer:
    """Parts that words name; without words all of a kind. Raises `InputError`."""
    index = shipped(labs=tuple(labs))
    asked = [kind] if kind else kinds()
    found = index.listed(kind) if kind and not words else index.search(asked, words)
    # A listing says more than a name: what it names in full is found as well.
    found = found or [part for one in asked if (part := index.within(one, words))]
    rows = [(part_id, index.rows(part_id)) for part_id in found[:limit]]
    parts = tuple(
        FoundPart(
            part_id,
            part_id.partition("/")[0],
            index.name(part_id),
            layers[0][0].name,
            tuple(sorted({n for _, row in layers for n in row.numbers})),
        )
        for part_id, layers in rows
    )
    return PartSearchAnswer(len(found), parts, has_words=bool(words))


def find_part(catalog: Catalog, name: str, kind: str | None) -> str:
    """The one part of that id or name. Raises `InputError` with those that could be meant."""
    if catalog.has(name) and kind in (None, name.partition("/")[0]):
        return name
    found: list[str] = []
    could: list[tuple[str, str]] = []
    near: list[tuple[str, str]] = []
    for one in [kind] if kind else kinds():
        try:
            found.append(catalog.find(one, name))
        except NameUnknownError as error:
            (could if error.ambiguous else near).extend((n, one) for n in error.near)
    if len(found) == 1 and not could:
        return found[0]
    message = f"no {kind or 'part'} is called '{name}'"
    advice = "Try 'buildcheck parts search'"
    names: list[str] = []
    could += [(catalog.index.name(i), i.partition("/")[0]) for i in found]
    if could:
        message = f"'{name}' could be more than one {kind or 'part'}"
        several = len({of for _, of in could}) > 1
        names, advice = _with_kinds(could), "Write one of them, or add --kind" * several
    elif near:
        from difflib import get_close_matches  # only for names that are not there

        nearest = {n.lower(): (n, one) for n, one in reversed(near)}
        close = get_close_matches(name.lower(), nearest, _NEAREST, 0)
        names, advice = _with_kinds([nearest[n] for n in close]), ""
    raise InputError([Problem("parts", 0, 0, message, advice, tuple(names))])


def _with_kinds(names: list[tuple[str, str]]) -> list[str]:
    """Names, with their kinds where those differ."""
    several = len({kind for _, kind in names}) > 1
    return [f"{name} ({kind})" if several else name for name, kind in names]
