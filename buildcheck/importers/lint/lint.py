"""What is implausible about a part, by the rules of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from buildcheck import units
from buildcheck.catalog import Catalog
from buildcheck.importers.lint.derived import DERIVED
from buildcheck.importers.lint.facts import PartFacts
from buildcheck.importers.lint.rules import PartRule, part_rules, table
from buildcheck.importers.lint.words import unknown_words
from buildcheck.logic.dimension import side
from buildcheck.logic.interval import evaluate
from buildcheck.logic.parse import Tree, names, parse
from buildcheck.logic.quantity import UNKNOWN, Interval, exact, show, total
from buildcheck.logic.sentence import Placeholder, filled
from buildcheck.model.part import Part

_CHECK_SOURCE = "Check the unit, and the value in its source"
_ENDS = {"": ("",), "low": ("low",), "high": ("high",), "both": ("low", "high")}


class Doubt(NamedTuple):
    """What could not be true of a part, or hardly: in which field, and what to do about it."""

    part_id: str
    field: str
    message: str
    suggestion: str


def doubts(part: Part, catalog: Catalog) -> list[Doubt]:
    """Everything implausible about a part: its own values, and compared with parts around it."""
    facts = PartFacts(part, catalog, DERIVED)
    found = (
        Doubt(part.id, str(item.get("field", rule.field)), case.text(rule.message), fix)
        for rule in part_rules(part.kind)
        for item in (facts.items(rule.each) if rule.each else ({},))
        if (case := _Case(rule, facts, item)).fails()
        for fix in (case.text(rule.fix) or _CHECK_SOURCE,)
    )
    words = (Doubt(part.id, *found) for found in unknown_words(facts))
    return [doubt for doubt in dict.fromkeys((*found, *words)) if doubt.message]


class _Case(NamedTuple):
    """A rule on one part, or on one item of a list of it."""

    rule: PartRule
    facts: PartFacts
    item: Mapping[str, Any]

    def worth(self, name: str, end: str = "") -> Any:
        """A term, an item's value, or a fact; the `low` or `high` end of a range."""
        value, end = self._whole(_base(name)), name[len(_base(name)) + 1 :] or end
        if isinstance(value, dict):
            return frozenset(value)
        return exact(getattr(value, end)) if end and isinstance(value, Interval) else value

    def _whole(self, name: str) -> Any:
        if name in self.rule.term_values:
            return self.rule.term_values[name]
        if name in self.rule.looked_up:
            return self._looked_up(name)[0]
        if name in self.rule.sums:
            each, what = self.rule.sums[name]
            if self.facts.value(each) is None:
                return None
            items = (self._replace(item=item) for item in self.facts.items(each))
            return total([i.magnitude(parse(what)) for i in items])
        if name in self.item:
            return self.item[name]
        return table(name) or self.facts.value(name)

    def magnitude(self, tree: Tree) -> Any:
        """A product, as wide as nature allows where a factor is not known."""
        return evaluate(tree, lambda n: UNKNOWN if self.worth(n) is None else self.worth(n))

    def _looked_up(self, name: str) -> tuple[Any, Any]:
        of, key = self.rule.looked_up[name]
        word = self.worth(key)
        known = table(of)
        other = (None, next(iter(known.values()))[1])
        return known.get(word.high if isinstance(word, Interval) else word, other)

    def fails(self) -> bool:
        """Does the rule apply and fail, for sure?"""
        rule, guard = self.rule, self.rule.guard_reading
        if any(map(self.facts.value, rule.unless)) or (guard and guard(self.worth) is not True):
            return False
        if not rule.require:
            return True
        return None not in map(self.worth, names(rule.claim)) and any(
            rule.claim_reading(partial(self.worth, end=end)) is False for end in _ENDS[rule.at]
        )

    def text(self, text: str) -> str:
        """A sentence with the values of the part; empty where one is not known."""
        return filled(text, self._shown) or ""

    def _shown(self, part: Placeholder) -> str | None:
        value = evaluate(part.tree, self.worth)
        if isinstance(value, Interval):
            shown = show(value, side(part.tree, {n: self._shape(n) for n in names(part.tree)}))  # type: ignore[arg-type]
            # Volt-amperes are read as watts.
            is_apparent = "apparent_power" in (self.rule.field, *names(part.tree))
            return shown.replace(" W", " VA") if is_apparent else shown
        return ", ".join(sorted(value)) if isinstance(value, frozenset) else value  # type: ignore[return-value]

    def _shape(self, name: str) -> Any:
        name = _base(name)
        if name in self.rule.terms:
            return self.rule.term_shapes[name]
        if name in self.rule.looked_up:
            return self._looked_up(name)[1]
        if name in self.rule.sums:
            tree = parse(self.rule.sums[name][1])
            return side(tree, {n: self._shape(n) for n in names(tree)})
        return units.NUMBER if name in {*self.item, "word", "count"} else self.facts.shape(name)


def _base(name: str) -> str:
    """A name without the end of a range: `plugs` of `plugs.high`."""
    return name.removesuffix(".low").removesuffix(".high")
