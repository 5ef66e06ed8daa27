"""The verdicts against what happened to real machines: nothing that works may be called an error."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
import yaml
from field.agreement import FALSE_ALARMS, Tally, found, judge

FOLDER = Path(__file__).parent / "field"
BUILDS = sorted(p.parent for p in FOLDER.glob("*/expected.yaml"))


@pytest.fixture(scope="module")
def tallies(catalog, rulebook) -> dict[str, Tally]:
    """Counts by domain over all builds."""
    counts: dict[str, Tally] = defaultdict(Tally)
    for build in BUILDS:
        expected = yaml.safe_load((build / "expected.yaml").read_text(encoding="utf-8"))
        judge(build.name, expected, found(build, catalog, rulebook), counts)
    return counts


def test_all_public_builds_are_there() -> None:
    """Thirty-six machines, each with its source."""
    assert len(BUILDS) == 36
    for build in BUILDS:
        assert (build / "build.yaml").read_text(encoding="utf-8").startswith("# ")


def test_nothing_that_works_is_an_error(tallies) -> None:
    """In no domain."""
    assert sum(t.errors for t in tallies.values()) == 0


def test_false_alarms_are_few(tallies) -> None:
    """At most 3 % of what must not be raised."""
    alarms, forbidden = (
        sum(getattr(t, n) for t in tallies.values()) for n in ("alarms", "forbidden")
    )
    assert alarms <= FALSE_ALARMS * forbidden


@pytest.mark.parametrize("domain", ["cable", "memory", "pcie", "power", "circuit"])
def test_trouble_is_spoken_of(domain, tallies) -> None:
    """In these domains at least a note stands for everything that went wrong."""
    assert tallies[domain].noted == tallies[domain].expected
