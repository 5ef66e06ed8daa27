"""Cooling: neighbours, air, temperatures, water and CPU coolers, worked by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from handmade import STANDARD, ask, cards, facts_of, near, of_kind, subject

from buildcheck.model.quantity import ANYTHING, UNKNOWN, ZERO, Interval, exact

AIR = {
    "air_heat_capacity": 0.569,
    "fan_airflow": "60 CFM",
    "usual_airflow": "120..360 CFM",
    "usual_ambient": "25 degC",
    "intake_design": "30 degC",
    "passive_airflow": 0.088,
}
RULES = subject("standard", "standard", **STANDARD, **AIR)
#: Draws 140 W while the cards work.
CPU = subject("cpu", "cpu", base_power="280 W")
WORK = subject("workload", "workload", cpu_share=0.5)


TOWER = of_kind("case", "case", "tower")
FRAME = of_kind("case", "case", "open frame")
OPEN = {
    "cooling": "open-air",
    "exhaust_share": 0.15,
    "neighbour_heat": "30 degC",
    "neighbour_reach": "20.32 mm",
    "thermal_resistance": "0.11..0.18",
    "needs_radiator": False,
    "throttle_temperature": "83 degC",
}
BLOWER = {
    **OPEN,
    "cooling": "blower",
    "exhaust_share": 0.8,
    "neighbour_heat": "8 degC",
    "neighbour_reach": "10 mm",
    "thermal_resistance": "0.15..0.20",
}
WATER = {
    "cooling": "water",
    "exhaust_share": 1.0,
    "neighbour_heat": "0 degC",
    "thermal_resistance": 0.06,
    "needs_radiator": True,
    "thickness": "1 slot",
}
TURING = {**OPEN, "board_power": "260 W", "thickness": "2 slots"}
AMPERE = {**OPEN, "board_power": "350 W", "thickness": "3 slots"}


def machine(*gpus, positions=(), air=None, case=TOWER, **more):
    """Cards in a tower, with so much air through it."""
    pins = {f"gpus[{n}]": p for n, p in enumerate(positions)}
    cooling = subject("cooling", "cooling", **({"airflow": air} if air else {}))
    parts = {s.id: s for s in (RULES, CPU, WORK, case, cooling)}
    parts |= {s.id: s for s in more.values()}
    return facts_of(*cards(*gpus), *parts.values(), slots=pins)


# -- the estimate against what it was set on ---------------------------------


@pytest.mark.parametrize(
    ("card", "positions", "air", "degrees", "loss"),
    [
        ({**OPEN, "board_power": "260 W", "thickness": "2 slots"}, (1, 3, 5, 7), 200, 104, 0.26),
        (TURING, (1, 3), 150, 102, 0.23),
        (TURING, (1, 4), 150, 87, 0.04),
        ({**BLOWER, "board_power": "250 W", "thickness": "2 slots"}, (1, 3, 5, 7), 200, 84, 0.01),
        # The upper of two GTX 1080 Ti of two and a half slots stood at 84 degC.
        ({**OPEN, "board_power": "250 W", "thickness": "2.5 slots"}, (1, 4), 150, 84, 0.02),
        ({**BLOWER, "board_power": "350 W", "thickness": "2 slots"}, (1, 3, 5, 7), 200, 90, 0.07),
        (
            {**BLOWER, "board_power": "350 W", "power_limit": "300 W", "thickness": "2 slots"},
            (1, 3, 5, 7), 200, 81, 0,
        ),
        (AMPERE, (1, 4), 150, 104, 0.33),
        (AMPERE, (1, 5), 150, 84, 0.01),
    ],
)  # fmt: skip
def test_the_estimate_stays_close_to_its_calibration(card, positions, air, degrees, loss) -> None:
    """Within 5 degC and 4 points of speed of the upper card in each of these machines."""
    facts = machine(*[card] * len(positions), positions=positions, air=f"{air} CFM")
    reached = ask(facts, "gpu.temperature", "gpus[0]")
    lost = ask(facts, "gpu.thermal_loss", "gpus[0]")
    assert reached.is_exact
    assert reached.low == pytest.approx(degrees, abs=5)
    assert lost.low == pytest.approx(loss, abs=0.04)
    assert ask(facts, "gpu.temperature_is_estimated", "gpus[0]") is True


def test_the_estimate_by_hand() -> None:
    """Two cards of 260 W and two slots in neighbouring places, 150 CFM.

    Case: 2x260x0.85 + 140 = 582 W; 582 / (0.569 x 150) = 6.819
    Neighbour, 1.6 mm: 30 x 260/300 x exp(-1.6/20.32) = 26 x 0.92428 = 24.031
    25 + 6.819 + 24.031 + 0.18 x 260 = 102.65
    (83 - 55.850) / 0.18 = 150.83 W; 1 - sqrt(150.83 / 260) = 0.23835
    """
    facts = machine(TURING, TURING, positions=(1, 3), air="150 CFM")
    assert near(ask(facts, "build.heat_inside"), 582)
    assert near(ask(facts, "gpu.case_rise", "gpus[0]"), 6.819)
    assert near(ask(facts, "gpu.neighbour_rise", "gpus[0]"), 24.031)
    assert near(ask(facts, "gpu.temperature", "gpus[0]"), 102.65)
    assert near(ask(facts, "gpu.thermal_loss", "gpus[0]"), 0.23835)
    # The lower one has free air: 25 + 6.819 + 46.8 = 78.62, below its limit.
    assert near(ask(facts, "gpu.temperature", "gpus[1]"), 78.619)
    assert ask(facts, "gpu.thermal_loss", "gpus[1]") == ZERO


def test_a_warm_room_counts() -> None:
    """35 degC instead of 25 are ten more at the chip."""
    site = subject("site", "circuit", ambient="35 degC")
    facts = machine(TURING, TURING, positions=(1, 3), air="150 CFM", site=site)
    assert near(ask(facts, "gpu.temperature", "gpus[0]"), 112.65)


@pytest.mark.parametrize(
    ("card", "kelvin"),
    [
        ({**OPEN, "board_power": "250 W", "thickness": "2 slots"}, 0.18),
        # 2.5 slots are 49.2 mm, halfway from 39.04 to 59.36 mm.
        ({**OPEN, "board_power": "250 W", "thickness": "2.5 slots"}, 0.145),
        ({**OPEN, "board_power": "350 W", "thickness": "3 slots"}, 0.11),
        ({**OPEN, "board_power": "350 W", "thickness": "3.5 slots"}, 0.11),
        # Larger than any the model was set on: 0.11 x 350/450.
        ({**OPEN, "board_power": "450 W", "thickness": "3 slots"}, 0.085556),
        # Alone at 30 degC it stays at 83: 53 / 575, less than 0.18 x 350/575 = 0.1096.
        ({**OPEN, "board_power": "575 W", "thickness": "2 slots"}, 0.092174),
        ({**BLOWER, "board_power": "250 W"}, 0.20),
        ({**BLOWER, "board_power": "300 W"}, 0.175),
        ({**BLOWER, "board_power": "350 W"}, 0.15),
        # A limit makes no cooler larger.
        ({**BLOWER, "board_power": "350 W", "power_limit": "250 W"}, 0.15),
    ],
)
def test_the_cooler_is_as_large_as_the_card(card, kelvin) -> None:
    """Its resistance, in kelvin per watt."""
    assert near(ask(machine(card), "gpu.resistance", "gpus[0]"), kelvin)


def test_what_is_not_known_leaves_the_temperature_open() -> None:
    """A cooler nobody names, or a thickness in a range."""
    facts = machine({"board_power": "350 W", "throttle_temperature": "83 degC"})
    assert ask(facts, "gpu.temperature", "gpus[0]") == UNKNOWN
    assert ask(facts, "gpu.thermal_loss", "gpus[0]") == Interval(0, 1)
    assert ask(facts, "gpu.temperature_is_estimated", "gpus[0]") is False
    facts = machine({**AMPERE, "thickness": "2..3 slots"})
    # 53 / 350 = 0.1514 is less than the 0.18 of two slots.
    assert near(ask(facts, "gpu.resistance", "gpus[0]"), 0.11, 53 / 350)
    assert ask(facts, "gpu.temperature_is_estimated", "gpus[0]") is False
    silent = {n: v for n, v in AMPERE.items() if n != "throttle_temperature"}
    assert ask(machine(silent), "gpu.thermal_loss", "gpus[0]") == Interval(0, 1)


def test_water_below_warms_nobody() -> None:
    """Nor is a water-cooled card warmed by what is below it."""
    facts = machine(AMPERE, {**WATER, "board_power": "350 W"}, positions=(1, 4))
    assert ask(facts, "gpu.neighbour_rise", "gpus[0]") == ZERO
    facts = machine({**WATER, "board_power": "350 W"}, AMPERE, positions=(1, 2))
    assert ask(facts, "gpu.neighbour_rise", "gpus[0]") == ZERO


def test_cards_in_the_open_only_warm_each_other() -> None:
    """An open frame keeps no heat."""
    facts = machine(TURING, TURING, positions=(1, 3), case=FRAME)
    assert ask(facts, "build.card_heat") == ZERO
    assert ask(facts, "gpu.case_rise", "gpus[0]") == ZERO
    assert near(ask(facts, "gpu.temperature", "gpus[0]"), 25 + 24.031 + 46.8)


# -- air through the case ----------------------------------------------------


@pytest.mark.parametrize(
    ("cooling", "case", "low", "high"),
    [
        ({}, {}, 120, 360),
        ({"airflow": "211 CFM"}, {"fans": 3}, 211, 211),
        ({"exhaust_fans": 4}, {"fans": 3}, 240, 240),
        ({"exhaust_fans": 4, "airflow": "100 CFM"}, {}, 100, 100),
        # Three fans in the box are half in, half out: 90 CFM, less than usual fans move.
        ({}, {"fans": 3}, 120, 360),
        ({}, {"fans": 1}, 120, 360),
        # Four of eight blow out; more may be added.
        ({}, {"fans": 8}, 240, 360),
        ({}, {"fans": 14}, 420, 420),
        # Not to blow out does not mean that no air goes through.
        ({"exhaust_fans": 0}, {}, 120, 360),
        ({}, {"kind": "4U"}, 120, math.inf),
    ],
)
def test_air_moved(cooling, case, low, high) -> None:
    """As stated, by fans of 60 CFM, or what usual fans move."""
    facts = facts_of(
        RULES, subject("cooling", "cooling", **cooling), of_kind("case", "case", **case)
    )
    assert ask(facts, "cooling.moved_air") == Interval(low, high)
    assert ask(facts, "cooling.lists_fans") is any(cooling.values())


def test_heat_that_stays_in_the_case() -> None:
    """Four open cards of 350 W leave 85 %, blowers 20 %; unnamed coolers count in full."""
    assert near(ask(machine(*[AMPERE] * 4), "build.card_heat"), 1190)
    blowers = [{**BLOWER, "board_power": "300 W"}] * 4
    assert near(ask(machine(*blowers), "build.card_heat"), 240)
    assert near(ask(machine(*[{"board_power": "575 W"}] * 7), "build.card_heat"), 4025)
    assert ask(machine({**WATER, "board_power": "350 W"}), "build.card_heat") == ZERO


def test_cards_on_risers_stand_outside_unless_a_case_is_listed() -> None:
    """Where is not known without one."""
    card = {**AMPERE, "riser": True}
    assert near(ask(machine(card), "gpu.heat_into_case", "gpus[0]"), 297.5)
    unlisted = replace(TOWER, facts={}, listed=False)
    facts = machine(card, case=unlisted)
    assert ask(facts, "gpu.heat_into_case", "gpus[0]") == Interval(0, 297.5)
    assert ask(facts, "gpu.case_rise", "gpus[0]").low == 0
    assert ask(facts, "gpu.temperature_is_estimated", "gpus[0]") is False
    facts = machine(AMPERE, case=unlisted)
    assert ask(facts, "gpu.heat_into_case", "gpus[0]") == exact(297.5)


# -- neighbours --------------------------------------------------------------


def test_who_is_above_and_below() -> None:
    """An open card in 1, a blower in 3, a flow-through card in 6; each of two slots."""
    facts = machine(
        TURING,
        {**BLOWER, "board_power": "250 W", "thickness": "2 slots"},
        {**TURING, "cooling": "flow-through"},
        positions=(1, 3, 6),
    )
    assert [ask(facts, "gpu.is_above_blower", f"gpus[{n}]") for n in range(3)] == [
        True, False, False,
    ]  # fmt: skip
    assert [ask(facts, "gpu.has_card_above", f"gpus[{n}]") for n in range(3)] == [
        False, True, True,
    ]  # fmt: skip
    assert [ask(facts, "gpu.blows_through", f"gpus[{n}]") for n in range(3)] == [
        False, False, True,
    ]  # fmt: skip
    assert ask(facts, "gpu.gap_above", "gpus[0]") == ANYTHING
    # 2 x 20.32 - 39.04 and 3 x 20.32 - 39.04
    assert near(ask(facts, "gpu.gap_above", "gpus[1]"), 1.6)
    assert near(ask(facts, "gpu.gap_above", "gpus[2]"), 21.92)
    assert ask(facts, "build.cards_in_board") == exact(3)
    assert ask(facts, "build.cards_are_open_air") is False


def test_a_cooler_card_in_the_better_place() -> None:
    """350 W above 250 W with 1.6 mm between them; the other way round all is well."""
    hot, mild = {**TURING, "board_power": "350 W"}, {**TURING, "board_power": "250 W"}
    name = "gpu.yields_air_to_cooler_card"
    facts = machine(hot, mild, positions=(1, 3))
    assert ask(facts, name, "gpus[0]") is True
    assert ask(facts, name, "gpus[1]") is False
    assert ask(machine(hot, mild, positions=(3, 1)), name, "gpus[0]") is False
    assert ask(machine(hot, hot, positions=(1, 3)), name, "gpus[0]") is False
    unsure = {**mild, "board_power": "300..360 W"}
    assert ask(machine(hot, unsure, positions=(1, 3)), name, "gpus[0]") is False


# -- cards without fans ------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "kit", "ducted"),
    [
        ({"kind": "tower"}, None, False),
        ({"kind": "tower"}, True, True),
        ({"ducted": True}, None, True),
        ({"kind": "4U", "ducted": False}, None, False),
        # A rack chassis alone proves nothing, nor does the lack of a kit.
        ({"kind": "4U"}, None, None),
        ({"kind": "4U"}, False, None),
        ({"kind": "open frame"}, None, False),
        (None, None, None),
        (None, True, True),
    ],
)
def test_ducts(case, kit, ducted) -> None:
    """In the case or as a kit; a tower has none, a case nobody lists may."""
    listed = of_kind("case", "case", **(case or {}))
    cooling = subject("cooling", "cooling", **({} if kit is None else {"duct": kit}))
    facts = facts_of(RULES, replace(listed, listed=case is not None), cooling)
    assert ask(facts, "case.is_ducted") is ducted
    assert ask(facts, "case.has_duct") is (ducted is True)


@pytest.mark.parametrize(
    ("case", "cooling", "blown"),
    [
        ({"ducted": True}, {}, True),
        ({"ducted": True}, {"exhaust_fans": 0}, False),
        ({}, {"duct": True}, None),
        ({}, {"duct": True, "exhaust_fans": 2}, True),
        ({}, {"duct": True, "exhaust_fans": 0}, False),
        # Whether it is enough is another question.
        ({}, {"duct": True, "airflow": "40 CFM"}, True),
        ({}, {"airflow": "40 CFM"}, False),
    ],
)
def test_a_duct_moves_no_air_by_itself(case, cooling, blown) -> None:
    """Fans do; a chassis with ducts has them unless it says otherwise."""
    facts = facts_of(
        RULES,
        *cards({"cooling": "passive"}),
        of_kind("case", "case", "tower", **case),
        subject("cooling", "cooling", **cooling),
    )
    assert ask(facts, "gpu.is_blown_through", "gpus[0]") is blown


def test_no_fans_leave_a_draught() -> None:
    """569 W against 0.569 W for each of 10 CFM at most: 100 kelvin at least."""
    card = {"board_power": "569 W", "cooling": "open-air", "exhaust_share": 0.0}
    parts = (RULES, *cards(card), TOWER, subject("cooling", "cooling", airflow="0 CFM"))
    facts = facts_of(*parts, subject("cpu", "cpu", base_power="1 W"), WORK)
    assert ask(facts, "build.air_rise", "build").low == pytest.approx(100, rel=0.01)


def test_air_for_cards_without_fans() -> None:
    """250 W want 22 CFM, held at 200 W 17.6; two share what is stated."""
    passive = {"cooling": "passive", "board_power": "250 W"}
    facts = machine(passive, {**passive, "power_limit": "200 W"}, air="50 CFM")
    assert near(ask(facts, "gpu.air_needed", "gpus[0]"), 22)
    assert near(ask(facts, "gpu.air_needed", "gpus[1]"), 17.6)
    assert ask(facts, "build.air_per_passive_card") == exact(25)
    stated = machine({**passive, "airflow_needed": "30 CFM"})
    assert ask(stated, "gpu.air_needed", "gpus[0]") == exact(30)
    assert ask(stated, "build.air_per_passive_card") is None


# -- water -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("radiators", "sections"),
    [
        ({"360 mm": 2}, 6),
        ({"240 mm": 1, "120 mm": 1}, 3),
        # 280 x 140 over 120 x 120
        ({"280 mm": 1}, 2.7222),
        ({"420": 1}, 4.0833),
        ({}, 0),
    ],
)
def test_radiator_area(radiators, sections) -> None:
    """In radiators of 120 mm, with fans that run quietly unless it is said."""
    quiet = facts_of(RULES, subject("cooling", "cooling", radiators=radiators))
    assert near(ask(quiet, "cooling.quiet_sections"), sections)
    assert ask(quiet, "cooling.fast_sections") == ZERO
    fast = facts_of(RULES, subject("cooling", "cooling", radiators=radiators, fast_fans=True))
    assert near(ask(fast, "cooling.fast_sections"), sections)
    assert ask(fast, "cooling.quiet_sections") == ZERO


@pytest.mark.parametrize("size", ["banana", "MO-RA3", "300 mm", "0", "12000 mm"])
def test_a_radiator_of_no_readable_size(size) -> None:
    """Radiators are rows of fans of 120 or 140 mm; no list is none known."""
    with pytest.raises(ValueError, match="multiple of 120 or 140 mm"):
        subject("cooling", "cooling", radiators={size: 1})
    assert ask(facts_of(RULES), "cooling.quiet_sections") is None


def test_heat_and_radiators_of_a_loop() -> None:
    """Two water cards of 350 W, one with a radiator of its own, a CPU of 280 W."""
    card = {**WATER, "board_power": "350 W"}
    own = {**card, "cooling": "hybrid"}
    block = of_kind("cpu_cooler", "cooler", "liquid")
    loop = subject("cooling", "cooling", radiators={"360 mm": 2})
    facts = machine(card, card, own, cooler=block, cooling=loop)
    assert near(ask(facts, "build.loop_heat"), 980)
    # Two of the loop and one of the card; a cooler of no stated radiator may have one or be a block.
    assert ask(facts, "build.radiators_needed") == Interval(3, 4)
    closed = of_kind("cpu_cooler", "cooler", "liquid", radiator="360 mm")
    facts = machine(card, own, cooler=closed)
    assert near(ask(facts, "build.loop_heat"), 350)
    # One of the card, one of the CPU, and one at least for the loop.
    assert ask(facts, "build.radiators_needed") == Interval(3, math.inf)
    assert ask(facts, "cooling.quiet_sections") is None
    assert ask(machine(AMPERE, cooler=closed), "build.radiators_needed") == exact(1)
    # Without a loop it is no block for one.
    assert ask(machine(AMPERE, cooler=block), "build.radiators_needed") == exact(1)
    assert ask(machine(AMPERE), "build.has_loop") is False


FRONT = "360 mm or 240 mm + 120 mm or 3x 120 mm"


def hybrids(*sizes: str | None) -> list[dict]:
    """A card for each size of radiator; None is a radiator of which the size is not known."""
    own = {**WATER, "cooling": "hybrid"}
    return [{**own, "radiator": size} if size else own for size in sizes]


def placed(*sizes: str | None, **case) -> Interval:
    """How many of the cards' radiators find a place in a case."""
    facts = machine(*hybrids(*sizes), case=of_kind("case", "case", "tower", **case))
    return ask(facts, "build.card_radiators_placed")


@pytest.mark.parametrize(
    ("sizes", "walls", "fit"),
    [
        # One wall takes one way of filling it.
        (["240 mm"] * 3, [FRONT], (1, 1)),
        (["120 mm"] * 3, [FRONT], (3, 3)),
        (["120 mm", "240 mm"], [FRONT], (2, 2)),
        (["120 mm", "360 mm"], [FRONT], (1, 1)),
        (["120 mm", "360 mm"], [FRONT, "120 mm"], (2, 2)),
        # A place takes what is shorter, and the long ones go first.
        (["240 mm", "360 mm"], ["360 mm", "240 mm"], (2, 2)),
        (["240 mm", "240 mm"], ["480 mm or 420 mm", "360 mm"], (2, 2)),
        (["240 mm", "360 mm"], ["240 mm", "280 mm"], (1, 1)),
        # Whether a place for wide fans has holes for narrow ones, or the other way, nobody says.
        (["240 mm"], ["280 mm"], (0, 1)),
        (["280 mm"], ["360 mm"], (0, 1)),
        (["280 mm"], ["240 mm"], (0, 0)),
        (["280 mm"], ["360 mm or 280 mm"], (1, 1)),
        # What is not known may be as small as the smallest, or larger than any place.
        ([None, "240 mm"], ["240 mm", "120 mm"], (1, 2)),
        ([None, "240 mm"], ["240 mm"], (1, 1)),
        (["240 mm"], [], (0, 0)),
    ],
)
def test_radiators_are_packed_by_size(sizes, walls, fit) -> None:
    """As many at once as any choice of ways to fill the walls takes."""
    assert placed(*sizes, radiator_walls=walls) == Interval(*fit)


@pytest.mark.parametrize(
    ("sizes", "places", "fit"),
    [
        # Places for several sizes may be the same ones: a count of one size is sure.
        (["240 mm"] * 3, {"360 mm": 1, "240 mm": 1, "120 mm": 3}, (1, 2)),
        (["240 mm"] * 2, {"240 mm": 2}, (2, 2)),
        (["360 mm", "240 mm"], {"360 mm": 2, "280 mm": 1}, (2, 2)),
        (["360 mm", "240 mm"], {"360 mm": 1, "240 mm": 1}, (1, 2)),
        (["240 mm"] * 2, {"360 mm": "1..3"}, (1, 2)),
        (["360 mm"], {"240 mm": 3}, (0, 0)),
        ([None], {"360 mm": 3}, (0, 1)),
        (["240 mm"], {}, (0, 0)),
    ],
)
def test_radiators_against_counts_of_places(sizes, places, fit) -> None:
    """Where a sheet says no more than how many of a size a case takes."""
    assert placed(*sizes, radiators=places) == Interval(*fit)


def test_places_that_nobody_states() -> None:
    """Walls say more than counts, and without either nothing is known."""
    assert placed("240 mm") is None
    assert placed("240 mm", "240 mm", radiator_walls=[FRONT], radiators={"240 mm": 2}) == exact(1)


def test_all_radiators_want_places() -> None:
    """One of a card, one of the CPU cooler and two of a loop, in a wall for two."""
    case = of_kind("case", "case", "tower", radiator_walls=["2x 360 mm", "240 mm"])
    cooler = of_kind("cpu_cooler", "cooler", "liquid", radiator="240 mm")
    facts = machine(*hybrids("240 mm"), case=case, cooler=cooler)
    assert ask(facts, "build.radiators_placed") == exact(2)
    loop = subject("cooling", "cooling", radiators={"360 mm": 2})
    facts = machine(*hybrids("240 mm"), WATER, case=case, cooler=cooler, cooling=loop)
    assert ask(facts, "build.radiators_needed") == exact(4)
    assert ask(facts, "build.radiators_placed") == exact(3)
    assert ask(facts, "build.card_radiators_placed") == exact(1)


@pytest.mark.parametrize(
    "wall",
    ["", "300 mm", "360 mm and 240 mm", "0x 120 mm", "99x 120 mm", "3 120 mm", "or 120 mm"],
)
def test_a_wall_that_cannot_be_read(wall) -> None:
    """Sizes are of rows of fans; `or` stands between ways to fill a wall, `+` within one."""
    with pytest.raises(ValueError, match="needs"):
        subject("case", "case", radiator_walls=[wall])


def test_walls_with_too_many_ways() -> None:
    """Every choice of ways is tried, so there are not endlessly many."""
    with pytest.raises(ValueError, match="ways"):
        subject("case", "case", radiator_walls=[" or ".join(["120 mm"] * 10)] * 10)


# -- the CPU cooler ----------------------------------------------------------


@pytest.mark.parametrize(
    ("cooler", "covers"),
    [
        ({"covers_lid": False, "sockets": ["TR4"]}, False),
        ({"covers_lid": True, "sockets": ["AM4", "TR4"]}, True),
        ({"sockets": ["TR4", "sTRX4", "SP3"]}, True),
        ({"sockets": ["AM4", "TR4"]}, None),
        ({}, None),
    ],
)
def test_lids(cooler, covers) -> None:
    """A plate made for large sockets alone covers their lids."""
    facts = facts_of(RULES, subject("cpu_cooler", "cooler", **cooler))
    assert ask(facts, "cooler.covers_the_lid") is covers


@pytest.mark.parametrize(
    ("cpu", "board", "large"),
    [("sTRX4", None, True), ("AM5", "sTR5", False), (None, "SP5", True), (None, None, None)],
)
def test_large_lids_by_socket(cpu, board, large) -> None:
    """The CPU's socket, else the board's."""
    facts = facts_of(
        subject("cpu", "cpu", **({"socket": cpu} if cpu else {})),
        subject("motherboard", "motherboard", **({"socket": board} if board else {})),
    )
    assert ask(facts, "cpu.has_a_large_lid") is large


def test_coolers_for_servers() -> None:
    """SP3 alone is a server's; with TR4 it is not."""
    for sockets, server in ((["SP3"], True), (["SP3", "TR4"], False), (None, False)):
        given = {"sockets": sockets} if sockets else {}
        facts = facts_of(subject("cpu_cooler", "cooler", **given))
        assert ask(facts, "cooler.is_for_servers") is server
