"""Facts declared as data, and a lab's own rules with them: nothing of it needs Python."""

import json
from pathlib import Path

import pytest
from cases import put, span
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


def findings(folder: Path, name: str, text: str) -> dict[str, list[str]]:
    """What rules say of the build with one of these, by rule."""
    put(folder, name, text)
    arguments = ["validate", str(BUILD), "--format", "json", "-v", "--rules", str(folder)]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    found: dict[str, list[str]] = {}
    for one in json.loads(done.stdout)["answer"]["builds"][0]["findings"]:
        found.setdefault(one["rule"], []).append(f"{one['verdict']} {one['severity']}")
    return found


def refused(folder: Path, name: str, text: str) -> str:
    put(folder, name, text)
    arguments = ["validate", str(BUILD), "--rules", str(folder)]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert (done.exit_code, done.stdout) == (2, "")
    return " ".join(done.stderr.split())


def test_a_rule_of_a_lab_brings_its_own_fact(tmp_path) -> None:
    name = "cooling/too-many-blowers"
    assert findings(tmp_path, name, RULE)[name] == ["fail error"]


def test_a_lab_tightens_a_rule_and_loosens_none(tmp_path) -> None:
    name = "power/psu-overload"
    assert f"finds less than '{name}'" in refused(tmp_path / "loose", name, TIGHTER % "1.20")
    assert findings(tmp_path / "tight", name, TIGHTER % "0.40")[name] == ["fail error"]
    (tmp_path / "buildcheck.toml").write_text('rules = ["tight"]', encoding="utf-8")
    (tmp_path / "build.yaml").write_bytes(BUILD.read_bytes())
    done = CliRunner().invoke(main, ["validate", str(tmp_path / "build.yaml")])
    assert done.exit_code == 1
    assert "0.4" not in done.stdout
    assert "PSU 1 overloaded" in done.stdout
    text = '[limits]\n"power/psu-overload" = {warning = {share = 0.85}}\n'
    (tmp_path / "buildcheck.toml").write_text(text, encoding="utf-8")
    put(tmp_path / "broken", "power/psu-overlord", "id: power/psu-overlord\n")
    words = ["validate", str(tmp_path / "build.yaml"), "--rules", str(tmp_path / "broken")]
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, "Field required" in done.stderr) == (2, True)


@each_row
def test_what_is_wrong_is_said(name, text, why, tmp_path) -> None:
    answer = refused(tmp_path, name, text)
    assert why in answer
    assert f"{name}.yaml" in answer


@each_row
def test_what_a_form_makes_of_three_gpus(form, expected, tmp_path) -> None:
    """A blower of 200 W, one of unknown kind of 300 W, one on water of 400 W."""
    put(tmp_path, "definitions/a", f"build.one: {form}\n")
    load_definitions(tmp_path)
    kinds = (("blower", "200 W"), (None, "300 W"), ("water", "400 W"))
    gpus = [
        subject(f"gpus[{n}]", "gpu", **({"cooling": kind} if kind else {}), board_power=watts)
        for n, (kind, watts) in enumerate(kinds)
    ]
    facts = measure(Graph({one.id: one for one in (subject("build", "build"), *gpus)}))
    assert facts("build.one") == span(expected)
