"""Facts of plugs, cables and the board's feed, with the numbers worked by hand."""

from dataclasses import replace

from conftest import each_row, table
from handmade import SOURCE, STANDARD, cards, facts_of, near, subject, supplies

from buildcheck.model.graph import Subject
from buildcheck.model.part import Sourced

RATINGS = subject("standard", "standard", **STANDARD, **table("facts_cable", "ratings"))
CONNECTORS = tuple(
    subject(f"connector:{name}", "connector", **facts)
    for name, facts in table("facts_cable", "connectors").items()
)
CARD = {"board_power": "350 W", "slot_draw": "66 W", "plugs": {"pcie-8-pin": 2}}
BOARD = {"plugs": {"atx-24-pin": 1, "eps-8-pin": 2}}


def supply(**plugs) -> dict:
    """A supply with a 24-pin and two EPS cables, and these."""
    own = {name.replace("_", "-"): number for name, number in plugs.items()}
    return {"plugs": {"atx-24-pin": 1, "eps-8-pin": 2, **own}}


def of(*subjects, board=BOARD, psu=None, **pins):
    """Facts of these subjects on a board and a supply."""
    return facts_of(
        RATINGS,
        *CONNECTORS,
        *subjects,
        subject("motherboard", "motherboard", **board),
        *supplies(psu or supply(pcie_8_pin=9)),
        **pins,
    )


def ask(facts, name: str, subject_id: str | None = None):
    kind = name.partition(".")[0]
    ids = {"gpu": "gpus[0]", "riser": "risers[0]"}
    return facts(name, facts.graph.subjects[subject_id or ids.get(kind, kind)])


def riser(number: int = 0, **facts: str | bool) -> Subject:
    """A riser; its facts are codes and truths."""
    given = {name: Sourced(value, SOURCE, "assumption", "test") for name, value in facts.items()}
    return Subject(f"risers[{number}]", "riser", f"risers[{number}]", given)


def chained(number: int, **facts: str | bool) -> list[Subject]:
    """Risers of one entry that share a supply cable."""
    return [replace(riser(n, chained=True, **facts), name="extender") for n in range(number)]


@each_row
def test_slots_of_a_chain_add_up(number, alone, load) -> None:
    """Cards of 66, 66 and 18 W through their slots."""
    hung = [{**CARD, "slot_draw": d, "riser": True} for d in ("66 W", "66 W", "18 W")]
    hung = hung if number + alone == 3 else hung[:2]
    facts = of(
        *cards(*hung),
        *chained(number, feed="pcie-6-pin"),
        *(riser(9 - n, feed="pcie-6-pin") for n in range(alone)),
    )
    assert near(ask(facts, "riser.chain_load"), *load)
    assert near(ask(facts, "riser.feed_rating"), 75)
