"""Water: how much heat the loop carries, and how many radiators a case takes at once.

A radiator is a row of fans of 120 or 140 mm. A place takes a radiator of its own row and shorter
ones of the same fans; whether it has holes for the other fans as well is not stated. A radiator
of which the size is not known may be as small as the smallest, or larger than any place.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.logic.quantity import ONE, ZERO, Interval, exact
from buildcheck.logic.quantity import total as add_up
from buildcheck.model.graph import Subject
from buildcheck.model.values import FANS, Way, ways

#: Sizes of radiators as they are written; None where the size is not known.
Sizes = tuple[str | None, ...]
#: For each wall the ways to fill it.
Walls = tuple[tuple[Way, ...], ...]


class Places(NamedTuple):
    """The walls a case has for sure, and those it has at best."""

    sure: Walls
    best: Walls


def places_of(case: Subject, ask: Ask) -> Places | None:
    """The radiator mounts of a case; None if none are listed.

    Places for several sizes may be the same ones: where there are only counts, those of one
    size are sure, and at best there are those of all sizes.
    """
    walls = ask("case.radiator_walls", case)
    if walls is not None:
        stated = tuple(ways(wall) for wall in walls)
        return Places(stated, stated)
    counts = ask("case.radiators", case)
    if counts is None:
        return None
    rows = [(size, number) for size, number in sorted(counts.items())]
    single = tuple((size,) * int(number.low) for size, number in rows)
    whole = tuple(size for size, number in rows for _ in range(int(number.high)))
    return Places((single or ((),),), ((whole,),))


def placed(least: Iterable[Any], most: Iterable[Any], places: Places) -> Interval:
    """How many of some radiators, by their sizes, have a mount at once.

    `least` are those there are for sure, `most` those there may be.
    """
    sure, may_be = (tuple(sorted(sizes, key=str)) for sizes in (least, most))
    low = _most_placed(sure, places.sure, sure=True)
    return Interval(float(low), float(_most_placed(may_be, places.best, sure=False)))


@cache
def _most_placed(radiators: Sizes, walls: Walls, *, sure: bool) -> int:
    """The most that fit in any choice of ways, by mounts they fit surely, or perhaps."""
    most = 0
    for chosen in product(*walls):
        mounts = [mount for way in chosen for mount in way]
        most = max(most, _matched([_fitting(r, mounts, sure=sure) for r in radiators]))
        if most == len(radiators):
            break
    return most


def _fitting(radiator: str | None, mounts: list[str], *, sure: bool) -> list[int]:
    """The mounts that take a radiator."""
    found = [fits(radiator, mount) for mount in mounts]
    return [at for at, fit in enumerate(found) if fit or (fit is None and not sure)]


def _matched(fitting: list[list[int]]) -> int:
    """How many radiators have a mount each, by those that each fits (Kuhn's algorithm)."""
    holder: dict[int, int] = {}

    def seat(radiator: int, tried: set[int]) -> bool:
        for place in fitting[radiator]:
            if place not in tried:
                tried.add(place)
                if place not in holder or seat(holder[place], tried):
                    holder[place] = radiator
                    return True
        return False

    return sum(seat(radiator, set()) for radiator in range(len(fitting)))


@cache
def fits(radiator: str | None, mount: str) -> bool | None:
    """Does a mount for a radiator of one size take one of another? None if not known."""
    if radiator is None:
        return None
    length, room = _length(radiator), _length(mount)
    if length > room:
        return False
    return True if any(length % fan == room % fan == 0 for fan in FANS) else None


def _length(size: str) -> int:
    return int(size.removesuffix("mm"))


_SECTION = 120.0
_WIDE = 140.0
_SIZE = re.compile(r"(\d{2,4})\s*(?:mm)?")


def _sections(size: str) -> Interval:
    """Area of a radiator, counted in radiators of one 120 mm fan."""
    found = _SIZE.fullmatch(size.strip())
    if not found:
        return Interval(0.0, 100.0)
    length = float(found[1])
    width = _WIDE if length % _WIDE == 0 and length % _SECTION else _SECTION
    return exact(length * width / _SECTION**2)


def _area(name: str, *, fast: bool) -> None:
    """Declare the radiator area under fast or quiet fans, in radiators of 120 mm."""

    @graph(name, units.NUMBER)
    def area(cooling: Subject, ask: Ask) -> Any:
        fitted = ask("cooling.radiators", cooling)
        if fitted is None or (ask("cooling.fast_fans", cooling) is True) is not fast:
            return None if fitted is None else ZERO
        return add_up([_sections(size) * number for size, number in fitted.items()])


# Fans of unlisted speed count as quiet.
_area("cooling.quiet_sections", fast=False)
_area("cooling.fast_sections", fast=True)


@graph("build.card_radiators_placed", units.NUMBER)
def card_radiators_placed(build: Subject, ask: Ask) -> Any:
    """The most of the GPUs' radiators that the case takes at once, by their sizes."""
    places, cards = places_of(ask.graph.the("case"), ask), _of_cards(ask)
    return None if places is None else placed(cards, cards, places)


@graph("build.radiators_placed", units.NUMBER)
def radiators_placed(build: Subject, ask: Ask) -> Any:
    """The most of all radiators that the case takes at once, by their sizes."""
    places = places_of(ask.graph.the("case"), ask)
    return places and placed(_all(ask, most=False), _all(ask, most=True), places)


def _of_cards(ask: Ask) -> list[str | None]:
    """Sizes of the radiators that GPUs bring along: hybrid ones, and any that states its own."""
    dry = [card for card in ask.graph.of("card") if ask("gpu.cooling", card) != "water"]
    return [ask("gpu.radiator", card) for card in dry if ask("gpu.brings_radiator", card)]


def _all(ask: Ask, *, most: bool) -> list[str | None]:
    """Sizes of all radiators there may be, or there are for sure.

    Where there is a loop, a cooler of no stated radiator may be a block in it. Of a loop that lists
    none, one of no known size is counted.
    """
    found = _of_cards(ask)
    if ask("cooler.kind") == "liquid":
        size = ask("cooler.radiator")
        if most or size is not None or not ask("build.has_loop"):
            found.append(size)
    if ask("build.has_loop"):
        loop = ask("cooling.radiators")
        for size, number in ({None: ONE} if loop is None else loop).items():
            found += [size] * int(number.high if most else number.low)
    return found
