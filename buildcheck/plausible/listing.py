"""Which part files a path asks for, and which parts they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from buildcheck import source, store
from buildcheck.errors import Problem
from buildcheck.layers import OPEN
from buildcheck.model.kinds import KINDS

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog

Files = dict[str, Path]
#: Folders above a part's file, up to that of its kind.
_DEPTH = 2


def home_of(path: Path, base: Catalog) -> Path | None:
    """The folder of curated parts that a path lies in."""
    for layer in base.index.layers:
        if layer.name not in OPEN and path.resolve().is_relative_to(layer.folder.resolve()):
            return layer.folder
    return None


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
