"""Which lanes populated slots get, where drives go, and why cards find no seat."""

import pytest
from conftest import each_row, table
from handmade import cabled, cards, lanes, machine, slot, subject, supplies
from test_connect import CPU, board

from buildcheck.connect.lanes import Lanes, Wiring
from buildcheck.logic.quantity import ZERO, Interval, exact
from buildcheck.model.board import M2, LaneMode, Slot

THIN = {"thickness": "2 slots"}


def placed(graph):
    (edge,) = [e for e in graph.edges if e.kind == "placed"]
    why = edge.data["why"]
    return why and why()


SHARING = table("connect_lanes", "sharing")


def drives(*facts):
    return [subject(f"storage[{n}]", "storage", form="m.2", **f) for n, f in enumerate(facts)]


@pytest.mark.parametrize(("number", "expected"), [(1, (16, 16)), (2, (8, 16)), (3, (8, 4))])
def test_drives_take_the_sockets_that_cost_least(number, expected) -> None:
    """The first drive goes where it takes nothing, the second takes 8 lanes, the third 12."""
    graph = machine(
        *cards(THIN, THIN), board(slot(1), slot(3), m2_slots=SHARING), CPU, *drives(*[{}] * number)
    )
    assert [lanes(graph)[f"gpus[{n}]"].high for n in (0, 1)] == list(expected)
    sockets = [e.data["socket"] for e in graph.edges if e.kind == "plugged"]
    assert "M2_2" in sockets
    assert len(set(sockets)) == number


def test_a_drive_more_than_sockets_has_none() -> None:
    """It is left without one, and the rest as they are."""
    graph = machine(*cards(THIN), board(slot(1), m2_slots=SHARING[1:2]), CPU, *drives({}, {}))
    assert [e.data["socket"] for e in graph.edges if e.kind == "plugged"] == ["M2_2", None]


@each_row
def test_drives_go_into_sockets_that_speak_as_they_do(number, protocols, sockets) -> None:
    """The one with SATA gets the one socket for it, though it is listed last; of two, none."""
    there = board(slot(1), m2_slots=table("connect_lanes", "sockets")[:number])
    listed = drives(*({"protocol": p} if p else {} for p in protocols))
    graph = machine(*cards(THIN), there, CPU, *listed)
    assert [e.data["socket"] for e in graph.edges if e.kind == "plugged"] == sockets


def test_modes_and_drives_both_narrow_a_slot() -> None:
    """x8 by the mode of two cards, x4 by the drive."""
    wiring = Wiring(
        tuple(Slot(label=n, mechanical=16, lanes=16, owner="cpu") for n in "AB"),
        (LaneMode(populate=("A", "B"), lanes={"A": exact(8.0), "B": exact(8.0)}),),
        (M2(label="M", slot_lanes={"B": exact(4.0)}),),
        drives=1,
    )
    assert Lanes(wiring).of(frozenset("AB")) == {"A": exact(8.0), "B": exact(4.0)}
    assert Lanes(wiring).of(frozenset("A")) == {"A": exact(8.0)}


def apu(*modes: LaneMode, cpu_lanes: float | None, graphics: float | None = None) -> Lanes:
    """A board of x16 and x8 on a CPU, and x4 on the chipset."""
    slots = ("A", 16, "cpu"), ("B", 8, "cpu"), ("C", 4, "chipset")
    return Lanes(
        Wiring(
            tuple(Slot(label=n, mechanical=16, lanes=w, owner=o) for n, w, o in slots),
            modes,
            cpu_lanes=cpu_lanes and exact(cpu_lanes),
            all_lanes=cpu_lanes and exact(cpu_lanes),
            graphics=graphics and exact(graphics),
            split_least=1.0,
        )
    )


def mode(*populate: str, cpu_lanes: float | None = None, **lanes: float) -> LaneMode:
    found = {label: exact(n) for label, n in lanes.items()}
    return LaneMode(populate=populate, lanes=found, cpu_lanes=cpu_lanes and exact(cpu_lanes))


def test_a_mode_for_the_lanes_of_the_cpu_goes_before_one_for_any() -> None:
    """The second slot works with 24 lanes and is dead with 16; of no known CPU the first counts."""
    modes = mode("A", "B", "C", A=8.0, B=8.0), mode("A", "B", "C", A=8.0, B=0.0, cpu_lanes=16.0)
    for there, second in ((24.0, 8.0), (16.0, 0.0), (None, 8.0)):
        found = apu(*modes, cpu_lanes=there).of(frozenset("AB"))
        assert found == {"A": exact(8.0), "B": exact(second)}
    either = Lanes(apu(*modes, cpu_lanes=16.0).wiring._replace(cpu_lanes=Interval(16.0, 24.0)))
    assert either.of(frozenset("AB"))["B"] == Interval(0.0, 8.0)
    # What the board says goes before what the CPU could give.
    few = apu(*modes, cpu_lanes=16.0, graphics=8.0).of(frozenset("ABC"))
    assert few == {"A": exact(8.0), "B": exact(0.0), "C": exact(4.0)}


@pytest.mark.parametrize("modes", [(), (mode("A", "C", A=16.0), mode("A", "B", "C", A=8.0, B=8.0))])
def test_few_lanes_for_graphics_go_to_the_first_slot(modes) -> None:
    """Whether the second has any is not known, alone or beside the first; others are untouched."""
    lanes = apu(*modes, cpu_lanes=16.0, graphics=8.0)
    assert lanes.of(frozenset("AC")) == {"A": exact(8.0), "C": exact(4.0)}
    assert lanes.of(frozenset("B")) == {"B": Interval(0.0, 8.0)}
    assert lanes.of(frozenset("AB"))["B"] == Interval(0.0, 8.0)
    assert lanes.of(frozenset("AB"))["A"].high == 8.0


def test_sockets_that_need_a_larger_cpu_hold_no_drive() -> None:
    """The first needs 24 lanes; with an unlisted CPU it counts."""
    sockets = [{"label": "M1", "lanes": 4, "cpu_lanes": 24}, {"label": "M2", "lanes": 4}]
    there = board(slot(1), m2_slots=sockets)
    for cpu, found in ((24, ["M1", "M2"]), (16, ["M2", None]), (None, ["M1", "M2"])):
        listed = subject("cpu", "cpu", **({"pcie_lanes": cpu} if cpu else {}))
        graph = machine(*cards(THIN), there, listed, *drives({}, {}))
        assert [e.data["socket"] for e in graph.edges if e.kind == "plugged"] == found


def test_pinned_positions_stand_without_a_known_board() -> None:
    """They give the distance between the cards, and nothing about lanes."""
    graph = machine(*cards(THIN, THIN), slots={"gpus[0]": 1, "gpus[1]": 4})
    (above,) = [e for e in graph.edges if e.kind == "above"]
    assert above.data["pitches"] == 3
    assert lanes(graph)["gpus[0]"] == Interval(0.0, 16.0)


def test_a_witness_names_cards_places_and_ways_out() -> None:
    """Four cards of three slots on seven positions: three fit.

    A riser needs an opening of its own, so one is too few: cards at 1 and 6, risers at 4 and 5.
    """
    graph = machine(*cards(*[{"thickness": "3 slots"}] * 4), board(*map(slot, range(1, 8))), CPU)
    why = placed(graph)
    assert why.cards == ("gpus[0]", "gpus[1]", "gpus[2]", "gpus[3]")
    assert (why.covers, why.fit) == (3, 3)
    assert why.positions == tuple(map(str, range(1, 8)))
    assert [way.split()[:2] for way in why.ways] == [
        ["take", "two-slot"],
        ["put", "2"],
        ["take", "another"],
    ]


def test_a_witness_leaves_out_the_cards_that_are_not_to_blame() -> None:
    """Two cards of four slots do not fit on three positions, with or without the thin one."""
    graph = machine(
        *cards(THIN, *[{"thickness": "4 slots"}] * 2), board(*map(slot, (1, 3, 4))), CPU
    )
    assert set(placed(graph).cards) == {"gpus[1]", "gpus[2]"}


def test_no_witness_where_all_fit() -> None:
    """Nothing to explain."""
    assert placed(machine(*cards(THIN), board(slot(1)), CPU)) is None


def test_the_boards_extra_sockets_are_fed_after_the_cards() -> None:
    """What is left over; with too few outputs they go without."""
    main = board(slot(1), plugs={}, slot_power_plugs={"pcie-6-pin": 1})
    six_pins = subject("connector:pcie-8-pin", "connector", fits=["pcie-6-pin"])
    for outputs, unfed in ((3, ZERO), (2, exact(1.0))):
        graph = machine(
            *cards({"plugs": {"pcie-8-pin": 2}}),
            main,
            six_pins,
            *supplies({"plugs": {"pcie-8-pin": outputs}}),
        )
        (edge,) = [e for e in graph.edges if e.kind == "slot_fed"]
        assert edge.data["unfed"] == unfed


def test_a_powered_riser_takes_an_output_of_its_supply() -> None:
    """Of the second one if the build says so."""
    graph = machine(
        *cards({"plugs": {}}),
        subject("riser", "riser"),
        *supplies({"plugs": {"sata": 1}}, {"plugs": {}}),
        subject("risers[0]", "riser", feed="sata"),
        fed_by={"risers[0]": 2},
    )
    assert cabled(graph)["risers[0]"]["unfed"] == exact(1.0)


def test_risers_hang_on_the_supply_of_a_card_that_is_on_one() -> None:
    """Each on that of its card, unless the build says otherwise."""
    hanging = {"riser": True, "plugs": {}}
    graph = machine(
        *cards(hanging, hanging),
        *supplies({}, {}),
        *(subject(f"risers[{n}]", "riser", feed="pcie-6-pin") for n in range(2)),
        fed_by={"gpus[0]": 1, "gpus[1]": 2},
    )
    assert [(e.start, e.end) for e in graph.edges if e.kind == "powers"] == [
        ("psus[0]", "risers[0]"),
        ("psus[1]", "risers[1]"),
    ]


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
