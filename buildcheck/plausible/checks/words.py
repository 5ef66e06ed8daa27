"""Is each word known to the catalogue, where there is a closed list?

Rules compare words as written: a misspelt one matches nothing, without any message.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from buildcheck.catalog import NameUnknownError
from buildcheck.names import squashed
from buildcheck.plausible.checks.sockets import sockets
from buildcheck.plausible.declared import by_field
from buildcheck.plausible.look import per_catalog
from buildcheck.words.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.plausible.look import Checks, Doubt, Look

#: Most known words listed where none is similar.
_SHOWN = 12
#: Words less alike than this are not worth proposing.
_ALIKE = 0.6
_SPLIT = re.compile(r"x(?:1|2|4|8|16)(?:/x(?:1|2|4|8|16))*")


def _tail(part_id: str) -> str:
    return part_id.rpartition("/")[2]


def _generations(catalog: Catalog) -> set[Any]:
    return {
        catalog.part(i).value("generation")
        for i in catalog.ids("memory-kind")
        if catalog.index.rows(i)[0][1].facts is not None
    }


#: The lists that hold words of parts; all others are given.
_OF_PARTS: Mapping[str, Callable[[Catalog], Iterable[Any]]] = {
    "connector": lambda catalog: map(_tail, catalog.ids("connector")),
    "feed": lambda catalog: map(_tail, catalog.ids("connector")),
    "board form": lambda catalog: map(catalog.index.name, catalog.ids("form-factor")),
    "socket": sockets,
    "memory generation": _generations,
    "family": lambda catalog: (catalog.part(i).value("family") for i in catalog.ids("cpu")),
}


@per_catalog
def _lists(_catalog: Catalog) -> dict[str, frozenset[str]]:
    """The lists that were asked for, by name."""
    return {}


def _list(catalog: Catalog, name: str) -> frozenset[str]:
    """The words of a list; none if the catalogue has none of its parts."""
    lists = _lists(catalog)
    if name not in lists:
        given = frozenset(_about(name).get("known", ()))
        found = frozenset(filter(None, _OF_PARTS[name](catalog))) if name in _OF_PARTS else given
        lists[name] = found and found | given
    return lists[name]


def _about(name: str) -> dict[str, Any]:
    """What is said of a list, and the words that no part has."""
    said: dict[str, Any] = vocabulary("part-values")["lists"].get(name, {})
    return said


def known_words(look: Look) -> Iterator[Doubt]:
    """Every word of a closed list is in it; a problem names the nearest ones."""
    for field, name in by_field(look.part.kind, "words").items():
        value = look.own(field)
        if value is None:
            continue
        known, about = _list(look.catalog, name), _about(name)
        for word in sorted({value} if isinstance(value, str) else value) if known else ():
            if word not in known and word not in about.get("also", ()):
                near = nearest(word, name, look.catalog)
                yield look.doubt(field, f"'{word}' is no {about['says']}", near)


def nearest(word: str, name: str, catalog: Catalog) -> str:
    """What to write instead: the word that was meant, else the nearest, else all there are."""
    import difflib  # only for words that are not there

    known, kind = _list(catalog, name), _about(name).get("kind", "")
    alike = [k for k in known if squashed(k) == squashed(word)]
    if not alike and kind:
        alike = sorted(_by_name(word, kind, catalog) & known)
    if not alike:
        lower = {k.lower(): k for k in sorted(known)}
        alike = [lower[k] for k in difflib.get_close_matches(word.lower(), lower, 1, _ALIKE)]
    if alike:
        return f"Did you mean {', '.join(sorted(alike))}?"
    shown = sorted(known)
    return f"Known: {', '.join(shown[:_SHOWN])}{' …' * (len(shown) > _SHOWN)}"


def _by_name(word: str, kind: str, catalog: Catalog) -> frozenset[str]:
    """The words of the part that goes by a name, in whatever order its words stand."""
    try:
        found = catalog.find(kind, word)
    except NameUnknownError:
        return frozenset()
    return frozenset({_tail(found), catalog.index.name(found)})


def families(look: Look) -> Iterator[Doubt]:
    """CPU families are written as CPUs have them; those without a CPU here are left alone."""
    for field in ("cpu_families", "cpu_families_updated"):
        for word in sorted(look.own(field) or ()):
            known = _list(look.catalog, "family")
            meant = sorted(k for k in known if squashed(k) == squashed(word))
            if meant and word not in known:
                message = f"'{word}' is written otherwise by the CPUs of that family"
                yield look.doubt(field, message, f"Write {meant[0]}")


def splits(look: Look) -> Iterator[Doubt]:
    """Ways to split a slot are written as rules compare them."""
    ways = {way for slot in look.own("slots") or () for way in slot.bifurcation or ()}
    for way in sorted(ways):
        if not _SPLIT.fullmatch(way):
            message = f"'{way}' is no way to split a slot"
            yield look.doubt("slots", message, "Write it as x8/x8 or x4/x4/x4/x4")


CHECKS: Checks = {"": (known_words,), "motherboard": (splits, families)}
