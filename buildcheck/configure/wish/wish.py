"""A wish: what must hold, what it should be best at, what is there, and what must not be.

`read_wish` reads a file, options, or both, and reports everything wrong with them at once;
`names.check_names` reports what only the catalogue knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from buildcheck.configure.wish.model import FIXED, WishFile, WishSection
from buildcheck.configure.wish.reading import (
    EXAMPLE,
    MOST_MODELS,
    OptionValue,
    WishDocument,
    entries_of,
    open_wish,
    plain,
)
from buildcheck.errors import InputError, Problem
from buildcheck.load import nameless
from buildcheck.load.sentences import validated
from buildcheck.logic.quantity import number_text
from buildcheck.model.build import MOST, SECTION_KIND, Build
from buildcheck.model.rate import Rates
from buildcheck.model.source import Document
from buildcheck.model.strict import Strict
from buildcheck.rulebook.proposals import proposals


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
    """All that a wish asks: equal words for equal wishes."""
    return text_of([v for n, v in vars(wish).items() if n not in ("document", *but)])


def text_of(values: list[Any]) -> str:
    """Values as text; the repr of a model has its place in memory, which others get after it."""
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    return repr([[vars(v) if isinstance(v, Strict) else v for v in row] for row in rows])


def read_wish(raw: bytes | None, path: str, options: Sequence[OptionValue] = ()) -> Wish:
    """Bytes of a wish file as a wish, with options over it; no bytes, and options are all.

    Raises `InputError` with everything that is wrong, but for names.
    """
    document = open_wish(raw, path, options)
    data, crowded = plain(document)
    if crowded:
        raise InputError([*document.problems, *crowded])
    taken = {(p.path, p.line, p.column) for p in document.problems}
    file, more = validated(data, document, WishFile)
    problems = [*document.problems]
    problems += [p for p in more if (p.path, p.line, p.column) not in taken]
    if not problems:
        problems += _emptiness(file, document)
    problems += _contradictions(file, document)
    if problems:
        raise InputError(problems)
    return _made(file, data, document)


def _made(file: WishFile, data: dict[str, Any], document: WishDocument) -> Wish:
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


def _emptiness(file: WishFile, document: WishDocument) -> Iterator[Problem]:
    """Nothing wished for, and entries and weights that say nothing."""
    if not file.wish.model_fields_set and not file.workload:
        advice = f"Say what is wanted, such as {EXAMPLE}"
        yield document.problem(("wish",), "nothing is wished for", advice, key=True)
    if not file.wish.weights:
        advice = "Give at least one, such as {price: 1}"
        yield document.problem(("wish", "best"), "'best' gives no weight above zero", advice)
    for index, card in enumerate(file.wish.gpus):
        if not card.model_fields_set:
            advice = "Name a part, a count or an amount of memory"
            yield document.problem(("wish", "gpus", index), "this entry wishes for nothing", advice)
    yield from nameless(file.owned, document, ("owned",))
    own = Build.model_construct(**{n: getattr(file, n) for n in FIXED})
    yield from nameless(own, document)


def _contradictions(file: WishFile, document: WishDocument) -> Iterator[Problem]:
    """Wishes that cannot stand together."""
    wish = file.wish
    limits = wish.power_limits
    if not limits.allowed and "least" in limits.model_fields_set:
        what = "power limits are refused, and a least one is given"
        yield document.problem(("wish", "power_limits", "least"), what, "Keep one of the two")
    yield from _of_cards(file, document)
    yield from _of_owned(file, document)


def _of_cards(file: WishFile, document: WishDocument) -> Iterator[Problem]:
    cards = file.wish.gpus
    if len(cards) > MOST_MODELS:
        what = f"'gpus' lists {len(cards)} different cards; at most {MOST_MODELS} are combined"
        yield document.problem(("wish", "gpus"), what, "Wish for fewer, or put some under 'owned'")
    number = sum(card.number.low for card in cards)
    if number > MOST:
        what = f"'gpus' adds up to {number_text(number)} cards; at most {MOST} are checked"
        yield document.problem(("wish", "gpus"), what, "Check the counts")
    for index, card in enumerate(cards):
        if file.wish.quiet and card.cooling and set(card.cooling) <= set(proposals().loud_coolers):
            what = f"a quiet machine has no {' and no '.join(card.cooling)} cards"
            advice = "Leave 'quiet' out, or name another kind of cooler"
            yield document.problem(("wish", "gpus", index, "cooling"), what, advice)
        total, each = card.memory_total, card.memory_each
        if total and each and card.number.low * each.low > total.high:
            least = number_text(card.number.low * each.low)
            what = f"these cards have {least} GB at least, and {number_text(total.high)} GB at most"
            advice = "Change 'memory_total', 'memory_each' or 'count'"
            yield document.problem(("wish", "gpus", index, "memory_total"), what, advice)


def _of_owned(file: WishFile, document: WishDocument) -> Iterator[Problem]:
    """What is owned has been paid for, and is taken as it is."""
    for section in SECTION_KIND:
        if (
            getattr(file.owned, section)
            and section in file.wish.model_fields_set
            and section != "cpu"
        ):
            what = f"'{section}' is wished for, and 'owned' has the machine's {section} already"
            advice = "Owned parts are always used, and no others in addition: keep one"
            yield document.problem(("wish", section), what, advice)
        for path, entry in entries_of(file.owned, section, ("owned",)):
            if entry.price:
                what = "what is owned costs nothing, and a price is given"
                advice = "Leave the price out, or move the part out of 'owned'"
                yield document.problem((*path, "price"), what, advice)
