"""What the report says beside its verdict: speed of the cards, several of them, and what fits."""

from __future__ import annotations

import re

import pytest
from handmade import SOURCE, cards, facts_of, subject

from buildcheck.model.part import Sourced
from buildcheck.model.quantity import Interval
from buildcheck.render import to_html
from buildcheck.render.drawings.beside import beside_drawing
from buildcheck.render.drawings.scaling import scaling_drawing
from buildcheck.render.scale_text import scale_text
from buildcheck.scale import scale
from buildcheck.speed import Speeds, Work
from buildcheck.speed.beside import WORKS, beside

FOUR = """
gpus: [{part: RTX 3090, count: 4, power_limit: 280 W}]
motherboard: ASUS WS X299 SAGE
cpu: Intel Core i9-10900X
memory: {total: 128 GB}
"""
TRAINING = WORKS[0]


def text_of(page: str, section: str) -> str:
    found = re.search(rf'<section aria-labelledby="{section}">.*?</section>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split()) if found else ""


# -- speed beside others ----------------------------------------------------------------------


def test_the_first_card_of_the_build_is_one_and_its_chip_is_not_beside_it(judged) -> None:
    """An RTX 3090 stands once; the cards it is compared with have ranges around what they do."""
    own, *others = beside(judged(FOUR))
    assert own.is_own
    assert own.ratios[TRAINING].usual == 1
    assert others[0].name == "RTX 4090"
    assert "RTX 3090" not in {card.name for card in others}
    for card in others:
        for ratio in card.ratios.values():
            assert ratio.range.low < ratio.usual < ratio.range.high
    assert others[-1].ratios[TRAINING].usual > 2


def test_a_limit_costs_what_its_curve_says(judged) -> None:
    """280 of 350 W leave 94 to 95 %; no limit is none, and no curve is not known."""
    report = judged(FOUR)
    own = beside(report)[0]
    assert own.limited == report.facts("gpu.limited_speed", report.graph.of("gpu")[0])
    assert 0.9 < own.limited.low <= own.limited.high < 1
    free = beside(judged(FOUR.replace(", power_limit: 280 W", "")))[0]
    assert (free.limit, free.limited) == (None, None)


def test_several_models_are_told_beside_the_first(judged) -> None:
    """A card whose units nobody knows has no speed, and alone no section has a picture."""
    mixed = beside(judged("gpus: [RTX 2080 Ti, RTX 3090]\n"))
    assert [card.name for card in mixed[:2]] == ["RTX 2080 Ti", "RTX 3090"]
    assert mixed[1].ratios[TRAINING].usual > 1
    assert beside(judged("gpus: [{memory: 24 GB}]\n")) == ()
    assert "not known" in beside_drawing("x", ()).why_not


def test_dots_stand_at_estimates_on_a_scale_of_logarithms(judged) -> None:
    """The distance from 1 to 2 is that from 5 to 10, and lines end where ranges do."""
    found = beside(judged(FOUR))
    drawing = beside_drawing("x", found)
    texts = [(s.text, dict(s.attributes)) for s in drawing.shapes if s.tag == "text"]
    at = {text: float(a["x"]) for text, a in texts if a["class"] == "head"}
    assert at["2"] - at["1"] == pytest.approx(at["10"] - at["5"], abs=0.2)
    dots = [float(dict(s.attributes)["cx"]) for s in drawing.shapes if s.tag == "circle"]
    assert dots[0] == pytest.approx(at["1"], abs=0.1)
    assert len(dots) == 3 * len(found)
    assert len(drawing.table.head) == 2 + len(WORKS)


# -- a step on one card ------------------------------------------------------------------------

#: One card of 71 TFLOPS at 16 bit, of which half is reached.
CARD = {"fp32_rate": "35.6 TFLOPS", "arithmetic_16bit": 2, "board_power": "350 W"}
MODEL = {"parameters": "1B", "layers": 24, "hidden_size": 2048, "batch": 1, "context": 2048}


def step(work=None, kind="training", **model):
    given = {**MODEL, "activation_bytes": 2, **model}
    one = subject("workload", "workload", **given)
    one.facts["kind"] = Sourced(kind, SOURCE, "assumption", "test")
    standard = subject("standard", "standard", tensor_utilisation=0.5)
    return facts_of(*cards(work or CARD), one, standard)("workload.step_alone")


def test_a_step_is_what_it_computes_over_what_the_card_does() -> None:
    """6 operations a parameter and token and 12 for attention; 8 where computed again, 2 to serve."""
    plain = 6 * 1e9 * 2048 + 12 * 24 * 2048 * 2048 * 2048
    assert step().low == pytest.approx(plain / (71.2e12 * 0.5))
    assert step(checkpointing=True).low == pytest.approx(step().low * 8 / 6)
    assert step(kind="inference").low == pytest.approx(step().low / 3)
    single = step(activation_bytes=4)
    assert single == Interval(step().low * 2, step().low * 2)
    assert step(step_time="1 s").low == 1
    assert step({"memory": "24 GB"}) is None


def test_a_published_step_is_about_right(catalog) -> None:
    """GPT-2 of 124M on an A100: 12 sequences of 1024 tokens in 0.135 to 0.25 s (nanoGPT).

    Tuned code lies in the range, and untuned code above it by no more than half of its step.
    """
    told = {"parameters": "124M", "layers": "12", "hidden_size": "768", "batch": "12"}
    build = b"gpus: NVIDIA A100 PCIe 40GB\n"
    found = scale(build, "b.yaml", catalog, {**told, "context": "1024", "precision": "bf16"})
    assert found.step == "estimated"
    assert found.times.alone.low < 0.135 < found.times.alone.high
    assert 0.5 < found.times.alone.high / 0.25 < 1


#: Tokens a second on each of eight or sixteen A100 SXM4 80GB and H100 SXM5, by thousand millions of
#: parameters, layers, width, tokens of a sequence and sequences at once (LLM Foundry, training
#: benchmarks in bf16 without checkpointing).
FOUNDRY = {
    (1.316, 24, 2048, 2048, 14): (20513, 45455),
    (2.652, 32, 2560, 2048, 10): (10811, 24142),
    (2.657, 32, 2560, 4096, 5): (9457, 20964),
    (6.659, 32, 4096, 2048, 6): (4641, 10643),
}


@pytest.mark.parametrize("model", FOUNDRY, ids=lambda model: f"{model[0]}B-{model[3]}")
@pytest.mark.parametrize("place", [0, 1], ids=["A100", "H100"])
def test_published_steps_of_large_models_lie_in_the_range(catalog, model, place) -> None:
    """From a thousand million parameters on; the exchange of eight cards is in the measurement."""
    billions, layers, width, context, batch = model
    units, rate, bandwidth = (
        ("A100 tensor units", "19.5 TFLOPS", "2039 GB/s"),
        ("Hopper", "66.9 TFLOPS", "3350 GB/s"),
    )[place]
    card = f"{{tensor_units: {units}, fp32_rate: {rate}, memory_bandwidth: {bandwidth}}}"
    told = {"parameters": f"{billions}B", "layers": str(layers), "hidden_size": str(width)}
    told |= {"context": str(context), "batch": str(batch), "precision": "bf16"}
    alone = scale(f"gpus: [{card}]\n".encode(), "b.yaml", catalog, told).times.alone
    assert alone.low < batch * context / FOUNDRY[model][place] < alone.high


#: BERT large on sequences of 384 tokens, a second, and at once (Lambda, see rules/throughput.yaml).
LAMBDA = {
    "RTX 3090": (52, 28),
    "RTX 4090": (93, 28),
    "NVIDIA A100 PCIe 80GB": (140, 112),
    "NVIDIA H100 PCIe": (204, 112),
}


@pytest.mark.parametrize("name", LAMBDA)
def test_published_steps_of_small_nets_lie_in_the_range(catalog, name) -> None:
    """An H100 reaches about a fifth of its peak there, and an RTX 3090 more than half of its own."""
    rate, batch = LAMBDA[name]
    told = {"parameters": "335M", "layers": "24", "hidden_size": "1024", "precision": "fp16"}
    told |= {"context": "384", "batch": str(batch)}
    alone = scale(f"gpus: {name}\n".encode(), "b.yaml", catalog, told).times.alone
    assert alone.low < batch / rate < alone.high


def test_steps_and_speeds_do_not_contradict_each_other(catalog) -> None:
    """What `speed` says of two cards lies within what their estimated steps allow, as do peaks."""
    cards = {"gpu/nvidia/rtx-3090": "RTX 3090", "gpu/nvidia/h100-pcie": "NVIDIA H100 PCIe"}
    steps = [
        scale(f"gpus: {name}\n".encode(), "b.yaml", catalog, {"parameters": "3B"}).times.alone
        for name in cards.values()
    ]
    slow, fast = steps
    least, most = slow.low / fast.high, slow.high / fast.low
    old, new = cards
    said = Speeds(catalog, cards).relative(new, old, Work())
    peaks = 756 / 71.2
    for times in (said.usual, said.range.high, peaks):
        assert least < times < most
    # Either reading stands in the range by itself.
    assert fast.high > fast.low * 0.65 / 0.30


def test_no_card_reaches_more_of_its_peak_than_is_published(catalog) -> None:
    """Benchmarks of small nets would have an RTX 3090 at all of its 71.2 TFLOPS: 65 % it is."""
    told = {"parameters": "1B", "layers": "24", "hidden_size": "2048"}
    alone = scale(b"gpus: RTX 3090\n", "b.yaml", catalog, told).times.alone
    plain = (6 * 1e9 * 2048 + 12 * 24 * 2048**3) / 71.2e12
    assert alone.low == pytest.approx(plain / 0.65, rel=1e-3)
    assert alone.high == pytest.approx(plain / 0.30, rel=1e-3)


@pytest.mark.parametrize(
    ("time", "words"), [("0.4 s", "That is 52 %"), ("0.1 s", "would be 207 %")]
)
def test_a_stated_step_is_held_against_the_peak(catalog, time, words) -> None:
    """By hand: 14.6 TFLOP in 0.4 s are 36.5 of 71.2 TFLOPS; in 0.1 s they would be twice the peak."""
    told = {"parameters": "1B", "layers": "24", "hidden_size": "2048", "batch": "1"}
    told |= {"context": "2048", "step_time": time}
    found = scale(b"gpus: RTX 3090\n", "b.yaml", catalog, told)
    by_hand = (6 * 1e9 * 2048 + 12 * 24 * 2048**3) / 71.2e12 / float(time.removesuffix(" s"))
    assert found.utilisation.low == pytest.approx(by_hand, rel=0.01)
    assert words in " ".join(scale_text(found).split())
    del told["batch"]
    taken = scale(b"gpus: RTX 3090\n", "b.yaml", catalog, told)
    # One sequence is what is taken where nobody says, and that it is taken is told.
    assert taken.utilisation == found.utilisation
    assert (found.unsized, taken.unsized) == ((), ("batch",))


# -- the page ---------------------------------------------------------------------------------


def test_the_report_has_all_three_beside_its_verdict(judged) -> None:
    """As figures at its head, and each in a section with a drawing; none is taken for granted."""
    page = to_html(judged(FOUR))
    head = " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[0]).split())
    for words in ("Training speed of one card", "All cards on one job", "Largest model"):
        assert words in head
    assert "4 RTX 3090, at 280 W: 94 % of full speed in training" in text_of(page, "speed")
    assert "data parallel, exchange at every step" in head
    assert "with an exchange every 8 steps" in head
    assert "fitted to are small" in text_of(page, "speed")
    assert "No bridge is tried" in text_of(page, "scale")
    assert "with a job on each card" in text_of(page, "speed")
    assert "Taken, as nobody says:" in text_of(page, "scale")
    assert "Copies go through main memory" in text_of(page, "scale")
    assert "checkpointing and ZeRO 3" in text_of(page, "fit")
    assert "The build file states" not in text_of(page, "fit")


def test_the_report_says_whether_a_stated_model_fits(judged) -> None:
    page = to_html(judged(FOUR + "workload: {kind: training, parameters: 13B}\n"))
    assert "13B parameters" in text_of(page, "scale")
    assert "As stated it does not fit" in text_of(page, "fit")


def test_one_card_and_other_work_leave_sections_out(judged) -> None:
    """One card shares nothing; for mining no model is fitted."""
    alone = to_html(judged("gpus: RTX 3090\nmemory: {total: 64 GB}\n"))
    assert not text_of(alone, "scale")
    assert text_of(alone, "fit")
    mining = to_html(judged("gpus: 4x RTX 3090\nworkload: {kind: mining}\n"))
    assert not text_of(mining, "scale")
    assert not text_of(mining, "fit")
    assert 'href="#fit"' not in mining


def test_lines_of_several_cards_stand_where_the_facts_say(catalog) -> None:
    """From one card to four; the upper edge of what nothing hides is the ideal."""
    told = {"parameters": "1B", "step_time": "1 s"}
    found = scale(FOUR.encode(), "b.yaml", catalog, told)
    drawing = scaling_drawing(found)
    paths = [dict(s.attributes) for s in drawing.shapes if s.tag == "path"]
    ideal, upper, lower = [p["d"] for p in paths if p["class"] in ("curve c2", "curve")][:3]
    assert ideal == upper
    points = [tuple(map(float, p.split()[-2:])) for p in lower.replace("M", "L").split("L")[1:]]
    per_card = (points[0][1] - float(ideal.split()[-1])) / 3
    for share, (_, y) in zip(found.shares, points[1:], strict=True):
        assert (points[0][1] - y) / per_card + 1 == pytest.approx(share.times.speedup.low, abs=0.01)
    assert [row[0] for row in drawing.table.rows] == ["2", "3", "4"]


def test_links_nobody_knows_are_asked_for(judged) -> None:
    """No table of unknowns, and nothing is said of other links."""
    page = to_html(judged("gpus: 4x RTX 3090\nmemory: {total: 128 GB}\n"))
    said = text_of(page, "scale")
    assert "name the board" in said
    assert "Taken, as nobody says: precision bf16" in said
    assert "parameters 1B" in said
    assert "<table" not in page.partition('id="scale"')[2].partition("</section>")[0]
    assert "No wider slot" not in said


def test_serving_has_no_gradients_to_exchange(catalog) -> None:
    """Only layers that are split, or lie on several cards, pass anything on."""
    found = scale(FOUR.encode(), "b.yaml", catalog, {"parameters": "7B", "kind": "inference"})
    assert found.times.speedup is None
    assert found.times.tensor_speedup.high > 1
    two = FOUR + "network: {machines: 2, between_machines: 10 Gbit/s}\n"
    apart = scale(two.encode(), "b.yaml", catalog, {"parameters": "7B", "kind": "inference"})
    assert "network" not in {one.key for one in apart.variants}
    text = scale_text(found)
    assert "Tensor parallel" in text
    assert "gradients" not in text.replace("exchange", "")
