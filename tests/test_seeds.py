"""Worked figures of the seeds that no other test has: power, memory, formats, and several cards.

The seeds are public advice on machines for deep learning: 000 and 001 are notes on Tim Dettmers'
guide of 2020, 002 is his guide of 2023 with three older posts, 003 that of 2019, 004 notes on that of
2020 and others. `seeds.yaml` lists every figure that their texts work out, and the test of each.
"""

import ast
from pathlib import Path

import pytest
import yaml
from handmade import cards, facts_of, supplies
from test_fit import facts as fitting
from test_scaling import RESNET, SINGLE
from test_scaling import facts as scaling

from buildcheck.logic.quantity import Interval, exact

HERE = Path(__file__).parent
FIGURES = yaml.safe_load((HERE / "seeds.yaml").read_text("utf-8"))


def named(test: str) -> str:
    """What a test says: its name and body, and the tables of its file that it uses."""
    file, _, name = test.partition("::")
    text = (HERE / file).read_text("utf-8")
    tree, lines = ast.parse(text).body, text.splitlines()
    found = ""
    for node in tree:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found = "\n".join(lines[first - 1 : node.end_lineno])
    used = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name) and n.id in found}
    for node in tree:
        if isinstance(node, ast.Assign) and {ast.unparse(t) for t in node.targets} & used:
            # With the comment above it.
            found += "\n".join(lines[max(0, node.lineno - 2) : node.end_lineno])
    return found


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure["figure"][:60])
def test_every_figure_has_a_test_that_names_its_seed(figure) -> None:
    """Or says why it has none, as what other people measured once."""
    assert ("test" in figure) != ("why_none" in figure)
    if "test" not in figure:
        return
    body = named(figure["test"]).lower()
    assert body, f"there is no {figure['test']}"
    assert "seed" in body, figure["test"]
    for seed in figure["seeds"]:
        assert seed in body, f"{figure['test']} does not name seed {seed}"


def test_the_list_has_every_seed() -> None:
    seeds = {seed for figure in FIGURES for seed in figure["seeds"]}
    assert seeds == {"000", "001", "002", "003", "004"}


def load(card: str, limit: str = "") -> float:
    facts = {"board_power": card, **({"power_limit": limit} if limit else {})}
    measured = facts_of(*cards(*[facts] * 4), *supplies({"rated_power": "1600 W"}))
    return measured("psu.card_power", measured.graph.of("psu")[0]).low


def test_four_cards_of_350_and_450_watts() -> None:
    """Seed 002: 4 x 350 W are 1400 W and 4 x 450 W are 1800 W; 1600 W leave 200 W for the rest."""
    assert load("350 W") == 1400
    assert load("450 W") == 1800
    assert 1600 - load("350 W") == 200


def test_a_limit_of_300_watts_saves_200() -> None:
    """Seed 002: four RTX 3090 at 300 instead of 350 W; seed 000 has its 1600 W for four RTX 3080."""
    assert load("350 W") - load("350 W", "300 W") == 200
    assert load("320 W") < 1600 < load("450 W")


def test_cards_of_6_gb_make_24_gb() -> None:
    """Seed 002 (2014): two GTX Titan of 6 GB, and more of them, for a cluster of 24 GB."""
    measured = facts_of(*cards(*[{"memory": "6 GB"}] * 4))
    assert measured("build.card_memory") == exact(24.0)


def test_weights_are_split_in_four() -> None:
    """Seed 002 (2014): a matrix of 1000 x 1000 is one of 1000 x 250 on each of four cards."""
    million = fitting(4, parameters=1e-3, tensor_cards=4)
    assert million("workload.weights_on_card").low == pytest.approx(1000 * 250 * 2 / 1e9)


def test_half_precision_is_worth_half_as_much_memory_again() -> None:
    """Seed 003: 8 GB at 16 bit are about 12 GB at 32; a copy of the weights stays in single.

    For BERT large, 340 million parameters, 14 sequences of 512 tokens: weights, gradients and the
    optimizer take as much as before, activations half.
    """
    bert = {"parameters": 0.34, "layers": 24, "hidden_size": 1024, "heads": 16, "vocabulary": 30522}
    bert |= {"batch": 7, "context": 512, "flash_attention": False}
    full = {"weight_bytes": 4, "gradient_bytes": 4, "master_bytes": 0, "activation_bytes": 4}
    halves, whole = fitting(**bert), fitting(**bert, **full)
    assert states(whole) == pytest.approx(states(halves))
    ratio = needed(whole) / needed(halves)
    assert ratio == pytest.approx(1.5, abs=0.15)


def states(measured) -> float:
    names = ("weights", "gradients", "optimizer")
    return sum(measured(f"workload.{name}_on_card").low for name in names)


def needed(measured) -> float:
    return states(measured) + measured("workload.activations_on_card").low


def test_tensor_units_take_a_sixteenth_of_the_cycles(catalog) -> None:
    """Seeds 000 and 004: 128 cycles of multiplications become 8 for a matrix of 32 x 32.

    32 multiplications one after another at four cycles each, or eight products at one.
    """
    facts = catalog.part("standard/generic/speed").facts
    multiply, product = (facts[f"{name}_cycles"].value.low for name in ("multiply", "tensor"))
    assert (32 * multiply, 8 * product) == (128, 8)
    assert 32 * multiply / (8 * product) == 16


def test_tensor_units_wait_for_memory_most_of_the_time(catalog) -> None:
    """Seed 002: 45 to 65 % of their rate at the size of GPT-3; seeds 001 and 004: 30 % for BERT."""
    share = catalog.part("standard/generic/transformers").facts["tensor_utilisation"].value
    assert share == Interval(0.30, 0.65)


@pytest.mark.parametrize("number", [2, 3, 4])
def test_hiding_the_exchange_gains_up_to_a_fifth(number) -> None:
    """Seed 002 (2014): 0 to 20 %, by the network."""
    speedup = scaling(number, **RESNET)("workload.speedup")
    assert 0 <= speedup.high / speedup.low - 1 <= 0.20


def test_gradients_of_8_bit_on_96_cards() -> None:
    """Seed 003: 23 times with 32 bit become 50 times with 8 bit, within 8 %.

    24 machines of four cards at 56 Gbit/s with AlexNet, whose step is as long as makes it 23 times.
    """
    network = {"machines": 24, "between_machines": "56 Gbit/s"}
    work = {"parameters": "61M", "parallel": "data", "network": network}
    whole = scaling(4, **work, **SINGLE)("workload.whole_exchange_time").high
    step = f"{whole / (96 / 23 - 1):.6f} s"
    assert scaling(4, step_time=step, **work, **SINGLE)("workload.speedup").low == pytest.approx(
        23, rel=1e-3
    )
    eighth = {**SINGLE, "gradient_bytes": 1}
    found = scaling(4, step_time=step, **work, **eighth)("workload.speedup").low
    assert found == pytest.approx(50, rel=0.08)


def test_a_batch_is_shared_out() -> None:
    """Seed 002 (2014): 128 examples are 32 on each of four cards and 16 on each of eight."""
    for number, each in ((4, 32), (8, 16)):
        measured = fitting(number, parameters=1, batch=128 / number, context=1)
        assert measured("workload.copies").low == number
        assert measured("workload.tokens").low == each
