"""Quotes compared: line by line, as sums, as prices of whole machines; and which one is chosen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import TODAY, table

from buildcheck.check import check
from buildcheck.cli import main
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.render.templates import words

BUILD = Path(__file__).parent / "orders" / "build.yaml"
CARD = "Gigabyte GeForce RTX 3090 TURBO 24G"


@pytest.fixture
def listed(judged):
    """Text of a build file → its parts list."""
    return lambda text: parts_list_answer(judged(text))


def messages(report, rule):
    return [f.message for f in report.findings if f.rule.id == rule and f.verdict == "fail"]


def notes(made):
    """The notes below the list."""
    return words("parts-list").notes(made).strip().split("\n")


def texts(amounts):
    return [str(one) for one in amounts]


# -- sums and lines ----------------------------------------------------------


def quoted(first, second=""):
    """A build of two named parts with two quotes; `second` takes more of the second one."""
    both = f"{{part: {CARD}, count: 2, price: 10 EUR}}, {{part: AX1600i, price: 5 EUR}}"
    other = both.replace("10", "11")
    return (
        f"gpus: [{{part: {CARD}, count: 2}}]\npsus: AX1600i\nquotes:\n"
        f"  - {{vendor: A, includes: [VAT 19 %, shipping], {first or f'lines: [{both}]'}}}\n"
        f"  - {{vendor: B, includes: [VAT 19 %, shipping], {second or f'lines: [{other}]'}}}\n"
    )


def test_like_quotes_are_compared(listed):
    """The same parts, currency and tax: one is lower, and is called so."""
    made = listed(quoted("")).quotes
    assert made.differences == ()
    assert made.lowest == ("A",)


def line(*parts):
    return f"lines: [{', '.join(f'{{{part}}}' for part in parts)}]"


ALL, PSU = f"part: {CARD}, count: 2, price: 1 EUR", "part: AX1600i, price: 1 EUR"


@pytest.mark.parametrize(
    ("first", "kind", "items"),
    [
        (line(ALL), "lacks", ("Corsair AX1600i",)),
        (line(f"part: {CARD}, price: 1 EUR", PSU), "lacks", (CARD,)),
        (line(ALL.replace("count: 2", "count: 3"), PSU), "more-pieces", (CARD,)),
        (line(ALL, PSU).replace("EUR", "USD"), "currency", ("USD", "EUR")),
        (line(f"part: {CARD}, count: 2", PSU), "unpriced", (CARD,)),
        (f"valid_until: 2026-01-01, {line(ALL, PSU)}", "expired", ()),
        (line(ALL, "part: HX1500i, for: psus, price: 1 EUR"), "instead", ("HX1500i",)),
        (line(ALL, PSU, "part: Build, price: 1 EUR"), "extras", ("Build",)),
        (line(ALL, PSU, "part: RTX 4090, for: gpus, price: 1 EUR"), "extras", (f"RTX 4090 (instead of {CARD})",)),
    ],
)  # fmt: skip
def test_unlike_quotes_are_not_compared(listed, first, kind, items):
    """However low one of them is."""
    made = listed(quoted(first)).quotes
    found = {d.kind: d.items for d in made.differences}
    assert kind in found
    assert len(found[kind]) == len(items)
    assert all(a.startswith(b[:8]) or b in a for a, b in zip(found[kind], items, strict=True))
    assert made.lowest == ()


@pytest.mark.parametrize(("new", "says"), table("quotes_compared", "unlike_bases_are_not_compared"))
def test_unlike_bases_are_not_compared(listed, new, says):
    """Prices with and without tax, shipping or duty."""
    old = "vendor: A, includes: [VAT 19 %, shipping]"
    made = listed(quoted("").replace(old, f"vendor: A, includes: {new}"))
    assert says in words("parts-list").comparison(made).split("\n")


@pytest.mark.parametrize(
    ("vat", "cost", "taxed"),
    table("quotes_compared", "sums_with_tax_where_all_state_one_rate"),
)
def test_sums_with_tax_where_all_state_one_rate(listed, vat, cost, taxed):
    """By hand, half a cent up; never where a quote states none, or another."""
    text = (
        f"gpus: [{{part: {CARD}, count: 2}}]\npsus: AX1600i\nquotes:\n"
        f"  - {{vendor: A, shipping: 0 EUR, {vat}, lines: [{{part: {CARD}, count: 2, price: {cost}}}, {{part: AX1600i, price: 5 EUR}}]}}\n"
        f"  - {{vendor: B, shipping: 0 EUR, includes: [VAT 19 %], lines: [{{part: {CARD}, count: 2, price: 11 EUR}}, {{part: AX1600i, price: 5 EUR}}]}}\n"
    )
    made = listed(text).quotes
    assert tuple(str(m) for c in made.quotes for m in c.total_with_tax) == tuple(taxed)
    if taxed:
        assert made.differences == ()
        assert made.lowest == ("A" if taxed[0] < taxed[1] else "B",)


def test_shipping_that_is_charged_is_in_the_sum(listed):
    """One includes it, the other names it: both sums hold it."""
    old, new = "vendor: A, includes: [VAT 19 %, shipping]", "vendor: A, includes: VAT 19 %"
    made = listed(quoted("").replace(old, f"{new}, shipping: 3 EUR")).quotes
    assert made.differences == ()
    assert made.lowest == ("B",)  # 28 against 27


def test_a_quote_may_name_the_model(listed):
    """A GPU with the chip that the build names is what was asked for; one with another is not."""
    text = "gpus: RTX 3090\nquotes: [{vendor: A, lines: [{part: %s, price: 1 EUR}]}]\n"
    right = listed(text % CARD)
    assert [o.fit for o in right.quotes.quotes[0].offers] == ["model"]
    assert str(right.lines[0].total) == "1.00 EUR"
    (wrong,) = listed(text % "ASUS TUF Gaming GeForce RTX 4090 OC").quotes.quotes
    assert wrong.offers == ()
    assert [e.name for e in wrong.extras]


def test_a_name_counts_whatever_its_number(listed):
    """A number of another part is said beside it; only a general name leaves it to the number."""
    text = f"gpus: {CARD}\nquotes: [{{vendor: A, lines: [{{part: {CARD}, number: %s, price: 1 EUR}}]}}]\n"
    for number, fits in (
        ("GV-N3090TURBO-24GD", ["part"]),
        ("CP-9020087-EU", ["part"]),  # a PSU
        ("VCNRTXA5000-PB", ["part"]),  # another GPU
    ):
        assert [o.fit for o in listed(text % number).quotes.quotes[0].offers] == fits


ALTERNATIVE = quoted(line(ALL, PSU, "part: RTX 4090, price: 900 EUR, for: gpus"))


def test_an_alternative_is_no_part_of_a_sum(listed):
    """One of the two is bought; alone it is no addition."""
    made = listed(ALTERNATIVE.replace("vendor: A", "vendor: A, chosen: true"))
    assert texts(one.amount for one in made.sums) == ["3.00 EUR"]
    (note,) = [n for n in notes(made) if "RTX 4090" in n]
    assert note.endswith("at 900.00 EUR: in no sum here.")
    (quote, _) = listed(ALTERNATIVE.replace(f"{{{ALL}}}, ", "")).quotes.quotes
    assert quote.extras == ()
    assert [o.fit for o in quote.offers] == ["instead", "part"]


# -- one price for the whole machine -----------------------------------------

MACHINE = f"""
gpus: [{{part: {CARD}, count: 2}}]
psus: AX1600i
quotes:
  - {{vendor: A, includes: [VAT 19 %%, shipping], {line(f"part: {CARD}, count: 2, price: 1000 EUR", "part: AX1600i, price: 400 EUR")}}}
  - {{vendor: T, number: 9, includes: [VAT 19 %%, shipping], total: 2300 EUR, %s}}
"""
PARTS = line(f"part: {CARD}, count: 2", "part: AX1600i")


def test_a_machine_price_is_compared_with_the_parts_of_another_quote(listed):
    """2300 for what A sells for 2400; that its lines have no prices is no difference."""
    made = listed(MACHINE % PARTS).quotes
    (price,) = made.turnkey
    assert (price.quote, price.against, price.lines) == ("T 9", "A", 2)
    assert (str(price.total), str(price.parts_total)) == ("2,300.00 EUR", "2,400.00 EUR")
    assert str(price.difference) == "-100.00 EUR"
    assert made.differences == ()
    assert made.lowest == ("T 9",)


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    table("quotes_compared", "a_machine_price_has_no_difference_from_unlike_sums"),
)
def test_a_machine_price_has_no_difference_from_unlike_sums(listed, old, new, kind):
    """Fewer parts, another currency, or tax that is not stated."""
    text = (MACHINE % PARTS).replace(old, new)
    made = listed(text.replace("400 EUR", "400 USD") if "USD" in new else text).quotes
    assert [price.difference for price in made.turnkey] == [None]
    assert kind in {d.kind for d in made.differences}


def test_a_machine_price_is_compared_with_prices_of_the_build_file(listed):
    """List prices: 2 x 1100 and 350."""
    text = (MACHINE % PARTS).replace("count: 2}]\npsus: AX1600i", "count: 2, price: {each: 1100 EUR, includes: [VAT 19 %]}}]\npsus: {part: AX1600i, price: {each: 350 EUR, includes: [VAT 19 %]}}")  # fmt: skip
    prices = {p.against: str(p.difference) for p in listed(text).quotes.turnkey}
    assert prices == {"A": "-100.00 EUR", "": "-250.00 EUR"}


def test_prices_of_whole_machines_are_compared_with_each_other(listed):
    """In quotes, and as the build file states it: that says nothing of tax."""
    text = MACHINE.replace("lines: [{part: AX", "x: [{") % PARTS
    text += f"  - {{vendor: U, includes: [VAT 19 %], total: 2000 EUR, {PARTS}}}\n"
    text += "cost: {machine: 2100 EUR}\n"
    found = [(p.quote, p.against, str(p.difference)) for p in listed(text).quotes.turnkey]
    assert ("T 9", "U", "300.00 EUR") in found
    assert found[-1] == ("U", "", "None")


@pytest.mark.parametrize(
    ("name", "text", "said"), table("quotes_compared", "files_are_quotes_however_they_are_written")
)
def test_files_are_quotes_however_they_are_written(tmp_path, name, text, said):
    """Of the same vendor, sum, and stated total if that is another one; lists are judged too."""
    (tmp_path / name).write_text(text)
    build = tmp_path / "b.yaml"
    build.write_text(f"gpus: [{{part: {CARD}, count: 2}}]\n")
    done = run(build, "--quote", tmp_path / name, "--format", "json", "--today", TODAY)
    (quote,) = json.loads(done.stdout)["answer"]["quotes"]["quotes"]
    amounts = [a and " ".join(a.values()) for a in (quote["total"][0], quote.get("stated"))]
    assert [quote["vendor"], *amounts] == said
    assert (quote["lines_offered"], quote.get("lacks")) == (1, None)
    done = CliRunner().invoke(main, ["validate", str(tmp_path / name), "--format", "json"])
    (judged,) = json.loads(done.stdout)["answer"]["builds"]
    assert (judged["name"].partition(" ")[0], done.exit_code) in (("2x", 0), ("x", 0))


def test_a_chosen_machine_price_is_the_price_of_its_parts(listed):
    """They are in the sum once, and need no price of their own."""
    text = (MACHINE % PARTS).replace("vendor: T", "chosen: true, vendor: T")
    made = listed(text)
    assert [(c.kind, str(c.total)) for c in made.charges] == [("machine", "2,300.00 EUR")]
    chosen = [x for x in made.order_lines if x.kind == "part"]
    assert all("in-machine-price" in x.marks and x.total is None for x in chosen)
    (total,) = made.sums
    assert (str(total.amount), total.lines, total.charges) == ("2,300.00 EUR", 2, 1)
    # Parts that nobody lists are in the price of the whole machine as well.
    assert made.priced == len(made.order_lines)


def test_what_a_machine_without_lines_holds_is_not_known(judged):
    """The price is compared; whether parts are missing is unknown, not fine."""
    report = judged(MACHINE % "lead_time: 2 weeks")
    made = parts_list_answer(report).quotes
    assert "not-itemised" in {d.kind for d in made.differences}
    assert [str(price.difference) for price in made.turnkey] == ["-100.00 EUR"]
    found = {f.subject: f.verdict for f in report.findings if f.rule.id == "record/quote-lacks-parts"}  # fmt: skip
    assert found["quotes[1]"] == "unknown"


# -- findings about quotes and prices ----------------------------------------


def test_findings_name_the_price(judged):
    """The part, the vendor, and since when."""
    text = f"gpus: [{{part: {CARD}, price: {{each: 5 EUR, %s}}}}]\n"
    (old,) = messages(judged(text % "vendor: Kartenhaus, date: 2026-08-01"), "record/price-old")
    assert all(words in old for words in ("112 days", CARD, "Kartenhaus"))
    (past,) = messages(judged(text % "until: 2026-11-20"), "record/price-expired")
    assert "2026-11-20" in past


@pytest.mark.parametrize(("count", "lacks"), [(1, True), (2, False), (0, False)])
def test_some_of_a_line_with_a_price_is_too_few(judged, count, lacks):
    """What has a price of its own may be bought elsewhere, but not half of it unnoticed."""
    offer = f"{{part: {CARD}, count: {count}, price: 4 EUR}}, " if count else ""
    text = f"gpus: [{{part: {CARD}, count: 2, price: 5 EUR}}]\nquotes: [{{vendor: A, lines: [{offer}{{part: x}}]}}]\n"
    found = messages(judged(text), "record/quote-lacks-parts")
    assert bool(found) is lacks
    assert not lacks or f"{CARD} (1 of 2)" in found[0]


# -- which quote prices a line -----------------------------------------------

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
    return {x.section: str(x.total) for x in made.lines if x.kind == "part"}


@pytest.mark.parametrize(
    ("first", "second", "count", "costs"),
    table("quotes_compared", "a_chosen_quote_prices_lines"),
    ids=["none", "not", "first", "second", "both", "too few", "too many"],
)
def test_a_chosen_quote_prices_lines(listed, first, second, count, costs):
    """The first chosen one that offers a line in full; without any, several leave it open."""
    made = listed(BOTH % (first, second, count))
    assert prices(made) == costs
    assert any("--choose" in n for n in notes(made)) is ("None" in costs.values())


def test_the_second_chosen_one_prices_what_the_first_lacks(listed):
    """A line offered in part is taken from the next."""
    text = BOTH % ("chosen: true,", "chosen: true,", 2)
    made = listed(text.replace("count: 2, price: 10 EUR", "count: 1, price: 10 EUR"))
    assert prices(made) == {"gpus": "22.00 EUR", "psus": "5.00 EUR"}
    assert [x.price.quote for x in made.lines if x.price] == ["B Q-7", "A"]


@pytest.mark.parametrize(
    ("old", "new", "costs"),
    table("quotes_compared", "what_a_chosen_quote_does_not_price"),
    ids=["price of the build file", "another part instead", "goods without a match"],
)  # fmt: skip
def test_what_a_chosen_quote_does_not_price(listed, old, new, costs):
    """A part with a price of its own, and a part that it replaces."""
    assert prices(listed((BOTH % ("chosen: true,", "", 2)).replace(old, new))) == costs


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
        assert prices(parts_list_answer(report))["gpus"] == cost


def test_a_chosen_quote_that_has_expired_is_marked(listed):
    """On its lines and in a sentence of its own."""
    made = listed(BOTH % ("chosen: true, valid_until: 2026-11-20,", "", 2))
    assert [x.marks for x in made.lines if x.price] == [("expired",), ("expired",)]
    assert "The chosen quote A expired on 2026-11-20." in notes(made)


# -- the command -------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(main, ["parts-list", *map(str, arguments)])


def lines_of(*arguments):
    """Section → sum of its line, from JSON on standard output."""
    done = run(*arguments, "--format", "json", "--today", TODAY)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["answer"]["lines"]
    return {x["section"]: x.get("total", {}).get("amount") for x in found if "section" in x}


def test_a_quote_is_chosen_for_one_run():
    """By vendor, number, both or a part of them."""
    for name in ("North Systems", "N-17", "north systems n-17", "north"):
        found = lines_of(BUILD, "--choose", name)
        assert found["memory"] == "760.80"
        assert found["psus"] == "480.00"
        assert found["gpus"] == "2998.00"  # a price of the build file
    found = lines_of(BUILD, "--choose", "2026-551", "--choose", "north")
    assert found["motherboard"] == "520.00"  # South's, named first
    assert found["memory"] == "760.80"  # South offers four of eight


def test_a_choice_of_the_run_goes_before_that_of_the_file(tmp_path):
    """What is chosen in files prices what the run's choice does not offer."""
    path = tmp_path / "build.yaml"
    path.write_text(BOTH % ("chosen: true,", "", 1))
    found = lines_of(path, "--choose", "q7")
    assert (found["psus"], found["gpus"]) == ("4.00", "20.00")


@pytest.mark.parametrize(
    ("name", "says"), table("quotes_compared", "a_choice_of_no_quote_or_several_is_refused")
)
def test_a_choice_of_no_quote_or_several_is_refused(name, says, tmp_path):
    """With the quotes there are, and nothing written."""
    out = tmp_path / "x.md"
    done = run(BUILD, "--choose", name, "--today", TODAY, "-o", out)
    assert done.exit_code == 2
    assert says in done.stderr
    assert "North Systems N-17" in done.stderr
    assert not out.exists()


def test_a_choice_without_quotes_is_refused(tmp_path):
    """There is nothing to choose from."""
    path = tmp_path / "build.yaml"
    path.write_text("gpus: RTX 3090\n")
    done = run(path, "--choose", "A", "--choose", "B")
    assert done.exit_code == 2
    assert "the build has no quotes" in done.stderr
