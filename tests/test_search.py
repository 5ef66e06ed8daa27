"""A search finds what trying everything finds, proves it, and says what became of the rest."""

import json
import os
import shutil
import subprocess
import sys
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from conftest import THOROUGH, table
from machines import WISHES, everything, passing, problem, refusals

from buildcheck import store
from buildcheck.configure.answer import Proof
from buildcheck.configure.search.conflicts import Store
from buildcheck.configure.search.law import FAIL, UNKNOWN
from buildcheck.configure.search.search import Search
from buildcheck.configure.search.space import Option

#: Instances of each wish.
INSTANCES = 8 * THOROUGH
#: More machines than this are not tried one by one.
MOST = 250
#: Passing machines that instances are made around.
SEEDS = 3


class World(NamedTuple):
    problem: object
    law: object
    lists: dict
    seeds: list

    def refuses(self, machine: dict, *, strict: bool) -> bool:
        return bool(refusals(self.law, machine, strict=strict, most=0))


@pytest.fixture(scope="module", params=WISHES)
def world(request, catalog, rulebook) -> World:
    made = problem(request.param, catalog, rulebook)
    seeds = passing(made.law, made.lists, Random(request.param), SEEDS)
    return World(made, made.law, made.lists, seeds)


def instance(world: World, rng: Random, most: int = MOST) -> dict[str, list[Option]]:
    """Short lists around machines that pass; sometimes without what makes them pass."""
    seed = rng.choice(world.seeds)
    lists = {}
    for role, options in world.lists.items():
        others = [s[role] for s in world.seeds]
        near = rng.sample(options, min(len(options), 12))
        near = [o for o in near if not world.refuses({**seed, role: o}, strict=False)]
        others += near[:3] + rng.sample(options, min(len(options), 2))
        if seed[role].units:
            part = seed[role].units[0].sort
            same = [o for o in options if o.units[0].sort is part]
            others += rng.sample(same, min(2, len(same)))
        chosen = rng.sample(others, min(len(others), rng.randint(1, 4)))
        if rng.random() < 0.85:
            chosen.append(seed[role])
        lists[role] = sorted(dict.fromkeys(chosen), key=lambda o: o.cost)
    while prod(map(len, lists.values())) > most:
        role = max(lists, key=lambda r: (len(lists[r]), rng.random()))
        lists[role].remove(rng.choice(lists[role]))
    return lists


def cost(machine: dict) -> tuple:
    return tuple(map(sum, zip(*(o.cost for o in machine.values()), strict=True)))


def tried(world: World, lists: dict, *, strict: bool) -> list[tuple]:
    """What every machine that passes costs, the least first."""
    return sorted(cost(m) for m in everything(lists) if not world.refuses(m, strict=strict))


def search(world: World, lists: dict, *, strict: bool = True, **settings) -> Search:
    law = world.law if strict else world.law.hoping()
    return Search(Store(world.law, lists), law, **settings)


def exact(proof: Proof) -> bool:
    return proof.candidates == sum(proof.excluded_by.values()) + proof.not_better + proof.equivalent


def named(lists: dict) -> str:
    """The options of an instance, to be read where it goes wrong."""
    return json.dumps(
        {
            r: [[u.entry(u.sort.part) for u in o.units] for o in options]
            for r, options in lists.items()
        },
        default=str,
    )


def agree(world: World, rng: Random, number: int) -> dict[str, int]:
    """The best of the search against the best of everything, over so many instances."""
    seen = {"feasible": 0, "infeasible": 0}
    for _ in range(number):
        lists = instance(world, rng)
        for strict in (True, False):
            best = min(tried(world, lists, strict=strict), default=None)
            seen["feasible" if best else "infeasible"] += 1
            one = search(world, lists, strict=strict)
            found = next(one.solutions(), None)
            assert (cost(found) if found else None) == best, (strict, named(lists))
            assert found is None or not world.refuses(found, strict=strict)
            assert exact(one.proof()), (strict, vars(one))
            members = (sum(o.members for o in options) for options in lists.values())
            assert one.proof().candidates == prod(members)
            assert one.proof().complete
    return seen


def test_a_search_finds_the_best_that_trying_everything_finds(world) -> None:
    seen = agree(world, Random(2), INSTANCES)
    assert seen["feasible"] > INSTANCES // 2
    assert seen["infeasible"] > 0


def test_a_search_gives_every_machine_the_best_first(world) -> None:
    rng = Random(3)
    for _ in range(INSTANCES // 4):
        lists = instance(world, rng)
        for strict in (True, False):
            every = search(world, lists, strict=strict)
            costs = [cost(machine) for machine in every.solutions()]
            assert sorted(costs) == tried(world, lists, strict=strict), named(lists)
            assert costs == sorted(costs), named(lists)
            assert exact(every.proof())
            assert every.worse == 0


def test_no_machine_is_cheaper_than_the_bound_it_was_found_at(world) -> None:
    rng = Random(4)
    for _ in range(INSTANCES // 4):
        lists = instance(world, rng)
        one = search(world, lists)
        look = one.look

        def watched(node, bound, put, look=look, lists=lists):
            machine = look(node, bound, put)
            assert machine is None or cost(machine) == bound, named(lists)
            return machine

        one.look = watched
        for _machine in one.solutions():
            pass


def test_a_search_takes_the_same_way_whatever_the_hashes_are(tmp_path) -> None:
    script = tmp_path / "script.py"
    script.write_text(table("search", "script"), encoding="utf-8")
    root = Path(__file__).parent.parent
    # What other tests learn meanwhile would be remembered by the second run alone.
    cache = shutil.copytree(store.cache_folder(), tmp_path / "cache")
    said = {
        subprocess.run(
            [sys.executable, str(script), str(root / "tests")],
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": str(root),
                "BUILDCHECK_CACHE_DIR": str(cache),
            },
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1, said


def solved(world: World, lists: dict, *, strict: bool) -> int | None:
    """The least price by CP-SAT: one option of each role, no tuple that a rule refuses."""
    model_of = pytest.importorskip("ortools.sat.python.cp_model")
    bad = (FAIL, UNKNOWN) if strict else (FAIL,)
    model = model_of.CpModel()
    chosen = {r: [model.new_bool_var(f"{r}{n}") for n in range(len(o))] for r, o in lists.items()}
    for variables in chosen.values():
        model.add_exactly_one(variables)
    first = {role: options[0] for role, options in lists.items()}
    for asked in world.law.asked:
        world.law.verdict(asked, first)
        done: set[str] | None = None
        while done != asked.scope:
            done = set(asked.scope)
            roles = [r for r in lists if r in done]
            for places in product(*(range(len(lists[r])) for r in roles)):
                machine = {**first, **{r: lists[r][n] for r, n in zip(roles, places, strict=True)}}
                if world.law.verdict(asked, machine) in bad:
                    model.add_bool_or(~chosen[r][n] for r, n in zip(roles, places, strict=True))
    model.minimize(
        sum(o.price * v for r, os in lists.items() for o, v in zip(os, chosen[r], strict=True))
    )
    solver = model_of.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    assert status in (model_of.OPTIMAL, model_of.INFEASIBLE)
    return round(solver.objective_value) if status == model_of.OPTIMAL else None


def test_a_solver_finds_the_same_price(world) -> None:
    if set(world.problem.wish.weights) - {"price"}:
        pytest.skip("the best is not the cheapest here")
    rng = Random(5)
    for _ in range(2 * THOROUGH):
        lists = instance(world, rng, 4000)
        for strict in (True, False):
            found = next(search(world, lists, strict=strict).solutions(), None)
            price = sum(o.price for o in found.values()) if found else None
            assert price == solved(world, lists, strict=strict), named(lists)


# -- what is kept of a search ----------------------------------------------


def test_a_search_again_judges_nothing_and_finds_the_same(monkeypatch, catalog, rulebook) -> None:
    kept: dict[tuple, object] = {}
    monkeypatch.setattr(store, "remember", lambda *row: kept.update({row[:2]: row[2]}))
    monkeypatch.setattr(store, "remembered", lambda *row: kept.get(row))
    found = []
    for _ in range(2):
        made = problem("two models", catalog, rulebook)
        search = made.search()
        machine = next(search.solutions())
        made.store.remember()
        parts = {r: [u.sort.part for u in o.units] for r, o in machine.items()}
        found.append((parts, search.proof()))
    assert found[0] == found[1]
    assert made.law.log.judged == 0


def test_what_refuses_a_machine_depends_on_the_warnings_accepted(catalog, rulebook) -> None:
    """Each of its warnings alone, as the mildest build with warnings is sought."""
    made = problem("two models", catalog, rulebook)
    one = made.search()
    machine = next(one.solutions())
    point = {r: d.where(lambda o: o is machine[o.role]) for r, d in one.domains.items()}
    warned = {c.rule for c in one.store.refusing(made.law.with_care(), point, point)}
    assert warned
    for r in warned:
        assert r not in {c.rule for c in one.store.refusing(made.law.with_care(r), point, point)}


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
