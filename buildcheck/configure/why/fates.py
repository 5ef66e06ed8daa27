"""Parts for a role of a build that come to the same, the rest being kept."""

from __future__ import annotations

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
    from collections.abc import Iterable, Iterator

    from buildcheck.configure.search.space import Option
    from buildcheck.configure.trial import Trial

#: Nothing is known against them.
_DOES = "would-do"


class Fates:
    """What becomes of other parts for a role of a build, the cheapest first."""

    def __init__(self, trial: Trial, role: str, options: Iterable[Option]) -> None:
        self.trial, self.role = trial, role
        self.options = [option for option in options if self._is_alike(option)]

    def _is_alike(self, option: Option) -> bool:
        """Has a card as much memory as those of the build, or memory as many pieces?"""
        unit = option.units[0]
        if self.role == "memory":
            return bool(unit.number == self.trial.first_entry(self.role).get("count", 1))
        size = unit.sort.value("memory")
        now = [one.low for s in self.trial.own["gpus"].given if (one := s.value("memory"))]
        return self.role != "gpus" or bool(size and size.low >= max(now, default=0.0))

    def helps(self, rule: str) -> bool:
        """Does a rule hold with one of them, and no other fail or wait for it?"""
        return any(
            self.trial.verdict_of(rule, self.role, option) == PASS
            and self._refused_by_rest(option) == (None, False)
            for option in self.options
        )

    def of(self, rules: list[str]) -> Iterator[SameFate]:
        """What these rules, which fail, say of every part, and what the others do."""
        judge, role = self.trial.verdict_of, self.role
        rows = [(option, {r: judge(r, role, option) for r in rules}) for option in self.options]
        rules = sorted(rules, key=lambda r: -sum(row[r] == FAIL for _, row in rows))
        groups: dict[str, list[Option]] = {}
        for option, row in rows:
            refused = next((r for r in rules if row[r] == FAIL), None)
            is_open = any(verdict not in (PASS, None) for verdict in row.values())
            if not refused:
                refused, others_open = self._refused_by_rest(option)
                is_open = is_open or others_open
            groups.setdefault(refused or ("" if is_open else _DOES), []).append(option)
        doing, open_ = groups.pop(_DOES, []), groups.pop("", [])
        if not groups:
            return
        yield from (self._fate(r, groups.pop(r), doing + open_) for r in rules if r in groups)
        rest = {rule: _number(group) for rule, group in groups.items()}
        if rest:
            yield SameFate(role, "refused-by-rest", sum(rest.values()), rest)
        if doing:
            part, price = doing[0].units[0].sort.part, money(doing[0].price, CURRENCY)
            name = self.trial.trials.catalog.index.name(part)
            yield SameFate(role, _DOES, _number(doing), cheapest=name, price=price)
        if open_:
            yield SameFate(role, "unknown", _number(open_))

    def _refused_by_rest(self, option: Option) -> tuple[str | None, bool]:
        """What refuses a part with the rest of the build that did not refuse the present one.

        And is there something that is not known, of the part itself or by a rule that was clear?
        """
        failed, unknown = self.trial.verdict
        is_open = not is_described(self.role, option.units[0].sort)
        for rule in self.trial.asked:
            verdict = self.trial.verdict_of(rule, self.role, option)
            if verdict == FAIL and rule not in failed:
                return rule, is_open
            is_open = is_open or (verdict not in (PASS, None) and rule not in failed | unknown)
        return None, is_open

    def _fate(self, rule: str, group: list[Option], others: list[Option]) -> SameFate:
        """Parts that one rule refuses, with the field that decides where one does."""
        number, span = _number(group), None
        fields = sorted(self.trial.asked[rule].fields(self.role))
        field, low, high = _deciding(fields, group, others)
        if field:
            kind = "module" if self.role == "memory" else SECTION_KIND[self.role]
            shape: Any = field_shapes(kind)[field]
            span = Figure(low, high, BASE.get(shape, ""))
        return SameFate(self.role, "refused", number, {rule: number}, field, span)


def _number(options: list[Option]) -> int:
    return sum(option.members for option in options)


def _deciding(
    fields: list[str], group: list[Option], others: list[Option]
) -> tuple[str, float | None, float | None]:
    """The field by which those that fail lie on one side of the others, and that end."""
    for field in fields:
        bad, good = _span(field, group), _span(field, others)
        if bad is not None and good is not None and bad.high < good.low:
            return field, None, bad.high
        if bad is not None and good is not None and bad.low > good.high:
            return field, bad.low, None
    return "", None, None


def _span(field: str, options: list[Option]) -> Interval | None:
    values = [o.units[0].sort.value(field) for o in options]
    if not values or not all(isinstance(v, Interval) for v in values):
        return None
    whole: Interval = hull(values)
    return whole
