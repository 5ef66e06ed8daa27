"""Nothing that a quote charges or offers is out of sight: alternatives, shipping, extras."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from buildcheck.bill import bill
from buildcheck.render.bill import render

CARD = "Gigabyte GeForce RTX 3090 TURBO 24G"
#: Two quotes for a card and a supply, the first with an alternative to the card.
ALTERNATIVE = f"""
gpus: {CARD}
psus: Corsair AX1600i
quotes:
  - vendor: A
    includes: [VAT 19 %, shipping]
    lines: [{{part: {CARD}, price: 1000 EUR}}, {{part: AX1600i, price: 400 EUR}}, {{part: RTX 4090, price: 900 EUR, for: gpus}}]
  - vendor: B
    includes: [VAT 19 %, shipping]
    lines: [{{part: {CARD}, price: 1100 EUR}}, {{part: AX1600i, price: 450 EUR}}]
"""


# -- alternatives ------------------------------------------------------------


def test_an_alternative_beside_the_part_bars_the_comparison(judged):
    """A sum of 2300 EUR that holds two cards for one is no sum of the same."""
    made = bill(judged(ALTERNATIVE))
    assert [str(m) for m in made.comparison.columns[0].whole] == ["2300.00 EUR"]
    assert made.comparison.lowest == ()
    (reason,) = made.comparison.reasons
    assert reason.startswith("A adds RTX 4090 (instead of Gigabyte")


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_an_alternative_beside_the_part_is_shown(judged, form):
    """With its price, in every format that holds quotes."""
    report = judged(ALTERNATIVE)
    text = render(bill(report), report, form)
    assert "RTX 4090" in text
    assert "900.00" in text


def test_an_alternative_alone_stays_in_its_line(judged):
    """It is no addition where the part itself is not offered."""
    alone = ALTERNATIVE.replace(f"{{part: {CARD}, price: 1000 EUR}}, ", "")
    made = bill(judged(alone)).comparison
    assert made.columns[0].extras == ()
    assert made.rows[0].cells[0].fit == "instead"


# -- what a quote charges besides --------------------------------------------

#: A quote that prices the one line there is, and charges for more.
CHARGED = f"""
gpus: {CARD}
quotes:
  - vendor: A
    number: N-1
    shipping: 49 EUR
    %s
    lines: [{{part: {CARD}, price: 1000 EUR}}, {{part: Assembly, price: 90 EUR}}, {{part: Rebate, price: -10.50 EUR}}]
"""
ROWS = [("shipping", "49.00"), ("Assembly", "90.00"), ("Rebate", "-10.50")]


def test_what_a_quote_charges_besides_is_in_the_sum(judged):
    """1000 + 49 + 90 - 10.50, each in a row of its own behind the parts."""
    made = bill(judged(CHARGED % ""))
    assert [(c.name, c.total.figure) for c in made.charges] == ROWS
    assert [c.number for c in made.charges] == [len(made.lines) + n for n in (1, 2, 3)]
    assert [str(t.money) for t in made.totals] == ["1128.50 EUR"]
    assert made.label(made.totals[0]) == f"Sum of 1 of {len(made.lines)} lines and 3 charges"


@pytest.mark.parametrize("form", ["text", "markdown", "html", "csv", "json"])
def test_what_a_quote_charges_besides_is_a_row_in_every_format(judged, form):
    """With its name, its amount and the quote."""
    report = judged(CHARGED % "")
    text = render(bill(report), report, form)
    if form == "json":
        found = [(c["name"], c["total"]["amount"]) for c in json.loads(text)["charges"]]
    elif form == "csv":
        read = csv.DictReader(io.StringIO(text, newline=""))
        rows = [r for r in read if r["kind"] in ("shipping", "extra")]
        assert {r["price_from"] for r in rows} == {"quote A N-1"}
        found = [(r["name"], r["line_total"].lstrip("'")) for r in rows]
    else:
        head = text.split("Quotes")[0] if form != "html" else text.split("h-quotes")[0]
        plain = head.replace("\\", "").lower()
        found = [r for r in ROWS if r[0].lower() in plain and f"{r[1]} eur" in plain]
    assert found == ROWS


def test_a_spreadsheet_sums_what_is_charged_besides(judged):
    """The rows stand where its formula sums."""
    openpyxl = pytest.importorskip("openpyxl")
    report = judged(CHARGED % "")
    raw = render(bill(report), report, "xlsx")
    live, told = (
        openpyxl.load_workbook(io.BytesIO(raw), data_only=v)["Parts list"] for v in (False, True)
    )
    (sum_,) = [c for c in live["H"] if str(c.value).startswith("=SUMIFS")]
    first, last = map(int, re.findall(r"\$H\$(\d+)", sum_.value))
    amounts = [told.cell(r, 8).value for r in range(first, last + 1)]
    assert sum(a for a in amounts if a is not None) == told[sum_.coordinate].value == 1128.5


#: All that no machine is without, each at 1 EUR, but for the card.
REST = "".join(
    f"{section}: {{part: {part}, price: {{each: 1 EUR, includes: [VAT 19 %]}}}}\n"
    for section, part in (
        ("cpu", "AMD EPYC 7302P"),
        ("motherboard", "ASRock Rack ROMED8-2T"),
        ("cpu_cooler", "Noctua NH-U14S TR4-SP3"),
        ("memory", "Samsung 32 GB DDR4-3200 RDIMM"),
        ("psus", "Corsair AX1600i"),
        ("case", "Fractal Design Define 7 XL"),
        ("storage", "Samsung 980 PRO 2TB"),
    )
)


@pytest.mark.parametrize(
    ("terms", "label"),
    [
        ("includes: [VAT 19 %]", "Total"),
        ("excludes: [VAT 19 %]", "Sum of all, some without VAT 19 %"),
        ("{includes: [VAT 19 %], excludes: [shipping]}", "Total"),
        ("{includes: [VAT 19 %], excludes: [duty]}", "Sum of all, some without duty"),
    ],
)
def test_a_total_says_what_it_leaves_out(judged, terms, label):
    """Shipping that is charged in a row is not left out."""
    made = bill(judged(REST + CHARGED % terms.strip("{}").replace("], ", "]\n    ")))
    assert [made.label(t) for t in made.totals] == [label]
    assert [t.money.figure for t in made.totals] == ["1135.50"]


def test_a_total_without_tax_is_called_so(judged):
    """Where no price holds it."""
    rest = REST.replace("includes", "excludes")
    made = bill(judged(rest + CHARGED % "excludes: [VAT 19 %]"))
    assert [made.label(t) for t in made.totals] == ["Total without VAT 19 %"]
    assert "Prices are without VAT 19 %." in made.notes


def test_an_extra_without_a_price_bars_the_total(judged):
    """And is named."""
    text = (CHARGED % "includes: [VAT 19 %]").replace("Assembly, price: 90 EUR", "Assembly")
    made = bill(judged(REST + text))
    assert made.label(made.totals[0]) == "Sum of 8 of 8 lines and 2 charges"
    assert "Charges without a price: Assembly (A N-1)." in made.notes


def test_an_alternative_is_in_no_sum(judged):
    """One of the two is bought."""
    made = bill(judged(ALTERNATIVE.replace("vendor: A", "vendor: A\n    chosen: true")))
    assert [str(t.money) for t in made.totals] == ["1400.00 EUR"]
    (note,) = [n for n in made.notes if "RTX 4090" in n]
    assert note.startswith("A offers alternatives, in no sum here: RTX 4090 (instead of Gigabyte")
    assert note.endswith("900.00 EUR.")


def test_charges_of_a_quote_that_prices_some_of_its_lines_may_change(judged):
    """Shipping of two parts is not shipping of one."""
    text = f"gpus: {CARD}\npsus: {{part: AX1600i, price: 3 EUR}}\nquotes: [{{vendor: A, shipping: 9 EUR, lines: [{{part: {CARD}, price: 5 EUR}}, {{part: AX1600i, price: 4 EUR}}]}}]\n"
    told = [n for n in bill(judged(text)).notes if "may change" in n]
    assert told == [
        "A charges shipping and extras for 2 parts, of which 1 is taken from it here: they may change."
    ]
    whole = text.replace("{part: AX1600i, price: 3 EUR}", "AX1600i", 1)
    assert not [n for n in bill(judged(whole)).notes if "may change" in n]


@pytest.mark.parametrize("form", ["text", "markdown", "html", "csv", "json", "xlsx"])
def test_what_comes_on_top_is_at_the_line(judged, form):
    """In every format, of a price and of a quote."""
    for build in (
        f"gpus: [{{part: {CARD}, price: {{each: 1 EUR, excludes: [GST 5 %]}}}}]\n",
        f"gpus: {CARD}\nquotes: [{{vendor: A, excludes: [GST 5 %], lines: [{{part: {CARD}, price: 1 EUR}}]}}]\n",
    ):
        report = judged(build)
        text = render(bill(report), report, form)
        if form == "xlsx":
            openpyxl = pytest.importorskip("openpyxl")
            sheet = openpyxl.load_workbook(io.BytesIO(text))["Parts list"]
            found = [c.value for c in sheet[4]]
        elif form == "json":
            found = json.loads(text)["lines"][0]["price"]["excludes"]
        else:
            (found, *_) = [r for r in text.splitlines() if "GST 5 %" in r] or [""]
            assert form not in ("text", "markdown", "html") or "without GST 5 %" in found
        assert "GST 5 %" in found


# -- several prices ----------------------------------------------------------

SEVERAL = f"gpus: [{{part: {CARD}, count: 3}}]\nquotes: [{{vendor: A, lines: [{{part: {CARD}, count: 2, price: 1000 EUR}}, {{part: {CARD}, price: 1100 EUR}}]}}]\n"


@pytest.mark.parametrize("form", ["text", "markdown", "html", "csv", "json", "xlsx"])
def test_one_part_at_several_prices_has_their_sum(judged, form):
    """Two for 1000 and one for 1100: no price of one piece, but one of all."""
    report = judged(SEVERAL)
    made = bill(report)
    assert str(made.lines[0].total) == "3100.00 EUR"
    assert [str(t.money) for t in made.totals] == ["3100.00 EUR"]
    assert "several-prices" in made.lines[0].marks
    text = render(made, report, form)
    if form == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        sheet = openpyxl.load_workbook(io.BytesIO(text))["Parts list"]
        assert (sheet["G4"].value, sheet["H4"].value, sheet["I4"].value) == (None, 3100, "EUR")
    elif form == "csv":
        row = next(csv.DictReader(io.StringIO(text, newline="")))
        assert (row["unit_price"], row["line_total"], row["currency"]) == ("", "3100.00", "EUR")
    else:
        assert "several prices" in text
        assert "3100.00" in text
        assert "None" not in text


def test_a_chosen_quote_with_several_prices_comes_first(judged):
    """It offers the line in full."""
    text = SEVERAL.replace("vendor: A", "vendor: A, chosen: true").rstrip()[:-1]
    text += f", {{vendor: B, lines: [{{part: {CARD}, count: 3, price: 1 EUR}}]}}]\n"
    assert str(bill(judged(text)).lines[0].total) == "3100.00 EUR"
