"""Drawings: what is drawn is where the facts say, and the table says all of it in words."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from buildcheck.model.quantity import Interval
from buildcheck.render import to_html
from buildcheck.render.drawings.bar import bar
from buildcheck.render.drawings.heat import temperatures
from buildcheck.render.drawings.lanes import lane_tree
from buildcheck.render.drawings.limit import limit_curves
from buildcheck.render.drawings.pen import amount, fit, width_of
from buildcheck.render.drawings.power import power_tree
from buildcheck.render.drawings.slots import slot_map
from buildcheck.render.view import Budget, budgets

LAB = (ROOT / "tests/builds/lab-4x3090/build.yaml").read_text(encoding="utf-8")
TWO = (ROOT / "tests/builds/t12-two-supplies/build.yaml").read_text(encoding="utf-8")
SLOT = "{label: A, position: 1, mechanical: 16, lanes: 16, gen: 4, owner: cpu}"
BOARD = f"motherboard: {{slots: [{SLOT}, {{label: B, position: 2, mechanical: 16, lanes: 8, gen: 3, owner: chipset}}]}}\n"
SVG = "{http://www.w3.org/2000/svg}"


def texts(drawing):
    return [s.whole or s.text for s in drawing.shapes if s.tag == "text"]


def boxes(drawing, style):
    return [dict(s.attributes) for s in drawing.shapes if dict(s.attributes)["class"] == style]


def test_every_drawing_of_a_page_is_an_image_with_title_description_and_table(judged):
    """The SVGs parse; each is named by its title and description, and a table follows."""
    page = to_html(judged(LAB))
    figures = re.findall(r'<figure class="drawing">.*?</figure>(.*?)</section>', page, re.DOTALL)
    assert len(figures) == 8
    assert all("<table" in rest and "<caption>" in rest for rest in figures)
    drawn = re.findall(r'<svg role="img".*?</svg>', page, re.DOTALL)
    assert len(drawn) == 8
    for text in drawn:
        root = ElementTree.fromstring(text)
        title, words = (root.find(f"{SVG}{n}") for n in ("title", "desc"))
        assert title.text
        assert words.text
        assert root.get("aria-labelledby") == f"{title.get('id')} {words.get('id')}"


def test_cards_are_drawn_to_scale_in_their_places(judged):
    """Openings 1, 3, 5, 7 lie two pitches of 20.32 mm apart, at two units per mm."""
    drawing = slot_map(judged(LAB))
    cards = boxes(drawing, "card")
    tops = [float(c["y"]) for c in cards]
    assert [b - a for a, b in pairwise(tops)] == pytest.approx([81.28] * 3, abs=0.1)
    # 267 mm at 1.4 units per mm
    assert [float(c["width"]) for c in cards] == pytest.approx([373.8] * 4)
    assert [t for t in texts(drawing) if "covered by" in t] == [
        f"covered by gpus[{n}]" for n in (0, 1, 2)
    ]
    assert texts(drawing).count("1.6 mm of air") == 3
    assert len(boxes(drawing, "bracket")) == 4
    assert drawing.table.rows[0][1:4] == ("PCIE7", "1 to 2", "16")
    assert drawing.table.rows[3][-1] == "no card below"


def test_a_size_nobody_gave_is_said_in_the_drawing(judged):
    """A card of unknown size is drawn, but not as if its size were known."""
    bare = slot_map(judged(f"gpus: [{{board_power: 300 W}}]\n{BOARD}"))
    assert any("thickness not known, length not known" in t for t in texts(bare))
    whole = slot_map(judged(f"gpus: [{{thickness: 40 mm, length: 267 mm}}]\n{BOARD}"))
    assert not any("thickness not known" in t for t in texts(whole))
    ranged = slot_map(judged(f"gpus: [{{thickness: 40..60 mm, length: 267 mm}}]\n{BOARD}"))
    (most,) = boxes(ranged, "card-most")
    (least,) = boxes(ranged, "card")
    assert float(most["height"]) - float(least["height"]) == pytest.approx(40)


def test_cards_away_from_the_board_and_openings_beyond_the_case_are_shown(judged):
    """A card on a riser hangs below with its slot; a case of one opening has no second."""
    build = f"gpus: [{{part: RTX A4000, slots: [1]}}, {{part: RTX A4000, riser: true, slots: [2]}}]\nrisers: [{{gen: 4, length: 300 mm}}]\n{BOARD}case: {{kind: tower, expansion_slots: 1}}\n"
    drawing = slot_map(judged(build))
    assert "from B" in texts(drawing)
    assert len(boxes(drawing, "card away")) == 1
    assert len(boxes(drawing, "opening")) == 1
    assert len(boxes(drawing, "no-opening")) == 6
    assert drawing.table.rows[1][-1] == "away from the board"


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (slot_map, "The slots of the motherboard are not known."),
        (lane_tree, "nothing can be said of lanes"),
        (power_tree, "No power supply is listed."),
        (temperatures, "No temperature can be estimated"),
    ],
)
def test_what_is_not_known_is_said_not_drawn(draw, words, judged):
    """Without the data there is a sentence instead of a drawing."""
    drawing = draw(judged("gpus: {board_power: 300 W}\n"))
    assert words in drawing.why_not
    assert not drawing.shapes


def test_the_power_tree_says_watts_and_amperes_of_every_connection(judged):
    """As many rows as connections; what leaves a supply for cards and board adds up to its load."""
    report = judged(TWO)
    rows = power_tree(report).table.rows
    assert [r[1].split()[0] for r in rows if r[0] == "wall"] == ["psus[0]", "psus[1]"]
    assert sum(r[2] == "slot" for r in rows) == 4
    by_hand = {r[1].split()[0]: r[3] for r in rows if r[0].startswith("psus[1]")}
    # 350 W each, of which the slot gives 66 W
    assert by_hand == {"gpus[2]": "284 W", "gpus[3]": "284 W"}
    shown = texts(power_tree(report))
    assert shown.count("284 W, 23.7 A") == 4
    assert "voltage not known" in shown


def test_a_ups_stands_between_wall_and_supplies(judged):
    """The wall feeds the UPS, the UPS the supply; without a cable left that is said."""
    report = judged(
        "gpus: 2x RTX 4090\npsus: {rated_power: 1000 W, plugs: {pcie-8-pin: 1}}\n"
        "ups: {power: 1500 W}\nsite: {outlet: Schuko}\n"
    )
    drawing = power_tree(report)
    assert [r[:2] for r in drawing.table.rows][:2] == [
        ("wall", "ups"),
        ("ups", "psus[0] unnamed power supply"),
    ]
    assert "no cable left" in texts(drawing)
    assert boxes(drawing, "wire missing")


def test_the_lane_tree_has_every_slot_and_socket_with_its_root(judged):
    """Width of a line is its lanes; empty ones are idle; a drive without a socket is not lost."""
    drawing = lane_tree(judged(LAB))
    assert len(drawing.table.rows) == 9
    assert {float(b["height"]) for b in boxes(drawing, "lane")} == {8.0, 2.0}
    assert len(boxes(drawing, "lane idle")) == 4
    build = f"gpus: [{{part: RTX 3090, slots: [2]}}]\n{BOARD}storage: [Samsung 980 PRO 2TB]\n"
    rows = lane_tree(judged(build)).table.rows
    assert [(r[0], r[1], r[2]) for r in rows] == [
        ("A", "CPU", "none in use"),
        ("B", "chipset", "x8 Gen3"),
        ("M.2 socket not known", "root not known", "x? socket Gen?"),
    ]
    covered = [r[-1] for r in drawing.table.rows if "covered" in r[-1]]
    assert covered == [f"nothing, covered by gpus[{n}]" for n in (0, 1, 2)]


def test_temperatures_stand_where_the_scale_says(judged):
    """The bar of each card begins and ends at its estimate, on a scale of equal steps."""
    report = judged(LAB)
    drawing = temperatures(report)
    ticks = {
        int(s.text.split()[0]): float(dict(s.attributes)["x"])
        for s in drawing.shapes
        if s.tag == "text" and dict(s.attributes)["class"] == "head"
    }
    per_degree = (ticks[100] - ticks[50]) / 50
    for card, box in zip(report.graph.of("gpu"), boxes(drawing, "warm"), strict=True):
        estimate = report.facts("gpu.temperature", card)
        assert float(box["x"]) == pytest.approx(
            ticks[50] + (estimate.low - 50) * per_degree, abs=0.2
        )
        assert float(box["width"]) == pytest.approx(
            (estimate.high - estimate.low) * per_degree, abs=0.2
        )


HOT = "{part: RTX 4090, count: 2, board_power: 450..480 W, thickness: 70..79 mm, cooling: open-air, slots: [1, 4]}"
ROOM = "site: {outlet: Schuko, ambient: 25 °C}\n"


@pytest.mark.parametrize(
    ("card", "site", "words"),
    [
        # Sure over the whole range: it is warned of, though power and thickness are ranges.
        (HOT, "", "slows down"),
        (HOT, ROOM, "slows down"),
        (HOT.replace("450..", "300.."), "", "may slow down, too unsure to judge"),
        (HOT.replace("450..", "300.."), ROOM, "may slow down, too unsure to judge"),
        (HOT.replace("1, 4", "1, 7"), "", "not judged: such cards were seen to keep cool"),
    ],
)
def test_a_temperature_is_drawn_with_what_rules_make_of_it(card, site, words, judged):
    """A picture that says a card slows down stands beside a finding that says so, or says why not."""
    report = judged(f"gpus: [{card}]\ncase: {{kind: open frame}}\n{site}")
    drawing = temperatures(report)
    assert drawing.table.rows[0][-1] == words
    assert words in texts(drawing)
    found = [f for f in report.findings if f.rule.id == "cooling/throttling-expected"]
    upper = next(f for f in found if f.subject == "gpus[0]")
    assert (upper.verdict == "unknown") == words.startswith("may")
    assert upper.verdict != "unknown" or upper.missing


def test_other_limits_are_reckoned_as_the_build_itself_is(judged):
    """The sweep at 80 % of 350 W gives what a build with a limit of 280 W has."""
    free, held = judged(LAB.replace("    power_limit: 280 W\n", "")), judged(LAB)
    card, psu = free.graph.of("gpu")[0], free.graph.of("psu")[0]
    (at,) = [s for s in free.facts("gpu.limit_sweep", card) if s.share == 0.8]
    assert at.watts == Interval(280, 280)
    assert at.speed == held.facts("gpu.limited_speed", held.graph.of("gpu")[0])
    (load,) = [s for s in free.facts("psu.limit_sweep", psu) if s.share == 0.8]
    assert load.watts.low == pytest.approx(held.facts("psu.train_load", psu).low)
    shares = [s.share for s in free.facts("gpu.limit_sweep", card)]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_the_limit_that_the_build_sets_is_marked(judged):
    """One dot in each panel, with its numbers beside; both series stand in the table."""
    drawing = limit_curves(judged(LAB))
    assert len(boxes(drawing, "dot")) == 2
    assert "94 % at 80 %" in texts(drawing)
    assert "1371 W of 1600 W at 80 %" in texts(drawing)
    row = next(r for r in drawing.table.rows if r[0] == "80 %")
    assert row[1:3] == ("280 W", "94 %")
    assert "nobody has measured" in limit_curves(judged("gpus: {board_power: 300 W}\n")).why_not


def test_cards_at_different_limits_leave_no_dot_on_their_supply(judged):
    """One share stands for all cards of a supply or for none."""
    build = LAB.replace("    count: 4\n", "    count: 2\n").replace(
        "cpu: AMD",
        "  - {part: Gigabyte GeForce RTX 3090 TURBO 24G, count: 2, power_limit: 350 W}\ncpu: AMD",
    )
    drawing = limit_curves(judged(build))
    assert len(boxes(drawing, "dot")) == 2
    assert any("limits differ" in t for t in texts(drawing))


@pytest.mark.parametrize(
    ("asked", "limit", "state"),
    [
        (Interval(90, 95), Interval(100, 100), "within"),
        (Interval(90, 100), Interval(100, 100), "within"),
        (Interval(90, 105), Interval(100, 100), "at the edge"),
        (Interval(101, 105), Interval(90, 100), "over"),
    ],
)
def test_a_bar_is_as_long_as_what_is_asked(asked, limit, state):
    """The fill is to the mark as what is asked is to what there is."""
    budget = Budget("x", "", "", "", asked, limit)
    drawing = bar(budget)
    least, most = sorted(
        float(dict(s.attributes)["width"]) for s in drawing.shapes if s.tag == "rect"
    )[:2]
    mark = float(re.search(r"M(\S+)", dict(drawing.shapes[-1].attributes)["d"])[1])
    assert budget.state == state
    assert least / mark == pytest.approx(asked.low / limit.high, rel=0.01)
    assert most / mark == pytest.approx(asked.high / limit.high, rel=0.01)


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


def test_amounts_are_ranges_where_they_are():
    """A range has both its ends, and nothing known is a question mark."""
    assert amount(Interval(171.5, 177.5), "W") == "172..178 W"
    assert amount(Interval(0, float("inf")), "A") == "? A"


def ends(rows, column, *names):
    """The sum of a column of watts over the rows that begin with one of the names."""
    told = [
        re.match(r"(\d+(?:\.\d+)?)(?:\.\.(\d+(?:\.\d+)?))? W", r[column])
        for r in rows
        if r[0].startswith(names)
    ]
    return [sum(float(m[n] or m[1]) for m in told) for n in (1, 2)]


@pytest.mark.parametrize(
    "build", ["lab-4x3090", "t12-two-supplies", "t4-4x3090-280w", "t14-4xa5000"]
)
def test_what_leaves_a_supply_is_its_load_and_what_reaches_a_card_is_its_power(build, judged):
    """Cables and board together give the load; cables and slot together what a card is held at."""
    report = judged((ROOT / f"tests/builds/{build}/build.yaml").read_text(encoding="utf-8"))
    rows = power_tree(report).table.rows
    for psu in report.graph.of("psu"):
        load = report.facts("psu.train_load", psu)
        assert ends(rows, 3, psu.id) == pytest.approx([load.low, load.high], abs=4)
    for card in report.graph.of("gpu"):
        reached = ends([(r[1], *r[1:]) for r in rows], 3, card.id)
        held = report.facts("gpu.sustained_power", card)
        assert reached == pytest.approx([held.low, held.high], abs=1)


def test_supplies_on_circuits_of_their_own_have_walls_of_their_own(judged):
    """Two pinned circuits are two boxes; where nobody says which is which there is one for both."""
    two = "gpus: 2x RTX A4000\nsite: {outlet: NEMA 5-20, circuits: 2}\npsus:\n"
    pinned = two + "".join(f"  - {{part: Corsair AX1600i, circuit: {n}}}\n" for n in (1, 2))
    assert [t for t in texts(power_tree(judged(pinned))) if t.startswith("Wall")] == [
        "Wall, circuit 1: NEMA 5-20",
        "Wall, circuit 2: NEMA 5-20",
    ]
    free = two + "  - {part: Corsair AX1600i, count: 2}\n"
    assert "Wall, 2 circuits: NEMA 5-20" in texts(power_tree(judged(free)))


def test_a_powered_riser_feeds_its_card_and_the_board_does_not(judged):
    """Its slot power comes from the supply."""
    build = "gpus: {part: Gigabyte GeForce RTX 3090 TURBO 24G, riser: true}\npsus: Corsair AX1600i\nrisers: [{kind: usb, feed: pcie-6-pin}]\nmotherboard: ASRock Rack ROMED8-2T\n"
    rows = power_tree(judged(build)).table.rows
    assert ("psus[0] Corsair AX1600i", "plug of its riser") in [(r[0], r[2]) for r in rows]
    assert not any(r[0] == "motherboard" for r in rows)


def test_a_budget_says_what_rules_find_of_it(judged):
    """A supply at 83 % is within its rating, and a rule has a word on that; half as many cards get none."""
    smaller = LAB.replace("count: 4", "count: 2", 1)
    assert smaller != LAB
    hours = [b for text in (LAB, smaller) for b in budgets(judged(text)) if "hours, psu" in b.what]
    assert [(b.state, b.found) for b in hours] == [("within", "note"), ("within", None)]
    assert "! within, note" in to_html(judged(LAB))
