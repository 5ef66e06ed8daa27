"""The command that tells what a build costs to buy, run and own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck.cli.build import QUOTES, build_argument, command, judged
from buildcheck.cli.frame import PRICES, RATES, Frame, field_option, framed

if TYPE_CHECKING:
    from pathlib import Path

    from buildcheck.model.rate import Rates


@command("cost")
@build_argument()
@framed(
    QUOTES,
    PRICES,
    field_option("use", "Share of the time it works, such as '15 %'.", "SHARE"),
    field_option("country", "Country whose grid and household price apply, such as DE.", "NAME"),
    field_option("electricity-price", "Price of electricity, such as '0.12 USD/kWh'.", "PRICE"),
    field_option("carbon-intensity", "Carbon dioxide of the grid, such as '380 g/kWh'.", "AMOUNT"),
    field_option("years", "Years it is owned."),
    field_option("machine", "Price of the whole machine, such as '2200 USD'.", "PRICE"),
    field_option("wall-power", "Measured power from the wall, such as '450 W'.", "POWER"),
    field_option("cloud", "Machine to rent instead, such as 'AWS p3.2xlarge'.", "NAME"),
    field_option("hourly-price", "Rent of any other machine, such as '2.14 USD/h'.", "PRICE"),
    field_option("instances", "Rented machines that do the work of this one."),
    RATES,
)
def main(
    frame: Frame,
    *,
    build: str,
    quotes: tuple[Path, ...],
    rates: Rates,
    **options: Any,
) -> int:
    """Tell what a build costs to buy and to run, and when renting costs as much.

    Parts without a price in the build file or a quote get their shipped list price, with its
    date. Electricity is priced by the `country:` or `electricity_price:` under `site:`. Use, years
    and what is rented instead are stated under `workload:` and `cost:`; options replace them.
    Money of different currencies is compared only with a --rate.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build cannot be
    used.
    """
    from buildcheck.purchasing.cost import cost_answer, with_overrides

    (report,) = judged((build,), frame.lab, frame.today, quotes)
    answer = cost_answer(with_overrides(report, options), rates=rates, lists=frame.lists)
    frame.answer("cost", answer)
    return 0
