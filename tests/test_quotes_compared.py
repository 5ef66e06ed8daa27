"""Quotes compared: line by line, as sums, as prices of whole machines; and which one is chosen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import holds, swapped
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


BASES, COMPARED = table("quotes_compared", "bases"), table("quotes_compared", "compared")
MACHINE = BASES["machine"]


@pytest.mark.parametrize("name", COMPARED)
def test_what_is_compared(name, listed):
    """Line by line, as sums, and as prices of whole machines."""
    case = COMPARED[name]
    made = listed(case.get("build") or swapped(case, BASES))
    holds(made, case)
    assert all(any(part in note for note in notes(made)) for part in case.get("notes", ()))


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


# -- one price for the whole machine -----------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    table("quotes_compared", "a_machine_price_has_no_difference_from_unlike_sums"),
)
def test_a_machine_price_has_no_difference_from_unlike_sums(listed, old, new, kind):
    """Fewer parts, another currency, or tax that is not stated."""
    text = MACHINE.replace(old, new)
    made = listed(text.replace("400 EUR", "400 USD") if "USD" in new else text).quotes
    assert [price.difference for price in made.turnkey] == [None]
    assert kind in {d.kind for d in made.differences}


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


def test_whether_a_machine_without_lines_lacks_parts_is_not_known(judged):
    """Unknown, not fine."""
    lines = MACHINE.rpartition(", lines: ")[2]
    report = judged(MACHINE.replace(f"lines: {lines}", "lead_time: 2 weeks}\n"))
    found = {
        f.subject: f.verdict for f in report.findings if f.rule.id == "record/quote-lacks-parts"
    }
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
