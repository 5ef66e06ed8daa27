"""What other power limits would do: training speed of the GPUs, load of the PSUs."""

from buildcheck.facts.limits import Setting
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.answer import Figure, figure
from buildcheck.model.finding import Report
from buildcheck.model.graph import Subject, by_key
from buildcheck.report.answer import LimitCurve, LimitPoint
from buildcheck.units import POWER


def limit_speeds(report: Report) -> tuple[LimitCurve, ...]:
    """The speed of each model at each limit that the build sets for it; none where not known."""
    swept = (gpu for gpu in report.graph.of("gpu") if report.facts("gpu.limit_sweep", gpu))
    found = by_key(((gpu.name, _share(report, gpu)), gpu) for gpu in swept)
    curves = []
    for (name, share), gpus in found.items():
        sweep: tuple[Setting, ...] = report.facts("gpu.limit_sweep", gpus[0])
        held = report.facts("gpu.sustained_power", gpus[0])
        now = _point(share, held, _percent(report.facts("gpu.limited_speed", gpus[0])))
        points = [_point(exact(s.share), s.watts, _percent(s.speed)) for s in sweep]
        subjects = tuple(gpu.id for gpu in gpus)
        curves.append(LimitCurve(subjects, name, tuple(filter(None, points)), now))
    return tuple(curve for curve in curves if curve.points)


def limit_loads(report: Report) -> tuple[LimitCurve, ...]:
    """The sustained load of each PSU with all its GPUs at one share of their default."""
    curves = []
    for psu in report.graph.of("psu"):
        sweep: tuple[Setting, ...] = report.facts("psu.limit_sweep", psu) or ()
        if not sweep or not all(s.watts.is_known for s in sweep):
            continue
        shares = {_share(report, gpu) for gpu in report.graph.ends("feeds", psu)}
        load = report.facts("psu.train_load", psu)
        now = _point(shares.pop(), load, figure(load, POWER)) if len(shares) == 1 else None
        points = [_point(exact(s.share), s.watts, figure(s.watts, POWER)) for s in sweep]
        most = figure(report.facts("psu.usable_power", psu), POWER)
        curves.append(LimitCurve((psu.id,), psu.name, tuple(filter(None, points)), now, most))
    return tuple(curves)


def _share(report: Report, gpu: Subject) -> Interval | None:
    """The limit that the build sets, as a share of the default."""
    held, default = (report.facts(f"gpu.{n}_power", gpu) for n in ("sustained", "board"))
    if held is None or default is None:
        return None
    if report.facts("gpu.power_limit", gpu) is None:
        return exact(1.0)
    share: Interval = held / default
    return share


def _point(
    share: Interval | None, watts: Interval | None, value: Figure | None
) -> LimitPoint | None:
    power = figure(watts, POWER)
    if share is None or power is None or value is None:
        return None
    return LimitPoint(round(50 * (share.low + share.high), 1), power, value)


def _percent(speed: Interval | None) -> Figure | None:
    return figure(Interval(100 * speed.low, 100 * speed.high)) if speed else None
