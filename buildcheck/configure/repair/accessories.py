"""Accessories to add or exchange, from memory to a PSU; and fewer cards."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from buildcheck.configure.common import Phrase, phrase
from buildcheck.configure.decisions import Bought, Decision, counted, joined
from buildcheck.configure.trial import Trial
from buildcheck.edit import Change
from buildcheck.logic.quantity import number_text
from buildcheck.rulebook.proposals import proposals
from buildcheck.words.names import squashed

Ways = Iterator[Decision]

#: What a further circuit asks for.
CIRCUIT = Bought(item="circuit")
#: Where cards that fit no case go.
OPEN_FRAME = "case/generic/open-frame"


def _one(change: Change, said: Phrase, *buys: Bought) -> Decision:
    return Decision((change,), (said,), buys)


def _counts(trial: Trial, section: str, number: int, counts: Iterable[int], code: str) -> Ways:
    """Other counts of an entry."""
    entry = trial.entries(section)[number]
    name = str(entry.get("part", ""))
    for count in counts:
        said = phrase(code, count=count, name=name, before=entry.get("count", 1))
        yield _one(Change((section, number, "count"), count), said)


# -- memory --------------------------------------------------------------------


def _memory(trial: Trial) -> Ways:
    """More of the same memory."""
    entries, total = trial.entries("memory"), trial.facts("memory.total")
    if len(entries) != 1 or total is None or not total.is_exact:
        return
    count = entries[0].get("count", 1)
    if "total" not in entries[0]:
        yield from _counts(trial, "memory", 0, (count * n for n in (2, 3, 4)), "modules")
    elif "count" not in entries[0]:
        # Memory given by its amount alone has no number of modules to add to.
        written: Any = trial.data["memory"]
        item = written[0] if isinstance(written, list) else written
        path = ("memory", 0, "total") if isinstance(item, dict) else ("memory", 0)
        # What is enough for the largest GPU comes first.
        sizes = [m.low for gpu in trial.graph.of("gpu") if (m := gpu.value("memory"))]
        amounts = [round(a) for a in proposals().memory_amounts if total.low < a]
        for amount in sorted(amounts, key=lambda a: a < max(sizes, default=0)):
            said = phrase("memory", amount=amount, before=total.low)
            yield _one(Change(path, f"{amount} GB"), said, Bought(item="memory"))


def _modules(trial: Trial) -> Ways:
    """Fewer of the same memory."""
    entries = trial.entries("memory")
    if len(entries) == 1:
        fewer = range(entries[0].get("count", 1) - 1, 0, -1)
        yield from _counts(trial, "memory", 0, fewer, "modules")


# -- plugs and cables ----------------------------------------------------------


def _adapters(trial: Trial, number: int, entry: dict[str, Any]) -> Ways:
    """The adapter that comes with a card, or others that its plugs take."""
    cards = [s for s in trial.graph.of("gpu") if s.path[:2] == ("gpus", number)]
    plugs = (cards[0].value("plugs") if cards else None) or {}
    if not plugs:
        return
    name, count, path = cards[0].name, len(cards), ("gpus", number, "adapter")
    if "adapter" in entry:
        own = cards[0].value("bundled_adapter")
        yield _one(Change(path, None), phrase("own-adapter", gpu=name, adapter=own))
    now = squashed(entry.get("adapter", ""))
    for part_id in trial.trials.catalog.ids("adapter"):
        adapter = trial.trials.catalog.part(part_id)
        if adapter.value("output") in plugs and squashed(adapter.name) != now:
            pinned = (Change(("gpus", number, "cable"), None),) if "cable" in entry else ()
            said = phrase("adapter", count=count, name=adapter.name, gpu=name)
            changes = (*pinned, Change(path, adapter.name))
            yield Decision(changes, (said,), (Bought(part_id, adapter.name),) * count)


def _bridges(trial: Trial, number: int, entry: dict[str, Any]) -> Ways:
    """Another bridge, or none."""
    rest = {k: v for k, v in entry.items() if k in ("count", "cards")}
    for part_id in trial.trials.catalog.ids("nvlink-bridge"):
        name = trial.trials.catalog.index.name(part_id)
        change = Change(("nvlink", number), {"part": name, **rest})
        yield _one(change, phrase("bridge", name=name))
    yield _one(Change(("nvlink", number), None), phrase("no-bridge"))


# -- air -----------------------------------------------------------------------


def _ducts(trial: Trial) -> Ways:
    """A duct for passive cards, with stronger and stronger fans."""
    cooling, change = trial.section("cooling"), Change(("cooling", "duct"), True)
    if cooling.get("duct") is True:
        return
    flows = [] if "airflow" in cooling else proposals().duct_airflows
    for flow in (None, *(f"{number_text(n)} CFM" for n in flows)):
        changes = (change, Change(("cooling", "airflow"), flow)) if flow else (change,)
        bought = Bought(item="duct")
        yield Decision(changes, (phrase("duct", airflow=flow),), (bought,))


def _fans(trial: Trial) -> Ways:
    """More exhaust fans, as far as the case has room for them."""
    fans = int(trial.section("cooling").get("exhaust_fans") or 0)
    most = trial.facts("case.fans_max", trial.graph.subjects["case"])
    top = min(proposals().most_fans, math.inf if most is None else math.floor(most.low))
    for n in range(fans + 1, int(top) + 1):
        bought = (Bought(item="fan"),) * (n - fans)
        yield _one(Change(("cooling", "exhaust_fans"), n), phrase("fans", count=n), *bought)


# -- risers --------------------------------------------------------------------


def _risers(trial: Trial) -> Ways:
    """Every card on a riser: where it stands, or in an open frame."""
    cards, slower = trial.graph.of("gpu"), max(proposals().riser_generations)
    # The newest PCIe generation that one of the cards speaks.
    gens = [trial.facts("gpu.pcie_gen", card) for card in cards]
    newest = max((int(g.high) for g in gens if g and g.is_known), default=slower)
    generation = min(max(proposals().riser_generations[0], newest), slower)
    part_id = f"riser/generic/pcie-{generation}-x16-{round(proposals().riser_length)}mm"
    risers = [one.part for one in trial.graph.of("riser")]
    if not cards or not trial.trials.catalog.has(part_id) or part_id in risers:
        return
    name = trial.trials.catalog.index.name(part_id)
    changes = [Change(("risers",), None)] if trial.plain.get("risers") else []
    changes += [*trial.unset("gpus", "riser"), *trial.unset("gpus", "vertical")]
    changes.append(Change(("risers",), [{"part": name, "count": len(cards)}]))
    said = phrase("risers", count=len(cards), name=name)
    way = Decision(tuple(changes), (said,))
    # A tower has no place for cards on risers that anybody has measured.
    way = joined(way, *_open_frame(trial))
    held = _one(Change(("firmware", "link_gen"), slower), phrase("slot-gen", gen=slower))
    yield way
    if newest > slower:
        yield joined(way, held)


def _open_frame(trial: Trial) -> Ways:
    """An open frame in the place of the case, unless that is one."""
    if "open" not in str(trial.facts("case.kind", trial.graph.subjects["case"]) or ""):
        name = trial.trials.catalog.index.name(OPEN_FRAME)
        said = phrase("open-frame", case=trial.section("case").get("part"))
        yield _one(Change(("case",), name), said)


# -- supplies ------------------------------------------------------------------


def second_supply(trial: Trial) -> Ways:
    """One more supply of the same model, started together with the first."""
    supplies, entries = trial.graph.of("psu"), trial.entries("psus")
    if not entries or len(supplies) >= proposals().most_supplies:
        return
    name = supplies[0].name if supplies[0].part else ""
    # Cards pinned to the first supply would stay there.
    pins = trial.unset("gpus", "psu")
    changes = (*pins, Change(("psus", 0, "count"), 2), Change(("psu_sync",), "adapter"))
    bought = (Bought(item="sync-adapter"),)
    one, two = (
        (phrase("second-psu", name=name), phrase("synced-psus", circuits=number))
        for number in (1, 2)
    )
    yield Decision(changes, one, bought)
    if trial.section("site").get("circuits") in (None, 1):
        apart = (*changes, Change(("site", "circuits"), 2))
        more = (*bought, CIRCUIT)
        yield Decision(apart, two, more)
        earth = (*apart, Change(("site", "same_earth"), True))
        yield Decision(earth, (*two, phrase("same-earth")), more)


# -- left out --------------------------------------------------------------------


def _extras(trial: Trial, number: int, entry: dict[str, Any]) -> Ways:
    """A network card or another that is no GPU, left out."""
    cards = (s for s in trial.graph.of("addin") if s.path[:2] == ("add_in_cards", number))
    for card in islice(cards, 1):
        said = phrase("leave-out", count=entry.get("count", 1), name=card.name)
        yield _one(Change(("add_in_cards", number), None), said)


def _fewer(trial: Trial) -> Ways:
    """Some of the cards left out, one after the other, the last of the file first."""
    cards = trial.graph.of("gpu")
    changes = list[Change]()
    for total, gone in zip(range(len(cards) - 1, 0, -1), reversed(cards), strict=False):
        number = int(gone.path[1])
        count = sum(card.path[1] == number for card in cards[:total])
        changes += counted(trial.plain, "gpus", number, count)
        said = phrase("fewer-gpus", count=total, before=len(cards))
        yield Decision(tuple(changes), (said,))


def _each(
    section: str, ways: Callable[[Trial, int, dict[str, Any]], Ways]
) -> Callable[[Trial], Ways]:
    """What finds the ways of a move for each entry of a section, by its number."""
    return lambda trial: (
        replace(way, key=str(number + 1))
        for number, entry in enumerate(trial.entries(section))
        for way in ways(trial, number, entry)
    )


#: What finds the ways of a move.
ACCESSORIES = {
    "memory": _memory,
    "modules": _modules,
    "adapter": _each("gpus", _adapters),
    "bridge": _each("nvlink", _bridges),
    # More of those that are listed.
    "cables": _each(
        "cables",
        lambda trial, number, entry: _counts(
            *(trial, "cables", number, (entry.get("count", 1) + n for n in range(1, 5))),
            "more-cables",
        ),
    ),
    "duct": _ducts,
    "fans": _fans,
    "risers": _risers,
    # The same cards in the same slots, without a case around them.
    "frame": lambda trial: _open_frame(trial) if trial.section("case") else iter(()),
    "second PSU": second_supply,
    "extras": _each("add_in_cards", _extras),
    "fewer cards": _fewer,
}
