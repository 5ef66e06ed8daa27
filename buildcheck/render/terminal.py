"""Lines for a terminal: of one width, and without what would do something to it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from buildcheck.render.drawings.pen import Table

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


def columns(table: Table, left: Collection[int] = (0,)) -> Iterator[str]:
    """The head and rows of a table; columns in `left` begin at the left, others end right."""
    rows = [table.head, *table.rows]
    widths = [max(len(row[n]) for row in rows) for n in range(len(table.head))]
    for row in rows:
        cells = [
            cell.ljust(widths[n]) if n in left else cell.rjust(widths[n])
            for n, cell in enumerate(row)
        ]
        yield plain(f"  {'  '.join(cells)}".rstrip())


def joined(lines: Sequence[str]) -> str:
    """Lines as a text, safe for a terminal."""
    return "\n".join(plain(line).rstrip() for line in lines) + "\n"
