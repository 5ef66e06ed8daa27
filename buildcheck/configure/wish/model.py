"""What someone wishes for: the wish file as models, by `words/wish-sections.yaml`.

The sections that stand as they are, and what is owned, are those of a build file. Amounts and
sizes of a wish are floors: `96 GB` accepts all from there on, `96..128 GB` what lies between.
Counts are exact, or a range.
"""

import math
import re
from functools import partial
from operator import getitem
from typing import Annotated, Any

from pydantic import ValidationError

from buildcheck import units
from buildcheck.load.sentences import near_words
from buildcheck.logic.quantity import Interval, exact, number_text, read
from buildcheck.model import build, kinds
from buildcheck.model import values as v
from buildcheck.model.money import Money
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.price import AnyPrice, Cost
from buildcheck.model.rate import Rates, read_rates
from buildcheck.model.strict import After, Before, Field, Strict, model_of, says
from buildcheck.model.vocabulary import vocabulary

#: What a proposal can be best at.
OBJECTIVES = ("price", "gpu_memory", "speed", "headroom", "power")
#: Those of which less is better.
LESS = ("price", "power")
#: More words than any list of a wish has.
MOST_WORDS = 200
#: Weights are shares of each other; more than this is a slip.
MOST_WEIGHT = 1_000_000
_SIZED = re.compile(r"(?:mini|mid|full)[ -]?tower", re.IGNORECASE)


def _plain(value: Any, example: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError(f"needs one value, such as {example}")
    return str(value)


def _or_more(wished: Interval) -> Interval:
    return Interval(wished.low, math.inf) if wished.is_exact else wished


def _share(value: Any) -> float:
    """A share of a whole."""
    found = read(_plain(value, "'70 %'"), units.NUMBER)
    if not (found.is_exact and 0 < found.low <= 1):
        raise ValueError("needs one share above 0 and at most 100 %, such as '70 %'")
    return round(found.low, 9)


def _weight(value: Any) -> float:
    found = read(_plain(value, "1 or 0.5"), units.NUMBER)
    if found.low < 0:
        raise ValueError("cannot be negative; a weight is how much it counts")
    if not found.is_exact or found.high > MOST_WEIGHT:
        raise ValueError(f"needs one number of at most {MOST_WEIGHT}")
    return found.low


def _texts(value: Any) -> tuple[str, ...]:
    """Words in order, each once."""
    items = value if isinstance(value, (list, tuple)) else [value]
    if len(items) > MOST_WORDS:
        raise ValueError(f"has {len(items)} entries; at most {MOST_WORDS} are read")
    if not items:
        raise ValueError("is an empty list; leave it out")
    return tuple(dict.fromkeys(text for item in items for text in v.read_texts([item])))


def _codes(value: Any, *, model: type[Strict], field: str) -> tuple[str, ...]:
    """Words that are values of a fact, as they are written there."""
    try:
        found = (getattr(model.model_validate({field: t}), field) for t in _texts(value))
        return tuple(dict.fromkeys(found))
    except ValidationError as error:
        raise ValueError(str(error.errors()[0]["ctx"]["error"])) from None


def _case_kinds(value: Any) -> tuple[str, ...]:
    """Kinds of case; towers of a size are refused, as the catalogue has them as towers alone."""
    sized = [text for text in _texts(value) if _SIZED.fullmatch(text)]
    if sized:
        raise ValueError(
            f"is '{sized[0]}', and mini, mid and full towers are not distinguished; write tower, "
            "and bound it with expansion_slots, or the board with its form factor"
        )
    return _codes(value, model=kinds.KINDS["case"], field="kind")


def _best(value: Any) -> Any:
    """Weights; one word is all the weight there is."""
    if isinstance(value, (dict, Weights)):
        return value
    choices = f"one of {', '.join(OBJECTIVES)}, or weights such as {{price: 1, gpu_memory: 0.5}}"
    if not isinstance(value, str):
        raise ValueError(f"needs {choices}")
    if value not in OBJECTIVES:
        near = [f" (did you mean '{w}'?)" for w in near_words(value.lower(), OBJECTIVES, 1, 0.5)]
        raise ValueError(f"needs {choices}, not '{value[:40]}'{''.join(near)}")
    return {value: 1}


def _some_money(value: Money) -> Money:
    if value.amount == 0:
        raise ValueError("needs to be above zero; leave it out if any price will do")
    return value


def _cards(value: Interval) -> Interval:
    if value.high > build.MOST:
        raise ValueError(f"is {number_text(value.high)}; at most {build.MOST} GPUs are checked")
    return value


def _rates(value: Any) -> Rates:
    """One rate, or several."""
    return value if isinstance(value, Rates) else read_rates(_texts(value))


Floor = Annotated[v.Memory, After(_or_more)]
Drives = Annotated[v.Capacity, After(_or_more)]
LeastNumber = Annotated[v.Number, After(_or_more)]
Cards = Annotated[v.Number, After(_cards)]
Words = Annotated[tuple[str, ...], v.Reads(_texts, "list of words")]
_coolings = partial(_codes, model=kinds.KINDS["gpu"], field="cooling")
Coolings = Annotated[tuple[str, ...], v.Reads(_coolings, "list of words")]
Weight = Annotated[float, v.Reads(_weight, "number")]
CaseKinds = Annotated[tuple[str, ...], v.Reads(_case_kinds, "list of words")]

Trust = Annotated[v.Code, v.one_of(*CONFIDENCE)]
Budget = Annotated[Cost, After(_some_money)]
LeastShare = Annotated[float, v.Reads(_share, "share, such as 70 %")]
_SAID = vocabulary("wish-sections")
_MODELS: dict[str, Any] = {
    name: model_of(name, [Strict], said["says"], v.declared(said["fields"], globals()))
    for name, said in _SAID["sections"].items()
}
Weights, CaseWish = _MODELS["Weights"], _MODELS["CaseWish"]


class GpuWish(Strict, fields=v.declared(_SAID["gpus"], globals())):
    """GPUs of one model."""

    @property
    def number(self) -> Interval:
        """How many GPUs: as given, one of a named part, or else any number."""
        if self.count is not None:
            count: Interval = self.count
            return count
        is_one = self.part and not self.memory_total
        return exact(1.0) if is_one else Interval(1.0, float(build.MOST))


class PsuWish(Strict, fields=v.declared({"part": _SAID["gpus"]["part"]}, {})):
    """The PSUs."""

    count: v.Few = says("how many may be proposed; one unless given", exact(1.0))


_TYPES = {**globals(), **_MODELS, "Best": getitem(Annotated, (Weights, Before(_best)))}


def _section(field: Field) -> Field:
    """A part of a wish, which is a model where its values are given unless it says more."""
    if not isinstance(field.default, dict):
        return field
    model: type[Strict] = getattr(field.annotation, "__origin__", field.annotation)
    return field._replace(default=model.model_construct(**field.default))


_FIELDS = {name: _section(field) for name, field in v.declared(_SAID["wish"], _TYPES).items()}


class WishSection(Strict, fields=_FIELDS):
    """What must hold, and what it should be best at."""

    @property
    def weights(self) -> dict[str, float]:
        """How much each objective counts that does."""
        return {name: weight for name, weight in vars(self.best).items() if weight}


#: The price is all that counts.
CHEAPEST = Weights.model_construct(price=1.0)

#: What of a wish file is copied to the build.
FIXED = (
    *("name", "psu_sync", "storage", "risers", "add_in_cards", "cables", "nvlink", "ups"),
    *("cooling", "firmware", "site", "workload", "network", "waivers"),
)


class WishFile(Strict, fields={name: build.section(name) for name in FIXED}):
    """A whole wish file: the wish, what is there already, and sections of a build file."""

    wish: WishSection = WishSection.model_construct()
    owned: build.Build = says(
        "parts that are there, as in a build file", build.Build.model_construct()
    )
    avoid: Words = says("makers, parts, chips, coolers or sockets to leave out", ())
    prices: dict[str, AnyPrice] = says("prices of your own, such as {RTX 3090: 750 USD}", {})
    rates: Annotated[Rates, v.Reads(_rates, "list of words")] = says(
        "exchange rates, such as 1 USD = 0.92 EUR", Rates()
    )
