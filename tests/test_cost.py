"""What a build costs: the worked figures of public advice, and what is said where data lack.

The figures are those of two public guides, kept as seeds 002 (Tim Dettmers, 2023) and 004 (his
guide of 2020, in a collection of notes). Where a figure does not come out, the test says so.
"""

import math
import re
from dataclasses import replace

import pytest
from cases import holds, swapped
from conftest import each_of, each_row, problems_in, table

from buildcheck.errors import InputError
from buildcheck.load.price_list import price_book
from buildcheck.logic.quantity import exact
from buildcheck.model.answer import Figure
from buildcheck.model.money import Tariff, read_tariff
from buildcheck.model.rate import read_rates
from buildcheck.purchasing.cost import CostAnswer, cost_answer, with_overrides
from buildcheck.purchasing.cost.owning import DAY, YEAR, Owning
from buildcheck.render import templates
from buildcheck.render.drawings.figures import owning_drawing

#: The desktop of both seeds: 350 W of card and 100 W of CPU at the wall, 2200 USD, 0.12 USD/kWh.
DESKTOP = table("cost", "desktop")


def cost_text(answer: CostAnswer, *, verbose: bool = False) -> str:
    return " ".join(templates.text("cost", answer, verbose=verbose).split())


def middle(value):
    assert value.high - value.low < 1e-9 * max(1, value.high)
    return value.low


def test_seed_002_300_days_of_the_cloud_against_a_year_of_the_desktop(unjudged) -> None:
    """2.14 x 15 % x 24 x 300 = 2311 USD; 2200 + 71 USD, of which the seed drops the cents: 2270.

    The seed, and 004 after it, sets 300 days of renting beside a whole year of electricity.
    """
    found = cost_answer(unjudged(DESKTOP))
    hours = 300 * 24 * 0.15
    assert middle(found.hourly_rent) * hours == pytest.approx(2311, abs=0.5)
    assert math.floor(middle(found.spent[0].owned)) == 2270
    assert middle(found.spent[0].electricity) == pytest.approx(71, abs=0.1)


def test_seed_002_break_even_after_about_300_days(unjudged) -> None:
    """With electricity of the same days, both have cost the same after 293 days: within a year.

    Seed 004 has the same numbers.
    """
    found = cost_answer(unjudged(DESKTOP))
    days = middle(found.break_even.days)
    assert days == pytest.approx(292.96, abs=0.01)
    assert days == pytest.approx(300, rel=0.03)
    assert days < 365  # the rule of thumb of both: a desktop is cheaper from a year on
    assert "from day 293 on at 15 % use" in cost_text(found)


def test_seed_004_spot_at_90_cents_takes_about_two_years(unjudged) -> None:
    """The seed says 20 months. Its own inputs give 24, and 22 if electricity is left out.

    20 months come out at a use of 18 %, or without electricity at 1 USD an hour, which is "about
    0.9" rounded once more; the seed states neither.
    """
    report = unjudged(DESKTOP.replace("p3.2xlarge", "p3.2xlarge spot"))
    found = cost_answer(report)
    assert found.is_interruptible
    month = 365 / 12
    assert middle(found.break_even.days) / month == pytest.approx(23.75, abs=0.01)
    bare = Owning(exact(2200), exact(0), exact(0.9)).break_even
    assert middle(bare / (DAY * exact(0.15))) / month == pytest.approx(22.3, abs=0.1)
    rounded = Owning(exact(2200), exact(0), exact(1)).break_even
    assert middle(rounded / (DAY * exact(0.15))) / month == pytest.approx(20, abs=0.15)
    own = Owning(exact(2200), exact(middle(found.hourly_electricity)), exact(0.9)).break_even
    assert middle(own / (YEAR * exact(20 / 12))) == pytest.approx(0.178, abs=0.001)


def test_seed_004_15_percent_are_3_hours_36_minutes_a_day() -> None:
    assert middle(YEAR / exact(365.0) * exact(0.15)) == pytest.approx(3.6)


def test_seed_002_usual_uses_and_years(unjudged) -> None:
    """5 to 10 %, 15 %, 35 % and 60 % (seed 004 too); owned for five years."""
    found = cost_answer(unjudged(DESKTOP))
    shares = {row.machine: [row.use.low, row.use.high] for row in found.years_of_use}
    assert shares == table("cost", "usual_uses")
    assert found.years == 5


@each_row
def test_seed_prices_of_clouds_are_listed(name, low, high, catalog) -> None:
    """In USD an hour, as seeds 002 and 004 have them."""
    part = catalog.part(catalog.find("cloud-instance", name))
    tariff = part.facts["hourly_price"].value
    assert (tariff.each.low, tariff.each.high) == (low, high)
    assert (tariff.currency, tariff.per) == ("USD", "h")


def dated(catalog):
    """Every price by time or energy of the catalogue, with where it stands."""
    for kind in ("cloud-instance", "country"):
        for part_id in catalog.ids(kind):
            for name, found in catalog.part(part_id).facts.items():
                if isinstance(found.value, Tariff):
                    yield f"{part_id} {name}", found


def test_no_price_is_newer_than_its_source_says(catalog) -> None:
    """Its day, or year, is the one that the source names, never the one we copied it on."""
    for where, found in dated(catalog):
        source = found.source
        assert source.as_of, where
        assert source.as_of <= source.read, where
        words = f"{source.title} {found.note}"
        days = re.findall(r"\b20\d\d-\d\d-\d\d\b", words)
        years = re.findall(r"\b20\d\d\b", words)
        assert years, f"{where} names no year"
        assert source.as_of <= min(days, default="9999"), where
        assert source.as_of[:4] <= max(years), where


def test_a_rent_of_unknown_day_is_not_said_to_be_of_the_day_it_was_read(unjudged) -> None:
    made = overridden(unjudged, cloud="OpenRelay RTX 3090")
    undated = tuple(replace(one, as_of="") for one in made.rentals)
    assert "not known; read 2026-11-22" in cost_text(replace(made, rentals=undated))


BASES = table("cost", "bases")


@each_of("answers")
def test_what_is_answered(case, unjudged) -> None:
    report = with_overrides(unjudged(swapped(case, BASES)), case.get("over", {}))
    found = cost_answer(report, rates=read_rates(case.get("rates", ())))
    holds(found, case, cost_text(found, verbose=case.get("verbose", False)))


def test_what_is_measured_goes_before_what_is_reckoned(unjudged) -> None:
    """In the cost, and in the energy that a rule judges."""
    report = unjudged(DESKTOP)
    assert report.facts("cost.work_power") == exact(450)
    assert middle(report.facts("circuit.yearly_energy")) == pytest.approx(591.3)
    assert middle(report.facts("cost.work_heat_btu_per_hour")) == pytest.approx(450 * 3.412)


def test_rentals_are_listed_by_likeness_not_by_price(unjudged) -> None:
    """The same GPU, then the nearest speed; in euros a rate makes them comparable, and is named."""
    found = cost_answer(unjudged(BASES["unrented"].replace("gpus: RTX 3090", "gpus: 2x RTX 4090")))
    same = [one.is_same_gpu for one in found.rentals]
    assert same == sorted(same, reverse=True)
    assert same[0]
    apart = [abs(math.log(r.usual_instances)) for r in found.rentals if not r.is_same_gpu]
    assert apart == pytest.approx(sorted(apart), abs=1e-5)
    euros = BASES["unrented"].replace("USD", "EUR")
    assert "--rate '1 USD = ... EUR' makes them comparable" in cost_text(
        cost_answer(unjudged(euros))
    )


PARTS = DESKTOP.replace("machine: 2200 USD, ", "")


def test_parts_without_a_price_have_their_shipped_list_price(unjudged, catalog) -> None:
    """With its date, and that it is no offer; a price of the file stands for itself."""
    build = PARTS.replace("gpus: RTX 3090", "gpus: 2x RTX 3090\npsus: [Corsair AX1600i]")
    found = cost_answer(unjudged(build))
    book = price_book(catalog)
    gpu, psu = book.of_chip("gpu/nvidia/rtx-3090"), book.of("psu/corsair/ax1600i")
    assert found.machine.amount.amount == 2 * gpu.amount + psu.amount
    assert [one.name for one in found.machine.listed] == ["RTX 3090", "Corsair AX1600i"]
    assert found.machine.listed[1].amount.as_of == psu.as_of
    assert {gpu.as_of, psu.as_of} == {found.machine.oldest, found.machine.newest}
    assert not found.machine.is_complete
    assert "machine" not in found.missing
    assert "list-prices" in found.assumptions
    assert found.break_even is not None
    text = cost_text(found)
    assert "at shipped list prices (US shops, no offers)" in text
    assert str(psu.as_of) in text
    own = build.replace("2x RTX 3090", "[{part: RTX 3090, count: 2, price: 900 USD}]")
    mixed = cost_answer(unjudged(own)).machine
    assert mixed.amount.amount == 1800 + psu.amount
    assert [one.name for one in mixed.listed] == ["Corsair AX1600i"]


@each_row
def test_a_rate_that_cannot_be_used_is_refused(texts, why) -> None:
    with pytest.raises(ValueError, match=why):
        read_rates(texts)


@each_row
def test_what_is_missing_is_said_and_never_made_up(change, lack, unjudged) -> None:
    text = DESKTOP
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    found = cost_answer(unjudged(text))
    assert lack in found.missing
    assert "not known" not in cost_text(found).replace("is not known: ", "")
    if lack not in ("carbon", "use"):
        assert found.break_even is None
        assert "Owning is cheaper" not in cost_text(found)
        assert owning_drawing(found) is None


@each_row
def test_electricity_without_a_price_says_what_to_add(site, words, unjudged) -> None:
    place = "country: US, electricity_price: 0.12 USD/kWh"
    assert words in cost_text(cost_answer(unjudged(DESKTOP.replace(place, site))))


@each_row
def test_the_country_says_what_households_pay(country, each, currency, unjudged) -> None:
    """With its year, and that it is assumed; none where it is not in the catalogue."""
    text = DESKTOP.replace("country: US, electricity_price: 0.12 USD/kWh", f"country: {country}")
    found = cost_answer(unjudged(text))
    assert found.electricity_price == Figure(each, each, f"{currency}/kWh")
    assert "household" in found.assumptions
    source = next(one for one in found.sources if one.name == "electricity_price")
    assert any(year in f"{source.title}{source.note}" for year in ("2022", "2024", "2025"))
    assert "household" not in cost_answer(unjudged(DESKTOP)).assumptions
    other = unjudged(text.replace(f"country: {country}", "country: NZ"))
    assert "electricity" in cost_answer(other).missing


def overridden(unjudged, **options):
    return cost_answer(with_overrides(unjudged(DESKTOP), options))


@each_row
def test_an_option_that_cannot_be_used_is_refused(options, why, unjudged) -> None:
    with pytest.raises(InputError, match=why):
        overridden(unjudged, **options)


def test_all_that_is_wrong_is_shown_at_once(unjudged) -> None:
    wrong = problems_in(overridden, unjudged, country="Atlantis", use="much", years="no")
    assert [p.path for p in wrong] == ["--country", "--use", "--years"]


@each_row
def test_a_price_per_kwh_that_cannot_be_read_is_refused(text, why) -> None:
    with pytest.raises(ValueError, match=why):
        read_tariff(text, "kWh", "0.12 USD/kWh")
