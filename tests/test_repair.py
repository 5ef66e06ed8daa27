"""Repairs of failing builds: verified, minimal, slightest first, and written with comments kept."""

import itertools
import re
from collections import defaultdict
from dataclasses import replace
from functools import cache, partial

import pytest
import yaml
from conftest import ROOT, TODAY, build_text, table
from machines import AS_EXPECTED

from buildcheck.cli.change import _begun
from buildcheck.cli.search import Watch
from buildcheck.configure.repair.repair import _answer, repair
from buildcheck.configure.repair.search import RepairSearch
from buildcheck.configure.trial import Trials
from buildcheck.model.finding import PASSING
from buildcheck.model.rate import read_rates
from buildcheck.render.templates import _text_environment, text
from buildcheck.rulebook.moves import moves

#: Four cards of three slots each, in the open air, as somebody would write it.
FOUR = table("repair", "four")
BLOWERS = FOUR.replace("ASUS TUF Gaming GeForce RTX 3090 ", "Gigabyte GeForce RTX 3090 TURBO 24G ")
CPU = "cpu: {base_power: 165 W, turbo_power: 250 W, cores: 16, threads: 32}\n"
#: Small builds, what mends them, and the change that says so.
SMALL = table("repair", "small")
#: Builds of the tests in which something fails, each of its own kind; tests/frozen has further repairs.
FAILING = [
    *(f"builds/{n}" for n in ("t9-2x5090-3x8-adapter", "t3-4x3090-350w", "t12-two-supplies")),
    *("builds/t15-2x4090-japan", "builds/t10-p40-pcie-cable", "builds/seed-4x4090-1600w"),
    *("field/hotchpotch-2x5090-japan", "field/ollama-a5000-8gb-vm"),
    *("field/p510-3070ti-3060-490w", "field/robang-k80-esprimo"),
    *("field/six-3090-romed-tinygrad", "field/ziptie-2x3090-3060-1000w", "field/mcx-2x1080ti-750w"),
]
#: Four cards that one supply of 1200 W cannot feed.
HUNGRY = table("repair", "hungry")
AS_A_BUILDER = table("repair", "as_a_builder")
#: What nothing mends.
HOPELESS = table("repair", "hopeless")


@pytest.fixture(scope="module")
def mend(judging):
    """Name or text of a build → its repairs."""

    def once(given: str, **more):
        return repair(build_text(given).encode(), "build.yaml", judging, **more)

    kept = cache(once)
    return lambda given, **more: once(given, **more) if more else kept(given)


@pytest.fixture(scope="module")
def four(mend):
    """The repairs of four cards of three slots."""
    return mend(FOUR)


def said(found, *, verbose: bool = False) -> str:
    """The text of an answer, in one line."""
    return " ".join(text("repair", found, verbose=verbose).split())


def kinds_of(one) -> list[str]:
    """The kinds of the steps of a repair."""
    return [step[0].kind for step in one.steps]


def done(one, code: str) -> list:
    """The values of the actions of a code."""
    return [a.values for step in one.steps for a in step if a.code == code]


def grave(report, verdict):
    return {
        (f.rule.id, f.subject)
        for f in report.findings
        if f.severity == "error" and AS_EXPECTED.get(f.verdict, f.verdict) == verdict
    }


# -- what is found ---------------------------------------------------------------


def test_four_thick_cards_are_mended_in_three_ways_and_more(four) -> None:
    """By risers, by cards that are thinner, by fewer cards; each with less or more power."""
    assert len(four.repairs) >= 3
    touched = [{c.path.partition("[")[0] for c in r.changes} for r in four.repairs]
    assert any("risers" in t for t in touched)
    assert any("gpus[0].part" in {c.path for c in r.changes} for r in four.repairs)
    assert [r.gives_up for r in four.repairs] == [False] * (len(four.repairs) - 1) + [True]


def test_another_machine_around_the_cards_is_found_where_nothing_less_does(mend) -> None:
    """No setting, accessory or part gives a board for games a fourth slot: another platform does."""
    cards = "gpus: 4x Gigabyte GeForce RTX 3090 TURBO 24G\n"
    lone = f"{cards}cpu: AMD Ryzen 9 5950X\nmotherboard: ASUS ROG Crosshair VIII Hero\n"
    # Its memory fills the channels of the other board.
    filled = mend(f"{lone}memory: 2x48GB DDR5-6000\n").repairs[0]
    assert not [f for f in filled.new_warnings if f.rule.startswith("memory/")]
    whole, less = mend(lone).repairs
    assert {"motherboard", "cpu"} <= {c.path for c in whole.changes}
    assert not whole.gives_up
    assert not grave(whole.report, "fail")
    assert less.gives_up
    assert less.report.passes


def test_two_other_supplies_are_told_as_what_they_cost(mend) -> None:
    """They stand in the place of one, and of the present kind none is bought before it is left."""
    found = mend(HUNGRY)
    synced = [r for r in found.repairs if done(r, "synced-psus")]
    one = next(r for r in synced if {"Corsair HX1200": 1} in [v["old"] for v in done(r, "swap")])
    assert "instead of Corsair HX1200; an adapter that starts both PSUs together" in said(found)
    assert [p.count for p in one.cost.no_longer_bought if "HX1200" in p.name] == [1]
    assert not [p for p in one.cost.buys if "HX1200" in p.name]
    changes = {c.path: c.value for c in one.changes}
    assert (changes["psus[0].count"], changes["psu_sync"]) == (2, "adapter")


def test_where_cards_are_given_up_the_command_for_a_new_machine_is_told(four, judged) -> None:
    """With the cards and the outlet of the build; where all cards can be kept there is none."""
    assert four.new_machine is None
    less = _answer(judged(FOUR), [r for r in four.repairs if r.gives_up], None, read_rates([]))
    wanted = "configure --gpus '4x ASUS TUF Gaming GeForce RTX 3090' --outlet 'NEMA 5-20'"
    assert f"{wanted} --workload training" in said(less)


@pytest.mark.parametrize(
    ("verdicts", "words"), table("repair", "the_heading_says_no_more_than_is_known")
)
def test_the_heading_says_no_more_than_is_known(four, verdicts, words) -> None:
    """What is not known to pass does not fix a build."""
    repairs = [next(r for r in four.repairs if r.report.verdict == v) for v in verdicts]
    assert words in said(replace(four, repairs=tuple(repairs)))


@pytest.mark.parametrize("name", SMALL)
def test_the_slightest_change_comes_first(mend, name) -> None:
    """The first repair of a small build makes the change that anybody would."""
    given, wanted = SMALL[name]
    found = mend(given)
    assert found.verdict.endswith("fail")
    changes = {c.path: c.value for c in found.repairs[0].changes}
    assert wanted.items() <= changes.items(), changes


@pytest.mark.parametrize("name", AS_A_BUILDER)
def test_the_ways_are_those_a_builder_would_take(mend, name) -> None:
    """The words that each way has, the best first; none has what an expert laughs at."""
    given, ways, never = AS_A_BUILDER[name]
    dropped, text_ = given if isinstance(given, list) else ([], given)
    data = yaml.safe_load(build_text(text_))
    found = mend(yaml.safe_dump({k: v for k, v in data.items() if k not in dropped}))
    words = [said(replace(found, repairs=(r,))) for r in found.repairs]
    assert len(words) >= len(ways)
    for text_, way in zip(words, ways, strict=False):
        assert re.search(way, text_), text_
    assert not [w for w in words if re.search(never, w)]
    changes = [{(c.path, str(c.value)) for c in r.changes} for r in found.repairs]
    assert not any(one < other for one in changes for other in changes)


@pytest.mark.parametrize("name", FAILING)
def test_every_failing_build_is_mended_and_each_repair_passes(name, judged, mend) -> None:
    """What is shown is judged again: nothing fails, and nothing new is unknown."""
    found, known = mend(name), grave(judged(name), "unknown")
    assert not found.repairs[0].gives_up
    for one in found.repairs:
        report = judged(one.raw)
        assert not grave(report, "fail")
        left = {rule for rule, _ in grave(report, "unknown") - known}
        assert not (left & {*one.unknown} if one.gives_up else left)  # the others wait for a part
        assert report.verdict == one.report.verdict


@pytest.fixture(scope="module")
def tried(judged, judging):
    """A build → what was tried of it, where that began, and the states that mend it."""

    @cache
    def run(given: str):
        trials = Trials(judged(given), judging)
        return trials, trials.base, RepairSearch(trials, trials.base).repairs()

    return run


def test_no_move_of_a_repair_can_be_left_out(tried) -> None:
    """Every smaller set of the same moves leaves something failing, or what nobody can judge."""
    trials, start, states = tried(FOUR)
    assert any(len(s.steps) > 1 for s in states)
    for state in states:
        for size in range(1, len(state.steps)):
            for some in itertools.combinations(state.steps, size):
                after = trials.after(start.data, [c for s in some for c in s.way.changes])
                left = after is None or after.wrong or (not state.trial.unknown and after.unknown)
                assert left, [s.way.text for s in some]


#: Builds in the repair of which each kind of thing changes: limits, seats, cables, circuits, risers.
CHANGED = (
    *("builds/t10-p40-pcie-cable", "builds/t15-2x4090-japan", "builds/t3-4x3090-350w"),
    "field/ziptie-2x3090-3060-1000w",
)


@pytest.mark.parametrize("name", ["", *CHANGED])
def test_what_is_remembered_of_other_builds_is_what_would_be_said_anew(name, tried) -> None:
    """Every build that a search looks at is judged as `check` judges it on its own."""
    trials, _, _ = tried(name or FOUR)
    seen = [o for o in trials._seen.values() if o is not None]
    assert len(seen) > 5
    for trial in seen[:: max(1, len(seen) // 6)]:
        report = trial.report
        # Which PSU feeds which GPU may differ where less is known of them.
        apart = "cable/plug-without-cable" if len(report.graph.of("psu")) > 1 else ""
        grave: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for f in report.findings:
            if f.severity == "error" and f.rule.id != apart and f.rule.domain != "record":
                grave[f.verdict].add((f.rule.id, f.subject))
        fails, unknown = ({s for s in o if s[0] != apart} for o in (trial.fails, trial.unknown))
        assert grave["fail"] <= fails <= grave["fail"] | grave["likely-fail"]
        assert grave["unknown"] <= unknown | fails


def test_a_waiver_holds_for_its_subject_until_its_day(judged, judging) -> None:
    """As `validate` reads it: not for others, and not after."""

    def failing(more: str) -> frozenset:
        text = build_text("field/hotchpotch-2x5090-japan")
        return Trials(judged(f"{text}\n{more}"), judging).base.fails

    ((rule, subject), *_) = sorted(failing(""))
    waiver = "waivers: [{{rule: {}, subject: '{}', because: seen, until: {}}}]\n"
    assert (rule, subject) not in failing(waiver.format(rule, subject, "2099-01-01"))
    assert (rule, subject) in failing(waiver.format(rule, subject, "2001-01-01"))
    assert (rule, subject) in failing(waiver.format(rule, "gpus[77]", "2099-01-01"))


def test_a_limit_is_as_high_as_it_can_be(mend) -> None:
    first = mend("t3-4x3090-350w").repairs[0]
    watts = {c.path: c.value for c in first.changes}["gpus[0].power_limit"]
    more = f"{int(watts.removesuffix(' W')) + 5} W"
    mended = first.raw.decode()
    assert mended.count(watts) == 1
    assert mend(mended).verdict in PASSING
    assert mend(mended.replace(watts, more)).verdict == "fail"


def test_a_limit_is_told_of_the_cards_there_will_be(four) -> None:
    """Of those that are bought, where others take the place of those of the file."""
    for one in four.repairs:
        cards = {s.name for s in one.report.graph.of("gpu")}
        assert {row["gpu"] for values in done(one, "limit") for row in values["limits"]} <= cards


def test_settings_come_before_accessories_and_those_before_parts(four) -> None:
    order = ("setting", "accessory", "swap")
    worst = [max(map(order.index, kinds_of(r))) for r in four.repairs if not r.gives_up]
    assert worst == sorted(worst)


# -- what it costs -----------------------------------------------------------------


def test_costs_carry_prices_watts_and_speed(four) -> None:
    """Of what has a price its day is known; what has none is said to have none."""
    swap = next(r for r in four.repairs if r.cost.money and r.cost.buys)
    assert swap.cost.money.as_of is not None
    assert swap.cost.money.currency == "USD"
    limited = next(r for r in four.repairs if done(r, "limit"))
    assert limited.cost.power.after < limited.cost.power.before
    assert limited.cost.speed.after < limited.cost.speed.before
    words = said(four, verbose=True)
    assert "(no price)" in words
    assert re.search(r"\d+\.\d\d USD each, 20\d\d-\d\d-\d\d", words)


#: An AM5 CPU and registered memory on an AM4 board.
MISMATCHED = table("repair", "mismatched")


def test_board_cpu_and_memory_are_exchanged_together(mend) -> None:
    """Where no single part mends it; cards, supply, case and drives stay, and no less is had."""
    found = mend(MISMATCHED)
    assert found.repairs
    best = found.repairs[0]
    sections = {c.path.split("[")[0].split(".")[0] for c in best.changes}
    assert sections <= {"motherboard", "cpu", "memory", "cpu_cooler"}
    assert len(sections & {"motherboard", "cpu", "memory"}) > 1
    facts, graph = best.report.facts, best.report.graph
    assert facts("memory.total", graph.the("memory")).low >= 64
    assert facts("cpu.cores", graph.the("cpu")).low >= 16
    assert best.cost.money is not None


def test_a_supply_that_mends_all_goes_before_a_cheaper_one_that_does_not(mend) -> None:
    """Cheaper supplies mend the watts and leave a card without a plug that anybody knows of.

    That plugs of other cards could not be judged before excuses nothing of the card without.
    """
    small = BLOWERS.replace("count: 4\n", "count: 4\n    power_limit: 280 W\n", 1)
    first = mend(small.replace("[Corsair AX1600i]", "[Corsair RM850x]")).repairs[0]
    assert (kinds_of(first), first.gives_up) == (["swap"], False)
    assert done(first, "swap")[0]["old"] == {"Corsair RM850x": 1}
    assert [f for f in first.report.findings if f.verdict == "fail" and f.severity == "error"] == []


def test_drives_are_exchanged_for_others_of_their_size(mend) -> None:
    """More M.2 drives than sockets: as much room on drives that have a place."""
    given = MISMATCHED.replace("7950X", "5950X").replace("RDIMM", "UDIMM")
    given = given.replace(
        "memory: {part: Crucial 32 GB DDR4-3200 UDIMM, count: 2}",
        "memory: {module: 32 GB, count: 2, type: DDR4}",
    )
    given = given.replace("[Samsung 980 PRO 2TB]", "[{part: Samsung 980 PRO 2TB, count: 4}]")
    found = mend(given)
    assert {f.rule for f in found.fails} == {"pcie/drives-without-socket"}
    drives = [r for r in found.repairs if {c.path.split("[")[0] for c in r.changes} == {"storage"}]
    (one,) = drives
    stored = [(s.value("capacity"), s.value("interface")) for s in one.report.graph.of("storage")]
    assert sum(size.low for size, _ in stored) >= 8000
    assert not any("HDD" in interface for _, interface in stored)


def test_what_has_no_price_is_not_taken_for_cheap(four) -> None:
    """Of repairs as slight as each other, those whose price is known come before the others."""
    order = ("setting", "accessory", "swap")
    seen = set()
    for gravity, group in itertools.groupby(
        four.repairs,
        key=lambda r: (
            *(r.gives_up, max(map(order.index, kinds_of(r))), r.report.verdict),
            any(c.path == "gpus[0].part" for c in r.changes),
        ),
    ):
        assert gravity not in seen
        seen.add(gravity)
        known = [r.cost.money is not None for r in group]
        assert known == sorted(known, reverse=True), gravity
    assert {r.cost.money is None for r in four.repairs} == {True, False}
    # It is said of a sum that it lacks something, and of what.
    assert re.search(r"buy 4x PCIe[^·]*: price not known", said(four))
    for repair_ in four.repairs:
        # A frame in the place of a case is another part, with or without risers.
        if any(c.path == "case" for c in repair_.changes):
            assert "swap" in kinds_of(repair_)


def test_a_price_list_counts(mend, tmp_path) -> None:
    """What a user has been offered stands over the shipped prices."""
    prices = tmp_path / "shop.yaml"
    prices.write_text("prices:\n  SilverStone HELA 2050 Platinum: 300.00 USD\n")
    found = mend(BLOWERS, prices=[prices])
    lines = [p for r in found.repairs for p in r.cost.buys if "HELA 2050" in p.name]
    assert [(p.count, str(p.each)) for p in lines] == [(1, "300.00 USD")]


def test_a_rate_turns_what_a_repair_costs(mend) -> None:
    """The same repairs, at half the sums, and the rate beside them."""
    found, before = mend(BLOWERS, rates=read_rates(["1 USD = 0.5 EUR"])), mend(BLOWERS)
    sums = [
        (a.cost.money, b.cost.money) for a, b in zip(before.repairs, found.repairs, strict=True)
    ]
    assert any(one and one.amount for one, _ in sums)
    for one, other in sums:
        assert (one is None) == (other is None)
        if one and other:
            # Each price is turned to the coin.
            assert other.currency == "EUR"
            assert float(other.amount) == pytest.approx(float(one.amount) / 2, abs=0.05)
    assert "Converted at 1 USD = 0.5 EUR." in said(found)


def test_checks_without_data_are_named(four) -> None:
    words = said(four, verbose=True)
    assert "no errors, 1 check without data (cable/slot-power-overload)" in words


@pytest.mark.parametrize(
    ("room", "files", "least"), [("repair", ["actions"], 20), ("why", ["choices", "ways_out"], 30)]
)
def test_every_phrase_has_words(room, files, least) -> None:
    """A macro for each code: of actions, of choices and wishes, or of reasons and ways out."""
    sources = (ROOT / "buildcheck" / "configure" / room).rglob("*.py")
    codes = {c for p in sources for c in re.findall(r'\bphrase\(\s*"([a-z-]+)"', p.read_text())}
    codes |= {move.say[0] for move in moves().values() if move.say and room == "repair"}
    text_of = _text_environment(colour=False).get_template
    words = [text_of(f"text/{file}.j2").module for file in files]
    assert len(codes) > least
    assert [c for c in codes if not any(hasattr(w, c.replace("-", "_")) for w in words)] == []


# -- what needs no repair, and what has none ----------------------------------------


def test_a_build_nobody_can_judge_is_left_alone(mend) -> None:
    """Nothing fails; what is unknown is for `validate` to say."""
    found = mend("gpus: 2x Acme Foo 9000\n")
    assert (found.verdict, found.repairs) == ("unknown", ())
    assert "nothing known to fail, so nothing to fix" in said(found)
    assert "add: motherboard: " in said(found)
    assert "likely passes, nothing to fix" in said(mend("gpus: RTX 3090\n"))


def test_a_build_that_nothing_mends_says_what_was_tried(mend) -> None:
    found = mend(HOPELESS)
    assert not found.repairs
    assert "no fix found" in said(found)
    assert "Tried: " in said(found)
    assert "buildcheck why" in said(found)


@pytest.mark.parametrize("asked", [0, 20, 200])
def test_a_stopped_search_gives_what_it_has(mend, four, asked) -> None:
    """Each repair is verified, and what was not tried is said; no other way is ruled out."""
    times = iter(range(10**6))
    found = mend(FOUR, stop=lambda: next(times) >= asked)
    assert found.stopped
    assert len(found.repairs) <= len(four.repairs)
    for one in found.repairs:
        assert not grave(one.report, "fail")
    assert "Stopped: there may be more ways" in said(found)


def test_progress_says_how_far_it_is(mend) -> None:
    with Watch(None) as watch:
        mend(FOUR, stop=lambda: True, begun=partial(_begun, watch))
        assert re.fullmatch(r"\d+ changes? tried; none fixes everything yet", watch.line())


def test_apply_keeps_comments_and_layout(run, mend, tmp_path) -> None:
    """Only the lines of the diff change, and the file passes as it was shown to."""
    given = "# Ordered in December.\n" + HUNGRY.replace("1200]", "1200]   # on the shelf")
    repairs = mend(given).repairs
    number = next(
        n for n, r in enumerate(repairs, 1) if "psus[0].part" in {c.path for c in r.changes}
    )
    result = run("repair", "build.yaml", "--today", TODAY, "--apply", number, text=given)
    assert result.exit_code == 0, result.output
    now = (tmp_path / "build.yaml").read_bytes()
    assert now == repairs[number - 1].raw
    kept = [line for line in given.splitlines() if line.startswith(("#", "cpu"))]
    assert {*kept} <= set(now.decode().splitlines())
    assert "# on the shelf" in now.decode()
    assert "is written to" in result.stderr
    assert "+psus: " in result.stdout
