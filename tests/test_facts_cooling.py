"""Cooling: neighbours, air, temperatures, water and CPU coolers, worked by hand."""

import pytest
from conftest import each_row, table
from handmade import STANDARD, ask, cards, facts_of, of_kind, subject

AIR = table("facts_cooling", "air")
RULES = subject("standard", "standard", **STANDARD, **AIR)
#: Draws 140 W while the cards work.
CPU = subject("cpu", "cpu", base_power="280 W")
WORK = subject("workload", "workload", cpu_share=0.5)


TOWER = of_kind("case", "case", "tower")


def machine(*gpus, positions=(), air=None, case=TOWER, **more):
    """Cards in a tower, with so much air through it."""
    pins = {f"gpus[{n}]": p for n, p in enumerate(positions)}
    cooling = subject("cooling", "cooling", **({"airflow": air} if air else {}))
    parts = {s.id: s for s in (RULES, CPU, WORK, case, cooling)}
    parts |= {s.id: s for s in more.values()}
    return facts_of(*cards(*gpus), *parts.values(), slots=pins)


@each_row
def test_the_estimate_stays_close_to_its_calibration(
    cooler, own, positions, air, degrees, loss
) -> None:
    """Within 5 degC and 4 points of speed of the upper card in each of these machines."""
    card = {**table("facts_cooling", cooler), **own}
    facts = machine(*[card] * len(positions), positions=positions, air=f"{air} CFM")
    reached = ask(facts, "gpu.temperature", "gpus[0]")
    lost = ask(facts, "gpu.thermal_loss", "gpus[0]")
    assert reached.is_exact
    assert reached.low == pytest.approx(degrees, abs=5)
    assert lost.low == pytest.approx(loss, abs=0.04)
    assert ask(facts, "gpu.temperature_is_estimated", "gpus[0]") is True


@pytest.mark.parametrize("size", ["banana", "MO-RA3", "300 mm", "0", "12000 mm"])
def test_a_radiator_of_no_readable_size(size) -> None:
    """Radiators are rows of fans of 120 or 140 mm; no list is none known."""
    with pytest.raises(ValueError, match="multiple of 120 or 140 mm"):
        subject("cooling", "cooling", radiators={size: 1})
    assert ask(facts_of(RULES), "cooling.quiet_sections") is None


@each_row
def test_a_wall_that_cannot_be_read(wall) -> None:
    """Sizes are of rows of fans; `or` stands between ways to fill a wall, `+` within one."""
    with pytest.raises(ValueError, match="needs"):
        subject("case", "case", radiator_walls=[wall])


def test_walls_with_too_many_ways() -> None:
    """Every choice of ways is tried, so there are not endlessly many."""
    with pytest.raises(ValueError, match="ways"):
        subject("case", "case", radiator_walls=[" or ".join(["120 mm"] * 10)] * 10)
