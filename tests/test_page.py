"""The HTML report: one self-contained, well-formed page that repeats itself."""

import base64
import hashlib
import re
from pathlib import Path

import pytest
from pages import Tags

from buildcheck.render import templates
from buildcheck.render.page import to_html
from buildcheck.whole_report.answer import report_answer

BUILDS = sorted((Path(__file__).parent / "builds").glob("*/build.yaml"))


@pytest.fixture
def page(judged):
    """The page of a build, by its text."""
    return lambda text: to_html(report_answer(judged(text)))


@pytest.mark.parametrize("path", BUILDS[::8], ids=lambda p: p.parent.name)
def test_every_page_is_well_formed_and_self_contained(path, page):
    """Tags close, ids are unique, nothing is loaded from anywhere, only the page's script runs."""
    text = page(path.read_text("utf-8"))
    found = Tags(text)
    assert not found.wrong + found.open
    assert len(found.values("id")) == len(set(found.values("id")))
    assert not re.search(r"<(img|link|iframe|object)\b|<[^>]*\s(on\w+|style)=|@import|url\(", text)
    assert "default-src 'none'; style-src 'sha256-" in text
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    assert re.findall(r"script-src 'sha256-([^']+)'", text) == digests
    assert len(text.encode()) < 400_000


def test_markup_that_comes_through_an_imported_macro_stays_text():
    """Macros of `words/*.j2` are shared with the terminal, where nothing is escaped."""
    source = '{% import "words/fit.j2" as words %}{{ words.bf16(["<img>"]) }}'
    assert "&lt;img&gt;" in templates.environment().from_string(source).render()


def test_every_finding_is_folded_and_full_opens_all(judged):
    """One line each, with the arithmetic below it."""
    report = judged((BUILDS[0].parent.parent / "t3-4x3090-350w" / "build.yaml").read_text())
    assert "<details open" not in to_html(report_answer(report))
    assert '<details class="finding error" open>' in to_html(report_answer(report), full=True)


def test_every_number_of_a_finding_can_be_followed_to_its_source(judged):
    """Each step is made from others or looked up somewhere, and stands once."""
    text = (BUILDS[0].parent.parent / "t3-4x3090-350w" / "build.yaml").read_text(encoding="utf-8")
    (finding,) = [f for f in judged(text).findings if f.rule.id == "power/psu-overload"]
    steps = {(s.name, s.of): s for s in finding.steps}
    assert len(steps) == len(finding.steps)
    card = "Gigabyte GeForce RTX 3090 TURBO 24G"
    assert steps["psu.card_power", "Corsair AX1600i"].made_from == f"4× sustained power of {card}"
    assert steps["gpu.board_power", card].value == "350 W"
    assert steps["gpu.board_power", card].sourced.source.url.startswith("https://")
    assert [s.depth for s in finding.steps][:3] == [0, 1, 2]


def test_the_page_names_what_it_was_made_from(page):
    """The digests of the file, the rules and the catalogue stand in it, whole."""
    raw = (BUILDS[0].parent.parent / "lab-4x3090" / "build.yaml").read_bytes()
    text = page(raw.decode())
    assert f"sha256:{hashlib.sha256(raw).hexdigest()}" in text
    assert len(set(re.findall(r"sha256:[0-9a-f]{64}", text))) >= 3


def test_a_build_without_a_name_is_called_by_its_cards(judged):
    """The title is what the machine is, not what the file is called."""
    build = "gpus: [{part: RTX 3090, count: 2}, {part: RTX A6000}]\n"
    assert judged(build).name == "2x RTX 3090 and 1x NVIDIA RTX A6000"


def test_each_printed_sheet_says_what_it_belongs_to(page):
    """Name, day and digest stand in the style as numbers, so that no name can end the string."""
    evil = 'a"; } body { display: none } </style><script>x'
    text = page(f"name: '{evil}'\ngpus: RTX 3090\n")
    (content,) = re.findall(r'@bottom-left \{ content: "([^"]*)"', text)
    said = re.sub(r"\\([0-9a-f]+) ", lambda m: chr(int(m[1], 16)), content)
    assert said.startswith(f"{evil}, 2026-11-21, sha256:")


def test_the_head_says_the_price_with_its_days_and_what_has_none(page) -> None:
    """Of a list that is priced in part; of a machine at one price that; and else nothing."""
    priced = "{part: RTX 3090, count: 2, price: {each: 900 EUR, date: 2026-11-05}}"
    build = f"gpus: [{priced}]\npsus: [{{part: Corsair AX1600i, price: 480 EUR}}]\ncpu: AMD EPYC 7302P\n"
    head = page(build).partition("<main")[0]
    assert "2,280.00 EUR; prices of 2026-11-05, 1 price without a date" in head
    whole = page("gpus: RTX 3090\ncost: {machine: 2200 USD}\n").partition("<main")[0]
    assert "<dt>Price of the machine</dt><dd>2,200 USD, as stated</dd>" in whole
    assert "Price of the machine" not in head
    bare = page("gpus: RTX 3090\n").partition("<main")[0]
    assert "has no price" not in bare
