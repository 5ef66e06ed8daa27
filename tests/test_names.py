"""Names as people write them: the share that is answered, and the share of those that is right."""

from typing import Any

import pytest
from conftest import ROOT, each_row

from buildcheck import units
from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.logic import quantity
from buildcheck.model.source import read
from buildcheck.words.facts import habitual_watts
from buildcheck.words.names import squashed

PATH = ROOT / "tests" / "names" / "names.yaml"
NAMES: list[dict[str, Any]] = read(PATH.read_bytes(), str(PATH)).data
#: What users can expect.
RIGHT, ANSWERED, ASKED_BACK = 0.99, 0.9, 0.95


def answer(catalog: Catalog, entry: dict[str, Any]) -> str | NameUnknownError:
    try:
        return catalog.find(entry["kind"], entry["name"])
    except NameUnknownError as error:
        return error


@pytest.fixture(scope="module")
def answers(catalog: Catalog) -> list[tuple[dict[str, Any], str | NameUnknownError]]:
    return [(entry, answer(catalog, entry)) for entry in NAMES]


def numbers(catalog: Catalog, part_id: str) -> set[str]:
    return {squashed(n) for _, row in catalog.index.each(part_id) for n in row.numbers}


def is_right(catalog: Catalog, right: Any, found: str) -> bool:
    """One of the right parts, or the same part by number in another layer."""
    if not isinstance(right, list):
        return False
    own = numbers(catalog, found)
    return found in right or any(own & numbers(catalog, part_id) for part_id in right)


def test_there_are_enough_to_measure() -> None:
    """Of every kind that is bought, and a good many nobody should answer."""
    assert len(NAMES) >= 400
    assert len({(e["kind"], e["name"]) for e in NAMES}) == len(NAMES)
    assert sum(not isinstance(e["right"], list) for e in NAMES) >= 50


def test_every_answer_is_a_part(catalog) -> None:
    """An answer nobody could give measures nothing."""
    for entry in NAMES:
        if isinstance(entry["right"], list):
            assert any(catalog.has(part_id) for part_id in entry["right"]), entry["name"]


def test_what_is_answered_is_right(catalog, answers) -> None:
    """A wrong part is worse than a question."""
    found = [(e, a) for e, a in answers if isinstance(a, str)]
    wrong = [(e["name"], a) for e, a in found if not is_right(catalog, e["right"], a)]
    assert len(wrong) <= (1 - RIGHT) * len(found), wrong


def test_most_names_are_answered(answers) -> None:
    """Of those that mean one part of the catalogue."""
    known = [(e, a) for e, a in answers if isinstance(e["right"], list)]
    missed = [e["name"] for e, a in known if not isinstance(a, str)]
    assert len(missed) <= (1 - ANSWERED) * len(known), missed


def test_a_name_of_several_parts_is_asked_about(answers) -> None:
    open_questions = [(e, a) for e, a in answers if e["right"] == "ambiguous"]
    asked = [a for _, a in open_questions if isinstance(a, NameUnknownError)]
    assert len(asked) >= 0.9 * len(open_questions)
    assert sum(bool(a.near) for a in asked) >= ASKED_BACK * len(asked)


@each_row
def test_a_figure_or_letter_makes_another_part(kind, one, other, catalog) -> None:
    assert catalog.find(kind, one) != catalog.find(kind, other)


@each_row
def test_what_stands_beside_a_name_is_left_aside(kind, plain, written, catalog) -> None:
    """Counts, grades and revisions say nothing new."""
    assert catalog.find(kind, written) == catalog.find(kind, plain)


@each_row
def test_unless_it_makes_another_part(plain, written, catalog) -> None:
    """Then nobody is told that it is the plain one."""
    try:
        found = catalog.find("gpu", written)
    except NameUnknownError:
        return
    assert found != catalog.find("gpu", plain)


def test_nothing_unlike_is_proposed(catalog):
    """A version, a maker or a height in common makes no two cases alike."""
    for name in ("AAAwave Sluice V2", "Gooxi SY4108G-G4 (4U, 8x double-width PCIe GPU)"):
        assert catalog.index.near("case", name) == []
    assert "mining frame" in catalog.index.near("case", "Veddha 6 GPU mining rig frame")


def test_models_of_psus_have_their_watts_in_the_name(catalog):
    """It holds for nearly all of the catalogue, and so for a PSU that is not in it."""
    agrees = []
    for part_id in catalog.ids("psu"):
        rated = catalog.part(part_id).facts.get("rated_power")
        names = (name for _, row in catalog.index.each(part_id) for name in row.names)
        written = [quantity.read(w, units.POWER) for w in map(habitual_watts, names) if w]
        agrees += [rated.value == watts for watts in written if rated]
    assert len(agrees) > 500
    assert sum(agrees) >= 0.95 * len(agrees)


def test_facts_in_names_and_makers_of_unknown_cards(judged):
    """Facts after a name are taken; a card known only by its chip keeps its name."""
    report = judged(
        "gpus: [PNY GeForce RTX 5060 Ti 16GB Dual Fan]\npsus: [Acme SF750, Supermicro PWS-2K08A-1R 2000W]\n"
        "cpu: Intel Xeon Gold 6442Y 2.6G, 24C/48T, 225W\ncase: Acme Brontosaurus (4U, 8x GPU)\n"
    )
    found = report.graph.subjects
    assert found["gpus[0]"].name == "PNY GeForce RTX 5060 Ti 16GB Dual Fan"
    assert (found["gpus[0]"].part, found["gpus[0]"].near) == ("gpu/nvidia/rtx-5060-ti-16gb", ())
    assert found["cpu"].part == "cpu/intel/xeon-gold-6442y"
    assert found["psus[0]"].value("rated_power") == quantity.read("750 W", units.POWER)
    assert found["psus[1]"].part == "psu/supermicro/pws-2k08a-1r"
    assert found["case"].value("kind") == "4U"
