"""JSON Schemas of the files people write, and of what commands print with `--format json`."""

import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from buildcheck.catalog.part_file import FACT_KEYS, PART_KEYS, SOURCE_KEYS
from buildcheck.docs.fields import FieldAnswer, SectionAnswer, file_sections, names_of
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.rule import SEVERITIES
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
#: Other names that a schema goes by.
ALIASES = {"report": "validate"}
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_COMMENTED = re.compile(r"((?:^    #: .*\n)+)    (\w+):", re.MULTILINE)
_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}
#: Names from here on are no list to choose from.
_MANY = 100
_TRUTHS = {"true": True, "false": False}
_TEXTS = {"type": "array", "items": _TEXT}
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
    return _class(ANSWERS[name])


def _class(place: str) -> Any:
    module, _, found = place.partition(":")
    return getattr(importlib.import_module(module), found)


def schema_of(command: str) -> dict[str, Any]:
    """The JSON Schema of a file, or of all that a command prints. Raises `InputError`."""
    if command in FILES:
        title = f"buildcheck {command} file"
        return {"$schema": _DIALECT, "title": title, "type": "object", **FILES[command]()}
    adapter: TypeAdapter[Any] = TypeAdapter(answer_class(command))
    answer = adapter.json_schema(mode="serialization", schema_generator=_Documented)
    shapes = answer.pop("$defs", {})
    return {
        "$schema": _DIALECT,
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


def _entries() -> dict[str, dict[str, Any]]:
    """What describes an entry, by its page and name."""
    sections = {section.address: section for section in file_sections()}
    return {a.replace(".html#", "-"): _entry(one, sections) for a, one in sections.items()}


def _part_schema() -> dict[str, Any]:
    """Of a part file: its facts are the fields of its kind, each with the name of its source."""
    entries, kinds = {n: e for n, e in _entries().items() if n.startswith("part-files")}, []
    for kind in KINDS:
        fields = entries[f"part-files-{kind}"]["properties"].items()
        facts = {
            name: {"description": value["description"]}
            | _closed(dict.fromkeys(FACT_KEYS, True) | {"value": value}, *FACT_KEYS[:2])
            for name, value in fields
        }
        is_one = {"properties": {"id": {"pattern": f"^{kind}/"}}}
        kinds.append({"if": is_one, "then": {"properties": {"facts": _closed(facts)}}})
    source = _object(dict.fromkeys(SOURCE_KEYS, _TEXT) | {"confidence": {"enum": [*CONFIDENCE]}})
    sources = {"type": "object", "additionalProperties": source}
    keys = dict.fromkeys(PART_KEYS, True) | {"id": _TEXT, "name": _TEXT, "sources": sources}
    made = _closed(keys | {"aliases": _TEXTS, "part_numbers": _TEXTS}, "id", "facts", "sources")
    return {**made, "allOf": kinds, "$defs": entries}


def _rule_schema() -> dict[str, Any]:
    """Of a rule file; one that extends another gives what it changes."""
    adapter: TypeAdapter[Any] = TypeAdapter(_class("buildcheck.rulebook.proof:RuleDocument"))
    made = adapter.json_schema(schema_generator=_Documented)
    made["properties"]["extends"] = _TEXT
    made["anyOf"] = [{"required": names} for names in (made.pop("required"), ["id", "extends"])]
    return made


def _settings_schema() -> dict[str, Any]:
    """Of `buildcheck.toml`, and of the table `tool.buildcheck`."""
    stated = vocabulary("commands")
    made: dict[str, Any] = {}
    for key, setting in stated["settings"].items():
        option = stated["options"].get(key.replace("-", "_"), {})
        limits = {"additionalProperties": {"propertyNames": {"enum": [*SEVERITIES]}}}
        shapes = {"words": {"enum": option.get("type")}, "limits": {"type": "object", **limits}}
        said = re.split(r";|\.$|  \[", setting.get("help") or option["help"])[0]
        made[key] = {"description": said, **shapes.get(setting["kind"], _TEXTS)}
    return _closed(made)


def _closed(properties: dict[str, Any], *needed: str) -> dict[str, Any]:
    """A mapping that has no other keys."""
    return {"properties": properties, "required": [*needed], "additionalProperties": False}


#: Files that people write, and what makes the schema by which editors complete their keys.
FILES: dict[str, Callable[[], dict[str, Any]]] = {
    # Files of words: next to nothing is refused, and `validate` says what cannot be read.
    "build": lambda: (made := _entries())["build-file-file"] | {"$defs": made},
    "wish": lambda: (made := _entries())["wish-file-file"] | {"$defs": made},
    "part": _part_schema,
    "rule": _rule_schema,
    "config": _settings_schema,
}


def _entry(section: SectionAnswer, sections: Mapping[str, SectionAnswer]) -> dict[str, Any]:
    """An entry with its keys, their synonyms, and the facts of its kind of part."""
    facts = sections.get(f"part-files.html#{section.part_kind}")
    keys = {f.name: _value(f) for f in (*(facts.fields if facts else ()), *section.fields)}
    other = {word: keys[key] for key, words in section.synonyms if key in keys for word in words}
    return {"type": "object", "description": section.meaning, "properties": keys | other | keys}


def _value(field: FieldAnswer) -> dict[str, Any]:
    """What a value means; of entries their keys, and of words those that are known."""
    words = f"{field.accepts}, in {field.unit}" if field.unit else field.accepts
    made: dict[str, Any] = {"description": f"{field.meaning.rstrip('.')} ({words})"}
    if field.entries:
        entry = {"$ref": f"#/$defs/{field.entries.replace('.html#', '-')}"}
        is_no_entry = {"not": {"type": ["object", "array"]}}
        made["anyOf"] = [is_no_entry, entry, {"items": {"anyOf": [is_no_entry, entry]}}]
    elif len(known := field.choices or names_of(field)) in range(1, _MANY):
        made["anyOf"] = [{"enum": [_TRUTHS.get(c, c) for c in known]}, {}]
    return made


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}
