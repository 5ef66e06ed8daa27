"""Lists of things to say of a build: when an item stands, in which words, and what the shipped lists name."""

import pytest
import yaml
from cases import holds
from conftest import each_row, table

from buildcheck.checklist.items import OWN_WORDS, PLACEHOLDER, Items, load_items
from buildcheck.checklist.matching import applicable_items
from buildcheck.facts.registry import DATA
from buildcheck.logic import dimension
from buildcheck.logic.parse import names, parse
from buildcheck.measure.shapes import shape_of
from buildcheck.model.graph import SINGLE
from buildcheck.units import NUMBER


def listed(*items: str) -> str:
    """A list with these items in one group."""
    return "groups: {a: Steps}\nitems:\n" + "".join(f"  - {{{item}}}\n" for item in items)


def stand(judged, build: str, *items: str):
    """The items that stand."""
    data = yaml.safe_load(listed(*items))
    return applicable_items(Items.model_validate(data), judged(build))


BUILDS = table("items", "builds")


@each_row
def test_what_stands(case, judged):
    """Which items, for which subjects, in which words; in the order of the list."""
    found = stand(judged, BUILDS.get(case["build"], case["build"]), *case["items"])
    for one, wanted in zip(found, case.get("stands", ()), strict=True):
        holds(one, {"is": wanted})


@pytest.mark.parametrize("name", ["accessories", "checklist"])
def test_a_shipped_list_names_what_there_is(name, rulebook):
    """Items, groups, sources and rules that are there; facts of what the item is about."""
    items, seen = load_items(name), set()
    for item in items.items:
        assert item.id not in seen
        assert item.like in ("", *seen)
        assert item.phase in items.groups
        assert {*item.sources} <= items.sources.keys()
        assert all(rulebook.get(rule) for rule in items.rule_ids((*item.findings, *item.unless)))
        seen.add(item.id)
        texts = (item.text, item.unknown, item.why, item.command, item.expect)
        shown = {n for text in texts if text for n in PLACEHOLDER.findall(text)} - {*OWN_WORDS}
        assert DATA not in {shape_in(item, fact) for fact in shown}
        if item.when:
            tree = parse(item.when)
            dimension.check(tree, {n: shape_in(item, n) for n in names(tree)})
        if item.amount:
            tree = parse(item.amount)
            assert dimension.side(tree, {n: shape_in(item, n) for n in names(tree)}) == NUMBER


def shape_in(item, fact):
    """The shape of a fact of what an item is about, or of what each build has one of."""
    assert fact.partition(".")[0] in (item.applies_to, *SINGLE), fact
    shape = shape_of(fact)
    assert shape is not None, fact
    return shape
