"""What holds of all builds: more is never worse, and knowing less proves nothing."""

import copy
import json
import random
import re
from collections import Counter
from string import Template

import pytest
import yaml
from conftest import THOROUGH, TODAY, table
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from test_alive import merged

from buildcheck.facts import FACTS
from buildcheck.logic.quantity import Interval
from buildcheck.pipeline import check

SEVERITIES = ("note", "warning", "error")


def tried(examples: int, **more) -> settings:
    """How many examples of a property are judged, each in a tenth of a second or two."""
    unhealthy = [HealthCheck.function_scoped_fixture]
    examples *= THOROUGH
    return settings(max_examples=examples, deadline=None, suppress_health_check=unhealthy, **more)


def text(build: dict) -> str:
    """A build as text; JSON is YAML."""
    return json.dumps(build, ensure_ascii=False)


def worst(report, *domains: str) -> int:
    """The worst severity that fails in some domains, from 0 for none to 3 for an error."""
    return max(
        (
            1 + SEVERITIES.index(f.severity)
            for f in report.findings
            if f.verdict == "fail" and f.rule.domain in domains
        ),
        default=0,
    )


def verdicts(report) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for f in report.findings:
        found.setdefault((f.rule.id, f.subject), set()).add(f.verdict)
    return found


def spoken(report) -> Counter:
    """What is said, whatever number a subject has."""
    return Counter((f.rule.id, f.subject_name, f.verdict, f.severity) for f in report.findings)


def four_cards(**gpu) -> dict:
    """A machine whose power hangs on its numbers alone."""
    build = table("properties", "four_cards")
    build["gpus"] |= gpu
    return build


#: Changes of that machine with `$n` and other marks, what these are drawn from, and what is judged.
NEVER_WORSE = table("properties", "never_worse")


@pytest.mark.parametrize("name", NEVER_WORSE)
def test_more_is_never_worse(name, judged) -> None:
    """Of what a row names; `falls` where less is."""
    case = NEVER_WORSE[name]
    numbers = st.sampled_from(case.get("among") or range(case["least"], case["most"] + 1))
    pairs = st.lists(numbers, min_size=2, max_size=2, unique=True)
    marks = st.fixed_dictionaries({k: st.sampled_from(v) for k, v in case.get("of", {}).items()})

    @given(pair=pairs, drawn=marks)
    @tried(case.get("examples", 12))
    def hold(pair, drawn) -> None:
        grades = []
        for n in sorted(pair, reverse=case.get("falls", False)):
            change = yaml.safe_load(Template(case["change"]).substitute(drawn, n=n))
            build = merged(four_cards(), change)
            grades.append(worst(judged(text(build), *case["domains"]), *case["domains"]))
        assert grades[0] >= grades[1]

    hold()


MEMORY = [(1, "GiB"), (1, "gb"), (1024, "MiB"), (1 / 1024, "TB")]


@given(rated=st.integers(6, 30), limit=st.integers(10, 34), size=st.sampled_from(MEMORY))
@tried(5)
def test_units_do_not_matter(rated, limit, size, judged) -> None:
    """1.6 kW are 1600 W, and 64 GiB of memory 64 GB, to the last word of every message."""
    reports = []
    for rating, cap, (many, unit) in (
        (f"{rated / 10} kW", f"{limit / 100:.2f} kW", size),
        (f"{rated * 100} W", f"{limit * 10} W", (1, "GB")),
    ):
        build = four_cards(power_limit=cap, memory=f"{24 * many} {unit}")
        build["psus"]["rated_power"] = rating
        build["motherboard"] |= {"memory_slots": 4, "memory_max": "256 GB", "module_max": "64 GB"}
        build["memory"] = {"module": f"{64 * many} {unit}", "count": 4}
        reports.append(judged(text(build)))
    said = [
        [(f.rule.id, f.subject, f.verdict, f.severity, f.message) for f in r.findings]
        for r in reports
    ]
    assert said[0] == said[1]


def shuffled(value, mix: random.Random):
    """The same mappings with their keys in another order."""
    if isinstance(value, dict):
        keys = list(value)
        mix.shuffle(keys)
        return {k: shuffled(value[k], mix) for k in keys}
    return [shuffled(v, mix) for v in value] if isinstance(value, list) else value


WHOLE = table("properties", "whole")

GPUS = table("properties", "gpus")
PSUS = ["Corsair AX1600i", "Corsair RM850x", {"rated_power": "1000 W", "plugs": {"pcie-8-pin": 3}}]
BOARDS = ["ASUS WS X299 SAGE", "ASUS TUF B450-Plus Gaming", "ASUS ROG Strix Z790-I Gaming WIFI"]
RISERS = [[], [{"feed": "pcie-6-pin"}], [{"count": 2, "feed": "sata", "chained": True}]]
MACHINES = st.fixed_dictionaries(
    {
        "gpus": st.lists(st.sampled_from(GPUS), min_size=2, max_size=4),
        "psus": st.lists(st.sampled_from(PSUS), min_size=1, max_size=3),
        "nvlink": st.sampled_from([[], [{"spacing": 3}], [{"count": 2, "spacing": 3}]]),
        "motherboard": st.sampled_from(BOARDS),
        "risers": st.sampled_from(RISERS),
    }
).map(lambda some: WHOLE | some)


@pytest.fixture(scope="module")
def whole(catalog, rulebook):
    report = check(text(WHOLE).encode(), "build.yaml", catalog, rulebook, TODAY)
    return verdicts(report), spoken(report)


@given(seed=st.integers(0, 10_000))
@tried(2)
def test_the_order_of_keys_does_not_matter(seed, judged, whole) -> None:
    build = shuffled(WHOLE, random.Random(seed))
    found = judged(text(build))
    assert (verdicts(found), spoken(found)) == whole


@given(one=MACHINES, data=st.data())
@tried(4, phases=[Phase.generate])
def test_the_order_of_entries_does_not_matter(one, data, judged) -> None:
    """GPUs and drives may be listed in any order; only PSUs have a first."""
    gpus = data.draw(st.permutations(one["gpus"]))
    other = {**one, "gpus": gpus, "storage": WHOLE["storage"][::-1]}
    assert spoken(judged(text(other))) == spoken(judged(text(one)))


@given(build=MACHINES)
@tried(6)
def test_no_range_runs_backwards_and_no_sentence_has_what_is_not_known(build, judged) -> None:
    report = judged(text(build))
    assert not [f for f in report.findings if re.search(r"not known|\b[a-z]?0–", f.message)]
    facts = report.facts
    for name, fact in FACTS.items():
        for subject in facts.graph.of(fact.of):
            found = facts(name, subject)
            assert not isinstance(found, Interval) or found.low <= found.high, name


def test_several_entries_are_as_good_as_a_count(judged) -> None:
    one, two = copy.deepcopy(WHOLE), copy.deepcopy(WHOLE)
    one["gpus"] = [{"part": "RTX 3090", "count": 4}]
    two["gpus"] = [{"part": "RTX 3090", "count": 2}, {"part": "RTX 3090", "count": 2}]
    assert verdicts(judged(text(one))) == verdicts(judged(text(two)))


def lapses(before, after) -> set[tuple[str, str]]:
    """Rules and subjects that failed, or could not be judged, and pass now."""
    was, now = verdicts(before), verdicts(after)
    return {
        key
        for key, found in was.items()
        if found & {"fail", "likely-fail", "unknown"} and now.get(key) == {"pass"}
    }


def test_an_unknown_voltage_acquits_no_supply(judged) -> None:
    """A supply of 2000 W that is too small at 120 V does not pass where nobody says the voltage."""
    build = four_cards()
    build["psus"]["rated_power"] = "2000 W"
    low = judged(text({**build, "site": {"voltage": "120 V", "breaker": "20 A"}}))
    assert verdicts(low)["power/psu-overload", "psus[0]"] == {"likely-fail"}
    assert lapses(low, judged(text(build))) == set()


@given(width=st.integers(0, 150), rated=st.integers(1000, 2200))
@tried(8)
def test_a_wider_range_acquits_nobody(width, rated, judged) -> None:
    """What fails for the range fails or is open for a wider one, never passes."""
    reports = []
    for low, high in ((350, 350), (350 - width, 350 + width)):
        build = four_cards(board_power=f"{low}..{high} W", power_limit_max="600 W")
        build["psus"]["rated_power"] = f"{rated} W"
        reports.append(judged(text(build)))
    assert lapses(*reports) == set()
