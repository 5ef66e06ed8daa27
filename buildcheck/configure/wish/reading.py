"""A wish file, and options over it, as plain data that a model can read.

Options are laid over the file before short forms are spelt out, so both say things in the same
words and have one reader. Problems with an option's value are reported at the option.
"""

import copy
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from buildcheck.configure.wish.model import FIXED, WishFile, WishSection
from buildcheck.errors import InputError, Problem
from buildcheck.load import crowds
from buildcheck.load.forms import entry
from buildcheck.load.sentences import near_words, spot
from buildcheck.load.spelt import spelt_out
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.kinds import DECLARED
from buildcheck.model.source import Document, Path, Position, read
from buildcheck.model.strict import Strict
from buildcheck.model.vocabulary import problem, vocabulary
from buildcheck.words.keys import phrase

EXAMPLE = "'wish: {gpus: 4x RTX 3090, budget: 9000 USD}'"
#: What a wish is called where there is no file.
NO_FILE = "the options"
#: Different cards in one build.
MOST_MODELS = 2
_COUNT = re.compile(r"[0-9]{1,15}(?:\s*\.\.\s*[0-9]{1,15})?")
_AMOUNT = re.compile(r"\s*[-+.]?[0-9.]+(?:\s*\.\.\s*[0-9.]+)?\s?\S?i?B")
#: What a word behind the amount of storage says of the drives.
_DRIVES: dict[str, dict[str, Any]] = vocabulary("wish-sections")["drives"]
#: Sections whose lists options add to.
_ADDED_TO = ("avoid",)
_SECTIONS: dict[str, str] = vocabulary("wish-problems")["sections"]
_OTHERS: dict[str, str] = vocabulary("wish-problems")["others"]


class OptionValue(NamedTuple):
    """The value of one option: the option, its place in a wish file, and the value there."""

    option: str
    path: Path
    value: Any


class WishDocument(Document):
    """A wish file with options over it, which may be all there is."""

    options: dict[Path, str] = field(default_factory=dict)

    def problem(
        self, path: Path, message: str, suggestion: str = "", *, key: bool = False
    ) -> Problem:
        """A problem at the place of `path`, or at the option that gave it."""
        path = spot(self.data, path) or path
        for size in range(len(path), 0, -1):
            if path[:size] in self.options:
                return Problem(self.options[path[:size]], 0, 0, message, suggestion)
        return super().problem(path, message, suggestion, key=key)


def open_wish(raw: bytes | None, path: str, options: Sequence[OptionValue]) -> WishDocument:
    """A file, or none, with options over it. Raises `InputError` if nothing can be made of it."""
    if raw is None:
        nowhere: dict[Path, Position] = {(): (0, 0)}
        file = Document(NO_FILE, {}, nowhere)
    else:
        file = read(raw, path)
    if not isinstance(file.data, dict):
        wrong = file.wrong((), "wish-no-lines", example=EXAMPLE)
        empty = f"Write what is wanted, such as {EXAMPLE}"
        raise InputError(
            p._replace(suggestion=empty) if p.message == "the file is empty" else p
            for p in file.problems or [wrong]
        )
    data = copy.deepcopy(file.data)
    places: dict[Path, str] = {}
    problems = [p for given in options if (p := _lay(data, given, places))]
    return WishDocument(
        **{**vars(file), "data": data, "problems": [*file.problems, *problems]}, options=places
    )


def _lay(data: dict[str, Any], given: OptionValue, places: dict[Path, str]) -> Problem | None:
    """Lay the value of an option over the file; what of the file is broken stays as it is."""
    holder: Any = data
    for depth, step in enumerate(given.path[:-1]):
        inner = holder.get(step, {})
        if depth and step in _SHORT and not isinstance(inner, dict):
            inner = _SHORT[str(step)](inner)
            if isinstance(inner, list):
                if len(inner) != 1:
                    return problem(given.option, "wish-which-card", number=len(inner))
                inner = inner[0]
        if not isinstance(inner, dict):
            return None
        holder[step] = inner
        holder = inner
    last, value = given.path[-1], given.value
    outer = next(
        (places[p] for n in range(len(given.path)) if (p := given.path[:n]) in places), None
    )
    if outer and str(holder.get(last, value)) != str(value):
        words = {"option": outer, "key": last, "one": holder[last], "other": value}
        return problem(given.option, "wish-twice", **words)
    if last in _ADDED_TO and last in holder:
        there = holder[last] if isinstance(holder[last], list) else [holder[last]]
        for index in range(len(there), len(there) + len(value)):
            places[*given.path, index] = given.option
        holder[last] = [*there, *value]
    else:
        # What an earlier option gave inside is given anew.
        holder[last] = value
        places[given.path] = given.option
    return None


# -- short forms --------------------------------------------------------------------------------


def _card(item: Any) -> Any:
    """`4x RTX 3090`, `4x 24 GB`, `96 GB` in all, or how many."""
    if _is_count(item):
        return {"count": item}
    spelt = entry(item, "gpus")
    if isinstance(item, str) and re.fullmatch(phrase("amount"), spelt["part"]):
        amount = spelt.pop("part")
        return {**spelt, ("memory_each" if "count" in spelt else "memory_total"): amount}
    return spelt


def _amount(value: Any) -> Any:
    """`256 GB`, `4 TB SSD`, or a part."""
    if found := isinstance(value, str) and _AMOUNT.match(value):
        drives = _DRIVES.get(value[found.end() :].strip().lower())
        return {"total": found[0], **drives} if drives else {"total": value}
    return {"total": value} if isinstance(value, (int, float)) else entry(value)


def _is_count(value: Any) -> bool:
    if isinstance(value, (int, float)):
        return True
    return isinstance(value, str) and _COUNT.fullmatch(value.strip()) is not None


def _case(value: Any) -> Any:
    """A kind or kinds of case, or a part."""
    if isinstance(value, str):
        kinds = DECLARED["case"]["fields"]["kind"]
        words = [word.lower() for word in (*kinds["among"], *kinds["also"])]
        is_kind = near_words(value.strip().lower(), words, 1, 0.75)
        return {"kind": value} if is_kind else {"part": value}
    return {"kind": value} if isinstance(value, list) else value


_SHORT: dict[str, Callable[[Any], Any]] = {
    "gpus": lambda value: [_card(i) for i in (value if isinstance(value, list) else [value])],
    "cpu": entry,
    "memory": _amount,
    "storage": _amount,
    "psus": lambda value: {"count": value} if _is_count(value) else entry(value),
    "case": _case,
    "board": lambda value: value if isinstance(value, dict) else {"form_factor": value},
    "power_limits": lambda value: value if isinstance(value, dict) else {"allowed": value},
}


def plain(document: WishDocument) -> tuple[dict[str, Any], list[Problem]]:
    """The data of a wish with its short forms spelt out, and problems that stop the reading.

    Entries in a wrong place are reported in `document.problems` and removed.
    """
    data = spelt_out(copy.deepcopy(document.data))
    _misplaced(data, (), document)
    wish, owned = data.get("wish"), data.get("owned")
    if isinstance(wish, dict):
        _misplaced(wish, ("wish",), document)
        data["wish"] = {k: _SHORT[k](v) if k in _SHORT else v for k, v in wish.items()}
    problems = crowds(data, document)
    if isinstance(owned, dict):
        _misplaced(owned, ("owned",), document)
        data["owned"] = spelt_out(owned)
        problems += crowds(data["owned"], document, ("owned",))
    return data, problems


def _misplaced(data: dict[str, Any], at: Path, document: WishDocument) -> None:
    """Take out what has another place in a wish, and say where that is."""
    for key in list(data):
        advice = _other_place(key, at)
        if advice:
            del data[key]
            where = f"in {at[0]!r}" if at else "at the top of a wish file"
            what = f"'{key}' does not stand {where}"
            document.problems.append(document.problem((*at, key), what, advice, key=True))


def _other_place(key: str, at: Path) -> str | None:
    """Where a key of a wish belongs that stands somewhere else; None if it stands well."""
    inner = _OTHERS["wish"] if key in WishSection.model_fields else None
    if at == ("owned",):
        if key in SECTION_KIND:
            return None
        return _OTHERS["no-part"] if key in FIXED else inner or _SECTIONS.get(key)
    if at:
        return _OTHERS["top"] if key in WishFile.model_fields and not inner else None
    return None if key in WishFile.model_fields else _SECTIONS.get(key, inner)


def entries_of(file: Strict, section: str, at: Path) -> Iterator[tuple[Path, Any]]:
    """The entries of a section that stands `at` a place, each with its own."""
    value = getattr(file, section)
    if isinstance(value, tuple):
        yield from (((*at, section, index), entry) for index, entry in enumerate(value))
    elif value is not None:
        yield (*at, section), value
