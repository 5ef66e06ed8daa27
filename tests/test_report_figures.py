"""What the report says of speed, of several GPUs on one job, and of what fits."""

import re

import pytest
from conftest import table

from buildcheck.facts.speed import Work
from buildcheck.render import templates
from buildcheck.render.drawings.figures import known_drawing, scaling_drawing
from buildcheck.render.page import to_html
from buildcheck.whole_report.answer import report_answer
from buildcheck.workload.scale.answer import read_scale
from buildcheck.workload.speed.machine import report_speed
from buildcheck.workload.speed.ranking import Speeds

FOUR = table("report_figures", "four")


def text_of(page: str, section: str) -> str:
    found = re.search(
        rf'<details class="fold" id="{section}">.*?(?=<details class="fold"|</main>)',
        page,
        re.DOTALL,
    )
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split()) if found else ""


def test_the_first_card_of_the_build_is_one_and_its_chip_is_not_repeated(unjudged) -> None:
    """An RTX 3090 stands once; the cards it is compared with have ranges around what they do."""
    own, *others = report_speed(unjudged(FOUR)).known
    assert own.is_own
    assert own.works[0].speed.usual == 1
    assert others[0].name == "RTX 4090"
    assert "RTX 3090" not in {gpu.name for gpu in others}
    for gpu in others:
        for work in gpu.works:
            assert work.speed.low < work.speed.usual < work.speed.high
    assert others[-1].works[0].speed.usual > 2


def test_several_models_are_relative_to_the_first(unjudged) -> None:
    """Without known rates there is no picture."""
    mixed = report_speed(unjudged("gpus: [RTX 2080 Ti, RTX 3090]\n")).known
    assert [gpu.name for gpu in mixed[:2]] == ["RTX 2080 Ti", "RTX 3090"]
    assert mixed[1].works[0].speed.usual > 1
    unknown = report_speed(unjudged("gpus: [{memory: 24 GB}]\n"))
    assert unknown.known == ()
    assert known_drawing(unknown) is None


def test_dots_stand_at_estimates_on_a_scale_of_logarithms(unjudged) -> None:
    """The distance from 1 to 2 is that from 5 to 10, and lines end where ranges do."""
    answer = report_speed(unjudged(FOUR))
    drawing = known_drawing(answer)
    texts = [(s.text, dict(s.attributes)) for s in drawing.shapes if s.tag == "text"]
    at = {text: float(a["x"]) for text, a in texts if a["class"] == "head"}
    assert at["2"] - at["1"] == pytest.approx(at["10"] - at["5"], abs=0.2)
    dots = [float(dict(s.attributes)["cx"]) for s in drawing.shapes if s.tag == "circle"]
    assert dots[0] == pytest.approx(at["1"], abs=0.1)
    assert len(dots) == 3 * len(answer.known)


def test_a_published_step_is_about_right(catalog) -> None:
    """GPT-2 of 124M on an A100: 12 sequences of 1024 tokens in 0.135 to 0.25 s (nanoGPT).

    Tuned code lies in the range, and untuned code above it by no more than half of its step.
    """
    told = {"parameters": "124M", "layers": "12", "hidden_size": "768", "batch": "12"}
    build = b"gpus: NVIDIA A100 PCIe 40GB\n"
    found = read_scale(build, "b.yaml", catalog, {**told, "context": "1024", "precision": "bf16"})
    assert found.step_is == "estimated"
    assert found.times.step_on_one.low < 0.135 < found.times.step_on_one.high
    assert 0.5 < found.times.step_on_one.high / 0.25 < 1


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
    alone = read_scale(f"gpus: [{card}]\n".encode(), "b.yaml", catalog, told).times.step_on_one
    assert alone.low < batch * context / FOUNDRY[model][place] < alone.high


#: BERT large on sequences of 384 tokens, a second, and at once (Lambda, see rules/throughput.yaml).
LAMBDA = table("report_figures", "lambda")


@pytest.mark.parametrize("name", LAMBDA)
def test_published_steps_of_small_nets_lie_in_the_range(catalog, name) -> None:
    """An H100 reaches about a fifth of its peak there, and an RTX 3090 more than half of its own."""
    rate, batch = LAMBDA[name]
    told = {"parameters": "335M", "layers": "24", "hidden_size": "1024", "precision": "fp16"}
    told |= {"context": "384", "batch": str(batch)}
    alone = read_scale(f"gpus: {name}\n".encode(), "b.yaml", catalog, told).times.step_on_one
    assert alone.low < batch / rate < alone.high


def test_steps_and_speeds_do_not_contradict_each_other(catalog) -> None:
    """What `speed` says of two cards lies within what their estimated steps allow, as do peaks."""
    cards = {"gpu/nvidia/rtx-3090": "RTX 3090", "gpu/nvidia/h100-pcie": "NVIDIA H100 PCIe"}
    steps = [
        read_scale(
            f"gpus: {name}\n".encode(), "b.yaml", catalog, {"parameters": "3B"}
        ).times.step_on_one
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
    alone = read_scale(b"gpus: RTX 3090\n", "b.yaml", catalog, told).times.step_on_one
    plain = (6 * 1e9 * 2048 + 12 * 24 * 2048**3) / 71.2e12
    assert alone.low == pytest.approx(plain / 0.65, rel=1e-3)
    assert alone.high == pytest.approx(plain / 0.30, rel=1e-3)


@pytest.mark.parametrize(("time", "too_fast"), [("0.4 s", False), ("0.1 s", True)])
def test_a_stated_step_is_held_against_the_peak(catalog, time, too_fast) -> None:
    """By hand: 14.6 TFLOP in 0.4 s are 36.5 of 71.2 TFLOPS; in 0.1 s they would be twice the peak."""
    asked = {"parameters": "1B", "layers": "24", "hidden_size": "2048", "batch": "1"}
    asked |= {"context": "2048", "step_time": time}
    found = read_scale(b"gpus: RTX 3090\n", "b.yaml", catalog, asked)
    by_hand = (6 * 1e9 * 2048 + 12 * 24 * 2048**3) / 71.2e12 / float(time.removesuffix(" s"))
    assert found.utilisation.low == pytest.approx(by_hand, rel=0.01)
    assert found.is_too_fast == too_fast
    del asked["batch"]
    assumed = read_scale(b"gpus: RTX 3090\n", "b.yaml", catalog, asked)
    # One sequence is assumed where none is stated, and that it is assumed is shown.
    assert assumed.utilisation == found.utilisation
    assert (found.utilisation_assumes, assumed.utilisation_assumes) == ((), ("batch",))


def test_the_report_says_whether_a_stated_model_fits(unjudged) -> None:
    page = to_html(report_answer(unjudged(FOUR + "workload: {kind: training, parameters: 13B}\n")))
    assert "Training 13B in bf16" in text_of(page, "scale")
    assert "training 13B in bf16, as Llama 2 13B is built, does not fit" in text_of(page, "fit")


def test_one_card_and_other_work_leave_sections_out(unjudged) -> None:
    """One card shares nothing; for mining no model is fitted."""
    alone = to_html(report_answer(unjudged("gpus: RTX 3090\nmemory: {total: 64 GB}\n")))
    assert not text_of(alone, "scale")
    assert text_of(alone, "fit")
    mining = to_html(report_answer(unjudged("gpus: 4x RTX 3090\nworkload: {kind: mining}\n")))
    assert not text_of(mining, "scale")
    assert not text_of(mining, "fit")
    assert 'href="#fit"' not in mining


def test_lines_of_several_cards_stand_where_the_facts_say(catalog) -> None:
    """From one card to four; the upper edge of what nothing hides is the ideal."""
    told = {"parameters": "1B", "step_time": "1 s"}
    found = read_scale(FOUR.encode(), "b.yaml", catalog, told)
    drawing = scaling_drawing(found)
    paths = [dict(s.attributes) for s in drawing.shapes if s.tag == "path"]
    lower, upper, *_, ideal = [
        p["d"] for p in paths if p["class"].startswith("curve") and p["d"].count("L") == 3
    ]
    assert ideal == upper
    points = [tuple(map(float, p.split()[-2:])) for p in lower.replace("M", "L").split("L")[1:]]
    per_card = (points[0][1] - float(ideal.split()[-1])) / 3
    for share, (_, y) in zip(found.shares, points[1:], strict=True):
        assert (points[0][1] - y) / per_card + 1 == pytest.approx(share.times.speedup.low, abs=0.01)


def test_links_nobody_knows_are_asked_for(unjudged) -> None:
    """No table of unknowns, and nothing is said of other links."""
    page = to_html(report_answer(unjudged("gpus: 4x RTX 3090\nmemory: {total: 128 GB}\n")))
    said = text_of(page, "scale")
    assert "name the motherboard, or give its `slots:`" in said
    assert "Assumed: precision bf16" in said
    assert "parameters 1B" in said
    assert "<table" not in page.partition('id="scale"')[2].partition('<details class="fold"')[0]
    assert "No wider slot" not in said


def test_serving_has_no_gradients_to_exchange(catalog) -> None:
    """Only layers that are split, or lie on several cards, pass anything on."""
    found = read_scale(FOUR.encode(), "b.yaml", catalog, {"parameters": "7B", "kind": "inference"})
    assert found.times.speedup is None
    assert found.times.tensor_speedup.high > 1
    two = FOUR + "network: {machines: 2, between_machines: 10 Gbit/s}\n"
    apart = read_scale(two.encode(), "b.yaml", catalog, {"parameters": "7B", "kind": "inference"})
    assert "network" not in {one.change for one in apart.changes}
    text = templates.text("scale", found, verbose=True)
    assert "tensor parallel" in text
    assert "gradients" not in text
