"""The quotes of a build: those written in its file, those it names, and those of options.

A build file can only name files in its own folder or below: it may come from somebody else.
"""

from __future__ import annotations

import stat
from dataclasses import replace
from os.path import realpath
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from buildcheck.errors import InputError, Problem
from buildcheck.load import YAML, load, load_quote
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.frozen import dataclass
from buildcheck.model.price import Quote
from buildcheck.model.source import MAX_BYTES
from buildcheck.purchasing.quotes.charges import settled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from buildcheck.load import Loaded
    from buildcheck.model.source import Document
    from buildcheck.model.source import Path as Spot

#: Keys of an entry that are no facts of its part, and what a line of a quote calls them.
_OF_LINE = {"part": "part", "count": "count", "part_number": "number", "price": "price"}
#: Keys that a build file can set for a quote in a file of its own.
_BESIDE = {"file", "chosen", "lines"}


@dataclass(frozen=True)
class Given:
    """A quote, and where it is written."""

    quote: Quote
    document: Document
    #: Path of the quote in that document, and of its entry in the build file.
    path: Spot
    named: Spot
    #: The number of each line in the file.
    numbers: tuple[int, ...] = ()


def read_quotes(loaded: Loaded, others: Iterable[Path]) -> tuple[list[Given], list[Problem]]:
    """Every quote that can be read, those of `others` last, and all that is wrong with them."""
    given: list[Given] = []
    problems: list[Problem] = []
    for number, quote in enumerate(loaded.build.quotes):
        if loaded.problems and not quote.file:
            continue  # what was set aside leaves gaps that are none
        spot: Spot = ("quotes", number)
        found = _checked(Given(quote, loaded.document, spot, spot)) if not quote.file else None
        one, wrong = found or _named(quote, loaded.document, spot)
        wrong = wrong or _again(one, given, loaded.document)
        given += [one] if one and not wrong else []
        problems += wrong
    for path in others:
        one, wrong = _file(path, str(path), ())
        wrong = wrong or _again(one, given, None)
        given += [one] if one and not wrong else []
        problems += wrong
    return given, problems


def _again(one: Given | None, before: list[Given], build: Document | None) -> list[Problem]:
    """That a quote is there already: its file, or one of the same vendor and number.

    The place is that in the build file, or else the quote's own file.
    """
    if one is None:
        return []
    name = one.document.path
    files = {realpath(g.document.path) for g in before if not g.path}
    if not one.path and realpath(name) in files:
        what, advice = f"the quote '{name}' is read already", "Name each file once"
    elif _title(one) and any(_title(one) == _title(g) for g in before):
        what = f"quote {one.quote.number} of {one.quote.vendor} is there already"
        advice = "Name each quote once, or correct its number"
    else:
        return []
    return [build.problem(one.named, what, advice) if build else Problem(name, 0, 0, what, advice)]


def _title(given: Given) -> tuple[str, str] | None:
    """Vendor and number as they are compared; None where a quote has no number."""
    quote = given.quote
    if not quote.vendor or not quote.number:
        return None
    return (quote.vendor.casefold(), quote.number.casefold())


def _named(quote: Quote, build: Document, spot: Spot) -> tuple[Given | None, list[Problem]]:
    """The quote in a file that the build file names."""
    name = quote.file or ""
    if quote.model_fields_set - _BESIDE or quote.lines:
        advice = "Give the file (and 'chosen') alone, or write the quote here"
        return None, [build.problem(spot, "a quote in a file has no keys except its name", advice)]
    inside = PurePosixPath(name)
    odd = inside.is_absolute() or ".." in inside.parts or "\\" in name or ":" in name
    folder = Path(build.path).parent
    if odd or not Path(realpath(folder / inside)).is_relative_to(realpath(folder)):
        message = f"'{name}' is not in the folder of the build file"
        return None, [build.problem(spot, message, "Copy it there, or name it with --quote")]
    path = folder / inside
    one, wrong = _file(path, str(path), spot)
    if wrong and not wrong[0].line:
        wrong = [build.problem(spot, f"'{name}': {w.message}", w.suggestion) for w in wrong]
    if one and "chosen" in quote.model_fields_set:
        one = replace(one, quote=one.quote.model_copy(update={"chosen": quote.chosen}))
    return one, wrong


def _file(path: Path, shown: str, named: Spot) -> tuple[Given | None, list[Problem]]:
    try:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            return None, [Problem(shown, 0, 0, "this is no file", "Name the file of a quote")]
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None, [Problem(shown, 0, 0, "there is no such file", "Check the path")]
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return None, [Problem(shown, 0, 0, f"it cannot be read: {reason}")]
    if path.suffix.lower() not in YAML:
        raw = _of_list(raw, path)
    quote, document, problems = load_quote(raw, shown)
    built = _of_build(raw, shown, named) if quote and not quote.vendor else None
    if quote is None:
        return None, problems
    one, gaps = _checked(built or Given(quote, document, (), named))
    return one, gaps if built else problems or gaps


def _of_build(raw: bytes, shown: str, named: Spot) -> Given | None:
    """The one quote of a build file, or else its prices as one; None if it has none, or several."""
    try:
        loaded = load(raw, shown)
    except InputError:
        return None
    quotes, data = loaded.build.quotes, loaded.data
    if len(quotes) == 1 and not quotes[0].file:
        quote = quotes[0].model_copy(update={"chosen": False})
        return Given(quote, loaded.document, ("quotes", 0), named)
    sections = [data[s] for s in SECTION_KIND if s in data]
    lines = [_line(e) for of in sections for e in (of if isinstance(of, list) else [of])]
    whole = getattr(loaded.build.cost, "machine", None)
    if quotes or not (whole or any("price" in line for line in lines)):
        return None
    quote = Quote.model_validate({"vendor": Path(shown).stem, "lines": lines})
    return Given(quote.model_copy(update={"total": whole}), loaded.document, (), named)


def _line(entry: Any) -> dict[str, Any]:
    """An entry of a build file as a line of a quote, by its facts where it names no part."""
    entry = entry if isinstance(entry, dict) else {"part": entry}
    facts = " ".join(v for n, v in entry.items() if isinstance(v, str) and n not in _OF_LINE)
    line = {new: entry[old] for old, new in _OF_LINE.items() if old in entry}
    if isinstance(line.get("price"), dict):
        line["price"] = line["price"]["each"]
    return {"part": facts, **line}


def _of_list(raw: bytes, path: Path) -> bytes:
    """A quote as a shop sends it, such as Markdown, CSV or text, in the form of a quote's file."""
    from buildcheck.importers.part_list import quote_text, read_list, text_of

    listed = read_list(text_of(raw, str(path)))
    return quote_text(listed, path.stem).encode() if listed.rows else raw


def _checked(given: Given) -> tuple[Given, list[Problem]]:
    """A quote with all that it states as its terms, and what is wrong with it."""
    if gaps := _gaps(given):
        return given, gaps
    quote, numbers, twice = settled(given.quote)
    what, advice = "this is another amount than that of its lines", "Keep one of them"
    problems = [given.document.problem((*given.path, n), what, advice) for n in twice]
    return replace(given, quote=quote, numbers=numbers), problems


def _gaps(given: Given) -> list[Problem]:
    """What a quote cannot be without, and money in more than one currency."""
    quote, found = given.quote, []

    def wrong(spot: Spot, message: str, advice: str) -> None:
        found.append(given.document.problem((*given.path, *spot), message, advice))

    if quote.file is not None:
        wrong(("file",), "a quote's file names no other", "Write the quote here")
    if quote.vendor is None:
        wrong((), "this quote names no vendor", "Add 'vendor:'")
    if not quote.lines and quote.total is None:
        wrong((), "this quote has no lines", "Add 'lines:' with part, count and price of each")
    for number, line in enumerate(quote.lines):
        if line.part is None and line.number is None:
            wrong(("lines", number), "this line names nothing", "Add 'part:' or 'number:'")
    prices = [(("lines", n, "price"), line.price) for n, line in enumerate(quote.lines)]
    whole = [(("total",), quote.total), (("shipping",), quote.shipping)]
    priced = [(s, p) for s, p in [*prices, *whole] if p is not None]
    currency = quote.currency or (priced[0][1].currency if priced else None)
    for spot, price in priced:
        if price.currency != currency:
            wrong(spot, f"this is in {price.currency}, the quote in {currency}", "Split the quote")
    return found
