"""The reference as pages that load nothing and link to each other."""

import importlib
import inspect
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

import click

from buildcheck import NAMES, __version__, units
from buildcheck.docs.fields import file_sections
from buildcheck.docs.schemas import ANSWERS, answer_class, schema_of
from buildcheck.model.vocabulary import shipped
from buildcheck.render.html import sheet
from buildcheck.report.rules import rule_answer
from buildcheck.rulebook import Rulebook
from buildcheck.streams import EXIT_CODES


class DocumentedCommand(NamedTuple):
    """A command: how it is called, its help by paragraphs, its options with theirs."""

    name: str
    usage: str
    help: list[str]
    options: list[tuple[str, str]]


def docs_pages(book: Rulebook, program: click.Group) -> dict[str, str]:
    """The text of each page, by the name of its file."""
    api = importlib.import_module("buildcheck.api")
    answers = {command: answer_class(command).__name__ for command in ANSWERS}
    by_domain = groupby(book.rules, key=lambda rule: rule.domain)
    words: dict[str, Any] = {
        "version": __version__,
        "pages": shipped("templates", "docs/pages"),
        "domains": {name: [*map(rule_answer, rules)] for name, rules in by_domain},
        "sections": {
            page: [*sections] for page, sections in groupby(file_sections(), lambda s: s.page)
        },
        "units": _units(),
        "commands": list(_commands(click.Context(program, info_name="buildcheck"), program)),
        "exit_codes": EXIT_CODES,
        "answers": answers,
        "shapes": _shapes(answers),
        "type_words": _type_words,
        "api": api.__doc__,
        "names": {name: getattr(api, name) for name in NAMES},
        "inspect": inspect,
    }
    pages = {
        f"{name}.html": _page(name, words, name=title) for name, title in words["pages"].items()
    }
    for domain, rules in words["domains"].items():
        pages[f"rules-{domain}.html"] = _page("rules", words, name=f"Rules: {domain}", rules=rules)
    return pages


def _page(template: str, words: dict[str, Any], **own: Any) -> str:
    return sheet(
        f"docs/{template}.html.j2",
        f"buildcheck {__version__}",
        styles=("css/docs.css",),
        scripts=("js/search.js",) if template == "index" else (),
        **words,
        **own,
    )


def _units() -> dict[str, list[str]]:
    """Units that are accepted, by what they measure."""
    found: dict[str, list[str]] = {}
    for name, (_, dimension) in units.accepted().items():
        found.setdefault(units.describe(dimension), []).extend([name] if name else [])
    return found


def _commands(above: click.Context, group: click.Group) -> Iterator[DocumentedCommand]:
    """The commands of a group by name, with those of its groups."""
    listed = ((name, group.get_command(above, name)) for name in group.list_commands(above))
    for name, command in listed:
        if command is None:
            continue
        context = click.Context(command, info_name=name, parent=above)
        if isinstance(command, click.Group):
            yield from _commands(context, command)
            continue
        records = (p.get_help_record(context) for p in command.get_params(context))
        text = inspect.cleandoc(command.help or "").replace("\b\n", "")
        yield DocumentedCommand(
            context.command_path.partition(" ")[2],
            " ".join([context.command_path, *command.collect_usage_pieces(context)]),
            [" ".join(paragraph.split()) for paragraph in text.split("\n\n")],
            [record for record in records if record and "--help" not in record[0]],
        )


def _shapes(answers: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The schema of every object in the answers of commands, by name."""
    found: dict[str, dict[str, Any]] = {}
    for command, name in answers.items():
        schema = schema_of(command)
        answer = schema["properties"]["answer"]
        found |= schema["$defs"] | ({name: answer} if "properties" in answer else {})
    return dict(sorted(found.items()))


def _type_words(schema: dict[str, Any]) -> str:
    """The type of a value in words, in which objects have their names."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_type_words, schema["anyOf"])))
    if "enum" in schema or "const" in schema:
        return " or ".join(map(str, schema.get("enum", [schema.get("const")])))
    kind = str(schema.get("type", "any value"))
    if kind == "array":
        items = schema.get("items") or {"anyOf": schema.get("prefixItems", [{}])}
        return f"list of {_type_words(items)}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"{_type_words(schema['additionalProperties'])} by name"
    return {"date": "date", "date-time": "time"}.get(schema.get("format", ""), kind)
