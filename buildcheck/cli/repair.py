"""The command that fixes a failing build."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from buildcheck.cli.build import build_text
from buildcheck.cli.declared import Frame, command, framed
from buildcheck.cli.search import Watch, check_outputs
from buildcheck.model.labels import plain
from buildcheck.model.vocabulary import refused
from buildcheck.streams import check_writable, write_out

if TYPE_CHECKING:
    from buildcheck.configure.repair.answer import RepairAnswer
    from buildcheck.configure.repair.repair import Repair
    from buildcheck.configure.repair.search import RepairSearch
    from buildcheck.model.rate import Rates


@command("repair")
@framed
def main(
    frame: Frame,
    *,
    build: str,
    number: int | None,
    output: Path | None,
    rates: Rates,
    limit: float | None,
) -> int:
    """Find the cheapest changes after which nothing fails. `-` reads standard input."""
    _check_usage(build, number, output, frame.lists)
    with Watch(limit) as watch:
        from buildcheck.configure.repair.repair import repair

        judging = frame.lab.judging(frame.today, build)
        raw, name, _ = build_text(build, judging.catalog)
        asked = (raw, name, judging, frame.lists)
        found = repair(*asked, rates=rates, stop=watch, begun=partial(_begun, watch))
    is_hopeless = found.verdict == "fail" and not found.repairs
    chosen = None if number is None or is_hopeless else _chosen(found, number)
    if chosen is not None:
        # A part list has a build file that is made of it.
        write_out(chosen, output or Path(name), read=None if output else raw)
        found = replace(found, applied=number)
    frame.answer("repair", found)
    if chosen is not None:
        click.echo(f"Way {number} is written to {plain(str(output or name))}.", err=True)
    return int(is_hopeless)


def _begun(watch: Watch, search: RepairSearch) -> None:
    """Show the progress of a search."""
    from buildcheck.configure.progress import Progress

    watch.progress = lambda: Progress("repair", search.trials.judged, found=len(search.found))


def _check_usage(
    build: str, number: int | None, output: Path | None, prices: tuple[Path, ...]
) -> None:
    """What can be checked before anything is read. Raises `InputError`."""
    if number is not None and build == "-" and output is None:
        raise refused("--apply", "apply-stdin")
    if output is not None and number is None:
        raise refused("-o", "out-unchosen")
    check_outputs({"-o": output}, (build, *prices))
    if number is not None and output is None:
        check_writable(Path(build))


def _chosen(found: RepairAnswer, number: int) -> bytes:
    """The file after the repair of a number. Raises `InputError` if there is none."""
    if number > len(found.repairs):
        count = len(found.repairs)
        were = "1 was" if count == 1 else f"{count} were"
        code = "no-way" if count else "no-way-at-all"
        raise refused("--apply", code, number=number, found=were)
    return cast("Repair", found.repairs[number - 1]).raw
