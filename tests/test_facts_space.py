"""Room, slots, links, drives, risers and bridges, with the numbers worked by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from handmade import ask, cards, facts_of, near, of_kind, slot, subject

from buildcheck.model.quantity import ANYTHING, Interval, exact

CPU = subject("cpu", "cpu", pcie_lanes=128, pcie_gen=5)


def board(*places: int, **facts):
    """A board with wide slots at these positions."""
    return subject("motherboard", "motherboard", slots=[slot(p) for p in places], **facts)


def drives(number: int, **facts) -> list:
    """M.2 drives of four lanes."""
    given = {"form": "m.2", "pcie_lanes": 4, **facts}
    return [subject(f"storage[{n}]", "storage", **given) for n in range(number)]


# -- gaps --------------------------------------------------------------------


def test_the_smallest_gap_is_that_of_the_closest_pair() -> None:
    """Two-slot cards on 1, 3 and 7: two pitches leave 1.6 mm, four 42.24 mm."""
    pins = {"gpus[0]": 1, "gpus[1]": 3, "gpus[2]": 7}
    facts = facts_of(*cards(*[{"thickness": "2 slots"}] * 3), board(1, 3, 7), CPU, slots=pins)
    assert ask(facts, "build.placement_is_known") is True
    assert near(ask(facts, "build.smallest_gap_at_best"), 1.6)


@pytest.mark.parametrize(
    ("number", "openings", "thickness", "most"),
    [
        # Six pitches for three gaps: two each; 2 x 20.32 - 39.04 = 1.6 mm.
        (4, 7, "2 slots", 1.6),
        # Six pitches for one gap: 6 x 20.32 - 59.36 = 62.56 mm.
        (2, 7, "3 slots", 62.56),
        # The thin end of a range of 2 to 3 slots counts: 3 x 20.32 - 39.04 = 21.92 mm.
        (3, 7, "2..3 slots", 21.92),
        # The upper end of a range of openings counts: seven pitches, three each.
        (3, "7..8", "2 slots", 21.92),
    ],
)
def test_a_gap_is_bounded_where_slots_are_not_known(number, openings, thickness, most) -> None:
    """The tightest pair of k cards on B openings has at most (B - 1) / (k - 1) pitches."""
    facts = facts_of(
        *cards(*[{"thickness": thickness}] * number),
        subject("motherboard", "motherboard", openings=openings),
    )
    assert ask(facts, "build.placement_is_known") is False
    assert near(ask(facts, "build.smallest_gap_at_best"), -math.inf, most)


def test_one_card_has_no_gap() -> None:
    """Neither has one beside a card on a riser."""
    facts = facts_of(*cards({"thickness": "2 slots"}, {"riser": True}))
    assert ask(facts, "build.smallest_gap_at_best") == ANYTHING


# -- crowding ----------------------------------------------------------------


def test_the_crowd_is_named() -> None:
    """Four cards of three slots on slots 1, 4 and 7, and 2: three fit, the fourth does not."""
    facts = facts_of(*cards(*[{"thickness": "3 slots"}] * 4), board(1, 2, 4, 7), CPU)
    assert ask(facts, "build.cards_without_slot") == exact(1)
    assert ask(facts, "build.crowded_count") == exact(4)
    assert ask(facts, "build.crowded_covers") == exact(3)
    assert ask(facts, "build.crowded_fit") == exact(3)
    assert ask(facts, "build.crowded_positions") == "in slots 1–2, 4, 7"
    assert "put 2 of the GPUs on risers" in ask(facts, "build.ways_to_place")


@pytest.mark.parametrize(
    ("number", "thickness", "openings", "left"),
    [
        # 3 + 3 openings come before the third card: 6 < 7, and 9 is too late for a fourth.
        (4, "3 slots", 7, (1, 3)),
        (3, "3 slots", 7, (0, 2)),
        (4, "2 slots", 7, (0, 3)),
        # Thin ends decide what is certain: 2 + 2 + 2 = 6 < 7.
        (4, "2..3 slots", 7, (0, 3)),
        (2, "3 slots", 1, (1, 1)),
        (1, "3 slots", 4, (0, 0)),
    ],
)
def test_no_board_of_that_size_holds_them(number, thickness, openings, left) -> None:
    """Cards beyond the openings are left over, whatever the slots; others may be."""
    facts = facts_of(
        *cards(*[{"thickness": thickness}] * number),
        subject("motherboard", "motherboard", openings=openings),
    )
    assert near(ask(facts, "build.cards_without_slot"), *left)


def test_a_crowd_without_slots_is_named_too() -> None:
    """On seven openings, of four cards of three."""
    facts = facts_of(
        *cards(*[{"thickness": "3 slots"}] * 4),
        subject("motherboard", "motherboard", openings=7),
    )
    assert ask(facts, "build.crowded_fit") == exact(3)
    assert ask(facts, "build.crowded_positions") == "on a board of 7 slots"
    assert ask(facts, "build.ways_to_place").endswith(", or take fewer GPUs")


def test_a_card_of_unknown_thickness_may_be_in_the_way() -> None:
    """Two of them on slots far apart are not acquitted."""
    facts = facts_of(*cards({}, {}), board(1, 7), CPU)
    assert ask(facts, "build.cards_without_slot") == Interval(0, 1)


def test_openings_add_up() -> None:
    """Two cards of 2 and of 2 to 3 openings in the board, one of 3 on a riser, one upright."""
    facts = facts_of(
        *cards(
            {"thickness": "2 slots"},
            {"thickness": "2..3 slots"},
            {"thickness": "3 slots", "riser": True},
            {"thickness": "2 slots", "vertical": True},
        ),
        subject("case", "case", expansion_slots=7, vertical_slots=2),
    )
    assert near(ask(facts, "build.expansion_slots_needed"), 4, 5)
    # A bracket of two slots is all that the last of them needs.
    assert near(ask(facts, "build.expansion_slots_at_least"), 4)
    assert near(ask(facts, "build.expansion_slots_of_all_cards"), 9, 10)
    assert near(ask(facts, "build.vertical_slots_needed"), 2)
    assert near(ask(facts, "case.all_expansion_slots"), 9)


def test_room_below_the_lowest_card() -> None:
    """It ends at opening 6 of 8: two pitches, and 12 mm to the floor."""
    case = subject("case", "case", expansion_slots=8, shroud_gap="12 mm")
    facts = facts_of(*cards({"thickness": "3 slots"}), board(4), CPU, case)
    assert near(ask(facts, "gpu.room_below", "gpus[0]"), 2 * 20.32 + 12)
    assert ask(facts, "gpu.is_lowest", "gpus[0]") is True
    assert ask(facts, "case.is_shrouded") is True


TOWER = of_kind("case", "case", "tower", expansion_slots=7)
CHASSIS = of_kind("case", "case", "4U", expansion_slots=7)


@pytest.mark.parametrize(
    ("case", "left", "gap"),
    [
        # Slots of any number lie behind a chassis of a maker's own.
        (CHASSIS, (0, 9), (-math.inf, math.inf)),
        (of_kind("case", "case", "tower"), (0, 9), (-math.inf, math.inf)),
        # Four cards of two slots start at openings 1 to 7; six pitches for nine gaps are none.
        (TOWER, (6, 9), (-math.inf, -39.04)),
    ],
)
def test_a_board_of_unknown_form_ends_with_the_tower(case, left, gap) -> None:
    """Ten cards of two slots."""
    facts = facts_of(*cards(*[{"thickness": "2 slots", "cooling": "open-air"}] * 10), case)
    assert near(ask(facts, "build.cards_without_slot"), *left)
    assert near(ask(facts, "build.smallest_gap_at_best"), *gap)
    most = gap[1] if math.isfinite(gap[1]) else None
    assert ask(facts, "build.gap_at_best") == (ANYTHING if most is None else exact(most))


@pytest.mark.parametrize(("case", "least"), [(CHASSIS, 0), (TOWER, 2)])
def test_slots_without_a_place_end_with_the_tower_too(case, least) -> None:
    """Six cards of two slots on a board of six long slots somewhere: four on seven openings."""
    slots = [slot(None, label=f"S{n}") for n in range(6)]
    unplaced = subject("motherboard", "motherboard", slots=slots)
    facts = facts_of(*cards(*[{"thickness": "2 slots"}] * 6), unplaced, CPU, case)
    assert near(ask(facts, "build.cards_without_slot"), least, 5)


def test_a_card_of_unknown_thickness_is_acquitted_of_nothing() -> None:
    """Neither of touching the next one, nor of ending beyond the case."""
    facts = facts_of(*cards({}, {}), board(1, 7), CPU, TOWER, slots={"gpus[0]": 1, "gpus[1]": 7})
    assert ask(facts, "gpu.gap", "gpus[0]") == ANYTHING
    assert ask(facts, "gpu.gap_above", "gpus[1]") == ANYTHING
    assert ask(facts, "build.smallest_gap_at_best") == ANYTHING
    assert ask(facts, "gpu.last_expansion_slot", "gpus[1]") is None
    assert ask(facts, "gpu.room_below", "gpus[1]") == ANYTHING
    assert ask(facts, "build.cards_without_slot") == Interval(0, 1)
    assert not ask(facts, "build.expansion_slots_needed").is_known


def test_a_gap_at_best_needs_all_thicknesses() -> None:
    """Two cards on seven openings, one of unknown thickness: six pitches at most, or nothing."""
    plain = subject("motherboard", "motherboard", openings=7)
    facts = facts_of(*cards({"thickness": "2 slots"}, {}), plain)
    assert near(ask(facts, "build.gap_at_best"), -math.inf, 6 * 20.32)


SHORT = {"mechanical": 1, "lanes": 1}


@pytest.mark.parametrize(
    ("hanging", "kinds", "given", "usable"),
    [
        # One long slot and five of a single lane: six extenders start in six slots.
        (6, ["usb"], SHORT, (6, 6)),
        (0, [], SHORT, (1, 1)),
        (6, ["ribbon"], SHORT, (1, 1)),
        # Two extenders take two of the short ones, the others go to waste.
        (2, ["usb"], SHORT, (3, 3)),
        # Nobody says which riser a card hangs on.
        (6, ["usb", "ribbon"], SHORT, (1, 6)),
        (0, [], {**SHORT, "open_ended": True}, (6, 6)),
        (0, [], {"mechanical": 8, "lanes": 8}, (1, 6)),
        (0, [], {"mechanical": 8, "lanes": 8, "open_ended": False}, (1, 1)),
        # A dock starts in a slot of four lanes, and may in an M.2 socket.
        (6, ["dock"], {"mechanical": 4, "lanes": 4, "open_ended": False}, (6, 7)),
        (6, ["dock"], SHORT, (1, 2)),
        (6, ["switch"], SHORT, (1, math.inf)),
        # Nobody says whether it is on a riser, and a frame has room for one.
        (None, [], SHORT, (1, 6)),
    ],
)
def test_slots_cards_can_start_in(hanging, kinds, given, usable) -> None:
    """Six cards, a long slot and five short ones; extenders start in slots of any length."""
    risers = [of_kind(f"risers[{n}]", "riser", kind) for n, kind in enumerate(kinds)]
    slots = [slot(1), *(slot(n, **given) for n in range(2, 7))]
    plain = subject("motherboard", "motherboard", slots=slots)
    given = [{} if hanging is None else {"riser": n < hanging} for n in range(6)]
    facts = facts_of(*cards(*given), plain, CPU, *risers, of_kind("case", "case", "open frame"))
    assert near(ask(facts, "motherboard.usable_slots"), *usable)


@pytest.mark.parametrize(("given", "usable"), [({}, (1, 2)), ({"bifurcation": ["x8/x8"]}, (2, 2))])
def test_a_riser_that_splits_a_slot_adds_one(given, usable) -> None:
    """If the slot can be split, which boards seldom state."""
    plain = subject("motherboard", "motherboard", slots=[slot(1, **given)])
    riser = subject("risers[0]", "riser", cards=2, lanes=8)
    facts = facts_of(*cards({"riser": True}, {"riser": True}), plain, CPU, riser)
    assert near(ask(facts, "motherboard.usable_slots"), *usable)
    assert near(ask(facts, "build.risers"), 2)


@pytest.mark.parametrize(
    ("given", "edge"),
    [({"openings": 7}, (7, 7)), ({"openings": "1..8"}, (5, 8)), ({}, (5, 5))],
)
def test_where_the_board_ends(given, edge) -> None:
    """Its openings, at least its last slot."""
    assert near(ask(facts_of(board(2, 5, **given)), "motherboard.lower_edge"), *edge)


@pytest.mark.parametrize(
    ("given", "reach"),
    [
        ({"mechanical": 16}, (16, 16)),
        ({"mechanical": 8, "open_ended": False, "lanes": 8}, (8, 8)),
        ({"mechanical": 8, "open_ended": True, "lanes": 8}, (16, 16)),
        ({"mechanical": 8, "lanes": 8}, (8, 16)),
    ],
)
def test_an_open_slot_takes_any_edge(given, reach) -> None:
    """A closed one only its length; nobody says which is a range."""
    plain = subject("motherboard", "motherboard", slots=[slot(1, **given)])
    facts = facts_of(*cards({"thickness": "2 slots"}), plain, CPU, slots={"gpus[0]": 1})
    assert near(ask(facts, "gpu.slot_reach", "gpus[0]"), *reach)


def test_drives_that_need_a_bay() -> None:
    """Two SATA drives, one U.2, one nobody describes, and an M.2 drive."""
    forms = ["sata", "sata", "u.2", None, "m.2"]
    listed = [
        subject(f"storage[{n}]", "storage", **({"form": f} if f else {}))
        for n, f in enumerate(forms)
    ]
    assert near(ask(facts_of(*listed), "build.bay_drives"), 3, 4)


# -- links -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "riser", "gen", "slot_gen"),
    [
        (None, None, 4, 4),
        (3, None, 3, 3),
        (5, None, 4, 4),
        (None, {"gen": 3}, 3, 4),
        (2, {"gen": 3}, 2, 2),
    ],
)
def test_firmware_and_riser_lower_the_generation(setting, riser, gen, slot_gen) -> None:
    """A Gen4 card in a Gen4 slot; the riser lowers the link, not what slot and card try."""
    others = [subject("risers[0]", "riser", **riser)] if riser else []
    if setting:
        others.append(subject("firmware", "firmware", link_gen=setting))
    card = {"pcie_gen": 4, "pcie_lanes": 16, "riser": bool(riser)}
    facts = facts_of(*cards(card), board(1), CPU, *others)
    assert ask(facts, "gpu.link_gen", "gpus[0]") == exact(gen)
    assert ask(facts, "gpu.gen_of_slot", "gpus[0]") == exact(slot_gen)


def test_a_mining_extender_has_one_lane_on_any_board() -> None:
    """Even where neither the board nor the extender says so."""
    usb = of_kind("risers[0]", "riser", "usb")
    card = {"pcie_lanes": 16, "riser": True}
    assert ask(facts_of(*cards(card), usb), "gpu.path_lanes", "gpus[0]") == Interval(0, 1)
    found = ask(facts_of(*cards(card), usb, board(1), CPU), "gpu.link_lanes", "gpus[0]")
    assert found == exact(1)


@pytest.mark.parametrize(
    ("kinds", "lengths", "ribbon", "length"),
    [
        (["ribbon"], ["200 mm"], True, (200, 200)),
        ([None, None], ["200 mm", "300 mm"], True, (200, 300)),
        (["ribbon", "cabled"], ["200 mm", "900 mm"], True, (200, 200)),
        (["cabled"], ["900 mm"], False, None),
        (["ribbon", "ribbon"], ["200 mm", None], True, None),
    ],
)
def test_the_length_is_that_of_plain_risers(kinds, lengths, ribbon, length) -> None:
    """Of any of them, as nobody says which; cable sets with a retimer do not count."""
    risers = [
        of_kind(f"risers[{n}]", "riser", kind, **({"length": long} if long else {}))
        for n, (kind, long) in enumerate(zip(kinds, lengths, strict=True))
    ]
    facts = facts_of(*cards({"riser": True}), *risers)
    assert ask(facts, "gpu.is_on_ribbon", "gpus[0]") is ribbon
    found = ask(facts, "gpu.riser_length", "gpus[0]")
    assert found is None if length is None else near(found, *length)


@pytest.mark.parametrize(
    ("kind", "parallel", "apart", "together"),
    [
        ("training", "data", False, True),
        ("training", None, False, None),
        ("training", "none", True, False),
        ("inference", "tensor", False, True),
        ("inference", "data", True, False),
        ("inference", None, True, False),
        ("mining", None, True, False),
    ],
)
def test_work_apart_and_together(kind, parallel, apart, together) -> None:
    """Data-parallel inference is one copy per card; training that does not say is one job."""
    given = {"parallel": parallel} if parallel else {}
    facts = facts_of(of_kind("workload", "workload", kind, **given))
    assert ask(facts, "workload.works_apart") is apart
    assert ask(facts, "workload.trains_together") is together


# -- drives ------------------------------------------------------------------


def shared(*sockets: dict, number: int = 1):
    """One card of 16 lanes in slot S1, and drives in these sockets."""
    return facts_of(
        *cards({"pcie_lanes": 16}), board(1, m2_slots=list(sockets)), CPU, *drives(number)
    )


def test_a_drive_takes_half_of_a_slot() -> None:
    """A socket that leaves S1 eight lanes costs it eight of sixteen."""
    facts = shared({"label": "M1", "lanes": 4, "owner": "cpu", "slot_lanes": {"S1": 8}})
    assert ask(facts, "gpu.lanes_taken_by_drives", "gpus[0]") == exact(8)
    assert ask(facts, "gpu.narrowing_socket", "gpus[0]") == "M1"
    assert ask(facts, "gpu.slot_lanes", "gpus[0]") == exact(8)


def test_a_drive_goes_where_it_takes_nothing() -> None:
    """With a second socket that shares nothing, the card keeps its lanes."""
    taking = {"label": "M1", "lanes": 4, "owner": "cpu", "slot_lanes": {"S1": 8}}
    facts = shared(taking, {"label": "M2", "lanes": 4, "owner": "cpu"})
    assert ask(facts, "gpu.lanes_taken_by_drives", "gpus[0]") == exact(0)


def test_unknown_sockets_may_take_lanes() -> None:
    """If there is an M.2 drive at all."""
    facts = facts_of(*cards({}), board(1), CPU, *drives(1))
    assert not ask(facts, "gpu.lanes_taken_by_drives", "gpus[0]").is_known
    facts = facts_of(*cards({}), board(1), CPU)
    assert ask(facts, "gpu.lanes_taken_by_drives", "gpus[0]") == exact(0)


@pytest.mark.parametrize(
    ("given", "facts", "why"),
    [
        ({"owner": "cpu2"}, {}, "the second CPU is missing"),
        ({"lanes": 0}, {}, "no lanes are wired to it"),
        (
            {},
            {"m2_slots": [{"label": "M1", "lanes": 4, "slot_lanes": {"S1": 0}}]},
            "an M.2 drive in M1 takes its lanes",
        ),
        (
            {},
            {
                "lane_modes": [
                    {"populate": ["S1"], "lanes": {"S1": 16}, "cpu_lanes": "200..300"},
                    {"populate": ["S1"], "lanes": {"S1": 0}, "cpu_lanes": "0..199"},
                ]
            },
            "the CPU has too few lanes",
        ),
    ],
)
def test_why_a_slot_is_dead(given, facts, why) -> None:
    """A CPU of 128 lanes, one M.2 drive, one card pinned to the slot."""
    plain = subject("motherboard", "motherboard", slots=[slot(1, **given)], **facts)
    found = facts_of(*cards({}), plain, CPU, *drives(1), slots={"gpus[0]": 1})
    assert ask(found, "gpu.slot_lanes", "gpus[0]") == exact(0)
    assert ask(found, "gpu.why_dead", "gpus[0]") == why


@pytest.mark.parametrize(("lanes", "alive"), [(16, True), (0, False), ("0..8", True), (None, True)])
def test_a_link_is_alive_unless_its_slot_is_dead(lanes, alive) -> None:
    """A slot whose lanes nobody gives may have some."""
    plain = subject("motherboard", "motherboard", slots=[slot(1, lanes=lanes)])
    facts = facts_of(*cards({}), plain, CPU, slots={"gpus[0]": 1})
    assert ask(facts, "gpu.link_is_alive", "gpus[0]") is alive


@pytest.mark.parametrize(("gen", "certain"), [(4, True), ("3..4", False), (None, False)])
def test_whether_the_generation_is_certain(gen, certain) -> None:
    """That of the card, in a slot of Gen4, on risers of 300 and 500 mm."""
    card = {"riser": True, **({"pcie_gen": gen} if gen else {})}
    risers = [
        subject(f"risers[{n}]", "riser", length=long) for n, long in enumerate(("500 mm", "300 mm"))
    ]
    facts = facts_of(*cards(card), board(1), CPU, *risers)
    assert ask(facts, "gpu.link_gen_is_certain", "gpus[0]") is certain
    assert near(ask(facts, "gpu.riser_length_at_least", "gpus[0]"), 300)


@pytest.mark.parametrize(
    ("forms", "sockets", "lanes"),
    [
        # Four M.2 and four U.2 drives of four lanes each may hang on the CPU, or not.
        (["m.2"] * 4 + ["u.2"] * 4, None, (0, 32)),
        # All slots of the board are the CPU's.
        (["card"], None, (4, 4)),
        ([None], None, (0, 4)),
        (["sata"], None, (0, 0)),
        (["m.2", "m.2"], ["cpu", "chipset"], (4, 4)),
        (["m.2", "m.2"], ["cpu", None], (4, 8)),
        # The second has no socket, and goes somewhere else.
        (["m.2", "m.2"], ["cpu"], (4, 8)),
    ],
)
def test_lanes_of_drives(forms, sockets, lanes) -> None:
    """Certain in sockets whose lanes are known to come from CPU or chipset."""
    listed = [
        subject(f"storage[{n}]", "storage", pcie_lanes=4, **({"form": form} if form else {}))
        for n, form in enumerate(forms)
    ]
    given = [
        {"label": f"M{n}", "lanes": 4, **({"owner": owner} if owner else {})}
        for n, owner in enumerate(sockets or ())
    ]
    plain = board(1, **({"m2_slots": given} if sockets else {}))
    assert near(ask(facts_of(plain, CPU, *listed), "build.drive_lanes"), *lanes)


def test_lanes_of_cards_drives_and_switches() -> None:
    """A card of 16, a network card of 8, a drive of 4 and an uplink of 16: 44 lanes."""
    slots = [
        slot(1),
        slot(4, mechanical=8, lanes=8),
        slot(5, owner="switch", switch="P"),
        slot(7, owner="switch", switch="P"),
    ]
    plain = subject(
        "motherboard",
        "motherboard",
        slots=slots,
        switches=[{"label": "P", "uplink": 16}],
        m2_slots=[{"label": "M1", "lanes": 4, "owner": "cpu"}],
    )
    facts = facts_of(
        *cards(*[{"thickness": "2 slots"}] * 3),
        subject("add_in_cards[0]", "addin", edge=8, pcie_lanes=8, thickness="1 slot"),
        plain,
        CPU,
        *drives(1),
        slots={"gpus[0]": 1, "gpus[1]": 5, "gpus[2]": 7, "add_in_cards[0]": 4},
    )
    assert ask(facts, "build.cpu_lanes_used") == exact(44)
    # Two cards of 16 behind an uplink of 16.
    assert ask(facts, "motherboard.lanes_over_uplink") == exact(2)


def test_a_network_card_in_a_narrow_slot() -> None:
    """Gen3 x16 in a slot of eight lanes: 8 x 0.9846 = 7.8768 GB/s, half of its own."""
    plain = subject("motherboard", "motherboard", slots=[slot(1, lanes=8, gen=3)])
    card = subject("add_in_cards[0]", "addin", edge=16, pcie_lanes=16, pcie_gen=3)
    facts = facts_of(card, plain, CPU, slots={"add_in_cards[0]": 1})
    assert near(ask(facts, "addin.link_rate", "add_in_cards[0]"), 7.8768)
    assert near(ask(facts, "addin.own_rate", "add_in_cards[0]"), 15.7536)
    assert ask(facts, "addin.is_slowed", "add_in_cards[0]") is True


@pytest.mark.parametrize(
    ("place", "thickness", "has"),
    [(5, "2 slots", True), (None, "2 slots", None), (5, None, None), (2, "2 slots", False)],
)
def test_a_slot_left_for_an_add_in_card(place, thickness, has) -> None:
    """Beside a card on slot 1; slot 2 is covered, and what is not known may be."""
    short = slot(place, mechanical=8, lanes=8)
    plain = subject("motherboard", "motherboard", slots=[slot(1), short])
    card = {"thickness": thickness} if thickness else {}
    other = subject("add_in_cards[0]", "addin", edge=8, pcie_lanes=8, thickness="1 slot")
    facts = facts_of(*cards(card), other, plain, CPU, slots={"gpus[0]": 1})
    assert ask(facts, "addin.has_slot", "add_in_cards[0]") is has


def test_slots_that_the_list_leaves_out_may_take_an_add_in_card() -> None:
    """Without a seat there is none; where the board has more slots than listed, nobody knows."""
    other = subject("add_in_cards[0]", "addin", edge=1, thickness="1 slot")

    def has(**facts: Any):
        one = subject("motherboard", "motherboard", slots=[slot(1)], **facts)
        machine = facts_of(*cards({"thickness": "2 slots"}), other, one, CPU)
        return ask(machine, "addin.has_slot", "add_in_cards[0]")

    assert has() is False
    assert has(more_slots=False) is False
    assert has(more_slots=True) is None


def test_a_search_that_gave_up_does_not_say_that_there_is_no_slot(monkeypatch) -> None:
    """With too few steps a card has no seat and there may yet be one."""
    monkeypatch.setattr("buildcheck.connect.seating.MOST_STEPS", 3)
    slots = [slot(n) for n in (1, 3, 5, 7)]
    other = subject("add_in_cards[0]", "addin", edge=8, thickness="1 slot")
    board = subject("motherboard", "motherboard", slots=slots)
    facts = facts_of(*cards(*[{"thickness": "2 slots"}] * 4), other, board, CPU)
    assert ask(facts, "addin.has_slot", "add_in_cards[0]") is None


@pytest.mark.parametrize(
    ("sockets", "found"),
    [
        ([{"protocols": ["NVMe"]}, {"protocols": ["NVMe", "SATA"]}], exact(1.0)),
        ([{"protocols": ["NVMe"]}, {"lanes": 4}], Interval(0.0, 1.0)),
        ([{"protocols": ["nvme"]}], exact(0.0)),
        (None, None),
    ],
)
def test_sockets_for_m2_drives_with_sata(sockets, found) -> None:
    """What no source says of a socket leaves it open; other forms are not counted."""
    given = (
        {"m2_slots": [{"label": f"M{n}", **s} for n, s in enumerate(sockets)]} if sockets else {}
    )
    facts = facts_of(*drives(2, protocol="SATA"), board(1, **given), CPU)
    assert ask(facts, "motherboard.m2_sata_sockets") == found
    assert ask(facts, "build.m2_sata_drives") == exact(2.0)
    assert ask(facts, "build.has_m2_sata_drives") is True
    for other in ({"protocol": "NVMe"}, {"protocol": "SATA", "form": "sata"}):
        facts = facts_of(*drives(1, **other), board(1), CPU)
        assert ask(facts, "build.has_m2_sata_drives") is False


@pytest.mark.parametrize(("lanes", "number"), [(24, 2), (16, 1), ("16..24", 2), (None, 2)])
def test_sockets_that_the_cpu_has_lanes_for(lanes, number) -> None:
    """One of two needs a CPU of 24 lanes."""
    sockets = [{"label": "A", "cpu_lanes": 24, "protocols": ["SATA"]}, {"label": "B", "lanes": 4}]
    cpu = subject("cpu", "cpu", **({"pcie_lanes": lanes} if lanes else {}))
    facts = facts_of(*drives(1), board(1, m2_slots=sockets), cpu)
    assert ask(facts, "motherboard.m2_sockets") == exact(float(number))
    assert ask(facts, "motherboard.m2_sata_sockets").low == number - 1


@pytest.mark.parametrize(
    ("given", "number"),
    [({}, None), ({"m2_count": "1..4"}, Interval(1.0, 4.0)), ({"m2_count": 2}, exact(2.0))],
)
def test_sockets_that_are_counted_and_not_listed(given, number) -> None:
    """A board of which nobody says more has as many as are counted."""
    facts = facts_of(*drives(1), board(1, **given), CPU)
    assert ask(facts, "motherboard.m2_sockets") == number


# -- bridges -----------------------------------------------------------------


def bridged(spacing: int, places: tuple[int, int], *slots: int, **card):
    """Two cards pinned to places, on a board with these slots, and a bridge."""
    bridge = subject("nvlink[0]", "bridge", spacing=spacing, generations=["ampere"])
    pins = dict(zip(("gpus[0]", "gpus[1]"), places, strict=True))
    return facts_of(*cards(*[card] * 2), board(*slots), CPU, bridge, slots=pins)


@pytest.mark.parametrize(
    ("spacing", "places", "slots", "distance"),
    [
        (4, (1, 5), (1, 5), (4, 4)),
        # No pair of slots is four apart.
        (4, (1, 4), (1, 4, 7), (3, 3)),
        # The cards could stand on 1 and 5, but the build says where they are.
        (4, (1, 4), (1, 4, 5), (3, 3)),
    ],
)
def test_the_distance_of_bridged_cards(spacing, places, slots, distance) -> None:
    """That of the slots they are pinned to."""
    facts = bridged(spacing, places, *slots, thickness="2 slots")
    assert near(ask(facts, "bridge.distance", "nvlink[0]"), *distance)


@pytest.mark.parametrize(
    ("spacing", "pins", "slots", "distance"),
    [
        # By air alone the second card would stand on 7.
        (3, {}, (1, 4, 7), (3, 3)),
        (4, {}, (1, 4, 5, 7), (4, 4)),
        (4, {"gpus[1]": 7}, (1, 3, 4, 7), (4, 4)),
        # No pair is so far apart.
        (5, {}, (1, 4, 7), (6, 6)),
    ],
)
def test_cards_are_seated_as_their_bridge_spans(spacing, pins, slots, distance) -> None:
    """Where the board has two slots at that distance."""
    bridge = subject("nvlink[0]", "bridge", spacing=spacing)
    facts = facts_of(
        *cards(*[{"thickness": "2 slots"}] * 2), board(*slots), CPU, bridge, slots=pins
    )
    assert near(ask(facts, "bridge.distance", "nvlink[0]"), *distance)


def test_a_dead_slot_is_worse_than_a_bridge_that_does_not_reach() -> None:
    """Slot 5 has no lanes: the cards stay on 1 and 4, and the distance is open."""
    slots = [slot(1), slot(4), slot(5, lanes=0)]
    plain = subject("motherboard", "motherboard", slots=slots)
    bridge = subject("nvlink[0]", "bridge", spacing=4)
    facts = facts_of(*cards(*[{"thickness": "2 slots"}] * 2), plain, CPU, bridge)
    assert near(ask(facts, "bridge.distance", "nvlink[0]"), 3, 4)
    assert ask(facts, "gpu.link_is_alive", "gpus[1]") is True


def test_two_pairs_are_seated_as_their_bridges_span() -> None:
    """Four cards of one slot on six slots, bridges of two: 1 and 3, 4 and 6 (or 2 and 4 ...)."""
    bridges = [subject(f"nvlink[{n}]", "bridge", spacing=2) for n in range(2)]
    facts = facts_of(*cards(*[{"thickness": "1 slot"}] * 4), board(1, 2, 3, 4, 5, 6), CPU, *bridges)
    for n in range(2):
        assert near(ask(facts, "bridge.distance", f"nvlink[{n}]"), 2)


@pytest.mark.parametrize(
    ("number", "bridges", "over_pcie"),
    [
        # An A100 pair takes three bridges.
        (2, 3, False),
        (2, 1, False),
        (2, 0, True),
        # Two pairs still exchange with each other.
        (4, 3, True),
    ],
)
def test_a_pair_exchanges_over_its_bridge(number, bridges, over_pcie) -> None:
    """If there is no third card."""
    facts = facts_of(
        *cards(*[{}] * number),
        *(subject(f"nvlink[{n}]", "bridge") for n in range(bridges)),
        subject("workload", "workload", parameters=1, parallel="data"),
    )
    assert ask(facts, "build.exchanges_over_pcie") is over_pcie
    assert ask(facts, "workload.exchanges_gradients") is over_pcie


def test_air_between_bridged_cards() -> None:
    """Four pitches less three slots: 81.28 - 59.36 = 21.92 mm."""
    facts = bridged(4, (1, 5), 1, 5, thickness="3 slots", cooling="open-air")
    assert near(ask(facts, "bridge.air_left", "nvlink[0]"), 21.92)
    assert ask(facts, "bridge.joins_open_air_cards", "nvlink[0]") is True


@pytest.mark.parametrize(
    ("edge", "takes", "fits"),
    [("ampere", True, True), ("turing", True, False), ("none", False, False), (None, None, None)],
)
def test_a_bridge_fits_the_edge_of_its_cards(edge, takes, fits) -> None:
    """Cards of both sides, by generation."""
    card = {"nvlink": edge} if edge else {}
    facts = bridged(4, (1, 5), 1, 5, thickness="2 slots", **card)
    assert ask(facts, "bridge.cards_take_one", "nvlink[0]") is takes
    assert ask(facts, "bridge.fits_edges", "nvlink[0]") is fits


def test_a_bridge_without_a_pair_joins_nothing() -> None:
    """The second of two bridges for two cards is a spare."""
    spare = [subject(f"nvlink[{n}]", "bridge", spacing=2) for n in range(2)]
    facts = facts_of(*cards({}, {}), *spare)
    assert ask(facts, "bridge.joins_two", "nvlink[0]") is True
    assert ask(facts, "bridge.joins_two", "nvlink[1]") is False
    assert ask(facts, "bridge.cards_take_one", "nvlink[1]") is None


def test_bridged_cards_copy_directly() -> None:
    """Two cards whose driver does not, over their bridge; three do not."""
    card = {"peer_to_peer": False}
    bridge = subject("nvlink[0]", "bridge", spacing=4)
    assert ask(facts_of(*cards(card, card), bridge), "build.cards_copy_directly") is True
    assert ask(facts_of(*cards(card, card, card), bridge), "build.cards_copy_directly") is False
    assert ask(facts_of(*cards(card, {})), "build.cards_copy_directly") is False
    assert ask(facts_of(*cards({"peer_to_peer": True}, {})), "build.cards_copy_directly") is None


# -- edges of NVLink, drives on cards, short slots ---------------------------


@pytest.mark.parametrize(
    ("edge", "pairs", "own"),
    [
        ("ampere", [(1, 2)], True),
        ("ampere", [(1, 2), (3, 4)], True),
        ("ampere", [(1, 2), (1, 2)], False),
        ("ampere", [(1, 2), (2, 3)], False),
        ("hopper", [(1, 2), (1, 2)], True),
        ("volta", [(1, 2), (1, 2)], True),
    ],
)
def test_one_bridge_for_each_edge(edge, pairs, own) -> None:
    """Cards for data centres have several edges."""
    subjects = {c.id: c for c in cards(*[{"nvlink": edge}] * 4)}
    bridges = [subject(f"nvlink[{n}]", "bridge") for n in range(len(pairs))]
    pinned = {
        b.id: tuple(f"gpus[{n - 1}]" for n in pair) for b, pair in zip(bridges, pairs, strict=True)
    }
    facts = facts_of(*subjects.values(), *bridges, bridges=pinned)
    assert ask(facts, "bridge.has_edges_of_its_own", "nvlink[0]") is own


@pytest.mark.parametrize(
    ("thickness", "places", "least", "most"),
    [
        ("2 slots", (1, 2, 4), 1, 1),
        ("1 slot", (1, 2, 4), 2, 2),
        ("2..4 slots", (1, 2, 4), 0, 1),
        (None, (1, 2, 4), 0, 2),
    ],
)
def test_slots_left_for_drives(thickness, places, least, most) -> None:
    """A card of two slots in 1 covers 2 and leaves 4."""
    card = {} if thickness is None else {"thickness": thickness}
    facts = facts_of(*cards(card), board(*places), CPU, slots={"gpus[0]": 1})
    assert near(ask(facts, "motherboard.slots_left"), least, most)


@pytest.mark.parametrize(
    ("lanes", "end", "short"), [(16, None, False), (8, None, True), (8, True, False)]
)
def test_only_short_slots_ask_for_the_edge(lanes, end, short) -> None:
    """An open end takes any edge."""
    given = {"mechanical": lanes, "lanes": lanes} | ({} if end is None else {"open_ended": end})
    here = subject("motherboard", "motherboard", slots=[slot(1, **given)])
    facts = facts_of(
        subject("add_in_cards[0]", "addin", edge=4), here, CPU, slots={"add_in_cards[0]": 1}
    )
    assert ask(facts, "addin.sits_in_short_slot", "add_in_cards[0]") is short
