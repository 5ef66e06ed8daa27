"""`advise`: from a use and a budget to GPUs in order, with reasons, ages and assumptions."""

import datetime
import json
import re
import shlex
import xml.etree.ElementTree as ET
from decimal import Decimal

import pytest
from cases import holds
from click.testing import CliRunner
from conftest import each_of, each_row, flat, table

from buildcheck.advise import AdviceAnswer, advice_answer, advice_request
from buildcheck.advise.flowchart import flowchart
from buildcheck.cli import main
from buildcheck.load.price_list import price_book
from buildcheck.model.advice import chart, guide
from buildcheck.model.rate import read_rates

DAY = "2026-11-22"
#: Prices of our own for a few GPUs, so that no list decides; those of the rest are shipped.
OWN = {"RTX 3090": "700 USD", "RTX 4090": "1600 USD", "RTX 3060": "280 USD"}


def run(*words: str) -> tuple[int, str, str]:
    """The exit code, and what is printed on both streams."""
    done = CliRunner().invoke(main, ["advise", *words, "--today", DAY])
    return done.exit_code, done.stdout, done.stderr


def text_of(*words: str) -> str:
    """The text of a command that works, in one line."""
    code, out, _ = run(*words)
    assert code == 0
    return " ".join(out.split())


@pytest.fixture
def advised(catalog):
    """The answer to options by name."""

    def make(top=1000, folder=None, **options) -> AdviceAnswer:
        request = advice_request(catalog, options)
        book = price_book(catalog, given=request.prices, rates=request.rates, folder=folder)
        day = datetime.date.fromisoformat(DAY)
        return advice_answer(request, catalog, book, day, top, verbose=True)

    return make


def by_name(answer) -> dict:
    return {one.name: one for one in answer.gpus}


def general(answer) -> set[str]:
    """Codes of what is advised against whatever the GPU."""
    return {note.code for note in answer.notes if not note.gpus}


@each_of("answers")
def test_what_is_answered(case, advised) -> None:
    more = {"rates": read_rates(case["rates"])} if "rates" in case else {}
    holds(advised(**case["over"], **more), case)


NEED = table("advise", "need")


@pytest.mark.parametrize("use", NEED)
def test_every_use_asks_for_the_memory_of_its_latest_statement(use, advised) -> None:
    """And no GPU on the list has less."""
    least, year = NEED[use]
    found = advised(use=use)
    assert (found.memory.least.low, found.memory.by) == (least, year)
    assert all(one.memory.low >= least for one in found.gpus)
    assert {one.year for one in found.memory.stated} >= {int(year)}


def test_each_list_of_prices_has_its_day_and_the_rows_it_prices(advised, tmp_path) -> None:
    """The age is that of the oldest."""
    expensive = "gpu/nvidia/rtx-pro-6000-blackwell-workstation-edition"
    cheap = "gpu/nvidia/rtx-pro-4000-blackwell"

    def lists(**given):
        for name, rows in given.items():
            head = {"currency": "USD", "sources": {name: {"title": name}}}
            lines = [head, *([part, amount, part, 1, "", name, day] for part, amount, day in rows)]
            text = "\n".join(map(json.dumps, lines))
            (tmp_path / f"{name}.jsonl").write_text(text + "\n", encoding="utf-8")
        found = advised(use="training", folder=tmp_path)
        assert found.price_age_days == 20
        return [(str(one.as_of), one.source, one.places) for one in found.price_lists]

    day = "2026-11-02"
    assert lists(shop=[(expensive, "9000", day), (cheap, "1500", day)]) == [(day, "shop", (1, 2))]
    assert lists(maker=[(expensive, "8565", "2026-11-12")]) == [
        *((day, "shop", (1,)), ("2026-11-12", "maker", (2,)))
    ]


def test_the_first_gpu_does_most_for_the_money(advised) -> None:
    """By the usual estimate, at the cheapest prices, and every other one is relative to it."""
    first, *rest = advised(use="training", budget="3000 USD").gpus
    assert (first.speed.usual, first.value.usual) == (1.0, 1.0)
    usual = [one.value.usual for one in rest if not one.advised_against]
    assert usual == sorted(usual, reverse=True)
    assert usual[0] <= 1


def test_speed_for_the_money_is_speed_over_what_owning_costs(advised) -> None:
    """Price, a machine, and five years of electricity at 15 %: by hand for an RTX 3090."""
    found = by_name(advised(use="training", price=[f"{n}={p}" for n, p in OWN.items()]))

    def cost(price: float, watts: float) -> float:
        return price + 700 + watts * 0.15 * 24 * 365 * 5 / 1000 * 0.175

    one, other = found["RTX 3090"], found["RTX 4090"]
    wanted = one.speed.usual / other.speed.usual * cost(1600, 450) / cost(700, 350)
    assert one.value.usual / other.value.usual == pytest.approx(wanted)


def test_several_gpus_share_a_machine(advised) -> None:
    """So a cheap GPU does better against an expensive one in a machine of four than alone."""
    prices = [f"{n}={p}" for n, p in OWN.items()]

    def ratio(count: str) -> float:
        found = by_name(advised(memory="12 GB", count=count, price=prices))
        return found["RTX 3060"].value.usual / found["RTX 4090"].value.usual

    assert ratio("4") > ratio("1")


@pytest.mark.parametrize(("budget", "count"), [("900 USD", 1), ("2500 USD", 2), ("400 USD", 1)])
def test_no_gpu_is_beyond_the_budget(budget, count, advised) -> None:
    """As many as are asked for cost no more, and as many as the budget buys are counted."""
    money = Decimal(budget.split()[0])
    found = advised(use="kaggle", budget=budget, count=str(count))
    for one in found.gpus:
        price = one.offer.cheapest.amount
        assert price * count <= money
        assert 1 <= one.best_place <= one.place <= one.worst_place
        assert one.affordable == money // price
    (beyond,) = [one for one in found.left_out if one.reason == "budget"]
    assert beyond.count == len(beyond.gpus)
    assert beyond.cheapest.amount * count > money


def test_what_is_advised_against_is_behind_the_rest(advised) -> None:
    """A Turing GPU that does most for its money is not what others are relative to."""
    words = {
        "memory": "48 GB",
        "price": ["Quadro RTX 8000=900 USD"],
        "answer": ["organisation=yes"],
    }
    found = advised(use="research", **words)
    against = [bool(one.advised_against) for one in found.gpus]
    assert against == sorted(against)
    turing = by_name(found)["Quadro RTX 8000"]
    assert found.gpus[0].value.usual == 1 < turing.value.usual
    assert "no-bfloat16" in turing.advised_against
    assert advised(use="vision", **words).gpus[0].name == "Quadro RTX 8000"


def test_more_gpus_bring_more_advice(advised) -> None:
    """Blowers from three on, room for three slots from four on, no mixing from two on."""
    found = {count: general(advised(use="kaggle", count=f"{count}")) for count in (1, 2, 3, 4)}
    assert {"founders-edition", "mixed"} <= found[2] - found[1]
    assert "open-coolers" in found[3] - found[2]
    assert "three-slots" in found[4] - found[3]


def test_a_used_gpu_is_worth_what_makes_it_as_good_for_the_money(advised) -> None:
    """At that price its speed for the money is that of the first GPU."""
    prices = ["RTX 4090=1600 USD"]
    found = advised(use="training", used=True, price=prices)
    worth = {one.name: one.up_to.amount for one in found.used_values}
    prices.append(f"RTX 3090={worth['RTX 3090']} USD")
    again = by_name(advised(use="training", used=True, price=prices))
    ratio = again["RTX 3090"].value.usual
    assert ratio / again[found.relative_to].value.usual == pytest.approx(1, rel=2e-3)


def test_used_gpus_are_asked_for_and_never_taken_for_granted(advised) -> None:
    """With the word it says what they may cost, within the budget, the likeliest first."""
    assert advised(use="kaggle").used_values == ()
    found = advised(use="kaggle", used=True, budget="500 USD").used_values
    assert found
    assert all(one.up_to.amount <= 500 for one in found)
    assert all(one.surely is None or one.surely.amount <= one.up_to.amount for one in found)
    assert any(one.surely and one.surely.amount < one.up_to.amount for one in found)
    shares = [one.share_of_new for one in found]
    assert shares == sorted(shares, reverse=True)


def test_the_end_of_the_flowchart_names_gpus_of_today(advised) -> None:
    """With the memory it asks for, within the budget, new or used as it says; or none."""
    found = advised(use="kaggle", budget="800 USD")
    assert found.flowchart.end.code == "take-new-16"
    assert found.flowchart.gpus
    for name in found.flowchart.gpus:
        one = by_name(found)[name]
        assert one.memory.low >= 16
        assert one.offer.cheapest.amount <= 800


def test_an_assumption_can_be_confirmed_with_the_words_that_are_offered(advised) -> None:
    text = text_of("--use", "kaggle", "--verbose")
    offered = re.findall(r"--answer ([a-z0-9-]+=(?:yes|no))", text)
    assert offered
    steps = advised(use="kaggle", answer=offered).flowchart.steps
    assert not [step for step in steps if step.by == "assumed"]


def test_every_end_is_reached_by_answers(catalog) -> None:
    """By those given as options, so that the flowchart can be followed from the command line."""
    ends = set()

    def on(name: str, answers: list[str]) -> None:
        if name in chart().ends:
            found = flowchart(advice_request(catalog, {"answer": answers}), [])
            assert found.end.code == name
            assert not any(step.is_assumed for step in found.steps)
            ends.add(name)
            return
        one = chart().questions[name]
        on(one.then, [*answers, f"{name}=yes"])
        on(one.otherwise, [*answers, f"{name}=no"])

    on(chart().start, [])
    assert ends == set(chart().ends)


def test_the_drawing_shows_every_number_within_a_phones_width(tmp_path) -> None:
    """An SVG that loads nothing, and says all ends and questions to who cannot see it."""
    file = tmp_path / "chart.svg"
    assert run("--use", "training", "--svg", str(file))[0] == 0
    root = ET.fromstring(file.read_text("utf-8"))
    texts = [t.text or "" for t in root.iter("{http://www.w3.org/2000/svg}text")]
    beginnings = {t.partition(" ")[0] for t in texts}
    numbers = {str(n) for n in range(1, len(chart().questions) + len(chart().ends) + 1)}
    assert numbers <= beginnings
    words = " ".join(root.find("{http://www.w3.org/2000/svg}desc").text.split())
    for one in (*chart().questions.values(), *chart().ends.values()):
        assert (getattr(one, "ask", None) or one.advice) in words
    assert "http" not in file.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
    assert float(root.get("width")) == 480


def test_seed_001_a_lab_with_100_000_usd(advised) -> None:
    """66 to 80 % of the budget for prototyping, 20 to 33 % for production, in whole GPUs."""
    found = advised(use="cluster", budget="100000 USD", price=["RTX 3090=700 USD"])
    assert found.request.owner == "organisation"
    (split,) = [one for one in found.allocations if one.year == 2020]
    prototyping, production = split.shares
    assert (prototyping.money.low, prototyping.money.high) == pytest.approx((66000, 80000))
    assert (production.money.low, production.money.high) == pytest.approx((20000, 33000))
    lab = by_name(advised(memory="10 GB", price=["RTX 3090=700 USD"], answer=["organisation=yes"]))
    for one in split.shares:
        gpu = lab[one.gpu]
        price = float(gpu.offer.cheapest.amount)
        assert one.count.low * price <= one.money.low < (one.count.low + 1) * price
        assert gpu.memory.low >= one.memory.low
    assert (prototyping.recommended, production.recommended) == ("RTX 3080", "RTX 3090")


@each_of("screens")
def test_the_answer_is_first_and_fits_a_screen(case) -> None:
    """With the day of its price; history and sources only with --verbose."""
    words, first = case
    _, out, _ = run(*words)
    assert " ".join(out.split()).startswith(first)
    assert len(out.splitlines()) <= 30
    assert all(len(line) <= 100 for line in out.splitlines() if not line.startswith("  echo "))
    assert "Tim Dettmers" not in out


def test_the_page_says_it_all_and_loads_nothing(tmp_path, advised) -> None:
    """GPUs, flowchart, years and sources, in one file; a name that is markup stays text."""
    prices = tmp_path / "<b>prices.yaml"
    prices.write_text("prices: {RTX 3090: 700 USD}\n", "utf-8")
    files = [tmp_path / "page.html", tmp_path / "again.html"]
    words = ("--use", "cluster", "--budget", "50000 USD", "--used", "--prices", str(prices))
    for file in files:
        assert run(*words, "--html", str(file))[0] == 0
    page = files[0].read_text("utf-8")
    for one in advised(top=8, use="cluster", budget="50000 USD").gpus:
        assert one.name in page
    for question in chart().questions.values():
        assert question.ask in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=\"(?!#|https://)", page)
    assert "<b>prices" not in page
    assert files[1].read_bytes() == files[0].read_bytes()


def test_verbose_has_the_history_and_every_source() -> None:
    """Kaggle: an RTX 2070 in 2019, an RTX 3070 in 2020."""
    text = text_of("--use", "kaggle", "--verbose")
    assert "2019, Kaggle: RTX 2070" in text
    assert "2020, Kaggle: RTX 3070" in text
    for one in guide().sources.values():
        assert " ".join(one.title.split()) in text
        assert one.url in text


@pytest.mark.parametrize("ask", guide().by_model.values())
def test_commands_for_uses_that_depend_on_the_model_work(ask) -> None:
    """Typed as they are printed, they say what each GPU needs."""
    build, words = re.fullmatch(r"echo '(.+)' \| buildcheck (.+)", ask).groups()
    done = CliRunner().invoke(main, shlex.split(words), input=f"{build}\n")
    assert (done.exit_code, "Each GPU holds" in done.stdout) == (0, True)
    assert ask in text_of().replace("  ", " ")


@each_row
def test_uses_are_understood_in_words_of_people(word, use, catalog) -> None:
    """Every word belongs to one use."""
    assert advice_request(catalog, {"use": word}).use == use
    words = [w for name, one in guide().uses.items() for w in (name, *one.words)]
    assert len({*words, *guide().not_covered}) == len(words) + len(guide().not_covered)


@each_of("wrong")
def test_what_cannot_be_used_is_refused(case) -> None:
    """Exit code 2, a sentence on standard error, and no answer."""
    words, message = case
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert "\x1b" not in err
    assert len(err) < 1500
    assert "Traceback" not in err


def test_all_that_is_wrong_is_refused_at_once() -> None:
    words = ("--use", "chess", "--budget", "much", "--count", "0", "--memory", "5 W")
    code, out, err = run(*words, "--answer", "a=b", "--price", "x", "--format", "json")
    assert code == 2
    problems = json.loads(out)["errors"]
    assert {p["path"] for p in problems} == {
        *("--use", "--budget", "--count", "--memory", "--answer", "--price")
    }
    assert len(flat(err).splitlines()) == len(problems)
    assert err.endswith("6 problems; nothing was done\n")


def test_speed_needs_no_currency(advised) -> None:
    """Only what is for the money is not known, and no order by it is claimed."""
    found = advised(use="training", electricity="0.30 EUR/kWh", used=True)
    speeds = [(bool(one.advised_against), -one.speed.usual) for one in found.gpus]
    assert speeds == sorted(speeds)
    assert found.gpus[0].speed.usual == 1.0
    assert {one.value for one in found.gpus} == {None}
    assert (found.ranked_by, found.without_value) == ("speed", "currency")
    assert found.used_values == ()


def test_the_offer_of_a_chip_is_its_cheapest_gpu(advised, catalog) -> None:
    book = price_book(catalog)
    gpu = by_name(advised(use="training"))["RTX 4090"]
    prices = [book.of(i).amount for i in book.by_chip()[gpu.id]]
    assert gpu.offer.cheapest.amount == min(prices)
    assert gpu.offer.records == len(prices)
    assert sum(p <= gpu.offer.middle.amount for p in prices) >= len(prices) / 2
