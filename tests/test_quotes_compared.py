"""Quotes compared: line by line, as sums, as prices of whole machines; and which one is chosen."""

import json

import pytest
from cases import holds, swapped
from click.testing import CliRunner
from conftest import TODAY, each_of, each_row, table

from buildcheck.cli import main
from buildcheck.pipeline import check
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.render.templates import words

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


BASES = table("quotes_compared", "bases")
MACHINE = BASES["machine"]


@each_of("compared")
def test_what_is_compared(case, listed):
    """Line by line, as sums, and as prices of whole machines."""
    made = listed(case.get("build") or swapped(case, BASES))
    holds(made, case)
    assert all(any(part in note for note in notes(made)) for part in case.get("notes", ()))


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


@each_row
def test_unlike_quotes_are_not_compared(first, kind, items, listed):
    """However low one of them is."""
    made = listed(quoted(first)).quotes
    found = {d.kind: d.items for d in made.differences}
    assert kind in found
    assert len(found[kind]) == len(items)
    assert all(a.startswith(b[:8]) or b in a for a, b in zip(found[kind], items, strict=True))
    assert made.lowest == ()


@each_row
def test_unlike_bases_are_not_compared(new, says, listed):
    """Prices with and without tax, shipping or duty."""
    old = "vendor: A, includes: [VAT 19 %, shipping]"
    made = listed(quoted("").replace(old, f"vendor: A, includes: {new}"))
    assert says in words("parts-list").comparison(made).split("\n")


@each_row
def test_sums_with_tax_where_all_state_one_rate(vat, cost, taxed, listed):
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


@each_row
def test_a_machine_price_has_no_difference_from_unlike_sums(old, new, kind, listed):
    """Fewer parts, another currency, or tax that is not stated."""
    text = MACHINE.replace(old, new)
    made = listed(text.replace("400 EUR", "400 USD") if "USD" in new else text).quotes
    assert [price.difference for price in made.turnkey] == [None]
    assert kind in {d.kind for d in made.differences}


@each_row
def test_files_are_quotes_however_they_are_written(name, text, said, tmp_path):
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


#: Two quotes that offer the same, and what is put into each.
BOTH = table("quotes_compared", "both")


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


def run(*arguments):
    return CliRunner().invoke(main, ["parts-list", *map(str, arguments)])
