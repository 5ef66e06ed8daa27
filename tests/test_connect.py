"""Where cards end up: slots, lanes, supplies and cables, on small machines made by hand."""

from __future__ import annotations

import itertools
import math

import pytest
from handmade import cards, machine, slot, subject, supplies
from hypothesis import given, settings
from hypothesis import strategies as st

from buildcheck.errors import InputError
from buildcheck.model.quantity import Interval, exact


def board(*slots: dict, **facts):
    return subject("motherboard", "motherboard", slots=list(slots), **facts)


CPU = subject("cpu", "cpu", pcie_lanes=128)


def seats(graph) -> dict[str, str]:
    """Label of the slot of each card."""
    return {e.start: e.data["slot"] for e in graph.edges if e.kind == "seated"}


def lanes(graph) -> dict[str, Interval]:
    return {e.start: e.data["lanes"] for e in graph.edges if e.kind == "seated"}


def left_over(graph) -> Interval:
    (edge,) = [e for e in graph.edges if e.kind == "placed"]
    return edge.data["left_over"]


def pitches(graph) -> dict[tuple[str, str], int]:
    return {(e.start, e.end): e.data["pitches"] for e in graph.edges if e.kind == "above"}


# -- slots -------------------------------------------------------------------


def test_four_thin_cards_fill_four_wide_slots() -> None:
    """Two-slot cards on positions 1, 3, 5 and 7 all fit, each two pitches from the next."""
    graph = machine(*cards(*[{"thickness": "2 slots"}] * 4), board(*map(slot, (1, 3, 5, 7))), CPU)
    assert set(seats(graph).values()) == {"S1", "S3", "S5", "S7"}
    assert left_over(graph) == exact(0.0)
    assert list(pitches(graph).values()) == [2, 2, 2]


@pytest.mark.parametrize(
    ("thickness", "left"),
    [
        ("2 slots", (0, 0)),
        # 20.32 mm x 2 + 2 mm of give: up to 42.64 mm go into two slots.
        ("42.6 mm", (0, 0)),
        ("42.7 mm", (2, 2)),
        ("3 slots", (2, 2)),
        ("2..3 slots", (0, 2)),
        ("1 slot", (0, 0)),
        ("5 slots", (2, 2)),
        ("7 slots", (3, 3)),
    ],
)
def test_thickness_decides_how_many_fit(thickness, left) -> None:
    """On positions 1, 3, 5 and 7: a range of thickness makes a range of cards left over."""
    graph = machine(*cards(*[{"thickness": thickness}] * 4), board(*map(slot, (1, 3, 5, 7))), CPU)
    assert left_over(graph) == Interval(*map(float, left))


def test_a_pinned_card_keeps_its_slot() -> None:
    """By position and by label; the others go around it."""
    two = [{"thickness": "2 slots"}] * 3
    for pin in (3, "S3"):
        graph = machine(*cards(*two), board(*map(slot, (1, 3, 5))), CPU, slots={"gpus[2]": pin})
        assert seats(graph)["gpus[2]"] == "S3"
        assert left_over(graph) == exact(0.0)


def test_pinned_cards_stay_even_where_they_collide() -> None:
    """What the build says is kept, and the collision is counted."""
    graph = machine(
        *cards(*[{"thickness": "3 slots"}] * 2),
        board(*map(slot, (1, 3, 5))),
        CPU,
        slots={"gpus[0]": 1, "gpus[1]": 3},
    )
    assert seats(graph) == {"gpus[0]": "S1", "gpus[1]": "S3"}
    assert left_over(graph).low >= 1


def test_one_collision_leaves_one_card_over() -> None:
    """Two of three pinned cards collide; without one of them the rest is fine."""
    graph = machine(
        *cards(*[{"thickness": "3 slots"}] * 3),
        board(*map(slot, (1, 3, 9))),
        CPU,
        slots={"gpus[0]": 1, "gpus[1]": 3, "gpus[2]": 9},
    )
    assert left_over(graph) == exact(1.0)


def test_a_card_on_a_riser_takes_no_room() -> None:
    """Its slot is taken, its thickness is not: two cards of three slots hang on slots 1 and 2."""
    thick = {"thickness": "3 slots"}
    two = board(*map(slot, (1, 2)))
    assert left_over(machine(*cards(thick, thick), two, CPU)) == exact(1.0)
    graph = machine(*cards({**thick, "riser": True}, {**thick, "riser": True}), two, CPU)
    assert left_over(graph) == exact(0.0)
    assert len(seats(graph)) == 2
    assert pitches(graph) == {}


def test_short_slots_are_no_place_for_a_card() -> None:
    """A slot of one lane's length is used only if the build pins a card to it."""
    slots = [slot(1), slot(3, mechanical=1, lanes=1)]
    two = [{"thickness": "2 slots"}] * 2
    assert left_over(machine(*cards(*two), board(*slots), CPU)) == exact(1.0)
    graph = machine(*cards(*two), board(*slots), CPU, slots={"gpus[1]": 3})
    assert left_over(graph) == exact(0.0)
    assert lanes(graph)["gpus[1]"] == exact(1.0)


def test_a_board_of_unknown_slots_may_fit_all_or_none() -> None:
    """Nobody can say, and no card gets a slot."""
    graph = machine(*cards({}, {}))
    assert left_over(graph) == Interval(0.0, 2.0)
    assert seats(graph) == {}


def test_slots_at_unknown_positions_leave_room_for_doubt() -> None:
    """Three cards in three slots may fit or collide; a fourth has none for certain."""
    nowhere = [slot(None, label=name) for name in "ABC"]
    three = machine(*cards(*[{"thickness": "2 slots"}] * 3), board(*nowhere), CPU)
    assert left_over(three) == Interval(0.0, 2.0)
    assert pitches(three) == {}
    four = machine(*cards(*[{"thickness": "2 slots"}] * 4), board(*nowhere), CPU)
    assert left_over(four).low == 1.0
    one = machine(*cards({"thickness": "2 slots"}), board(*nowhere), CPU)
    assert left_over(one) == exact(0.0)


def test_of_slots_alike_at_worst_the_wider_at_best_is_taken() -> None:
    """Nobody puts a card into a slot of one lane where others may have sixteen."""
    may_be = [slot(None, label=name, lanes="1..16") for name in "BC"]
    graph = machine(*cards({}, {}), board(slot(None, label="A", lanes=1), *may_be), CPU)
    assert set(seats(graph).values()) == {"B", "C"}


def test_the_case_decides_between_arrangements_that_fit() -> None:
    """In a case of six openings no card begins at position 6, though that leaves more air."""
    thick = [{"thickness": "3 slots"}] * 2
    slots = board(slot(1), slot(3), slot(4), slot(6))
    case = subject("case", "case", expansion_slots=6)
    assert set(seats(machine(*cards(*thick), slots, CPU, case)).values()) == {"S1", "S4"}
    assert set(seats(machine(*cards(*thick), slots, CPU)).values()) == {"S1", "S6"}


def test_the_widest_gap_is_taken() -> None:
    """Two cards on four equal slots sit as far apart as they can."""
    graph = machine(*cards(*[{"thickness": "2 slots"}] * 2), board(*map(slot, (1, 3, 5, 7))), CPU)
    assert set(seats(graph).values()) == {"S1", "S7"}


@given(
    thickness=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    positions=st.sets(st.integers(1, 7), min_size=1, max_size=5),
)
@settings(max_examples=60, deadline=None)
def test_no_arrangement_beats_the_one_found(thickness, positions) -> None:
    """Trying every seating of every set of cards finds none with fewer cards left over."""
    graph = machine(
        *cards(*({"thickness": f"{t} slots"} for t in thickness)),
        board(*map(slot, sorted(positions))),
        CPU,
    )

    def fits(seated) -> bool:
        rows = sorted((place, place + t) for place, t in seated)
        return all(end <= start for (_, end), (start, _) in itertools.pairwise(rows))

    most = 0
    for number in range(1, min(len(thickness), len(positions)) + 1):
        for group in itertools.combinations(thickness, number):
            for places in itertools.permutations(sorted(positions), number):
                if fits(zip(places, group, strict=True)):
                    most = number
    assert left_over(graph) == exact(float(len(thickness) - most))
    assert len(seats(graph)) == most


def test_the_thin_end_of_a_range_is_tried_for_every_card() -> None:
    """Two cards of perhaps two slots fit on positions 1 and 3, whatever the other two are."""
    perhaps, thick = {"thickness": "2..4 slots"}, {"thickness": "3 slots"}
    graph = machine(*cards(perhaps, perhaps, thick, thick), board(*map(slot, (1, 3))), CPU)
    assert left_over(graph).low == 2.0


@pytest.mark.parametrize(
    ("thickness", "positions"),
    [
        # One of the two-slot cards fits above the gap at 2, the other at the end.
        (["1 slot"] * 6 + ["2 slots"] * 2, [1, *range(3, 10)]),
        # Eight cards of two slots need 16 of 20 positions.
        (["2 slots"] * 8, range(1, 21)),
    ],
)
def test_a_search_cut_short_claims_no_collision(thickness, positions, monkeypatch) -> None:
    """All cards fit; what was not tried is not impossible."""
    monkeypatch.setattr("buildcheck.connect.seating.MOST_STEPS", 500)
    graph = machine(
        *cards(*({"thickness": t} for t in thickness)), board(*map(slot, positions)), CPU
    )
    assert left_over(graph).low == 0.0


# -- lanes -------------------------------------------------------------------

DESKTOP = [slot(1), slot(3), slot(5, lanes=4, owner="chipset")]
MODES = [
    {"populate": ["S1"], "lanes": {"S1": 16}},
    {"populate": ["S1", "S3"], "lanes": {"S1": 8, "S3": 8}},
]


def test_a_card_alone_has_all_lanes() -> None:
    """The narrowest mode that covers what is used decides."""
    graph = machine(*cards({"thickness": "2 slots"}), board(*DESKTOP, lane_modes=MODES), CPU)
    assert lanes(graph) == {"gpus[0]": exact(16.0)}


def test_two_cards_share_the_lanes_as_the_board_says() -> None:
    """Pinned to the two CPU slots they get eight each."""
    graph = machine(
        *cards(*[{"thickness": "2 slots"}] * 2),
        board(*DESKTOP, lane_modes=MODES),
        subject("cpu", "cpu", pcie_lanes=20),
        slots={"gpus[0]": 1, "gpus[1]": 3},
    )
    assert lanes(graph) == {"gpus[0]": exact(8.0), "gpus[1]": exact(8.0)}


def test_a_board_that_splits_lanes_as_it_says_keeps_cards_off_the_chipset() -> None:
    """Eight and eight are better than sixteen and four behind the chipset."""
    modes = [*MODES, {"populate": ["S1", "S5"], "lanes": {"S1": 16, "S5": 4}}]
    graph = machine(
        *cards(*[{"thickness": "2 slots"}] * 2),
        board(*DESKTOP, lane_modes=modes),
        subject("cpu", "cpu", pcie_lanes=20),
    )
    assert set(seats(graph).values()) == {"S1", "S3"}


@pytest.mark.parametrize(
    ("slots", "cpu", "each"),
    [
        # With lanes enough every slot is as wide as it is wired.
        (DESKTOP, {"pcie_lanes": 64}, exact(16.0)),
        # Two wide slots on 20 lanes are split, and a board without modes does not say how.
        (DESKTOP[:2], {"pcie_lanes": 20}, Interval(0.0, 16.0)),
        # They fit on 20 lanes each of two CPUs.
        ([slot(1), slot(3, owner="cpu2")], {"pcie_lanes": 20, "count": 2}, exact(16.0)),
    ],
)
def test_two_cards_share_what_lanes_there_are(slots, cpu, each) -> None:
    two = cards(*[{"thickness": "2 slots"}] * 2)
    graph = machine(*two, board(*slots), subject("cpu", "cpu", **cpu))
    assert lanes(graph) == {"gpus[0]": each, "gpus[1]": each}


@pytest.mark.parametrize("cpu", [{}, {"pcie_lanes": 20}, {"pcie_lanes": 64}])
def test_no_card_goes_behind_the_chipset_while_a_cpu_slot_is_free(cpu) -> None:
    """Not even where the CPU's lanes, or how they are split, are not known."""
    graph = machine(
        *cards(*[{"thickness": "2 slots"}] * 2), board(*DESKTOP), subject("cpu", "cpu", **cpu)
    )
    assert set(seats(graph).values()) == {"S1", "S3"}


# -- supplies ----------------------------------------------------------------


def fed_by(graph) -> dict[str, str]:
    return {e.end: e.start for e in graph.edges if e.kind == "feeds"}


def test_one_supply_feeds_everything() -> None:
    """The board and every card."""
    graph = machine(*cards({}, {}), *supplies({}))
    assert fed_by(graph) == {"gpus[0]": "psus[0]", "gpus[1]": "psus[0]"}
    assert [(e.start, e.end) for e in graph.edges if e.kind == "runs"] == [
        ("psus[0]", "motherboard")
    ]


def test_a_server_supply_runs_no_board_next_to_another() -> None:
    """It has no plug for a board; where all are such, they are in a chassis that feeds it."""
    server = {"rated_power": "1200 W", "shares_output": True}
    mixed = machine(*cards({}), *supplies(server, {"rated_power": "650 W"}))
    assert [e.start for e in mixed.edges if e.kind == "runs"] == ["psus[1]"]
    alike = machine(*cards({}), *supplies(server, server))
    assert [e.start for e in alike.edges if e.kind == "runs"] == ["psus[0]"]


def test_without_a_supply_nothing_is_fed() -> None:
    """No edges at all, rather than a supply made up."""
    graph = machine(*cards({}))
    assert not {"feeds", "runs", "board_cabled", "cabled"} & {e.kind for e in graph.edges}


@pytest.mark.parametrize(
    ("ratings", "draws", "counts"),
    [
        # First supply also runs a 100 W CPU. 4 + 0 cards: 1300 W; 2 + 2: 700 and 600 W.
        ((1000, 1000), [300] * 4, (2, 2)),
        # 2 + 2: 0.70 and 1.20; 3 + 1: 1.00 and 0.60.
        ((1000, 500), [300] * 4, (3, 1)),
        # 1 + 3: 0.80 and 0.90; 2 + 2: 1.40 and 0.60.
        ((500, 1000), [300] * 4, (1, 3)),
        # 1 + 1 + 1: 0.4, 0.3, 0.3
        ((1000, 1000, 1000), [300] * 3, (1, 1, 1)),
        # Three of 100 W on the first with the CPU, the one of 400 W on the second.
        ((1000, 1000), [400, 100, 100, 100], (3, 1)),
    ],
)
def test_cards_go_where_the_fullest_supply_is_least_full(ratings, draws, counts) -> None:
    """Shares are of each supply's own rating, and the first also runs board and CPU."""
    graph = machine(
        *cards(*({"board_power": f"{d} W"} for d in draws)),
        *supplies(*({"rated_power": f"{r} W"} for r in ratings)),
        subject("cpu", "cpu", base_power="100 W"),
    )
    found = list(fed_by(graph).values())
    assert tuple(found.count(f"psus[{n}]") for n in range(len(ratings))) == counts


@given(
    draws=st.lists(st.sampled_from([150, 250, 350]), min_size=1, max_size=5),
    ratings=st.lists(st.sampled_from([500, 850, 1600]), min_size=2, max_size=3),
    cpu=st.sampled_from([65, 300]),
)
@settings(max_examples=40, deadline=None)
def test_no_split_has_a_lower_worst_share(draws, ratings, cpu) -> None:
    """Trying every card on every supply finds none."""
    graph = machine(
        *cards(*({"board_power": f"{d} W"} for d in draws)),
        *supplies(*({"rated_power": f"{r} W"} for r in ratings)),
        subject("cpu", "cpu", base_power=f"{cpu} W"),
    )

    def worst(split) -> float:
        use = [cpu] + [0] * (len(ratings) - 1)
        for draw, supply in zip(draws, split, strict=True):
            use[supply] += draw
        return max(u / r for u, r in zip(use, ratings, strict=True))

    split = [int(fed_by(graph)[f"gpus[{n}]"][5:-1]) for n in range(len(draws))]
    best = min(map(worst, itertools.product(range(len(ratings)), repeat=len(draws))))
    assert worst(split) == pytest.approx(best)


def test_a_power_limit_counts_as_what_the_card_draws() -> None:
    """Two cards held at 200 W weigh as much as one of 400 W."""
    graph = machine(
        *cards({"board_power": "400 W"}, *[{"board_power": "400 W", "power_limit": "200 W"}] * 2),
        *supplies({"rated_power": "1000 W"}, {"rated_power": "1000 W"}),
    )
    found = fed_by(graph)
    assert found["gpus[1]"] == found["gpus[2]"] != found["gpus[0]"]


def test_a_pinned_card_stays_on_its_supply() -> None:
    """Both on the second, although the first is empty; a third goes to the first."""
    graph = machine(
        *cards(*[{"board_power": "300 W"}] * 3),
        *supplies({"rated_power": "1000 W"}, {"rated_power": "1000 W"}),
        fed_by={"gpus[0]": 2, "gpus[1]": 2},
    )
    assert fed_by(graph) == {"gpus[0]": "psus[1]", "gpus[1]": "psus[1]", "gpus[2]": "psus[0]"}


def test_many_different_cards_are_dealt_out() -> None:
    """Where splits are too many to try, no supply carries all."""
    graph = machine(
        *cards(*({"board_power": f"{200 + n} W"} for n in range(16))),
        *supplies(*[{"rated_power": "2000 W"}] * 4),
    )
    found = list(fed_by(graph).values())
    # 16 cards of about equal draw on four equal supplies
    assert [found.count(f"psus[{n}]") for n in range(4)] == [4, 4, 4, 4]


# -- cables ------------------------------------------------------------------


CABLED = ("board_cabled", "cabled")


def unfed(graph) -> dict[str, Interval]:
    return {e.end: e.data["unfed"] for e in graph.edges if e.kind in CABLED}


def used(graph) -> dict[str, dict[str, int]]:
    return {e.end: e.data["with"] for e in graph.edges if e.kind in CABLED}


BOARD = subject("motherboard", "motherboard", plugs={"atx-24-pin": 1, "eps-8-pin": 1})


def adapter(name: str, output: str, **inputs: int):
    sockets = {k.replace("_", "-"): n for k, n in inputs.items()}
    return subject(f"adapter:{name}", "adapter", inputs=sockets, output=output)


TO_16 = adapter("3x8", "16-pin", pcie_8_pin=3)


def test_every_socket_takes_an_output_of_its_kind() -> None:
    """Two cards of two sockets use four outputs; a fifth output is left."""
    graph = machine(
        BOARD,
        *cards(*[{"plugs": {"pcie-8-pin": 2}}] * 2),
        *supplies({"plugs": {"atx-24-pin": 1, "eps-8-pin": 1, "pcie-8-pin": 5}}),
    )
    assert set(unfed(graph).values()) == {exact(0.0)}
    assert used(graph)["gpus[1]"] == {"pcie-8-pin": 2}
    assert used(graph)["motherboard"] == {"atx-24-pin": 1, "eps-8-pin": 1}


def test_a_socket_without_an_output_is_left_over() -> None:
    """Three outputs for two cards of two: one socket stays open. Unlisted kinds are none."""
    graph = machine(
        BOARD,
        *cards(*[{"plugs": {"pcie-8-pin": 2}}] * 2),
        *supplies({"plugs": {"atx-24-pin": 1, "pcie-8-pin": 3}}),
    )
    found = unfed(graph)
    assert found["gpus[0]"].low + found["gpus[1]"].low == 1.0
    # The board's EPS socket.
    assert found["motherboard"] == exact(1.0)


def test_native_outputs_go_first_and_adapters_after() -> None:
    """Of two cards with an adapter in the box one gets the 16-pin cable, one three 8-pins."""
    card = {"plugs": {"16-pin": 1}, "bundled_adapter": "3x8"}
    graph = machine(*cards(card, card), *supplies({"plugs": {"16-pin": 1, "pcie-8-pin": 3}}), TO_16)
    assert [used(graph)[c] for c in ("gpus[0]", "gpus[1]")] == [{"16-pin": 1}, {"pcie-8-pin": 3}]
    assert unfed(graph)["gpus[0]"] == unfed(graph)["gpus[1]"] == exact(0.0)


def test_a_card_without_an_adapter_goes_first_to_no_harm() -> None:
    """The native cable goes to the card whose adapter would eat three outputs.

    Four 8-pin outputs feed the other card's two; had that adapter taken three, one
    would be missing.
    """
    graph = machine(
        *cards({"plugs": {"pcie-8-pin": 2}}, {"plugs": {"16-pin": 1}, "bundled_adapter": "3x8"}),
        *supplies({"plugs": {"16-pin": 1, "pcie-8-pin": 4}}),
        TO_16,
    )
    assert used(graph)["gpus[0]"] == {"pcie-8-pin": 2}
    assert used(graph)["gpus[1]"] == {"16-pin": 1}


def test_an_adapter_that_the_build_lists_is_used() -> None:
    """Even where the supply has a native output."""
    graph = machine(
        *cards({"plugs": {"16-pin": 1}, "adapter": "3x8"}),
        *supplies({"plugs": {"16-pin": 1, "pcie-8-pin": 3}}),
        TO_16,
    )
    assert used(graph)["gpus[0]"] == {"pcie-8-pin": 3}


def test_an_adapter_needs_all_its_inputs() -> None:
    """Two free outputs do not feed an adapter of three, and are not taken by it."""
    graph = machine(
        *cards({"plugs": {"16-pin": 1}, "bundled_adapter": "3x8"}, {"plugs": {"pcie-8-pin": 2}}),
        *supplies({"plugs": {"pcie-8-pin": 2}}),
        TO_16,
    )
    assert unfed(graph)["gpus[0]"] == exact(1.0)
    assert unfed(graph)["gpus[1]"] == exact(0.0)


def test_an_adapter_to_another_plug_is_no_help() -> None:
    """The output has to be the card's socket."""
    graph = machine(
        *cards({"plugs": {"16-pin": 1}, "adapter": "eps"}),
        *supplies({"plugs": {"pcie-8-pin": 4}}),
        adapter("eps", "eps-8-pin", pcie_8_pin=2),
    )
    assert unfed(graph)["gpus[0]"] == exact(1.0)


def test_board_and_card_share_the_eps_outputs() -> None:
    """The board is served first: of two EPS outputs one is left for a card that takes EPS."""
    card = {"plugs": {"eps-8-pin": 1}}
    outputs = {"atx-24-pin": 1, "eps-8-pin": 2}
    graph = machine(BOARD, *cards(card, card), *supplies({"plugs": outputs}))
    found = unfed(graph)
    assert found["motherboard"] == exact(0.0)
    assert found["gpus[0]"].low + found["gpus[1]"].low == 1.0


def test_a_second_supply_need_not_feed_the_board() -> None:
    """Its outputs are all for the cards."""
    graph = machine(
        BOARD,
        *cards({"plugs": {"eps-8-pin": 2}}),
        *supplies({"plugs": {"atx-24-pin": 1, "eps-8-pin": 1}}, {"plugs": {"eps-8-pin": 2}}),
        fed_by={"gpus[0]": 2},
    )
    assert unfed(graph) == {"motherboard": exact(0.0), "gpus[0]": exact(0.0)}


def test_a_supply_of_unknown_outputs_leaves_a_range() -> None:
    """At best everything is fed, at worst nothing is."""
    graph = machine(BOARD, *cards({"plugs": {"pcie-8-pin": 3}}), *supplies({}))
    assert unfed(graph) == {"motherboard": Interval(0.0, 2.0), "gpus[0]": Interval(0.0, 3.0)}


def test_a_card_of_unknown_sockets_leaves_a_range() -> None:
    """At best it needs nothing more."""
    graph = machine(*cards({}), *supplies({"plugs": {"pcie-8-pin": 3}}))
    assert unfed(graph)["gpus[0]"] == Interval(0.0, math.inf)


@pytest.mark.parametrize(
    ("sockets", "outputs", "expected"),
    [
        ("2..3", 3, (0, 0)),
        ("2..3", 2, (0, 1)),
        ("2..3", 1, (1, 2)),
        (2, "1..3", (0, 1)),
        ("2..3", "1..2", (0, 2)),
        (0, 0, (0, 0)),
    ],
)
def test_ranges_of_counts_are_tried_at_both_ends(sockets, outputs, expected) -> None:
    """Fewest sockets on most outputs at best, most on fewest at worst."""
    graph = machine(
        *cards({"plugs": {"pcie-8-pin": sockets}}), *supplies({"plugs": {"pcie-8-pin": outputs}})
    )
    assert unfed(graph)["gpus[0]"] == Interval(*map(float, expected))


def test_a_plug_of_eight_pins_goes_into_a_socket_of_six() -> None:
    """Cables of 6+2 pins feed both, as the connector's entry says."""
    graph = machine(
        *cards({"plugs": {"pcie-6-pin": 1, "pcie-8-pin": 1}}),
        *supplies({"plugs": {"pcie-8-pin": 2}}),
        subject("connector:pcie-8-pin", "connector", fits=["pcie-6-pin"]),
        subject("connector:pcie-6-pin", "connector"),
    )
    assert unfed(graph)["gpus[0]"] == exact(0.0)
    (edge,) = [e for e in graph.edges if e.kind == "cabled" and e.end == "gpus[0]"]
    assert edge.data["output"] == "1x pcie-8-pin into pcie-6-pin; 1x pcie-8-pin"


# -- through the whole pipeline ----------------------------------------------


@pytest.mark.parametrize(("socket", "output"), [("8-pin", "pcie-8-pin"), ("12VHPWR", "16-pin")])
def test_a_connector_is_the_same_by_any_of_its_names(socket, output, judged) -> None:
    """A socket called `8-pin` takes a `pcie-8-pin` cable."""
    report = judged(
        f"gpus: {{board_power: 200 W, plugs: {{{socket}: 1}}}}\n"
        f"psus: {{rated_power: 850 W, plugs: {{{output}: 2}}}}\n"
    )
    assert unfed(report.graph)["gpus[0]"] == exact(0.0)


@pytest.mark.parametrize(
    "given",
    [
        "position: true, mechanical: 16",
        "position: 1, mechanical: '16'",
        "position: 1.0, mechanical: 16",
    ],
)
def test_places_and_lengths_of_slots_are_whole_numbers(given, judged) -> None:
    """A truth is no position, and neither is text or a decimal."""
    with pytest.raises(InputError):
        judged(f"gpus: {{board_power: 300 W}}\nmotherboard: {{slots: [{{label: a, {given}}}]}}\n")


@pytest.mark.parametrize("second", ["{label: a, position: 3", "{label: b, position: 1"])
def test_a_board_has_every_slot_once(second, judged) -> None:
    """Cards pinned to such a slot would go to the first of them without a word."""
    slots = f"[{{label: a, position: 1, mechanical: 16}}, {second}, mechanical: 16}}]"
    with pytest.raises(InputError):
        judged(f"gpus: {{board_power: 300 W}}\nmotherboard: {{slots: {slots}}}\n")
