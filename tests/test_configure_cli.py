"""The commands `configure` and `complete`: what they print and write, and every bad word."""

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from conftest import TODAY, each_row, refused, table
from machines import OWNED

from buildcheck.cli import main
from buildcheck.cli.search import Watch
from buildcheck.configure import best
from buildcheck.configure.answer import ConfigureAnswer
from buildcheck.configure.best import best_builds, stopped
from buildcheck.configure.engine import APART
from buildcheck.configure.pareto import frontier, measures_of
from buildcheck.configure.proposing import propose, weakest
from buildcheck.configure.search.search import Search
from buildcheck.configure.stopping import StoppedError
from buildcheck.configure.wish.wish import read_wish
from buildcheck.edit import difference
from buildcheck.model.answer import Amount
from buildcheck.render.drawings.frontier import frontier_drawing
from buildcheck.render.html import picture
from buildcheck.render.templates import _text_environment, text

CARD = "Gigabyte GeForce RTX 3090 TURBO 24G"
MODULE = "Samsung 32 GB DDR4-3200 RDIMM"
AROUND = f"""site: {{voltage: 230 V, breaker: 16 A}}
workload: {{kind: training, parallel: data}}
prices: {{{MODULE}: 80 USD}}
"""
WISH = f"wish: {{gpus: {{part: {CARD}, count: 2}}, memory: {MODULE}}}\n{AROUND}{OWNED}"
#: Blower cards of any make.
OPEN = WISH.replace(f"part: {CARD}, count: 2", "memory_total: 16 GB, count: 1..2, cooling: blower")
HOPELESS = WISH.replace("count: 2", "count: 8")
BUILD = table("configure_cli", "build").replace("CARD", CARD)
MEMORY = ("--memory", MODULE, "--price", f"{MODULE}=80 USD")
DAY = f"--today={TODAY}"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the program in an empty folder that holds files with the given text."""
    monkeypatch.chdir(tmp_path)

    def start(*arguments: str, stdin: str | None = None, **files: str):
        for name, words in files.items():
            (tmp_path / f"{name}.yaml").write_text(words, encoding="utf-8")
        return CliRunner().invoke(main, [*arguments, DAY], input=stdin)

    return start


@pytest.fixture(scope="session")
def answered(sought):
    """The text of a wish, with other words for some of it → its answer, found once."""
    return cache(lambda text, **but: best_builds(sought(text, **but), optimistic=False))


@pytest.fixture(scope="session")
def swept(engine):
    """Measures and when to stop → the frontier of blower cards, or of another wish."""
    return lambda *measures, text=OPEN, **more: frontier(
        engine, read_wish(text.encode(), "wish.yaml"), measures_of(",".join(measures)), **more
    )


def data_of(result) -> dict:
    """The answer of a command that was called with `--format json`."""
    return json.loads(result.stdout)["answer"]


def said(answer: ConfigureAnswer, *, verbose: bool = False) -> str:
    """The text of an answer, in one line."""
    return " ".join(text("configure", answer, verbose=verbose).split())


# -- configure ---------------------------------------------------------------


def test_a_rate_makes_euros_of_all_prices(run) -> None:
    """By an option or in the file, exactly, with the rate beside the total and with the error."""
    usd = data_of(run("configure", "wish.yaml", "--format", "json", wish=WISH))
    rated = WISH + "rates: 1 USD = 0.5 EUR\n"
    eur = data_of(run("configure", "rated.yaml", "--format", "json", rated=rated))
    usd_, eur_ = usd["builds"][0], eur["builds"][0]
    assert [c["part"] for c in eur_["parts"]] == [c["part"] for c in usd_["parts"]]
    assert eur_["price"]["currency"] == "EUR"
    each = [Decimal(c["each"]["amount"]) * 2 for c in eur_["parts"]]
    before = [Decimal(c["each"]["amount"]) for c in usd_["parts"]]
    assert each == pytest.approx(before, abs=Decimal("0.01"))
    total = sum(Decimal(c["total"]["amount"]) for c in eur_["parts"])
    assert Decimal(eur_["price"]["amount"]) == total
    assert eur["rates"] == ["1 USD = 0.5 EUR"]
    words = ("--budget", "12000 EUR", "--rate", "1 USD = 0.5 EUR")
    assert "Converted at 1 USD = 0.5 EUR." in run("configure", "wish.yaml", *words).stdout
    said = " ".join(run("configure", "wish.yaml", *words[:2]).stdout.split())
    assert "same command again with --rate '1 USD = X EUR' at its end" in said


def test_a_proof_says_first_how_many_builds_nobody_could_judge(answered) -> None:
    """The sum of what each rule waits for, before any rule is named."""
    answer = answered(HOPELESS)
    proof = replace(answer.proof, candidates=1000, unknown_by={"a": 900, "b": 50})
    words = said(replace(answer, proof=proof), verbose=True)
    assert "95 % of them cannot be judged" in words
    assert words.index("95 % of them") < words.index("are excluded:")
    assert "95 % of the combinations were skipped" in said(replace(answer, proof=proof))


# -- stopped -----------------------------------------------------------------


def test_a_stopped_search_says_what_is_proven(sought, answered) -> None:
    """Asked between steps; the bound holds, and the words say that more is not proven."""
    answer = best_builds(sought(OPEN), stop=lambda: True)
    assert answer.stopped
    assert not answer.proof.complete
    assert "stopped, so not proven" in said(answer) or "stopped before a build" in said(answer)
    assert "None of them costs less than" in said(answer)
    assert "None is better" not in said(answer)
    assert answer.proof.bound is not None
    assert answer.proof.bound <= float(answered(OPEN).builds[0].price.amount)


def test_the_first_interrupt_stops_and_the_second_ends() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Watch(None) as watch:
        assert not watch()
        os.kill(os.getpid(), signal.SIGINT)
        assert watch()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_work_that_does_not_ask_is_stopped() -> None:
    """Ctrl-C reaches also what takes long between two questions."""

    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)

    with Watch(None), pytest.raises(StoppedError):
        work()


def test_what_was_found_before_a_search_is_ended_is_shown(sought) -> None:
    """The build, and that it is not proven to be the best."""
    problem = sought(WISH)
    assert stopped(problem).builds == ()
    best = best_builds(problem, optimistic=False).builds[0]
    answer = stopped(problem)
    assert answer.builds[0].text == best.text
    assert "the best found so far; stopped, so not proven" in said(answer)


def test_progress_is_one_line_and_not_often(sought, monkeypatch, capsys) -> None:
    """Written anew at its place, and wiped at the end."""
    clock = iter(range(10**6))
    monkeypatch.setattr("buildcheck.cli.search.time.monotonic", lambda: next(clock) * 0.03)
    with Watch(None) as watch:
        watch.is_shown = True
        assert watch.line() == "Searching; this may take a minute (Ctrl-C stops it) ..."
        problem = sought(OPEN)
        watch.progress = lambda: problem.progress
        assert watch.line() == "Listing the parts that can be chosen ..."
        best = best_builds(problem, stop=watch).builds[0]
        line = watch.line()
        for _ in range(20):
            watch.show()
    shown = capsys.readouterr().err
    assert re.match("[0-9]+ of [0-9]+ GPUs ruled out; best so far ", line)
    assert f"best so far {Amount(best.price.amount, 'USD')}" in line
    assert "\n" not in shown
    assert 0 < shown.count("\r") <= next(clock) * 0.03 * 10 + 2
    # Codes for the terminal are left out where there is none.
    assert shown.endswith("\r")


def test_without_a_terminal_long_work_is_announced_once(run, monkeypatch) -> None:
    assert run("configure", "wish.yaml", wish=WISH).stderr == ""
    monkeypatch.setattr("buildcheck.cli.search.PATIENCE", 0)
    lines = run("configure", "wish.yaml", wish=WISH).stderr.splitlines()
    assert [line.partition(";")[0] for line in lines] == ["Searching"]


# -- frontiers ---------------------------------------------------------------


def test_a_frontier_is_exact(swept, answered) -> None:
    """Each amount of memory is had for no less than it says: the cheapest with at least so much."""
    found = swept("price", "gpu_memory")
    values = [(p.measures["price"], p.measures["gpu_memory"]) for p in found.builds]
    assert len(values) > 3
    assert values == sorted(values)
    assert len({m for _, m in values}) == len({p for p, _ in values}) == len(values)
    for price, memory in values[:3]:
        floor = OPEN.replace("memory_total: 16 GB", f"memory_total: {memory:g} GB")
        for careful in (None, False):
            answer = answered(floor, careful=careful)
            assert float((answer.with_warnings or answer.builds[0]).price.amount) == price


def test_a_frontier_of_three_measures(swept) -> None:
    """None is beaten by another, and it holds the frontier of two."""
    names = ("price", "gpu_memory", "speed")
    rows = [tuple(p.measures[m] for m in names) for p in swept(*names).builds]
    for price, memory, speed in rows:
        beaten = [r for r in rows if r[0] <= price and r[1] >= memory and r[2] >= speed]
        assert beaten == [(price, memory, speed)]
    two = [p for p in swept(*names[:2]).builds if p.measures["speed"]]
    assert {(p.measures["price"], p.measures["gpu_memory"]) for p in two} <= {r[:2] for r in rows}


def test_a_frontier_is_shown_and_drawn(run, tmp_path) -> None:
    """As a table, JSON, and a picture that loads nothing and runs nothing."""
    words = ("configure", "wish.yaml", "--pareto", "price,gpu_memory")
    result = run(*words, "--svg", "frontier.svg", wish=OPEN)
    assert result.exit_code == 0, result.output
    assert "price  GPU memory  warnings  build" in result.stdout
    assert "of those that pass none beats these" in " ".join(result.stdout.split())
    data = data_of(run(*words, "--format", "json"))
    assert data["measures"] == ["price", "gpu_memory"]
    assert data["proof"]["complete"] is True
    assert all(b["verdict"] == "likely-pass" for b in data["builds"])
    raw = (tmp_path / "frontier.svg").read_text(encoding="utf-8")
    tags = [e.tag.rpartition("}")[2] for e in ElementTree.fromstring(raw).iter()]
    assert tags.count("circle") == len(data["builds"])
    assert set(tags) <= {"svg", "title", "desc", "style", "rect", "path", "text", "circle"}
    assert "url(" not in raw
    assert "GPU memory, GB" in raw
    assert "Price, USD" in raw


def test_a_stopped_frontier_is_not_proven(swept) -> None:
    found = swept("price", "gpu_memory", stop=lambda: True)
    assert found.stopped
    assert found.builds == ()
    assert "No build was found" in picture(frontier_drawing(found), "measures", found)


# -- complete ----------------------------------------------------------------


def test_a_build_is_completed(run, tmp_path) -> None:
    """What is there stays byte for byte; what is added passes, and is shown as a diff."""
    words = ("complete", "build.yaml", *MEMORY)
    result = run(*words, "-o", "whole.yaml", build=BUILD)
    assert result.exit_code == 0, result.output
    whole = (tmp_path / "whole.yaml").read_text(encoding="utf-8")
    assert whole.startswith(BUILD)
    shown = " ".join(result.stdout.split())
    assert shown.startswith("build.yaml: 2 parts added for ")
    assert "7 parts are already there and not priced." in shown
    assert difference(BUILD.encode(), whole.encode(), "build.yaml") in run(*words, "-v").stdout
    assert (tmp_path / "build.yaml").read_text(encoding="utf-8") == BUILD
    assert run("validate", "whole.yaml").exit_code == 0
    again = run("complete", "whole.yaml")
    assert again.exit_code == 0
    assert again.stdout == "whole.yaml: no part is missing; the build likely passes\n"
    data = data_of(run("complete", "whole.yaml", "--format", "json"))
    assert data == {"file": "whole.yaml", "verdict": "likely-pass"}


@each_row
def test_what_is_said_of_a_build_that_lacks_parts(build, by, shown, run) -> None:
    assert shown in " ".join(run("complete", "build.yaml", *by.split(), build=build).stdout.split())


def test_a_file_somebody_else_changed_stays(run, tmp_path, monkeypatch) -> None:
    """What was written while parts were sought is not written over."""
    mine = tmp_path / "build.yaml"
    answer = best.best_builds

    def meanwhile(problem, **asked):
        mine.write_text("# changed\n", encoding="utf-8")
        return answer(problem, **asked)

    monkeypatch.setattr(best, "best_builds", meanwhile)
    done = run("complete", "build.yaml", "--in-place", *MEMORY, build=BUILD)
    refused(done, "it was changed while it was worked on")
    assert mine.read_text("utf-8") == "# changed\n"


# -- words -------------------------------------------------------------------


def test_large_numbers_are_readable() -> None:
    big = _text_environment(colour=False).get_template("text/builds.j2").module.big
    assert big(10**15 - 1) == "999,999,999,999,999"
    assert big(13 * 10**20) == "1.3e21"


def test_the_weakest_facts_are_named() -> None:
    facts = [("a", "vendor"), ("b", "assumption")]
    assert weakest(facts) == ("assumption", ("b",))
    assert weakest([]) == (None, ())


# -- what is given, and what adds up over the machine ---------------------------


def test_a_frontier_of_what_adds_up(swept, answered) -> None:
    """The cheapest build begins it, the one that draws least ends it, and none is beaten."""
    rows = [(p.measures["price"], p.measures["power"]) for p in swept("price", "power").builds]
    cheapest = answered(OPEN, careful=False).builds[0]
    frugal = answered(OPEN.replace("wish: {", "wish: {best: power, "), careful=False).builds[0]
    assert rows[0][0] == cheapest.measures["price"]
    assert rows[-1] == (frugal.measures["price"], frugal.measures["power"])
    assert rows == sorted(rows)
    assert [w for _, w in rows] == sorted((w for _, w in rows), reverse=True)


#: Two cards of one chip at one price, of which there are several makes.
ALIKE = f"""wish: {{gpus: {{part: RTX 3090, count: 2, cooling: blower}}}}
site: {{voltage: 230 V, breaker: 16 A}}
workload: training
prices: {{RTX 3090: 700 USD, {MODULE}: 80 USD}}
{OWNED}"""


def test_builds_with_the_same_cards_say_what_else_is_in_them(swept) -> None:
    """In the table and in the picture, where no word is cut."""
    answer = swept("price", "power", text=ALIKE)
    first, second = answer.builds[:2]
    assert not first.apart
    known = {(p.part, p.count) for p in first.parts}
    others = [p for p in second.parts if (p.part, p.count) not in known]
    assert others
    assert all(p.name in " ".join(second.apart) for p in others)
    names = [f"{b.name} with {', '.join(b.apart)}" if b.apart else b.name for b in answer.builds]
    assert len(set(names)) == len(names)
    assert all(p in text("configure", answer) for b in answer.builds for p in b.apart)
    drawn = " ".join(s.text for s in frontier_drawing(answer).shapes)
    assert "…" not in drawn
    assert all(name in " ".join(drawn.split()) for name in names)


def test_no_more_builds_are_sought_than_asked_for(sought, monkeypatch) -> None:
    whole = Search.solutions

    def one(search: Search) -> Iterator[dict]:
        for number, machine in enumerate(whole(search)):
            assert number == 0, "a second build was sought"
            yield machine

    monkeypatch.setattr(Search, "solutions", one)
    assert len(best_builds(sought(WISH, careful=False), optimistic=False).builds) == 1


def test_a_search_that_is_stopped_has_some_build_that_passes(sought) -> None:
    search = sought(WISH).search(stop=lambda: True)
    assert list(search.solutions()) == []
    machine, proof = search.some(), search.proof()
    assert not proof.complete
    # What there is when time is up passes, and costs no less than is proven of the best.
    cost = sum(option.price for option in machine.values()) / 100
    assert proof.bound <= cost
    assert propose(sought(WISH), machine, strict=True)


def test_a_careful_wish_gets_what_no_rule_warns_of(answered) -> None:
    """It passes as all proposals do, and costs more than one with warnings, which it has too."""
    (plain,), (careful,) = (answered(WISH, careful=c).builds for c in (False, True))
    assert plain.warnings
    assert not careful.warnings
    assert careful.price.amount > plain.price.amount
    both = answered(WISH)
    assert both.with_warnings is not None
    assert (both.with_warnings.text, both.builds[0].text) == (plain.text, careful.text)
    assert both.proof.complete
    counted = (*both.proof.excluded_by.values(), both.proof.not_better, both.proof.equivalent)
    assert sum(counted) == both.proof.candidates
    assert both.proof.equivalent == answered(WISH, careful=True).proof.equivalent


def test_a_warning_that_a_manual_settles_keeps_from_no_board(answered) -> None:
    """Four cards on a board whose slot power nobody states: named, and refused if so wished."""
    given = WISH.replace("count: 2", "count: 4")
    answer = answered(given)
    assert answer.with_warnings is not None
    assert answer.builds[0].warnings == ("cable/slot-power-unstated",)
    assert "but for what a manual settles (cable/slot-power-unstated)" in said(answer)
    assert not any(one.warnings for one in answered(given, careful=True).builds)


def test_cards_are_used_with_the_adapter_they_are_wished_with(answered) -> None:
    """Adapters are not priced; the GPU comes with one, and another may be named."""
    given = (
        "wish: {gpus: {part: RTX A6000, count: 4ADAPTER}}\nsite: {outlet: NEMA 6-20}\n"
        "workload: {kind: training, parallel: data}\n"
    )
    wished = given.replace("ADAPTER", ", adapter: 2x PCIe 8-pin to EPS")
    answer = answered(wished)
    (found,) = answer.builds
    assert found.not_priced == {"2x PCIe 8-pin to EPS": 4}
    assert "adapter: 2x PCIe 8-pin to EPS" in found.text
    feeds = [e.data["with"] for e in found.report.graph.edges if e.kind == "cabled"]
    assert {"pcie-8-pin": 2} in feeds
    assert "Not in the total: 4x 2x PCIe 8-pin to EPS" in said(answer)


def test_what_an_optimistic_build_needs_can_be_looked_up(sought) -> None:
    """No board of which nobody knows a slot: a case or cooler for it would be a guess as well."""
    given = "wish: {gpus: 4x RTX 3090}\nsite: {outlet: NEMA 5-20}\nworkload: {kind: training}\n"
    graph = best_builds(sought(given)).optimistic.report.graph
    for name in ("motherboard.slots", "case.expansion_slots", "cooler.sockets"):
        kind, _, field = name.partition(".")
        assert graph.the(kind).value(field) is not None, name


def test_where_rules_warn_of_all_the_best_of_them_is_proposed(answered) -> None:
    """With what it costs, and it is said that there is none without a warning."""
    free = answered(WISH)
    given = WISH.replace("wish: {", f"wish: {{budget: {free.with_warnings.price.money}, ", 1)
    answer = answered(given)
    assert answer.with_warnings is None
    assert answer.builds[0].price == free.with_warnings.price
    assert answer.builds[0].warnings
    assert answer.without_warnings_proof.complete
    assert "Every build has warnings" in said(answer)


def test_where_rules_warn_of_all_no_warning_is_there_without_need(sought, answered) -> None:
    """For a cent less than the cheapest without a warning costs: the fewest kinds, none to spare."""
    free = answered(WISH)
    most = f"{free.builds[0].price.amount - Decimal('0.01')} USD"
    problem = sought(WISH.replace("wish: {", f"wish: {{budget: {most}, ", 1))
    answer = best_builds(problem, optimistic=False, top=2)
    assert answer.without_warnings_proof.complete
    assert set(answer.builds[0].warnings) == set(answer.accepted_warnings)
    assert set(answer.accepted_warnings) < set(answer.with_warnings.warnings)
    assert all(set(one.warnings) <= set(answer.accepted_warnings) for one in answer.builds)
    found = (answer.with_warnings, answer.builds[0], free.builds[0])
    assert len({one.price.amount for one in found}) == 3
    assert sorted(found, key=lambda one: one.price.amount) == [*found]
    for rule in answer.accepted_warnings:
        problem.law = problem.law.with_care(*{*answer.accepted_warnings} - {rule})
        assert next(problem.search().solutions(), None) is None, rule
    assert "with the fewest kinds of warning" in said(answer)


def test_beyond_a_budget_the_least_price_is_said(answered) -> None:
    short = answered(WISH.replace("wish: {", "wish: {budget: 1000 USD, ", 1))
    assert not short.builds
    assert short.proof.min_price == float(answered(WISH).with_warnings.price.amount)


def test_several_proposals_differ_in_cards_or_board(sought) -> None:
    found = best_builds(sought(OPEN), top=3, optimistic=False)
    rows = ([c for c in one.parts if c.section in APART] for one in found.builds)
    machines = {tuple((c.section, c.part, c.count) for c in row) for row in rows}
    assert len(machines) == len(found.builds) > 1
    assert found.proof.complete


def test_what_is_needed_of_owned_parts_is_asked_for(answered) -> None:
    """Without the plugs of a supply nothing can be known to pass; then nobody looks for a build."""
    owned = "owned: {psus: {rated_power: 1500 W}}"
    answer = answered(f"wish: {{gpus: {{part: {CARD}, count: 1}}}}\n{owned}\n")
    assert not answer.builds
    assert [f.field for f in answer.needed] == ["plugs"]
    assert "Add `plugs:` to its entry." in said(answer)
