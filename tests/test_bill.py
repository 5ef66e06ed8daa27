"""The parts list: lines, marks, sums, accessories, quotes; from hand-made builds."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import TODAY
from test_alive import BASES, CASES, merged

from buildcheck.bill import bill
from buildcheck.check import check
from buildcheck.errors import InputError
from buildcheck.items import load_items
from buildcheck.render import to_html, to_text
from buildcheck.render.bill_quotes import terms
from buildcheck.render.view import grouped

FOLDER = Path(__file__).parent / "bills"
CARD = "Gigabyte GeForce RTX 3090 TURBO 24G"


@pytest.fixture
def billed(judged):
    """Text of a build file → its parts list."""
    return lambda text: bill(judged(text))


@pytest.fixture(scope="module")
def example(catalog, rulebook):
    """The build of `tests/bills` with its quotes."""
    path = FOLDER / "build.yaml"
    return check(path.read_bytes(), str(path), catalog, rulebook, TODAY)


def line(made, section):
    """The first line of a section."""
    return next(x for x in made.lines if x.section == section)


def failed(report, rule):
    """Subjects on which a rule fails."""
    return [f.subject for f in report.findings if f.rule.id == rule and f.verdict == "fail"]


def said(report, rule):
    """What a rule that fails says, each sentence."""
    return [f.message for f in report.findings if f.rule.id == rule and f.verdict == "fail"]


# -- lines -------------------------------------------------------------------


def test_the_example_adds_up(example):
    """Reckoned by hand: prices of the file, prices of the one quote, and what stays open."""
    made = bill(example)
    told = {x.section: (x.count, str(x.total)) for x in made.lines}
    assert told == {
        "gpus": (2, "2998.00 EUR"),
        "cpu": (1, "640.50 EUR"),
        "motherboard": (1, "None"),
        "cpu_cooler": (1, "79.90 EUR"),
        "memory": (8, "None"),
        "psus": (1, "None"),
        "case": (1, "210.00 EUR"),
        "storage": (1, "150.00 EUR"),
    }
    assert [str(t.money) for t in made.totals] == ["4078.40 EUR"]
    assert made.label(made.totals[0]) == "Sum of 5 of 8 lines"
    assert "Not all lines are priced: 5 of 8." in made.notes
    assert line(made, "gpus").part_numbers == ("GV-N3090TURBO-24GD",)
    assert line(made, "case").price.quote == "North Systems N-17"
    assert line(made, "motherboard").marks == ("see-quotes",)
    assert line(made, "cpu_cooler").marks == ("indicative",)


def test_what_is_not_chosen_is_a_line(billed):
    """No machine is without these; nothing is said of sections that may be empty."""
    made = billed("gpus: RTX 3090\n")
    open_ = [x.section for x in made.lines if x.marks == ("not-chosen",)]
    assert open_ == ["cpu", "motherboard", "cpu_cooler", "memory", "psus", "case", "storage"]
    assert all(x.count is None and x.total is None for x in made.lines[1:])


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("gpus: RTX 3090\n", False),
        (f"gpus: {CARD}\n", True),
        ("gpus: RTX A5000\n", True),
        ("gpus: [{board_power: 300 W}]\n", False),
    ],
)
def test_only_an_exact_model_can_be_ordered(billed, text, exact):
    """A chip that many makers sell, or facts alone, name no model."""
    assert ("not-exact" not in billed(text).lines[0].marks) is exact


def test_facts_alone_are_told_as_such(billed):
    """What the file says stands for the name."""
    made = billed("gpus: RTX 3090\nmemory: 256 GB\npsus: [{rated_power: 1600 W, price: 300 EUR}]\n")
    assert line(made, "memory").name == "memory: 256 GB"
    assert line(made, "psus").name == "power supply: rated_power 1600 W"
    assert line(made, "psus").marks == ("not-exact", "indicative")


def test_entries_of_one_part_are_one_line_unless_prices_differ(billed):
    """Limits and slots are no matter of purchasing."""
    one = billed(f"gpus: [{{part: {CARD}, count: 2, power_limit: 280 W}}, {{part: {CARD}}}]\n")
    assert [x.count for x in one.lines if x.section == "gpus"] == [3]
    two = billed(f"gpus: [{{part: {CARD}, price: 9 EUR}}, {{part: {CARD}, price: 8 EUR}}]\n")
    assert [str(x.total) for x in two.lines if x.section == "gpus"] == ["9.00 EUR", "8.00 EUR"]


def test_a_name_that_is_a_part_number_is_that_number(billed):
    """Of four numbers for four countries the one that was written is ordered."""
    assert line(billed("gpus: RTX 3090\npsus: Corsair AX1600i\n"), "psus").numbers_told.startswith(
        "one of CP-"
    )
    named = line(billed("gpus: RTX 3090\npsus: CP-9020087-EU\n"), "psus")
    assert named.part_numbers == ("CP-9020087-EU",)


def test_marks_of_prices(judged):
    """Old, expired and held, by the day."""
    prices = {
        "old": "{each: 5 EUR, vendor: V, date: 2026-10-21}",
        "": "{each: 5 EUR, vendor: V, date: 2026-10-22}",
        "expired": "{each: 5 EUR, vendor: V, date: 2026-10-01, until: 2026-11-20}",
        "held": "{each: 5 EUR, vendor: V, date: 2026-01-01, until: 2026-11-21}",
    }
    for word, price in prices.items():
        report = judged(f"gpus: [{{part: {CARD}, price: {price}}}]\n")
        assert line(bill(report), "gpus").marks == ((word,) if word in ("old", "expired") else ())


def test_a_waived_old_price_is_still_marked(judged):
    """A waiver takes the finding away, not the age."""
    price = "price: {each: 5 EUR, vendor: V, date: 2026-01-01}"
    waiver = "waivers: [{rule: record/price-old, subject: 'prices[0]', because: fixed price, until: 2027-01-01}]"
    report = judged(f"gpus: [{{part: {CARD}, {price}}}]\n{waiver}\n")
    assert not failed(report, "record/price-old")
    assert not failed(report, "record/waiver-unused")
    assert line(bill(report), "gpus").marks == ("old",)


def test_currencies_are_never_added(billed):
    """A sum for each, and neither is called the total."""
    made = billed(
        f"gpus: [{{part: {CARD}, count: 3, price: 0.10 USD}}]\ncpu: {{part: AMD EPYC 7302P, price: 0.30 EUR}}\n"
    )
    assert [str(t.money) for t in made.totals] == ["0.30 USD", "0.30 EUR"]
    assert "Total" not in {made.label(t) for t in made.totals}
    assert any("different currencies" in note for note in made.notes)


def test_a_total_only_if_all_is_priced(judged):
    """The word stands where every line is chosen and priced, and nothing else is to buy."""
    text = (FOLDER / "build.yaml").read_text().replace("quotes: [north.yaml, south.yaml]\n", "")
    for part in ("ASRock Rack ROMED8-2T", "Fractal Design Define 7 XL"):
        text = text.replace(part, f"{{part: {part}, price: 100 EUR}}")
    for part in ("Corsair AX1600i", "Samsung 980 PRO 2TB"):
        text = text.replace(part, f"{{part: {part}, price: 100 EUR}}")
    most = bill(judged(text))
    assert most.label(most.totals[0]) == "Sum of 7 of 8 lines"
    whole = bill(judged(text.replace("count: 8}", "count: 8, price: 100 EUR}")))
    assert [whole.label(t) for t in whole.totals] == ["Total"]
    assert (
        whole.totals[0].money.amount
        == Decimal("2998.00") + Decimal("640.50") + Decimal("79.90") + 1200
    )


# -- accessories -------------------------------------------------------------

BASE = "gpus: [{part: Gigabyte GeForce RTX 3090 TURBO 24G, count: 2%s}]\npsus: Corsair AX1600i\n"


@pytest.mark.parametrize(
    ("item", "there", "away"),
    [
        ("riser", BASE % ", riser: true", BASE % ", riser: true" + "risers: [{gen: 4, length: 200 mm, count: 2}]\n"),
        ("vertical-bracket", BASE % ", vertical: true", BASE % ""),
        ("power-adapter", "gpus: [{part: RTX 5090, adapter: 3x 8-pin to 16-pin, bundled_adapter: 4x 8-pin to 16-pin}]\n", "gpus: [{part: RTX 5090, adapter: 4x 8-pin to 16-pin, bundled_adapter: 4x 8-pin to 16-pin}]\n"),
        ("supply-cable", "gpus: [{part: RTX 3090, count: 2, plugs: {pcie-8-pin: 2}}]\npsus: [{rated_power: 1600 W, plugs: {pcie-8-pin: 2}}]\n", "gpus: [{part: RTX 3090, plugs: {pcie-8-pin: 2}}]\npsus: [{rated_power: 1600 W, plugs: {pcie-8-pin: 2}}]\n"),
        ("start-adapter", BASE.replace("psus: C", "psus: 2x C") % "" + "psu_sync: adapter\n", BASE.replace("psus: C", "psus: 2x C") % "" + "psu_sync: board\n"),
        ("nvlink-bridge", BASE % "" + "workload: {peer_to_peer: true}\n", BASE % "" + "nvlink: [{spacing: 3, generations: [ampere]}]\nworkload: {peer_to_peer: true}\n"),
        ("air-for-passive-card", "gpus: Tesla P40\ncase: {kind: tower}\n", BASE % ""),
        ("exhaust-fan", BASE % "" + "case: {kind: tower, fans: 2}\ncooling: {exhaust_fans: 5}\n", BASE % "" + "case: {kind: tower, fans: 3}\ncooling: {exhaust_fans: 3}\n"),
        ("mains-cord", BASE % "" + "site: {outlet: Schuko}\n", BASE % ""),
        ("mains-cord-unstated", BASE % "", BASE % "" + "site: {outlet: Schuko}\n"),
        ("ups-cord", BASE % "" + "ups: {power: 2700 W}\n", BASE % ""),
        ("listed-cable", BASE % "" + "cables: [{connector: pcie-8-pin, count: 4}]\n", BASE % "" + "cables: [{connector: pcie-8-pin, count: 4, reused: true}]\n"),
        ("cable-in-place-of-old", BASE % "" + "cables: [{connector: pcie-8-pin, count: 4, reused: true}]\n", BASE % "" + "cables: [{connector: pcie-8-pin, count: 4, reused: false}]\n"),
        ("sata-cable", BASE % "" + "storage: [{interface: SATA SSD, form: sata}]\n", BASE % "" + "storage: [{form: m.2}]\n"),
        ("u2-cable", BASE % "" + "storage: [{form: u.2}]\n", BASE % "" + "storage: [{form: m.2}]\n"),
        ("thermal-paste", BASE % "" + "cpu_cooler: Noctua NH-U14S TR4-SP3\n", BASE % ""),
        ("loop", "gpus: [{part: RTX 3090, cooling: water}]\n", BASE % ""),
        ("card-support", "gpus: [{part: RTX 3090, weight: 3 kg}]\n", "gpus: [{part: RTX 3090, weight: 500 g}]\n"),
    ],
)  # fmt: skip
def test_accessories_stand_where_they_are_needed(billed, item, there, away):
    """Each for a build that needs it, and not for one that does not."""
    assert item in {a.id for a in billed(there).accessories}
    assert item not in {a.id for a in billed(away).accessories}


CALLED = {
    "board-cable": "cable/board-plug-without-cable",
    "slot-power-cable": "cable/slot-power-plug-unfed",
    "riser-cable": "cable/riser-without-cable",
    "display-card": "platform/without-display",
}


@pytest.mark.parametrize("item", CALLED)
def test_findings_call_for_accessories(billed, item):
    """Where a build trips the rule the item stands, and where it is spared it does not."""
    case = next(c for c in CASES if c["rule"] == CALLED[item])
    build = merged(BASES[case.get("base", "plain")], case["build"])
    spared = merged(build, case["change"])
    there, away = (json.dumps(b, default=str) for b in (build, spared))
    assert item in {a.id for a in billed(there).to_buy}
    assert item not in {a.id for a in billed(away).to_buy}


def test_every_accessory_is_tried():
    """An item without a build that needs it may be dead."""
    tried = {
        mark.args[1][n][0]
        for mark in test_accessories_stand_where_they_are_needed.pytestmark
        for n in range(len(mark.args[1]))
    }
    assert tried | set(CALLED) == {item.id for item in load_items("accessories").items}


def test_how_many_accessories(billed):
    """Two cards on risers and one riser listed: one is lacking. Three supplies: two adapters."""
    made = billed(BASE % ", riser: true" + "risers: [{gen: 4, length: 200 mm}]\n")
    assert [a.count for a in made.to_buy if a.id == "riser"] == ["1"]
    made = billed(BASE.replace("psus: C", "psus: 3x C") % "" + "psu_sync: adapter\n")
    assert [a.count for a in made.to_buy if a.id == "start-adapter"] == ["2"]


def test_what_cannot_be_decided_is_to_find_out(billed):
    """Nobody says what starts the second supply, or whether the adapter comes along."""
    made = billed(BASE.replace("psus: C", "psus: 2x C") % "")
    assert "start-adapter" in {a.id for a in made.to_find_out}
    assert "start-adapter" not in {a.id for a in made.to_buy}
    made = billed(
        "gpus: [{board_power: 300 W, plugs: {12vhpwr: 1}, adapter: 3x 8-pin to 16-pin}]\n"
    )
    assert "power-adapter" in {a.id for a in made.to_find_out}


# -- quotes ------------------------------------------------------------------


def test_the_example_is_compared(example):
    """By hand: what South lacks, replaces and adds, and why nothing can be called lower."""
    made = bill(example).comparison
    north, south = made.columns
    assert [str(m) for m in north.whole] == ["5831.80 EUR"]
    assert [str(m) for m in south.whole] == ["4639.00 EUR"]
    assert not north.lacks
    assert south.lacks == (
        "Noctua NH-U14S TR4-SP3",
        *[x.name for x in bill(example).lines if x.section in ("memory", "case", "storage")],
    )
    assert (str(north.common), str(south.common)) == ("3979.00 EUR", "3320.00 EUR")
    assert south.is_expired
    assert not north.is_expired
    said = "\n".join(made.reasons)
    for words in (
        "lacks Noctua",
        "offers AMD EPYC 7402P",
        "adds Assembly",
        "has expired",
    ):
        assert words in said
    assert "tax" not in said  # both state 19 %, so sums with tax can be reckoned
    assert [str(m) for m in north.with_tax] == ["5831.80 EUR"]
    assert [str(m) for m in south.with_tax] == ["5520.41 EUR"]
    assert str(south.common_with_tax) == "3950.80 EUR"
    assert made.lowest == ()
    cells = {row.name: row.cells[1].remark for row in made.rows}
    assert cells["AMD EPYC 7302P"] == "AMD EPYC 7402P instead"
    assert "offers 4, 8 needed" in cells.values()


def test_the_record_speaks_of_the_quotes(example):
    """South has expired, replaces the CPU, and leaves out what North offers."""
    assert failed(example, "record/quote-expired") == ["quotes[1]"]
    assert failed(example, "record/quote-replaces-part") == ["quotes[1]"]
    assert failed(example, "record/quote-in-part") == ["quotes[1]"]
    assert failed(example, "record/quote-lacks-parts") == []


def test_findings_name_the_quote(example):
    """The fourth quote is nobody's name for it: its number, its vendor and its day are."""
    assert said(example, "record/quote-expired") == [
        "the quote 2026-551 of South Computing ended on 2026-10-31"
    ]
    for rule in ("record/quote-replaces-part", "record/quote-in-part"):
        (sentence,) = said(example, rule)
        assert sentence.startswith("the quote 2026-551 of South Computing ")


def test_findings_name_the_price(judged):
    """The part, whose price it is, and since when; a quote or price without them as well."""
    text = f"gpus: [{{part: {CARD}, price: {{each: 5 EUR, %s}}}}]\n"
    old = judged(text % "vendor: Kartenhaus, date: 2026-08-01")
    assert said(old, "record/price-old") == [
        f"the price of {CARD} (Kartenhaus) was asked or seen 112 days ago, and quotes usually hold for 30"
    ]
    past = judged(text % "until: 2026-11-20")
    assert said(past, "record/price-expired") == [f"the price of {CARD} held until 2026-11-20"]
    bare = judged(
        "gpus: RTX 3090\nquotes: [{vendor: V, valid_until: 2026-11-20, lines: [{part: x}]}]\n"
    )
    assert said(bare, "record/quote-expired") == ["the quote of V ended on 2026-11-20"]


def test_old_prices_are_told_of_at_once(judged):
    """One entry for all of a day, which names each; another for those of another day."""
    text = """
gpus: [{part: Gigabyte GeForce RTX 3090 TURBO 24G, price: {each: 5 EUR, date: 2026-08-01}}]
cpu: {part: AMD EPYC 7302P, price: {each: 6 EUR, date: 2026-08-01}}
psus: [{part: Corsair AX1600i, price: {each: 7 EUR, date: 2026-08-01}}]
case: {part: Fractal Design Define 7 XL, price: {each: 8 EUR, date: 2026-08-02}}
"""
    report = judged(text)
    old = [g for g in grouped(report, "fail") if g.finding.rule.id == "record/price-old"]
    assert sorted(len(g.subjects) for g in old) == [1, 3]
    shown = to_text(report)
    assert shown.count("note     record/price-old") == 2
    together = next(g for g in old if g.others)
    assert {p.line for p in together.places} == {2, 3, 4}
    names = (CARD, "AMD EPYC 7302P", "Corsair AX1600i")
    assert all(name in together.message for name in names)
    assert together.message.count("112 days ago") == 1
    page = to_html(report)
    assert page.count("<code>record/price-old</code>") == 2


@pytest.mark.parametrize(("count", "lacks"), [(1, True), (2, False), (0, False)])
def test_some_of_a_line_with_a_price_is_too_few(judged, count, lacks):
    """What has a price of its own may be bought elsewhere, but not half of it unnoticed."""
    offer = f"{{part: {CARD}, count: {count}, price: 4 EUR}}, " if count else ""
    text = f"gpus: [{{part: {CARD}, count: 2, price: 5 EUR}}]\nquotes: [{{vendor: A, lines: [{offer}{{part: x}}]}}]\n"
    found = said(judged(text), "record/quote-lacks-parts")
    assert bool(found) is lacks
    assert not lacks or found[0].endswith(f"{CARD} (1 of 2)")


def quoted(first, second=""):
    """A build of two named parts with two quotes; `second` takes more of the second one."""
    both = f"{{part: {CARD}, count: 2, price: 10 EUR}}, {{part: AX1600i, price: 5 EUR}}"
    other = both.replace("10", "11")
    return (
        f"gpus: [{{part: {CARD}, count: 2}}]\npsus: AX1600i\nquotes:\n"
        f"  - {{vendor: A, includes: [VAT 19 %, shipping], {first or f'lines: [{both}]'}}}\n"
        f"  - {{vendor: B, includes: [VAT 19 %, shipping], {second or f'lines: [{other}]'}}}\n"
    )


def test_like_quotes_are_compared(billed):
    """The same parts, currency and tax: then one is lower, and is called so."""
    made = billed(quoted("")).comparison
    assert made.reasons == ()
    assert made.lowest == ("A",)


@pytest.mark.parametrize(
    ("first", "says"),
    [
        (f"lines: [{{part: {CARD}, count: 2, price: 1 EUR}}]", "A lacks Corsair AX1600i"),
        (f"lines: [{{part: {CARD}, price: 1 EUR}}, {{part: AX1600i, price: 1 EUR}}]", f"A lacks {CARD}"),
        (f"lines: [{{part: {CARD}, count: 3, price: 1 EUR}}, {{part: AX1600i, price: 1 EUR}}]", "A offers more pieces"),
        (f"lines: [{{part: {CARD}, count: 2, price: 1 USD}}, {{part: AX1600i, price: 1 USD}}]", "different currencies: USD, EUR"),
        (f"lines: [{{part: {CARD}, count: 2}}, {{part: AX1600i, price: 1 EUR}}]", "A gives no price for"),
        (f"valid_until: 2026-01-01, lines: [{{part: {CARD}, count: 2, price: 1 EUR}}, {{part: AX1600i, price: 1 EUR}}]", "A has expired"),
        (f"lines: [{{part: {CARD}, count: 2, price: 1 EUR}}, {{part: HX1500i, for: psus, price: 1 EUR}}]", "A offers HX1500i"),
        (f"lines: [{{part: {CARD}, count: 2, price: 1 EUR}}, {{part: AX1600i, price: 1 EUR}}, {{part: Build, price: 1 EUR}}]", "A adds Build"),
    ],
)  # fmt: skip
def test_unlike_quotes_are_not(billed, first, says):
    """However low one of them is."""
    made = billed(quoted(first)).comparison
    assert any(says in reason for reason in made.reasons)
    assert made.lowest == ()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("vendor: A, includes: [VAT 19 %, shipping]", "vendor: A, includes: [shipping], excludes: VAT", "tax is included by B, and not by A"),
        ("vendor: A, includes: [VAT 19 %, shipping]", "vendor: A, includes: [shipping]", "A: not said whether tax"),
        ("vendor: A, includes: [VAT 19 %, shipping]", "vendor: A, includes: [VAT 19 %], excludes: [shipping]", "shipping is included by B, and not by A"),
        ("vendor: A, includes: [VAT 19 %, shipping]", "vendor: A, includes: [VAT 20 %, shipping]", "different rates of tax: A 20 %, B 19 %"),
        ("vendor: A, includes: [VAT 19 %, shipping]", "vendor: A, includes: [VAT 19 %, shipping, duty]", "B: not said whether duty"),
    ],
)  # fmt: skip
def test_unlike_bases_are_not_compared(billed, old, new, says):
    """Prices with and without tax or shipping are no prices of the same thing."""
    made = billed(quoted("").replace(old, new)).comparison
    assert any(says in reason for reason in made.reasons)


@pytest.mark.parametrize(
    ("vat", "cost", "taxed"),
    [
        ("excludes: [VAT 19 %]", "10 EUR", ("29.75 EUR", "27.00 EUR")),
        ("excludes: 19 % MwSt.", "10.01 EUR", ("29.77 EUR", "27.00 EUR")),  # 25.02 + 4.7538
        ("excludes: [VAT 19.0%]", "8.75 EUR", ("26.78 EUR", "27.00 EUR")),  # 22.50 + 4.275
        ("includes: [VAT 19 %]", "10 EUR", ()),
        ("excludes: [VAT]", "10 EUR", ()),
        ("excludes: [VAT 7 %]", "10 EUR", ()),
        ("excludes: [VAT 119 %]", "10 EUR", ()),
        ("excludes: [VAT 19 %, GST 7 %]", "10 EUR", ()),
        ("includes: [shipping at 19 %]", "10 EUR", ()),
        ("lead_time: 19 %", "10 EUR", ()),
        ("includes: VAT 19 %, excludes: VAT 19 %", "10 EUR", ()),
    ],
)
def test_sums_with_tax_are_reckoned_where_all_state_one_rate(billed, vat, cost, taxed):
    """By hand, half a cent up; never where somebody states none, or another."""
    text = (
        f"gpus: [{{part: {CARD}, count: 2}}]\npsus: AX1600i\nquotes:\n"
        f"  - {{vendor: A, shipping: 0 EUR, {vat}, lines: [{{part: {CARD}, count: 2, price: {cost}}}, {{part: AX1600i, price: 5 EUR}}]}}\n"
        f"  - {{vendor: B, shipping: 0 EUR, includes: [VAT 19 %], lines: [{{part: {CARD}, count: 2, price: 11 EUR}}, {{part: AX1600i, price: 5 EUR}}]}}\n"
    )
    made = billed(text).comparison
    assert tuple(str(m) for c in made.columns for m in c.with_tax) == taxed
    if taxed:
        assert made.reasons == ()
        lower = "A" if taxed[0] < taxed[1] else "B"
        assert made.lowest == (lower,)


def test_tax_is_reckoned_in_words(example):
    """Beside the sums it comes from, and called so."""
    told = [dict(terms(column)) for column in bill(example).comparison.columns]
    assert told[1]["everything on it"] == "4639.00 EUR"
    assert told[1]["everything on it with tax (reckoned)"] == "5520.41 EUR"
    assert told[1]["parts that all quotes offer with tax (reckoned)"] == "3950.80 EUR"


def test_shipping_that_is_charged_is_in_the_sum(billed):
    """One includes it, the other names it: both sums hold it."""
    made = billed(
        quoted("").replace(
            "vendor: A, includes: [VAT 19 %, shipping]",
            "vendor: A, includes: VAT 19 %, shipping: 3 EUR",
        )
    ).comparison
    assert made.reasons == ()
    assert made.lowest == ("B",)  # 28 against 27


def test_a_quote_may_name_the_model(billed):
    """A card with the chip that the build names is what was asked for; one with another is not."""
    text = "gpus: RTX 3090\nquotes: [{vendor: A, lines: [{part: %s, price: 1 EUR}]}]\n"
    right = billed(text % CARD)
    assert right.comparison.rows[0].cells[0].fit == "model"
    assert str(right.lines[0].total) == "1.00 EUR"
    wrong = billed(text % "ASUS TUF Gaming GeForce RTX 4090 OC")
    assert wrong.comparison.rows[0].cells[0].fit == ""
    assert [e.name for e in wrong.comparison.columns[0].extras]


def test_a_number_counts_before_a_name(billed):
    """The name of one part beside the number of another is no offer of the first."""
    text = f"gpus: {CARD}\nquotes: [{{vendor: A, lines: [{{part: {CARD}, number: %s, price: 1 EUR}}]}}]\n"
    assert billed(text % "GV-N3090TURBO-24GD").comparison.rows[0].cells[0].fit == "part"
    assert billed(text % "CP-9020087-EU").comparison.rows[0].cells[0].fit == "part"  # no card
    assert billed(text % "VCNRTXA5000-PB").comparison.rows[0].cells[0].fit == ""


def test_a_rebate_is_taken_off(billed):
    """A negative line of no part."""
    made = billed(
        f"gpus: {CARD}\nquotes: [{{vendor: A, lines: [{{part: {CARD}, price: 10 EUR}}, {{part: Rebate, price: -1.50 EUR}}]}}]\n"
    )
    assert [str(m) for m in made.comparison.columns[0].whole] == ["8.50 EUR"]


# -- what is wrong with a file -----------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gpus: [{part: RTX 3090, price: 1.499 EUR}]\n", "build.yaml:1:32: 'price' is '1.499 EUR', which can be read as"),
        ("gpus: [{part: RTX 3090, price: 1499.00}]\n", "'price' needs a currency"),
        ("gpus: [{part: RTX 3090, price: -1 EUR}]\n", "cannot be negative"),
        ("gpus: [{part: RTX 3090, price: {vendor: V}}]\n", "'each' is missing"),
        ("gpus: [{part: RTX 3090, price: {each: 1 EUR, when: 2026-01-01}}]\n", "no key 'when'"),
        ("gpus: [{part: RTX 3090, price: {each: 1 EUR, date: 2026-02-30}}]\n", "no day 2026-02-30"),
        ("gpus: [{part: RTX 3090, price: {each: 1 EUR, date: 2026-02-03, until: 2026-02-02}}]\n", "before it was asked"),
        ("gpus: [{price: 1 EUR}]\n", "names no part and gives no facts"),
        ("gpus: RTX 3090\nquotes: [{lines: [{part: a, price: 1 EUR}]}]\n", "names no vendor"),
        ("gpus: RTX 3090\nquotes: [{vendor: A}]\n", "has no lines"),
        ("gpus: RTX 3090\nquotes: [{vendor: A, lines: [{price: 1 EUR}]}]\n", "this line names nothing"),
        ("gpus: RTX 3090\nquotes: [{vendor: A, lines: [{part: a, price: 1 EUR}, {part: b, price: 1 USD}]}]\n", "build.yaml:2:72: this is in USD, the quote in EUR"),
        ("gpus: RTX 3090\nquotes: [{vendor: A, currency: EURO, lines: [{part: a}]}]\n", "ISO 4217"),
        ("gpus: RTX 3090\nquotes: [{vendor: A, lines: [{part: a, for: gpu}]}]\n", "no section or part 'gpu'"),
        ("gpus: [RTX 3090, RTX 4090]\nquotes: [{vendor: A, lines: [{part: a, for: gpus}]}]\n", "more than one line"),
        ("gpus: RTX 3090\nquotes: nowhere.yaml\n", "'nowhere.yaml': there is no such file"),
        ("gpus: RTX 3090\nquotes: /etc/passwd\n", "does not lie in the folder"),
        ("gpus: RTX 3090\nquotes: ../quote.yaml\n", "does not lie in the folder"),
        ("gpus: RTX 3090\nquotes: [{file: a.yaml, vendor: A}]\n", "nothing beside its name"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_at_its_place(judged, text, says):
    """Line, column, what, and never a trace."""
    with pytest.raises(InputError) as caught:
        judged(text)
    assert says in str(caught.value)


def test_quotes_in_files_are_read_beside_the_build(tmp_path, catalog, rulebook):
    """All that is wrong in all of them is said at once, each at its own place."""
    (tmp_path / "a.yaml").write_text("vendor: A\nlines: [{part: x, price: 1.499 EUR}]\n")
    (tmp_path / "b.yaml").write_text("lines: [\n")
    (tmp_path / "c.yaml").mkdir()
    build = tmp_path / "build.yaml"
    build.write_text(
        "gpus: RTX 3090\nquotes: [a.yaml, b.yaml, c.yaml]\npsus: {part: AX1600i, price: 3}\n"
    )
    with pytest.raises(InputError) as caught:
        check(build.read_bytes(), str(build), catalog, rulebook, TODAY, [tmp_path / "d.yaml"])
    said = str(caught.value)
    for words in (
        "a.yaml:2:",
        "b.yaml:2:1",
        "'c.yaml': this is no file",
        "d.yaml: there is no such",
        "build.yaml:3:",
    ):
        assert words in said
