"""Something of a build decided otherwise: changes of its file, their words and their price.

And what limits and counts there are to decide for, and what a report says of a decision.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from buildcheck.configure.common import Phrase
from buildcheck.edit import Change
from buildcheck.logic.parse import names
from buildcheck.measure import Facts
from buildcheck.model.build import OF_ONE_PART, SECTION_KIND, SECTIONS
from buildcheck.model.finding import TROUBLES, Finding, Report
from buildcheck.model.graph import Subject, by_key
from buildcheck.model.kinds import KINDS
from buildcheck.rulebook.proposals import proposals


class Bought(NamedTuple):
    """A part that is bought; what is in no catalogue has a code as `item`, such as `fan`."""

    part: str | None = None
    name: str = ""
    item: str = ""


@dataclass(frozen=True)
class Decision:
    """A part, count, setting, accessory or site decided otherwise.

    `said` are phrases for it. It `needs` what is bought besides the parts that the file lists. Of
    several like it, `key` tells one from others, such as the number of an entry.
    """

    changes: tuple[Change, ...]
    said: tuple[Phrase, ...]
    needs: tuple[Bought, ...] = ()
    key: str = ""


def joined(*some: Decision) -> Decision:
    """Several decisions as one, in order."""
    return Decision(
        tuple(change for one in some for change in one.changes),
        tuple(phrase for one in some for phrase in one.said),
        tuple(part for one in some for part in one.needs),
    )


def counted(data: dict[str, Any], section: str, number: int, count: int) -> list[Change]:
    """The changes to another count of an entry, with no more slots than parts; without it at 0."""
    if not count:
        return [Change((section, number), None)]
    slots = data[section][number].get("slots")
    is_long = isinstance(slots, list) and len(slots) > count
    pins = [Change((section, number, "slots"), slots[:count])] if is_long else []
    return [Change((section, number, "count"), count), *pins]


def settings_of(section: str) -> set[str]:
    """Keys of an entry that say how a part is used; they are no facts of it, nor of one piece."""
    facts = KINDS[SECTION_KIND[section]].model_fields
    return {*SECTIONS[section].model_fields} - {*facts} - OF_ONE_PART


# Power limits


class LimitedEntry(NamedTuple):
    """An entry of GPUs by its number in the file: their default limit and the lowest, in W.

    `lowest` is what every GPU of the entry takes; None if that is not known.
    """

    number: int
    gpus: tuple[Subject, ...]
    default: float
    lowest: float | None

    @property
    def least(self) -> float:
        """The lowest limit that is considered."""
        return self.default * proposals().least_limit if self.lowest is None else self.lowest

    def at(self, share: float) -> int:
        """A share of the default down to a whole step, but not below what the GPUs take."""
        step = proposals().limit_step
        down = math.floor(self.default * share / step + 1e-9) * step
        return round(down if down >= self.least else math.ceil(self.least / step) * step)


def limited_entries(facts: Facts) -> tuple[list[LimitedEntry], list[str]]:
    """The entries of GPUs whose default limit is known, and the names of the others."""
    numbered = ((gpu.path[1], gpu) for gpu in facts.graph.of("gpu"))
    found = by_key((n if isinstance(n, int) else 0, gpu) for n, gpu in numbered)
    entries, unknown = [], []
    for number, gpus in found.items():
        default = facts("gpu.board_power", gpus[0])
        least = facts("gpu.power_limit_min", gpus[0])
        if least is None or not least.is_known:
            least = facts("gpu.likely_lowest_limit", gpus[0])
        if default is None or not default.is_known:
            unknown.append(gpus[0].name)
            continue
        lowest = least.high if least is not None and least.is_known else None
        entries.append(LimitedEntry(number, tuple(gpus), default.low, lowest))
    return entries, unknown


def common_limits(
    entries: list[LimitedEntry], lowest: float | None = None, tops: Mapping[int, int] = {}
) -> Iterator[tuple[float, dict[int, int]]]:
    """Shares of the default down to the lowest, with limits in whole steps, at most `tops`.

    Unless it is given, `lowest` is the share that all entries can go down to.
    """
    lowest = lowest or max(e.least / e.default for e in entries)
    step = proposals().limit_step
    apart = step / entries[0].default if len(entries) == 1 else proposals().common_limit_step
    last: dict[int, int] = {}
    for number in range(1, math.floor((1 - lowest) / apart + 1e-9) + 1):
        share = 1 - number * apart
        watts = {e.number: min(e.at(share), tops.get(e.number, 10**6)) for e in entries}
        if watts != last:
            yield share, watts
        last = watts


def limit_changes(data: dict[str, Any], watts: Mapping[int, int | None]) -> Iterator[Change]:
    """The changes that set the limits of entries, or take away what limit there is."""
    for number, limit in watts.items():
        entry = data["gpus"][number]
        if limit is None:
            keys = (key for key in ("power_limit", "limit_at_boot") if key in entry)
            yield from (Change(("gpus", number, key), None) for key in keys)
            continue
        yield Change(("gpus", number, "power_limit"), f"{limit} W")
        if entry.get("limit_at_boot") is not True:
            yield Change(("gpus", number, "limit_at_boot"), True)


#: Where the machine is plugged in, among the keys of the site.
OUTLET = ("outlet", "country", "voltage", "breaker")


# What a report says of a build

#: What rules on the sustained limit of a circuit compare.
_SUSTAINED = {"circuit.current", "circuit.continuous_current"}


class ErrorRules(NamedTuple):
    """The error-grade rules by which a build fails, and those left open."""

    failed: frozenset[str]
    unknown: frozenset[str] = frozenset()

    @property
    def word(self) -> str:
        """The verdict of the build."""
        return "fail" if self.failed else "unknown" if self.unknown else "pass"

    def of(self, rules: set[str], other: ErrorRules) -> ErrorRules:
        """The verdict of these rules, and of others that in another one."""
        return ErrorRules(
            self.failed & rules | other.failed - rules, self.unknown & rules | other.unknown - rules
        )


def error_rules(report: Report) -> ErrorRules:
    """The error-grade rules that make the verdict of a report."""
    found = (report.failing, report.errors("unknown"))
    return ErrorRules(*(frozenset(f.rule.id for f in some) for some in found))


def circuit_warnings(report: Report) -> list[Finding]:
    """What warns of the sustained limit of a circuit, or may."""
    warnings = (f for f in report.findings if f.severity == "warning" and f.verdict in TROUBLES)
    return [f for f in warnings if set(names(f.rule.claim)) >= _SUSTAINED]


def reads_of(report: Report, findings: Iterable[Finding]) -> set[tuple[str, str, str]]:
    """What was read of the build to judge these: fields, their subjects, and the rule."""
    facts = report.facts
    queue = [(used.name, used.subject, f.rule.id) for f in findings for used in f.numbers]
    found: set[tuple[str, str, str]] = set()
    while queue:
        name, subject, rule = key = queue.pop()
        if key not in found:
            found.add(key)
            queue += ((*used, rule) for used in facts.used(name, facts.graph.subjects[subject]))
    return found


# Where something turns


def edge(good: int, bad: int, works: Callable[[int], bool]) -> int | None:
    """The whole number nearest to `bad` that works, by bisection; None if `good` does not."""
    if works(bad):
        return bad
    if not works(good):
        return None
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if works(middle) else (good, middle)
    return good


def turns(first: int, last: int, judged: Callable[[int], object]) -> None:
    """Judge two steps, and between them wherever what is judged turns, by bisection."""
    if judged(first) != judged(last) and last - first > 1:
        middle = (first + last) // 2
        turns(first, middle, judged)
        turns(middle, last, judged)
