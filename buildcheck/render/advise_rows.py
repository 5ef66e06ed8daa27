"""What is said of a choice of cards, as sentences and tables that text and page share."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from buildcheck import units
from buildcheck.guide import guide
from buildcheck.model.quantity import Interval, ends_text, number_text, percent, show
from buildcheck.proposals import proposals
from buildcheck.render.drawings.pen import Table
from buildcheck.render.words import Words, filled

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Iterator
    from decimal import Decimal

    from buildcheck.advise import Advice, Choice, Left, Offer, SplitUp
    from buildcheck.advise.rating import Worth
    from buildcheck.model.advice import AdviceSource, MemorySaid, Named
    from buildcheck.speed import Compared, Place

#: What is said of all this.
ADVISE = Words("advise")
#: So many cards are named where there are many, and so many used ones.
MOST_NAMES, MOST_USED = 5, 12
#: The use that is many machines.
_CLUSTER = "cluster"
#: The bits of half precision.
_HALF = 16
#: Days of a year, and how many years are told as such.
_YEAR, _SEVERAL = 365.25, 2


def memory(value: Interval | None) -> str:
    """An amount of memory, or that it is not known."""
    return ADVISE("unknown_speed") if value is None else show(value, units.DATA)


def asked(advice: Advice) -> Iterator[str]:
    """What was asked for, and how old the advice is."""
    told = advice.told
    if told.budget:
        yield ADVISE("budget", told.count, money=str(told.budget))
    else:
        yield ADVISE("count", told.count)
    yield ADVISE.table("whose")[advice.owner]
    yield ADVISE("around")
    if told.outlet and advice.room:
        power = show(advice.room, units.POWER)
        around = guide().machine_around
        kept = show(around.value, units.POWER)
        words = {"outlet": told.outlet.name, "power": power, "kept": kept, "why": around.why}
        yield ADVISE("outlet", **words)
    elif told.outlet:
        yield ADVISE("outlet_unknown", outlet=told.outlet.name)


def age(year: int) -> str:
    """Of what years the advice is."""
    years = [source.year for source in guide().sources.values() if source.confidence == "review"]
    return ADVISE("old", years=_years(years), today=year)


def _years(years: Iterable[int]) -> str:
    found = sorted(set(years))
    return f"{found[0]}" if len(found) == 1 else f"{found[0]} to {found[-1]}"


def need_line(advice: Advice) -> str:
    """How much memory is asked for, and on whose word."""
    said = ADVISE.table("memory_by")
    need = advice.need
    if need.memory is None:
        return said["none"]
    form = said["told"] if need.by == "told" else said["year"]
    words = {"memory": memory(need.memory), "year": need.by}
    return " ".join([filled(form, words), *_half(advice.told.bits)])


def _half(bits: int) -> Iterator[str]:
    """What 16 bits are worth in memory; nothing is said of other formats."""
    if bits == _HALF:
        one = guide().half_precision_gain
        year = guide().sources[one.source].year
        yield ADVISE("memory_half", bits=bits, gain=number_text(one.value.low), year=year)


def disagree(advice: Advice) -> bool:
    """Do the statements on the use ask for different amounts?"""
    return len({said.least for _, said in advice.need.said}) > 1


def memory_table(said: Iterable[tuple[AdviceSource, MemorySaid]]) -> Table:
    """What each source asks for, oldest first."""
    head = tuple(ADVISE.table("memory_columns").values())
    rows = [(str(s.year), memory(one.least), _of(one), s.title) for s, one in said]
    return Table(ADVISE("memory_table"), head, tuple(rows))


def _of(one: MemorySaid) -> str:
    if one.from_card and one.of:
        return ADVISE("from_card", of=one.of, card=one.from_card)
    if one.from_card:
        return ADVISE("from_card_only", card=one.from_card)
    return one.of or ADVISE("no_word")


def guide_table() -> Table:
    """Every use with what each year says that it needs."""
    found = guide()
    years = sorted({found.sources[m.source].year for u in found.uses.values() for m in u.memory})
    rows = []
    for code, use in found.uses.items():
        cells = []
        for year in years:
            amounts = [m.least for m in use.memory if found.sources[m.source].year == year]
            cells.append(", ".join(dict.fromkeys(map(memory, amounts))) or ADVISE("no_word"))
        rows.append((f"{code}: {use.name}", *cells))
    head = (ADVISE.table("guide_columns")["use"], *map(str, years))
    return Table(ADVISE("guide_table"), head, tuple(rows))


def price(offer: Offer | None, *, used: bool) -> str:
    """From the cheapest to the middle of the list, with the currency."""
    if offer is None:
        return ADVISE("unknown_speed")
    ends = ends_text(offer.span)
    text = f"{ends} {offer.cheapest.currency}"
    return ADVISE("price_used" if used else "price_yours", price=text) if offer.own else text


def choices_table(advice: Advice, top: int) -> Table:
    """The first cards in order, with what each does for the money."""
    told = advice.told
    words = {"work": ADVISE.table("work")[advice.rated.work.use], "bits": told.bits}
    head = list(ADVISE.table("columns").values())
    rows = []
    for number, one in enumerate(advice.choices[:top], 1):
        card, rating = one.card, one.rating
        row = [
            f"{number} {card.name}",
            memory(card.memory),
            price(card.offer, used=told.used),
            compared(rating.speed),
            compared(rating.per_money),
            place(rating.place),
        ]
        rows.append((*row, *([str(one.pieces)] if told.budget else [])))
    heads = tuple(head if told.budget else head[:-1])
    caption = ADVISE("ranked" if advice.rated.by_money else "ranked_by_speed", **words)
    return Table(caption, heads, tuple(rows))


def no_choices(advice: Advice) -> str:
    """Why no card is in order: that a budget is in another currency, before all else."""
    return apart(advice) or ADVISE("no_choices")


def apart(advice: Advice) -> str:
    """That a budget cannot be compared with prices, and what to give; empty where it can."""
    budget = advice.told.budget
    left = [card for one in advice.left if one.reason == "currency" for card in one.cards]
    if budget is None or not left:
        return ""
    prices = _currencies(card.offer.cheapest.currency for card in left if card.offer)
    return ADVISE("apart", budget=budget.currency, prices=prices)


def _currencies(codes: Iterable[str]) -> str:
    return ", ".join(sorted(set(codes)))


def compared(value: Compared | None) -> str:
    """An estimate with the range that it lies in, in no more digits than it deserves."""
    if value is None:
        return ADVISE("unknown_speed")
    if value.range.is_exact:
        return _digits(value.usual)
    low, high = _digits(value.range.low), _digits(value.range.high)
    return ADVISE("estimate", usual=_digits(value.usual), low=low, high=high)


def _digits(value: float) -> str:
    """Two digits.

    >>> _digits(0.3456), _digits(1.26), _digits(12.6)
    ('0.35', '1.3', '13')
    """
    return number_text(float(f"{value:.2g}"))


def place(value: Place | None) -> str:
    """Where a card may stand."""
    if value is None:
        return ADVISE("no_word")
    return ends_text(Interval(float(value.best), float(value.worst)))


def under_ranking(advice: Advice, today: datetime.date, top: int) -> Iterator[str]:
    """What speeds, money and prices of the cards in order are, and how old."""
    rated = advice.rated
    if rated.base:
        form = "speed_of" if rated.by_money else "speed_alone"
        yield ADVISE(form, card=rated.base.name)
    if rated.by_money:
        yield from _money_lines(advice)
    elif advice.choices:
        yield _no_money(advice)
    offers = [one.card.offer for one in advice.choices[:top]]
    yield from _lists_lines(offers, today)
    for one in advice.choices[:top]:
        if one.card.offer and one.card.offer.doubt:
            yield ADVISE("price_doubted", card=one.card.name, doubt=one.card.offer.doubt)
    if any(one and one.own for one in offers):
        yield ADVISE("prices_own")
    if advice.told.rates:
        yield ADVISE("rated", rates=advice.told.rates.said)


def _lists_lines(offers: list[Offer | None], today: datetime.date) -> Iterator[str]:
    """Which lists the prices of cards in order are of, and how old the oldest is."""
    uses: dict[tuple[datetime.date, str], list[str]] = {}
    for number, offer in enumerate(offers, 1):
        for listed in offer.lists if offer and not offer.own else ():
            uses.setdefault(listed, []).append(str(number))
    if not uses:
        return
    first, *later = sorted(uses)
    days = max(0, (today - first[0]).days)
    age = passed(days)
    if not later:
        yield ADVISE("prices_of", day=first[0], age=age, source=first[1])
    else:
        lists = "; ".join(
            ADVISE("list_of", day=day, source=source, cards=", ".join(uses[day, source]))
            for day, source in (first, *later)
        )
        yield ADVISE("prices_of_lists", age=age, lists=lists)
    if days > proposals().price_age:
        yield ADVISE("prices_old")
    if last := [day for day, _ in uses if day > today]:
        yield ADVISE("prices_later", day=max(last), today=today)


def passed(days: int) -> str:
    """So many days in words: as years once there are several of them."""
    years = days / _YEAR
    if years < _SEVERAL:
        return ADVISE("days", days)
    return ADVISE("years", n=number_text(round(years)))


def _no_money(advice: Advice) -> str:
    """Why nobody knows the speed for the money."""
    by = advice.rated.terms
    prices = {one.card.offer.cheapest.currency for one in advice.choices if one.card.offer}
    if {by.desktop.currency, by.electricity.currency} == prices:
        return ADVISE("money_of_power")
    words = {"prices": _currencies(prices), "machine": by.desktop.currency}
    return ADVISE("money_unknown", energy=by.electricity.currency, **words)


def _money_lines(advice: Advice) -> Iterator[str]:
    by = advice.rated.terms
    words = {"machine": str(by.desktop), "energy": str(by.electricity), "use": percent(by.use)}
    yield ADVISE("money_of", years=ends_text(by.years), **words)
    yield from _whole(advice)
    if by.taken:
        names = ADVISE.table("money_taken_of")
        yield ADVISE("money_taken", what=", ".join(names[one] for one in by.taken))


def _whole(advice: Advice) -> Iterator[str]:
    """What the first card costs with the machine around it, from the cheapest to the middle."""
    base, count = advice.rated.base, advice.told.count
    machine = advice.rated.terms.desktop
    offer = base.offer if base else None
    if base is None or offer is None or offer.cheapest.currency != machine.currency:
        return
    ends = (
        str(one._replace(amount=one.amount * count + machine.amount))
        for one in (offer.cheapest, offer.middle)
    )
    price = " to ".join(dict.fromkeys(ends))
    yield ADVISE("whole", count, card=base.name, price=price)


def warned(advice: Advice, top: int) -> Iterator[str]:
    """What is advised against of the cards in order, and why."""
    return _of_cards((one, one.warns) for one in advice.choices[:top])


def conditions(advice: Advice, top: int) -> Iterator[str]:
    """What would speak against cards in order if it held, and why."""
    return _of_cards((one, one.conditions) for one in advice.choices[:top])


def _of_cards(said: Iterable[tuple[Choice, tuple[str, ...]]]) -> Iterator[str]:
    meant: dict[str, list[str]] = {}
    for one, codes in said:
        for code in codes:
            meant.setdefault(code, []).append(one.card.name)
    table = against(meant)
    for (title, years, why), cards in zip(table.rows, meant.values(), strict=True):
        yield ADVISE("warned", title=title, years=years, cards=some(cards), why=why)


def left_out(left: Iterable[Left]) -> Iterator[str]:
    """How many cards are left out for each reason, and which."""
    forms = ADVISE.table("left_out")
    for one in left:
        number = ADVISE("cards", len(one.cards))
        titles = " ".join(against_lines(one.because))
        words = {"number": number, "names": some(c.name for c in one.cards), "titles": titles}
        yield filled(forms[one.reason], words)


def some(names: Iterable[str]) -> str:
    """A few of many names, and how many there are beside."""
    listed = list(names)
    short = ", ".join(listed[:MOST_NAMES])
    more = len(listed) - MOST_NAMES
    return ADVISE("and_more", more, names=short) if more > 0 else short


def used_table(advice: Advice) -> Table:
    """What used cards may cost at most, to do as much for the money as the best new one."""
    head = tuple(ADVISE.table("used_columns").values())
    rows = [
        (
            one.card.name,
            memory(one.card.memory),
            _worth(one),
            price(one.card.offer, used=False) if one.card.offer else ADVISE("no_word"),
        )
        for one in advice.used[:MOST_USED]
    ]
    return Table(ADVISE("used"), head, tuple(rows))


def _worth(one: Worth) -> str:
    """From what is worth it in nine of ten cases to what is by the estimate itself."""
    most = _rounded(one.up_to.amount)
    least = _rounded(one.surely.amount) if one.surely else ""
    amount = f"{least}..{most}" if least and least != most else most
    return f"{amount} {one.up_to.currency}"


def used_line(advice: Advice) -> str:
    """Beside which card, and what that leaves out."""
    return ADVISE("used_of", card=advice.rated.base.name if advice.rated.base else "")


def _rounded(amount: Decimal) -> str:
    return number_text(float(f"{float(amount):.2g}"))


def commands(advice: Advice) -> Iterator[str]:
    """What to run next: a machine proposed around the first card."""
    told = advice.told
    # A cluster is many machines, and one of them is proposed.
    each = guide().cluster.cards_each if advice.splits and told.use == _CLUSTER else told.count
    for one in advice.choices[:1]:
        words = [f"--gpus {shlex.quote(f'{each:g}x {one.card.name}')}"]
        words.append(f"--workload {advice.rated.work.use}")
        if advice.told.outlet:
            words.append(f"--outlet {shlex.quote(advice.told.outlet.name)}")
        yield f"buildcheck configure {' '.join(words)}"


def against(codes: Iterable[str]) -> Table:
    """What is advised against, by whom it was and why."""
    found = guide()
    head = tuple(ADVISE.table("against_columns").values())
    rows = []
    for code in codes:
        one = found.avoid[code]
        years = ", ".join(str(found.sources[s].year) for s in one.sources)
        rows.append((one.title, years, one.why))
    return Table(ADVISE("against_table"), head, tuple(rows))


def against_lines(codes: Iterable[str]) -> Iterator[str]:
    """The same as sentences."""
    for title, years, why in against(codes).rows:
        yield ADVISE("against_row", title=title, years=years, why=why)


def counts() -> Iterator[str]:
    """What each source says counts in a card."""
    found, words = guide(), ADVISE.table("qualities")
    for one in found.priorities:
        order = ", ".join(words[code] for code in one.order)
        yield ADVISE("counts_row", year=found.sources[one.source].year, of=one.of, order=order)


def split_table(splits: Iterable[SplitUp], currency: str) -> Table:
    """Each way to share, with the cards of then and of today."""
    head = tuple(ADVISE.table("split_columns").values())
    kinds, of = ADVISE.table("halves"), ADVISE.table("split_of")
    rows = []
    for one in splits:
        for half in one.halves:
            share = f"{percent(half.share)} {of[one.of]}"
            if half.money:
                money = f"{ends_text(half.money)} {currency}"
                share = ADVISE("money_share", share=share, money=money)
            now = half.best.card.name if half.best else ADVISE("no_card")
            pieces = ends_text(half.pieces) if half.pieces else ADVISE("no_word")
            least = memory(half.memory)
            then = half.named
            rows.append((str(one.source.year), kinds[half.kind], share, least, then, now, pieces))
    return Table(ADVISE("split"), head, tuple(rows))


def cluster_line() -> str:
    """How large machines of a cluster are, and when other ones were advised."""
    one = guide().cluster
    year = guide().sources[one.source].year
    return ADVISE("cluster", each=one.cards_each, large=one.large, huge=one.huge, year=year)


def named_table(named: Iterable[tuple[AdviceSource, Named]], *, general: bool) -> Table:
    """Cards that were named, by year."""
    head = tuple(ADVISE.table("named_columns").values())
    rows = [(str(s.year), one.of, _cards(one)) for s, one in named]
    return Table(ADVISE("named_general" if general else "named"), head, tuple(rows))


def _cards(one: Named) -> str:
    if not one.prices:
        return ", ".join(one.cards)
    pairs = zip(one.cards, one.prices, strict=True)
    return ", ".join(
        ADVISE("named_price", card=c, price=f"{number_text(float(p.amount))} {p.currency}")
        for c, p in pairs
    )


def sources(advice: Advice) -> Iterator[str]:
    """Every document behind what is said."""
    found = [*guide().sources.values(), *advice.path.chart.sources.values()]
    for one in found:
        yield ADVISE("source_row", title=one.title, url=one.url, confidence=one.confidence)
