"""Data that come with the program in YAML, read once, such as the words people use in `words/`.

They are proven by the tests, not when they are read: nobody but a maintainer changes them.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path, PurePath
from traceback import extract_tb
from typing import Any

from buildcheck import store
from buildcheck.errors import BuildcheckError, InputError, Problem, clipped

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
        import yaml  # only when the file has changed

        base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        loader: Any = type("Words", (base,), {})
        # No text is a day, and no word but `true` and `false` a truth: `no` is a heading too.
        loader.yaml_implicit_resolvers = {
            first: [row for row in rows if not row[0].endswith((":timestamp", ":bool"))]
            for first, rows in base.yaml_implicit_resolvers.items()
        }
        loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("true|false"), "tf")
        return loader(text).get_single_data()

    # Of names that begin alike, one would push the other out of the cache.
    name = f"{path.parent.name}-{path.stem}".replace("-", "_")
    found: dict[str, Any] = store.cached(name, store.key_of(text), made)
    return found


def worded(code: str, **words: Any) -> tuple[str, str]:
    """What is wrong and what to do about it, as `words/problems.yaml` has it."""
    what, *advice = (text.format(**words) for text in vocabulary("problems")[code])
    return what, "".join(advice[:1])


#: How the bounds of a number read.
_BOUNDS = {"ge": "of at least", "le": "of at most", "gt": "above", "lt": "below"}


def said_of(detail: Any, codes: str, **words: Any) -> tuple[str, str]:
    """What pydantic found and what to do about it, by the codes that begin with `codes`."""
    context = detail.get("ctx", {})
    bound = ", ".join(f"{_BOUNDS[how]} {limit}" for how, limit in context.items() if how in _BOUNDS)
    code = f"{codes}-{'bound' if bound else detail['type'].partition('_')[0]}"
    words |= {"given": detail["input"], "bound": bound, "error": context.get("error")}
    why = f"{detail['msg'][0].lower()}{detail['msg'][1:]}"
    return worded(code if code in vocabulary("problems") else f"{codes}-other", why=why, **words)


@contextmanager
def caught(where: str) -> Iterator[list[Problem]]:
    """What stops within it as problems, also an error that no code foresaw, with its lines."""
    problems: list[Problem] = []
    try:
        yield problems
    except BuildcheckError as error:
        problems += error.problems
    except Exception as error:
        lines = [(PurePath(f.filename), f.lineno) for f in extract_tb(error.__traceback__)]
        own = [f"{p.parent.name}/{p.name}:{n}" for p, n in lines if "buildcheck" in p.parts]
        said = clipped(f"{type(error).__name__}: {error}")
        problems.append(problem(where, "bug", error=said, at=", ".join(own[-3:])))


def problem(
    where: str, code: str, near: Iterable[str] = (), line: int = 0, **words: Any
) -> Problem:
    """What is wrong somewhere, by its code; what stands third is to do where no name is near."""
    what, *advice = (text.format(**words) for text in vocabulary("problems")[code])
    names = tuple(near)
    suggestion = "".join(advice[:1] if names else advice[-1:])
    return Problem(where, line, int(line > 0), what, suggestion, names)


def refused(where: str, code: str, near: Iterable[str] = (), **words: Any) -> InputError:
    """The error that one thing is wrong, by its code."""
    return InputError([problem(where, code, near, **words)])


def listed(words: str) -> tuple[str, ...]:
    """Words in a row, apart."""
    return tuple(word.strip() for word in words.split(","))
