"""The guide and the chart: what published advice says, by whom and when, and that it holds together.

The figures are those of four public guides of Tim Dettmers, kept as seeds: 003 (2019), 000, 001 and
004 (2020, 004 with the hardware guide of 2018), 002 (2023); the flow of the chart of 2023, which
seed 002 describes, is that of Nan Xiao's selector.
"""

import pytest
from conftest import table

from buildcheck.advise.flowchart import follow
from buildcheck.logic.quantity import exact
from buildcheck.model.advice import chart, guide
from buildcheck.model.vocabulary import shipped


def said(use: str, year: int) -> list[tuple[str, float, float]]:
    """What the sources of a year ask for, in GB, and of what part of the use."""
    sources = guide().sources
    return [
        (one.of or "", one.least.low, one.least.high)
        for one in guide().uses[use].memory
        if sources[one.source].year == year
    ]


#: Of seeds 000 to 004 (000, 001, 002, 003, 004): use, year, what part of it, least GB from and to.
MEMORY = table("guide", "memory")


@pytest.mark.parametrize(
    ("seed", "use", "year", "of", "low", "high"),
    [(seed, *row) for seed, rows in MEMORY.items() for row in rows],
)
def test_memory_by_use_and_year_is_that_of_the_seeds(seed, use, year, of, low, high) -> None:
    """Each statement stands with its year; that two of them differ is kept."""
    assert (of, low, high) in said(use, year), seed


def test_no_statement_on_memory_is_of_our_own() -> None:
    """All there are stand above, but for the cluster, whose are those of its cards."""
    listed = {tuple(row) for rows in MEMORY.values() for row in rows}
    years = {s.year for s in guide().sources.values()}
    found = {
        (use, year, *one)
        for use in guide().uses
        for year in years
        for one in said(use, year)
        if use != "cluster"
    }
    assert found == listed


def test_memory_from_a_card_is_that_of_the_card(catalog) -> None:
    """Where a card was recommended and no amount stated, the catalogue says what it has."""
    stated = [m for use in guide().uses.values() for m in use.memory if m.from_gpu]
    assert len(stated) == 4
    for one in stated:
        part = catalog.part(catalog.find("gpu", one.from_gpu))
        assert part.facts["memory"].value == one.least, one.from_gpu


def test_seeds_001_and_002_the_lab_split() -> None:
    """66 to 80 % for prototyping, 20 to 33 % for roll-out; of the budget in 2020, of cards in 2023."""
    by_year = {guide().sources[s.source].year: s for s in guide().splits}
    for one in by_year.values():
        assert (one.prototyping.low, one.prototyping.high) == pytest.approx((0.66, 0.80))
        assert (one.roll_out.low, one.roll_out.high) == pytest.approx((0.20, 0.33))
    cards = {year: (one.prototype_card, one.roll_out_card) for year, one in by_year.items()}
    assert cards == {2020: ("RTX 3080", "RTX 3090"), 2023: ("RTX 6000 Ada", "H100 SXM")}
    assert {year: one.of for year, one in by_year.items()} == {2020: "budget", 2023: "cards"}


def test_seed_004_clusters_of_eight_and_the_sizes_that_change_the_advice() -> None:
    """Machines of 8 cards; other kinds of machine from 128 and from 512 cards on."""
    cluster = guide().cluster
    assert (cluster.gpus_each, cluster.large, cluster.huge) == (8, 128, 512)


def test_seed_004_used_cards_and_what_they_cost_in_2020() -> None:
    """The order in which they were named goes down in price but for one pair, as in the seed."""
    found = guide()
    (one,) = [n for n in found.named if n.prices]
    prices = {card: int(price.amount) for card, price in zip(one.entries, one.prices, strict=True)}
    assert prices == table("guide", "used_in_2020")


def lead(*answers: str) -> str:
    """The end that answers lead to, in their order; `y` and `n`."""
    left = list("".join(answers))
    steps, end = follow(chart(), lambda _: (left.pop(0) == "y", "told", ""))
    assert not left, [step.question for step in steps]
    return end


#: Ways through the chart of 2023, the cards named at their ends, and what was bought.
FLOW = table("guide", "flow")


@pytest.mark.parametrize("answers", FLOW)
def test_seed_002_the_chart_leads_where_that_of_2023_did(answers) -> None:
    """Whose it is, what for, then what is within the budget, new before used before rented."""
    end, cards = FLOW[answers]
    assert lead(answers) == end
    assert chart().ends[end].cards == tuple(cards)


def test_the_chart_has_no_other_ways() -> None:
    """Each way through it is one of those above: no dead end, and no end out of reach."""

    def ways(name: str) -> list[str]:
        one = chart().questions.get(name)
        return ways(one.then) + ways(one.otherwise) if one else [name]

    assert len(ways(chart().start)) == len(FLOW)
    assert {*ways(chart().start)} == {end for end, _ in FLOW.values()} == set(chart().ends)


def test_the_ends_ask_for_the_memory_of_the_cards_named_there(catalog) -> None:
    """The least of them: the criterion is no stricter than the card was."""
    for name, end in chart().ends.items():
        if end.kind != "card" or name == "data-centre":
            continue
        least = min(
            catalog.part(catalog.find("gpu", card)).facts["memory"].value.low for card in end.cards
        )
        assert end.memory == exact(least), name


def named_sources(value, key=""):
    """Every name of a source in plain data."""
    if key == "source":
        yield value
    elif key == "sources" and isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from named_sources(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from named_sources(one)


@pytest.mark.parametrize("name", ["advice", "chart"])
def test_each_statement_has_a_source_and_each_source_a_statement(name) -> None:
    """No document is listed that nothing is from."""
    data = shipped("rules", name)
    assert {*named_sources(data)} == data["sources"].keys()


def test_uses_and_prices_belong_to_something() -> None:
    """Whatever names a use names one there is; a list of cards has as many prices, or none."""
    found, questions = guide(), chart().questions.values()
    for one in found.named:
        assert {*one.uses} <= found.uses.keys()
        assert len(one.prices) in (0, len(one.entries))
    for one in questions:
        assert {*one.yes_for, *one.no_for} <= found.uses.keys()
        assert not {*one.yes_for} & {*one.no_for}
        assert one.affords is None or chart().ends[one.affords].memory
    assert not chart().questions.keys() & chart().ends.keys()
