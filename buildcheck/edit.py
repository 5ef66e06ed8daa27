"""Changes of a build file, written into its text: what is not changed stays byte for byte.

Each change is a few splices at the places the parser names; the result is read again and has to
hold exactly what was asked for, or an error is raised.

Style follows the surroundings: what is in one line stays in one line, a new key or
entry of a block gets lines of its own after the last one, and a new section comes last. A
comment at the end of a line stays with that line. What is taken away takes the comment at
its end along, and comment lines above it only if they are clearly its own: directly above,
at its column, below another entry, and with no further entry directly below it. A list or
mapping that is left empty goes too.
"""

from __future__ import annotations

import copy
import difflib
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from buildcheck.errors import InputError
from buildcheck.load import as_written, is_key, rekeyed, spelt_out
from buildcheck.load.keys import TEXTS, is_apart
from buildcheck.load.shapes import of_section
from buildcheck.model.build import LISTS, SINGLES
from buildcheck.render.terminal import plain
from buildcheck.source import read, scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from buildcheck.source import Document, Path

_LOADER = getattr(yaml, "CLoader", yaml.Loader)
_BOM = b"\xef\xbb\xbf"
#: What ends a line for YAML.
_BREAKS = "\n\r\x85\u2028\u2029"
#: Halves of characters, which no UTF-8 text holds.
_HALVES = re.compile("[\ud800-\udfff]")
_BREAK = re.compile(f"[{_BREAKS}]")
_HEADER = re.compile(r"[|>][-+0-9]*")
#: Sections whose entries may be names alone.
_SHORT = {*LISTS, *SINGLES, "quotes"} - {"waivers"}


class Change(NamedTuple):
    """One edit of a build file: what stands at `path` becomes `value`; None takes it away.

    A number after the last entry of a list appends; one entry where a list is meant is
    entry 0. Paths of later changes hold after the earlier ones.
    """

    path: Path
    value: Any


class _Splice(NamedTuple):
    """Text that replaces what is between two positions."""

    start: int
    stop: int
    text: str


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
        if document.problems or not isinstance(document.data, dict):
            wrong = document.problem((), "a build file needs 'key: value' lines")
            raise InputError(document.problems or [wrong])
        raw, document = _edited(raw, document, Change(as_written(keyed, at), value))
    return raw


def _edited(raw: bytes, document: Document, change: Change) -> tuple[bytes, Document]:
    """The file with a change, and as it is read then."""
    try:
        wanted = changed(document.data, [change])
        text = _Text(raw.decode("utf-8-sig")).with_change(change, document.data, wanted)
        result = _BOM * raw.startswith(_BOM) + text.encode()
    except ValueError as error:
        what = f"'{named(change.path)}' cannot be changed: {error}"
        raise InputError([document.problem(change.path, what, "Edit it by hand")]) from None
    found = read(result, document.path, is_key)
    rekeyed(found)
    if found.problems or _exact(found.data) != _exact(wanted):
        what = f"'{named(change.path)}' cannot be changed the way it is written here"
        raise InputError([document.problem(change.path, what, "Edit it by hand")])
    return result, found


def difference(old: bytes, new: bytes, path: str) -> str:
    """What changes between two versions of a file, as a unified diff fit for a terminal."""
    sides: list[list[str]] = []
    for raw in (old, new):
        *lines, last = raw.decode("utf-8-sig", "replace").split("\n")
        tail = [f"{_shown(last)}\n\\ No newline at end of file\n"] if last else []
        sides.append([f"{_shown(line)}\n" for line in lines] + tail)
    name = plain(path)
    return "".join(difflib.unified_diff(sides[0], sides[1], name, name))


def _shown(line: str) -> str:
    return "\t".join(map(plain, line.removesuffix("\r").split("\t")))


def named(path: Path) -> str:
    """A path as people write it.

    >>> named(("gpus", 0, "power_limit"))
    'gpus[0].power_limit'
    """
    steps = (f"[{s}]" if isinstance(s, int) else f".{s}" for s in path)
    return "".join(steps).removeprefix(".")


# -- on plain data -----------------------------------------------------------


def changed(data: Any, changes: Sequence[Change]) -> Any:
    """Plain data after changes. Raises `ValueError` for one that cannot be made."""
    result = copy.deepcopy(data)
    for change in changes:
        if not change.path or isinstance(change.path[0], int):
            raise ValueError("it names no place")
        value = None if change.value is None else _plain(change.value)
        result = _changed(result, change.path, value, ())
        if result is None:
            raise ValueError("nothing would be left of the file")
    return result


def _changed(data: Any, path: Path, value: Any, at: Path) -> Any:
    """What stands at `at` after a change in it; None if nothing is left."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int) and not isinstance(data, list):
        if step == 0:
            return _changed(data, rest, value, at)
        data = [data]
    elif isinstance(step, str) and not isinstance(data, (dict, list)):
        data = _spelt(at, data)
    if _has(data, step):
        inner = _changed(data[step], rest, value, (*at, step))
    elif value is None:
        raise ValueError("there is nothing to take away")
    else:
        inner = _wrapped(rest, value)
    if inner is None:
        del data[step]
    elif isinstance(data, list) and step == len(data):
        data.append(inner)
    else:
        data[step] = inner
    return data or None


def _has(data: Any, step: str | int) -> bool:
    """Whether there is something at a step. Raises `ValueError` if nothing can be."""
    if isinstance(data, dict):
        return step in data
    if isinstance(step, str):
        raise ValueError(f"there is a list where '{step}' should be a key")
    if not 0 <= step <= len(data):
        raise ValueError(f"there are {len(data)} entries, so none can have number {step}")
    return step < len(data)


def _wrapped(path: Path, value: Any) -> Any:
    """A value inside the lists and mappings that a path to it needs."""
    for step in reversed(path):
        if isinstance(step, int) and step:
            raise ValueError(f"there is no entry before number {step}")
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _spelt(at: Path, item: Any) -> dict[str, Any]:
    """A short form as its full mapping. Raises `ValueError` if it is none."""
    names = of_section([step for step in at if isinstance(step, str)])
    entry: Any = None
    if names == ["workload"]:
        entry = spelt_out({"workload": item})["workload"]
    elif len(names) == 1 and names[0] in TEXTS:
        entry = {TEXTS[names[0]]: item}
    elif len(names) == 1 and names[0] in _SHORT:
        found = spelt_out({names[0]: item}).get(names[0])
        entry = found[0] if isinstance(found, list) and found else found
    elif names == ["quotes", "lines"]:
        entry = spelt_out({"quotes": {"lines": item}})["quotes"][0]["lines"][0]
    if not isinstance(entry, dict):
        raise ValueError("there is a value where keys should be")
    return dict(sorted(entry.items(), key=lambda pair: pair[0] == "count"))


def _plain(value: Any) -> Any:
    """A value as the reader gives it. Raises `ValueError` for what a file cannot hold."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        # More decimals are not read.
        return round(value, 9)
    if isinstance(value, (str, bool, int)) and not _HALVES.search(str(value)):
        return value
    raise ValueError(f"a build file cannot hold {value!r}")


def _exact(data: Any) -> str:
    """Text that is equal for equal data, and differs between truths, numbers and text."""
    return json.dumps(data, sort_keys=True)


def _at(data: Any, path: Path) -> Any:
    """What stands at a path, or None."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _word(value: Any, *, flow: bool) -> str:
    """A text, number or truth in one line, in quotes where the reader needs them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return re.sub(r"(\.\d+?)0+$", r"\1", f"{value:.9f}")
    if flow:
        return _quoted(value, [(f"[{{k: {value}}}, {value}]", [{"k": value}, value])])
    return _quoted(value, [(f"k: {value}\n", {"k": value}), (f"- {value}\n", [value])])


def _key(key: str) -> str:
    return _quoted(key, [(f"{key}: 1\n", {key: 1}), (f"{{{key}: 1}}", {key: 1})])


def _quoted(text: str, tries: list[tuple[str, Any]]) -> str:
    """Text as it is if all tries with it are read as they should be, and in quotes if not."""
    found = ((read(written.encode(), ""), data) for written, data in tries)
    if text.isprintable() and all(not one.problems and one.data == data for one, data in found):
        return text
    if text.isprintable() and "'" not in text:
        return f"'{text}'"
    return scalar(text, quoted=True)


def _flow(value: Any) -> str:
    """Data in one line that may stand inside brackets."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    return _word(value, flow=True)


def _line(value: Any) -> str:
    """Data in one line of a block."""
    return _flow(value) if isinstance(value, (dict, list)) else _word(value, flow=False)


def _lines(value: Any, *, inner: bool) -> list[str]:
    """A mapping or list over several lines; entries of a list do so too if `inner`."""
    if isinstance(value, dict):
        return [f"{_key(k)}: {_line(v)}" for k, v in value.items()]
    return [line for item in value for line in _item(item, " ", block=inner)]


def _item(value: Any, gap: str, *, block: bool) -> list[str]:
    """An entry of a block list, with its dash."""
    inside = isinstance(value, dict) and value and block
    first, *rest = _lines(value, inner=False) if inside else [_line(value)]
    return [f"-{gap}{first}", *(f" {gap}{line}" for line in rest)]


# -- in the text of a file ---------------------------------------------------


#: A node of the parser.
_Node = Any


class _ListItem(NamedTuple):
    """A key with its value, or an item of a list: where it starts, and what it holds."""

    start: int
    value: _Node


#: Mappings and lists on the way to a node, each with the number of the entry in it.
_Trail = list[tuple[_Node, int]]


class _Text:
    """Text and its nodes; every method that changes something gives splices."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = yaml.compose(text, Loader=_LOADER)
        found = re.search(r"\r\n|\r|\n", text)
        self.newline = found[0] if found else "\n"

    def with_change(self, change: Change, data: Any, wanted: Any) -> str:
        """The text after a change of `data` to `wanted`."""
        text = self.text
        splices = self._change(change, data, wanted)
        # From the end; of those at one place the last one comes first.
        for start, stop, new in sorted(splices, key=lambda s: s.start)[::-1]:
            text = text[:start] + new + text[stop:]
        return text

    def _change(self, change: Change, data: Any, wanted: Any) -> list[_Splice]:
        trail: _Trail = []
        node: _Node = self.root
        at: Path = ()
        path = change.path
        for number, step in enumerate(path):
            rest = path[number + 1 :]
            if isinstance(step, int) and not isinstance(node, yaml.SequenceNode):
                if step:
                    return self._listed(trail, node, _at(data, at), _wrapped(rest, change.value))
                continue
            if isinstance(node, yaml.ScalarNode):
                new = _at(wanted, at)
                return self._removed(trail) if new is None else self._put(trail, node, new)
            index = self._index(node, step)
            if index is None:
                return self._added(node, step, _plain(_wrapped(rest, change.value)))
            trail.append((node, index))
            node, at = self._entries(node)[index].value, (*at, step)
        if change.value is None:
            return self._removed(trail)
        return self._put(trail, node, _plain(change.value))

    # Where things are.

    def _index(self, node: _Node, step: str | int) -> int | None:
        if isinstance(node, yaml.MappingNode):
            keys = [key.value for key, _ in node.value]
            return keys.index(step) if step in keys else None
        return step if isinstance(step, int) and step < len(node.value) else None

    def _entries(self, node: _Node) -> list[_ListItem]:
        if isinstance(node, yaml.MappingNode):
            return [_ListItem(key.start_mark.index, value) for key, value in node.value]
        if node.flow_style:
            return [_ListItem(item.start_mark.index, item) for item in node.value]
        return [_ListItem(self._dash(node, item), item) for item in node.value]

    def _dash(self, node: _Node, item: _Node) -> int:
        """Where the dash of an item is: in its own line or above."""
        first: int = node.start_mark.index
        column: int = node.start_mark.column
        place: int = item.start_mark.index
        while True:
            start = self._line_start(place)
            if start <= first:
                return first
            indent = self.text[start : start + column]
            if not indent.strip(" ") and self.text[start + column] == "-":
                return start + column
            place = start - 1

    def _end(self, node: _Node) -> int:
        """Where a node ends, without what follows in its line; block text ends with a line."""
        end: int = node.end_mark.index
        if isinstance(node, yaml.CollectionNode):
            if node.flow_style and self.text[node.start_mark.index] in "[{":
                return end
            return self._end(node.value[-1][1] if _is_mapping(node) else node.value[-1])
        if node.style not in ("|", ">"):
            return end
        start: int = node.start_mark.index
        written = self.text[start:end]
        header = _HEADER.match(written)
        if header and "+" in header[0]:
            return end - (2 if written.endswith("\r\n") else written[-1] in _BREAKS)
        return start + len(written.rstrip())

    def _line_start(self, place: int) -> int:
        return 1 + max(self.text.rfind(sign, 0, place) for sign in _BREAKS)

    def _line_end(self, place: int) -> int:
        found = _BREAK.search(self.text, place)
        return found.start() if found else len(self.text)

    def _next_line(self, place: int) -> int:
        end = self._line_end(place)
        return min(end + (2 if self.text[end : end + 2] == "\r\n" else 1), len(self.text))

    def _before(self, place: int) -> str:
        """Text of the line before a position."""
        return self.text[self._line_start(place) : place]

    def _over(self, lines: list[str], column: int) -> str:
        """Lines as text below another line."""
        return "".join(f"{self.newline}{' ' * column}{line}" for line in lines)

    # Adding.

    def _added(self, node: _Node, step: str | int, value: Any) -> list[_Splice]:
        """A new key, or one more entry."""
        name = f"{_key(step)}: " if isinstance(step, str) else ""
        if node.flow_style:
            return self._into_flow(node, name + _flow(value))
        siblings = [entry.value for entry in self._entries(node)]
        over = _goes_over_lines(value, siblings)
        if not name:
            lines = _item(value, self._gap(node), block=over)
        elif over:
            lines = [name[:-1], *self._below(node, value)]
        else:
            lines = [name + _line(value)]
        place = self._line_end(self._end(node))
        return [_Splice(place, place, self._over(lines, node.start_mark.column))]

    def _below(self, holder: _Node, value: Any) -> list[str]:
        """A mapping or list over lines, indented like its neighbours."""
        lists = [n for _, n in holder.value if _is_list(n) and not n.flow_style]
        items = [item for n in lists for item in n.value if _is_mapping(item)]
        inner = not items or not items[-1].flow_style
        indent = 2
        if isinstance(value, list) and lists:
            # A list may stand at the very column of its key.
            indent = lists[0].start_mark.column - holder.start_mark.column
        return [" " * indent + line for line in _lines(value, inner=inner)]

    def _gap(self, node: _Node) -> str:
        """What stands between a dash and its item."""
        first = self._entries(node)[0]
        gap = self.text[first.start + 1 : first.value.start_mark.index]
        return gap if gap and not gap.strip(" ") else " "

    def _into_flow(self, node: _Node, piece: str) -> list[_Splice]:
        """One more entry inside brackets; in a line of its own if the last one is."""
        start, end = node.start_mark.index, self._end(node)
        entries = self._entries(node)
        if self.text[start] not in "[{":
            return [_Splice(start, start, "{"), _Splice(end, end, f", {piece}}}")]
        if not entries:
            return [_Splice(start + 1, start + 1, piece)]
        last = self._end(entries[-1].value)
        comma = self._comma(last, end - 1)
        after = last if comma is None else comma + 1
        before = self._before(entries[-1].start)
        if before.strip():
            lead = ", " if comma is None else " "
            return [_Splice(after, after, lead + piece)]
        place = self._line_end(after)
        place, tail = (place, "," * (comma is not None)) if place < end else (after, "")
        lead = "," if comma is None else ""
        return [
            _Splice(last, last, lead),
            _Splice(place, place, f"{self.newline}{before}{piece}{tail}"),
        ]

    def _comma(self, place: int, stop: int) -> int | None:
        """The comma between two places that is in no comment."""
        while place < stop:
            if self.text[place] == ",":
                return place
            place = self._line_end(place) if self.text[place] == "#" else place + 1
        return None

    def _listed(self, trail: _Trail, node: _Node, old: Any, item: Any) -> list[_Splice]:
        """One entry as a list of two."""
        start, end, item = node.start_mark.index, self._end(node), _plain(item)
        if isinstance(node, yaml.ScalarNode):
            return self._put(trail, node, [old, item])
        if node.flow_style:
            return [_Splice(start, start, "["), _Splice(end, end, f", {_flow(item)}]")]
        column = node.start_mark.column - 2
        if self._before(start).strip() or column < trail[-1][0].start_mark.column:
            raise ValueError("there is no room for the dash of a list")
        # The dash takes the place of two spaces, so that all other lines stay as they are.
        place = self._line_end(end)
        return [
            _Splice(start - 2, start, "- "),
            _Splice(place, place, self._over(_item(item, " ", block=True), column)),
        ]

    # Putting something else in place.

    def _put(self, trail: _Trail, node: _Node, value: Any) -> list[_Splice]:
        holder, index = trail[-1]
        if any(outer.flow_style for outer, _ in trail):
            return self._put_line(trail, node, _flow(value))
        if isinstance(node, yaml.CollectionNode):
            over = not node.flow_style and bool(value) and isinstance(value, (dict, list))
        else:
            siblings = [e.value for n, e in enumerate(self._entries(holder)) if n != index]
            over = _goes_over_lines(value, siblings)
        if not over:
            return self._put_line(trail, node, _line(value))
        return self._put_block(holder, index, node, value)

    def _put_line(self, trail: _Trail, node: _Node, text: str) -> list[_Splice]:
        """One line instead of a value."""
        start, end = node.start_mark.index, self._end(node)
        if isinstance(node, yaml.CollectionNode) and not node.flow_style:
            if self._before(start).strip():
                return [_Splice(start, end, text)]
            place = self._indicator(*trail[-1])
            below = self._line_end(place)
            return [_Splice(place, place, f" {text}"), _Splice(below, self._line_end(end), "")]
        stop, below, after = self._parts(node)
        return [_Splice(start, stop, text), _Splice(below, after, "")]

    def _put_block(self, holder: _Node, index: int, node: _Node, value: Any) -> list[_Splice]:
        """A mapping or list over lines instead of a value."""
        start, column = node.start_mark.index, node.start_mark.column
        if isinstance(node, yaml.CollectionNode):
            stop = below = after = self._end(node)
        else:
            stop, below, after = self._parts(node)
            if isinstance(holder, yaml.MappingNode):
                lines = self._over(self._below(holder, value), holder.start_mark.column)
                start = self._indicator(holder, index)
                return [_Splice(start, stop, ""), _Splice(below, after, lines)]
        items = [n for n in node.value if _is_mapping(n)] if _is_list(node) else []
        first, *rest = _lines(value, inner=not items or not items[-1].flow_style)
        if isinstance(value, dict) and column == holder.start_mark.column:
            first, column = f"  {first}", column + 2
        return [_Splice(start, stop, first), _Splice(below, after, self._over(rest, column))]

    def _parts(self, node: _Node) -> tuple[int, int, int]:
        """Where a value ends, save the lines of a text below its header; and these."""
        end = self._end(node)
        stop = end
        if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
            header = _HEADER.match(self.text, node.start_mark.index)
            stop = header.end() if header else end
        below = self._line_end(stop)
        return stop, below, max(end, below)

    def _indicator(self, holder: _Node, index: int) -> int:
        """The place behind the colon of a key, or behind the dash of an item."""
        if isinstance(holder, yaml.MappingNode):
            return self.text.index(":", holder.value[index][0].end_mark.index) + 1
        return self._entries(holder)[index].start + 1

    # Taking away.

    def _removed(self, trail: _Trail) -> list[_Splice]:
        """Without an entry, and without what would be empty then."""
        while len(trail[-1][0].value) == 1:
            trail = trail[:-1]
        node, index = trail[-1]
        out_of = self._out_of_flow if node.flow_style else self._out_of_block
        return out_of(node, index)

    def _out_of_flow(self, node: _Node, index: int) -> list[_Splice]:
        entries = self._entries(node)
        start, end = entries[index].start, self._end(entries[index].value)
        following = [entry.start for entry in entries[index + 1 :]]
        line = self._line_start(start)
        own_line = line > node.start_mark.index and not self._before(start).strip()
        if own_line and self._line_end(end) < (following or [self._end(node) - 1])[0]:
            return [_Splice(line, self._next_line(end), "")]
        if following:
            return [_Splice(start, following[0], "")]
        return [_Splice(self._end(entries[index - 1].value), end, "")]

    def _out_of_block(self, node: _Node, index: int) -> list[_Splice]:
        entries = self._entries(node)
        start, end = entries[index].start, self._end(entries[index].value)
        before = self._before(start)
        if before.strip():
            # It stands behind the dash of the list it is in; what comes next takes its place.
            end, following = self._line_end(end), entries[index + 1].start
            if "#" in self.text[end:following]:
                return [_Splice(start - len(before) + len(before.rstrip()), end, "")]
            return [_Splice(start, following, "")]
        top, after = self._line_start(start), self._next_line(end)
        crowded = index + 1 < len(entries) and self._line_start(entries[index + 1].start) == after
        if index and not crowded:
            above = self._line_end(self._end(entries[index - 1].value))
            top = self._own_comment(top, above, before)
        return [_Splice(top, after, "")]

    def _own_comment(self, top: int, above: int, indent: str) -> int:
        """Where the comment lines directly above a line begin, at its column."""
        while True:
            start = self._line_start(top - 1)
            if start <= above or not self.text.startswith(f"{indent}#", start):
                return top
            top = start


def _is_mapping(node: _Node) -> bool:
    return isinstance(node, yaml.MappingNode)


def _is_list(node: _Node) -> bool:
    return isinstance(node, yaml.SequenceNode)


def _goes_over_lines(value: Any, siblings: list[_Node]) -> bool:
    """Does a value get lines of its own? As its last similar sibling does."""
    if not value or not isinstance(value, (dict, list)):
        return False
    some = [node for node in siblings if isinstance(node, yaml.CollectionNode)]
    kind = _is_mapping if isinstance(value, dict) else _is_list
    like = [node for node in some if kind(node)] or some
    return bool(like) and not like[-1].flow_style
