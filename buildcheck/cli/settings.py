"""A lab's own settings: `buildcheck.toml` in the folder of a build file or above it.

Where there is no build file, in the working folder or one above it.

parts = ["lab/parts"]     folders of part files over the catalogue, the last one on top
"""

from __future__ import annotations

from os.path import realpath
from pathlib import Path
from typing import Any

from buildcheck.errors import InputError, Problem

NAME = "buildcheck.toml"
_KEYS = {"parts"}


def part_folders(given: tuple[Path, ...], builds: tuple[str, ...] = ()) -> list[Path]:
    """The folders of the settings file and, on top, those given. Raises `InputError`.

    The settings are those of the build files; of `-` and without any, of the working folder.
    """
    # A link that points at itself is no error here: reading it is.
    here = (Path.cwd() if b == "-" else Path(realpath(b)).parent for b in builds or ("-",))
    found = set(map(_file, here))
    if len(found) > 1:
        said = ", ".join(sorted(str(p or "none") for p in found))
        advice = "Check them one at a time"
        raise InputError(
            [Problem(builds[0], 0, 0, f"these builds have settings of their own: {said}", advice)]
        )
    path = found.pop()
    own = [] if path is None else _listed(path)
    problems = [
        Problem(str(p), 0, 0, "there is no such folder", "Check --parts")
        for p in given
        if not p.is_dir()
    ]
    if problems:
        raise InputError(problems)
    return [*own, *given]


def _file(here: Path) -> Path | None:
    """The nearest settings; a link that leads nowhere is one, and cannot be read."""
    paths = (folder / NAME for folder in (here, *here.parents))
    return next((p for p in paths if p.exists() or p.is_symlink()), None)


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
    import tomllib  # only where there are settings

    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError([Problem(str(path), 0, 0, f"it is no TOML: {error}")]) from None
    except OSError as error:
        what = f"it cannot be read: {error.strerror}"
        raise InputError([Problem(str(path), 0, 0, what, "Mend or remove it")]) from None
