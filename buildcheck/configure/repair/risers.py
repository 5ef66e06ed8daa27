"""Cards on risers, and cards without a case around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.configure.common import action
from buildcheck.configure.repair.trial import Bought, Move, Way
from buildcheck.edit import Change
from buildcheck.rulebook.proposals import proposals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.catalog import Catalog
    from buildcheck.configure.repair.trial import Outcome

#: Where cards that fit no case go.
OPEN_FRAME = "case/generic/open-frame"


def risers(outcome: Outcome, catalog: Catalog) -> Iterator[Move]:
    """Every card on a riser: where it stands, or in an open frame."""
    cards, entries = outcome.graph.of("gpu"), outcome.entries("gpus")
    part_id = _riser(outcome, catalog)
    if not cards or not part_id:
        return
    name = catalog.index.name(part_id)
    if any(outcome.part("risers", i) == part_id for i in range(len(outcome.entries("risers")))):
        return
    changes = [Change(("risers",), None)] if outcome.plain.get("risers") else []
    for number, entry in enumerate(entries):
        changes += [
            Change(("gpus", number, key), None) for key in ("riser", "vertical") if key in entry
        ]
    changes.append(Change(("risers",), [{"part": name, "count": len(cards)}]))
    bought: tuple[Bought, ...] = (Bought(part_id, len(cards), name),)
    old = outcome.bought("risers")
    made = [action("risers", count=len(cards), name=name)]
    if open_ := _open_frame(outcome, catalog):
        # A tower has no place for cards on risers that anybody has measured.
        changes += open_.changes
        made += open_.actions
        bought, old = (*bought, *open_.buys), (*old, *open_.leaves)
    ways = [Way(tuple(changes), tuple(made), bought, old)]
    slower = max(proposals().riser_generations)
    if _newest(outcome) > slower:
        held = Change(("firmware", "link_gen"), slower)
        made.append(action("slot-gen", gen=slower))
        ways.append(Way((*changes, held), tuple(made), bought, old))
    yield Move("risers", "accessory", ("space/", "pcie/", "cooling/"), tuple(ways))


def _newest(outcome: Outcome) -> int:
    """The newest PCIe generation that one of the cards speaks; that of risers if none is known."""
    gens = [outcome.facts("gpu.pcie_gen", card) for card in outcome.graph.of("gpu")]
    known = [int(g.high) for g in gens if g is not None and g.is_known]
    return max(known or proposals().riser_generations)


def _riser(outcome: Outcome, catalog: Catalog) -> str:
    """The usual riser of the generation of the cards, or of the one it is held to."""
    oldest, *_, newest = proposals().riser_generations
    generation = min(max(oldest, _newest(outcome)), newest)
    part_id = f"riser/generic/pcie-{generation}-x16-{round(proposals().riser_length)}mm"
    return part_id if catalog.has(part_id) else ""


def frame(outcome: Outcome, catalog: Catalog) -> Iterator[Move]:
    """The same cards in the same slots, without a case around them."""
    way = _open_frame(outcome, catalog)
    if way and outcome.section("case"):
        yield Move("frame", "swap", ("space/", "cooling/", "platform/board-too"), (way,))


def _open_frame(outcome: Outcome, catalog: Catalog) -> Way | None:
    """An open frame in the place of the case; None if that is one."""
    if "open" in str(outcome.facts("case.kind", outcome.graph.subjects["case"]) or ""):
        return None
    name, old = catalog.index.name(OPEN_FRAME), outcome.bought("case")
    made = action("open-frame", case=outcome.section("case").get("part"))
    return Way((Change(("case",), name),), (made,), (Bought(OPEN_FRAME, 1, name),), old)
