"""Which rules to ask about a role of a machine, and what they say.

A rule about many roles is left alone until it has failed a machine, and where it has said
nothing many times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.configure.search.law import FAIL, UNKNOWN

if TYPE_CHECKING:
    from buildcheck.configure.search.boxes import Box, Filled
    from buildcheck.configure.search.law import Asked, Law

#: So often a rule is asked in vain about a role, while the same roles are open, before it is left
#: alone until those are filled.
MOST_VAIN = 12


class RuleOrder:
    """The rules of a law, those that fail most often first.

    `awake` are those that have failed a machine; `strict` takes what is not known for a failure.
    """

    def __init__(self, law: Law, *, strict: bool) -> None:
        self.law, self.bad = law, (FAIL, UNKNOWN) if strict else (FAIL,)
        self.awake: set[str] = set()
        self._told = 0
        self._used: dict[tuple[str, str, frozenset[str]], list[int]] = {}
        self._known: dict[tuple[object, ...], tuple[tuple[int, int], list[Asked]]] = {}

    def refuses(self, asked: Asked, machine: Filled) -> bool:
        """Can a machine not stand by a rule?"""
        return self.law.verdict(asked, machine) in self.bad

    def waits(self, asked: Asked, machine: Filled) -> bool:
        """Does a rule that a machine cannot stand by wait for data, rather than fail?"""
        return self.law.verdict(asked, machine) == UNKNOWN

    def forget(self) -> None:
        """Begin to count anew what rules say."""
        self._used = {}

    def wake(self, broken: list[Asked]) -> bool:
        """Take rules that failed a machine for worth asking; is any of them new?"""
        new = {a.rule.id for a in broken} - self.awake
        self.awake |= new
        return bool(new)

    def rules(self, role: str, box: Box | None = None) -> list[Asked]:
        """The rules to ask about an option of a role, those that fail most often first."""
        key = (role, tuple(box.left)) if box else (role,)
        state = (self.law.version, len(self.awake) + (self._told if box else 0))
        known = self._known.get(key)
        if known is not None and known[0] == state:
            return known[1]
        found = [
            a
            for a in self.law.asked
            if role in a.scope
            and (
                a.is_local
                or (a.rule.id in self.awake and (box is None or self._tells(box, role, a)))
            )
        ]
        found.sort(key=lambda a: -a.failed)
        self._known[key] = (state, found)
        return found

    def _tells(self, box: Box, role: str, asked: Asked) -> bool:
        """May a rule say something of a role while others that it is about are open?"""
        tried, failed = self._use(box, role, asked)
        return failed > 0 or tried < MOST_VAIN

    def _use(self, box: Box, role: str, asked: Asked) -> list[int]:
        open_ = frozenset(r for r in asked.scope if r in box.left)
        return self._used.setdefault((asked.rule.id, role, open_), [0, 0])

    def breaks(self, box: Box, role: str, machine: Filled, rules: list[Asked]) -> Asked | None:
        """The rule by which an option cannot stand with the rest of a machine."""
        for asked in rules:
            bad = self.refuses(asked, machine)
            if not asked.is_local:
                use = self._use(box, role, asked)
                use[0] += 1
                use[1] += bad
                self._told += use[0] == MOST_VAIN and not use[1]
            if bad:
                return asked
        return None

    def tell(self, box: Box, role: str, asked: Asked) -> bool:
        """Let a rule be asked about a role from now on; was it left alone before?"""
        use = self._use(box, role, asked)
        if use[1]:
            return False
        use[1] = 1
        self._told += 1
        return True
