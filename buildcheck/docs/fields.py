"""Keys of build, wish and part files, read from the models that read the files."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, get_args, get_origin

from buildcheck import units
from buildcheck.catalog.layers import shipped
from buildcheck.configure.wish.model import WishFile
from buildcheck.load.belonging import TEXTS
from buildcheck.model import values as v
from buildcheck.model.build import SECTION_KIND, Build
from buildcheck.model.frozen import Frozen
from buildcheck.model.kinds import KINDS
from buildcheck.model.strict import Field, Strict
from buildcheck.words.keys import field_of, place_of, synonyms


class FieldAnswer(Frozen):
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


class SectionAnswer(Frozen):
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
    reader = _ModelReader()
    kinds: dict[str, Any] = {"part-files": KINDS, "build-file": {"file": Build}}
    for page, models in (kinds | {"wish-file": {"file": WishFile}}).items():
        reader.page = page
        for name, model in models.items():
            reader.read(name, model)
    return tuple(reader.found.values())


def fields_of(keys: Sequence[str]) -> dict[str, FieldAnswer]:
    """The keys of a build file that may stand behind others; none where nothing may."""
    sections = {one.address: one for one in file_sections()}
    section, above = sections["build-file.html#file"], ""
    for key in keys:
        name = field_of(above, key) if above else (place_of(key) or (key,))[0]
        entries = next((f.entries for f in section.fields if f.name == name), "")
        if not entries:
            return {}
        section, above = sections[entries], above or name
    facts = sections.get(f"part-files.html#{section.part_kind}")
    return {f.name: f for f in (*section.fields, *(facts.fields if facts else ()))}


def words_of(keys: Sequence[str], name: str, typed: str = "") -> list[str]:
    """The words that a key may be, or a section in one word; names have all that is typed."""
    field = fields_of(keys).get(name)
    if field and field.entries:
        field = fields_of([*keys, name]).get(TEXTS.get(name, "kind"))
    choices = [w for w in field.choices if typed.lower() in w.lower()] if field else []
    return (names_of(field, typed) if field else []) or choices


def names_of(field: FieldAnswer, typed: str = "") -> list[str]:
    """The names of parts that a key accepts, of which all that is typed is part."""
    return [*shipped().typed([field.part_kind], typed).values()] if field.part_kind else []


class _ModelReader:
    """Reads models into sections of a page, each model once."""

    def __init__(self) -> None:
        self.page, self.found = "", dict[type[Strict], SectionAnswer]()

    def read(self, name: str, model: type[Strict]) -> SectionAnswer:
        if model not in self.found:
            kind = SECTION_KIND.get(name, "") if self.page == "build-file" else ""
            words = synonyms(name) if self.page == "build-file" else {}
            also = tuple((key, texts) for key, texts in words.items() if texts)
            section = SectionAnswer(name, self.page, _documented(model), (), kind, also)
            self.found[model] = section
            facts = KINDS[kind].model_fields if kind else ()
            names = [n for n in model.model_fields if n not in facts]
            names.sort(key=lambda n: (n not in ("part", "count"), n not in model.__annotations__))
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
        of: set[Any] = {get_origin(mark) for mark in marks}
        return "list of entries" if tuple in of else "entries by name" if dict in of else "entry"
    reads = [mark.words for mark in marks if isinstance(mark, v.Reads)]
    return reads[0] if reads else "whole number" if int in marks else "list of words"


def _documented(model: type[Strict]) -> str:
    return " ".join((model.__doc__ or "").split())
