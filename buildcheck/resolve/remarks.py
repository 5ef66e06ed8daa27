"""What is said of a part next to its name: what it sets, and what may change the part."""

import re
from typing import TypeVar

from pydantic_core import ValidationError

from buildcheck.model.part import Part
from buildcheck.model.source import Path
from buildcheck.model.strict import Strict
from buildcheck.model.vocabulary import vocabulary, worded
from buildcheck.resolve.naming import Naming
from buildcheck.words.facts import Fields, facts_in
from buildcheck.words.keys import doubted, is_idle, phrase
from buildcheck.words.names import describes, squashed, words

_Entry = TypeVar("_Entry", bound=Strict)
#: What a remark may set of a part that is known to have it otherwise.
_LIMITS = {"power_limit", "power_limit_share", "clock_lock"}


def noted(
    section: str, entry: _Entry, part_id: str | None, path: Path, naming: Naming
) -> tuple[_Entry, str]:
    """An entry with what its note states of it that is not known, and the rest of the note."""
    known = {*entry.model_fields_set, *(naming.catalog.part(part_id).facts if part_id else ())}
    stated, left = Fields(), list[str]()
    note = str(getattr(entry, "note", None) or "")
    for clause in filter(None, re.split(phrase("clauses"), note)):
        fields, rest = facts_in(section, clause)
        # Sizes of memory are held against those of the modules.
        is_new = section != "memory" and not any(n in known or n[0] == "_" for n in fields)
        if fields and not rest and (fields.keys() <= _LIMITS or is_new):
            stated |= fields
        else:
            left.append(clause)
    if not stated:
        return entry, note
    return with_words(stated, entry, path, naming, part_id), "; ".join(left)


def weigh(section: str, text: str, path: Path, naming: Naming, name: str = "") -> None:
    """Note a text that may change the part."""
    if doubted(text, section, name) or not (name or is_idle(text, section)):
        naming.aside(text, (*path, "part"))


def doubt(section: str, text: str, path: Path, naming: Naming, spoken: set[str] | None) -> None:
    """Note what is said with a name, or behind one that is `spoken`, and may change the part."""
    # Words that contradict others of the name are left of it as a whole.
    unread = facts_in(section, text).rest
    for number, clause in enumerate(re.split(phrase("clauses"), text)):
        left = facts_in(section, clause).rest or (clause if clause in unread else "")
        if left and (spoken is None or (number and unspoken(clause, spoken))):
            said, name = (clause.strip(), "") if number else (left, text.lower())
            weigh(section, said, path, naming, name)


def words_around(section: str, name: str, spoken: set[str]) -> list[str]:
    """Words of a text that a part was found within which no name of it has, and tell no kind."""
    text = re.sub(phrase("bracketed"), "", name).partition(",")[0]
    text = re.sub(phrase("harmless"), " ", text)
    # Watts in the text of a GPU are no name of it.
    text = text if section == "gpus" else facts_in(section, text).rest
    return unspoken(text, spoken)


def spoken_of(part: Part, names: list[str]) -> set[str]:
    """The words of a part's names, and of what shops write behind them: its socket, its memory."""
    codes = [f.value for f in part.facts.values() if isinstance(f.value, str)]
    if (memory := part.value("memory")) and memory.is_exact:
        codes += [f"{memory.low:g} GB", f"{memory.low:g}GB"]
    return {*words(" ".join((*names, *codes))), *map(squashed, codes)}


def unspoken(text: str, spoken: set[str]) -> list[str]:
    """Words of a text that are not among those `spoken`, and do not just tell a kind."""
    said = {*words(text)}
    left = (w for w in text.split() if not spoken.issuperset(said.intersection(words(w))))
    return [w for w in left if not describes(w.lower())]


def with_words(
    fields: Fields, entry: _Entry, path: Path, naming: Naming, part_id: str | None = None
) -> _Entry:
    """An entry with the facts of its words, below those it gives itself."""
    fields = dict(fields)
    watts, known = fields.pop("_watts", None), naming.catalog.part(part_id) if part_id else None
    cooler = known.value("cooling") if known else None
    if cooler and fields.get("cooling", "water") not in ("water", cooler):
        # A cooler that the catalogue has otherwise is a question, and no fact.
        naming.aside(fields.pop("cooling"), path, worded("known-as", known=cooler)[0])
    if watts:
        # After the name of a GPU: below what all such cards draw it can only be a limit.
        board = known.value("board_power") if known else None
        is_limit = board is not None and float(watts.split()[0]) < board.low
        fields["power_limit" if is_limit else "board_power"] = watts
    given = {name: getattr(entry, name) for name in entry.model_fields_set}
    twice = fields.keys() & given.keys() & {*vocabulary()["ranges"]}
    try:
        # Of what is stated twice all counts.
        other = type(entry).model_validate({n: fields[n] for n in twice})
        given |= {n: given[n].hull(getattr(other, n)) for n in twice}
        return type(entry).model_validate({**fields, **given})
    except ValidationError as wrong:
        for detail in wrong.errors(include_url=False):
            error = detail.get("ctx", {}).get("error", detail["msg"])
            naming.complain((*path, "part"), "words-wrong", field=detail["loc"][0], error=error)
        return entry
