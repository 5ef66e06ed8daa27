"""Every rule read as certain and as expected: what is only usual is likely at most."""

from conftest import ROOT, each_row, table

from buildcheck.render.page import to_html
from buildcheck.render.templates import text
from buildcheck.report.answer import ValidateAnswer
from buildcheck.report.build import build_answer
from buildcheck.whole_report.answer import report_answer

LAB = (ROOT / "tests/builds/lab-4x3090/build.yaml").read_text("utf-8")
SIX = "gpus: 6x Gigabyte RTX 3090 Gaming OC\nmotherboard: ASRock ROMED8-2T\ncpu: AMD EPYC 7502\n"

SOUND = table("readings", "sound")
REMARKED = table("readings", "remarked_machine")
COUNTRY = "gpus: 4x RTX 4090\nsite:\n  country: US\n"


def verdicts(report, rule: str) -> set[str]:
    return {f.verdict for f in report.findings if f.rule.id == rule}


@each_row
def test_what_is_usual_is_likely_at_most(text, rule, verdict, judged) -> None:
    assert verdicts(judged(text, rule), rule) == set(verdict)


def changed(build: str, *lines: str) -> str:
    """A build file with other lines, each in place of the one with its key."""
    return "\n".join({k.partition(":")[0]: k for k in (*build.splitlines(), *lines)}.values())


@each_row
def test_words_that_are_not_read_leave_open_what_they_may_be_about(
    change, rule, verdict, judged
) -> None:
    assert verdicts(judged(changed(SOUND, *change.splitlines()), rule), rule) == {verdict}


@each_row
def test_remarks(kind, judged) -> None:
    for change in kind["changes"]:
        report = judged(changed(REMARKED, *change.splitlines()), *kind.get("rules", ()))
        assert report.verdict in kind["verdicts"], change
        assert len(report.open_lines) >= kind["names"], change


def test_a_pass_names_the_lines_that_may_change_it(judged, run) -> None:
    """Remarks that no check reads, and values that are lost; a certain pass is likely then."""
    build = changed(REMARKED, "cpu: {part: AMD EPYC 7302P, note: the lid rattles}", "workload: art")
    report = judged(build)
    assert (report.verdict, report.open_lines) == ("likely-pass", (3, 10))
    said = run("validate", "build.yaml", text=build).stdout
    assert "unless what lines 3, 10 say changes that" in said


def test_what_is_likely_names_what_it_rests_on(judged) -> None:
    answer = build_answer(judged(SIX))
    (found,) = [f for f in answer.of("likely-fail", "error") if f.rule == "space/cards-collide"]
    line = "gpus: {part: 6x Gigabyte RTX 3090 Gaming OC, riser: false}"
    assert line in {u.paste for u in found.rests_on}
    likely = build_answer(judged(COUNTRY)).of("likely-fail", "error")
    (found,) = [f for f in likely if f.rule == "circuit/breaker-overload"]
    # What decides is first.
    assert found.rests_on[0].paste == "site: {country: US, outlet: NEMA 5-15}"
    assert not any(f.rests_on for f in answer.of("fail"))


def test_machines_are_drawn_alike_whatever_the_power_limit(judged) -> None:
    """A limit moves no GPU: what several slots leave open is the same with each."""
    gpus = "gpus: {{part: RTX 3090, count: 3, power_limit: {} W}}\n"
    build = (
        f"{gpus}motherboard: {{{{chipset: Z790, form_factor: ATX}}}}\ncase: {{{{kind: tower}}}}\n"
    )
    drawn = [
        {(f.rule.id, f.subject, f.drawn) for f in judged(build.format(limit)).findings if f.drawn}
        for limit in (300, 305)
    ]
    space = [{d for d in one if d[0].startswith("space/")} for one in drawn]
    assert space[0] == space[1]
    assert space[0]


def test_a_partial_list_likely_passes_at_best(judged) -> None:
    """Without its CPU, a build that fails with it is no pass."""
    less = judged("".join(line for line in LAB.splitlines(True) if not line.startswith("cpu:")))
    assert ("cpu" in less.not_listed, less.verdict == "pass") == (True, False)
    cards = judged("gpus: 4x RTX 3090\n")
    assert (
        "LIKELY PASS so far"
        in text("validate", ValidateAnswer((build_answer(cards),))).splitlines()[0]
    )
    assert "Likely pass so far" in to_html(report_answer(cards))


def test_what_likely_passes_says_so(judged) -> None:
    """In the words of a pass; "no cable for" on its list reads like a fault."""
    passed = build_answer(judged(LAB), verbose=True).of("likely-pass")
    texts = {f.rule: f.message for f in passed}
    assert "A at full CPU and GPU load on a 20 A breaker" in texts["circuit/breaker-overload"]
    assert texts["cooling/cpu-cooler-lid-uncovered"] == "its cold plate covers the lid of the CPU"


@each_row
def test_a_name_of_several_parts_is_answered_by_the_choice(gpus, choices, judged):
    """Those pass that fit. What nearly all of them make of a rule is likely, never certain."""
    report = judged(SIX.replace("6x Gigabyte RTX 3090 Gaming OC", gpus))
    found = [f.choice for f in build_answer(report).findings if f.rule == "space/cards-collide"]
    assert [[c.parts, c.most.high, c.such_as] for c in found] == choices
    assert not [f for f in report.findings if f.tried and f.verdict in ("pass", "fail")]


def test_nothing_that_is_usual_is_an_error(judged) -> None:
    """A certain finding stands on what is known alone."""
    for finding in (*judged(LAB).findings, *judged(SIX).findings):
        if finding.verdict in ("pass", "fail"):
            assert not finding.words.usual(), (finding.rule.id, finding.subject)


def test_work_nobody_states_is_that_of_several_gpus(judged) -> None:
    """It is said once; what matters for some work stops no verdict, but one lane is for mining."""
    lines = (line for line in LAB.splitlines(True) if not line.startswith("workload:"))
    report = judged("".join(lines) + "risers: [{lanes: 1, count: 4}]\n")
    assert "workload" in report.not_listed
    assert verdicts(report, "pcie/one-lane-riser") == {"likely-fail"}


def test_what_is_worst_comes_first_whether_certain_or_likely(judged):
    """A fifth of the speed lost is worse than a BIOS to update; errors go by certainty."""
    build = "gpus: 2x RTX 3090 Founders Edition\ncpu: Ryzen 9 5900X\nmotherboard: MSI X570 Unify\ncase: Fractal Define 7 XL\n"
    rules = [f.rule for f in build_answer(judged(build)).troubles("warning")]
    assert rules[0] == "cooling/throttling-expected"
    assert "platform/bios-update-needed" in rules
