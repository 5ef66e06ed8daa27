"""Facts, with the numbers worked by hand."""

from __future__ import annotations

import contextlib
import math

import pytest
from conftest import ROOT
from handmade import ask, cards, facts_of, near, slot, subject, supplies

from buildcheck.errors import InputError
from buildcheck.model.quantity import ANYTHING, Interval, exact

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


# -- load --------------------------------------------------------------------


def test_loads_add_up() -> None:
    """Four cards held at 280 W, a CPU, a board, a cooler, four modules and two drives.

    At work:   4x280 + 0.5x165 + 80 + 10 + 4x4 + 2x6 = 1120 + 82.5 + 118 = 1320.5 W
    Flat out:  4x280 + 250 + 100 + 15 + 4x5 + 2x9    = 1120 + 250 + 153  = 1523 W
    Unlimited: 4x350 + 0.5x165 + 118                 = 1600.5 W
    """
    facts = facts_of(
        *cards(*[{"board_power": "350 W", "power_limit": "280 W"}] * 4),
        *supplies({"rated_power": "1600 W"}),
        subject("cpu", "cpu", base_power="165 W", turbo_power="250 W"),
        subject("motherboard", "motherboard", typical_power="80 W", max_power="100 W"),
        subject("cpu_cooler", "cooler", typical_power="10 W", max_power="15 W"),
        subject("memory[0]", "module", 4, module="32 GB", typical_power="4 W", max_power="5 W"),
        *(
            subject(f"storage[{n}]", "storage", typical_power="6 W", max_power="9 W")
            for n in range(2)
        ),
        TRAINING,
    )
    assert near(ask(facts, "psu.train_load", "psus[0]"), 1320.5)
    assert near(ask(facts, "psu.worst_load", "psus[0]"), 1523)
    assert near(ask(facts, "psu.unlimited_load", "psus[0]"), 1600.5)
    assert near(ask(facts, "build.train_load", "build"), 1320.5)
    assert ask(facts, "psu.relies_on_limit", "psus[0]") is True


def test_only_the_first_supply_runs_the_board() -> None:
    """Each feeds two cards of 350 W; CPU and the rest, 180 W, hang on the first."""
    pins = {f"gpus[{n}]": n // 2 + 1 for n in range(4)}
    facts = facts_of(
        *cards(*[{**CARD, "slot_draw": "0 W"}] * 4),
        *(*supplies(SUPPLY, SUPPLY), CPU, *QUIET, TRAINING),
        fed_by=pins,
    )
    assert near(ask(facts, "psu.train_load", "psus[0]"), 880)
    assert near(ask(facts, "psu.train_load", "psus[1]"), 700)
    assert near(ask(facts, "build.train_load", "build"), 1580)


def test_what_goes_through_slots_hangs_on_the_supply_of_the_board(judged) -> None:
    """Two cards of 350 W on the second supply take 66 W each through slots of the first."""
    text = (ROOT / "tests/builds/t12-two-supplies/build.yaml").read_text(encoding="utf-8")
    report = judged(text)
    first, second = (report.facts("psu.train_load", p) for p in report.graph.of("psu"))
    assert near(second, 700 - 132)
    assert near(first, 700 + 132 + 171.5, 700 + 132 + 177.5)
    assert near(report.facts("build.train_load"), first.low + 568, first.high + 568)


def test_two_cpus_draw_twice() -> None:
    """Two of 360 W at half load are 360 W; flat out twice 250 W."""
    cpu = subject("cpu", "cpu", 2, base_power="360 W", turbo_power="250 W")
    facts = facts_of(*cards(CARD), *supplies(SUPPLY), cpu, *QUIET, TRAINING)
    assert near(ask(facts, "psu.train_load", "psus[0]"), 710)
    assert near(ask(facts, "psu.worst_load", "psus[0]"), 850)


def test_a_load_with_an_unknown_part_is_at_least_the_rest() -> None:
    """One of two cards says nothing: 350 W and 180 W are certain."""
    facts = facts_of(*cards(CARD, {}), *supplies(SUPPLY), CPU, *QUIET, TRAINING)
    assert ask(facts, "psu.train_load", "psus[0]") == Interval(530, math.inf)


# -- excursions --------------------------------------------------------------


def coincidence(card, supply=SUPPLY, number: int = 4, cpu=CPU) -> Interval:
    facts = facts_of(*cards(*[card] * number), *supplies(supply), cpu, *QUIET, TRAINING)
    return ask(facts, "psu.tolerated_coincidence", "psus[0]")


def test_four_unlimited_cards_on_1600_watts() -> None:
    """Load 1580 W; 1.3 x 1600 leaves 500 W; each card rises by 0.65 x 350 = 227.5 W.

    Independent: 4 x 227.5^2 = 207025; all at once: (4 x 227.5)^2 = 828100.
    (500^2 - 207025) / (828100 - 207025) = 42975 / 621075 = 0.0692
    """
    assert near(coincidence(CARD), 42975 / 621075)


def test_locked_clocks_lower_the_peaks() -> None:
    """0.65 x 280 = 182 W each, 728 W all at once, and 780 W of room: all fit at once."""
    found = coincidence({**CARD, "power_limit": "280 W", "clock_lock": True})
    assert found.low == found.high >= 1
    unlocked = coincidence({**CARD, "power_limit": "280 W", "clock_lock": False})
    assert near(unlocked, 401375 / 621075)


def test_a_supply_that_the_load_overruns_tolerates_nothing() -> None:
    """On 1200 W: 1.3 x 1200 = 1560 W are below the load already."""
    assert coincidence(CARD, {**SUPPLY, "rated_power": "1200 W"}).high < 0


@pytest.mark.parametrize(
    ("rated", "fits"),
    # Load 350 + 180; peak 227.5: 757.5 W are needed, 1.3 x 583 = 757.9, 1.3 x 582 = 756.6.
    [(583, True), (582, False), (1600, True)],
)
def test_one_card_fits_or_does_not(rated, fits) -> None:
    """A single peak coincides with nothing; either all of it fits or it does not."""
    found = coincidence(CARD, {**SUPPLY, "rated_power": f"{rated} W"}, 1)
    assert found.is_exact
    assert (found.low >= 1) is fits
    assert fits or found.high < 0


def test_the_tightest_window_counts() -> None:
    """At 10 ms the supply carries 1.2 times and cards rise by 0.35.

    1.2 x 1600 - 1580 = 340 W; peaks of 122.5 W: 4 x 122.5^2 = 60025, 490^2 = 240100.
    (340^2 - 60025) / 180075 = 0.309, more than the 0.069 at 1 ms; with 1.1 times:
    (180^2 - 60025) / 180075 < 0 and less.
    """
    card = {**CARD, "excursion_10ms": 1.35}
    assert near(coincidence(card, {**SUPPLY, "excursion_10ms": 1.2}), 42975 / 621075)
    found = coincidence(card, {**SUPPLY, "excursion_10ms": 1.1})
    assert near(found, (180**2 - 60025) / 180075)


def test_ranges_make_a_range_of_tolerance() -> None:
    """An ability of 1.3 to 1.4 leaves 500 to 660 W."""
    found = coincidence(CARD, {**SUPPLY, "excursion_1ms": "1.3..1.4"})
    assert near(found, 42975 / 621075, (660**2 - 207025) / 621075)


def test_a_peak_below_the_sustained_power_is_none() -> None:
    """A ratio under one frees no room; cards that never rise fit in any phase."""
    assert coincidence({**CARD, "excursion_1ms": 0.9}).low >= 1


def test_unknown_peaks_leave_the_tolerance_open() -> None:
    """Neither a pass nor a fail can be read from it."""
    found = coincidence({"board_power": "350 W"})
    assert found.low < 0
    assert found.high >= 1
    facts = facts_of(*cards(CARD), *supplies({"rated_power": "1600 W"}), CPU, *QUIET, TRAINING)
    assert ask(facts, "psu.tolerated_coincidence", "psus[0]") == ANYTHING


def test_the_tolerance_is_what_fills_the_room() -> None:
    """Put back into the sum of peaks, the coincidence gives the room it was made from."""
    for rated in (1600, 1650, 1700, 1800):
        c = coincidence(CARD, {**SUPPLY, "rated_power": f"{rated} W"}).low
        peaks = math.sqrt((1 - c) * 4 * 227.5**2 + c * 910**2)
        assert peaks == pytest.approx(1.3 * rated - 1580)


# -- speed -------------------------------------------------------------------

CURVE = [[0.5, 0.46], [0.6, 0.7], [0.8, 0.94], [1, 1]]
LIMITED = {"board_power": "350 W", "power_limit": "280 W", "speed_at_limit": CURVE}


@pytest.mark.parametrize(
    ("card", "low", "high"),
    [
        ({"board_power": "350 W"}, 1, 1),
        # 280 / 350 = 0.8, a point of the curve.
        ({"board_power": "350 W", "power_limit": "280 W"}, 0.94, 0.94),
        # 245 / 350 = 0.7, in the middle between 0.70 and 0.94.
        ({"board_power": "350 W", "power_limit": "245 W"}, 0.82, 0.82),
        # 280 / 400 = 0.7
        ({"board_power": "350..400 W", "power_limit": "280 W"}, 0.82, 0.94),
        # Beyond both ends the curve is level.
        ({"board_power": "350 W", "power_limit": "100 W"}, 0.46, 0.46),
        ({"board_power": "350 W", "power_limit": "420 W"}, 1, 1),
    ],
)
def test_speed_follows_the_curve(card, low, high) -> None:
    """Training speed at a power limit, as a share of full speed."""
    facts = facts_of(*cards({**card, "speed_at_limit": CURVE}))
    assert near(ask(facts, "gpu.limited_speed", "gpus[0]"), low, high)


def test_without_a_curve_the_speed_is_not_known() -> None:
    """A limit slows a card nobody knows."""
    facts = facts_of(
        *cards({"board_power": "350 W", "power_limit": "280 W", "fp32_rate": "35 TFLOPS"})
    )
    assert ask(facts, "gpu.limited_speed", "gpus[0]") is None
    assert ask(facts, "gpu.plain_speed", "gpus[0]") is None


@pytest.mark.parametrize(
    ("card", "low", "high"),
    [
        # No limit: the peak, whether its curve is known or not.
        ({"fp32_rate": "35 TFLOPS"}, 35, 35),
        ({"fp32_rate": "35000 GFLOPS", "speed_at_limit": CURVE}, 35, 35),
        # 0.94 of it is left at 280 / 350.
        (LIMITED | {"fp32_rate": "35 TFLOPS"}, 32.9, 32.9),
        (LIMITED | {"fp32_rate": "30..35 TFLOPS"}, 28.2, 32.9),
    ],
)
def test_plain_speed_is_the_peak_rate_at_the_limit(card, low, high) -> None:
    """In TFLOPS."""
    facts = facts_of(*cards(card))
    assert near(ask(facts, "gpu.plain_speed", "gpus[0]"), low, high)


def test_a_card_of_unknown_rate_is_not_ranked() -> None:
    """And the rate is what is missing, not the limit."""
    facts = facts_of(*cards({"board_power": "350 W"}))
    assert ask(facts, "gpu.plain_speed", "gpus[0]") is None
    assert missing(facts, "gpu.plain_speed", "gpus[0]") == {("gpus[0]", "fp32_rate")}


@pytest.mark.parametrize(
    ("limit", "default", "limited", "raised"),
    [
        (None, "350 W", False, False),
        ("280 W", "350 W", True, False),
        ("350 W", "350 W", False, False),
        ("400 W", "350 W", False, True),
        ("380 W", "350..420 W", None, None),
        ("300 W", "350..420 W", True, False),
        ("280 W", None, None, None),
    ],
)
def test_limits_are_told_from_the_default(limit, default, limited, raised) -> None:
    """Below it, above it, or nobody can say."""
    given = {"power_limit": limit, "board_power": default}
    facts = facts_of(*cards({k: v for k, v in given.items() if v}))
    assert ask(facts, "gpu.is_limited", "gpus[0]") is limited
    assert ask(facts, "gpu.is_raised", "gpus[0]") is raised


# -- the wall ----------------------------------------------------------------


def at_the_wall(voltage: str | None, supply: dict, **site):
    where = {"voltage": voltage, **site} if voltage else site
    return facts_of(
        *cards({"board_power": "1402 W"}),
        *supplies(supply),
        CPU,
        *QUIET,
        TRAINING,
        subject("site", "circuit", **{"other_load": "0 W", **where}),
    )


GOLD = {"efficiency_low_line": [[0.5, 0.92], [1, 0.92]], "efficiency_high_line": [[1, 0.95]]}


def test_other_load_hangs_on_the_same_circuit() -> None:
    """100 W more are 100 / 117.6 = 0.85 A more."""
    facts = at_the_wall("120 V", {"rated_power": "1600 W", **GOLD}, other_load="100 W")
    assert ask(facts, "circuit.current", "site").low == pytest.approx(15.4725, abs=1e-4)
    # 250 W for the CPU flat out instead of 180: 1652 / 0.92 + 100 = 1895.65
    assert near(ask(facts, "circuit.worst_current", "site"), 1895.6522 / 117.6)


def test_the_efficiency_is_that_of_the_voltage() -> None:
    """At 230 V the other curve counts: 1582 / 0.95 = 1665.26 W."""
    facts = at_the_wall("230 V", {"rated_power": "1600 W", **GOLD})
    assert near(ask(facts, "psu.input_power", "psus[0]"), 1665.263158)


def test_the_efficiency_is_that_of_the_load() -> None:
    """1582 of 2000 W are 0.791; between 0.94 at 0.5 and 0.90 at 1 that is 0.91672."""
    curve = {"efficiency_low_line": [[0.5, 0.94], [1, 0.9]]}
    facts = at_the_wall("120 V", {"rated_power": "2000 W", **curve})
    assert near(ask(facts, "psu.input_power", "psus[0]"), 1582 / 0.91672)


def test_a_range_of_loads_takes_the_best_and_the_worst_of_the_curve() -> None:
    """From 700 to 1582 of 2000 W the curve rises to 0.94 at half load and falls again."""
    curve = {"efficiency_low_line": [[0.1, 0.8], [0.5, 0.94], [1, 0.9]], "rated_power": "2000 W"}
    facts = facts_of(
        *cards({"board_power": "520..1402 W"}), *supplies(curve), CPU, *QUIET, TRAINING
    )
    # At 0.35: 0.8 + 0.14 x 0.25 / 0.4 = 0.8875, the least; 0.94 is the best.
    found = ask(facts, "psu.input_power", "psus[0]")
    assert near(found, 700 / 0.94, 1582 / 0.8875)


def test_without_a_curve_the_input_is_not_known() -> None:
    """But for that it takes at least what it gives; the voltage range is known all the same."""
    facts = at_the_wall("120 V", {"rated_power": "1600 W"})
    load = ask(facts, "psu.train_load", "psus[0]")
    assert ask(facts, "psu.input_power", "psus[0]") == Interval(load.low, math.inf)
    assert not ask(facts, "circuit.current", "site").is_known
    assert ask(facts, "circuit.is_low_line", "site") is True


@pytest.mark.parametrize("curve", ["[[0, 0]]", "[[0.5, 0], [1, 0.9]]", "[[0.1, -1], [1, 0.9]]"])
def test_an_efficiency_of_nothing_is_refused(curve, judged) -> None:
    """It is a mistake in the build file, not a crash and not a verdict."""
    with pytest.raises(InputError):
        judged(
            "gpus: {board_power: 300 W}\n"
            f"psus: {{rated_power: 1000 W, efficiency_low_line: {curve}}}\n"
        )


@pytest.mark.parametrize(
    ("voltage", "supply", "low", "high"),
    [
        # A stated rating at low voltage counts there and nowhere else.
        ("120 V", {"rated_power_low_line": "1300 W", "low_line_cap": "1650 W"}, 1300, 1300),
        ("230 V", {"rated_power_low_line": "1300 W", "low_line_cap": "1650 W"}, 2000, 2000),
        # Without a site either may hold.
        (None, {"rated_power_low_line": "1300 W"}, 1300, 2000),
        # Silent sheets: no more than the cap, and without a cap nobody knows.
        ("120 V", {"low_line_cap": "1650 W"}, 1650, 1650),
        ("120 V", {"low_line_cap": "2200 W"}, 2000, 2000),
        ("120 V", {"low_line_cap": "1500..1800 W"}, 1500, 1800),
        ("120 V", {}, 0, 2000),
        # The low range ends at 127 V.
        ("127 V", {"low_line_cap": "1650 W"}, 1650, 1650),
        ("128 V", {"low_line_cap": "1650 W"}, 2000, 2000),
        # The cap is a current of 15 A at 120 V; at 100 V that is 1375 W.
        ("100 V", {"low_line_cap": "1650 W"}, 1375, 1375),
    ],
)
def test_a_supply_may_give_less_at_low_voltage(voltage, supply, low, high) -> None:
    """2000 W at 230 V are seldom 2000 W at 120 V."""
    facts = at_the_wall(voltage, {"rated_power": "2000 W", **supply})
    assert near(ask(facts, "psu.usable_power", "psus[0]"), low, high)


@pytest.mark.parametrize(
    ("supply", "stated"),
    [
        ({"rated_power": "2000 W", "rated_power_low_line": "1300 W"}, True),
        ({"rated_power": "850 W", "low_line_cap": "1650 W"}, True),
        ({"rated_power": "2000 W", "low_line_cap": "1650 W"}, False),
        ({"rated_power": "2000 W"}, None),
        ({"rated_power": "1500..2000 W", "low_line_cap": "1650 W"}, None),
        ({}, None),
    ],
)
def test_a_small_supply_needs_no_second_rating(supply, stated) -> None:
    """Below what any supply gives at low voltage, one number says all."""
    facts = facts_of(*supplies(supply))
    assert ask(facts, "psu.low_line_rating_is_stated", "psus[0]") is stated


# -- room --------------------------------------------------------------------


def two_cards(thickness: str, lower: int = 5):
    return facts_of(
        *cards(*[{"thickness": thickness}] * 2),
        subject("motherboard", "motherboard", slots=[slot(1), slot(lower)]),
        CPU,
        slots={"gpus[0]": 1, "gpus[1]": lower},
    )


@pytest.mark.parametrize(
    ("thickness", "covers", "gap"),
    [
        # w slots are w x 20.32 - 1.6 mm; four pitches of 81.28 mm lie between the cards.
        # A card covers w - 0.177 positions, rounded up.
        ("2 slots", 2, 42.24),
        ("3.5 slots", 4, 11.76),
        ("3.17 slots", 3, 81.28 - 3.17 * 20.32 + 1.6),
        ("3.18 slots", 4, 81.28 - 3.18 * 20.32 + 1.6),
        ("40 mm", 2, 41.28),
        ("1 slot", 1, 62.56),
    ],
)
def test_air_and_openings(thickness, covers, gap) -> None:
    """Free air below the upper card, and where the lower one ends."""
    facts = two_cards(thickness)
    assert near(ask(facts, "gpu.gap", "gpus[0]"), gap)
    assert near(ask(facts, "gpu.last_expansion_slot", "gpus[0]"), covers)
    assert near(ask(facts, "gpu.last_bracket_slot", "gpus[0]"), min(covers, 2))
    # The lower card begins at 5.
    assert near(ask(facts, "gpu.last_expansion_slot", "gpus[1]"), 4 + covers)
    assert ask(facts, "gpu.has_card_below", "gpus[0]") is True
    assert ask(facts, "gpu.has_card_below", "gpus[1]") is False


def test_a_range_of_thickness_is_a_range_of_air() -> None:
    """From 2 to 3 slots: 42.24 down to 21.92 mm, and one more opening."""
    facts = two_cards("2..3 slots")
    assert near(ask(facts, "gpu.gap", "gpus[0]"), 21.92, 42.24)
    assert near(ask(facts, "gpu.last_expansion_slot", "gpus[1]"), 6, 7)


def test_the_lowest_card_breathes_freely() -> None:
    """Nothing below it bounds the air."""
    assert ask(two_cards("2 slots"), "gpu.gap", "gpus[1]") == ANYTHING


# -- links -------------------------------------------------------------------


def linked(card: dict, slot: dict, *others, **cpu):
    whole = {"label": "S1", "position": 1, "mechanical": 16, "owner": "cpu", **slot}
    return facts_of(
        *cards(card),
        subject("motherboard", "motherboard", slots=[whole]),
        subject("cpu", "cpu", **{"pcie_lanes": 64, "pcie_gen": 4, **cpu}),
        *others,
    )


@pytest.mark.parametrize(
    ("card", "slot", "cpu", "lanes", "gen"),
    [
        ({"pcie_lanes": 16, "pcie_gen": 4}, {"lanes": 16, "gen": 4}, {}, 16, 4),
        ({"pcie_lanes": 8, "pcie_gen": 3}, {"lanes": 16, "gen": 4}, {}, 8, 3),
        ({"pcie_lanes": 16, "pcie_gen": 4}, {"lanes": 4, "gen": 5}, {}, 4, 4),
        ({"pcie_lanes": 16, "pcie_gen": 4}, {"lanes": 16, "gen": 4}, {"pcie_gen": 3}, 16, 3),
        # What the CPU can do does not bound the chipset's slots.
        (
            {"pcie_lanes": 16, "pcie_gen": 4},
            {"lanes": 4, "gen": 4, "owner": "chipset"},
            {"pcie_gen": 3},
            4,
            4,
        ),
    ],
)
def test_the_narrowest_decides_the_link(card, slot, cpu, lanes, gen) -> None:
    """Card, slot and CPU; a lane of generation 3 or 4 carries 0.985 or 1.969 GB/s."""
    facts = linked(card, slot, **cpu)
    assert ask(facts, "gpu.link_lanes", "gpus[0]") == exact(lanes)
    assert ask(facts, "gpu.link_gen", "gpus[0]") == exact(gen)
    rate = {3: 0.9846, 4: 1.969}[gen]
    assert near(ask(facts, "gpu.link_rate", "gpus[0]"), lanes * rate)


def test_a_riser_narrows_the_link() -> None:
    """One lane of generation 3, if the card hangs on it; which of two is not known."""
    card = {"pcie_lanes": 16, "pcie_gen": 4, "riser": True}
    slot = {"lanes": 16, "gen": 4}
    thin = subject("risers[0]", "riser", lanes=1, gen=3)
    wide = subject("risers[1]", "riser", lanes=16, gen=4)
    facts = linked(card, slot, thin)
    assert ask(facts, "gpu.link_lanes", "gpus[0]") == exact(1)
    assert ask(facts, "gpu.link_gen", "gpus[0]") == exact(3)
    assert ask(linked(card, slot, thin, wide), "gpu.link_lanes", "gpus[0]") == Interval(1, 16)
    seated = {k: v for k, v in card.items() if k != "riser"}
    assert ask(linked(seated, slot, thin), "gpu.link_lanes", "gpus[0]") == exact(16)


def test_unknown_parts_of_a_link_leave_it_unknown() -> None:
    """A slot whose generation nobody states has no rate."""
    facts = linked({"pcie_lanes": 16, "pcie_gen": 4}, {"lanes": 16})
    assert ask(facts, "gpu.link_gen", "gpus[0]") is None
    assert ask(facts, "gpu.link_rate", "gpus[0]") is None


def test_lanes_used_and_to_be_had() -> None:
    """A card of sixteen lanes in a CPU slot, two CPUs of 64."""
    facts = linked({}, {"lanes": 16})
    assert ask(facts, "build.cpu_lanes_used", "build") == exact(16)
    assert ask(facts, "cpu.all_lanes", "cpu") == exact(64)
    facts = linked({}, {"lanes": 4, "owner": "chipset"})
    assert ask(facts, "build.cpu_lanes_used", "build") == exact(0)
    assert ask(facts, "gpu.is_on_chipset", "gpus[0]") is True


# -- plugs -------------------------------------------------------------------

EIGHT = subject("connector:pcie-8-pin", "connector", rating="150 W", fits=["pcie-6-pin"])
SIXTEEN = subject("connector:16-pin", "connector", rating="600 W")


def test_sockets_and_slot_feed_a_card() -> None:
    """Two sockets of 150 W and a slot of 75 W: 375 W; two or three: 375 to 525 W."""
    facts = facts_of(
        *cards({"plugs": {"pcie-8-pin": 2}}, {"plugs": {"pcie-8-pin": "2..3"}}, {"plugs": {}}, {}),
        EIGHT,
    )
    assert near(ask(facts, "gpu.feed_rating", "gpus[0]"), 375)
    assert near(ask(facts, "gpu.feed_rating", "gpus[1]"), 375, 525)
    assert near(ask(facts, "gpu.feed_rating", "gpus[2]"), 75)
    assert ask(facts, "gpu.feed_rating", "gpus[3]") is None


@pytest.mark.parametrize(
    ("given", "load"),
    [
        # 350 W less 50 W through the slot, over two plugs, over one cable for both.
        ({}, (150, 150)),
        ({"power_cables": 1}, (300, 300)),
        # Under a limit the slot gives less in proportion: 250/350 of 50 W.
        ({"power_limit": "250 W"}, (750 / 7, 750 / 7)),
        ({"slot_draw": "10..66 W"}, (142, 170)),
    ],
)
def test_cables_share_what_the_slot_does_not_carry(given, load) -> None:
    """Watts on each cable of a card."""
    card = {"board_power": "350 W", "slot_draw": "50 W", "plugs": {"pcie-8-pin": 2}, **given}
    assert near(ask(facts_of(*cards(card)), "gpu.cable_load", "gpus[0]"), *load)


@pytest.mark.parametrize(
    ("cables", "plugs", "shared"),
    [(None, 2, False), (1, 2, True), (2, 2, False), (2, "2..3", None), (1, "2..3", True)],
)
def test_two_sockets_may_hang_on_one_cable(cables, plugs, shared) -> None:
    """Only if the build says so."""
    given = {"power_cables": cables} if cables else {}
    facts = facts_of(*cards({"plugs": {"pcie-8-pin": plugs}, **given}))
    assert ask(facts, "gpu.shares_a_cable", "gpus[0]") is shared


@pytest.mark.parametrize(
    ("cable", "plugs", "fits"),
    [
        ("pcie-8-pin", {"pcie-8-pin": 2}, True),
        ("pcie-8-pin", {"pcie-6-pin": 1}, True),
        ("pcie-8-pin", {"eps-8-pin": 1}, False),
        ("pcie-8-pin", {"16-pin": 1}, False),
        ("16-pin", {"pcie-8-pin": 2}, False),
        ("pcie-8-pin", {"pcie-8-pin": "0..1"}, None),
        ("pcie-8-pin", None, None),
    ],
)
def test_a_cable_goes_into_its_socket_and_those_it_fits(cable, plugs, fits) -> None:
    """A plug of 6+2 pins feeds a 6-pin socket too, but never the CPU's kind."""
    card = {"cable": cable} if plugs is None else {"cable": cable, "plugs": plugs}
    assert ask(facts_of(*cards(card), EIGHT, SIXTEEN), "gpu.cable_fits", "gpus[0]") is fits


def test_a_cable_may_go_into_the_adapter() -> None:
    """Three 8-pin cables and an adapter feed a 16-pin socket."""
    adapter = subject("adapter:3x8", "adapter", inputs={"pcie-8-pin": 3}, output="16-pin")
    card = {"cable": "pcie-8-pin", "plugs": {"16-pin": 1}, "adapter": "3x8"}
    facts = facts_of(*cards(card), EIGHT, SIXTEEN, adapter)
    assert ask(facts, "gpu.cable_fits", "gpus[0]") is True


def test_kinds_of_socket_are_told_apart() -> None:
    """EPS and 16-pin; neither of them if nobody says which sockets there are."""
    facts = facts_of(
        *cards({"plugs": {"eps-8-pin": 1}}, {"plugs": {"pcie-6-pin": 1}}, {"plugs": {"16-pin": 1}}),
        subject("gpus[3]", "gpu"),
        SIXTEEN,
    )
    kinds = ("gpu.is_eps_fed", "gpu.has_sixteen_pin")
    told = [[ask(facts, kind, f"gpus[{n}]") for kind in kinds] for n in range(4)]
    assert told == [[True, False], [False, False], [False, True], [None, None]]


# -- memory, CPU, the rest ---------------------------------------------------


def test_memory_adds_up() -> None:
    """A kit of 4x32 GB bought twice and two single modules of 16 GB: 288 GB, 10 modules."""
    facts = facts_of(
        *cards({"memory": "24 GB"}, {"memory": "48 GB"}),
        subject("memory[0]", "module", 2, total="128 GB", module="32 GB"),
        subject("memory[1]", "module", 2, module="16 GB"),
    )
    assert near(ask(facts, "memory.total", "memory"), 288)
    assert near(ask(facts, "memory.modules", "memory"), 10)
    assert near(ask(facts, "build.card_memory", "build"), 72)
    assert near(ask(facts, "build.largest_card_memory", "build"), 48)


def test_memory_of_which_an_entry_says_nothing_is_not_known() -> None:
    """One entry without a size leaves the total open."""
    facts = facts_of(
        subject("memory[0]", "module", module="16 GB"), subject("memory[1]", "module", ecc=True)
    )
    assert ask(facts, "memory.total", "memory") is None


def test_kits_count_their_modules() -> None:
    """Two kits of two."""
    facts = facts_of(subject("memory[0]", "module", 2, total="64 GB", kit_modules=2))
    assert near(ask(facts, "memory.modules", "memory"), 4)
    assert near(ask(facts, "memory.total", "memory"), 128)


@pytest.mark.parametrize(
    ("first", "second", "agreed"),
    [("DDR4", "DDR4", "DDR4"), ("DDR4", "DDR5", None), ("DDR4", None, None)],
)
def test_mixed_memory_has_no_kind(first, second, agreed) -> None:
    """A generation is what all entries agree on."""
    entries = [
        subject(f"memory[{n}]", "module", **({"generation": g} if g else {}))
        for n, g in enumerate((first, second))
    ]
    assert ask(facts_of(*entries), "memory.generation", "memory") == agreed


def test_threads_are_shared_by_cards() -> None:
    """Two CPUs of 16 cores and 32 threads for four cards: 8 and 16 each."""
    cpu = subject("cpu", "cpu", 2, cores=16, threads=32, memory_channels=8)
    facts = facts_of(*cards({}, {}, {}, {}), cpu)
    assert near(ask(facts, "cpu.cores_per_card", "cpu"), 8)
    assert near(ask(facts, "cpu.threads_per_card", "cpu"), 16)
    assert near(ask(facts, "cpu.all_channels", "cpu"), 16)
    assert near(ask(facts, "cpu.count", "cpu"), 2)


@pytest.mark.parametrize(
    ("given", "blower", "open_air"),
    [
        ({"cooling": "blower"}, True, False),
        ({"cooling": "open-air"}, False, True),
        ({"cooling": "flow-through"}, False, True),
        ({"cooling_among": ["open-air", "flow-through"]}, False, True),
        ({"cooling_among": ["blower", "open-air"]}, None, None),
        ({"cooling": "water", "cooling_among": ["blower"]}, False, False),
        ({}, None, None),
    ],
)
def test_coolers_are_told_apart(given, blower, open_air) -> None:
    """By the card's own, or by what all cards of its chip agree on."""
    facts = facts_of(*cards(given))
    assert ask(facts, "gpu.is_blower", "gpus[0]") is blower
    assert ask(facts, "gpu.is_open_air", "gpus[0]") is open_air


# -- what is missing ---------------------------------------------------------


def missing(facts, name: str, subject_id: str) -> set[tuple[str, str]]:
    ask(facts, name, subject_id)
    found = facts.missing(name, facts.graph.subjects[subject_id])
    return {(m.subject, m.field) for m in found}


def test_missing_data_are_named() -> None:
    """A load lacks what its parts lack: one card's power, the CPU's, the kind of work."""
    facts = facts_of(
        *cards(CARD, {}), *supplies(SUPPLY), subject("cpu", "cpu", turbo_power="250 W"), *QUIET
    )
    assert missing(facts, "psu.train_load", "psus[0]") == {
        ("gpus[1]", "board_power"),
        ("cpu", "base_power"),
        ("workload", "cpu_share"),
    }


def test_nothing_is_missing_where_all_is_known() -> None:
    """No setting that may be left out is asked for either."""
    facts = facts_of(*cards(CARD), *supplies(SUPPLY), CPU, *QUIET, TRAINING)
    assert missing(facts, "psu.train_load", "psus[0]") == set()
    assert missing(facts, "gpu.limited_speed", "gpus[0]") == set()


def test_a_range_lacks_the_data_it_is_made_of() -> None:
    """Unfed sockets between none and two: the supply's outputs are not known."""
    facts = facts_of(*cards({"plugs": {"pcie-8-pin": 2}}), *supplies({}))
    assert missing(facts, "gpu.plugs_without_cable", "gpus[0]") == {("psus[0]", "plugs")}


def test_missing_slots_are_the_boards() -> None:
    """A link on a board without slots lacks the slots."""
    facts = facts_of(*cards({"pcie_lanes": 16}))
    assert missing(facts, "gpu.link_lanes", "gpus[0]") == {("motherboard", "slots")}


def test_a_fact_is_computed_once() -> None:
    """Asked twice it is the same object, and what it used stands once."""
    facts = facts_of(*cards(CARD), *supplies(SUPPLY), CPU, *QUIET, TRAINING)
    first = ask(facts, "psu.train_load", "psus[0]")
    assert ask(facts, "psu.train_load", "psus[0]") is first
    used = facts.used("psu.train_load", facts.graph.subjects["psus[0]"])
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
