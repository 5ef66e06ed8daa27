"""Is each word known to the catalogue, where there is a closed list?

Rules compare words as written: a misspelt one matches nothing, without any message.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from buildcheck.catalog import NameUnknownError
from buildcheck.model.kinds import COOLING
from buildcheck.names import squashed
from buildcheck.plausible.checks.sockets import sockets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from buildcheck.catalog import Catalog
    from buildcheck.plausible.look import Doubt, Look

#: Forms of supplies that cases and supplies are sold in.
SUPPLY_FORMS = frozenset(
    {
        *("ATX", "SFX", "SFX-L", "TFX", "Flex ATX"),
        *("CRPS", "mini redundant", "1U redundant", "2U redundant", "proprietary"),
    }
)
#: Sockets that coolers are made for and no platform describes: older ones, and those of servers.
OTHER_SOCKETS = frozenset(
    {
        *("AM1", "AM2", "AM2+", "AM3", "AM3+", "FM1", "FM2", "FM2+", "G34", "C32"),
        *("LGA775", "LGA1150", "LGA1151", "LGA1155", "LGA1156", "LGA1356", "LGA1366", "LGA2011"),
        *("LGA3647", "LGA4710", "LGA4926", "LGA7529"),
    }
)
#: Memory generations older than those described.
OTHER_GENERATIONS = frozenset({"DDR", "DDR2", "DDR3"})
#: Kinds of memory module.
MODULES = frozenset({"udimm", "rdimm", "lrdimm"})
#: NVLink edges of cards, by the bridges that fit; cards without one say none.
EDGES = frozenset(
    {"none", "volta", "turing", "turing rtx 5000", "ampere", "ampere data-centre", "hopper"}
)


#: Most known words listed where none is similar.
_SHOWN = 12
#: Words less alike than this are not worth proposing.
_ALIKE = 0.6
_SPLIT = re.compile(r"x(?:1|2|4|8|16)(?:/x(?:1|2|4|8|16))*")


class WordList(NamedTuple):
    """A closed list: what its words are called, which they are, and whose other names they have."""

    what: str
    known: Callable[[Catalog], frozenset[str]]
    #: Kind of part whose names and aliases lead to a word of the list.
    kind: str = ""
    #: Words that say there is none.
    also: frozenset[str] = frozenset()


def _connectors(catalog: Catalog) -> frozenset[str]:
    return frozenset(map(_tail, catalog.ids("connector")))


def _tail(part_id: str) -> str:
    return part_id.rpartition("/")[2]


def _named(kind: str, catalog: Catalog) -> frozenset[str]:
    return frozenset(catalog.index.name(i) for i in catalog.ids(kind))


def _sockets(catalog: Catalog) -> frozenset[str]:
    known = frozenset(sockets(catalog))
    return known | OTHER_SOCKETS if known else known


def _generations(catalog: Catalog) -> frozenset[str]:
    found = {
        catalog.part(i).value("generation")
        for i in catalog.ids("memory-kind")
        if catalog.index.rows(i)[0][1].facts is not None
    }
    known = frozenset(found - {None})
    return known | OTHER_GENERATIONS if known else known


def _families(catalog: Catalog) -> frozenset[str]:
    parts = (catalog.part(i) for i in catalog.ids("cpu"))
    return frozenset({family for p in parts if (family := p.value("family"))})


def _always(words: frozenset[str], _catalog: Catalog) -> frozenset[str]:
    return words


_CONNECTOR = WordList("connector", _connectors, "connector")
_BOARD_FORM = WordList("form factor", partial(_named, "form-factor"), "form-factor")
_SUPPLY_FORM = WordList("form factor of supplies", partial(_always, SUPPLY_FORMS))
_SOCKET = WordList("CPU socket", _sockets)
_GENERATION = WordList("memory generation", _generations)
_MODULE = WordList("kind of memory module", partial(_always, MODULES))
_EDGE = WordList("NVLink edge", partial(_always, EDGES))
_COOLER = WordList("kind of cooler", partial(_always, frozenset(COOLING)))
_FAMILY = WordList("CPU family", _families)
_FED = _CONNECTOR._replace(also=frozenset({"none"}))
_PROCESSOR = {"memory_generations": _GENERATION, "memory_modules": _MODULE}
#: By kind and field.
WORDS: Mapping[str, Mapping[str, WordList]] = {
    "adapter": {"inputs": _CONNECTOR, "output": _CONNECTOR},
    "cable": {"connector": _CONNECTOR},
    "case": {
        "board_form_factors": _BOARD_FORM,
        "boards_at_least": _BOARD_FORM,
        "psu_form_factors": _SUPPLY_FORM,
    },
    "connector": {"fits": _CONNECTOR},
    "cooler": {"sockets": _SOCKET},
    "cpu": {**_PROCESSOR, "cooler_sockets": _SOCKET},
    "gpu": {"plugs": _CONNECTOR, "cooling_among": _COOLER, "nvlink": _EDGE},
    "memory": {"generation": _GENERATION},
    "motherboard": {
        "form_factor": _BOARD_FORM,
        "memory_generation": _GENERATION,
        "memory_modules": _MODULE,
        "plugs": _CONNECTOR,
        "slot_power_plugs": _CONNECTOR,
    },
    "nvlink-bridge": {"generations": _EDGE},
    "platform": {**_PROCESSOR, "cooler_sockets": _SOCKET},
    "psu": {"form_factor": _SUPPLY_FORM, "plugs": _CONNECTOR},
    "riser": {"feed": _FED},
}
_LISTS: WeakKeyDictionary[Catalog, dict[WordList, frozenset[str]]] = WeakKeyDictionary()


def known_words(look: Look) -> Iterator[Doubt]:
    """Every word of a closed list is in it; a problem names the nearest ones."""
    for field, words in WORDS.get(look.part.kind, {}).items():
        value = look.own(field)
        if value is None:
            continue
        known = _list(look.catalog, words)
        for word in sorted({value} if isinstance(value, str) else value) if known else ():
            if word not in known | words.also:
                near = nearest(word, words, look.catalog)
                yield look.doubt(field, f"'{word}' is no {words.what}", near)


def _list(catalog: Catalog, words: WordList) -> frozenset[str]:
    lists = _LISTS.setdefault(catalog, {})
    if words not in lists:
        lists[words] = words.known(catalog)
    return lists[words]


def nearest(word: str, words: WordList, catalog: Catalog) -> str:
    """What to write instead: the word that was meant, else the nearest, else all there are."""
    import difflib  # only for words that are not there

    known = _list(catalog, words)
    alike = [k for k in known if squashed(k) == squashed(word)]
    if not alike and words.kind:
        alike = sorted(_by_name(word, words.kind, catalog) & known)
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
            known = _list(look.catalog, _FAMILY)
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
