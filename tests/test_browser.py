"""Pages in a real browser: quiet, offline, readable by everybody, on every width and on paper.

Nothing here knows the words of a page. A page is held to what its reader is owed, whatever
it says; `browsing.py` holds the table of pages and what is asked of them.
"""

from __future__ import annotations

from fnmatch import fnmatch
from itertools import pairwise

import browsing
import pytest
from browsing import BUILDS, KINDS, MARKUP, bare, harmless
from conftest import TODAY

from buildcheck.catalog import Catalog
from buildcheck.check import check

pytestmark = pytest.mark.browser
WIDTHS = (320, 390, 768, 1280, 2560)
CASES = [(kind, build) for kind in KINDS for build in BUILDS]


#: What a page still owes its reader: the end of a test's name, and what is to be mended.
OWED = {
    "fits_the_window[[]report-*-320]": "boxes that scroll take no focus: .wide, figure",
    "fits_the_window[[]report-*-390]": "boxes that scroll take no focus: .wide, figure",
    "fits_the_window[[]report-hostile-*]": "long words make tables scroll, which take no focus",
    "prints_whole[[]report-*-A4]": "what is folded up is not printed",
    "prints_whole[[]report-*-Letter]": "what is folded up is not printed",
    "ends_a_page[[]report-t12*]": "h2 needs break-after: avoid",
    "ends_a_page[[]report-hostile]": "h2 needs break-after: avoid",
    "in_light[[]report-hostile]": "boxes that scroll take no focus: .wide",
    "has_room[[]report-hostile]": "long names run out of the slot map and over each other",
    "end_of_a_page[[]report-hostile]": "long words push columns off the paper",
}


@pytest.fixture(autouse=True)
def _owed(request):
    """Known faults fail as known; a fault that is gone is to be struck off."""
    for name, why in OWED.items():
        if fnmatch(request.node.name, f"*{name}"):
            request.applymarker(pytest.mark.xfail(strict=True, reason=why))


def none(found):
    """Nothing was found; what was is said, a line each."""
    if found:
        pytest.fail("\n".join(["", *map(str, found[:20])]), pytrace=False)


@pytest.fixture(scope="session")
def browser():
    with browsing.chromium() as started:
        yield started


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="session")
def reports(rulebook, folder):
    """Every build judged, once; the hostile one also in harmless words."""

    def judged(name, text, say):
        part = folder / f"lab-{name}" / "gpu" / "acme" / "hostile.yaml"
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(browsing.hostile_part(say), encoding="utf-8")
        own = Catalog(labs=[folder / f"lab-{name}"])
        return check(text.encode(), f"{say(MARKUP[0])}.yaml", own, rulebook, TODAY)

    found = {}

    def report(name):
        if name not in found:
            if name == "hostile":
                found[name] = judged(name, BUILDS[name], str)
            elif name == "harmless":
                found[name] = judged(name, browsing.hostile_build(harmless), harmless)
            else:
                found[name] = check(BUILDS[name].encode(), "build.yaml", Catalog(), rulebook, TODAY)
        return found[name]

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


@pytest.fixture(scope="session", params=CASES, ids="-".join)
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
    texts = still.ask(browsing.TEXTS)
    still.page.close()
    assert len(texts) > 50
    assert texts == sheet.ask(browsing.TEXTS)


def test_axe_finds_nothing_in_light(sheet):
    """WCAG 2 A and AA and best practice, with everything unfolded."""
    none(sheet.stand().axe(rules={"target-size": {"enabled": True}}))


def test_axe_finds_nothing_in_dark(sheet):
    """Colours are all that differ."""
    none(sheet.stand(scheme="dark").axe(runOnly=["color-contrast", "link-in-text-block"]))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("forced", ["none", "active"])
def test_text_in_drawings_stands_out(sheet, scheme, forced):
    """By 4.5:1 from what lies below it, also where the reader's colours are forced."""
    none(sheet.stand(scheme=scheme, forced_colors=forced).ask(browsing.PALE))


def test_text_in_drawings_has_room(sheet):
    """It stays in its drawing, and no two texts lie on one another, however long a name is."""
    none(sheet.stand().ask(browsing.CROWDED))


def test_no_medium_hides_anything(sheet):
    """Forced colours, a dark scheme and reduced motion show the same text; nothing moves then."""
    plain = sheet.stand().ask("() => document.body.innerText")
    assert len(plain) > 1000
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


@pytest.mark.parametrize("width", WIDTHS)
def test_it_fits_the_window(sheet, width):
    """Only boxes scroll sideways, and keys reach those; nothing is cut off."""
    sheet.stand(width=width)
    none(sheet.ask(browsing.TOO_WIDE))
    none(sheet.ask(browsing.UNREACHED))


def test_the_first_key_leads_to_the_content(sheet):
    """Tab reaches the skip link, Enter follows it, and the next Tab is within the content."""
    page = sheet.fresh().page
    page.keyboard.press("Tab")
    first = sheet.ask(browsing.FOCUSED)
    assert (first["tag"], first["href"]) == ("a", "#main")
    assert first["within"]
    assert not first["covered"]
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert sheet.ask(browsing.FOCUSED)["main"]


def test_tab_goes_through_the_page_in_order_and_is_seen(sheet):
    """Every stop has a ring around it, lies in the window and below nothing."""
    sheet.fresh()
    stops = []
    for _ in range(sheet.ask(browsing.STOPS)):
        sheet.page.keyboard.press("Tab")
        stops.append(sheet.ask(browsing.FOCUSED))
    assert len(stops) > 1
    order = [s["order"] for s in stops]
    assert order == sorted(set(order)), [s["name"] for s in stops]
    unseen = [s["name"] for s in stops if s["covered"] or not (s["ring"] and s["within"])]
    none(unseen)


def test_every_fold_opens_with_a_key(sheet):
    """With Enter on its summary, the outer ones first."""
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


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_it_prints_whole(sheet, paper):
    """Headings, rows and what is folded up stand on paper; no page is empty."""
    if paper == "Letter" and sheet.build != "lab-4x3090":
        pytest.skip("one page of each kind is printed on both papers")
    pages = [bare(text) for text in sheet.printed(paper)]
    sheet.stand(unfolded=False, media="print")
    wanted = sheet.ask(browsing.ON_PAPER)
    assert pages
    none([n for n, text in enumerate(pages, 1) if not text])
    whole = "".join(pages)
    none([t for t in wanted["headings"] if bare(t) not in whole])
    none([t for t in wanted["texts"] if bare(t) not in whole])


def test_no_row_is_cut_by_the_end_of_a_page(sheet):
    """All cells of a row stand on one page of A4, each whole."""
    pages = [bare(text) for text in sheet.printed("A4")]
    sheet.stand(unfolded=False, media="print")
    rows = [[bare(c) for c in row] for row in sheet.ask(browsing.ON_PAPER)["rows"]]
    none([r for r in rows if not any(all(c in p for c in r) for p in pages)])


def test_no_heading_ends_a_page(sheet):
    """What it heads follows it."""
    pages = [bare(text) for text in sheet.printed("A4")]
    sheet.stand(unfolded=False, media="print")
    headings = {bare(t) for t in sheet.ask(browsing.ON_PAPER)["headings"]}
    none([h for h in headings if h and any(p.endswith(h) for p in pages[:-1])])


def test_the_first_printed_page_has_the_verdict(sheet, reports):
    """And whose verdict it is."""
    if sheet.kind != "report":
        pytest.skip("only a report has a verdict")
    first = bare(sheet.printed("A4")[0]).lower()
    assert reports(sheet.build).verdict in first
    assert bare(reports(sheet.build).name).lower() in first


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_words_stay_words(kind, context, write):
    """They run nothing, load nothing, add no element and are shown as they were written."""
    sheet = browsing.open_sheet(context, kind, "hostile", write(kind, "hostile"))
    tame = browsing.open_sheet(context, kind, "harmless", write(kind, "harmless"))
    elements, expected = sheet.ask(browsing.ELEMENTS), tame.ask(browsing.ELEMENTS)
    tame.page.close()
    sheet.stand()
    none(sheet.complaints)
    assert sheet.ask("() => window.__pwned === undefined")
    none(sheet.ask(browsing.ALIVE))
    assert elements == expected
    text = sheet.ask("() => document.documentElement.textContent")
    assert MARKUP[0] in text
    assert MARKUP[3] in sheet.ask("() => document.querySelector('h1').textContent")
    assert "\u202e" not in text
    assert "\u2066" not in text
    sheet.page.close()


def test_pictures_of_the_pages(sheet, folder, request):
    """For somebody to look at: `--screenshots DIR` keeps them."""
    if sheet.build not in ("lab-4x3090", "hostile"):
        pytest.skip("pictures are taken of two builds")
    kept = request.config.getoption("--screenshots") or folder / "screenshots"
    for name, width, scheme in (
        ("light", 1280, "light"),
        ("dark", 1280, "dark"),
        ("phone", 390, "light"),
    ):
        sheet.stand(width=width, scheme=scheme, unfolded=False)
        file = kept / f"{sheet.kind}-{sheet.build}-{name}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        sheet.page.screenshot(path=file, full_page=True)
        assert file.stat().st_size > 10_000
