"""The HTML report: one self-contained, well-formed page that repeats itself."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import TODAY

from buildcheck.check import check
from buildcheck.render import to_html

BUILDS = sorted((Path(__file__).parent / "builds").glob("*/build.yaml"))
VOID = {"meta", "br", "link", "img", "hr", "input"}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Balance(HTMLParser):
    """Notes tags that do not close in order."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.ids = [], [], []

    def handle_starttag(self, tag, attrs):
        self.ids += [v for k, v in attrs if k == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


@pytest.fixture
def page(catalog, rulebook):
    """The page of a build, by the name of its folder or by its text."""

    def make(build: str | bytes) -> str:
        raw = (
            build
            if isinstance(build, bytes)
            else (BUILDS[0].parent.parent / build / "build.yaml").read_bytes()
        )
        return to_html(check(raw, "build.yaml", catalog, rulebook, TODAY))

    return make


@pytest.mark.parametrize("path", BUILDS, ids=lambda p: p.parent.name)
def test_every_page_is_well_formed_and_self_contained(path, page):
    """Tags close, ids are unique, nothing is loaded from anywhere, no script runs."""
    text = page(path.parent.name)
    parser = Balance()
    parser.feed(text)
    assert not parser.wrong
    assert not parser.open
    assert len(parser.ids) == len(set(parser.ids))
    assert not re.search(r"<(script|img|link|iframe|object)\b|\bon\w+=|@import|url\(", text)
    assert "default-src 'none'" in text
    assert len(text.encode()) < 400_000


def test_the_same_build_gives_the_same_bytes(page):
    """Nothing in a page depends on the run."""
    assert page("lab-4x3090") == page("lab-4x3090")


def test_the_page_says_what_was_found(page):
    """Verdict, findings with their sums and sources, parts with theirs, what is not checked."""
    text = page("t3-4x3090-350w")
    for words in (
        "✗ Fail",
        "circuit/continuous-overload",
        "work power of Intel Core i9-10900X",
        "https://www.pugetsystems.com",
        "BuildCores OpenDB",
        "Not checked",
        "1.6 mm of air",
    ):
        assert words in text


def test_tables_show_ranges_and_the_order_of_the_build_file(page):
    """A range is a range, not "not known"; numbers have no empty decimals; cards come first."""
    text = page("lab-4x3090")
    assert "<td>214 W</td>" in text
    names = re.findall(r"<summary>(\S+) [^<]*<span", text)
    assert names == [
        *("Gigabyte", "AMD", "ASRock", "Noctua", "Samsung", "Corsair", "Fractal", "Samsung"),
        *("wall", "workload"),
    ]
    assert re.search(r"(\d+) passed", text)[1] == re.search(r"(\d+) checks passed", text)[1]
    generic = page(b"gpus: [{part: RTX 3090, count: 2}]\npsus: Corsair AX1600i\n")
    assert re.search(r"<td>\d+\.\.\d+ W</td>", generic)
    assert "no card below" not in generic
    assert text.count("<td>no card below</td>") == 1


def test_the_slot_map_is_a_drawing_with_words(page):
    """The SVG parses, has title and description, and one box per card in its place."""
    svg = re.search(r"<svg.*?</svg>", page("lab-4x3090"), re.DOTALL)[0]
    root = ElementTree.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{space}title").text.startswith("Slot map")
    assert root.find(f"{space}desc").text
    cards = [r for r in root.iter(f"{space}rect") if r.get("class") == "card"]
    tops = [float(r.get("y")) for r in cards]
    # cards on openings 1, 3, 5, 7: two pitches of 20.32 mm apart, two units per mm
    assert [b - a for a, b in pairwise(tops)] == pytest.approx([81.28] * 3, abs=0.1)


def test_a_size_nobody_gave_is_said_in_the_drawing(page):
    """A card of unknown size is drawn, but not as if its size were known."""
    board = "motherboard: {slots: [{label: A, position: 1, mechanical: 16, lanes: 16, gen: 4, owner: cpu}]}\n"
    bare = page(f"gpus: [{{board_power: 300 W}}]\n{board}".encode())
    assert "thickness not known, length not known" in bare
    whole = page(f"gpus: [{{thickness: 40 mm, length: 267 mm}}]\n{board}".encode())
    assert "thickness not known" not in whole.partition("<svg")[2].partition("</svg>")[0]


def test_unknown_slots_are_said_not_drawn(page):
    """Without known positions there is a sentence instead of a drawing."""
    text = page("seed-4x3090-1600w")
    assert "<svg" not in text
    assert "The slots of the motherboard are not known." in text


def test_names_full_of_markup_stay_text(page):
    """Markup in any text of the build file is shown, not run."""
    evil = "<img src=x onerror=alert(1)>"
    text = page(
        f"name: '{evil}'\ngpus: [{{part: RTX 3090}}]\ncase: {{kind: tower}}\nwaivers: [{{rule: space/card-too-long, subject: 'gpus[0]', because: '{evil}', until: 2027-01-01}}]\n".encode()
    )
    assert "<img" not in text
    assert text.count("&lt;img src=x onerror=alert(1)&gt;") >= 2


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="no browser installed")
def test_a_browser_shows_the_page(page, tmp_path):
    """A real browser lays the page out and prints it to PDF."""
    file = tmp_path / "report.html"
    file.write_text(page("lab-4x3090"), encoding="utf-8")
    pdf = tmp_path / "report.pdf"
    arguments = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path / 'profile'}",
        f"--print-to-pdf={pdf}",
        file.as_uri(),
    ]
    subprocess.run(arguments, check=True, timeout=120, capture_output=True)
    assert pdf.read_bytes().startswith(b"%PDF")
