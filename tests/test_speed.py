"""How fast cards are beside each other: the ratios of the seeds, and what the model is off."""

from __future__ import annotations

import pytest
from conftest import ROOT
from handmade import subject

from buildcheck.catalog import Catalog
from buildcheck.facts.speed import Speed, Spread, compare
from buildcheck.measure import measure
from buildcheck.model.graph import Graph
from buildcheck.model.quantity import exact
from buildcheck.speed import REFERENCE, Speeds, Work, known_chips, ranking

V100, A100 = REFERENCE, "gpu-module/nvidia/a100-sxm4-40gb"
H100 = "gpu-module/nvidia/h100-sxm5"
CARD = "gpu/nvidia/rtx-{}"
TRAINING, VISION = Work(), Work(net="vision")
SERVING, SERVING_8 = Work("inference"), Work("inference", "8bit")
TRAINING_8 = Work("training", "8bit")


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture(scope="module")
def speeds(catalog) -> Speeds:
    return Speeds(catalog, known_chips(catalog))


# -- the seeds ---------------------------------------------------------------

#: How far from a seed's own ratio the model may be.
OF_TRAINING, OF_8BIT = 0.03, 0.1


@pytest.mark.parametrize(("work", "ratio"), [(TRAINING, 1.70), (VISION, 1.45)])
def test_an_a100_over_a_v100(speeds, work, ratio) -> None:
    """1.70x for a transformer; 1.43x and 1.47x, 1.45 between, for vision (seeds 002 and 004)."""
    found = speeds.relative(A100, V100, work)
    assert found.usual == pytest.approx(ratio, rel=OF_TRAINING)
    assert found.range.low < ratio < found.range.high


def test_the_theory_of_2020_is_in_the_range(speeds) -> None:
    """1.78x to 1.87x by bandwidth and caches, and 1.43x and 1.47x measured (seeds 002 and 004)."""
    transformers = speeds.relative(A100, V100, TRAINING).range
    assert transformers.low < 1.78
    assert transformers.high > 1.87
    vision = speeds.relative(A100, V100, VISION).range
    assert vision.low < 1.43
    assert vision.high > 1.47


def test_by_bandwidth_alone(speeds) -> None:
    """1555/900 = 1.73x (seeds 001, 002 and 004), which is the case of one request at a time."""
    a, b = (speeds.of(i, SERVING).cases[1] for i in (A100, V100))
    assert a / b == pytest.approx(1555 / 900)
    assert a / b == pytest.approx(1.73, abs=0.005)


def test_an_rtx_4090_at_8_bit(speeds) -> None:
    """About 0.33x of an H100 module, so that is three times faster (seed 002, 8-bit inference)."""
    found = speeds.relative(CARD.format(4090), H100, SERVING_8)
    assert found.usual == pytest.approx(0.33, rel=OF_8BIT)
    assert found.range.low < 0.33 < found.range.high
    assert 1 / found.usual == pytest.approx(3, rel=OF_8BIT)


def test_fp8_of_an_rtx_4090(speeds) -> None:
    """0.66 PFLOPS, and four of them 2.6 (seed 002)."""
    card = speeds.facts.graph.subjects[CARD.format(4090)]
    assert speeds.facts("gpu.rate_8bit", card).low == pytest.approx(660, rel=0.005)


def test_an_rtx_3090_is_like_a_v100(speeds) -> None:
    """The desktop with one stands for an instance with the other: similar performance (seed 002)."""
    assert speeds.relative(CARD.format(3090), V100, TRAINING).usual == pytest.approx(1, abs=0.2)


def test_units_without_floating_point_of_8_bit(speeds) -> None:
    """Serving in 8 bit is close to 16 bit there; training in it is not modelled (seed 002)."""
    old = CARD.format(3090)
    eight, sixteen = speeds.of(old, SERVING_8), speeds.of(old, SERVING)
    assert eight.usual == sixteen.usual
    assert eight.bonus > sixteen.bonus == 1
    assert speeds.of(old, TRAINING_8) is None
    new = speeds.of(CARD.format(4090), TRAINING_8)
    assert new.usual == speeds.of(CARD.format(4090), TRAINING).usual
    assert 1.5 < new.cases[0] / new.usual < 2


@pytest.mark.parametrize(
    ("latencies", "cycles"),
    [((200, 34), (504, 235, 200)), ((200, 20), (392, 221, 200))],
    ids=["2023", "2020"],
)
def test_cycles_of_a_product_of_tiles(latencies, cycles) -> None:
    """504 without tensor units, 235 with, 200 with copies beside (seed 002).

    392 and 221 with the latencies of 2020 (seed 004).
    """
    memory, shared = latencies
    given = {"memory_cycles": memory, "shared_cycles": shared}
    standard = subject("standard", "standard", **given, multiply_cycles=4, tensor_cycles=1)
    found = measure(Graph({"standard": standard}))("standard.tile_cycles")
    assert found == tuple(map(exact, cycles))


def test_the_catalogue_has_the_cycles_of_2023(speeds) -> None:
    """As seed 002 has them; copies beside the work speed it up by another 15 %."""
    plain, tensor, beside = (c.low for c in speeds.facts("standard.tile_cycles"))
    assert (plain, tensor, beside) == (504, 235, 200)
    assert 1 - beside / tensor == pytest.approx(0.15, abs=0.005)


def test_caches_of_the_guide(speeds) -> None:
    """5.5, 6 and 72 MB in Turing, Volta and Ampere, and Ada (seed 002)."""

    def cache(part_id: str) -> tuple[float, float]:
        found = speeds.facts("gpu.l2_cache", speeds.facts.graph.subjects[part_id])
        return 1000 * found.low, 1000 * found.high

    assert cache(CARD.format(4090)) == pytest.approx((72, 72))
    for part_id, size in ((CARD.format("2080-ti"), 5.5), (CARD.format(3090), 6), (V100, 6)):
        low, high = cache(part_id)
        assert low <= 1.05 * size
        assert size <= high <= 7


# -- what is known and what is not -------------------------------------------


def test_cards_without_known_rates_have_no_speed(catalog) -> None:
    """Whose tensor units nobody looked up is not ranked, and nothing is taken for it."""
    speeds = Speeds(catalog, ["gpu/amd/rx-7900-xtx", CARD.format("5090-d"), CARD.format(3090)])
    assert speeds.of("gpu/amd/rx-7900-xtx", TRAINING) is None
    assert speeds.relative(CARD.format("5090-d"), CARD.format(3090), TRAINING) is None
    assert [row.id for row in ranking(speeds, TRAINING)] == [CARD.format(3090)]


def test_a_card_of_a_chip_is_as_fast_as_that(catalog) -> None:
    """A partner's card has the rates of its chip."""
    card = "gpu/gigabyte/geforce-rtx-3090-turbo-24g"
    speeds = Speeds(catalog, [card, CARD.format(3090)])
    assert speeds.relative(card, CARD.format(3090), TRAINING).usual == pytest.approx(1)


def test_no_estimate_is_surer_than_the_fit(speeds) -> None:
    """Two cards of other tensor units are never told apart by less than the fit is off."""
    found = speeds.relative(CARD.format(3090), CARD.format("2080-ti"), TRAINING)
    spread = speeds.spread(TRAINING)
    assert found.range.low == pytest.approx(found.usual / spread.other)
    alike = speeds.relative(CARD.format(3090), CARD.format(3080), TRAINING)
    assert alike.range.high == pytest.approx(alike.usual * spread.alike)
    assert 1 < spread.alike < spread.other


def test_places_are_as_sure_as_ranges() -> None:
    """Who could pass whom within the ranges, by hand: 1.5 apart is sure at 1.4, 1.2 is not."""
    spread = Spread(1.4, 1.1)
    fast, middle, slow = (Speed(v, (), 1.0, u) for v, u in ((3, "a"), (2, "b"), (1.9, "c")))
    assert compare(fast, middle, spread).range.low == pytest.approx(1.5 / 1.4)
    assert compare(middle, slow, spread).range.low < 1 < compare(middle, slow, spread).range.high
    same = compare(middle, Speed(1.7, (), 1.0, "b"), spread)
    assert same.range.low > 1


def test_the_ranking_shows_who_could_swap(speeds) -> None:
    """Places reach as far as ranges do, and hold the estimate's own."""
    rows = ranking(speeds, TRAINING)
    assert [row.place.usual for row in rows] == list(range(1, len(rows) + 1))
    assert all(r.place.best <= r.place.usual <= r.place.worst for r in rows)
    by_id = {row.id: row for row in rows}
    # A Titan RTX and a Quadro RTX 6000 are one chip at one clock.
    a, b = by_id["gpu/nvidia/titan-rtx"], by_id["gpu/nvidia/quadro-rtx-6000"]
    assert abs(a.ratio.usual / b.ratio.usual - 1) < 0.01
    assert a.place.best <= b.place.usual <= a.place.worst
    # Nothing makes a GTX 1060 as fast as an H100.
    assert by_id["gpu/nvidia/gtx-1060-3gb"].place.best > by_id[H100].place.worst


def test_every_ratio_turns_around(speeds) -> None:
    """What a is to b, b is the inverse of to a, ends and all."""
    for work in (TRAINING, VISION, SERVING, SERVING_8):
        there = speeds.relative(CARD.format(4090), A100, work)
        back = speeds.relative(A100, CARD.format(4090), work)
        assert there.usual * back.usual == pytest.approx(1)
        assert there.range.low * back.range.high == pytest.approx(1)


def test_the_shipped_constants_are_shares() -> None:
    """Arithmetic and traffic are parts of the time, and leave some for the rest."""
    text = (ROOT / "parts_db/standard/generic/speed.yaml").read_text("utf-8")
    assert "transformer_arithmetic" in text
    speeds = Speeds(Catalog(), [V100])
    for net in ("transformer", "vision"):
        shares = [speeds.facts(f"standard.{net}_{name}").low for name in ("arithmetic", "traffic")]
        assert 0 < sum(shares) < 1
    # The reference card is as fast as itself.
    for work in (TRAINING, VISION, SERVING):
        assert speeds.of(V100, work).usual == pytest.approx(1, abs=0.01)
