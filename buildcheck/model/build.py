"""What someone proposes: the build file as pydantic models.

An entry names a `part`, gives facts itself, or both; what it gives overrides what
the catalogue says. Settings (how many, which slots, which power limit) stand beside.
"""

import datetime
import re
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from buildcheck.model import around, kinds
from buildcheck.model import values as v

MOST = 64


class One(BaseModel):
    """A line of the parts list of which a machine has one."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    part: v.Code | None = Field(None, description="name or id of a part in the catalogue")


class Entry(One):
    """A line of the parts list: which part, and how many of it."""

    count: Annotated[int, Field(strict=True, ge=1, le=MOST)] = 1


def _slots(value: Any) -> Any:
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, (int, str)) and not isinstance(item, bool) for item in items):
        raise ValueError("needs slot positions or labels, such as [1, 3]")
    return tuple(items)


class GpuEntry(kinds.Gpu, Entry):
    """Graphics cards of one model, and how they are set up."""

    power_limit: v.Draw | None = Field(None, description="sustained power limit set on each card")
    limit_at_boot: v.Truth | None = Field(
        None, description="a boot unit sets the limit again after each start"
    )
    clock_lock: v.Truth | None = Field(
        None, description="the maximum clock is locked or the card undervolted"
    )
    slots: Annotated[tuple[int | str, ...], v.Reads(_slots)] | None = Field(
        None, description="slot of each card, by position or label"
    )
    riser: v.Truth | None = Field(None, description="the cards hang on riser cables")
    psu: Annotated[int, Field(strict=True, ge=1, le=MOST)] | None = Field(
        None, description="number of the supply that feeds these cards, from 1"
    )
    power_cables: v.Number | None = Field(
        None, description="supply cables used per card; one per plug unless given"
    )
    cable: v.Code | None = Field(None, description="connector of the cable plugged into the card")
    adapter: Annotated[v.Code, v.Ref("adapter")] | None = Field(
        None, description="power adapter used on each card"
    )


class CpuEntry(kinds.Cpu, Entry):
    """Processors."""


class MotherboardEntry(kinds.Motherboard, One):
    """The motherboard."""


class MemoryEntry(kinds.Memory, Entry):
    """Memory modules or kits."""


class PsuEntry(kinds.Psu, Entry):
    """Power supplies of one model."""


class CaseEntry(kinds.Case, One):
    """The case."""


class CoolerEntry(kinds.Cooler, One):
    """The CPU cooler."""


class StorageEntry(kinds.Storage, Entry):
    """Drives of one model."""


class RiserEntry(kinds.Riser, Entry):
    """Riser cables of one model."""


class Site(around.Country):
    """Where the machine will stand."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    country: Annotated[v.Code, v.Ref("country")] | None = Field(
        None, description="country, by its two letters"
    )
    other_load: v.Power | None = Field(None, description="other load on the same circuit")
    ambient: v.Temperature | None = Field(None, description="room temperature under load")


class Workload(around.WorkloadKind):
    """What the machine is for."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    kind: Annotated[v.Code, v.Ref("workload-kind")] | None = Field(
        None, description="training, inference, rendering or mining"
    )
    parallel: Annotated[v.Code, v.one_of("none", "data", "tensor", "pipeline")] | None = Field(
        None, description="how one job uses several cards"
    )
    preprocessing: Annotated[v.Code, v.one_of("ahead", "on-the-fly")] | None = Field(
        None, description="when data are prepared"
    )
    model_memory: v.Memory | None = Field(None, description="GPU memory one job needs")


class Network(BaseModel):
    """How the machine talks to others."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    between_machines: v.Rate | None = Field(None, description="link between machines of one job")


def _date(value: Any) -> Any:
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        raise ValueError("needs a date such as 2027-03-01")
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        raise ValueError(f"there is no day {value}") from None


class Waiver(BaseModel):
    """A finding someone accepts: which, for what, why and until when."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    rule: v.Code
    subject: v.Code
    because: v.Code
    until: Annotated[datetime.date, v.Reads(_date)]


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


_Item = TypeVar("_Item")
#: A section with any number of entries.
Some = Annotated[tuple[_Item, ...], BeforeValidator(_listed)]


class Build(BaseModel):
    """A whole build file."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: v.Code | None = None
    gpus: Some[GpuEntry] = ()
    cpu: CpuEntry | None = None
    motherboard: MotherboardEntry | None = None
    cpu_cooler: CoolerEntry | None = None
    memory: Some[MemoryEntry] = ()
    psus: Some[PsuEntry] = ()
    psu_sync: Annotated[v.Code, v.one_of("adapter", "board", "backplane", "none")] | None = None
    case: CaseEntry | None = None
    storage: Some[StorageEntry] = ()
    risers: Some[RiserEntry] = ()
    site: Site | None = None
    workload: Workload | None = None
    network: Network | None = None
    waivers: Some[Waiver] = ()


#: Sections that hold several entries, and those that hold one.
LISTS = ("gpus", "memory", "psus", "storage", "risers", "waivers")
SINGLES = ("cpu", "motherboard", "cpu_cooler", "case")
#: Sections that name no part.
NO_PARTS = ("site", "workload", "network", "waivers")
#: The part kind behind each section.
SECTION_KIND = {
    "gpus": "gpu",
    "cpu": "cpu",
    "motherboard": "motherboard",
    "cpu_cooler": "cooler",
    "memory": "memory",
    "psus": "psu",
    "case": "case",
    "storage": "storage",
    "risers": "riser",
}
