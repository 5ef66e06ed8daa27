"""Outputs of a PSU: what uses those that a GPU lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.facts.registry import CODE, Ask, graph

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject


@graph("gpu.outputs_in_use", CODE)
def outputs_in_use(card: Subject, ask: Ask) -> str:
    """Outputs of its PSU that its empty sockets could take, and what they feed instead."""
    cabled = ask.graph.into("cabled", card)
    lacking: dict[str, int] = cabled[0].data["lacking"] if cabled else {}
    if not lacking:
        return "none"
    psu = ask.graph.subjects[cabled[0].start]
    taken: dict[str, dict[str, int]] = {}
    kinds = ("board_cabled", "cabled", "slot_fed")
    for edge in (e for kind in kinds for e in ask.graph.out(kind, psu)):
        for connector, number in edge.data["with"].items():
            if _serves(connector, lacking, ask):
                users = taken.setdefault(connector, {})
                users[edge.end] = users.get(edge.end, 0) + number
    return "; ".join(_line(c, users) for c, users in taken.items()) or "none"


@graph("gpu.usual_adapter", CODE)
def usual_adapter(card: Subject, ask: Ask) -> str | None:
    """The usual adapter for one of its sockets without a cable, if there is one."""
    lacking = (c for edge in ask.graph.into("cabled", card) for c in edge.data["lacking"])
    plugs = (ask.graph.subjects.get(f"connector:{connector}") for connector in lacking)
    return next((found for p in plugs if p and (found := ask("connector.adapter", p))), None)


def _serves(connector: str, sockets: dict[str, int], ask: Ask) -> bool:
    plug = ask.graph.subjects.get(f"connector:{connector}")
    fits = (ask("connector.fits", plug) if plug else None) or frozenset()
    return connector in sockets or any(socket in fits for socket in sockets)


def _line(connector: str, users: dict[str, int]) -> str:
    return f"{sum(users.values())}x {connector} by {_names(list(users))}"


def _names(ids: list[str]) -> str:
    """Ids with those that follow each other as a range: `gpus[0..2], motherboard`."""
    found: list[tuple[str, int, int]] = []
    for name in ids:
        start, _, rest = name.partition("[")
        number = int(rest[:-1]) if rest else -1
        if found and rest and found[-1][0] == start and found[-1][2] == number - 1:
            found[-1] = (start, found[-1][1], number)
        else:
            found.append((start, number, number))
    return ", ".join(_name(*run) for run in found)


def _name(start: str, first: int, last: int) -> str:
    if first < 0:
        return start
    return f"{start}[{first}]" if first == last else f"{start}[{first}..{last}]"
