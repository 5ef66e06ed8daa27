"""A wish: what must hold, what it should be best at, what is there, and what must not be.

`read_wish` reads a file, options, or both, and reports everything wrong with them at once;
`names.check_names` reports what only the catalogue knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from buildcheck.configure.wish import reading
from buildcheck.configure.wish.model import FIXED, WishFile, WishSection
from buildcheck.errors import InputError, Problem
from buildcheck.load import nameless
from buildcheck.load.sentences import validated
from buildcheck.logic.quantity import number_text
from buildcheck.model.build import MOST, SECTION_KIND, Build
from buildcheck.model.rate import Rates
from buildcheck.model.source import Document
from buildcheck.model.strict import Strict


class Wish(WishSection):
    """What someone wishes for: the section `wish` of a file, and what else the file says.

    `fixed` and `owned` are sections of a build file as plain data, short forms spelt out; `prices`
    is as written. All money is converted by `rates`. Where each thing stands is in `document`.
    """

    document: Document
    fixed: dict[str, Any]
    owned: dict[str, Any]
    avoid: tuple[str, ...]
    prices: dict[str, Any]
    rates: Rates

    def but(self, **changes: Any) -> Wish:
        """The wish with other words for some of it."""
        return self.model_copy(update=changes)


def words_of(wish: Wish, *but: str) -> str:
    """All that a wish asks: equal words for equal wishes.

    The repr of a model has its place in memory, which others get after it.
    """
    values = (v for n, v in vars(wish).items() if n not in ("document", *but))
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    return repr([[vars(v) if isinstance(v, Strict) else v for v in row] for row in rows])


def read_wish(raw: bytes | None, path: str, options: Sequence[reading.OptionValue] = ()) -> Wish:
    """Bytes of a wish file as a wish, with options over it; no bytes, and options are all.

    Raises `InputError` with everything that is wrong, but for names.
    """
    document = reading.open_wish(raw, path, options)
    data, crowded = reading.plain(document)
    if crowded:
        raise InputError([*document.problems, *crowded])
    taken = {(p.path, p.line, p.column) for p in document.problems}
    file, more = validated(data, document, WishFile)
    problems = [*document.problems]
    problems += [p for p in more if (p.path, p.line, p.column) not in taken]
    if not problems:
        problems += _emptiness(file, document)
    problems += [*_crowded(file, document), *_of_owned(file, document)]
    InputError.raise_any(problems)
    return _made(file, data, document)


def _made(file: WishFile, data: dict[str, Any], document: reading.WishDocument) -> Wish:
    wish = vars(file.wish)
    return Wish.model_construct(
        **wish | {"budget": wish["budget"] and file.rates.money(wish["budget"])},
        document=document,
        fixed={name: data[name] for name in FIXED if name in data},
        owned=data.get("owned", {}),
        avoid=file.avoid,
        prices=data.get("prices", {}),
        rates=file.rates,
    )


# -- what cannot be, whatever the catalogue holds -----------------------------------------------


def _emptiness(file: WishFile, document: reading.WishDocument) -> Iterator[Problem]:
    """Nothing wished for, and entries, weights and limits that say nothing."""
    if not file.wish.model_fields_set and not file.workload:
        yield document.wrong(("wish",), "wish-nothing", example=reading.EXAMPLE, of_key=True)
    if not file.wish.weights:
        yield document.wrong(("wish", "best"), "wish-no-weight")
    limits = file.wish.power_limits
    if not limits.allowed and "least" in limits.model_fields_set:
        yield document.wrong(("wish", "power_limits", "least"), "wish-limits-refused")
    for index, card in enumerate(file.wish.gpus):
        if not card.model_fields_set:
            yield document.wrong(("wish", "gpus", index), "wish-empty-entry")
    yield from nameless(file.owned, document, ("owned",))
    own = Build.model_construct(**{n: getattr(file, n) for n in FIXED})
    yield from nameless(own, document)


def _crowded(file: WishFile, document: reading.WishDocument) -> Iterator[Problem]:
    """More GPUs than are combined or checked."""
    cards, at = file.wish.gpus, ("wish", "gpus")
    if len(cards) > reading.MOST_MODELS:
        yield document.wrong(at, "wish-many-models", number=len(cards), most=reading.MOST_MODELS)
    number = sum(card.number.low for card in cards)
    if number > MOST:
        yield document.wrong(at, "wish-many-cards", number=number_text(number), most=MOST)


def _of_owned(file: WishFile, document: reading.WishDocument) -> Iterator[Problem]:
    """What is owned has been paid for, and is taken as it is."""
    for section in SECTION_KIND:
        if (
            getattr(file.owned, section)
            and section in file.wish.model_fields_set
            and section != "cpu"
        ):
            yield document.wrong(("wish", section), "wish-owned-too", section=section)
        for path, entry in reading.entries_of(file.owned, section, ("owned",)):
            if entry.price:
                yield document.wrong((*path, "price"), "wish-owned-price")
