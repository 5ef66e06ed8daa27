"""What answers are made of: plain, frozen values that renderers show and JSON holds."""

import datetime
import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from decimal import Decimal
from typing import Any, TypeVar, overload

from buildcheck import units
from buildcheck.logic.quantity import Interval, show
from buildcheck.model.frozen import Frozen
from buildcheck.model.money import Money

_Answer = TypeVar("_Answer")


class Figure(Frozen):
    """A number or a range with its unit; an end that is not known is None."""

    low: float | None
    high: float | None
    unit: str = ""

    def __str__(self) -> str:
        """For people: `1,665–1,674 W`."""
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        unit = self.unit.replace("degC", "°C")
        return show(Interval(low, high), units.NUMBER) + (f" {unit}" if unit else "")


def short(value: Figure) -> str:
    """A figure without its unit."""
    return str(Figure(value.low, value.high))


def link(lanes: Figure | None, gen: Figure | None) -> str:
    """A PCIe link, such as `x16 Gen4` or `at most x16`; of what is not known nothing."""
    known = ((sign, short(v)) for sign, v in (("x", lanes), ("Gen", gen)) if v)
    return " ".join(re.sub(r"^(at \w+ )?", rf"\1{sign}", text) for sign, text in known)


def figure(value: Interval | None, dimension: units.Dimension = units.NUMBER) -> Figure | None:
    """An interval as a figure in the base unit of its dimension; None where nothing is known."""
    if value is None or (math.isinf(value.high) and value.low <= 0):
        return None
    low, high = (None if math.isinf(end) else round(end, 6) for end in (value.low, value.high))
    return Figure(low, high, units.BASE.get(dimension, ""))


class Amount(Frozen):
    """Money, and the day of the price where it has one."""

    amount: Decimal
    currency: str
    as_of: datetime.date | None = None

    def __str__(self) -> str:
        """For people: `7,249.02 USD`."""
        return f"{Decimal(self.money.figure):,} {self.currency}"

    @property
    def money(self) -> Money:
        """The sum without its day."""
        return Money(self.amount, self.currency)


@overload
def amount(money: Money) -> Amount: ...
@overload
def amount(money: None) -> None: ...
def amount(money: Money | None) -> Amount | None:
    """Money with the decimals of its currency; None where there is none."""
    return Amount(Decimal(money.figure), money.currency) if money else None


def made_of(answer: type[_Answer], *given: Any, **own: Any) -> _Answer:
    """An answer whose fields are `own`, or of the same name in what is `given`, money as amounts.

    What is None, or there by no such name, stays as the answer has it.
    """
    for name in (one for one in answer.__annotations__ if one not in own):
        values = (getattr(one, name, None) for one in given)
        if (value := next((v for v in values if v is not None), None)) is not None:
            own[name] = amount(value) if isinstance(value, Money) else value
    return answer(**own)


def brief(shorter: str | int = "") -> Mapping[str, str | int]:
    """Metadata of a field left out of brief JSON; or cut to its first entries, or a property."""
    return {"brief": shorter}


def plain_answer(answer: Any, *, verbose: bool = True) -> Any:
    """An answer as JSON data: one dump of its model, without what is empty."""
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(type(answer))
    shown = answer if verbose else _brief(answer)
    return adapter.dump_python(shown, mode="json", exclude_defaults=True)


def _brief(value: Any) -> Any:
    """A value of an answer without its details."""
    if isinstance(value, tuple):
        return tuple(map(_brief, value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    return replace(value, **{one.name: _brief(_brief_field(value, one)) for one in fields(value)})


def _brief_field(answer: Any, one: "Field[Any]") -> Any:
    shorter = one.metadata.get("brief")
    if shorter is None:
        return getattr(answer, one.name)
    if isinstance(shorter, int):
        return getattr(answer, one.name)[:shorter]
    if shorter:
        return getattr(answer, shorter)
    return one.default if one.default_factory is MISSING else one.default_factory()
