"""The laws of the catalogue: every part can be read, looked up, and could exist."""

from __future__ import annotations

import datetime
from itertools import pairwise
from typing import Any

import pytest
from conftest import TODAY

from buildcheck import store
from buildcheck.catalog import Catalog, NameUnknownError, words
from buildcheck.errors import CatalogError
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.quantity import ZERO, Interval
from buildcheck.source import read

FOLDER = store.data_folder("parts_db")
RAW: dict[str, dict[str, Any]] = {
    part_id: read(path.read_bytes(), str(path)).data for part_id, path in store.files(FOLDER)
}
OF = {kind: [i for i in RAW if i.startswith(f"{kind}/")] for kind in KINDS}
#: Values of these decide errors, so somebody must have looked them up.
LOOKED_UP = ("board_power", "plugs", "rated_power", "socket", "length")
#: Exceptions, each with its reason.
RECOLLECTED = {
    ("gpu/nvidia/tesla-v100-pcie-32gb", "plugs"): "sources disagree on EPS or PCIe; "
    "the note says so, and all Tesla cards of 250 W have the plug of CPUs",
}
#: Specified power of each connector: PCI-SIG's, and four contacts of 7 A for EPS.
CONNECTOR = {"pcie-6-pin": 75, "pcie-8-pin": 150, "16-pin": 600, "eps-8-pin": 336}
SLOT = 75


def value(catalog: Catalog, part_id: str, name: str) -> Any:
    found = catalog.part(part_id).facts.get(name)
    return None if found is None else found.value


def names(part_id: str) -> list[str]:
    data = RAW[part_id]
    return [data["name"], *data.get("aliases", ()), *map(str, data.get("part_numbers", ()))]


def within(inner: Interval, outer: Interval) -> bool:
    return outer.low - 1e-9 <= inner.low and inner.high <= outer.high + 1e-9


# -- every file --------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_is_read(kind, catalog) -> None:
    """Its facts have the right kinds of value, and what it refers to exists."""
    assert OF[kind]
    for part_id in OF[kind]:
        part = catalog.part(part_id)
        assert part.id == part_id == RAW[part_id]["id"]
        assert set(RAW[part_id]["facts"]) <= set(part.facts)


def test_every_folder_is_a_kind() -> None:
    """No file lies where nobody looks for it."""
    assert {i.partition("/")[0] for i in RAW} == set(KINDS)
    for part_id in RAW:
        assert part_id.count("/") == 2
        assert part_id == part_id.lower()
        assert " " not in part_id
        assert "_" not in part_id


@pytest.mark.parametrize("kind", KINDS)
def test_every_value_says_where_it_is_from(kind) -> None:
    """Title, confidence, day of reading, and a place to look, but for what is no document."""
    for part_id in OF[kind]:
        data = RAW[part_id]
        for name, source in data["sources"].items():
            where = f"{part_id}: {name}"
            assert source["title"].strip(), where
            assert source["confidence"] in CONFIDENCE, where
            assert datetime.date.fromisoformat(source["read"]) <= TODAY, where
            if source["confidence"] not in ("assumption", "recollection"):
                assert source.get("url") or source.get("document"), where
            if source.get("url"):
                assert source["url"].startswith(("https://", "http://")), where
        for name, fact in data["facts"].items():
            assert fact["source"] in data["sources"], f"{part_id}: {name}"
            assert fact.get("confidence", "vendor") in CONFIDENCE, f"{part_id}: {name}"


def test_our_own_pages_are_no_source() -> None:
    """No value rests on this program."""
    for part_id, data in RAW.items():
        assert "buildcheck" not in str(data["sources"]).lower(), part_id


def test_what_is_derived_or_assumed_is_explained() -> None:
    """By a note, or by a source whose title says what is assumed."""
    for part_id, data in RAW.items():
        for name, fact in data["facts"].items():
            source = data["sources"][fact["source"]]
            how = fact.get("confidence") or source["confidence"]
            if how in ("derived", "assumption"):
                explained = fact.get("note") or source["title"].startswith("Working assumption:")
                assert explained or source["confidence"] == "derived", f"{part_id}: {name}"


def test_what_decides_errors_is_looked_up() -> None:
    """Nobody's memory stands behind power, plugs, sockets or lengths."""
    found = {
        (part_id, name)
        for part_id, data in RAW.items()
        for name, fact in data["facts"].items()
        if name in LOOKED_UP
        and (fact.get("confidence") or data["sources"][fact["source"]]["confidence"])
        == "recollection"
    }
    assert found == set(RECOLLECTED)


@pytest.mark.parametrize("kind", KINDS)
def test_no_name_means_two_parts(kind) -> None:
    """Names, other names and part numbers, however they are spaced and capitalised."""
    owners: dict[tuple[str, ...], str] = {}
    for part_id in OF[kind]:
        for name in {words(n) for n in names(part_id)}:
            assert owners.setdefault(name, part_id) == part_id, f"{name} is also {part_id}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_name_finds_its_part(kind, catalog) -> None:
    """As written, in capitals, without spaces between letters and digits, and by id."""
    for part_id in OF[kind]:
        assert catalog.find(kind, part_id) == part_id
        for name in names(part_id):
            for spelling in (name, name.upper(), f"  {name.lower()} "):
                assert catalog.find(kind, spelling) == part_id, spelling


def test_the_head_of_a_file_stands_on_lines_of_its_own() -> None:
    """Names are found without reading whole files."""
    for part_id, path in store.files(FOLDER):
        head = path.read_text(encoding="utf-8").splitlines()[:4]
        assert head[0] == f"id: {part_id}"
        assert head[1].startswith("name: ")


# -- what could not exist ----------------------------------------------------


@pytest.mark.parametrize("part_id", OF["gpu"])
def test_cards_could_exist(part_id, catalog) -> None:
    """Power, limits and size are those of graphics cards."""

    def of(name: str) -> Any:
        return value(catalog, part_id, name)

    power = of("board_power")
    if power is not None:
        assert within(power, Interval(30, 700))
        assert of("power_limit_min") is None or of("power_limit_min").low <= power.low
        assert of("power_limit_max") is None or of("power_limit_max").high >= power.high
        if of("recommended_psu") is not None:
            assert of("recommended_psu").low > power.low
    assert of("length") is None or within(of("length"), Interval(100, 400))
    assert of("height") is None or within(of("height"), Interval(50, 200))
    assert of("memory") is None or within(of("memory"), Interval(1, 200))
    assert of("slot_draw") is None or of("slot_draw").high <= SLOT
    # From one slot to a cooler of four.
    assert of("thickness") is None or within(of("thickness"), Interval(15, 4 * 20.32))
    assert of("pcie_gen") is None or within(of("pcie_gen"), Interval(1, 6))
    if of("pcie_lanes") is not None:
        assert {of("pcie_lanes").low, of("pcie_lanes").high} <= {1, 4, 8, 16}


@pytest.mark.parametrize("part_id", OF["gpu"])
def test_plugs_carry_what_the_card_draws(part_id, catalog) -> None:
    """Sockets and slot are specified for the card's power, or the maker's exemption is noted."""
    power, plugs = value(catalog, part_id, "board_power"), value(catalog, part_id, "plugs")
    if power is None or plugs is None:
        return
    if "nvidia-12-pin" in plugs:
        adapter = catalog.find("adapter", value(catalog, part_id, "bundled_adapter"))
        assert value(catalog, adapter, "output") == "nvidia-12-pin"
        plugs = value(catalog, adapter, "inputs")
    most = SLOT + sum(n.high * CONNECTOR[c] for c, n in plugs.items())
    exempt = value(catalog, part_id, "plug_exemption") is True
    assert (power.low > most) is exempt
    # A card that states both itself leaves no room for doubt.
    if {"board_power", "plugs"} <= set(RAW[part_id]["facts"]) and not exempt:
        assert power.high <= most


WITH_CHIP = [i for i in OF["gpu"] if "chip" in RAW[i]["facts"]]


@pytest.mark.parametrize("part_id", WITH_CHIP)
def test_a_card_lies_within_the_ranges_of_its_chip(part_id, catalog) -> None:
    """Whoever names only the chip is told the truth about every card of it."""
    chip = catalog.find("gpu", RAW[part_id]["facts"]["chip"]["value"])
    for name in RAW[part_id]["facts"]:
        own, of_chip = value(catalog, part_id, name), value(catalog, chip, name)
        if name == "cooling":
            among = value(catalog, chip, "cooling_among")
            assert among is None or own in among
        elif name == "plugs" and of_chip is not None:
            if "nvidia-12-pin" in own:
                adapter = catalog.find("adapter", value(catalog, part_id, "bundled_adapter"))
                own = value(catalog, adapter, "inputs")
            for connector in {*own, *of_chip}:
                assert within(own.get(connector, ZERO), of_chip.get(connector, ZERO)), connector
        elif isinstance(own, Interval) and of_chip is not None:
            assert within(own, of_chip), name


@pytest.mark.parametrize("kind", ["gpu-architecture", "gpu", "psu-standard", "psu"])
def test_longer_peaks_are_lower(kind, catalog) -> None:
    """What rises highest lasts shortest, in cards and in what supplies survive."""
    for part_id in OF[kind]:
        peaks = [
            value(catalog, part_id, f"excursion_{w}") for w in ("100us", "1ms", "10ms", "100ms")
        ]
        for shorter, longer in pairwise([p for p in peaks if p is not None]):
            assert longer.low <= shorter.low, part_id
            assert longer.high <= shorter.high, part_id
        assert all(within(p, Interval(1, 4)) for p in peaks if p is not None), part_id


def test_speed_rises_with_power(catalog) -> None:
    """To full speed at full power, and never more than it."""
    for part_id in OF["gpu-architecture"]:
        curve = value(catalog, part_id, "speed_at_limit")
        if curve:
            speeds = [y for _, y in curve]
            assert speeds == sorted(speeds), part_id
            assert curve[-1] == (1.0, 1.0), part_id
            assert speeds[0] > 0, part_id


@pytest.mark.parametrize("part_id", OF["psu"])
def test_supplies_could_exist(part_id, catalog) -> None:
    """Ratings, lengths and efficiencies are those of supplies; less at low voltage."""
    rated = value(catalog, part_id, "rated_power")
    if part_id != "psu/generic/unlisted":
        assert within(rated, Interval(300, 3000))
    low_line = value(catalog, part_id, "rated_power_low_line")
    assert low_line is None or low_line.high <= rated.high
    length = value(catalog, part_id, "length")
    assert length is None or within(length, Interval(80, 400))


@pytest.mark.parametrize("kind", ["psu", "efficiency"])
def test_efficiencies_could_exist(kind, catalog) -> None:
    """Between a half and one at every load, and no worse at high voltage."""
    for part_id in OF[kind]:
        curves = [
            dict(value(catalog, part_id, f"efficiency_{line}_line") or ())
            for line in ("low", "high")
        ]
        for curve in curves:
            assert all(0 < x <= 1 for x in curve), part_id
            assert all(0.5 < y < 1 for y in curve.values()), part_id
        low, high = curves
        assert all(high[x] >= low[x] for x in low if x in high), part_id


@pytest.mark.parametrize("part_id", OF["cpu"])
def test_processors_could_exist(part_id, catalog) -> None:
    """One or two threads a core, and more power for seconds than for hours."""

    def of(name: str) -> Any:
        return value(catalog, part_id, name)

    if of("cores") is not None:
        assert of("cores").low <= of("threads").low
        assert of("threads").high <= 2 * of("cores").high
    if of("base_power") is not None and of("turbo_power") is not None:
        assert of("turbo_power").low >= of("base_power").low
        assert of("turbo_power").high >= of("base_power").high
    assert of("pcie_lanes") is None or within(of("pcie_lanes"), Interval(16, 160))
    assert of("memory_channels") is None or within(of("memory_channels"), Interval(2, 12))


@pytest.mark.parametrize("part_id", OF["motherboard"])
def test_boards_could_exist(part_id, catalog) -> None:
    """Slots stand in order, each at its own place, and lane modes speak of them."""
    slots = value(catalog, part_id, "slots") or ()
    places = [s.position for s in slots if s.position is not None]
    assert places == sorted(set(places))
    by_label = {s.label: s for s in slots}
    assert len(by_label) == len(slots)
    for slot in slots:
        assert slot.lanes is None or slot.lanes.high <= slot.mechanical
    for mode in value(catalog, part_id, "lane_modes") or ():
        assert set(mode.populate) <= set(by_label)
        assert set(mode.lanes) <= set(by_label)
        for label, lanes in mode.lanes.items():
            assert by_label[label].lanes is None or lanes.high <= by_label[label].lanes.high


@pytest.mark.parametrize("kind", ["outlet", "country"])
def test_outlets_could_exist(kind, catalog) -> None:
    """Nothing is advised for hours that trips the breaker."""
    for part_id in OF[kind]:
        voltage, breaker, advised = (
            value(catalog, part_id, n) for n in ("voltage", "breaker", "continuous_current")
        )
        assert voltage is None or within(voltage, Interval(100, 415)), part_id
        assert breaker is None or within(breaker, Interval(6, 125)), part_id
        assert advised is None or advised.high <= breaker.low, part_id


@pytest.mark.parametrize("kind", ["allowance", "memory-kind", "storage", "cooler", "motherboard"])
def test_booked_power_could_be_drawn(kind, catalog) -> None:
    """No more for hours than for seconds."""
    for part_id in OF[kind]:
        typical, most = (value(catalog, part_id, n) for n in ("typical_power", "max_power"))
        if typical is not None and most is not None:
            assert typical.low <= most.low, part_id
            assert typical.high <= most.high, part_id


def test_an_adapter_is_rated_for_no_more_than_its_inputs(catalog) -> None:
    """The sum of the plugs it takes its power from."""
    for part_id in OF["adapter"]:
        inputs = value(catalog, part_id, "inputs")
        assert value(catalog, part_id, "rating").high <= sum(
            n.high * CONNECTOR[c] for c, n in inputs.items()
        ), part_id


# -- a catalogue of one's own ------------------------------------------------

SOURCES = (
    '  s: {title: "a page", url: "https://example.org", confidence: vendor, read: 2026-11-20}\n'
)


def own(tmp_path, facts: str, *, part_id: str = "gpu/x/y", head: str = "", sources: str = SOURCES):
    """A catalogue of one file."""
    path = tmp_path / f"{part_id}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f"id: gpu/x/y\nname: Y 1\n{head}facts:\n{facts}sources:\n{sources}"
    path.write_text(text, encoding="utf-8")
    return Catalog(tmp_path)


def test_a_good_file_is_read(tmp_path) -> None:
    """With its value, its source, its confidence and where it stands."""
    part = own(tmp_path, "  board_power: {value: 300 W, source: s, note: why}\n").part("gpu/x/y")
    fact = part.facts["board_power"]
    assert (fact.value, fact.confidence, fact.note) == (Interval(300, 300), "vendor", "why")
    assert fact.source.url == "https://example.org"


@pytest.mark.parametrize(
    "facts",
    [
        "  board_power: 300 W\n",
        "  board_power: {value: 300 W}\n",
        "  board_power: {value: 300 W, source: t}\n",
        "  board_power: {value: 300 W, source: s, sauce: 1}\n",
        "  board_power: {value: 300 mm, source: s}\n",
        "  board_power: {value: 0 W, source: s}\n",
        "  bored_power: {value: 300 W, source: s}\n",
        "  cooling: {value: fanless, source: s}\n",
        "  chip: {value: Z 1, source: s}\n",
        "  chip: {value: Y 1, source: s}\n",
        "  memory: {value: 010, source: s}\n",
    ],
)
def test_a_bad_fact_is_refused(facts, tmp_path) -> None:
    """Without a source, of the wrong kind, of an unknown name, or in a circle."""
    with pytest.raises(CatalogError):
        own(tmp_path, facts).part("gpu/x/y")


@pytest.mark.parametrize(
    "given",
    [
        {"part_id": "gpu/x/z"},
        {"head": "maker: X\n"},
        {"sources": "  s: {title: a, url: b, confidence: vendor}\n"},
        {"sources": "  s: {title: a, url: b, confidence: sure, read: 2026-11-20}\n"},
        {"sources": "  s: a page\n"},
    ],
)
def test_a_bad_file_is_refused(given, tmp_path) -> None:
    """A path that is not the id, an unknown key, a source without its day or confidence."""
    catalog = own(tmp_path, "  board_power: {value: 300 W, source: s}\n", **given)
    with pytest.raises(CatalogError):
        catalog.part(given.get("part_id", "gpu/x/y"))


def test_a_value_may_lower_its_confidence_to_a_known_one(tmp_path) -> None:
    """Any other word is refused."""
    fact = "  board_power: {value: 300 W, source: s, confidence: recollection}\n"
    part = own(tmp_path, fact).part("gpu/x/y")
    assert part.facts["board_power"].confidence == "recollection"


@pytest.mark.parametrize("word", ["sure", "high"])
def test_an_unknown_confidence_of_a_value_is_refused(word, tmp_path) -> None:
    """As it is for a source."""
    fact = f"  board_power: {{value: 300 W, source: s, confidence: {word}}}\n"
    with pytest.raises(CatalogError):
        own(tmp_path, fact).part("gpu/x/y")


def test_an_unknown_name_comes_with_its_neighbours(catalog) -> None:
    """The nearest names are proposed, and none for a name that is far from all."""
    with pytest.raises(NameUnknownError) as caught:
        catalog.find("gpu", "RTX 3091")
    assert "RTX 3090" in caught.value.near
    with pytest.raises(NameUnknownError) as caught:
        catalog.find("gpu", "qqqq")
    assert caught.value.near == []


# -- names people paste ------------------------------------------------------

PASTED = {
    ("cpu", "AMD Ryzen 5 5600 6-Core Processor"): "cpu/amd/ryzen-5-5600",
    ("cpu", "AMD Ryzen 7 5700G with Radeon Graphics"): "cpu/amd/ryzen-7-5700g",
    ("cpu", "Intel(R) Core(TM) i7-6850K CPU @ 3.60GHz"): "cpu/intel/core-i7-6850k",
    ("cpu", "13th Gen Intel(R) Core(TM) i9-13900K"): "cpu/intel/core-i9-13900k",
    ("cpu", "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz"): "cpu/intel/xeon-e5-2680-v4",
    ("cpu", "Ryzen 1600"): "cpu/amd/ryzen-5-1600",
    ("motherboard", "ASUSTeK COMPUTER INC. Pro WS X570-ACE"): "motherboard/asus/pro-ws-x570-ace",
    (
        "motherboard",
        "Gigabyte Technology Co., Ltd. B850 AI TOP",
    ): "motherboard/gigabyte/b850-ai-top",
    (
        "motherboard",
        "Micro-Star International Co., Ltd. PRO X870-P WIFI (MS-7E47)",
    ): "motherboard/msi/pro-x870-p-wifi",
    ("psu", "CoolerMaster V1200 Platinum"): "psu/cooler-master/v1200-platinum",
    ("gpu", "MI50 16GB"): "gpu/amd/instinct-mi50",
    ("gpu", "Tesla P100 16GB"): "gpu/nvidia/tesla-p100-pcie",
    ("gpu", "V100 32GB"): "gpu/nvidia/tesla-v100-pcie-32gb",
    ("gpu", "RTX A6000 48GB"): "gpu/nvidia/rtx-a6000",
    ("gpu", "MSI RTX 3090"): "gpu/nvidia/rtx-3090",
    ("gpu", "MSI RTX 3090 Ti"): "gpu/nvidia/rtx-3090-ti",
    ("gpu", "Zotac RTX 3090 24 GB GDDR6X"): "gpu/nvidia/rtx-3090",
    ("gpu", "EVGA GeForce RTX 2080 Ti"): "gpu/nvidia/rtx-2080-ti",
    ("gpu", "Gigabyte RTX 2060 OC"): "gpu/nvidia/rtx-2060",
    ("gpu", "Gigabyte RTX 2060 OC 12GB"): "gpu/nvidia/rtx-2060-12gb",
    ("gpu", "ASUS RTX 3080 12GB"): "gpu/nvidia/rtx-3080-12gb",
    ("gpu", "Sapphire RX 580 8GB"): "gpu/amd/rx-580",
}


@pytest.mark.parametrize(("kind", "name"), PASTED)
def test_a_pasted_name_finds_its_part(kind, name, catalog) -> None:
    """As systems report it, with memory added, or of a seller and a chip alone."""
    assert catalog.find(kind, name) == PASTED[kind, name]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("cpu", "Ryzen 7 1600"),
        ("cpu", "AMD Ryzen 5 5601 6-Core Processor"),
        ("gpu", "MSI RTX 3091"),
        ("gpu", "MSI RTX 3090 48GB"),
        ("gpu", "RTX A6000 24GB"),
        ("gpu", "RX 580 6GB"),
        ("gpu", "MSI RTX 3090 Ventus 5X"),
        ("gpu", "ASUS RTX 3090 Strix"),
        ("gpu", "EVGA RTX 3090 Founders Edition"),
        ("gpu", "RTX 4060 Ti"),
        ("gpu", "GTX 1060"),
        ("gpu", "MSI"),
    ],
)
def test_a_name_with_something_left_over_is_no_other_part(kind, name, catalog) -> None:
    """Numbers and sizes have to agree, and a model nobody knows is not any card of its chip."""
    with pytest.raises(NameUnknownError):
        catalog.find(kind, name)
