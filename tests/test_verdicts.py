"""What a search learns is kept, and the same search made again asks no rule and finds the same."""

from conftest import TODAY
from machines import WISHES

from buildcheck import store
from buildcheck.configure.engine import Engine
from buildcheck.configure.wish.wish import read_wish


def test_a_search_again_judges_nothing_and_finds_the_same(monkeypatch, catalog, rulebook) -> None:
    kept: dict[tuple, object] = {}
    monkeypatch.setattr(store, "remember", lambda *row: kept.update({row[:2]: row[2]}))
    monkeypatch.setattr(store, "remembered", lambda *row: kept.get(row))
    wish = read_wish(WISHES["two models"].encode(), "wish.yaml")
    found = []
    for _ in range(2):
        problem = Engine(catalog, rulebook, TODAY).problem(wish)
        search = problem.search()
        machine = next(search.solutions())
        problem.remember()
        parts = {r: [u.sort.part for u in o.units] for r, o in machine.items()}
        found.append((parts, search.proof()))
    assert found[0] == found[1]
    assert problem.law.judged == 0


def test_what_refuses_a_machine_depends_on_the_warnings_accepted(catalog, rulebook) -> None:
    """Each of its warnings alone, as the mildest build with warnings is sought."""
    wish = read_wish(WISHES["two models"].encode(), "wish.yaml")
    problem = Engine(catalog, rulebook, TODAY).problem(wish)
    search = problem.search()
    machine = next(search.solutions())
    point = {r: d.where(lambda o: o is machine[o.role]) for r, d in search.domains.items()}
    problem.law.demand(careful=True)
    warned = {c.rule for c in search.store.refusing(point, strict=True)}
    assert warned
    for rule in warned:
        problem.law.demand(careful=True, accepted={rule})
        assert rule not in {c.rule for c in search.store.refusing(point, strict=True)}


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
