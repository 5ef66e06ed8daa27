"""Chosen quotes: what they price, how they are chosen, and what is said of it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import TODAY

from buildcheck.bill import bill
from buildcheck.check import check
from buildcheck.cli import main
from buildcheck.render.bill import render

BUILD = Path(__file__).parent / "bills" / "build.yaml"
CARD = "Gigabyte GeForce RTX 3090 TURBO 24G"
#: Two quotes that offer the same, and what is put into each.
BOTH = f"""
gpus: [{{part: {CARD}, count: 2}}]
psus: AX1600i
quotes:
  - {{vendor: A, date: 2026-11-01, includes: [VAT 19 %%, shipping], %s lines: [{{part: {CARD}, count: 2, price: 10 EUR}}, {{part: AX1600i, price: 5 EUR}}]}}
  - {{vendor: B, number: Q-7, date: 2026-11-01, includes: [VAT 19 %%, shipping], %s lines: [{{part: {CARD}, count: %d, price: 11 EUR}}, {{part: AX1600i, price: 4 EUR}}]}}
"""


def prices(made):
    """Section → sum of its line, as text; only of what is chosen."""
    return {x.section: str(x.total) for x in made.lines if x.count is not None}


def run(*arguments):
    """The command as it is called."""
    return CliRunner().invoke(main, ["parts-list", *map(str, arguments)])


@pytest.mark.parametrize(
    ("first", "second", "count", "costs"),
    [
        ("", "", 2, {"gpus": "None", "psus": "None"}),
        ("chosen: false,", "", 2, {"gpus": "None", "psus": "None"}),
        ("chosen: true,", "", 2, {"gpus": "20.00 EUR", "psus": "5.00 EUR"}),
        ("", "chosen: true,", 2, {"gpus": "22.00 EUR", "psus": "4.00 EUR"}),
        ("chosen: true,", "chosen: true,", 2, {"gpus": "20.00 EUR", "psus": "5.00 EUR"}),
        ("", "chosen: true,", 1, {"gpus": "None", "psus": "4.00 EUR"}),
        ("", "chosen: true,", 3, {"gpus": "None", "psus": "4.00 EUR"}),
    ],
    ids=["none", "not", "first", "second", "both", "too few", "too many"],
)
def test_a_chosen_quote_prices_lines(judged, first, second, count, costs):
    """The first chosen one that offers a line in full; without any, what several offer is open."""
    assert prices(bill(judged(BOTH % (first, second, count)))) == costs


def test_the_second_chosen_one_prices_what_the_first_lacks(judged):
    """A line offered by halves is taken from the next."""
    text = BOTH % ("chosen: true,", "chosen: true,", 2)
    made = bill(judged(text.replace("count: 2, price: 10 EUR", "count: 1, price: 10 EUR")))
    assert prices(made) == {"gpus": "22.00 EUR", "psus": "5.00 EUR"}
    assert [x.price.quote for x in made.lines if x.price] == ["B Q-7", "A"]
    assert [c.is_chosen for c in made.comparison.columns] == [True, True]


def test_a_price_of_the_build_file_stays(judged):
    """A quote prices what has no price."""
    text = BOTH % ("chosen: true,", "", 2)
    made = bill(judged(text.replace("psus: AX1600i", "psus: {part: AX1600i, price: 3 EUR}")))
    assert prices(made) == {"gpus": "20.00 EUR", "psus": "3.00 EUR"}


def test_a_part_in_its_place_prices_nothing(judged):
    """A substitute is not what was asked for, chosen or not."""
    text = BOTH % ("chosen: true,", "", 2)
    other = text.replace(
        "{part: AX1600i, price: 5 EUR}", "{part: HX1500i, for: psus, price: 5 EUR}"
    )
    assert prices(bill(judged(other))) == {"gpus": "20.00 EUR", "psus": "None"}


def test_a_file_of_a_quote_can_be_chosen(tmp_path, catalog, rulebook):
    """In the file itself, or where the build file names it, which counts more."""
    (tmp_path / "a.yaml").write_text(f"vendor: A\nlines: [{{part: {CARD}, price: 10 EUR}}]\n")
    (tmp_path / "b.yaml").write_text(
        f"vendor: B\nchosen: true\nlines: [{{part: {CARD}, price: 11 EUR}}]\n"
    )
    path = tmp_path / "build.yaml"
    for quotes, cost in (
        ("[a.yaml, b.yaml]", "11.00 EUR"),
        ("[{file: a.yaml, chosen: true}, b.yaml]", "10.00 EUR"),
        ("[a.yaml, {file: b.yaml, chosen: false}]", "None"),
    ):
        path.write_text(f"gpus: {CARD}\nquotes: {quotes}\n")
        report = check(path.read_bytes(), str(path), catalog, rulebook, TODAY)
        assert prices(bill(report))["gpus"] == cost


def test_how_to_choose_is_said_where_nothing_is_chosen(judged):
    """And no more once a quote is."""
    told = [n for n in bill(judged(BOTH % ("", "", 2))).notes if "--choose" in n]
    assert told == [
        "Lines that several quotes offer and none prices: 2. Choose a quote (`chosen: true` in it, or --choose)."
    ]
    chosen = bill(judged(BOTH % ("", "chosen: true,", 2)))
    assert not [n for n in chosen.notes if "--choose" in n]


def test_what_a_chosen_quote_charges_besides_is_said(judged):
    """Shipping and assembly are rows of their own, and in the sum."""
    text = f"""
gpus: {CARD}
quotes:
  - vendor: A
    chosen: true
    shipping: 49 EUR
    excludes: VAT 19 %
    lines: [{{part: {CARD}, price: 10 EUR}}, {{part: Assembly, price: 90 EUR}}]
"""
    made = bill(judged(text))
    assert [f"{c.name} {c.total}" for c in made.charges] == [
        "shipping 49.00 EUR",
        "Assembly 90.00 EUR",
    ]
    assert [str(t.money) for t in made.totals] == ["149.00 EUR"]
    assert "Prices are without VAT 19 %." in made.notes
    assert not [n for n in made.notes if "No price says" in n]
    assert not made.is_complete


def test_a_chosen_quote_that_has_expired_is_marked(judged):
    """On its lines and in a sentence of its own."""
    made = bill(judged(BOTH % ("chosen: true, valid_until: 2026-11-20,", "", 2)))
    assert [x.marks for x in made.lines if x.price] == [("expired",), ("expired",)]
    assert "The chosen quote A ended on 2026-11-20." in made.notes


@pytest.mark.parametrize("form", ["text", "markdown", "html", "csv", "json"])
def test_every_format_says_which_quote_is_chosen(judged, form):
    """At the line and at the head of the quote."""
    report = judged(BOTH % ("", "chosen: true,", 2))
    text = render(bill(report), report, form)
    if form == "json":
        data = json.loads(text)
        assert [c["is_chosen"] for c in data["quotes"]["columns"]] == [False, True]
        assert data["lines"][0]["price"]["is_chosen"] is True
        return
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        assert rows[0]["price_from"] == "quote B Q-7, chosen"
        return
    told = text.replace("\\", "")
    assert "by quote B Q-7, chosen" in told
    assert "B Q-7 (chosen)" in told
    assert "A (chosen)" not in told


# -- the command -------------------------------------------------------------


def lines_of(done):
    """Section → sum of its line, from JSON on standard output."""
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["lines"]
    return {x["section"]: (x["total"] or {}).get("amount") for x in found}


def test_a_quote_is_chosen_for_one_run():
    """By vendor, number, both or a part of them; what North lacks nothing of has sums."""
    for name in ("North Systems", "N-17", "north systems n-17", "north"):
        found = lines_of(run(BUILD, "--choose", name, "--format", "json", "--today", TODAY))
        assert found["memory"] == "760.80"
        assert found["psus"] == "480.00"
        assert found["gpus"] == "2998.00"  # a price of the build file
    both = run(
        BUILD, "--choose", "2026-551", "--choose", "north", "--format", "json", "--today", TODAY
    )
    found = lines_of(both)
    assert found["motherboard"] == "520.00"  # South's, named first
    assert found["memory"] == "760.80"  # South offers four of eight


def test_a_choice_of_the_run_goes_before_that_of_the_file(tmp_path):
    """What is chosen in files stands in for what the run's choice does not offer."""
    path = tmp_path / "build.yaml"
    path.write_text(BOTH % ("chosen: true,", "", 1))
    found = lines_of(run(path, "--choose", "q7", "--format", "json", "--today", TODAY))
    assert (found["psus"], found["gpus"]) == ("4.00", "20.00")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("West", "no quote is called 'West'"),
        ("o", "several quotes are called 'o'"),
        ("", "no quote is called ''"),
    ],
)
def test_a_choice_of_no_quote_or_several_is_refused(name, says, tmp_path):
    """With the quotes there are, and nothing written."""
    out = tmp_path / "x.md"
    done = run(BUILD, "--choose", name, "--today", TODAY, "-o", out)
    assert done.exit_code == 2
    assert says in done.stderr
    assert "North Systems N-17" in done.stderr
    assert "South Computing 2026-551" in done.stderr
    assert not out.exists()


def test_a_choice_without_quotes_is_refused(tmp_path):
    """There is nothing to choose from."""
    path = tmp_path / "build.yaml"
    path.write_text("gpus: RTX 3090\n")
    done = run(path, "--choose", "A", "--choose", "B")
    assert done.exit_code == 2
    assert "the build has no quotes" in done.stderr


def test_csv_says_that_quotes_are_not_in_it(tmp_path):
    """On standard error, so that the table stays one; silent where there are none."""
    done = run(BUILD, "--format", "csv", "--today", TODAY)
    assert done.exit_code == 0
    assert "quotes are not in it" in done.stderr
    assert "quotes are not in it" not in done.stdout
    assert not run(BUILD, "--format", "markdown", "--today", TODAY).stderr
    path = tmp_path / "build.yaml"
    path.write_text("gpus: RTX 3090\n")
    assert not run(path, "--format", "csv").stderr
