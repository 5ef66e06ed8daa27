"""What holds of every build that trips a rule: knowing less acquits nobody, and alike is alike."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_alive import BASES, CASES, merged
from test_properties import four_cards, text, verdicts, worst

from buildcheck.errors import InputError
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.kinds import KINDS

few = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
#: What says that something is there, or how it is set up, rather than what is known of it.
SAID = {"part", "kind", "type", "standard", "chip"}
#: What a stated default stands in for: a board that does not say has one or two CPU plugs.
BOOKED = {("motherboard", "plugs")}


def data(build: dict) -> list[tuple]:
    """Where a build gives facts of parts: section, number of the entry, fact."""
    found = []
    for section, kind in SECTION_KIND.items():
        value = build.get(section)
        entries = value if isinstance(value, list) else [value]
        for number, entry in enumerate(entries):
            if isinstance(entry, dict):
                found += [
                    (section, number, name)
                    for name in entry
                    if name in KINDS[kind].model_fields
                    and name not in SAID
                    and (section, name) not in BOOKED
                ]
    return found


def without(build: dict, place: tuple) -> dict:
    """The same with one fact left out."""
    section, number, name = place
    less = copy.deepcopy(build)
    entry = less[section][number] if isinstance(less[section], list) else less[section]
    del entry[name]
    return less


def by_rule(report) -> dict[str, set[str]]:
    """Every verdict of each rule, whatever the subject: cards may change places."""
    found: dict[str, set[str]] = {}
    for (rule, _), said in verdicts(report).items():
        found.setdefault(rule, set()).update(said)
    return found


TRIPPING = [merged(BASES[case.get("base", "plain")], case["build"]) for case in CASES]


def lapsed(build: dict, place: tuple, judged, said=by_rule) -> set:
    """What fails or is in doubt, and passes where one fact is left out: rules, unless `said`."""
    less = without(build, place)
    entry = less[place[0]]
    entry = entry[place[1]] if isinstance(entry, list) else entry
    if not set(entry) - {"count"}:
        return set()
    try:
        before, after = (said(judged(json.dumps(b, default=str))) for b in (build, less))
    except InputError:
        # What names something that is left out is refused.
        return set()
    doubted = [name for name, found in before.items() if found & {"fail", "unknown"}]
    return {name for name in doubted if after.get(name) == {"pass"}}


@given(data_=st.data())
@settings(few, max_examples=150)
def test_leaving_a_fact_out_acquits_nobody(data_, judged) -> None:
    """No rule that failed or was in doubt passes everywhere because something is not known."""
    build = data_.draw(st.sampled_from(TRIPPING))
    place = data_.draw(st.sampled_from(data(build)))
    assert lapsed(build, place, judged) == set(), place


SIZES = st.tuples(st.sampled_from(["650 W", "800 W", "850..1100 W"]), st.sampled_from([2, 4, 6]))


@given(sizes=st.tuples(SIZES, SIZES), cards=st.sampled_from([2, 3, 4]), data_=st.data())
@settings(few, max_examples=60)
def test_what_decides_between_two_psus_acquits_none_of_them(sizes, cards, data_, judged) -> None:
    """GPUs that no build file puts on a PSU may be on any where its plugs or size are not known."""
    psu, gpu = BASES["plain"]["psus"][0], BASES["plain"]["gpus"][0]
    plugs = [{**psu["plugs"], "pcie-8-pin": number} for _, number in sizes]
    psus = [{**psu, "rated_power": w, "plugs": p} for (w, _), p in zip(sizes, plugs, strict=True)]
    build = merged(BASES["plain"], {"psus": psus, "gpus": [{**gpu, "count": cards, "slots": []}]})
    place = data_.draw(st.sampled_from([d for d in data(build) if d[0] in ("psus", "gpus")]))
    assert lapsed(build, place, judged, verdicts) == set(), place


@pytest.mark.parametrize("case", CASES[:: max(1, len(CASES) // 40)], ids=lambda c: c["rule"])
def test_two_parts_with_the_same_facts_get_the_same_verdicts(case, judged) -> None:
    """The name of a part decides nothing."""
    build = merged(BASES[case.get("base", "plain")], case["build"])
    reports = []
    for word in ("one", "another"):
        named = copy.deepcopy(build) | {"name": word}
        reports.append(verdicts(judged(json.dumps(named, default=str))))
    assert reports[0] == reports[1]


@given(
    lanes=st.lists(st.sampled_from([1, 4, 8, 16]), min_size=2, max_size=2, unique=True).map(sorted)
)
@few
def test_more_lanes_are_never_worse(lanes, judged) -> None:
    """Two cards, one job, the same slots with more lanes."""
    grades = []
    for number in lanes:
        build = four_cards(count=2, thickness="2 slots", pcie_gen=4, pcie_lanes=16, slots=[1, 4])
        build["cpu"] |= {"pcie_lanes": 128, "pcie_gen": 4}
        slot = {"mechanical": 16, "lanes": number, "gen": 4, "owner": "cpu"}
        slots = [{"label": f"S{p}", "position": p, **slot} for p in (1, 4)]
        build["motherboard"]["slots"] = slots
        build["motherboard"]["m2_slots"] = []
        build["workload"] = {"kind": "training", "parallel": "data"}
        grades.append(worst(judged(text(build)), "pcie"))
    assert grades[0] >= grades[1]
