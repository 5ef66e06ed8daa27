"""How far a build is from its limits, and what may change before its verdict does."""

from functools import cache

import pytest
from conftest import ROOT, TODAY, each_row

from buildcheck.configure.sweep.sensitivity import margins, sensitivity
from buildcheck.configure.sweep.thresholds import limit_needs
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

    @cache
    def run(name: str):
        raw = (BUILDS / name / "build.yaml").read_bytes()
        report = check(raw, "build.yaml", catalog, rulebook, TODAY)
        return sensitivity(Trials(report, Judging(catalog, rulebook, TODAY)))

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


def test_the_frontier_falls_with_the_limit(found) -> None:
    """A lower limit never needs a larger supply or outlet."""
    points = found("lab-4x3090").power_limits
    assert points[0].share == 1.0
    supplies = [p.psu for p in points if p.psu is not None]
    assert supplies == sorted(supplies, reverse=True)
    breakers = [o.breaker for p in points for o in p.outlets if o.voltage == 120.0 and o.breaker]
    assert breakers == sorted(breakers, reverse=True)


@each_row
def test_only_outlets_of_the_place_are_named(site, there, catalog, rulebook) -> None:
    """Nobody in Germany is told which outlet of India would do."""
    text = (BUILDS / "lab-4x3090" / "build.yaml").read_text().replace("{outlet: NEMA 5-20}", site)
    text = text.replace("count: 4", "count: 1").replace("power_limit: 280 W", "power_limit: 250 W")
    report = check(text.encode(), "build.yaml", catalog, rulebook, TODAY)
    points = limit_needs(Trials(report, Judging(catalog, rulebook, TODAY)))
    named = {outlet.name for point in points for outlet in point.outlets}
    assert {name.startswith(there) for name in named} == {True}


def test_an_outlet_carries_a_load_that_may_last(catalog, rulebook) -> None:
    """What `validate` warns of is not the least outlet: more than 80 % of its breaker."""
    text = (BUILDS / "lab-4x3090" / "build.yaml").read_text().partition("workload:")[0]
    text += "waivers: [{rule: workload/limit-slows-training, subject: 'gpus[0]', because: ours, until: 2099-01-01}]"
    report = check(text.encode(), "build.yaml", catalog, rulebook, TODAY)
    found = sensitivity(Trials(report, Judging(catalog, rulebook, TODAY)))
    # A waiver of a warning keeps nothing from being judged.
    assert None not in [one.verdict for one in found.more_gpus]
    least = {p.limit: p.outlets[0].name for p in found.power_limits if p.outlets}
    assert (least[298], least[262]) == ("NEMA 5-20", "NEMA 5-15")


def test_the_frontier_is_what_the_judge_says(found, judged) -> None:
    """A supply of the least rating passes; one of ten watts less does not."""
    point = next(p for p in found("lab-4x3090").power_limits if p.limit == 280)
    text = (BUILDS / "lab-4x3090" / "build.yaml").read_text()
    for watts, fails in ((point.psu, False), (point.psu - 10, True)):
        psu = f"psus: [{{rated_power: {watts} W, rated_power_low_line: {watts} W}}]"
        report = judged(text.replace("psus: [Corsair AX1600i]", psu))
        rules = {f.rule.id for f in report.findings if (f.verdict, f.severity) == ("fail", "error")}
        assert any(r.startswith("power/psu-overload") for r in rules) is fails


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
