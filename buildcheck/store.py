"""Where rules, parts and templates are, and a cache of what was made from them.

The three data folders are in an installed package (`buildcheck/_data`) or next to it in a
checkout. The cache is plain JSON in the user's cache folder, keyed by names, sizes and times of
the files it was made from: a changed file makes a new key. A cache that cannot be read or written
is not used. An installed package brings a cache of its own, so that nobody's first run makes it.
"""

import contextlib
import errno
import gc
import io
import json
import os
import time
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import IO, Any, NamedTuple

_PACKAGE = Path(__file__).parent
#: What was made from the data of an installed package.
_BUILT = _PACKAGE / "_data" / "built"


def data_folder(name: str) -> Path:
    """The folder `rules`, `parts_db` or `templates`."""
    inside = _PACKAGE / "_data"
    return (inside if inside.is_dir() else _PACKAGE.parent) / name


def files(folder: Path, suffix: str = ".yaml") -> Iterator[tuple[str, Path]]:
    """Every file below `folder` with that suffix, as (id, path), in order of id."""
    walked = ((here, name) for here, _, names in os.walk(folder) for name in names)
    paths = [Path(*at) for at in walked if at[1].endswith(suffix)]
    yield from sorted((p.relative_to(folder).as_posix().removesuffix(suffix), p) for p in paths)


def digest(folder: Path, suffix: str = ".yaml") -> str:
    """`sha256:` over names and contents of all files of a folder with that suffix."""
    import hashlib  # loads OpenSSL, and only a changed folder needs it

    total = hashlib.sha256()
    for name, path in files(folder, suffix):
        total.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return f"sha256:{total.hexdigest()}"


def signature(folder: Path, suffix: str = ".yaml") -> str:
    """A key that changes when a file with that suffix, or this program, does; reads none."""
    return _stamp(folder, suffix) + _program_stamp()


def key_of(text: str) -> str:
    """A key that changes when a text, or this program, does."""
    raw = text.encode("utf-8", "surrogateescape")
    return f"{zlib.crc32(raw):08x}{zlib.adler32(raw):08x}" + _program_stamp()


@cache
def _program_stamp() -> str:
    words = (f"{n}.yaml" for n in ("part-kinds", "build-sections", "entries", "money"))
    return _stamp(_PACKAGE, (".py", *words))


def _stamp(folder: Path, suffix: str | tuple[str, ...]) -> str:
    """A checksum over name, size and time of every file with that suffix below a folder.

    Those of a release do not change.
    """
    if _release() and folder.is_relative_to(_PACKAGE):
        whole = f"{_release()} {folder.relative_to(_PACKAGE)} {suffix}".encode()
        return f"{zlib.crc32(whole):08x}{zlib.adler32(whole):08x}"
    folder = folder.resolve()
    seen, left = list[str](), [str(folder)]
    while left:
        with os.scandir(left.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(suffix):
                    stat = entry.stat()
                    seen.append(f"{entry.path}\0{stat.st_size} {stat.st_mtime_ns}")
                elif entry.is_dir(follow_symlinks=False):
                    left.append(entry.path)
    whole = "\0".join(sorted(seen)).encode("utf-8", "surrogateescape")
    return f"{zlib.crc32(whole):08x}{zlib.adler32(whole):08x}"


def cached(name: str, key: str, make: Callable[[], Any]) -> Any:
    """What `make` gives (plain JSON data), from the cache if it is there."""
    file = f"{name}-{key}.json"
    value = _read(file)
    if value is None:
        with _alone():
            value = _read(file)
            if value is None:
                value = make()
                _keep(file, name, _plain(value, file))
    return value


def remembered(name: str, text: str) -> Any:
    """The last value kept with `remember` for equal data; None if there is none."""
    return _read(f"{name}-{key_of(text)}.json")


def remember(name: str, text: str, value: Any) -> None:
    """Keep a value for the data that `text` identifies, instead of an earlier one."""
    file = f"{name}-{key_of(text)}.json"
    _keep(file, name, _plain(value, file))


@cache
def _release() -> str:
    """What tells a release that is installed from any other; empty in a checkout."""
    with contextlib.suppress(OSError):
        return (_BUILT / "release").read_text(encoding="utf-8")
    return ""


def _places(file: str) -> Iterator[Path]:
    """Where a file of the cache may be: what was made here goes before what came along."""
    yield cache_folder() / file
    if _release():
        yield _BUILT / file


def _read(file: str) -> Any:
    """What a file holds that was written as `_plain` has it; None if it cannot be used."""
    for path in _places(file):
        with contextlib.suppress(OSError, ValueError):
            return json.loads(_sound(path.read_bytes(), file))
    return None


def _plain(value: Any, file: str) -> str:
    return _guarded(json.dumps(value, separators=(",", ":")), file)


#: Hexadecimal digits of a checksum.
_CHECKSUM = 8
#: What the head of a file of rows is checked as.
_HEAD = "rows"
#: About how many characters of rows are kept together, and parsed to find one of them.
_BUCKET = 4096


class Rows:
    """Groups of named rows, in a file or its text; rows that are not asked for are not read.

    Rows lie in buckets by the checksum of their name, each bucket behind a checksum of
    its own, and the head says how long each is. A damaged bucket raises `DamagedError`.
    """

    def __init__(self, whole: Path | bytes) -> None:
        """Read the head. Raises `OSError`, or `ValueError` if it is damaged."""
        self._file: IO[bytes] = io.BytesIO(whole) if isinstance(whole, bytes) else whole.open("rb")
        # It stays open as long as rows may be asked for: opening takes as long as reading.
        weakref.finalize(self, self._file.close)
        line = self._file.readline()
        self.head: dict[str, Any] = json.loads(_sound(line.rstrip(b"\n"), _HEAD))
        #: Where the buckets of each group begin, and the last one ends.
        self._groups: dict[str, list[int]] = {}
        start = len(line)
        for group, sizes in self.head.pop("groups").items():
            self._groups[group] = [*accumulate(sizes, initial=start)]
            start = self._groups[group][-1]

    def _bucket(self, group: str, number: int) -> dict[str, Any]:
        start, end = self._groups[group][number : number + 2]
        try:
            if isinstance(self._file, io.BytesIO):
                raw = self._file.getvalue()[start:end]
            else:  # Processes that share the file are at no place in it.
                raw = os.pread(self._file.fileno(), end - start, start)
            rows: dict[str, Any] = json.loads(_sound(raw))
        except (OSError, ValueError) as error:
            raise DamagedError from error
        return rows

    def row(self, group: str, name: str) -> Any:
        """One row's data; None if there is no such row."""
        if group not in self._groups:
            return None
        return self._bucket(group, _place(name, len(self._groups[group]) - 1)).get(name)

    def rows(self, group: str) -> dict[str, Any]:
        """All rows of a group, in order of their names."""
        found: dict[str, Any] = {}
        for number in range(len(self._groups.get(group, [0])) - 1):
            found |= self._bucket(group, number)
        return dict(sorted(found.items()))


def _rows_in(file: str) -> Rows | None:
    for path in _places(file):
        with contextlib.suppress(OSError, ValueError, KeyError):
            return Rows(path)
    return None


class DamagedError(Exception):
    """A cache file whose head is sound is not, or is gone."""


def _place(name: str, buckets: int) -> int:
    return zlib.crc32(name.encode()) % buckets


#: Rows by group and name.
Groups = dict[str, dict[str, Any]]


def cached_rows(
    name: str, key: str, make: Callable[[], tuple[dict[str, Any], Groups]], *, anew: bool = False
) -> Rows:
    """The head and groups `make` gives (plain JSON data), from the cache if they are there.

    `anew` if what is there has turned out to be damaged.
    """
    file = f"{name}-{key}.rows"
    if not anew and (found := _rows_in(file)):
        return found
    with _alone():
        if not anew and (found := _rows_in(file)):
            return found
        whole = rows_text(*make())
        _keep(file, name, whole)
    return Rows(whole.encode())


def rows_text(head: dict[str, Any], groups: Groups) -> str:
    """A file of rows."""
    sizes: dict[str, list[int]] = {}
    texts: list[str] = []
    text = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
    for group, rows in groups.items():
        buckets: list[dict[str, Any]] = [{} for _ in range(len(text(rows)) // _BUCKET + 1)]
        for row, data in rows.items():
            buckets[_place(row, len(buckets))][row] = data
        written = [_guarded(text(bucket)) for bucket in buckets]
        sizes[group] = [*map(len, written)]
        texts += written
    first = _guarded(json.dumps({**head, "groups": sizes}, separators=(",", ":")), _HEAD)
    return "".join([first, "\n", *texts])


def _sound(raw: bytes, place: str = "") -> bytes:
    """What stands behind its checksum. Raises `ValueError` if it is damaged.

    The checksum is over the place as well: what was written for another, or by another program,
    may be whole and have any shape, and is not for this one.
    """
    checksum, rest = raw[:_CHECKSUM], raw[_CHECKSUM:]
    if checksum != _checksum(rest, place):
        raise ValueError("damaged")
    return rest


def _guarded(text: str, place: str = "") -> str:
    """A text behind its checksum."""
    return f"{_checksum(text.encode(), place).decode()}{text}"


def _checksum(raw: bytes, place: str) -> bytes:
    seed = zlib.crc32(place.encode("utf-8", "surrogateescape"))
    return f"{zlib.crc32(raw, seed):08x}".encode()


#: Who says, once, that the index of the shipped parts is made, which takes a while.
waits: list[Callable[[], None]] = []
#: Holds something while this process makes what the cache lacks.
_making: list[bool] = []


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Nobody else makes what the cache lacks meanwhile, where files can be locked."""
    with contextlib.ExitStack() as stack:
        if gc.isenabled():  # What is made is kept: looking for garbage in it takes a third.
            gc.disable()
            stack.callback(gc.enable)
        with contextlib.suppress(OSError, ImportError):
            import fcntl

            if not _making:
                cache_folder().mkdir(parents=True, exist_ok=True, mode=0o700)
                fcntl.flock(stack.enter_context((cache_folder() / "lock").open("w")), fcntl.LOCK_EX)
        _making.append(True)
        stack.callback(_making.pop)
        yield


#: Cache files kept per name: a lab works with and without parts of its own in turn.
_KEPT = 3


def _keep(file: str, name: str, text: str) -> None:
    """Write a cache file in place of the oldest of its name, if that can be done."""
    path = cache_folder() / file
    with contextlib.suppress(OSError, UnwrittenError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        others = [other for other in path.parent.glob(f"{name}-*") if other != path]
        for stale in sorted(others, key=os.path.getmtime, reverse=True)[_KEPT - 1 :]:
            stale.unlink(missing_ok=True)
        write_all({path: text})


def cache_folder() -> Path:
    """The folder that caches are kept in, which need not be there yet.

    Nothing is kept without a home, or in a folder that others can write, as what is there is
    believed: no file can be below one that is no folder.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    base = os.environ.get("BUILDCHECK_CACHE_DIR") or f"{home}/buildcheck"
    with contextlib.suppress(OSError):
        found = os.stat(base)
        is_group_own = found.st_gid == os.getgid() == os.getuid()
        if found.st_uid != os.getuid() or found.st_mode & (0o002 if is_group_own else 0o022):
            base = "~"
    return Path(os.devnull if base.startswith("~") else base)


#: Seconds after which nobody writes a temporary file any more, on another machine either.
_STALE = 600


class UnwrittenError(Exception):
    """A file could not be written, and others to be written with it are as they were."""

    def __init__(self, path: Path, why: OSError) -> None:
        self.path, self.why = path, why
        super().__init__(str(path))


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    """Write files, each in one step; none is replaced before all are on the disk.

    A link keeps pointing where it does; a device or pipe is written to as it is.

    Raises `UnwrittenError`, and the files are as they were then.
    """
    staged: dict[Path, _Staged] = {}
    path = Path()
    try:
        for path, content in contents.items():
            staged[path] = _stage(path, (content.encode() if isinstance(content, str) else content))
        # Devices fail for more reasons than a file changing its name.
        for path in sorted(staged, key=lambda path: staged[path].staged is not None):
            staged[path].put()
    except OSError as error:
        for one in staged.values():
            one.take_back()
        raise UnwrittenError(path, error) from error
    finally:
        for one in staged.values():
            one.drop()


class _Staged(NamedTuple):
    """The new content of a file: in a temporary file next to it, or in memory for a device.

    A link to what it replaces is kept until all is written.
    """

    target: Path
    staged: Path | None
    raw: bytes
    is_new: bool = False

    @property
    def old(self) -> Path:
        return Path(f"{self.staged}-old")

    def put(self) -> None:
        if not self.staged:
            self.target.write_bytes(self.raw)
            return
        with contextlib.suppress(OSError):
            os.link(self.target, self.old)
        self.staged.replace(self.target)

    def take_back(self) -> None:
        if self.staged and not self.staged.exists():
            with contextlib.suppress(OSError):
                if self.is_new:
                    self.target.unlink()
                self.old.replace(self.target)

    def drop(self) -> None:
        for path in (self.staged, self.old) if self.staged else ():
            with contextlib.suppress(OSError):
                path.unlink()


def _is_left(temporary: Path, here: str) -> bool:
    """Has a process that was killed left this file? Those of this machine begin with `here`."""
    pid = temporary.name.removeprefix(here).partition("-")[0]
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (ValueError, PermissionError):
        pass
    return temporary.stat().st_mtime < time.time() - _STALE


def _stage(path: Path, raw: bytes) -> _Staged:
    """Write the new content next to a file. Raises `OSError`, and leaves nothing then."""
    import tempfile  # only to write

    if path.exists() and not path.is_file():
        return _Staged(path, None, raw)
    path = Path(os.path.realpath(path))
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    os.umask(mask := os.umask(0))
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask
    here = f".buildcheck-{zlib.crc32(os.uname().nodename.encode()):08x}-"
    for left in path.parent.glob(".buildcheck-*"):
        with contextlib.suppress(OSError):
            if _is_left(left, here):
                left.unlink()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{here}{os.getpid()}-")
    staged = _Staged(path, Path(name), b"", is_new=not path.exists())
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
    except BaseException:
        staged.drop()
        raise
    return staged
