"""Parts for a role of a build that come to the same, the rest being kept."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from buildcheck.configure.repair.parts import is_described
from buildcheck.configure.search.classes import CURRENCY, money
from buildcheck.configure.search.columns import hull
from buildcheck.configure.search.law import FAIL, PASS
from buildcheck.configure.why.answer import SameFate
from buildcheck.logic.quantity import Interval
from buildcheck.measure.shapes import field_shapes
from buildcheck.model.answer import Figure
from buildcheck.model.build import SECTION_KIND
from buildcheck.units import BASE

if TYPE_CHECKING:
    from buildcheck.configure.search.space import Option
    from buildcheck.configure.trial import Trial, Verdict
    from buildcheck.configure.why.choices import Chosen
    from buildcheck.configure.why.openings import Openings


class Fates:
    """What becomes of other parts, by the rules of the conflicts that are known."""

    def __init__(
        self, openings: Openings, base: Verdict, known: dict[tuple[Chosen, ...], list[str]]
    ) -> None:
        self.openings, self.base, self.known = openings, base, known
        self.of = cache(self._of)

    def _of(self, role: str) -> tuple[SameFate, ...]:
        """What the rules that fail say of every other part for a role, the rest being kept."""
        about = [rules for c, rules in self.known.items() if role in {x.role for x in c}]
        rules = list(dict.fromkeys(rule for some in about for rule in some))
        return tuple(self._grouped(role, rules))

    def _grouped(self, role: str, rules: list[str]) -> list[SameFate]:
        trial = self.openings.trials.of(self.openings.data)
        if trial is None:
            return []
        options = self.openings.used_alike(role)
        groups: dict[str, list[Option]] = {}
        doing: list[Option] = []
        open_: list[Option] = []
        rows = [{r: trial.verdict_of(r, role, option) for r in rules} for option in options]
        failing = {r: sum(row[r] == FAIL for row in rows) for r in rules}
        rules = sorted(rules, key=lambda r: -failing[r])
        for option, row in zip(options, rows, strict=True):
            refused = next((r for r in rules if row[r] == FAIL), None)
            is_open = any(s not in (PASS, None) for s in row.values())
            if not refused:
                refused, others_open = self._refused_by_rest(role, option, trial)
                is_open = is_open or others_open
            if refused:
                groups.setdefault(refused, []).append(option)
            else:
                (open_ if is_open else doing).append(option)
        found = [_fate(role, r, groups[r], doing + open_, trial) for r in rules if r in groups]
        rest = {r: _number(g) for r, g in groups.items() if r not in rules}
        if rest:
            found.append(SameFate(role, "refused-by-rest", sum(rest.values()), rest))
        if doing:
            part, price = doing[0].units[0].sort.part, money(doing[0].price, CURRENCY)
            name = self.openings.trials.catalog.index.name(part)
            found.append(SameFate(role, "would-do", _number(doing), cheapest=name, price=price))
        if open_:
            found.append(SameFate(role, "unknown", _number(open_)))
        return found if groups else []

    def _refused_by_rest(self, role: str, option: Option, trial: Trial) -> tuple[str | None, bool]:
        """What refuses a part with the rest of the build that did not refuse the present one.

        And is there something that is not known, of the part itself or by a rule that was clear?
        """
        excused = self.base.failed | self.base.unknown
        is_open = not is_described(role, option.units[0].sort)
        for rule in trial.asked:
            verdict = trial.verdict_of(rule, role, option)
            if verdict == FAIL and rule not in self.base.failed:
                return rule, is_open
            is_open = is_open or (verdict not in (PASS, None) and rule not in excused)
        return None, is_open


def _number(options: list[Option]) -> int:
    return sum(option.members for option in options)


def _fate(
    role: str, rule: str, group: list[Option], others: list[Option], trial: Trial
) -> SameFate:
    """Parts that one rule refuses, with the field that decides where one does."""
    field, low, high = _deciding(sorted(trial.asked[rule].fields(role)), group, others)
    span = None
    if field:
        shape: Any = field_shapes("module" if role == "memory" else SECTION_KIND[role])[field]
        span = Figure(low, high, BASE.get(shape, ""))
    number = _number(group)
    return SameFate(role, "refused", number, {rule: number}, field, span)


def _deciding(
    fields: list[str], group: list[Option], doing: list[Option]
) -> tuple[str, float | None, float | None]:
    """The field by which those that fail lie on one side of those that do, and that end."""
    for field in fields:
        bad, good = _span(field, group), _span(field, doing)
        if bad is None or good is None:
            continue
        if bad.high < good.low:
            return field, None, bad.high
        if bad.low > good.high:
            return field, bad.low, None
    return "", None, None


def _span(field: str, options: list[Option]) -> Interval | None:
    values = [o.units[0].sort.value(field) for o in options]
    if not values or not all(isinstance(v, Interval) for v in values):
        return None
    whole: Interval = hull(values)
    return whole
