"""The title of a list, if it has one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from buildcheck.model.money import price_in
from buildcheck.part_list.lines import EMPTY, NAME, is_prose
from buildcheck.part_list.markup import plain
from buildcheck.words.keys import section_of
from buildcheck.words.vocabulary import vocabulary

if TYPE_CHECKING:
    from buildcheck.part_list.markup import Logical

_HEADING = re.compile(r"\s{0,3}#{1,3}\s+(?=\S)")
_NAMED = re.compile(r"(?:build(?: name)?|title|name|titel)\s?:\s*(?=\S)", re.IGNORECASE)
_SAID = vocabulary("part-lists")["titles"]
_OF = re.compile(_SAID["of"], re.IGNORECASE)
_ANY = re.compile(_SAID["any"], re.IGNORECASE)
_LONGEST, _WORDS = 80, 10
_LINE = 400


def title_of(lines: list[Logical]) -> tuple[Logical, str] | None:
    r"""The line that is the title of a list, and the title; None if there is none.

    >>> from buildcheck.part_list.markup import source
    >>> title_of(source("# Quad 3090 rig\n\nGPU: RTX 3090"))[1]
    'Quad 3090 rig'
    >>> title_of(source("RTX 3090\nEPYC 7532"))
    """
    texts = [
        n for n in lines[:9] if n.cells is None and not n.aside and not EMPTY.fullmatch(n.text)
    ]
    given = (n for n in lines if n.cells is not None or not (n.aside or EMPTY.fullmatch(n.text)))
    if not texts or texts[0] is not next(given, None):
        return None
    first = texts[0]
    if len(first.text) > _LINE or "|" in first.text or "\t" in first.text.strip():
        return None
    heading = _HEADING.match(first.text)
    commented = len(texts) > 1 and texts[1].text.lstrip().startswith("# ")
    shown, links, _ = plain(first.text[heading.end() :] if heading else first.text)
    named = _NAMED.match(shown)
    title = shown[named.end() :] if named else shown
    marked = bool(named) or (heading and not commented) or _OF.search(title)
    return (first, title) if marked and not links and _is_title(title) else None


def _is_title(text: str) -> bool:
    head, colon, _ = text.partition(":")
    return bool(
        len(text) <= _LONGEST
        and len(text.split()) <= _WORDS
        and text.isprintable()
        and NAME.match(text)
        and not text.endswith((".", ":", ","))
        and not (colon and section_of(head) is not None)
        and section_of(text) is None
        and not _ANY.fullmatch(text)
        and not price_in(text)
        and not (is_prose(text) and not text.lower().startswith("my "))
    )
