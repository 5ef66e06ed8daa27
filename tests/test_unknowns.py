"""What the build does not say must not acquit it."""

from dataclasses import replace

import pytest
import yaml
from cases import swapped
from conftest import ROOT, each_row, table

from buildcheck.load import load
from buildcheck.logic.quantity import Interval
from buildcheck.render.templates import text
from buildcheck.report.answer import ValidateAnswer
from buildcheck.report.build import build_answer
from buildcheck.report.missing import missing_answers, paste_line

EXAMPLE = (ROOT / "tests" / "builds" / "lab-4x3090" / "build.yaml").read_text(encoding="utf-8")


def found(report, rule: str) -> set[str]:
    """Every verdict of a rule in a report."""
    return {f.verdict for f in report.findings if f.rule.id == rule}


DECIDED = table("unknowns", "decided")


@pytest.mark.parametrize("name", DECIDED)
def test_what_is_decided(name, judged):
    case = {"base": "lab-4x3090", **DECIDED[name]}
    report = judged(case.get("build") or swapped(case, {}))
    assert report.verdict in case.get("verdict", report.verdict).split("|")
    for rule, said in case.get("finds", {}).items():
        if isinstance(said, list):
            assert found(report, rule) == {*said}, rule
        else:
            assert said.get("never") not in found(report, rule), rule
            assert said.get("some", "fail") in found(report, rule) or "never" in said, rule
    asked = {(m.subject, *m.fields) for m in missing_answers(report)}
    assert tuple(case.get("asks", ())) in {*asked, ()}


def test_a_circuit_of_no_known_outlet_may_be_any(judged):
    """Of 230 V, 20 A none is known: 10 A as the next smaller, or 80 %; less is always within it."""
    site = "site: {voltage: 230 V, breaker: 20 A}"
    light = judged(EXAMPLE.replace("site: {outlet: NEMA 5-20}", site))
    assert light.facts("circuit.continuous_current") == Interval(10, 16)
    about = {f.verdict for f in light.findings if f.rule.id.startswith("circuit/continuous")}
    assert about <= {"likely-pass", "pass", "not-applicable"}
    assert light.passes


def test_a_radiator_without_a_size_is_asked_for(judged):
    unsized = "gpus: [{part: RTX 4090, cooling: hybrid}]\ncase: SilverStone RM44\n"
    (finding,) = [f for f in judged(unsized).findings if "radiator-without" in f.rule.id]
    assert [(m.subject, m.field) for m in finding.missing] == [("gpus[0]", "radiator")]


@each_row
def test_gpus_of_which_only_the_number_is_known_are_judged(gpus, said, judged):
    """As far as it goes: those of one entry are of one model, whichever it is."""
    report = judged(f"gpus: {gpus}\nworkload: {{kind: training, parallel: data}}\n")
    assert (report.verdict, found(report, "workload/mixed-cards")) == ("unknown", {said})


def test_what_no_build_file_can_say_is_not_asked_for(judged):
    """How fast all copies together go is a range of a standard: nobody gives it under `standard:`."""
    report = judged(EXAMPLE.replace("parallel: data", "parallel: data, parameters: 1.3B"))
    assert found(report, "workload/exchange-slow") == {"unknown"}
    asked = missing_answers(report, detail=True)
    assert asked
    assert not any("workload/exchange-slow" in one.rules for one in asked)
    assert not any("standard" in one.paste for one in asked)


def assumed(report) -> dict[str, str]:
    """What is assumed, by section."""
    return {a.section: a.words for a in build_answer(report).assumptions}


def test_what_the_file_states_is_not_assumed(judged):
    """Sections stated by a key at the top, by words of GPUs, or of no matter for one part."""
    silent = assumed(judged("gpus: 2x RTX 3090\npsus: 2x Corsair AX1600i\n"))
    assert {"site", "risers", "psu_sync", "workload"} <= silent.keys()
    assert "outlet" in silent["site"]
    one = "gpus: {part: RTX 3090, riser: true}\npsu: Corsair AX1600i\noutlet: Schuko\n"
    stated = assumed(judged(one + "use: inference\n"))
    assert not {"risers", "psu_sync", "workload"} & stated.keys()
    assert stated["site"] == "nothing else on the circuit"
    assert "site" not in assumed(judged(EXAMPLE.replace("outlet:", "other_load: 100 W, outlet:")))


@each_row
def test_outlets_whose_voltage_the_name_leaves_open(site, voltage, sustained, judged):
    """The stated voltage holds; without one, all that the outlet may have."""
    circuit = judged(f"gpus: RTX 3090\nsite: {site}\n").graph.subjects["site"]
    assert circuit.value("voltage") == Interval(*voltage)
    assert circuit.value("continuous_current") == Interval(*sustained)


def test_a_pass_says_nothing_that_is_not_known_of_the_card(judged):
    """Whatever sockets it has, it overloads no 16-pin plug; it is not said to have an EPS one."""
    report = judged("gpus: {board_power: 350 W}\n")
    assert found(report, "cable/sixteen-pin-near-rating") == {"pass"}
    (adapter,) = [f for f in report.findings if f.rule.id == "cable/eps-card-on-adapter"]
    assert (adapter.verdict, adapter.message) == ("pass", "")


def test_radiators_that_are_nowhere_listed_are_asked_for(judged):
    water = "{gpus: {part: RTX 4090, count: 4, cooling: water, thickness: 20 mm}, case: open frame}"
    build = build_answer(judged(water), verbose=False)
    assert "add: cooling: {radiators: ...}" in text("validate", ValidateAnswer((build,)))


def test_a_budget_without_a_share_is_printed_without_one(judged):
    """As of PSUs that may give nothing at the voltage of the outlet."""
    build = build_answer(judged("gpus: RTX 3070\npsus: [Corsair RM850x]\n"), verbose=True)
    budgets = tuple(replace(b, share=None) for b in build.budgets)
    answer = ValidateAnswer((replace(build, budgets=budgets),))
    assert "None" not in text("validate", answer, verbose=True)


def test_a_gpu_with_a_radiator_is_hybrid_whether_said_or_not(judged):
    """Leaving out how it is cooled takes no radiator away."""
    build = "gpus: [{part: RTX 4090, count: 2, radiator: 240 mm%s}]\ncase: {kind: tower, radiators: {240 mm: 1}}\n"
    rule = "cooling/radiator-mounts-short"
    said, unsaid = (judged(build % more) for more in (", cooling: hybrid", ""))
    assert found(said, rule) == found(unsaid, rule)


@each_row
def test_lines_to_paste_state_no_value_that_nobody_looked_up(case, subject, fields, said, judged):
    """They say how a value is written; of a part to choose, what the others need of it."""
    slots = "[{label: A, position: 1, mechanical: 16}, {label: B, position: 3, mechanical: 16}]"
    around = f"gpus: {{part: RTX 3090, length: 313 mm, thickness: 3 slots}}\nmotherboard: {{slots: {slots}}}\n"
    build = around + "psus: 1000W\ncpu: Ryzen 9 5900X\n" + (case or "case: {kind: tower}")
    assert (
        paste_line(judged(build), subject, dict.fromkeys(fields, "...")).partition("  # ")[2]
        == said
    )


# -- lines to paste ------------------------------------------------------------


#: Every golden build, and a third of those of other people.
BUILDS = sorted(ROOT.glob("tests/builds/*/build.yaml"))
BUILDS += sorted(ROOT.glob("tests/field/*/build.yaml"))[::3]
WRITTEN = table("unknowns", "written")


def lines(report) -> set[str]:
    """Every line that is shown to be added or pasted."""
    answer = build_answer(report, verbose=True)
    usual = {line.paste for f in answer.findings for line in f.rests_on}
    return usual | {m.paste for m in answer.missing}


def rounds(lines: set[str]) -> list[dict[str, object]]:
    """What is pasted at once, each line in place of the section that it is of."""
    made: list[dict[str, object]] = []
    for line in sorted(lines):
        ((section, value),) = yaml.safe_load(line).items()
        free = next((one for one in made if section not in one), None)
        made += [free := {}] if free is None else []
        free[section] = value
    return made


def lost(before, after) -> dict[str, object]:
    """What some data say and others do not, by place; entries of lists are compared in order."""
    if not isinstance(before, (dict, list)):
        return {} if before == after else {"": before}
    rows = before.items() if isinstance(before, dict) else enumerate(before)
    known = after if isinstance(after, dict) else dict(enumerate(after or ()))
    return {f"{k}.{at}": v for k, one in rows for at, v in lost(one, known.get(k)).items()}


@pytest.mark.parametrize("path", [None, *BUILDS], ids=lambda p: p.parent.name if p else "written")
def test_what_is_pasted_is_taken_and_loses_nothing(path, judged) -> None:
    text = path.read_text(encoding="utf-8") if path else WRITTEN
    before = load(text.encode(), "build.yaml")
    for sections in rounds(lines(judged(text))):
        pasted = yaml.safe_dump(yaml.safe_load(text) | sections, allow_unicode=True)
        after = load(pasted.encode(), "build.yaml")
        assert not after.problems, sections
        assert not lost(before.data, after.data), sections
