"""A resolved build → the order lines: which parts have to be bought, and how many of each."""

from dataclasses import replace
from typing import Any

from buildcheck.catalog import Catalog
from buildcheck.model.build import SECTION_KIND, SINGLES
from buildcheck.model.graph import Subject, stable_text
from buildcheck.model.kinds import KINDS
from buildcheck.model.labels import subject_label
from buildcheck.model.order import OrderLine
from buildcheck.model.part import is_same_model
from buildcheck.model.source import Document, Path, value_at
from buildcheck.resolve import Assembly
from buildcheck.words.facts import facts_in
from buildcheck.words.keys import value_hint
from buildcheck.words.names import squashed
from buildcheck.words.names import words as words_of

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
    is_server = assembly.subjects["case"].value("complete") is True
    server = _OF_SERVER if is_server else frozenset[str]()
    for section in SECTIONS:
        given = getattr(assembly.build, section)
        single = section in SINGLES
        entries = [given] if single and given else [] if single else list(given)
        for index, entry in enumerate(entries):
            path: Path = (section,) if single else (section, index)
            # An adapter among the cables is on its GPUs.
            own = subjects.get(path) or Subject("", "adapter", entry.part or "", path=path)
            is_within = section in ("cables", *server - {"motherboard"})
            is_within |= own.value("comes_with_cpu") is True
            if (is_within and not entry.price) or value_hint(("there",), entry.note):
                continue  # a cable comes with its PSU, a PSU with its server; or it is there
            line = _line(section, entry, path, own, catalog)
            if not line.part:
                line = replace(line, name=_described(line, document))
            # A server goes by one name for its case and its board.
            others = {k: x for k, x in lines.items() if x.section != section}
            alike = [k for k, x in others.items() if is_same_model(x.part, line.part)]
            alike += [k for k, x in others.items() if x.written == line.written != ""]
            board = alike[0] if alike else None
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
            name = subject_label(section)
            lines[section,] = OrderLine(section, SECTION_KIND[section], name, (), is_chosen=False)
    return tuple(lines.values())


def _line(section: str, entry: Any, path: Path, subject: Subject, catalog: Catalog) -> OrderLine:
    kind = SECTION_KIND[section]
    rows = [*catalog.index.each(subject.part)] if subject.part and subject.near is None else []
    # Each once, those of the strongest layer first.
    every = {squashed(n): n for n in reversed([n for _, row in rows for n in row.numbers])}
    numbers = tuple(every.values())[::-1]
    own = tuple(n for n in numbers if squashed(n) == squashed(entry.part or ""))
    count, given = getattr(entry, "count", 1), entry.model_fields_set & {*KINDS[kind].model_fields}
    facts, words = described(section, "" if subject.part else entry.part or "", count)
    facts |= {n: getattr(entry, n) for n in given if not subject.part}
    # Many parts: any one of a kind, or a chip that several makers sell.
    is_any = (subject.part or "").split("/")[1:2] == [_ANY_MAKER]
    is_chip = subject.kind == "gpu" and not numbers and "chip" not in subject.facts
    is_general = is_any or (is_chip and subject.value("segment") == "consumer")
    return OrderLine(
        section=section,
        kind=kind,
        name=subject.name,
        path=path,
        written=entry.part or "",
        part=subject.part,
        numbers=own or numbers,
        number=entry.part_number or "",
        facts={n: value for n, value in facts.items() if n not in _USES},
        words=words,
        count=count,
        is_exact=bool(subject.part and subject.near is None) and not is_general,
        price=entry.price,
    )


def described(section: str, name: str, count: int) -> tuple[dict[str, Any], frozenset[str]]:
    """The facts that a name of a part in no catalogue holds, and its other words."""
    fields, rest = facts_in(section, name, count)
    kind = KINDS[SECTION_KIND[section]]
    stated = {n: value for n, value in fields.items() if n in kind.model_fields}
    model = kind.model_validate(stated)
    return {n: getattr(model, n) for n in stated}, frozenset(words_of(rest))


def _described(line: OrderLine, document: Document) -> str:
    """The name of a part without one: its noun and the facts of the build file."""
    data = document.data[line.section]
    if isinstance(data, list):  # else one entry in place of a list
        data = value_at(data, line.path[1:])
    noun = subject_label(line.section)
    own = data if isinstance(data, dict) else {}
    stated = {k: v for k, v in own.items() if k not in {*_USES, "part"} and v is not False}
    shown = ((k.replace("_", " "), v) for k, v in stated.items() if isinstance(v, (str, int)))
    name = line.written or ("" if own is data else str(data))
    facts = [name] * bool(name) + [k if v is True else f"{k} {v}" for k, v in shown]
    return f"{noun}: {', '.join(facts[:_MOST_NAMED])}" if facts else f"any {noun}"
