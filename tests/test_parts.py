"""The laws of the catalogue: every part can be read, looked up, and could exist."""

import datetime
from functools import cache
from typing import Any

import pytest
from conftest import each_row

from buildcheck import store
from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.errors import CatalogError
from buildcheck.importers.lint.files import twins
from buildcheck.importers.lint.lint import doubts
from buildcheck.importers.lint.rules import part_rules
from buildcheck.importers.lint.rules import table as quantities
from buildcheck.logic.quantity import Interval
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import CONFIDENCE
from buildcheck.model.source import read
from buildcheck.words.names import words

FOLDER = store.data_folder("parts_db")
FILES = dict(store.files(FOLDER))
OF = {kind: [i for i in FILES if i.startswith(f"{kind}/")] for kind in KINDS}
#: Values of these decide errors, so somebody must have looked them up.
LOOKED_UP = ("board_power", "plugs", "rated_power", "socket", "length")
CONNECTOR = quantities("connector_power")
#: Exceptions, each with its reason.
RECOLLECTED = {
    ("gpu/nvidia/tesla-v100-pcie-32gb", "plugs"): "sources disagree on EPS or PCIe; "
    "the note says so, and all Tesla cards of 250 W have the plug of CPUs"
}


@cache
def raw(part_id: str) -> dict[str, Any]:
    """What the file of a part says; read when a test asks."""
    return read(FILES[part_id].read_bytes(), str(FILES[part_id])).data


def value(catalog: Catalog, part_id: str, name: str) -> Any:
    found = catalog.part(part_id).facts.get(name)
    return None if found is None else found.value


def names(part_id: str) -> list[str]:
    data = raw(part_id)
    return [data["name"], *data.get("aliases", ()), *map(str, data.get("part_numbers", ()))]


def within(inner: Interval, outer: Interval) -> bool:
    return outer.low - 1e-9 <= inner.low and inner.high <= outer.high + 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_is_read(kind, catalog) -> None:
    """Its facts have the right kinds of value, and what it refers to exists."""
    assert OF[kind]
    for part_id in OF[kind]:
        part = catalog.part(part_id)
        assert part.id == part_id == raw(part_id)["id"]
        assert set(raw(part_id)["facts"]) <= set(part.facts)


def test_every_folder_is_a_kind() -> None:
    assert {i.partition("/")[0] for i in FILES} == set(KINDS)
    for part_id in FILES:
        assert part_id.count("/") == 2
        assert part_id == part_id.lower()
        assert " " not in part_id
        assert "_" not in part_id


@pytest.mark.parametrize("kind", KINDS)
def test_every_value_says_where_it_is_from(kind) -> None:
    """Title, confidence, day of reading, and a place to look, but for what is no document."""
    today = datetime.datetime.now(datetime.UTC).date()
    for part_id in OF[kind]:
        data = raw(part_id)
        for name, source in data["sources"].items():
            where = f"{part_id}: {name}"
            assert source["title"].strip(), where
            assert source["confidence"] in CONFIDENCE, where
            assert datetime.date.fromisoformat(source["read"]) <= today, where
            if source["confidence"] not in ("assumption", "recollection", "method", "derived"):
                assert source.get("url") or source.get("document"), where
            if source.get("url"):
                assert source["url"].startswith(("https://", "http://")), where
        for name, fact in data["facts"].items():
            assert fact["source"] in data["sources"], f"{part_id}: {name}"
            assert fact.get("confidence", "vendor") in CONFIDENCE, f"{part_id}: {name}"


def test_our_own_pages_are_no_source() -> None:
    for part_id, data in ((i, raw(i)) for i in FILES):
        assert "buildcheck" not in str(data["sources"]).lower(), part_id


def test_what_is_derived_or_assumed_is_explained() -> None:
    """By a note, or by a source whose title says what is assumed."""
    for part_id, data in ((i, raw(i)) for i in FILES):
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
        for part_id, data in ((i, raw(i)) for i in FILES)
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


@pytest.mark.parametrize("kind", KINDS)
def test_parts_could_exist(kind, catalog) -> None:
    """Nothing is doubted of any part that has been looked at by hand."""
    assert [str(d) for i in OF[kind] for d in doubts(catalog.part(i), catalog)] == []


def test_what_a_maker_lists_has_an_entry(catalog) -> None:
    """The GPUs on the list of a server are called as their entries are, or a rule never finds them."""
    for part_id in OF["case"]:
        for name in value(catalog, part_id, "gpus_listed") or ():
            assert catalog.part(catalog.find("gpu", name)).name == name, f"{part_id}: {name}"


@pytest.mark.parametrize("kind", KINDS)
def test_no_part_has_a_twin(kind, catalog) -> None:
    assert twins(catalog, kind) == []


def test_cards_could_exist(catalog) -> None:
    """The plugs of a card, or of the adapter it comes with, have a specified power."""
    for part_id in OF["gpu"]:
        plugs = value(catalog, part_id, "plugs") or {}
        if "nvidia-12-pin" in plugs:
            adapter = catalog.find("adapter", value(catalog, part_id, "bundled_adapter"))
            assert value(catalog, adapter, "output") == "nvidia-12-pin", part_id
            plugs = value(catalog, adapter, "inputs")
        assert set(plugs) <= set(CONNECTOR), part_id


def test_connectors_are_rated_as_in_their_own_files(catalog) -> None:
    """Doubts and rules count with the same power of a plug and of a slot."""
    for connector, rating in CONNECTOR.items():
        assert value(catalog, catalog.find("connector", connector), "rating") == rating[0]
    slots = [value(catalog, i, "slot_power") for i in OF["standard"]]
    known = {r.term_values["slot"] for r in part_rules("gpu") if "slot" in r.terms}
    assert {s for s in slots if s is not None} == known


def test_what_carries_power_is_rated(catalog) -> None:
    """All adapters, whose plugs have a known power, and all PSUs but the one nobody has chosen."""
    assert all(set(value(catalog, i, "inputs")) <= set(CONNECTOR) for i in OF["adapter"])
    of = [(i, "rating") for i in OF["adapter"]] + [(i, "rated_power") for i in OF["psu"]]
    assert [i for i, n in of if value(catalog, i, n) is None] == ["psu/generic/unlisted"]


def test_processors_could_exist(catalog) -> None:
    """Those of machines with large cards: lanes for one, channels for two modules, threads."""
    for part_id in OF["cpu"]:
        lanes, channels = (value(catalog, part_id, n) for n in ("pcie_lanes", "memory_channels"))
        assert lanes is None or within(lanes, Interval(16, 160)), part_id
        assert channels is None or within(channels, Interval(2, 12)), part_id
        cores, threads = (value(catalog, part_id, n) for n in ("cores", "threads"))
        assert (cores is None) is (threads is None), part_id


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
    """With its value, its source, and its confidence, which it may lower to a known one."""
    fact = "  board_power: {value: 300 W, source: s, note: why}\n"
    fact += "  memory: {value: 24 GB, source: s, confidence: recollection}\n"
    facts = own(tmp_path, fact).part("gpu/x/y").facts
    power, memory = facts["board_power"], facts["memory"]
    assert (power.value, power.confidence, power.note) == (Interval(300, 300), "vendor", "why")
    assert (memory.confidence, memory.source.url) == ("recollection", "https://example.org")


@each_row
def test_a_bad_fact_is_refused(facts, tmp_path) -> None:
    """Without a source, of the wrong kind, of an unknown name, or in a circle."""
    with pytest.raises(CatalogError):
        own(tmp_path, facts).part("gpu/x/y")


@each_row
def test_a_bad_file_is_refused(given, tmp_path) -> None:
    """A path that is not the id, an unknown key, a source without its day or confidence."""
    catalog = own(tmp_path, "  board_power: {value: 300 W, source: s}\n", **given)
    with pytest.raises(CatalogError):
        catalog.part(given.get("part_id", "gpu/x/y"))


@each_row
def test_a_pasted_name_finds_its_part(kind, name, part, catalog) -> None:
    """As systems report it, with memory added, or of a seller and a chip alone."""
    assert catalog.find(kind, name) == part


@each_row
def test_a_name_with_something_left_over_is_no_other_part(kind, name, catalog) -> None:
    """Numbers and sizes have to agree, and a model nobody knows is not any card of its chip."""
    with pytest.raises(NameUnknownError):
        catalog.find(kind, name)
