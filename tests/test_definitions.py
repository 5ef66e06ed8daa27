"""Facts declared as data, and a lab's own rules with them: nothing of it needs Python."""

import json
from pathlib import Path

import pytest
from cases import span
from click.testing import CliRunner
from conftest import ROOT, each_row, table
from handmade import subject

from buildcheck.cli import main
from buildcheck.facts import FACTS
from buildcheck.measure import measure
from buildcheck.measure.definitions import load_definitions
from buildcheck.model.graph import Graph

BUILD = ROOT / "tests" / "builds" / "t4-4x3090-280w" / "build.yaml"
RULE = table("definitions", "rule")
TIGHTER = table("definitions", "tighter")


@pytest.fixture(autouse=True)
def _facts(monkeypatch) -> None:
    """What a test defines ends with it."""
    for name in ("build.blowers", "build.one", "build.two", "gpu.one"):
        monkeypatch.setitem(FACTS, name, FACTS["build.card_count"])
        monkeypatch.delitem(FACTS, name)


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder


def findings(folder: Path, *words: str) -> dict[str, list[str]]:
    """What a rule says of the build, by rule."""
    arguments = ["validate", str(BUILD), "--format", "json", "-v", "--rules", str(folder), *words]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    found: dict[str, list[str]] = {}
    for one in json.loads(done.stdout)["answer"]["builds"][0]["findings"]:
        found.setdefault(one["rule"], []).append(f"{one['verdict']} {one['severity']}")
    return found


def refused(folder: Path) -> str:
    arguments = ["validate", str(BUILD), "--rules", str(folder)]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert (done.exit_code, done.stdout) == (2, "")
    return " ".join(done.stderr.split())


def test_a_rule_of_a_lab_brings_its_own_fact(tmp_path) -> None:
    assert findings(put(tmp_path, "cooling/too-many-blowers", RULE))[
        "cooling/too-many-blowers"
    ] == ["fail error"]


def test_a_lab_tightens_a_rule_and_loosens_none(tmp_path) -> None:
    loose = put(tmp_path / "loose", "power/psu-overload", TIGHTER % "1.20")
    assert "finds less than 'power/psu-overload'" in refused(loose)
    tight = put(tmp_path / "tight", "power/psu-overload", TIGHTER % "0.40")
    assert findings(tight)["power/psu-overload"] == ["fail error"]
    (tmp_path / "buildcheck.toml").write_text('rules = ["tight"]', encoding="utf-8")
    (tmp_path / "build.yaml").write_bytes(BUILD.read_bytes())
    done = CliRunner().invoke(main, ["validate", str(tmp_path / "build.yaml")])
    assert done.exit_code == 1
    assert "0.4" not in done.stdout
    assert "PSU 1 overloaded" in done.stdout
    text = '[limits]\n"power/psu-overload" = {warning = {share = 0.85}}\n'
    (tmp_path / "buildcheck.toml").write_text(text, encoding="utf-8")
    broken = put(tmp_path / "broken", "power/psu-overlord", "id: power/psu-overlord\n")
    done = CliRunner().invoke(
        main, ["validate", str(tmp_path / "build.yaml"), "--rules", str(broken)]
    )
    assert (done.exit_code, "Field required" in done.stderr) == (2, True)


@each_row
def test_what_is_wrong_is_said(name, text, why, tmp_path) -> None:
    answer = refused(put(tmp_path, name, text))
    assert why in answer
    assert f"{name}.yaml" in answer


@each_row
def test_what_a_form_makes_of_three_gpus(form, expected, tmp_path) -> None:
    """A blower of 200 W, one of unknown kind of 300 W, one on water of 400 W."""
    load_definitions(put(tmp_path, "definitions/a", f"build.one: {form}\n"))
    kinds = (("blower", "200 W"), (None, "300 W"), ("water", "400 W"))
    gpus = [
        subject(f"gpus[{n}]", "gpu", **({"cooling": kind} if kind else {}), board_power=watts)
        for n, (kind, watts) in enumerate(kinds)
    ]
    facts = measure(Graph({one.id: one for one in (subject("build", "build"), *gpus)}))
    assert facts("build.one") == span(expected)
