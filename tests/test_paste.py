"""Lines to paste are taken, and lose nothing of what the build file says."""

from __future__ import annotations

import pytest
import yaml
from conftest import ROOT

from buildcheck.load import load
from buildcheck.report.build import build_answer

BUILDS = sorted(ROOT.glob("tests/builds/*/build.yaml")) + sorted(
    ROOT.glob("tests/field/*/build.yaml")
)
WRITTEN = """\
gpus: 2x RTX 3090 Founders Edition (used, 680 € each)
cpu: AMD Ryzen 9 5950X
motherboard: ASUS Pro WS X570-ACE
memory: 4x32GB DDR4 (2400 MHz)
psus: [Corsair HX1200, 850W]
case: 4U
workload: training
"""


def lines(report) -> set[str]:
    """Every line that is shown to be added or pasted."""
    answer = build_answer(report, verbose=True)
    usual = {line.paste for f in answer.findings for line in f.rests_on}
    return usual | {m.paste for m in answer.missing}


def pasted(text: str, line: str) -> str:
    """A build file with a line in place of the section that it is of."""
    ((section, value),) = yaml.safe_load(line).items()
    return yaml.safe_dump(yaml.safe_load(text) | {section: value}, allow_unicode=True)


def lost(before, after) -> dict[str, object]:
    """What some data say and others do not, by place; entries of lists are compared in order."""
    if not isinstance(before, (dict, list)):
        return {} if before == after else {"": before}
    rows = before.items() if isinstance(before, dict) else enumerate(before)
    known = after if isinstance(after, dict) else dict(enumerate(after or ()))
    return {f"{k}.{at}": v for k, one in rows for at, v in lost(one, known.get(k)).items()}


@pytest.mark.parametrize("path", [None, *BUILDS], ids=lambda p: p.parent.name if p else "written")
def test_what_is_pasted_is_taken_and_loses_nothing(path, judged) -> None:
    text = path.read_text(encoding="utf-8") if path else WRITTEN
    before = load(text.encode(), "build.yaml")
    for line in lines(judged(text)):
        after = load(pasted(text, line).encode(), "build.yaml")
        assert not after.problems, line
        assert not lost(before.data, after.data), line
