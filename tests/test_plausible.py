"""What is doubted of parts: for each doubt a part that raises it, and a neighbour that does not."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from conftest import table
from hypothesis import given, settings
from hypothesis import strategies as st

from buildcheck import store
from buildcheck.catalog import Catalog
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import Part, Source, Sourced
from buildcheck.model.quantity import Interval
from buildcheck.plausible import check_files, doubts, twins
from buildcheck.plausible.checks.boards import LANE_RATE
from buildcheck.plausible.declared import bounds, by_field, relations
from buildcheck.plausible.doubting import CHECKS
from buildcheck.words.vocabulary import vocabulary

SOURCE = Source("made up for a test", "https://example.org", "vendor")
SOURCES = (
    '  s: {title: "a page", url: "https://example.org", confidence: vendor, read: 2026-11-20}\n'
)


def write(folder: Path, part_id: str, facts: dict[str, str], *, name: str = "", head: str = ""):
    """A part file with facts as text."""
    path = folder / f"{part_id}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"  {n}: {{value: {v}, source: s}}\n" for n, v in facts.items())
    text = f"id: {part_id}\nname: {name or part_id.rpartition('/')[2]}\n{head}"
    path.write_text(f"{text}facts:{' {}' * (not facts)}\n{lines}sources:\n{SOURCES}", "utf-8")
    return path


#: A catalogue in which little is known: a chip, four cards of it, an adapter, and two sockets.
KNOWN: dict[str, dict[str, str]] = {
    "gpu/chips/zeta-1": {
        "board_power": "200..700 W",
        "memory": "24 GB",
        "thickness": "1..4 slots",
        "plugs": "{pcie-8-pin: 2..3}",
        "cooling_among": "[blower, open-air]",
    },
    **{
        f"gpu/acme/zeta-1-{n}": {
            "chip": "zeta-1",
            "thickness": f"{50 + n} mm",
            "board_power": f"{300 + 10 * n} W",
        }
        for n in (1, 2, 3, 4)
    },
    "gpu/other/zeta-1-x": {"chip": "zeta-1", "board_power": "300 W"},
    **{f"gpu-cooling/kinds/{kind}": {} for kind in ("blower", "water")},
    "adapter/acme/twelve": {"inputs": "{pcie-8-pin: 2}", "output": "nvidia-12-pin"},
    "adapter/acme/sixteen": {"inputs": "{pcie-8-pin: 2}", "output": "16-pin"},
    "platform/acme/old": {
        "socket": "S1",
        "pcie_lanes": "16",
        "pcie_gen": "3",
        "memory_channels": "2",
        "sockets_max": "1",
        "memory_generations": "[DDR4]",
        "chipsets": "[C1]",
    },
    "platform/acme/other": {"socket": "S2"},
    "platform/acme/big": {
        "socket": "S1",
        "pcie_lanes": "40",
        "memory_generations": "[DDR4, DDR5]",
        "chipsets": "[C2]",
    },
}


@pytest.fixture(scope="module")
def little(_own_cache, tmp_path_factory) -> Catalog:
    """The catalogue of the parts above."""
    folder = tmp_path_factory.mktemp("little")
    for part_id, facts in KNOWN.items():
        write(folder, part_id, facts)
    for kind in KINDS:
        (folder / kind).mkdir(exist_ok=True)
    return Catalog(folder)


def made(kind: str, catalog: Catalog, facts: dict[str, Any], note: str = "") -> Part:
    """A part that states these facts, with what its references add."""
    part_id = f"{kind}/acme/made"
    model = KINDS[kind].model_validate(facts)
    own = {n: Sourced(getattr(model, n), SOURCE, "vendor", part_id, note) for n in facts}
    return Part(part_id, "Made", catalog.fill(KINDS[kind], own))


def slot(label: str = "A", **facts: Any) -> dict[str, Any]:
    return {"label": label, "mechanical": 16, **facts}


def mode(populate: list[str], **lanes: int) -> dict[str, Any]:
    return {"populate": populate, "lanes": lanes}


CARD = {"chip": "zeta-1"}
BOARD = {"socket": "S1"}
CPU = {"platform": "old"}
TWO = [slot("A", lanes=16, owner="cpu"), slot("B", lanes=16, owner="cpu")]
THREE = [*TWO, slot("C", lanes=16, owner="cpu")]
#: Kind, the field that is doubted, facts that raise the doubt, and what makes them sensible.
CASES: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    # whole numbers
    ("gpu", "pcie_lanes", {"pcie_lanes": 12}, {"pcie_lanes": 8}),
    ("gpu", "pcie_lanes", {"pcie_lanes": 2}, {"pcie_lanes": 4}),
    ("add-in-card", "edge", {"edge": 3}, {"edge": 2}),
    ("riser", "lanes", {"lanes": 5}, {"lanes": 16}),
    ("memory", "module", {"module": "20 GB"}, {"module": "24 GB"}),
    # cards
    ("gpu", "power_limit_min", {"board_power": "300 W", "power_limit_min": "310 W"}, {"power_limit_min": "300 W"}),
    ("gpu", "power_limit_max", {"board_power": "300 W", "power_limit_max": "290 W"}, {"power_limit_max": "300 W"}),
    ("gpu", "recommended_psu", {"board_power": "300 W", "recommended_psu": "300 W"}, {"recommended_psu": "700 W"}),
    ("gpu", "plugs", {"board_power": "376 W", "plugs": {"pcie-8-pin": 2}}, {"board_power": "375 W"}),
    ("gpu", "plugs", {"board_power": "300..376 W", "plugs": {"pcie-8-pin": 2}}, {"plugs": {"pcie-8-pin": 2, "pcie-6-pin": 1}}),
    ("gpu", "plugs", {"board_power": "412 W", "plugs": {"eps-8-pin": 1}}, {"board_power": "411 W"}),
    ("gpu", "plugs", {"board_power": "676 W", "plugs": {"16-pin": 1}}, {"board_power": "675 W"}),
    ("gpu", "plugs", {"board_power": "80 W", "plugs": {}}, {"board_power": "75 W"}),
    ("gpu", "plugs", {"board_power": "300 W", "plugs": {"sata": 2}}, {"plugs": {"pcie-8-pin": 2}}),
    ("gpu", "plugs", {"board_power": "400 W", "plugs": {"pcie-8-pin": 2}}, {"plug_exemption": True}),
    ("gpu", "plug_exemption", {"board_power": "300 W", "plugs": {"pcie-8-pin": 2}, "plug_exemption": True}, {"plug_exemption": False}),
    ("gpu", "plug_exemption", {"board_power": "375 W", "plugs": {"pcie-8-pin": 2}, "plug_exemption": True}, {"board_power": "376 W"}),
    ("gpu", "plugs", {"board_power": "376 W", "plugs": {"nvidia-12-pin": 1}, "bundled_adapter": "twelve"}, {"board_power": "350 W"}),
    ("gpu", "bundled_adapter", {"plugs": {"nvidia-12-pin": 1}}, {"bundled_adapter": "twelve"}),
    ("gpu", "bundled_adapter", {"plugs": {"nvidia-12-pin": 1}, "bundled_adapter": "sixteen"}, {"bundled_adapter": "twelve"}),
    ("gpu", "excursion_10ms", {"excursion_1ms": 1.4, "excursion_10ms": 1.5}, {"excursion_10ms": 1.3}),
    ("gpu", "excursion_10ms", {"excursion_1ms": "1.4..1.5", "excursion_10ms": "1.3..1.6"}, {"excursion_10ms": "1.3..1.5"}),
    ("gpu", "excursion_100ms", {"excursion_100us": 1.4, "excursion_100ms": 1.5}, {"excursion_100ms": 1.4}),
    ("gpu", "speed_at_limit", {"speed_at_limit": [[0.5, 0.9], [0.7, 0.8], [1, 1]]}, {"speed_at_limit": [[0.5, 0.8], [1, 1]]}),
    ("gpu-architecture", "speed_at_limit", {"speed_at_limit": [[0.5, 0.9], [0.9, 1]]}, {"speed_at_limit": [[0.5, 0.9], [1, 1]]}),
    # cards and their chip
    ("gpu", "memory", {**CARD, "memory": "48 GB"}, {"memory": "24 GB"}),
    ("gpu", "board_power", {**CARD, "board_power": "190..300 W"}, {"board_power": "200..300 W"}),
    ("gpu", "cooling", {**CARD, "cooling": "water"}, {"cooling": "blower"}),
    ("gpu", "plugs", {**CARD, "plugs": {"pcie-8-pin": 4}}, {"plugs": {"pcie-8-pin": 3}}),
    ("gpu", "plugs", {**CARD, "plugs": {"16-pin": 1}}, {"plugs": {"nvidia-12-pin": 1}, "bundled_adapter": "twelve"}),
    # cards and their siblings
    ("gpu", "thickness", {**CARD, "thickness": "20 mm"}, {"thickness": "35 mm"}),
    ("gpu", "board_power", {**CARD, "board_power": "500 W"}, {"board_power": "440 W"}),
    # processors
    ("cpu", "base_power", {"base_power": "170 W", "turbo_power": "125 W"}, {"turbo_power": "230 W"}),
    ("cpu", "base_power", {"base_power": "105..170 W", "turbo_power": "142..160 W"}, {"base_power": "105..125 W"}),
    ("cpu", "turbo_power", {"base_power": "65 W", "turbo_power": "270 W"}, {"turbo_power": "224 W"}),
    ("cpu", "cores", {"cores": 32, "threads": 16}, {"threads": 32}),
    ("cpu", "threads", {"cores": 8, "threads": 32}, {"threads": 16}),
    ("cpu", "socket", {"socket": "S 1"}, {"socket": "S1"}),
    ("cpu", "socket", {**CPU, "socket": "S2"}, {"socket": "S1"}),
    ("cpu", "pcie_lanes", {**CPU, "pcie_lanes": 20}, {"pcie_lanes": 16}),
    ("cpu", "pcie_gen", {**CPU, "pcie_gen": 4}, {"pcie_gen": 3}),
    ("cpu", "memory_channels", {**CPU, "memory_channels": 4}, {"memory_channels": 2}),
    ("cpu", "sockets_max", {**CPU, "sockets_max": 2}, {"sockets_max": 1}),
    ("cpu", "memory_generations", {**CPU, "memory_generations": ["DDR5"]}, {"memory_generations": ["DDR4"]}),
    # boards
    ("motherboard", "socket", {"socket": "S3"}, {"socket": "S1"}),
    ("motherboard", "chipset", {**BOARD, "chipset": "C3"}, {"chipset": "C2"}),
    ("motherboard", "memory_generation", {**BOARD, "memory_generation": "DDR3"}, {"memory_generation": "DDR5"}),
    ("motherboard", "memory_max", {"memory_slots": 4, "module_max": "32 GB", "memory_max": "256 GB"}, {"memory_max": "128 GB"}),
    ("motherboard", "slots", {"slots": [slot("A"), slot("A")]}, {"slots": [slot("A"), slot("B")]}),
    ("motherboard", "slots", {"slots": [slot("A", position=1), slot("B", position=1)]}, {"slots": [slot("A", position=1), slot("B", position=2)]}),
    ("motherboard", "slots", {"slots": [slot("A", position=2), slot("B")], "slot_positions": {"B": 1}}, {"slot_positions": {"B": 3}}),
    ("motherboard", "slots", {"slots": [slot(position=5)], "openings": 4}, {"openings": 5}),
    ("motherboard", "slot_positions", {"slots": TWO, "slot_positions": {"C": 2}}, {"slot_positions": {"B": 2}}),
    ("motherboard", "slots", {"slots": [slot(mechanical=12)]}, {"slots": [slot(mechanical=8)]}),
    ("motherboard", "slots", {"slots": [slot(mechanical=8, lanes=16)]}, {"slots": [slot(mechanical=8, lanes=8)]}),
    ("motherboard", "slots", {"slots": [slot(lanes=6)]}, {"slots": [slot(lanes="0..4")]}),
    ("motherboard", "slots", {**BOARD, "slots": THREE}, {"slots": TWO}),
    ("motherboard", "slots", {**BOARD, "slots": THREE}, {"lane_modes": [mode(["A", "B", "C"], A=16, B=16, C=8)]}),
    ("motherboard", "slots", {**BOARD, "slots": THREE}, {"slots": [*TWO, slot("C", lanes="8..16", owner="cpu")]}),
    ("motherboard", "slots", {**BOARD, "slots": THREE}, {"slots": [*TWO, slot("C", lanes=16, owner="cpu2")]}),
    ("motherboard", "slots", {**BOARD, "slots": [{**s, "owner": "cpu2"} for s in THREE]}, {"slots": [{**s, "owner": "chipset"} for s in THREE]}),
    ("motherboard", "lane_modes", {"slots": TWO, "lane_modes": [mode(["A", "C"], A=8)]}, {"lane_modes": [mode(["A", "B"], A=8)]}),
    ("motherboard", "lane_modes", {"slots": TWO, "lane_modes": [mode(["A"], Z=8)]}, {"lane_modes": [mode(["A"], B=8)]}),
    ("motherboard", "lane_modes", {"slots": [slot(lanes=8)], "lane_modes": [mode(["A"], A=16)]}, {"lane_modes": [mode(["A"], A=8)]}),
    # power
    ("psu", "rated_power_low_line", {"rated_power": "1000 W", "rated_power_low_line": "1200 W"}, {"rated_power_low_line": "1000 W"}),
    ("psu", "twelve_volt_current", {"rated_power": "1000 W", "twelve_volt_current": "100 A"}, {"twelve_volt_current": "83.3 A"}),
    ("psu", "standard", {"standard": "ATX 2.x", "plugs": {"16-pin": 1}}, {"plugs": {"pcie-8-pin": 4}}),
    ("psu", "plugs", {"rated_power": "650 W", "plugs": {"pcie-8-pin": 14}}, {"plugs": {"pcie-8-pin": 12}}),
    ("psu", "length", {"form_factor": "SFX", "length": "130 mm"}, {"form_factor": "SFX-L"}),
    ("psu", "excursion_10ms", {"excursion_1ms": 1.2, "excursion_10ms": 1.6}, {"excursion_1ms": 1.8}),
    ("psu-standard", "plain_excursion_1ms", {"plain_excursion_100us": 1.2, "plain_excursion_1ms": 1.6}, {"plain_excursion_1ms": 1.1}),
    ("psu", "efficiency_low_line", {"efficiency_low_line": [[50, 0.9]]}, {"efficiency_low_line": [[0.5, 0.9], [1, 0.88]]}),
    ("efficiency", "efficiency_high_line", {"efficiency_high_line": [[0.5, 0.4]]}, {"efficiency_high_line": [[0.5, 0.94]]}),
    ("efficiency", "efficiency_high_line", {"efficiency_low_line": [[0.5, 0.92]], "efficiency_high_line": [[0.5, 0.9]]}, {"efficiency_high_line": [[0.5, 0.92]]}),
    ("outlet", "continuous_current", {"breaker": "15 A", "continuous_current": "16 A"}, {"continuous_current": "12 A"}),
    ("country", "continuous_current", {"breaker": "16 A", "continuous_current": "20 A"}, {"breaker": "20 A"}),
    ("adapter", "rating", {"inputs": {"pcie-8-pin": 2}, "rating": "450 W"}, {"inputs": {"pcie-8-pin": 3}}),
    ("adapter", "rating", {"inputs": {"pcie-8-pin": 1}, "rating": "450 W"}, {"inputs": {"pcie-8-pin": 1, "molex": 2}}),
    ("cable", "rating", {"connector": "eps-8-pin", "heads": 1, "rating": "337 W"}, {"rating": "336 W"}),
    ("cable", "rating", {"connector": "pcie-8-pin", "heads": 1, "rating": "288 W"}, {"heads": 2}),
    ("ups", "power", {"power": "1500 W", "apparent_power": "900 W"}, {"apparent_power": "1500 W"}),
    ("ups", "power", {"power": "300 W", "apparent_power": "1500 W"}, {"power": "900 W"}),
    *(
        (kind, "typical_power", {"typical_power": "20 W", "max_power": "10 W"}, {"typical_power": "5 W"})
        for kind in ("allowance", "memory-kind", "memory", "storage", "storage-interface", "cooler", "motherboard", "add-in-card")
    ),
    # what is around
    ("case", "expansion_slots", {"expansion_slots": 5, "board_form_factors": ["ATX"]}, {"expansion_slots": 7}),
    ("case", "expansion_slots", {"expansion_slots": 5, "board_form_factors": ["ATX"]}, {"kind": "open frame"}),
    ("case", "cooler_height_max", {"kind": "4U", "cooler_height_max": "185 mm"}, {"kind": "5U"}),
    ("case", "card_height_max", {"kind": "2U", "card_height_max": "120 mm"}, {"kind": "tower"}),
    ("case", "fans", {"fans": 4, "fans_max": 3}, {"fans": 3}),
    ("cooler", "radiator", {"kind": "air", "radiator": "360 mm"}, {"kind": "liquid"}),
    ("cooler", "sockets", {"sockets": ["S1", "LGA115"]}, {"sockets": ["S1", "LGA1151"]}),
    ("memory", "total", {"module": "16 GB", "kit_modules": 2, "total": "64 GB"}, {"total": "32 GB"}),
    ("memory", "module", {"module": "32 GB", "total": "16 GB"}, {"total": "32 GB"}),
    ("memory", "ecc", {"registered": True, "ecc": False}, {"ecc": True}),
    ("memory", "registered", {"module_kind": "udimm", "registered": True}, {"module_kind": "rdimm"}),
    ("memory", "registered", {"module_kind": "lrdimm", "registered": False}, {"module_kind": "udimm"}),
    ("memory-kind", "registered", {"module_kind": "udimm", "registered": True}, {"module_kind": "rdimm"}),
    ("memory", "speed", {"generation": "DDR5", "speed": 2400}, {"generation": "DDR4"}),
    ("memory", "speed", {"generation": "DDR4", "speed": 1333}, {"speed": 2666}),
    ("storage", "pcie_lanes", {"form": "sata", "pcie_lanes": 4}, {"form": "m.2"}),
    ("storage-interface", "pcie_lanes", {"form": "u.2", "pcie_lanes": 8}, {"form": "card"}),
    ("riser", "lanes", {"kind": "usb", "lanes": 16}, {"lanes": 1}),
    ("add-in-card", "pcie_lanes", {"pcie_lanes": 16, "edge": 8}, {"edge": 16}),
    ("add-in-card", "rate", {"rate": "10 GB/s", "pcie_lanes": 4, "pcie_gen": 3}, {"rate": "10 Gbit/s"}),
    ("add-in-card", "needs_bifurcation", {"needs_bifurcation": "x4/x4/x4/x4", "edge": 8}, {"edge": 16}),
    ("add-in-card", "needs_bifurcation", {"needs_bifurcation": "4 by 4", "edge": 16}, {"needs_bifurcation": "x8/x8"}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "field", "wrong", "right"), CASES)
def test_a_doubt_is_raised_and_its_neighbour_raises_none(
    kind, field, wrong, right, little, catalog
) -> None:
    """The doubt is about that field alone, and says what to do."""
    among = catalog if field == "standard" else little
    found = doubts(made(kind, among, wrong), among)
    assert {d.field for d in found} == {field}
    assert all(d.part_id == f"{kind}/acme/made" and d.message and d.suggestion for d in found)
    assert doubts(made(kind, among, {**wrong, **right}), among) == []


def test_every_check_of_a_kind_has_a_case() -> None:
    """And every relation, every list of choices."""
    tried = {(kind, field) for kind, field, *_ in CASES}
    checked = {kind for checks in CHECKS for kind in checks} - {"", "cloud-instance"}
    assert checked <= {kind for kind, _ in tried}  # that one is of sources alone
    for kind in SAID:
        own = {one.field for one in relations(kind)} | {*by_field(kind, "choices")}
        assert {(kind, field) for field in own} <= tried


def test_volt_amperes_are_called_so(little) -> None:
    """Though they are read as watts."""
    (doubt,) = doubts(made("ups", little, {"power": "1 kW", "apparent_power": "900 W"}), little)
    assert doubt.message.startswith("1,000 W is above apparent_power, 900 VA")


def test_a_note_explains_what_would_be_doubted(little, catalog) -> None:
    """A 16-pin output before its standard, and slots that share lanes nobody listed."""
    facts = {"standard": "ATX 2.x", "plugs": {"16-pin": 1}}
    assert doubts(made("psu", catalog, facts, note="the maker says so"), catalog) == []
    facts = {"socket": "S1", "slots": THREE}
    assert doubts(made("motherboard", little, facts, note="the last two share"), little) == []
    assert doubts(made("motherboard", little, facts, note="from a photograph"), little) != []


def test_a_note_silences_one_doubt_and_no_other(catalog) -> None:
    """It stands at the value that is doubted, and mistakes beside it are still seen."""
    model = KINDS["psu"].model_validate(
        {
            "standard": "ATX 2.x",
            "plugs": {"16-pin": 1, "pcie-8-pin": 20},
            "rated_power": "1000 W",
            "twelve_volt_current": "100 A",
        }
    )

    def doubted(sure: str = "vendor", **notes: str) -> list[str]:
        facts = {
            n: Sourced(getattr(model, n), SOURCE, sure, "psu/acme/made", notes.get(n, ""))
            for n in model.model_fields_set
        }
        return sorted(d.field for d in doubts(Part("psu/acme/made", "Made", facts), catalog))

    others = ["plugs", "twelve_volt_current"]
    assert doubted() == sorted([*others, "standard"])
    assert doubted(plugs="the maker says so") == sorted([*others, "standard"])
    assert doubted(standard="sold in 2021 with a 12VHPWR cable") == others
    assert doubted("assumption") == others
    assert doubted(standard="a", plugs="b", rated_power="c", twelve_volt_current="d") == others


def test_a_note_silences_no_bounds(little) -> None:
    """Nor what is in disorder, nor what a chip or a platform has not."""
    for kind, field, wrong, _ in CASES:
        if field not in ("standard", "slots"):
            found = doubts(made(kind, little, wrong, note="the maker says so"), little)
            assert {d.field for d in found} == {field}, (kind, wrong)


def test_what_a_chip_says_is_not_held_against_its_card(little) -> None:
    """Only what a card states itself is compared, and exact power only where both are its own."""
    plugs = {"pcie-8-pin": 2}
    assert doubts(made("gpu", little, {"chip": "zeta-1"}), little) == []
    assert doubts(made("gpu", little, {"chip": "zeta-1", "plugs": plugs}), little) == []


def test_three_siblings_are_enough_and_one_is_not(little) -> None:
    """A card is no sibling of itself, nor one of another maker's."""
    model = KINDS["gpu"].model_validate({"chip": "zeta-1", "board_power": "650 W"})
    for part_id, siblings in (("gpu/acme/zeta-1-4", 3), ("gpu/acme/new", 4), ("gpu/other/new", 0)):
        facts = {
            n: Sourced(getattr(model, n), SOURCE, "vendor", part_id) for n in model.model_fields_set
        }
        messages = [d.message for d in doubts(Part(part_id, "New", facts), little)]
        assert [f"{siblings} siblings" in m for m in messages] == [True] * bool(siblings)


def test_what_is_not_known_raises_no_doubt(little) -> None:
    """A part without facts, of every kind."""
    for kind in KINDS:
        assert doubts(made(kind, little, {}), little) == []


def test_lane_rates_are_those_of_the_standard(catalog) -> None:
    """Doubts and rules count with the same."""
    for part_id in catalog.ids("standard"):
        curve = catalog.part(part_id).facts.get("lane_rate")
        for gen, rate in curve.value if curve else ():
            assert LANE_RATE[int(gen)] == pytest.approx(rate, rel=0.01)


# -- inside and outside the bounds -------------------------------------------

SAID = vocabulary("part-values")["kinds"]
FIELDS = [(kind, field) for kind in SAID for field in bounds(kind)]


def test_what_is_said_of_values_is_of_fields_there_are() -> None:
    """Of each kind, and bounds the right way round."""
    for kind, field in FIELDS:
        assert field in KINDS[kind].model_fields
        assert bounds(kind)[field].low < bounds(kind)[field].high
    for kind in SAID:
        names = {n for one in relations(kind) for n in (one.field, *one.names)}
        fields = {*by_field(kind, "choices"), *by_field(kind, "words")}
        assert names | fields <= set(KINDS[kind].model_fields), kind
    assert {kind for checks in CHECKS for kind in checks} - {""} <= set(KINDS)
    lists = vocabulary("part-values")["lists"]
    assert {name for kind in SAID for name in by_field(kind, "words").values()} <= {*lists}


def alone(kind: str, field: str, value: Interval) -> Part:
    """A part of which one thing is known."""
    part_id = f"{kind}/acme/made"
    return Part(part_id, "Made", {field: Sourced(value, SOURCE, "vendor", part_id)})


@settings(deadline=None)
@given(which=st.sampled_from(FIELDS), ends=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_a_value_inside_its_bounds_is_not_doubted(which, ends, catalog) -> None:
    """Whatever the field, one number or a range."""
    bound = bounds(which[0])[which[1]]
    low, high = (bound.low + share * (bound.high - bound.low) for share in sorted(ends))
    assert doubts(alone(*which, Interval(low, high)), catalog) == []


@settings(deadline=None)
@given(which=st.sampled_from(FIELDS), beyond=st.floats(0.001, 1000))
def test_a_value_outside_its_bounds_is_doubted(which, beyond, catalog) -> None:
    """Below and above, and a range that only reaches out."""
    bound = bounds(which[0])[which[1]]
    for value in (
        Interval(bound.low - beyond, bound.low - beyond),
        Interval(bound.high + beyond, bound.high + beyond),
        Interval(bound.low, bound.high + beyond),
    ):
        found = doubts(alone(*which, value), catalog)
        assert [d.field for d in found] == [which[1]]
        assert bound.why in found[0].message


# -- words of closed lists ---------------------------------------------------

#: Kind, field, what is written, the word that is doubted, and what is proposed.
MISSPELT: list[tuple[str, str, Any, str, str]] = table("plausible", "misspelt")


@pytest.mark.parametrize(("kind", "field", "written", "word", "meant"), MISSPELT)
def test_a_word_nobody_knows_is_doubted_beside_the_one_that_was_meant(
    kind, field, written, word, meant, catalog
) -> None:
    """In closed lists only; the words beside it are left alone, and the right one is none."""
    found = [d for d in doubts(made(kind, catalog, {field: written}), catalog) if d.field == field]
    assert [(d.message.split("' is no ")[0], d.suggestion) for d in found] == [
        (f"'{word}", f"Did you mean {meant}?")
    ]
    right = {meant: 1} if isinstance(written, dict) else meant
    found = [d for d in doubts(made(kind, catalog, {field: right}), catalog) if d.field == field]
    assert not [d for d in found if " is no " in d.message]


def test_a_word_like_none_has_the_list_beside_it(catalog) -> None:
    """Not the nearest of words that are all far off."""
    (doubt,) = doubts(made("psu", catalog, {"form_factor": "banana"}), catalog)
    assert doubt.message == "'banana' is no form factor of supplies"
    assert doubt.suggestion.startswith("Known: ")
    assert "SFX-L" in doubt.suggestion
    (doubt,) = doubts(made("gpu", catalog, {"plugs": {"foo-9-pin": 3}}), catalog)
    assert doubt.message == "'foo-9-pin' is no connector"


def test_what_is_said_when_there_is_nothing_is_no_unknown_word(catalog) -> None:
    """A riser that the board feeds, a card without an edge, a board of no standard form."""
    for kind, field, word in (
        ("riser", "feed", "none"),
        ("gpu", "nvlink", "none"),
        ("motherboard", "form_factor", "proprietary"),
        ("psu", "form_factor", "proprietary"),
    ):
        found = doubts(made(kind, catalog, {field: word}), catalog)
        assert not [d for d in found if d.field == field], (kind, field)


def test_a_catalogue_without_a_list_doubts_no_word(little) -> None:
    """It has no connector at all."""
    assert not doubts(made("psu", little, {"plugs": {"foo-9-pin": 3}}), little)


def test_a_family_is_written_as_its_processors_have_it(catalog) -> None:
    """A family without a processor in the catalogue is left alone."""
    for word, told in (("ryzen5000", ["Write Ryzen 5000"]), ("Ryzen 5000", []), ("Ryzen 99", [])):
        found = doubts(made("motherboard", catalog, {"cpu_families": [word]}), catalog)
        assert [d.suggestion for d in found] == told


def test_a_way_to_split_a_slot_is_written_as_rules_compare_it(little) -> None:
    """Such as x8/x8."""
    for way, told in (("8x8", 1), ("x8+x8", 1), ("x8/x8", 0), ("x8/x4/x4", 0), ("x5/x3", 1)):
        facts = {**BOARD, "slots": [slot(bifurcation=[way])]}
        found = [d for d in doubts(made("motherboard", little, facts), little) if way in d.message]
        assert len(found) == told, way


def test_a_socket_nobody_has_is_doubted_beside_the_nearest(catalog) -> None:
    """And all there are."""
    (doubt,) = doubts(made("cpu", catalog, {"socket": "strx4"}), catalog)
    assert doubt.suggestion.startswith("Did you mean sTRX4? Check the spelling, or add a platform")


def test_a_source_read_in_the_future_is_doubted(little) -> None:
    """And one read today is not."""
    part = made("ups", little, {"power": "900 W"})
    for day, doubted in (("2999-01-01", True), ("2026-11-20", False), ("", False)):
        facts = {n: f._replace(source=SOURCE._replace(read=day)) for n, f in part.facts.items()}
        found = [d.field for d in doubts(part._replace(facts=facts), little)]
        assert found == ["sources"] * doubted


def test_a_price_says_of_which_day_it_is(little) -> None:
    """And that is not after the day it was read on."""
    part = made("cloud-instance", little, {"hourly_price": "1 USD/h"})
    cases = (("", True), ("2026-11-21", True), ("2026-11-20", False), ("2026", False))
    for day, doubted in cases:
        source = SOURCE._replace(read="2026-11-20", as_of=day)
        facts = {n: f._replace(source=source) for n, f in part.facts.items()}
        found = [d.field for d in doubts(part._replace(facts=facts), little)]
        assert found == ["sources"] * doubted, day


# -- twins -------------------------------------------------------------------


def test_one_part_under_two_ids_is_seen(tmp_path) -> None:
    """By part number, by a name, by the words of the whole name; others are left alone."""
    write(tmp_path, "ups/acme/a", {}, name="Acme Up 1500", head="part_numbers: [AC-15]\n")
    write(tmp_path, "ups/acme/b", {}, name="Acme Two", head="part_numbers: [ac 15]\n")
    write(tmp_path, "ups/acme/c", {}, name="Acme 1500 Up", head="aliases: [Up 9]\n")
    write(tmp_path, "ups/acme/d", {}, name="Acme Four", head="aliases: [up 9]\n")
    write(tmp_path, "ups/acme/e", {}, name="Acme Five", head="aliases: [9 Up]\n")
    found = twins(Catalog(tmp_path), "ups")
    assert [(one, other) for one, other, _ in found] == [
        ("ups/acme/a", "ups/acme/b"),
        ("ups/acme/a", "ups/acme/c"),
        ("ups/acme/c", "ups/acme/d"),
    ]
    assert [why for *_, why in found] == [
        "both have the part number ac 15",
        "both names have the words of Acme 1500 Up",
        "both are called up 9",
    ]


def test_a_twin_of_a_known_part_is_a_doubt_about_the_new_file(little, tmp_path) -> None:
    """Named by the id it has already."""
    write(tmp_path, "gpu/acme/new", {"memory": "24 GB"}, name="zeta-1-2")
    problems, found = check_files(tmp_path, little)
    assert problems == []
    assert [(d.part_id, d.field) for d in found] == [("gpu/acme/new", "id")]
    assert "gpu/acme/zeta-1-2" in found[0].message


# -- files -------------------------------------------------------------------


def test_a_file_is_checked_by_the_id_it_states(little, tmp_path) -> None:
    """Wherever it lies; one without an id of a kind is refused."""
    path = write(tmp_path, "gpu/acme/new", {"chip": "zeta-1", "memory": "48 GB"})
    lone = path.rename(tmp_path / "some card.yaml")
    problems, found = check_files(lone, little)
    assert problems == []
    assert [(d.part_id, d.field) for d in found] == [("gpu/acme/new", "memory")]
    lone.write_text("id: card/acme/new\n", "utf-8")
    problems, found = check_files(lone, little)
    assert [(p.path, p.line) for p in problems] == [(str(lone), 1)]
    assert "'id' needs to be" in problems[0].message
    assert found == []


def test_all_that_is_wrong_in_a_folder_is_said_at_once(little, tmp_path) -> None:
    """With file, line and field; the good files are still looked at."""
    one = write(tmp_path, "gpu/acme/one", {"memory": "24 mm", "length": "300 W"})
    two = write(tmp_path, "gpu/acme/two", {"sauce": "1"})
    write(tmp_path, "psu/acme/good", {"rated_power": "160 W"})
    problems, found = check_files(tmp_path, little)
    assert [(p.path, p.line) for p in problems] == [(str(one), 4), (str(one), 5), (str(two), 4)]
    assert [w in p.message for w, p in zip(("memory", "length", "sauce"), problems, strict=True)]
    assert [(d.part_id, d.field) for d in found] == [("psu/acme/good", "rated_power")]


def test_a_name_like_none_has_the_names_beside_it(tmp_path, catalog) -> None:
    """Where a kind has few."""
    path = write(tmp_path, "psu/acme/new", {"standard": "banana", "inlet": "C14"})
    problems, _ = check_files(path, catalog)
    assert [(p.line, p.message) for p in problems] == [
        (4, "'standard': there is no part 'banana' to refer to")
    ]
    assert "ATX 3.1" in problems[0].suggestion
    path = write(tmp_path, "psu/acme/new", {"standard": "ATX3.1", "inlet": "C-14"})
    assert check_files(path, catalog) == ([], [])


def test_a_name_nobody_has_is_said_beside_what_else_is_wrong(little, tmp_path) -> None:
    """Not only once the rest is mended."""
    path = write(tmp_path, "gpu/acme/new", {"memory": "24 mm", "chip": "zeta-2"})
    problems, found = check_files(path, little)
    assert [p.line for p in problems] == [4, 5]
    assert "there is no part 'zeta-2'" in problems[1].message
    assert found == []


def test_a_name_of_two_parts_is_a_problem_at_its_line(little, tmp_path) -> None:
    """With both."""
    for maker, memory in (("a", "8 GB"), ("b", "16 GB")):
        write(tmp_path, f"gpu/{maker}/eta", {"memory": memory}, name=f"Eta {maker}")
    path = write(tmp_path, "gpu/acme/new", {"chip": "eta"})
    problems, _ = check_files(path, little)
    assert [(p.path, p.line) for p in problems] == [(str(path), 4)]
    assert "could be more than one part" in problems[0].message
    assert problems[0].suggestion == "Which of Eta a, Eta b?"


def test_parts_that_refer_in_a_circle_are_a_problem(little, tmp_path) -> None:
    """Of each of them."""
    write(tmp_path, "gpu/acme/eta", {"chip": "theta"})
    write(tmp_path, "gpu/acme/theta", {"chip": "eta"})
    problems, found = check_files(tmp_path, little)
    assert {p.message for p in problems} == {"this part refers back to itself"}
    assert found == []


def test_a_file_that_cannot_be_read_is_a_problem(little, tmp_path) -> None:
    """Such as a link to nothing, in a folder or alone."""
    write(tmp_path, "ups/acme/good", {"power": "1 W"})
    for name in ("ups/acme/gone.yaml", "gone.yaml"):
        (tmp_path / name).symlink_to(tmp_path / "nothing")
    for path in (tmp_path / "ups", tmp_path / "gone.yaml"):
        problems, _ = check_files(path, little)
        assert ["it cannot be read" in p.message for p in problems] == [True]
    assert [d.field for d in check_files(tmp_path / "ups", little)[1]] == ["power"]


def test_a_broken_part_of_the_catalogue_stops_nothing(tmp_path) -> None:
    """Parts beside it are looked at as far as they go."""
    write(tmp_path / "parts", "platform/acme/bad", {"socket": "S1", "pcie_lanes": "many"})
    write(tmp_path / "parts", "platform/acme/good", {"socket": "S2"})
    write(tmp_path / "parts", "adapter/acme/bad", {"inputs": "two"})
    facts = {"plugs": "{nvidia-12-pin: 1}", "board_power": "300 W"}
    write(tmp_path / "lab", "gpu/acme/new", {**facts, "memory": "24 GB"})
    write(tmp_path / "lab", "cpu/acme/new", {"socket": "S2"})
    problems, found = check_files(tmp_path / "lab", Catalog(tmp_path / "parts"))
    assert problems == []
    assert [(d.part_id, d.field) for d in found] == [("gpu/acme/new", "bundled_adapter")]


def test_parts_of_a_folder_may_refer_to_each_other(little, tmp_path) -> None:
    """Also if only one of them, or one kind, is asked about."""
    write(tmp_path, "gpu/acme/eta", {"memory": "8 GB"})
    card = write(tmp_path, "gpu/acme/eta-blower", {"chip": "eta", "memory": "16 GB"})
    write(tmp_path, "ups/acme/u", {"power": "1 W"})
    for path, fields in (
        (tmp_path, ["memory", "power"]),
        (tmp_path / "gpu", ["memory"]),
        (tmp_path / "gpu" / "acme", ["memory"]),
        (card, ["memory"]),
    ):
        problems, found = check_files(path, little)
        assert problems == []
        assert [d.field for d in found] == fields


def test_a_file_beside_that_is_broken_is_no_problem_of_the_one_asked_about(
    little, tmp_path
) -> None:
    """Its own check says so."""
    write(tmp_path, "gpu/acme/bad", {"memory": "24 mm"})
    good = write(tmp_path, "gpu/acme/good", {"memory": "24 GB"})
    assert check_files(good, little) == ([], [])
    assert len(check_files(tmp_path, little)[0]) == 1


def test_a_file_outside_the_folders_of_kinds_is_a_problem(little, tmp_path) -> None:
    """Nobody looks for it there."""
    write(tmp_path, "gpu/acme/good", {})
    path = write(tmp_path, "card/acme/lost", {})
    problems, found = check_files(tmp_path, little)
    assert [p.path for p in problems] == [str(path)]
    assert "named after its kind" in problems[0].message
    assert found == []


def test_a_relative_path_is_checked_as_an_absolute_one(little, tmp_path, monkeypatch) -> None:
    """From within the folder, too."""
    write(tmp_path, "gpu/acme/new", {"memory": "900 GB"})
    for here, path in (
        (tmp_path, "."),
        (tmp_path, "gpu"),
        (tmp_path, "gpu/acme/new.yaml"),
        (tmp_path / "gpu", "acme"),
        (tmp_path / "gpu" / "acme", "."),
        (tmp_path / "gpu" / "acme", "new.yaml"),
    ):
        monkeypatch.chdir(here)
        problems, found = check_files(Path(path), little)
        assert problems == []
        assert [d.field for d in found] == ["memory"]


def test_a_file_of_the_catalogue_itself_is_checked_where_it_lies(tmp_path) -> None:
    """The whole, a folder or one file; broken ones say what is wrong."""
    bad = write(tmp_path, "gpu/acme/bad", {"memory": "24 mm"})
    write(tmp_path, "gpu/acme/long", {"length": "999 mm"})
    lost = write(tmp_path, "psu/acme/lost", {"standard": "ATX 9"})
    own = Catalog(tmp_path)
    problems, found = check_files(tmp_path, own)
    assert [(p.path, p.line) for p in problems] == [(str(bad), 4), (str(lost), 4)]
    assert [d.part_id for d in found] == ["gpu/acme/long"]
    assert check_files(tmp_path / "gpu", own) == (problems[:1], found)
    assert check_files(bad, own) == (problems[:1], [])


def test_the_whole_catalogue_takes_seconds(catalog) -> None:
    """Each part is looked at once, whatever its siblings."""
    for kind in KINDS:
        catalog.ids(kind)
    started = time.process_time()
    problems, _ = check_files(store.data_folder("parts_db"), catalog)
    assert time.process_time() - started < 5
    assert problems == []
