"""Strict YAML: plain data, and the place of every value and key.

Takes bytes and the path to name in messages. Refuses what YAML 1.1 would read as
something else than it looks (`on`, `12:30`, `010`), keys given twice, anchors and
aliases, tags, and documents that are too large or too deep. All such problems are
collected; only broken syntax stops the reading. Knows nothing of builds or rules.
"""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import yaml

from buildcheck.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[str | int, ...]
Position = tuple[int, int]

MAX_BYTES = 1_000_000
MAX_DEPTH = 24
MAX_NODES = 60_000

_LOADER = getattr(yaml, "CLoader", yaml.Loader)
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d{0,14})")
_DECIMAL = re.compile(r"[+-]?(?:0|[1-9]\d{0,14})\.\d{1,9}")
#: Plain text that YAML 1.1 reads as a truth, a number or nothing, and what to do instead.
_SURPRISES = tuple(
    (re.compile(pattern), advice)
    for pattern, advice in (
        (r"(?i:yes|no|on|off|true|false)", "Write true or false, or put a name in quotes"),
        (r"[+-]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?", "Put it in quotes; some read it in base 60"),
        (r"[+-]?0[\d_]+", "Write it without the leading zero, or in quotes; some read octal"),
        (r"[+-]?0[xXbBoO][\da-fA-F_]+", "Write decimal numbers, or put it in quotes"),
        (r"[+-]?\d[\d_]*_[\d_]*(\.[\d_]*)?", "Write it without underscores, or in quotes"),
        (r"[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d+", "Write the number out, or put it in quotes"),
        (r"[+-]?\.(?i:inf|nan)", "A number here must be finite"),
        (r"[+-]?(\d+|\d*\.\d*)", "Write the number plainly, such as 12 or 0.5"),
        (r"<<|=", "Merge keys and default keys are not used here"),
    )
)
_EMPTY = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True)
class Document:
    """Plain data with the line and column of every value, and of every key."""

    path: str
    data: Any
    values: dict[Path, Position] = field(default_factory=dict)
    keys: dict[Path, Position] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    #: Of the bytes it was read from; empty for what was not read from any.
    digest: str = ""

    def position(self, path: Path, *, key: bool = False) -> Position:
        """Where a value (or its key) stands; if it is absent, what would hold it."""
        while path:
            if key and path in self.keys:
                return self.keys[path]
            if path in self.values:
                return self.values[path]
            path = path[:-1]
        return self.values.get((), (1, 1))

    def problem(
        self, path: Path, message: str, suggestion: str = "", *, key: bool = False
    ) -> Problem:
        """A problem at the place of `path`."""
        return Problem(self.path, *self.position(path, key=key), message, suggestion)


@dataclass
class _Open:
    """A mapping or list being filled."""

    path: Path
    data: Any
    key: str | None = None
    start: Position = (1, 1)


def read(raw: bytes, path: str) -> Document:
    """Bytes of a YAML file as a `Document`; syntax errors end up in its problems."""
    problem = _unreadable(raw, path)
    if problem:
        return Document(path, None, problems=[problem])
    document = Document(path, None, digest=f"sha256:{hashlib.sha256(raw).hexdigest()}")
    try:
        data = _build(yaml.parse(raw.decode("utf-8-sig"), Loader=_LOADER), document)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        text = f"this is not valid YAML: {error.problem or error.context}"
        document.problems.append(
            Problem(
                path,
                line,
                column,
                text,
                "Check the indentation, colons and quotes around this place",
            )
        )
        return document
    except (yaml.YAMLError, _TooMuchError) as error:
        text = str(error).splitlines()[0]
        document.problems.append(Problem(path, 1, 1, f"this is not usable YAML: {text}"))
        return document
    if data is None and not document.problems:
        document.problems.append(
            Problem(path, 1, 1, "the file is empty", "Write at least a 'gpus:' entry")
        )
    return replace(document, data=data)


class _TooMuchError(Exception):
    """The document is deeper or larger than any honest one."""


def _unreadable(raw: bytes, path: str) -> Problem | None:
    if len(raw) > MAX_BYTES:
        what = f"the file has more than the {MAX_BYTES:,} bytes that are read"
        return Problem(path, 1, 1, what, "Name a build file; one has a few hundred lines at most")
    if b"\0" in raw:
        return Problem(path, 1, 1, "this is a binary file, not YAML text")
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8-sig", errors="ignore")
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        return Problem(path, line, column, "this byte is not UTF-8 text", "Save the file as UTF-8")
    return None


_OPENING = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_CLOSING = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
_LEAVES = (yaml.ScalarEvent, yaml.AliasEvent)


def _build(events: Iterator[Any], document: Document) -> Any:
    """Plain data from parser events, without recursion."""
    stack: list[_Open] = []
    result: Any = None
    documents = nodes = 0
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                message = "a second document starts here"
                document.problems.append(
                    _at(document, event, message, "Keep one document per file")
                )
                return result
        elif isinstance(event, _CLOSING):
            done = stack.pop()
            result = _place(stack, document, done.data, done.start, done.path)
        elif isinstance(event, _OPENING + _LEAVES):
            nodes += 1
            if nodes > MAX_NODES:
                raise _TooMuchError("it holds too many values")
            result = _take(event, stack, document, result)
    return result


def _take(event: Any, stack: list[_Open], document: Document, result: Any) -> Any:
    """One key, value, or the start of a mapping or list."""
    if len(stack) > MAX_DEPTH:
        raise _TooMuchError("it is nested too deeply")
    _refuse_extras(event, document)
    mark = (event.start_mark.line + 1, event.start_mark.column + 1)
    if stack and isinstance(stack[-1].data, dict) and stack[-1].key is None:
        _take_key(stack[-1], event, mark, document)
    elif isinstance(event, _LEAVES):
        value = None if isinstance(event, yaml.AliasEvent) else _scalar(event, document)
        result = _place(stack, document, value, mark, _next_path(stack))
    else:
        data: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        stack.append(_Open(_next_path(stack), data, start=mark))
    return result


def _next_path(stack: list[_Open]) -> Path:
    if not stack:
        return ()
    top = stack[-1]
    return (*top.path, len(top.data) if isinstance(top.data, list) else (top.key or ""))


def _place(stack: list[_Open], document: Document, value: Any, mark: Position, path: Path) -> Any:
    document.values[path] = mark
    if stack:
        top = stack[-1]
        if isinstance(top.data, list):
            top.data.append(value)
        else:
            top.data[top.key] = value
            top.key = None
    return value


def _take_key(top: _Open, event: Any, mark: Position, document: Document) -> None:
    if type(event) is not yaml.ScalarEvent:
        raise _TooMuchError(f"line {mark[0]} uses a list or mapping as a key")
    key = event.value
    if not event.style and any(p.fullmatch(key) for p, _ in _SURPRISES[:2]):
        document.problems.append(
            _at(
                document,
                event,
                f"'{key[:40]}' as a key is read differently by different tools",
                "Put it in quotes",
            )
        )
    path = (*top.path, key)
    if path in document.keys:
        line = document.keys[path][0]
        document.problems.append(
            _at(
                document,
                event,
                f"'{key[:40]}' is given twice, first in line {line}",
                "Keep one of them",
            )
        )
    document.keys[path] = mark
    top.key = key


def _refuse_extras(event: Any, document: Document) -> None:
    if type(event) is yaml.AliasEvent or event.anchor:
        document.problems.append(
            _at(
                document,
                event,
                "anchors and aliases (& and *) are not used here",
                "Repeat the value",
            )
        )
    elif event.tag and not (event.tag == "!" and type(event) is yaml.ScalarEvent):
        document.problems.append(
            _at(document, event, f"the tag '{event.tag[:40]}' is not used here", "Remove it")
        )


def _scalar(event: Any, document: Document) -> Any:  # noqa: PLR0911 - one per kind of text
    text = event.value
    if event.style:
        return text
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    if text in _EMPTY:
        document.problems.append(
            _at(document, event, "there is no value here", "Give one, or leave the key out")
        )
        return None
    for pattern, advice in _SURPRISES:
        if pattern.fullmatch(text):
            document.problems.append(
                _at(
                    document,
                    event,
                    f"'{text[:40]}' is read differently by different tools",
                    advice,
                )
            )
            return None
    return text


def _at(document: Document, event: Any, message: str, suggestion: str) -> Problem:
    mark = event.start_mark
    return Problem(document.path, mark.line + 1, mark.column + 1, message, suggestion)


def scalar(text: str, *, quoted: bool = False) -> str:
    """Text as a YAML value on one line, in quotes where it needs them, or in any case.

    >>> scalar("GeForce RTX 3090"), scalar("on: #1"), scalar("12e3", quoted=True)
    ('GeForce RTX 3090', "'on: #1'", '"12e3"')
    """
    style = '"' if quoted else None
    dumped: str = yaml.safe_dump(text, default_style=style, allow_unicode=True, width=sys.maxsize)
    return dumped.removesuffix("\n").removesuffix("\n...").strip()
