"""What README says and anybody can check: its table of what is known."""

from __future__ import annotations

import re

from click.testing import CliRunner
from conftest import ROOT

from buildcheck.cli import main

README = ROOT / "README.md"
BEGIN, END = "<!-- coverage: begin -->\n", "<!-- coverage: end -->"
#: Kinds that are bought, in the order people list them.
BOUGHT = (
    *("gpu", "cpu", "motherboard", "cooler", "memory", "psu", "case", "storage"),
    *("add-in-card", "riser", "nvlink-bridge", "ups"),
)
#: Kinds of which data are hardest to come by.
WEAKEST = ("gpu", "motherboard", "psu", "case")


def quoted() -> str:
    """The lines of `parts stats` that README quotes: counts, and shares of hand-checked parts."""
    lines = CliRunner().invoke(main, ["parts", "stats"]).stdout.splitlines()
    blank = lines.index("")
    counts = {line.split()[0]: line for line in lines[:blank]}
    shares: dict[str, list[str]] = {}
    for line in lines[blank + 2 :]:
        head = re.match(r"  (\S+) \((\S+)\)  ", line)
        if head:
            now = shares.setdefault(f"{head[1]} {head[2]}", [])
        now.append(line)
    known = (line for kind in WEAKEST for line in shares[f"{kind} curated"])
    rows = [counts["kind"], *(counts[kind] for kind in BOUGHT), *lines[blank : blank + 2], *known]
    return "\n".join(["```", *rows, "```", ""])


def test_readme_quotes_what_is_known(pytestconfig) -> None:
    """With the numbers `parts stats` prints; `--update` writes them anew."""
    before, _, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    table, _, after = rest.partition(END)
    if pytestconfig.getoption("update"):
        README.write_text(before + BEGIN + quoted() + END + after, encoding="utf-8")
        return
    assert table == quoted()
