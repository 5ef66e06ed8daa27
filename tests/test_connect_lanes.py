"""Which lanes populated slots get, where drives go, and why cards find no seat."""

from __future__ import annotations

import pytest
from handmade import cards, machine, slot, subject, supplies
from test_connect import CPU, board, lanes, left_over, seats

from buildcheck.connect.lanes import Lanes, Wiring
from buildcheck.model.board import M2, LaneMode, Slot
from buildcheck.model.quantity import ZERO, Interval, exact

THIN = {"thickness": "2 slots"}


def placed(graph):
    (edge,) = [e for e in graph.edges if e.kind == "placed"]
    why = edge.data["why"]
    return why and why()


# -- lanes -------------------------------------------------------------------

X299 = {
    "slots": [slot(1, gen=3), slot(3, gen=3), slot(5, gen=3)],
    "lane_modes": [
        {"populate": ["S1"], "lanes": {"S1": 16}, "cpu_lanes": "28..48"},
        {
            "populate": ["S1", "S3", "S5"],
            "lanes": {"S1": 16, "S3": 16, "S5": 8},
            "cpu_lanes": "44..48",
        },
        {"populate": ["S1", "S3", "S5"], "lanes": {"S1": 16, "S3": 8, "S5": 0}, "cpu_lanes": 28},
    ],
}


@pytest.mark.parametrize(
    ("cpu", "third"),
    [
        ({"pcie_lanes": 44}, exact(8.0)),
        ({"pcie_lanes": 28}, ZERO),
        # Nobody knows which CPU it is: either mode may hold.
        ({}, Interval(0.0, 8.0)),
    ],
)
def test_a_small_cpu_leaves_a_slot_dead(cpu, third) -> None:
    """The same board gives x16/x16/x8 with 44 lanes, and x16/x8 and nothing with 28."""
    graph = machine(
        *cards(THIN, THIN, THIN),
        subject("motherboard", "motherboard", **X299),
        subject("cpu", "cpu", **cpu),
        slots={"gpus[0]": 1, "gpus[1]": 3, "gpus[2]": 5},
    )
    assert lanes(graph)["gpus[2]"] == third


def test_slots_of_the_second_cpu_are_dead_without_it() -> None:
    """With one CPU cards stay with it, and one pinned elsewhere has no lanes."""
    slots = board(slot(1), slot(3, owner="cpu2"), slot(5))
    one = machine(*cards(THIN, THIN), slots, CPU)
    assert set(seats(one).values()) == {"S1", "S5"}
    pinned = machine(*cards(THIN), slots, CPU, slots={"gpus[0]": 3})
    assert lanes(pinned)["gpus[0]"] == ZERO
    two = machine(
        *cards(THIN), slots, subject("cpu", "cpu", count=2, pcie_lanes=128), slots={"gpus[0]": 3}
    )
    assert lanes(two)["gpus[0]"] == exact(16.0)


SHARING = [
    {"label": "M2_1", "lanes": 4, "gen": 4, "owner": "cpu", "slot_lanes": {"S3": 4}},
    {"label": "M2_2", "lanes": 4, "gen": 4, "owner": "chipset"},
    {"label": "M2_3", "lanes": 4, "gen": 4, "owner": "cpu", "slot_lanes": {"S1": 8}},
]


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


def test_drives_go_into_sockets_that_speak_as_they_do() -> None:
    """The one with SATA gets the one socket for it, though it is listed last; of two, none."""
    sockets = [
        {"label": "A", "lanes": 4, "protocols": ["NVMe", "SATA"]},
        {"label": "B", "lanes": 4, "protocols": ["NVMe"]},
        {"label": "C", "protocols": ["SATA"]},
        {"label": "D"},
    ]

    def plugged(number: int, *facts):
        graph = machine(
            *cards(THIN), board(slot(1), m2_slots=sockets[:number]), CPU, *drives(*facts)
        )
        return [e.data["socket"] for e in graph.edges if e.kind == "plugged"]

    sata, nvme = {"protocol": "SATA"}, {"protocol": "NVMe"}
    assert plugged(2, nvme, sata) == ["B", "A"]
    assert plugged(2, sata, sata) == ["A", None]
    assert plugged(3, nvme, nvme, nvme) == ["A", "B", None]
    assert plugged(3, nvme, sata, sata) == ["B", "A", "C"]
    # Of what nobody says it is tried last.
    assert plugged(4, sata, sata, sata, {}) == ["A", "C", "D", "B"]


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


# -- other cards -------------------------------------------------------------


def addins(*facts):
    return [subject(f"add_in_cards[{n}]", "addin", **f) for n, f in enumerate(facts)]


def test_a_network_card_takes_a_slot_the_gpus_leave() -> None:
    """GPUs of two slots at 1 and 3, the card below them; nothing overlaps."""
    graph = machine(*cards(THIN, THIN), *addins({"edge": 8}), board(*map(slot, (1, 2, 3, 5))), CPU)
    assert seats(graph)["add_in_cards[0]"] != "S2"
    assert len(set(seats(graph).values())) == 3


def test_a_long_edge_needs_a_long_or_open_slot() -> None:
    """An x8 card goes into an x4 slot only if that is open at the end."""
    for open_ended, there in ((False, 0), (True, 1)):
        graph = machine(
            *addins({"edge": 8}),
            board(slot(1, mechanical=4, lanes=4, open_ended=open_ended)),
            CPU,
        )
        assert len(seats(graph)) == there


def test_gpus_come_before_other_cards() -> None:
    """With one slot too few it is the network card that has none."""
    graph = machine(*addins({"edge": 16}), *cards(THIN, THIN), board(slot(1), slot(3)), CPU)
    assert set(seats(graph)) == {"gpus[0]", "gpus[1]"}


# -- pins on a board nobody knows --------------------------------------------


def test_pinned_positions_stand_without_a_known_board() -> None:
    """They give the distance between the cards, and nothing about lanes."""
    graph = machine(*cards(THIN, THIN), slots={"gpus[0]": 1, "gpus[1]": 4})
    (above,) = [e for e in graph.edges if e.kind == "above"]
    assert above.data["pitches"] == 3
    assert lanes(graph)["gpus[0]"] == Interval(0.0, 16.0)


# -- why not -----------------------------------------------------------------


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


def test_a_board_of_seven_openings_decides_without_positions() -> None:
    """Four cards of three slots need ten openings; where the slots lie does not matter."""
    nowhere = [slot(None, label=f"X{n}") for n in range(4)]
    thick = cards(*[{"thickness": "3 slots"}] * 4)
    assert left_over(machine(*thick, board(*nowhere, openings=7), CPU)).low == 1.0
    hanging = cards(*[{"thickness": "3 slots", "riser": True}] * 4)
    assert left_over(machine(*hanging, board(*nowhere, openings=7), CPU)).low == 0.0


# -- hot cards and air -------------------------------------------------------


def test_the_open_card_gets_the_air() -> None:
    """A blower above, the open-air card at the bottom, where nothing is below it."""
    graph = machine(
        *cards(
            {**THIN, "cooling": "open-air", "board_power": "300 W"},
            {**THIN, "cooling": "blower", "board_power": "300 W"},
        ),
        board(slot(1), slot(3)),
        CPU,
    )
    assert seats(graph) == {"gpus[0]": "S3", "gpus[1]": "S1"}


def test_the_hottest_card_sits_lowest() -> None:
    """Of cards that are alike but for their power."""
    graph = machine(
        *cards({**THIN, "board_power": "350 W"}, {**THIN, "board_power": "200 W"}),
        board(slot(1), slot(3)),
        CPU,
    )
    assert seats(graph) == {"gpus[0]": "S3", "gpus[1]": "S1"}


def test_lanes_come_before_air_for_work_that_exchanges() -> None:
    """A third slot further away has four lanes: enough for jobs of their own, not for one."""
    slots = board(slot(1), slot(3), slot(7, lanes=4))
    for rate, expected in (("31.5 GB/s", {"S1", "S3"}), ("3.9 GB/s", {"S1", "S7"})):
        work = subject("workload", "workload", useful_rate=rate)
        graph = machine(*cards(THIN, THIN), slots, CPU, work)
        assert set(seats(graph).values()) == expected


# -- cables ------------------------------------------------------------------


def cabled(graph) -> dict[str, dict]:
    return {e.end: e.data for e in graph.edges if e.kind in {"board_cabled", "cabled"}}


def test_listed_cables_are_the_stock() -> None:
    """Two cables of two heads: two cards of two plugs, each with a cable of its own for one."""
    psu = supplies({"plugs": {"pcie-8-pin": 8}})
    cables = [subject(f"cables[{n}]", "cable", connector="pcie-8-pin", heads=2) for n in range(2)]
    graph = machine(
        *cards({"plugs": {"pcie-8-pin": 2}}, {"plugs": {"pcie-8-pin": 2}}), *psu, *cables
    )
    assert [cabled(graph)[f"gpus[{n}]"]["cables"] for n in (0, 1)] == [2.0, 2.0]
    one = machine(*cards({"plugs": {"pcie-8-pin": 2}}), *psu, cables[0])
    assert cabled(one)["gpus[0]"]["cables"] == 1.0
    short = machine(*cards({"plugs": {"pcie-8-pin": 3}}), *psu, cables[0])
    assert cabled(short)["gpus[0]"]["unfed"] == exact(1.0)


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


def test_a_supply_has_no_more_cables_than_outlets() -> None:
    """Ten cables are listed and one can be plugged in: three cards of four go without."""
    psu = supplies({"plugs": {"pcie-8-pin": 1}})
    ten = [subject(f"cables[{n}]", "cable", connector="pcie-8-pin") for n in range(10)]
    graph = machine(*cards(*[{"plugs": {"pcie-8-pin": 1}}] * 4), *psu, *ten)
    assert sorted(cabled(graph)[f"gpus[{n}]"]["unfed"].low for n in range(4)) == [0, 1, 1, 1]


def test_a_cable_of_several_heads_is_named_by_all_it_feeds() -> None:
    """Four cards on one cable of eight heads."""
    psu = supplies({"plugs": {"pcie-8-pin": 8}})
    one = subject("cables[0]", "cable", connector="pcie-8-pin", heads=8)
    graph = machine(*cards(*[{"plugs": {"pcie-8-pin": 2}}] * 4), *psu, one)
    assert [cabled(graph)[f"gpus[{n}]"]["runs"] for n in range(4)] == [{"pcie-8-pin 0": 2}] * 4


def test_plugs_for_cards_alone_leave_those_of_the_board_open() -> None:
    """`plugs: {16-pin: 2}` says nothing of the board's; with a 24-pin listed none is missing."""
    needs = board(slot(1), plugs={"atx-24-pin": 1, "eps-8-pin": 2})
    for plugs, unfed in (
        ({"16-pin": 2}, Interval(0.0, 3.0)),
        ({"16-pin": 2, "atx-24-pin": 1}, exact(2.0)),
    ):
        graph = machine(needs, *supplies({"plugs": plugs}))
        assert cabled(graph)["motherboard"]["unfed"] == unfed


@pytest.mark.parametrize("rating", ["300 W", "650 W", "1200 W", "2000 W"])
def test_a_larger_second_supply_takes_no_card_it_has_no_plugs_for(rating) -> None:
    """Three cards of two plugs; the second supply has two."""
    graph = machine(
        *cards(*[{"board_power": "280 W", "plugs": {"pcie-8-pin": 2}}] * 3),
        *supplies(
            {"rated_power": "1600 W", "plugs": {"pcie-8-pin": 8}},
            {"rated_power": rating, "plugs": {"pcie-8-pin": 2}},
        ),
    )
    assert all(cabled(graph)[f"gpus[{n}]"]["unfed"] == ZERO for n in range(3))


def test_no_lanes_come_from_a_cpu_or_a_switch_that_has_none() -> None:
    """A switch without an uplink, and a CPU without lanes."""
    dead = board(
        slot(1, owner="switch", switch="X"), slot(4), switches=[{"label": "X", "uplink": 0}]
    )
    graph = machine(*cards(THIN), dead, CPU, slots={"gpus[0]": 1})
    assert lanes(graph)["gpus[0]"] == ZERO
    none = subject("cpu", "cpu", pcie_lanes=0)
    assert lanes(machine(*cards(THIN), board(slot(1)), none))["gpus[0]"] == ZERO


def test_cards_that_would_touch_are_seated_apart_even_on_fewer_lanes() -> None:
    """42 mm in two openings of 40.6 mm: the slot of eight lanes further away is taken."""
    thick = {"thickness": "42 mm"}
    slots = board(slot(1), slot(3), slot(5, lanes=8))
    assert set(seats(machine(*cards(thick, thick), slots, CPU)).values()) == {"S1", "S5"}


def test_a_card_of_unsure_thickness_is_not_put_on_a_dead_slot() -> None:
    """Thick, only positions 1 and 7 would do, and 7 hangs on the second CPU; thin, 4 does."""
    slots = board(slot(1), slot(4), slot(7, owner="cpu2"))
    either = {"thickness": "2..4 slots"}
    one = subject("cpu", "cpu", pcie_lanes=64)
    assert set(seats(machine(*cards(either, either), slots, one)).values()) == {"S1", "S4"}


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


@pytest.mark.parametrize(
    ("rest", "most"),
    [
        ("motherboard: {slots: [{label: A, mechanical: 16, lanes: 16, gen: 4, position: 1}]}", 4),
        ("cpu: {pcie_gen: 3}", 3),
        ("cpu: {pcie_gen: 3}\nmotherboard: Nobody X1", 3),
        ("cpu: {pcie_gen: 3}\nfirmware: {link_gen: 2}", 2),
    ],
)
def test_no_slot_raises_the_generation_of_a_gpu_without_one(rest, most, judged) -> None:
    """A Gen5 GPU comes up at no more than the board's slots or, not knowing them, the CPU have."""
    report = judged(f"gpus: 2x RTX 5090\ncase: open frame\n{rest}\n")
    generations = [report.facts("gpu.link_gen_at_most", g).high for g in report.graph.of("gpu")]
    assert generations == [most, most]
