"""Machines from the catalogue's priced parts for the tests of searches, found without a search."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from conftest import TODAY

from buildcheck.configure.engine import Engine, SearchProblem
from buildcheck.configure.search.law import FAIL, UNKNOWN
from buildcheck.configure.wish.wish import read_wish

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from buildcheck.catalog import Catalog
    from buildcheck.configure.search.law import Law
    from buildcheck.configure.search.space import Option
    from buildcheck.rulebook import Rulebook

    Machine = dict[str, Option]
    Lists = dict[str, list[Option]]

#: A search judges with what parts usually have.
AS_EXPECTED = {
    "not-applicable": "pass",
    "likely-pass": "pass",
    "likely-fail": "fail",
    "not-listed": "unknown",
}
_HOME = "site: {voltage: 230 V, breaker: 16 A}\nworkload: {kind: training, parallel: data}\n"
#: Wishes that differ in what is given, in what is best, and in where the machine stands.
WISHES = {
    "open": f"wish: {{gpus: {{memory_total: 24 GB, count: 1..4}}}}\n{_HOME}",
    "weighed": (
        "wish: {gpus: {memory_total: 16 GB, count: 1..2}, best: {price: 1, headroom: 0.5}}\n"
        "site: {outlet: NEMA 5-15}\nworkload: {kind: inference}\n"
    ),
    "owned": (
        "wish: {gpus: {memory_each: 16 GB, count: 2}}\n"
        f"{_HOME}owned: {{motherboard: ASRock Rack ROMED8-2T, cpu: AMD EPYC 7302P}}\n"
    ),
    "two models": (
        "wish: {gpus: [{part: RTX 3090, count: 1}, "
        "{part: RTX A6000, count: 1, adapter: 2x PCIe 8-pin to EPS}]}\n"
        f"{_HOME}"
    ),
}
#: What is there already: few choices are left, so that searches are short.
OWNED = """owned:
  motherboard: ASRock Rack ROMED8-2T
  cpu: AMD EPYC 7302P
  cpu_cooler: Noctua NH-U14S TR4-SP3
  case: Fractal Design Define 7 XL
  psus: [Corsair AX1600i]
"""
#: Steps after which a walk that found nothing begins anew.
MOST_STEPS = 600
#: Four cards of three slots on a board for games, as somebody has it who knows no better.
GAMES = """\
name: Old build
gpus:
  - part: ASUS ROG Strix GeForce RTX 3090 OC
    count: 4
cpu: AMD Ryzen 9 5950X
motherboard: ASUS ROG Crosshair VIII Hero
cpu_cooler: Noctua NH-D15
memory: {part: G.Skill Trident Z Neo 2x32GB DDR4-3600, count: 2}
psus: [Corsair HX1200]
case: Fractal Design Meshify 2
storage: [Samsung 980 PRO 2TB]
site: {outlet: NEMA 5-15}
workload: {kind: training, parallel: data}
"""


def problem(name: str, catalog: Catalog, rulebook: Rulebook) -> SearchProblem:
    """One of the wishes over the whole catalogue."""
    wish = read_wish(WISHES[name].encode(), "wish.yaml")
    return Engine(catalog, rulebook, TODAY).problem(wish)


def refusals(law: Law, machine: Machine, *, strict: bool = True, most: int = 10**9) -> int:
    """How many rules refuse a machine; counting ends above `most`."""
    bad = (FAIL, UNKNOWN) if strict else (FAIL,)
    number = 0
    for asked in law.asked:
        number += law.verdict(asked, machine) in bad
        if number > most:
            break
    return number


def walk(law: Law, lists: Lists, rng: Random, *, strict: bool = True) -> Iterator[Machine]:
    """From a random machine, one part changed at a time, to one that nothing refuses."""
    bad = (FAIL, UNKNOWN) if strict else (FAIL,)
    machine = anything(lists, rng)
    yield machine
    for _ in range(MOST_STEPS):
        broken = [a for a in law.asked if law.verdict(a, machine) in bad]
        if not broken:
            return
        role = rng.choice(sorted(rng.choice(broken).scope & set(lists)) or list(lists))
        other = {**machine, role: rng.choice(lists[role])}
        if refusals(law, other, strict=strict, most=len(broken)) <= len(broken):
            machine = other
            yield machine


def anything(lists: Lists, rng: Random) -> Machine:
    """Any option in every role."""
    return {role: rng.choice(options) for role, options in lists.items()}


def passing(law: Law, lists: Lists, rng: Random, number: int) -> list[Machine]:
    """So many machines that the law lets pass, each from a walk of its own."""
    found: list[Machine] = []
    while len(found) < number:
        *_, last = walk(law, lists, rng)
        if not refusals(law, last):
            found.append(last)
    return found


def everything(lists: Lists) -> Iterator[Machine]:
    """Every machine of a product of lists."""
    for chosen in product(*lists.values()):
        yield dict(zip(lists, chosen, strict=True))
