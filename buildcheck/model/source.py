"""Strict YAML: plain data, and the place of every value and key.

Takes bytes and the path to name in messages. Refuses what YAML 1.1 would read as
something else than it looks (`on`, `12:30`, `010`), keys given twice, anchors and
aliases, tags, and documents that are too large or too deep. All such problems are
collected; only broken syntax stops the reading. Knows nothing of builds or rules.
"""

import hashlib
import re
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any, NamedTuple

import yaml

from buildcheck.errors import Problem, clipped
from buildcheck.model.frozen import Frozen
from buildcheck.model.vocabulary import problem, refused, worded

Path = tuple[str | int, ...]
Position = tuple[int, int]

MAX_BYTES = 1_000_000
MAX_DEPTH = 24
MAX_NODES = 60_000
#: Keys of one mapping, of which no honest file has as many.
MAX_KEYS = 500

_LOADER = getattr(yaml, "CLoader", yaml.Loader)
_INTEGER = r"[+-]?(?:0|[1-9]\d{0,14})"
_NUMBERS = ((re.compile(_INTEGER), int), (re.compile(rf"{_INTEGER}\.\d{{1,9}}"), float))
#: Plain text that YAML 1.1 reads as a truth, a number or nothing, by the code of the problem.
_SURPRISES = {
    "yaml-base-60": re.compile(r"[+-]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?"),
    "yaml-octal": re.compile(r"[+-]?0[\d_]+"),
    "yaml-other-base": re.compile(r"[+-]?0[xXbBoO][\da-fA-F_]+"),
    "yaml-underscores": re.compile(r"[+-]?\d[\d_]*_[\d_]*(\.[\d_]*)?"),
    "yaml-exponent": re.compile(r"[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d+"),
    "yaml-infinite": re.compile(r"[+-]?\.(?i:inf|nan)"),
    "yaml-number": re.compile(r"[+-]?(\d+|\d*\.\d*)"),
    "yaml-merge": re.compile(r"<<|="),
}
#: A question mark alone as a value, which for YAML begins a key; a wide one does not.
_OPEN_VALUE = re.compile(r"(?m)((?<=[:-] ) *)\?(?=[ \t\r]*(?:$|#|[,}]))")
#: The end of a size in French, `64 Go`.
OCTETS = re.compile(r"o(?:(?<=\d[GT]o)|(?<=\d [GT]o))\b")
_IN_BRACKETS = re.compile(r"\((?<=\w \()[^()\n]*: [^()\n]*\)")
_EMPTY = frozenset({"", "~", "null", "Null", "NULL"})
#: Words that YAML 1.1 reads as truths. As a name such a word needs quotes, and models refuse it.
_TRUTHS = {w: n % 2 == 0 for n, w in enumerate(("yes", "no", "on", "off", "true", "false"))}

#: Two words in a line no longer than names are.
_PROSE = re.compile(r"(?=.{1,300}$)(?:.*?[^\W\d_]{2,}\b.*?){2}")
#: Length of the path of a field of an entry: section, number, field.
_OF_ENTRY = 3

#: The place of a line that may name a part of any section, and the step to a remark in one.
PART: Path = ("part",)
REMARK = "remark"


class Unread(NamedTuple):
    """A key that no check reads: its line, a hint, what is said, the place of a lost value."""

    key: str
    line: int
    hint: str = ""
    said: str = ""
    place: Path = ()

    @property
    def is_part(self) -> bool:
        """May it name a part of the machine?"""
        return self.place == PART

    @property
    def is_remark(self) -> bool:
        """Is it no value that was lost: a remark, or a key that nothing has?"""
        return self.place[-1:] in ((), (REMARK,))

    @property
    def remark(self) -> tuple[str, str]:
        """What is said, and the section that it is in; none of the whole machine."""
        return f"{self.key}: {self.said}", str(self.place[0]) if self.place else ""


class Document(Frozen):
    """Plain data with the line and column of every value, and of every key."""

    path: str
    data: Any
    values: dict[Path, Position] = field(default_factory=dict)
    keys: dict[Path, Position] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    #: Keys of a build file that mean nothing here; reports list them.
    unread: list[Unread] = field(default_factory=list)
    #: Of the bytes it was read from; empty for what was not read from any.
    digest: str = ""
    #: The text by lines, and where values and keys within one line end.
    lines: tuple[str, ...] = ()
    ends: dict[Position, int] = field(default_factory=dict)
    #: From where sections and fields are written to where they belong, one after the other.
    moves: tuple[dict[Path, Path], ...] = ()
    #: Is a word in braces a key? Another without a value is the rest of a text with a comma.
    is_key: Callable[[str], bool] = bool
    #: Sections, and fields of entries, of which what cannot be used is set aside.
    soft: frozenset[str] = frozenset()

    def position(self, path: Path, *, key: bool = False) -> Position:
        """Where a value (or its key) stands; if it is absent, what would hold it."""
        while path:
            if key and path in self.keys:
                return self.keys[path]
            if path in self.values:
                return self.values[path]
            path = path[:-1]
        return self.values.get((), (1, 1))

    def problem(self, path: Path, message: str, advice: str = "", *, key: bool = False) -> Problem:
        """A problem at the place of `path`."""
        return self.problem_at(self.position(path, key=key), message, advice)

    def wrong(self, path: Path, code: str, /, *, of_key: bool = False, **words: Any) -> Problem:
        """A problem at the place of `path`, or of its key, by its code."""
        return self.problem(path, *worded(code, **words), key=of_key)

    def refused(
        self, path: Path, message: str, advice: str = "", *, key: bool = False, written: Any = None
    ) -> list[Problem]:
        """The problem of a value that cannot be used; none, but a note, of a soft one or words."""
        names = path[:1] if len(path) > _OF_ENTRY else (*path[:1], *path[-1:])
        if self.soft.isdisjoint(names) and not (self.soft and is_prose(written)):
            return [self.problem(path, message, advice, key=key)]
        hint = clipped(". ".join(filter(None, (message, advice))))
        # The words of its place tell what it is about.
        said = " ".join(map(str, path))
        note = Unread(called(self, path), self.position(path, key=key)[0], hint, said, path)
        self.unread.extend([note] * (note not in self.unread))
        return []

    def problem_at(self, place: Position, message: str, suggestion: str = "") -> Problem:
        """A problem at a line and column."""
        source, width = self.written(place)
        return Problem(self.path, *place, message, suggestion, source=source, width=width)

    def written(self, place: Position) -> tuple[str, int]:
        """The line of a place, and how many of its characters are meant."""
        line, column = place
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return text.rstrip("\r"), self.ends.get(place, column + 1) - column


def value_at(data: Any, place: Path) -> Any:
    """What is at a place of plain data, or None."""
    for step in place:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def as_written(document: Document, path: Path) -> Path:
    """Where a place of a document is in its file."""
    for moves in reversed(document.moves):
        path = moved({new: old for old, new in moves.items()}, path)
    return path


def moved(moves: dict[Path, Path], path: Path) -> Path:
    """A path by the move of the longest path that it begins with."""
    for size in range(len(path), 0, -1):
        if path[:size] in moves:
            return (*moves[path[:size]], *path[size:])
    return path


def is_prose(value: Any) -> bool:
    """Is a value words of a person, and no slip in a number or code (`300 mm`, `blowr`)?"""
    return isinstance(value, str) and value.isprintable() and bool(_PROSE.match(value))


def called(document: Document, path: Path) -> str:
    """The key that a place of a document is written under."""
    steps = reversed(as_written(document, path))
    return next((step for step in steps if isinstance(step, str)), "file")


def forgiven(text: str) -> str:
    """YAML as people write it, with other letters, but as many, where it would be refused.

    In brackets a colon makes no key: a space that breaks no line keeps it from that. French sizes
    (`64 Go`) are in bytes too.
    """
    text = OCTETS.sub("B", _OPEN_VALUE.sub(r"\1？", text) if "?" in text else text)
    return _IN_BRACKETS.sub(lambda found: found[0].replace(": ", ":\u00a0"), text)


def read(raw: bytes, path: str, is_key: Callable[[str], bool] = bool) -> Document:
    """Bytes of a YAML file as a `Document`; syntax errors end up in its problems."""
    if unreadable := _unreadable(raw, path):
        return Document(path, None, problems=unreadable)
    text = forgiven(raw.decode("utf-8-sig"))
    digest = f"sha256:{hashlib.sha256(raw).hexdigest()}"
    document = Document(path, None, digest=digest, lines=tuple(_BREAK.split(text)), is_key=is_key)
    try:
        data = _Events(_LOADER(text).get_event, document).whole()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        what = error.problem or error.context or ""
        # The library has a limit of its own, below ours.
        what = "it is nested too deeply" if "nesting depth" in what else what
        line = "".join(document.lines[place[0] - 1 : place[0]])
        code = _syntax_code(what, line[: len(line) - len(line.lstrip())])
        document.problems.append(document.problem_at(place, *worded(code, what=what)))
        return document
    except (yaml.YAMLError, _TooMuchError) as error:
        found = str(error).splitlines()[0]
        document.problems.append(problem(path, "unusable-yaml", line=1, what=found))
        return document
    if data is None and not document.problems:
        document.problems.append(problem(path, "empty-file", line=1))
    return replace(document, data=data)


def contents(path: FilePath, what: str) -> bytes:
    """The bytes of a file, one more than are read at most. Raises `InputError`."""
    try:
        if path.is_file() or not path.exists():
            with path.open("rb") as file:
                return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise refused(str(path), "no-file") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise refused(str(path), "unreadable", why=why) from None
    raise refused(str(path), "is-no-file", what=what)


def _syntax_code(found: str, indent: str) -> str:
    """The code of a syntax error of YAML, in a line that begins so."""
    if "mapping values" in found:
        return "invalid-yaml-colon"
    if "\t" in indent:
        return "invalid-yaml-tab"
    is_sign = "cannot start any token" in found or "alias" in found
    return "invalid-yaml-sign" if is_sign else "invalid-yaml"


def leaves(data: Any, at: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every text in plain data, with its place."""
    if isinstance(data, str):
        yield at, data
    elif isinstance(data, (dict, list)):
        for step, inner in data.items() if isinstance(data, dict) else enumerate(data):
            yield from leaves(inner, (*at, step))


class _TooMuchError(Exception):
    """The document is deeper or larger than any honest one."""


def _unreadable(raw: bytes, path: str) -> list[Problem]:
    if len(raw) > MAX_BYTES:
        return [problem(path, "too-many-bytes", line=1, most=MAX_BYTES)]
    if b"\0" in raw:
        is_utf16 = raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
        return [problem(path, "utf-16" if is_utf16 else "binary-file", line=1)]
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8-sig", errors="ignore")
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        return [problem(path, "no-utf-8", line=line)._replace(column=column)]
    return []


#: What ends a line for YAML.
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


@dataclass
class _Events:
    """Plain data from parser events."""

    event: Callable[[], Any]
    document: Document
    nodes: int = 0

    def whole(self) -> Any:
        """The data of the first document."""
        result, is_read = None, False
        while event := self.event():
            if isinstance(event, yaml.NodeEvent):
                result, is_read = self._value(event, self._seen(event, 0), (), 0), True
            elif is_read and isinstance(event, yaml.DocumentStartEvent):
                _note(self.document, event, "second-document")
                break
        return result

    def _seen(self, event: Any, depth: int) -> Position:
        """Where a key or value is. Raises `_TooMuchError` for one too many, or too deep."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise _TooMuchError("it holds too many values")
        if depth > MAX_DEPTH:
            raise _TooMuchError("it is nested too deeply")
        if event.anchor:
            _note(self.document, event, "yaml-alias")
        elif event.tag and not (event.tag == "!" and type(event) is yaml.ScalarEvent):
            _note(self.document, event, "yaml-tag", tag=event.tag[:40])
        start, end = event.start_mark, event.end_mark
        mark = (start.line + 1, start.column + 1)
        if isinstance(event, yaml.ScalarEvent | yaml.AliasEvent) and end.line == start.line:
            self.document.ends[mark] = end.column + 1
        return mark

    def _value(self, event: Any, mark: Position, path: Path, depth: int) -> Any:
        found: Any = None
        if isinstance(event, yaml.ScalarEvent):
            found = _scalar(event, self.document)
        elif isinstance(event, yaml.MappingStartEvent):
            found = self._mapping(path, depth + 1)
        elif isinstance(event, yaml.SequenceStartEvent):
            found = []
            while not isinstance(item := self.event(), yaml.SequenceEndEvent):
                place = self._seen(item, depth + 1)
                found.append(self._value(item, place, (*path, len(found)), depth + 1))
        self.document.values[path] = mark
        return found

    def _mapping(self, path: Path, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := self.event(), yaml.MappingEndEvent):
            mark = self._seen(event, depth)
            key = _key(event, mark, path, found, self.document)
            mark = self._seen(value := self.event(), depth)
            is_empty = type(value) is yaml.ScalarEvent and not (value.value or value.style)
            if not (is_empty and _join_cut(found, key, path, value, self.document)):
                found[key] = self._value(value, mark, (*path, key), depth)
        return found


def _key(event: Any, mark: Position, at: Path, data: dict[str, Any], document: Document) -> str:
    if type(event) is not yaml.ScalarEvent:
        raise _TooMuchError(f"line {mark[0]} uses a list or mapping as a key")
    key: str = event.value
    if not event.style and (key.lower() in _TRUTHS or _SURPRISES["yaml-base-60"].fullmatch(key)):
        _note(document, event, "yaml-key", text=key[:40])
    if len(data) >= MAX_KEYS:
        raise _TooMuchError(f"more than {MAX_KEYS} keys are in one place")
    path = (*at, key)
    if path in document.keys:
        _note(document, event, "key-twice", text=key[:40], first=document.keys[path][0])
    document.keys[path] = mark
    return key


#: No number that anybody writes is longer.
_MOST_DIGITS = 400


def _scalar(event: Any, document: Document) -> Any:
    text = event.value
    if event.style or text.lower() in _TRUTHS:
        return text if event.style else _TRUTHS[text.lower()]
    if text in _EMPTY:
        _note(document, event, "no-value")
        return None
    if len(text) > _MOST_DIGITS or (text[0] not in "+-.<=" and not text[0].isdecimal()):
        return text
    for pattern, number in _NUMBERS:
        if pattern.fullmatch(text):
            return number(text)
    for code, pattern in _SURPRISES.items():
        if pattern.fullmatch(text):
            _note(document, event, code, text=text[:40])
            return None
    return text


def _join_cut(data: dict[str, Any], key: str, at: Path, event: Any, document: Document) -> bool:
    """Join a text in braces again that a comma in it has cut; False if nothing is cut."""
    if not (data and key) or document.is_key(key):
        return False
    path = (*at, next(reversed(data)))
    line, column = place = document.values[path]
    written = document.lines[line - 1][column - 1 : event.start_mark.column].rstrip()
    if document.keys[*at, key][0] != line or not written.endswith(key):
        return False
    data[str(path[-1])] = written
    document.ends[place] = column + len(written)
    return True


def _note(document: Document, event: Any, code: str, **words: Any) -> None:
    """Note what is wrong with a key or value, by its code."""
    place = (event.start_mark.line + 1, event.start_mark.column + 1)
    document.problems.append(document.problem_at(place, *worded(code, **words)))


def scalar(text: str, *, quoted: bool = False) -> str:
    """Text as a YAML value on one line, in quotes where it needs them, or in any case.

    >>> scalar("GeForce RTX 3090"), scalar("on: #1"), scalar("12e3", quoted=True)
    ('GeForce RTX 3090', "'on: #1'", '"12e3"')
    """
    if quoted and re.fullmatch(r"[ !#-\[\]-~]*", text):
        return f'"{text}"'
    style = '"' if quoted else None
    dumped: str = yaml.safe_dump(text, default_style=style, allow_unicode=True, width=sys.maxsize)
    return dumped.removesuffix("\n").removesuffix("\n...").strip()
