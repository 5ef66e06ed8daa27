"""A lab's own parts: over the catalogue value by value, from a folder or from a settings file."""

import json
import os
from pathlib import Path

import pytest
from cases import part_file, put
from conftest import problems_in, table

from buildcheck.catalog import Catalog
from buildcheck.errors import CatalogError

CARD = "gpu/gigabyte/geforce-rtx-3090-turbo-24g"
OVERLAY = table("overlays", "overlay")
OWN = table("overlays", "own")


@pytest.fixture
def lab(tmp_path):
    put(tmp_path / "lab", CARD, OVERLAY)
    put(tmp_path / "lab", "psu/acme/brick-3000", OWN)
    return tmp_path / "lab"


def test_one_value_is_overridden_and_the_rest_stays(lab, catalog) -> None:
    mine, theirs = Catalog(labs=[lab]).part(CARD), catalog.part(CARD)
    assert mine.facts["thickness"].value.low == 38
    assert mine.facts["thickness"].origin == str(lab / f"{CARD}.yaml")
    assert mine.facts["thickness"].confidence == "measured"
    assert mine.facts["length"] == theirs.facts["length"]
    assert mine.name == theirs.name


def test_its_names_and_numbers_are_known(lab) -> None:
    own = Catalog(labs=[lab])
    assert own.find("gpu", "LAB-0042") == CARD
    assert own.find("gpu", "GV-N3090TURBO-24GD") == CARD
    assert own.find("psu", "acme brick 3000") == "psu/acme/brick-3000"


def test_the_last_folder_is_on_top(lab, tmp_path) -> None:
    second = tmp_path / "second"
    put(second, CARD, OVERLAY.replace("38 mm", "37 mm").replace("LAB-0042", "LAB-0043"))
    part = Catalog(labs=[lab, second]).part(CARD)
    assert part.facts["thickness"].value.low == 37


def test_the_catalogue_alone_knows_nothing_of_it(lab, catalog) -> None:
    """A lab's values go no further than where they are asked for."""
    Catalog(labs=[lab]).part(CARD)
    assert not Catalog().has("psu/acme/brick-3000")
    assert Catalog().part(CARD).facts["thickness"] == catalog.part(CARD).facts["thickness"]


def test_everything_wrong_is_said_at_once(tmp_path) -> None:
    put(tmp_path, CARD, OVERLAY.replace("38 mm", "38 W").replace("source: calliper", "source: eye"))
    put(tmp_path, "psu/acme/brick-3000", OWN.replace("rated_power", "rated_powre"))
    put(tmp_path, "toaster/acme/two-slot", OWN)
    nameless = OWN.replace("name: Acme Brick 3000\n", "").replace("brick-3000", "nameless")
    put(tmp_path, "psu/acme/nameless", nameless)
    said = [str(p) for p in problems_in(lambda: Catalog(labs=[tmp_path]).has(CARD))]
    assert any("geforce-rtx-3090-turbo-24g.yaml:4:" in t and "source" in t for t in said)
    assert any("brick-3000.yaml:4:" in t and "rated_powre" in t for t in said)
    assert any("two-slot.yaml" in t and "folder named after its kind" in t for t in said)
    assert any("nameless.yaml" in t and "'name' is missing" in t for t in said)


def test_a_folder_is_named_on_the_command_line(lab, run) -> None:
    build = "gpus: Gigabyte GeForce RTX 3090 TURBO 24G\npsus: Acme Brick 3000\n"
    assert "Acme Brick 3000" in run("validate", "build.yaml", "--verbose", text=build).stdout
    words = ("--parts", lab, "-o", "html=report.html", "--format", "json", "-v")
    said = run("validate", "build.yaml", *words)
    assert said.exit_code in (0, 1)
    (answer,) = json.loads(said.stdout)["answer"]["builds"]
    assert answer["facts"]["gpus[0].thickness"]["low"] == 38
    assert "Measured in the lab" in Path("report.html").read_text(encoding="utf-8")
    own = answer["own_part_files"]
    assert own[str(lab / f"{CARD}.yaml")] == ["gpus[0].thickness"]
    said = run("validate", "build.yaml", "--parts", lab, "-v").stdout
    assert "From your own part files:" in said
    assert "gpus[0].thickness" in said


@pytest.mark.usefixtures("lab")
def test_or_in_a_settings_file(run, tmp_path, monkeypatch) -> None:
    """Of the folder one works in, or one above it in the repository."""
    (tmp_path / "buildcheck.toml").write_text('parts = ["lab"]\n', encoding="utf-8")
    below = tmp_path / "orders" / "2026"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    (below / "build.yaml").write_text("gpus: RTX 3090\npsus: Acme Brick 3000\n", encoding="utf-8")
    assert "not in the catalogue" in run("validate", "build.yaml").stdout.lower()
    (tmp_path / ".git").mkdir()
    assert "not in the catalogue" not in run("validate", "build.yaml").stdout.lower()
    shown = run("parts", "show", CARD, "--verbose")
    assert "38 mm" in shown.stdout
    assert "lab book 12" in shown.stdout
    (below.parent / ".git").mkdir()  # what is above a repository is somebody else's
    assert "not in the catalogue" in run("validate", "build.yaml").stdout.lower()


def test_settings_lie_beside_the_build(lab, run, tmp_path, monkeypatch) -> None:
    """Wherever one stands; and those of the working folder are not those of another build."""
    (tmp_path / "build.yaml").write_text("gpus: RTX 3090\npsus: Acme Brick 3000\n", "utf-8")
    (tmp_path / "buildcheck.toml").write_text(f'parts = ["{lab.name}"]\n', encoding="utf-8")
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    elsewhere.mkdir()
    (elsewhere / "build.yaml").write_text("gpus: RTX 3090\npsus: Acme Brick 3000\n", "utf-8")
    monkeypatch.chdir(elsewhere)
    lost = "Not in the catalogue"
    assert lost not in run("validate", tmp_path / "build.yaml").stdout
    monkeypatch.chdir(tmp_path)
    assert lost in run("validate", elsewhere / "build.yaml").stdout
    both = run("validate", "build.yaml", elsewhere / "build.yaml")
    assert both.stdout.count(lost) == 1


#: What is put next to part files, and what is said of it.
ODD = (
    (lambda gpu: (gpu / "linked").symlink_to(gpu.parent / "psu"), "a folder that is a link is not"),
    (lambda gpu: (gpu / "card.yml").write_text(OWN, "utf-8"), "part files end in .yaml"),
    (lambda gpu: (gpu / "card.yaml").mkdir(), "this is a folder and no part file"),
    (lambda gpu: os.mkfifo(gpu / "pipe.yaml"), "this is no file that can be read"),
    (lambda gpu: (gpu / "loop.yaml").symlink_to("loop.yaml"), "this is no file that can be read"),
    (
        lambda gpu: Path(os.fsdecode(os.fsencode(gpu) + b"/\xff.yaml")).write_text("x", "utf-8"),
        "the path of a part file is plain text",
    ),
)


@pytest.mark.parametrize(("make", "said"), ODD)
def test_what_would_be_passed_over_is_named(make, said, lab, run) -> None:
    """Nobody takes a value for read that is not."""
    make(lab / "gpu")
    done = run("parts", "show", CARD, "--parts", lab)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


def test_a_name_of_another_part_is_not_taken(tmp_path) -> None:
    """A lab's file means its own part, not one that everybody else calls so."""
    head = "name: Thing\naliases: [RTX 3090]"
    part_file(tmp_path, "gpu/lab/thing", {"board_power": "75 W"}, head)
    with pytest.raises(CatalogError, match="'RTX 3090' is the name of gpu/nvidia/rtx-3090"):
        Catalog(labs=[tmp_path]).find("gpu", "RTX 3090")


def test_equal_folders_elsewhere_are_other_folders(tmp_path, monkeypatch) -> None:
    """Even of files alike in name, size and time."""
    for name, power in (("one", 351), ("two", 999)):
        path = put(tmp_path / name / "lab", CARD, OVERLAY.replace("38 mm", f"{power % 90 + 10} mm"))
        os.utime(path, (1_700_000_000, 1_700_000_000))
    found = []
    for name in ("one", "two"):
        monkeypatch.chdir(tmp_path / name)
        found.append(Catalog(labs=[Path("lab")]).part(CARD).facts["thickness"].value.low)
    assert found[0] != found[1]


def test_a_card_of_a_chip_nobody_knows_hinders_no_other_name(tmp_path) -> None:
    part_file(tmp_path, "gpu/acme/zebra", {"chip": "RTX 9999"}, "name: Acme Zebra 3090")
    own = Catalog(labs=[tmp_path])
    assert own.find("gpu", "Acme Zebra 3090 24GB") == "gpu/acme/zebra"
    with pytest.raises(CatalogError, match="RTX 9999"):
        own.part("gpu/acme/zebra")
