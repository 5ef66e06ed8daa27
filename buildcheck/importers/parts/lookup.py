"""Names as people type them → parts of the catalogue, or a file of a new part to fill in."""

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from buildcheck.catalog import Catalog
from buildcheck.catalog.layers import kinds, shipped
from buildcheck.errors import NameUnknownError
from buildcheck.importers.parts import answer
from buildcheck.model.flow import example
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.source import scalar
from buildcheck.model.vocabulary import refused
from buildcheck.rulebook import Rulebook
from buildcheck.rulebook.needs import rules_by_field


def part_search_answer(
    words: str, kind: str | None = None, limit: int = 20, labs: Iterable[Path] = ()
) -> answer.PartSearchAnswer:
    """Parts that words name; without words all of a kind. Raises `InputError`."""
    index, asked = shipped(labs=tuple(labs)), asked_kinds(kind)
    found = index.listed(kind) if kind and not words else index.search(asked, words)
    # A listing says more than a name: what it names in full is found as well.
    found = found or [part for one in asked if (part := index.within(one, words))]
    rows = [(part_id, [*index.each(part_id)]) for part_id in found[:limit]]
    parts = tuple(
        answer.FoundPart(
            part_id,
            part_id.partition("/")[0],
            index.name(part_id),
            layers[0][0].name,
            tuple(sorted({n for _, row in layers for n in row.numbers})),
        )
        for part_id, layers in rows
    )
    return answer.PartSearchAnswer(len(found), parts, has_words=bool(words))


def asked_kinds(kind: str | None) -> list[str]:
    """The kind of parts that is asked for, or all. Raises `InputError` where there is none such."""
    if kind in (None, *kinds()):
        return [kind] if kind else kinds()
    raise refused("kind", "no-kind", kind=kind, kinds=", ".join(kinds()))


def find_part(catalog: Catalog, name: str, kind: str | None) -> str:
    """The one part of that id or name. Raises `InputError` with those that could be meant."""
    try:
        return catalog.find_any(asked_kinds(kind), name)
    except NameUnknownError as error:
        several = len({part_id.partition("/")[0] for part_id in error.ids}) > 1
        code = "several-of-kinds" if several else "several-parts"
        code = code if error.ambiguous else "no-such-part"
        raise refused("parts", code, error.near, name=name, kind=kind or "part") from None


def part_file_answer(
    kind: str, name: str, part_id: str | None, rulebook: Rulebook
) -> answer.PartFileAnswer:
    """The fields of a part file. Raises `InputError` where name or id cannot be used."""
    needed, fields = rules_by_field(rulebook, kind), KINDS[kind].model_fields
    found = [
        answer.FieldToFill(
            field,
            info.description or field.replace("_", " "),
            example(kind, field, info),
            tuple(needed.get(field, ())),
        )
        for field, info in fields.items()
    ]
    found.sort(key=lambda field: (-len(field.rules), field.name))
    return answer.PartFileAnswer(_id(kind, name, part_id), scalar(name), tuple(found), CONFIDENCE)


def _id(kind: str, name: str, part_id: str | None) -> str:
    """The id given, or one made from the name. Raises `InputError`."""
    if not name.strip() or not name.isprintable():
        raise refused("NAME", "unnamed-part")
    code, said = ("no-id-made", name) if part_id is None else ("no-id", part_id)
    if part_id is None:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        maker, _, model = re.sub(r"[^a-z0-9]+", "-", plain).strip("-").partition("-")
        part_id = f"{kind}/{maker}/{model or maker}"
    if not re.fullmatch(rf"{kind}(/[a-z0-9][a-z0-9.-]*)+", part_id):
        raise refused("--id", code, name=said, kind=kind)
    return part_id
