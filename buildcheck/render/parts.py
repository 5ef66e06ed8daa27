"""Parts as data and as text: one part with all it says, counts of all, a file to fill in."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.errors import InputError, Problem
from buildcheck.measure import field_shapes
from buildcheck.model.kinds import KINDS
from buildcheck.model.money import Tariff
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.quantity import Interval
from buildcheck.needs import SUBJECT, rules_by_field
from buildcheck.render.data import value_data
from buildcheck.render.examples import example
from buildcheck.render.view import notices
from buildcheck.source import read, scalar
from buildcheck.wording import show_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.model.part import Sourced
    from buildcheck.rulebook import Rulebook

#: So many rules are named where a field is asked for by more.
_NAMED = 3
#: Entries that stand for parts nobody listed, and are no parts anybody could buy.
_STAND_INS = "/generic/unlisted"


def part_data(part_id: str, catalog: Catalog, rulebook: Rulebook) -> dict[str, Any]:
    """Everything of a part as plain data. Raises `CatalogError`."""
    kind = part_id.partition("/")[0]
    part = catalog.part(part_id)
    rows = catalog.index.rows(part_id)
    needed = rules_by_field(rulebook, kind)
    fields = KINDS[kind].model_fields
    return {
        "format_version": "1.0",
        "id": part_id,
        "kind": kind,
        "name": part.name,
        "aliases": _all(n for _, row in rows for n in row.names if n != part.name),
        "part_numbers": _all(n for _, row in rows for n in row.numbers),
        "layers": [layer.name for layer, _ in rows],
        "facts": {n: _fact(kind, n, part.facts[n], catalog) for n in fields if n in part.facts},
        "unknown": [
            {"field": n, "means": str(info.description or ""), "rules": needed.get(n, [])}
            for n, info in fields.items()
            if n not in part.facts
        ],
        "notices": notices(part.facts.values()),
    }


#: Kinds that no build has a subject of, by those whose fields they share.
_LIKE = {"gpu-module": "gpu", "tensor-units": "gpu"}


def _all(names: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _fact(kind: str, name: str, fact: Sourced, catalog: Catalog) -> dict[str, Any]:
    plain = _plain(fact.value)
    subject = SUBJECT.get(kind) or _LIKE.get(kind, kind)
    text = value_text(fact.value, field_shapes(subject).get(name))
    slots = _in_slots(fact, catalog) if name == "thickness" else ""
    return {
        "value": plain if isinstance(fact.value, Interval) else {"value": plain},
        "text": f"{text}, from {slots}" if slots else text,
        "confidence": fact.confidence,
        "origin": fact.origin,
        "note": fact.note,
        "source": {
            "title": fact.source.title,
            "url": fact.source.url,
            "read": fact.source.read,
            "as_of": fact.source.as_of,
        },
    }


def _in_slots(fact: Sourced, catalog: Catalog) -> str:
    """A thickness as its part file has it, where that is in slots."""
    paths = [layer.folder / f"{fact.origin}.yaml" for layer, _ in catalog.index.rows(fact.origin)]
    for path in paths or [Path(fact.origin)]:
        try:
            document = read(path.read_bytes(), str(path))
            written = str(document.data["facts"]["thickness"]["value"]).strip()
        except (OSError, KeyError, TypeError):
            continue
        return written if written.endswith(("slot", "slots")) else ""
    return ""


def _plain(value: Any) -> Any:
    """A value as plain data; tables, lists and slots entry by entry."""
    if isinstance(value, Interval):
        return value_data(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, Tariff):
        return str(value)
    if isinstance(value, tuple | frozenset):
        return [_plain(v) for v in (value if isinstance(value, tuple) else sorted(value))]
    if hasattr(type(value), "model_fields"):
        said = {n: getattr(value, n) for n in type(value).model_fields}
        return {n: _plain(v) for n, v in said.items() if v is not None}
    return value


def value_text(value: Any, shape: Any) -> str:
    """A fact's value in words; tables and lists of slots entry by entry."""
    if isinstance(value, dict):
        return ", ".join(f"{value_text(n, units.NUMBER)}x {k}" for k, n in value.items()) or "none"
    if isinstance(value, Tariff):
        return str(value)
    if isinstance(value, tuple):
        return "; ".join(value_text(item, None) for item in value) or "none"
    if hasattr(type(value), "model_fields"):
        said = {n: getattr(value, n) for n in type(value).model_fields}
        return " ".join(f"{n} {value_text(v, None)}" for n, v in said.items() if v is not None)
    return show_value(value, shape)


def part_text(data: dict[str, Any]) -> Iterator[str]:
    """A part for people: names, values with their sources, and what is not known."""
    yield data["name"]
    yield f"  {data['id']}, from: {', '.join(data['layers'])}"
    for key in ("aliases", "part_numbers"):
        if data[key]:
            yield from _hanging(f"  {key.replace('_', ' ')}: ", ", ".join(data[key]))
    yield ""
    sources: dict[tuple[str, str, str], int] = {}
    # A lab's own values are known by their file.
    mine = (data["id"], f"{data['id']}.yaml")
    own = [n for n, f in data["facts"].items() if PurePath(f["origin"]).as_posix().endswith(mine)]
    for title, names in (("", own), ("By way of what it refers to:", set(data["facts"]) - {*own})):
        if title and names:
            yield ""
            yield title
        for name in (n for n in data["facts"] if n in names):
            yield from _fact_lines(name, data["facts"][name], sources)
    yield from _asked_lines([u for u in data["unknown"] if u["rules"]])
    if sources:
        yield ""
        yield "Sources:"
        for (title, url, origin), number in sources.items():
            inherited = f" (in {origin})" if origin != data["id"] else ""
            yield from _hanging(f"  [{number}] ", f"{title}{inherited} {url}")
    for notice in data["notices"]:
        yield ""
        yield from textwrap.wrap(notice, 96)


def _asked_lines(unknown: list[dict[str, Any]]) -> Iterator[str]:
    """The fields that rules miss."""
    if unknown:
        yield ""
        yield "Not known, and asked for by rules:"
    for field in unknown:
        yield from _hanging("  ", f"{field['field']}: {_some(field['rules'])}")


def _some(rules: list[str]) -> str:
    more = f" and {len(rules) - _NAMED} more" if len(rules) > _NAMED else ""
    return f"{', '.join(rules[:_NAMED])}{more}"


def _fact_lines(
    name: str, fact: dict[str, Any], sources: dict[tuple[str, str, str], int]
) -> Iterator[str]:
    """A value, how sure it is, the number of its source, and the note on it."""
    source = fact["source"]
    key = (source["title"], source["url"], fact["origin"])
    number = sources.setdefault(key, len(sources) + 1)
    yield from _hanging(f"  {name:22} ", f"{fact['text']}  ({fact['confidence']}) [{number}]")
    if fact["note"]:
        yield from _hanging(f"  {'':22} ", fact["note"])


def _hanging(lead: str, words: str) -> list[str]:
    return textwrap.wrap(
        words,
        96,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )


# -- how much is known -------------------------------------------------------


def stats_data(catalog: Catalog) -> dict[str, Any]:
    """By kind: parts of each layer, and the share of them that each field is known of."""
    found: dict[str, Any] = {}
    for kind, model in KINDS.items():
        layers = {}
        for layer in catalog.index.layers:
            own = [i for i in layer.all(kind) if not i.endswith(_STAND_INS)]
            if own:
                known = [set(catalog.part(i).facts) for i in own]
                layers[layer.name] = {
                    "parts": len(own),
                    "known": {
                        n: round(sum(n in facts for facts in known) / len(own), 3)
                        for n in model.model_fields
                    },
                }
        found[kind] = layers
    return {"format_version": "1.0", "kinds": found}


def stats_text(data: dict[str, Any]) -> Iterator[str]:
    """A table of counts, and below it what is known of each kind."""
    layers = list(dict.fromkeys(n for kind in data["kinds"].values() for n in kind))
    yield f"{'kind':20}" + "".join(f"{n:>14}" for n in layers)
    for kind, counts in data["kinds"].items():
        row = (str(counts[n]["parts"]) if n in counts else "" for n in layers)
        yield (f"{kind:20}" + "".join(f"{n:>14}" for n in row)).rstrip()
    yield ""
    yield "Share of parts that a field is known of, in per cent:"
    for kind, counts in data["kinds"].items():
        for name, layer in counts.items():
            shares = ", ".join(f"{f} {100 * s:.0f}" for f, s in layer["known"].items() if s)
            yield from _hanging(f"  {kind} ({name})  ", shares)


# -- a file to fill in -------------------------------------------------------


def scaffold(kind: str, name: str, part_id: str | None, rulebook: Rulebook) -> str:
    """A part file with every field commented out, those that rules ask for first.

    Raises `InputError` where name or id are none.
    """
    needed = rules_by_field(rulebook, kind)
    lines = [
        f"id: {_id(kind, name, part_id)}",
        f"name: {scalar(name)}",
        "aliases: []",
        "part_numbers: []",
        "# Give what you can look up, and leave out the rest: what is left out is not known.",
        "# The examples show how a value is written, not what is true of this part.",
        "facts:",
    ]
    fields = KINDS[kind].model_fields
    for field in sorted(fields, key=lambda f: (-len(needed.get(f, ())), f)):
        rules = needed.get(field, [])
        asked = f"; for {_some(rules)}" if rules else ""
        lines += _comment(f"{fields[field].description or field.replace('_', ' ')}{asked}")
        lines.append(f"  # Such as: {example(kind, field, fields[field])}")
        lines.append(f"  # {field}: {{value: , source: sheet}}")
    return "\n".join(
        [
            *lines,
            "sources:",
            *_comment(f"confidence: {', '.join(CONFIDENCE)}"),
            *_comment("read: the day you looked it up, such as 2026-11-20"),
            *_comment("as_of: of a price, the day or year that the source shows it for"),
            '  sheet: {title: "", url: "https://", confidence: vendor, read: }',
            "",
        ]
    )


def _comment(words: str) -> list[str]:
    lead = "  # "
    return textwrap.wrap(
        words, 96, initial_indent=lead, subsequent_indent=lead, break_on_hyphens=False
    )


def _id(kind: str, name: str, part_id: str | None) -> str:
    """The id given, or one made from the name. Raises `InputError`."""
    if not name.strip() or not name.isprintable():
        raise InputError([Problem("NAME", 0, 0, "a part needs a name of letters and figures")])
    if part_id is None:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        maker, _, model = re.sub(r"[^a-z0-9]+", "-", plain).strip("-").partition("-")
        part_id = f"{kind}/{maker}/{model or maker}"
        message = f"no id can be made from '{name}'"
    else:
        message = f"'{part_id}' is no id of a {kind}"
    if not re.fullmatch(rf"{kind}(/[a-z0-9][a-z0-9.-]*)+", part_id):
        advice = f"Write it in small letters, figures and hyphens: {kind}/maker/model"
        raise InputError([Problem("--id", 0, 0, message, advice)])
    return part_id
