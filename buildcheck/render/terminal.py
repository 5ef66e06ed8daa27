"""Lines for a terminal: of one width, and without what would do something to it."""

from __future__ import annotations

WIDTH = 100


def plain(words: str) -> str:
    """Names come from files: no control character of theirs reaches the terminal."""
    return "".join(c if c.isprintable() else "\ufffd" for c in words)
