"""Worked figures of the seeds: each is in a test or a case that names its seed; two are here.

The seeds are public advice on machines for deep learning: 000 and 001 are notes on Tim Dettmers'
guide of 2020, 002 is his guide of 2023 with three older posts, 003 that of 2019, 004 notes on that of
2020 and others. `seeds.yaml` lists every figure that their texts work out, and the test of each.
"""

import ast
from pathlib import Path

import pytest
import yaml

from buildcheck.logic.quantity import Interval

HERE = Path(__file__).parent
FIGURES = yaml.safe_load((HERE / "seeds.yaml").read_text("utf-8"))


def named(test: str) -> str:
    """What a test says: its name and body, and the tables of its file that it uses; or why a case is."""
    file, _, name = test.partition("::")
    text = (HERE / file).read_text("utf-8")
    if file.endswith(".yaml"):
        return f"{name} {yaml.safe_load(text)['cases'][name]['why']}"
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
