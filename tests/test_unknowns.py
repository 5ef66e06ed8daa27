"""What the build does not say must not acquit it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import ROOT, table

from buildcheck.logic.quantity import Interval
from buildcheck.render.templates import text
from buildcheck.report.answer import ValidateAnswer
from buildcheck.report.build import build_answer
from buildcheck.report.missing import missing_answers, paste_line

EXAMPLE = (ROOT / "tests" / "builds" / "lab-4x3090" / "build.yaml").read_text(encoding="utf-8")
RADIATOR = "cooling/card-radiator-without-place"
LARGE = (ROOT / "tests" / "builds" / "t3-4x3090-350w" / "build.yaml").read_text(encoding="utf-8")


def found(report, rule: str) -> set[str]:
    """Every verdict of a rule in a report."""
    return {f.verdict for f in report.findings if f.rule.id == rule}


def test_a_large_machine_without_an_outlet_is_unknown(judged):
    """At a 15 A outlet it fails; without one nobody knows."""
    assert judged(LARGE).verdict == "fail"
    nowhere = judged(LARGE.replace("site: {outlet: NEMA 5-15}\n", ""))
    assert nowhere.verdict == "unknown"
    assert "site" in nowhere.not_listed
    assert found(nowhere, "circuit/breaker-overload") == {"not-listed"}


def test_a_small_machine_needs_no_outlet(judged):
    """What any usual outlet carries is not asked about."""
    report = judged("gpus: RTX 3070\npsus: [{rated_power: 650 W}]\ncpu: AMD Ryzen 5 3600\n")
    assert found(report, "circuit/breaker-overload") == {"likely-pass"}


@pytest.mark.parametrize(
    ("gpus", "said"), table("unknowns", "gpus_of_which_only_the_number_is_known_are_judged")
)
def test_gpus_of_which_only_the_number_is_known_are_judged(gpus, said, judged):
    """As far as it goes: those of one entry are of one model, whichever it is."""
    report = judged(f"gpus: {gpus}\nworkload: {{kind: training, parallel: data}}\n")
    assert (report.verdict, found(report, "workload/mixed-cards")) == ("unknown", {said})


def test_one_lane_is_likely_too_few_until_the_work_is_stated(judged):
    """Cards on one lane fail for one job on all of them; unstated work does not acquit them."""
    risers = "risers: [{lanes: 1, gen: 3, count: 4}]\n"
    stated = judged(EXAMPLE + risers)
    assert found(stated, "pcie/one-lane-riser") == {"fail"}
    silent = judged(EXAMPLE.replace("parallel: data, ", "") + risers)
    assert found(silent, "pcie/one-lane-riser") == {"likely-fail"}
    alone = judged(EXAMPLE.replace("parallel: data", "parallel: none") + risers)
    assert found(alone, "pcie/one-lane-riser") == {"not-applicable"}


def test_slots_given_in_the_build_file_count(judged):
    """Three cards of three slots do not fit on a single slot, whoever described it."""
    report = judged(
        "gpus: [{part: RTX 3090, count: 3, thickness: 3 slots}]\n"
        "motherboard: {slots: [{label: A, position: 1, mechanical: 16, lanes: 16, gen: 4, owner: cpu}]}\n"
    )
    assert found(report, "pcie/fewer-slots-than-cards") == {"fail"}
    assert [e.data["slot"] for e in report.graph.edges if e.kind == "seated"] == ["A"]


def test_one_thin_riser_among_silent_ones_condemns_no_card(judged):
    """Nobody says which card hangs on it, nor how wide the others are."""
    mixed = judged(EXAMPLE + "risers: [{lanes: 1, gen: 3}, {length: 300 mm, count: 3}]\n")
    assert found(mixed, "pcie/one-lane-riser") == {"unknown"}


def test_a_riser_for_each_card_takes_them_off_the_board(judged):
    """With fewer risers than cards the build has to say which."""
    every = judged(EXAMPLE + "risers: [{gen: 4, count: 4}]\n")
    assert found(every, "pcie/riser-signal") == {"fail"}
    some = judged(EXAMPLE + "risers: [{gen: 4, count: 2}]\n")
    assert found(some, "pcie/riser-signal") == {"not-applicable"}
    assert found(some, "record/riser-unused") == {"fail"}


def test_what_no_build_file_can_say_is_not_asked_for(judged):
    """How fast all copies together go is a range of a standard: nobody gives it under `standard:`."""
    report = judged(EXAMPLE.replace("parallel: data", "parallel: data, parameters: 1.3B"))
    assert found(report, "workload/exchange-slow") == {"unknown"}
    asked = missing_answers(report, detail=True)
    assert asked
    assert not any("workload/exchange-slow" in one.rules for one in asked)
    assert not any("standard" in one.paste for one in asked)


def test_radiators_are_judged_by_their_sizes(judged):
    """Three places of 120 mm in the front of a chassis are none for three radiators of 240 mm."""
    build = "gpus: {}x MSI GeForce RTX 4090 SUPRIM LIQUID X 24G\ncase: SilverStone RM44\n"
    assert found(judged(build.format(1)), RADIATOR) == {"pass"}
    assert found(judged(build.format(3)), RADIATOR) == {"fail"}
    unsized = "gpus: [{part: RTX 4090, cooling: hybrid}]\ncase: SilverStone RM44\n"
    (finding,) = [f for f in judged(unsized).findings if f.rule.id == RADIATOR]
    assert finding.verdict == "unknown"
    assert [(m.subject, m.field) for m in finding.missing] == [("gpus[0]", "radiator")]


SITE = "site: {outlet: NEMA 5-20}"


def test_a_circuit_of_no_known_outlet_may_be_any(judged):
    """Of 230 V and 20 A no outlet is known: 10 A as of the next smaller, or 80 % of 20 A."""
    stated = "site: {{voltage: 230 V, breaker: {}}}"
    light = judged(EXAMPLE.replace(SITE, stated.format("20 A")))
    assert light.facts("circuit.continuous_current") == Interval(10, 16)
    # Below 10 A it is within any reading, by code or not.
    about = {f.verdict for f in light.findings if f.rule.id.startswith("circuit/continuous")}
    assert about <= {"likely-pass", "pass", "not-applicable"}
    assert light.passes
    heavy = judged(EXAMPLE.replace(SITE, stated.format("20 A, other_load: 1200 W")))
    assert found(heavy, "circuit/continuous-overload") == {"unknown"}
    small = judged(EXAMPLE.replace(SITE, stated.format("7 A")))
    assert found(small, "circuit/continuous-overload") == {"unknown"}


def test_a_case_that_states_its_room_asks_for_the_size_of_what_goes_in(judged):
    """A supply and a card of no stated size are not taken to fit a chassis that limits them."""
    build = "gpus: {{part: RTX 4090, count: 1{}}}\npsus: [{{rated_power: 1000 W{}}}]\ncase: SilverStone RM44\n"
    silent = judged(build.format("", ""))
    assert found(silent, "space/psu-too-long") == {"likely-pass"}
    assert found(silent, "space/sixteen-pin-cramped") == {"unknown"}
    sized = judged(build.format(", height: 150 mm", ", length: 180 mm"))
    assert found(sized, "space/psu-too-long") == {"pass"}
    assert found(sized, "space/sixteen-pin-cramped") == {"fail"}


def test_a_card_of_no_stated_height_is_not_taken_to_fit_a_low_case(judged):
    """Large coolers end at 150 mm: a case for more takes any, one that may end below does not."""
    build = "gpus: RTX 3090\ncase: {}\n"
    rule = "space/card-too-tall"
    # 154 mm with its card retainer out, as its height for coolers is: few of these GPUs are taller.
    assert found(judged(build.format("SilverStone RM44")), rule) == {"likely-pass"}
    assert found(judged(build.format("{kind: 4U, card_height_max: 120 mm}")), rule) == {"unknown"}
    assert found(judged(build.format("{kind: tower, card_height_max: 158 mm}")), rule) == {
        "likely-pass"
    }


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


def test_the_air_of_a_case_in_no_catalogue_is_unknown(judged):
    """It may be a server chassis that ducts air, with fans of any strength."""
    build = "gpus: 8x NVIDIA L40S\ncase: {}\n"
    unknown = judged(build.format("Acme Brontosaurus GX-88"))
    assert found(unknown, "cooling/passive-card") == {"unknown"}
    assert "fail" not in found(unknown, "cooling/heat-beyond-fans")
    assert found(judged(build.format("{kind: tower}")), "cooling/passive-card") == {"fail"}


@pytest.mark.parametrize(
    ("site", "voltage", "sustained"),
    table("unknowns", "outlets_whose_voltage_the_name_leaves_open"),
)
def test_outlets_whose_voltage_the_name_leaves_open(judged, site, voltage, sustained):
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


def test_a_budget_without_a_share_is_printed_without_one(judged):
    """As of PSUs that may give nothing at the voltage of the outlet."""
    build = build_answer(judged("gpus: RTX 3070\npsus: [Corsair RM850x]\n"), verbose=True)
    budgets = tuple(replace(b, share=None) for b in build.budgets)
    answer = ValidateAnswer((replace(build, budgets=budgets),))
    assert "None" not in text("validate", answer, verbose=True)


def test_what_a_machine_is_for_is_not_assumed_against_it(judged):
    """32 GB for 96 GB of GPUs: too little to train, and not known to be an error without a use."""
    build = "gpus: 4x RTX 3090\nmemory: 32 GB\n"
    rule = "memory/below-total-card-memory"
    assert found(judged(f"{build}workload: training\n"), rule) == {"fail"}
    assert found(judged(build), "memory/below-total-when-serving") == {"fail"}
    assert judged(build).verdict != "fail"


@pytest.mark.parametrize("load", ["other_load: about a heater", "circuit: 15 A shared with a lab"])
def test_a_load_in_words_is_not_taken_to_be_none(judged, load):
    build = judged(f"gpu: RTX 3090\npsu: Corsair AX1600i\nsite: {{outlet: NEMA 5-15, {load}}}\n")
    assert found(build, "circuit/breaker-overload") == {"unknown"}
    assert "nothing else" not in assumed(build).get("site", "")


def test_recalled_places_of_slots_decide_nothing_for_certain(judged):
    """Four slots thick, two GPUs fit by a slot of the chipset: of that only given places tell."""
    board = "gpus: [{part: RTX 3090, count: 2, thickness: 4 slots}]\nmotherboard: {part: ROG Crosshair VIII Dark Hero"
    places = ", slot_positions: {PCIEX16_1: 2, PCIEX16_2: 5, PCIEX1_1: 6, PCIEX16_3: 7}}"
    for end, expected in (("}", ({"likely-pass"}, False)), (places, ({"pass"}, True))):
        said = [found(judged(board + end), r) for r in ("space/cards-collide", "pcie/chipset-slot")]
        assert (said[0], "fail" in said[1]) == expected


def test_a_gpu_with_a_radiator_is_hybrid_whether_said_or_not(judged):
    """Leaving out how it is cooled takes no radiator away."""
    build = "gpus: [{part: RTX 4090, count: 2, radiator: 240 mm%s}]\ncase: {kind: tower, radiators: {240 mm: 1}}\n"
    rule = "cooling/radiator-mounts-short"
    said, unsaid = (judged(build % more) for more in (", cooling: hybrid", ""))
    assert found(said, rule) == found(unsaid, rule)


@pytest.mark.parametrize(
    ("case", "subject", "fields", "said"),
    table("unknowns", "lines_to_paste_state_no_value_that_nobody_looked_up"),
)
def test_lines_to_paste_state_no_value_that_nobody_looked_up(judged, case, subject, fields, said):
    """They say how a value is written; of a part to choose, what the others need of it."""
    slots = "[{label: A, position: 1, mechanical: 16}, {label: B, position: 3, mechanical: 16}]"
    around = f"gpus: {{part: RTX 3090, length: 313 mm, thickness: 3 slots}}\nmotherboard: {{slots: {slots}}}\n"
    build = around + "psus: 1000W\ncpu: Ryzen 9 5900X\n" + (case or "case: {kind: tower}")
    assert (
        paste_line(judged(build), subject, dict.fromkeys(fields, "...")).partition("  # ")[2]
        == said
    )
