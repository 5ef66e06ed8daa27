"""Text with whatever markup → lines of plain text or cells, each knowing where it stood.

HTML as copied from a page or exported, BBCode of forums, Markdown as it is. Links stay in the
text between marks; `plain` takes them out.
"""

import html
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any

from buildcheck.errors import InputError, Problem
from buildcheck.model.source import MAX_BYTES
from buildcheck.model.vocabulary import vocabulary

#: Around a link: its text, then its address. No text has these, see `_CONTROL`.
_OPEN, _MIDDLE, _CLOSE = "\x02", "\x03", "\x04"
_LINK = re.compile(f"{_OPEN}([^{_OPEN}{_MIDDLE}{_CLOSE}]*){_MIDDLE}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_MARKS = re.compile(f"[{_OPEN}{_MIDDLE}{_CLOSE}]")
_SAID = vocabulary("part-lists")["markup"]
_WAS, _WILL_BE = (re.compile(vocabulary("part-lists")["reading"][n]) for n in ("was", "will_be"))
_MARKDOWN_LINK = re.compile(_SAID["markdown_link"])
#: What some generators of pages take behind a link, such as `{:target="_blank"}`.
_ATTRIBUTES = re.compile(r"(?<=\))\{:[^{}\n]{0,200}\}")
#: A link whose address stands elsewhere, by a mark.
_REFERENCE = re.compile(r"\[([^\[\]\n]{1,300})\]\[[^\[\]\n]{0,60}\]")
_WEB = re.compile(r"(?<![\"'=(])https?://[^\s<>\"'|]{1,1000}")
#: What a text without markup has none of.
_MARKED = re.compile(r"[\x02-\x04\[\]*_~`\\{\t\n\r\f\v]|  |https?:")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
_BREAK = re.compile(r"\r\n|\r|\n")
_LABELLED = re.compile(vocabulary("part-lists")["lines"]["labelled"], re.IGNORECASE)
#: No text is wrapped at fewer characters. People wrap by hand: how full a line is at the least,
#: of the longest, below which a word in small letters goes on, and any other.
_NARROW, _FULL, _NEARLY = 50, 0.7, 0.9
#: Lines above one that show whether it is of a text.
_AROUND = 3
#: What an item of a list begins with, or a row of a table has; the end of a sentence.
_ITEM, _ENDED = re.compile(_SAID["item"]), re.compile(r"[.,;!?:][)\"']?\s*$")
#: Most words of an address that are read, and fewest characters of a number.
_MOST_WORDS, _SHORTEST = 8, 5
#: Elements that begin and end lines.
_BLOCKS = frozenset(_SAID["blocks"].split())
#: A known tag, whole. What is in quotes may hold its end; no tag holds the begin of another, so
#: that a text is gone through once.
_TAG = re.compile(
    rf"</?(?:{_SAID['inline'].replace(' ', '|')}|{_SAID['blocks'].replace(' ', '|')}|t[drh])"
    r"(?:\s(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*|\s[^<>]*|)/?>",
    re.IGNORECASE,
)
#: The begin of what is text, even if it looks like a tag.
_NO_TAG = re.compile(rf"<(?!(?:{_TAG.pattern[1:]}|!--|!doctype[^<>]*>))", re.IGNORECASE)
_BBCODE = re.compile(_SAID["bbcode"], re.IGNORECASE)
#: A bracket pair that shows that a text is BBCode, and no list with brackets in it.
_IS_BBCODE = re.compile(r"\[/(?:b|i|u|url|td|tr|table|list|size|color)\]|\[url=", re.IGNORECASE)


@dataclass
class Logical:
    """One line as it is meant: its text or its cells, and the first line it stood on."""

    first: int
    text: str = ""
    #: None outside tables.
    cells: list[str] | None = None
    #: Is it a comment of the markup?
    aside: bool = False

    @property
    def raw(self) -> str:
        """Its text, or its cells with bars between them."""
        return self.text if self.cells is None else " | ".join(self.cells)


def text_of(raw: bytes, path: str) -> str:
    """A list as text. Raises `InputError`."""
    if len(raw) > MAX_BYTES:
        what = f"the list has more than the {MAX_BYTES:,} bytes that are read"
        raise InputError([Problem(path, 0, 0, what, "Save the parts alone, not the page")])
    for encoding in ("utf-16",) if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8", "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InputError([Problem(path, 0, 0, "this is no text", "Save the list as UTF-8")])


def source(text: str) -> list[Logical]:
    """The lines of a text as they are meant. Never fails: what is no markup is text."""
    whole = _CONTROL.sub(" ", _BREAK.sub("\n", text)).replace("\uff1a", ": ")
    if _IS_BBCODE.search(whole):
        # As the HTML that says the same; lines stay where they are.
        whole = _BBCODE.sub(_tag, whole if _TAG.search(whole) else html.escape(whole, quote=False))
    if _TAG.search(whole) or "<!--" in whole:
        reader = _Reader()
        # A comment without an end is text.
        commented, end, rest = whole.rpartition("-->")
        reader.feed(_NO_TAG.sub("&lt;", commented + end + rest.replace("<!--", "&lt;!--")))
        reader.close()
        reader.end_line()
        return reader.lines
    return [
        Logical(number, html.unescape(line).replace("\n", " "))
        for number, line in enumerate(whole.split("\n"), 1)
        if line and not line.isspace()
    ]


@lru_cache(maxsize=4096)
def plain(text: str) -> tuple[str, tuple[str, ...], str]:
    """A text without markup, the addresses it links to, and what follows its first link.

    >>> plain("**CPU** [Core i7](https://a.example/x) (used)")
    ('CPU Core i7 (used)', ('https://a.example/x',), '(used)')
    """
    if not _MARKED.search(text):
        return text.strip(" \u00a0"), (), ""
    linked = _MARKDOWN_LINK.sub(rf"{_OPEN}\1{_MIDDLE}\2{_CLOSE}", _ATTRIBUTES.sub("", text))
    first = _LINK.search(linked)
    tail = _shown(linked[first.end() :]) if first else ""
    bare = _LINK.sub(r"\1", linked)
    addresses = dict.fromkeys(m[2] for m in _LINK.finditer(linked) if m[2])
    addresses |= dict.fromkeys(_WEB.findall(bare))
    return _shown(_WEB.sub(" ", bare)), tuple(addresses), tail


def _shown(text: str) -> str:
    """A text without links and emphasis, with single spaces; hard spaces stay."""
    text = _REFERENCE.sub(r"\1", _MARKS.sub(" ", _LINK.sub(r"\1", text)))
    text = re.sub(r"\*\*|__|~~|`", "", text)
    text = re.sub(r"\\([\\|*_`\[\]()#+.!-])", r"\1", text)
    return re.sub(r"[ \t\n\r\f\v]+", " ", text).strip(" \u00a0*_")


def _tag(found: re.Match[str]) -> str:
    """A tag of BBCode as HTML."""
    name, end = found["name"].lower(), found["end"]
    if name == "url" and not end:
        value = html.unescape(found["value"] or "").strip("\"' ")
        return f'<a href="{html.escape(value)}">'
    element = {"url": "a", "*": "li"}.get(name, name)
    return f"<{end}{element}>" if element in ("a", "li", "table", "tbody", "tr", "td", "th") else ""


#: What is put for signs that are not shown, by their category.
_DROPPED = {"Cf": "", "Cs": "\ufffd", "Co": "\ufffd", "Cn": "\ufffd"}


def printable(text: str, *, strip: bool = True) -> str:
    """A text without what ends lines, hides or turns round what stands after it."""
    if not text.isprintable():
        put = {c: _DROPPED.get(unicodedata.category(c), " ") for c in text if not c.isprintable()}
        text = "".join(put.get(c, c) for c in text)
    return " ".join(text.split()) if strip else text.rstrip()


class _Reader(HTMLParser):
    """Collects lines and the cells of table rows."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Logical] = []
        self._first = 0
        #: What the line is made of so far; of a row, what is before its first cell, then its cells.
        self._pieces: list[list[str]] = [[]]
        self._in_row = False
        self._href: str | None = None

    def set_cdata_mode(self, *_: Any, **__: Any) -> None:
        """Read the text of scripts like any other."""

    def handle_comment(self, data: str) -> None:
        """Keep each line of a comment."""
        for number, part in enumerate(html.unescape(data).split("\n"), self.getpos()[0]):
            if part.strip():
                self.lines.append(Logical(number, part.strip(), aside=True))

    def handle_data(self, data: str) -> None:
        """Text; outside of table rows each line of it is one."""
        if self._in_row:
            self._pieces[-1].append(data.replace("\n", " "))
            return
        first = self.getpos()[0]
        for number, part in enumerate(data.split("\n"), first):
            if number > first:
                self.end_line()
            if part.strip():
                self._add(part, number)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A row, a cell, a line or a link begins."""
        if tag == "a":
            self._end_link()
            self._add(_OPEN, self.getpos()[0])
            self._href = dict(attrs).get("href") or ""
        elif tag in ("td", "th"):
            self._end_link()
            if self._in_row:
                self._pieces.append([])
        elif tag == "tr" or tag in _BLOCKS:
            self._block(tag)
            if tag == "tr":
                self._in_row, self._first = True, self.getpos()[0]

    def handle_endtag(self, tag: str) -> None:
        """A row, a cell, a line or a link ends."""
        if tag in ("a", "td", "th"):
            self._end_link()
        elif tag == "tr" or tag in _BLOCKS:
            self._block(tag)

    def end_line(self) -> None:
        """Keep the line, if there is one."""
        self._end_link()
        before, *cells = map("".join, self._pieces)
        if self._in_row:
            cells = [before, *cells] if before.strip() else cells
            self.lines += [Logical(self._first, cells=cells)] if "".join(cells).strip() else []
        elif before.strip():
            self.lines.append(Logical(self._first, before))
        self._first, self._pieces, self._in_row = 0, [[]], False

    def _block(self, tag: str) -> None:
        """End the line; in a row only where the row ends."""
        if self._in_row and tag not in ("tr", "table"):
            self._pieces[-1].append(" ")
        else:
            self.end_line()

    def _end_link(self) -> None:
        if self._href is not None:
            href, self._href = _CONTROL.sub("", self._href), None
            self._pieces[-1].append(f"{_MIDDLE}{href}{_CLOSE}")

    def _add(self, text: str, number: int) -> None:
        self._first = self._first or number
        self._pieces[-1].append(text)


def as_it_will_be(lines: list[Logical]) -> tuple[list[Logical], list[Logical]]:
    """The lines without those on what a machine was, if others say what it will be, and those."""
    kept, past, is_past = list[Logical](), list[Logical](), False
    for line in lines:
        is_past = bool(_WAS.match(line.text)) or (is_past and not _WILL_BE.match(line.text))
        (past if is_past else kept).append(replace(line, text=_WILL_BE.sub("", line.text)))
    is_known = past and any(_WILL_BE.match(line.text) for line in lines)
    return (kept, past) if is_known else (lines, [])


def paragraphs(lines: list[Logical], is_text: Callable[[str], bool]) -> list[list[Logical]]:
    """The lines of each text that was wrapped, and all other lines alone.

    A text was wrapped if the first word of a line had no room in the one above it.
    """
    texts = [line.text for line in lines if line.cells is None and is_text(line.text)]
    width, found = max(map(len, texts), default=0), list[list[Logical]]()
    for line in lines:
        above, word = (found[-1] if found else [line]), line.text.partition(" ")[0]
        full = width * (_FULL if word.islower() else _NEARLY)
        is_full = width > _NARROW and len(f"{above[-1].text.rstrip()} {word}") > full
        is_apart = _ITEM.match(line.text) or _ENDED.search(above[-1].text) or not is_full
        is_next = line.first == above[-1].first + 1 and not is_apart
        if is_next and is_text(" ".join(one.text for one in above[-_AROUND:])):
            above.append(line)
        else:
            found.append([line])
    return found


def numbers_in(text: str) -> list[str]:
    """What could be a maker's number in a text or the address of a product, the longest first."""
    found = [match[1] for match in _LABELLED.finditer(text)]
    if not text.startswith("http"):
        return found
    for segment in re.split(r"[/?&=]", text)[3:]:
        words = segment.partition(".htm")[0].replace("_", "-").split("-")[-_MOST_WORDS:]
        at = range(len(words) + 1)
        runs = ("-".join(words[i:j]) for i in at for j in at[i + 1 :])
        found += [r for r in runs if any(map(str.isdigit, r)) and len(r) >= _SHORTEST]
    return sorted(found, key=len, reverse=True)
