"""Plain data → a model of what is usable, and a sentence for everything that is not."""

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pydantic_core import ErrorDetails, ValidationError

from buildcheck.errors import InputError, Problem
from buildcheck.model.build import NO_PARTS, SECTION_KIND, Build, Entry
from buildcheck.model.flow import flow
from buildcheck.model.source import PART, REMARK, Document, Path, Unread, called
from buildcheck.model.strict import NEEDED, Strict
from buildcheck.model.vocabulary import said_of, worded
from buildcheck.words.keys import hint_of, phrase, place_of, said_by

#: Setting bad values aside may lay bare others; a file that needs more than this is hopeless.
MOST_PASSES = 8
#: Sections that name no part, of build files and of wishes.
_NO_PARTS = (*NO_PARTS, "wish", "owned", "prices", "best")
#: Keys listed in a message, and those that were probably meant.
SHOWN, NEAR = 20, 1
#: Keys that mean nothing, of which no build file has more: what each may mean is looked for.
_MOST_UNKNOWN = 300

_Model = TypeVar("_Model", bound=Strict)


def validated(
    data: dict[str, Any], document: Document, model: type[_Model]
) -> tuple[_Model, list[Problem]]:
    """The model of what is usable, and a problem for everything that is not."""
    problems: list[Problem] = []
    for number in range(MOST_PASSES):
        try:
            read: Any = model.model_validate
            return read(data), problems
        except ValidationError as error:
            # What is missing after something was set aside is no fault of the file.
            problems += _problems(error, document, model, gaps=number == 0)
            places = [spot(data, detail["loc"]) for detail in error.errors(include_url=False)]
            if () in places:  # Parts of the whole file contradict each other.
                raise InputError([*document.problems, *problems]) from None
            for place in places:
                _prune(data, place)
    hopeless = document.wrong((), "hopeless")
    raise InputError([*document.problems, *problems] or [hopeless])


def faults(
    document: Document,
    path: Path,
    code: str,
    *,
    soft: bool = True,
    written: Any = None,
    **words: Any,
) -> list[Problem]:
    """The problem of a code; a contradiction is not `soft`: nothing of it can be set aside."""
    wrong = worded(code, **words)
    if soft:
        return document.refused(path, *wrong, written=written)
    return [document.problem(path, *wrong)]


def complaining(document: Document) -> Callable[..., None]:
    """What notes in a document what is wrong at a place, by its code."""
    return lambda *at, **words: document.problems.extend(faults(document, *at, **words))


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
    """Take the value at `path` out; a list item leaves its list, a gap its holder.

    An item of which nothing is left, and that needs something, takes its list along.
    """
    holders = [data]
    for step in path[:-1]:
        if isinstance(holders[-1], dict) and step not in holders[-1]:
            return  # What holds it is out.
        holders.append(holders[-1][step])
    for holder, step in zip(reversed(holders), reversed(path), strict=True):
        if isinstance(holder, dict) and step in holder:
            del holder[step]
            return
        if isinstance(holder, list) and isinstance(step, int) and holder[step] != {}:
            holder[step] = {}
            return


def _problems(
    error: ValidationError, document: Document, model: type[Any], *, gaps: bool
) -> list[Problem]:
    found: list[Problem] = []
    details = error.errors(include_url=False)
    unknown_keys = [d["loc"] for d in details if d["type"] == "extra_forbidden"]
    if len(unknown_keys) > _MOST_UNKNOWN:
        first = spot(document.data, unknown_keys[0])
        return [document.wrong(first, "no-keys", number=len(unknown_keys), of_key=True)]
    for detail in details:
        if detail["type"] == "missing" and not gaps:
            continue
        path = spot(document.data, detail["loc"]) or detail["loc"]
        # What is spelt out from a short form is called as it is written.
        message, advice = _sentence(detail, called(document, path))
        unknown, gap = detail["type"] == "extra_forbidden", detail["type"] == "missing"
        problem = document.problem(path, message, advice, key=unknown or gap)
        if unknown:
            near, advice = _near_keys(str(path[-1]), detail["loc"], model)
            if model is Build and not near:
                # Notes such as a vendor or a delivery time stop nothing, and are not hidden.
                key, section = str(path[-1]), str(path[0]) if len(path) > 1 else ""
                hint = hint_of(section, key) or advice
                # A GPU under a key such as `extra_gpus` may be one more of the machine.
                raw, is_gpu = detail["input"], re.search(phrase("gpu_key"), key)
                said = flow(raw) if isinstance(raw, dict | list) else str(raw)
                place = PART if is_gpu and not section and said_by(said) == "gpus" else ()
                place = (section, REMARK) if section and place_of(key) == () else place
                document.unread.append(Unread(key, problem.line, hint, said, place))
                continue
            found.append(problem._replace(near=near, suggestion=advice))
            continue
        # Of an entry nothing is left without what it needs: words of a person are no note there.
        field = model_at(detail["loc"], model).model_fields.get(detail["loc"][-1])
        is_needed = isinstance(detail["loc"][-2:][0], int) and field and field.default is NEEDED
        written = None if is_needed else detail["input"]
        found += document.refused(path, message, advice, key=gap, written=written)
    return found


def _sentence(detail: ErrorDetails, written: str) -> tuple[str, str]:
    """What pydantic found, in words for the person who wrote the file."""
    # An entry of a list is called as the list is: its place says which.
    name = next((step for step in reversed(detail["loc"]) if isinstance(step, str)), "file")
    error = str(detail.get("ctx", {}).get("error"))
    is_whole = error.startswith(("needs", "cannot", "is ", "has "))
    part = "" if name in _NO_PARTS else "a part name or "
    said = {"unread": "" if is_whole else "cannot be read: ", "part": part, "short": name[:40]}
    return said_of(detail, "build", name=name, written=written, **said)


#: How alike a key has to be to one that is known to be a slip of the pen.
_ALIKE, _SLIP = 0.8, 0.85


def _near_keys(
    name: str, loc: tuple[int | str, ...], model: type[Any]
) -> tuple[tuple[str, ...], str]:
    """Keys that were probably meant, or what keys there are."""
    known = sorted(info.alias or n for n, info in model_at(loc, model).model_fields.items())
    plain = name.lower().replace(" ", "_")
    alike = near_words(plain, known, SHOWN, _SLIP if loc[0] == "gpus" else _ALIKE)
    alike += [k for k in known if sorted(k) == sorted(plain) and is_slip(plain, k)]
    # Letters that changed places are the likeliest slip.
    near = tuple(sorted(alike, key=lambda key: sorted(key) != sorted(plain))[:NEAR])
    if model is Build and not near and len(loc) == 1:
        # What entries of all sections have says nothing of where it belongs.
        fields = {f: s for s in SECTION_KIND for f in model_at((s, ""), Build).model_fields}
        slips = near_words(plain, fields.keys() - Entry.model_fields, 1, _SLIP)
        return (), f"write it as '{slips[0]}' under '{fields[slips[0]]}:'" if slips else ""
    if near or model is Build:
        return near, ""
    at = place_of(name) or ("",)
    if at[0] in known:
        return near, f"Write it as '{': {'.join(at)}: ...{'}' * (len(at) - 1)}'"
    more = " …" * (len(known) > SHOWN)
    return near, f"Keys here: {', '.join(known[:SHOWN])}{more}"


def near_words(word: str, known: Iterable[str], most: int, least: float = _ALIKE) -> list[str]:
    """The known words that one is a slip of, the nearest first."""
    import difflib

    return difflib.get_close_matches(word, list(known), most, least)


def is_slip(word: str, other: str) -> bool:
    """Is one letter of a word wrong, missing or too many, or did two of them change places?"""
    for _ in range(2):
        ends = enumerate(zip(f"{word}\0", f"{other}\1", strict=False))
        start = next(n for n, (a, b) in ends if a != b)
        word, other = word[start:][::-1], other[start:][::-1]
    return not (word[1:] or other[1:]) or (not word[2:] and word == other[::-1])


def model_at(loc: tuple[int | str, ...], root: type[Any]) -> Any:
    """The model that holds what is at `loc`."""
    model: Any = root
    for step in loc[:-1]:
        if isinstance(step, str) and step in getattr(model, "model_fields", {}):
            inner = _model_in(model.model_fields[step].annotation)
            model = inner or model
    return model


def _model_in(annotation: Any) -> Any:
    if hasattr(annotation, "model_fields"):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _model_in(inner)
        if found:
            return found
    return None
