"""Templates → text: one environment for terminals, one for pages.

A template is given one answer and asks for nothing else. What it compiles to is kept in the cache.
"""

import base64
import re
import shlex
import textwrap
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, zip_longest
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, select_autoescape
from jinja2.bccache import Bucket
from markupsafe import Markup

from buildcheck import store
from buildcheck.errors import WIDTH, marked
from buildcheck.logic.quantity import Interval, number_text, percent
from buildcheck.model.answer import Figure, link, short
from buildcheck.model.labels import fact_words, plain, runs, spans, subject_label, subject_labels
from buildcheck.render.envelope import address, relative

_SPACES = re.compile(r"[ \t\n]+")
_BLANK_LINES = re.compile(r"\n{3,}")
#: Two spaces that are kept where lines are wrapped.
_GAP = "\u00a0\u00a0"
#: Where lines begin behind a finding's state.
_STATE = 9
#: A column that wraps is never narrower.
_NARROWEST = 20
_COLOURS = {
    "error": 31,
    "fail": 31,
    "warning": 33,
    "note": 36,
    "likely": 33,
    "unknown": 35,
    "pass": 32,
    "waived": 2,
    "dim": 2,
    "bold": 1,
}
#: Paint is marked by characters for private use, until names have been made safe to print.
_PAINT = 0xE000
_MARKS = re.compile("([\ue000-\ue0fe])")
#: What empty words are wrapped to: their line is left out.
_NO_LINE = "\ue0ff"


def text(template: str, answer: Any, *, verbose: bool = False, colour: bool = False) -> str:
    """An answer as text for a terminal, by `templates/text/<template>.txt.j2`."""
    made = _text_environment(colour).get_template(f"text/{template}.txt.j2")
    printed = _printed(made.render(answer=answer, verbose=verbose)).rstrip("\n") + "\n"
    return _BLANK_LINES.sub("\n\n", printed)


@cache
def words(name: str) -> Any:
    """The names and macros of `templates/words/<name>.j2`, for drawings and spreadsheets."""
    return _text_environment(False).get_template(f"words/{name}.j2").module


def file_text(template: str, **values: Any) -> str:
    """The text of a file from `templates/<template>.j2`, with nothing escaped."""
    return _text_environment(colour=False).get_template(f"{template}.j2").render(**values)


def trusted(words: str) -> Markup:
    """Words of this program, or escaped: templates show them as they are."""
    return Markup(words)  # noqa: S704 - what it is for


def environment(use: str = "page", **options: Any) -> Environment:
    """Templates of the `templates` folder, for pages with what they import escaped.

    A name that is not there is a mistake of the program.
    """
    made = Environment(
        autoescape=select_autoescape(("j2",) if use == "page" else ()),
        loader=FileSystemLoader(store.data_folder("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_Compiled(use),
        auto_reload=False,
        **options,
    )
    made.filters |= {
        "address": address,
        "bare": short,
        "section": subject_label,
        "words": fact_words,
        "count": _count,
        "duration": _duration,
        "labels": subject_labels,
        "link": link,
        "number": number_text,
        "percent": _percent,
        "quoted": shlex.quote,
        "relative": relative,
        "rough": _rough,
        "runs": runs,
        "spans": spans,
    }
    return made


class _Compiled(BytecodeCache):
    """Templates compiled for one use, each checked before it is believed."""

    def __init__(self, use: str) -> None:
        self._use = use

    def get_cache_key(self, name: str, *_: Any, **__: Any) -> str:
        """A key of a template, wherever the program is installed."""
        return super().get_cache_key(name)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what was kept of a template, if it is sound and of the same text."""
        if kept := store.remembered(f"template_{self._use}_{bucket.key}", bucket.checksum):
            bucket.bytecode_from_string(base64.b64decode(kept))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template."""
        kept = base64.b64encode(bucket.bytecode_to_string()).decode()
        store.remember(f"template_{self._use}_{bucket.key}", bucket.checksum, kept)


@cache
def _text_environment(colour: bool) -> Environment:
    def paint(words: str, state: str) -> str:
        return f"{chr(_PAINT + _COLOURS[state])}{words}{chr(_PAINT)}" if colour else words

    made = environment(f"text-{colour:d}", keep_trailing_newline=True)
    made.filters |= {
        "wrap": _wrapped,
        "table": _table,
        "paint": paint,
        "headed": _header(paint),
        "cells": _cells,
        "marked": _marked,
    }
    return made


def _printed(words: str) -> str:
    """What goes to the terminal: no control character of a name, and marks of paint as colours."""
    words = words.replace(f"{_NO_LINE}\n", "").replace(_NO_LINE, "")
    parts = _MARKS.split(words.replace("–", "-").replace("\u00a0", " "))
    lines = ["\n".join(map(plain, part.split("\n"))) for part in parts[::2]]
    colours = [f"\033[{ord(mark) - _PAINT}m" for mark in parts[1::2]]
    return "".join(chain(*zip_longest(lines, colours, fillvalue="")))


def _wrapped(words: str, indent: int = 0, hang: int = 0, first: int | None = None) -> str:
    """Words over lines of the terminal's width, the first indented by `first` if that is given.

    Without words there is no line.
    """
    lines = textwrap.fill(
        _SPACES.sub(" ", str(words)).strip(),
        WIDTH,
        initial_indent=" " * (indent if first is None else first),
        subsequent_indent=" " * (indent + hang),
        break_on_hyphens=False,
        break_long_words=False,
    )
    return lines or _NO_LINE


def _header(paint: Callable[[str, str], Any]) -> Callable[..., str]:
    """Lines behind a state: what is wrong, then what to do; a rule's id where there is room."""

    def headed(words: str, state: str, rule: str = "", *more: str) -> str:
        lines, extra = _wrapped(words, _STATE).split("\n"), _GAP.join(filter(None, more))
        tail = [_wrapped(extra, _STATE, 2)] if extra else []
        if rule and (len(lines[-1]) + len(rule) + 2 <= WIDTH):
            lines[-1] += paint(rule.rjust(WIDTH - len(lines[-1])), "dim")
        elif rule:
            place, *rest = [*filter(None, more), ""]
            tail = [_wrapped(_GAP.join((place, rule, *rest)), _STATE, 2)]
        lines[0] = (
            (paint(state, state) if state else "") + " " * (_STATE - len(state)) + lines[0][_STATE:]
        )
        return "\n".join([*lines, *tail])

    return headed


def _marked(place: Any) -> str:
    """The line of a place as it is written, and carets below the place, with what it is."""
    first, carets = marked(place.source, place.line, place.column, place.width, _STATE)
    return "\n".join((first, f"{carets} {place.name}"[:WIDTH]))


def _cells(rows: Sequence[str], columns: int) -> str:
    """Short texts in columns, read across."""
    width = WIDTH // columns
    if any(len(row) > width - 2 for row in rows):
        columns = 1
    lines = [rows[n : n + columns] for n in range(0, len(rows), columns)]
    return "\n".join("".join(cell.ljust(width) for cell in line).rstrip() for line in lines)


def _table(rows: Iterable[Sequence[Any]], align: str, indent: int = 0) -> str:
    """Rows in columns that begin left (`l`) or end right (`r`); empty where there are none.

    A column `w` begins left and wraps where the table would be too wide; one of a capital letter is
    left out where it has nothing below its head.
    """
    cells = [["" if c is None else plain(str(c)) for c in row] for row in rows]
    kept = [n for n, side in enumerate(align) if side.islower() or any(row[n] for row in cells[1:])]
    cells = [[row[n] for n in kept] for row in cells]
    align = "".join(align[n] for n in kept).lower()
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    if "w" in align and cells:
        beyond = indent + sum(widths) + 2 * (len(widths) - 1) - WIDTH
        at = align.index("w")
        widths[at] = max(_NARROWEST, widths[at] - max(0, beyond))
    lines = []
    for row in cells:
        pieces = [
            textwrap.wrap(cell, width, break_on_hyphens=False) if side == "w" else [cell]
            for cell, width, side in zip(row, widths, align, strict=True)
        ]
        lines += [
            "  ".join(
                cell.rjust(width) if side == "r" else cell.ljust(width)
                for cell, width, side in zip(line, widths, align, strict=True)
            )
            for line in zip_longest(*pieces, fillvalue="")
        ]
    return "\n".join(f"{' ' * indent}{line}".rstrip() for line in lines)


def _count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 error`, `1,200 warnings`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def _percent(share: Figure | float) -> str:
    """A share of one in percent; a figure needs both ends."""
    low, high = (share.low, share.high) if isinstance(share, Figure) else (share, share)
    return percent(Interval(low or 0.0, high or 0.0))


def _rough(value: Figure | float, digits: int = 2) -> str:
    """A number or range with the digits that an estimate deserves, with its unit."""

    def cut(end: float) -> float:
        return float(f"{end:.{digits}g}")

    if not isinstance(value, Figure):
        return number_text(cut(value))
    low, high = (None if end is None else cut(end) for end in (value.low, value.high))
    return str(Figure(low, high, value.unit))


def _duration(seconds: Figure | float) -> str:
    """A time with three digits, in the largest unit that shows it: s, ms, µs or ns."""
    if not isinstance(seconds, Figure):
        seconds = Figure(seconds, seconds)
    high = seconds.low or 0.0 if seconds.high is None else seconds.high
    power = next((p for p in (0, 3, 6) if high >= 10.0 ** (-p - 2 * bool(p))), 9) if high else 3
    first, last = (end and end * 10.0**power for end in (seconds.low, seconds.high))
    return _rough(Figure(first, last, {0: "s", 3: "ms", 6: "µs", 9: "ns"}[power]), 3)
