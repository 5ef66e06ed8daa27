"""The reference: whole, linked, and searched in a browser; and examples in docstrings."""

import doctest
import html
import importlib
import re

import browsing
import click
import pytest
from click.testing import CliRunner
from conftest import ROOT, each_row
from pages import Tags

from buildcheck.cli import main
from buildcheck.configure.wish.wish import read_wish
from buildcheck.docs.fields import file_sections
from buildcheck.docs.schemas import ANSWERS
from buildcheck.model.build import Build
from buildcheck.model.kinds import KINDS

#: Modules with examples in their docstrings.
SHOWN = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "buildcheck").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", SHOWN)
def test_examples_in_docstrings_hold(name) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder that the command writes."""
    folder = tmp_path_factory.mktemp("docs") / "new"
    done = CliRunner().invoke(main, ["docs", "-o", str(folder)])
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """Each page's text, by name."""
    return {path.name: path.read_text(encoding="utf-8") for path in site.iterdir()}


def test_every_link_leads_somewhere(pages) -> None:
    """To a page and a place in it, or to the web; and no id is there twice."""
    found = {name: Tags(text) for name, text in pages.items()}
    ids = {name: page.values("id") for name, page in found.items()}
    for name, page in found.items():
        assert len(ids[name]) == len(set(ids[name])), name
        for link in page.values("href"):
            if not link.startswith(("https://", "http://")):
                file, _, place = link.partition("#")
                assert not place or place in ids[file or name], (name, link)


def test_every_rule_is_there(pages, rulebook) -> None:
    """With the title, the reason and the limits of each grade, what to do, and its sources."""
    for rule in rulebook.rules:
        text = plain(pages[f"rules-{rule.domain}.html"])
        for words in (*(w for g in rule.grades for w in (g.title, g.why)), rule.remedy):
            assert words.replace("`", "") in text, rule.id
        assert all(
            f"{name} = {value}" in text for g in rule.grades for name, value in g.limits.items()
        )
        assert all(source["title"] in text for source in rule.sources.values())


def plain(page: str) -> str:
    """The words of a page."""
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def test_every_key_of_a_file_is_there(pages) -> None:
    """Those of build files, wish files and every kind of part, each with a meaning."""
    ids = {name: set(Tags(text).values("id")) for name, text in pages.items()}
    for section in file_sections():
        for field in section.fields:
            assert f"{section.name}.{field.name}" in ids[f"{section.page}.html"]
            assert field.meaning, (section.name, field.name)
    for kind, model in KINDS.items():
        assert {f"{kind}.{name}" for name in model.model_fields} <= ids["part-files.html"]
    assert {f"file.{name}" for name in Build.model_fields} <= ids["build-file.html"]


def test_every_command_is_there(pages) -> None:
    """With its options, and what it answers with as JSON."""
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        for inner in getattr(command, "commands", {"": command}).values():
            found = f"{name}-{inner.name}" if inner is not command else name
            _, _, part = pages["commands.html"].partition(f'<h2 id="{found}"')
            assert part, name
            options = [p for p in inner.params if isinstance(p, click.Option)]
            assert all(p.opts[0] in part.partition("</article>")[0] for p in options)
            assert (name in ANSWERS) == ("json.html#" in part.partition("</article>")[0])
    for code in ("0", "1", "2", "130"):
        assert f"<dt>{code}</dt>" in pages["commands.html"]


def test_estimates_are_stated_as_they_are_used(pages, catalog) -> None:
    facts = catalog.part("standard/generic/speed").facts
    off = [f"{facts[f'{net}_spread'].value.low:g}" for net in ("transformer", "vision")]
    assert f"by less than a factor of {off[0]} ({off[1]})" in pages["estimates.html"]


def wish(text: str) -> None:
    read_wish(text.encode(), "wish.yaml", ())


def test_examples_can_be_used(pages, judged) -> None:
    for name, use in (("build", judged), ("wish", wish)):
        found = re.findall(
            rf'<pre class="{name}"[^>]*>(.*?)</pre>', "".join(pages.values()), re.DOTALL
        )
        assert found
        for text in found:
            use(text)


def test_it_is_written_over_an_older_one_and_never_over_a_file(site, tmp_path) -> None:
    """What cannot be written is refused with its name."""
    again = CliRunner().invoke(main, ["docs", "-o", str(site)])
    assert again.exit_code == 0
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    refused = CliRunner().invoke(main, ["docs", "-o", str(file)])
    assert refused.exit_code == 2
    assert "cannot be written" in " ".join(refused.stderr.split())
    assert file.read_text(encoding="utf-8") == "mine"


@pytest.mark.browser
def test_the_search_finds_a_rule(site, browser) -> None:
    """By words of its id and title; without scripts the whole list is there, and no box."""
    address = (site / "index.html").as_uri()
    with browsing.reader_context(browser) as context:
        page = context.new_page()
        page.goto(address)
        page.fill("#words", "psu OVERLOADED rating")
        shown = page.locator("#entries li:visible")
        assert "power/psu-overload PSU overloaded" in "".join(shown.all_inner_texts())
        assert shown.count() < 10
        shown.filter(has_text="psu-overload PSU").get_by_role("link").click()
        assert page.url.endswith("rules-power.html#psu-overload")
        assert page.evaluate("window.__forbidden") == []
    with browsing.reader_context(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(address)
        assert not page.locator("#words").is_visible()
        page.locator("summary", has_text="Rules: power").click()
        assert page.get_by_role("link", name="power/psu-overload", exact=True).is_visible()


@pytest.mark.browser
@each_row
def test_a_page_is_readable_by_everybody(name, site, browser) -> None:
    """Axe finds nothing, and a phone shows it without scrolling sideways."""
    with browsing.reader_context(browser, viewport={"width": 320, "height": 700}) as context:
        sheet = browsing.open_sheet(context, "docs", name, site / name)
        assert sheet.axe() == []
        assert sheet.ask("too_wide") == []
        assert sheet.complaints == []
        sheet.page.close()
