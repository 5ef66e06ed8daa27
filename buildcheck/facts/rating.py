"""What a supply is good for where it stands: its rating, the mains voltage, the maker's word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.power import along
from buildcheck.facts.registry import TRUTH, Ask, graph
from buildcheck.facts.supplies import fed
from buildcheck.model.quantity import ZERO, Interval

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: A standard's cap on a silent sheet is for this mains voltage.
_CAP_VOLTAGE = 120.0


@graph("psu.usable_power", units.POWER)
def usable_power(psu: Subject, ask: Ask) -> Interval:
    """Continuous output at the voltage of the site."""
    rated = ask.number("psu.rated_power", psu)
    low_line = ask("circuit.is_low_line")
    if low_line is False:
        return rated
    lower = _low_line_power(psu, ask, rated)
    return lower if low_line else lower.hull(rated)


def _low_line_power(psu: Subject, ask: Ask, rated: Interval) -> Interval:
    """Output at 100 to 127 V: as stated, else what is assumed of a silent sheet."""
    stated: Interval | None = ask("psu.rated_power_low_line", psu)
    if stated is not None:
        return stated
    cap = ask("psu.low_line_allowance", psu)
    if cap is None:
        return Interval(0.0, rated.high)
    return Interval(min(rated.low, cap.low), min(rated.high, cap.high))


@graph("psu.low_line_allowance", units.POWER)
def low_line_allowance(psu: Subject, ask: Ask) -> Any:
    """Output assumed at the site's low voltage: by the standard, or by a larger inlet.

    What limits is the current, so that a lower voltage leaves less power.
    """
    cap = ask("psu.low_line_cap", psu)
    voltage = ask("circuit.voltage")
    if cap is None or voltage is None:
        return cap
    scale = [min(1.0, v / _CAP_VOLTAGE) for v in (voltage.low, voltage.high)]
    cap *= Interval(*scale)
    inlet = _inlet_power(psu, ask, voltage)
    if inlet is None:
        return cap
    return Interval(max(cap.low, inlet.low), max(cap.high, inlet.high))


def _inlet_power(psu: Subject, ask: Ask, voltage: Interval) -> Interval | None:
    """Output that the current of the mains inlet allows at full load."""
    current, factor = psu.value("current"), ask("standard.power_factor")
    curve = ask("psu.efficiency_low_line", psu)
    if current is None or factor is None or curve is None:
        return None
    efficiency = along(curve, 1.0)
    power: Interval = voltage * current * factor * Interval(efficiency, efficiency)
    return power


@graph("psu.low_line_rating_is_stated", TRUTH)
def low_line_rating_is_stated(psu: Subject, ask: Ask) -> bool | None:
    """Is its output on low mains voltage known, or small enough not to matter?"""
    if ask("psu.rated_power_low_line", psu) is not None:
        return True
    rated, cap = ask("psu.rated_power", psu), ask("psu.low_line_allowance", psu)
    if rated is None or cap is None:
        return None if rated is None else False
    answer: bool | None = rated.is_at_most(cap)
    return answer


@graph("psu.feeds_one_card", TRUTH)
def feeds_one_card(psu: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Is this a machine with a single card on a single supply?"""
    return len(ask.graph.of("gpu")) == 1 == len(ask.graph.of("psu"))


@graph("psu.runs_board_and_cards", TRUTH)
def runs_board_and_cards(psu: Subject, ask: Ask) -> bool:
    """Does it feed the board and at least one card of several?"""
    runs = ask.graph.out("runs", psu) and ask.graph.out("feeds", psu)
    return bool(runs) and len(ask.graph.of("gpu")) > 1


@graph("psu.recommended_power", units.POWER)
def recommended_power(psu: Subject, ask: Ask) -> Any:
    """The largest supply that the maker of a card on it asks for."""
    asked = [ask("gpu.recommended_psu", card) for card in fed(psu, ask)]
    if not asked:
        return ZERO
    if None in asked:
        return None
    return Interval(max(a.low for a in asked), max(a.high for a in asked))


@graph("psu.recommendation_is_stated", TRUTH)
def recommendation_is_stated(psu: Subject, ask: Ask) -> bool:
    """Does every card on it come with a maker's figure for the supply?"""
    return ask("psu.recommended_power", psu) is not None


@graph("psu.is_redundant", TRUTH)
def is_redundant(psu: Subject, ask: Ask) -> bool:
    """Does it carry less than it could because it stands in for others?"""
    return bool(ask("build.has_redundant_supplies")) or psu.value("shares_output") is True
