"""A part list → the text of a build file, with all else of the list in comments at its place."""

from functools import partial
from pathlib import PurePath
from typing import Any

from buildcheck.catalog import Catalog
from buildcheck.importers.part_list.asking import Asking, Find, HasWord, Numbered, Series
from buildcheck.importers.part_list.markup import plain, printable
from buildcheck.importers.part_list.placing import Placing
from buildcheck.importers.part_list.quote import (
    charged,
    is_quote,
    quote_lines,
    quote_of,
    states_term,
)
from buildcheck.importers.part_list.rows import LONGEST_GUESS, Entry, Imported, Line, PartList, most
from buildcheck.load.moved import MAY_BE_PARTS, NO_PARTS
from buildcheck.model.build import LISTS
from buildcheck.model.source import scalar
from buildcheck.render.templates import file_text
from buildcheck.resolve.described import chip_in
from buildcheck.words.entry import entry_of
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import doubted, field_of, is_idle


def to_build(
    parts: PartList,
    find: Find,
    origin: str = "",
    numbered: Numbered = lambda *_: "",
    series: Series = lambda _: "",
    has_word: HasWord = lambda *_: False,
) -> Imported:
    """The build file for a list, called `origin`.

    `find` gives the id of a part by kind and name, or raises `NameUnknownError`; see `asking`.
    """
    placing = Placing(Asking(find, numbered, series, has_word))
    made, sections = placing.take(parts), placing.sections
    quote = _quote(parts, origin, placing)
    terms, remarks, prose = _apart(made, quoted=bool(quote))
    made.text = file_text(
        "part-list.yaml",
        parts=parts,
        origin=origin,
        choices=_choices(placing),
        sections={s: [(e, _entry_lines(s, e)) for e in es] for s, es in sections.items()},
        most={section: most(section) for section in sections},
        several=(*LISTS, "cpu"),
        machine=None if quote else quote_of(parts, origin).get("total"),
        quote=list(quote_lines(quote, charged(parts))) if quote else (),
        settings=dict(sorted(made.settings.items())),
        scalar=lambda text: _scalar(printable(text)),
        others=placing.others,
        remarks=remarks,
        about={
            "About the list": sorted([*parts.notes, *terms]),
            MAY_BE_PARTS: made.unread,
            NO_PARTS: prose,
        },
        plain=plain,
        comment=partial(printable, strip=False),
        printable=printable,
    )
    return made


def _apart(made: Imported, *, quoted: bool) -> tuple[list[Line], list[Line], list[Line]]:
    """The lines that name no part: terms of a quote, what may change the machine, and others.

    What may change it is a note, so that it is weighed wherever the file is read.
    """
    terms = [line for line in made.kept if quoted and states_term(line.text)]
    made.kept = [line for line in made.kept if line not in terms]
    made.unread = [line for line in made.unread if line not in terms]
    kept = [line for line in made.kept if line not in made.unread]
    remarks = [line for line in kept if doubted(line.text[:LONGEST_GUESS])]
    return terms, remarks, [line for line in kept if line not in remarks]


def _choices(placing: Placing) -> dict[str, set[int]]:
    """The lines of rows that have to be chosen by hand, by when."""
    unresolved = {unknown.row.line for unknown in placing.made.unresolved}
    out = {row.line for entry in placing.entries if entry.left_out for row in entry.rows}
    out |= unresolved & {row.line for row, _ in placing.others}
    return {
        "Choose by hand before the check": unresolved - out,
        "Not in this build yet, choose by hand": out,
    }


def _quote(parts: PartList, origin: str, placing: Placing) -> dict[str, Any]:
    """The list as a quote, if it has charges or tax; its prices are in it, and not with parts."""
    quote = quote_of(parts, PurePath(origin).stem or "pasted list")
    servers = (row for entry in placing.sections["server"] for row in entry.rows)
    extras = (*servers, *(row for row, _ in placing.others))
    has_lines = any(printable(row.name) for row in charged(parts))
    is_priced = parts.totals or any(row.price for row in parts.priced)
    if not (has_lines and is_priced and is_quote(quote, parts, extras)):
        return {}
    for entry in placing.entries:
        entry.price = ""
    return quote


def _entry_lines(section: str, entry: Entry) -> list[str]:
    """An entry as lines of YAML."""
    if section == "server":
        # A build file has a name here, and its price in a quote.
        return [_scalar(entry.part)]
    said, row = entry_of(entry.part, section), entry.rows[0]
    # A line of one that names several, `8 x ...`, is that many.
    number = entry.count * (said.count or 1)
    given = (entry.facts or {"part": said.name, **said.settings}) | row.settings
    texts = {n: str(v).lower() if isinstance(v, bool) else str(v) for n, v in given.items()}
    value = [
        f"{n}: {_scalar(v) if n in ('part', 'powers', 'riser') else v}" for n, v in texts.items()
    ]
    if number > 1 and (section in LISTS or section == "cpu"):
        value.append(f"count: {number}")
    if row.number:
        value.append(f"part_number: {scalar(printable(row.number), quoted=True)}")
    value += [f"price: {entry.price}"] if entry.price else []
    remark = "; ".join(
        filter(None, (_tells(t, section) for r in entry.rows for t in r.note.split("; ")))
    )
    if remark and "note" not in texts:
        value.append(f"note: {scalar(printable(remark), quoted=True)}")
    head = ("- ", "  ") if section in LISTS else ("", "")
    return [head[at > 0] + line for at, line in enumerate(value)]


def _tells(text: str, section: str) -> str:
    """What a remark in a row says that may change the part; of other cells with their heading."""
    head, _, rest = text.partition(": ")
    of = field_of(section, head) if rest else ""
    if of in ("note", "price"):
        return "" if of == "price" or is_idle(rest, section) else rest
    return text if doubted(text, section) else ""


def _scalar(text: str) -> str:
    """A name as YAML that reads as that very text.

    Words that other readers take for numbers or truths are single ones, in quotes.
    """
    return scalar(text, quoted=" " not in text and "/" not in text)


#: Kinds of which a name of several variants is judged by what these share.
_OF_VARIANTS = ("cooler", "case", "storage")


def judge_by_words(made: Imported, catalog: Catalog) -> None:
    """Take GPUs of no known model by their chip, PSUs by watts, variants by what they share."""
    listed = [u for u in made.unresolved if u.row not in made.aside]
    gpus = [u for u in listed if u.kind == "gpu" and chip_in(u.row.name, catalog)]
    psus = [u for u in listed if u.kind == "psu"]
    read = [u for u in psus if "rated_power" in facts_in("psus", u.row.name).fields] + gpus
    read += [u for u in listed if u.ambiguous and u.kind in _OF_VARIANTS]
    made.by_text += [u.row for u in read]
    made.unresolved = [u for u in made.unresolved if u not in read]
