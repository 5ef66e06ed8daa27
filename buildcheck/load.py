"""build.yaml → `Build`, every value knowing its line and column.

Short forms are spelt out first: one name for a part, `4x RTX 3090` for several, one
entry where a list is meant. Every problem is collected; a value that cannot be used
is set aside so that the rest of the file is still looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from buildcheck.errors import InputError, Problem
from buildcheck.model.build import LISTS, NO_PARTS, SINGLES, Build
from buildcheck.model.price import Quote
from buildcheck.source import Document, Path, read

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

#: Setting bad values aside may lay bare others; a file that needs more than this is hopeless.
MOST_PASSES = 8
#: How the bounds of a number read.
_BOUNDS = {"ge": "of at least", "le": "of at most", "gt": "above", "lt": "below"}
#: More parts of a kind than any machine has.
MOST_PARTS = {
    "gpus": 64,
    "psus": 16,
    "memory": 64,
    "storage": 256,
    "risers": 64,
    "add_in_cards": 32,
    "cables": 128,
    "nvlink": 32,
    "quotes": 32,
    "waivers": 256,
}
#: Keys that short forms leave out.
_SPELT_OUT = ("each", "file", "allowed", "form_factor", "kind", "count", "total")
#: Sections that name no part, of build files and of wishes.
_NO_PARTS = (*NO_PARTS, "wish", "owned", "prices", "best")
#: Keys listed in a message.
SHOWN = 12
#: Sections whose entries must name a part or give facts; that there is a
#: riser or a supply says something.
_NAMED = tuple(section for section in LISTS if section not in ("psus", "risers", "waivers"))
#: Memory given by its amount alone.
AMOUNT = re.compile(r"[0-9]{1,6}\s?(?:GB|GiB|TB|TiB)")
_SEVERAL = re.compile(r"([0-9]{1,9})\s?[x×]\s+(\S.*)")


@dataclass(frozen=True)
class Loaded:
    """A build, the document it was read from, and what is wrong with it so far."""

    build: Build
    document: Document
    problems: tuple[Problem, ...] = ()


def load(raw: bytes, path: str) -> Loaded:
    """Bytes of a build file as a build. Raises `InputError` if nothing can be made of it.

    Problems that leave something to look at are returned, so that the resolver can
    add its own and all are reported at once; `resolve` raises them.
    """
    document = read(raw, path)
    if not isinstance(document.data, dict):
        if not document.problems:
            document.problems.append(
                document.problem(
                    (), "a build file is a mapping", "Start with a line such as 'gpus: 4x RTX 3090'"
                )
            )
        raise InputError(document.problems)
    data = spelt_out(document.data)
    crowded = crowds(data, document)
    if crowded:
        raise InputError([*document.problems, *crowded])
    problems = list(document.problems)
    taken = {(p.line, p.column) for p in problems}
    build, more = validated(data, document, Build)
    problems += [p for p in more if (p.line, p.column) not in taken]
    problems += _emptiness(build, document, problems)
    return Loaded(build, document, tuple(problems))


def spelt_out(data: dict[str, Any]) -> dict[str, Any]:
    """Sections of a build file with their short forms as mappings and lists."""
    result = dict(data)
    for section in LISTS:
        if section in result:
            value = result[section]
            items = value if isinstance(value, list) else [value]
            result[section] = [entry(item) for item in items]
    for section in SINGLES:
        if section in result:
            result[section] = entry(result[section])
    if "quotes" in result:
        quotes = result["quotes"]
        result["quotes"] = [_quote(q) for q in (quotes if isinstance(quotes, list) else [quotes])]
    for item in result.get("memory", []):
        # Memory is often given by its amount alone.
        if isinstance(item, dict) and AMOUNT.fullmatch(str(item.get("part", ""))):
            item["total"] = item.pop("part")
    return result


def entry(item: Any) -> Any:
    """An entry of the parts list as a mapping: its part, and how many of it."""
    if isinstance(item, (int, float)) and not isinstance(item, bool):
        item = str(item)
    if not isinstance(item, str):
        return dict(item) if isinstance(item, dict) else item
    several = _SEVERAL.fullmatch(item.strip())
    if several:
        return {"part": several[2], "count": int(several[1])}
    return {"part": item}


def _quote(item: Any) -> Any:
    """A quote with its lines spelt out, or the name of its file."""
    if not isinstance(item, dict):
        return {"file": item}
    lines = item.get("lines", [])
    some = lines if isinstance(lines, list) else [lines]
    return {**item, "lines": [entry(line) for line in some]}


def load_quote(raw: bytes, path: str) -> tuple[Quote | None, Document, list[Problem]]:
    """Bytes of a quote's file as a quote, and what is wrong with it."""
    document = read(raw, path)
    if not isinstance(document.data, dict):
        advice = "Start with a line such as 'vendor: ...'"
        wrong = document.problem((), "a quote is a mapping", advice)
        return None, document, document.problems or [wrong]
    try:
        quote, problems = validated(_quote(document.data), document, Quote)
    except InputError as error:
        return None, document, error.problems
    return quote, document, [*document.problems, *problems]


_Model = TypeVar("_Model", bound="BaseModel")


def validated(
    data: dict[str, Any], document: Document, model: type[_Model]
) -> tuple[_Model, list[Problem]]:
    """The model of what is usable, and a problem for everything that is not."""
    from pydantic import ValidationError  # noqa: PLC0415 - loaded with the model anyway

    problems: list[Problem] = []
    for number in range(MOST_PASSES):
        try:
            return model.model_validate(data), problems
        except ValidationError as error:
            # What is missing after something was set aside is no fault of the file.
            problems += _problems(error, document, model, gaps=number == 0)
            for detail in error.errors(include_url=False):
                _prune(data, spot(data, detail["loc"]))
    raise InputError([*document.problems, *problems])


def spot(data: Any, loc: tuple[int | str, ...]) -> Path:
    """The part of pydantic's location that exists in the data, and one step beyond."""
    path: Path = ()
    for number, step in enumerate(loc, 1):
        if (isinstance(data, dict) and step in data) or (
            isinstance(data, list) and isinstance(step, int) and step < len(data)
        ):
            path, data = (*path, step), data[step]  # type: ignore[index]
        elif isinstance(data, dict) and number == len(loc):
            return (*path, step)
    return path


def _prune(data: Any, path: Path) -> None:
    """Take the value at `path` out; a list item leaves its list, a gap its holder."""
    holders = [data]
    for step in path[:-1]:
        holders.append(holders[-1][step])
    for holder, step in zip(reversed(holders), reversed(path), strict=True):
        if isinstance(holder, dict) and step in holder:
            del holder[step]
            return
        if isinstance(holder, list) and isinstance(step, int):
            holder[step] = {}
            return


def _problems(
    error: ValidationError, document: Document, model: type[Any], *, gaps: bool
) -> list[Problem]:
    found = []
    for detail in error.errors(include_url=False):
        if detail["type"] == "missing" and not gaps:
            continue
        path = spot(document.data, detail["loc"]) or detail["loc"]
        # What is spelt out from a short form is called as it is written.
        name = str(next((step for step in reversed(path) if isinstance(step, str)), "file"))
        message, advice = _sentence(detail, name, model)
        unknown = detail["type"] == "extra_forbidden"
        found.append(
            document.problem(path, message, advice, key=unknown or detail["type"] == "missing")
        )
    return found


def _sentence(  # noqa: PLR0911 - one per kind
    detail: ErrorDetails, written: str, model: type[Any]
) -> tuple[str, str]:
    """What pydantic found, in words for the person who wrote the file."""
    # An entry of a list is called as the list is: its place says which.
    name = next((step for step in reversed(detail["loc"]) if isinstance(step, str)), "file")
    kind = detail["type"]
    if kind == "extra_forbidden":
        return f"there is no key '{name[:40]}' here", _near_key(name, detail["loc"], model)
    if kind == "missing":
        return f"'{name}' is missing here", f"Add '{name}:'"
    if kind == "value_error":
        of = written if name in _SPELT_OUT else name
        return f"'{of}' {_joined(str(detail['ctx']['error']))}", ""
    if kind in ("bool_type", "bool_parsing"):
        return f"'{name}' needs true or false", ""
    if kind.startswith(("greater_than", "less_than")):
        bound = ", ".join(f"{_BOUNDS[how]} {limit}" for how, limit in detail["ctx"].items())
        return f"'{name}' is {detail['input']}", f"Write a number {bound}"
    if kind.startswith("int"):
        return f"'{name}' needs a whole number such as 2", ""
    if kind in ("model_type", "model_attributes_type", "dict_type") and name in _NO_PARTS:
        return f"'{name}' needs 'key: value' lines", ""
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return f"'{name}' needs a part name or 'key: value' lines", ""
    return f"'{name}' cannot be read: {detail['msg'][0].lower()}{detail['msg'][1:]}", ""


def _near_key(name: str, loc: tuple[int | str, ...], model: type[Any]) -> str:
    """The key that was probably meant, or the keys there are."""
    import difflib  # noqa: PLC0415 - only to help after a mistake

    known = _known_keys(loc, model)
    near = difflib.get_close_matches(name, known, 1, 0.6)
    if near:
        return f"Did you mean '{near[0]}'?"
    return f"Known here: {', '.join(known[:SHOWN])}" + " …" * (len(known) > SHOWN)


def _joined(words: str) -> str:
    starts = ("needs", "cannot", "is ", "has ")
    return words if words.startswith(starts) else f"cannot be read: {words}"


def _known_keys(loc: tuple[int | str, ...], root: type[Any]) -> list[str]:
    """The keys of the model that holds `loc`."""
    from pydantic import BaseModel  # noqa: PLC0415

    model: Any = root
    for step in loc[:-1]:
        if isinstance(step, str) and step in getattr(model, "model_fields", {}):
            inner = _model_in(model.model_fields[step].annotation, BaseModel)
            model = inner or model
    return sorted(info.alias or name for name, info in model.model_fields.items())


def _model_in(annotation: Any, base: type) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, base):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _model_in(inner, base)
        if found:
            return found
    return None


def crowds(data: dict[str, Any], document: Document, at: Path = ()) -> list[Problem]:
    """Sections with more entries, or more parts in all, than any machine has.

    `at` is where in the document the sections stand.
    """
    found = []
    for section, most in MOST_PARTS.items():
        entries = data.get(section, [])
        counts = [e.get("count", 1) if isinstance(e, dict) else 1 for e in entries]
        number = sum(c for c in counts if isinstance(c, int))
        if max(number, len(entries)) > most:
            message = (
                f"'{section}' lists {max(number, len(entries))} parts; at most {most} are checked"
            )
            found.append(document.problem((*at, section), message, "Check the counts", key=True))
    return found


def _emptiness(build: Build, document: Document, problems: list[Problem]) -> list[Problem]:
    """Entries that name nothing and give nothing, unless that is said already."""
    if problems:
        return []
    found = nameless(build, document)
    if not build.gpus:
        found.append(
            document.problem(
                (), "there are no GPUs to check", "Add a line such as 'gpus: 4x RTX 3090'"
            )
        )
    return found


def nameless(build: Build, document: Document, at: Path = ()) -> list[Problem]:
    """Entries that name no part and give no facts, of sections that stand `at` a place."""
    found = []
    for section in _NAMED:
        for index, item in enumerate(getattr(build, section)):
            if not item.model_fields_set - {"count", "price"}:
                found.append(
                    document.problem(
                        (*at, section, index),
                        f"this entry of '{section}' names no part and gives no facts",
                        "Name a part or give facts",
                    )
                )
    return found
