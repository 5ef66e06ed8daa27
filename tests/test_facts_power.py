"""Facts of power and circuit beyond the plain sums, with the numbers worked by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from handmade import STANDARD, ask, cards, facts_of, machine, near, of_kind, slot, subject, supplies

from buildcheck.measure import measure
from buildcheck.model.graph import Graph
from buildcheck.model.part import USER
from buildcheck.model.quantity import Interval, exact

#: Everything that draws power besides cards and CPU, at nothing.
QUIET = (
    subject("motherboard", "motherboard", typical_power="0 W", max_power="0 W"),
    subject("cpu_cooler", "cooler", typical_power="0 W", max_power="0 W"),
)
TRAINING = subject("workload", "workload", cpu_share=0.5)
#: Draws 180 W at work and 250 W flat out.
CPU = subject("cpu", "cpu", base_power="360 W", turbo_power="250 W")
#: 92 % at every load.
FLAT = {"efficiency_low_line": [[0, 0.92]], "efficiency_high_line": [[0, 0.92]]}
CARD = {"board_power": "350 W", "excursion_1ms": 1.65, "excursion_100ms": 1.08}
EU = subject("site", "circuit", voltage="230 V", breaker="16 A", other_load="0 W")
US = subject("site", "circuit", voltage="120 V", breaker="15 A", other_load="0 W")


def on(supply, *parts, card=CARD, number=4, cpu=CPU, **pins):
    """Cards on one supply, and whatever else is given."""
    return facts_of(
        *cards(*[card] * number), *supplies(supply), cpu, *QUIET, TRAINING, *parts, **pins
    )


def with_circuits(*pinned: int | None, **site):
    """Supplies of 1000 W, each feeding the card of its number, on pinned circuits."""
    count = len(pinned)
    made = machine(
        *cards(*[{"board_power": f"{n + 1}00 W", "slot_draw": "0 W"} for n in range(count)]),
        *supplies(*[{"rated_power": "1000 W", **FLAT} for _ in range(count)]),
        *(subject("cpu", "cpu", 0, base_power="1 W", turbo_power="1 W"), *QUIET, TRAINING),
        subject("site", "circuit", other_load="0 W", **site),
        fed_by={f"gpus[{n}]": n + 1 for n in range(count)},
    )
    edges = [
        replace(e, data={"circuit": pinned[int(e.end[5:-1])]}) if e.kind == "supplies" else e
        for e in made.edges
    ]
    return measure(Graph(made.subjects, tuple(edges)))


# -- peaks -------------------------------------------------------------------


def test_peaks_on_top_of_the_load() -> None:
    """Four cards of 350 W rise by 0.65 x 350 = 227.5 W each: 1580 + 910 = 2490 W."""
    facts = on({"rated_power": "1600 W"})
    assert near(ask(facts, "psu.peak_load", "psus[0]"), 2490)
    # For 100 ms by 0.08 x 350 = 28 W each.
    assert near(ask(facts, "psu.peak_load_100ms", "psus[0]"), 1692)


def test_an_unlisted_cpu_leaves_the_least_peak() -> None:
    """Four cards and their peaks are certain: 1400 + 910 W."""
    facts = on({"rated_power": "1600 W"}, cpu=subject("cpu", "cpu"))
    assert ask(facts, "psu.peak_load", "psus[0]").low == pytest.approx(2310)


def test_locked_clocks_would_tame_three_limited_cards() -> None:
    """Three of 350 W at 280 W, 200 W besides, on 1200 W that ride out 1.3: 520 W of room.

    Peaks of 227.5 W: alone 155269, together 465806: (270400 - 155269) / 310538 = 0.371.
    Locked at 280 W peaks are 182 W: (270400 - 99372) / 198744 = 0.861.
    """
    cpu = subject("cpu", "cpu", base_power="400 W", turbo_power="400 W")
    card = {"board_power": "350 W", "power_limit": "280 W", "excursion_1ms": 1.65}
    facts = on({"rated_power": "1200 W", "excursion_1ms": 1.3}, EU, card=card, number=3, cpu=cpu)
    assert near(ask(facts, "psu.tolerated_coincidence", "psus[0]"), 115131 / 310538)
    assert near(ask(facts, "psu.tolerated_coincidence_locked", "psus[0]"), 171028 / 198744)


@pytest.mark.parametrize(
    ("given", "promised"),
    [
        ({}, False),
        ({"standard": "unknown standard"}, False),
        ({"standard": "ATX 3.1"}, True),
        ({"excursion_1ms": 1.8}, True),
    ],
)
def test_a_standard_or_a_figure_is_a_promise(given, promised: bool) -> None:
    """What stands in for a supply that says nothing of itself is none."""
    facts = on({"rated_power": "1600 W", **given})
    assert ask(facts, "psu.excursions_are_documented", "psus[0]") is promised


ATX_3 = {"high_excursion_1ms": 1.8, "plain_excursion_1ms": 1.45, "plain_up_to": "450 W"}


@pytest.mark.parametrize(
    ("facts", "low", "high"),
    [
        # The high table asks for 1.8, the plain one for 1.45 of the rating.
        ({"rated_power": "1000 W", "plugs": {"16-pin": 1}}, 1800, 1800),
        ({"rated_power": "1000 W", "plugs": {"pcie-8-pin": 6}}, 1450, 1450),
        ({"rated_power": "450 W", "plugs": {"16-pin": 1}}, 652.5, 652.5),
        ({"rated_power": "450 W"}, 652.5, 652.5),
        ({"rated_power": "1000 W"}, 1450, 1800),
    ],
)
def test_a_supply_without_a_16_pin_output_survives_less(facts, low: float, high: float) -> None:
    """What it survives for 1 ms, with nothing drawn."""
    idle = subject("workload", "workload", cpu_share=0)
    here = facts_of(*supplies({**ATX_3, **facts}), CPU, *QUIET, idle, EU)
    assert near(ask(here, "psu.room_for_peaks", "psus[0]"), low, high)


def test_what_a_supply_states_itself_it_survives() -> None:
    """Whatever its outputs."""
    own = {"excursion_1ms": 1.8, "plugs": {"pcie-8-pin": 6}}
    supply = {**ATX_3, "rated_power": "1000 W", **own}
    idle = subject("workload", "workload", cpu_share=0)
    facts = facts_of(*supplies(supply), CPU, *QUIET, idle, EU)
    assert near(ask(facts, "psu.room_for_peaks", "psus[0]"), 1800)


def test_cpu_works_more_if_data_are_prepared_meanwhile() -> None:
    """0.5 of 360 W are 180 W, 0.8 are 288 W; the larger share holds."""

    def load(**work: Any) -> Interval:
        return ask(facts_of(CPU, subject("workload", "workload", **work)), "cpu.work_power")

    shares = {"cpu_share": 0.5, "cpu_share_on_the_fly": 0.8}
    assert near(load(**shares, preprocessing="on-the-fly"), 288)
    assert near(load(**shares, preprocessing="ahead"), 180)
    assert near(load(**shares), 180)
    assert near(load(**shares | {"cpu_share": 1}, preprocessing="on-the-fly"), 360)
    assert near(load(cpu_share=0.5, preprocessing="on-the-fly"), 180)


# -- 12 V and rails ----------------------------------------------------------


def test_twelve_volt_carries_cards_and_cpu() -> None:
    """Two cards of 350 W, of which 9 W each may come from 3.3 V, and 180 W of CPU.

    At least 2 x 341 + 180 = 862 W, at most all of 880 W; 70 A are 840 W.
    """
    standard = subject("standard", "standard", **STANDARD, slot_power_12v="66 W")
    facts = on({"rated_power": "1000 W", "twelve_volt_current": "70 A"}, standard, number=2)
    assert near(ask(facts, "psu.twelve_volt_load", "psus[0]"), 862, 880)
    assert near(ask(facts, "psu.twelve_volt_load_worst", "psus[0]"), 932, 950)
    assert near(ask(facts, "psu.twelve_volt_power", "psus[0]"), 840)
    # The least of what is certain, at work and at full load.
    assert ask(facts, "psu.twelve_volt_load_least", "psus[0]") == exact(862)
    assert ask(facts, "psu.twelve_volt_load_worst_least", "psus[0]") == exact(932)


@pytest.mark.parametrize(
    ("rails", "number", "peak"),
    [
        # A card takes 300 W through its cables and rises by 195 W; one rail is the board's.
        (2, 2, 990),
        (3, 2, 495),
        (3, 3, 990),
        (6, 4, 495),
    ],
)
def test_cards_share_rails(rails: int, number: int, peak: float) -> None:
    """Spread as evenly as whole cards go."""
    card = {"board_power": "300 W", "slot_draw": "0 W", "excursion_1ms": 1.65}
    supply = {"rated_power": "1600 W", "rails": rails, "rail_current": "45 A"}
    facts = on(supply, card=card, number=number)
    assert near(ask(facts, "psu.rail_peak", "psus[0]"), peak)
    assert near(ask(facts, "psu.rail_power", "psus[0]"), 540)


# -- several supplies --------------------------------------------------------


def test_supplies_in_parallel_share_by_rating() -> None:
    """Cards of 1320 W and a CPU of 180 W on 1000 and 2000 W: a third and two thirds."""
    board = {"shares_output": True, "excursion_1ms": 1.3}
    facts = facts_of(
        *cards(*[{"board_power": "330 W", "excursion_1ms": 1.5}] * 4),
        *supplies({"rated_power": "1000 W", **board}, {"rated_power": "2000 W", **board}),
        *(CPU, *QUIET, TRAINING),
    )
    assert near(ask(facts, "psu.train_load", "psus[0]"), 500)
    assert near(ask(facts, "psu.train_load", "psus[1]"), 1000)
    assert near(ask(facts, "build.train_load", "build"), 1500)
    # Peaks of 165 W each, 660 W together, are shared as well.
    assert near(ask(facts, "psu.peak_load", "psus[0]"), 720)
    assert near(ask(facts, "psu.card_count", "psus[0]"), 4)


def test_supplies_of_unknown_rating_share_somehow() -> None:
    """Between nothing and all of it."""
    board = {"shares_output": True}
    facts = facts_of(
        *cards({"board_power": "330 W"}), *supplies(board, board), CPU, *QUIET, TRAINING
    )
    assert near(ask(facts, "psu.train_load", "psus[0]"), 0, 510)


def test_the_largest_of_redundant_supplies_fails() -> None:
    """Of 1000, 1600 and 1000 W, 2000 W are left."""
    facts = facts_of(
        *supplies(*[{"rated_power": f"{w} W", "redundant": True} for w in (1000, 1600, 1000)]),
        subject("site", "circuit", voltage="230 V", breaker="16 A"),
    )
    assert near(ask(facts, "build.power_with_one_failed", "build"), 2000)
    assert ask(facts, "build.has_redundant_psus", "build") is True


def test_a_single_supply_is_not_redundant() -> None:
    """Whatever is written on it."""
    facts = facts_of(*supplies({"rated_power": "1000 W", "redundant": True}))
    assert ask(facts, "build.has_redundant_psus", "build") is False


def test_a_spare_carries_nothing() -> None:
    """Four cards and a CPU take 1580 W, all of it from the 500 W that are no spare."""
    facts = facts_of(
        *cards(*[{**CARD, "slot_draw": "0 W"}] * 4),
        *supplies({"rated_power": "500 W"}, {"rated_power": "1600 W", "redundant": True}),
        *(CPU, *QUIET, TRAINING),
        fed_by={f"gpus[{n}]": 2 for n in range(4)},
    )
    assert near(ask(facts, "psu.train_load", "psus[0]"), 1580)
    assert near(ask(facts, "psu.peak_load", "psus[0]"), 2490)
    assert near(ask(facts, "psu.train_load", "psus[1]"), 0)
    assert near(ask(facts, "build.train_load", "build"), 1580)


def test_two_supplies_share_what_hangs_on_their_spare() -> None:
    """1580 W on 1000 and 1000 W, with a spare of as much."""
    rated = {"rated_power": "1000 W"}
    facts = facts_of(
        *cards(*[{**CARD, "slot_draw": "0 W"}] * 4),
        *supplies(rated, rated, {**rated, "redundant": True}),
        *(CPU, *QUIET, TRAINING),
    )
    loads = [ask(facts, "psu.train_load", f"psus[{n}]").high for n in range(3)]
    assert loads == pytest.approx([790, 790, 0])


def test_a_lone_supply_carries_all_whatever_it_is_called() -> None:
    """1580 W."""
    facts = on({"rated_power": "1600 W", "redundant": True})
    assert near(ask(facts, "psu.train_load", "psus[0]"), 1580)
    assert ask(facts, "psu.is_called_spare", "psus[0]") is True


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


BOARD = subject("motherboard", "motherboard", slots=[slot(1), slot(4)])
PLUGS = {"plugs": {"pcie-8-pin": 2}}


def apart(*parts, card=PLUGS, shares=False):
    """Two cards on two supplies, one each; the second card's supply does not run the board."""
    supply = {"rated_power": "1000 W", "shares_output": shares}
    return facts_of(
        *cards(card, card), *supplies(supply, supply), *parts, fed_by={"gpus[0]": 1, "gpus[1]": 2}
    )


def test_slot_and_plugs_of_a_seated_card() -> None:
    """The second card takes slot power from the first supply; without slots nobody knows."""
    facts = apart(BOARD)
    assert ask(facts, "gpu.has_psu_apart_from_board", "gpus[0]") is False
    assert ask(facts, "gpu.has_psu_apart_from_board", "gpus[1]") is True
    assert ask(facts, "gpu.takes_board_power", "gpus[1]") is True
    assert ask(apart(), "gpu.takes_board_power", "gpus[1]") is None
    assert ask(apart(shares=True), "gpu.has_psu_apart_from_board", "gpus[1]") is False
    assert ask(apart(card={"plugs": {}}), "gpu.has_psu_apart_from_board", "gpus[1]") is False


@pytest.mark.parametrize(
    ("risers", "takes"),
    [
        (({"kind": "ribbon"},), True),
        (({"kind": "usb"},), False),
        (({"feed": "pcie-6-pin"},), False),
        (({"kind": "usb", "feed": "none"},), True),
        (({"kind": "ribbon"}, {"kind": "usb"}), None),
        ((), None),
    ],
)
def test_a_powered_riser_takes_the_slot_off_the_board(risers, takes) -> None:
    """Which of several risers a card hangs on is not said."""
    listed = [of_kind(f"risers[{n}]", "riser", **r) for n, r in enumerate(risers)]
    facts = apart(*listed, card={**PLUGS, "riser": True})
    assert ask(facts, "gpu.takes_board_power", "gpus[1]") is takes


@pytest.mark.parametrize(
    ("feeds", "first", "second"),
    [
        # Each card has a powered riser of its own supply.
        ((1, 2), False, False),
        # Both on the second: the first card lacks one.
        ((2, 2), True, False),
        # Both on the first, where they also stand if nobody says.
        ((1, 1), False, None),
    ],
)
def test_a_card_and_its_riser_on_two_supplies(feeds, first, second) -> None:
    """Risers serve cards of their own supply first."""
    risers = [of_kind(f"risers[{n}]", "riser", kind="usb") for n in range(2)]
    facts = facts_of(
        *cards(*[{**PLUGS, "riser": True}] * 2),
        *supplies(*[{"rated_power": "1000 W"}] * 2),
        *risers,
        fed_by={"gpus[0]": 1, "gpus[1]": 2, "risers[0]": feeds[0], "risers[1]": feeds[1]},
    )
    assert ask(facts, "gpu.is_fed_by_two", "gpus[0]") is first
    assert ask(facts, "gpu.is_fed_by_two", "gpus[1]") is second


def test_a_split_card_is_fed_by_two() -> None:
    """The build says so itself; a card in the board has no riser to differ."""
    assert ask(apart(BOARD), "gpu.is_fed_by_two", "gpus[1]") is False
    split = apart(BOARD, card={**PLUGS, "split_feed": True})
    assert ask(split, "gpu.is_fed_by_two", "gpus[1]") is True


# -- rating at the wall ------------------------------------------------------


@pytest.mark.parametrize(
    ("voltage", "given", "usable"),
    [
        ("100 V", {"rated_power_low_line": "1500 W"}, 1500),
        # A C14 inlet lets in 120 x 15 x 0.98 x 0.9 = 1587.6 W, a C20 inlet 2117 W.
        ("120 V", {"current": "15 A"}, 1587.6),
        ("120 V", {"current": "20 A"}, 1650),
        ("120 V", {"current": "20 A", "low_line_cap": "3000 W"}, 2000),
        # At 100 V a C20 inlet lets in 100 x 20 x 0.98 x 0.9 = 1764 W, more than 1375 W.
        ("100 V", {"current": "20 A"}, 1375),
        ("120 V", {"current": "15 A", "rated_power_low_line": "1600 W"}, 1600),
        # Server units: some 1000 W, and all of it on high voltage.
        ("120 V", {"low_line_cap": "1000 W", "current": "15 A"}, 1000),
        ("230 V", {"low_line_cap": "1000 W"}, 2000),
        # It gives all or nothing where the voltage is not known and the low one is not for it.
        ("100..240 V", {"input_voltage_min": "200 V"}, 2000),
    ],
)
def test_a_silent_sheet_is_read_by_current(voltage: str, given, usable: float) -> None:
    """A 2000 W unit of 90 % whose sheet gives no output at low voltage."""
    supply = {"rated_power": "2000 W", "low_line_cap": "1650 W", **given}
    site = subject("site", "circuit", voltage=voltage, breaker="20 A")
    facts = facts_of(*supplies({**supply, "efficiency_low_line": [[0.5, 0.92], [1, 0.9]]}), site)
    assert near(ask(facts, "psu.usable_power", "psus[0]"), usable)


@pytest.mark.parametrize(
    ("rated", "low", "high", "stated"),
    [
        # C14 or larger: 120 x 15 x 0.98 x 0.9 = 1587.6 W or more.
        ("1600 W", 1587.6, 1600, None),
        ("1500 W", 1500, 1500, True),
        # What the cap holds down has a larger inlet.
        ("2000 W", 1650, 1650, False),
    ],
)
def test_an_inlet_nobody_names(rated: str, low: float, high: float, stated) -> None:
    """It may be the smallest there is."""
    supply = {"rated_power": rated, "low_line_cap": "1650 W", "efficiency_low_line": [[0, 0.9]]}
    standard = subject("standard", "standard", **STANDARD, inlet_least="15 A")
    facts = facts_of(*supplies(supply), standard, US)
    assert near(ask(facts, "psu.usable_power", "psus[0]"), low, high)
    assert ask(facts, "psu.low_line_rating_is_stated", "psus[0]") is stated


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


@pytest.mark.parametrize(
    ("ambient", "given", "usable"),
    [
        (None, {}, 1000),
        ("40 degC", {}, 1000),
        # 2.5 % for each kelvin above 40 °C, or above what the sheet says.
        ("44 degC", {}, 900),
        ("40..44 degC", {}, (900, 1000)),
        ("44 degC", {"rated_temperature": "50 degC"}, 1000),
        ("35 degC", {"rated_temperature": "25 degC"}, 750),
    ],
)
def test_warm_air_takes_power(ambient, given, usable) -> None:
    """A 1000 W unit in a warm room."""
    warm = {} if ambient is None else {"ambient": ambient}
    site = subject("site", "circuit", voltage="230 V", breaker="16 A", **warm)
    standard = subject(
        *("standard", "standard"), **STANDARD, psu_temperature="40 degC", psu_derating=0.025
    )
    facts = facts_of(*supplies({"rated_power": "1000 W", **given}), site, standard)
    ends = usable if isinstance(usable, tuple) else (usable, usable)
    assert near(ask(facts, "psu.usable_power", "psus[0]"), *ends)


def test_an_inlet_carries_less_outside_north_america() -> None:
    """C14: 15 A on low voltage, 10 A on high; 1580 W at 92 % and 120 V are 14.6 A."""
    supply = {"rated_power": "1600 W", "current": "15 A", "current_iec": "10 A", **FLAT}
    facts = on(supply, US)
    assert near(ask(facts, "psu.inlet_current", "psus[0]"), 15)
    assert near(ask(facts, "psu.input_current", "psus[0]"), 1580 / 0.92 / 120 / 0.98)
    europe = on(supply, subject("site", "circuit", voltage="230 V", breaker="16 A"))
    assert near(ask(europe, "psu.inlet_current", "psus[0]"), 10)
    assert ask(on(supply), "psu.inlet_current", "psus[0]") is None


def test_the_usual_lowest_limit() -> None:
    """70 % of 575 W; nothing where no share is known."""
    share = {"board_power": "575 W", "limit_floor_share": 0.7}
    facts = facts_of(*cards(share, {"board_power": "575 W"}))
    assert near(ask(facts, "gpu.likely_lowest_limit", "gpus[0]"), 402.5)
    assert ask(facts, "gpu.likely_lowest_limit", "gpus[1]") is None


def test_the_smallest_supply_that_could_do() -> None:
    """Four cards and the CPU at work; what stands in for a CPU nobody lists counts nothing."""
    known = facts_of(*cards(*[CARD] * 4), CPU, TRAINING)
    assert ask(known, "build.smallest_psu", "build") == exact(1580)
    unknown = facts_of(*cards(*[CARD] * 4), replace(CPU, listed=False), TRAINING)
    assert ask(unknown, "build.smallest_psu", "build") == exact(1400)


# -- circuits ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("pinned", "circuits", "fullest"),
    [
        ((None, None), 1, 300),
        ((None, None), 2, 200),
        ((1, 1), 2, 300),
        # Loads of 100, 200, 300, 400 W: 100 and 400 against 200 and 300.
        ((None,) * 4, 2, 500),
        # The 400 W hang on the first: 400 against 300 and 200 and 100.
        ((2, 2, 2, 1), 2, 600),
        ((None,) * 3, 3, 300),
    ],
)
def test_supplies_spread_over_circuits(pinned, circuits: int, fullest: float) -> None:
    """The fullest circuit decides, and supplies that are free go where it carries least."""
    facts = with_circuits(*pinned, voltage="120 V", breaker="15 A", circuits=circuits)
    each = ask(facts, "circuit.one_for_each", "site")
    assert each == (exact(float(len(pinned))) if len(pinned) > circuits else None)
    assert near(ask(facts, "circuit.heaviest_power"), fullest / 0.92)
    assert near(ask(facts, "circuit.current"), fullest / 0.92 / 120 / 0.98)
    assert near(ask(facts, "circuit.worst_current"), fullest / 0.92 / 120 / 0.98)
    assert near(ask(facts, "circuit.power"), sum(range(1, len(pinned) + 1)) * 100 / 0.92)


@pytest.mark.parametrize(("circuits", "watts"), [(1, 1980), (2, 990)])
def test_what_the_parts_draw_without_any_supply(circuits: int, watts: float) -> None:
    """Four cards of 450 W and 180 W of CPU, whatever supply it will be: 16.8 A at 120 V."""
    site = {"voltage": "120 V", "breaker": "15 A", "other_load": "0 W", "circuits": circuits}
    facts = facts_of(
        *cards(*[{"board_power": "450 W"}] * 4),
        *(CPU, *QUIET, TRAINING, subject("site", "circuit", **site)),
    )
    amperes = watts / 120 / 0.98
    assert near(ask(facts, "circuit.least_current"), amperes)
    for name in ("circuit.current", "circuit.worst_current"):
        assert ask(facts, name).low == pytest.approx(amperes)
        assert not ask(facts, name).is_known


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


# -- UPS and room ------------------------------------------------------------

UPS = subject("ups", "ups", power="1800 W", apparent_power="2000 VA")


def test_what_hangs_on_a_ups() -> None:
    """Four cards at 280 W and 182 W besides: 1302 W at 92 % are 1415 W, 1444 VA, 12.03 A."""
    cpu = subject("cpu", "cpu", base_power="364 W", turbo_power="364 W")
    limited = {**CARD, "power_limit": "280 W"}
    facts = on({"rated_power": "1600 W", **FLAT}, UPS, US, card=limited, cpu=cpu)
    assert near(ask(facts, "ups.load"), 1302 / 0.92)
    assert near(ask(facts, "ups.volt_amperes_drawn"), 1302 / 0.92 / 0.98)
    assert near(ask(facts, "ups.current"), 1302 / 0.92 / 0.98 / 120)
    assert near(ask(facts, "ups.peak_load"), (1302 + 4 * 28) / 0.92)
    assert near(ask(facts, "ups.volt_amperes"), 2000)


def test_other_load_of_a_ups_reaches_the_wall() -> None:
    """1580 W at 92 % and 900 W beside the machine; flat out the CPU takes 70 W more."""
    ups = subject("ups", "ups", power="1980 W", other_load="900 W")
    facts = on({"rated_power": "1600 W", **FLAT}, ups, US)
    assert near(ask(facts, "circuit.power", "site"), 1580 / 0.92 + 900)
    assert near(ask(facts, "circuit.heaviest_power", "site"), 1580 / 0.92 + 900)
    assert near(ask(facts, "circuit.heaviest_power_worst", "site"), 1650 / 0.92 + 900)
    assert near(ask(facts, "circuit.least_power", "site"), 1580 + 900)


def test_a_ups_without_a_supply_carries_at_least_the_cards() -> None:
    """Two cards of 350 W, and 50 W of other load that is stated."""
    ups = subject("ups", "ups", power="1800 W", other_load="50 W")
    facts = facts_of(*cards(CARD, CARD), ups, TRAINING)
    assert ask(facts, "ups.load").low == 750


@pytest.mark.parametrize(
    ("made_for", "site", "low", "high"),
    [
        ("120 V", "120 V", 0, 0),
        ("120 V", "240 V", 1, 1),
        ("230 V", "120 V", 110 / 230, 110 / 230),
        ("120 V", "100 V", 1 / 6, 1 / 6),
        ("208..240 V", "230 V", 0, 0),
        ("208..240 V", "200 V", 8 / 208, 8 / 208),
        ("200..208 V", "240 V", 32 / 208, 32 / 208),
        # The site's voltage may be 200 to 240 V: none off at 230 V, and most at 200 V.
        ("230 V", "200..240 V", 0, 30 / 230),
        ("120 V", "200..240 V", 80 / 120, 1),
    ],
)
def test_the_voltage_of_a_ups_and_of_the_site(made_for, site, low: float, high: float) -> None:
    """As a share of what the UPS is made for."""
    ups = subject("ups", "ups", voltage=made_for)
    facts = facts_of(ups, subject("site", "circuit", voltage=site))
    assert near(ask(facts, "ups.voltage_distance"), low, high)


def test_a_voltage_nobody_states_is_at_no_distance() -> None:
    """Either of the two is missing."""
    ups = subject("ups", "ups", power="1800 W")
    assert ask(facts_of(ups, US), "ups.voltage_distance") is None
    alone = facts_of(subject("ups", "ups", voltage="120 V"))
    assert ask(alone, "ups.voltage_distance") is None
    assert ask(alone, "ups.output_voltage") == exact(120)


@pytest.mark.parametrize(
    ("made_for", "site", "gets"),
    [
        (None, "120 V", 120),
        ("120 V", "240 V", 120),
        ("230 V", "120 V", 120),
        ("230 V", "240 V", 230),
        ("208..240 V", "230 V", 230),
        ("208..240 V", "200 V", 200),
        ("208 V", "240 V", 208),
        ("100..127 V", "240 V", 127),
    ],
)
def test_a_supply_gets_the_lower_of_outlet_and_ups(made_for, site, gets: float) -> None:
    """The UPS passes the mains on or gives its own voltage; without one the outlet's counts."""
    parts = [] if made_for is None else [subject("ups", "ups", voltage=made_for)]
    outlet = subject("site", "circuit", voltage=site, breaker="16 A")
    facts = on({"rated_power": "1600 W"}, *parts, outlet)
    assert near(ask(facts, "psu.least_voltage", "psus[0]"), gets)


def test_a_ups_of_unknown_voltage_gives_no_more_than_the_outlet_has() -> None:
    """What the supply gets is open, and 120 V at most."""
    facts = on({"rated_power": "1600 W"}, UPS, US)
    assert near(ask(facts, "psu.least_voltage", "psus[0]"), 0, 120)


def test_heat_in_the_units_of_air_conditioners() -> None:
    """1580 W at 92 % are 1717 W: 5860 BTU/h, 0.488 tons, 15044 kWh a year day and night."""
    work = subject("workload", "workload", cpu_share=0.5, continuous=True)
    facts = on({"rated_power": "1600 W", **FLAT}, US, work)
    assert near(ask(facts, "circuit.heat"), 1580 / 0.92)
    assert near(ask(facts, "circuit.heat_btu_per_hour"), 5859.7)
    assert near(ask(facts, "circuit.heat_tons"), 0.48831)
    assert near(ask(facts, "circuit.yearly_energy"), 15044.3)
    assert near(ask(facts, "circuit.yearly_idle_energy"), 0)


def test_energy_of_a_machine_in_part_use() -> None:
    """350 W and 100 W for 15 % of a year are 591 kWh, 657 at 90 %; 25 W idle add 186 kWh."""
    even = {"efficiency_low_line": [[0, 0.9]], "efficiency_high_line": [[0, 0.9]]}
    facts = on(
        {"rated_power": "1000 W", **even},
        subject("workload", "workload", cpu_share=0.5, use=0.15),
        card={"board_power": "350 W", "idle_power": "25 W"},
        number=1,
        cpu=subject("cpu", "cpu", base_power="200 W", turbo_power="200 W"),
    )
    assert near(ask(facts, "circuit.yearly_energy"), 657)
    assert near(ask(facts, "circuit.yearly_idle_energy"), 0.025 * 8760 * 0.85)
    assert ask(facts, "workload.states_use") is True


@pytest.mark.parametrize(
    ("case", "limits"),
    [
        ({"kind": "tower"}, True),
        ({"kind": "tower", "psu_places": 1}, True),
        ({"kind": "open frame"}, False),
        ({"kind": "open frame", "psu_places": 1}, False),
        ({"psu_places": 1}, True),
        ({}, None),
    ],
)
def test_a_case_with_walls_has_places_for_so_many_supplies(case, limits) -> None:
    """An open frame has room beside it; supplies of a distribution board have a cage."""
    apart, joined = ({"rated_power": "1000 W", "shares_output": shares} for shares in (False, True))
    facts = facts_of(*supplies(apart, apart, joined), of_kind("case", "case", **case))
    assert ask(facts, "case.limits_psus") is limits
    assert ask(facts, "build.separate_psus") == exact(2.0)
