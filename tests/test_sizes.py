"""How large a model fits a build: it does fit, and one that is a little larger may not."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from buildcheck import cli_fit
from buildcheck.bench import as_kind, trial_of
from buildcheck.fit import fit
from buildcheck.model.quantity import Interval, exact
from buildcheck.render.drawings.sizes import sizes_drawing
from buildcheck.render.fit_html import fit_words
from buildcheck.render.fit_text import fit_text, size_text, sizes_text
from buildcheck.sizes import MOST, Largest, Sizes, sizes

FOUR = "gpus: 4x RTX 3090\nmemory: {total: 128 GB}\nworkload: {kind: training}\n"


def found(judged, text: str, kind: str = "") -> Sizes:
    tried = trial_of(judged(text))
    return sizes(as_kind(tried, kind or tried.kind))


def parameters(answer: Sizes, key: str) -> Interval:
    return next(way.parameters for way in answer.ways if way.key == key)


@pytest.mark.parametrize("kind", ["training", "inference"])
def test_the_largest_fits_and_a_larger_one_may_not(kind, judged, catalog) -> None:
    """By every way, as `fit` says of a model of that size."""
    answer = found(judged, FOUR, kind)
    assert len(answer.ways) > 5
    for way in answer.ways:
        for size, verdict in (
            (way.parameters.low * 0.999, "fits"),
            (way.parameters.low * 1.05, "unknown"),
            (way.parameters.high * 1.05, "does-not-fit"),
        ):
            told = fit(
                FOUR.encode(), "b.yaml", catalog, {"kind": kind, "parameters": f"{size:.6f}B"}
            )
            verdicts = {one.key: one.verdict for one in told.ways} | {"plain": told.verdict}
            assert verdicts[way.key] == verdict, (way, size)


def test_every_way_makes_room_for_more(judged) -> None:
    """Than nothing does; fewer bits for more than many."""
    for kind in ("training", "inference"):
        answer = found(judged, FOUR, kind)
        plain = parameters(answer, "plain")
        assert all(way.parameters.low >= plain.low for way in answer.ways)
    assert parameters(answer, "4-bit-weights").low > parameters(answer, "8-bit-weights").low


def test_what_is_stated_is_kept_and_a_stated_shape_is_not(judged) -> None:
    """A longer context leaves less; the layers of one model are not those of others."""
    longer = found(judged, FOUR.replace("training}", "training, context: 8192}"))
    assert parameters(longer, "plain").low < parameters(found(judged, FOUR), "plain").low
    shaped = FOUR.replace("training}", "training, parameters: 7B, layers: 32}")
    assert parameters(found(judged, shaped), "plain") == parameters(found(judged, FOUR), "plain")


def test_heads_that_share_keys_do_so_at_every_size(judged, catalog) -> None:
    """What `fit` says of the same heads; what is of one size alone is said not to be used."""
    serving = FOUR.replace("training}", "inference, context: 32768, heads: 64, kv_heads: 8}")
    answer = found(judged, serving)
    size = parameters(answer, "plain").low
    assert (
        size
        > parameters(found(judged, serving.replace("kv_heads: 8", "kv_heads: 64")), "plain").low
    )
    assert answer.unused == ()
    for factor, verdict in ((0.999, "fits"), (1.05, "unknown")):
        told = fit(serving.encode(), "b.yaml", catalog, {"parameters": f"{size * factor:.6f}B"})
        assert told.verdict == verdict
    shaped = serving.replace(", kv_heads: 8", ", parameters: 7B, layers: 32, hidden_size: 4096")
    assert found(judged, shaped).unused == ("layers", "hidden_size", "heads")
    text = " ".join(fit_text(fit(shaped.encode(), "b.yaml", catalog, {})).split())
    assert "layers, hidden size, heads are not used here" in text


def test_memory_nobody_knows_leaves_the_size_open(judged) -> None:
    """Of the machine or of a card; one card shares nothing out; nothing is said of mining."""
    open_ended = found(judged, "gpus: 4x RTX 3090\n")
    assert {way.parameters for way in open_ended.ways} == {None}
    assert open_ended.best is None
    assert open_ended.lacks == ("host",)
    assert "how much main memory there is" in sizes_drawing("x", (open_ended,)).why_not
    one = found(judged, FOUR.replace("4x", "1x"))
    assert not {"zero-3", "model-parallel"} & {way.key for way in one.ways}
    assert trial_of(judged("gpus: RTX 3090\nworkload: {kind: mining}\n")) is None


def test_memory_nobody_knows_is_asked_for_once(judged, catalog) -> None:
    """With the words to give it; not where it is known."""
    for build, number in (("gpus: RTX 3090\n", 1), (FOUR, 0)):
        model = fit(build.encode(), "b.yaml", catalog, {"parameters": "7B"})
        both = tuple(found(judged, build, kind) for kind in ("training", "inference"))
        for text in (fit_text(model), sizes_text("x", both)):
            assert " ".join(text.split()).count("'memory: {total: 128 GB}'") == number


def test_sizes_are_rounded_to_the_safe_side() -> None:
    """Down where a model surely fits, up where it may."""
    assert [size_text(8.57, up=up) for up in (False, True)] == ["8.5B", "8.6B"]
    assert [size_text(0.999, up=up) for up in (False, True)] == ["990M", "1B"]
    assert size_text(MOST, up=False) == "more than 2000B"
    assert size_text(0, up=True) == "none"


def test_bars_are_as_long_as_sizes_say() -> None:
    """On a scale of logarithms: what surely fits, and lighter what may."""
    ways = (Largest("plain", Interval(1, 10)), Largest("checkpointing", exact(100)))
    drawing = sizes_drawing("x", (Sizes("training", {}, {}, (*ways, Largest("zero-3", None))),))
    boxes = [dict(s.attributes) for s in drawing.shapes if s.tag == "rect"]
    lengths = {(b["class"], round(float(b["y"]))): float(b["width"]) for b in boxes}
    (sure,) = [w for (style, y), w in lengths.items() if style == "fits" and y == 60]
    (may,) = [w for (style, y), w in lengths.items() if style == "fits most" and y == 60]
    (both,) = [w for (style, y), w in lengths.items() if style == "fits" and y == 86]
    assert may == pytest.approx(2 * sure)
    assert both == pytest.approx(3 * sure, abs=0.2)
    texts = [s.text for s in drawing.shapes if s.tag == "text"]
    assert {"1B, perhaps 10B", "100B", "not known"} <= set(texts)
    assert drawing.table.rows[2][1:] == ("not known", "not known")


def test_a_format_without_gradients_trains_nothing(judged) -> None:
    """No way is told, and the page has serving alone."""
    eight = FOUR.replace("training}", "inference, precision: int8}")
    assert found(judged, eight, "training").ways == ()
    assert found(judged, eight).ways
    drawing = sizes_drawing("x", (found(judged, eight),))
    assert "In training" not in {s.text for s in drawing.shapes}


def test_a_split_over_more_cards_than_there_are_is_told(judged) -> None:
    """The page says so, as the command does."""
    wide = FOUR.replace("training}", "training, parameters: 7B, tensor_cards: 8}")
    assert "split over 8 cards, and there are 4" in fit_words(judged(wide))["told"][0]


def test_the_command_without_a_model_says_how_large_one_may_be(tmp_path) -> None:
    """For both kinds of work unless one is told."""
    build = tmp_path / "b.yaml"
    build.write_text(FOUR, encoding="utf-8")
    both = CliRunner().invoke(cli_fit.main, [str(build)])
    assert both.exit_code == 0, both.output
    assert "in training:" in both.stdout
    assert "when serving:" in both.stdout
    one = CliRunner().invoke(cli_fit.main, [str(build), "--for", "inference", "--format", "json"])
    rows = json.loads(one.stdout)["largest"]
    assert {row["for"] for row in rows} == {"inference"}
    assert all(row["parameters"]["low"] <= row["parameters"]["high"] for row in rows)
