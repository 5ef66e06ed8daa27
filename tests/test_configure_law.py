"""What a search is told of a machine is what `validate` says of it, open roles or not."""

from collections import Counter
from random import Random
from typing import NamedTuple

import pytest
from conftest import THOROUGH, TODAY, build_text, only
from machines import AS_EXPECTED, WISHES, anything, problem, walk

from buildcheck.configure.proposing import data_of, new_file
from buildcheck.configure.search.classes import CURRENCY, ROLES, Classes
from buildcheck.configure.search.law import FAIL, OPEN, PASS, UNKNOWN, Law
from buildcheck.configure.search.space import Domain, Hull, Option, Unit
from buildcheck.configure.search.watch import COUNT
from buildcheck.configure.trial import Trials
from buildcheck.load.price_list import price_book
from buildcheck.model.build import SECTION_KIND
from buildcheck.pipeline import check

VERDICTS = {PASS: "pass", FAIL: "fail", UNKNOWN: "unknown", OPEN: "open"}
#: Fillings of the open roles that are tried of a machine.
FILLINGS = 4
#: Machines of each wish.
FEW = 12 * THOROUGH


class World(NamedTuple):
    """A wish over the whole catalogue, and machines from anywhere to passing."""

    problem: object
    law: Law
    lists: dict
    machines: list

    def fresh(self) -> Law:
        """The same law without a memory; options tell what is read of them to the one log."""
        law = Law(self.problem.engine.rulebook, self.problem.ground)
        law.log = self.law.log
        return law


@pytest.fixture(scope="module", params=WISHES)
def world(request, catalog, rulebook) -> World:
    made = problem(request.param, catalog, rulebook)
    rng = Random(request.param)
    machines = [m for _ in range(2) for m in walk(made.law, made.lists, rng)]
    machines += [anything(made.lists, rng) for _ in range(50)]
    return World(made, made.law, made.lists, machines)


def opened(world: World, rng: Random) -> dict:
    """A machine with a few roles open: all there is, a few options, or those alike in a field."""
    machine = dict(rng.choice(world.machines))
    loose = [role for role, options in world.lists.items() if len(options) > 1]
    for role in rng.sample(loose, rng.randint(1, 4)):
        own, options = machine[role], world.lists[role]
        how = rng.random()
        if how < 0.3:
            among = options
        elif how < 0.6:
            among = [own, *rng.sample(options, min(len(options), rng.randint(1, 6)))]
        else:
            names = sorted({COUNT, *(n for a in world.law.asked for n in a.fields(role))})
            alike = rng.sample(names, min(len(names), rng.randint(1, 3)))
            among = [o for o in options if o.cells(tuple(alike)) == own.cells(tuple(alike))]
        machine[role] = Domain(role, list(dict.fromkeys(among))).whole
    return machine


def filled(machine: dict, rng: Random) -> dict:
    """The same with any option in each open role."""
    hulls = {r: rng.choice(o.domain.options) for r, o in machine.items() if isinstance(o, Hull)}
    return machine | hulls


def sound(world: World, rng: Random, number: int) -> Counter:
    """What is said of machines with open roles against what is said of their fillings.

    What fails with open roles is refused however they are filled. Now and then by another rule:
    some speak only while it is not known where the cards sit.
    """
    law, said = world.law, Counter()
    for _ in range(number):
        machine = opened(world, rng)
        sure = [(a, v) for a in law.asked if (v := law.verdict(a, machine)) != OPEN]
        for _ in range(FILLINGS):
            whole = filled(machine, rng)
            for asked, verdict in sure:
                then = law.verdict(asked, whole)
                said[VERDICTS[verdict], VERDICTS[then]] += 1
                if verdict in (PASS, then) or (verdict == UNKNOWN and then == FAIL):
                    continue
                others = [a.rule.id for a in law.asked if law.verdict(a, whole) == FAIL]
                some = {r: [u.sort.part for u in o.units] for r, o in whole.items()}
                what = (asked.rule.id, VERDICTS[verdict], VERDICTS[then])
                assert others, (what, some)
                said["not", *what] += 1
    return said


def by_others(said: Counter) -> int:
    """How often another rule failed than with the roles open."""
    return sum(number for what, number in said.items() if what[0] == "not")


def test_what_fails_with_open_roles_fails_however_they_are_filled(world) -> None:
    said = sound(world, Random(1), 3 * FEW)
    assert said["fail", "fail"] > 75
    # Of so few failures a single one is more than a thousandth.
    assert by_others(said) < said["fail", "fail"] / 100


def test_what_is_remembered_is_what_would_be_said_anew(world) -> None:
    rng = Random(4)
    for _ in range(FEW):
        machine = opened(world, rng)
        for each in (machine, filled(machine, rng)):
            anew = world.fresh()
            for asked, own in zip(anew.asked, world.law.asked, strict=True):
                assert anew.verdict(asked, each) == world.law.verdict(own, each), asked.rule.id


def test_what_is_equal_in_all_that_a_rule_reads_is_equal_to_the_rule(world) -> None:
    rng, pairs = Random(5), 0
    law = world.law
    for _ in range(FEW):
        machine = rng.choice(world.machines)
        role = rng.choice([r for r, options in world.lists.items() if len(options) > 1])
        own = machine[role]
        for number, asked in enumerate(law.asked):
            if role not in asked.scope:
                continue
            law.verdict(asked, machine)
            names = tuple(sorted({COUNT, *asked.fields(role)}))
            options = world.lists[role]
            some = rng.sample(options, min(len(options), 30))
            alike = [o for o in some if o is not own and o.cells(names) == own.cells(names)]
            if not alike:
                continue
            other = {**machine, role: rng.choice(alike)}
            anew = world.fresh()
            said = anew.verdict(anew.asked[number], other)
            assert said == law.verdict(asked, machine), asked.rule.id
            pairs += 1
    assert pairs > FEW


def compared(world: World, machines: list) -> Counter:
    """The law's verdict of every rule on whole machines against that of `validate`."""
    engine = world.problem.engine
    rules = only(engine.rulebook, *(asked.rule.id for asked in world.law.asked))
    said: Counter = Counter()
    for machine in machines:
        text = new_file({**data_of(world.problem, machine), "name": "machine"})
        report = check(text, "machine.yaml", engine.catalog, rules, TODAY)
        worst: dict[str, str] = {}
        for finding in report.findings:
            verdict = finding.verdict if finding.severity == "error" else "pass"
            verdict = AS_EXPECTED.get(verdict, verdict)
            before = worst.get(finding.rule.id, "pass")
            worst[finding.rule.id] = max(verdict, before, key=("pass", "unknown", "fail").index)
        for asked in world.law.asked:
            verdict = VERDICTS[world.law.verdict(asked, machine)]
            # What comparable parts have, which only `validate` reads, never turns one into the other.
            then = worst.get(asked.rule.id, "pass")
            # One that speaks only while places are not known is silent where those are typical.
            is_moved = (verdict, then) == ("fail", "pass") and "fail" in worst.values()
            assert is_moved or {verdict, then} != {"pass", "fail"}, (asked.rule.id, text.decode())
            said["moved" if is_moved else verdict] += 1
    return said


def test_a_whole_machine_is_judged_as_validate_judges_it(world) -> None:
    machines = Random(6).sample(world.machines, 10)
    said = compared(world, machines)
    assert said["fail"] > 10
    assert said["pass"] > 250
    assert said["moved"] < said["fail"] / 10


@pytest.fixture
def own_parts(judged, judging):
    """What a build gives for each role."""
    return lambda given: Trials(judged(given), judging).base.own


def test_what_a_build_gives_is_never_taken_for_a_part_of_a_list(catalog, own_parts) -> None:
    """Equal cells are equal values: those of a given part, and those of a part with a price."""
    classes, own = Classes(catalog, price_book(catalog, ()), CURRENCY), own_parts("lab-4x3090")
    for role in ROLES:
        given = own[role]
        for sort in classes.of(SECTION_KIND[role]).classes:
            option = Option(role, (Unit(sort, 1),))
            for name in sort.table.columns:
                alike = option.cells((COUNT, name)) == given.cells((COUNT, name))
                assert not alike, (role, name, sort.part)


def test_builds_that_give_the_same_are_alike_in_it(own_parts) -> None:
    """Another power limit is another limit, and the same cards in all else."""
    lab = build_text("lab-4x3090")
    one, other = (own_parts(t)["gpus"] for t in (lab, lab.replace("280 W", "270 W")))
    assert one.cells((COUNT, "thickness")) == other.cells((COUNT, "thickness"))
    assert one.cells((COUNT, "power_limit")) != other.cells((COUNT, "power_limit"))
