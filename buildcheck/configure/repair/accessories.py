"""Accessories to add or exchange: cables, adapters, risers, a PSU."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from buildcheck.configure.common import action
from buildcheck.configure.repair.risers import frame, risers
from buildcheck.configure.repair.settings import CIRCUIT
from buildcheck.configure.repair.trial import Bought, Move, Way
from buildcheck.edit import Change
from buildcheck.logic.quantity import Interval, number_text
from buildcheck.rulebook.proposals import proposals
from buildcheck.words.names import squashed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.configure.repair.trial import Outcome

ACCESSORY = "accessory"
#: A second PSU in addition to the first.
SECOND_PSU = "second PSU"


def accessories(outcome: Outcome, catalog: Catalog) -> Iterator[Move]:
    """Everything that could be added to a build."""
    yield from _memory(outcome)
    yield from _modules(outcome)
    yield from _plugs(outcome, catalog)
    yield from _bridges(outcome, catalog)
    yield from _air(outcome)
    yield from risers(outcome, catalog)
    yield from frame(outcome, catalog)
    yield from _cables(outcome)
    ways = second_supply(outcome)
    if ways:
        yield Move(SECOND_PSU, ACCESSORY, ("power/", "cable/", "circuit/"), ways)


# -- memory --------------------------------------------------------------------


def _memory(outcome: Outcome) -> Iterator[Move]:
    """More of the same memory."""
    entries = outcome.entries("memory")
    about = ("memory/below", "memory/little", "memory/checkpoint", "memory/offload")
    if len(entries) != 1:
        return
    entry = entries[0]
    total = outcome.facts("memory.total")
    if total is None or not total.is_exact:
        return
    if "total" in entry:
        # Memory given by its amount alone has no number of modules to add to.
        offered = [round(a) for a in proposals().memory_amounts if total.low < a]
        ways = tuple(
            Way(
                (Change(_total(outcome), f"{a} GB"),),
                (action("memory", amount=a, before=total.low),),
                (Bought(None, 1, f"{a} GB", "memory"),),
            )
            for a in ([] if "count" in entry else offered)
        )
    else:
        count, name = entry.get("count", 1), str(entry.get("part", ""))
        ways = tuple(
            Way(
                (Change(("memory", 0, "count"), n),),
                (action("modules", count=n, name=name, before=count),),
                (Bought(outcome.part("memory"), n - count, name, "" if name else "module"),),
            )
            for n in (count * 2, count * 3, count * 4)
        )
    yield Move("memory", ACCESSORY, about, ways)


def _total(outcome: Outcome) -> tuple[str | int, ...]:
    """Where the file gives an amount of memory: as an entry of its own, or in one."""
    section = outcome.data["memory"]
    item = section[0] if isinstance(section, list) else section
    return ("memory", 0, "total") if isinstance(item, dict) and "total" in item else ("memory", 0)


def _modules(outcome: Outcome) -> Iterator[Move]:
    """Fewer of the same memory."""
    entries = outcome.entries("memory")
    if len(entries) == 1 and entries[0].get("count", 1) > 1:
        count, name = entries[0]["count"], str(entries[0].get("part", ""))
        part = outcome.part("memory")
        ways = tuple(
            Way(
                (Change(("memory", 0, "count"), n),),
                (action("modules", count=n, name=name, before=count),),
                leaves=(Bought(part, count - n, name, "" if name else "module"),),
            )
            for n in range(count - 1, 0, -1)
        )
        yield Move("modules", "setting", ("memory/too-many", "memory/above"), ways)


# -- plugs -----------------------------------------------------------------------


def _plugs(outcome: Outcome, catalog: Catalog) -> Iterator[Move]:
    for number, entry in enumerate(outcome.entries("gpus")):
        cards = [s for s in outcome.graph.of("gpu") if s.path[:2] == ("gpus", number)]
        plugs: dict[str, Interval] = (cards[0].value("plugs") if cards else None) or {}
        if not plugs:
            continue
        name, count = cards[0].name, len(cards)
        ways = []
        if "adapter" in entry:
            change = Change(("gpus", number, "adapter"), None)
            own = cards[0].value("bundled_adapter")
            ways.append(Way((change,), (action("own-adapter", gpu=name, adapter=own),)))
        for part_id in catalog.ids("adapter"):
            adapter = catalog.part(part_id)
            output = adapter.facts["output"].value if "output" in adapter.facts else ""
            if output in plugs and squashed(adapter.name) != squashed(entry.get("adapter", "")):
                change = Change(("gpus", number, "adapter"), adapter.name)
                pinned = (Change(("gpus", number, "cable"), None),) if "cable" in entry else ()
                ways.append(
                    Way(
                        (*pinned, change),
                        (action("adapter", count=count, name=adapter.name, gpu=name),),
                        (Bought(part_id, count, adapter.name),),
                    )
                )
        yield Move(f"adapter {number + 1}", ACCESSORY, ("cable/",), tuple(ways))
    yield from _sync(outcome)


def _sync(outcome: Outcome) -> Iterator[Move]:
    if len(outcome.graph.of("psu")) > 1 and outcome.data.get("psu_sync") in (None, "none"):
        change = Change(("psu_sync",), "adapter")
        way = Way((change,), (action("sync"),), (Bought(None, 1, item="sync-adapter"),))
        yield Move("sync", ACCESSORY, ("power/supplies",), (way,))


def _bridges(outcome: Outcome, catalog: Catalog) -> Iterator[Move]:
    entries = outcome.entries("nvlink")
    for number, entry in enumerate(entries):
        ways = [Way((Change(("nvlink", number), None),), (action("no-bridge"),))]
        rest = {k: v for k, v in entry.items() if k in ("count", "cards")}
        for part_id in catalog.ids("nvlink-bridge"):
            name = catalog.index.name(part_id)
            change = Change(("nvlink", number), {"part": name, **rest})
            bought = (Bought(part_id, entry.get("count", 1), name),)
            ways.insert(len(ways) - 1, Way((change,), (action("bridge", name=name),), bought))
        yield Move(f"bridge {number + 1}", ACCESSORY, ("pcie/nvlink", "space/"), tuple(ways))


# -- air -----------------------------------------------------------------------------


def _air(outcome: Outcome) -> Iterator[Move]:
    cooling = outcome.section("cooling")
    if cooling.get("duct") is not True:
        bought = (Bought(None, 1, item="duct"),)
        change = Change(("cooling", "duct"), True)
        ducts = [Way((change,), (action("duct", airflow=None),), bought)]
        if "airflow" not in cooling:
            flows = (f"{number_text(n)} CFM" for n in proposals().duct_airflows)
            ducts += [
                Way(
                    (change, Change(("cooling", "airflow"), flow)),
                    (action("duct", airflow=flow),),
                    bought,
                )
                for flow in flows
            ]
        yield Move("duct", ACCESSORY, ("cooling/passive",), tuple(ducts))
    fans = int(cooling.get("exhaust_fans") or 0)
    most = outcome.facts("case.fans_max", outcome.graph.subjects["case"])
    top = proposals().most_fans
    if most is not None:
        top = min(top, math.floor(most.low))
    ways = tuple(
        Way(
            (Change(("cooling", "exhaust_fans"), n),),
            (action("fans", count=n),),
            (Bought(None, n - fans, item="fan"),),
        )
        for n in range(fans + 1, top + 1)
    )
    if ways:
        yield Move("fans", ACCESSORY, ("cooling/",), ways, graded=True)


def _cables(outcome: Outcome) -> Iterator[Move]:
    """A cable for each plug, and more of those that are listed."""
    if pins := outcome.unset("gpus", "power_cables"):
        bought = (Bought(None, len(pins), item="psu-cable"),)
        way = Way(pins, (action("own-cables"),), bought)
        yield Move("power cables", ACCESSORY, ("cable/",), (way,))
    for number, entry in enumerate(outcome.entries("cables")):
        name, count = str(entry.get("part", "")), entry.get("count", 1)
        ways = tuple(
            Way(
                (Change(("cables", number, "count"), n),),
                (action("more-cables", count=n, name=name, before=count),),
                (Bought(outcome.part("cables", number), n - count, name),),
            )
            for n in range(count + 1, count + 5)
        )
        yield Move(f"cables {number + 1}", ACCESSORY, ("cable/",), ways)


# -- supplies ----------------------------------------------------------------------------


def second_supply(outcome: Outcome) -> tuple[Way, ...]:
    """One more supply of the same model, started together with the first."""
    supplies, entries = outcome.graph.of("psu"), outcome.entries("psus")
    if not entries or len(supplies) >= proposals().most_supplies:
        return ()
    name = supplies[0].name if supplies[0].part else ""
    # Cards pinned to the first supply would stay there.
    pins = outcome.unset("gpus", "psu")
    changes = (*pins, Change(("psus", 0, "count"), 2), Change(("psu_sync",), "adapter"))
    bought = (
        Bought(supplies[0].part, 1, name, "" if name else "psu"),
        Bought(None, 1, item="sync-adapter"),
    )
    one, two = (
        (action("second-psu", name=name), action("synced-psus", circuits=number))
        for number in (1, 2)
    )
    ways = [Way(changes, one, bought)]
    if outcome.section("site").get("circuits") in (None, 1):
        apart = (*changes, Change(("site", "circuits"), 2))
        earth = (*apart, Change(("site", "same_earth"), True))
        more = (*bought, CIRCUIT)
        ways.append(Way(apart, two, more))
        ways.append(Way(earth, (*two, action("same-earth")), more))
    return tuple(ways)
