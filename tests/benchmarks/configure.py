"""The configurator: cold against `validate`, warm, against CP-SAT, and with a larger catalogue.

    python tests/benchmarks/configure.py [RUNS]

Cold means a new process with warm file caches, by the processor time it takes; what was wished for
with warnings accepted, and with a build of which none warns beside it. The first time nothing is
kept of earlier searches; again, the same search was made before, and what it learned is kept. Warm is the strict
search alone, after the catalogue is read and the lists are made; each is a process of its own,
stopped after `LIMIT` seconds. CP-SAT, if ortools is installed, gets `SAMPLE` options of each role
and then all of them, one Boolean each, and every rule about one or two roles as pairs of values
that are refused; the time to make these tables is given apart. The search gets the same options and
rules.
`growth` copies the parts of each class with prices up to 10 % higher or lower: members grow, classes
do not.
"""

import datetime
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from validate import ENVIRONMENT, EXAMPLE

from buildcheck.catalog import Catalog
from buildcheck.configure.engine import Engine, SearchProblem
from buildcheck.configure.search.classes import Member
from buildcheck.configure.search.conflicts import NAME, WALKS, Store
from buildcheck.configure.search.law import FAIL, UNKNOWN, Law
from buildcheck.configure.search.search import Search
from buildcheck.configure.search.space import Option
from buildcheck.configure.wish.wish import read_wish
from buildcheck.rulebook import load_rulebook

Table = tuple[list[str], list[dict[int, list[Option]]], list[tuple[int, ...]]]

HOME = "site: {voltage: 230 V, breaker: 16 A}\nworkload: {kind: training, parallel: data}\n"
WISHES = {
    "4 cards of 24 GB": f"wish: {{gpus: {{memory_each: 24 GB, count: 4}}}}\n{HOME}",
    "96 GB on NEMA 5-15": "wish: {gpus: {memory_total: 96 GB}}\nsite: {outlet: NEMA 5-15}\n",
    "2x RTX 3090": f"wish: {{gpus: {{part: RTX 3090, count: 2}}}}\n{HOME}",
    "2 models, 40 GB": (
        "wish: {gpus: [{part: RTX 3090, count: 1}, {part: RTX 4060 Ti 16GB, count: 1}]}\n" + HOME
    ),
}
#: Wishes that leave the cards open.
WIDE = {
    "any 4 cards": f"wish: {{gpus: {{count: 4}}}}\n{HOME}",
    "1 to 4 cards": f"wish: {{gpus: {{count: 1..4}}}}\n{HOME}",
}
#: Wishes of which a frontier is drawn.
FRONTIERS = ("4 cards of 24 GB", "1 to 4 cards")
#: A build that fails.
FAILING = EXAMPLE.parent.parent / "t3-4x3090-350w" / "build.yaml"
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
    """Print the median processor time of commands, and as a ratio to that of `validate`."""
    cache = folder / "cache"
    environment = {**ENVIRONMENT, "BUILDCHECK_CACHE_DIR": str(cache)}
    commands = timed_commands(folder)
    times: dict[tuple[str, bool], list[float]] = {}
    for number in range(runs + 1):
        for name, command in commands.items():
            for path in (*cache.glob(f"{NAME}-*"), *cache.glob(f"{WALKS}-*")):
                path.unlink()
            for again in (False, True):
                start = spent()
                subprocess.run(
                    command, capture_output=True, check=False, env=environment, timeout=2 * LIMIT
                )
                if number:  # the first round makes what is made once
                    times.setdefault((name, again), []).append(spent() - start)
    own = statistics.median(times["validate", True])
    for name in commands:
        first, again = (statistics.median(times[name, again]) for again in (False, True))
        print(
            f"cold {name:45} first {first * 1000:7.0f} ms, {first / own:6.1f} x validate; "
            f"again {again * 1000:7.0f} ms, {again / own:6.1f} x",
            flush=True,
        )


def timed_commands(folder: Path) -> dict[str, list[str]]:
    """What is timed, by name; wishes are written into the folder."""
    program = [sys.executable, "-m", "buildcheck"]
    limit = ["--time-limit", str(LIMIT)]
    found = {"validate": [*program, "validate", str(EXAMPLE)]}
    for number, (name, text) in enumerate({**WISHES, **WIDE}.items()):
        path = folder / f"{number}.yaml"
        path.write_text(text, encoding="utf-8")
        wished = [*program, "configure", str(path), *limit]
        found[name] = [*wished, "--no-careful"]
        if name in WISHES:
            found[f"{name}, and without a warning"] = wished
            found[f"{name}, why"] = [*program, "why", str(path)]
        if name in FRONTIERS:
            found[f"{name}, frontier of memory"] = [*wished, "--pareto", "price,gpu_memory"]
    for command in ("repair", "why"):
        found[f"{command} {FAILING.parent.name}"] = [*program, command, str(FAILING)]
    return found


def spent() -> float:
    """Processor time in seconds of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def made(name: str) -> SearchProblem:
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
        before = problem.law.log.judged
        seconds, found = timed(search)
        print(
            f"warm {name}, {memory}: {seconds * 1000:.0f} ms, {search.machines:.1e} candidates, "
            f"{search.nodes} boxes, {problem.law.log.judged - before} judged, {price(found)} USD",
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
            f"{search.machines:.1e} candidates, {price(found)} USD",
            flush=True,
        )


def solver(name: str) -> None:
    """Print the search against CP-SAT on a sample of the options, then on all of them."""
    try:
        import ortools.sat.python.cp_model  # noqa: F401
    except ImportError:
        print("CP-SAT: ortools is not installed")
        return
    problem, rng = made(name), random.Random(1)
    best = next(problem.search().solutions(), None)
    some = {
        role: sorted(
            {*rng.sample(options, min(len(options), SAMPLE)), *([best[role]] if best else [])},
            key=lambda o: o.cost,
        )
        for role, options in problem.lists.items()
    }
    against(f"{name}, a sample", problem, some)
    against(f"{name}, all options", problem, problem.lists)


def against(name: str, problem: SearchProblem, lists: dict[str, list[Option]]) -> None:
    """The same options and the same rules of one or two roles: the search, then CP-SAT."""
    long = [a.rule.id for a in problem.law.asked if len(a.scope) > 2]
    law = Law(problem.engine.rulebook, problem.ground)
    law = law.only({a.rule.id for a in law.asked} - {*long})
    law.log = problem.law.log
    seconds, found = timed(Search(Store(law, lists), law))
    start = time.perf_counter()
    tables = list(refused(law, lists))
    reading = time.perf_counter() - start
    theirs, cost = solved(lists, tables)
    print(
        f"CP-SAT {name}: {sum(map(len, lists.values()))} options, {len(law.asked)} rules of one or "
        f"two roles, {sum(len(pairs) for *_, pairs in tables)} refused pairs of values; search "
        f"{seconds * 1000:.0f} ms ({price(found)} USD), CP-SAT {theirs * 1000:.0f} ms "
        f"({cost / 100:.2f} USD), its tables {reading * 1000:.0f} ms; CP-SAT / search "
        f"{theirs / seconds:.1f}, with tables {(theirs + reading) / seconds:.1f}",
        flush=True,
    )


def refused(law: Law, lists: dict[str, list[Option]]) -> Iterator[Table]:
    """For each rule its roles, the options of each by what it reads, and what it refuses."""
    first = {role: options[0] for role, options in lists.items()}
    for asked in law.asked:
        law.verdict(asked, first)
        roles = [r for r in lists if r in asked.scope]
        while True:
            names = {r: tuple(sorted(asked.fields(r))) for r in roles}
            groups = [grouped(lists[r], names[r]) for r in roles]
            pairs = []
            for values in product(*groups):
                chosen = {r: g[v][0] for r, g, v in zip(roles, groups, values, strict=True)}
                if law.verdict(asked, {**first, **chosen}) in (FAIL, UNKNOWN):
                    pairs.append(values)
            if names == {r: tuple(sorted(asked.fields(r))) for r in roles}:
                break
        yield roles, groups, pairs


def grouped(options: list[Option], names: tuple[str, ...]) -> dict[int, list[Option]]:
    """Options that are equal in some fields."""
    found: dict[int, list[Option]] = {}
    for option in options:
        found.setdefault(option.cells(names), []).append(option)
    return found


def solved(lists: dict[str, list[Option]], tables: list[Table]) -> tuple[float, float]:
    """Seconds to make the model of one Boolean for each option and to solve it, and the price."""
    from ortools.sat.python import cp_model

    start = time.perf_counter()
    model = cp_model.CpModel()
    var = {id(o): model.new_bool_var("") for options in lists.values() for o in options}
    for options in lists.values():
        model.add_exactly_one(var[id(o)] for o in options)
    for _, groups, pairs in tables:
        # One Boolean for all options with the same values, as a modeller would write it.
        kinds = []
        for group in groups:
            of = {}
            for value, options in group.items():
                of[value] = model.new_bool_var("")
                model.add(sum(var[id(o)] for o in options) == of[value])
            kinds.append(of)
        for values in pairs:
            model.add_bool_or(~of[v] for of, v in zip(kinds, values, strict=True))
    model.minimize(sum(o.price * var[id(o)] for options in lists.values() for o in options))
    cp = cp_model.CpSolver()
    cp.parameters.num_workers = 1
    cp.parameters.max_time_in_seconds = LIMIT
    cp.solve(model)
    return time.perf_counter() - start, cp.objective_value


ONE = {"warm": warm, "growth": growth, "solver": solver}


if __name__ == "__main__":
    main()
