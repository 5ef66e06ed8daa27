"""Facts declared as data, and a lab's own rules with them: nothing of it needs Python."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from conftest import ROOT
from handmade import subject

from buildcheck.cli import main
from buildcheck.facts import FACTS
from buildcheck.logic.quantity import Interval, exact
from buildcheck.measure import measure
from buildcheck.measure.definitions import load_definitions
from buildcheck.model.graph import Graph

if TYPE_CHECKING:
    from pathlib import Path

BUILD = ROOT / "tests" / "builds" / "t4-4x3090-280w" / "build.yaml"
RULE = """\
id: cooling/too-many-blowers
applies_to: build
define:
  build.blowers: {count: gpu, where: "gpu.cooling is 'blower'"}
require: build.blowers <= most
limits:
  - {severity: error, title: Too loud, most: 1, why: People work beside it., source: lab}
basis: rule-of-thumb
message: "{build.blowers} blowers"
passes: "{build.blowers} blowers"
fix: Take fewer
why: The room is an office.
impact: Noise.
remedy: Take fewer blowers.
sources: {lab: {title: Our rule, document: lab book}}
examples:
  - {given: {build.blowers: 0}, expect: pass}
  - {given: {build.blowers: 1}, expect: pass}
  - {given: {build.blowers: 2}, expect: error}
  - {given: {build.blowers: 1..2}, expect: unknown}
"""
TIGHTER = """\
id: power/psu-overload
extends: power/psu-overload
limits:
  - {severity: error, title: PSU overloaded, share: %s, why: Ours run all year., source: lab}
  - {severity: warning, title: PSU near its rating, share: 0.30, why: The half of it., source: lab}
  - {severity: note, title: PSU with little headroom, share: 0.20, why: Less yet., source: lab}
sources: {lab: {title: Our rule, document: lab book}}
"""


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
    """In one file."""
    assert findings(put(tmp_path, "cooling/too-many-blowers", RULE))[
        "cooling/too-many-blowers"
    ] == ["fail error"]


def test_a_lab_tightens_a_rule_and_loosens_none(tmp_path) -> None:
    """From the settings as well."""
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


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("power/psu-overload", RULE.replace("cooling/too-many-blowers", "power/psu-overload"), "there is a rule"),
        ("power/none", "id: power/none\nextends: power/none\n", "extends no rule"),
        ("power/psu-overload", TIGHTER % "0.4" + "require: psu.train_load <= 0\n", "cannot be changed"),
        ("definitions/a", "build.one: {is: build.two}\nbuild.two: {is: build.one}\n", "made from itself"),
        ("definitions/a", "build.card_heat: {is: cpu.work_power}\nbuild.one: {is: build.nothing}\n", "no fact or term"),
        ("definitions/a", "psu.train_load: {count: gpu}\n", "already"),
        ("definitions/a", "build.one: {is: build.card_heat + build.card_count}\n", "makes no sense"),
        ("definitions/a", "build.one: {any: gpu.memory, of: gpu}\n", "does not go with"),
        ("definitions/a", "build.one: {sum: gpu.memory}\n", "also one of"),
        ("definitions/a", "build.one: {first: [gpu.memory, gpu.cooling]}\n", "not of one kind"),
        ("definitions/a", "build.one: 4\n", "needs a mapping"),
        ("definitions/a", "nothing.one: {count: gpu}\n", "no kind of subject"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path, name, text, why) -> None:
    """With the file, and nothing is judged."""
    answer = refused(put(tmp_path, name, text))
    assert why in answer
    assert f"{name}.yaml" in answer


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("{count: gpu}", exact(3.0)),
        ("{count: gpu, where: \"gpu.cooling == 'blower'\"}", Interval(1.0, 2.0)),
        ("{count: gpu, where: \"gpu.cooling is ('blower', 'water')\"}", exact(2.0)),
        ("{sum: gpu.board_power, of: gpu}", exact(900.0)),
        ("{sum: gpu.board_power, of: gpu, where: \"gpu.cooling == 'blower'\"}", Interval(200.0, 500.0)),
        ("{largest: gpu.board_power, of: gpu}", exact(400.0)),
        ("{span: gpu.board_power, of: gpu}", Interval(200.0, 400.0)),
        ("{kinds: gpu.cooling, of: gpu}", Interval(2.0, 3.0)),
        ("{any: \"gpu.cooling == 'passive'\", of: gpu}", None),
        ("{any: \"gpu.cooling == 'blower'\", of: gpu}", True),
        ("{all: gpu.cooling is known, of: gpu}", False),
        ("{all: \"gpu.cooling == 'water'\", of: gpu, where: gpu.cooling is known}", False),
    ],
)  # fmt: skip
def test_what_a_form_makes_of_three_gpus(tmp_path, form, expected) -> None:
    """A blower of 200 W, one of unknown kind of 300 W, one on water of 400 W."""
    load_definitions(put(tmp_path, "definitions/a", f"build.one: {form}\n"))
    kinds = (("blower", "200 W"), (None, "300 W"), ("water", "400 W"))
    gpus = [
        subject(f"gpus[{n}]", "gpu", **({"cooling": kind} if kind else {}), board_power=watts)
        for n, (kind, watts) in enumerate(kinds)
    ]
    facts = measure(Graph({one.id: one for one in (subject("build", "build"), *gpus)}))
    assert facts("build.one") == expected
