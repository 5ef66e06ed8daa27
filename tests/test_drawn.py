"""Machines drawn: what several parts leave open together, decided by what nearly all have."""

from collections import Counter
from dataclasses import replace

import pytest
from conftest import ROOT, TODAY, table

from buildcheck.catalog.typical import TYPICAL
from buildcheck.judge import judge
from buildcheck.judge.designs import Designs
from buildcheck.judge.record import Record
from buildcheck.judge.unread import UnreadLines
from buildcheck.load import load
from buildcheck.logic.quantity import Interval
from buildcheck.model.board import Slot
from buildcheck.model.kinds import KINDS
from buildcheck.pipeline import readings
from buildcheck.purchasing.quotes.matching import order
from buildcheck.resolve import resolve

HELD = "gpus: {}x RTX 3080\ncpu: AMD Ryzen 9 5950X\nmotherboard: ASUS ROG Strix X570-E Gaming\npsus: 750 W\n"
#: As `rules/typical.yaml` has it.
DRAWN = 24
FIELDS = table("drawn", "fields")


def assembled(text: bytes, catalog):
    loaded = load(text, "build.yaml")
    return resolve(loaded, catalog), loaded.document


def test_all_ends_at_once_decide_nothing(judged) -> None:
    """The range of a sum spans the limit; of the machines within it nearly all are on one side."""
    report = judged("gpus: 2x GTX 1080 Ti\npsus: 720 W\n")
    (found,) = [f for f in report.failing if f.rule.id == "power/psu-overload-worst-case"]
    load = {name: value for name, _, value in found.words.values()}["psu.worst_load"]
    assert load.low < 720 < load.high
    assert found.verdict == "likely-fail"
    assert found.drawn.failing >= 0.95 * DRAWN


def test_each_machine_has_one_value_of_a_range_and_all_of_it_is_taken(catalog) -> None:
    assembly, _ = assembled(HELD.format(2).encode(), catalog)
    designs = Designs(assembly, catalog)
    cards = [designs.machine(n).graph.subjects["gpus[0]"] for n in range(DRAWN)]
    ranges = {
        n
        for c in cards
        for n, f in c.facts.items()
        if isinstance(f.value, Interval) and not f.value.is_exact
    }
    assert not ranges
    share = [designs._share(assembly.subjects["cpu"], "any", n) for n in range(DRAWN)]
    assert sorted(share) == pytest.approx([(n + 0.5) / DRAWN for n in range(DRAWN)])
    # Copies of one card are alike, another run draws the same, and seeds are of values alone.
    others = [designs.machine(n).graph.subjects["gpus[1]"] for n in range(DRAWN)]
    assert all(a.facts is b.facts for a, b in zip(cards, others, strict=True))
    assert Designs(assembly, catalog).machine(7).graph.subjects["gpus[0]"].facts == cards[7].facts
    assert f"{[*'abcdef']}" in str(Slot.model_construct(bifurcation=frozenset("fbdace")))


def test_the_order_of_entries_draws_the_same(judged) -> None:
    lines = [
        "gpus: 2x RTX 3080\n",
        "cpu: AMD Ryzen 9 5950X\n",
        "psus: 850 W\n",
        "storage: 2x SSD\n",
    ]
    one, other = judged("".join(lines)), judged("".join(reversed(lines)))
    assert [(f.rule.id, f.verdict, f.drawn) for f in one.findings] == [
        (f.rule.id, f.verdict, f.drawn) for f in other.findings
    ]


def verdicts(assembly, document, catalog, rulebook) -> dict[tuple[str, str], set[tuple[str, str]]]:
    facts = readings(assembly, catalog)
    record = Record(TODAY, (), order(assembly, document, (), catalog))
    found: dict[tuple[str, str], set[tuple[str, str]]] = {}
    unread = UnreadLines(document, facts.expected)
    for f in judge(rulebook, facts, document, record, unread):
        found.setdefault((f.rule.id, f.subject), set()).add((f.verdict, f.severity))
    return found


def hidden(assembly, kind: str, catalog):
    """The machine with some facts of a kind hidden; None if none of them is known."""
    made, subjects, fields = {}, dict(assembly.subjects), FIELDS[kind]
    for one in assembly.subjects.values():
        known = [f for f in fields if f in one.facts and not one.facts[f].is_usual]
        if one.kind == kind and one.listed and known:
            kept = {
                n: f for n, f in one.facts.items() if n not in fields and f.confidence != TYPICAL
            }
            usual = {**catalog.typical(kind, kept), **kept}
            facts = made.setdefault(id(one.facts), catalog.fill(KINDS[kind], usual))
            subjects[one.id] = replace(one, facts=facts, could_be=(), wide={})
    return replace(assembly, subjects=subjects) if made else None


@pytest.mark.slow
def test_what_is_likely_without_a_fact_is_so_with_it(catalog, rulebook) -> None:
    """Known facts of the pinned builds are hidden: at least 95 % of what is then likely is right."""
    right: Counter[bool] = Counter()
    for path in sorted((ROOT / "tests/builds").glob("t*/build.yaml")):
        assembly, document = assembled(path.read_bytes(), catalog)
        whole = verdicts(assembly, document, catalog, rulebook)
        for kind in FIELDS:
            less = hidden(assembly, kind, catalog)
            for key, found in verdicts(less, document, catalog, rulebook).items() if less else ():
                truth = whole.get(key, set())
                if {verdict for verdict, _ in truth} <= {"pass", "fail"}:
                    fails = any(verdict == "fail" for verdict, _ in truth)
                    likely = {v for v, _ in found if v.startswith("likely")}
                    right.update(fails == (v == "likely-fail") for v in likely)
    assert right.total() > 50
    assert right[True] >= 0.95 * right.total()
