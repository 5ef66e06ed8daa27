"""Records in, rows out: reading line by line, names as shops write them, writing files whole."""

import gzip
import json
import math
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic_core import ValidationError

from buildcheck.errors import CatalogError
from buildcheck.model.frozen import Frozen
from buildcheck.model.graph import by_key
from buildcheck.model.kinds import KINDS
from buildcheck.model.values import LONGEST
from buildcheck.model.vocabulary import problem, vocabulary
from buildcheck.store import UnwrittenError, write_all
from buildcheck.words.names import words

#: What is known of the sources.
TABLES: dict[str, Any] = vocabulary("open-data")
#: Version of the form of the files.
FORMAT = 1
#: Hexadecimal digits of a record's key in an id, and how many are added while two ids are equal.
FEWEST, STEP = 8, 4


Facts = dict[str, Any]
T = TypeVar("T")


class DroppedError(Exception):
    """A record of which no row can be made; says why."""


@dataclass
class Counts:
    """What became of the records of one kind."""

    read: int = 0
    written: int = 0
    merged: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    gated: Counter[str] = field(default_factory=Counter)

    def taken(self, made: Callable[..., T], *given: Any) -> T | None:
        """What is made of a record, which is counted; None if it is dropped."""
        self.read += 1
        try:
            return made(*given)
        except DroppedError as reason:
            self.dropped[str(reason)] += 1
            return None


#: What became of all records, by kind.
Counted = defaultdict[str, Counts]


def pattern(text: str) -> re.Pattern[str]:
    """A pattern of names, in capitals or not."""
    return re.compile(text, re.IGNORECASE)


_NAMES = {name: pattern(text) for name, text in TABLES["names"].items()}
_SIZES: dict[str, int] = TABLES["sizes"]


def clean(name: str) -> str:
    """A name without signs, blanks and the tail that shops add; empty if nothing is named.

    >>> clean("NZXT H7  Flow™ ATX Mid Tower with Tempered Glass Side Panel and USB 3.2")
    'NZXT H7 Flow ATX Mid Tower'
    """
    plain = _NAMES["tail"].sub("", " ".join(_NAMES["signs"].sub(" ", name).split())).strip(" ,-")
    if len(plain) > _SIZES["sentence"]:
        plain = _NAMES["sentence"].split(plain, maxsplit=1)[0].strip(" ,-")
    is_named = _SIZES["shortest"] <= len(plain) <= LONGEST and plain.isprintable() and words(plain)
    return plain if is_named else ""


def numbers(listed: Iterable[str]) -> list[str]:
    """The part numbers of a list that can be one: not its broken pieces."""
    return distinct_numbers(
        number
        for number in map(str.strip, listed)
        if _SIZES["shortest_number"] <= len(number) <= _SIZES["longest_number"]
        if number.isprintable()
        if any(map(str.isdigit, number)) and not _NAMES["no_number"].fullmatch(number)
    )


def squeezed(number: str) -> str:
    """A part number as it is compared."""
    return re.sub(r"[^a-z0-9]", "", number.lower())


def distinct_numbers(listed: Iterable[str]) -> list[str]:
    """Part numbers that are not the same one written twice, each in its last place."""
    return list({squeezed(number): number for number in reversed(list(listed))}.values())[::-1]


def distinct(listed: Iterable[str]) -> list[str]:
    """Names that are not the same one written twice, in order."""
    return [each[0] for each in by_key((words(name), name) for name in listed).values()]


#: Words that mean "not known".
_UNKNOWN = frozenset({"", "unknown", "none", "n/a", "-"})
#: No number of a part is as large.
_TOO_LARGE = 1e12


def plain(value: Any) -> str:
    """A word without surrounding blanks; empty if it is no word or means "not known"."""
    word = value.strip() if isinstance(value, str) else ""
    return word if word.isprintable() and word.lower() not in _UNKNOWN else ""


class OpenRecord(Frozen):
    """What the source says of one part, and whether a person there checked it."""

    key: str
    name: str
    maker: str
    series: str
    part_numbers: tuple[str, ...]
    checked: bool
    spec: dict[str, Any]

    def names(self) -> dict[str, Any]:
        """What expressions of a recipe can ask for."""
        asked = (self.text, self.number, self.field, self.listed, self.counts)
        return vars(self) | {method.__name__: method for method in asked}

    def field(self, *path: str) -> Any:
        """A field as it is, or one inside it; `None` if it is not there."""
        value: Any = self.spec
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def text(self, *path: str) -> str:
        """A field that is a word; empty if it is not known."""
        return plain(self.field(*path))

    def number(self, *path: str) -> float:
        """A field that is a number; zero if it is not known."""
        value = self.field(*path)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return 0
        return value if 0 < value < _TOO_LARGE else 0

    def listed(self, *path: str) -> list[str]:
        """A field that is a list of words."""
        value = self.field(*path)
        return [word for v in value if (word := plain(v))] if isinstance(value, list) else []

    def counts(self, field: str, words: Iterable[str]) -> list[tuple[int, str]]:
        """The numbers of words in a field, where there are any."""
        found = ((int(self.number(field, word)), word) for word in words)
        return [(count, word) for count, word in found if count]


@dataclass
class OpenPart:
    """One part on its way into a file."""

    key: str
    names: list[str]
    maker: str
    part_numbers: list[str]
    facts: Facts
    checked: bool = False


def wrong(path: Path, line: int, code: str, **words: Any) -> CatalogError:
    """One thing wrong with an input file by its code, ready to be raised."""
    return CatalogError([problem(str(path), code, line=line, **words)])


def records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every line of a JSON lines file, packed or not, with its number. Raises `CatalogError`."""
    for number, line in lines(path):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise wrong(path, number, "no-json") from None
        if not isinstance(record, dict):
            raise wrong(path, number, "no-json-object")
        yield number, record


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Every line of a text, packed or not, with its number. Raises `CatalogError`."""
    packed = path.name.endswith(".gz")
    try:
        with gzip.open(path, "rb") if packed else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield number, line.decode("utf-8")
                except UnicodeDecodeError:
                    raise wrong(path, number, "no-utf8") from None
    except (OSError, EOFError, zlib.error) as error:
        raise wrong(path, 0, "unread-file", error=error) from None


def typed(
    record: dict[str, Any], key: str, of: type | tuple[type, ...], path: Path, line: int
) -> Any:
    """The value of a key, which may be missing but not of another type. Raises `CatalogError`."""
    value = record.get(key)
    odd = isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value))
    if value is not None and (odd or not isinstance(value, of)):
        raise wrong(path, line, "wrong-shape", key=key)
    return value


def valid(kind: str, facts: Facts, gated: Counter[str]) -> Facts:
    """The facts that the model of the kind accepts."""
    try:
        KINDS[kind].model_validate(facts)
    except ValidationError as error:
        wrong = {str(detail["loc"][0]) for detail in error.errors(include_url=False)}
        for name in wrong:
            gated[f"{name}: not acceptable"] += 1
        return {name: value for name, value in facts.items() if name not in wrong}
    return facts


def key_of(name: str) -> str:
    """A name as an id has it."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def add_short_names(items: list[OpenPart], seldom: re.Pattern[str]) -> None:
    """Add names without what few people say; names that two parts would have are those of none."""
    for item in items:
        item.names = list(dict.fromkeys([*item.names, *(seldom.sub("", n) for n in item.names)]))
    taken = Counter(name for item in items for name in item.names)
    for item in items:
        item.names = [n for n in item.names if taken[n] == 1] or item.names[-1:]


def ids(prefix: str, items: list[OpenPart]) -> dict[str, OpenPart]:
    """Items by id: the shortest beginnings of their keys that tell them apart, in steps."""
    found: dict[str, OpenPart] = {}
    left, digits = {item.key.replace("-", "").lower(): item for item in items}, FEWEST
    while left:
        most = max(map(len, left))
        beginnings = Counter(key[:digits] for key in left)
        for key in list(left):
            if beginnings[key[:digits]] == 1 or digits >= most:
                found[f"{prefix}/{key[:digits]}"] = left.pop(key)
        digits += STEP
    return found


def text(kind: str, said: Facts, fields: Iterable[str], parts: dict[str, OpenPart]) -> str:
    """The whole file: a header of what is said of its source, then the rows in order of id."""
    order = [name for name in fields if any(name in item.facts for item in parts.values())]
    source = {key: said[key] for key in ("source", "licence")}
    listed: list[list[Any]] = []
    for part_id, item in sorted(parts.items()):
        values = [item.facts.get(name) for name in order]
        while values and values[-1] is None:
            values.pop()
        listed.append([part_id, item.names, item.part_numbers, *values])
    return json_lines({"format": FORMAT, "kind": kind, **source, "fields": order}, listed)


def json_lines(header: dict[str, Any], listed: list[list[Any]]) -> str:
    """A file of a header and rows, a line each."""
    packed = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in listed)
    return "\n".join((json.dumps(header, ensure_ascii=False), *packed)) + "\n"


def write(into: Path, texts: dict[str, str]) -> None:
    """Write files; none is replaced before all are written. Raises `CatalogError`."""
    try:
        into.mkdir(parents=True, exist_ok=True)
        write_all({into / name: text for name, text in texts.items()})
    except OSError as error:
        raise wrong(into, 0, "no-folder-made", error=error) from None
    except UnwrittenError as error:
        raise wrong(into, 0, "no-files-written", error=error.why) from None
