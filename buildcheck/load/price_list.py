"""What a user says that parts cost, in price lists and options, over the shipped prices."""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from buildcheck.catalog import Catalog
from buildcheck.catalog.price_book import Listed, PriceBook, shipped_prices
from buildcheck.errors import InputError, NameUnknownError, Problem
from buildcheck.load.sentences import validated
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.price import OwnPrices, Price
from buildcheck.model.rate import Rates
from buildcheck.model.source import Document, contents, read

#: More prices than any list has, and characters of a name that are repeated.
_MOST, _LONGEST = 5000, 60


def price_book(
    catalog: Catalog,
    files: Iterable[Path] = (),
    given: Mapping[str, Any] | None = None,
    *,
    document: Document | None = None,
    folder: Path | None = None,
    rates: Rates | None = None,
) -> PriceBook:
    """The shipped prices, those of price lists over them, and those `given` on top.

    A later file stands over one before it. `given` is what a `document` has under `prices`, or the
    option `--price`; `folder` holds other prices than those shipped; money is turned by the `rates`
    that somebody gives. Raises `InputError` with all that is wrong.
    """
    problems: list[Problem] = []
    own: dict[str, Listed] = {}
    for path in files:
        with InputError.added_to(problems):
            list_ = read(contents(path, "a price list"), str(path))
            own |= _resolved(list_.data, list_, catalog, problems)
    if given:
        # An option has no lines.
        page = document or Document("--price", {"prices": given}, {(): (0, 0)})
        own |= _resolved({"prices": given}, page, catalog, problems)
    InputError.raise_any(problems)
    return PriceBook(catalog, shipped_prices(folder), own, rates)


def _resolved(
    data: Any, document: Document, catalog: Catalog, problems: list[Problem]
) -> dict[str, Listed]:
    """The prices of a list by part; everything wrong with them is added to the problems."""
    problems += document.problems
    if document.problems:
        return {}
    if not isinstance(data, dict):
        raise InputError([document.wrong((), "no-prices-key")])
    names = data.get("prices", {})
    if isinstance(names, dict) and len(names) > _MOST:
        raise InputError([document.wrong(("prices",), "too-many-prices", most=_MOST)])
    found, wrong = validated(deepcopy(data), document, OwnPrices)
    problems += wrong
    return dict(_named(found.prices, names, document, catalog, problems))


def _named(
    prices: Mapping[str, Price],
    names: Iterable[str],
    document: Document,
    catalog: Catalog,
    problems: list[Problem],
) -> Iterator[tuple[str, Listed]]:
    """Each part that is named once, with its price if that can be used."""
    seen: dict[str, str] = {}
    for name in names:
        place, short = ("prices", name), name[:_LONGEST]
        try:
            part_id = catalog.find_any(dict.fromkeys(SECTION_KIND.values()), name)
        except NameUnknownError as error:
            code = "several-priced" if error.ambiguous else "no-priced-part"
            advice = "" if error.near else "Try 'buildcheck parts search'"
            wrong = document.wrong(place, code, name=short, advice=advice, of_key=True)
            problems.append(wrong._replace(near=tuple(error.near)))
            continue
        if part_id in seen:
            words = {"name": short, "other": seen[part_id][:_LONGEST]}
            problems.append(document.wrong(place, "part-priced-twice", **words, of_key=True))
        seen.setdefault(part_id, name)
        if name in prices and seen[part_id] == name:
            price, at = prices[name], document.problem(place, "", key=True)
            where = f"{at.path}:{at.line}" if at.line else at.path
            source = f"{price.vendor}, {where}" if price.vendor else where
            yield part_id, Listed(price.each.amount, price.each.currency, price.date, source, name)
