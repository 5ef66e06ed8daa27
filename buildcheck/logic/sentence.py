"""Sentences of rules: text with expressions of the rule language in braces.

`{psu.train_load}` is a value with its unit, `{psu.train_load / psu.usable_power:%}` a percentage.
A clause in brackets is left out where a value in it is not known, or is what follows its `|`;
`slot(s)` follows the number before it.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from buildcheck.logic.parse import Tree, parse

#: YAML to type, such as `{outlet: NEMA 5-20}`, is text.
_YAML = re.compile(r"\{[a-z0-9_]+: [^{}]*\}")
_BRACES = re.compile(r"\{([^{}:]+)(:%)?\}")
_OPTIONAL = re.compile(r"\[([^\]]*)\]")
#: A number and its noun, with any words between them that do not begin with a digit.
_COUNTED = re.compile(r"(?<!\S)(\S*\d)((?: (?!\d)\S+)*? \S+)\(s\)")
#: A range from nothing, with the letters before it: `x0` to `1`.
_FROM_NOTHING = re.compile(r"(?<![^\s(])([A-Za-z]*)0–(?=\d)")
#: Letters that a bound was filled in behind: `Genat least 4`.
_BELOW_NOTHING = re.compile(r"(?<![^\s(])-[\d.,]+–(?=[\d.,]+ (?!°))")
_BOUND = re.compile(r"(?<![^\s(])([A-Za-z]+)(at least |at most )(?=\d)")
_NO_AIR = re.compile(r"(?<!\S)(?:at most )?-[\d.,]+(?:–-[\d.,]+)? mm of air")


class Placeholder(NamedTuple):
    """An expression to be filled in, as a percentage or with its unit."""

    tree: Tree
    is_percentage: bool


@cache
def sentence(text: str) -> tuple[str | Placeholder, ...]:
    """Text and placeholders in order. Raises `ValueError` where braces hold no expression."""
    parts: list[str | Placeholder] = []
    end = 0
    for found in _BRACES.finditer(text):
        parts += [text[end : found.start()], Placeholder(parse(found[1]), bool(found[2]))]
        end = found.end()
    parts.append(text[end:])
    literal = _YAML.sub("", "".join(part for part in parts if isinstance(part, str)))
    if "{" in literal or "}" in literal:
        raise ValueError(f"'{text}' has a brace without its other half")
    return tuple(part for part in parts if part)


def filled(text: str, show: Callable[[Placeholder], str | None]) -> str | None:
    """A sentence with what each placeholder shows; None where one outside brackets has no value.

    >>> known = {"n": "0–1", "g": "at least 4"}
    >>> text = "{n} M.2 slot(s)[ of {k} mm], [{k}|any] Gen{g}, x{n}"
    >>> filled(text, lambda part: known.get(part.tree.text))
    'at most 1 M.2 slot, any at least Gen4, at most x1'
    """
    made = ""
    for number, clause in enumerate(_OPTIONAL.split(text)):
        known, _, otherwise = clause.partition("|") if number % 2 else (clause, "", "")
        parts = [part if isinstance(part, str) else show(part) for part in sentence(known)]
        if None not in parts:
            made += "".join(map(str, parts))
        elif number % 2 == 0:
            return None
        else:
            made += otherwise
    made = _BELOW_NOTHING.sub("up to ", _FROM_NOTHING.sub(r"\1at most ", made))
    made = _COUNTED.sub(lambda m: m[1] + m[2] + "s" * (m[1] != "1"), made).replace("(s)", "s")
    return _NO_AIR.sub("no air", _BOUND.sub(r"\2\1", made))


def outline(text: str) -> str:
    """A sentence with its placeholders, as a rule is documented."""
    return _OPTIONAL.sub(lambda m: m[1].rpartition("|")[2], text).replace("(s)", "s")
