"""Some machine that passes, not the best, where a search had to stop before it found any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.configure.search.boxes import machine_of
from buildcheck.configure.search.space import Option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from buildcheck.configure.search.asking import RuleOrder
    from buildcheck.configure.search.boxes import Box, Machine
    from buildcheck.configure.search.shrinking import Shrinking

#: Boxes in which a machine is searched, and options tried in each.
PLACES = 8
OPTIONS = 5000


def some(
    boxes: Sequence[Box], roles: Sequence[str], shrinking: Shrinking, most: int | None
) -> Machine | None:
    """A machine that passes of boxes that a search has left, the best box first.

    They are looked at here and there; None if none is soon found, or it costs more than `most`.
    """
    for place in _spread(len(boxes), PLACES):
        box = boxes[place]
        found = _of_box(box, roles, shrinking.asking) if shrinking.shrink(box) else None
        if found and (most is None or sum(option.price for option in found.values()) <= most):
            return found
    return None


def _of_box(box: Box, order: Sequence[str], asking: RuleOrder) -> Machine | None:
    """A machine of a box at any cost, by backtracking; None after `OPTIONS` options."""
    machine, roles = machine_of(box), [r for r in order if r in box.left]
    tries = OPTIONS

    def stands(number: int) -> bool:
        nonlocal tries
        if number == len(roles):
            broken = [a for a in asking.law.asked if asking.refuses(a, machine)]
            asking.wake(broken)
            return not broken
        role = roles[number]
        domain, at = box.left[role]
        hull = machine[role]
        for option in domain.options[at:]:
            if not tries:
                break
            tries -= 1
            machine[role] = option
            rules = asking.rules(role)
            if not any(asking.refuses(a, machine) for a in rules) and stands(number + 1):
                return True
        machine[role] = hull
        return False

    if not stands(0):
        return None
    return {role: option for role, option in machine.items() if isinstance(option, Option)}


def _spread(number: int, most: int) -> list[int]:
    """At most `most` positions of a list: its start, its middle, then those between.

    >>> _spread(9, 4)
    [0, 4, 2, 6]
    """
    found: dict[int, None] = {}
    step = float(number)
    while len(found) < min(most, number):
        at = 0.0 if not found else step / 2
        while at < number and len(found) < most:
            found[int(at)] = None
            at += step
        step = step if len(found) == 1 else step / 2
    return list(found)
