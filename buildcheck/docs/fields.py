"""Keys of build, wish and part files, read from the models that read the files."""

# Annotations of answers are read at run time, by pydantic when JSON is made of them.
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args, get_origin

from buildcheck import units
from buildcheck.configure.wish.model import WishFile
from buildcheck.model import values as v
from buildcheck.model.build import SECTION_KIND, Build
from buildcheck.model.frozen import dataclass
from buildcheck.model.kinds import KINDS
from buildcheck.model.strict import Field, Strict
from buildcheck.words.keys import synonyms

#: Keys of an entry that come before others.
_FIRST = ("part", "count")


@dataclass(frozen=True)
class FieldAnswer:
    """A key of a file, and what it accepts."""

    name: str
    accepts: str
    meaning: str
    unit: str = ""
    #: The only words it accepts.
    choices: tuple[str, ...] = ()
    #: The kind of part whose name it accepts.
    part_kind: str = ""
    #: Where its entries are described.
    entries: str = ""


@dataclass(frozen=True)
class SectionAnswer:
    """Keys that belong together: of a section or its entries, or of a kind of part."""

    name: str
    page: str
    meaning: str
    fields: tuple[FieldAnswer, ...]
    #: The kind of part whose facts its entries accept as well.
    part_kind: str = ""
    #: Other words that are read as its name, or as a key of its entries.
    synonyms: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def address(self) -> str:
        """Where it is described."""
        return f"{self.page}.html#{self.name}"


def file_sections() -> tuple[SectionAnswer, ...]:
    """The sections of part files, build files and wish files, in this order."""
    reader = _ModelReader("part-files")
    for kind, model in KINDS.items():
        reader.read(kind, model)
    reader.page = "build-file"
    reader.read("file", Build)
    reader.page = "wish-file"
    reader.read("file", WishFile)
    return tuple(reader.found.values())


class _ModelReader:
    """Reads models into sections of a page, each model once."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.found: dict[type[Strict], SectionAnswer] = {}

    def read(self, name: str, model: type[Strict]) -> SectionAnswer:
        if model not in self.found:
            kind = SECTION_KIND.get(name, "") if self.page == "build-file" else ""
            words = synonyms(name) if self.page == "build-file" else {}
            also = tuple((key, texts) for key, texts in words.items() if texts)
            section = SectionAnswer(name, self.page, _documented(model), (), kind, also)
            self.found[model] = section
            facts = KINDS[kind].model_fields if kind else ()
            names = [n for n in model.model_fields if n not in facts]
            names.sort(key=lambda n: (n not in _FIRST, n not in model.__annotations__))
            fields = (self._field(n, model.model_fields[n]) for n in names)
            self.found[model] = replace(section, fields=tuple(fields))
        return self.found[model]

    def _field(self, name: str, info: Field) -> FieldAnswer:
        marks = [*_flat(info.annotation)]
        models = [m for m in marks if isinstance(m, type) and issubclass(m, Strict)]
        return FieldAnswer(
            info.alias or name,
            _accepts(marks, is_model=bool(models)),
            info.description or _documented(models[0]),
            next((units.BASE[m.dimension] for m in marks if isinstance(m, v.Measure)), ""),
            ("true", "false") if bool in marks else next(filter(None, map(v.choices, marks)), ()),
            next((m.kind for m in marks if isinstance(m, v.Ref)), ""),
            self.read(name, models[0]).address if models else "",
        )


def _flat(annotation: Any) -> Iterator[Any]:
    """An annotation, and all that it is made of."""
    yield annotation
    for inner in get_args(annotation):
        yield from _flat(inner)


def _accepts(marks: list[Any], *, is_model: bool) -> str:
    if is_model:
        origins: set[Any] = {get_origin(mark) for mark in marks}
        is_list, is_named = tuple in origins, dict in origins
        return "list of entries" if is_list else "entries by name" if is_named else "entry"
    reads = [mark.words for mark in marks if isinstance(mark, v.Reads)]
    return reads[0] if reads else "whole number" if int in marks else "list of words"


def _documented(model: type[Strict]) -> str:
    return " ".join((model.__doc__ or "").split())
