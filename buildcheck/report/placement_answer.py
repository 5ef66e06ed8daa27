"""What is shown of where everything is placed and what connects it."""

from dataclasses import field

from buildcheck.model.answer import Figure, brief
from buildcheck.model.frozen import Frozen


class SeatAnswer(Frozen):
    """A GPU or add-in card, and the slot it is placed in."""

    subject: str
    kind: str
    name: str
    slot: str | None = None
    #: Expansion slots from the first to the last it covers.
    position: int | None = None
    last_position: int | None = None
    lanes: Figure | None = None
    gen: Figure | None = None
    owner: str | None = None
    is_riser_mounted: bool = False
    is_vertical: bool = False
    length: Figure | None = field(default=None, metadata=brief())
    thickness: Figure | None = field(default=None, metadata=brief())
    cooling: str | None = field(default=None, metadata=brief())
    sustained_power: Figure | None = field(default=None, metadata=brief())
    #: The card below, and the gap to it in mm; where none is below the gap is open.
    next_card: str | None = None
    gap: Figure | None = None


class SlotAnswer(Frozen):
    """A slot or M.2 socket of the motherboard, and what it gets its lanes from."""

    label: str
    position: int | None = None
    lanes: Figure | None = None
    gen: Figure | None = None
    owner: str | None = None


class PowerAnswer(Frozen):
    """One connection from the wall to the GPUs, with its sustained load."""

    start: str
    end: str
    by: str
    watts: Figure | None = None
    amps: Figure | None = field(default=None, metadata=brief())


class DriveAnswer(Frozen):
    """A drive and the M.2 socket it is in; None where no socket is known for it."""

    subject: str
    name: str
    socket: str | None = None


class HeatAnswer(Frozen):
    """The temperature a GPU would reach if it did not slow down."""

    subject: str
    name: str
    temperature: Figure | None = None
    throttles_at: Figure | None = None
    #: By how much the air it draws in is warmer than the room, in K.
    rise: Figure | None = None
    #: Verdict of the rules that judge the temperature.
    verdict: str | None = None


class CircuitAnswer(Frozen):
    """The outlet, and what the machine draws from it."""

    outlet: str | None = None
    voltage: Figure | None = None
    breaker: Figure | None = None
    current: Figure | None = None
    worst_current: Figure | None = None
    continuous_current: Figure | None = None
    heat: Figure | None = None
    heat_btu_per_hour: Figure | None = None
    #: Circuits that the PSUs are connected to; the currents are those of the fullest.
    circuits: int = 1
    #: The circuit of each PSU, where the build file pins it.
    psus: dict[str, int] | None = None


class PlacementAnswer(Frozen):
    """The slot assignment, the cables, the power tree and the drives.

    Without `--verbose` GPUs without a known slot and connections without a cable are left out.
    """

    seats: tuple[SeatAnswer, ...] = field(default=(), metadata=brief("placed"))
    slots: tuple[SlotAnswer, ...] = ()
    sockets: tuple[SlotAnswer, ...] = ()
    drives: tuple[DriveAnswer, ...] = ()
    power: tuple[PowerAnswer, ...] = field(default=(), metadata=brief("connected"))
    circuit: CircuitAnswer = CircuitAnswer()
    heat: tuple[HeatAnswer, ...] = ()
    expansion_slots: int | None = None
    gpu_length_max: Figure | None = None
    slot_pitch: Figure | None = None
    cpu_lanes_used: Figure | None = None
    cpu_lanes: Figure | None = None

    @property
    def placed(self) -> tuple[SeatAnswer, ...]:
        """The cards with a known slot or position."""
        return tuple(s for s in self.seats if s.slot or s.position or s.is_riser_mounted)

    @property
    def connected(self) -> tuple[PowerAnswer, ...]:
        """The connections that have a cable or a slot."""
        return tuple(p for p in self.power if p.by != "none")
