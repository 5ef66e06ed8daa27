"""Whole builds and their verdicts: every finding that is not a pass, by rule and subject.

`pytest tests/test_builds.py --update` writes what is found into the expected files, to
be read and judged by a person before it is committed.
"""

import re
from pathlib import Path

import pytest
import yaml
from conftest import TODAY, each_row, table

from buildcheck.importers.part_list import read_list, to_build
from buildcheck.model.labels import spans
from buildcheck.pipeline import check

BUILDS = sorted((Path(__file__).parent / "builds").glob("*/build.yaml"))


def spoken(report) -> dict:
    """The verdict and all that is not a pass, in the words of an expected file."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for finding in report.findings:
        if finding.verdict not in ("pass", "not-applicable"):
            key = (finding.rule.id, finding.severity, finding.verdict)
            rows.setdefault(key, []).append(finding.subject)
    findings = [
        {"rule": rule, "subject": ", ".join(spans(subjects)), "grade": grade, "verdict": verdict}
        for (rule, grade, verdict), subjects in sorted(rows.items())
    ]
    return {"verdict": report.verdict, "findings": findings}


@pytest.mark.parametrize("path", BUILDS, ids=lambda p: p.parent.name)
def test_golden_verdicts(path, catalog, rulebook, request):
    """The build gets the verdict and exactly the findings its expected file names."""
    found = spoken(check(path.read_bytes(), "build.yaml", catalog, rulebook, TODAY))
    expected_path = path.with_name("expected.yaml")
    if request.config.getoption("--update"):
        write(expected_path, found)
    expected = yaml.safe_load(expected_path.read_text(encoding="utf-8"))
    assert {"verdict": expected["verdict"], "findings": expected["findings"]} == found


def write(path: Path, found: dict) -> None:
    """Keep the comments at the head of the file, replace the rest."""
    old = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    head = [line for line in old if line.startswith("#")]
    rows = [
        "  - {"
        + ", ".join(f'{k}: "{v}"' if k == "subject" else f"{k}: {v}" for k, v in f.items())
        + "}"
        for f in found["findings"]
    ]
    body = [f"verdict: {found['verdict']}", "findings:" if rows else "findings: []", *rows]
    path.write_text("\n".join([*head, *body]) + "\n", encoding="utf-8")


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
