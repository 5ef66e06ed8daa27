"""How fast cards are beside each other: the ratios of the seeds, and what the model is off."""

import math

import pytest
from conftest import each_of, table

from buildcheck.errors import InputError
from buildcheck.facts.speed import Speed, Spread, Work, compare
from buildcheck.load.price_list import price_book
from buildcheck.model.answer import Figure
from buildcheck.workload.speed.answer import Ranking
from buildcheck.workload.speed.machine import build_speed
from buildcheck.workload.speed.ranked import ranking_answer
from buildcheck.workload.speed.ranking import Speeds, known_chips, ranking

V100, A100 = "gpu-module/nvidia/tesla-v100-sxm2", "gpu-module/nvidia/a100-sxm4-40gb"
H100 = "gpu-module/nvidia/h100-sxm5"
CARD = "gpu/nvidia/rtx-{}"
TRAINING, VISION = Work(), Work(net="vision")
SERVING, SERVING_8 = Work("inference"), Work("inference", "8bit")
TRAINING_8 = Work("training", "8bit")


@pytest.fixture(scope="module")
def speeds(catalog) -> Speeds:
    return Speeds(catalog, known_chips(catalog))


@each_of("cases")
def test_one_card_over_another(case, speeds) -> None:
    """Near the ratio that a seed has, which lies in the range."""
    found = speeds.relative(*case["of"], Work(*case["at"]))
    ratio, within = case["usual"]
    assert found.usual == pytest.approx(ratio, rel=within)
    for value in case.get("in_range", [ratio]):
        assert found.range.low < value < found.range.high


def test_by_bandwidth_alone(speeds) -> None:
    """1555/900 = 1.73x (seeds 001, 002 and 004), which is the case of one request at a time."""
    a, b = (speeds.of(i, SERVING).cases[1] for i in (A100, V100))
    assert a / b == pytest.approx(1555 / 900)
    assert a / b == pytest.approx(1.73, abs=0.005)


def test_fp8_of_an_rtx_4090(speeds) -> None:
    """0.66 PFLOPS, and four of them 2.6 (seed 002)."""
    card = speeds.facts.graph.subjects[CARD.format(4090)]
    assert speeds.facts("gpu.rate_8bit", card).low == pytest.approx(660, rel=0.005)


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


TILES = ("plain", "tensor", "overlapped")


def test_the_catalogue_has_the_cycles_of_2023(speeds) -> None:
    """As seed 002 has them; copies at the same time speed it up by another 15 %."""
    plain, tensor, overlapped = (speeds.facts(f"standard.{way}_tile_cycles").low for way in TILES)
    assert (plain, tensor, overlapped) == (504, 235, 200)
    assert 1 - overlapped / tensor == pytest.approx(0.15, abs=0.005)


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


def test_what_a_large_cache_may_bring(speeds) -> None:
    """Products 1.5 to 2.0 times as fast on Ada, if they stay in it (seed 002).

    Whole nets gain less, and only the range says so.
    """
    assert 1.5 <= speeds.facts("standard.cache_gain").low <= 2.0
    assert 1.2 < speeds.of(CARD.format(4090), TRAINING).bonus < 1.4
    assert speeds.of(CARD.format(3090), TRAINING).bonus == 1


def test_cards_without_known_rates_have_no_speed(catalog) -> None:
    """Whose tensor units nobody looked up is not ranked, and nothing is taken for it."""
    speeds = Speeds(catalog, ["gpu/amd/rx-7900-xtx", CARD.format("5090-d"), CARD.format(3090)])
    assert speeds.of("gpu/amd/rx-7900-xtx", TRAINING) is None
    assert speeds.relative(CARD.format("5090-d"), CARD.format(3090), TRAINING) is None
    assert [row.id for row in ranking(speeds, TRAINING)] == [CARD.format(3090)]


def test_a_card_of_a_chip_is_as_fast_as_that(catalog) -> None:
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


def test_independent_factors_are_joined() -> None:
    """By hand: cases 2.0 over and 1.5 under an estimate of 1, and a spread of 1.4."""
    one, other = Speed(1.0, (2.0, 1 / 1.5), 1.0, "a"), Speed(1.0, (1.0, 1.0), 1.0, "b")
    found = compare(one, other, Spread(1.4, 1.1)).range
    assert found.high == pytest.approx(math.exp(math.sqrt(math.log(2) ** 2 + math.log(1.4) ** 2)))
    assert found.low == pytest.approx(
        1 / math.exp(math.sqrt(math.log(1.5) ** 2 + math.log(1.4) ** 2))
    )
    # Less than both multiplied, and no less than the larger of the two.
    assert 2.0 < found.high < 2.0 * 1.4


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


#: List prices at launch, in USD; those that the guide reckons with, of January 2023, are not said.
LISTED = table("speed", "listed")


@pytest.fixture(scope="module")
def prices(catalog):
    """Those prices, as a list of a user's own."""
    given = {f"gpu/nvidia/{name}": f"{amount}.00 USD" for name, amount in LISTED.items()}
    return price_book(catalog, given=given)


def by_money(catalog, prices, work) -> Ranking:
    """The cards of the list by speed for money, on the guide's terms."""
    names = [f"gpu/nvidia/{name}" for name in LISTED]
    return ranking_answer(catalog, prices, work, names).ranking


def value_of(found: Ranking, part_id: str):
    return next(row for row in found.by_value if row.id == part_id)


def test_electricity_of_an_rtx_4090(catalog, prices) -> None:
    """About 100 USD a year at 0.175 USD/kWh and 15 % use (seed 002), over five years."""
    found = by_money(catalog, prices, TRAINING)
    assert (found.terms.use, found.terms.years) == (0.15, 5)
    assert found.terms.electricity == "0.175 USD/kWh"
    assert value_of(found, CARD.format(4090)).cost.electricity / 5 == pytest.approx(103, abs=1)


def test_the_desktop_around_an_rtx_3090(catalog, prices) -> None:
    """2200 USD with the card at its list price (seed 002), from the assumed desktop."""
    one = value_of(by_money(catalog, prices, TRAINING), CARD.format(3090))
    assert one.cost.total - one.cost.electricity == pytest.approx(2200, abs=2)


def test_an_rtx_4070_ti_over_an_rtx_3090_for_money(catalog, prices) -> None:
    """About 2x in serving at 8 bit (seed 002), within a fifth, at list prices."""
    found = by_money(catalog, prices, SERVING_8)
    one, other = (value_of(found, CARD.format(name)) for name in ("4070-ti", 3090))
    assert one.speed.usual / other.speed.usual == pytest.approx(2, rel=0.2)


def test_what_was_most_for_the_money_in_training(catalog, prices) -> None:
    """The RTX 3080 for training at 16 bit (seed 002)."""
    assert by_money(catalog, prices, TRAINING).by_value[0].id == CARD.format(3080)


def test_money_of_another_currency_is_not_compared(catalog, prices) -> None:
    """Prices in dollars say nothing next to a desktop in euros; in dollars both cards have one."""
    names, money = [CARD.format(3090)], ("700 EUR", "0.30 EUR/kWh")
    both = ranking_answer(catalog, prices, TRAINING, names, CARD.format(4090), (None, None))
    assert both.ranking.unpriced == {}
    found = ranking_answer(catalog, prices, TRAINING, names, None, money).ranking
    assert (len(found.by_speed), found.by_value, found.terms.assumed) == (1, (), ())
    assert found.unpriced == {"RTX 3090": "currency"}
    with pytest.raises(InputError, match="--desktop"):
        ranking_answer(catalog, prices, TRAINING, names, None, ("much", None))


def test_cheaper_electricity_helps_what_takes_more(catalog, prices) -> None:
    """The card of 450 W gains on the one of 285 W."""
    names = [CARD.format(4090), CARD.format("4070-ti")]

    def gap(price: str) -> float:
        found = ranking_answer(catalog, prices, TRAINING, names, None, (None, price)).ranking
        one, other = (value_of(found, name).speed.usual for name in names)
        return one / other

    assert gap("0.05 USD/kWh") > gap("0.50 USD/kWh")


@pytest.fixture(scope="module")
def report(judged):
    return judged("t4-4x3090-280w")


def at(works, work: Work):
    """The estimate at a kind of work."""
    found = {(w.use, w.precision, w.architecture): w.speed for w in works}
    return found[tuple(work)]


def test_cards_of_a_build_at_their_limit(speeds, report) -> None:
    """Four cards at 0.80 of their power are 4 x 0.94 = 3.76 cards."""
    build = build_speed(report).build
    one = speeds.relative(CARD.format(3090), V100, TRAINING).usual
    (group,) = build.groups
    assert group.training == Figure(0.94, 0.94)
    assert group.serving == Figure(0.94, 0.99)
    assert at(build.works, TRAINING).usual == pytest.approx(4 * 0.94 * one, rel=1e-2)
    # Training at 8 bit is nothing for these.
    assert at(build.works, TRAINING_8) is None
    serving = at(build.works, SERVING)
    assert serving.low < serving.usual < serving.high


def test_a_build_next_to_a_card(report, catalog) -> None:
    """Four cards of 94 % over one RTX 3090 are 3.76, over an RTX 4090 less, surely or not."""
    names = [CARD.format(3090), CARD.format(4090), CARD.format("5090-d")]
    same, newer, unknown = build_speed(report, Speeds(catalog, names)).build.others
    exactly = at(same.works, TRAINING)
    assert (exactly.low, exactly.usual, exactly.high) == (3.76, 3.76, 3.76)
    ratio = Speeds(catalog, names).relative(*names[:2], TRAINING)
    over = at(newer.works, TRAINING)
    assert over.usual == pytest.approx(4 * 0.94 * ratio.usual, rel=1e-2)
    assert over.low == pytest.approx(4 * 0.94 * ratio.range.low, rel=1e-2)
    assert unknown.works == ()
