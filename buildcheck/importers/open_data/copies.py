"""The two forms of a copy of OpenDB: a checkout of its repository, and a file of lines.

The file has one record per line, with the fields of `metadata` that the repository keeps next to
`spec`, which holds the rest. Values of a record are equal in both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from buildcheck.importers.open_data import rows

#: The folder of the repository that holds one folder per category.
_ROOT = "open-db"
#: What a record of the repository has under `metadata`, and its name in a line.
_METADATA = {
    "name": "name",
    "manufacturer": "manufacturer",
    "series": "series",
    "part_numbers": "part_numbers",
    "last_manually_spec_verified_at": "verified_at",
}


class Raw(NamedTuple):
    """One record as a line has it, and where it stands; line 0 is a whole file."""

    path: Path
    line: int
    fields: dict[str, Any]


def read(path: Path, categories: Iterable[str]) -> Iterator[Raw]:
    """The records of a copy; of a checkout, those of the categories. Raises `CatalogError`."""
    if path.is_dir():
        yield from _checkout(path, sorted(categories))
    else:
        for line, fields in rows.records(path):
            yield Raw(path, line, fields)


def _checkout(path: Path, categories: list[str]) -> Iterator[Raw]:
    root = path / _ROOT if (path / _ROOT).is_dir() else path
    for category in categories:
        try:
            files = sorted(file for file in (root / category).iterdir() if file.suffix == ".json")
        except OSError:
            files = []
        if not files:
            raise rows.problem(
                path,
                0,
                f"this folder is no checkout of OpenDB: it has no records in {_ROOT}/{category}",
                "Give a checkout of the repository, or a .jsonl or .jsonl.gz file",
            )
        for file in files:
            yield Raw(file, 0, _line(category, file))


def _line(category: str, file: Path) -> dict[str, Any]:
    """A record of the repository as a line has it."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise rows.problem(file, 0, f"the file cannot be read: {error}") from None
    except UnicodeDecodeError:
        raise rows.problem(file, 0, "this file is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise rows.problem(file, getattr(error, "lineno", 0), "this file is no JSON") from None
    metadata = record.get("metadata") if isinstance(record, dict) else None
    if not isinstance(metadata, dict):
        raise rows.problem(file, 0, "a record needs 'metadata'")
    line = {name: metadata.get(key) for key, name in _METADATA.items()}
    spec = {key: value for key, value in record.items() if key not in ("metadata", "opendb_id")}
    return line | {"category": category, "opendb_id": record.get("opendb_id"), "spec": spec}
