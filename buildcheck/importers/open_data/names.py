"""Names and part numbers as shops write them, and what is left of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from buildcheck.importers.open_data.rows import TABLES, pattern
from buildcheck.model.values import LONGEST
from buildcheck.words.names import words

_SAID = {name: pattern(text) for name, text in TABLES["names"].items()}
#: Longer than this it is a sentence.
_SENTENCE_LENGTH = 80
#: Shorter than this nothing is named.
_SHORTEST = 4
#: Shorter part numbers are pieces of others.
_SHORTEST_NUMBER = 5
_LONGEST_NUMBER = 60


def clean(name: str) -> str:
    """A name without signs, blanks and the tail that shops add; empty if nothing is named.

    >>> clean("NZXT H7  Flow™ ATX Mid Tower with Tempered Glass Side Panel and USB 3.2")
    'NZXT H7 Flow ATX Mid Tower'
    """
    plain = _SAID["tail"].sub("", " ".join(_SAID["signs"].sub(" ", name).split())).strip(" ,-")
    if len(plain) > _SENTENCE_LENGTH:
        plain = _SAID["sentence"].split(plain, maxsplit=1)[0].strip(" ,-")
    if not _SHORTEST <= len(plain) <= LONGEST or not plain.isprintable() or not words(plain):
        return ""
    return plain


def numbers(listed: Iterable[str]) -> list[str]:
    """The part numbers of a list that can be one: not its broken pieces."""
    return distinct_numbers(
        number
        for number in map(str.strip, listed)
        if _SHORTEST_NUMBER <= len(number) <= _LONGEST_NUMBER and number.isprintable()
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


def without_colours(name: str) -> str:
    """A name but for colours.

    >>> without_colours("Acme Barn Black / White")
    'Acme Barn   /  '
    """
    return _SAID["colours"].sub(" ", name)
