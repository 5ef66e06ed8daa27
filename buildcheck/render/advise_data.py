"""A choice of cards as plain data for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.advise.charting import UNANSWERED
from buildcheck.guide import guide
from buildcheck.render.cost import rates_data
from buildcheck.render.data import value_data

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable

    from buildcheck.advise import Advice, Choice, Half, Left, Offer, Path, SplitUp
    from buildcheck.facts.choice import Step
    from buildcheck.model.advice import AdviceSource, MemorySaid, Named
    from buildcheck.model.quantity import Interval
    from buildcheck.speed import Compared

#: Version of the JSON.
FORMAT_VERSION = "1.0"


def advise_data(advice: Advice, today: datetime.date, top: int) -> dict[str, Any]:
    """All of it. Memory is in GB, shares are parts of 1; what is not known is null."""
    told = advice.told
    return {
        "format_version": FORMAT_VERSION,
        "today": today.isoformat(),
        "use": told.use,
        "owner": advice.owner,
        "budget": _money(told.budget),
        "rates": rates_data(told.rates),
        "count": told.count,
        "bits": told.bits,
        "used": told.used,
        "outlet": told.outlet
        and {
            "name": told.outlet.name,
            "power": _data(advice.room, "W"),
            "machine_around": _data(guide().machine_around.value, "W"),
        },
        "memory": {
            "least": _data(advice.need.memory, "GB"),
            "by": advice.need.by or None,
            "said": [_said(source, one) for source, one in advice.need.said],
        },
        "speed_beside": advice.rated.base and advice.rated.base.name,
        "choices": [_choice(one) for one in advice.choices[:top]],
        "choices_in_all": len(advice.choices),
        "left_out": [_left(one) for one in advice.left],
        "used_worth": [
            {
                "card": one.card.name,
                "id": one.card.part.id,
                "up_to": _money(one.up_to),
                "surely": _money(one.surely),
                "new": _offer(one.card.offer),
            }
            for one in advice.used
        ],
        "advised_against": list(advice.general),
        "chart": path_data(advice.path),
        "chart_cards": [one.card.name for one in advice.today],
        "splits": [_split(one) for one in advice.splits],
        "named": [_named(source, one) for source, one in advice.named],
    }


def _data(value: Interval | None, unit: str) -> dict[str, Any] | None:
    return None if value is None else {**value_data(value), "unit": unit}


def _money(value: Any) -> dict[str, str] | None:
    return value and {"amount": value.figure, "currency": value.currency}


def _source(source: AdviceSource) -> dict[str, Any]:
    return {"year": source.year, "title": source.title, "url": source.url}


def _said(source: AdviceSource, one: MemorySaid) -> dict[str, Any]:
    words = {"of": one.of, "from_card": one.from_card}
    return {**_source(source), "least": _data(one.least, "GB"), **words}


def _choice(one: Choice) -> dict[str, Any]:
    place = one.rating.place
    return {
        "card": one.card.name,
        "id": one.card.part.id,
        "memory": _data(one.card.memory, "GB"),
        "power": _data(one.card.power, "W"),
        "price": _offer(one.card.offer),
        "speed": _compared(one.rating.speed),
        "speed_for_money": _compared(one.rating.per_money),
        "place": place and {"best": place.best, "usual": place.usual, "worst": place.worst},
        "advised_against": list(one.warns),
        "conditions": list(one.conditions),
        "budget_buys": one.pieces,
    }


def _compared(value: Compared | None) -> dict[str, Any] | None:
    return value and {"usual": value.usual, "low": value.range.low, "high": value.range.high}


def _offer(offer: Offer | None) -> dict[str, Any] | None:
    return offer and {
        "cheapest": _money(offer.cheapest),
        "middle": _money(offer.middle),
        "records": offer.records,
        "as_of": offer.as_of and offer.as_of.isoformat(),
        "source": offer.source,
        "own": offer.own,
        "doubt": offer.doubt or None,
    }


def _left(one: Left) -> dict[str, Any]:
    names = [card.name for card in one.cards]
    return {"reason": one.reason, "because": list(one.because), "cards": names}


def _split(one: SplitUp) -> dict[str, Any]:
    return {**_source(one.source), "of": one.of, "machines": [_half(half) for half in one.halves]}


def _half(half: Half) -> dict[str, Any]:
    return {
        "for": half.kind,
        "share": _data(half.share, ""),
        "money": _data(half.money, ""),
        "memory": _data(half.memory, "GB"),
        "named": half.named,
        "card": half.best.card.name if half.best else None,
        "cards": _data(half.pieces, ""),
    }


def _named(source: AdviceSource, one: Named) -> dict[str, Any]:
    prices = [_money(price) for price in one.prices]
    return {**_source(source), "for": one.of, "cards": list(one.cards), "prices": prices}


def chart_data(path: Path) -> dict[str, Any]:
    """The whole chart, and the way that was taken."""
    questions = {
        name: {"ask": one.ask, "then": one.then, "otherwise": one.otherwise}
        for name, one in path.chart.questions.items()
    }
    ends = {
        name: {
            "advice": one.advice,
            "kind": one.kind,
            "memory": _data(one.memory, "GB"),
            "bought": one.bought,
            "named": list(one.cards),
            "at": one.at,
        }
        for name, one in path.chart.ends.items()
    }
    chart = {"start": path.chart.start, "questions": questions, "ends": ends}
    return {"format_version": FORMAT_VERSION, "chart": chart, "way": path_data(path)}


def path_data(path: Path) -> dict[str, Any]:
    """The questions on the way with their answers, and the end."""
    return {"steps": [_step(one) for one in path.steps], "end": path.at, "advice": path.end.advice}


def _step(one: Step) -> dict[str, Any]:
    return {
        "question": one.question,
        "answer": one.yes,
        "by": one.by,
        "because": one.because,
        "assumed": one.by in UNANSWERED,
    }


def guide_data() -> dict[str, Any]:
    """What each use needs, by who said so."""
    found = guide()

    def said(statements: Iterable[MemorySaid]) -> list[dict[str, Any]]:
        return [_said(found.sources[one.source], one) for one in statements]

    uses = {
        code: {"name": use.name, "work": use.work, "memory": said(use.memory)}
        for code, use in found.uses.items()
    }
    return {"format_version": FORMAT_VERSION, "uses": uses}
