"""What cannot stand together, and what to give up: minimal sets, found by asking an oracle.

The oracle says whether a set of things can be kept while all others are left open. It has to
be monotonic: what can be kept with more can be kept with less. Nothing here knows what the
things are. QuickXplain finds one minimal conflict. In a loop of implicit hitting sets (Reiter 1987)
the smallest set that hits all conflicts so far is a way out, or leaves one more conflict.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from buildcheck.configure.stopping import StoppedError

T = TypeVar("T")
#: No more conflicts, and no more sets to give up, are looked for.
MOST = 12
#: No more things are given up at once.
AT_ONCE = 2


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


def hitting_sets(conflicts: Sequence[Sequence[T]], most: int) -> set[frozenset[T]]:
    """The minimal sets of up to `most` things that have one of each conflict, and larger begun.

    This is Berge's algorithm; what is larger than `most` is not made larger still.
    """
    found: set[frozenset[T]] = {frozenset()}
    for conflict in map(frozenset, conflicts):
        hit = {some for some in found if some & conflict}
        more = {s | {i} if len(s) <= most else s for s in found - hit for i in conflict}
        found = hit | {s for s in more if not any(other <= s for other in hit)}
    return found


def explain(
    items: Sequence[T], conflict_in: Callable[[Sequence[T]], tuple[T, ...] | None]
) -> tuple[list[tuple[T, ...]], list[frozenset[T]], bool]:
    """Minimal conflicts, all minimal ways out, the smallest first, and whether these are all.

    There are up to a number of each. `conflict_in` gives a minimal conflict among things that are
    kept.
    """
    conflicts, ways = list[tuple[T, ...]](), list[frozenset[T]]()
    left: set[frozenset[T]] = {frozenset()}
    while left:
        left = hitting_sets(conflicts, AT_ONCE).difference(ways)
        # Of equals the last things, which are the softest, are given up first.
        ranked = sorted(left, key=lambda s: (len(s), sorted(-items.index(i) for i in s)))
        if not left or len(ranked[0]) > AT_ONCE or MOST in (len(conflicts), len(ways)):
            break
        given_up = ranked[0]
        try:
            conflict = conflict_in([i for i in items if i not in given_up])
        except StoppedError:
            break
        if conflict is None:
            ways.append(given_up)
        else:
            conflicts.append(conflict)
    return conflicts, ways, not left
