"""A lab's own settings: `buildcheck.toml` in the folder of a build file or above it.

The table `tool.buildcheck` of a `pyproject.toml` serves as well. Where there is no build file, in
the working folder or one above it. Above the repository or the home folder nothing is looked for:
what lies there is somebody else's.

parts = ["lab/parts"]     folders of part files over the catalogue, the last one on top
rules = ["lab/rules"]     folders of rules over the shipped ones, likewise
select = ["power"]        rules that `validate` judges by, each an id or a domain
ignore = ["power/psu-overload"]
"""

from __future__ import annotations

import contextlib
import os
import re
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.errors import InputError, Problem

if TYPE_CHECKING:
    import datetime

    from buildcheck.catalog import Catalog
    from buildcheck.pipeline import Judging
    from buildcheck.rulebook import Rulebook, Selection

NAME = "buildcheck.toml"
_SHARED = "pyproject.toml"
#: Names of files with settings, which nothing is written over.
NAMES = (NAME, _SHARED)
_FOLDERS = ("parts", "rules")
_KEYS = (*_FOLDERS, "select", "extend-select", "ignore")


class Lab(NamedTuple):
    """Folders of a lab's own part files and rules, the last on top, as options name them.

    Where it is `isolated`, no file with settings is read.
    """

    parts: tuple[Path, ...] = ()
    rules: tuple[Path, ...] = ()
    isolated: bool = False

    def catalog(self, *builds: str) -> Catalog:
        """The catalogue under the lab's parts. Raises `InputError`."""
        from buildcheck.catalog import Catalog

        return Catalog(labs=self.folders("parts", *builds))

    def rulebook(self, *builds: str) -> Rulebook:
        """The rules with the lab's own. Raises `InputError` and `RulebookError`."""
        from buildcheck.rulebook import load_rulebook

        return load_rulebook(labs=self.folders("rules", *builds))

    def folders(self, key: str, *builds: str) -> list[Path]:
        """Folders of `parts` or `rules`, those of the settings first. Raises `InputError`."""
        own: tuple[Path, ...] = getattr(self, key)
        what, advice = "there is no such folder", f"Check --{key}"
        if problems := [Problem(str(p), 0, 0, what, advice) for p in own if not p.is_dir()]:
            raise InputError(problems)
        return [*self.settings(builds).folders(key), *own]

    def judging(
        self, today: datetime.date, *builds: str, chosen: Selection | None = None
    ) -> Judging:
        """What builds are judged by: all rules, or those that the settings and `chosen` select."""
        from buildcheck.pipeline import Judging

        book = self.rulebook(*builds)
        if chosen:
            book = book.selected(self.settings(builds).selection, chosen)
        return Judging(self.catalog(*builds), book, today)

    def settings(self, builds: tuple[str, ...]) -> Settings:
        """The settings of build files; of `-` and without any, of the working folder."""
        # A link that points at itself is no error here: reading it is.
        here = (Path.cwd() if b == "-" else Path(realpath(b)).parent for b in builds or ("-",))
        found = {None} if self.isolated else set(map(_file, here))
        if len(found) > 1:
            said = ", ".join(sorted(str(p or "none") for p in found))
            what, advice = f"these builds have settings of their own: {said}", "Check them apart"
            raise InputError([Problem(builds[0], 0, 0, what, f"{advice}, or with --isolated")])
        path = found.pop()
        return Settings({}) if path is None else _listed(path)


class Settings(NamedTuple):
    """Lists of words by their key, and the file they are from."""

    listed: dict[str, list[str]]
    path: Path | None = None

    def folders(self, key: str) -> list[Path]:
        """Folders, as from the file that names them."""
        return [self.path.parent / name for name in self.listed[key]] if self.path else []

    @property
    def selection(self) -> Selection:
        """The rules that are selected."""
        from buildcheck.rulebook import Selection

        select, extend, ignore = (tuple(self.listed.get(key, ())) for key in _KEYS[2:])
        return Selection(select, extend, ignore, str(self.path))


def _file(here: Path) -> Path | None:
    """The nearest settings; a link that leads nowhere is one, and cannot be read."""
    home = Path(os.environ.get("HOME", "/"))
    for folder in (here, *here.parents):
        path, shared = folder / NAME, folder / _SHARED
        if path.exists() or path.is_symlink():
            return path
        # A file of other programs as well counts only if it has the table.
        with contextlib.suppress(OSError):
            if b"[tool.buildcheck]" in shared.read_bytes():
                return shared
        if folder == home or (folder / ".git").exists():
            break
    return None


def _listed(path: Path) -> Settings:
    data = _read(path)
    for table in ("tool", "buildcheck") if path.name == _SHARED else ():
        inner = data.get(table)
        data = inner if isinstance(inner, dict) else {}

    def problem(key: str, what: str, advice: str = "") -> Problem:
        lines = enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1)
        numbers = (n for n, line in lines if re.match(rf"\W*{re.escape(key)}\W*=", line))
        return Problem(str(path), next(numbers, 0), 1, what, advice)

    problems = [
        problem(key, f"there is no setting '{key}'", f"Settings: {', '.join(_KEYS)}")
        for key in sorted(set(data) - {*_KEYS})
    ]
    found: dict[str, list[str]] = {}
    for key in _KEYS:
        found[key] = data.get(key, [])
        if not isinstance(found[key], list) or not all(isinstance(n, str) for n in found[key]):
            kind = "folders" if key in _FOLDERS else "rules or domains"
            advice = f'As in {key} = ["{"lab" if key in _FOLDERS else "power"}"]'
            problems.append(problem(key, f"'{key}' needs a list of {kind}", advice))
            found[key] = []
    settings = Settings(found, path)
    problems += [
        problem(key, f"'{key}' names {folder}, which is no folder")
        for key in _FOLDERS
        for folder in settings.folders(key)
        if not folder.is_dir()
    ]
    if problems:
        raise InputError(problems)
    return settings


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
