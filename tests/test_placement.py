"""One slot assignment serves every rule: a build that pins none is judged as with those shown."""

import json
import math
from dataclasses import replace
from itertools import permutations

from conftest import TODAY, each_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from buildcheck.judge import judge
from buildcheck.judge.record import Record
from buildcheck.judge.unread import UnreadLines
from buildcheck.load import load
from buildcheck.logic.parse import names
from buildcheck.pipeline import readings
from buildcheck.purchasing.quotes.matching import order
from buildcheck.resolve import resolve

GRADES = ("error", "warning", "note")
#: Boards of three slots, drawn: what fits, what the chipset has and what is dead all differ.
SLOTS = st.fixed_dictionaries(
    {
        "mechanical": st.sampled_from([16, 16, 8]),
        "lanes": st.sampled_from([16, 8, 4, 0]),
        "owner": st.sampled_from(["cpu", "cpu", "chipset"]),
        "gen": st.just(4),
    }
)
DRAWN = st.fixed_dictionaries(
    {
        "slots": st.lists(SLOTS, min_size=3, max_size=3),
        "positions": st.sets(st.integers(1, 7), min_size=3, max_size=3),
        "thickness": st.lists(st.sampled_from([2, 2.5, 3]), min_size=1, max_size=2),
        "expansion_slots": st.integers(6, 8),
    }
)


class Judged:
    """A build with its GPUs in some slots: where they are, and what fails how badly."""

    def __init__(self, build: dict, catalog, rulebook, slots=None, *, draws=False) -> None:
        gpus = build["gpus"]
        if slots:
            gpus = [{**g, "slots": [at]} for g, at in zip(gpus, slots, strict=True)]
        loaded = load(json.dumps({**build, "gpus": gpus}).encode(), "build.yaml")
        assembly = resolve(loaded, catalog)
        facts = readings(assembly, catalog)
        facts = facts if draws else facts._replace(designs=None)
        record = Record(TODAY, (), order(assembly, loaded.document, (), catalog))
        graph = facts.expected.graph
        self.board = [s.label for s in graph.the("motherboard").value("slots")]
        self.slots = [e.data["slot"] for c in graph.of("gpu") for e in graph.out("seated", c)]
        unread = UnreadLines(replace(loaded.document, unread=[]), facts.expected)
        self.findings = [
            f
            for f in judge(rulebook, facts, loaded.document, record, unread)
            # One says of a GPU that is pinned what another says of one that is not.
            if f.rule.guard is None or "gpu.is_pinned" not in names(f.rule.guard)
        ]

    def failing(self, *verdicts: str) -> dict[tuple[str, str], str]:
        """The grade of what fails, by rule and subject: the worst."""
        found = [(f.rule.id, f.subject, f.severity) for f in self.findings if f.verdict in verdicts]
        found.sort(key=lambda one: GRADES.index(one[2]), reverse=True)
        return {(rule, subject): grade for rule, subject, grade in found}

    @property
    def is_forced(self) -> bool:
        """Is there a card in a slot that it does not go into?"""
        return any(rule == "space/edge-longer-than-slot" for rule, _ in self.failing("fail"))

    def errors(self, *verdicts: str) -> int:
        return list(self.failing(*verdicts).values()).count("error")


def holds(build: dict, catalog, rulebook) -> Judged:
    """The law on one build: nothing is better than shown, no error has a way around it."""
    found = Judged(build, catalog, rulebook)
    if len(found.slots) != len(build["gpus"]):
        return found
    likely = found.failing("fail", "likely-fail")
    shown = Judged(build, catalog, rulebook, found.slots).failing("fail", "likely-fail")
    better = {
        key: grade
        for key, grade in shown.items()
        if key not in likely or GRADES.index(likely[key]) > GRADES.index(grade)
    }
    assert not better, found.slots
    others = [
        Judged(build, catalog, rulebook, p) for p in permutations(found.board, len(found.slots))
    ]
    # A slot that a card does not go into is no way around another error.
    others = [o for o in others if not o.is_forced]
    for verdicts in (["fail"], ["fail", "likely-fail"]):
        least = min((other.errors(*verdicts) for other in others), default=math.inf)
        assert found.errors(*verdicts) <= least, (found.slots, found.failing(*verdicts))
    return found


@each_of("builds")
def test_a_build_is_as_good_as_with_the_slots_shown(case, catalog, rulebook) -> None:
    found = holds(case["build"], catalog, rulebook)
    assert found.slots == case["slots"]
    said = {f"{f.rule.id} {f.subject}": f.verdict for f in found.findings}
    assert {key: said.get(key) for key in case.get("says", ())} == case.get("says", {})


@given(drawn=DRAWN)
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_placement_has_fewer_errors_than_the_one_shown(drawn, catalog, rulebook) -> None:
    places = sorted(drawn["positions"])
    slots = [
        {
            **slot,
            "label": f"S{at}",
            "position": at,
            "open_ended": False,
            "lanes": min(slot["lanes"], slot["mechanical"]),
        }
        for slot, at in zip(drawn["slots"], places, strict=True)
    ]
    build = {
        "gpus": [{"part": "RTX 3090", "thickness": f"{t} slots"} for t in drawn["thickness"]],
        "cpu": "AMD EPYC 7302",
        "motherboard": {"slots": slots, "socket": "SP3"},
        "case": {"kind": "tower", "expansion_slots": drawn["expansion_slots"]},
    }
    holds(build, catalog, rulebook)
