"""The words people use and the kinds of part there are, from the YAML files of `words/`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from buildcheck import store


@cache
def _text(name: str) -> tuple[str, str]:
    path = Path(__file__).parent.parent / "words" / f"{name}.yaml"
    return path.read_text(encoding="utf-8"), str(path)


def digest(name: str) -> str:
    """A key that changes when a file of words, or this program, does."""
    return store.key_of(_text(name)[0])


@cache
def vocabulary(name: str = "input-words") -> dict[str, Any]:
    """The words of a file as plain data."""

    def made() -> Any:
        from buildcheck.model.source import read  # only when the file has changed

        text, path = _text(name)
        return read(text.encode(), path).data

    found: dict[str, Any] = store.cached(name, digest(name), made)
    return found


def listed(words: str) -> tuple[str, ...]:
    """Words in a row, apart."""
    return tuple(word.strip() for word in words.split(","))
