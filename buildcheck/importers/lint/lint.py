"""What is implausible about a part, by the rules of its kind and closed lists of words."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from buildcheck import units
from buildcheck.catalog import Catalog
from buildcheck.errors import CatalogError
from buildcheck.importers.lint.derived import DERIVED
from buildcheck.importers.lint.facts import PartFacts
from buildcheck.importers.lint.rules import PartRule, by_field, part_rules, table, word_list
from buildcheck.importers.parts.answer import ImplausibleValue
from buildcheck.logic.dimension import side
from buildcheck.logic.interval import evaluate
from buildcheck.logic.parse import Tree, names, parse
from buildcheck.logic.quantity import UNKNOWN, Interval, exact, show, total
from buildcheck.logic.sentence import Placeholder, filled
from buildcheck.model.part import Part
from buildcheck.words.names import squashed

_CHECK_SOURCE = "Check the unit, and the value in its source"
#: Most known words listed where none is similar.
_SHOWN = 12
#: Words less alike than this are not worth proposing.
_ALIKE = 0.6


def doubts(part: Part, catalog: Catalog) -> list[ImplausibleValue]:
    """Everything implausible about a part: its own values, and compared with parts around it."""
    facts = PartFacts(part, catalog, DERIVED)
    found = (
        ImplausibleValue(part.id, str(item.get("field", rule.field)), case.text(rule.message), fix)
        for rule in part_rules(part.kind)
        for item in (facts.items(rule.each) if rule.each else ({},))
        if (case := _Case(rule, facts, item)).fails()
        for fix in (case.text(rule.fix) or _CHECK_SOURCE,)
    )
    words = (ImplausibleValue(part.id, *found) for found in _unknown_words(facts))
    return [doubt for doubt in dict.fromkeys((*found, *words)) if doubt.message]


class _Case(NamedTuple):
    """A rule on one part, or on one item of a list of it."""

    rule: PartRule
    facts: PartFacts
    item: Mapping[str, Any]

    def worth(self, name: str) -> Any:
        """A term, an item's value, or a fact; the `low` or `high` end of a range."""
        value, end = self._whole(_base(name)), name[len(_base(name)) + 1 :]
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
        word, known = self.worth(key), table(of)
        other = (None, next(iter(known.values()))[1])
        return known.get(word.high if isinstance(word, Interval) else word, other)

    def fails(self) -> bool:
        """Does the rule apply and fail, for sure?"""
        rule, guard = self.rule, self.rule.guard_reading
        if any(map(self.facts.value, rule.unless)) or (guard and guard(self.worth) is not True):
            return False
        if not rule.require:
            return True
        is_known = None not in map(self.worth, names(rule.claim))
        return is_known and rule.claim_reading(self.worth) is False

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
            return self.rule.shapes[name]
        if name in self.rule.looked_up:
            return self._looked_up(name)[1]
        if name in self.rule.sums:
            tree = parse(self.rule.sums[name][1])
            return side(tree, {n: self._shape(n) for n in names(tree)})
        return units.NUMBER if name in {*self.item, "word", "count"} else self.facts.shape(name)


def _base(name: str) -> str:
    """A name without the end of a range: `plugs` of `plugs.high`."""
    return name.removesuffix(".low").removesuffix(".high")


@lru_cache(maxsize=32)
def _known(catalog: Catalog, name: str) -> frozenset[str]:
    """The words of a list; none if the catalogue has none of its parts."""
    about = word_list(name)
    given = frozenset(about.get("known", ()))
    if "of" not in about:
        return given
    kind, _, field = about["of"].partition(".")
    found = frozenset(filter(None, (_word(catalog, i, field) for i in catalog.ids(kind))))
    return found and found | given


def _word(catalog: Catalog, part_id: str, field: str) -> str | None:
    """A part's value of a field, its name, or the end of its `id`."""
    if field == "id":
        return part_id.rpartition("/")[2]
    try:
        part = catalog.part(part_id)
    except CatalogError:
        return None
    return part.name if field == "name" else part.value(field)


def _unknown_words(facts: PartFacts) -> Iterator[tuple[str, str, str]]:
    """Every word that is not in its closed list: field, message, and the nearest words."""
    own = facts.own()
    for field, name in by_field(facts.part.kind, "words").items():
        value, about = own[field].value if field in own else (), word_list(name)
        known = _known(facts.catalog, name)
        for word in sorted({value} if isinstance(value, str) else value) if known else ():
            alike = {squashed(k) for k in known} if about.get("open") else {squashed(word)}
            if word not in {*known, *about.get("also", ())} and squashed(word) in alike:
                near = _nearest(word, name, facts.catalog) + about.get("advice", "")
                yield field, f"'{word}' is no {about['says']}", near


def _nearest(word: str, name: str, catalog: Catalog) -> str:
    """What to write instead: the word that was meant, else the nearest, else all there are."""
    import difflib  # only for words that are not there

    known, kind = _known(catalog, name), word_list(name).get("kind", "")
    alike = {k for k in known if squashed(k) == squashed(word)}
    if not alike and kind and (found := catalog.known(kind, word)):
        # The part that goes by these words, in whatever order they stand.
        alike = {found.rpartition("/")[2], catalog.index.name(found)} & known
    if not alike:
        lower = {k.lower(): k for k in sorted(known)}
        alike = {lower[k] for k in difflib.get_close_matches(word.lower(), lower, 1, _ALIKE)}
    if alike:
        return f"Did you mean {', '.join(sorted(alike))}?"
    shown = sorted(known)
    return f"Known: {', '.join(shown[:_SHOWN])}{' …' * (len(shown) > _SHOWN)}"
