"""build.yaml → `Build`, every value knowing its line and column.

Short forms are spelt out first: one name for a part, `4x RTX 3090` for several, one
entry where a list is meant. Every problem is collected; a value that cannot be used
is set aside so that the rest of the file is still looked at.
"""

import re
from dataclasses import field, replace
from pathlib import PurePath
from typing import Any

from buildcheck.errors import InputError, Problem
from buildcheck.load.forms import quote
from buildcheck.load.keys import opened, quote_opened
from buildcheck.load.sentences import complaining, validated
from buildcheck.load.spelt import spelt_out
from buildcheck.model.build import LISTS, MOST_ENTRIES, Build
from buildcheck.model.frozen import Frozen
from buildcheck.model.price import Quote
from buildcheck.model.source import Document, Path, read
from buildcheck.words.keys import place_of

#: Endings of files in YAML.
YAML = {".yaml", ".yml", ".json", ""}
#: Sections whose entries must name a part or give facts; that there is a
#: riser or a supply says something.
_NAMED = tuple(section for section in LISTS if section not in ("psus", "risers", "waivers"))


class Loaded(Frozen):
    """A build, the document it was read from, and what is wrong with it so far.

    `data` are spelt out, without what cannot be used.
    """

    build: Build
    document: Document
    problems: tuple[Problem, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)


def is_yaml(raw: bytes, path: str) -> bool:
    r"""Is a file YAML, by its ending or by what it holds, and no list as shops write them?

    >>> is_yaml(b"GPU: RTX 3090", "a.txt"), is_yaml(b"My rig:\nGPU: RTX 3090", "a.txt")
    (True, False)
    >>> is_yaml(b"GPU: A\nGPU: B\n", "a.txt"), is_yaml(b"Parts of it:\n- GPU - A\n", "a.txt")
    (False, False)
    """
    if PurePath(path).suffix.lower() in YAML:
        return True
    labels = re.findall(rb"(?m)^(\w[^:\n]*):\s", raw)
    if len(labels) > len({*labels}):
        return False
    data = read(raw, path).data
    if isinstance(data, dict):
        # A post begins with a heading, or has bullets that are none of YAML.
        is_key = all(k[:1].isalnum() and "," not in k for k in data)
        head, below = next(iter(data.items()), ("", ""))
        is_list = isinstance(below, list) and place_of(head) is None
        return not (below is None or is_list) and is_key
    try:
        return isinstance(opened(raw, path).data, dict)
    except InputError:
        return False


def load(raw: bytes, path: str) -> Loaded:
    """Bytes of a build file as a build. Raises `InputError` if nothing can be made of it.

    Problems that leave something to look at are returned, so that the resolver can
    add its own and all are reported at once; `resolve` raises them.
    """
    document = opened(raw, path)
    if not isinstance(document.data, dict):
        raise InputError(document.problems or [document.wrong((), "no-lines")])
    data = spelt_out(document.data, complaining(document))
    crowded = crowds(data, document)
    if crowded:
        raise InputError([*document.problems, *crowded])
    problems = list(document.problems)
    taken = {(p.line, p.column) for p in problems}
    build, more = validated(data, document, Build)
    problems += [p for p in more if (p.line, p.column) not in taken]
    problems += _emptiness(build, document, problems)
    return Loaded(build, document, tuple(problems), data)


def rebuilt(data: dict[str, Any], document: Document) -> Loaded:
    """Changed data of a loaded document as a build. Raises `InputError` as `load` does.

    What loading set aside is left out again, and noted no second time.
    """
    data, quiet = spelt_out(data), replace(document, problems=[], unread=[])
    build, problems = validated(data, quiet, Build)
    return Loaded(build, document, tuple(problems), data)


def load_quote(raw: bytes, path: str) -> tuple[Quote | None, Document, list[Problem]]:
    """Bytes of a quote's file as a quote, and what is wrong with it."""
    document = quote_opened(raw, path)
    if not isinstance(document.data, dict):
        wrong = document.wrong((), "no-lines-of-quote")
        return None, document, document.problems or [wrong]
    try:
        made = quote(document.data, (), complaining(document))
        found, problems = validated(made, document, Quote)
    except InputError as error:
        return None, document, error.problems
    return found, document, [*document.problems, *problems]


def crowds(data: dict[str, Any], document: Document, at: Path = ()) -> list[Problem]:
    """Sections with more entries, or more parts in all, than any machine has.

    `at` is where in the document the sections stand.
    """
    found = []
    for section, most in MOST_ENTRIES.items():
        entries = data.get(section, [])
        counts = [e.get("count", 1) if isinstance(e, dict) else 1 for e in entries]
        number = max(len(entries), sum(c for c in counts if isinstance(c, int)))
        if number > most:
            words = {"section": section, "number": number, "most": most}
            found.append(document.wrong((*at, section), "crowded", **words, of_key=True))
    return found


def _emptiness(build: Build, document: Document, problems: list[Problem]) -> list[Problem]:
    """Entries that name nothing and give nothing, unless that is said already."""
    if problems:
        return []
    found = nameless(build, document)
    if not build.gpus:
        found.append(document.wrong((), "no-gpus"))
    return found


def nameless(build: Build, document: Document, at: Path = ()) -> list[Problem]:
    """Entries that name no part and give no facts, of sections that stand `at` a place.

    Of a machine to be judged it is something to know that there are four GPUs.
    """
    nothing = {"price", "note", "count"} if at else {"price", "part_number", "note"}
    return [
        document.wrong((*at, section, index), "empty-entry", section=section)
        for section in _NAMED
        for index, item in enumerate(getattr(build, section))
        if not item.model_fields_set - nothing
    ]
