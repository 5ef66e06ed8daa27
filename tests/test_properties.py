"""What holds of all builds: more is never worse, and knowing less proves nothing."""

import copy
import json
import random
import re
from collections import Counter

import pytest
from conftest import THOROUGH, TODAY, table
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from buildcheck.facts import FACTS
from buildcheck.logic.quantity import Interval
from buildcheck.pipeline import check

SEVERITIES = ("note", "warning", "error")


def tried(examples: int, **more) -> settings:
    """How many examples of a property are judged, each in a tenth of a second or two."""
    unhealthy = [HealthCheck.function_scoped_fixture]
    examples *= THOROUGH
    return settings(max_examples=examples, deadline=None, suppress_health_check=unhealthy, **more)


few = tried(12)


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


def rising(least: int, most: int):
    return st.lists(st.integers(least, most), min_size=2, max_size=2, unique=True).map(sorted)


@given(ratings=rising(600, 3000), voltage=st.sampled_from([None, 120, 230]))
@few
def test_a_larger_supply_is_never_worse(ratings, voltage, judged) -> None:
    """For power; its efficiency at part load is another matter."""
    grades = []
    for rated in ratings:
        build = four_cards()
        build["psus"]["rated_power"] = f"{rated} W"
        if voltage:
            build["site"] = {"voltage": f"{voltage} V", "breaker": "16 A"}
        grades.append(worst(judged(text(build), "power"), "power"))
    assert grades[0] >= grades[1]


@given(limits=rising(100, 349), rated=st.integers(800, 2200), locked=st.booleans())
@tried(8)
def test_a_lower_power_limit_is_never_worse(limits, rated, locked, judged) -> None:
    """As long as both are within what the card accepts and are set again at each start."""
    grades = []
    for limit in limits:
        build = four_cards(power_limit=f"{limit} W", limit_at_boot=True, clock_lock=locked)
        build["psus"]["rated_power"] = f"{rated} W"
        build["site"] = {"voltage": "120 V", "breaker": "15 A", "continuous_current": "12 A"}
        grades.append(worst(judged(text(build), "power", "circuit"), "power", "circuit"))
    assert grades[0] <= grades[1]


@given(totals=rising(4, 600), cards=st.integers(1, 8), size=st.sampled_from([8, 24, 80]))
@few
def test_more_memory_is_never_worse(totals, cards, size, judged) -> None:
    """In as many modules, on a board that takes it."""
    grades = []
    for total in totals:
        build = four_cards(count=cards, memory=f"{size} GB")
        build["memory"]["total"] = f"{total} GB"
        build["motherboard"] |= {"memory_max": "1000 GB", "memory_slots": 8}
        grades.append(worst(judged(text(build), "memory"), "memory"))
    assert grades[0] >= grades[1]


@given(
    places=rising(2, 5),
    thickness=st.sampled_from(["1.5 slots", "2 slots", "2.5 slots", "3 slots", "2..3 slots"]),
    cooling=st.sampled_from(["blower", "open-air", "flow-through", "water"]),
)
@few
def test_wider_spacing_is_never_worse(places, thickness, cooling, judged) -> None:
    """Two cards further apart, on an open bench."""
    grades = []
    for place in places:
        build = four_cards(count=2, thickness=thickness, cooling=cooling, slots=[1, place])
        build["motherboard"] = "ASUS WS X299 SAGE"
        grades.append(worst(judged(text(build), "space", "cooling"), "space", "cooling"))
    assert grades[0] >= grades[1]


@given(threads=rising(1, 128), cards=st.integers(1, 8))
@few
def test_more_threads_are_never_worse(threads, cards, judged) -> None:
    """With data prepared while the cards work."""
    grades = []
    for number in threads:
        build = four_cards(count=cards)
        build["cpu"] |= {"threads": number, "cores": 64}
        build["workload"] = {"kind": "training", "preprocessing": "on-the-fly"}
        grades.append(worst(judged(text(build), "cpu"), "cpu"))
    assert grades[0] >= grades[1]


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
    """At no depth."""
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
    """Two entries of two cards are four cards."""
    one, two = copy.deepcopy(WHOLE), copy.deepcopy(WHOLE)
    one["gpus"] = [{"part": "RTX 3090", "count": 4}]
    two["gpus"] = [{"part": "RTX 3090", "count": 2}, {"part": "RTX 3090", "count": 2}]
    assert verdicts(judged(text(one))) == verdicts(judged(text(two)))


#: Data whose absence nothing stands in for, or only a range that holds them all.
DATA = table("properties", "data")
BUILDS = st.fixed_dictionaries(
    {
        section: st.fixed_dictionaries({name: st.sampled_from(o) for name, o in fields.items()})
        for section, fields in DATA.items()
    }
)
PLACES = [(section, name) for section, fields in DATA.items() for name in fields]


def lapses(before, after) -> set[tuple[str, str]]:
    """Rules and subjects that failed, or could not be judged, and pass now."""
    was, now = verdicts(before), verdicts(after)
    return {
        key
        for key, found in was.items()
        if found & {"fail", "likely-fail", "unknown"} and now.get(key) == {"pass"}
    }


@given(
    build=BUILDS,
    count=st.integers(1, 4),
    limited=st.booleans(),
    places=st.sets(st.sampled_from(PLACES), min_size=1, max_size=3),
)
@tried(12)
def test_removing_data_acquits_nobody(build, count, limited, places, judged) -> None:
    """No failure and no doubt becomes a pass because something is not said."""
    build["gpus"]["count"] = count
    # An entry has to say something.
    build["memory"]["ecc"] = False
    if limited:
        build["gpus"] |= {"power_limit": "280 W"}
    less = copy.deepcopy(build)
    for section, name in places:
        del less[section][name]
    assert lapses(judged(text(build)), judged(text(less))) == set()


def test_an_unknown_voltage_acquits_no_supply(judged) -> None:
    """A supply of 2000 W that is too small at 120 V does not pass where nobody says the voltage."""
    build = four_cards()
    build["psus"]["rated_power"] = "2000 W"
    low = judged(text({**build, "site": {"voltage": "120 V", "breaker": "20 A"}}))
    assert verdicts(low)["power/psu-overload", "psus[0]"] == {"likely-fail"}
    assert lapses(low, judged(text(build))) == set()


@pytest.mark.parametrize(("board", "cpu"), [("udimm", "rdimm"), pytest.param("rdimm", "udimm")])
def test_a_kind_of_module_needs_board_and_cpu(board, cpu, judged) -> None:
    """Registered modules fail if either of the two does not take them."""
    build = four_cards()
    build["motherboard"]["memory_modules"] = [board]
    build["cpu"]["memory_modules"] = [cpu]
    build["memory"]["module_kind"] = "rdimm"
    found = verdicts(judged(text(build)))
    assert found["memory/wrong-module-kind", "memory"] == {"fail"}


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
