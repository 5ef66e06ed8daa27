"""How far a build is from its limits, and what may change before its verdict does."""

import pytest
from conftest import ROOT, TODAY

from buildcheck.configure.sweep.sensitivity import margins, sensitivity
from buildcheck.configure.trial import Trials
from buildcheck.pipeline import Judging, check
from buildcheck.render.templates import text

BUILDS = ROOT / "tests" / "builds"


def test_a_subject_is_named_once(catalog, rulebook) -> None:
    """A rule that warns of a supply and cannot rule out worse says two things of one subject."""
    raw = b"""
gpus: [{part: Tesla P40, count: 3}]
cpu: Intel Xeon E5-2680 v4
motherboard: ASUS X99-E WS
psus: [EVGA SuperNOVA 1000 G+]
memory: {total: 64 GB}
"""
    report = check(raw, "build.yaml", catalog, rulebook, TODAY)
    rows = [m for m in margins(report) if m.rule == "power/psu-overload-worst-case"]
    assert [m.subjects for m in rows] == [("psus[0]",)]


@pytest.fixture(scope="module")
def found(catalog, rulebook):
    """Builds of the tests by name → what they are sensitive to, each worked out once."""
    known = {}

    def run(name: str):
        if name not in known:
            raw = (BUILDS / name / "build.yaml").read_bytes()
            report = check(raw, "build.yaml", catalog, rulebook, TODAY)
            known[name] = sensitivity(Trials(report, Judging(catalog, rulebook, TODAY)))
        return known[name]

    return run


@pytest.mark.parametrize("name", sorted(p.name for p in BUILDS.iterdir() if p.is_dir()))
def test_margins_agree_with_the_verdicts(name, catalog, rulebook) -> None:
    """Where the worst grade fails the margin is below zero, and where a rule passes it is not."""
    raw = (BUILDS / name / "build.yaml").read_bytes()
    report = check(raw, "build.yaml", catalog, rulebook, TODAY)
    said = {(m.rule, m.margin >= 0) for m in margins(report) if "[" not in m.subjects[0]}
    for finding in report.findings:
        if "[" in finding.subject:
            continue
        if finding.verdict == "pass":
            assert (finding.rule.id, False) not in said
        if finding.verdict == "fail" and finding.grade == finding.rule.grades[0]:
            assert (finding.rule.id, True) not in said


def test_the_tightest_comes_first(found) -> None:
    """Errors first, those that do not hold before those that do, by their share of the limit."""
    rows = [m for m in found("t3-4x3090-350w").margins if m.severity == "error"]
    shares = [m.share for m in rows if m.share is not None]
    assert shares == sorted(shares)
    assert rows[0].rule == "circuit/continuous-overload"
    assert (rows[0].verdict, rows[0].value.unit) == ("fail", "A")


def test_a_build_that_fails_is_said_to(found) -> None:
    """Before anything is said of one more card: by which rules it fails as it is."""
    broken = found("t3-4x3090-350w")
    assert broken.fails == ("circuit/breaker-overload", "circuit/continuous-overload")
    said = text("sensitivity", broken)
    assert "It fails by circuit/breaker-overload" in said
    assert "fits" not in said
    fine = found("lab-4x3090")
    assert not fine.fails
    assert "It fails" not in text("sensitivity", fine)


def test_thresholds_are_what_the_judge_says(found, judged) -> None:
    """At the edge the verdict is the same; a step beyond it is another."""
    edges = {t.path: t for t in found("lab-4x3090").thresholds}
    limit = edges["gpus[0].power_limit"]
    text = (BUILDS / "lab-4x3090" / "build.yaml").read_text()

    def verdict(watts: float) -> str:
        return judged(text.replace("power_limit: 280 W", f"power_limit: {watts} W")).verdict

    assert limit.low is None
    assert (verdict(limit.high), verdict(limit.high + 2)) == ("likely-pass", "unknown")
    assert limit.above
