"""Each format of the parts list, read by what people read it with."""

import csv
import datetime
import io
import json
import re
import subprocess
import sys
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import ROOT, TODAY, each_row, table
from pages import Tags

from buildcheck.cli.build import ENDINGS
from buildcheck.pipeline import check
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.render.documents import render_parts_list
from buildcheck.streams import answer_text

#: Formats of a list by the endings of their files.
FORMATS = {n: form for n, form in ENDINGS.items() if form not in ("unit", "script")}
BUILD = Path(__file__).parent / "orders" / "build.yaml"
CARD = "Gigabyte GeForce RTX 3090 TURBO 24G"
#: Names that would do something in a sheet, a page, a table or a terminal.
EVIL = table("parts_list_formats", "evil")


@pytest.fixture(scope="module")
def report(catalog, rulebook):
    """The build of `tests/orders`, with its quotes."""
    return check(BUILD.read_bytes(), str(BUILD), catalog, rulebook, TODAY)


@pytest.fixture(scope="module")
def hostile(judged):
    """A build in which every text that can be written is hostile."""
    entries = "".join(
        f"  - {{part: {CARD}, price: {{each: {n}.10 EUR, vendor: {json.dumps(text)}, number: {json.dumps(text)}, link: {json.dumps(text)}, includes: {json.dumps(text)}}}}}\n"
        for n, text in enumerate(EVIL, 1)
    )
    offers = "".join(
        f"  - {{vendor: {json.dumps(text)}, number: {json.dumps(text)}, lead_time: {json.dumps(text)}, lines: [{{part: {json.dumps(text)}, price: 1 EUR}}]}}\n"
        for text in EVIL
    )
    text = f"name: {json.dumps(EVIL[5])}\ngpus:\n{entries}quotes:\n{offers}"
    return judged(text)


def made(report, form):
    answer = parts_list_answer(report)
    if form in ("text", "json"):
        return answer_text("parts-list", answer, form, verbose=True)
    return render_parts_list(answer, form)


@pytest.mark.parametrize("form", FORMATS.values())
def test_the_same_build_gives_the_same_bytes(report, form, monkeypatch):
    """Nothing of the run or its clock is in a list."""
    first = made(report, form)
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert made(report, form) == first


@pytest.mark.parametrize("sign", ";\t|,")
def test_csv_holds_no_formula(hostile, sign):
    """No cell begins so, whatever separates them, but for our numbers; every text is all there."""
    raw = made(hostile, "csv")
    cells = [c for row in csv.reader(io.StringIO(raw, newline=""), delimiter=sign) for c in row]
    formulas = [c for c in cells if re.match(r"\s*[=+@-]", c)]
    assert not [c for c in formulas if not re.fullmatch(r"-?\d+\.\d+", c)]
    found = list(csv.reader(io.StringIO(raw, newline="")))
    vendors = {row[found[0].index("vendor")].replace("'", "") for row in found}
    assert {text.replace("'", "").strip() for text in EVIL} <= {v.strip() for v in vendors}


def sheets(raw, *, values):
    openpyxl = pytest.importorskip("openpyxl")
    return openpyxl.load_workbook(io.BytesIO(raw), data_only=values)


def test_a_spreadsheet_calculates(report):
    """Numbers are numbers, days are days, sums are formulas whose values agree with them."""
    raw = made(report, "xlsx")
    live, told = (sheets(raw, values=v)["Parts list"] for v in (False, True))
    heads = {c.value: c.column for c in live[3]}
    rows = [
        r for r in range(4, live.max_row + 1) if isinstance(told.cell(r, heads["No."]).value, int)
    ]
    total = Decimal(0)
    for row in rows:
        each = told.cell(row, heads["Each"]).value
        if each is None:
            continue
        count, whole = (told.cell(row, heads[n]).value for n in ("Quantity", "Line total"))
        assert isinstance(each, (int, float))
        assert Decimal(str(each)) * count == Decimal(str(whole))
        assert live.cell(row, heads["Line total"]).value == f"=G{row}*D{row}"
        assert '"EUR"' in live.cell(row, heads["Each"]).number_format
        total += Decimal(str(whole))
    assert isinstance(told.cell(4, heads["Price of"]).value, datetime.datetime)
    ((place, formula),) = [
        (c.coordinate, c.value) for c in live["H"] if str(c.value).startswith("=SUMIFS")
    ]
    assert Decimal(str(told[place].value)) == total == Decimal("4078.40")
    first, last = re.findall(r"\$H\$(\d+)", formula)
    assert (int(first), int(last)) == (rows[0], rows[-1])
    assert told.cell(told[place].row, heads["Part"]).value == "Priced so far: 5 of 8 lines"


def test_a_spreadsheet_prints(report):
    """Across, one page wide, its head on every page and frozen."""
    book = sheets(made(report, "xlsx"), values=True)
    assert book.sheetnames == ["Parts list", "Quotes"]
    for sheet in book:
        assert sheet.page_setup.orientation == "landscape"
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        assert sheet.page_setup.fitToWidth in (None, 1)  # one is what it is without
        assert sheet.page_setup.fitToHeight == 0
        assert sheet.freeze_panes
        assert sheet.print_title_rows
    assert book.properties.created.date() == TODAY


def test_a_spreadsheet_runs_nothing(hostile):
    """All text is text: formulas are ours alone, and there are no links."""
    raw = made(hostile, "xlsx")
    for sheet in sheets(raw, values=False):
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.hyperlink is None
                if cell.data_type == "f":
                    assert re.fullmatch(r"=G\d+\*D\d+|=SUMIFS\([$A-Z0-9:,]+\"EUR\"\)", cell.value)
    with zipfile.ZipFile(io.BytesIO(raw)) as book:
        assert not [n for n in book.namelist() if "vba" in n.lower() or "external" in n.lower()]
        assert {info.date_time[0] for info in book.infolist()} == {1980}


def split(row):
    """The cells of a row of a table, as Markdown readers split it."""
    return re.split(r"(?<!\\)\|", row)[1:-1]


def test_markdown_keeps_names_inert(hostile):
    """No cell, markup, link, mention or comment comes from a name."""
    text = made(hostile, "markdown")
    for found in (b.split("\n") for b in text.split("\n\n") if b.startswith("|")):
        assert len({len(split(row)) for row in found}) == 1
    assert not re.search(r"<\w|<!|://|(?<!\\)`|(?<!\\)\]\(|@|www\.", text)
    assert not re.search(r"(?<![\\*])\*(?![\\*])", text)


@pytest.mark.parametrize("which", ["report", "hostile"])
def test_the_page_is_well_formed_and_inert(which, request):
    """Tags close, nothing is loaded or run, links are plain web addresses."""
    text = made(request.getfixturevalue(which), "html")
    page = Tags(text)
    assert not page.wrong + page.open
    assert {tag for tag, _ in page.seen}.isdisjoint({"script", "img", "iframe", "link", "object"})
    assert not [a for _, attrs in page.seen for a in attrs if a.startswith("on") or a == "style"]
    links = [attrs["href"] for tag, attrs in page.seen if tag == "a"]
    assert all(re.match(r"https?://|#", link) for link in links)
    assert "default-src 'none'" in text


def test_text_fits_a_screen_and_is_safe(report, hostile):
    """The sum first; aligned figures; no line longer than a terminal, none with control signs."""
    text = answer_text("parts-list", parts_list_answer(report), "text")
    assert text.startswith("Two cards for the imaging group: 4,078.40 EUR priced so far")
    assert text.count("\n") <= 36
    rows = [r for r in text.splitlines() if re.match(r"\d+ +\d+ +\S", r)]
    assert len({len(row) for row in rows if row.endswith("EUR")}) == 1
    for shown in (text, made(report, "text"), made(hostile, "text")):
        assert all(c.isprintable() or c == "\n" for c in shown)
    assert max(map(len, made(report, "text").splitlines())) <= 100


@pytest.mark.parametrize("form", ["text", "markdown", "html", "csv", "json", "xlsx"])
def test_every_format_has_the_terms_of_a_price(judged, form):
    """What comes on top, several prices, charges of the quote, and that it is chosen."""
    lines = f"[{{part: {CARD}, count: 2, price: 1000 EUR}}, {{part: {CARD}, price: 1100 EUR}}, {{part: Assembly, price: 90 EUR}}]"
    text = f"gpus: {{part: {CARD}, count: 3}}\nquotes: [{{vendor: A, number: N-1, chosen: true, excludes: [GST 5 %], lines: {lines}}}]\n"
    found = made(judged(text), form)
    if form == "xlsx":
        sheet = sheets(found, values=False)["Parts list"]
        assert (sheet["G4"].value, sheet["H4"].value, sheet["I4"].value) == (None, 3100, "EUR")
        found = " ".join(str(cell.value) for row in sheet.iter_rows() for cell in row)
    found = found.replace("\\", "").replace(",", "")
    for words in ("3100", "GST 5 %", "Assembly", "90", "A N-1"):
        assert words in found
    assert "several-prices" in found if form == "json" else "everal prices in the quote" in found
    assert "chosen" in found
    assert "None" not in found.replace("None None", "") or form == "xlsx"


def test_the_command_prints_or_writes(run):
    """To the screen, or whole to a file, whose name tells the format."""
    words = ("parts-list", BUILD, "--today", "2026-11-21")
    plain = run(*words)
    assert (plain.exit_code, "4,078.40 EUR" in plain.output) == (0, True)
    for suffix, form in FORMATS.items():
        assert run(*words, "-o", f"list{suffix}").exit_code == 0
        assert run(*words, "--format", form, "-o", "again").exit_code == 0
        assert Path("again").read_bytes() == Path(f"list{suffix}").read_bytes()


def test_without_the_library_it_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['xlsxwriter'] = None\n"
        "from buildcheck.cli import main\n"
        f"main(['parts-list', {str(BUILD)!r}, '-o', {str(tmp_path / 'x.xlsx')!r}])"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 2
    assert "buildcheck[xlsx]" in done.stderr
    assert not list(tmp_path.iterdir())


@each_row
def test_a_spreadsheet_shows_the_coins_of_a_currency(code, shape, judged):
    made_ = made(judged(f"gpus: [{{part: {CARD}, price: 5 {code}}}]\n"), "xlsx")
    assert shape in sheets(made_, values=True)["Parts list"]["G4"].number_format
