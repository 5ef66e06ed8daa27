"""Tables of any markup: their columns by the headings, and their rows."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import buildcheck.importers.part_list.lines as wording
from buildcheck.importers.part_list.looks import COUNT, roles_of
from buildcheck.importers.part_list.markup import Logical, plain
from buildcheck.importers.part_list.prices import Cost, cost_in, priced, reduced, with_cost
from buildcheck.importers.part_list.rows import Row
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.money import bare_amount, currency_in, is_price, price_in
from buildcheck.model.vocabulary import listed, vocabulary
from buildcheck.words.keys import ANY, begun_by, field_of, phrase, said_by, section_of

_SAID = vocabulary("part-lists")["cells"]
#: Words around that of a heading, such as a currency.
_AROUND = re.compile(_SAID["around"])
_SIGN = re.compile(r"[-\s_/.:*()\[\]]+")
_PIPE = re.compile(r"(?<!\\)\|")
#: The cells of aligned text, which have two spaces or more between them.
_ALIGNED = re.compile(r"\S+(?: \S+)*")
#: The begin of a cell in quotes that has no end.
_OPEN = r'(?:^|{0})\s*"(?:[^"]|"")*$'
#: What separates the cells of a line.
_SIGNS = ("|", "\t", ";", ",", "  ")
#: Most columns, characters of a heading, and least columns of aligned text: any text has a gap.
_MOST, _LONGEST, _LEAST_ALIGNED = 40, 40, 3


class Heading(NamedTuple):
    """What a column holds, its heading, and where that is in a line of aligned text."""

    role: str
    heading: str = ""
    span: tuple[int, int] = (0, 0)


@dataclass
class PartTable:
    """The columns of a table, and what separates them."""

    columns: Sequence[Heading] = ()
    sign: str = ""

    def cells_of(self, line: str) -> list[str] | None:
        """The cells of a line; None if it is no line of a table."""
        if self.sign == " ":
            return _worded(line, self.columns)
        sign = next((s for s in (self.sign, "|", "\t") if s and s in line.strip()), "")
        cells = _split(line, sign)
        if sign != "  " or not cells:
            return cells
        return _aligned(line, self.columns) if len(cells) > 1 else None

    def is_open(self, line: str) -> bool:
        """Does a cell in quotes go on over the next line?"""
        return bool(self.sign.strip(" |")) and bool(re.search(_OPEN.format(self.sign), line))

    def with_units(self, cells: Sequence[str]) -> "PartTable | None":
        """The table with a second line of headings, of currencies and the like; None if not one."""
        texts = [cell.strip() for cell in cells]
        is_units = any(texts) and all(_AROUND.fullmatch(t.lower()) for t in texts if t)
        if not is_units or len(texts) != len(self.columns) or any(map(str.isdigit, texts)):
            return None
        both = zip(self.columns, texts, strict=True)
        named = [c._replace(heading=f"{c.heading} {t}".strip()) for c, t in both]
        return replace(self, columns=named)

    def heading(self, role: str) -> str:
        """The heading of the column that holds something; empty without one."""
        return next((c.heading for c in self.columns if c.role == role), "")


def table_of(line: Logical) -> PartTable | None:
    """The table whose columns a line names; None if it names none."""
    signs = [s for s in _SIGNS if s in line.text.strip()] if line.cells is None else [""]
    for sign in signs:
        found = columns((line.cells if line.cells is not None else _split(line.text, sign)) or [])
        if sign == "  ":
            spans = [m.span() for m in _ALIGNED.finditer(line.text)]
            found = found if len(found) >= _LEAST_ALIGNED else []
            found = [c._replace(span=at) for c, at in zip(found, spans, strict=False)]
        if found:
            return PartTable(found, sign)
    # `Pos. Menge Bezeichnung Preis`: nothing but headings, and one of them is how many.
    words = _headings(line.text) if line.cells is None else []
    found = columns(words) if all(_word(w) in _KNOWN for w in words) else []
    return PartTable(found, " ") if "count" in [c.role for c in found] else None


def _headings(line: str) -> list[str]:
    """The words of a line, with those that are one heading together."""
    words, found = line.split()[:_MOST], []
    while words:
        most = next((n for n in (3, 2) if _word(" ".join(words[:n])) in _KNOWN), 1)
        found.append(" ".join(words[:most]))
        words = words[most:]
    return found


def _worded(line: str, columns: Sequence[Heading]) -> list[str] | None:
    """The cells of a line below headings with single spaces: numbers around a name; or None."""
    at = next(n for n, c in enumerate(columns) if c.role == "name")
    before = "".join(r"(\d{1,3}[.)]?|[1-9]\d? ?[x×])\s+" for _ in columns[:at])
    behind = "".join(rf"\s+({_CELLS.get(c.role, _MONEY)})" for c in columns[at + 1 :])
    found = re.fullmatch(rf"\s*{before}(\S.*?){behind}\s*", line)
    return [*found.groups()] if found else None


def _split(line: str, sign: str) -> list[str] | None:
    """The cells of a line; None if it has too many, or broken quotes."""
    if not sign or max(map(line.count, "|\t")) > _MOST:
        return None
    if sign == "  ":
        return _ALIGNED.findall(line)
    if sign == "|":
        parts = _PIPE.split(line)
        is_framed = line.lstrip().startswith("|") and line.rstrip().endswith("|")
        return parts[1:-1] if is_framed else parts
    try:
        return next(csv.reader([line], delimiter=sign, skipinitialspace=True), None)
    except csv.Error:
        return None


def _aligned(line: str, columns: Sequence[Heading]) -> list[str]:
    """The cells of a line of aligned text, each in the column whose heading it is next to."""
    apart = line
    for start in sorted((c.span[0] for c in columns if c.span[0]), reverse=True):
        # Between full cells a single space can be left.
        apart = apart[:start] + " " * (apart[start - 1 : start] == " ") + apart[start:]
    for text in (line, apart):
        if len(cells := _ALIGNED.findall(text)) == len(columns):
            return cells
    cells = [""] * len(columns)
    for found in _ALIGNED.finditer(line):
        both = [min(c.span[1], found.end()) - max(c.span[0], found.start()) for c in columns]
        at = both.index(max(both))
        cells[at] = f"{cells[at]} {found[0]}".strip()
    return cells


def _word(heading: str) -> str:
    return _SIGN.sub(" ", heading.lower()).strip()


#: What is behind a name where words have single spaces: how many, or an amount.
_CELLS = {"count": r"[1-9]\d? ?[x×]?"}
_MONEY = r"(?:[$€£]|[A-Z]{3} )?\d[\d.,']*(?: ?(?:[$€£]|[A-Z]{3}\b))?"
#: What columns are called, by what they hold; then those that can be so if no other is.
_CALLED = [
    [(role, [*map(_word, listed(words))]) for role, words in _SAID[how].items()]
    for how in ("called", "loosely")
]
_KNOWN = {word for called in _CALLED for _, words in called for word in words}


def columns(cells: Sequence[str]) -> list[Heading]:
    """What each column holds, and its heading; empty if these are no headings."""
    headings = [plain(cell)[0] for cell in cells]
    words = [_word(h) for h in headings]
    words = [w if w in _KNOWN else _SIGN.sub(" ", _AROUND.sub(" ", w)).strip() or w for w in words]
    strange = [n for n, w in enumerate(words) if w and w not in _KNOWN]
    known = sum(map(bool, words)) - len(strange)
    # A number of three digits is a model's, not of a heading.
    is_part = any(re.search(r"\d{3}", headings[n]) for n in strange)
    if known <= 1 or is_part or max(map(len, headings)) > _LONGEST:
        return []
    roles = [""] * len(words)
    for role, word in [(role, w) for called in _CALLED for role, names in called for w in names]:
        at = words.index(word) if word in words else -1
        if at >= 0 and not roles[at] and (role in ("other", "model") or role not in roles):
            roles[at] = role
    # Of a table in another language one heading may be in whatever words.
    if "name" not in roles and len(strange) == 1 and words[strange[0]].isalpha():
        roles[strange[0]] = "name" if section_of(words[strange[0]]) in (None, ANY) else ""
    is_sure = bool({"count", "each", "price", "sum"} & {*roles}) or len(strange) <= 1
    if "name" not in roles or not is_sure:
        return []
    return [Heading(r or "other", h) for r, h in zip(roles, headings, strict=True)]


def row_of(cells: Sequence[str], said: wording.Said, table: PartTable, above: str) -> Row | None:
    """A row of a table, by its headings or what it holds; None if it names no part."""
    if row := _row_by_columns(cells, said, table, above):
        return row
    texts = [text for cell in cells if (text := plain(cell)[0])]
    last = any(c.heading.lower().startswith("base") for c in table.columns)
    roles = roles_of(texts, last=last)
    table = PartTable([Heading(roles.get(t, "note")) for t in texts])
    return _row_by_columns(texts, said, table, "") if roles else None


def _row_by_columns(
    cells: Sequence[str], said: wording.Said, table: PartTable, above: str
) -> Row | None:
    """A row by its headings, or None; a blank kind is that of the row `above`."""
    got, notes = _held(cells, table)
    notes += _with_model(got)
    kind = got.get("kind", "")
    if kind and section_of(kind) is None and section_of(got.get("name", "")) in SECTION_KIND:
        got["kind"], got["name"] = got["name"], kind
    name, _, tail = plain(got.get("name", ""))
    paid_for = next((r for r in ("each", "price", "sum") if got.get(r)), "price")
    cost = got.get(paid_for, "")
    there = price_in(cost) or bare_amount(cost) is not None or wording.NO_PRICE.fullmatch(cost)
    is_shifted = not there and any(is_price(plain(c)[0]) for c in cells)
    if not wording.NAME.search(name) or is_price(name) or is_shifted:
        return None
    is_below = got.get("kind") == "" and said_by(name) in (ANY, section_of(above))
    kind = above if is_below else got.get("kind", "")
    count = got.get("count") or "".join(re.findall(r"[x×] ?\d{1,2}$", kind))
    row = wording.counted(wording.named(kind, name, said, tail), count)
    found, others = _paid(got, table, paid_for, row.count)
    row = priced(row) if not found.money and price_in(name) else with_cost(row, found)
    maker, number = got.get("maker", ""), got.get("number", "")
    number = "" if wording.NO_PRICE.fullmatch(number) else number
    if maker.split(" ")[0].casefold() not in row.name.casefold():
        row = replace(row, name=f"{maker} {row.name}")
    shop, texts = row.shop or found.shop, (text.rpartition(": ")[2] for text in notes)
    own = [text for text in (found.shop, *texts) if re.fullmatch(phrase("owned"), text)]
    note = wording.joined(row.note, *own, *others, *notes)
    row = replace(row, note=note, owned=row.owned or bool(own), number=number)
    return replace(row, shop="" if shop in own else shop, lead_time=got.get("lead_time", ""))


def _held(cells: Sequence[str], table: PartTable) -> tuple[dict[str, str], list[str]]:
    """What the cells of a row hold, by their columns, and what is a remark."""
    got, notes = dict[str, str](), list[str]()
    for at, cell in enumerate(cells):
        column = table.columns[at] if at < len(table.columns) else Heading("other")
        shown, kind = plain(cell)[0], got.get("kind", "")
        is_count = column.role == "other" and _is_count(column.heading, shown, got, table)
        role = "count" if is_count else column.role
        role = "" if role == "other" and currency_in(column.heading) else role
        # Sizes of memory and drives are of their names.
        is_size = role == "details" and {"memory", "storage"} & {section_of(kind), begun_by(kind)}
        role = "name" if is_size else "other" if role == "details" else role
        if role in ("other", "note", "discount", "lead_time"):
            words = re.split(r" ?[/&,] ?", column.heading)
            label = "" if "note" in (field_of("", w) for w in words) else column.heading
            notes.append(": ".join(filter(None, (label, shown))) if shown else "")
        if role not in ("other", "note") and (shown or role not in got):
            got[role] = f"{got['name']} {cell}" if is_size else cell if role == "name" else shown
    return got, notes


def _is_count(heading: str, shown: str, got: dict[str, str], table: PartTable) -> bool:
    """Is a cell behind the name how many, in a table that has no column for that?"""
    if "name" not in got or "count" in got or any(c.role == "count" for c in table.columns):
        return False
    word = _word(heading)
    return bool(COUNT.fullmatch(shown)) and (word not in _KNOWN or word in _SAID["counting"])


def _with_model(got: dict[str, str]) -> list[str]:
    """Make a second column of names the kind, number or name; what is left."""
    model = got.pop("model", "")
    if not model or bare_amount(model) is not None or model in got.get("name", ""):
        return []
    is_kind = section_of(model) is not None or not any(map(str.isdigit, model))
    is_number = " " not in model and not got.get("number") and got.get("name")
    role = "kind" if is_kind else "number" if is_number else "name"
    old, got[role] = got.get(role, ""), model
    return [old]


def _paid(
    got: dict[str, str], table: PartTable, paid_for: str, count: int
) -> tuple[Cost, list[str]]:
    """What a row costs by the column it is `paid_for` by, and what its other prices say."""
    found, whole = (cost_in(got.get(r, ""), table.heading(r), bare=True) for r in (paid_for, "sum"))
    is_again = found.money and whole.money and whole.money.amount == found.money.amount * count
    asked = ("price",) if is_again else ("price", "sum")
    others = [r for r in asked if r != paid_for and got.get(r)]
    off = found.money.amount * count - whole.money.amount if found.money and whole.money else 0
    if paid_for != "sum" and off > 0 and found.each is None:
        # What one pays for all is less than for each where some is taken off.
        others = [paid_for, *(r for r in others if r != "sum")]
        paid_for, found = "sum", whole
    if "sum" not in got:
        found = reduced(found, got.get("discount", ""), table.heading("discount"), count)
    if found.each is None:
        is_each = paid_for == "each" or "sum" in got
        found = found._replace(each=False if paid_for == "sum" else is_each or None)
    if got.get("shop"):
        found = found._replace(shop=got["shop"], note=wording.joined(found.shop, found.note))
    odd = f"not {count} x {found.written}" if paid_for == "each" and off < 0 else ""
    return found, [*(f"{table.heading(r)}: {got[r]}" for r in others), odd]
