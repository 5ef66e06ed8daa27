"""What can be known about the things around the parts: connectors, outlets, standards."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from buildcheck.model import values as v


class Facts(BaseModel):
    """Facts of one part, read strictly: unknown keys are refused, values are typed."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def says(words: str) -> Any:
    """An optional field, and what it means."""
    return Field(default=None, description=words)


class Connector(Facts):
    """A power connector."""

    rating: v.Draw | None = says("power the connector is specified for")
    fits: v.Codes | None = says("further sockets its cable plug goes into")
    cable_limit: v.Draw | None = says("power the socket on the supply side can carry")


class Adapter(Facts):
    """A power adapter between connectors."""

    inputs: v.Counts | None = says("what it plugs into, by connector")
    output: v.Code | None = says("the connector it offers")
    rating: v.Draw | None = says("power it is coded or specified for")


class Outlet(Facts):
    """A wall outlet and the circuit behind it."""

    voltage: v.Voltage | None = says("nominal mains voltage")
    breaker: v.Current | None = says("rating of the breaker or fuse")
    continuous_current: v.Current | None = says("current advised for loads of hours")
    continuous_is_code: v.Truth | None = says(
        "the continuous limit is the electrical code's or its usual reading"
    )


class Country(Outlet):
    """A country, by its two letters: the usual household outlet."""

    outlet: Annotated[v.Code, v.Ref("outlet")] | None = says("usual household outlet")


class WorkloadKind(Facts):
    """What a kind of work asks of the machine."""

    cpu_share: v.Ratio | None = says("share of CPU base power drawn while the cards are busy")


class Standard(Facts):
    """Constants of mechanical and electrical standards."""

    slot_power: v.Draw | None = says("power a card may draw through its slot")
    slot_pitch: v.Length | None = says("distance between expansion slots")
    slot_clearance: v.Length | None = says("air left between a card and the end of its slots")
    slot_tolerance: v.Length | None = says("overrun into the next slot that still fits")
    power_factor: v.Ratio | None = says("power factor of a supply with active correction")
    split_least: v.Number | None = says("fewest lanes a CPU slot keeps when lanes are split")
    lane_rate: v.Curve | None = says("GB/s per lane and direction by PCIe generation")
    low_line_max: v.Voltage | None = says("highest nominal mains voltage of the low range")
    sixteen_pin_contacts: v.Number | None = says("12 V contacts of the 16-pin plug")


class WaiverState(Facts):
    """What has become of a waiver once the build is judged."""

    is_expired: v.Truth | None = says("its last day is past")
    is_used: v.Truth | None = says("there is a finding it speaks of")
