"""Data that come with the program in YAML, read once, such as the words people use in `words/`.

They are proven by the tests, not when they are read: nobody but a maintainer changes them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from buildcheck import store

_WORDS = Path(__file__).parent.parent / "words"


def digest(name: str) -> str:
    """A key that changes when a file of words, or this program, does."""
    return store.key_of((_WORDS / f"{name}.yaml").read_text(encoding="utf-8"))


@cache
def vocabulary(name: str = "input-words") -> dict[str, Any]:
    """The words of a file as plain data."""
    return _plain(_WORDS / f"{name}.yaml")


@cache
def shipped(folder: str, name: str) -> dict[str, Any]:
    """A file of `rules` or `templates` as plain data; empty if there is none."""
    path = store.data_folder(folder) / f"{name}.yaml"
    return _plain(path) if path.exists() else {}


def _plain(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")

    def made() -> Any:
        from buildcheck.model.source import read  # only when the file has changed

        return read(text.encode(), str(path)).data

    # Of names that begin alike, one would push the other out of the cache.
    name = f"{path.parent.name}-{path.stem}".replace("-", "_")
    found: dict[str, Any] = store.cached(name, store.key_of(text), made)
    return found


def listed(words: str) -> tuple[str, ...]:
    """Words in a row, apart."""
    return tuple(word.strip() for word in words.split(","))
