"""Whole builds: there is one of each kind, and every sentence about them reads well.

What is found on each is held by `tests/frozen/law`; `expected.txt` next to a build says why.
"""

import re
from pathlib import Path

import pytest
import yaml
from conftest import each_row, table

from buildcheck.importers.part_list import read_list, to_build

BUILDS = sorted((Path(__file__).parent / "builds").glob("*/build.yaml"))


def test_every_scenario_has_a_build():
    """The fifteen power scenarios and the machines of the seed texts are all there."""
    names = {p.parent.name.partition("-")[0] for p in BUILDS}
    assert names >= {f"t{n}" for n in range(1, 16)}
    assert sum(p.parent.name.startswith("seed-") for p in BUILDS) == 8


#: Builds that leave much out: GPUs alone, an unknown board, risers, one and several PSUs.
SHORT = table("builds", "short")
#: What no sentence may hold: a value that is missing, marks of the rule language, `1 slots`.
GARBLED = re.compile(
    r"not known|\bNone\b|\bnan\b|\binf\b|[\[\]]|\(s\)|at (least|most) at|[a-z]at (least|most)"
    r"|-\d[\d.,]* mm|by -\d|(?<![\d.,–-])\b1 ([A-Z.0-9]+ )?"
    r"(GPU|PSU|slot|socket|bay|core|thread|module|channel|lane|port|mount|cable)s\b"
    r"|  |\( | [,;.)]|^\W|[:,;] ?$"
)


@pytest.mark.parametrize("text", [*(p.read_text("utf-8") for p in BUILDS), *SHORT])
def test_every_sentence_reads_well(text, judged):
    """Titles, messages and fixes hold no gap; a failure says what is wrong and what to do."""
    for finding in judged(text).findings:
        shown = (finding.title, finding.message, finding.fix)
        assert (finding.message and finding.fix) or finding.verdict != "fail", finding.title
        for words in filter(None, shown):
            assert not GARBLED.search(words), (finding.rule.id, words)
            assert words.count("(") == words.count(")"), (finding.rule.id, words)
        assert len(finding.title) <= 80


@each_row
def test_lists_of_2026(case, catalog, judged):
    """As a build, as pasted text and as CSV every part is found, and the verdict is one."""
    rows, keys = case["lines"], {}
    for section, count, name, _ in rows:
        keys.setdefault(section, []).append(f"{count}x {name}")
    text = "\n".join(f"{count}x {name} - ${price:,}.00" for _, count, name, price in rows)
    cells = [f'{key},"{name}",{count},{price}.00' for key, count, name, price in rows]
    csv = "\n".join(["Category,Item,Qty,Unit price (USD)", *cells])
    made = (to_build(read_list(t), catalog.find, "", catalog.index.numbered) for t in (text, csv))
    for form in (yaml.safe_dump(keys), *(one.text for one in made)):
        report = judged(form + yaml.safe_dump(case["rest"]))
        lost = [s.name for s in report.graph.subjects.values() if s.listed and s.near]
        assert (report.verdict, lost) == (case["verdict"], []), form
