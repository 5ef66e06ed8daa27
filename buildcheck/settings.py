"""A lab's own settings: `buildcheck.toml` in the working folder or one above it.

parts = ["lab/parts"]     folders of part files over the catalogue, the last one on top
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from buildcheck.errors import InputError, Problem

NAME = "buildcheck.toml"
_KEYS = {"parts"}


def part_folders(given: tuple[Path, ...]) -> list[Path]:
    """The folders of the settings file and, on top, those given. Raises `InputError`."""
    path = _file()
    own = [] if path is None else _listed(path)
    problems = [
        Problem(str(p), 0, 0, "there is no such folder", "Check --parts")
        for p in given
        if not p.is_dir()
    ]
    if problems:
        raise InputError(problems)
    return [*own, *given]


def _file() -> Path | None:
    here = Path.cwd()
    return next((p for f in (here, *here.parents) if (p := f / NAME).is_file()), None)


def _listed(path: Path) -> list[Path]:
    data = _read(path)
    problems = [
        Problem(str(path), 0, 0, f"there is no setting '{key}'", "Settings: parts")
        for key in sorted(set(data) - _KEYS)
    ]
    listed = data.get("parts", [])
    if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
        problems.append(
            Problem(str(path), 0, 0, "'parts' needs a list of folders", 'As in parts = ["lab"]')
        )
        listed = []
    folders = [path.parent / item for item in listed]
    problems += [
        Problem(str(path), 0, 0, f"'parts' names {f}, which is no folder")
        for f in folders
        if not f.is_dir()
    ]
    if problems:
        raise InputError(problems)
    return folders


def _read(path: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - only where there are settings

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError([Problem(str(path), 0, 0, f"it is no TOML: {error}")]) from None
    except OSError as error:
        raise InputError([Problem(str(path), 0, 0, f"it cannot be read: {error}")]) from None
