"""Bytes of a part list → its text, and what of the build file made of it needs a hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.errors import InputError, Problem
from buildcheck.model.source import MAX_BYTES
from buildcheck.resolve.naming import SHOWN, word

if TYPE_CHECKING:
    from buildcheck.importers.part_list.writing import Imported, Unresolved


def text_of(raw: bytes, path: str) -> str:
    """A list as text. Raises `InputError`."""
    if len(raw) > MAX_BYTES:
        what = f"the list has more than the {MAX_BYTES:,} bytes that are read"
        raise InputError([Problem(path, 0, 0, what, "Save the parts alone, not the page")])
    for encoding in ("utf-16",) if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8", "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InputError([Problem(path, 0, 0, "this is no text", "Save the list as UTF-8")])


def messages(path: str, made: Imported) -> tuple[list[Problem], list[Problem]]:
    """The lines that need a choice, and what else to know of a list."""
    wrong = [_problem(path, unknown) for unknown in made.unresolved]
    advice = "Put what it is in front, such as 'Motherboard:'; it is kept as a comment"
    what = "this line could be a part, and the catalogue has none of this name"
    wrong += [Problem(path, line, 1, what, advice) for line, _ in made.unread]
    notes = []
    for row in made.by_text:
        what = f"no RAM is called '{row.name}': size and type are read from the name"
        notes.append(Problem(path, row.line, 1, what, "Check its data sheet"))
    for row in made.unpriced:
        several = row.count > 1 and row.each is None
        what = f"'{row.price}' could be the price of one or of all {row.count}"
        what = what if several else f"'{row.price}' has no currency that is known"
        notes.append(Problem(path, row.line, 1, what, "Write 'price:' into the build file"))
    if made.mismatch:
        total, paid = made.mismatch
        what = f"the list states {total.price}, and its lines come to {paid}"
        notes.append(Problem(path, total.line, 1, what, "Compare its prices and counts"))
    prose = sorted({line for line, _ in made.kept} - {line for line, _ in made.unread})
    if prose:
        numbers = f"line{'s' if len(prose) > 1 else ''} {', '.join(map(str, prose))}"
        notes.append(Problem(path, 0, 0, f"kept as comments, as they name no part: {numbers}"))
    return sorted(wrong), notes


def _problem(path: str, unknown: Unresolved) -> Problem:
    """What has to be chosen of a row."""
    row, kind, near, ambiguous, kinds = unknown
    message, advice = f"no {word(kind) or 'part'} is called '{row.name}'", ""
    if row.fault:
        return Problem(path, row.line, 1, row.fault, "Write the count into the build file")
    if kinds:
        message = f"'{row.name}' could be a {' or a '.join(map(word, kinds))}"
    elif ambiguous:
        message = f"'{row.name}' could be more than one {word(kind)}"
    if not near:
        advice = "Try 'buildcheck parts search'"
    return Problem(path, row.line, 1, message, advice, near[:SHOWN])
