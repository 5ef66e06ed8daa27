"""The command that says what a build costs to run and to own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from buildcheck.cli_build import QUOTES, check_output, judged, read_files
from buildcheck.cli_frame import RATES, Frame, framed
from buildcheck.cli_model import told
from buildcheck.streams import path_option, write_out

if TYPE_CHECKING:
    from pathlib import Path

    from buildcheck.model.rate import Rates


@click.command("cost")
@click.argument("build", metavar="BUILD")
@framed(
    QUOTES,
    told("use", "Share of the time that it works, such as '15 %'.", "SHARE"),
    told("country", "Country whose grid and usual price are reckoned with, such as DE.", "NAME"),
    told("electricity-price", "Price of electricity, such as '0.12 USD/kWh'.", "PRICE"),
    told("carbon-intensity", "Carbon dioxide of the grid, such as '380 g/kWh'.", "AMOUNT"),
    told("years", "Years that it is owned."),
    told("machine", "Price of the whole machine, such as '2200 USD'.", "PRICE"),
    told("wall-power", "Power from the wall at work, if measured, such as '450 W'.", "POWER"),
    told("cloud", "Machine that is rented instead, such as 'AWS p3.2xlarge'.", "NAME"),
    told("hourly-price", "Rent of a machine of one's own choice, such as '2.14 USD/h'.", "PRICE"),
    told("instances", "Rented machines that do the work of this one."),
    RATES,
    path_option("--svg", help="Also draw owning against renting to this file."),
)
def main(
    frame: Frame,
    *,
    build: str,
    quotes: tuple[Path, ...],
    rates: Rates,
    svg: Path | None,
    **said: Any,
) -> int:
    """Say what a build costs to run and to own, and when renting would have cost as much.

    Prints energy, heat, money and carbon dioxide of a year by use, what is spent over the years,
    and the day from which owning is cheaper. The build file says the price of electricity and the
    country under `site:`, the use under `workload:`, and what is rented instead under `cost:`. The
    options have the same words, and stand over it. Money of different currencies is compared only
    where `--rate` says what one is worth.

    `-` reads standard input. The exit code is 0 whatever was found, and 2 if the build cannot be
    used.
    """
    from buildcheck.cost import assuming, cost  # noqa: PLC0415 - keeps --help and --version quick
    from buildcheck.render.cost import cost_data, cost_text  # noqa: PLC0415

    check_output(svg, (build, *quotes))
    (report,) = judged((build,), frame.folders, frame.today, quotes)
    check_output(svg, read_files(report))
    found = cost(assuming(report, said), rates=rates)
    if svg:
        from buildcheck.render.drawings.owning import owning_drawing  # noqa: PLC0415
        from buildcheck.render.picture import picture  # noqa: PLC0415

        write_out(picture(owning_drawing(found)), svg)
    frame.show(lambda: cost_text(found), lambda: cost_data(found))
    return 0
