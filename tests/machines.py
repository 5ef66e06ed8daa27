"""Machines from the catalogue's priced parts for the tests of searches, found without a search."""

from collections.abc import Iterator
from itertools import product
from random import Random

from conftest import TODAY, table

from buildcheck.catalog import Catalog
from buildcheck.configure.engine import Engine, SearchProblem
from buildcheck.configure.search.law import FAIL, UNKNOWN, Law
from buildcheck.configure.search.space import Option
from buildcheck.configure.wish.wish import read_wish
from buildcheck.rulebook import Rulebook

Machine = dict[str, Option]
Lists = dict[str, list[Option]]

#: A search judges with what parts usually have.
AS_EXPECTED = table("machines", "as_expected")
#: Wishes that differ in what is given, in what is best, and in where the machine stands.
WISHES = table("machines", "wishes")
#: What is there already: few choices are left, so that searches are short.
OWNED = table("machines", "owned")
#: Steps after which a walk that found nothing begins anew.
MOST_STEPS = 600


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
