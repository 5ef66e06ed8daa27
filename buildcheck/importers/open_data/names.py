"""Names and part numbers as shops write them, and what is left of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from buildcheck.model.values import LONGEST
from buildcheck.words.names import words

_SIGNS = re.compile(r"[®™©]")
_BLANKS = re.compile(r"\s+")
#: Words that shops add after a name.
_TAIL = re.compile(
    r"(?:,|\s+-)?\s+(?:with|w/|featuring)\s.*(?:side panel|usb|type-[ac]|window|glass).*$"
    r"|\s+(?:(?:tinted |dark )?tempered glass|acrylic|mesh)(?: side)? panel.*$"
    r"|,?\s+(?:video card|graphics card|power supply|pc case|gaming case)s?$",
    re.IGNORECASE,
)
#: Where a name that is a whole sentence ends.
_SENTENCE = re.compile(r",\s| - | \| |\s+with\s|\s*[(（]", re.IGNORECASE)
#: Longer than this it is a sentence.
_SENTENCE_LENGTH = 80
#: Shorter than this nothing is named.
_SHORTEST = 4
#: Shorter part numbers are pieces of others.
_SHORTEST_NUMBER = 5
_LONGEST_NUMBER = 60
_COLOURS = re.compile(
    r"\b(?:black|white|silver|gr[ae]y|red|blue|green|pink|orange|yellow|purple|brown|beige|gold"
    r"|transparent|clear|snow)\b",
    re.IGNORECASE,
)


def clean(name: str) -> str:
    """A name without signs, blanks and the tail that shops add; empty if nothing is named.

    >>> clean("NZXT H7  Flow™ ATX Mid Tower with Tempered Glass Side Panel and USB 3.2")
    'NZXT H7 Flow ATX Mid Tower'
    """
    plain = _BLANKS.sub(" ", _SIGNS.sub(" ", name)).strip()
    plain = _TAIL.sub("", plain).strip(" ,-")
    if len(plain) > _SENTENCE_LENGTH:
        plain = _SENTENCE.split(plain, maxsplit=1)[0].strip(" ,-")
    if not _SHORTEST <= len(plain) <= LONGEST or not plain.isprintable() or not words(plain):
        return ""
    return plain


def numbers(listed: Iterable[str]) -> list[str]:
    """The part numbers of a list that can be one: not its broken pieces."""
    return distinct_numbers(number.strip() for number in listed if _is_number(number.strip()))


def _is_number(number: str) -> bool:
    return (
        _SHORTEST_NUMBER <= len(number) <= _LONGEST_NUMBER
        and number.isprintable()
        and any(sign.isdigit() for sign in number)
        and not _NO_NUMBER.fullmatch(number)
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
    return _COLOURS.sub(" ", name)


#: PSU ratings as written in part numbers.
_RATINGS = frozenset(map(str, (*range(450, 900, 50), *range(1000, 1700, 50))))
#: Chip numbers as written in part numbers.
_CHIP_NUMBER = re.compile(r"(?<!\d)((?:[2345]0[5-9]0|[5679]\d\d0|10[5-8]0|16[56]0))(?!\d)")
_DIGITS = re.compile(r"\d+")
#: Codes of one maker that count up and mean nothing.
_COUNTED_UP = re.compile(r"BN\d")
#: Words that parts are sold under in every shop, and chipsets alone.
_NO_NUMBER = re.compile(r"[ABHQWXZ]\d{3}[EMI]?|\d+ ?[GT]B(?: (?:SSD|HDD|NVMe))?", re.IGNORECASE)


def of_another(kind: str, number: str, facts: Mapping[str, Any]) -> bool:
    """Does a part number spell the rating or the chip of another part, or nothing at all?

    >>> of_another("psu", "PS-TPD-0750FNFAGE-H", {"rated_power": "1200 W"})
    True
    >>> of_another("gpu", "ROG-STRIX-RTX3070-8G-GAMING", {"chip": "RTX 3060"})
    True
    >>> of_another("gpu", "GV-N3060GAMING OC-12GD", {"chip": "RTX 3060"})
    False
    """
    if _NO_NUMBER.fullmatch(number):
        return True
    if kind == "psu" and "rated_power" in facts and not _COUNTED_UP.match(number):
        own = str(facts["rated_power"]).partition(" ")[0]
        spelled = {digits.lstrip("0") for digits in _DIGITS.findall(number)}
        return bool(spelled & _RATINGS) and own not in spelled and own not in number
    if kind == "gpu" and "chip" in facts:
        own_number = _CHIP_NUMBER.search(str(facts["chip"]))
        spelled = set(_CHIP_NUMBER.findall(number))
        return own_number is not None and bool(spelled) and own_number[1] not in spelled
    return False
