"""Pages in a real browser: quiet, offline, readable by everybody, on every width and on paper.

Nothing here knows the words of a page. A page is held to what its reader is owed, whatever
it says; `browsing.py` holds the table of pages and what is asked of them.
"""

import re
from functools import cache
from itertools import pairwise, product

import browsing
import pytest
from browsing import BUILDS, KINDS, LONG, MARKUP, bare, harmless
from click.testing import CliRunner
from conftest import TODAY, table

from buildcheck.catalog import Catalog
from buildcheck.cli import main
from buildcheck.pipeline import check

pytestmark = pytest.mark.browser
WIDTHS = (320, 768, 2560)


def none(found):
    """Nothing was found; what was is said, a line each."""
    if found:
        pytest.fail("\n".join(["", *map(str, found[:20])]), pytrace=False)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="session")
def reports(rulebook, judged, folder):
    """Every build judged, once; the hostile one also in harmless words."""

    @cache
    def report(name):
        if name not in ("hostile", "harmless"):
            return judged(BUILDS[name])
        say = str if name == "hostile" else harmless
        part = folder / f"lab-{name}" / "gpu" / "acme" / "hostile.yaml"
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(browsing.hostile_part(say), encoding="utf-8")
        own, text = Catalog(labs=[folder / f"lab-{name}"]), browsing.hostile_build(say)
        return check(text.encode(), f"{say(MARKUP[0])}.yaml", own, rulebook, TODAY)

    return report


@pytest.fixture(scope="session")
def write(reports, folder):
    """A kind of page of a build, written to a file."""

    def written(kind, build):
        file = folder / f"{kind}-{build}.html"
        if not file.exists():
            file.write_text(KINDS[kind](reports(build)), encoding="utf-8")
        return file

    return written


@pytest.fixture(scope="session")
def context(browser):
    with browsing.reader_context(browser) as made:
        yield made


@pytest.fixture(scope="session")
def scriptless(browser):
    with browsing.reader_context(browser, java_script_enabled=False) as made:
        yield made


@pytest.fixture(scope="session", params=browsing.CASES, ids="-".join)
def sheet(request, context, write):
    """Each page in turn, open."""
    kind, build = request.param
    opened = browsing.open_sheet(context, kind, build, write(kind, build))
    yield opened
    opened.page.close()


def test_it_asks_for_nothing_and_nothing_complains(sheet):
    """No request but for the file, no warning, no error, nothing its policy had to forbid."""
    sheet.stand()
    assert set(sheet.asked) == {sheet.file.as_uri()}
    none(sheet.complaints)
    none(sheet.ask("() => window.__forbidden"))


def test_its_text_is_all_there_without_scripts(sheet, scriptless):
    """In the same order; what scripts count or offer is theirs."""
    still = browsing.open_sheet(scriptless, sheet.kind, sheet.build, sheet.file)
    texts = still.ask("texts")
    still.page.close()
    assert len(texts) > 40
    assert texts == sheet.ask("texts")


def test_axe_finds_nothing(sheet):
    """WCAG 2 A and AA and best practice, with everything unfolded; its contrasts see below."""
    rules = {"target-size": {"enabled": True}, "color-contrast": {"enabled": False}}
    none(sheet.stand().axe(rules=rules))


def test_axe_finds_no_contrast_too_low(sheet):
    """It takes seconds a page, so it looks at one build, and a quicker way at all (see below)."""
    if sheet.build == "lab-4x3090":
        for scheme in ("light", "dark"):
            none(sheet.stand(scheme=scheme).axe(runOnly=["color-contrast", "link-in-text-block"]))


def test_text_stands_out(sheet):
    """By 4.5:1 from what lies below it, also in drawings and where the reader forces colours."""
    for scheme, forced in product(("light", "dark"), ("none", "active")):
        sheet.stand(scheme=scheme, forced_colors=forced)
        none(sheet.ask("faint") + sheet.ask("pale"))


def test_text_in_drawings_has_room(sheet):
    """It stays in its drawing, and no two texts lie on one another, however long a name is."""
    none(sheet.stand().ask("crowded"))


def test_no_medium_hides_anything(sheet):
    """Forced colours, a dark scheme and reduced motion show the same text; nothing moves then."""
    plain = sheet.stand().ask("() => document.body.innerText")
    assert len(plain) > 700
    for media in (
        {"forced_colors": "active"},
        {"forced_colors": "active", "scheme": "dark"},
        {"scheme": "dark"},
        {"reduced_motion": "reduce"},
    ):
        sheet.stand(**media)
        assert sheet.ask("() => document.body.innerText") == plain, media
    sheet.stand(reduced_motion="reduce")
    assert sheet.ask("() => document.getAnimations().length") == 0


def test_it_fits_the_window(sheet):
    """Only boxes scroll sideways, and keys reach those; nothing is cut off."""
    for width in WIDTHS:
        sheet.stand(width=width)
        none(sheet.ask("too_wide") + sheet.ask("unreached"))


def test_the_first_key_leads_to_the_content(sheet):
    """Tab reaches the skip link, Enter follows it, and the next Tab is within the content."""
    page = sheet.fresh().page
    page.keyboard.press("Tab")
    first = sheet.ask("focused")
    assert (first["tag"], first["href"]) == ("a", "#main")
    assert first["within"]
    assert not first["covered"]
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert sheet.ask("focused")["main"]


def test_tab_goes_through_the_page_in_order_and_is_seen(sheet):
    """Every stop has a ring around it, lies in the window and below nothing."""
    stops = sheet.stops()
    assert stops
    none([s["name"] for s in stops if not s["after"]])
    none(sheet.unseen_stops(stops))


def test_every_fold_opens_with_a_key(sheet):
    """With Enter on its summary, the outer ones first; one page of each kind is tried."""
    if sheet.build != "lab-4x3090":
        return
    sheet.stand(unfolded=False)
    for number in range(sheet.ask("() => document.querySelectorAll('details').length")):
        sheet.ask("n => document.querySelectorAll('details > summary')[n].focus()", number)
        sheet.page.keyboard.press("Enter")
    assert sheet.ask("() => document.querySelectorAll('details:not([open])').length") == 0


def test_it_has_landmarks_and_one_heading_above_all(sheet):
    """Banner, main and content information once each; every section is named by its heading."""
    sheet.stand()
    for name in ("body > header", "main", "body > footer", "h1"):
        assert sheet.ask("name => document.querySelectorAll(name).length", name) == 1, name
    assert sheet.page.title()
    assert sheet.ask("() => document.documentElement.lang") == "en"
    levels = sheet.ask(
        "() => [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(h => +h.localName[1])"
    )
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels)), levels


def test_it_prints_whole(sheet):
    """Headings, rows and what is folded up stand on paper, each whole; no page is empty.

    One page of each kind is printed on both papers.
    """
    for paper in ("A4", "Letter") if sheet.build == "lab-4x3090" else ("A4",):
        assert sheet.printed(paper)
        none(sheet.unprinted(paper))
    none(sheet.cut_rows() + sheet.lonely_headings())
    # But for names of 120 characters, which need more.
    assert len(sheet.printed("A4")) <= 4 or sheet.build == "hostile"


def test_the_first_printed_page_has_the_verdict(sheet, reports):
    if sheet.kind != "report":
        return
    first = bare(sheet.printed("A4")[0]).lower()
    assert reports(sheet.build).verdict.replace("-", "") in first
    assert bare(reports(sheet.build).name).lower() in first


@pytest.mark.parametrize("build", [b for b in BUILDS if b != "hostile"])
def test_the_first_two_sheets_can_be_handed_over(build, context, write):
    """Verdict, slot map, findings, parts and signatures stand on them."""
    sheet = browsing.open_sheet(context, "report", build, write("report", build))
    sheets, wanted = [bare(text) for text in sheet.printed("A4")], sheet.ask("first")
    sheet.page.close()
    assert len(wanted) > 8
    none([text for text in wanted if bare(text) not in "".join(sheets[:2])])


def test_the_printed_flowchart_can_be_read(context, tmp_path):
    """No text of the advice is smaller than 7 points on paper, and its drawing is on one sheet."""
    file = tmp_path / "advice.html"
    options = ["--use", "training", "--html", str(file)]
    assert CliRunner().invoke(main, ["advise", *options]).exit_code == 0
    sheet = browsing.open_sheet(context, "advice", "training", file)
    sizes = sheet.printed_sizes("A4")
    nodes = sheet.ask("() => [...document.querySelectorAll('svg text')].map(e => e.textContent)")
    sheets = [bare(text) for text in sheet.printed("A4")]
    sheet.page.close()
    assert min(sizes) >= 7
    assert any(all(bare(node) in text for node in nodes) for text in sheets)


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_words_stay_words(kind, context, write):
    """They run nothing, load nothing, add no element and are shown as they were written."""
    sheet = browsing.open_sheet(context, kind, "hostile", write(kind, "hostile"))
    tame = browsing.open_sheet(context, kind, "harmless", write(kind, "harmless"))
    elements, expected = sheet.ask("elements"), tame.ask("elements")
    tame.page.close()
    sheet.stand()
    none(sheet.complaints)
    assert sheet.ask("() => window.__pwned === undefined")
    none(sheet.ask("alive"))
    assert elements == expected
    text = sheet.ask("() => document.documentElement.textContent")
    assert MARKUP[0] in text
    assert MARKUP[3] in sheet.ask("() => document.querySelector('h1').textContent")
    assert "\u202e" not in text
    assert "\u2066" not in text
    sheet.page.close()


_LINES = "<br>".join(f"line{n}" for n in range(40))
_ROWS = "".join(f"<tr><td>{row}{_LINES.replace('line', f'line{row}-')}" for row in "abc")
#: What the pages of the table are made of that is long.
PIECES = {"LONG": LONG, "WORDS": "word " * 99, "ROWS": _ROWS, "LINES": _LINES}
#: What looks at a page, other than methods of it and functions of JavaScript.
LOOKS = {
    "asked": lambda s: s.asked[1:],
    "complaints": lambda s: s.complaints,
    "forbidden": lambda s: s.ask("() => window.__forbidden"),
    "faint in the dark": lambda s: s.stand(scheme="dark").ask("faint"),
    "unprinted": lambda s: s.unprinted("A4"),
}


@pytest.mark.parametrize("part", range(2))
def test_a_fault_is_seen(part, context, tmp_path):
    file, unseen = tmp_path / "faulty.html", []
    for fault, (text, look) in list(table("browser", "faults").items())[part::2]:
        markup = re.sub("|".join(PIECES), lambda found: PIECES[found[0]], text)
        head, body = (markup, "") if markup.startswith("<meta") else ("", markup)
        file.write_text(
            f"<!doctype html><html lang=en><title>x</title>{head}<main><h1>x</h1>{body}",
            encoding="utf-8",
        )
        opened = browsing.open_sheet(context, "faulty", fault, file)
        opened.page.wait_for_load_state()
        sees = LOOKS.get(look) or getattr(browsing.Sheet, look, lambda s, name=look: s.ask(name))
        unseen += [] if sees(opened.stand()) else [fault]
        opened.page.close()
    none(unseen)
