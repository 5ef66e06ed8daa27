"""What is offered where a wish leaves it open: one file, each value with its reason."""

from dataclasses import fields

import pytest
import yaml
from conftest import TODAY, each_of

from buildcheck import store
from buildcheck.configure.engine import Engine
from buildcheck.configure.wish.wish import read_wish
from buildcheck.errors import RulebookError
from buildcheck.logic.quantity import exact
from buildcheck.model.source import read
from buildcheck.rulebook.moves import prove_moves
from buildcheck.rulebook.proposals import Proposals, proposals, prove

FILE = store.data_folder("rules") / "proposals.yaml"
TEXT = FILE.read_text("utf-8")


def problems(text: str) -> str:
    return "\n".join(map(str, prove(read(text.encode(), "proposals.yaml"))[1]))


def test_the_shipped_file_holds_and_each_value_is_read(rulebook) -> None:
    """Amounts are in base units, and nothing is left out."""
    found = proposals()
    assert set(yaml.safe_load(TEXT)) == {one.name for one in fields(Proposals)}
    assert all(rulebook.get(rule) for *_, rule in found.needed_to_pass)
    assert found.limit_shares[-1] == pytest.approx(0.7)
    assert (found.least_drive, found.limit_step, found.kits[:2]) == (2000.0, 5.0, (1, 2))


def test_lists_go_up_or_down() -> None:
    """The first and the last of a list are its ends."""
    for one in fields(Proposals):
        value = getattr(proposals(), one.name)
        if isinstance(value, tuple) and isinstance(value[0], (int, float)):
            assert list(value) in (sorted(set(value)), sorted(set(value), reverse=True)), one.name


@each_of("wrong")
def test_what_is_wrong_is_told_with_its_place(case) -> None:
    """Each thing that can be wrong, by the name of the value."""
    old, new, said = case
    assert old in TEXT
    found = problems(TEXT.replace(old, new))
    assert said in found
    assert found.startswith("proposals.yaml:")


def test_a_value_without_a_reason_is_refused() -> None:
    """A number that nobody can give a reason for is not offered."""
    data = yaml.safe_load(TEXT)
    data["kits"]["why"] = "so"
    assert "'kits' needs a reason" in problems(yaml.safe_dump(data))
    assert "no list of proposals" in problems("- 1\n")


def test_a_broken_file_stops_the_program(tmp_path, monkeypatch) -> None:
    """Nothing is searched with half of it."""
    (tmp_path / "proposals.yaml").write_text("most_cards: {}\n", "utf-8")
    monkeypatch.setattr(store, "data_folder", lambda _: tmp_path)
    proposals.cache_clear()
    try:
        with pytest.raises(RulebookError, match="'kits' is not given"):
            proposals()
    finally:
        proposals.cache_clear()


@pytest.mark.parametrize("named", [False, True])
def test_parts_next_to_gpus_are_of_their_class_unless_named(catalog, rulebook, named) -> None:
    cpu = ", cpu: AMD Ryzen 5 5500" if named else ""
    wish = read_wish(f"{{wish: {{gpus: 2x RTX 5090{cpu}}}}}".encode(), "wish.yaml")
    lists = Engine(catalog, rulebook, TODAY).problem(wish).lists
    cards = [o.units[0].sort for o in lists["gpus"]]
    cpus = [o.units[0].sort for o in lists["cpu"]]
    assert {sort.part for sort in cpus} == {"cpu/amd/ryzen-5-5500"} or not named
    assert named or all((s.value("cores") or exact(8)).high >= 8 for s in cpus)
    assert named or all((s.value("pcie_gen") or exact(4)).high >= 4 for s in cpus)
    kits = [(o.units[0], o.units[0].sort.value) for o in lists["memory"]]
    assert all(of("module").low * of("kit_modules").low * u.number >= 64 for u, of in kits)
    assert min(o.price for o in lists["cpu_cooler"]) >= 0.015 * min(s.price for s in cards)
    assert all(o.units[0].sort.value("plugs")["16-pin"].low >= 1 for o in lists["psus"])


@each_of("wrong_moves")
def test_a_move_for_a_rule_that_does_not_exist_is_refused(row, rulebook, tmp_path) -> None:
    """So is one without a reason; the shipped ones hold."""
    shipped, known = FILE.with_name("moves.yaml"), [rule.id for rule in rulebook.rules]
    assert [*prove_moves(shipped, known)] == []
    old, new, said = row
    (file := tmp_path / "moves.yaml").write_text(shipped.read_text("utf-8").replace(old, new))
    assert said in "\n".join(map(str, prove_moves(file, known)))
