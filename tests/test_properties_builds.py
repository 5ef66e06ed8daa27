"""What holds of every build that trips a rule: knowing less acquits nobody, and alike is alike."""

import copy
import json

import pytest
from conftest import table
from hypothesis import given
from hypothesis import strategies as st
from test_alive import BASES, CASES, merged
from test_properties import tried, verdicts

from buildcheck.errors import InputError
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.kinds import KINDS

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
                    and not {name, (section, name)} & (SAID | BOOKED)
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


def two_psus(sizes: list[tuple], cards: int) -> dict:
    """GPUs that no build file puts on one of two PSUs, each of a size and a number of plugs."""
    psu, gpu = BASES["plain"]["psus"][0], {**BASES["plain"]["gpus"][0]}
    gpu.pop("slots", None)
    psus = [{**psu, "rated_power": w, "plugs": {**psu["plugs"], "pcie-8-pin": n}} for w, n in sizes]
    return merged(BASES["plain"], {"psus": psus, "gpus": [{**gpu, "count": cards}]})


SIZES = st.tuples(st.sampled_from(["650 W", "800 W", "850..1100 W"]), st.sampled_from([2, 4, 6]))
PAIRS = st.builds(two_psus, st.lists(SIZES, min_size=2, max_size=2), st.integers(2, 4))
TRIPPING = [merged(BASES[case.get("base", "plain")], case["build"]) for case in CASES]


@given(data_=st.data())
@tried(20)
def test_leaving_a_fact_out_acquits_nobody(data_, judged) -> None:
    """No rule that failed or was in doubt passes everywhere because something is not known."""
    build = data_.draw(st.sampled_from(TRIPPING) | PAIRS)
    place = data_.draw(st.sampled_from(data(build)))
    less = without(build, place)
    entry = less[place[0]]
    entry = entry[place[1]] if isinstance(entry, list) else entry
    if not set(entry) - {"count"}:
        return
    try:
        before, after = (by_rule(judged(json.dumps(b, default=str))) for b in (build, less))
    except InputError:
        return  # What names something that is left out is refused.
    doubted = [rule for rule, said in before.items() if said & {"fail", "unknown"}]
    assert not [rule for rule in doubted if after.get(rule) == {"pass"}], place


@pytest.mark.parametrize(("sizes", "cards", "psu", "name"), table("properties", "removed"))
def test_leaving_a_fact_of_two_psus_out(sizes, cards, psu, name, judged) -> None:
    """It acquits no rule, and no plug is missing for certain because of it."""
    build = two_psus(sizes, cards)
    less = without(build, ("psus", psu, name))
    before, after = (by_rule(judged(json.dumps(b, default=str))) for b in (build, less))
    doubted = [rule for rule, said in before.items() if said & {"fail", "unknown"}]
    assert not [rule for rule in doubted if after.get(rule) == {"pass"}]
    assert "fail" not in after["cable/plug-without-cable"] - before["cable/plug-without-cable"]


@pytest.mark.parametrize("case", CASES[:: max(1, len(CASES) // 6)], ids=lambda c: c["rule"])
def test_two_parts_with_the_same_facts_get_the_same_verdicts(case, judged) -> None:
    """The name of a part decides nothing."""
    build = merged(BASES[case.get("base", "plain")], case["build"])
    reports = []
    for word in ("one", "another"):
        named = copy.deepcopy(build) | {"name": word}
        reports.append(verdicts(judged(json.dumps(named, default=str))))
    assert reports[0] == reports[1]
