"""What rules said in a search is kept for later ones, and holds only where all that was read is equal."""

import json

import pytest
from conftest import TODAY
from machines import WISHES

from buildcheck import store
from buildcheck.configure.engine import Engine, SearchProblem
from buildcheck.configure.search import verdicts as kept
from buildcheck.configure.search.law import Law
from buildcheck.configure.search.verdicts import Verdicts
from buildcheck.configure.wish.wish import read_wish

HOME = WISHES["two models"]
#: The same wish where the wall gives less, and where cards are cooled by warmer air.
ELSEWHERE = HOME.replace("230 V", "100 V").replace("breaker: 16 A", "breaker: 15 A")


def problem(text, catalog, rulebook):
    return Engine(catalog, rulebook, TODAY).problem(read_wish(text.encode(), "wish.yaml"))


def told(problem):
    """What a search finds, of which parts, and what it proves."""
    search = problem.search()
    machine = next(search.solutions())
    return {r: [u.sort.part for u in o.units] for r, o in machine.items()}, search.proof()


@pytest.fixture(scope="module")
def searched(catalog, rulebook):
    """A search, what it found, and the chunk that it leaves behind, as it is written."""
    made = SearchProblem(
        Engine(catalog, rulebook, TODAY), read_wish(HOME.encode(), "wish.yaml"), anew=True
    )
    found = told(made)
    return found, json.loads(json.dumps(made.verdicts.fresh()))


def test_a_search_again_judges_nothing_and_finds_the_same(searched, catalog, rulebook) -> None:
    found, chunk = searched
    again = problem(HOME, catalog, rulebook)
    again.law.verdicts = Verdicts(again.ground, [chunk])
    assert told(again) == found
    assert again.law.judged == 0


def test_elsewhere_only_what_does_not_depend_on_the_place_is_known(
    searched, catalog, rulebook
) -> None:
    _, chunk = searched
    away = problem(ELSEWHERE, catalog, rulebook)
    known = Verdicts(away.ground, [chunk])
    search = away.search()
    machine = next(search.solutions())
    fresh = Law(rulebook, away.ground)
    fresh.log = away.law.log
    said = {a.rule.id: known.find(a.which, machine) for a in fresh.asked}
    found = {rule: one[0] for rule, one in said.items() if one}
    assert found
    assert found == {a.rule.id: fresh.verdict(a, machine) for a in fresh.asked if said[a.rule.id]}
    assert any(rule.startswith("circuit/") for rule in said.keys() - found.keys())


def test_the_oldest_is_dropped_where_there_is_too_much(monkeypatch, catalog, rulebook) -> None:
    monkeypatch.setattr(kept, "MOST", 250)

    class Found:
        def __init__(self, number: int) -> None:
            self.number = number

        def fresh(self):
            return {"number": self.number, "groups": [], "things": []}

    searched = problem(HOME, catalog, rulebook)
    other = problem(
        ELSEWHERE.replace("workload: {kind: training, parallel: data}", ""), catalog, rulebook
    )
    over, away = (p.over._replace(trust="measured") for p in (searched, other))
    for number in (101, 102, 99, 103):
        kept.remember(over, Found(number))
    assert [c["number"] for c in kept.kept(over)] == [102, 103]
    assert not kept.kept(away)


def test_the_last_few_of_each_name_are_kept(monkeypatch, tmp_path) -> None:
    """With and without parts of one's own in turn, nothing is made again."""
    monkeypatch.setenv("BUILDCHECK_CACHE_DIR", str(tmp_path))
    for number in range(2):
        store.remember("reads", f"parts {number}", number)
    assert [store.remembered("reads", f"parts {number}") for number in range(2)] == [0, 1]
    for number in range(20):
        store.remember("reads", f"parts {number}", number)
    assert store.remembered("reads", "parts 19") == 19
    assert len(list(tmp_path.iterdir())) < 10
