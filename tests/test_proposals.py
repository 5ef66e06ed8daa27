"""What is offered where a wish leaves it open: one file, each value with its reason."""

import json
from dataclasses import fields, replace
from typing import get_type_hints

import pytest
from conftest import each_row, table
from pydantic import TypeAdapter

from buildcheck import units
from buildcheck.logic.quantity import exact, read_any
from buildcheck.model.vocabulary import shipped
from buildcheck.rulebook.moves import moves
from buildcheck.rulebook.proposals import MODEL_SHAPE, Proposals, proposals

FILE = shipped("rules", "proposals")


def test_the_shipped_file_holds_and_each_value_is_read(rulebook) -> None:
    """Amounts are in base units, and nothing is left out."""
    found = proposals()
    assert FILE.keys() == {one.name for one in fields(Proposals)}
    assert all(rulebook.get(rule) for *_, rule in found.needed_to_pass)
    assert found.limit_shares[-1] == pytest.approx(0.7)
    assert (found.least_drive, found.limit_step, found.kits[:2]) == (2000.0, 5.0, (1, 2))


def test_lists_go_up_or_down() -> None:
    """The first and the last of a list are its ends."""
    for one in fields(Proposals):
        value = getattr(proposals(), one.name)
        if isinstance(value, tuple) and isinstance(value[0], (int, float)):
            assert list(value) in (sorted(set(value)), sorted(set(value), reverse=True)), one.name


def test_each_value_has_a_reason_a_type_and_its_unit() -> None:
    unit_of = {name: unit for unit, names in table("proposals", "units").items() for name in names}
    for name, kind in get_type_hints(Proposals).items():
        given, found = FILE[name], getattr(proposals(), name)
        assert given.keys() == {"value", "why"}
        assert len(given["why"]) >= 20
        TypeAdapter(kind).validate_json(json.dumps(found), strict=True)
        each = found if isinstance(found, tuple) else [found]
        assert each, name
        assert all(one > 0 for one in each if isinstance(one, (int, float))), name
        written = given["value"] if isinstance(found, tuple) else [given["value"]]
        for text in written if "float" in str(kind) else ():
            amount, shape = read_any(str(text))
            assert (units.BASE[shape], amount.is_exact) == (unit_of.get(name, ""), True), name
    keys = {*MODEL_SHAPE, "size", "model", "source"}
    assert all(one.keys() == keys for one in proposals().model_shapes)


def test_each_move_has_a_kind_a_reason_and_rules_there_are(rulebook) -> None:
    ids = [[rule.id] for rule in rulebook.rules]
    for name, one in moves().items():
        assert one.kind in ("setting", "accessory", "swap", "blame"), name
        assert len(one.why) >= 20, name
        safe = [row for found in one.safe.values() for row in found.items()]
        assert all(grade in {g.severity for g in rulebook.get(r).grades} for r, grade in safe)
        for pattern in one.rules:
            assert any(map(replace(one, rules=(pattern,)).concerns, ids)), pattern


@each_row
def test_parts_next_to_gpus_are_of_their_class_unless_named(part, given, sought) -> None:
    wish = "case: tower}, owned: {gpus: 2x RTX 5090" if given else f"gpus: 2x RTX 5090{part}"
    lists = sought(f"{{wish: {{{wish}}}}}").lists
    cpus, is_named = [o.units[0].sort for o in lists["cpu"]], "cpu" in part
    assert {sort.part for sort in cpus} == {"cpu/amd/ryzen-5-5500"} or not is_named
    for name, least in (("cores", 8), ("pcie_gen", 4)) if not is_named else ():
        assert all((s.value(name) or exact(least)).high >= least for s in cpus)
    assert {o.units[0].sort.value("spins") for o in lists["storage"]} == {"HDD" in part}
    kits = [(o.units[0], o.units[0].sort.value) for o in lists["memory"]]
    assert all(of("module").low * of("kit_modules").low * u.number >= 64 for u, of in kits)
    assert min(o.price for o in lists["cpu_cooler"]) >= 2500
    assert all(o.units[0].sort.value("plugs")["16-pin"].low >= 1 for o in lists["psus"])


@each_row
def test_gpus_without_cuda_train_where_they_are_named(gpus, work, are_there, sought) -> None:
    found = sought(f"{{wish: {{gpus: {gpus}}}, workload: {{kind: {work}}}}}").lists["gpus"]
    assert any(o.units[0].sort.value("architecture") == "RDNA 3" for o in found) == are_there
