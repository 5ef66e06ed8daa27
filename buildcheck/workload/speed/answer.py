"""The answer of `speed`: GPUs ranked by speed and value, or the speed of a build."""

import datetime

from buildcheck.model.answer import Figure
from buildcheck.model.frozen import Frozen


class SpeedEstimate(Frozen):
    """How many times as fast, and the range that nine of ten such estimates lie in."""

    usual: float
    low: float
    high: float


class MeasuredRatio(Frozen):
    """How many times as fast one GPU was measured as another, and by whom."""

    ratio: float
    name: str
    title: str
    url: str


class GpuCost(Frozen):
    """Money for a GPU: its price, its electricity, and both with the desktop."""

    price: float
    electricity: float
    total: float
    source: str
    as_of: datetime.date | None = None


class RankedGpu(Frozen):
    """A GPU by speed, or by speed for its cost; places overlap where the order is not sure."""

    id: str
    name: str
    speed: SpeedEstimate
    place: int
    best_place: int
    worst_place: int
    memory: Figure | None = None
    measured: MeasuredRatio | None = None
    cost: GpuCost | None = None


class ValueTerms(Frozen):
    """What speed for money is calculated with; `assumed` are those not given."""

    currency: str
    desktop: str
    electricity: str
    years: float
    use: float
    assumed: tuple[str, ...] = ()


class Ranking(Frozen):
    """GPUs by speed relative to the baseline, and by speed for money."""

    use: str
    precision: str
    architecture: str
    baseline: str
    #: Factors by which an estimate is off, for other and for the same tensor units.
    spread: float
    spread_alike: float
    by_speed: tuple[RankedGpu, ...]
    by_value: tuple[RankedGpu, ...]
    terms: ValueTerms
    #: GPUs in no ranking for money: name, and price, currency, module, power or free.
    unpriced: dict[str, str]
    #: The cache in MB from which on a layer may stay in it.
    cache: float | None = None
    #: Cycles of a product of two tiles: plain, with tensor units, with asynchronous copies.
    cycles: tuple[float, ...] = ()
    #: GPUs whose speed at this work is not known.
    unknown: tuple[str, ...] = ()
    without_bf16: tuple[str, ...] = ()


class WorkSpeed(Frozen):
    """The speed of GPUs at a kind of work, one job each."""

    use: str
    precision: str
    architecture: str
    speed: SpeedEstimate | None = None


class GpuGroup(Frozen):
    """GPUs of a build with one name and limit, and the share of full speed that it leaves."""

    name: str
    count: int
    power_limit: Figure | None = None
    training: Figure | None = None
    serving: Figure | None = None


class OtherGpu(Frozen):
    """The speed of all GPUs of a build relative to another at its default power."""

    id: str
    name: str
    works: tuple[WorkSpeed, ...] = ()


class BuildSpeed(Frozen):
    """The GPUs of a build together, relative to a Tesla V100 SXM2 at 16 bit, and to others."""

    name: str
    file: str
    verdict: str
    gpus: int
    groups: tuple[GpuGroup, ...]
    works: tuple[WorkSpeed, ...]
    others: tuple[OtherGpu, ...] = ()
    #: GPUs whose rates are not known, and those without bfloat16.
    unknown: tuple[str, ...] = ()
    without_bf16: tuple[str, ...] = ()


class KnownGpu(Frozen):
    """A GPU next to those people know, relative to the first of the build."""

    name: str
    is_own: bool
    works: tuple[WorkSpeed, ...]


class SpeedAnswer(Frozen):
    """A ranking of GPUs, or the speed of a build."""

    ranking: Ranking | None = None
    build: BuildSpeed | None = None
    #: On the page of a build: each model of its GPUs, then those people know.
    known: tuple[KnownGpu, ...] = ()
