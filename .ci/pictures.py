"""Makes the pictures of README from its build file: `.venv/bin/python .ci/pictures.py`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from click.testing import CliRunner
from playwright.sync_api import sync_playwright

from buildcheck.cli import main

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / ".github"
#: The day that README is written for.
TODAY = "2026-11-21"
SIZE = {"width": 1040, "height": 840}


def example() -> str:
    """The build file that README shows."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text.partition("```yaml\n")[2].partition("```")[0]


def take(folder: Path) -> None:
    """Judge the example, and take a picture of its report and of the slot map in it."""
    build, page = folder / "build.yaml", folder / "report.html"
    build.write_text(example(), encoding="utf-8")
    words = ["report", str(build), "-o", str(page), "--today", TODAY]
    CliRunner().invoke(main, words, catch_exceptions=False)
    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        sheet = browser.new_page(viewport=SIZE, device_scale_factor=0.8)
        sheet.goto(page.as_uri())
        sheet.screenshot(path=PICTURES / "report.png")
        sheet = browser.new_page(viewport=SIZE)
        sheet.goto(page.as_uri())
        sheet.locator("[aria-labelledby=slots] svg").screenshot(path=PICTURES / "slots.png")
        browser.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        take(Path(made))
