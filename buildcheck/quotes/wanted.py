"""A resolved build → the lines of an order: what has to be bought, and how many of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from buildcheck.model.build import SECTION_KIND, SINGLES
from buildcheck.model.order import Wanted
from buildcheck.names import squashed
from buildcheck.resolve.naming import word

if TYPE_CHECKING:
    from buildcheck.catalog import Catalog
    from buildcheck.model.graph import Subject
    from buildcheck.resolve import Assembly
    from buildcheck.source import Document, Path

#: The sections of an order, in its order, and those no machine is without.
SECTIONS = (
    *("gpus", "cpu", "motherboard", "cpu_cooler", "memory", "psus", "case", "storage"),
    *("risers", "add_in_cards", "nvlink", "cables", "ups"),
)
NEEDED = SECTIONS[:8]
#: Facts that tell an inline part best; more make a name too long to read.
MOST_TOLD = 4
#: Maker of the entries that stand for any part of their kind.
_ANY_MAKER = "generic"
#: Keys that say how a part is used, and not what it is.
_USES = {"count", "price", "slots", "psu", "power_limit", "riser", "circuit", "socket"}


def wanted(assembly: Assembly, document: Document, catalog: Catalog) -> tuple[Wanted, ...]:
    """Every line of the order; entries of the same part at the same price are one."""
    subjects = {s.path: s for s in assembly.subjects.values() if s.listed}
    lines: dict[tuple[Any, ...], Wanted] = {}
    for section in SECTIONS:
        given = getattr(assembly.build, section)
        single = section in SINGLES
        entries = [given] if single and given else [] if single else list(given)
        for index, entry in enumerate(entries):
            path: Path = (section,) if single else (section, index)
            if section == "cables" and not entry.price:
                continue  # a cable without a price comes with its supply
            line = _line(section, entry, path, subjects[path], catalog)
            if not line.part:
                line = replace(line, name=_told(line, document))
            key = (section, line.part or path, line.price, line.numbers)
            old = lines.get(key)
            lines[key] = replace(old, count=old.count + line.count) if old else line
        if not entries and section in NEEDED:
            kind = SECTION_KIND[section]
            lines[section,] = Wanted(section, kind, f"no {word(kind)}", (), is_chosen=False)
    return tuple(lines.values())


def _line(section: str, entry: Any, path: Path, subject: Subject, catalog: Catalog) -> Wanted:
    kind = SECTION_KIND[section]
    numbers = _numbers(subject.part, catalog) if subject.part else ()
    own = tuple(n for n in numbers if squashed(n) == squashed(entry.part or ""))
    return Wanted(
        section=section,
        kind=kind,
        name=subject.name,
        path=path,
        written=entry.part or "",
        part=subject.part,
        numbers=own or numbers,
        count=getattr(entry, "count", 1),
        is_exact=bool(subject.part) and not is_general(subject, numbers),
        price=entry.price,
    )


def _numbers(part_id: str, catalog: Catalog) -> tuple[str, ...]:
    """The numbers a part is sold by, each once, those of the strongest layer first."""
    every = (n for _, row in catalog.index.rows(part_id) for n in row.numbers)
    return tuple({squashed(n): n for n in reversed(list(every))}.values())[::-1]


def is_general(subject: Subject, numbers: tuple[str, ...]) -> bool:
    """Does a name stand for many parts: a kind of thing, or a chip that several makers sell?"""
    if (subject.part or "").split("/")[1:2] == [_ANY_MAKER]:
        return True
    is_chip = subject.kind == "gpu" and "chip" not in subject.facts and not numbers
    return is_chip and subject.value("segment") == "consumer"


def _told(line: Wanted, document: Document) -> str:
    """A part without a name by what the build file says of it."""
    data = document.data
    for step in line.path:
        if isinstance(step, int) and not isinstance(data, list):
            break  # one entry where a list could stand
        data = data[step]
    if not isinstance(data, dict):
        return f"{word(line.kind)}: {data}"
    told = {k: v for k, v in data.items() if k not in _USES and isinstance(v, (str, int))}
    plain = [str(v) if k == "part" else f"{k} {v}" for k, v in told.items()]
    kind = word(line.kind)
    return f"{kind}: {', '.join(plain[:MOST_TOLD])}" if plain else f"any {kind}"
