"""Facts of memory, CPU, platform, firmware, work and network, with the numbers worked by hand."""

from __future__ import annotations

import pytest
from handmade import SOURCE, STANDARD, ask, cards, facts_of, near, subject

from buildcheck.model.part import Sourced
from buildcheck.model.quantity import Interval, exact

LARGE = {"memory": "24 GB"}


# -- memory ------------------------------------------------------------------


def modules(*facts: dict, **others: dict):
    """Memory entries, with facts of the CPU and the board beside them."""
    entries = [subject(f"memory[{n}]", "module", **{"count": 1, **f}) for n, f in enumerate(facts)]
    parts = {"cpu": "cpu", "motherboard": "motherboard"}
    return facts_of(*entries, *(subject(i, k, **others.get(i, {})) for i, k in parts.items()))


@pytest.mark.parametrize(
    ("listed", "channels", "over"),
    [(1, 4, 0), (2, 4, 0), (3, 4, 1), (4, 4, 0), (5, 4, 1), (8, 4, 0), (6, 8, 2), (12, 8, 4)],
)
def test_modules_are_spread_over_channels(listed: int, channels: int, over: int) -> None:
    """3 of 4 leaves one over 2 of 4; 12 on 8 leaves four over one on each."""
    facts = modules({"module": "32 GB", "count": listed}, cpu={"memory_channels": channels})
    assert near(ask(facts, "memory.uneven_modules"), over)
    assert near(ask(facts, "memory.per_channel"), listed / channels)


def test_a_plain_module_is_what_the_board_takes() -> None:
    """Nobody says its kind, and only unbuffered ones are sold for the board."""
    for taken, plain in ((["udimm"], True), (["rdimm", "udimm"], False), (["rdimm"], False)):
        facts = modules({"module": "32 GB"}, motherboard={"memory_modules": taken})
        assert ask(facts, "module.kind", "memory[0]") is None
        assert ask(facts, "memory.is_plain") is plain
    facts = modules({"registered": True}, motherboard={"memory_modules": ["udimm"]})
    assert ask(facts, "module.kind", "memory[0]") == "rdimm"
    assert ask(facts, "memory.is_plain") is False


@pytest.mark.parametrize(
    ("facts", "form"),
    [
        ({"memory_form": "SO-DIMM", "memory_modules": ["udimm"]}, "SO-DIMM"),
        ({"memory_modules": ["udimm"]}, None),
        ({"memory_modules": ["rdimm", "udimm"]}, "DIMM"),
        ({"memory_form": "sodimm"}, "SO-DIMM"),
        ({}, None),
    ],
)
def test_the_form_of_module_a_board_takes(facts, form) -> None:
    """Stated, or full-length where it takes registered modules, which are nothing else."""
    machine = modules({"module": "32 GB", "form": "DIMM"}, {"module": "32 GB"}, motherboard=facts)
    assert ask(machine, "motherboard.module_form") == form
    assert ask(machine, "module.states_form", "memory[0]") is True
    assert ask(machine, "module.states_form", "memory[1]") is False


def test_kinds_that_differ_are_counted() -> None:
    """What is not said may be one more."""
    old, new = (
        {"registered": True, "generation": "DDR4"},
        {"registered": True, "generation": "DDR5"},
    )
    assert ask(modules(old, old), "memory.kinds") == exact(1)
    assert ask(modules(old, {**old, "registered": False}), "memory.kinds") == exact(2)
    assert ask(modules(old, new), "memory.kinds") == exact(2)
    assert ask(modules(old, {"generation": "DDR4"}), "memory.kinds") == Interval(1, 2)
    assert ask(modules({"module": "32 GB"}, {"module": "16 GB"}), "memory.sizes") == exact(2)


def test_a_module_is_no_larger_than_its_entry() -> None:
    """64 GB in modules nobody counts: each has at most 64 GB."""
    assert ask(modules({"total": "64 GB"}), "module.size", "memory[0]") == Interval(0, 64)


def test_the_maximum_is_shared_out_over_the_slots() -> None:
    """128 GB in eight slots: 16 GB each."""
    facts = modules({}, motherboard={"memory_max": "128 GB", "memory_slots": 8})
    assert near(ask(facts, "motherboard.memory_per_slot"), 16)


def test_a_cpu_of_another_generation_rules_ddr5_out() -> None:
    """Even where the modules do not say."""
    facts = modules({}, cpu={"memory_generations": ["DDR4"]})
    assert ask(facts, "memory.is_unbuffered_ddr5") is False
    facts = modules({"generation": "DDR5", "registered": False})
    assert ask(facts, "memory.is_unbuffered_ddr5") is True
    assert ask(modules({"generation": "DDR5"}), "memory.is_unbuffered_ddr5") is None


@pytest.mark.parametrize(("number", "needed"), [(2, 168), (4, 168), (8, 336)])
def test_offload_takes_memory(number: int, needed: float) -> None:
    """7 billion parameters on 2 cards: 1.5 x 7 x 16 = 168 GB; on 8 cards 1.5 x 7 x 32."""
    facts = facts_of(
        *cards(*[LARGE] * number),
        subject("workload", "workload", parameters=7, offload=True),
        subject("standard", "standard", bytes_per_parameter=16, offload_factor=1.5),
    )
    assert near(ask(facts, "workload.offload_memory"), needed)


# -- CPU ---------------------------------------------------------------------


def test_one_cpu_always_works_alone() -> None:
    """A board has one socket, and a CPU works in it, whatever is not known."""
    facts = facts_of(subject("cpu", "cpu"), subject("motherboard", "motherboard"))
    assert ask(facts, "cpu.count").is_at_most(ask(facts, "cpu.most_together"))
    assert ask(facts, "cpu.count").is_at_most(ask(facts, "motherboard.sockets"))
    assert ask(facts, "motherboard.has_several_sockets") is False


def test_memory_nodes_add_up() -> None:
    """Two CPUs of four nodes have eight; two that say nothing have two at least."""
    assert near(ask(facts_of(subject("cpu", "cpu", 2, numa_nodes=4)), "cpu.all_memory_nodes"), 8)
    assert ask(facts_of(subject("cpu", "cpu", 2)), "cpu.all_memory_nodes").low == 2
    assert ask(facts_of(subject("cpu", "cpu")), "cpu.states_memory_nodes") is False


# -- platform ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("listed", "by_holes", "by_size"),
    [
        (["SSI EEB"], {"SSI CEB", "ATX"}, set()),
        (["ATX"], {"microATX", "Mini-ITX"}, set()),
        (["ATX", "E-ATX"], {"microATX"}, {"SSI EEB", "SSI CEB"}),
    ],
)
def test_small_boards_stand_on_the_holes_of_large_ones(listed, by_holes, by_size) -> None:
    """An EEB case takes CEB and ATX; one for E-ATX has room for EEB, and holes elsewhere."""
    facts = facts_of(subject("case", "case", board_form_factors=listed))
    holes, size = ask(facts, "case.boards_by_holes"), ask(facts, "case.boards_by_size")
    assert by_holes | set(listed) <= holes
    assert size - holes == by_size


@pytest.mark.parametrize(
    ("form", "known"), [("ATX", True), ("microATX", True), ("E-ATX", False), (None, False)]
)
def test_a_list_that_may_lack_forms_refuses_none(form, known) -> None:
    """What is in it fits; of what is not, nothing is known."""
    facts = facts_of(
        subject("case", "case", boards_at_least=["ATX"]),
        subject("motherboard", "motherboard", **({"form_factor": form} if form else {})),
    )
    assert (ask(facts, "case.boards_by_size") is not None) is known


@pytest.mark.parametrize(
    ("delivered", "updated", "takes", "starts"),
    [
        (["Ryzen 5000"], None, True, True),
        (["Ryzen 3000"], ["Ryzen 5000"], True, False),
        (["Ryzen 2000"], ["Ryzen 3000"], False, False),
        (["Ryzen 3000"], None, None, False),
        (None, ["Ryzen 5000"], True, False),
        (None, ["Ryzen 9000"], None, True),
        (None, None, None, None),
    ],
)
def test_a_board_takes_the_families_it_lists(delivered, updated, takes, starts) -> None:
    """In neither of two lists means no; a list that is not known may have it."""
    lists = {"cpu_families": delivered, "cpu_families_updated": updated}
    facts = facts_of(
        subject("cpu", "cpu", family="Ryzen 5000"),
        subject("motherboard", "motherboard", **{k: v for k, v in lists.items() if v}),
    )
    assert ask(facts, "motherboard.takes_cpu") is takes
    assert ask(facts, "motherboard.starts_with_cpu") is starts
    assert ask(facts, "motherboard.states_cpu_families") is bool(delivered or updated)


@pytest.mark.parametrize(
    ("card", "cpu", "board", "answer"),
    [
        ({"display_outputs": True}, {}, {}, True),
        ({"segment": "data-centre"}, {"integrated_graphics": True}, {}, True),
        ({"segment": "data-centre"}, {"integrated_graphics": False}, {"bmc": False}, None),
        ({"display_outputs": False}, {"integrated_graphics": False}, {}, None),
        ({"display_outputs": False}, {"integrated_graphics": False}, {"bmc": False}, False),
        ({"display_outputs": False}, {"integrated_graphics": False}, {"bmc": True}, True),
    ],
)
def test_a_picture_comes_from_somewhere(card, cpu, board, answer) -> None:
    """From a card, the CPU or the board; not known where one of them does not say."""
    facts = facts_of(
        *cards(card),
        subject("cpu", "cpu", **cpu),
        subject("motherboard", "motherboard", **board),
    )
    assert ask(facts, "build.shows_a_picture", "build") is answer


@pytest.mark.parametrize(
    ("card", "answer"),
    [
        ({"display_outputs": True, "cooling": "passive"}, False),
        ({"display_outputs": False, "cooling": "blower"}, True),
        ({"segment": "data-centre"}, True),
        ({"cooling": "passive"}, True),
        ({"segment": "consumer"}, False),
        ({}, False),
    ],
)
def test_some_cards_may_lack_a_display_output(card, answer) -> None:
    """Those that say so, and those made for data centres."""
    assert ask(facts_of(*cards(card)), "build.may_lack_display", "build") is answer


# -- firmware ----------------------------------------------------------------


def test_windows_are_powers_of_two() -> None:
    """Four cards of 24 GB map 4 x 32 = 128 GB, one of 8 to 16 GB maps 8 to 16 GB."""
    facts = facts_of(*cards(*[LARGE] * 4))
    assert near(ask(facts, "build.address_space", "build"), 128)
    assert near(
        ask(facts_of(*cards({"memory": "8..16 GB"})), "build.address_space", "build"), 8, 16
    )


@pytest.mark.parametrize(
    ("card", "there", "window"),
    [
        ({"segment": "data-centre", "memory": "24 GB"}, True, 32),
        ({"segment": "data-centre", "memory": "8 GB"}, True, 8),
        ({"segment": "consumer", "memory": "24 GB"}, False, 0),
        (LARGE, False, 0),
    ],
)
def test_server_cards_map_all_their_memory(card, there, window) -> None:
    """24 GB in a window of 32 GB; other cards can do with less."""
    facts = facts_of(*cards(card))
    assert ask(facts, "build.has_fixed_window", "build") is there
    assert near(ask(facts, "build.largest_fixed_window", "build"), window)


def test_a_server_card_of_unknown_memory() -> None:
    """Its window is not known."""
    facts = facts_of(*cards({"segment": "data-centre"}))
    assert ask(facts, "build.largest_fixed_window", "build") is None


@pytest.mark.parametrize(
    ("chipsets", "none"), [(["SoC"], True), (["TRX40"], False), (["SoC", "C621"], False)]
)
def test_a_platform_without_a_chipset(chipsets, none) -> None:
    """It lists no chipset but the CPU itself."""
    facts = facts_of(subject("cpu", "cpu", chipsets=chipsets))
    assert ask(facts, "cpu.is_without_chipset") is none


def test_a_board_without_the_setting_has_it_off() -> None:
    """Whatever the build says of the firmware."""
    board = subject("motherboard", "motherboard", above_4g=False)
    facts = facts_of(board, subject("firmware", "firmware", above_4g=True))
    assert ask(facts, "firmware.states_above_4g") is True
    assert ask(facts, "firmware.maps_above_4g") is False
    assert ask(facts_of(), "firmware.states_above_4g") is False


@pytest.mark.parametrize(
    ("able", "work", "answer"),
    [
        ([True, True], {"parallel": "tensor"}, True),
        ([True, True], {"parallel": "none"}, False),
        ([True, True], {}, False),
        ([True, False], {"parallel": "tensor"}, False),
        ([False, False], {"peer_to_peer": True}, True),
        ([True], {"parallel": "tensor"}, False),
    ],
)
def test_copies_go_between_cards(able, work, answer) -> None:
    """Where all cards can and a job exchanges data, or where the build says so."""
    facts = facts_of(
        *cards(*({"peer_to_peer": a} for a in able)), subject("workload", "workload", **work)
    )
    assert ask(facts, "build.copies_between_cards", "build") is answer


# -- work and network --------------------------------------------------------


def test_partner_cards_of_a_chip_are_one_model() -> None:
    """Two partner cards of one chip beside another chip: two models."""
    facts = facts_of(*cards({"chip": "RTX 3090"}, {"chip": "RTX 3090"}, {"chip": "RTX 4090"}))
    assert near(ask(facts, "build.card_models", "build"), 2)


def test_memory_sizes_are_counted_by_model() -> None:
    """Two of a model whose memory is 6 to 12 GB have one size; two models may have two."""
    card = {"chip": "RTX 2060", "memory": "6..12 GB"}
    assert ask(facts_of(*cards(card, card)), "build.card_memory_sizes", "build") == exact(1)
    facts = facts_of(*cards(card, {"chip": "RTX 3090", **LARGE}))
    assert ask(facts, "build.card_memory_sizes", "build") == Interval(1, 2)


@pytest.mark.parametrize(
    ("number", "over"), [(1, 0), (2, 0), (3, 1), (4, 0), (6, 2), (7, 3), (8, 0)]
)
def test_cards_beyond_a_power_of_two(number: int, over: int) -> None:
    """7 cards are 3 over 4."""
    facts = facts_of(*cards(*[LARGE] * number))
    assert near(ask(facts, "build.cards_beyond_power_of_two", "build"), over)


def addin(number: int, sort: str, **facts: str):
    """A card that is no GPU; its kind of card is a fact beside its kind of subject."""
    made = subject(f"add_in_cards[{number}]", "addin", **facts)
    made.facts["kind"] = Sourced(sort, SOURCE, "assumption", "test")
    return made


@pytest.mark.parametrize(
    ("stated", "rate", "is_stated"),
    [
        ({"between_machines": "80 Gbit/s"}, 10, True),
        ({"between_machines": "80 Gbit/s", "machines": 1}, 10, False),
        ({"machines": 2}, 3.125, True),
        ({}, None, False),
    ],
)
def test_a_network_is_as_fast_as_stated_or_as_its_card(stated, rate, is_stated) -> None:
    """80 Gbit/s are 10 GB/s; a card of 25 Gbit/s is the link where several machines are meant."""
    facts = facts_of(
        subject("network", "network", **stated),
        addin(0, "network", rate="25 Gbit/s"),
        addin(1, "capture"),
    )
    found = ask(facts, "network.rate")
    assert found is None if rate is None else near(found, rate)
    assert ask(facts, "network.is_stated") is is_stated
    assert near(ask(facts, "network.card_rate"), 3.125)


# -- mounts, empty sockets, serving ------------------------------------------


@pytest.mark.parametrize(
    ("socket", "others", "made_for", "mounts"),
    [
        ("AM5", None, ["AM4", "AM5"], True),
        ("AM5", None, ["TR4"], False),
        ("sWRX8", ["TR4", "sTRX4", "SP3"], ["TR4", "sTRX4", "AM4"], True),
        ("SP5", [], ["SP3", "TR4"], False),
        ("sWRX8", None, ["TR4", "AM4"], None),
        ("sWRX8", None, ["AM4"], False),
        ("sWRX8", None, None, None),
    ],
)
def test_a_cooler_mounts_on_sockets_with_one_mount(socket, others, made_for, mounts) -> None:
    """TR4 parts fasten to sWRX8 where it is known; unknown is no mismatch among large sockets."""
    cpu = {"socket": socket} | ({} if others is None else {"cooler_sockets": others})
    cooler = {} if made_for is None else {"sockets": made_for}
    facts = facts_of(subject("cpu", "cpu", **cpu), subject("cpu_cooler", "cooler", **cooler))
    assert ask(facts, "cooler.mounts_on_the_cpu", "cpu_cooler") is mounts


@pytest.mark.parametrize(
    ("cpus", "modules", "owner", "needs"),
    [
        (1, 4, "cpu", False),
        (1, 5, "cpu", True),
        (1, 4, "cpu2", True),
        (2, 8, "cpu2", False),
        (1, 4, None, None),
    ],
)
def test_what_hangs_on_an_empty_socket(cpus, modules, owner, needs) -> None:
    """Eight memory slots on two sockets: one CPU reaches four, and no slot of the other."""
    slot = {"label": "A", "position": 1, "mechanical": 16, "lanes": 16}
    board = {
        "cpu_sockets": 2,
        "memory_slots": 8,
        "slots": [slot | ({"owner": owner} if owner else {})],
    }
    facts = facts_of(
        *cards({"thickness": "2 slots"}),
        subject("motherboard", "motherboard", **board),
        subject("cpu", "cpu", cpus, pcie_lanes=40),
        subject("memory[0]", "module", module="32 GB", count=modules),
        slots={"gpus[0]": "A"},
    )
    assert ask(facts, "motherboard.needs_empty_socket", "motherboard") is needs


def test_serving_is_told_from_work_of_each_card() -> None:
    """Serving that says nothing of its cards may still spread a model over them."""
    for said, told in (
        ({"kind": "inference"}, (True, False)),
        ({"kind": "inference", "parallel": "none"}, (True, True)),
        ({"kind": "training", "parallel": "pipeline"}, (False, False)),
        ({"kind": "rendering"}, (False, True)),
        ({"kind": "mining"}, (False, True)),
        ({"kind": "rendering", "parallel": "tensor"}, (False, False)),
        ({}, (False, False)),
    ):
        workload = subject("workload", "workload")
        workload.facts.update(
            {n: Sourced(v, SOURCE, "assumption", "test") for n, v in said.items()}
        )
        facts = facts_of(workload)
        names = ("workload.is_inference", "workload.has_separate_jobs")
        assert tuple(ask(facts, name, "workload") for name in names) == told


def test_processes_take_memory_for_each_card() -> None:
    """Three gigabytes for each of four cards: 12 GB."""
    standard = subject("standard", "standard", **STANDARD, context_memory="3 GB")
    facts = facts_of(*cards(*[LARGE] * 4), standard)
    assert near(ask(facts, "build.process_memory", "build"), 12)


def test_a_management_controller_loads_a_bios_too() -> None:
    """It runs without a CPU, as the button for it does."""
    for said, able in (({"bmc": True}, True), ({"bios_flashback": True}, True), ({}, False)):
        facts = facts_of(subject("motherboard", "motherboard", **said))
        assert ask(facts, "motherboard.has_flashback", "motherboard") is able
