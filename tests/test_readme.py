"""README: short, and what it shows is what the program does."""

import re

import click
import pytest
from click.testing import CliRunner
from conftest import ROOT, TODAY

from buildcheck.cli import main

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
BEGIN, END = "<!-- output: begin -->\n", "<!-- output: end -->"
COMMANDS = main.list_commands(click.Context(main))


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_the_output_is_real(pytestconfig, tmp_path, monkeypatch) -> None:
    """That of the build file it shows; `pytest tests/test_readme.py --update` writes it anew."""
    monkeypatch.chdir(tmp_path)
    (build,) = blocks("yaml")
    (tmp_path / "build.yaml").write_text(build, encoding="utf-8")
    output = CliRunner().invoke(main, ["validate", "build.yaml", "--today", str(TODAY)]).stdout
    lines = [line.rstrip() for line in output.splitlines()]
    shown = "\n".join(["```console", "$ buildcheck validate build.yaml", *lines, "```", ""])
    before, _, rest = TEXT.partition(BEGIN)
    found, _, after = rest.partition(END)
    if pytestconfig.getoption("update"):
        README.write_text(before + BEGIN + shown + END + after, encoding="utf-8")
    else:
        assert found == shown


def test_it_names_every_command() -> None:
    """And no other; what it tells people to type is there."""
    assert sorted(re.findall(r"^`([a-z-]+)` \|", TEXT, re.MULTILINE)) == COMMANDS
    assert set(re.findall(r"[`$] ?buildcheck ([a-z-]+)", TEXT)) <= {*COMMANDS}
    scripts = re.findall(r"^sh (\S+)", "".join(blocks("sh")), re.MULTILINE)
    assert scripts == [".ci/try", ".ci/test"]
    assert all((ROOT / script).is_file() for script in scripts)


def test_it_is_short() -> None:
    assert len(TEXT.split()) <= 700


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)]+)\)", TEXT))
def test_a_link_leads_somewhere(link) -> None:
    """To a file of this repository, of which pictures are small, or to the web."""
    if not link.startswith("https://"):
        assert (ROOT / link).stat().st_size > 0
        assert not link.endswith(".png") or (ROOT / link).stat().st_size < 150_000
