"""Where rules, parts and templates are, and a cache of what was made from them.

The three data folders lie inside an installed package (`buildcheck/_data`) and
beside it in a checkout; nothing else in the program knows the difference. The
cache holds plain JSON under the user's cache folder, keyed by the names, sizes and
times of the files it was made from: a changed file makes a new key. A cache that
cannot be read or written is done without.
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PACKAGE = Path(__file__).parent


def data_folder(name: str) -> Path:
    """The folder `rules`, `parts_db` or `templates`."""
    inside = _PACKAGE / "_data"
    return (inside if inside.is_dir() else _PACKAGE.parent) / name


def program_folder() -> Path:
    """The folder of this program's own modules."""
    return _PACKAGE


def files(folder: Path, suffix: str = ".yaml") -> Iterator[tuple[str, Path]]:
    """Every file below `folder` with that suffix, as (id, path), in order of id."""
    found = []
    for here, folders, names in os.walk(folder):
        folders.sort()
        for name in names:
            if name.endswith(suffix):
                path = Path(here, name)
                found.append((path.relative_to(folder).as_posix().removesuffix(suffix), path))
    yield from sorted(found)


def digest(folder: Path) -> str:
    """`sha256:` over names and contents of all YAML files of a folder."""
    import hashlib  # noqa: PLC0415 - loads OpenSSL, and only a changed folder needs it

    total = hashlib.sha256()
    for name, path in files(folder):
        total.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return f"sha256:{total.hexdigest()}"


def signature(folder: Path) -> str:
    """A key that changes when a file below the folder does, without reading any."""
    seen = "\n".join([str(folder), *_stamps(str(folder))]).encode()
    return f"{zlib.crc32(seen):08x}{zlib.adler32(seen):08x}"


def _stamps(folder: str) -> Iterator[str]:
    """Name, size and time of every file below a folder that could matter."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda e: e.name):
            if entry.is_dir():
                yield f"/{entry.name}"
                yield from _stamps(entry.path)
            elif entry.name.endswith((".yaml", ".py")):
                seen = entry.stat()
                yield f"{entry.name} {seen.st_size} {seen.st_mtime_ns}"


def cached(name: str, key: str, make: Callable[[], Any]) -> Any:
    """What `make` gives (plain JSON data), from the cache if it is there."""
    path = _cache_folder() / f"{name}-{key}.json"
    with contextlib.suppress(OSError, ValueError):
        return json.loads(_sound(path.read_bytes()))
    value = make()
    _keep(path, name, json.dumps(value, separators=(",", ":")))
    return value


class Rows:
    """A head, and groups of rows; what nobody asks for is not even parsed.

    Each group has an index of its own and a table that speaks of all its rows.
    """

    def __init__(self, raw: bytes) -> None:
        start = raw.index(b"\n") + 1
        self.head: dict[str, Any] = json.loads(raw[:start])
        self._raw, self._start = raw, start
        self._groups: dict[str, list[list[int]]] = self.head.pop("groups")
        self._indexes: dict[str, dict[str, list[int]]] = {}

    def groups(self) -> list[str]:
        """The names of all groups."""
        return list(self._groups)

    def _at(self, offset: int, length: int) -> Any:
        start = self._start + offset
        return json.loads(self._raw[start : start + length])

    def table(self, group: str) -> Any:
        """What is said of a whole group; None if there is no such group."""
        with contextlib.suppress(ValueError, KeyError, TypeError):
            return self._at(*self._groups[group][0])
        return None

    def row(self, group: str, name: str) -> Any:
        """One row's data; None if there is none, or it cannot be read."""
        with contextlib.suppress(ValueError, KeyError, TypeError):
            if group not in self._indexes:
                self._indexes[group] = self._at(*self._groups[group][1])
            return self._at(*self._indexes[group][name])
        return None


#: By group: what is said of the whole group, and its rows.
Groups = dict[str, tuple[Any, dict[str, Any]]]


def cached_rows(name: str, key: str, make: Callable[[], tuple[dict[str, Any], Groups]]) -> Rows:
    """The head and groups `make` gives (plain JSON data), from the cache if they are there."""
    path = _cache_folder() / f"{name}-{key}.rows"
    with contextlib.suppress(OSError, ValueError, KeyError):
        return Rows(_sound(path.read_bytes()))
    head, made = make()
    texts: list[str] = []
    at = 0

    def put(data: Any) -> list[int]:
        nonlocal at
        text = json.dumps(data, separators=(",", ":"))
        texts.append(text)
        at += len(text) + 1
        return [at - len(text) - 1, len(text)]

    groups = {}
    for group, (table, rows) in made.items():
        index = {row: put(data) for row, data in rows.items()}
        groups[group] = [put(table), put(index)]
    whole = "\n".join([json.dumps({**head, "groups": groups}, separators=(",", ":")), *texts])
    _keep(path, name, whole)
    return Rows(whole.encode())


def _sound(raw: bytes) -> bytes:
    """What a cache file holds behind its checksum. Raises `ValueError` if it is damaged."""
    checksum, _, rest = raw.partition(b"\n")
    if checksum != _checksum(rest):
        raise ValueError("damaged")
    return rest


def _checksum(raw: bytes) -> bytes:
    return f"{zlib.crc32(raw):08x}".encode()


def _keep(path: Path, name: str, text: str) -> None:
    """Write a cache file in place of older ones of its name, if that can be done."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        for stale in path.parent.glob(f"{name}-*"):
            stale.unlink(missing_ok=True)
        write_whole(path, f"{_checksum(text.encode()).decode()}\n{text}")


def _cache_folder() -> Path:
    base = os.environ.get("BUILDCHECK_CACHE_DIR")
    if base:
        return Path(base)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "buildcheck")


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step, or leave it as it was. Raises `OSError`.

    A link keeps pointing where it does; a device or pipe is written to as it is.
    """
    import tempfile  # noqa: PLC0415 - only to write

    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    path = path.resolve()
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".buildcheck-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
