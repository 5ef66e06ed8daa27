"""Sentences of the terminal: `templates/words/<name>.yaml`, each by a name of its own.

A sentence holds places such as `{part}`, which are filled all at once: what a part is called is no
template. Where it depends on a number it has two forms, `one` and `more`, and `{n}` is the number.
A table is a sentence for each of some codes.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from buildcheck import store
from buildcheck.errors import RulebookError

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What is filled in, and the two forms of a sentence with a number.
PLACE = re.compile(r"\{([a-z_]+)\}")
FORMS = {"one", "more"}
Sentence = str | dict[str, str]


def filled(sentence: str, values: Mapping[str, Any]) -> str:
    """A sentence with its places filled all at once, such as one of a table."""
    return PLACE.sub(lambda found: str(values[found[1]]), sentence)


class Words:
    """The sentences of one file, which is read when the first is said.

    A name that is not there, or a place that nothing is given for, is a mistake of the program and
    raises `KeyError`; a test holds every call against the files.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def _all(self) -> dict[str, Sentence]:
        path = store.data_folder("templates") / "words" / f"{self.name}.yaml"
        text = path.read_text(encoding="utf-8")
        found: dict[str, Sentence] = store.cached(
            f"words-{self.name}", store.key_of(text), lambda: _proven(text, str(path))
        )
        return found

    def __call__(self, key: str, number: int | None = None, /, **values: Any) -> str:
        """A sentence with its places filled; of two forms the one for the number."""
        sentence = self._all[key]
        if isinstance(sentence, dict):
            sentence = sentence["one" if number == 1 else "more"]
        return filled(sentence, {"n": number, **values})

    def table(self, key: str) -> dict[str, str]:
        """The words for each of some codes."""
        found = self._all[key]
        if isinstance(found, str):
            raise KeyError(key)
        return found


def _proven(text: str, path: str) -> dict[str, Sentence]:
    """A file of words. Raises `RulebookError` where it is none."""
    from buildcheck.source import read  # noqa: PLC0415 - only when the file has changed

    document = read(text.encode(), path)
    data: Any = document.data
    problems = list(document.problems)
    if not problems and not isinstance(data, dict):
        problems = [document.problem((), "words stand under names")]
    problems = problems or [
        document.problem((key,), f"'{key}' is neither a sentence nor words for some codes")
        for key, value in data.items()
        if not (_is_table(value) if isinstance(value, dict) else value and isinstance(value, str))
    ]
    if problems:
        raise RulebookError(problems)
    found: dict[str, Sentence] = data
    return found


def _is_table(value: dict[str, Any]) -> bool:
    """Words for codes, of which some may go without a word."""
    return all(isinstance(one, str) for one in value.values())
