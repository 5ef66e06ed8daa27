"""What several cards bring: the arithmetic of the seeds, and what other links would change."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from conftest import ROOT, TODAY
from handmade import STANDARD, cards, machine, subject

from buildcheck import cli_scale
from buildcheck.errors import InputError
from buildcheck.measure import Facts, measure
from buildcheck.render.scale_text import scale_data, scale_text
from buildcheck.scale import scale

BUILD = ROOT / "tests" / "builds" / "t4-4x3090-280w" / "build.yaml"
#: Shares of link rate as the catalogue has them.
COPIES = {"staged_efficiency": 0.35, "peer_efficiency": 0.75}
SINGLE = {"weight_bytes": 4, "gradient_bytes": 4, "activation_bytes": 4}
#: ResNet-50 on a GTX 1080 Ti: 64 of 209 images a second (Lambda, 2080 Ti benchmarks, 2019).
RESNET = {"parameters": "25.6M", "step_time": f"{64 / 209:.4f} s", "parallel": "data", **SINGLE}


def facts(
    number: int, *, lanes: int = 16, peers: bool = False, network: dict | None = None, **work
) -> Facts:
    """So many cards at generation 3, and a model."""
    slots = [
        {"label": str(n), "position": n, "mechanical": 16, "lanes": lanes, "gen": 3, "owner": "cpu"}
        for n in range(1, 2 * number, 2)
    ]
    card = {"peer_to_peer": peers, "pcie_gen": 3, "pcie_lanes": 16, "thickness": "2 slots"}
    return measure(
        machine(
            *cards(*[card] * number),
            subject("cpu", "cpu", pcie_gen=3, pcie_lanes=128),
            subject("motherboard", "motherboard", slots=slots),
            subject("workload", "workload", **work),
            subject("network", "network", **(network or {})),
            subject("standard", "standard", **STANDARD, **COPIES),
        )
    )


# -- the seeds ---------------------------------------------------------------

#: The seed reckons with 2^30 bits to a gigabit, which is 7 % more.
OF_2014 = 0.07


def of_2014(machines: int) -> Facts:
    """Three cards in each machine, a layer of 1000 x 1000 weights, and 40 Gbit/s."""
    network = {"machines": machines, "between_machines": "40 Gbit/s"}
    return facts(3, parameters="1M", parallel="data", **SINGLE, network=network)


def test_gradients_of_2014_over_network_and_slots() -> None:
    """Seed 002 (2014): 4 MB take 0.75 ms over 40 Gbit/s and 0.25 ms over PCIe 3.0."""
    measured = of_2014(2)
    network = measured("workload.pass_between_machines").low
    slot = measured("workload.pass_between_cards").low
    assert network == pytest.approx(0.75e-3, rel=OF_2014)
    assert slot == pytest.approx(0.25e-3, rel=0.02)
    assert network / slot == pytest.approx(3, rel=OF_2014)
    assert 3 * network == pytest.approx(2.25e-3, rel=OF_2014)


def test_exchanges_of_2014_between_machines() -> None:
    """Seed 002 (2014): the network card is one, so three cards take three times as long.

    The seed writes 7.75 ms for 3 x 2.25 ms, which are 6.75; its 20.25 ms for four machines are
    right.
    """
    assert of_2014(2)("workload.plain_exchange_time").low == pytest.approx(6.75e-3, rel=OF_2014)
    assert of_2014(4)("workload.plain_exchange_time").low == pytest.approx(20.25e-3, rel=OF_2014)
    alone = facts(3, parameters="1M", **SINGLE)
    assert alone("workload.plain_exchange_time").low == pytest.approx(0.5e-3, rel=0.02)


@pytest.mark.parametrize(("number", "times"), [(2, 1.9), (3, 2.8), (4, 3.5)])
def test_convolutions_on_several_cards(number, times) -> None:
    """Seed 003: 1.9, 2.8 and 3.5 times for two, three and four cards, within 5 %.

    Copies are staged in host memory and no exchange is hidden.
    """
    worst = facts(number, **RESNET)("workload.speedup").low
    assert worst == pytest.approx(times, rel=0.05)


def test_four_cards_at_four_lanes() -> None:
    """Seed 002: 5 to 10 % slower than at eight lanes, with copies straight from card to card."""
    wide = facts(4, lanes=8, peers=True, **RESNET)("workload.speedup").low
    narrow = facts(4, lanes=4, peers=True, **RESNET)("workload.speedup").low
    assert 0.05 <= 1 - narrow / wide <= 0.10


def test_machines_gain_from_fifty_gigabits() -> None:
    """Seed 002: 50 Gbit/s between machines at least; with 10 a second machine brings nothing."""
    work = {"parameters": "1B", "step_time": "1 s", "parallel": "data"}
    alone = facts(4, **work)("workload.speedup").low
    both = {
        rate: facts(4, **work, network={"machines": 2, "between_machines": f"{rate} Gbit/s"})(
            "workload.speedup"
        ).low
        for rate in (10, 50)
    }
    assert both[10] < alone < both[50]


def test_mixed_cards_wait_for_the_slowest() -> None:
    """Seed 002; a card of 0.6 of the speed beside one of 1.0 leaves 75 % of both."""
    mixed = measure(machine(*cards({"fp32_rate": "10 TFLOPS"}, {"fp32_rate": "6 TFLOPS"})))
    assert mixed("build.mixed_efficiency").low == pytest.approx(0.75)
    alike = measure(machine(*cards(*[{"fp32_rate": "10..12 TFLOPS"}] * 2)))
    assert alike("build.mixed_efficiency").low == 1
    assert measure(machine(*cards({})))("build.mixed_efficiency") is None


# -- by themselves -----------------------------------------------------------


def test_tensor_parallelism_sums_up_four_times_a_layer() -> None:
    """Twice when serving: 32 layers of width 4096, 2048 tokens, two cards at 5.5 GB/s."""
    model = {"parameters": "7B", "layers": 32, "hidden_size": 4096, "batch": 1, "context": 2048}
    measured = facts(2, **model, activation_bytes=2)
    sums = 4 * 32 * 2048 * 4096 * 2 / 1e9 / (0.35 * 16 * 0.9846)
    assert measured("workload.tensor_exchange_time").low == pytest.approx(sums, rel=1e-3)


def test_what_is_not_known_is_not_guessed() -> None:
    """No step time, no link between machines, or no slots."""
    assert facts(2, parameters="1B")("workload.speedup") is None
    away = facts(2, parameters="1B", step_time="1 s", network={"machines": 2})
    for name in ("plain_exchange_time", "whole_exchange_time", "step_on_all", "speedup"):
        assert away(f"workload.{name}") is None
    nowhere = measure(machine(*cards({}, {}), subject("workload", "workload", parameters="1B")))
    assert nowhere("workload.plain_exchange_time") is None
    assert nowhere("workload.tensor_exchange_time") is None


# -- the command -------------------------------------------------------------

PAIR = """
gpus: 2x RTX 3090
motherboard: ASUS WS X299 SAGE
cpu: Intel Core i9-10900X
workload: {parameters: 1B, step_time: 1 s}
"""


def found(catalog, build: str, **told):
    return scale(build.encode(), "build.yaml", catalog, told)


def test_a_bridge_and_a_network_are_tried(catalog) -> None:
    """Where two cards take one, and where there are several machines."""
    slow = PAIR + "network: {machines: 2, between_machines: 10 Gbit/s}\n"
    answer = found(catalog, slow)
    assert [one.key for one in answer.variants] == ["bridge", "network", "network"]
    for one in answer.variants:
        assert one.times.speedup.low > answer.times.speedup.low
    assert [one.what for one in answer.variants[1:]] == ["50 Gbit/s", "100 Gbit/s"]
    assert "a network of 50 Gbit/s" in " ".join(scale_text(answer).split())


def test_a_build_with_a_bridge_exchanges_over_it(catalog) -> None:
    """At three quarters of 56.25 GB/s, and no other is tried."""
    answer = found(catalog, PAIR + "nvlink: [NVIDIA GeForce RTX 3090 NVLink Bridge 4-slot]\n")
    assert answer.copies.low == pytest.approx(0.75 * 56.25)
    assert "bridge" not in {one.key for one in answer.variants}


def test_wider_slots_are_tried(catalog) -> None:
    """Cards at eight lanes would exchange in half the time."""
    slots = ", ".join(
        f"{{label: S{n}, position: {n}, mechanical: 16, lanes: 8, gen: 3, owner: cpu}}"
        for n in (1, 4)
    )
    board = f"motherboard: {{part: ASUS WS X299 SAGE, slots: [{slots}]}}"
    answer = found(catalog, PAIR.replace("motherboard: ASUS WS X299 SAGE", board))
    wider = next(one for one in answer.variants if one.key == "wider-slots")
    assert wider.times.exchange.low == pytest.approx(answer.times.exchange.low / 2)


def run(*args: str):
    return CliRunner().invoke(cli_scale.main, ["--today", TODAY.isoformat(), *args])


def test_the_command_answers_as_text_and_json() -> None:
    """One answer in two forms, with what nobody measured."""
    text = run(str(BUILD), "--parameters", "1B")
    assert text.exit_code == 0, text.output
    assert "give --step-time" in " ".join(text.stdout.split())
    assert "4 cards in each of one machine" in text.stdout
    told = ("--parameters", "1B", "--step-time", "1 s", "--format", "json")
    data = json.loads(run(str(BUILD), *told).stdout)
    assert data["format_version"] == "1.0"
    assert data["times"]["exchange"]["low"] == pytest.approx(0.544, abs=1e-3)
    assert data["times"]["speedup"]["high"] == 4
    wrong = run(str(BUILD), "--parameters", "1B", "--step-time", "soon")
    assert wrong.exit_code == 2
    assert "--step-time: 'soon' is not a quantity" in wrong.stderr


def test_mixed_and_hostile_builds_are_told(catalog) -> None:
    """Cards of two kinds, a link between machines that nobody knows, and a name that bites."""
    build = "gpus: [RTX 3090, RTX 2080 Ti]\nnetwork: {machines: 2}\n"
    answer = found(catalog, build, parameters="1B")
    text = scale_text(replace(answer, name="x\x1b[31m"))
    assert text.startswith("x\ufffd[31m")
    assert "Cards wait for the slowest" in text
    assert "Between machines: not known." in text
    assert scale_data(answer)["network"] is None
    with pytest.raises(InputError, match="nobody says how large"):
        found(catalog, build)
