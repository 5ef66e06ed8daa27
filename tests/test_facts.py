"""Facts that no table of `tests/facts` can hold: of shipped parts, of bad values, and how they are computed."""

import contextlib
from dataclasses import replace
from typing import Any

import pytest
from conftest import ROOT, each_row
from handmade import ask, cards, facts_of, near, of_kind, slot, subject, supplies

from buildcheck.errors import InputError
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.part import USER

#: Everything that draws power besides cards and CPU, at nothing.
QUIET = (
    subject("motherboard", "motherboard", typical_power="0 W", max_power="0 W"),
    subject("cpu_cooler", "cooler", typical_power="0 W", max_power="0 W"),
)
TRAINING = subject("workload", "workload", cpu_share=0.5)
#: Draws 180 W at work and 250 W flat out.
CPU = subject("cpu", "cpu", base_power="360 W", turbo_power="250 W", pcie_lanes=64)
CARD = {"board_power": "350 W", "excursion_1ms": 1.65}
#: As strong on any mains voltage.
SUPPLY = {"rated_power": "1600 W", "excursion_1ms": 1.3, "low_line_cap": "9 kW"}


def test_what_goes_through_slots_hangs_on_the_supply_of_the_board(judged) -> None:
    """Two cards of 350 W on the second supply take 66 W each through slots of the first."""
    text = (ROOT / "tests/builds/t12-two-supplies/build.yaml").read_text(encoding="utf-8")
    report = judged(text)
    first, second = (report.facts("psu.train_load", p) for p in report.graph.of("psu"))
    assert near(second, 700 - 132)
    assert near(first, 700 + 132 + 171.5, 700 + 132 + 177.5)
    assert near(report.facts("build.train_load"), first.low + 568, first.high + 568)


@pytest.mark.parametrize("curve", ["[[0, 0]]", "[[0.5, 0], [1, 0.9]]", "[[0.1, -1], [1, 0.9]]"])
def test_an_efficiency_of_nothing_is_refused(curve, judged) -> None:
    """It is a mistake in the build file, not a crash and not a verdict."""
    with pytest.raises(InputError):
        judged(
            "gpus: {board_power: 300 W}\n"
            f"psus: {{rated_power: 1000 W, efficiency_low_line: {curve}}}\n"
        )


def test_a_fact_is_computed_once() -> None:
    """Asked twice it is the same object, and what it used stands once, whoever asked before."""
    facts = facts_of(*cards(CARD), *supplies(SUPPLY), CPU, *QUIET, TRAINING)
    psu = facts.graph.subjects["psus[0]"]
    used = facts.used("psu.train_load", psu)
    first = facts("psu.train_load", psu)
    assert facts("psu.train_load", psu) is first
    assert used == facts.used("psu.train_load", psu)
    assert sorted(used) == [("psu.card_power", "psus[0]"), ("psu.system_power", "psus[0]")]


def test_no_file_crashes_the_facts(judged) -> None:
    """Extreme but accepted values give a report or an input error."""
    for text in (
        "gpus: {count: 64, board_power: 100000 W, thickness: 12 slots, plugs: {16-pin: 200}}",
        "gpus: {board_power: 0.001 W, power_limit: 100000 W, excursion_1ms: 0}",
        "gpus: {memory: 1..1000 GB}\npsus: {count: 8, rated_power: 0.5..100000 W}",
        "gpus: {}\nmemory: {module: 0.001 GB, total: 1000000 GB, count: 64}",
    ):
        with contextlib.suppress(InputError):
            judged(text)


def test_models_differ_by_name_or_rating() -> None:
    """Units in parallel on one board are made for it; entries without names may be of one model."""

    def mixed(*given, **names) -> bool | None:
        made = [
            replace(s, name="unnamed power supply", path=("psus", n), **names)
            for n, s in enumerate(supplies(*given))
        ]
        return ask(facts_of(*made), "build.has_mixed_psus", "build")

    one, other = {"rated_power": "1000 W"}, {"rated_power": "850 W"}
    assert mixed(one, one) is None
    assert mixed(one, one, near=()) is mixed(one, one, part="psu/one") is False
    assert mixed(one, other) is True
    assert mixed(one | {"shares_output": True}, other | {"shares_output": True}) is False
    assert mixed(one | {"shares_output": True}, other) is True


def test_a_named_standard_replaces_all_that_stood_in_for_it(judged) -> None:
    """No cap, no ability is left of the standard that a supply or part had before."""

    def facts(psu: str) -> dict[str, Any]:
        found = judged(f"gpus: {{board_power: 300 W}}\npsus: [{{{psu}}}]\n").graph
        return {n: f.value for n, f in found.subjects["psus[0]"].facts.items()}

    silent = facts("rated_power: 2000 W")
    server = facts("rated_power: 2000 W, standard: server")
    assert silent["low_line_cap"] == exact(1650)
    assert server["low_line_cap"] == Interval(900.0, 1200.0)
    older = facts("part: psu/corsair/hx1500i-2025, standard: ATX 2.x")
    assert not {"plain_excursion_1ms", "high_excursion_100us"} & set(older)


def test_only_what_the_build_states_lasts() -> None:
    """Training by default counts for nothing; stated, it does; inference does not."""

    def lasts(source=None, **given) -> bool | None:
        work = of_kind("workload", "workload", **given)
        if source:
            stated = {n: f._replace(source=source) for n, f in work.facts.items()}
            work = replace(work, facts=stated)
        return ask(facts_of(work), "workload.is_stated_to_last")

    assert lasts() is False
    assert lasts(kind="training", is_sustained=True) is False
    assert lasts(USER, kind="training", is_sustained=True) is True
    assert lasts(USER, kind="inference", is_sustained=False) is False
    assert lasts(USER, kind="inference") is None
    assert lasts(continuous=True) is True


WIDE = subject("cpu", "cpu", pcie_lanes=128, pcie_gen=5)


def board(*places: int, **facts):
    """A board with wide slots at these positions."""
    return subject("motherboard", "motherboard", slots=[slot(p) for p in places], **facts)


def test_a_search_that_gave_up_does_not_say_that_there_is_no_slot(monkeypatch) -> None:
    """With too few steps a card has no seat and there may yet be one."""
    monkeypatch.setattr("buildcheck.connect.seating.MOST_STEPS", 3)
    slots = [slot(n) for n in (1, 3, 5, 7)]
    other = subject("add_in_cards[0]", "addin", edge=8, thickness="1 slot")
    board = subject("motherboard", "motherboard", slots=slots)
    facts = facts_of(*cards(*[{"thickness": "2 slots"}] * 4), other, board, WIDE)
    assert ask(facts, "addin.has_slot", "add_in_cards[0]") is None


@each_row
def test_places_of_radiators_that_cannot_be_read(kind, facts, why) -> None:
    """Radiators are rows of fans of 120 or 140 mm; `or` stands between ways to fill a wall, `+` within one."""
    with pytest.raises(ValueError, match=why):
        subject(kind, kind, **facts)
