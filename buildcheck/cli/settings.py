"""A lab's own settings: `buildcheck.toml` in the folder of a build file or above it.

Where there is no build file, in the working folder or one above it. Above the repository or the
home folder nothing is looked for: what lies there is somebody else's.

parts = ["lab/parts"]     folders of part files over the catalogue, the last one on top
rules = ["lab/rules"]     folders of rules over the shipped ones, likewise
"""

from __future__ import annotations

import os
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.errors import InputError, Problem

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog
    from buildcheck.rulebook import Rulebook

NAME = "buildcheck.toml"
_KEYS = ("parts", "rules")


class Lab(NamedTuple):
    """Folders of a lab's own part files and rules, the last on top, as options name them."""

    parts: tuple[Path, ...] = ()
    rules: tuple[Path, ...] = ()

    def catalog(self, *builds: str) -> Catalog:
        """The catalogue under the lab's parts. Raises `InputError`."""
        from buildcheck.catalog import Catalog

        return Catalog(labs=self.part_folders(*builds))

    def part_folders(self, *builds: str) -> list[Path]:
        """Folders of part files, those of the settings first. Raises `InputError`."""
        return [*_settings(builds)["parts"], *_folders("--parts", self.parts)]

    def rulebook(self, *builds: str) -> Rulebook:
        """The rules with the lab's own. Raises `InputError` and `RulebookError`."""
        from buildcheck.rulebook import load_rulebook

        return load_rulebook(labs=[*_settings(builds)["rules"], *_folders("--rules", self.rules)])


def _folders(option: str, given: tuple[Path, ...]) -> tuple[Path, ...]:
    problems = [
        Problem(str(p), 0, 0, "there is no such folder", f"Check {option}")
        for p in given
        if not p.is_dir()
    ]
    if problems:
        raise InputError(problems)
    return given


def _settings(builds: tuple[str, ...]) -> dict[str, list[Path]]:
    """The folders of the settings of build files; of `-` and without any, of the working folder."""
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
    return {key: [] for key in _KEYS} if path is None else _listed(path)


def _file(here: Path) -> Path | None:
    """The nearest settings; a link that leads nowhere is one, and cannot be read."""
    home = Path(os.environ.get("HOME", "/"))
    for folder in (here, *here.parents):
        path = folder / NAME
        if path.exists() or path.is_symlink():
            return path
        if folder == home or (folder / ".git").exists():
            break
    return None


def _listed(path: Path) -> dict[str, list[Path]]:
    data = _read(path)
    problems = [
        Problem(str(path), 0, 0, f"there is no setting '{key}'", f"Settings: {', '.join(_KEYS)}")
        for key in sorted(set(data) - {*_KEYS})
    ]
    found: dict[str, list[Path]] = {}
    for key in _KEYS:
        listed = data.get(key, [])
        if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
            what, advice = f"'{key}' needs a list of folders", f'As in {key} = ["lab"]'
            problems.append(Problem(str(path), 0, 0, what, advice))
            listed = []
        found[key] = [path.parent / item for item in listed]
        problems += [
            Problem(str(path), 0, 0, f"'{key}' names {f}, which is no folder")
            for f in found[key]
            if not f.is_dir()
        ]
    if problems:
        raise InputError(problems)
    return found


def _read(path: Path) -> dict[str, Any]:
    import tomllib  # only where there are settings

    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        what, _, place = str(error).partition(" (at line ")
        line, column = map(int, place.rstrip(")").split(", column ")) if place else (0, 0)
        raise InputError([Problem(str(path), line, column, f"it is no TOML: {what}")]) from None
    except OSError as error:
        what = f"it cannot be read: {error.strerror}"
        raise InputError([Problem(str(path), 0, 0, what, "Mend or remove it")]) from None
