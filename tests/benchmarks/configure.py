"""The configurator: cold against `validate`, warm, against CP-SAT, and with a larger catalogue.

    python tests/benchmarks/configure.py [RUNS]

Cold means a new process with warm file caches, as on every run but the first. Warm is the strict
search alone, after the catalogue is read and the lists are made; each is a process of its own,
stopped after `LIMIT` seconds. CP-SAT, if ortools is installed, gets a model of `SAMPLE` options of
each role, one Boolean each, and every rule about one or two roles as pairs that are
refused; the time to make these tables is given apart. The search gets the same options and rules.
`growth` copies the parts of each class with prices up to 10 % higher or lower: members grow, classes
do not.
"""

from __future__ import annotations

import datetime
import random
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from validate import ENVIRONMENT, EXAMPLE

from buildcheck.catalog import Catalog
from buildcheck.configure.classes import Member
from buildcheck.configure.engine import Engine, Problem
from buildcheck.configure.law import FAIL, UNKNOWN, Law
from buildcheck.configure.search import Search
from buildcheck.configure.wish import read_wish
from buildcheck.rulebook import load_rulebook

if TYPE_CHECKING:
    from buildcheck.configure.space import Option

HOME = "site: {voltage: 230 V, breaker: 16 A}\nworkload: {kind: training, parallel: data}\n"
WISHES = {
    "4 cards of 24 GB": f"wish: {{gpus: {{memory_each: 24 GB, count: 4}}}}\n{HOME}",
    "96 GB on NEMA 5-15": "wish: {gpus: {memory_total: 96 GB}}\nsite: {outlet: NEMA 5-15}\n",
    "2x RTX 3090": f"wish: {{gpus: {{part: RTX 3090, count: 2}}}}\n{HOME}",
    "2 models, 40 GB": (
        "wish: {gpus: [{part: RTX 3090, count: 1}, {part: RTX 4060 Ti 16GB, count: 1}]}\n" + HOME
    ),
}
#: Seconds after which a measurement is given up.
LIMIT = 60
SAMPLE = 40
COPIES = (1, 2, 4, 8)


def main() -> None:
    """Measure and print; with a name, one measurement in this process."""
    if len(sys.argv) > 2:
        kind, name = sys.argv[1:3]
        ONE[kind](name)
        return
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as folder:
        cold(runs, Path(folder))
    for kind in ONE:
        for name in WISHES:
            if kind == "warm" or name == "2x RTX 3090":
                command = [sys.executable, __file__, kind, name]
                try:
                    subprocess.run(command, env=ENVIRONMENT, timeout=LIMIT, check=False)
                except subprocess.TimeoutExpired:
                    print(f"{kind} {name}: given up after {LIMIT} s", flush=True)


def cold(runs: int, folder: Path) -> None:
    """Print the median time of `configure` for each wish, and as a ratio to `validate`."""
    program = [sys.executable, "-m", "buildcheck"]
    timed = {"validate": [*program, "validate", str(EXAMPLE)]}
    for number, (name, text) in enumerate(WISHES.items()):
        path = folder / f"{number}.yaml"
        path.write_text(text, encoding="utf-8")
        timed[name] = [*program, "configure", str(path), "--time-limit", str(LIMIT)]
    times: dict[str, list[float]] = {name: [] for name in timed}
    for number in range(runs + 1):
        for name, command in timed.items():
            start = time.perf_counter()
            subprocess.run(
                command, capture_output=True, check=False, env=ENVIRONMENT, timeout=2 * LIMIT
            )
            if number or runs == 1:  # the first round warms caches
                times[name].append(time.perf_counter() - start)
    own = statistics.median(times["validate"])
    for name, values in times.items():
        middle = statistics.median(values)
        print(f"cold {name:20} {middle * 1000:8.0f} ms, {middle / own:6.1f} x validate", flush=True)


def made(name: str) -> Problem:
    """A wish with its lists."""
    today = datetime.date(2026, 11, 21)
    wish = read_wish(WISHES[name].encode(), "wish.yaml")
    return Engine(Catalog(), load_rulebook(), today).problem(wish)


def timed(search: Search) -> tuple[float, dict[str, Option] | None]:
    """Seconds to the first solution, or to the proof that there is none."""
    start = time.perf_counter()
    found = next(search.solutions(), None)
    return time.perf_counter() - start, found


def price(found: dict[str, Option] | None) -> str:
    """What a machine costs."""
    return f"{sum(o.price for o in found.values()) / 100:.2f}" if found else "none"


def warm(name: str) -> None:
    """Print the search's time and what it looked at, first without and then with its memory."""
    problem = made(name)
    for memory in ("new law", "same law"):
        search = problem.search()
        before = problem.law.judged
        seconds, found = timed(search)
        print(
            f"warm {name}, {memory}: {seconds * 1000:.0f} ms, {search.tally.machines:.1e} candidates, "
            f"{search.tally.boxes} boxes, {problem.law.judged - before} judged, {price(found)} USD",
            flush=True,
        )


def growth(name: str) -> None:
    """Print the search's time as the members of each class are copied."""
    first = 0.0
    for copies in COPIES:
        problem, rng = made(name), random.Random(1)
        for sort in {
            id(u.sort): u.sort for os in problem.lists.values() for o in os for u in o.units
        }.values():
            sort.members = tuple(
                sorted(
                    Member(round(m.price * (rng.uniform(0.9, 1.1) if n else 1)), m.part)
                    for m in sort.members
                    for n in range(copies)
                )
            )
        for options in problem.lists.values():
            for option in options:
                if option.units:
                    option.price = sum(u.sort.price * u.number for u in option.units)
                    option.cost = (option.price, option.order)
            options.sort(key=lambda o: o.cost)
        search = problem.search()
        seconds, found = timed(search)
        first = first or seconds
        print(
            f"growth {name}, {copies}x: {seconds * 1000:.0f} ms, {seconds / first:.2f} x, "
            f"{search.tally.machines:.1e} candidates, {price(found)} USD",
            flush=True,
        )


def solver(name: str) -> None:
    """Print the search against CP-SAT on the same options and rules."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        print("CP-SAT: ortools is not installed")
        return
    problem, rng = made(name), random.Random(1)
    best = next(problem.search().solutions(), None)
    lists = {
        role: sorted(
            {*rng.sample(options, min(len(options), SAMPLE)), *([best[role]] if best else [])},
            key=lambda o: o.cost,
        )
        for role, options in problem.lists.items()
    }
    long = [a.rule.id for a in problem.law.asked if len(a.scope) > 2]
    law = Law(problem.engine.rulebook, problem.ground, long)
    law.log = problem.law.log
    seconds, found = timed(Search(law, lists))
    first = {role: options[0] for role, options in lists.items()}
    start = time.perf_counter()
    refused = []
    for asked in law.asked:
        law.verdict(asked, first)
        roles = [r for r in lists if r in asked.scope]
        for places in product(*(range(len(lists[r])) for r in roles)):
            chosen = {r: lists[r][n] for r, n in zip(roles, places, strict=True)}
            if law.verdict(asked, {**first, **chosen}) in (FAIL, UNKNOWN):
                refused.append(list(zip(roles, places, strict=True)))
    tables = time.perf_counter() - start
    start = time.perf_counter()
    model = cp_model.CpModel()
    var = {r: [model.new_bool_var("") for _ in options] for r, options in lists.items()}
    for each in var.values():
        model.add_exactly_one(each)
    for pairs in refused:
        model.add_bool_or(~var[r][n] for r, n in pairs)
    model.minimize(
        sum(
            o.price * v
            for r, options in lists.items()
            for o, v in zip(options, var[r], strict=True)
        )
    )
    cp = cp_model.CpSolver()
    cp.parameters.num_workers = 1
    cp.solve(model)
    theirs = time.perf_counter() - start
    print(
        f"CP-SAT {name}: {sum(map(len, lists.values()))} options, {len(law.asked)} rules of one or two "
        f"roles, {len(refused)} refused pairs; search {seconds * 1000:.0f} ms ({price(found)} USD), "
        f"CP-SAT {theirs * 1000:.0f} ms ({cp.objective_value / 100:.2f} USD), its tables "
        f"{tables * 1000:.0f} ms; CP-SAT / search {theirs / seconds:.1f}, with tables "
        f"{(theirs + tables) / seconds:.1f}",
        flush=True,
    )


ONE = {"warm": warm, "growth": growth, "solver": solver}


if __name__ == "__main__":
    main()
