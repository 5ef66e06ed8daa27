"""Why something is not possible: minimal conflicts and verified ways out."""

import itertools
import random
from dataclasses import replace
from decimal import Decimal
from functools import cache

import pytest
from cases import holds
from conftest import build_text, each_row, table
from machines import OWNED

from buildcheck.configure.best import best_builds
from buildcheck.configure.repair.repair import repair
from buildcheck.configure.trial import Trials
from buildcheck.configure.why.build import why_build
from buildcheck.configure.why.conflicts import explain, minimal_conflict
from buildcheck.configure.why.openings import Openings
from buildcheck.configure.why.wish import WhyWish
from buildcheck.configure.why.wishes import Found
from buildcheck.configure.wish.wish import read_wish
from buildcheck.edit import named
from buildcheck.load.price_list import price_book
from buildcheck.model.answer import Amount
from buildcheck.render.templates import text

#: 350 W cards on a 15 A outlet; cables; a limit below the minimum; two supplies; Japan.
BROKEN = ("t3-4x3090-350w", "t8-4x5090-300w", "t9-2x5090-3x8-adapter", "t12-two-supplies")


@pytest.fixture(scope="module")
def trials_of(judged, judging):
    """A build, by its name or its text, as its choices are tried, and its text."""
    return lambda given, *stop: (
        Trials(judged(given), judging, *stop),
        build_text(given).encode(),
    )


@pytest.fixture(scope="module")
def why(trials_of):
    """The name or the text of a build → why it is not possible."""
    return cache(lambda given: why_build(*trials_of(given)))


@pytest.fixture(scope="module")
def asking(engine):
    """The text of a wish → what asks why it cannot be met."""
    return lambda text, *stop: WhyWish(read_wish(text.encode(), "wish.yaml"), engine, *stop)


@pytest.fixture(scope="module")
def wished(asking):
    """The text of a wish → why it cannot be met."""
    return lambda text: asking(text).explanation()


# -- minimal sets, against brute force ---------------------------------------


def problem(seed: int):
    """Things, and the sets of them that cannot stand."""
    chance = random.Random(seed)
    items = list(range(chance.randint(1, 7)))
    sets = [
        frozenset(chance.sample(items, chance.randint(1, len(items))))
        for _ in range(chance.randint(1, 3))
    ]
    return items, {s for s in sets if not any(o < s for o in sets)}


def test_a_conflict_is_minimal() -> None:
    """It cannot stand, and it can without any one of its members."""
    for seed in range(200):
        items, wrong = problem(seed)

        def can_stand(kept, wrong=wrong):
            return not any(s <= set(kept) for s in wrong)

        found = minimal_conflict(items, can_stand)
        assert frozenset(found) in wrong, seed
        assert all(can_stand([i for i in found if i != left_out]) for left_out in found), seed


def test_what_comes_first_is_blamed_first() -> None:
    """The softest wish is in a conflict only if it is needed there."""
    wrong = [{"a", "b"}, {"b", "z"}]
    found = minimal_conflict(list("abz"), lambda k: not any(s <= set(k) for s in wrong))
    assert found == ("a", "b")


def test_what_stands_has_no_conflict() -> None:
    """Nothing is blamed where all can be kept, and nobody where nothing can."""
    assert minimal_conflict([1, 2], lambda _: True) is None
    assert minimal_conflict([1, 2, 3], lambda _: False) == ()


def test_ways_out_are_all_the_minimal_ones() -> None:
    """Those of up to two things, as found by trying every set."""
    for seed in range(100):
        items, wrong = problem(seed)

        def conflict_in(kept, wrong=wrong):
            return minimal_conflict(kept, lambda k: not any(s <= set(k) for s in wrong))

        conflicts, ways, _ = explain(items, conflict_in)
        sets = [
            set(some)
            for size in range(3)
            for some in itertools.combinations(items, size)
            if all(set(some) & s for s in wrong)
        ]
        minimal = {frozenset(s) for s in sets if not any(o < s for o in sets)}
        assert set(ways) == minimal, seed
        assert {frozenset(c) for c in conflicts} <= wrong, seed


# -- builds ------------------------------------------------------------------


@pytest.mark.parametrize("name", BROKEN)
def test_each_member_is_needed(name, trials_of) -> None:
    """A conflict's rule refuses its members whatever the rest is, and not without one of them."""
    trials, _ = trials_of(name)
    asked = Openings(trials.of(trials.data))
    for rule in asked.base.verdict.failed:
        conflict, little = asked.conflict(rule)
        others = [c for c in asked.choices if c not in (*conflict, *little)]
        assert conflict
        assert asked.refuses(rule, others)
        assert not any(asked.refuses(rule, [*others, member]) for member in conflict)


def test_the_wall_is_the_conflict(why) -> None:
    """350 W cards on a 15 A outlet: cards, number, limit and outlet, by both rules of the wall."""
    found = why("t3-4x3090-350w")
    rules = {r.rule for c in found.conflicts for r in c.rules}
    assert rules == {"circuit/breaker-overload", "circuit/continuous-overload"}
    for conflict in found.conflicts:
        paths = {m.path for m in conflict.members}
        assert {"gpus[0]", "gpus[0].count", "gpus[0].power_limit", "site"} <= paths
    said = " ".join(text("why", found).split())
    for way in ("to 280 W (default 350 W)", "outlet NEMA 5-20"):
        assert way in said
    assert len(text("why", found).splitlines()) <= 30
    assert "buildcheck repair" not in text("why", replace(found, ways_out=()))


@pytest.mark.parametrize("name", ["t15-2x4090-japan", "t3-4x3090-350w"])
def test_what_could_be_any_other_is_not_blamed(name, why) -> None:
    """Of a sum those terms are named of which one alone could be such that it holds."""
    found = why(name)
    paths = {m.path.split("[")[0] for c in found.conflicts for m in c.members}
    assert not paths & {"memory", "storage", "motherboard", "cpu"}
    assert any(c.rest_kept for c in found.conflicts)
    assert "with the rest as it is" in text("why", found)


def test_ways_out_are_repairs(why, trials_of) -> None:
    """As `repair` judged them."""
    trials, raw = trials_of(BROKEN[0])
    found = repair(raw, "build.yaml", trials.judging).repairs
    assert [way.changes for way in why(BROKEN[0]).ways_out] == [one.actions for one in found]


def test_nothing_in_the_way(why) -> None:
    """A build that passes has no conflict, and what is unknown is no conflict either."""
    assert why("t4-4x3090-280w").conflicts == ()
    found = why("t5-4x3080-1600w")
    assert found.conflicts == ()
    assert found.unknown


# -- wishes ------------------------------------------------------------------


def test_a_budget_that_is_too_small(wished, asking, sought, monkeypatch) -> None:
    """What is wished for has a least price, as `configure` finds it, warnings accepted or not."""
    given = f"wish: {{gpus: {{part: RTX 3090, count: 1}}, budget: 200 USD}}\n{OWNED}"
    found = wished(given)
    (conflict,) = found.conflicts
    assert "wish.budget" in {m.path for m in conflict.members}
    way = next(w for w in found.ways_out if "wish.budget" in w.values)
    assert [p.code for p in way.changes] == ["budget-from"]
    assert "`buildcheck configure --no-careful`" in " ".join(text("why", found).split())
    price = float(way.prices[0].amount)
    changed = given.replace("200 USD", way.values["wish.budget"])
    for careful, most in ((None, price + 1), (False, price)):
        (best,) = best_builds(sought(changed, careful=careful), optimistic=False).builds
        assert best.measures["price"] <= most
    accepted = wished(given.replace("}\nowned", ", careful: false}\nowned"))
    assert "--no-careful" not in text("why", accepted)
    monkeypatch.setattr("buildcheck.configure.why.wishes.MOST_NODES", 0)
    asked = asking(given)
    assert asked.oracle.best(asked.wishes).is_refuted


def test_what_is_asked_before_changes_no_list(asking, sought) -> None:
    """The least of PSUs, coolers and memory goes by the GPUs of the wish that is asked."""
    alone = sought("wish: {gpus: 2x RTX 5090, budget: 9000 USD}")
    oracle = asking("wish: {gpus: 2x RTX 5090, budget: 9000 USD}").oracle
    free, asked = (oracle.problem(w).counts for w in (oracle.made(()), alone.wish))
    assert asked == alone.counts
    assert asked["psus"] < free["psus"]


@pytest.mark.parametrize(
    ("bound", "code", "value"),
    [
        (141236.0, "none-within", ["pcie/fewer-slots-than-cards", "power/psu-overload"]),
        (700000.0, "at-least", Amount(Decimal("7000.00"), "USD")),
    ],
)
def test_a_price_within_the_budget_is_no_reason(bound, code, value, asking) -> None:
    """Where nothing dearer than the budget is proven, the rules are named that exclude what is not."""
    asked = asking("wish: {gpus: 8x RTX 4090, budget: 6000 USD}")
    rules = ("pcie/fewer-slots-than-cards", "budget", "power/psu-overload")
    asked.oracle.best = lambda *_, **__: Found(bound=bound, rules=rules, is_whole=False)
    least = asked._least(asked.wishes)
    assert least.code == code
    assert value in least.values.values()


@each_row
def test_a_wish_that_nothing_meets_is_explained(case, wished) -> None:
    """By the wishes that conflict, and the rules between them."""
    found = wished(case["wish"] + OWNED * case.get("owned", False))
    holds(found, case, text("why", found))


SMALL = table("why", "small")


def test_a_part_without_a_price_is_no_rule(catalog, wished) -> None:
    """Where nothing with a price is what is wished for, that is said."""
    priced = set(price_book(catalog, ()).ids("psu"))
    unpriced = next(i for i in catalog.ids("psu") if i not in priced)
    found = wished(f"wish: {{gpus: {{part: RTX 3090, count: 1}}, psus: {{part: {unpriced}}}}}")
    (conflict,) = found.conflicts
    assert [m.path for m in conflict.members] == ["wish.psus"]
    assert "because no PSU with a price" in text("why", found)


def test_what_is_to_be_avoided_is_given_up_in_words(asking) -> None:
    """Nobody says 'without no blower'."""
    wish_text = "wish: {gpus: {part: RTX 3090, avoid: [EVGA]}, careful: true}\navoid: [blower]"
    asked = asking(f"{wish_text}\nsite: {{outlet: NEMA 5-15}}")
    gone = [w.given_up for w in asked.wishes if "avoid" in w.path or "careful" in w.path]
    words = sorted((p.code, *p.values.values()) for p in gone)
    assert words == [("allowed", "EVGA"), ("allowed", "blower"), ("with-warnings",)]
    asked.oracle.best = lambda *_, **__: Found()
    assert asked._become(asked.wishes[0], [], is_last=True)[0][0].code == "another-outlet"


# -- stopped -----------------------------------------------------------------


def after(number: int):
    """Says to stop when it was asked so often."""
    times = itertools.count()
    return lambda: next(times) >= number


@pytest.mark.parametrize("asked", [0, 3, 30, 300])
@pytest.mark.parametrize("name", ["t3-4x3090-350w", "t8-4x5090-300w"])
def test_a_stopped_explanation_of_a_build_has_what_was_found(name, asked, why, trials_of) -> None:
    """What there is is of the whole explanation, and what was not looked at is said."""
    whole = why(name)
    found = why_build(*trials_of(name, after(asked)))
    assert all(w in whole.ways_out for w in found.ways_out)
    members = {tuple(m.path for m in c.members) for c in whole.conflicts}
    assert {tuple(m.path for m in c.members) for c in found.conflicts} <= members
    assert found.possible is False
    said = text("why", found)
    assert ("Stopped: " in said) is found.stopped
    if found.stopped:
        assert not found.complete
        assert "No way out" not in said
    if not asked:
        assert found.stopped
        assert found.unexplained


@pytest.mark.parametrize("asked", [0, 40, 90, 140, 400])
def test_a_stopped_explanation_of_a_wish_has_what_was_found(asked, asking) -> None:
    """Wishes that are known to be in each other's way; fewer may be, where that is not known."""
    found = asking(SMALL, after(asked)).explanation()
    said = text("why", found)
    assert ("topped" in said) is found.stopped
    assert "No way out" not in said
    if not asked:
        assert found.possible is None
    for conflict in found.conflicts:
        assert not conflict.may_be_fewer or "fewer of them may be enough" in said
        paths = {m.path for m in conflict.members}
        if not conflict.certain:
            continue
        anew = asking(SMALL)
        some = [w for w in anew.wishes if named(w.path) in paths]
        assert anew.oracle.best(some, strict=False).is_refuted
