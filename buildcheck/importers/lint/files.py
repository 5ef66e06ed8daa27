"""Part files: which there are, what is wrong in them, and what is doubtful in the rest."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from buildcheck import store
from buildcheck.catalog import Catalog
from buildcheck.catalog.index import Index
from buildcheck.catalog.layer import LAB, Layer, Row
from buildcheck.catalog.layers import grouped, part_rows
from buildcheck.catalog.part_file import lost_references
from buildcheck.errors import CatalogError, Problem
from buildcheck.importers.lint.lint import doubts
from buildcheck.importers.parts.answer import ImplausibleValue
from buildcheck.model import source
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import Part
from buildcheck.model.vocabulary import problem
from buildcheck.words.names import squashed, words

Files = dict[str, Path]
#: Folders above a part's file, up to that of its kind.
_DEPTH = 2


def listed(path: Path) -> tuple[Path, Files, Files, list[Problem]]:
    """The parts folder of a path, the files asked for, all files of that folder, and problems."""
    root = _root(path)
    if root is None:
        part_id, problems = _stated(path)
        return path.parent, {part_id: path} if part_id else {}, {}, problems
    there = [kind for kind in KINDS if (root / kind).is_dir()]
    all_files = {f"{kind}/{n}": file for kind in there for n, file in store.files(root / kind)}
    here = path if path.is_relative_to(root) else path.absolute()
    files = {i: f for i, f in all_files.items() if f.is_relative_to(here)}
    lost = [f for i, f in store.files(root) if i not in files] if path == root else []
    kinds = ", ".join(sorted(KINDS))
    problems = [problem(str(f), "part-lost", line=1, kinds=kinds) for f in lost]
    return root, files, all_files, problems


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
        return "", [problem(str(path), "unreadable", why=error.strerror)]
    data = document.data if isinstance(document.data, dict) else {}
    kind, *names = str(data.get("id")).split("/")
    if kind in KINDS and names and all(names):
        return str(data["id"]), []
    wrong = document.wrong(("id",), "part-id", kinds=", ".join(sorted(KINDS)))
    return "", document.problems or [wrong]


def check_files(path: Path, base: Catalog) -> tuple[list[Problem], list[ImplausibleValue]]:
    """What is wrong in a part file, or all those of a folder, and what is doubtful in the rest.

    A folder is looked at as a lab's own over `base`: its parts may refer to each other. A file
    that lies in no folder of a kind is checked as the part whose id it states.
    """
    # The folder of curated parts that the path lies in.
    folders = [layer.folder for layer in base.index.layers if not layer.is_open]
    here = path.resolve()
    home = next((f for f in folders if here.is_relative_to(f.resolve())), None)
    problems: list[Problem] = []
    if home is None:
        folder, files, others, problems = listed(path)
        rows, wrong = part_rows({**others, **files}.items(), base.index)
        own = Layer(f"{LAB} checked", folder, lambda: grouped(rows), kept=False)
        catalog = Catalog()
        catalog.index = Index([own, *base.index.layers])
    else:
        files = {i: p for i, p in store.files(home) if p.resolve().is_relative_to(here)}
        catalog = base
        # The catalogue keeps what cannot be read by its id.
        broken = {i for i in files if any(r.facts is None for _, r in base.index.each(i))}
        _, wrong = part_rows((i, files[i]) for i in broken)
    if not files and not problems:
        problems.append(problem(str(path), "no-part-file"))
    known: list[Part] = []
    for part_id, file in files.items():
        if part_id in wrong:
            problems += wrong[part_id] + lost_references(part_id, file, catalog.index)
            continue
        with CatalogError.added_to(problems):
            known.append(catalog.part(part_id))
    found = [d for part in known for d in doubts(part, catalog)]
    return sorted(set(problems)), found + _twin_doubts(known, catalog)


def _twin_doubts(parts: Iterable[Part], catalog: Catalog) -> list[ImplausibleValue]:
    ids = {part.id for part in parts}
    pairs = [t for kind in sorted({p.partition("/")[0] for p in ids}) for t in twins(catalog, kind)]
    what, advice = "it seems to be {} once more: {}", "Keep one of the two files"
    return [
        ImplausibleValue(one, "id", what.format(other, why), advice)
        for a, b, why in pairs
        for one, other in ((a, b) if a in ids else (b, a),)
        if one in ids
    ]


def twins(catalog: Catalog, kind: str) -> list[tuple[str, str, str]]:
    """Pairs of ids that seem to be one part, each with why. A curated part replaces open data."""
    seen, found = dict[tuple[str, ...], str](), dict[tuple[str, str], str]()
    for part_id, row in catalog.index.written(kind):
        for key, why in _keys(row):
            other = seen.setdefault(key, part_id)
            if other != part_id:
                found.setdefault((min(other, part_id), max(other, part_id)), why)
    return [(one, other, why) for (one, other), why in sorted(found.items())]


def _keys(row: Row) -> Iterator[tuple[tuple[str, ...], str]]:
    """What no two parts share: part numbers, names, and the words of a name in any order."""
    for number in row.numbers:
        yield ("number", squashed(number)), f"both have the part number {number}"
    for name in row.names:
        yield ("name", *words(name)), f"both are called {name}"
    # Only whole names: without a maker, the same words in another order are another part.
    for name in row.names[:1]:
        yield ("words", *sorted(words(name))), f"both names have the words of {name}"
