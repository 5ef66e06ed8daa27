"""The power limits of a build as a systemd unit, as a script, and as commands to type.

nvidia-smi numbers cards by bus address, which a plan does not know. Where all cards of NVIDIA
get one limit no number is needed; where limits differ from model to model the cards are found
by the driver's name for them, and counted first. Where cards that the driver gives one name get
different limits somebody has to fill in which is which.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from buildcheck import store
from buildcheck.errors import InputError, Problem

if TYPE_CHECKING:
    from buildcheck.model.finding import Report
    from buildcheck.model.graph import Subject

#: Where a unit looks for the script, if it needs it.
SCRIPT = "/usr/local/sbin/gpu-power-limits"
#: Names of models that can stand in a script; others are filled in by hand.
_PLAIN = re.compile(r"[A-Z0-9][A-Z0-9 ]{1,60}")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 .,+()\[\]-]")
#: Words in names of cards that drivers and catalogues put in or leave out as they like; the
#: script has the same.
_FILLERS = frozenset(("NVIDIA", "GEFORCE", "TESLA", "GENERATION", "WORKSTATION", "EDITION"))
_BRANDS = re.compile(r"\b(NVIDIA|GEFORCE) ")
#: Size of a card's memory in its name.
_SIZE = re.compile(r"\b\d+ ?GB\b")
_SMI = "/usr/bin/nvidia-smi"


class NoLimitError(InputError):
    """There is no limit to set, or none that nvidia-smi could set."""


@dataclass(frozen=True)
class _Setting:
    """One limit in watts, and the cards that get it."""

    watts: str
    cards: tuple[Subject, ...]
    #: Their model without its brand, as the script looks for it; empty for all of NVIDIA.
    model: str = ""


@dataclass(frozen=True)
class _Plan:
    """All settings, and whether nvidia-smi can tell the cards apart."""

    settings: tuple[_Setting, ...]
    by_hand: bool


def unit(report: Report) -> str:
    """A systemd unit that sets the limits at every start. Raises `NoLimitError`."""
    plan = _plan(report)
    lines, notes = [f"ExecStart={_SMI} -pm 1"], ""
    if plan.by_hand:
        notes = _by_hand(plan, report)
        lines = [f'Environment="{_variable(c)}="' for s in plan.settings for c in s.cards]
        lines += [
            f"ExecStartPre=/usr/bin/test -n ${{{_variable(c)}}}"
            for s in plan.settings
            for c in s.cards
        ]
        lines += [f"ExecStart={_SMI} -pm 1"]
        lines += [
            f"ExecStart={_SMI} -i ${{{_variable(c)}}} -pl {s.watts}"
            for s in plan.settings
            for c in s.cards
        ]
    elif plan.settings[0].model:
        notes = f"# The cards differ: put the script of '--format script' at {SCRIPT} first."
        lines = [f"ExecStart={SCRIPT}"]
    else:
        lines += [f"ExecStart={_SMI} -pl {plan.settings[0].watts}"]
    return _filled("power-limit.service", report, notes, "\n".join(lines))


def script(report: Report) -> str:
    """A shell script that sets the limits once. Raises `NoLimitError`."""
    plan = _plan(report)
    if plan.by_hand:
        notes = _by_hand(plan, report)
        cards = [(c, s.watts) for s in plan.settings for c in s.cards]
        lines = [f"{_variable(c)}=" for c, _ in cards]
        lines += [
            f'[ -n "${_variable(c)}" ] || die "fill in {_variable(c)} first"' for c, _ in cards
        ]
        lines += ["nvidia-smi -pm 1"]
        lines += [f'nvidia-smi -i "${_variable(c)}" -pl {watts}' for c, watts in cards]
        return _without_search(_filled("power-limit.sh", report, notes, "\n".join(lines)))
    lines = [f'need "{s.model}" {len(s.cards)}' for s in plan.settings]
    lines += ["nvidia-smi -pm 1"]
    lines += [f'set_limit "{s.model}" {s.watts}' for s in plan.settings]
    return _filled("power-limit.sh", report, "", "\n".join(lines))


def files(report: Report) -> tuple[str, ...]:
    """The unit, and the script where the unit needs it. Raises `NoLimitError`."""
    plan = _plan(report)
    needs_script = not plan.by_hand and bool(plan.settings[0].model)
    return (unit(report), script(report)) if needs_script else (unit(report),)


def hand_commands(report: Report) -> str:
    """The commands to type, with the bus address left open where cards differ."""
    plan = _plan(report)
    lines = ["sudo nvidia-smi -pm 1"]
    for setting in plan.settings:
        if not plan.by_hand and not setting.model:
            lines.append(f"sudo nvidia-smi -pl {setting.watts}")
            continue
        lines += [
            f"sudo nvidia-smi -i BUS-ADDRESS -pl {setting.watts}   # {_place(card, report)}"
            for card in setting.cards
        ]
    return "\n".join(lines)


_BY_HAND = """\
# Cards that the driver gives one name get different limits, and a plan does not know their bus
# addresses. Fill them in, as `nvidia-smi --query-gpu=pci.bus_id,name --format=csv` prints them.
"""
_BY_SLOT = """\
# The plan knows the slot of each card. Beside a slot's name, the address of what is in it:
#   dmidecode -t slot | grep -E 'Designation|Bus Address'
# Where the board's table has no address or a wrong one, take the cards out one by one.
"""
_WITHOUT_SLOT = """\
# Which address is which card: `dmidecode -t slot`, or take the cards out one by one.
"""


def _plan(report: Report) -> _Plan:
    """What is to be set. Raises `NoLimitError` with all that stands against it."""
    facts = report.facts
    limited = [c for c in report.graph.of("gpu") if facts("gpu.limit_is_to_set", c)]
    if not limited:
        raise NoLimitError(
            [
                Problem(
                    *_where(report, None),
                    "no card of this build has a power limit other than its default",
                    "Give 'power_limit:' under 'gpus:' to set one",
                )
            ]
        )
    ours = [c for c in limited if facts("gpu.is_of_nvidia", c) is not False]
    problems = [p for card in ours or limited if (p := _refused(card, report))]
    if problems:
        raise NoLimitError(problems)
    seen = [c for c in report.graph.of("gpu") if facts("gpu.is_of_nvidia", c) is not False]
    return _arranged(ours, seen, report)


def _arranged(limited: list[Subject], cards: list[Subject], report: Report) -> _Plan:
    """Those of the cards nvidia-smi sees that get a limit, by what it can tell apart."""
    watts = {card.id: _watts(card, report) for card in limited}
    if len(limited) == len(cards) and len(set(watts.values())) == 1:
        return _Plan((_Setting(watts[limited[0].id], tuple(limited)),), by_hand=False)
    # Some drivers leave out the size of the memory, so it tells no two cards apart.
    models: dict[tuple[str, ...], list[Subject]] = {}
    for card in cards:
        models.setdefault(_words(_model(card, report)), []).append(card)
    clear = all(
        model and len({watts.get(card.id) for card in alike}) == 1
        for model, alike in models.items()
    )
    if not clear:
        alone = tuple(_Setting(watts[card.id], (card,)) for card in limited)
        return _Plan(alone, by_hand=True)
    found = [
        _Setting(watts[alike[0].id], tuple(alike), _common([_model(c, report) for c in alike]))
        for alike in models.values()
        if alike[0].id in watts
    ]
    return _Plan(tuple(found), by_hand=False)


def _model(card: Subject, report: Report) -> str:
    """Its model without brand and signs; nothing where it cannot be told."""
    chip = report.facts("gpu.chip", card)
    known = report.facts("gpu.is_of_nvidia", card) and (chip or card.part)
    name = " ".join(re.split(r"[^A-Z0-9]+", str(chip or card.name).upper())).strip()
    name = _BRANDS.sub("", name)
    return name if known and _PLAIN.fullmatch(name) else ""


def _words(model: str) -> tuple[str, ...]:
    """What a name says, whatever its order, without the size of the memory."""
    found = re.findall(r"[A-Z]+|[0-9]+", _SIZE.sub("", model))
    return tuple(sorted(word for word in found if word not in _FILLERS))


def _common(names: list[str]) -> str:
    """One name for cards that differ in the size of their memory at most."""
    return names[0] if len(set(names)) == 1 else " ".join(_SIZE.sub("", names[0]).split())


def _watts(card: Subject, report: Report) -> str:
    watts: float = report.facts.number("gpu.power_limit", card).low
    return f"{watts:.2f}".rstrip("0").rstrip(".")


def _refused(card: Subject, report: Report) -> Problem | None:
    """Why nvidia-smi cannot set the limit of a card, if so."""
    facts, where = report.facts, _where(report, card)
    limit = facts.number("gpu.power_limit", card)
    least, most = (facts(f"gpu.power_limit_{end}", card) for end in ("min", "max"))
    if facts("gpu.is_of_nvidia", card) is False:
        maker = facts("gpu.chip_maker", card)
        return Problem(
            *where,
            f"nvidia-smi sets no limit of {card.name}, which has a chip of {maker}",
            "Use the tool of its maker",
        )
    if not limit.is_exact:
        return Problem(*where, "the power limit is a range", "Give one number of watts")
    if least is not None and limit.is_below(least):
        return Problem(*where, f"{card.name} takes no limit as low as this", "Raise the limit")
    if most is not None and most.is_below(limit):
        return Problem(*where, f"{card.name} takes no limit as high as this", "Lower the limit")
    return None


def _where(report: Report, card: Subject | None) -> tuple[str, int, int]:
    path = ("gpus",) if card is None else (*card.path, "power_limit")
    return (report.document.path, *report.document.position(path))


def _variable(card: Subject) -> str:
    """The name of a card as a shell variable: `gpus[0]` as `GPUS_0`."""
    return re.sub(r"\W+", "_", card.id).strip("_").upper()


def _by_hand(plan: _Plan, report: Report) -> str:
    """What has to be filled in, and how it is found."""
    cards = [card for setting in plan.settings for card in setting.cards]
    seated = all(report.facts("gpu.slot", card) for card in cards)
    way = _BY_SLOT if seated else _WITHOUT_SLOT
    return _BY_HAND + way + "\n".join(_places(plan, report))


def _places(plan: _Plan, report: Report) -> list[str]:
    cards = [card for setting in plan.settings for card in setting.cards]
    return [f"#   {_variable(card)}: {_place(card, report)}" for card in cards]


def _place(card: Subject, report: Report) -> str:
    """A card and its slot, as a remark that cannot be anything else."""
    slot = report.facts("gpu.slot", card) or "slot not known"
    return _NOT_PLAIN.sub("?", f"{card.id}, {card.name}, {slot}")


def _filled(template: str, report: Report, notes: str, commands: str) -> str:
    text = (store.data_folder("templates") / template).read_text(encoding="utf-8")
    name = _NOT_PLAIN.sub("?", report.name)
    about = f"Power limits of the build '{name}', made by buildcheck {report.version}."
    text = text.replace("@about@", about).replace("@notes@\n", f"{notes}\n" if notes else "")
    return text.replace("@commands@", commands)


def _without_search(text: str) -> str:
    """The script without the functions that look for cards by model."""
    start, end = (
        text.index("# Bus addresses of the cards"),
        text.index("}\n\n", text.index("set_limit")),
    )
    return text[:start] + text[end + 3 :]
