"""What cannot stand together, and what to give up: minimal sets, found by asking an oracle.

The oracle says whether a set of things can be kept while all others are left open. It has to
be monotonic: what can be kept with more can be kept with less. Nothing here knows what the
things are. QuickXplain finds one minimal conflict; a hitting-set tree (Reiter 1987) finds the
others and, the smallest first, every minimal set whose giving up breaks them all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from buildcheck.configure.stopping import StoppedError

T = TypeVar("T")
#: No more conflicts, sets to give up, and nodes of the tree than this are looked for.
MOST_CONFLICTS = 6
MOST_WAYS = 12
MOST_NODES = 96
#: No more things are given up at once.
MOST_AT_ONCE = 3


def minimal_conflict(
    items: Sequence[T], can_stand: Callable[[Sequence[T]], bool]
) -> tuple[T, ...] | None:
    """A smallest set that cannot stand, in the order given; None if all can.

    This is QuickXplain (Junker 2004): where there is a choice, things that come first are blamed.
    """
    if can_stand(items):
        return None

    def blamed(kept: list[T], some: list[T], *, is_new: bool) -> list[T]:
        """Those of some things that cannot stand with others that are kept."""
        if is_new and not can_stand(kept):
            return []
        if len(some) <= 1:
            return some
        half = len(some) // 2
        later = blamed([*kept, *some[:half]], some[half:], is_new=True)
        return [*blamed([*kept, *later], some[:half], is_new=bool(later)), *later]

    found = blamed([], list(items), is_new=False)
    return tuple(found) if len(found) > 1 or can_stand([]) else ()


@dataclass
class Explained(Generic[T]):
    """Minimal conflicts, and minimal sets without which none is left.

    `is_whole` means that there are no others, as far as the oracle goes.
    """

    conflicts: list[tuple[T, ...]] = field(default_factory=list)
    ways: list[frozenset[T]] = field(default_factory=list)
    is_whole: bool = True


def explain(
    items: Sequence[T],
    conflict_in: Callable[[Sequence[T]], tuple[T, ...] | None],
    known: Sequence[tuple[T, ...]] = (),
    at_once: int = MOST_AT_ONCE,
) -> Explained[T]:
    """Minimal conflicts and all minimal ways out, up to a number of each.

    `conflict_in` gives a minimal conflict among things that are kept, `known` are some of all. No
    more than `at_once` are given up together.
    """
    found = Explained(list(known))
    queue: deque[frozenset[T]] = deque([frozenset()])
    seen, nodes = {queue[0]}, 0
    while queue:
        given_up = queue.popleft()
        if any(way <= given_up for way in found.ways):
            continue
        nodes += 1
        if nodes > MOST_NODES or len(found.ways) >= MOST_WAYS:
            found.is_whole = False
            break
        try:
            more = _left(items, given_up, conflict_in, found)
        except StoppedError:
            found.is_whole = False
            break
        if more is None:
            found.ways.append(given_up)
        elif len(given_up) >= at_once:
            found.is_whole = False
        else:
            larger = [given_up | {i} for i in sorted(more, key=lambda i: -items.index(i))]
            queue += [some for some in larger if some not in seen]
            seen.update(larger)
    return found


def _left(
    items: Sequence[T],
    given_up: frozenset[T],
    conflict_in: Callable[[Sequence[T]], tuple[T, ...] | None],
    found: Explained[T],
) -> Sequence[T] | None:
    """A conflict that is left, of which one thing has to be given up; None if there is none."""
    known = next((c for c in found.conflicts if not given_up & set(c)), None)
    if known is not None:
        return known
    conflict = conflict_in([i for i in items if i not in given_up])
    if conflict is not None and len(found.conflicts) < MOST_CONFLICTS:
        found.conflicts.append(conflict)
    elif conflict is not None:
        found.is_whole = False
    return conflict
