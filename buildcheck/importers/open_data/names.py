"""Names and part numbers as shops write them, and what is left of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from buildcheck.importers.open_data.rows import TABLES, pattern
from buildcheck.model.values import LONGEST
from buildcheck.words.names import words

_SAID = {name: pattern(text) for name, text in TABLES["names"].items()}
_SIZES: dict[str, int] = TABLES["sizes"]


def clean(name: str) -> str:
    """A name without signs, blanks and the tail that shops add; empty if nothing is named.

    >>> clean("NZXT H7  Flow™ ATX Mid Tower with Tempered Glass Side Panel and USB 3.2")
    'NZXT H7 Flow ATX Mid Tower'
    """
    plain = _SAID["tail"].sub("", " ".join(_SAID["signs"].sub(" ", name).split())).strip(" ,-")
    if len(plain) > _SIZES["sentence"]:
        plain = _SAID["sentence"].split(plain, maxsplit=1)[0].strip(" ,-")
    is_named = _SIZES["shortest"] <= len(plain) <= LONGEST and plain.isprintable() and words(plain)
    return plain if is_named else ""


def numbers(listed: Iterable[str]) -> list[str]:
    """The part numbers of a list that can be one: not its broken pieces."""
    return distinct_numbers(
        number
        for number in map(str.strip, listed)
        if _SIZES["shortest_number"] <= len(number) <= _SIZES["longest_number"]
        if number.isprintable()
        if any(map(str.isdigit, number)) and not _SAID["no_number"].fullmatch(number)
    )


def squeezed(number: str) -> str:
    """A part number as it is compared."""
    return re.sub(r"[^a-z0-9]", "", number.lower())


def distinct_numbers(listed: Iterable[str]) -> list[str]:
    """Part numbers that are not the same one written twice."""
    return list({squeezed(number): number for number in reversed(list(listed))}.values())[::-1]


def distinct(listed: Iterable[str]) -> list[str]:
    """Names that are not the same one written twice, in order."""
    found: dict[tuple[str, ...], str] = {}
    for name in listed:
        found.setdefault(words(name), name)
    return list(found.values())
