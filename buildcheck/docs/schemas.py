"""JSON Schemas of the files people write, and of what commands print with `--format json`."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from buildcheck.docs.fields import FieldAnswer, SectionAnswer, file_sections
from buildcheck.model.vocabulary import refused, vocabulary
from buildcheck.render.envelope import FORMAT_VERSION

#: The class that each command answers with, and the module it is in.
ANSWERS: dict[str, str] = dict(
    sorted(
        (name.replace(" ", "-"), f"buildcheck.{command['answer']}")
        for name, command in vocabulary("commands")["commands"].items()
        if "answer" in command
    )
)
#: Files that people write, and the page that describes their keys.
FILES = {"build": "build-file", "wish": "wish-file"}
#: Other names that a schema goes by.
ALIASES = {"report": "validate"}
_COMMENTED = re.compile(r"((?:^    #: .*\n)+)    (\w+):", re.MULTILINE)
_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}
_PROBLEM = dict.fromkeys(("path", "message", "suggestion"), _TEXT)
_PROBLEM |= dict.fromkeys(("line", "column"), _NUMBER)
_TOOL = {"name": {"const": "buildcheck"}, "version": _TEXT}


class _Documented(GenerateJsonSchema):
    """Properties are described by the `#:` comments of their fields, and have no titles."""

    def dataclass_schema(self, schema: Any) -> JsonSchemaValue:
        made = super().dataclass_schema(schema)
        for lines, name in _COMMENTED.findall(inspect.getsource(schema["cls"])):
            words = " ".join(line.strip().removeprefix("#:").strip() for line in lines.splitlines())
            made["properties"].setdefault(name, {})["description"] = words
        return made

    def field_title_should_be_set(self, _schema: Any) -> bool:
        return False


def answer_class(command: str) -> Any:
    """The class that a command answers with. Raises `InputError` where it has none."""
    name = ALIASES.get(command, command)
    if name not in ANSWERS:
        raise refused(command, "no-schema", names=", ".join((*FILES, *ANSWERS)))
    module, _, found = ANSWERS[name].partition(":")
    return getattr(importlib.import_module(module), found)


def schema_of(command: str) -> dict[str, Any]:
    """The JSON Schema of a file, or of all that a command prints. Raises `InputError`."""
    if command in FILES:
        return file_schema(command)
    adapter: TypeAdapter[Any] = TypeAdapter(answer_class(command))
    answer = adapter.json_schema(mode="serialization", schema_generator=_Documented)
    shapes = answer.pop("$defs", {})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"buildcheck {ALIASES.get(command, command)} --format json",
        "type": "object",
        "properties": {
            "format_version": {"const": FORMAT_VERSION},
            "tool": _object(_TOOL),
            "command": {"const": ALIASES.get(command, command)},
            "answer": answer,
            "errors": {"type": "array", "items": _object(_PROBLEM), "minItems": 1},
        },
        "required": ["format_version", "tool", "command"],
        "anyOf": [{"required": ["answer"]}, {"required": ["errors"]}],
        "$defs": shapes,
    }


def file_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a file that people write, by which editors complete and explain keys.

    It refuses next to nothing: values may be words, and `validate` says what cannot be read.
    """
    sections = {section.address: section for section in file_sections()}
    made = {address: _entry(section, sections) for address, section in sections.items()}
    top = made[f"{FILES[name]}.html#file"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"buildcheck {name} file",
        **top,
        "$defs": {address.replace(".html#", "-"): entry for address, entry in made.items()},
    }


def _entry(section: SectionAnswer, sections: Mapping[str, SectionAnswer]) -> dict[str, Any]:
    """An entry with its keys, their synonyms, and the facts of its kind of part."""
    facts = sections.get(f"part-files.html#{section.part_kind}")
    keys = {f.name: _value(f) for f in (*(facts.fields if facts else ()), *section.fields)}
    other = {word: keys[key] for key, words in section.synonyms if key in keys for word in words}
    return {"type": "object", "description": section.meaning, "properties": other | keys}


def _value(field: FieldAnswer) -> dict[str, Any]:
    """What a value means; of entries their keys, and of words those that are known."""
    words = f"{field.accepts}, in {field.unit}" if field.unit else field.accepts
    made: dict[str, Any] = {"description": f"{field.meaning.rstrip('.')} ({words})"}
    if field.entries:
        entry = {"$ref": f"#/$defs/{field.entries.replace('.html#', '-')}"}
        is_no_entry = {"not": {"type": ["object", "array"]}}
        made["anyOf"] = [is_no_entry, entry, {"items": {"anyOf": [is_no_entry, entry]}}]
    elif field.choices:
        made["anyOf"] = [{"enum": [*field.choices]}, {}]
    return made


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}
