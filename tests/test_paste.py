"""Lines to paste are taken, and lose nothing of what the build file says."""

import pytest
import yaml
from conftest import ROOT, table

from buildcheck.load import load
from buildcheck.report.build import build_answer

#: Every golden build, and a third of those of other people.
BUILDS = sorted(ROOT.glob("tests/builds/*/build.yaml"))
BUILDS += sorted(ROOT.glob("tests/field/*/build.yaml"))[::3]
WRITTEN = table("paste", "written")


def lines(report) -> set[str]:
    """Every line that is shown to be added or pasted."""
    answer = build_answer(report, verbose=True)
    usual = {line.paste for f in answer.findings for line in f.rests_on}
    return usual | {m.paste for m in answer.missing}


def rounds(lines: set[str]) -> list[dict[str, object]]:
    """What is pasted at once, each line in place of the section that it is of."""
    made: list[dict[str, object]] = []
    for line in sorted(lines):
        ((section, value),) = yaml.safe_load(line).items()
        free = next((one for one in made if section not in one), None)
        made += [free := {}] if free is None else []
        free[section] = value
    return made


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
    for sections in rounds(lines(judged(text))):
        pasted = yaml.safe_dump(yaml.safe_load(text) | sections, allow_unicode=True)
        after = load(pasted.encode(), "build.yaml")
        assert not after.problems, sections
        assert not lost(before.data, after.data), sections
