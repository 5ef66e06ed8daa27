"""Part files: which there are, what is wrong in them, and what is doubtful in the rest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildcheck import source, store
from buildcheck.catalog import Catalog, NameUnknownError, references
from buildcheck.errors import CatalogError, Problem
from buildcheck.index import LAB, Index, Layer, Row, entries
from buildcheck.layers import OPEN
from buildcheck.lint.duplicates import twins
from buildcheck.lint.lint import Doubt, doubts
from buildcheck.model.codec import pack_facts
from buildcheck.model.kinds import KINDS
from buildcheck.part_file import PartFile, read_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from buildcheck.model.part import Part

Files = dict[str, Path]
#: Folders above a part's file, up to that of its kind.
_DEPTH = 2


def listed(path: Path) -> tuple[Path, Files, Files, list[Problem]]:
    """The parts folder of a path, the files asked for, all files of that folder, and problems."""
    root = _root(path)
    if root is None:
        part_id, problems = _stated(path)
        return path.parent, {part_id: path} if part_id else {}, {}, problems
    all_files = {
        f"{kind}/{name}": file
        for kind in KINDS
        if (root / kind).is_dir()
        for name, file in store.files(root / kind)
    }
    here = path if path.is_relative_to(root) else path.absolute()
    files = {i: f for i, f in all_files.items() if f.is_relative_to(here)}
    if path == root:
        lost = [f for i, f in store.files(root) if i not in files]
        text = f"a part file lies in a folder named after its kind: {', '.join(sorted(KINDS))}"
        return root, files, all_files, [Problem(str(f), 1, 1, text) for f in lost]
    return root, files, all_files, []


def _root(path: Path) -> Path | None:
    """The folder whose folders are kinds, at or above a path; None for a file of its own."""
    if path.is_dir() and any((path / kind).is_dir() for kind in KINDS):
        return path
    for folder in (path, *path.absolute().parents)[: _DEPTH + 1]:
        if folder.name in KINDS and folder.is_dir():
            return folder.parent
    return path if path.is_dir() else None


def _stated(path: Path) -> tuple[str, list[Problem]]:
    """The id that a file states, or what is wrong with it."""
    try:
        document = source.read(path.read_bytes(), str(path))
    except OSError as error:
        return "", [Problem(str(path), 0, 0, f"it cannot be read: {error.strerror}")]
    data = document.data if isinstance(document.data, dict) else {}
    part_id = data.get("id")
    if isinstance(part_id, str):
        kind, *names = part_id.split("/")
        if kind in KINDS and names and all(names):
            return part_id, []
    kinds = ", ".join(sorted(KINDS))
    text = "'id' needs to be kind/maker/model, as in gpu/acme/rtx-9"
    wrong = document.problem(("id",), text, f"Kinds: {kinds}")
    return "", document.problems or [wrong]


#: Kinds of no more parts than this are listed where a name is like none.
_FEW = 12


class _Given(Layer):
    """Parts just read, over a catalogue; nothing of them is kept."""

    def __init__(self, folder: Path, groups: store.Groups) -> None:
        super().__init__(f"{LAB} checked", folder, lambda: groups)
        self._groups = groups

    def get(self, group: str, name: str) -> Any:
        """What a group holds under a name; None if nothing."""
        return self._groups.get(group, {}).get(name)

    def all(self, group: str) -> dict[str, Any]:
        """Everything in a group."""
        return self._groups.get(group, {})


def check_files(path: Path, base: Catalog) -> tuple[list[Problem], list[Doubt]]:
    """What is wrong in a part file, or all those of a folder, and what is doubtful in the rest.

    A folder is looked at as a lab's own over `base`: its parts may refer to each other. A file
    that lies in no folder of a kind is checked as the part whose id it states.
    """
    # The folder of curated parts that the path lies in.
    folders = [layer.folder for layer in base.index.layers if layer.name not in OPEN]
    here = path.resolve()
    home = next((f for f in folders if here.is_relative_to(f.resolve())), None)
    problems: list[Problem] = []
    if home is None:
        folder, files, others, problems = listed(path)
        read, wrong = _read_all({**others, **files}, base)
        catalog = _over(base, folder, read)
        for part_id in (i for i in wrong if i in files):
            problems += wrong[part_id] + _unreferred(part_id, files[part_id], catalog)
    else:
        here = path.resolve()
        files = {i: p for i, p in store.files(home) if p.resolve().is_relative_to(here)}
        catalog = base
        problems += _unreadable(files, base)
    if not files and not problems:
        problems.append(Problem(str(path), 0, 0, "there is no part file in it"))
    known: list[Part] = []
    for part_id, file in files.items():
        if home is None and part_id not in read:
            continue
        try:
            known.append(catalog.part(part_id))
        except CatalogError as error:
            problems += _unreferred(part_id, file, catalog) or error.problems
    found = [d for part in known for d in doubts(part, catalog)]
    return sorted(set(problems)), found + _twin_doubts(known, catalog)


def _twin_doubts(parts: Iterable[Part], catalog: Catalog) -> list[Doubt]:
    ids = {part.id for part in parts}
    pairs = [t for kind in sorted({p.partition("/")[0] for p in ids}) for t in twins(catalog, kind)]
    return [
        Doubt(one, "id", f"it seems to be {other} once more: {why}", "Keep one of the two files")
        for a, b, why in pairs
        for one, other in ((a, b) if a in ids else (b, a),)
        if one in ids
    ]


def _read_all(files: Files, base: Catalog) -> tuple[dict[str, PartFile], dict[str, list[Problem]]]:
    read: dict[str, PartFile] = {}
    wrong: dict[str, list[Problem]] = {}
    for part_id, path in files.items():
        try:
            read[part_id] = read_part(part_id, path, overlay=base.has(part_id))
        except CatalogError as error:
            wrong[part_id] = error.problems
        except OSError as error:
            text = f"it cannot be read: {error.strerror}"
            wrong[part_id] = [Problem(str(path), 0, 0, text)]
    return read, wrong


def _over(base: Catalog, folder: Path, read: Mapping[str, PartFile]) -> Catalog:
    """A catalogue with parts just read on top."""
    kinds: dict[str, dict[str, Row]] = {}
    for part_id, (names, numbers, facts) in read.items():
        row = Row(names, numbers, pack_facts(facts))
        kinds.setdefault(part_id.partition("/")[0], {})[part_id] = row
    groups: store.Groups = {}
    for kind, rows in kinds.items():
        groups |= entries(kind, rows)
    catalog = Catalog()
    catalog.index = Index([_Given(folder, groups), *base.index.layers])
    return catalog


def _unreadable(files: Files, base: Catalog) -> list[Problem]:
    """What is wrong in files of the catalogue itself, which keeps them by their ids."""
    broken = {i: p for i, p in files.items() if any(r.facts is None for _, r in base.index.rows(i))}
    return [p for found in _read_all(broken, base)[1].values() for p in found]


def _unreferred(part_id: str, path: Path, catalog: Catalog) -> list[Problem]:
    """The names in a file that no part has, each at its line."""
    try:
        document = source.read(path.read_bytes(), str(path))
    except OSError:
        return []
    data = document.data if isinstance(document.data, dict) else {}
    facts = data.get("facts")
    problems = []
    for field, kind in references(KINDS[part_id.partition("/")[0]]).items():
        fact = facts.get(field) if isinstance(facts, dict) else None
        name = fact.get("value") if isinstance(fact, dict) else None
        if not isinstance(name, str):
            continue
        try:
            catalog.find(kind, name)
        except NameUnknownError as error:
            text, near = f"'{field}': there is no part '{name}' to refer to", "Did you mean"
            if error.ambiguous:
                text, near = f"'{field}': '{name}' could be more than one part", "Which of"
            names = sorted(catalog.index.name(i) for i in catalog.ids(kind))
            few = f"Known: {', '.join(names)}" if 0 < len(names) <= _FEW else ""
            advice = f"{near} {', '.join(error.near)}?" if error.near else few
            problems.append(document.problem(("facts", field, "value"), text, advice))
    return problems
