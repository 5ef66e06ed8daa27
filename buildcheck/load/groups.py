"""Groups of sections such as `parts:`, the kind of what is listed in them, and several machines."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from buildcheck.catalog.layers import shipped
from buildcheck.errors import NameUnknownError
from buildcheck.load.sentences import model_at
from buildcheck.model.build import NO_PARTS, SECTION_KIND, SINGLES, Build
from buildcheck.model.source import Path
from buildcheck.words.entry import LONGEST, MOST, entry_of
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import ANY, field_of, is_machine, place_of, said_by, section_of
from buildcheck.words.names import said

#: What a part is for is not what it is.
_PURPOSE = re.compile(r"(?<=\w) for (?:the )?[a-z].*")
#: Keys under which an item states what kind of part it is.
_KINDS = ("type", "kind", "category", "component")
_OF_MACHINE = 3  # sections that make a group a machine
_index = cache(shipped)


def sections(data: dict[str, Any], at: Path = ()) -> Iterator[tuple[Path, str | None, Any]]:
    """What stands at the top of a file or in a group of it, and its section.

    The section is None where a key says it, and `ANY` or empty where none is known.
    """
    for key, value in data.items():
        ask = place_of(key) is None
        if is_section(key) or key.lower().replace(" ", "_") in Build.model_fields:
            yield (*at, key), None, value
        elif _has_sections(value, 1) and not place_of(key):
            yield from sections(value, (*at, key))
        elif isinstance(value, list) and any(
            _has_sections(item, 1) or _section_of_item(item, ask=ask) in SECTION_KIND
            for item in value[:MOST]
        ):
            for index, item in enumerate(value):
                section = _section_of_item(item, ask=ask and index < MOST)
                if isinstance(item, dict) and (is_machine(key) or section not in SECTION_KIND):
                    yield from sections(item, (*at, key, index))
                else:
                    kind = _kind(item) if isinstance(item, dict) else ""
                    bare = {k: v for k, v in item.items() if k != kind} if kind else item
                    yield (*at, key, index), section, bare
        elif isinstance(value, str) and section_of(key) == ANY:
            yield (*at, key), section_of_text(value, ask=True), value
        else:
            yield (*at, key), None, value


def known_fields(section: str) -> Any:
    """The fields that an entry of a section has."""
    return model_at((section, ""), Build).model_fields


def machines(data: dict[str, Any]) -> tuple[Path, int]:
    """Where several machines are listed, and how many; none where there are not several."""
    groups = {key: value for key, value in data.items() if not is_section(key)}
    for key, value in groups.items():
        listed = [*enumerate(value)] if isinstance(value, list) else []
        each: Any = value.items() if isinstance(value, dict) else listed
        least = 1 if listed and is_machine(key) else _OF_MACHINE
        found = [step for step, inner in each if _has_sections(inner, least)]
        if len(found) > 1:
            return (key, found[1]), len(found)
    groups = {key: value for key, value in groups.items() if _has_sections(value, _OF_MACHINE)}
    shared = [{place_of(k) for k in data[key]} for key in groups]
    if len(groups) > 1 and set.intersection(*shared) & {(name,) for name in SINGLES}:
        return ([*groups][1],), len(groups)
    return (), 0


def _has_sections(item: Any, least: int) -> bool:
    return isinstance(item, dict) and sum(map(is_section, item)) >= least


def is_section(key: str) -> bool:
    """Is a key a word for a section of parts?"""
    return (place_of(key) or ("",))[0] in SECTION_KIND


def _section_of_item(item: Any, *, ask: bool) -> str:
    """The section of an item of a list; `ANY` if nothing says it, or it holds several."""
    if isinstance(item, str):
        return section_of_text(item, ask=ask)
    if not isinstance(item, dict):
        return ANY
    own = [key for key in item if is_section(key)]
    if own:
        is_entry = len(own) == 1 and len(item) > 1 and isinstance(item[own[0]], str)
        section = str((place_of(own[0]) or ("",))[0])
        fields = {field_of(section, key) for key in item if key not in own}
        return section if is_entry and fields & known_fields(section).keys() else ANY
    if kind := _kind(item):
        return str(section_of(item[kind]))
    name = next((v for k, v in item.items() if field_of("gpus", k) == "part"), None)
    return section_of_text(name, ask=ask) if isinstance(name, str) else ANY


def _kind(item: dict[str, Any]) -> str:
    """The key under which an item states what kind of part it is; empty if there is none."""
    texts = (key for key in _KINDS if isinstance(item.get(key), str))
    return next((key for key in texts if section_of(item[key]) in SECTION_KIND), "")


@cache
def section_of_text(text: str, *, ask: bool) -> str:
    """The section that a part's name shows it belongs to, by the catalogue if no word says it."""
    name = _PURPOSE.sub("", entry_of(text).name)
    said = said_by(name)
    if said != ANY or not ask or not 0 < len(name) <= LONGEST:
        return said
    found = [s for s, kind in SECTION_KIND.items() if goes_by(kind, name)]
    # A case may be called as GPUs are (H100); nobody means it without saying so.
    found = found[:1] if found[1:] == ["case"] else found
    return found[0] if len(found) == 1 else ANY


def goes_by(kind: str, name: str) -> tuple[str, ...]:
    """The part of a kind that goes by a name, or several."""
    try:
        return (_index().find(kind, name),)
    except NameUnknownError as error:
        return tuple(error.ids)


def is_its_board(board: str, machine: str) -> bool:
    """Is a board the one of a machine, or in no catalogue and of nobody else by its words?"""
    known = goes_by("motherboard", board)
    makers = said("motherboard", board).makers
    is_its = board == machine or bool(makers) or not facts_in("motherboard", board).fields
    is_its &= makers <= said("case", machine).makers
    return known == goes_by("motherboard", machine) if known else is_its


def is_pasted(place: Path, text: str) -> bool:
    """Is a text at a place of no section a whole list of parts?"""
    lines = text.splitlines() if place[0] not in (*SECTION_KIND, *NO_PARTS) else []
    return bool(lines[1:]) and "gpus" in {section_of_text(line, ask=False) for line in lines}


@cache
def is_key(word: str) -> bool:
    """Is a word a key of build files or of their entries?"""
    sections = (*SECTION_KIND, *NO_PARTS)
    is_field = (field_of(section, word) in known_fields(section) for section in sections)
    return place_of(word) is not None or word in Build.model_fields or any(is_field)
