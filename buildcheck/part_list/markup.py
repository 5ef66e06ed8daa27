"""Text with whatever markup → lines of plain text or cells, each knowing where it stood.

HTML as copied from a page or exported, BBCode of forums, Markdown as it is. A line that
goes over several lines of the text, such as a table row in HTML, keeps all their numbers.
Links stay in the text between marks; `plain` takes them out.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from buildcheck.words.vocabulary import vocabulary

#: Around a link: its text, then its address. No text has these, see `_bare`.
_OPEN, _MIDDLE, _CLOSE = "\x02", "\x03", "\x04"
_LINK = re.compile(f"{_OPEN}([^{_OPEN}{_MIDDLE}{_CLOSE}]*){_MIDDLE}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_MARKS = re.compile(f"[{_OPEN}{_MIDDLE}{_CLOSE}]")
_SAID = vocabulary("part-lists")["markup"]
_MARKDOWN_LINK = re.compile(_SAID["markdown_link"])
#: What some generators of pages take behind a link, such as `{:target="_blank"}`.
_ATTRIBUTES = re.compile(r"(?<=\))\{:[^{}\n]{0,200}\}")
#: A link whose address stands elsewhere, by a mark.
_REFERENCE = re.compile(r"\[([^\[\]\n]{1,300})\]\[[^\[\]\n]{0,60}\]")
_WEB = re.compile(r"(?<![\"'=(])https?://[^\s<>\"'|]{1,1000}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
_BREAK = re.compile(r"\r\n|\r|\n")
_ROWS = frozenset({"tr"})
_CELLS = frozenset({"td", "th"})
#: Elements that begin and end lines.
_BLOCK_NAMES = (
    "address article aside blockquote body br center dd div dl dt footer form h1 h2 h3 h4 h5 h6"
    " head header hr html li main nav ol p pre section table tbody tfoot thead title ul"
)
_INLINE_NAMES = (
    "a abbr b big button code col colgroup del em font i img input ins label link meta nobr s"
    " script small span strike strong style sub sup tt u wbr caption"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_KNOWN = _ROWS | _CELLS | _BLOCKS | frozenset(_INLINE_NAMES.split())
#: A tag; what is in quotes may hold its end. No tag holds the begin of another, so that a text
#: is gone through once.
_TAG = re.compile(
    rf"<(?P<end>/?)(?P<name>{'|'.join(sorted(_KNOWN))})"
    r"(?P<given>\s(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*|\s[^<>]*|)/?>",
    re.IGNORECASE,
)
_TOKEN = re.compile(rf"{_TAG.pattern}|(?P<mark><!--|-->|<!doctype[^<>]*>)", re.IGNORECASE)
_HREF = re.compile(r"\bhref\s{0,9}=\s{0,9}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_BBCODE = re.compile(_SAID["bbcode"], re.IGNORECASE)
#: A bracket pair that shows that a text is BBCode, and no list with brackets in it.
_IS_BBCODE = re.compile(r"\[/(?:b|i|u|url|td|tr|table|list|size|color)\]|\[url=", re.IGNORECASE)


@dataclass
class Logical:
    """One line as it is meant: its text or its cells, and the lines it stood on."""

    first: int
    last: int
    text: str = ""
    #: None outside tables.
    cells: list[str] | None = None
    #: Is it a comment of the markup?
    aside: bool = False


@dataclass
class Source:
    """A text: its lines as they were, and as they are meant."""

    raw: list[str]
    lines: list[Logical] = field(default_factory=list)


def source(text: str) -> Source:
    """The lines of a text. Never fails: what is no markup is text."""
    raw = _BREAK.split(text)
    whole = _CONTROL.sub(" ", "\n".join(raw))
    if _IS_BBCODE.search(whole):
        # As the HTML that says the same; lines stay where they are.
        whole = _BBCODE.sub(_tag, whole if _TAG.search(whole) else html.escape(whole, quote=False))
    if _TAG.search(whole) or "<!--" in whole:
        return Source(raw, _from_html(whole))
    lines = [
        Logical(number, number, html.unescape(line).replace("\n", " "))
        for number, line in enumerate(whole.split("\n"), 1)
        if line and not line.isspace()
    ]
    return Source(raw, lines)


def plain(text: str) -> tuple[str, list[str], str]:
    """A text without markup, the addresses it links to, and what follows its first link.

    >>> plain("**CPU** [Core i7](https://a.example/x) (used)")
    ('CPU Core i7 (used)', ['https://a.example/x'], '(used)')
    """
    linked = _MARKDOWN_LINK.sub(rf"{_OPEN}\1{_MIDDLE}\2{_CLOSE}", _ATTRIBUTES.sub("", text))
    first = _LINK.search(linked)
    tail = _shown(linked[first.end() :]) if first else ""
    bare = _LINK.sub(r"\1", linked)
    addresses = dict.fromkeys(m[2] for m in _LINK.finditer(linked) if m[2])
    addresses |= dict.fromkeys(_WEB.findall(bare))
    return _shown(_WEB.sub(" ", bare)), list(addresses), tail


def _shown(text: str) -> str:
    """A text without links and emphasis, with single spaces; hard spaces stay."""
    text = _REFERENCE.sub(r"\1", _MARKS.sub(" ", _LINK.sub(r"\1", text)))
    text = re.sub(r"\*\*|__|~~|`", "", text)
    text = re.sub(r"\\([\\|*_`\[\]()#+.!-])", r"\1", text)
    return re.sub(r"[ \t\n\r\f\v]+", " ", text).strip(" \u00a0*_")


# -- BBCode --------------------------------------------------------------------


def _tag(found: re.Match[str]) -> str:
    name, end = found["name"].lower(), found["end"]
    if name == "*":
        return "<li>"
    if name == "url":
        value = html.unescape(found["value"] or "").strip("\"' ")
        return "</a>" if end else f'<a href="{html.escape(value)}">'
    if name in ("table", "tbody", "tr", "td", "th", "li"):
        return f"<{end}{name}>"
    return ""


# -- HTML ----------------------------------------------------------------------


def _from_html(text: str) -> list[Logical]:
    """The lines of HTML. What is no known tag is text, so that nothing is lost."""
    reader = _Reader()
    at, number = 0, 1
    for found in _tokens(text):
        before = text[at : found.start()]
        reader.text(before, number)
        number += before.count("\n")
        reader.mark(found, number)
        number += found[0].count("\n")
        at = found.end()
    reader.text(text[at:], number)
    reader.flush()
    return reader.lines


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Tags and the marks around comments; tags in comments are text."""
    last_end = text.rfind("-->")
    inside = False
    for found in _TOKEN.finditer(text):
        if inside:
            if found[0] == "-->":
                inside = False
                yield found
        elif found[0] == "<!--":
            if found.start() < last_end:
                inside = True
                yield found
        elif found[0] != "-->":
            yield found


class _Reader:
    """Collects lines and the cells of table rows."""

    def __init__(self) -> None:
        self.lines: list[Logical] = []
        self._line: Logical | None = None
        #: What the line, or its last cell, is made of so far.
        self._pieces: list[str] = []
        self._href: str | None = None
        self._comment = False

    def text(self, data: str, at: int) -> None:
        """Text; outside of table rows each line of it is one."""
        if self._comment:
            for number, part in enumerate(data.split("\n")):
                if part.strip():
                    self.lines.append(Logical(at + number, at + number, part.strip(), aside=True))
            return
        data = html.unescape(data)
        if self._line is not None and self._line.cells is not None:
            self._add(data.replace("\n", " "), at)
            self._line.last = at + data.rstrip().count("\n")
            return
        for number, part in enumerate(data.split("\n")):
            if number:
                self.flush()
            if part.strip():
                self._add(part, at + number)

    def mark(self, found: re.Match[str], at: int) -> None:
        """A tag, or an end of a comment."""
        name = (found["name"] or "").lower()
        if not name:
            self._comment = found[0] == "<!--"
        elif name in _ROWS:
            self.flush(at if found["end"] else 0)
            if not found["end"]:
                self._line = Logical(at, at, cells=[])
        elif name in _CELLS:
            self._cell(begins=not found["end"])
        elif name in _BLOCKS:
            self._block(at, ends_table=name == "table")
        elif name == "a":
            self._end_link(at)
            if not found["end"]:
                href = _HREF.search(found["given"])
                self._href = html.unescape(next(filter(None, href.groups()), "")) if href else ""
                self._add(_OPEN, at)

    def flush(self, at: int = 0) -> None:
        """End the line, if there is one."""
        self._end_link(at)
        line = self._line
        self._shelve()
        self._line = None
        if line is None:
            return
        line.last = max(line.last, at)
        if line.cells is not None and line.text.strip():
            line.cells.insert(0, line.text)
        if (line.text if line.cells is None else "".join(line.cells)).strip():
            self.lines.append(line)

    def _shelve(self) -> None:
        """Put the pieces where they belong."""
        if self._line is not None:
            text = "".join(self._pieces)
            if self._line.cells:
                self._line.cells[-1] += text
            else:
                self._line.text += text
        self._pieces = []

    def _cell(self, *, begins: bool) -> None:
        self._end_link(0)
        if begins and self._line is not None and self._line.cells is not None:
            self._shelve()
            self._line.cells.append("")

    def _block(self, at: int, *, ends_table: bool) -> None:
        if self._line is not None and self._line.cells is not None and not ends_table:
            self._add(" ", at)
        else:
            self.flush()

    def _end_link(self, at: int) -> None:
        if self._href is not None:
            href, self._href = self._href, None
            self._add(f"{_MIDDLE}{_MARKS.sub('', _CONTROL.sub('', href))}{_CLOSE}", at)

    def _add(self, text: str, at: int) -> None:
        if self._line is None:
            self._line = Logical(at, at)
        self._line.last = max(self._line.last, at)
        self._pieces.append(text)
