"""Layers of the catalogue: folders of parts, compiled, each with every way to find its parts.

What was made of a layer once is read from the cache.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from buildcheck import store
from buildcheck.words.names import said, squashed, stamp, words

#: Groups of a layer's cache in addition to the parts: ids by whole name, by the words that
#: tell parts apart, and by each word; and all ids, under no name.
BY_NAME, BY_STEM, BY_WORD, IDS = "{} by name", "{} by stem", "{} by word", "ids of {}"
#: The group of a layer that says which kinds a word is in.
KINDS_BY_WORD = "kinds by word"
#: How files of open data end.
OPEN_SUFFIX = ".jsonl"
#: The layer of the part files that come with the program.
CURATED = "curated"
#: What the names of a lab's own layers begin with.
LAB = "lab"
#: Words of more parts than this are kept without them: they tell nothing.
COMMON = 600
#: Numbers shorter than this are in too many names to be a misprint of each other.
TELLING = 3
#: Most parts with shared words that are searched for the nearest names.
_NEARBY = 80


class Row(NamedTuple):
    """A part in the cache: names, numbers, plain facts (None if its file cannot be read)."""

    names: list[str]
    numbers: list[str]
    facts: list[Any] | None

    @property
    def plain(self) -> dict[str, Any]:
        """Its facts by name, as plain data; none if its file cannot be read."""
        return {name: value for name, value, *_ in self.facts[1]} if self.facts else {}


class Layer:
    """One folder of parts, in files of one suffix, compiled."""

    def __init__(
        self,
        name: str,
        folder: Path,
        make: Callable[[], store.Groups],
        suffix: str = ".yaml",
        *,
        is_shipped: bool = False,
        kept: bool = True,
    ) -> None:
        """Files below a folder, whose groups are made by `make`; shipped with the program or not.

        What is made is `kept` in the cache, or read once.
        """
        self.name, self.folder, self._make, self._suffix = name, folder, make, suffix
        self._key: Callable[[], str] = lambda: store.signature(self.folder, self._suffix) + stamp()
        self._rows: store.Rows | None = None
        self._is_shipped, self._kept = is_shipped, kept
        #: Whether it is open data, whose values are of one part each and never of a range.
        self.is_open = suffix == OPEN_SUFFIX
        self._seen: dict[tuple[str, str], Any] = {}
        #: Groups that are read whole.
        self._whole: dict[str, dict[str, Any]] = {}

    def compile(self) -> tuple[dict[str, Any], store.Groups]:
        """Head and groups, made from the files; they are at hand from then on."""
        while self._is_shipped and store.waits:
            store.waits.pop()()
        groups = self._make()
        self._whole = {group: dict(sorted(rows.items())) for group, rows in groups.items()}
        return {"digest": store.digest(self.folder, self._suffix)}, groups

    def _open(self, *, anew: bool = False) -> store.Rows:
        if self._rows is None and not self._kept:
            self._rows = store.Rows(store.rows_text({"digest": ""}, self._make()).encode())
        if self._rows is None or anew:
            self._rows = store.cached_rows(self.name, self._key(), self.compile, anew=anew)
        return self._rows

    @property
    def digest(self) -> str:
        """`sha256:` of its files."""
        return str(self._open().head["digest"])

    def get(self, group: str, name: str) -> Any:
        """What a group holds under a name; None if nothing."""
        if group in self._whole:
            return self._whole[group].get(name)
        key = (group, name)
        if key not in self._seen:
            self._seen[key] = self._read(lambda rows: rows.row(group, name))
        return self._seen[key]

    def parts(self, kind: str) -> Iterator[tuple[str, Row]]:
        """Every part of a kind, by id."""
        return ((part_id, Row(*row)) for part_id, row in self.all(kind).items())

    def all(self, group: str) -> dict[str, Any]:
        """Everything in a group."""
        if group not in self._whole:
            self._whole[group] = self._read(lambda rows: rows.rows(group))
        return self._whole[group]

    def _read(self, what: Callable[[store.Rows], Any]) -> Any:
        """What rows hold, made anew where the cache is damaged."""
        try:
            return what(self._open())
        except store.DamagedError:
            return what(self._open(anew=True))


def entries(kind: str, parts: dict[str, Row]) -> store.Groups:
    """The groups of a kind: its parts, and every way to find them."""
    by_name, by_stem, by_word = (defaultdict[str, list[str]](list) for _ in range(3))
    for part_id, row in sorted(parts.items()):
        tail = part_id.partition("/")[2]
        names = (*row.names, *row.numbers, tail, tail.rpartition("/")[2])
        for name in dict.fromkeys(map(squashed, names)):
            by_name[name].append(part_id)
        for stem in dict.fromkeys(said(kind, name).stem for name in spoken(row)):
            by_stem[stem].append(part_id)
        for word in dict.fromkeys(w for name in row.names for w in telling(name)):
            by_word[word].append(part_id)
    for found in (by_name, by_stem):
        found.pop("", None)
    return {
        kind: {part_id: list(row) for part_id, row in parts.items()},
        IDS.format(kind): {"": sorted(parts)},
        BY_NAME.format(kind): dict(by_name),
        BY_STEM.format(kind): dict(by_stem),
        BY_WORD.format(kind): {k: v * (len(v) <= COMMON) for k, v in by_word.items()},
    }


def spoken(row: Row) -> list[str]:
    """The names of a part, and part numbers that are names."""
    return [*row.names, *(n for n in row.numbers if " " in n)]


def telling(name: str) -> Iterator[str]:
    """The words of a name, and its longer numbers with digits in order, and without the last."""
    for word in words(name):
        yield word
        if word.isdigit() and len(word) >= TELLING:
            yield f"#{''.join(sorted(word))}"
            yield f"{word[:-1]}#"


class Layers:
    """Layers over each other, the strongest first."""

    def __init__(self, layers: Iterable[Layer]) -> None:
        self.layers = tuple(layers)

    def each(self, part_id: str) -> Iterator[tuple[Layer, Row]]:
        """What each layer that has the part holds, strongest first, looked into when asked for."""
        kind = part_id.partition("/")[0]
        found = ((layer, layer.get(kind, part_id)) for layer in self.layers)
        return ((layer, Row(*row)) for layer, row in found if row is not None)

    def written(self, kind: str) -> Iterator[tuple[str, Row]]:
        """The parts of a kind in files that people wrote, one layer after another."""
        return chain(*(layer.parts(kind) for layer in self.layers if not layer.is_open))

    def has(self, part_id: str) -> bool:
        """Is there a part of that id?"""
        return any(True for _ in self.each(part_id))

    def ids(self, kind: str) -> list[str]:
        """Every part of a kind, by id."""
        return sorted({i for layer in self.layers for i in layer.get(IDS.format(kind), "") or ()})

    def typed(self, kinds: Iterable[str], text: str) -> dict[str, str]:
        """By id, names of parts that have every word of a text; of one with a slash ids begin so.

        They are those of the first layer that has any, short names first.
        """
        words, is_id, found = text.lower().split(), "/" in text, dict[str, str]()
        for layer in self.layers:
            for part_id, row in chain(*map(layer.parts, kinds)):
                name = next(iter(row.names), part_id)
                if part_id.startswith(text) if is_id else all(w in name.lower() for w in words):
                    found[part_id] = name
            if found:
                break
        return dict(sorted(found.items(), key=lambda one: (len(one[1]), one[1])))

    def name(self, part_id: str) -> str:
        """What a part is called first."""
        return next((r.names[0] for _, r in self.each(part_id) if r.names), part_id)

    def nearby(self, kind: str, name: str) -> list[str]:
        """Parts that share rare words with a name; all of a kind that is small."""
        seen: Counter[str] = Counter()
        for layer in self.layers:
            for word in set(telling(name)):
                for part_id in layer.get(BY_WORD.format(kind), word) or ():
                    seen[part_id] += 2 if word[0].isdigit() else 1
        if not seen and len(few := self.ids(kind)) <= COMMON:
            return few
        # Of those alike the plainest: a chip before the cards of it.
        return sorted(seen, key=lambda i: (-seen[i], len(i), i))[:_NEARBY]
