"""Pages in a real browser, for tests: which pages there are, and what a reader's browser says of them.

`KINDS` is the table of page makers: a kind of page more is a line more. `Sheet` is one page
open in Debian's chromium under the page's own policy, with all it asked for and complained of.
What is looked at are landmarks, headings, tables and folds, never the words of a page.
"""

import json
import math
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Self

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from conftest import table
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from pypdf import PdfReader

from buildcheck.checklist.steps import checklist_answer
from buildcheck.model.finding import Report
from buildcheck.purchasing.parts_list import parts_list_answer
from buildcheck.render.documents import render_checklist, render_parts_list
from buildcheck.render.page import to_html
from buildcheck.whole_report.answer import report_answer

#: What makes each kind of page from a report.
KINDS: dict[str, Callable[[Report], str]] = {
    "report": lambda report: to_html(report_answer(report)),
    "checklist": lambda report: render_checklist(checklist_answer(report), "html"),
    "parts-list": lambda report: str(render_parts_list(parts_list_answer(report), "html")),
}
HERE = Path(__file__).parent
_JAVASCRIPT = (HERE / "browsing.js").read_text("utf-8")
_FUNCTION = r"(?ms)^//: (\w+)\n(?://[^\n]*\n)*(.*?)\s*(?=^//: |\Z)"
_FOUND = dict(re.findall(_FUNCTION, _JAVASCRIPT))
#: Functions that are asked of a page, by name.
SCRIPTS = {name: text.replace("COLOURS;", _FOUND["colours"]) for name, text in _FOUND.items()}
NO_CHROMIUM = (
    "These tests open pages in chromium, and there is none: 'apt install chromium',"
    " or leave them out with -m 'not browser'."
)
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, for as long as tests last. Fails with what to do where there is none."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.fail(NO_CHROMIUM, pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*ARGUMENTS])
        yield browser
        browser.close()


#: What a name can be made of to harm a page; each at most as long as a name may be.
MARKUP = table("browser", "markup")
LONG = "W" * 120
#: An emoji of several characters, a letter under many marks, and text from right to left.
STRANGE = "👩‍🔬".replace("\u200d", "") + " Z" + "\u0334\u0321\u0322\u0347" * 4 + " שלום"
#: Turns the direction of what follows; part files may hold it.
BIDI = "safe\u202etxt.exe\u2066"


def harmless(text: str) -> str:
    """The text with nothing in it that means something in markup; as long, and as easy to break."""
    return re.sub(r"[<>&\"'{}%$#;]", "x", text)


def hostile_build(say: Callable[[str], str] = str) -> str:
    """A build with something hostile wherever a build file takes words, each said by `say`."""
    names = ("script", "image", "vector", "closing", "template", "entities", "address")
    said = {name: json.dumps(say(text)) for name, text in zip(names, MARKUP, strict=True)}
    said["because"] = json.dumps(say(STRANGE + MARKUP[0]), ensure_ascii=False)
    return table("browser", "hostile_build").format(**said, long=LONG)


def hostile_part(say: Callable[[str], str] = str) -> str:
    """A lab's own part, hostile in its name, its sources and its notes."""
    texts = {"name": f"{BIDI} {MARKUP[0]}", "script": MARKUP[0], "image": MARKUP[1]}
    said = {name: json.dumps(say(text)) for name, text in texts.items()}
    return table("browser", "hostile_part").format(**said, long=LONG)


#: What stands at the foot of each sheet: the build with day and digest, and the page's number.
FOOT = re.compile(r"\A\d+ / \d+.{1,400}?sha256:[0-9a-f]{12}\s*", re.DOTALL)
#: The builds whose pages are opened; of kinds but the report those of `FEW` are enough.
BUILDS: dict[str, str] = {
    name: (HERE / "builds" / name / "build.yaml").read_text(encoding="utf-8")
    for name in ("lab-4x3090", "t12-two-supplies")
} | {"bare": "gpus: RTX 3090\n", "hostile": hostile_build()}
#: One of eight GPUs, whose report is printed only.
EIGHT = "localaiservers-8x4090d"
FEW = ("lab-4x3090", "hostile")
CASES = [(kind, build) for kind in KINDS for build in (BUILDS if kind == "report" else FEW)]
BUILDS[EIGHT] = (HERE / "field" / EIGHT / "build.yaml").read_text(encoding="utf-8")


@dataclass
class Sheet:
    """One page, open, with what it asked for and what was complained of."""

    kind: str
    build: str
    file: Path
    page: Page
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    _pdf: dict[str, list[str]] = field(default_factory=dict)

    def ask(self, script: str, argument: Any = None) -> Any:
        """What a function of JavaScript, or one of `SCRIPTS`, says about the page."""
        return self.page.evaluate(SCRIPTS.get(script, script), argument)

    def stand(
        self,
        *,
        width: int = 1280,
        scheme: str = "light",
        unfolded: bool | None = True,
        **media: str,
    ) -> Self:
        """The page in a window of that width, in those media; `unfolded` None leaves its folds."""
        settings = {"media": "screen", "forced_colors": "none", "reduced_motion": "no-preference"}
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=scheme, **(settings | media))
        if unfolded is not None:
            self.ask(
                "open => document.querySelectorAll('details').forEach(d => d.open = open)", unfolded
            )
        return self

    def fresh(self) -> Self:
        """The page as if just opened, with the focus nowhere."""
        self.stand(unfolded=False)
        self.page.goto(self.file.as_uri())
        return self

    def axe(self, **options: Any) -> list[str]:
        """What axe-core holds against the page, an element a line."""
        if not self.ask("() => 'axe' in window"):
            debugger = self.page.context.new_cdp_session(self.page)
            debugger.send("Runtime.evaluate", {"expression": AXE_SCRIPT})
            debugger.detach()
        return self.ask("axe", options)

    def printed(self, paper: str) -> list[str]:
        """The text of each printed page, as somebody who unfolded nothing prints it."""
        if paper not in self._pdf:
            texts = [page.extract_text() for page in self._reader(paper).pages]
            self._pdf[paper] = [FOOT.sub("", text) for text in texts]
        return self._pdf[paper]

    def printed_sizes(self, paper: str) -> set[float]:
        """The sizes of type on paper, in points."""
        found: set[float] = set()

        def note(text: str, here: list[float], line: list[float], _font: Any, size: float) -> None:
            if text.strip():
                found.add(size * math.hypot(*line[2:4]) * math.hypot(*here[2:4]))

        for page in self._reader(paper).pages:
            page.extract_text(visitor_text=note)
        return found

    def _reader(self, paper: str) -> PdfReader:
        """The page as somebody prints it who unfolded nothing but what is open by itself."""
        self.fresh().stand(media="print", unfolded=None)
        return PdfReader(BytesIO(self.page.pdf(format=paper)))

    def unprinted(self, paper: str) -> list[str]:
        """Texts that no printed page has, and pages that have no text."""
        pages = [bare(text) for text in self.printed(paper)]
        whole, wanted = "".join(pages), self._on_paper()
        lost = [t for t in (*wanted["headings"], *wanted["texts"]) if bare(t) not in whole]
        return [f"page {n} is empty" for n, text in enumerate(pages, 1) if not text] + lost

    def cut_rows(self) -> list[str]:
        """Rows of tables whose cells do not stand whole on one page of A4."""
        pages = [bare(text) for text in self.printed("A4")]
        rows = [[bare(cell) for cell in row] for row in self._on_paper()["rows"]]
        return [" | ".join(r) for r in rows if not any(all(c in p for c in r) for p in pages)]

    def lonely_headings(self) -> list[str]:
        """Headings that are the last thing on a page of A4."""
        pages = [bare(text) for text in self.printed("A4")]
        headings = {bare(text) for text in self._on_paper()["headings"]}
        return sorted(h for h in headings if h and any(p.endswith(h) for p in pages[:-1]))

    def unseen_stops(self, stops: list[dict[str, Any]] | None = None) -> list[str]:
        """Where the Tab key stops and nobody sees it: no ring, out of the window or covered."""
        stops = self.stops() if stops is None else stops
        return [s["name"] for s in stops if s["covered"] or not (s["ring"] and s["within"])]

    def stops(self) -> list[dict[str, Any]]:
        """Where the Tab key stops, from the start of the page to its end."""
        self.fresh()
        found = []
        for _ in range(self.ask("stops")):
            self.page.keyboard.press("Tab")
            found.append(self.ask("focused"))
        return found

    def _on_paper(self) -> dict[str, Any]:
        return self.stand(unfolded=False, media="print").ask("on_paper")


def open_sheet(context: BrowserContext, kind: str, build: str, file: Path) -> Sheet:
    """Open a page and listen to it from the first byte."""
    page = context.new_page()
    sheet = Sheet(kind, build, file, page)
    page.on("request", lambda r: sheet.asked.append(r.url))
    page.on("pageerror", lambda e: sheet.complaints.append(f"page error: {e}"))
    page.on("console", lambda m: _complain(sheet, m.type, m.text))
    page.on("dialog", lambda d: (sheet.complaints.append(f"dialog: {d.message}"), d.dismiss()))
    page.goto(file.as_uri())
    return sheet


def _complain(sheet: Sheet, level: str, text: str) -> None:
    if level in ("warning", "error", "assert"):
        sheet.complaints.append(f"console {level}: {text}")


def reader_context(browser: Browser, **options: Any) -> BrowserContext:
    """Where pages are read: nothing of their policy is lifted.

    What looks at a page is put in by the debugger, which no policy of a page forbids.
    """
    context = browser.new_context(reduced_motion="no-preference", **options)
    context.set_default_timeout(10_000)
    context.add_init_script(SCRIPTS["witness"])
    return context


def bare(text: str) -> str:
    """Text as it can be found again in a PDF: no spaces, nothing a font may lack or join."""
    return re.sub(r"[^!-~]", "", unicodedata.normalize("NFKC", text))
