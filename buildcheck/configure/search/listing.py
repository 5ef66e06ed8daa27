"""Lists of options made ready for a search: no more than it needs, the best first."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from buildcheck.configure.search.boxes import LEADS, Domain, added, chain

if TYPE_CHECKING:
    from buildcheck.configure.search.boxes import Tally
    from buildcheck.configure.search.costs import Costs
    from buildcheck.configure.search.law import Law
    from buildcheck.configure.search.space import Cost, Option

    Lists = dict[str, list[Option]]

#: What has to be known of a part for a rule to be judged of any machine that it is in.
KNOWN = {
    ("gpus", "board_power"): "power/psu-overload",
    ("motherboard", "slots"): "pcie/fewer-slots-than-cards",
    ("motherboard", "plugs"): "cable/board-plug-without-cable",
    ("psus", "rated_power"): "power/psu-overload",
    ("psus", "plugs"): "cable/board-plug-without-cable",
    ("cpu", "base_power"): "power/psu-overload",
    ("cpu", "turbo_power"): "power/psu-overload-worst-case",
}
#: Fields that say what a part draws: no machine is worse for less of it.
DRAWS = ("typical_power", "max_power", "base_power", "turbo_power")


def known_enough(law: Law, lists: Lists, tally: Tally) -> Lists:
    """The lists without options that lack a value without which no machine passes.

    The weight of an option is its number of sets of parts.
    """
    left = dict(lists)
    for (role, name), rule in KNOWN.items():
        options = left.get(role, [])
        if not any(a.rule.id == rule for a in law.asked) or any(o.given for o in options):
            continue
        silent = [o for o in options if None in o.values(name)]
        if silent:
            others = prod(sum(o.weight for o in found) for r, found in left.items() if r != role)
            tally.exclude(rule, sum(o.weight for o in silent) * others, waits=True)
            left[role] = [o for o in options if None not in o.values(name)]
    return left


def domains_of(
    costs: Costs, lists: Lists, reads: dict[str, frozenset[str]] | None, *, capped: bool
) -> dict[str, Domain]:
    """Each list sorted by the cost of an option with the cheapest options it leads to.

    Dominated options are left out if `reads` gives what rules read of each role. `capped` if
    the price has a limit in addition to the cost.
    """
    domains: dict[str, Domain] = {}
    for role in sorted(lists, key=lambda r: -len(chain(r))):
        led = [r for r in LEADS.get(role, ()) if r in domains]
        rows = [
            (
                added([o.cost, *(costs.least(role, o, domains[r]) for r in led)])
                if led
                else o.cost,
                o,
            )
            for o in lists[role]
        ]
        rows.sort(key=lambda row: row[0])
        if reads is not None:
            rows = _undominated(rows, reads[role], capped=capped)
        domains[role] = Domain(role, [option for _, option in rows], [cost for cost, _ in rows])
    return domains


def _undominated(
    rows: list[tuple[Cost, Option]], reads: frozenset[str], *, capped: bool
) -> list[tuple[Cost, Option]]:
    """The options without those for which another does as well in every way and costs less."""
    draws = [n for n in DRAWS if n in reads]
    alike = tuple(sorted(reads - set(draws)))
    kept: list[tuple[Cost, Option]] = []
    groups: dict[object, list[Option]] = {}
    for cost, option in rows:
        rivals = groups.setdefault(option.cells(alike), [])
        better = next(
            (
                r
                for r in rivals
                if r.cost <= option.cost
                and _draws_no_more(r, option, draws)
                and (not capped or r.price <= option.price)
            ),
            None,
        )
        if better is None:
            rivals.append(option)
            kept.append((cost, option))
        else:
            better.weight += option.weight
    return kept


def _draws_no_more(one: Option, other: Option, names: list[str]) -> bool:
    """Does an option draw at most what another does, whatever the two draw?"""
    for name in names:
        if one.cell(name) == other.cell(name):
            continue
        for a, b in zip(one.values(name), other.values(name), strict=True):
            if a is None or b is None or a.low > b.low or a.high > b.high:
                return False
    return True
