"""The best power limit for a goal, what limits cost, and how far a build is from its limits."""

import json
from functools import cache
from pathlib import Path

import pytest
from cases import holds
from conftest import ROOT, TODAY, build_text, each_of, table
from handmade import STANDARD, cards, facts_of, subject

from buildcheck.configure.sweep.limit import Aim, limits
from buildcheck.configure.sweep.sensitivity import margins, sensitivity
from buildcheck.configure.trial import Trials
from buildcheck.facts.limits import decoding_speed_at, speed_at
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.answer import Figure
from buildcheck.render.templates import text

BUILDS = ROOT / "tests" / "builds"
#: What the rack of these tests gives, in W.
RACK = 6000.0

#: What a limit can be the best for.
GOALS = ("speed", "per-watt", "rack")


@pytest.fixture(scope="module")
def found(judged, judging):
    """Builds by name or text, with a goal and work → their limits, each worked out once."""

    @cache
    def made(name: str, goal: str, work: str):
        aim = Aim(goal, work, RACK if goal == "rack" else 0.0)
        return limits(judged(name), judging, aim).answer

    return lambda name, goal="speed", work="training": made(name, goal, work)


# -- speed against limit -----------------------------------------------------


def at(catalog, architecture: str, share: float) -> tuple[float, float]:
    """Speed of a card of 100 W at a share of that, in training and in decoding."""
    curve = catalog.part(catalog.find("gpu-architecture", architecture)).facts["speed_at_limit"]
    decoding = catalog.part("standard/generic/limited-decoding").facts["decoding_at_limit"]
    standard = {**STANDARD, "decoding_at_limit": [list(p) for p in decoding.value]}
    card = {"board_power": "100 W", "speed_at_limit": [list(p) for p in curve.value]}
    facts = facts_of(*cards(card), subject("standard", "standard", **standard))
    (gpu,) = facts.graph.of("gpu")
    limit = exact(100 * share)
    return speed_at(gpu, facts, limit).low, decoding_speed_at(gpu, facts, limit).low


@each_of("cases")
def test_speed_at_a_share_of_the_power(case, catalog) -> None:
    """As measured: of what is trained, and of one request at a time."""
    for found, wanted in zip(at(catalog, *case["at"]), case["is"], strict=True):
        if wanted:
            assert found == pytest.approx(wanted[0], abs=wanted[1])


def test_serving_lies_between_both(judged) -> None:
    """What a limit leaves in serving reaches from the one curve to the other."""
    report = judged("t4-4x3090-280w")
    (card, *_) = report.graph.of("gpu")
    assert report.facts("gpu.limited_serving_speed", card) == Interval(0.94, 0.99)
    assert report.facts("gpu.limited_speed", card) == exact(0.94)


# -- the best for a goal -----------------------------------------------------


def test_four_cards_on_their_circuit(found) -> None:
    """The scenario holds 280 W, and every limit above it fails by the circuit."""
    answer = found("t4-4x3090-280w")
    assert answer.best.limits == {"gpus[0]": 280}
    above = [one for one in answer.settings if one.share > answer.best.share]
    assert above
    assert all("circuit/continuous-overload" in one.fails for one in above)
    assert answer.best.training == Figure(3.76, 3.76)
    assert answer.best.gpu_power.low / 350 == pytest.approx(3.2)


@each_of("answers")
def test_what_is_answered(case, found) -> None:
    answer = found(*case["of"])
    holds(answer, case, text("limit", answer))


def test_the_fastest_that_passes_is_the_best(found) -> None:
    """No other setting that passes is faster, by goal and kind of work."""
    for goal in GOALS:
        for work in ("training", "inference"):
            answer = found("t4-4x3090-280w", goal, work)
            worths = [worth(one, goal, work) for one in answer.settings if one in answer.passing]
            assert worth(answer.best, goal, work) == max(worths)


def test_the_best_keeps_the_sustained_limit_of_the_circuit(found) -> None:
    """A load that may last passes above it with a warning; who waives that gets more."""
    text = build_text("lab-4x3090").partition("workload:")[0].replace("NEMA 5-20", "NEMA 5-15")
    rule = "circuit/continuous-overload-if-it-lasts"
    waiver = f"waivers: [{{rule: {rule}, subject: site, because: ours, until: 2099-01-01}}]"
    bests = [found(raw).best for raw in (text, f"{text}\n{waiver}")]
    assert not any(best.warns for best in bests)
    assert bests[0].wall_power.high <= 1.01 * 12 * 120 < bests[1].wall_power.high


def test_each_setting_has_the_verdict_of_check(found, judged) -> None:
    """Those between two that are judged alike as well."""
    for one in found("lab-4x3090").settings[1:13]:
        report = judged(build_text("lab-4x3090").replace("280 W", f"{one.limits['gpus[0]']} W"))
        assert one.verdict == report.verdict
        assert set(one.unknown) == {f.rule.id for f in report.errors("unknown")}


def worth(one, goal: str, work: str) -> float:
    """What a goal is about, at the least it may be."""
    speed = one.training if work == "training" else one.serving
    return {"speed": speed.low, "per-watt": one.efficiency, "rack": one.in_rack}[goal]


def test_speed_per_watt_asks_for_less_than_the_circuit(found) -> None:
    """Below 80 % a watt still brings more, as the rest of the machine takes its share."""
    training = found("t4-4x3090-280w", "per-watt").best
    assert 0.6 < training.share < 0.8
    decoding = found("t4-4x3090-280w", "per-watt", "inference").best
    assert decoding.share < training.share


def test_a_rack_holds_whole_machines(found) -> None:
    """One that takes more than a fifth of the rack leaves room for four."""
    answer = found("t4-4x3090-280w", "rack")
    best = answer.best
    assert best.wall_power.high <= RACK / 5
    assert (best.machines, best.in_rack) == (5, pytest.approx(5 * best.training.low))
    first = answer.settings[0]
    assert (first.machines, first.in_rack) == (3, pytest.approx(3 * first.training.low))


def test_lower_limits_are_never_faster(found) -> None:
    """Speed and power go down with the limit, and no limit is below what the card takes."""
    answer = found("t4-4x3090-280w")
    for one, other in zip(answer.settings, answer.settings[1:], strict=False):
        assert other.training.low <= one.training.low
        assert other.serving.low <= one.serving.low
        assert other.wall_power.high < one.wall_power.high
    assert min(one.limits["gpus[0]"] for one in answer.settings[1:]) >= 100


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("work", ["training", "inference"])
def test_without_a_curve_watts_are_told_and_nothing_is_called_the_best(found, goal, work) -> None:
    """No curve of Pascal is known, what it takes from the wall is."""
    answer = found("t10-p40-pcie-cable", goal, work)
    assert (answer.without_range, answer.without_curve) == ((), ("NVIDIA Tesla P40",))
    assert (answer.best, answer.changes) == (None, ())
    walls = [one.wall_power.low for one in answer.settings]
    assert walls == sorted(walls, reverse=True)
    assert walls[0] > walls[-1]
    assert all(one.training is None for one in answer.settings)
    assert "best limit" not in text("limit", answer)
    assert "\n*" not in text("limit", answer)


def test_cards_that_differ_are_held_at_one_share(found) -> None:
    """Each entry at whole steps of watts, in proportion to its default."""
    card = "{part: Gigabyte GeForce RTX 3090 TURBO 24G, count: 4, power_limit: 280 W}"
    both = card.replace("count: 4", "count: 3") + ", {part: RTX 3080}"
    answer = found(build_text("t4-4x3090-280w").replace(card, both))
    assert len(answer.gpus) == 2
    for one in answer.settings[1:]:
        shares = [one.limits[g.path] / g.default for g in answer.gpus]
        assert max(shares) - min(shares) < 0.03
        assert all(watts % 5 == 0 for watts in one.limits.values())


# -- the command -------------------------------------------------------------


def test_what_is_written_passes_with_the_unit_that_sets_it(run, judged) -> None:
    """The build file with the best limit, judged anew; the unit has its watts."""
    free = build_text("t4-4x3090-280w").replace("280 W", "350 W")
    assert judged(free).verdict == "fail"
    words = ("limit", "build.yaml", "--today", TODAY)
    answer = run(*words, "-o", "held.yaml", "--format", "json", text=free)
    assert answer.exit_code == 0
    data = json.loads(answer.output)["answer"]
    assert data["best"]["limits"] == {"gpus[0]": 280}
    assert "-pl 280" in data["unit"][0]
    assert judged(Path("held.yaml").read_text("utf-8")).passes
    said = run(*words).output
    assert ": best limit 280 W per GPU (80 % of the default); the build\n  likely passes\n" in said
    assert "\n*  280 W" in said
    assert "gpus: power_limit: 280 W, limit_at_boot: true" in " ".join(said.split())
    assert len(said.splitlines()) <= 30
    assert "-pl 280" in run(*words, "--verbose").output


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("asked", [0, 1, 5])
def test_a_stopped_search_has_the_best_of_what_was_tried(
    judged, judging, found, asked, goal
) -> None:
    """Limits that were not tried are named, and nothing is said of all of them."""
    times, aim = iter(range(1000)), Aim(goal, "training", RACK if goal == "rack" else 0.0)
    cut = limits(judged("t4-4x3090-280w"), judging, aim, lambda: next(times) >= asked).answer
    whole = found("t4-4x3090-280w", goal)
    assert cut.stopped
    assert cut.settings == whole.settings[: len(cut.settings)]
    assert bool(cut.settings) is bool(asked)
    assert len(cut.settings) + len(cut.untried) == len(whole.settings)
    said = text("limit", cut)
    assert "topped" in said
    assert "at every limit fails" not in said


# -- how far a build is from its limits -------------------------------------


def test_a_subject_is_named_once(judged) -> None:
    """A rule that warns of a supply and cannot rule out worse says two things of one subject."""
    report = judged(table("limit", "warned_twice"))
    rows = [m for m in margins(report) if m.rule == "power/psu-overload-worst-case"]
    assert [m.subjects for m in rows] == [("psus[0]",)]


@pytest.fixture(scope="module")
def swayed(judged, judging):
    """Builds of the tests by name → what they are sensitive to, each worked out once."""
    return cache(lambda name: sensitivity(Trials(judged(name), judging)))


@pytest.mark.parametrize("name", sorted(p.name for p in BUILDS.iterdir() if p.is_dir()))
def test_margins_agree_with_the_verdicts(name, judged) -> None:
    """Where the worst grade fails the margin is below zero, and where a rule passes it is not."""
    report = judged(name)
    said = {(m.rule, m.margin >= 0) for m in margins(report) if "[" not in m.subjects[0]}
    for finding in report.findings:
        if "[" in finding.subject:
            continue
        if finding.verdict == "pass":
            assert (finding.rule.id, False) not in said
        if finding.verdict == "fail" and finding.grade == finding.rule.grades[0]:
            assert (finding.rule.id, True) not in said


def test_the_tightest_comes_first(swayed) -> None:
    """Errors first, those that do not hold before those that do, by their share of the limit."""
    rows = [m for m in swayed("t3-4x3090-350w").margins if m.severity == "error"]
    shares = [m.share for m in rows if m.share is not None]
    assert shares == sorted(shares)
    assert rows[0].rule == "circuit/continuous-overload"
    assert (rows[0].verdict, rows[0].value.unit) == ("fail", "A")


def test_a_build_that_fails_is_said_to(swayed) -> None:
    """Before anything is said of one more card: by which rules it fails as it is."""
    broken = swayed("t3-4x3090-350w")
    assert broken.fails == ("circuit/breaker-overload", "circuit/continuous-overload")
    said = text("sensitivity", broken)
    assert "It fails by circuit/breaker-overload" in said
    assert "fits" not in said
    fine = swayed("lab-4x3090")
    assert not fine.fails
    assert "It fails" not in text("sensitivity", fine)


def test_thresholds_are_what_the_judge_says(swayed, judged) -> None:
    """At the edge the verdict is the same; a step beyond it is another."""
    edges = {t.path: t for t in swayed("lab-4x3090").thresholds}
    limit = edges["gpus[0].power_limit"]
    raw = build_text("lab-4x3090")

    def verdict(watts: float) -> str:
        return judged(raw.replace("power_limit: 280 W", f"power_limit: {watts} W")).verdict

    assert limit.low is None
    assert (verdict(limit.high), verdict(limit.high + 2)) == ("likely-pass", "unknown")
    assert limit.above
