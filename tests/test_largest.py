"""How large a model fits a build: it does fit, and one that is a little larger may not."""

import pytest

from buildcheck.model.answer import Figure
from buildcheck.render import templates
from buildcheck.render.drawings.figures import largest_drawing
from buildcheck.workload.fit import answer as fits
from buildcheck.workload.fit.largest import MOST, largest_models
from buildcheck.workload.model_setup import setup_of, with_kind

FOUR = "gpus: 4x RTX 3090\nmemory: {total: 128 GB}\nworkload: {kind: training}\n"


def found(unjudged, text: str, kind: str = ""):
    setup = setup_of(unjudged(text))
    return dict(largest_models(with_kind(setup, kind or setup.kind)))


def fit_text(answer: fits.FitAnswer) -> str:
    return " ".join(templates.text("fit", answer).split())


@pytest.mark.parametrize("kind", ["training", "inference"])
def test_the_largest_fits_and_a_larger_one_may_not(kind, unjudged, catalog) -> None:
    """By every technique, as `fit` says of a model of that size."""
    build = FOUR.replace("kind: training", f"kind: {kind}, parallel: data")
    largest = found(unjudged, build, kind)
    assert len(largest) > 5
    for key, ends in largest.items():
        for size, verdict in (
            (ends.low * 0.999, "fits"),
            (ends.low * 1.05, "unknown"),
            (ends.high * 1.05, "does-not-fit"),
        ):
            asked = {"kind": kind, "parameters": f"{size:.6f}B"}
            model = fits.read_fit(build.encode(), "b.yaml", catalog, asked).model
            verdicts = {one.technique: one.verdict for one in model.techniques}
            assert (verdicts | {"plain": model.verdict})[key] == verdict, (key, size)


def test_every_technique_makes_room_for_more(unjudged) -> None:
    """Than none does; fewer bits for more than many."""
    for kind in ("training", "inference"):
        largest = found(unjudged, FOUR, kind)
        assert all(ends.low >= largest["plain"].low for ends in largest.values())
    assert largest["4-bit-weights"].low > largest["8-bit-weights"].low


def test_what_is_stated_is_kept_and_a_stated_shape_is_not(unjudged) -> None:
    """A longer context leaves less; the layers of one model are not those of others."""
    plain = found(unjudged, FOUR)["plain"]
    assert (
        found(unjudged, FOUR.replace("training}", "training, context: 8192}"))["plain"].low
        < plain.low
    )
    shaped = FOUR.replace("training}", "training, parameters: 7B, layers: 32}")
    assert found(unjudged, shaped)["plain"] == plain


def test_heads_that_share_keys_do_so_at_every_size(unjudged, catalog) -> None:
    """What is of one size alone is not used, which is said."""
    serving = FOUR.replace("training}", "inference, context: 32768, heads: 64, kv_heads: 8}")
    largest = found(unjudged, serving)["plain"]
    assert (
        largest.low > found(unjudged, serving.replace("kv_heads: 8", "kv_heads: 64"))["plain"].low
    )
    assert fits.fit_answer(unjudged(serving)).largest[1].unused == ()
    shaped = serving.replace(", kv_heads: 8", ", layers: 32, hidden_size: 4096")
    answer = fits.read_fit(shaped.encode(), "b.yaml", catalog, {"kind": "inference"})
    assert answer.largest[0].unused == ("layers", "hidden_size", "heads")
    assert "Not used, as models of another size" in fit_text(answer)


def test_memory_that_is_not_known_leaves_the_size_open(unjudged) -> None:
    """Without the RAM nothing surely fits; one GPU shares nothing; mining has no model."""
    report = unjudged("gpus: 4x RTX 3090\n")
    answer = fits.fit_answer(report)
    assert {model.parameters.low for one in answer.largest for model in one.models} == {0.0}
    assert {one.best for one in answer.largest} == {None}
    assert answer.missing == ("host",)
    no_gpu = fits.fit_answer(unjudged("gpus: [{length: 267 mm}]\n"))
    assert largest_drawing(no_gpu) is None
    assert not {"zero-3", "model-parallel"} & set(found(unjudged, FOUR.replace("4x", "1x")))
    assert fits.fit_answer(unjudged("gpus: RTX 3090\nworkload: {kind: mining}\n")) is None


def test_missing_memory_is_asked_for_once(catalog) -> None:
    for build, number in (("gpus: RTX 3090\n", 1), (FOUR, 0)):
        for asked in ({}, {"parameters": "7B"}):
            text = fit_text(fits.read_fit(build.encode(), "b.yaml", catalog, asked))
            assert text.count("`memory: {total: 128 GB}`") == number


def test_sizes_are_rounded_to_the_safe_side(unjudged) -> None:
    """Two digits: down where a model surely fits, up where it may."""
    exact = found(unjudged, FOUR)
    for model in fits.fit_answer(unjudged(FOUR)).largest[0].models:
        own, ends = exact[model.technique], model.parameters
        assert 0.9 * own.low < ends.low <= own.low <= own.high <= ends.high < 1.1 * own.high
        assert float(f"{ends.low:.2g}") == ends.low
        assert float(f"{ends.high:.2g}") == ends.high
    text = templates.words("fit")
    assert [text.size(size) for size in (0, 0.45, 8.5, MOST)] == [
        *("none", "450M", "8.5B", "more than 2,000B")
    ]


def test_bars_are_as_long_as_sizes_say() -> None:
    """On a scale of logarithms: what surely fits, and lighter what may."""
    models = (
        fits.LargestModel("plain", Figure(1.0, 10.0)),
        fits.LargestModel("checkpointing", Figure(100.0, 100.0)),
        fits.LargestModel("zero-3"),
    )
    largest = (fits.LargestModels("training", models, {}),)
    drawing = largest_drawing(fits.FitAnswer("x", "training", 1, {}, {}, largest))
    boxes = [dict(s.attributes) for s in drawing.shapes if s.tag == "rect"]
    widths = {(b["class"], float(b["y"])): float(b["width"]) for b in boxes}
    first, second = sorted({y for _, y in widths})
    assert widths["fits most", first] == pytest.approx(2 * widths["fits", first], abs=0.2)
    assert widths["fits", second] == pytest.approx(3 * widths["fits", first], abs=0.2)
    texts = {s.text for s in drawing.shapes if s.tag == "text"}
    assert {"1B, perhaps 10B", "100B", "not known"} <= texts


def test_a_format_without_gradients_trains_nothing(unjudged) -> None:
    """No technique is shown, and the page has serving alone."""
    eight = unjudged(FOUR.replace("training}", "inference, precision: int8}"))
    assert [one.kind for one in fits.fit_answer(eight).largest] == ["inference"]


def test_a_split_over_more_gpus_than_there_are_is_a_problem(unjudged) -> None:
    wide = FOUR.replace("training}", "training, parameters: 7B, tensor_cards: 8}")
    answer = fits.fit_answer(unjudged(wide))
    assert "split over 8 GPUs, and there are 4" in answer.problem
    assert answer.model is None
