"""The quotes of a build: those written in its file, those it names, and those of options.

A build file can only name files in its own folder or below: it may come from somebody else.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from os.path import realpath
from pathlib import Path, PurePosixPath
from typing import Any

from buildcheck.errors import InputError, Problem
from buildcheck.load import YAML, Loaded, load, load_quote
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.frozen import Frozen
from buildcheck.model.money import Money, sums
from buildcheck.model.price import Quote, QuoteLine, less, shares_in, side_of
from buildcheck.model.source import Document, contents
from buildcheck.model.source import Path as Spot
from buildcheck.model.vocabulary import problem
from buildcheck.words.keys import charge_of, phrase

#: Keys of an entry that are no facts of its part, and what a line of a quote calls them.
_OF_LINE = {"part": "part", "count": "count", "part_number": "number", "price": "price"}
#: Keys that a build file can set for a quote in a file of its own.
_BESIDE = {"file", "chosen", "lines"}


class Given(Frozen):
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
    build = loaded.document
    readers = [
        partial(_stated, quote, build, ("quotes", n))
        for n, quote in enumerate(loaded.build.quotes)
        if quote.file or not loaded.problems  # what was set aside leaves gaps that are none
    ]
    for read in (*readers, *(partial(_file, path, ()) for path in others)):
        with InputError.added_to(problems):
            one = read()
            _refuse_again(one, given, build)
            given.append(one)
    return given, problems


def _refuse_again(one: Given, before: list[Given], build: Document) -> None:
    """Raises `InputError` for a quote that is there: its file, or one of its vendor and number.

    The place is that in the build file, where it is named there, or else the quote's own file.
    """
    name = one.document.path
    if not one.path and realpath(name) in {realpath(g.document.path) for g in before if not g.path}:
        wrong = problem(name, "quote-file-twice", name=name)
    elif _title(one) and any(_title(one) == _title(g) for g in before):
        wrong = problem(name, "quote-twice", number=one.quote.number, vendor=one.quote.vendor)
    else:
        return
    place = build.problem(one.named, wrong.message, wrong.suggestion) if one.named else wrong
    raise InputError([place])


def _title(given: Given) -> tuple[str, str] | None:
    """Vendor and number as they are compared; None where a quote has no number."""
    quote = given.quote
    if not quote.vendor or not quote.number:
        return None
    return (quote.vendor.casefold(), quote.number.casefold())


def _stated(quote: Quote, build: Document, spot: Spot) -> Given:
    """A quote of the build file, or in the file that it names. Raises `InputError`."""
    if not quote.file:
        return _checked(Given(quote, build, spot, spot))
    name = quote.file
    if quote.model_fields_set - _BESIDE or quote.lines:
        raise InputError([build.wrong(spot, "quote-keys")])
    inside = PurePosixPath(name)
    odd = inside.is_absolute() or ".." in inside.parts or "\\" in name or ":" in name
    folder = Path(build.path).parent
    if odd or not Path(realpath(folder / inside)).is_relative_to(realpath(folder)):
        raise InputError([build.wrong(spot, "quote-elsewhere", name=name)])
    try:
        one = _file(folder / inside, spot)
    except InputError as error:
        if error.problems[0].line:
            raise
        wrong = [(f"'{name}': {w.message}", w.suggestion) for w in error.problems]
        raise InputError([build.problem(spot, *said) for said in wrong]) from None
    if "chosen" in quote.model_fields_set:
        one = replace(one, quote=one.quote.model_copy(update={"chosen": quote.chosen}))
    return one


def _file(path: Path, named: Spot) -> Given:
    """A quote in a file of its own, in whatever form. Raises `InputError`."""
    raw, shown = contents(path, "the file of a quote"), str(path)
    if path.suffix.lower() not in YAML:
        # As a shop sends it, such as Markdown, CSV or text.
        from buildcheck.importers.part_list import quote_text, read_list, text_of

        listed = read_list(text_of(raw, shown))
        raw = quote_text(listed, path.stem).encode() if listed.rows else raw
    quote, document, problems = load_quote(raw, shown)
    built = _of_build(raw, shown, named) if quote and not quote.vendor else None
    if not quote or (problems and not built):
        raise InputError(problems)
    return _checked(built or Given(quote, document, (), named))


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


def _checked(given: Given) -> Given:
    """A quote with all that it states as its terms. Raises `InputError` for what is wrong."""
    InputError.raise_any(_gaps(given))
    quote, numbers, twice = settled(given.quote)
    if twice:
        raise InputError(given.document.wrong((*given.path, n), "other-amount") for n in twice)
    return replace(given, quote=quote, numbers=numbers)


def _gaps(given: Given) -> list[Problem]:
    """What a quote cannot be without, and money in more than one currency."""
    quote, found = given.quote, []

    def wrong(spot: Spot, code: str, **words: Any) -> None:
        found.append(given.document.wrong((*given.path, *spot), code, **words))

    if quote.file is not None:
        wrong(("file",), "quote-of-file")
    if quote.vendor is None:
        wrong((), "no-vendor")
    if not quote.lines and quote.total is None:
        wrong((), "no-quote-lines")
    for number, line in enumerate(quote.lines):
        if line.part is None and line.number is None:
            wrong(("lines", number), "nameless-line")
    prices = [(("lines", n, "price"), line.price) for n, line in enumerate(quote.lines)]
    whole = [(("total",), quote.total), (("shipping",), quote.shipping)]
    priced = [(s, p) for s, p in [*prices, *whole] if p is not None]
    currency = quote.currency or (priced[0][1].currency if priced else None)
    for spot, price in priced:
        if price.currency != currency:
            wrong(spot, "two-currencies", price=price.currency, currency=str(currency))
    return found


#: A line, and its number in the file; a discount off the quote has the one behind the last.
Numbered = list[tuple[int, QuoteLine]]


def settled(quote: Quote) -> tuple[Quote, tuple[int, ...], list[str]]:
    """A quote less its discounts, whose lines are goods and services alone.

    What other lines state are its terms. Also the number of each line that is left, and the terms
    that are stated twice, each time as another amount.
    """
    of: dict[str, Numbered] = {k: [] for k in ("", "discount", "tax", "shipping", "sum")}
    for number, written in enumerate(quote.lines):
        off, price = written.discount, written.price
        net = less(price, off, written.count) if price and off is not None else price
        line = written.model_copy(update={"price": net}) if net else written
        is_stated = line.instead is None and (line.price or shares_in(line.part or ""))
        of[charge_of(line.part or "") if is_stated else ""].append((number, line))
    given = {k: found[0] for k in ("tax", "shipping") if (found := sums(_totals(of[k])))}
    twice = [k for k, found in given.items() if getattr(quote, k) not in (None, found)]
    update: dict[str, Any] = {**given, **_taxed(quote, of["tax"])}
    on_top = update["tax"] = quote.tax or update.get("tax")
    goods, stated = sums(_totals(of[""])), _totals(of["sum"])[:: 1 if on_top else -1]
    if quote.total and quote.discount is not None:
        update["total"] = less(quote.total, quote.discount)
    elif quote.discount is not None:
        share = "" if isinstance(quote.discount, Money) else f" {quote.discount} %"
        line = QuoteLine.model_construct(part=f"Discount{share}", discount=quote.discount)
        of["discount"].append((len(quote.lines), line))
    elif stated and not goods and not quote.total:
        update["total"] = stated[0]
    rebates = [(n, _rebate(x, goods[0])) for n, x in of["discount"]] if goods else of["discount"]
    if goods and stated and not quote.stated:
        paid = sum((m.amount for m in _totals(rebates)), goods[0].amount)
        more = [m.amount for m in (quote.shipping or given.get("shipping"), on_top) if m]
        known = {paid, paid + sum(more), *(paid + one for one in more)}
        update["stated"] = None if any(m.amount in known for m in stated) else stated[0]
    left = sorted([*of[""], *rebates], key=lambda pair: pair[0])
    numbers, lines = tuple(n for n, _ in left), tuple(line for _, line in left)
    return quote.model_copy(update={**update, "lines": lines}), numbers, twice


def _totals(lines: Numbered) -> list[Money]:
    return [line.price.times(line.count) for _, line in lines if line.price]


def _rebate(line: QuoteLine, goods: Money) -> QuoteLine:
    """A line that takes something off, as a negative price: per cent are of all goods."""
    off = line.price or line.discount or shares_in(line.part or "")[0]
    taken = abs(off.amount) if isinstance(off, Money) else goods.amount - less(goods, off).amount
    return line.model_copy(update={"price": Money(-taken, goods.currency)})


def _taxed(quote: Quote, lines: Numbered) -> dict[str, Any]:
    """Whether tax that a line states is in the prices, unless the quote says so; else on top."""
    label = next((line.part or "" for _, line in lines), "")
    sides = {"includes": quote.includes, "excludes": quote.excludes}
    taxed = {side for side, texts in sides.items() if re.search(phrase("tax"), "\n".join(texts))}
    within = side_of(label) == "includes" or "includes" in taxed
    side = "includes" if within else "excludes"
    found = {} if not label or side in taxed else {side: (*sides[side], label)}
    return {**found, "tax": None} if within else found
