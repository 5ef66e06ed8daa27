"""Is each word known to the catalogue, where there is a closed list?

Rules compare words as written: a misspelt one matches nothing, without any message.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from buildcheck.catalog import Catalog
from buildcheck.errors import CatalogError
from buildcheck.importers.lint.facts import PartFacts
from buildcheck.importers.lint.rules import by_field, word_list
from buildcheck.words.names import squashed

#: Most known words listed where none is similar.
_SHOWN = 12
#: Words less alike than this are not worth proposing.
_ALIKE = 0.6


@lru_cache(maxsize=32)
def _known(catalog: Catalog, name: str) -> frozenset[str]:
    """The words of a list; none if the catalogue has none of its parts."""
    about = word_list(name)
    given = frozenset(about.get("known", ()))
    if "of" not in about:
        return given
    kind, _, field = about["of"].partition(".")
    found = frozenset(filter(None, (_word(catalog, i, field) for i in catalog.ids(kind))))
    return found and found | given


def _word(catalog: Catalog, part_id: str, field: str) -> str | None:
    """A part's value of a field, its name, or the end of its `id`."""
    if field == "id":
        return part_id.rpartition("/")[2]
    try:
        part = catalog.part(part_id)
    except CatalogError:
        return None
    return part.name if field == "name" else part.value(field)


def unknown_words(facts: PartFacts) -> Iterator[tuple[str, str, str]]:
    """Every word that is not in its closed list: field, message, and the nearest words."""
    own = facts.own()
    for field, name in by_field(facts.part.kind, "words").items():
        value, about = own[field].value if field in own else (), word_list(name)
        known = _known(facts.catalog, name)
        for word in sorted({value} if isinstance(value, str) else value) if known else ():
            alike = {squashed(k) for k in known} if about.get("open") else {squashed(word)}
            if word not in {*known, *about.get("also", ())} and squashed(word) in alike:
                near = _nearest(word, name, facts.catalog) + about.get("advice", "")
                yield field, f"'{word}' is no {about['says']}", near


def _nearest(word: str, name: str, catalog: Catalog) -> str:
    """What to write instead: the word that was meant, else the nearest, else all there are."""
    import difflib  # only for words that are not there

    known, kind = _known(catalog, name), word_list(name).get("kind", "")
    alike = {k for k in known if squashed(k) == squashed(word)}
    if not alike and kind:
        alike = _by_name(word, kind, catalog) & known
    if not alike:
        lower = {k.lower(): k for k in sorted(known)}
        alike = {lower[k] for k in difflib.get_close_matches(word.lower(), lower, 1, _ALIKE)}
    if alike:
        return f"Did you mean {', '.join(sorted(alike))}?"
    shown = sorted(known)
    return f"Known: {', '.join(shown[:_SHOWN])}{' …' * (len(shown) > _SHOWN)}"


def _by_name(word: str, kind: str, catalog: Catalog) -> set[str]:
    """The words of the part that goes by a name, in whatever order its words stand."""
    found = catalog.known(kind, word)
    return {found.rpartition("/")[2], catalog.index.name(found)} if found else set()
