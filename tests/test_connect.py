"""Where cards end up: slots, lanes, supplies and cables, on small machines made by hand."""

import itertools

import pytest
from conftest import each_row
from handmade import cards, fed_by, left_over, machine, seats, slot, subject, supplies, unfed
from hypothesis import given, settings
from hypothesis import strategies as st

from buildcheck.connect import STAGE_OF, stages
from buildcheck.errors import InputError
from buildcheck.logic.quantity import exact


def board(*slots: dict, **facts):
    return subject("motherboard", "motherboard", slots=list(slots), **facts)


CPU = subject("cpu", "cpu", pcie_lanes=128)


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


def test_edges_are_found_when_they_are_first_asked_for() -> None:
    """What no rule asks for is not worked out; all of them are in the order of the stages."""
    graph = machine(*cards({}, {}), board(slot(1), slot(4)), CPU, *supplies({}))
    assert not graph.made
    assert [e.end for e in graph.out("feeds", graph.subjects["psus[0]"])] == ["gpus[0]", "gpus[1]"]
    assert [*graph.made] == ["share"]
    kinds = [*dict.fromkeys(STAGE_OF[e.kind] for e in graph.edges)]
    assert kinds == [name for name in stages() if name in kinds]
    assert {"place", "share", "feed"} <= {*kinds}


def test_without_a_supply_nothing_is_fed() -> None:
    """No edges at all, rather than a supply made up."""
    graph = machine(*cards({}))
    assert not {"feeds", "runs", "board_cabled", "cabled"} & {e.kind for e in graph.edges}


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


@pytest.mark.parametrize(("socket", "output"), [("8-pin", "pcie-8-pin"), ("12VHPWR", "16-pin")])
def test_a_connector_is_the_same_by_any_of_its_names(socket, output, judged) -> None:
    """A socket called `8-pin` takes a `pcie-8-pin` cable."""
    report = judged(
        f"gpus: {{board_power: 200 W, plugs: {{{socket}: 1}}}}\n"
        f"psus: {{rated_power: 850 W, plugs: {{{output}: 2}}}}\n"
    )
    assert unfed(report.graph)["gpus[0]"] == exact(0.0)


@each_row
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
