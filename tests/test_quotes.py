"""What quotes may say, and how their lines are held against the build."""

import pytest
from conftest import TODAY, each_row

from buildcheck.errors import InputError
from buildcheck.pipeline import check
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.purchasing.quotes.matching import choose
from buildcheck.render.templates import words

CARD = "Gigabyte GeForce RTX 3090 TURBO 24G"
ONE = f"gpus: {CARD}\nquotes: [{{vendor: A, %s, lines: [{{part: {CARD}, price: 10 EUR}}]}}]\n"


def refused(judged, text):
    """The sentence that a build file is refused with."""
    with pytest.raises(InputError) as caught:
        judged(text)
    return str(caught.value)


@each_row
def test_what_is_not_included_is_not_under_includes(words, judged):
    """In a quote and in a price: with what to do."""
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
    """A build file in a folder, judged with quotes beside it."""
    path = folder / "build.yaml"
    path.write_text(text)
    return check(path.read_bytes(), str(path), catalog, rulebook, TODAY, others)


@each_row
def test_a_quote_is_not_read_twice(quotes, others, tmp_path, catalog, rulebook):
    """By its file, or by vendor and number."""
    for name in ("a.yaml", "copy.yaml"):
        (tmp_path / name).write_text(QUOTE)
    beside = [tmp_path / name for name in others]
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"gpus: {CARD}\nquotes: {quotes}\n", catalog, rulebook, beside)
    (problem,) = caught.value.problems
    assert "is read already" in problem.message or "is there already" in problem.message


def test_quotes_without_numbers_have_names_of_their_own(judged):
    """Each can be chosen."""
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
def test_nothing_stands_beside_the_name_of_a_file(beside, tmp_path, catalog, rulebook):
    """It would not be read."""
    (tmp_path / "a.yaml").write_text(QUOTE)
    text = f"gpus: {CARD}\nquotes: [{{file: a.yaml, {beside}}}]\n"
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
    """The first is named as ever."""
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
    build = tmp_path / "build.yaml"
    build.write_text(
        "gpus: RTX 3090\nquotes: [a.yaml, b.yaml, c.yaml]\npsus: {part: AX1600i, count: many}\n"
    )
    with pytest.raises(InputError) as caught:
        check(build.read_bytes(), str(build), catalog, rulebook, TODAY, [tmp_path / "d.yaml"])
    said = str(caught.value)
    for part in (
        "a.yaml:2:",
        "b.yaml:2:1",
        "'c.yaml': this is no file",
        "d.yaml: there is no such",
        "build.yaml:3:",
    ):
        assert part in said
