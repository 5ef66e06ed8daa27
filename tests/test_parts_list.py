"""The parts list: lines, marks, sums, charges and accessories, from hand-made builds."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import table
from test_alive import BASES, CASES, merged

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


# -- lines -------------------------------------------------------------------


def test_what_is_not_chosen_is_a_line(listed):
    """Every machine has these; sections that may be empty are left out."""
    made = listed("gpus: RTX 3090\n")
    open_ = [(x.section, x.name) for x in made.lines if x.kind == "not-chosen"]
    assert open_ == [
        ("cpu", "CPU"),
        ("motherboard", "motherboard"),
        ("cpu_cooler", "CPU cooler"),
        ("memory", "RAM"),
        ("psus", "PSU"),
        ("case", "case"),
        ("storage", "drive"),
    ]
    assert all(x.count is None and x.total is None for x in made.order_lines[1:])


@pytest.mark.parametrize("said", ["{part: RTX 3090, owned: true}", "RTX 3090 (have it)"])
def test_what_is_there_already_is_not_ordered(listed, said):
    """One card is bought, the other is in the lab."""
    made = listed(f"gpus: [{said}, RTX A5000]\n")
    assert [x.name for x in made.lines if x.section == "gpus"] == ["NVIDIA RTX A5000"]


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("gpus: RTX 3090\n", False),
        (f"gpus: {CARD}\n", True),
        ("gpus: RTX A5000\n", True),
        ("gpus: [{board_power: 300 W}]\n", False),
    ],
)
def test_only_an_exact_model_can_be_ordered(listed, text, exact):
    """A chip that many makers sell, or facts alone, name no model."""
    assert ("not-exact" not in listed(text).lines[0].marks) is exact


def test_facts_alone_make_a_name(listed):
    """Those of the build file, behind the noun."""
    made = listed("gpus: RTX 3090\nmemory: 256 GB\npsus: [{rated_power: 1600 W, price: 300 EUR}]\n")
    assert line(made, "memory").name == "RAM: 256 GB"
    assert line(made, "psus").name == "PSU: rated power 1600 W"
    assert line(made, "psus").marks == ("not-exact", "indicative")


def test_entries_of_one_part_are_one_line_unless_prices_differ(listed):
    """Power limits and slots do not matter to purchasing."""
    one = listed(f"gpus: [{{part: {CARD}, count: 2, power_limit: 280 W}}, {{part: {CARD}}}]\n")
    assert [x.count for x in one.lines if x.section == "gpus"] == [3]
    two = listed(f"gpus: [{{part: {CARD}, price: 9 EUR}}, {{part: {CARD}, price: 8 EUR}}]\n")
    assert [str(x.total) for x in two.lines if x.section == "gpus"] == ["9.00 EUR", "8.00 EUR"]


def test_a_name_that_is_a_part_number_is_that_number(listed):
    """Of four numbers for four countries the one in the build file is ordered."""
    assert line(listed("gpus: RTX 3090\npsus: Corsair AX1600i\n"), "psus").has_several_numbers
    named = line(listed("gpus: RTX 3090\npsus: CP-9020087-EU\n"), "psus")
    assert named.part_numbers == ("CP-9020087-EU",)


@pytest.mark.parametrize(
    ("price", "marks"),
    [
        ("{each: 5 EUR, vendor: V, date: 2026-10-21}", ("old",)),
        ("{each: 5 EUR, vendor: V, date: 2026-10-22}", ()),
        ("{each: 5 EUR, vendor: V, date: 2026-10-01, until: 2026-11-20}", ("expired",)),
        ("{each: 5 EUR, vendor: V, date: 2026-01-01, until: 2026-11-21}", ()),
        ("{each: 5 EUR, vendor: V, date: 2026-11-22}", ("future",)),
        ("{each: 5 EUR}", ("indicative",)),
    ],
)
def test_marks_of_prices(listed, price, marks):
    """Old, expired, valid, in the future or undated, by the day."""
    assert line(listed(f"gpus: [{{part: {CARD}, price: {price}}}]\n"), "gpus").marks == marks


def test_a_waived_old_price_is_still_marked(listed):
    """A waiver takes the finding away, not the age."""
    price = "price: {each: 5 EUR, vendor: V, date: 2026-01-01}"
    waiver = "waivers: [{rule: record/price-old, subject: 'prices[0]', because: fixed price, until: 2027-01-01}]"
    made = listed(f"gpus: [{{part: {CARD}, {price}}}]\n{waiver}\n")
    assert line(made, "gpus").marks == ("old",)


# -- sums --------------------------------------------------------------------


def test_currencies_are_never_added(listed):
    """A sum for each, and neither is called the total."""
    made = listed(
        f"gpus: [{{part: {CARD}, count: 3, price: 0.10 USD}}]\ncpu: {{part: AMD EPYC 7302P, price: 0.30 EUR}}\n"
    )
    assert [str(one.amount) for one in made.sums] == ["0.30 USD", "0.30 EUR"]
    assert not any(one.is_total for one in made.sums)
    assert any("several currencies" in note for note in notes(made))


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


#: Every part of a machine but the GPU, each at 1 EUR.
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


def test_charges_of_a_quote_are_in_the_sum(listed):
    """1000 + 49 + 90 - 10.50, each in a row of its own behind the parts."""
    made = listed(CHARGED % "")
    assert [(c.kind, c.name, str(c.total)) for c in made.charges] == [
        ("shipping", "shipping", "49.00 EUR"),
        ("extra", "Assembly", "90.00 EUR"),
        ("extra", "Rebate", "-10.50 EUR"),
    ]
    assert [str(one.amount) for one in made.sums] == ["1,128.50 EUR"]
    assert labels(made) == ["Priced so far: 1 of 8 lines and 3 charges"]


@pytest.mark.parametrize(
    ("terms", "label"), table("parts_list", "a_total_names_what_it_leaves_out")
)
def test_a_total_names_what_it_leaves_out(listed, terms, label):
    """Shipping that is charged in a row is not left out."""
    made = listed(REST + CHARGED % terms.strip("{}").replace("], ", "]\n    "))
    assert labels(made) == [label]
    assert [str(one.amount.amount) for one in made.sums] == ["1135.50"]


def test_a_total_without_tax(listed):
    """Where no price includes it."""
    made = listed(REST.replace("includes", "excludes") + CHARGED % "excludes: [VAT 19 %]")
    assert labels(made) == ["Total without VAT 19 %"]
    assert "Prices are without VAT 19 %." in notes(made)


def test_goods_that_the_build_does_not_list_are_no_charge(listed):
    """They are named, and in no sum: they could be a part under another name."""
    made = listed((CHARGED % "").replace("Assembly", "RTX 3090 Foo Edition"))
    assert [line.name for line in made.charges] == ["shipping", "Rebate"]
    assert any("RTX 3090 Foo Edition at 90.00 EUR, no part of the build" in n for n in notes(made))


def test_stated_tax_is_taken(listed):
    """Some tax only goods; with another price the rate is all there is."""
    text = CHARGED % "tax: 200 EUR\n    excludes: [VAT 19 %]"
    assert str(listed(text).sums[0].tax) == "200.00 EUR"
    made = listed(text + "psus: {part: AX1600i, price: {each: 1 EUR, excludes: [VAT 19 %]}}\n")
    assert str(made.sums[0].tax) == "214.61 EUR"


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


def test_charges_of_a_quote_that_prices_some_of_its_lines_may_change(listed):
    """Shipping of two parts is not shipping of one."""
    text = f"gpus: {CARD}\npsus: {{part: AX1600i, price: 3 EUR}}\nquotes: [{{vendor: A, shipping: 9 EUR, lines: [{{part: {CARD}, price: 5 EUR}}, {{part: AX1600i, price: 4 EUR}}]}}]\n"
    (quote,) = listed(text).quotes.quotes
    assert (quote.lines_used, quote.lines_offered) == (1, 2)
    assert any("may change" in note for note in notes(listed(text)))
    whole = text.replace("{part: AX1600i, price: 3 EUR}", "AX1600i", 1)
    assert not any("may change" in note for note in notes(listed(whole)))


def test_one_part_at_several_prices_has_their_sum(listed):
    """Two for 1000 and one for 1100: no price of one piece, but one of all."""
    made = listed(
        f"gpus: [{{part: {CARD}, count: 3}}]\nquotes: [{{vendor: A, lines: [{{part: {CARD}, count: 2, price: 1000 EUR}}, {{part: {CARD}, price: 1100 EUR}}]}}]\n"
    )
    assert (made.lines[0].price.each, str(made.lines[0].total)) == (None, "3,100.00 EUR")
    assert [str(one.amount) for one in made.sums] == ["3,100.00 EUR"]
    assert "several-prices" in made.lines[0].marks


# -- accessories -------------------------------------------------------------

BASE = "gpus: [{part: Gigabyte GeForce RTX 3090 TURBO 24G, count: 2%s}]\npsus: Corsair AX1600i\n"


@pytest.mark.parametrize(
    ("item", "there", "away"),
    [
        ("riser", BASE % ", riser: true" + "risers: [{gen: 4, length: 200 mm}]\n", BASE % ""),
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
def test_accessories_are_listed_where_they_are_needed(listed, item, there, away):
    """Each for a build that needs it, and not for one that does not."""
    assert item in ids(listed(there).lines)
    assert item not in ids(listed(away).lines)


CALLED = {
    "board-cable": "cable/board-plug-without-cable",
    "slot-power-cable": "cable/slot-power-plug-unfed",
    "riser-cable": "cable/riser-without-cable",
    "display-card": "platform/without-display",
}


@pytest.mark.parametrize("item", CALLED)
def test_findings_call_for_accessories(listed, item):
    """Where a build fails the rule the item is listed, and where it does not it is not."""
    case = next(c for c in CASES if c["rule"] == CALLED[item])
    build = merged(BASES[case.get("base", "plain")], case["build"])
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


def test_how_many_accessories(listed):
    """Two riser-mounted GPUs and one riser listed: one is missing. Three PSUs: two adapters."""
    made = listed(BASE % ", riser: true" + "risers: [{gen: 4, length: 200 mm}]\n")
    assert [x.count for x in made.to_buy if x.id == "riser"] == [1]
    made = listed(BASE.replace("psus: C", "psus: 3x C") % "" + "psu_sync: adapter\n")
    assert [x.count for x in made.to_buy if x.id == "start-adapter"] == [2]


def test_what_cannot_be_decided_is_to_find_out(listed):
    """Neither what starts the second PSU nor what is in the box of the GPU is stated."""
    made = listed(BASE.replace("psus: C", "psus: 2x C") % "")
    assert "start-adapter" in ids(made.to_find_out)
    assert "start-adapter" not in ids(made.to_buy)
    made = listed(
        "gpus: [{board_power: 300 W, plugs: {12vhpwr: 1}, adapter: 3x 8-pin to 16-pin}]\n"
    )
    assert "power-adapter" in ids(made.to_find_out)


def test_a_stated_price_of_the_machine_is_the_total(listed):
    """Of a turnkey machine; next to prices of lines it is named and in no sum."""
    text = "gpus: 4x RTX 3090{}\ntotal price: 28450 EUR\n"
    alone = listed(text.format(""))
    assert [(str(s.amount), s.is_total) for s in alone.sums] == [("28,450.00 EUR", True)]
    both = listed(text.format(", 700 EUR each"))
    assert [(str(s.amount), s.is_total) for s in both.sums] == [("2,800.00 EUR", False)]
    assert str(both.stated) == "28,450.00 EUR"
