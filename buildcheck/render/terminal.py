"""Lines for a terminal: of one width, and without what would do something to it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

WIDTH = 96


def plain(words: str) -> str:
    """Names come from files: no control character of theirs reaches the terminal."""
    return "".join(c if c.isprintable() else "\ufffd" for c in words)


def wrapped(words: str, indent: int = 0, hang: int | None = None) -> list[str]:
    """Words over lines that are indented, those after the first by `hang` more.

    Two more unless said, and none where the first is not indented.
    """
    more = 2 * bool(indent) if hang is None else hang
    return textwrap.wrap(
        plain(words),
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + more),
        break_on_hyphens=False,
        break_long_words=False,
    )


def columns(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table as lines: the first column from the left, the others up to their right."""
    listed = [head, *rows]
    widths = [max(len(row[n]) for row in listed) for n in range(len(head))]
    for first, *rest in listed:
        cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        yield f"  {'  '.join([first.ljust(widths[0]), *cells])}".rstrip()
