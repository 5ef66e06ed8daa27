"""The parts list: lines, marks, sums, charges and accessories, from hand-made builds."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from cases import holds, swapped
from conftest import each_of, each_row, table
from test_alive import BASES as BUILDS
from test_alive import CASES, merged

from buildcheck.checklist.items import load_items
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.render.templates import words

FOLDER = Path(__file__).parent / "orders"
CARD = "Gigabyte GeForce RTX 3090 TURBO 24G"


@pytest.fixture
def listed(judged):
    """Text of a build file → its parts list."""
    return lambda text: parts_list_answer(judged(text))


def line(made, section):
    """The first line of a section."""
    return next(x for x in made.lines if x.section == section)


def labels(made):
    """The words of the sums."""
    return [words("parts-list").label(made, one).strip() for one in made.sums]


def notes(made):
    """The notes below the list."""
    return words("parts-list").notes(made).strip().split("\n")


def ids(lines):
    return {x.id for x in lines}


BASES = table("parts_list", "bases")
REST, CHARGED = BASES["rest"], BASES["charged"].replace("TERMS", "%s")


@each_of("listed")
def test_what_is_listed(case, listed):
    """Lines, marks, sums, charges and accessories."""
    made = listed(case.get("build") or swapped(case, BASES))
    holds(made, case)
    assert labels(made) == case.get("labels", labels(made))
    for words_ in case.get("notes", ()):
        assert any(words_ in note for note in notes(made))
    assert not [n for n in notes(made) for words_ in case.get("no_notes", ()) if words_ in n]


@each_row
def test_marks_of_prices(price, marks, listed):
    """Old, expired, valid, in the future or undated, by the day."""
    assert line(listed(f"gpus: [{{part: {CARD}, price: {price}}}]\n"), "gpus").marks == tuple(marks)


def test_a_total_only_if_all_is_priced(listed):
    """Every line is chosen and priced, and nothing else is to buy."""
    text = (FOLDER / "build.yaml").read_text().replace("quotes: [north.yaml, south.yaml]\n", "")
    for part in ("ASRock Rack ROMED8-2T", "Fractal Design Define 7 XL"):
        text = text.replace(part, f"{{part: {part}, price: 100 EUR}}")
    for part in ("Corsair AX1600i", "Samsung 980 PRO 2TB"):
        text = text.replace(part, f"{{part: {part}, price: 100 EUR}}")
    assert labels(listed(text)) == ["Priced so far: 7 of 8 lines"]
    whole = listed(text.replace("count: 8}", "count: 8, price: 100 EUR}"))
    assert labels(whole) == ["Total"]
    assert whole.is_complete
    prices = Decimal("2998.00") + Decimal("640.50") + Decimal("79.90")
    assert whole.sums[0].amount.amount == prices + 1200


@each_row
def test_a_total_names_what_it_leaves_out(terms, label, listed):
    """Shipping that is charged in a row is not left out."""
    made = listed(REST + CHARGED % terms.strip("{}").replace("], ", "]\n    "))
    assert labels(made) == [label]
    assert [str(one.amount.amount) for one in made.sums] == ["1135.50"]


def test_a_total_without_tax(listed):
    """Where no price includes it."""
    made = listed(REST.replace("includes", "excludes") + CHARGED % "excludes: [VAT 19 %]")
    assert labels(made) == ["Total without VAT 19 %"]
    assert "Prices are without VAT 19 %." in notes(made)


def test_board_and_case_of_a_server_are_one_line(listed):
    """Bought once, by either name."""
    server = "Supermicro AS-4125GS-TNRT"
    made = listed(
        f"gpus: L40S\nserver: {server}\nquotes: [{{vendor: A, chosen: true, lines: [{{part: {server} barebone, price: 9 EUR}}]}}]\n"
    )
    (line,) = (x for x in made.order_lines if "AS-4125GS" in x.name)
    assert (line.name, str(line.total)) == (server, "9.00 EUR")


def test_an_extra_without_a_price_bars_the_total(listed):
    """And is named."""
    text = (CHARGED % "includes: [VAT 19 %]").replace("Assembly, price: 90 EUR", "Assembly")
    made = listed(REST + text)
    assert labels(made) == ["Priced so far: 8 of 8 lines and 2 charges, including VAT 19 %"]
    assert "Assembly (A N-1) has no price." in notes(made)


@each_row
def test_accessories_are_listed_where_they_are_needed(item, there, away, listed):
    """Each for a build that needs it, and not for one that does not."""
    assert item in ids(listed(there).lines)
    assert item not in ids(listed(away).lines)


CALLED = table("parts_list", "called")


@pytest.mark.parametrize("item", CALLED)
def test_findings_call_for_accessories(listed, item):
    """Where a build fails the rule the item is listed, and where it does not it is not."""
    case = next(c for c in CASES if c["rule"] == CALLED[item])
    build = merged(BUILDS[case.get("base", "plain")], case["build"])
    spared = merged(build, case["change"])
    there, away = (json.dumps(b, default=str) for b in (build, spared))
    assert item in ids(listed(there).to_buy)
    assert item not in ids(listed(away).to_buy)


def test_every_accessory_is_tried():
    """An item without a build that needs it may be dead."""
    tried = {
        mark.args[1][n][0]
        for mark in test_accessories_are_listed_where_they_are_needed.pytestmark
        for n in range(len(mark.args[1]))
    }
    assert tried | set(CALLED) == {
        item.id.partition("/")[2] for item in load_items("accessories").items
    }
