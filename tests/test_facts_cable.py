"""Facts of plugs, cables and the board's feed, with the numbers worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from handmade import SOURCE, STANDARD, cards, facts_of, near, subject, supplies

from buildcheck.model.graph import Subject
from buildcheck.model.part import Sourced
from buildcheck.model.quantity import UNKNOWN, exact

RATINGS = subject(
    "standard",
    "standard",
    **STANDARD,
    slot_power_12v="66 W",
    board_feed="144 W",
    board_feed_high="216 W",
    board_own_12v="20 W",
    vrm_efficiency=0.9,
    eps_rating="336 W",
    eps_rating_cautious="235 W",
)
CONNECTORS = (
    subject("connector:pcie-6-pin", "connector", rating="75 W"),
    subject("connector:pcie-8-pin", "connector", rating="150 W", fits=["pcie-6-pin"]),
    subject("connector:eps-8-pin", "connector", rating="336 W"),
    subject("connector:16-pin", "connector", rating="600 W"),
    subject("connector:nvidia-12-pin", "connector"),
    subject("connector:molex", "connector", rating="60 W"),
)
CARD = {"board_power": "350 W", "slot_draw": "66 W", "plugs": {"pcie-8-pin": 2}}
BOARD = {"plugs": {"atx-24-pin": 1, "eps-8-pin": 2}}


def supply(**plugs) -> dict:
    """A supply with a 24-pin and two EPS cables, and these."""
    own = {name.replace("_", "-"): number for name, number in plugs.items()}
    return {"plugs": {"atx-24-pin": 1, "eps-8-pin": 2, **own}}


def of(*subjects, board=BOARD, psu=None, **pins):
    """Facts of these subjects on a board and a supply."""
    return facts_of(
        RATINGS,
        *CONNECTORS,
        *subjects,
        subject("motherboard", "motherboard", **board),
        *supplies(psu or supply(pcie_8_pin=9)),
        **pins,
    )


def ask(facts, name: str, subject_id: str | None = None):
    kind = name.partition(".")[0]
    ids = {"gpu": "gpus[0]", "riser": "risers[0]"}
    return facts(name, facts.graph.subjects[subject_id or ids.get(kind, kind)])


def riser(number: int = 0, **facts: str | bool) -> Subject:
    """A riser; its facts are codes and truths."""
    given = {name: Sourced(value, SOURCE, "assumption", "test") for name, value in facts.items()}
    return Subject(f"risers[{number}]", "riser", f"risers[{number}]", given)


# -- what the slots take -----------------------------------------------------


@pytest.mark.parametrize(
    ("number", "draw", "load"),
    # 20 W of the board, and 4 x 66, 3 x 66, 2 x 66, 4 x 15 of the cards.
    [(4, "66 W", 284), (3, "66 W", 218), (2, "66 W", 152), (4, "15 W", 80), (0, "66 W", 20)],
)
def test_slots_and_board_add_up(number, draw, load) -> None:
    """12 V that comes in through the board's plugs."""
    facts = of(*cards(*[{**CARD, "slot_draw": draw}] * number))
    assert near(ask(facts, "motherboard.slot_load"), load)
    assert ask(facts, "motherboard.slot_cards") == exact(number)


@pytest.mark.parametrize(
    ("given", "low", "high"),
    [
        # 280 of 350 W are four fifths: 4 x 52.8 = 211.2 W.
        ({"power_limit": "280 W"}, 211.2, 211.2),
        ({"power_limit": "400 W"}, 264, 264),
        # 280 of 350 to 420 W: 0.667 to 0.8.
        ({"power_limit": "280 W", "board_power": "350..420 W"}, 176, 211.2),
        ({"slot_draw": "15..66 W"}, 60, 264),
    ],
)
def test_a_power_limit_lowers_what_slots_give(given, low, high) -> None:
    """In proportion; a raised limit does not lift it."""
    facts = of(*cards(*[{**CARD, **given}] * 4))
    assert near(ask(facts, "motherboard.card_slot_power"), low, high)


def test_no_slot_gives_more_than_it_can() -> None:
    """A card nobody knows draws from nothing to 66 W; so does an add-in card of 90 W."""
    facts = of(
        *cards({"plugs": {"pcie-8-pin": 2}}),
        subject("add_in_cards[0]", "addin", typical_power="20 W"),
        subject("add_in_cards[1]", "addin", typical_power="90 W"),
    )
    assert near(ask(facts, "motherboard.slot_load"), 20 + 20 + 66, 20 + 20 + 66 + 66)


@pytest.mark.parametrize(
    ("risers", "cards_there", "load"),
    [
        ([{"kind": "usb"}], (0, 0), (20, 20)),
        ([{"feed": "pcie-6-pin", "kind": "ribbon"}], (0, 0), (20, 20)),
        ([{"feed": "none"}], (4, 4), (284, 284)),
        ([{"kind": "ribbon"}], (0, 4), (20, 284)),
        ([{"kind": "usb"}, {"feed": "none"}], (0, 4), (20, 284)),
        ([], (0, 4), (20, 284)),
    ],
)
def test_a_riser_with_a_plug_of_its_own_spares_the_board(risers, cards_there, load) -> None:
    """Passive ones pass the slot's power on; of others the build has to say it."""
    found = [riser(n, **given) for n, given in enumerate(risers)]
    facts = of(*cards(*[{**CARD, "riser": True}] * 4), *found)
    assert near(ask(facts, "motherboard.slot_cards"), *cards_there)
    assert near(ask(facts, "motherboard.slot_load"), *load)


# -- what feeds the slots ----------------------------------------------------


@pytest.mark.parametrize(
    ("plugs", "psu", "unfed", "extra"),
    [
        # Four cards take eight cables; the ninth is for the board.
        ({"pcie-6-pin": 1}, supply(pcie_8_pin=9), (0, 0), (75, 75)),
        ({"pcie-8-pin": 1}, supply(pcie_8_pin=9), (0, 0), (150, 150)),
        ({"pcie-8-pin": 2}, supply(pcie_8_pin=9), (1, 1), (150, 150)),
        ({"pcie-8-pin": 2}, supply(pcie_8_pin=8), (2, 2), (0, 0)),
        ({"pcie-6-pin": 1}, supply(pcie_8_pin="8..9"), (0, 1), (0, 75)),
        # Drive plugs are seldom counted, but where they are they count.
        ({"molex": 1}, supply(pcie_8_pin=8), (0, 1), (0, 60)),
        ({"molex": 1}, supply(pcie_8_pin=8, molex=3), (0, 0), (60, 60)),
        ({"molex": 1}, supply(pcie_8_pin=8, molex=0), (1, 1), (0, 0)),
    ],
)
def test_extra_sockets_give_what_cables_are_left_for(plugs, psu, unfed, extra) -> None:
    """After board and cards are fed."""
    facts = of(*cards(*[CARD] * 4), board={**BOARD, "slot_power_plugs": plugs}, psu=psu)
    assert near(ask(facts, "motherboard.slot_plugs_unfed"), *unfed)
    assert near(ask(facts, "motherboard.slot_feed_extra"), *extra)
    fed = [sum(plugs.values()) - number for number in reversed(unfed)]
    assert near(ask(facts, "motherboard.slot_plugs_fed"), *fed)
    assert ask(facts, "motherboard.has_slot_plugs") is True


def test_extra_sockets_nobody_speaks_of_may_give_anything() -> None:
    """None at all give nothing; without a supply they give nothing or all."""
    facts = of(*cards(CARD))
    assert ask(facts, "motherboard.slot_feed_extra") == UNKNOWN
    assert ask(facts, "motherboard.slot_plugs_are_known") is False
    assert ask(facts, "motherboard.has_slot_plugs") is False
    facts = of(*cards(CARD), board={**BOARD, "slot_power_plugs": {}})
    assert near(ask(facts, "motherboard.slot_feed_extra"), 0)
    board = subject("motherboard", "motherboard", slot_power_plugs={"pcie-6-pin": 1})
    facts = facts_of(RATINGS, *CONNECTORS, *cards(CARD), board)
    assert near(ask(facts, "motherboard.slot_feed_extra"), 0, 75)
    assert ask(facts, "motherboard.slot_plugs_unfed") is None


# -- the CPU's plugs ---------------------------------------------------------


@pytest.mark.parametrize(
    ("sockets", "psu", "fed"),
    [
        (2, {"atx-24-pin": 1, "eps-8-pin": 2}, (2, 2)),
        (3, {"atx-24-pin": 1, "eps-8-pin": 2}, (2, 2)),
        (2, {"atx-24-pin": 1, "eps-8-pin": "1..2"}, (1, 2)),
        ("1..2", {"atx-24-pin": 1, "eps-8-pin": 2}, (1, 2)),
        # A guess at the sockets tells nothing of how many are fed.
        ("1..2", {"atx-24-pin": 1, "eps-8-pin": 1}, (1, 2)),
        # Without one nothing would start; that it lacks is said elsewhere.
        (2, None, (1, 2)),
        (2, {"atx-24-pin": 1}, (1, 1)),
    ],
)
def test_cpu_sockets_take_the_cables_there_are(sockets, psu, fed) -> None:
    """As many as board and supply have."""
    given = {"rated_power": "1000 W"} if psu is None else {"plugs": psu}
    board = {"plugs": {"atx-24-pin": 1, "eps-8-pin": sockets}}
    facts = of(*cards(CARD), board=board, psu=given)
    assert near(ask(facts, "motherboard.cpu_plugs_fed"), *fed)
    assert ask(facts, "motherboard.cpu_plugs_are_known") is isinstance(sockets, int)


@pytest.mark.parametrize(("sockets", "watts"), [(1, 311.1), (2, 622.2), (None, 622.2)])
def test_cpus_without_a_socket_draw_nothing(sockets, watts) -> None:
    """Two CPUs of 280 W at 0.9 on a board with one socket: 311 W."""
    board = {} if sockets is None else {"cpu_sockets": sockets}
    facts = facts_of(
        subject("cpu", "cpu", count=2, turbo_power="280 W"),
        subject("motherboard", "motherboard", **board),
        subject("standard", "standard", **STANDARD, vrm_efficiency=0.9),
    )
    assert facts("cpu.plug_power").high == pytest.approx(watts, rel=1e-3)


# -- what sockets are rated for ----------------------------------------------


def test_the_slot_counts_whole_or_at_12_volts() -> None:
    """One 8-pin: 225 W by the book, 216 W at 12 V."""
    facts = of(*cards({"board_power": "220 W", "plugs": {"pcie-8-pin": 1}}))
    assert near(ask(facts, "gpu.feed_rating"), 225)
    assert near(ask(facts, "gpu.feed_rating_12v"), 216)


def test_a_socket_without_a_rating_carries_what_its_adapter_does() -> None:
    """The 12-pin of a Founders Edition: 75 and at least 300 W; without an adapter who knows."""
    adapter = subject(
        "adapter:2x", "adapter", inputs={"pcie-8-pin": 2}, output="nvidia-12-pin", rating="300 W"
    )
    card = {"board_power": "350 W", "slot_draw": "66 W", "plugs": {"nvidia-12-pin": 1}}
    facts = of(*cards({**card, "bundled_adapter": "2x"}, card), adapter)
    assert ask(facts, "gpu.feed_rating").low == 375
    assert ask(facts, "gpu.feed_rating", "gpus[1]").low == 75
    # Both its 8-pin cables carry 142 W.
    assert near(ask(facts, "gpu.cable_load"), 142)
    assert ask(facts, "gpu.is_adapted") is True


@pytest.mark.parametrize(
    ("given", "one"),
    [
        ({}, True),
        ({"board_power": "350..420 W"}, False),
        ({"plugs": {"pcie-8-pin": "2..3"}}, False),
        ({"board_power": "350..420 W", "power_limit": "300 W"}, True),
        ({"plugs": {}}, True),
    ],
)
def test_ranges_over_a_chip_are_no_card(given, one) -> None:
    """The cards that draw most are those with most sockets."""
    assert ask(of(*cards({**CARD, **given})), "gpu.feed_is_of_one_card") is one


# -- cables ------------------------------------------------------------------


def listed(*facts):
    """Cables in the order of the build file."""
    return [subject(f"cables[{n}]", "cable", **f) for n, f in enumerate(facts)]


DAISY = {"connector": "pcie-8-pin", "heads": 2}
SINGLE = {"connector": "pcie-8-pin", "heads": 1}


@pytest.mark.parametrize(
    ("cables", "shared", "load"),
    [
        # 350 W less 66 W through the slot are 284 W.
        ([DAISY], True, 284),
        ([DAISY, DAISY], False, 142),
        ([DAISY, SINGLE], False, 142),
        ([SINGLE, SINGLE], False, 142),
    ],
)
def test_listed_cables_share_the_load(cables, shared, load) -> None:
    """A card takes a fresh cable before the second head of one."""
    facts = of(*cards(CARD), *listed(*cables))
    assert ask(facts, "gpu.shares_a_cable") is shared
    assert near(ask(facts, "gpu.cable_load"), load)


@pytest.mark.parametrize(
    ("cables", "load"),
    # 450 W less 30: three inputs of 140 W each, and two of them on one cable.
    [(3, 140), (2, 280), (1, 420), (4, 140)],
)
def test_the_fullest_cable_of_an_adapter_counts(cables, load) -> None:
    """Inputs share the load evenly, cables need not."""
    adapter = subject("adapter:3x8", "adapter", inputs={"pcie-8-pin": 3}, output="16-pin")
    card = {"board_power": "450 W", "slot_draw": "30 W", "plugs": {"16-pin": 1}, "adapter": "3x8"}
    facts = of(*cards({**card, "power_cables": cables}), adapter)
    assert near(ask(facts, "gpu.cable_heads"), 3)
    assert near(ask(facts, "gpu.cable_load"), load)
    assert ask(facts, "gpu.shares_a_cable") is (cables < 3)


@pytest.mark.parametrize(
    ("cables", "rating"),
    [
        ([{"connector": "16-pin", "rating": "300 W"}], (300, 300)),
        (
            [{"connector": "16-pin", "rating": r} for r in ("300 W", "600 W")],
            (300, 600),
        ),
        ([{"connector": "pcie-8-pin", "rating": "150 W"}], None),
        ([], None),
    ],
)
def test_cables_of_the_right_kind_lend_their_rating(cables, rating) -> None:
    """Which of several feeds the card nobody says."""
    card = {"board_power": "450 W", "slot_draw": "30 W", "plugs": {"16-pin": 1}}
    facts = of(*cards(card), *listed(*cables), psu=supply(pcie_8_pin=4, **{"16_pin": 1}))
    assert ask(facts, "gpu.has_rated_cable") is (rating is not None)
    found = ask(facts, "gpu.cable_rating")
    assert found is None if rating is None else near(found, *rating)


def test_a_shared_cable_is_one_of_several_heads() -> None:
    """Of a single and a daisy-chained cable only the latter can carry both plugs."""
    facts = of(
        *cards({**CARD, "power_cables": 1}),
        *listed({**SINGLE, "rating": "150 W"}, {**DAISY, "rating": "288 W"}),
    )
    assert near(ask(facts, "gpu.cable_rating"), 288)


@pytest.mark.parametrize(
    ("outputs", "native", "left"),
    # One card on an adapter; the other may use a native output itself.
    [(0, 0, 0), (1, 0, 1), (1, 1, 0), (2, 1, 1)],
)
def test_native_outputs_are_counted(outputs, native, left) -> None:
    """Those that no other card uses."""
    adapter = subject("adapter:3x8", "adapter", inputs={"pcie-8-pin": 3}, output="16-pin")
    card = {"plugs": {"16-pin": 1}}
    facts = of(
        *cards({**card, "adapter": "3x8"}, *[card] * native),
        adapter,
        psu=supply(pcie_8_pin=8, **{"16_pin": outputs}),
    )
    assert near(ask(facts, "gpu.native_outputs_left"), left)


@pytest.mark.parametrize(
    ("stated", "load"),
    # 284 W: the one cable listed carries both plugs, whatever is stated.
    [(2, 284), (1, 284)],
)
def test_the_fewer_of_stated_and_listed_cables_count(stated, load) -> None:
    """Nobody has more cables than he lists."""
    facts = of(*cards({**CARD, "power_cables": stated}), *listed(DAISY))
    assert near(ask(facts, "gpu.cables"), 1)
    assert near(ask(facts, "gpu.cable_load"), load)
    # With two listed, one stated is one.
    facts = of(*cards({**CARD, "power_cables": stated}), *listed(DAISY, DAISY))
    assert near(ask(facts, "gpu.cables"), stated)


@pytest.mark.parametrize(("rating", "weak"), [("10 W", True), ("150 W", False), ("288 W", False)])
def test_a_cable_for_less_than_its_plug_is_weak(rating, weak) -> None:
    """An 8-pin plug is specified for 150 W."""
    facts = of(*cards(CARD), *listed(*[{**SINGLE, "rating": rating}] * 2))
    assert ask(facts, "gpu.has_weak_cable") is weak


def test_an_adapter_for_another_socket_is_left_out() -> None:
    """A card of two 8-pin sockets takes no 16-pin plug."""
    adapter = subject("adapter:4x8", "adapter", inputs={"pcie-8-pin": 4}, output="16-pin")
    facts = of(*cards({**CARD, "adapter": "4x8"}), adapter)
    assert ask(facts, "gpu.uses_adapter") is True
    assert ask(facts, "gpu.is_adapted") is False


def test_who_took_the_outputs() -> None:
    """Three cards take six of seven, the fourth the last, and lacks one."""
    facts = of(*cards(*[CARD] * 4), psu=supply(pcie_8_pin=7))
    names = [ask(facts, "gpu.outputs_in_use", f"gpus[{n}]") for n in range(4)]
    assert names == ["none", "none", "none", "7x pcie-8-pin by gpus[0..3]"]
    facts = of(*cards({**CARD, "plugs": {"16-pin": 1}}), psu=supply(pcie_8_pin=7))
    assert (ask(facts, "gpu.outputs_in_use"), ask(facts, "gpu.usual_adapter")) == ("none", None)
    plug = subject("connector:eps-8-pin", "connector", adapter="2x PCIe 8-pin to EPS")
    facts = of(*cards({**CARD, "plugs": {"eps-8-pin": 1}}), plug, psu=supply(pcie_8_pin=7))
    assert ask(facts, "gpu.usual_adapter") == "2x PCIe 8-pin to EPS"


# -- power beyond slot and sockets -------------------------------------------


@pytest.mark.parametrize(
    ("given", "decided"),
    [
        ({"board_power": "299..300 W", "plugs": {"pcie-6-pin": 1}}, True),
        ({"board_power": "300 W", "plugs": {"pcie-6-pin": "0..1"}}, True),
        ({"board_power": "140..160 W", "plugs": {"pcie-6-pin": 1}}, False),
        ({"board_power": "350..420 W", "plugs": {"pcie-8-pin": "2..3"}}, False),
        # What a 12-pin socket carries nobody says.
        ({"board_power": "350 W", "plugs": {"nvidia-12-pin": 1}}, False),
        ({"board_power": "350 W"}, False),
    ],
)
def test_ranges_may_decide(given, decided) -> None:
    """Slot and 6-pin carry 150 W at most, however the range turns out."""
    assert ask(of(*cards(given)), "gpu.feed_is_decided") is decided


@pytest.mark.parametrize(
    ("plugs", "there"), [({}, False), ({"pcie-8-pin": 1}, True), ({"pcie-8-pin": "0..1"}, None)]
)
def test_cards_without_sockets(plugs, there) -> None:
    """They live on the slot."""
    assert ask(of(*cards({**CARD, "plugs": plugs})), "gpu.has_power_sockets") is there


# -- risers ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "powered", "sata", "molex", "card_plug"),
    [
        ({"feed": "sata"}, True, True, False, False),
        ({"feed": "molex"}, True, False, True, False),
        ({"feed": "pcie-6-pin"}, True, False, False, True),
        ({"feed": "none"}, False, False, False, False),
        ({"kind": "usb"}, True, None, None, False),
        ({"kind": "cabled"}, False, None, None, False),
    ],
)
def test_risers_say_what_feeds_them(given, powered, sata, molex, card_plug) -> None:
    """Or it is not known."""
    facts = of(*cards(CARD), riser(**given))
    names = ("is_surely_powered", "is_fed_by_sata", "is_fed_by_molex", "has_card_plug")
    told = tuple(ask(facts, f"riser.{name}") for name in names)
    assert told == (powered, sata, molex, card_plug)


@pytest.mark.parametrize(
    ("outputs", "feed", "unfed"),
    # The card takes two.
    [(3, "pcie-6-pin", (0, 0)), (2, "pcie-6-pin", (1, 1)), (2, "molex", (0, 1))],
)
def test_risers_take_what_cards_leave(outputs, feed, unfed) -> None:
    """Drive plugs are not counted where nobody lists them."""
    facts = of(*cards(CARD), riser(feed=feed), psu=supply(pcie_8_pin=outputs))
    assert near(ask(facts, "riser.plugs_without_cable"), *unfed)


def test_a_card_nobody_knows_may_take_every_cable() -> None:
    """Riser and board are then fed or not."""
    board = {**BOARD, "slot_power_plugs": {"pcie-8-pin": 2}}
    facts = of(*cards({}), riser(feed="pcie-6-pin"), board=board)
    assert near(ask(facts, "riser.plugs_without_cable"), 0, 1)
    assert near(ask(facts, "motherboard.slot_plugs_unfed"), 0, 2)
    assert near(ask(facts, "motherboard.slot_feed_extra"), 0, 300)


def chained(number: int, **facts: str | bool) -> list[Subject]:
    """Risers of one entry that share a supply cable."""
    return [replace(riser(n, chained=True, **facts), name="extender") for n in range(number)]


@pytest.mark.parametrize(("outputs", "unfed"), [(6, 1), (7, 0), (8, 0)])
def test_a_chain_takes_one_output(outputs, unfed) -> None:
    """Three cards with plugs of their own take six, the chain of three the next."""
    on_risers = [{**CARD, "riser": True}] * 3
    facts = of(*cards(*on_risers), *chained(3, feed="pcie-6-pin"), psu=supply(pcie_8_pin=outputs))
    for number in range(3):
        assert near(ask(facts, "riser.plugs_without_cable", f"risers[{number}]"), unfed)
        assert near(ask(facts, "riser.chain_count", f"risers[{number}]"), 3)


@pytest.mark.parametrize(
    ("number", "alone", "load"),
    [
        (3, 0, (150, 150)),
        (2, 0, (132, 132)),
        # One card may hang on the riser apart: at least the 18 and 66 W, at most twice 66 W.
        (2, 1, (84, 132)),
    ],
)
def test_slots_of_a_chain_add_up(number, alone, load) -> None:
    """Cards of 66, 66 and 18 W through their slots."""
    hung = [{**CARD, "slot_draw": d, "riser": True} for d in ("66 W", "66 W", "18 W")]
    hung = hung if number + alone == 3 else hung[:2]
    facts = of(
        *cards(*hung),
        *chained(number, feed="pcie-6-pin"),
        *(riser(9 - n, feed="pcie-6-pin") for n in range(alone)),
    )
    assert near(ask(facts, "riser.chain_load"), *load)
    assert near(ask(facts, "riser.feed_rating"), 75)


def test_a_chain_of_unknown_cards() -> None:
    """Nobody says that any card hangs on it: from nothing to two slots of 66 W."""
    facts = of(*cards(CARD, CARD, CARD), *chained(2, feed="pcie-6-pin"))
    assert near(ask(facts, "riser.chain_load"), 0, 132)
