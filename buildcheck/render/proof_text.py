"""Numbers of builds, the rules that exclude them, and measures, as text for a terminal."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from buildcheck.model.quantity import exact, number_text, percent
from buildcheck.model.rate import EXAMPLE
from buildcheck.render.terminal import wrapped
from buildcheck.render.words import Words

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Rules named in a proof; the rest is summed.
MOST_RULES = 6
#: From here on numbers of builds are shown by their size.
_LONG = 10**15
#: What measures are in; a price is in its currency.
UNITS = {"price": "", "gpu_memory": "GB", "speed": "V100", "headroom": "W", "power": "W"}
SAY = Words("answer")


def measure_words(measure: str) -> str:
    """What a measure is called."""
    return SAY.table("measures")[measure]


def rounded(value: float) -> str:
    """A measure in as many digits as it deserves."""
    return number_text(float(f"{value:.4g}")) if math.isfinite(value) else "?"


def count_text(number: int) -> str:
    """A number of builds: exact while it can be read, and by its size beyond.

    >>> count_text(75488), count_text(13 * 10**20)
    ('75,488', '1.3e21')
    """
    return f"{number:,}" if number < _LONG else f"{Decimal(number):.1e}".replace("e+", "e")


def excluded_lines(excluded: Mapping[str, int], unknown: Mapping[str, int]) -> list[str]:
    """The rules that excluded most, how much of that for want of data, and the sum of the rest."""
    rows = sorted(excluded.items(), key=lambda row: (-row[1], row[0]))

    def told(what: str, number: int, waits: int) -> tuple[str, str]:
        share = percent(exact(waits / number)) if number else ""
        return count_text(number), SAY("waits", what=what, share=share) if waits else what

    shown = [told(rule, number, unknown.get(rule, 0)) for rule, number in rows[:MOST_RULES]]
    if len(rows) > MOST_RULES:
        rest = sum(number for _, number in rows[MOST_RULES:])
        waits = sum(unknown.get(rule, 0) for rule, _ in rows[MOST_RULES:])
        shown.append(told(SAY("other_rules", len(rows) - MOST_RULES), rest, waits))
    width = max((len(number) for number, _ in shown), default=0)
    return [f"  {number.rjust(width)}  {rule}" for number, rule in shown]


def builds_text(number: int) -> str:
    """So many builds."""
    return SAY("builds", number, number=count_text(number))


def nothing_lines(counts: Mapping[str, int], currency: str) -> list[str]:
    """Why there is nothing to choose from."""
    give = wrapped(SAY("give_prices", currency=currency, example=EXAMPLE))
    if not any(counts.values()):
        return wrapped(SAY("no_prices", currency=currency)) + give
    empty = ", ".join(role for role, number in counts.items() if not number)
    return wrapped(SAY("nothing_to_choose", roles=empty)) + give
