"""Drawings: what is drawn is where the answer says, and nothing of it is lost."""

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from conftest import ROOT, each_row
from hypothesis import given
from hypothesis import strategies as st

from buildcheck.model.answer import Figure
from buildcheck.render.drawings.figures import bar, limit_curves, temperatures
from buildcheck.render.drawings.pen import fit, width_of
from buildcheck.render.drawings.slots import slot_map
from buildcheck.render.drawings.tree import lane_tree, power_tree
from buildcheck.render.page import to_html
from buildcheck.report.answer import BudgetAnswer
from buildcheck.report.build import build_answer
from buildcheck.whole_report.answer import report_answer

LAB = (ROOT / "tests/builds/lab-4x3090/build.yaml").read_text(encoding="utf-8")
TWO = (ROOT / "tests/builds/t12-two-supplies/build.yaml").read_text(encoding="utf-8")
SLOT = "{label: A, position: 1, mechanical: 16, lanes: 16, gen: 4, owner: cpu}"
BOARD = f"motherboard: {{slots: [{SLOT}, {{label: B, position: 2, mechanical: 16, lanes: 8, gen: 3, owner: chipset}}]}}\n"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def answer(judged):
    """The whole answer of a build, by its text."""
    return lambda text: build_answer(judged(text), verbose=True)


def texts(drawing):
    return [s.whole or s.text for s in drawing.shapes if s.tag == "text"]


def boxes(drawing, style):
    return [dict(s.attributes) for s in drawing.shapes if dict(s.attributes)["class"] == style]


def test_every_drawing_of_a_page_is_an_image_with_title_and_description(judged):
    """The SVGs parse; each is named by its title and description."""
    page = to_html(report_answer(judged(LAB)))
    drawn = re.findall(r'<svg role="img".*?</svg>', page, re.DOTALL)
    assert len(drawn) >= 5
    for text in drawn:
        root = ElementTree.fromstring(text)
        title, words = (root.find(f"{SVG}{n}") for n in ("title", "desc"))
        assert title.text
        assert words.text
        assert root.get("aria-labelledby") == f"{title.get('id')} {words.get('id')}"


def test_gpus_are_drawn_to_scale_in_their_slots(answer):
    """Slots 1, 3, 5, 7 are two pitches of 20.32 mm apart; all four GPUs are 267 mm long."""
    build = answer(LAB)
    cards = boxes(slot_map(build), "card")
    steps = [b - a for a, b in pairwise(float(c["y"]) for c in cards)]
    assert steps == pytest.approx([2 * 20.32 * 1.65] * 3, abs=0.1)
    assert len({c["width"] for c in cards}) == 1
    assert [s.position for s in build.placement.seats] == [1, 3, 5, 7]
    assert [s.last_position for s in build.placement.seats] == [2, 4, 6, 8]


def test_a_thickness_known_as_a_range_is_drawn_as_one(answer):
    """The part that may be there is dashed, to scale."""
    drawing = slot_map(answer(f"gpus: [{{thickness: 40..60 mm, length: 267 mm}}]\n{BOARD}"))
    (most,) = boxes(drawing, "card-most")
    (least,) = boxes(drawing, "card")
    assert float(most["height"]) - float(least["height"]) == pytest.approx(20 * 1.65, abs=0.1)


def test_what_is_away_from_the_board_or_beyond_the_case_is_shown(answer):
    """A GPU on a riser is below with its slot; a case of one expansion slot has no second."""
    build = f"gpus: [{{part: RTX A4000, slots: [1]}}, {{part: RTX A4000, riser: true, slots: [2]}}]\nrisers: [{{gen: 4, length: 300 mm}}]\n{BOARD}case: {{kind: tower, expansion_slots: 1}}\n"
    drawing = slot_map(answer(build))
    assert texts(drawing).count("B") == 2
    assert len(boxes(drawing, "opening")) == 1
    assert len(boxes(drawing, "no-slot")) == 6
    assert boxes(drawing, "riser")


def test_a_gpu_that_does_not_fit_is_drawn_where_it_would_be_and_hatched(answer):
    build = answer(LAB.replace("Fractal Design Define 7 XL", "{expansion_slots: 7, kind: tower}"))
    assert any(f.rule == "space/card-beyond-case" for f in build.of("fail", "error"))
    drawing = slot_map(build)
    (bad,) = boxes(drawing, "card bad")
    (missing,) = boxes(drawing, "no-slot")
    assert float(bad["y"]) < float(missing["y"]) < float(bad["y"]) + float(bad["height"])
    assert boxes(drawing, "hatch bad")
    likely = tuple(replace(f, verdict="likely-fail") for f in build.findings)
    maybe = slot_map(replace(build, findings=likely))
    assert boxes(maybe, "card likely")
    assert not boxes(maybe, "card bad")
    assert {"hatch likely"} <= maybe.styles


def test_what_is_not_known_is_dashed_or_left_out(answer):
    """A GPU without a known slot is still drawn; empty trees are not."""
    build = answer("gpus: {board_power: 300 W}\n")
    assert boxes(slot_map(build), "card away")
    assert [draw(build) for draw in (lane_tree, power_tree, temperatures)] == [None] * 3


def test_the_power_tree_has_every_connection(answer):
    """A row for the wall and one for each connection, with what it carries."""
    build = answer(TWO)
    drawing = power_tree(build)
    nodes = [b for b in drawing.shapes if b.tag == "rect" and "node" in str(b.attributes)]
    assert len(nodes) == 1 + len(build.placement.power)
    # 350 W each, of which the slot gives 66 W
    assert sum("284 W · 23.7 A" in t for t in texts(drawing)) == 4


def test_a_ups_is_between_wall_and_psu(answer):
    """The wall feeds the UPS, the UPS the PSU; a socket without a cable is named."""
    build = answer(
        "gpus: 2x RTX 4090\npsus: {rated_power: 1000 W, plugs: {pcie-8-pin: 1}}\n"
        "ups: {power: 1500 W}\nsite: {outlet: Schuko}\n"
    )
    assert [(e.start, e.end) for e in build.placement.power][:2] == [
        ("site", "ups"),
        ("ups", "psus[0]"),
    ]
    assert any("no cable left" in t for t in texts(power_tree(build)))


def test_the_lane_tree_has_every_slot_and_socket(answer):
    """With what is in each; empty ones are idle."""
    build = answer(LAB)
    drawing = lane_tree(build)
    named = texts(drawing)
    for slot in (*build.placement.slots, *build.placement.sockets):
        assert slot.label in named
    assert sum("empty" in t for t in named) == len(boxes(drawing, "node idle"))
    assert sum("GPU " in t for t in named) == 4


def test_temperatures_are_on_the_scale(answer):
    """The bar of each GPU begins and ends at its estimate, on a scale of equal steps."""
    build = answer(LAB)
    drawing = temperatures(build)
    ticks = {
        int(s.text): float(dict(s.attributes)["x"])
        for s in drawing.shapes
        if s.tag == "text" and s.text.isdigit()
    }
    per_degree = (ticks[110] - ticks[20]) / 90
    bars = [b for style in ("warm", "warm bad") for b in boxes(drawing, style)]
    wide = sorted(h.temperature.high - h.temperature.low for h in build.placement.heat)
    assert sorted(float(b["width"]) / per_degree for b in bars) == pytest.approx(wide, abs=0.1)


@given(
    st.tuples(st.floats(1, 1e4), st.floats(1, 1e4)).map(sorted),
    st.tuples(st.floats(1, 1e4), st.floats(1, 1e4)).map(sorted),
)
def test_a_bar_is_as_long_as_what_is_used(used, available):
    """The fill is to the mark as what is used is to what is available."""
    drawing = bar(BudgetAnswer("x", "x", "", Figure(*used), Figure(*available), None, "within"))
    marks = [dict(s.attributes)["d"] for s in drawing.shapes if s.tag == "path"]
    mark = float(marks[-1].split()[0].lstrip("M"))
    width = float(boxes(drawing, "fits")[0]["width"])
    assert abs(width * available[1] - used[0] * mark) <= 0.06 * (available[1] + used[0])


@each_row
def test_what_leaves_a_psu_is_its_load_and_what_reaches_a_gpu_is_its_power(build, judged):
    """Cables and board together give the load; cables and slot together what a GPU is held at."""
    report = judged((ROOT / f"tests/builds/{build}/build.yaml").read_text(encoding="utf-8"))
    edges = build_answer(report).placement.power
    for kind, fact, side in (
        ("psu", "psu.train_load", "start"),
        ("gpu", "gpu.sustained_power", "end"),
    ):
        for subject in report.graph.of(kind):
            watts = [e.watts for e in edges if getattr(e, side) == subject.id]
            load = report.facts(fact, subject)
            assert [sum(w.low for w in watts), sum(w.high for w in watts)] == pytest.approx(
                [load.low, load.high], abs=1
            )


def test_a_powered_riser_feeds_its_gpu_and_the_board_does_not(answer):
    build = "gpus: {part: Gigabyte GeForce RTX 3090 TURBO 24G, riser: true}\npsus: Corsair AX1600i\nrisers: [{kind: usb, feed: pcie-6-pin}]\nmotherboard: ASRock Rack ROMED8-2T\n"
    edges = answer(build).placement.power
    assert ("psus[0]", "riser") in [(e.start, e.by) for e in edges]
    assert not any(e.start == "motherboard" for e in edges)


def test_a_budget_says_what_rules_find_of_it(answer):
    """A PSU at 86 % is within its rating, and a rule has a note on that; half as many GPUs get none."""
    smaller = LAB.replace("count: 4", "count: 2", 1)
    assert smaller != LAB
    found = [b for text in (LAB, smaller) for b in answer(text).budgets if b.id == "psu-sustained"]
    assert [(b.state, b.severity) for b in found] == [("within", "note"), ("within", None)]


def test_other_limits_are_calculated_as_the_build_itself_is(answer):
    """The sweep at 80 % of 350 W gives what a build with a limit of 280 W has, and marks it."""
    build = answer(LAB)
    for curve in (*build.limit_speeds, *build.limit_loads):
        (at,) = [p for p in curve.points if p.share == 80]
        assert at.value == curve.as_set.value
    drawing = limit_curves(build)
    assert len(boxes(drawing, "dot")) == 2
    assert "GPU 1–4: 94 % at 80 %" in texts(drawing)
    assert "PSU 1: 1,371 W of 1,600 W at 80 %" in texts(drawing)
    # Nor is a curve of one point drawn.
    fixed = "gpus: 6x NVIDIA RTX PRO 6000 Blackwell\nmotherboard: ASUS Pro WS WRX90E-SAGE SE\n"
    assert [limit_curves(answer(t)) for t in ("gpus: {board_power: 300 W}\n", fixed)] == [None] * 2


def test_gpus_at_different_limits_leave_no_dot_on_their_psu(answer):
    """One share for all GPUs of a PSU, or none."""
    build = LAB.replace("    count: 4\n", "    count: 2\n").replace(
        "cpu: AMD",
        "  - {part: Gigabyte GeForce RTX 3090 TURBO 24G, count: 2, power_limit: 350 W}\ncpu: AMD",
    )
    found = answer(build)
    unset = [c.as_set is None for c in (*found.limit_speeds, *found.limit_loads)]
    assert unset == [False, False, True]


@given(st.text(max_size=60), st.floats(0, 500), st.sampled_from(["", "strong", "small", "head x"]))
def test_a_cut_text_fits_and_keeps_its_beginning(words, room, style):
    """What is written fits, or nothing but the sign of a cut is left."""
    cut = fit(words, room, style)
    assert width_of(cut, style) <= room or cut in ("…", words[:0])
    if cut != words:
        first = next(
            n for n, c in enumerate(cut) if c == "…" and words.startswith(cut[:n].rstrip())
        )
        assert words.endswith(cut[first + 1 :])
