"""Words in place of a name → the part they mean, and the facts they hold.

An exact name or id always wins. A text whose every word is understood is a description and no name;
words next to a name that the catalogue knows are stated facts of the part. A name in no catalogue
stops nothing: the facts its words hold are taken, and it is at least the part, or of GPUs the chip,
whose name is in it.
"""

import re
from contextlib import suppress
from typing import Any, NamedTuple

from buildcheck import units
from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.logic.quantity import read
from buildcheck.model.build import SECTION_KIND, SECTIONS
from buildcheck.model.source import Path
from buildcheck.resolve.naming import SHOWN, Naming, word
from buildcheck.resolve.remarks import (
    doubt,
    noted,
    spoken_of,
    unspoken,
    weigh,
    with_words,
    words_around,
)
from buildcheck.words.facts import Fields, facts_in, habitual_watts, noted_in
from buildcheck.words.keys import doubted, hint_of, phrase, value_hint
from buildcheck.words.names import is_another, remarks, said, squashed

#: Sections whose generic entries know more than the words of their names hold.
_GENERIC = frozenset({"cpu_cooler", "nvlink", "risers"})
#: Sections where words after a name say which of such parts it is.
_BESIDE = frozenset({"gpus", "cpu", "psus", "storage"})
#: Facts that words behind a name give, whatever else is in them.
_STATED = frozenset({"cooling", "thickness", "standard", "efficiency", "shares_output"})
#: Sections where the words of an unknown name can be relied on, as in the names of the catalogue.
WORDED = frozenset({"motherboard", "psus", "memory", "storage", "risers", "ups", "case"})


class Meaning(NamedTuple):
    """What an entry means: with the facts of its words, and the part.

    `near` are the names nearest to one in no catalogue; None if it is in one, or is a description.
    `could_be` are the parts of an ambiguous name.
    """

    entry: Any
    part_id: str | None = None
    near: tuple[str, ...] | None = None
    could_be: tuple[str, ...] = ()


def described(section: str, entry: Any, path: Path, naming: Naming) -> Meaning:
    """What an entry means whose `part` is a name, words that describe a part, or not stated."""
    means = _meaning(section, entry, path, naming)
    entry, note = noted(section, means.entry, means.part_id, path, naming)
    if note and not re.fullmatch(phrase("condition"), note):
        hint = value_hint((section, "note"), note) or value_hint(("there",), note)
        naming.aside(note, (*path, "part"), hint)
    return means._replace(entry=entry)


def _meaning(section: str, entry: Any, path: Path, naming: Naming) -> Meaning:
    """What an entry means by its name, without its note."""
    kind, name = SECTION_KIND[section], entry.part
    if not name:
        return Meaning(entry)
    if hint := value_hint((section, "part"), name):
        naming.aside(name, (*path, "part"), hint)
    count = getattr(entry, "count", 1)
    if section not in _GENERIC and not naming.catalog.index.called(kind, name):
        fields, rest = facts_in(section, name, count)
        # Who makes plain memory changes nothing of it.
        if not rest or (section == "memory" and not said(kind, rest).words and fields):
            weigh(section, rest, path, naming)
            return _description(kind, fields, entry, path, naming)
    try:
        part_id = _found(section, name, count, naming)
    except NameUnknownError as error:
        fields, rest = facts_in(section, name, count)
        if not rest or "part" in fields:
            if rest:
                hint = "" if doubted(rest, section) else hint_of(section, "maker")
                naming.aside(rest, (*path, "part"), hint)
            return _description(kind, fields, entry, path, naming)
        return _unknown(section, entry, path, naming, error)
    means = _with_asides(section, entry, part_id, path, naming)
    # A card of a maker may be found only as any card of its chip.
    names = (n for _, row in naming.catalog.index.each(part_id) for n in row.names)
    asked = said("gpu", name).makers - {"nvidia"} if section == "gpus" else ()
    is_any = asked and not any(said("gpu", n).makers for n in names)
    return means._replace(near=()) if is_any else means


def _found(section: str, name: str, count: int, naming: Naming) -> str:
    """The part that goes by a name; modules in words are no others than those of the part."""
    # `(2021, all cables are there)` is the model of a year.
    plain = re.sub(phrase("model_year"), r"(\1)", name)
    plain = plain if naming.catalog.index.called(SECTION_KIND[section], plain) else name
    part_id = _named(SECTION_KIND[section], plain, naming)
    if section == "memory":
        fields, known = facts_in(section, name, count).fields, naming.catalog.part(part_id)
        given = SECTIONS[section].model_validate(fields)
        sizes = {"module", "kit_modules", "total", "speed"} & fields.keys() & known.facts.keys()
        if any(known.facts[n].value != getattr(given, n) for n in sizes):
            raise NameUnknownError(name, [known.name])
    return part_id


def _named(kind: str, name: str, naming: Naming) -> str:
    """The part that goes by a name, or by what is in front of remarks that tell no variant."""
    try:
        return naming.catalog.find(kind, name)
    except NameUnknownError as error:
        head, *behind = re.split(phrase("clauses"), name, maxsplit=1)
        remark = "".join(behind).strip(" (")
        is_one = not (error.ambiguous or re.match(phrase("variant"), remark))
        is_one |= bool(re.search(phrase("mixed"), remark))
        if is_one and (kind == "gpu" or naming.catalog.index.called(kind, head)):
            with suppress(NameUnknownError):
                return naming.catalog.find(kind, head)
        raise


def _unknown(
    section: str, entry: Any, path: Path, naming: Naming, error: NameUnknownError
) -> Meaning:
    """A part whose name is in no catalogue, or is that of several parts, with facts in it."""
    kind, name, count = SECTION_KIND[section], entry.part, getattr(entry, "count", 1)
    if name.isdecimal():
        naming.unknown(word(kind), name, error, (*path, "part"), "Write its name")
        return Meaning(entry)
    fields, rest = facts_in(section, name, count)
    found = _without_facts(section, fields, rest, error, naming)
    if isinstance(found, str):
        return Meaning(with_words(fields, entry, path, naming, found), found)
    is_gpu, part_id = section == "gpus", None
    if is_gpu and not found.ids:
        # A module of a server has the memory and the power of its kind.
        chip = None if re.search(phrase("module"), name) else chip_in(rest, naming.catalog)
        part_id = chip or naming.catalog.index.within("gpu-module", name)
    if section not in WORDED and not (is_gpu and part_id):
        behind = "; ".join(remarks(name))
        fields = {} if is_gpu else facts_in(section, behind, count).fields
    if section == "memory" and re.search(phrase("unbuffered"), name):
        fields.setdefault("module_kind", "udimm")
    if section == "psus" and "rated_power" not in fields and (watts := habitual_watts(name)):
        fields["rated_power"] = watts
    if is_gpu and part_id and (size := _memory_of_each(rest, count, part_id, naming)):
        fields.setdefault("memory", size)
    near = () if part_id else tuple(found.near)[:SHOWN]
    doubt(section, name, path, naming, None)
    entry = with_words(fields, entry, path, naming, part_id)
    return Meaning(entry, part_id, near=near, could_be=found.ids)


def _without_facts(
    section: str, fields: Fields, rest: str, error: NameUnknownError, naming: Naming
) -> str | NameUnknownError:
    """The part that a name is without the facts in it, or why it is none."""
    if not fields or section not in _BESIDE or error.ambiguous:
        return error
    try:
        found = naming.catalog.find(SECTION_KIND[section], rest)
    except NameUnknownError as without:
        return without if without.ambiguous else error
    rated, stated = naming.catalog.part(found).facts.get("rated_power"), fields.get("rated_power")
    return error if rated and stated and read(stated, units.POWER) != rated.value else found


def chip_in(name: str, catalog: Catalog) -> str | None:
    """The GPU whose whole name is in a longer one, the longest such; None if there is none."""
    index, size = catalog.index, dict(said("gpu", name).measured).get("memory")
    for short, left in index.spans("gpu", name):
        found = (size and index.called("gpu", f"{short} {size}GB")) or index.called("gpu", short)
        if len(found) == 1 and not is_another(left, short):
            return found[0]
    return None


def _memory_of_each(name: str, count: int, part_id: str, naming: Naming) -> str:
    """The memory that a name states of each of several GPUs; a range if it may be that of all."""
    each, *of_all = re.split(phrase("memory_of_all"), name)
    size = float(dict(said("gpu", each).measured).get("memory", 0))
    size = size or (float(of_all[0]) / count if of_all else 0)
    sold = naming.catalog.part(part_id).value("memory")
    may_be_all = sold and sold.is_exact and count > 1 and size == count * sold.low
    least = f"{sold.low:g}.." if may_be_all else ""
    return f"{least}{size:g} GB" if size else ""


def _description(kind: str, fields: Fields, entry: Any, path: Path, naming: Naming) -> Meaning:
    """An entry that words describe in full."""
    part = fields.pop("part", None)
    part_id = naming.find(kind, part, (*path, "part")) if part else None
    return Meaning(with_words(fields, entry, path, naming, part_id), part_id)


def _with_asides(section: str, entry: Any, part_id: str, path: Path, naming: Naming) -> Meaning:
    """A part with the facts that are understood of the remarks after its name.

    The others are listed as not used.
    """
    part, rows = naming.catalog.part(part_id), naming.catalog.index.each(part_id)
    names = [name for _, row in rows for name in (*row.names, *row.numbers)]
    known, spoken = squashed(" ".join(names)), spoken_of(part, names)
    is_called = naming.catalog.index.called(SECTION_KIND[section], entry.part)
    if not is_called:
        doubt(section, entry.part, path, naming, spoken)
    stated: Fields = {}
    sold = part.value("memory") if section == "gpus" else None
    if sold and not sold.is_exact:
        # Of a GPU that is sold with several sizes the one of its name.
        size = _memory_of_each(entry.part, entry.count, part_id, naming)
        is_sold = size and sold.low <= float(size.split()[0]) <= sold.high
        stated |= {"memory": size} if is_sold else {}
    if section == "psus":
        # A certificate of 80 PLUS is in the name of most models.
        own = facts_in(section, entry.part).fields.items()
        stated |= {n: v for n, v in own if n in _STATED and f"{v}"[:2] != "80"}
    # What is said of risers and bridges is listed there.
    elsewhere = [b for s in ("risers", "nvlink") for b in noted_in(s, entry.part)]
    for inner in (r for r in remarks(entry.part) if section != "gpus" or r not in elsewhere):
        fields, rest = facts_in(section, inner.strip(" !?."), getattr(entry, "count", 1))
        is_plain = not re.search(r"\w", re.sub(phrase("harmless"), "", inner))
        if is_plain or squashed(inner) in known or not unspoken(inner, spoken):
            continue
        stated |= {n: v for n, v in fields.items() if not rest or n in _STATED}
        if rest:
            naming.aside(inner, (*path, "part"))
    if not is_called and (lost := words_around(section, entry.part, spoken)):
        naming.aside(" ".join(lost), (*path, "part"))
    entry = with_words(stated, entry, path, naming, part_id) if stated else entry
    return Meaning(entry, part_id)
