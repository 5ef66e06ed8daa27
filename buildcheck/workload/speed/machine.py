"""A judged build → how fast its GPUs are, each at its limit and all together."""

from collections.abc import Iterator, Mapping
from itertools import groupby

from buildcheck import units
from buildcheck.facts.speed import BITS, NETS, USES, Compared, Speed, Work, compare, spread_of
from buildcheck.logic.quantity import ONE, Interval
from buildcheck.measure import Facts
from buildcheck.model.answer import figure
from buildcheck.model.finding import Report
from buildcheck.model.graph import Subject
from buildcheck.rulebook.proposals import proposals
from buildcheck.workload.speed.answer import (
    BuildSpeed,
    GpuGroup,
    KnownGpu,
    OtherGpu,
    SpeedAnswer,
    WorkSpeed,
)
from buildcheck.workload.speed.ranking import Speeds, work_speed

#: The work that a build is shown for, the usual first.
WORKS = (*(Work(use, bits) for use in USES for bits in BITS), Work(net=NETS[1]))
#: The work at which GPUs are compared with those people know.
KNOWN_WORKS = (Work(), Work(net="vision"), Work("inference"), Work("inference", "8bit"))
#: By which fact a limit costs speed.
_LIMITED = {"training": "gpu.limited_speed", "inference": "gpu.limited_serving_speed"}
#: Tensor units of the reference GPU, which are Volta's.
_REFERENCE_UNITS = "Volta"


def build_speed(report: Report, others: Speeds | None = None) -> SpeedAnswer:
    """The speed of a judged build, relative to a reference GPU and to each of `others`."""
    facts, gpus = report.facts, report.graph.of("gpu")
    found = BuildSpeed(
        name=report.name,
        file=report.document.path,
        verdict=report.verdict,
        gpus=len(gpus),
        groups=tuple(_groups(gpus, facts)),
        works=tuple(work_speed(work, together(gpus, work, facts)) for work in WORKS),
        others=tuple(_others(gpus, facts, others)) if others else (),
        unknown=tuple(dict.fromkeys(c.name for c in gpus if not facts("gpu.speeds", c))),
        without_bf16=tuple(dict.fromkeys(c.name for c in gpus if facts("gpu.bf16", c) is False)),
    )
    return SpeedAnswer(build=found)


def report_speed(report: Report) -> SpeedAnswer:
    """The speed of a judged build, and its GPUs next to those people know."""
    build = build_speed(report).build
    return SpeedAnswer(build=build, known=tuple(_known(report)))


def _others(gpus: list[Subject], facts: Facts, others: Speeds) -> Iterator[OtherGpu]:
    for part_id, part in others.parts.items():
        works = (
            work_speed(work, together(gpus, work, facts, speed))
            for work in WORKS
            if (speed := others.of(part_id, work))
        )
        yield OtherGpu(part_id, part.name, tuple(works))


def _groups(gpus: list[Subject], facts: Facts) -> Iterator[GpuGroup]:
    def key(gpu: Subject) -> tuple[str, Interval | None]:
        return gpu.name, facts("gpu.power_limit", gpu)

    for (name, limit), group in groupby(gpus, key):
        first, *rest = group
        shares = (figure(facts(_LIMITED[use], first)) for use in USES)
        yield GpuGroup(name, 1 + len(rest), figure(limit, units.POWER), *shares)


def _known(report: Report) -> Iterator[KnownGpu]:
    """Each model of the build's GPUs, then those people know; none if no speed is known."""
    own: dict[str, dict[Work, Speed]] = {}
    for gpu in report.graph.of("gpu"):
        own.setdefault(gpu.name, report.facts("gpu.speeds", gpu))
    first = next((speeds for speeds in own.values() if speeds.get(KNOWN_WORKS[0])), None)
    if first is None or report.catalog is None:
        return
    for name, speeds in own.items():
        yield KnownGpu(name, True, _relative(speeds, first, report.facts))
    known = Speeds(report.catalog, proposals().compared_gpus)
    for part_id, part in known.parts.items():
        found = {work: speed for work in KNOWN_WORKS if (speed := known.of(part_id, work))}
        if not any(all(found.get(w) == one.get(w) for w in KNOWN_WORKS) for one in own.values()):
            yield KnownGpu(part.name, False, _relative(found, first, report.facts))


def _relative(
    speeds: Mapping[Work, Speed], first: Mapping[Work, Speed], facts: Facts
) -> tuple[WorkSpeed, ...]:
    """The speed of a GPU relative to the first at each kind of work."""
    works = []
    for work in KNOWN_WORKS:
        one, other, spread = speeds.get(work), first.get(work), spread_of(work.net, facts)
        known = one is not None and other is not None and spread is not None
        works.append(work_speed(work, compare(one, other, spread) if known else None))
    return tuple(works)


def together(
    gpus: list[Subject], work: Work, facts: Facts, over: Speed | None = None
) -> Compared | None:
    """The GPUs at their limits over another, one job each; None if a speed is not known."""
    found = [_gpu_speed(gpu, work, facts, over) for gpu in gpus]
    known = [speed for speed in found if speed is not None]
    if not known or len(known) < len(found):
        return None
    low, high = sum(s.range.low for s in known), sum(s.range.high for s in known)
    return Compared(sum(s.usual for s in known), Interval(low, high))


def _gpu_speed(gpu: Subject, work: Work, facts: Facts, over: Speed | None) -> Compared | None:
    """A GPU at its limit over another, or over the reference GPU at 16 bit."""
    speed: Speed | None = facts("gpu.speeds", gpu).get(work)
    left: Interval | None = facts(_LIMITED[work.use], gpu)
    spread = spread_of(work.net, facts)
    if speed is None or left is None or spread is None:
        return None
    reference = Speed(ONE.low, (ONE.low,) * len(speed.cases), ONE.low, _REFERENCE_UNITS)
    usual, ends = compare(speed, over or reference, spread)
    return Compared(usual * (left.low + left.high) / 2, ends * left)
