"""Where cards end up: slots, lanes, supplies and cables; most small machines are in tests/facts."""

import itertools

import pytest
from conftest import each_row
from handmade import cards, fed_by, left_over, machine, seats, slot, subject, supplies, unfed
from hypothesis import given, settings
from hypothesis import strategies as st

from buildcheck.connect import STAGE_OF, STAGES
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


def test_edges_are_found_when_they_are_first_asked_for() -> None:
    """What no rule asks for is not worked out; all of them are in the order of the stages."""
    graph = machine(*cards({}, {}), board(slot(1), slot(4)), CPU, *supplies({}))
    assert not graph.made
    assert [e.end for e in graph.out("feeds", graph.subjects["psus[0]"])] == ["gpus[0]", "gpus[1]"]
    assert [*graph.made] == ["share"]
    kinds = [*dict.fromkeys(STAGE_OF[e.kind] for e in graph.edges)]
    assert kinds == [name for name in STAGES if name in kinds]
    assert {"place", "share", "feed"} <= {*kinds}


@given(
    draws=st.lists(st.sampled_from([150, 250, 350]), min_size=1, max_size=5),
    ratings=st.lists(st.sampled_from([500, 850, 1600]), min_size=2, max_size=3),
    cpu=st.sampled_from([65, 300]),
)
@settings(max_examples=40, deadline=None)
def test_no_split_has_a_lower_worst_share(draws, ratings, cpu) -> None:
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


@pytest.mark.parametrize(("socket", "output"), [("8-pin", "pcie-8-pin"), ("12VHPWR", "16-pin")])
def test_a_connector_is_the_same_by_any_of_its_names(socket, output, judged) -> None:
    """A socket called `8-pin` takes a `pcie-8-pin` cable."""
    report = judged(
        f"gpus: {{board_power: 200 W, plugs: {{{socket}: 1}}}}\n"
        f"psus: {{rated_power: 850 W, plugs: {{{output}: 2}}}}\n"
    )
    assert unfed(report.graph)["gpus[0]"] == exact(0.0)


@each_row
def test_slots_that_cannot_be_are_refused(slots, judged) -> None:
    """A truth, text or a decimal is no position; cards pinned to a slot that is twice there would go to the first."""
    with pytest.raises(InputError):
        judged(f"gpus: {{board_power: 300 W}}\nmotherboard: {{slots: {slots}}}\n")


def test_a_card_in_the_way_is_named_with_what_would_help(judged) -> None:
    """Four cards of two openings fit, but for a network card pinned under one of them."""
    (found,) = [
        f
        for f in judged(
            "gpus: 4x Gigabyte GeForce RTX 3090 TURBO 24G\nmotherboard: ASRock Rack ROMED8-2T\n"
            "add_in_cards: [{part: Mellanox ConnectX-5 100 GbE, slots: [6]}]\n"
        ).findings
        if f.rule.id == "space/cards-collide"
    ]
    assert found.verdict in ("fail", "likely-fail")
    assert "3 of 4 fit" in found.message
    assert "add-in card 1" in found.fix
    assert "two-slot GPUs" not in found.fix


@each_row
def test_no_slot_raises_the_generation_of_a_gpu_without_one(rest, most, judged) -> None:
    """A Gen5 GPU comes up at no more than the board's slots or, not knowing them, the CPU have."""
    report = judged(f"gpus: 2x RTX 5090\ncase: open frame\n{rest}\n")
    generations = [report.facts("gpu.link_gen_at_most", g).high for g in report.graph.of("gpu")]
    assert generations == [most, most]
