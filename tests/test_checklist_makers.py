"""The checklist's steps by whose cards they are, where they sit, and how warm they are expected to be."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import table

from buildcheck.checklist.steps import checklist_answer
from buildcheck.render.documents import code_blocks
from buildcheck.render.templates import words

FOLDER = Path(__file__).parent / "builds"
BOARD = """
motherboard:
  slots:
    - {label: A, position: 1, mechanical: 16, lanes: 16, gen: 4, owner: cpu}
    - {label: B, position: 4, mechanical: 16, lanes: 16, gen: 4, owner: cpu}
"""
AMD = "gpus: [{part: RX 7900 XTX, count: 2, power_limit: 250 W}]\npsus: Corsair AX1600i\n"
MIXED = (
    "gpus: [{part: RTX 3090, slots: [A]}, {part: RX 7900 XTX, power_limit: 330 W, slots: [B]}]\n"
)


def stepped(report) -> dict:
    return {step.id: step for step in checklist_answer(report).steps}


def test_cards_of_amd_ask_for_no_tool_of_nvidia(judged):
    """Neither commands nor remedies name one, and nobody looks for a unit that is not made."""
    steps = stepped(judged(AMD + BOARD))
    for step in steps.values():
        assert "nvidia-smi" not in f"{step.command} {step.text} {step.why} {step.fix}", step.id
    assert steps["acceptance/link"].command.startswith("sudo lspci -vv")
    assert steps["acceptance/temperature"].command == "sensors"
    assert {"limits/set", "limits/at-boot"}.isdisjoint(steps)
    assert "what sets them at every start" in steps["handover/limits"].text


def test_cards_of_nvidia_ask_for_no_tool_of_others(judged):
    """One command each, without a sign of the list it comes from."""
    steps = stepped(judged("gpus: 2x RTX 3090\n" + BOARD))
    assert steps["acceptance/link"].command.startswith("nvidia-smi --query-gpu=pci.bus_id,pcie")
    assert "lspci" not in steps["acceptance/link"].command
    assert not any("[NVIDIA]" in s.command or "[AMD" in s.command for s in steps.values())


def test_cards_nobody_knows_the_maker_of_get_both(judged):
    """Whoever reads it takes what fits."""
    command = stepped(judged("gpus: [{board_power: 300 W}]\n"))["acceptance/temperature"].command
    assert [line.split()[0] for line in command.splitlines()] == ["nvidia-smi", "sensors"]


def test_cards_of_two_makers_are_all_loaded(judged):
    """Each by what loads it, and each measured by what reads it."""
    steps = stepped(judged(MIXED + BOARD))
    assert "gpu-burn" in steps["acceptance/load"].command
    assert "load test of the GPU maker" in steps["acceptance/load"].command
    assert "load test of the GPU maker" in steps["start/programs"].text
    assert "nvidia-smi" in steps["acceptance/link/gpus[0]"].command
    assert "nvidia-smi" not in steps["acceptance/link/gpus[1]"].command
    assert {"limits/set", "limits/at-boot"}.isdisjoint(steps)


def test_an_upright_card_goes_into_its_bracket(judged):
    """Not into an expansion slot; only its cable goes there."""
    steps = stepped(
        judged(
            "gpus: [{part: RTX 3090, slots: [A]}, {part: RTX 3090, slots: [B], vertical: true}]\n"
            "case: {kind: tower, vertical_slots: 3}\n" + BOARD
        )
    )
    assert "riser cable in slot B" in steps["assembly/vertical"].text
    assert "vertical bracket" in steps["assembly/vertical"].text
    assert "GPU 1" in steps["assembly/card-slot"].text
    assert not [s for s in steps.values() if "GPU 2" in s.text and "expansion slot" in s.text]


def test_a_riser_is_led_from_its_slot(judged):
    """Where no card sits in the board, none is pushed into it."""
    steps = stepped(
        judged(
            "gpus: [{part: RTX 3090, slots: [B], riser: true}]\nrisers: [{gen: 4}]\ncase: {kind: open frame}\n"
            + BOARD
        )
    )
    assert steps["assembly/riser-slot"].text.startswith("Connect the riser of GPU 1")
    assert " to slot B" in steps["assembly/riser-slot"].text
    assert "assembly/latch" not in steps
    assert not [s for s in steps.values() if s.kind == "task" and "expansion slot" in s.text]


def heat(power: int, judged) -> dict:
    """Four blowers one above the other in a tower."""
    card = "part: Gigabyte GeForce RTX 3090 TURBO 24G, count: 4"
    return stepped(
        judged(
            f"gpus: [{{{card}, power_limit: {power} W}}]\ncpu: AMD EPYC 7302P\nmotherboard: ASRock Rack ROMED8-2T\n"
            "case: Fractal Design Define 7 XL\npsus: [Corsair AX1600i]\n"
            "memory: {module: 32 GB, count: 8, type: DDR4 RDIMM}\n"
        )
    )


@pytest.mark.parametrize(
    ("power", "step", "told"), table("checklist_makers", "nothing_impossible_is_expected")
)
def test_nothing_impossible_is_expected(power, step, told, judged):
    """An estimate at the limit is a defect of the plan, not a value to measure."""
    steps = heat(power, judged)
    assert told in steps[step].expect
    near = power > 280
    if near:
        assert "about" not in steps[step].expect
    if power == 350:
        assert "fix it before the order" in steps[step].text


def built(name: str, judged) -> dict:
    return stepped(judged((FOLDER / name / "build.yaml").read_text(encoding="utf-8")))


def test_a_limit_the_card_refuses_is_not_expected(judged):
    """What the plan knows to be refused is decided before the order, and then read."""
    steps = built("t8-4x5090-300w", judged)
    asked = [s for s in steps.values() if s.id.startswith("limits/range") or "reboot" in s.id]
    assert [s.id for s in asked if not s.state] == [
        "limits/range-decided",
        "acceptance/decided-limits-after-reboot",
    ]
    assert all("300 W" not in s.expect for s in asked)


def test_cables_and_supplies_come_before_what_they_feed(judged):
    """Which cables before the first of them, and what joins supplies before any card."""
    order = list(built("t12-two-supplies", judged))
    places = [
        order.index(name)
        for name in (
            "assembly/own-cables",
            "assembly/board-power",
            "assembly/supplies-decided",
            "assembly/card-slot/gpus[0]",
            "assembly/card-power/gpus[0..1]",
        )
    ]
    assert places == sorted(places)


def test_no_unit_is_installed_that_is_not_made(judged):
    """Where the limits cannot be set the steps say what comes first."""
    answer = checklist_answer(judged((FOLDER / "t8-4x5090-300w" / "build.yaml").read_text("utf-8")))
    steps = {step.id: step for step in answer.steps}
    for name in ("limits/set", "limits/at-boot"):
        assert steps[name].state == "unknown"
        shown = words("checklist").text(steps[name], answer)
        assert "build file" in shown
        assert "below" not in shown
        assert code_blocks(answer, steps[name]) == []


def test_no_unit_is_asked_for_on_cards_it_does_not_serve(judged):
    """On a supply that carries AMD's cards only with their limits."""
    steps = stepped(
        judged(
            "gpus: [{part: RX 7900 XTX, count: 4, power_limit: 250 W, limit_at_boot: true}]\n"
            "psus: Corsair AX1600i\ncpu: AMD EPYC 7443P\n"
        )
    )
    assert steps["acceptance/unlimited-start"].command == ""
