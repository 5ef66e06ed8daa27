"""A part file to fill in: every field of its kind, those that rules need most first."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from buildcheck.errors import InputError, Problem
from buildcheck.importers.parts.answer import FieldToFill, PartFileAnswer
from buildcheck.model.examples import example
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.source import scalar
from buildcheck.rulebook.needs import rules_by_field

if TYPE_CHECKING:
    from buildcheck.rulebook import Rulebook


def part_file_answer(
    kind: str, name: str, part_id: str | None, rulebook: Rulebook
) -> PartFileAnswer:
    """The fields of a part file. Raises `InputError` where name or id cannot be used."""
    needed, fields = rules_by_field(rulebook, kind), KINDS[kind].model_fields
    found = [
        FieldToFill(
            field,
            info.description or field.replace("_", " "),
            example(kind, field, info),
            tuple(needed.get(field, ())),
        )
        for field, info in fields.items()
    ]
    found.sort(key=lambda field: (-len(field.rules), field.name))
    return PartFileAnswer(_id(kind, name, part_id), scalar(name), tuple(found), CONFIDENCE)


def _id(kind: str, name: str, part_id: str | None) -> str:
    """The id given, or one made from the name. Raises `InputError`."""
    if not name.strip() or not name.isprintable():
        raise InputError([Problem("NAME", 0, 0, "a part needs a name of letters and digits")])
    if part_id is None:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        maker, _, model = re.sub(r"[^a-z0-9]+", "-", plain).strip("-").partition("-")
        part_id = f"{kind}/{maker}/{model or maker}"
        message = f"no id can be made from '{name}'"
    else:
        message = f"'{part_id}' is no id of a {kind}"
    if not re.fullmatch(rf"{kind}(/[a-z0-9][a-z0-9.-]*)+", part_id):
        advice = f"Write it in small letters, digits and hyphens: {kind}/maker/model"
        raise InputError([Problem("--id", 0, 0, message, advice)])
    return part_id
