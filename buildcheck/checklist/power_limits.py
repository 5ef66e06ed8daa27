"""The power limits of a build, and how nvidia-smi can tell its GPUs apart.

nvidia-smi numbers GPUs by bus address, which is not known before the machine is built. Where all
NVIDIA GPUs get one limit no number is needed; where limits differ from model to model GPUs are
found by the driver's name for them, and counted first. Where GPUs of one name get different limits
the addresses have to be filled in.
"""

import re
from typing import Any

from buildcheck.checklist.answer import LimitedGpu, LimitSetting, PowerLimits
from buildcheck.errors import InputError, Problem
from buildcheck.model.finding import Report
from buildcheck.model.graph import Subject
from buildcheck.model.labels import subject_label
from buildcheck.model.source import Path
from buildcheck.model.vocabulary import problem

#: Names of models that a script can hold; others are filled in by hand.
_PLAIN = re.compile(r"[A-Z0-9][A-Z0-9 ]{1,60}")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 .,+()\[\]-]")
#: Words that drivers and catalogues use or leave out in names of GPUs; the script has them too.
_FILLERS = frozenset(("NVIDIA", "GEFORCE", "TESLA", "GENERATION", "WORKSTATION", "EDITION"))
_BRANDS = re.compile(r"\b(NVIDIA|GEFORCE) ")
#: Size of a GPU's memory in its name.
_SIZE = re.compile(r"\b\d+ ?GB\b")


class NoLimitError(InputError):
    """There is no limit to set, or none that nvidia-smi could set."""


def power_limits(report: Report) -> PowerLimits:
    """The limits to set. Raises `NoLimitError` with every reason why they cannot be set."""
    facts = report.facts
    limited = [g for g in report.graph.of("gpu") if facts("gpu.limit_is_to_set", g)]
    if not limited:
        raise NoLimitError([_problem(report, ("gpus",), "no-limit")])
    ours = [g for g in limited if facts("gpu.is_of_nvidia", g) is not False]
    problems = [p for gpu in ours or limited if (p := _refused(gpu, report))]
    if problems:
        raise NoLimitError(problems)
    visible = [g for g in report.graph.of("gpu") if facts("gpu.is_of_nvidia", g) is not False]
    settings, by_hand = _settings(ours, visible, report)
    return PowerLimits(
        name=_NOT_PLAIN.sub("?", report.name),
        version=report.version,
        settings=settings,
        by_hand=by_hand,
        has_slots=all(facts("gpu.slot", gpu) for gpu in ours),
    )


def _settings(
    limited: list[Subject], visible: list[Subject], report: Report
) -> tuple[tuple[LimitSetting, ...], bool]:
    """Settings of the GPUs that get a limit, and whether nvidia-smi cannot tell them apart."""
    lows = {gpu.id: report.facts.number("gpu.power_limit", gpu).low for gpu in limited}
    watts = {key: f"{low:.2f}".rstrip("0").rstrip(".") for key, low in lows.items()}

    def setting(gpus: list[Subject], model: str = "") -> LimitSetting:
        return LimitSetting(watts[gpus[0].id], tuple(_gpu(g, report) for g in gpus), model)

    if len(limited) == len(visible) and len(set(watts.values())) == 1:
        return (setting(limited),), False
    # Some drivers leave out the size of the memory, so it tells no two GPUs apart.
    models: dict[tuple[str, ...], list[Subject]] = {}
    for gpu in visible:
        words = re.findall(r"[A-Z]+|[0-9]+", _SIZE.sub("", _model(gpu, report)))
        models.setdefault(tuple(sorted(w for w in words if w not in _FILLERS)), []).append(gpu)
    if not all(m and len({watts.get(g.id) for g in alike}) == 1 for m, alike in models.items()):
        return tuple(setting([gpu]) for gpu in limited), True
    found = []
    for alike in (gpus for gpus in models.values() if gpus[0].id in watts):
        # They differ in the size of their memory at most.
        name, *others = {_model(g, report): None for g in alike}
        found.append(setting(alike, " ".join(_SIZE.sub("", name).split()) if others else name))
    return tuple(found), False


def _gpu(gpu: Subject, report: Report) -> LimitedGpu:
    slot = report.facts("gpu.slot", gpu) or "slot not known"
    place = _NOT_PLAIN.sub("?", f"{subject_label(gpu.id)}, {gpu.name}, {slot}")
    return LimitedGpu(gpu.id, re.sub(r"\W+", "_", subject_label(gpu.id)).upper(), place)


def _model(gpu: Subject, report: Report) -> str:
    """The model without brand and signs; empty where it is not known."""
    chip = report.facts("gpu.chip", gpu)
    known = report.facts("gpu.is_of_nvidia", gpu) and (chip or gpu.part)
    name = " ".join(re.split(r"[^A-Z0-9]+", str(chip or gpu.name).upper())).strip()
    name = _BRANDS.sub("", name)
    return name if known and _PLAIN.fullmatch(name) else ""


def _refused(gpu: Subject, report: Report) -> Problem | None:
    """Why nvidia-smi cannot set the limit of a GPU; None if it can."""
    facts = report.facts
    limit = facts.number("gpu.power_limit", gpu)
    least, most = (facts(f"gpu.power_limit_{end}", gpu) for end in ("min", "max"))
    wrong = {
        "not-of-nvidia": facts("gpu.is_of_nvidia", gpu) is False,
        "limit-is-range": not limit.is_exact,
        "limit-too-low": least is not None and limit.is_below(least),
        "limit-too-high": most is not None and most.is_below(limit),
    }
    code = next((code for code, holds in wrong.items() if holds), "")
    words: dict[str, Any] = {"name": gpu.name, "maker": facts("gpu.chip_maker", gpu)}
    return _problem(report, (*gpu.path, "power_limit"), code, **words) if code else None


def _problem(report: Report, at: Path, code: str, **words: Any) -> Problem:
    line, column = report.document.position(at)
    return problem(report.document.path, code, **words)._replace(line=line, column=column)
