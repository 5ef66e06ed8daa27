"""Changes written into the text of a build file: what is not changed stays byte for byte.

A new key or entry gets lines of its own after the last one, and a new section comes last. What
changes within brackets, or from a text to keys, is written again in block style, its comments
included. What is taken away takes the comment at its end along, and comment lines above it only
if they are clearly its own: directly above, at its column, below another entry, with no further
entry directly below it and, above the last section, with an empty line before them. The result is
read again and has to hold exactly what was asked for, or an error is raised.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import yaml

from buildcheck.edit.changes import Change, changed, named
from buildcheck.errors import InputError
from buildcheck.load.groups import is_key
from buildcheck.load.keys import rekeyed
from buildcheck.load.moved import is_apart
from buildcheck.model.flow import flow, reads, word
from buildcheck.model.source import Document, Path, as_written, forgiven, read, value_at

#: A node of the parser, and a line with the places of the data that begin in it.
Node = Any
PlacedLine = tuple[set[Path], str]

_LOADER = getattr(yaml, "CLoader", yaml.Loader)
_BOM = b"\xef\xbb\xbf"
#: What ends a line for YAML.
_BREAKS = "\n\r\x85\u2028\u2029"
_BREAK = re.compile(rf"\r\n|[{_BREAKS}]")
_HEADER = re.compile(r"[|>][-+0-9]*")
_COMMENT = re.compile(rf"[ \t]*#[^{_BREAKS}]*")
#: From here on data are in one line: values of the keys of an entry.
_ENTRY_DEPTH = 2
#: Characters of a value in brackets that stays in one line.
_LONGEST = 100


def edit(raw: bytes, path: str, changes: Sequence[Change]) -> bytes:
    """A build file with changes made in its text. Raises `InputError` if one cannot be."""
    document = read(raw, path, is_key)
    for change in changes:
        # Places are those of the models; the file may have other words for them.
        keyed = rekeyed(document)
        at, value = change
        if is_apart(keyed, at):
            # One text holds several entries: its section is written anew.
            at, value = at[:1], changed(keyed.data, [change]).get(at[0])
        _check_usable(document)
        raw, document = _edited(raw, document, Change(as_written(keyed, at), value))
    return raw


def formatted(raw: bytes, path: str) -> bytes:
    """A build file in one layout, with the data and comments it has. Raises `InputError`."""
    document = read(raw, path, is_key)
    _check_usable(document)
    text = _Text(raw.decode("utf-8-sig"))
    comments = text.comments()
    text = _Text(text.laid_out(document.data))
    for made in (text.tidied(), text.text):
        # Spaces and empty lines in a text that goes over lines are a part of it.
        result = _BOM * raw.startswith(_BOM) + made.encode()
        found = read(result, path, is_key)
        is_same = not found.problems and _exact(found.data) == _exact(document.data)
        if is_same and sorted(_Text(made).comments()) == sorted(comments):
            return result
    raise InputError([document.wrong((), "no-layout")])


def new_file(data: dict[str, Any]) -> bytes:
    """Plain data as the text of a build file."""
    return "".join(f"{line}\n" for line in _Writer().written((), data)).encode()


def _check_usable(document: Document) -> None:
    """Raises `InputError` for what is no build file."""
    if document.problems or not isinstance(document.data, dict):
        raise InputError(document.problems or [document.wrong((), "no-mapping")])


def _edited(raw: bytes, document: Document, change: Change) -> tuple[bytes, Document]:
    """The file with a change, and as it is read then."""
    wrong = partial(document.wrong, change.path, "no-change", name=named(change.path))
    try:
        wanted = changed(document.data, [change])
        text = _Text(raw.decode("utf-8-sig")).with_change(change.path, document.data, wanted)
        result = _BOM * raw.startswith(_BOM) + text.encode()
    except ValueError as error:
        raise InputError([wrong(why=f": {error}")]) from None
    found = read(result, document.path, is_key)
    rekeyed(found)
    if found.problems or _exact(found.data) != _exact(wanted):
        raise InputError([wrong(why=" the way it is written here")])
    return result, found


def _exact(data: Any) -> str:
    """Text that is equal for equal data, and differs between truths, numbers and text."""
    return json.dumps(data, sort_keys=True)


def _new_place(place: Path, path: Path, old: Any, new: Any) -> Path | None:
    """Where what is at a place of `old` is after a change at `path`; None if it has gone."""
    if not (path and place):
        return place
    (here, *after), (step, *rest) = place, path
    if isinstance(new, list) and not isinstance(old, list):
        return (0, *place)
    if isinstance(step, int) and isinstance(old, dict):
        return _new_place(place, tuple(rest), old, new)
    if type(old) is not type(new) or len(new) > len(old):
        return place
    is_gone = len(new) < len(old)
    if is_gone and isinstance(here, int) and isinstance(step, int) and here > step:
        return (here - 1, *after)
    inner: Path | None = tuple(after)
    if here == step:
        inner = None if is_gone else _new_place(tuple(after), tuple(rest), old[step], new[step])
    return None if inner is None else (here, *inner)


class _Spot(NamedTuple):
    """A key, a text, or an end of a list or mapping: between spots are signs and comments."""

    start: int
    stop: int
    place: Path


class _Comment(NamedTuple):
    """A comment at the end of the line of a place, or in its own line above it."""

    text: str
    place: Path
    is_above: bool


@dataclass
class _Writer:
    """Data as lines in block style, with comments and with what stays as it is written."""

    kept: dict[Path, str] = field(default_factory=dict)
    comments: list[_Comment] = field(default_factory=list)

    def written(self, place: Path, value: Any) -> list[str]:
        """A key or entry with its value; all of them where there is no place."""
        items = [((), value)] if place else [((k,), v) for k, v in value.items()]
        lines = [line for at, item in items for line in self._lines((*place, *at), item)]
        numbers = {at: number for number, (places, _) in enumerate(lines) for at in places}
        above: list[list[str]] = [[] for _ in (*lines, "below")]
        tails = [""] * len(lines)
        for text, at, is_above in self.comments:
            number = numbers.get(at) if at else -1
            if number is not None and (is_above or tails[number]):
                above[number].append(text.strip())
            elif number is not None:
                tails[number] = text
        indents = [line[: len(line) - len(line.lstrip())] for _, line in lines]
        found = []
        for comments, indent, (_, line), tail in zip(above, indents, lines, tails, strict=False):
            found += [*(indent + comment for comment in comments), line + tail]
        return found + [indents[-1] + comment for comment in above[-1]]

    def _lines(self, place: Path, value: Any) -> list[PlacedLine]:
        text, step = self._one_line(place, value), place[-1]
        lead = f"{word(step)}:" if isinstance(step, str) else "-"
        if text is not None:
            return [({place}, f"{lead} {text}")]
        items = value.items() if isinstance(value, dict) else enumerate(value)
        inner = [line for at, item in items for line in self._lines((*place, at), item)]
        if lead != "-":
            return [({place}, lead), *((places, f"  {line}") for places, line in inner)]
        (places, first), *rest = inner
        return [({place} | places, f"- {first}"), *((at, f"  {line}") for at, line in rest)]

    def _one_line(self, place: Path, value: Any) -> str | None:
        """A value in one line; None if it takes several."""
        if place in self.kept:
            return self.kept[place]
        if not isinstance(value, (dict, list)):
            return word(value, in_brackets=False)
        size = len(place)
        is_commented = any(c.place[:size] == place and len(c.place) > size for c in self.comments)
        is_deep = sum(isinstance(step, str) for step in place) >= _ENTRY_DEPTH
        return flow(value) if not value or (is_deep and not is_commented) else None


class _Text:
    """Text of a file and its nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        # A question mark alone is read as a value; it stays the one it is.
        self.root: Node = yaml.compose(forgiven(text), Loader=_LOADER)
        self.newline = next(iter(re.findall(r"\r\n|\r|\n", text)), "\n")

    def with_change(self, path: Path, old: Any, new: Any) -> str:
        """The text after a change at a path, from old data to new."""
        node, rest = self.root, path
        head = _Spot(node.start_mark.index, node.start_mark.index, ())
        while rest and isinstance(node, yaml.CollectionNode) and not node.flow_style:
            step, is_list = rest[0], isinstance(node, yaml.SequenceNode)
            if isinstance(step, int) != is_list:
                if step or not isinstance(new, dict):
                    break
                rest = rest[1:]
                continue
            heads = self._heads(node, head.place)
            index = next((n for n, (at, _) in enumerate(heads) if at.place[-1] == step), None)
            if index is None:
                stop = self._line_end(self._end(node))
                lines = ["", *_Writer().written((*head.place, step), new[step])]
                return self._with(stop, stop, node.start_mark.column, lines)
            if len(new) < len(old):
                if self._before(heads[index][0].start).strip():
                    break
                return self._without([(at.start, self._end(value)) for at, value in heads], index)
            head, node = heads[index]
            rest, old, new = rest[1:], old[step], new[step]
        return self._rewritten(head, node, rest, (old, new))

    def laid_out(self, data: Any) -> str:
        """The text in one layout: what is in brackets in one line stays so, the rest in blocks."""
        heads = self._heads(self.root, ())
        if self.root.flow_style:
            start = self.root.start_mark.index
            heads = [(_Spot(start, start, ()), self.root)]
        for head, node in reversed(heads):
            texts = dict(self._texts(node, head.place))
            if any(_HEADER.match(text) for text in texts.values()):
                # Text that is a block already is left alone.
                continue
            writer = _Writer()
            for place, text in texts.items():
                value, is_bracketed = value_at(data, place), text[:1] in ("[", "{")
                is_kept = is_bracketed or not isinstance(value, (dict, list))
                if not is_kept or text.startswith(("'", '"')) or _BREAK.search(text):
                    continue
                spelt = flow(value) if is_bracketed else text
                if len(spelt) <= _LONGEST:
                    writer.kept[place] = text if "？" in spelt else spelt
            places = {place: place for place in texts}
            self.text = self._replaced(head, node, places, writer, value_at(data, head.place))
        return self.text

    def tidied(self) -> str:
        """The text without spaces at ends of lines, and with one empty line at most in a row."""
        bare = re.sub(r"[ \t]+(?=\r?\n|$)", "", self.text).strip("\r\n")
        return re.sub(r"(\r?\n){3,}", self.newline * 2, bare) + self.newline

    def comments(self) -> list[str]:
        """Every comment, in order."""
        end = len(self.text)
        spots = [_Spot(0, 0, ()), *self._spots(self.root, ()), _Spot(end, end, ())]
        gaps = ((spot.stop, following.start) for spot, following in pairwise(spots))
        return [found[0].strip() for gap in gaps for found in _COMMENT.finditer(self.text, *gap)]

    def _rewritten(self, head: _Spot, node: Node, path: Path, data: tuple[Any, Any]) -> str:
        """The text with a key or entry written again, after a change at a path of its data."""
        size = len(head.place)
        old, new = data
        writer = _Writer()
        places: dict[Path, Path] = {(): ()}
        for place, text in self._texts(node, head.place):
            moved = _new_place(place[size:], path, old, new)
            if moved is None:
                continue
            places[place] = (*head.place, *moved)
            value = value_at(new, moved)
            is_same = _exact(value) == _exact(value_at(old, place[size:]))
            if is_same and not _BREAK.search(text) and reads(f"k: {text}\n", {"k": value}):
                writer.kept[places[place]] = text
        return self._replaced(head, node, places, writer, new)

    def _replaced(
        self, head: _Spot, node: Node, places: dict[Path, Path], writer: _Writer, new: Any
    ) -> str:
        """The text with a key or entry written again with its comments, at their new places."""
        end = self._line_end(self._end(node))
        spots = [head, *self._spots(node, head.place), _Spot(end, end, ())]
        for spot, following in pairwise(spots):
            for found in _COMMENT.finditer(self.text, spot.stop, following.start):
                is_above = not self._before(found.start()).strip()
                at = places.get((following if is_above else spot).place)
                if at is not None:
                    writer.comments.append(_Comment(found[0], at, is_above))
        column = head.start - self._line_start(head.start)
        return self._with(head.start, end, column, writer.written(head.place, new))

    def _without(self, spans: list[tuple[int, int]], index: int) -> str:
        """The text without an entry of a block and the comment lines that are its own."""
        start, end = spans[index]
        own = top = self._line_start(start)
        after = self._line_end(end, after=True)
        crowded = index + 1 < len(spans) and self._line_start(spans[index + 1][0]) == after
        if index and not crowded:
            above, mark = self._line_end(spans[index - 1][1]), f"{self._before(start)}#"
            line = self._line_start(top - 1)
            while line > above and self.text.startswith(mark, line):
                top, line = line, self._line_start(line - 1)
            # Right below another section, what is above the last one may be of that.
            is_last = index + 1 == len(spans) and not self._before(start)
            top = own if is_last and line <= above else top
        return self.text[:top] + self.text[after:]

    def _with(self, start: int, stop: int, column: int, lines: list[str]) -> str:
        """The text with lines between two positions, the first one where it begins."""
        joined = f"{self.newline}{' ' * column}".join(lines)
        return self.text[:start] + joined + self.text[stop:]

    def _heads(self, node: Node, place: Path) -> list[tuple[_Spot, Node]]:
        """The key of each entry, or where the entry begins, with its value."""
        if isinstance(node, yaml.MappingNode):
            keys = ((k.start_mark.index, k.end_mark.index, k.value, v) for k, v in node.value)
            return [(_Spot(start, stop, (*place, key)), v) for start, stop, key, v in keys]
        starts = [item.start_mark.index for item in node.value]
        if not node.flow_style:
            dash = re.compile(f"[{_BREAKS}]{' ' * node.start_mark.column}-")
            starts[0] = node.start_mark.index
            for number, item in enumerate(node.value[:-1], 1):
                gap = dash.finditer(self.text, self._end(item), starts[number] + 1)
                starts[number] = [found.end() - 1 for found in gap][-1]
        spots = (_Spot(start, start, (*place, number)) for number, start in enumerate(starts))
        return list(zip(spots, node.value, strict=True))

    def _texts(self, node: Node, place: Path) -> Iterator[tuple[Path, str]]:
        """A value and all in it, as they are written."""
        yield place, self.text[node.start_mark.index : self._end(node)]
        for head, value in (
            self._heads(node, place) if isinstance(node, yaml.CollectionNode) else ()
        ):
            yield from self._texts(value, head.place)

    def _spots(self, node: Node, place: Path) -> Iterator[_Spot]:
        start, end = node.start_mark.index, self._end(node)
        if not isinstance(node, yaml.CollectionNode):
            header = _HEADER.match(self.text, start) if node.style in ("|", ">") else None
            if header:
                yield _Spot(start, header.end(), place)
                start = self._line_end(header.end())
            yield _Spot(start, end, place)
            return
        if node.flow_style:
            yield _Spot(start, start, place)
        for head, value in self._heads(node, place):
            yield head
            yield from self._spots(value, head.place)
        if node.flow_style:
            yield _Spot(end, end, place)

    def _end(self, node: Node) -> int:
        """Where a node ends, without what follows in its line; block text ends with a line."""
        start: int = node.start_mark.index
        written: str = self.text[start : node.end_mark.index]
        if isinstance(node, yaml.CollectionNode) and not written.startswith(("[", "{")):
            last = node.value[-1]
            return self._end(last[1] if isinstance(last, tuple) else last)
        header = _HEADER.match(written) if getattr(node, "style", None) in ("|", ">") else None
        if header:
            kept = written.removesuffix("\n").removesuffix("\r")
            written = kept if "+" in header[0] else written.rstrip()
        return start + len(written)

    def _line_start(self, place: int) -> int:
        return 1 + max(self.text.rfind(sign, 0, place) for sign in _BREAKS)

    def _line_end(self, place: int, *, after: bool = False) -> int:
        """The end of a line, before or after its break."""
        found = _BREAK.search(self.text, place)
        return (found.end() if after else found.start()) if found else len(self.text)

    def _before(self, place: int) -> str:
        """Text of the line before a position."""
        return self.text[self._line_start(place) : place]
