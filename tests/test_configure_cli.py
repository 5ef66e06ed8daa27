"""The commands `configure` and `complete`: what they print and write, and every bad word."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from math import isfinite
from types import SimpleNamespace
from typing import TYPE_CHECKING, ClassVar
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from conftest import ROOT, TODAY

from buildcheck.cli import main
from buildcheck.cli_search import Watch
from buildcheck.configure.answer import Answer, Chosen, Proposal
from buildcheck.configure.completing import lacking
from buildcheck.configure.engine import APART, Engine, Problem
from buildcheck.configure.pareto import Sweep, frontier, measures_of
from buildcheck.configure.proposing import DisagreementError
from buildcheck.configure.search.search import Search
from buildcheck.configure.wish.wish import read_wish
from buildcheck.edit import difference
from buildcheck.errors import InputError
from buildcheck.record import KINDS
from buildcheck.render.answer_text import answer_text, weakest
from buildcheck.render.drawings.frontier import frontier_drawing
from buildcheck.render.frontier_text import frontier_text
from buildcheck.render.frontier_words import build_words
from buildcheck.render.picture import picture
from buildcheck.render.proof_text import count_text, excluded_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

CARD = "Gigabyte GeForce RTX 3090 TURBO 24G"
OPEN_AIR = "Asus TUF Gaming OG OC GeForce RTX 4090 24GB GDDR6X Black"
MODULE = "Samsung 32 GB DDR4-3200 RDIMM"
#: What is there already: few choices are left, so that searches are short.
OWNED = """owned:
  motherboard: ASRock Rack ROMED8-2T
  cpu: AMD EPYC 7302P
  cpu_cooler: Noctua NH-U14S TR4-SP3
  case: Fractal Design Define 7 XL
  psus: [Corsair AX1600i]
"""
AROUND = f"""site: {{voltage: 230 V, breaker: 16 A}}
workload: {{kind: training, parallel: data}}
prices: {{{MODULE}: 80 USD}}
"""
WISH = f"wish: {{gpus: {{part: {CARD}, count: 2}}, memory: {MODULE}}}\n{AROUND}{OWNED}"
#: Blower cards of any make.
OPEN = WISH.replace(f"part: {CARD}, count: 2", "memory_total: 16 GB, count: 1..2, cooling: blower")
HOPELESS = WISH.replace("count: 2", "count: 8")
BUILD = f"""# The machine of the lab.
gpus:
  - part: {CARD}   # blower
    count: 2
cpu: AMD EPYC 7302P
motherboard: ASRock Rack ROMED8-2T

cpu_cooler: Noctua NH-U14S TR4-SP3
psus: [Corsair AX1600i]
case: Fractal Design Define 7 XL
site: {{voltage: 230 V, breaker: 16 A}}   # by the window
workload: {{kind: training, parallel: data}}
"""
MEMORY = ("--memory", MODULE, "--price", f"{MODULE}=80 USD")
DAY = f"--today={TODAY}"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the program in an empty folder that holds files with the given text."""
    monkeypatch.chdir(tmp_path)

    def start(*arguments: str, stdin: str | None = None, **files: str):
        for name, text in files.items():
            (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
        return CliRunner().invoke(main, [*arguments, DAY], input=stdin)

    return start


@pytest.fixture(scope="session")
def engine(catalog, rulebook) -> Engine:
    return Engine(catalog, rulebook, TODAY)


def refused(result, *words: str) -> None:
    """Exit code 2, nothing on standard output, no traceback, and all of the words."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert isinstance(result.exception, SystemExit)
    for word in words:
        assert word in result.stderr, (word, result.stderr)


# -- configure ---------------------------------------------------------------


def test_a_wish_is_answered_with_a_proof(run) -> None:
    """Parts and prices, placement and cables, the verdict, and what became of every candidate."""
    result = run("configure", "wish.yaml", wish=WISH)
    assert result.exit_code == 0, result.output
    for words in (
        "wish.yaml: the cheapest that passes without a warning.",
        "With warnings accepted: ",
        "--no-careful proposes that one.",
        "3100.00 USD",
        "Total: ",
        "price without a date",
        "rests at worst on",
        "48 GB of GPU memory",
        "at its default power limit",
        "speed kept at other limits: ",
        "gpus[0] Gigabyte GeForce RTX 3090 TURBO 24G: slot ",
        "psus[0] feeds gpus[1] by ",
        "PASS: 0 errors",
        "None is better.",
        "within this catalogue, these prices",
    ):
        assert words in " ".join(result.stdout.split()), words
    assert result.stderr == ""
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_a_warning_that_cannot_be_judged_is_no_absence_of_warnings(run) -> None:
    """Nobody knows how deep the shroud of the case is, and an open card may blow against it."""
    wish = WISH.replace(CARD, OPEN_AIR)
    said = " ".join(run("configure", "--careful", "wish.yaml", wish=wish).stdout.split())
    assert "the cheapest that passes without a known warning. 1 rule that warns cannot" in said
    assert "cannot be judged: space/card-at-shroud." in said
    data = json.loads(run("configure", "--careful", "wish.yaml", "--format", "json").stdout)
    assert data["solutions"][0]["unjudged_warnings"] == ["space/card-at-shroud"]


def test_the_same_wish_has_the_same_answer(run) -> None:
    """To the byte, in text; from options as from a file."""
    first = run("configure", "wish.yaml", wish=WISH)
    assert run("configure", "wish.yaml").stdout == first.stdout
    words = ["--gpus", f"2x {CARD}", *MEMORY]
    files = {"rest": f"{AROUND}{OWNED}"}
    second = run("configure", "rest.yaml", *words, **files)
    assert second.stdout.replace("rest.yaml", "wish.yaml") == first.stdout


def test_json_has_its_shape(run) -> None:
    """The keys that others rely on, and the validation that `validate` gives."""
    result = run("configure", "wish.yaml", "--format", "json", "-o", "best.yaml", wish=WISH)
    data = json.loads(result.stdout)
    assert list(data)[:5] == ["format_version", "wish", "solutions", "proof", "seconds"]
    assert {"hopeful", "worth_knowing", "stopped"} <= set(data)
    (found,) = data["solutions"]
    assert list(found)[:4] == ["build", "price", "objective", "validation"]
    assert list(found["price"])[:3] == ["amount", "currency", "as_of"]
    assert set(found["objective"]) == {"price", "gpu_memory", "speed", "headroom", "power"}
    assert list(data["proof"])[:4] == ["candidates", "excluded_by", "optimal", "bound"]
    proof = data["proof"]
    left = proof["not_better"] + proof["found"]
    assert proof["candidates"] == sum(proof["excluded_by"].values()) + left
    assert proof["optimal"] is True
    assert data["wish"]["wish"]["gpus"]["count"] == 2
    assert {"part", "rests_on", "weakest"} <= set(found["chosen"][0])
    again = json.loads(run("validate", "best.yaml", "--format", "json").stdout)
    assert found["validation"] == again


def test_files_are_written(run, tmp_path) -> None:
    """A build file that passes, and the page of its report."""
    result = run("configure", "wish.yaml", "-o", "best.yaml", "--report", "best.html", wish=WISH)
    assert result.exit_code == 0, result.output
    assert run("validate", "best.yaml").exit_code == 0
    page = (tmp_path / "best.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "best.yaml" in page


def test_several_builds(run) -> None:
    """Numbered, the best first."""
    result = run("configure", "wish.yaml", "--top", "2", "--format", "json", wish=OPEN)
    prices = [float(s["price"]["amount"]) for s in json.loads(result.stdout)["solutions"]]
    assert len(prices) == 2
    assert prices == sorted(prices)


def test_no_build(run, tmp_path) -> None:
    """Said with the counts; nothing is written, and the way on is named."""
    result = run("configure", "wish.yaml", "-o", "best.yaml", wish=HOPELESS)
    assert result.exit_code == 1
    assert "no build meets this wish" in result.stdout
    assert "are excluded:" in result.stdout
    assert "buildcheck why" in result.stdout
    assert "Nothing was written" in result.stderr
    assert not (tmp_path / "best.yaml").exists()


def test_a_rate_makes_euros_of_all_prices(run) -> None:
    """By an option or in the file, exactly, with the rate beside the total and with the error."""
    dear = json.loads(run("configure", "wish.yaml", "--format", "json", wish=WISH).stdout)
    rated = WISH + "rates: 1 USD = 0.5 EUR\n"
    cheap = json.loads(run("configure", "rated.yaml", "--format", "json", rated=rated).stdout)
    dear_, cheap_ = dear["solutions"][0], cheap["solutions"][0]
    assert [c["part"] for c in cheap_["chosen"]] == [c["part"] for c in dear_["chosen"]]
    assert cheap_["price"]["currency"] == "EUR"
    each = [Decimal(c["each"]) * 2 for c in cheap_["chosen"]]
    assert each == pytest.approx([Decimal(c["each"]) for c in dear_["chosen"]], abs=Decimal("0.01"))
    total = sum(Decimal(c["each"]) * c["count"] for c in cheap_["chosen"])
    assert Decimal(cheap_["price"]["amount"]) == total
    assert cheap["rates"] == [{"of": "USD", "to": "EUR", "rate": "0.5", "source": "given by user"}]
    words = ("--budget", "12000 EUR", "--rate", "1 USD = 0.5 EUR")
    assert "you give: 1 USD = 0.5 EUR." in run("configure", "wish.yaml", *words).stdout
    text = run("configure", "wish.yaml", *words[:2]).stdout
    assert "--rate '1 USD = 0.92 EUR'" in " ".join(text.split())
    refused(run("configure", "wish.yaml", "--rate", "1 USD"), "--rate", "1 USD = 0.92 EUR")


def test_a_budget_is_turned_as_prices_are(run) -> None:
    """A budget of another currency is held against prices in that of the catalogue."""
    words = ("--budget", "100 EUR", "--rate", "1 EUR = 2 USD", "--format", "json")
    data = json.loads(run("configure", "wish.yaml", *words, wish=WISH).stdout)
    assert data["proof"]["needs"] > 200
    text = run("configure", "wish.yaml", *words[:4]).stdout
    assert "the cheapest costs" in text
    assert " USD" in text


def test_a_part_without_a_price_is_told_from_one_that_is_not_there(run) -> None:
    """No CPU of that socket has a price; it is named, and with a price it is proposed."""
    build = BUILD.replace("cpu: AMD EPYC 7302P\n", "")
    data = json.loads(run("complete", "b.yaml", *MEMORY, "--format", "json", b=build).stdout)
    assert data["solutions"] == []
    assert list(data["unmet"]) == ["cpu"]
    assert "platform/socket-mismatch" in data["unmet"]["cpu"]
    (one,) = data["unpriced"]
    assert (one["section"], one["count"]) == ("cpu", 1)
    assert one["others"] > 1
    text = " ".join(run("complete", "b.yaml", *MEMORY).stdout.split())
    assert "no build of parts with a price meets this wish, and with others there is one" in text
    assert f"cpu: 1x {one['name']}" in text
    priced = ("--price", f"{one['name']}=450 USD")
    assert run("complete", "b.yaml", *MEMORY, *priced).exit_code == 0


def test_what_blocks_a_build_whatever_is_filled_in_is_told_from_what_lacks_a_price(run) -> None:
    """Four cards of which nobody knows what the board's slots give, and no CPU with a price."""
    build = (
        "gpus: [{part: Gigabyte GeForce RTX 3090 TURBO 24G, count: 4}]\n"
        "motherboard: Supermicro H12SSL-i\ncase: Fractal Design Define 7 XL\n"
    )
    data = json.loads(run("complete", "b.yaml", "--format", "json", b=build).stdout)
    assert data["blocked"] == ["cable/slot-power-overload"]
    assert data["unmet"] == {"cpu": ["platform/socket-mismatch"]}
    assert data["unpriced"] == []
    text = " ".join(run("complete", "b.yaml").stdout.split())
    assert "not known to pass, whatever is filled in (cable/slot-power-overload)" in text
    held = build.replace("count: 4", "count: 4, power_limit: 280 W")
    assert json.loads(run("complete", "b.yaml", "--format", "json", b=held).stdout)["blocked"] == []


def test_a_proposed_limit_says_which_rules_ask_for_it(run) -> None:
    """Four cards at full power are too much for the supply, which held cards are not."""
    wish = WISH.replace("count: 2", "count: 4")
    text = run("configure", "wish.yaml", wish=wish).stdout
    assert "Without this limit there would be:\n  error power/psu-overload: " in text
    data = json.loads(run("configure", "wish.yaml", "--format", "json").stdout)
    best, cards = data["solutions"][0], data["solutions"][0]["chosen"][0]
    assert cards["power_limit"] == best["build"]["gpus"][0]["power_limit"]
    assert "power/psu-overload" in {one["rule"] for one in best["limited_by"]}
    # Refused, the limit is gone, and so is the build.
    assert run("configure", "wish.yaml", "--no-power-limits").exit_code == 1


def test_a_limit_that_no_rule_asks_for_serves_the_wish(run) -> None:
    text = run("configure", "wish.yaml", "--best", "power", wish=WISH).stdout
    assert "held at " in text
    assert "No rule asks for this limit" in text


def test_a_proof_says_first_how_many_builds_nobody_could_judge(engine) -> None:
    """The sum of what each rule waits for, before any rule is named."""
    answer = engine.configure(read_wish(HOPELESS.encode(), "wish.yaml"), hopeful=False)
    proof = replace(answer.proof, candidates=1000, unknown_by={"a": 900, "b": 50})
    text = " ".join(answer_text(replace(answer, proof=proof), "wish.yaml").split())
    assert "950 of them (95 %) cannot be judged" in text
    assert text.index("950 of them") < text.index("are excluded:")


def test_what_is_lacking_may_be_priced_by_a_rate(run) -> None:
    """`complete` takes the same option."""
    text = run("complete", "build.yaml", *MEMORY, "--rate", "1 USD = 0.5 EUR", build=BUILD).stdout
    assert "1 USD = 0.5 EUR" in text
    assert "40.00 EUR" in text


def test_nothing_to_choose_from(run) -> None:
    """A part without a price is told from a rule that is broken."""
    wish = WISH.replace(CARD, "NVIDIA H100 NVL")
    result = run("configure", "wish.yaml", wish=wish)
    assert result.exit_code == 1
    assert "no part with a price is what the wish asks for: gpus" in result.stdout


BAD = {
    "no wish": ((), ["nothing is wished for"]),
    "no such file": (("none.yaml",), ["there is no such file"]),
    "a folder": ((".",), ["this is a folder"]),
    "unknown names": (
        ("--gpus", "4x RTX 3900", "--cpu", "Foo", "--price", "Bar=3 USD"),
        ["no GPU 'RTX 3900'", "no CPU 'Foo'", "no part 'Bar'"],
    ),
    "a negative budget": (("--gpus", "RTX 3090", "--budget=-4 USD"), ["--budget"]),
    "a broken option": (("--price", "x"), ["needs the form PART=MONEY"]),
    "an unknown aim": (("--gpus", "RTX 3090", "--best", "beauty"), ["--best", "beauty"]),
    "no such prices": (("--gpus", "RTX 3090", "--prices", "none.yaml"), ["none.yaml"]),
    "no such parts": (("--gpus", "RTX 3090", "--parts", "none"), ["there is no such folder"]),
    "one measure": (("--gpus", "RTX 3090", "--pareto", "price"), ["two measures or more"]),
    "an unknown measure": (
        ("--gpus", "RTX 3090", "--pareto", "price,beauty"),
        ["no measure 'beauty'"],
    ),
    "two that add up": (("--gpus", "RTX 3090", "--pareto", "power,headroom"), ["Leave one"]),
    "a frontier and a file": (
        ("--gpus", "RTX 3090", "--pareto", "price,speed", "-o", "x.yaml"),
        ["Leave out --top"],
    ),
    "a drawing of nothing": (("--gpus", "RTX 3090", "--svg", "x.svg"), ["Give --pareto"]),
    "no file": (("--gpus", "RTX 3090", "-o", "-"), ["this needs a file"]),
    "one file twice": (
        ("--gpus", "RTX 3090", "-o", "x", "--report", "x"),
        ["is given to -o as well"],
    ),
    "over its wish": (("wish.yaml", "-o", "wish.yaml"), ["a file that it would be made from"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_wishes_are_refused(run, tmp_path, case) -> None:
    """At once, all together, and nothing is written."""
    arguments, words = BAD[case]
    refused(run("configure", *arguments, wish=WISH), *words)
    assert [p.name for p in tmp_path.iterdir()] == ["wish.yaml"]


@pytest.mark.parametrize("words", [("--time-limit", "0"), ("--time-limit", "nan"), ("--top", "0")])
def test_bad_numbers_are_refused(run, words) -> None:
    result = run("configure", "wish.yaml", *words, wish=WISH)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_errors_as_json(run) -> None:
    result = run("configure", "--gpus", "RTX 3900", "--format", "json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["errors"][0]["path"] == "--gpus"


def test_a_wish_that_nothing_meets_is_sent_on_and_a_build_is_not(run) -> None:
    """`why` explains a wish; of what a build file lacks it can say nothing."""
    assert "buildcheck why" in run("configure", "wish.yaml", wish=HOPELESS).stdout
    build = BUILD.replace("Fractal Design Define 7 XL", "{kind: tower}")
    text = run("complete", "build.yaml", "--budget", "1 USD", *MEMORY, build=build).stdout
    assert "is counted under the first rule" in text
    assert "buildcheck why" not in text


# -- stopped -----------------------------------------------------------------


def test_a_stopped_search_says_what_is_proven(engine) -> None:
    """Asked between steps; the bound holds, and the words say that more is not proven."""
    wish = read_wish(OPEN.encode(), "wish.yaml")
    answer = engine.configure(wish, stop=lambda: True)
    text = answer_text(answer, "wish.yaml")
    assert answer.stopped
    assert not answer.proof.optimal
    assert "not proven: the search was stopped" in text
    assert "None of them costs less than" in text
    assert "None is better" not in text
    best = engine.configure(wish, hopeful=False).solutions[0]
    assert answer.proof.bound is not None
    assert answer.proof.bound <= float(best.price.amount)


def test_a_time_limit_stops(run) -> None:
    result = run("configure", "wish.yaml", "--time-limit", "0.000001", wish=OPEN)
    assert result.exit_code == 1
    assert "not proven" in result.stdout
    data = json.loads(
        run("configure", "wish.yaml", "--time-limit", "0.000001", "--format", "json").stdout
    )
    assert data["stopped"] is True
    assert data["proof"]["optimal"] is False


def test_the_first_interrupt_stops_and_the_second_ends() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Watch(None) as watch:
        assert not watch()
        os.kill(os.getpid(), signal.SIGINT)
        assert watch()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_progress_is_one_line_and_not_often(engine, monkeypatch, capsys) -> None:
    """Written anew at its place, and wiped at the end."""
    clock = iter(range(10**6))
    monkeypatch.setattr("buildcheck.cli_search.time.monotonic", lambda: next(clock) * 0.03)
    with Watch(None) as watch:
        watch.is_shown = True
        watch.problem = engine.problem(read_wish(WISH.encode(), "wish.yaml"))
        assert watch.line() == "Getting ready"
        watch.problem.answer(stop=watch)
        line = watch.line()
        for _ in range(20):
            watch()
    shown = capsys.readouterr().err
    assert "builds excluded" in line
    assert "\n" not in shown
    assert 0 < shown.count("\r") <= next(clock) * 0.03 * 10 + 2
    # Codes for the terminal are left out where there is none.
    assert shown.endswith("\r")


def test_no_progress_where_nobody_looks(run) -> None:
    assert run("configure", "wish.yaml", wish=WISH).stderr == ""


# -- frontiers ---------------------------------------------------------------


def test_a_frontier_is_exact(engine) -> None:
    """Each amount of memory is had for no less than it says: the cheapest with at least so much."""
    wish = read_wish(OPEN.encode(), "wish.yaml")
    found = frontier(engine, wish, measures_of("price,gpu_memory"))
    values = [(p.value("price"), p.value("gpu_memory")) for p in found.points]
    assert len(values) > 3
    assert values == sorted(values)
    assert len({m for _, m in values}) == len({p for p, _ in values}) == len(values)
    for price, memory in values[:3]:
        floor = OPEN.replace("memory_total: 16 GB", f"memory_total: {memory:g} GB")
        for careful in (None, False):
            wish = replace(read_wish(floor.encode(), "w"), careful=careful)
            answer = engine.configure(wish, hopeful=False)
            assert float((answer.bare or answer.solutions[0]).price.amount) == price


def test_a_frontier_of_three_measures(engine) -> None:
    """None is beaten by another, and it holds the frontier of two."""
    wish = read_wish(OPEN.encode(), "wish.yaml")
    names = ("price", "gpu_memory", "speed")
    rows = [tuple(p.value(m) for m in names) for p in frontier(engine, wish, names).points]
    for price, memory, speed in rows:
        beaten = [r for r in rows if r[0] <= price and r[1] >= memory and r[2] >= speed]
        assert beaten == [(price, memory, speed)]
    two = [p for p in frontier(engine, wish, names[:2]).points if isfinite(p.value("speed"))]
    assert {(p.value("price"), p.value("gpu_memory")) for p in two} <= {r[:2] for r in rows}


def test_cards_of_unknown_speed_are_on_no_frontier_of_it(run) -> None:
    """Not known is no speed of 0: neither on a frontier nor beside a build."""
    words = ("configure", "--gpus", "RX 7900 XTX")
    found = run(*words, "--pareto", "price,speed")
    assert "No card that the wish asks for has a known speed." in found.stdout
    assert (
        json.loads(run(*words, "--pareto", "price,speed", "--format", "json").stdout)["solutions"]
        == []
    )
    alone = run(*words)
    assert "estimated training speed not known" in " ".join(alone.stdout.split())
    (best,) = json.loads(run(*words, "--format", "json").stdout)["solutions"]
    assert best["objective"]["speed"] is None


def test_a_frontier_is_shown_and_drawn(run, tmp_path) -> None:
    """As a table, JSON, and a picture that loads nothing and runs nothing."""
    words = ("configure", "wish.yaml", "--pareto", "price,gpu_memory")
    result = run(*words, "--svg", "frontier.svg", wish=OPEN)
    assert result.exit_code == 0, result.output
    assert "price  GPU memory  warnings  build" in result.stdout
    assert "None lies between them" in result.stdout
    data = json.loads(run(*words, "--format", "json").stdout)
    assert data["measures"] == ["price", "gpu_memory"]
    assert data["proof"]["optimal"] is True
    assert all(s["validation"]["builds"][0]["verdict"] == "pass" for s in data["solutions"])
    raw = (tmp_path / "frontier.svg").read_text(encoding="utf-8")
    tags = [e.tag.rpartition("}")[2] for e in ElementTree.fromstring(raw).iter()]
    assert tags.count("circle") == len(data["solutions"])
    assert set(tags) <= {"svg", "title", "desc", "style", "rect", "path", "text", "circle"}
    assert "url(" not in raw
    assert "GPU memory, GB" in raw
    assert "Price, USD" in raw


def test_a_stopped_frontier_is_not_proven(engine) -> None:
    wish = read_wish(OPEN.encode(), "wish.yaml")
    found = frontier(engine, wish, ("price", "gpu_memory"), stop=lambda: True)
    assert found.stopped
    assert found.points == ()
    assert "No build was found" in picture(frontier_drawing(found))


def test_hostile_names_stay_text(engine) -> None:
    """Neither a terminal nor a picture takes a name for more than a name."""
    wish = read_wish(WISH.encode(), "wish.yaml")
    answer = engine.configure(wish)
    best = answer.solutions[0]
    evil = "\033[31m<script>&\u202e\x00\r\nx"
    chosen = (replace(best.chosen[0], name=evil, doubt=evil), *best.chosen[1:])
    report = replace(best.report, name=evil)
    text = answer_text(
        replace(answer, solutions=(replace(best, chosen=chosen, report=report),)), evil
    )
    assert "\033" not in text
    assert "\u202e" not in text
    assert "\r" not in text
    found = frontier(engine, wish, ("price", "gpu_memory"))
    point = found.points[0]
    point = replace(point, proposal=replace(point.proposal, report=report))
    raw = picture(frontier_drawing(replace(found, points=(point,))))
    assert ElementTree.fromstring(raw) is not None
    assert "<script" not in raw
    assert "\u202e" not in raw


# -- complete ----------------------------------------------------------------


def test_a_build_is_completed(run, tmp_path) -> None:
    """What is there stays byte for byte; what is added passes, and is shown as a diff."""
    words = ("complete", "build.yaml", *MEMORY)
    result = run(*words, "-o", "whole.yaml", build=BUILD)
    assert result.exit_code == 0, result.output
    whole = (tmp_path / "whole.yaml").read_text(encoding="utf-8")
    assert whole.startswith(BUILD)
    assert lacking_sections(whole) == set()
    assert result.stdout.startswith(difference(BUILD.encode(), whole.encode(), "build.yaml"))
    assert "7 parts are there already and not priced." in result.stdout
    assert (tmp_path / "build.yaml").read_text(encoding="utf-8") == BUILD
    assert run("validate", "whole.yaml").exit_code == 0
    again = run("complete", "whole.yaml")
    assert again.exit_code == 0
    assert again.stdout == "whole.yaml: nothing is missing, and it passes.\n"
    data = json.loads(run("complete", "whole.yaml", "--format", "json").stdout)
    assert data["missing"] == data["solutions"] == []


def lacking_sections(text: str) -> set[str]:
    import yaml

    return set(lacking(yaml.safe_load(text)))


def test_a_file_somebody_else_changed_stays(run, tmp_path, monkeypatch) -> None:
    """What was written while parts were sought is not written over."""
    mine = tmp_path / "build.yaml"
    answer = Problem.answer

    def meanwhile(self, **told):
        mine.write_text("# changed\n", encoding="utf-8")
        return answer(self, **told)

    monkeypatch.setattr(Problem, "answer", meanwhile)
    done = run("complete", "build.yaml", "--in-place", *MEMORY, build=BUILD)
    refused(done, "it was changed while it was worked on")
    assert mine.read_text("utf-8") == "# changed\n"


def test_in_place_and_json(run, tmp_path) -> None:
    """The file is changed only if that is asked for; JSON has the changes."""
    words = ("complete", "build.yaml", *MEMORY)
    data = json.loads(run(*words, "--format", "json", build=BUILD).stdout)
    assert data["missing"] == ["memory", "storage"]
    assert [c["path"] for c in data["changes"]] == [["memory"], ["storage"], ["firmware"]]
    assert data["given"] == 7
    assert (tmp_path / "build.yaml").read_text(encoding="utf-8") == BUILD
    assert run(*words, "--in-place").exit_code == 0
    assert (tmp_path / "build.yaml").read_text(encoding="utf-8").startswith(BUILD)
    assert data["solutions"][0]["validation"]["builds"][0]["file"] == "build.yaml"


COMPLETING = {
    "empty": ("", (), ["the file is empty"]),
    "no cards": ("cpu: AMD EPYC 7302P\n", (), ["there are no GPUs in it"]),
    "unknown part": (BUILD.replace("EPYC 7302P", "EPYX 1"), (), ["no CPU 'AMD EPYX 1'"]),
    "twice": (BUILD, ("--cpu", "AMD EPYC 7302P"), ["gives 'cpu' already"]),
    "twice, the site": (BUILD, ("--outlet", "NEMA 5-15"), ["gives 'site' already"]),
    "twice, owned": (BUILD, ("--own", "case=Fractal Design Define 7 XL"), ["gives 'case' already"]),
    "to two places": (BUILD, ("--in-place", "-o", "x.yaml"), ["Give -o FILE alone"]),
    "over itself": (BUILD, ("-o", "build.yaml"), ["a file that it would be made from"]),
    "unknown word": (BUILD, ("--avoid", "Qqqqq"), ["--avoid"]),
}


@pytest.mark.parametrize("case", COMPLETING)
def test_bad_files_are_not_completed(run, tmp_path, case) -> None:
    text, arguments, words = COMPLETING[case]
    refused(run("complete", "build.yaml", *arguments, build=text), *words)
    assert [p.name for p in tmp_path.iterdir()] == ["build.yaml"]


def test_standard_input_is_not_changed(run) -> None:
    refused(run("complete", "-", "--in-place", stdin=BUILD), "standard input cannot be changed")


def test_parts_that_cannot_stand_together(run, tmp_path) -> None:
    """Said by rule, before anything is searched for; nothing is written."""
    build = BUILD.replace("AMD EPYC 7302P", "AMD Ryzen 5 3600")
    result = run("complete", "build.yaml", "--in-place", *MEMORY, build=build)
    assert result.exit_code == 1, result.output
    assert "cannot stand together, whatever is filled in" in result.stdout
    assert "socket-mismatch" in result.stdout
    assert "buildcheck why build.yaml" in result.stdout
    assert (tmp_path / "build.yaml").read_text(encoding="utf-8") == build
    data = json.loads(run("complete", "build.yaml", "--format", "json", *MEMORY).stdout)
    assert data["conflicts"][0]["rule"]


# -- words -------------------------------------------------------------------


def test_large_numbers_are_readable() -> None:
    assert count_text(10**15 - 1) == "999,999,999,999,999"
    assert count_text(13 * 10**20) == "1.3e21"
    assert count_text(10**400) == "1.0e400"


def test_rules_are_summed_from_the_seventh_on() -> None:
    lines = excluded_lines({f"r/{n}": n for n in range(1, 10)}, {"r/9": 3, "r/1": 1})
    assert len(lines) == 7
    assert lines[0].split() == ["9", "r/9", "(33", "%", "of", "them", "for", "want", "of", "data)"]
    assert lines[1].split() == ["8", "r/8"]
    assert lines[-1].split() == [
        "6",
        "3",
        "other",
        "rules",
        "(17",
        "%",
        "of",
        "them",
        "for",
        "want",
        "of",
        "data)",
    ]


def test_the_weakest_facts_are_named() -> None:
    one = Chosen(
        "gpus", "gpu/x", "X", 1, None, None, rests_on=(("a", "vendor"), ("b", "assumption"))
    )
    assert weakest(one) == ("assumption", ["b"])
    assert weakest(replace(one, rests_on=())) == ("", [])


def test_measures_are_read() -> None:
    assert measures_of("price, gpu_memory") == ("price", "gpu_memory")
    with pytest.raises(InputError):
        measures_of("price,price")


def test_a_closed_output_is_no_accident(tmp_path) -> None:
    """A reader that goes away, and no standard output at all."""
    path = tmp_path / "wish.yaml"
    path.write_text(WISH, encoding="utf-8")
    program = f"{sys.executable} -m buildcheck configure {path} {DAY}"
    for shell, code in (
        (f"{program} | head -c 1; exit ${{PIPESTATUS[0]}}", 0),
        (f"{program} >&-", 0),
    ):
        done = subprocess.run(
            ["bash", "-c", shell],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == code, done.stderr


def test_help_names_every_option() -> None:
    for command in ("configure", "complete"):
        text = CliRunner().invoke(main, [command, "--help"]).stdout
        for option in ("--gpus", "--budget", "--best", "--avoid", "--prices", "--time-limit"):
            assert option in text


# -- what is given, and what adds up over the machine ---------------------------


def test_a_frontier_of_what_adds_up(engine) -> None:
    """The cheapest build begins it, the one that draws least ends it, and none is beaten."""
    wish = read_wish(OPEN.encode(), "wish.yaml")
    found = frontier(engine, wish, ("price", "power")).points
    rows = [(p.value("price"), p.value("power")) for p in found]
    wish = replace(wish, careful=False)
    cheapest = engine.configure(wish, hopeful=False).solutions[0]
    frugal = engine.configure(replace(wish, best={"power": 1.0}), hopeful=False).solutions[0]
    assert rows[0][0] == cheapest.objective["price"]
    assert rows[-1] == (frugal.objective["price"], frugal.objective["power"])
    assert rows == sorted(rows)
    assert [w for _, w in rows] == sorted((w for _, w in rows), reverse=True)


#: Two cards of one chip at one price, of which there are several makes.
ALIKE = f"""wish: {{gpus: {{part: RTX 3090, count: 2, cooling: blower}}}}
site: {{voltage: 230 V, breaker: 16 A}}
prices: {{RTX 3090: 700 USD, {MODULE}: 80 USD}}
{OWNED}"""


class Stub:
    """A problem whose searches find given machines one after the other."""

    lists: ClassVar = {"gpus": []}

    def __init__(self, found, does) -> None:
        self.found, self.does = iter([*found, None]), does

    def measured(self, role: str, _names: object) -> list:
        assert role == "gpus"
        return []

    def search(self, **_) -> Stub:
        return self

    def solutions(self):
        return (m for m in [next(self.found)] if m)

    stopped = False

    def proof(self):
        return SimpleNamespace(optimal=True)

    def proposal(self, machine, *, strict: bool):
        assert strict
        values = self.does(machine)
        if values is None:
            raise DisagreementError("does not pass")
        objective = dict(zip(("price", "power"), values, strict=True))
        report = SimpleNamespace(findings=())
        return SimpleNamespace(objective=objective, machine=machine, report=report)


@pytest.mark.parametrize(
    ("other", "cards"),
    [
        ((90, 600), "a a"),  # as much with the cards of the build before
        ((95, 600), "a b"),
        ((90, 610), "a b"),
        (None, "a b"),
    ],
)
def test_a_frontier_changes_no_card_for_its_like(other, cards) -> None:
    """Cards with which the next build costs and does as much, and passes, stay."""
    values = {("a", 1): (80, 650), ("b", 2): (90, 600), ("a", 2): other}
    found = [{"gpus": "a", "psus": 1}, {"gpus": "b", "psus": 2}]
    stub = Stub(found, lambda m: values[m["gpus"], m["psus"]])
    points = list(Sweep(stub, ("price", "power"), None).run([]))
    assert " ".join(p.proposal.machine["gpus"] for p in points) == cards
    assert [p.proposal.objective["price"] for p in points] == [80, 90]


def test_builds_with_the_same_cards_say_what_else_is_in_them(engine) -> None:
    """In the table and in the picture, where no word is cut."""
    found = frontier(engine, read_wish(ALIKE.encode(), "wish.yaml"), ("price", "power"))
    names = build_words(found)
    assert len(set(names)) == len(names) > 1
    other = [c for c in found.points[1].proposal.chosen if c not in found.points[0].proposal.chosen]
    assert other
    assert all(c.name in names[1] for c in other if c.section != "gpus")
    assert all(name in frontier_text(found, "x") for name in names)
    drawn = " ".join(s.text for s in frontier_drawing(found).shapes)
    assert "…" not in drawn
    assert all(name in " ".join(drawn.split()) for name in names)


def test_given_memory_is_kept(run) -> None:
    """A section with several modules is not proposed anew."""
    build = f"{BUILD}memory: {{part: {MODULE}, count: 8}}\n"
    result = run("complete", "build.yaml", build=build)
    assert result.exit_code == 0, result.output
    assert "+storage:" in result.stdout
    assert "+memory:" not in result.stdout
    assert "15 parts are there already" in result.stdout


def test_a_given_supply_that_is_too_small(run) -> None:
    """Nothing is proposed beside it, not even if all that is unknown turned out well."""
    build = BUILD.replace("Corsair AX1600i", "{rated_power: 300 W}")
    result = run("complete", "build.yaml", build=build)
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)


def test_no_more_builds_are_sought_than_asked_for(engine, monkeypatch) -> None:
    whole = Search.solutions

    def one(search: Search) -> Iterator[dict]:
        for number, machine in enumerate(whole(search)):
            assert number == 0, "a second build was sought"
            yield machine

    monkeypatch.setattr(Search, "solutions", one)
    text = WISH.replace("wish: {", "wish: {careful: false, ", 1)
    answer = engine.configure(read_wish(text.encode(), "wish.yaml"), hopeful=False)
    assert len(answer.solutions) == 1


def test_a_search_that_is_stopped_has_some_build_that_passes(engine) -> None:
    search = engine.problem(read_wish(WISH.encode(), "wish.yaml")).search(stop=lambda: True)
    assert list(search.solutions()) == []
    machine, proof = search.some(), search.proof()
    assert not proof.optimal
    # What there is when time is up passes, and costs no less than is proven of the best.
    cost = sum(option.price for option in machine.values()) / 100
    assert proof.bound <= cost
    assert engine.problem(read_wish(WISH.encode(), "wish.yaml")).proposal(machine, strict=True)


def test_a_careful_wish_gets_what_no_rule_warns_of(engine) -> None:
    """It passes as all proposals do, and costs more than one with warnings, which stands beside."""

    def answer(careful: bool | None) -> Answer:
        wish = replace(read_wish(WISH.encode(), "wish.yaml"), careful=careful)
        return engine.configure(wish, hopeful=False)

    (plain,), (careful,) = answer(False).solutions, answer(True).solutions
    assert warned(plain)
    assert not warned(careful)
    assert careful.price.amount > plain.price.amount
    both = answer(None)
    assert both.bare is not None
    assert (both.bare.text, both.solutions[0].text) == (plain.text, careful.text)
    assert both.proof.optimal
    counted = (*both.proof.excluded_by.values(), both.proof.not_better, both.proof.found)
    assert sum(counted) == both.proof.candidates
    assert both.proof.found == answer(True).proof.found


def test_a_warning_that_a_manual_settles_keeps_from_no_board(engine) -> None:
    """Four cards on a board whose slot power nobody states: named, and refused if so wished."""
    text = WISH.replace("count: 2", "count: 4")
    answer = engine.configure(read_wish(text.encode(), "wish.yaml"), hopeful=False)
    assert answer.bare is not None
    assert warned(answer.solutions[0]) == ["cable/slot-power-unstated"]
    assert "but for what a manual settles (cable/slot-power-unstated)" in " ".join(
        answer_text(answer, "wish.yaml").split()
    )
    strict = text.replace("wish: {", "wish: {careful: true, ", 1)
    found = engine.configure(read_wish(strict.encode(), "wish.yaml"), hopeful=False).solutions
    assert all(warned(one) == [] for one in found)


def test_cards_are_used_with_the_adapter_they_are_wished_with(engine) -> None:
    """Four CPU-type sockets are more than any supply has plugs for; adapters are not priced."""
    text = (
        "wish: {gpus: {part: RTX A6000, count: 4ADAPTER}}\nsite: {outlet: NEMA 6-20}\n"
        "workload: {kind: training, parallel: data}\n"
    )
    plain = read_wish(text.replace("ADAPTER", "").encode(), "wish.yaml")
    assert engine.configure(plain, hopeful=False).solutions == ()
    wished = text.replace("ADAPTER", ", adapter: 2x PCIe 8-pin to EPS")
    answer = engine.configure(read_wish(wished.encode(), "wish.yaml"), hopeful=False)
    (found,) = answer.solutions
    assert found.uncounted == {"2x PCIe 8-pin to EPS": 4}
    assert "adapter: 2x PCIe 8-pin to EPS" in found.text
    feeds = [e.data["with"] for e in found.report.graph.edges if e.kind == "cabled"]
    assert {"pcie-8-pin": 2} in feeds
    said = " ".join(answer_text(answer, "wish.yaml").split())
    assert "Not in the total: 4x 2x PCIe 8-pin to EPS" in said


def test_what_is_hoped_for_can_be_looked_up(engine) -> None:
    """No board of which nobody knows a slot: a case or cooler for it would be a guess as well."""
    text = "wish: {gpus: 4x RTX 3090}\nsite: {outlet: NEMA 5-20}\nworkload: {kind: training}\n"
    hope = engine.configure(read_wish(text.encode(), "wish.yaml")).hopeful
    graph = hope.report.graph
    for name in ("motherboard.slots", "case.expansion_slots", "cooler.sockets"):
        kind, _, field = name.partition(".")
        assert graph.the(kind).value(field) is not None, name


def test_where_rules_warn_of_all_the_best_of_them_is_proposed(engine) -> None:
    """With what it costs, and it is said that there is none without a warning."""
    free = engine.configure(read_wish(WISH.encode(), "wish.yaml"), hopeful=False)
    text = WISH.replace("wish: {", f"wish: {{budget: {free.bare.price}, ", 1)
    answer = engine.configure(read_wish(text.encode(), "wish.yaml"), hopeful=False)
    assert answer.bare is None
    assert answer.solutions[0].price == free.bare.price
    assert warned(answer.solutions[0])
    assert answer.unwarned.optimal
    assert "Rules warn of every build" in answer_text(answer, "wish.yaml")


def test_where_rules_warn_of_all_no_warning_is_there_without_need(engine) -> None:
    """For a cent less than the cheapest without a warning costs: the fewest kinds, none to spare."""
    free = engine.configure(read_wish(WISH.encode(), "wish.yaml"), hopeful=False)
    most = f"{free.solutions[0].price.amount - Decimal('0.01')} USD"
    wish = read_wish(WISH.replace("wish: {", f"wish: {{budget: {most}, ", 1).encode(), "wish.yaml")
    problem = engine.problem(wish)
    answer = problem.answer(hopeful=False, top=2)
    assert answer.unwarned.optimal
    assert set(warned(answer.solutions[0])) == set(answer.accepted)
    assert set(answer.accepted) < set(warned(answer.bare))
    assert all(set(warned(one)) <= set(answer.accepted) for one in answer.solutions)
    assert (
        answer.bare.price.amount < answer.solutions[0].price.amount < free.solutions[0].price.amount
    )
    for rule in answer.accepted:
        problem.law.demand(careful=True, accepted=set(answer.accepted) - {rule})
        assert next(problem.search().solutions(), None) is None, rule
    said = " ".join(answer_text(answer, "wish.yaml").split())
    assert f"must have ({', '.join(answer.accepted)})" in said


def warned(proposal: Proposal) -> list[str]:
    """Rules that warn of a proposal, but for those about records such as old prices."""
    found = proposal.report.findings
    return [
        f.rule.id
        for f in found
        if f.verdict == "fail" and f.severity == "warning" and f.rule.applies_to not in KINDS
    ]


def test_beyond_a_budget_the_least_price_is_said(engine) -> None:
    """It is what the cheapest costs without a budget."""
    free = engine.configure(read_wish(WISH.encode(), "wish.yaml"), hopeful=False)
    text = WISH.replace("wish: {", "wish: {budget: 1000 USD, ", 1)
    short = engine.configure(read_wish(text.encode(), "wish.yaml"), hopeful=False)
    assert not short.solutions
    assert short.proof.needs == float(free.bare.price.amount)


def test_several_proposals_differ_in_cards_or_board(engine) -> None:
    found = engine.configure(read_wish(OPEN.encode(), "wish.yaml"), top=3, hopeful=False)
    machines = [
        tuple((c.section, c.part, c.count) for c in one.chosen if c.section in APART)
        for one in found.solutions
    ]
    assert len(set(machines)) == len(machines) > 1
    assert found.proof.optimal


def test_what_is_wanting_of_owned_parts_is_asked_for(engine) -> None:
    """Without the plugs of a supply nothing can be known to pass; then nobody looks for a build."""
    text = f"wish: {{gpus: {{part: {CARD}, count: 1}}}}\nowned: {{psus: {{rated_power: 1500 W}}}}\n"
    answer = engine.configure(read_wish(text.encode(), "wish.yaml"), hopeful=False)
    assert not answer.solutions
    assert [f.field for f in answer.wanting] == ["plugs"]
    assert "its plugs are not known" in " ".join(answer_text(answer, "wish.yaml").split())
