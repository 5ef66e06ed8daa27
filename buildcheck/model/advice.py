"""What published advice says of choosing GPUs, and the chart that goes with it, as models.

They are those of `rules/advice.yaml` and `rules/chart.yaml`, declared by
`words/advice-models.yaml`. Every statement names a source, and each path through the chart reaches
an end. Memory is in GB, shares are parts of 1.
"""

from functools import cache
from operator import getitem
from typing import Annotated, Any

from buildcheck.model import values as v
from buildcheck.model.price import Cost
from buildcheck.model.strict import NEEDED, Strict, Whole, model_of, says
from buildcheck.model.vocabulary import shipped, vocabulary


class Stated(Strict):
    """What a source of the guide states."""

    source: v.Code = says("", NEEDED)

    @property
    def year(self) -> int:
        """The year that the source speaks of."""
        found: int = guide().sources[self.source].year
        return found


@cache
def _models() -> dict[str, Any]:
    """Every model by its name, as it is declared."""
    types = {"Text": str, "Several": Annotated[int, Whole(1, 10_000)], "Cost": Cost}
    for name, one in vocabulary("advice-models").items():
        fields = {n: _field(said, types) for n, said in one["fields"].items()}
        types[name] = model_of(name, [Stated if "stated" in one else Strict], one["says"], fields)
    return types


def _field(said: dict[str, Any], types: dict[str, Any]) -> tuple[Any, Any]:
    """The type of a field, and what it is unless given."""
    (of,) = (said[form] for form in ("is", "many", "named") if form in said)
    kind = types.get(of) or getattr(v, of)
    kind = getitem(Annotated, (kind, v.one_of(*said["among"]))) if "among" in said else kind
    kind = tuple.__class_getitem__((kind, ...)) if "many" in said else kind
    kind = dict.__class_getitem__((str, kind)) if "named" in said else kind
    default = said.get("unless", NEEDED)
    default = () if default == [] else default
    return kind, says("", default, said.get("key"))


@cache
def guide() -> Any:
    """The guide that is shipped."""
    return _models()["Guide"].model_validate(shipped("rules", "advice"))


@cache
def chart() -> Any:
    """The flowchart that is shipped."""
    return _models()["Chart"].model_validate(shipped("rules", "chart"))
