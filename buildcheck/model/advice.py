"""What published advice says of choosing GPUs, and the chart that goes with it, as models.

They are those of `rules/advice.yaml` and `rules/chart.yaml`, declared by
`words/advice-models.yaml`. Every statement names a source, and each path through the chart reaches
an end. Memory is in GB, shares are parts of 1.
"""

from functools import cache
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
        fields = v.declared(one["fields"], types, needed=True)
        types[name] = model_of(name, [Stated if "stated" in one else Strict], one["says"], fields)
    return types


@cache
def guide() -> Any:
    """The guide that is shipped."""
    return _models()["Guide"].model_validate(shipped("rules", "advice"))


@cache
def chart() -> Any:
    """The flowchart that is shipped."""
    return _models()["Chart"].model_validate(shipped("rules", "chart"))
