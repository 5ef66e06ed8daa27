"""A lab's own settings: `buildcheck.toml` in the folder of a build file or above it.

The table `tool.buildcheck` of a `pyproject.toml` serves as well. Where there is no build file, in
the working folder or one above it. It is looked for up to the repository or the home folder, else
the working folder: what lies above is somebody else's. `words/commands.yaml` declares its keys.
"""

from __future__ import annotations

import contextlib
import os
import re
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from buildcheck.errors import InputError, Problem
from buildcheck.model.vocabulary import problem, vocabulary, worded

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.pipeline import Judging
    from buildcheck.rulebook import Rulebook, Selection
    from buildcheck.rulebook.overlay import Limit

NAME = "buildcheck.toml"
_SHARED = "pyproject.toml"
#: Names of files with settings, which nothing is written over.
NAMES = (NAME, _SHARED)


def _settings(*kinds: str) -> list[str]:
    """The keys of settings of these kinds."""
    known = vocabulary("commands")["settings"].items()
    return [key for key, stated in known if stated["kind"] in kinds]


def words_of(setting: str) -> list[str]:
    """The words that a setting may be, the first of them unless given."""
    words: list[str] = vocabulary("commands")["options"][setting.replace("-", "_")]["type"]
    return words


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

        limits = self.settings(builds).limits
        return load_rulebook(labs=self.folders("rules", *builds), limits=limits)

    def folders(self, key: str, *builds: str) -> list[Path]:
        """Folders of `parts` or `rules`, those of the settings first. Raises `InputError`."""
        own: tuple[Path, ...] = getattr(self, key)
        InputError.raise_any([problem(str(p), "no-folder", key=key) for p in own if not p.is_dir()])
        return [*self.settings(builds).folders(key), *own]

    def judging(
        self, today: datetime.date, *builds: str, chosen: Selection | None = None
    ) -> Judging:
        """What builds are judged by: the rules that the settings and `chosen` select."""
        from buildcheck.pipeline import Judging

        selections = (self.settings(builds).selection, *([chosen] if chosen else ()))
        return Judging(self.catalog(*builds), self.rulebook(*builds).selected(*selections), today)

    def asked(self, key: str, given: str | None, *builds: str) -> str:
        """One of some words, as an option gives it, else the settings, else the first."""
        found: str = given or self.settings(builds).data.get(key, words_of(key)[0])
        return found

    def settings(self, builds: tuple[str, ...]) -> Settings:
        """The settings of a group of build files; without any, of the working folder."""
        path = self._path(next(iter(builds), "-"))
        return Settings({}) if path is None else _listed(path)

    def groups(self, builds: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Build files by the settings that are nearest to them."""
        found: dict[Path | None, tuple[str, ...]] = {}
        for build in builds:
            path = self._path(build)
            found[path] = (*found.get(path, ()), build)
        return [*found.values()]

    def _path(self, build: str) -> Path | None:
        # A link that points at itself is no error here: reading it is.
        here = Path.cwd() if build == "-" else Path(realpath(build)).parent
        return None if self.isolated else _file(here)


class Settings(NamedTuple):
    """What a file with settings has by its keys, and its text by lines."""

    data: dict[str, Any]
    path: Path | None = None
    lines: tuple[str, ...] = ()

    def folders(self, key: str) -> list[Path]:
        """Folders, as from the file that names them."""
        return [self.path.parent / name for name in self.data.get(key, ())] if self.path else []

    @property
    def selection(self) -> Selection:
        """The rules that are selected."""
        from buildcheck.rulebook import Selection

        select, extend, ignore = (tuple(self.data.get(key, ())) for key in _settings("rules"))
        lines = {name: self.line(name) for name in (*select, *extend, *ignore)}
        return Selection(select, extend, ignore, str(self.path), lines)

    @property
    def limits(self) -> list[Limit]:
        """The limits of rules that are tightened."""
        found = self.data.get("limits", {}).items()
        return [(rule, str(self.path), self.line(rule), grades) for rule, grades in found]

    def line(self, name: str) -> int:
        """The line where a name is alone or in quotes for the first time; 0 where it is nowhere."""
        found = re.compile(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])").search
        return next((n for n, line in enumerate(self.lines, 1) if found(line)), 0)

    def problem(self, name: str, code: str, **words: str) -> Problem:
        """A problem where a name is."""
        what, advice = worded(code, **words)
        line = self.line(name)
        source = self.lines[line - 1] if line else ""
        return Problem(str(self.path), line, 1, what, advice, source=source)


def _file(here: Path) -> Path | None:
    """The nearest settings; a link that leads nowhere is one, and cannot be read."""
    above, home = (here, *here.parents), Path(os.environ.get("HOME", "/"))
    tops = [f for f in above if f == home != Path("/") or (f / ".git").exists()]
    top = next(iter([*tops, *(f for f in above if f == Path.cwd()), here]))
    for folder in above:
        path, shared = folder / NAME, folder / _SHARED
        if path.exists() or path.is_symlink():
            return path
        # A file of other programs as well counts only if it has the table.
        with contextlib.suppress(OSError):
            if b"[tool.buildcheck]" in shared.read_bytes():
                return shared
        if folder == top:
            break
    return None


def _listed(path: Path) -> Settings:
    data, lines = _read(path)
    for table in ("tool", "buildcheck") if path.name == _SHARED else ():
        inner = data.get(table)
        data = inner if isinstance(inner, dict) else {}
    settings = Settings(data, path, lines)
    InputError.raise_any([*_problems(settings)])
    return settings


def _problems(settings: Settings) -> Iterator[Problem]:
    """What is wrong with settings."""
    data, wrong = settings.data, settings.problem
    known = vocabulary("commands")["settings"]
    for key in sorted(data.keys() - known.keys()):
        code = "table-elsewhere" if key == "tool" else "no-setting"
        yield wrong(key, code, key=key, known=", ".join(known), shared=_SHARED)
    for key in _settings("folders", "rules"):
        found = data.get(key, [])
        if not isinstance(found, list) or not all(isinstance(n, str) for n in found):
            yield wrong(key, f"no-list-of-{known[key]['kind']}", key=key)
        elif known[key]["kind"] == "folders":
            gone = (folder for folder in settings.folders(key) if not folder.is_dir())
            yield from (wrong(key, "no-folder-named", key=key, folder=str(one)) for one in gone)
    for key in _settings("words"):
        if data.get(key, words_of(key)[0]) not in words_of(key):
            yield wrong(key, "no-word", key=key, words=", ".join(words_of(key)))
    limits = data.get("limits", {})
    tables = limits.values() if isinstance(limits, dict) else (limits,)
    if not all(
        isinstance(t, dict) and all(isinstance(g, dict) for g in t.values()) for t in tables
    ):
        yield wrong("limits", "no-limits")


def _read(path: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The data of a file with settings, and its text by lines."""
    import tomllib  # only where there are settings

    line = column = 0
    lines: list[str] = []
    try:
        lines = (text := path.read_text(encoding="utf-8-sig")).splitlines()
        return tomllib.loads(text), tuple(lines)
    except UnicodeDecodeError as error:
        line, wrong = error.object[: error.start].count(b"\n") + 1, worded("settings-no-utf-8")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        said, _, place = str(error).partition(" (at ")
        wrong = worded("settings-no-toml", said=said)
        numbers = [int(n) for n in re.findall(r"\d+", place)]
        line, column = numbers or (len(lines), 1)
    except OSError as error:
        wrong = worded("settings-unread", why=error.strerror)
    source = lines[line - 1] if 0 < line <= len(lines) else ""
    raise InputError([Problem(str(path), line, column, *wrong, source=source)])
