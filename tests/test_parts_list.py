"""The parts list and its quotes: lines, marks, sums, charges, what is compared and what is chosen."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from cases import holds, swapped
from conftest import TODAY, each_of, each_row, problems_in, table
from test_alive import BASES as BUILDS
from test_alive import CASES, merged

from buildcheck.checklist.items import load_items
from buildcheck.errors import InputError
from buildcheck.pipeline import check
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.purchasing.quotes.matching import choose
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
    assert all(any(said in note for note in notes(made)) for said in case.get("notes", ()))
    assert not [n for n in notes(made) for words_ in case.get("no_notes", ()) if words_ in n]


@each_row
def test_marks_of_prices(price, marks, listed):
    """Old, expired, valid, in the future or undated, by the day."""
    assert line(listed(f"gpus: [{{part: {CARD}, price: {price}}}]\n"), "gpus").marks == tuple(marks)


def test_a_total_only_if_all_is_priced(listed):
    """Every line is chosen and priced, and nothing else is to buy."""
    text = (FOLDER / "build.yaml").read_text().replace("quotes: [north.yaml, south.yaml]\n", "")
    parts = ("ASRock Rack ROMED8-2T", "Fractal Design Define 7 XL", "Corsair AX1600i")
    for part in (*parts, "Samsung 980 PRO 2TB"):
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


# -- quotes compared -----------------------------------------------------------


def messages(report, rule):
    return [f.message for f in report.findings if f.rule.id == rule and f.verdict == "fail"]


QUOTED = table("parts_list", "quoted")
MACHINE = QUOTED["machine"]


@each_of("compared")
def test_what_is_compared(case, listed):
    """Line by line, as sums, and as prices of whole machines."""
    made = listed(case.get("build") or swapped(case, QUOTED))
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


@each_row
def test_unlike_quotes_are_not_compared(first, kind, items, listed):
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
def test_files_are_quotes_however_they_are_written(name, text, said, run):
    """Of the same vendor, sum, and stated total if that is another one; lists are judged too."""
    Path(name).write_text(text)
    build = f"gpus: [{{part: {CARD}, count: 2}}]\n"
    words = ("--quote", name, "--format", "json", "--today", TODAY)
    done = run("parts-list", "build.yaml", *words, text=build)
    (quote,) = json.loads(done.stdout)["answer"]["quotes"]["quotes"]
    amounts = [a and " ".join(a.values()) for a in (quote["total"][0], quote.get("stated"))]
    assert [quote["vendor"], *amounts] == said
    assert (quote["lines_offered"], quote.get("lacks")) == (1, None)
    done = run("validate", name, "--format", "json")
    (judged,) = json.loads(done.stdout)["answer"]["builds"]
    assert (judged["name"].partition(" ")[0], done.exit_code) in (("2x", 0), ("x", 0))


def test_whether_a_machine_without_lines_lacks_parts_is_not_known(judged):
    lines = MACHINE.rpartition(", lines: ")[2]
    report = judged(MACHINE.replace(f"lines: {lines}", "lead_time: 2 weeks}\n"))
    found = {
        f.subject: f.verdict for f in report.findings if f.rule.id == "record/quote-lacks-parts"
    }
    assert found["quotes[1]"] == "unknown"


def test_findings_name_the_price(judged):
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
BOTH = table("parts_list", "both")


def prices(made):
    """Section → sum of its line, as text; only of what is chosen."""
    return {x.section: str(x.total) for x in made.lines if x.kind == "part"}


@pytest.mark.parametrize(
    ("first", "second", "count", "costs"),
    table("parts_list", "a_chosen_quote_prices_lines"),
    ids=["none", "not", "first", "second", "both", "too few", "too many"],
)
def test_a_chosen_quote_prices_lines(listed, first, second, count, costs):
    """The first chosen one that offers a line in full; without any, several leave it open."""
    made = listed(BOTH % (first, second, count))
    assert prices(made) == costs
    assert any("--choose" in n for n in notes(made)) is ("None" in costs.values())


@pytest.mark.parametrize(
    ("old", "new", "costs"),
    table("parts_list", "what_a_chosen_quote_does_not_price"),
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
    for quotes, cost in (
        ("[a.yaml, b.yaml]", "11.00 EUR"),
        ("[{file: a.yaml, chosen: true}, b.yaml]", "10.00 EUR"),
        ("[a.yaml, {file: b.yaml, chosen: false}]", "None"),
    ):
        report = read(tmp_path, f"gpus: {CARD}\nquotes: {quotes}\n", catalog, rulebook)
        assert prices(parts_list_answer(report))["gpus"] == cost


# -- what quotes may say -------------------------------------------------------


ONE = f"gpus: {CARD}\nquotes: [{{vendor: A, %s, lines: [{{part: {CARD}, price: 10 EUR}}]}}]\n"


def refused(judged, text):
    """The sentence that a build file is refused with."""
    with pytest.raises(InputError) as caught:
        judged(text)
    return str(caught.value)


@each_row
def test_what_is_not_included_is_not_under_includes(words, judged):
    for text in (
        ONE % f"includes: ['{words}']",
        f"gpus: [{{part: {CARD}, price: {{each: 1 EUR, includes: ['{words}']}}}}]\n",
    ):
        said = refused(judged, text)
        assert f"'includes' is '{words}'" in said
        assert "under 'excludes'" in said


@each_row
def test_what_is_included_is_read(words, judged):
    """Words that only look like a denial."""
    assert parts_list_answer(judged(ONE % f"includes: ['{words}']")).quotes.quotes[0].includes == (
        words,
    )


@each_row
def test_rates_of_tax_are_numbers(first, second, same, judged):
    """However they are written; other per cents are none."""
    text = "gpus: RTX 3090\nquotes:\n" + "".join(
        f"  - {{vendor: {v}, includes: [{words}, shipping], lines: [{{part: {CARD}, price: 1 EUR}}]}}\n"
        for v, words in (("A", first), ("B", second))
    )
    kinds = {d.kind for d in parts_list_answer(judged(text)).quotes.differences}
    assert ("tax-rates" in kinds) is not same


QUOTE = f"vendor: A\nnumber: N-1\nlines: [{{part: {CARD}, price: 10 EUR}}]\n"


def read(folder, text, catalog, rulebook, others=()):
    """A build file in a folder, judged with quotes next to it."""
    path = folder / "build.yaml"
    path.write_text(text)
    return check(path.read_bytes(), str(path), catalog, rulebook, TODAY, others)


@each_row
def test_a_quote_is_not_read_twice(quotes, others, tmp_path, catalog, rulebook):
    for name in ("a.yaml", "copy.yaml"):
        (tmp_path / name).write_text(QUOTE)
    given = [tmp_path / name for name in others]
    text = f"gpus: {CARD}\nquotes: {quotes}\n"
    (problem,) = problems_in(read, tmp_path, text, catalog, rulebook, given)
    assert "is read already" in problem.message or "is there already" in problem.message


def test_quotes_without_numbers_have_names_of_their_own(judged):
    line = f"lines: [{{part: {CARD}, price: %d EUR}}]"
    quotes = ", ".join(f"{{vendor: A, {line % n}}}" for n in (1, 2, 3))
    report = judged(
        f"gpus: {CARD}\nquotes: [{quotes}, {{vendor: B, date: 1900-01-01, {line % 4}}}]\n"
    )
    names = ["A", "A (2)", "A (3)", "B"]
    assert [c.name for c in parts_list_answer(report).quotes.quotes] == names
    for number, name in enumerate(names):
        assert choose(report.order, [name]).chosen == (number,)


def offered(judged, build, *lines):
    """The parts list of a build with one quote of these lines."""
    return parts_list_answer(
        judged(f"{build}quotes: [{{vendor: A, lines: [{', '.join(lines)}]}}]\n")
    )


@each_row
def test_parts_in_no_catalogue_are_matched_by_what_describes_them(build, line, answered, judged):
    """Modules and PSUs by their facts, others by their words; nothing is bought twice."""
    made = offered(judged, f"gpus: {CARD}\n{build}\n", line)
    (quote,) = made.quotes.quotes
    assert [[o.count, str(o.total.money)] for o in quote.offers] == answered
    assert len(quote.extras) == (not answered)


def test_further_pieces_are_added_to_the_last_line(judged):
    """Too many are too many, once."""
    build = f"gpus: [{{part: {CARD}, price: 9 EUR}}, {{part: {CARD}, price: 8 EUR}}]\n"
    made = offered(judged, build, f"{{part: {CARD}, count: 3, price: 10 EUR}}")
    (quote,) = made.quotes.quotes
    remarks = [words("parts-list").remark(line, quote).strip() for line in made.lines[:2]]
    assert remarks == ["", "offers 2, 1 needed"]
    assert [str(m) for m in quote.total] == ["30.00 EUR"]


@each_row
def test_nothing_stands_with_the_name_of_a_file(more, tmp_path, catalog, rulebook):
    """It would not be read."""
    (tmp_path / "a.yaml").write_text(QUOTE)
    text = f"gpus: {CARD}\nquotes: [{{file: a.yaml, {more}}}]\n"
    with pytest.raises(InputError, match="no keys except its name"):
        read(tmp_path, text, catalog, rulebook)


def test_a_link_leads_nowhere_else(tmp_path, catalog, rulebook):
    """A file outside is not read by a link inside; one inside is."""
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "out.yaml").write_text(QUOTE)
    (tmp_path / "in" / "deep" / "b.yaml").write_text(QUOTE)
    text = f"gpus: {CARD}\nquotes: [a.yaml]\n"
    (tmp_path / "in" / "a.yaml").symlink_to(tmp_path / "out.yaml")
    with pytest.raises(InputError, match="is not in the folder"):
        read(tmp_path / "in", text, catalog, rulebook)
    (tmp_path / "in" / "folder").symlink_to(tmp_path)
    with pytest.raises(InputError, match="is not in the folder"):
        read(tmp_path / "in", text.replace("a.yaml", "folder/out.yaml"), catalog, rulebook)
    (tmp_path / "in" / "c.yaml").symlink_to("deep/b.yaml")
    found = read(tmp_path / "in", text.replace("a.yaml", "c.yaml"), catalog, rulebook)
    assert len(found.order.offers) == 1


def test_findings_name_the_second_quote_of_a_vendor(judged):
    line = f"valid_until: 2026-11-20, lines: [{{part: {CARD}, price: 1 EUR}}]"
    report = judged(f"gpus: {CARD}\nquotes: [{{vendor: A, {line}}}, {{vendor: A, {line}}}]\n")
    expired = [f for f in report.findings if f.rule.id == "record/quote-expired"]
    found = [f.message for f in expired if f.verdict == "fail"]
    assert [f.partition(" was")[0] for f in found] == ["the quote of A", "the quote of A (2)"]


@each_row
def test_what_is_wrong_is_said_at_its_place(text, says, judged):
    """Line, column, what, and never a trace."""
    assert says in refused(judged, text.replace("MANY", ", ".join(["{part: x}"] * 301)))


def test_quotes_in_files_are_read_beside_the_build(tmp_path, catalog, rulebook):
    """All that is wrong in all of them is said at once, each at its own place."""
    (tmp_path / "a.yaml").write_text("vendor: A\nlines: [{part: x, price: 1.4999 EUR}]\n")
    (tmp_path / "b.yaml").write_text("lines: [\n")
    (tmp_path / "c.yaml").mkdir()
    text = "gpus: RTX 3090\nquotes: [a.yaml, b.yaml, c.yaml]\npsus: {part: AX1600i, count: many}\n"
    with pytest.raises(InputError) as caught:
        read(tmp_path, text, catalog, rulebook, [tmp_path / "d.yaml"])
    placed = ("a.yaml:2:", "b.yaml:2:1", "build.yaml:3:")
    for part in (*placed, "'c.yaml': this is no file", "d.yaml: there is no such"):
        assert part in str(caught.value)
