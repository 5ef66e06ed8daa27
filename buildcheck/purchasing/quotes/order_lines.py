"""A resolved build → the order lines: which parts have to be bought, and how many of each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from buildcheck.model.build import SECTION_KIND, SINGLES
from buildcheck.model.graph import stable_text
from buildcheck.model.kinds import KINDS
from buildcheck.model.labels import subject_label
from buildcheck.model.order import OrderLine
from buildcheck.model.part import is_same_model
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import value_hint
from buildcheck.words.names import squashed
from buildcheck.words.names import words as words_of

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog
    from buildcheck.model.graph import Subject
    from buildcheck.model.source import Document, Path
    from buildcheck.resolve import Assembly

#: The sections of an order in its order, and those that every machine has.
SECTIONS = (
    *("gpus", "cpu", "motherboard", "cpu_cooler", "memory", "psus", "case", "storage"),
    *("risers", "add_in_cards", "nvlink", "cables", "ups"),
)
NEEDED = SECTIONS[:8]
#: What comes with a whole server, unless it has a price of its own.
_OF_SERVER = frozenset({"motherboard", "cpu_cooler", "psus"})
#: Facts in the name of an inline part.
_MOST_NAMED = 4
#: Maker of catalogue entries for any part of a kind.
_ANY_MAKER = "generic"
#: Keys about how a part is used, not what it is.
_USES = {
    *("count", "part_number", "price", "note", "redundant", "slots", "psu"),
    *("power_limit", "riser", "circuit", "socket"),
}


def order_lines(assembly: Assembly, document: Document, catalog: Catalog) -> tuple[OrderLine, ...]:
    """Every order line; entries of one part at one price are one line."""
    subjects = {s.path: s for s in assembly.subjects.values() if s.listed}
    lines: dict[tuple[Any, ...], OrderLine] = {}
    case = assembly.subjects["case"]
    server = _OF_SERVER if case.value("complete") is True else frozenset[str]()
    for section in SECTIONS:
        given = getattr(assembly.build, section)
        single = section in SINGLES
        entries = [given] if single and given else [] if single else list(given)
        for index, entry in enumerate(entries):
            path: Path = (section,) if single else (section, index)
            if section in ("cables", *server - {"motherboard"}) and not entry.price:
                continue  # a cable without a price comes with its PSU, a PSU with its server
            if value_hint(("there",), entry.note):
                continue  # already there
            line = _line(section, entry, path, subjects[path], catalog)
            if not line.part:
                line = replace(line, name=_described(line, document))
            boards = (k for k, x in lines.items() if x.section != section)
            board = next((k for k in boards if is_same_model(lines[k].part, line.part)), None)
            if board and not (lines[board].price and line.price):
                of = lines[board]
                name = of.name if "/" in line.written else line.written
                numbers = tuple(dict.fromkeys((*of.numbers, *line.numbers)))
                lines[board] = replace(of, name=name, numbers=numbers, price=of.price or line.price)
                continue
            what = line.part or stable_text({**line.facts, "written": line.written})
            key = (section, what, line.price, line.numbers, line.number)
            old = lines.get(key)
            lines[key] = replace(old, count=old.count + line.count) if old else line
        if not entries and section in NEEDED and section not in server:
            kind, name = SECTION_KIND[section], subject_label(section)
            lines[section,] = OrderLine(section, kind, name, (), is_chosen=False)
    return tuple(lines.values())


def _line(section: str, entry: Any, path: Path, subject: Subject, catalog: Catalog) -> OrderLine:
    numbers = _numbers(subject.part, catalog) if subject.part and subject.near is None else ()
    own = tuple(n for n in numbers if squashed(n) == squashed(entry.part or ""))
    facts: dict[str, Any] = {}
    words = frozenset[str]()
    if not subject.part:
        facts, words = described(section, entry.part or "", getattr(entry, "count", 1))
        facts |= {n: getattr(entry, n) for n in entry.model_fields_set & _facts_of(section)}
    return OrderLine(
        section=section,
        kind=SECTION_KIND[section],
        name=subject.name,
        path=path,
        written=entry.part or "",
        part=subject.part,
        numbers=own or numbers,
        number=entry.part_number or "",
        facts={n: value for n, value in facts.items() if n not in _USES},
        words=words,
        count=getattr(entry, "count", 1),
        is_exact=bool(subject.part and subject.near is None) and not is_general(subject, numbers),
        price=entry.price,
    )


def described(section: str, name: str, count: int) -> tuple[dict[str, Any], frozenset[str]]:
    """The facts that a name of a part in no catalogue holds, and its other words."""
    fields, rest = facts_in(section, name, count)
    stated = {n: value for n, value in fields.items() if n in _facts_of(section)}
    model = KINDS[SECTION_KIND[section]].model_validate(stated)
    return {n: getattr(model, n) for n in stated}, frozenset(words_of(rest))


def _facts_of(section: str) -> set[str]:
    return set(KINDS[SECTION_KIND[section]].model_fields)


def _numbers(part_id: str, catalog: Catalog) -> tuple[str, ...]:
    """Part numbers of a part, each once, those of the strongest layer first."""
    every = (n for _, row in catalog.index.rows(part_id) for n in row.numbers)
    return tuple({squashed(n): n for n in reversed(list(every))}.values())[::-1]


def is_general(subject: Subject, numbers: tuple[str, ...]) -> bool:
    """Does a name mean many parts: a kind of part, or a chip that several makers sell?"""
    if (subject.part or "").split("/")[1:2] == [_ANY_MAKER]:
        return True
    is_chip = subject.kind == "gpu" and "chip" not in subject.facts and not numbers
    return is_chip and subject.value("segment") == "consumer"


def _described(line: OrderLine, document: Document) -> str:
    """The name of a part without one: its noun and the facts of the build file."""
    data = document.data
    for step in line.path:
        if isinstance(step, int) and not isinstance(data, list):
            break  # one entry in place of a list
        data = data[step]
    noun = subject_label(line.section)
    stated = data if isinstance(data, dict) else {}
    stated = {k: v for k, v in stated.items() if k not in _USES and isinstance(v, (str, int))}
    keys = {k: k.replace("_", " ") for k, v in stated.items() if k != "part" and v is not False}
    facts = [k if stated[n] is True else f"{k} {stated[n]}" for n, k in keys.items()]
    name = line.written or ("" if isinstance(data, dict) else str(data))
    facts = [name, *facts] if name else facts
    return f"{noun}: {', '.join(facts[:_MOST_NAMED])}" if facts else f"any {noun}"
