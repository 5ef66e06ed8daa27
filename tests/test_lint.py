"""What is doubted of parts: for each doubt a part that raises it, and a neighbour that does not."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from cases import part_file
from conftest import each_row, table
from hypothesis import given, settings
from hypothesis import strategies as st

from buildcheck import store
from buildcheck.catalog import Catalog, references
from buildcheck.importers.lint.derived import DERIVED
from buildcheck.importers.lint.facts import PartFacts, unit
from buildcheck.importers.lint.files import check_files, twins
from buildcheck.importers.lint.lint import _Case, doubts
from buildcheck.importers.lint.rules import by_field, part_rules
from buildcheck.importers.lint.rules import table as quantities
from buildcheck.logic.dimension import check
from buildcheck.logic.parse import names as names_of
from buildcheck.logic.quantity import Interval, read_any
from buildcheck.measure.shapes import _shape
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import Part, Source, Sourced

SOURCE = Source("made up for a test", "https://example.org", "vendor")


#: A catalogue in which little is known: a chip, four cards of it, an adapter, and two sockets.
KNOWN: dict[str, dict[str, str]] = table("lint", "known")


@pytest.fixture(scope="module")
def little(_own_cache, tmp_path_factory) -> Catalog:
    """The catalogue of the parts above."""
    folder = tmp_path_factory.mktemp("little")
    for part_id, facts in KNOWN.items():
        write(folder, part_id, facts)
    for kind in KINDS:
        (folder / kind).mkdir(exist_ok=True)
    return Catalog(folder)


def write(folder: Path, part_id: str, facts: dict[str, str], *, name: str = "", head: str = ""):
    """A part file with facts as text."""
    return part_file(folder, part_id, facts, f"name: {name or Path(part_id).name}\n{head}".strip())


def made(kind: str, catalog: Catalog, facts: dict[str, Any], note: str = "") -> Part:
    """A part that states these facts, with what its references add."""
    part_id = f"{kind}/acme/made"
    model = KINDS[kind].model_validate(facts)
    own = {n: Sourced(getattr(model, n), SOURCE, "vendor", part_id, note) for n in facts}
    return Part(part_id, "Made", catalog.fill(KINDS[kind], own))


def slot(label: str = "A", **facts: Any) -> dict[str, Any]:
    return {"label": label, "mechanical": 16, **facts}


TWO = [slot("A", lanes=16, owner="cpu"), slot("B", lanes=16, owner="cpu")]
THREE = [*TWO, slot("C", lanes=16, owner="cpu")]


FILES = {
    name: yaml.safe_load(path.read_text("utf-8"))
    for name, path in store.files(store.data_folder("rules") / "part")
}
SHARED = FILES.pop("shared")
KINDS_WITH_RULES = sorted(set(FILES) - {"any"})
EXAMPLES = [
    (kind, example) for kind in KINDS_WITH_RULES for example in FILES[kind].get("examples", ())
]


@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_examples_hold(kind, example, catalog) -> None:
    """What is wrong is doubted in that field alone, with what to do, and what is right is not."""
    found = doubts(made(kind, catalog, example["wrong"]), catalog)
    assert {d.field for d in found} == {example["field"]}
    assert all(d.part == f"{kind}/acme/made" and d.message and d.suggestion for d in found)
    assert doubts(made(kind, catalog, {**example["wrong"], **example["right"]}), catalog) == []


@pytest.mark.parametrize("kind", KINDS_WITH_RULES)
def test_every_rule_has_an_example(kind, catalog) -> None:
    """In which it fails; siblings and bounds are tried below, and words beside what is meant."""
    file = FILES[kind]
    assert file["id"] == file["applies_to"] == f"part/{kind}"
    assert {*file.get("choices", ())} <= {example["field"] for example in file.get("examples", ())}
    own = {" ".join(row["message"].split()) for row in file.get("rules", ())}
    tried = [
        PartFacts(made(kind, catalog, e["wrong"]), catalog, DERIVED)
        for e in file.get("examples", ())
    ]
    for rule in part_rules(kind) if own else ():
        if rule.message in own and rule.each != "sibling_sizes":
            items = [(f, i) for f in tried for i in (f.items(rule.each) if rule.each else ({},))]
            assert any(_Case(rule, *one).fails() for one in items), rule


@pytest.mark.parametrize("kind", KINDS_WITH_RULES)
def test_rules_speak_of_fields_there_are(kind) -> None:
    """Names exist, and comparisons make sense in their units."""
    fields = KINDS[kind].model_fields
    named = {field for what in ("bounds", "choices", "words") for field in by_field(kind, what)}
    assert named | {rule.field for rule in part_rules(kind)} <= {*fields, "sources", ""}
    assert not {*fields} & {*DERIVED, *SHARED["tables"]}
    for rule in part_rules(kind):
        inner = bool(rule.each or rule.sums or rule.looked_up or not rule.require)
        names = {n.removesuffix(".low").removesuffix(".high") for n in names_in(rule)} - {
            *rule.terms
        }
        for name in () if inner else names - {*DERIVED}:
            link, _, field = name.rpartition(".")
            kinds = references(KINDS[kind])
            assert field in KINDS[kinds[link] if link else kind].model_fields, (kind, name)
        if rule.require and not inner and "c0" not in rule.terms and not names & {*DERIVED}:
            shapes = {n: shape(kind, n) for n in names}
            whole = {**shapes, **rule.shapes}
            check(
                rule.claim,
                {n: whole[n.removesuffix(".low").removesuffix(".high")] for n in names_in(rule)},
            )


def names_in(rule) -> list[str]:
    return names_of(rule.claim) if rule.require else []


def shape(kind: str, name: str) -> Any:
    link, _, field = name.rpartition(".")
    kind = references(KINDS[kind])[link] if link else kind
    found = _shape(KINDS[kind].model_fields[field])
    return unit(kind, field) if found == "data" else found


def test_lists_of_words_are_those_there_are() -> None:
    named = {name for kind in KINDS_WITH_RULES for name in by_field(kind, "words").values()}
    assert named == {*SHARED["lists"]}
    looked_up = {
        of
        for kind in KINDS_WITH_RULES
        for rule in part_rules(kind)
        for of, _ in rule.looked_up.values()
    }
    assert looked_up == {*SHARED["tables"]}
    assert all(one["why"] for one in SHARED["tables"].values())


def test_volt_amperes_are_called_so(little) -> None:
    (doubt,) = doubts(made("ups", little, {"power": "1 kW", "apparent_power": "900 W"}), little)
    assert doubt.message.startswith("1,000 W is above apparent_power, 900 VA")


def test_a_note_explains_what_would_be_doubted(little, catalog) -> None:
    """A 16-pin output before its standard, and slots that share lanes nobody listed."""
    facts = {"standard": "ATX 2.x", "plugs": {"16-pin": 1}}
    assert doubts(made("psu", catalog, facts, note="the maker says so"), catalog) == []
    facts = {"socket": "S1", "slots": THREE}
    assert doubts(made("motherboard", little, facts, note="the last two share"), little) == []
    assert doubts(made("motherboard", little, facts, note="from a photograph"), little) != []


def test_a_note_silences_one_doubt_and_no_other(catalog) -> None:
    """It stands at the value that is doubted, and mistakes beside it are still seen."""
    stated = {"standard": "ATX 2.x", "plugs": {"16-pin": 1, "pcie-8-pin": 20}}
    stated |= {"rated_power": "1000 W", "twelve_volt_current": "100 A"}
    model = KINDS["psu"].model_validate(stated)

    def doubted(sure: str = "vendor", **notes: str) -> list[str]:
        facts = {
            n: Sourced(getattr(model, n), SOURCE, sure, "psu/acme/made", notes.get(n, ""))
            for n in model.model_fields_set
        }
        return sorted(d.field for d in doubts(Part("psu/acme/made", "Made", facts), catalog))

    others = ["plugs", "twelve_volt_current"]
    assert doubted() == sorted([*others, "standard"])
    assert doubted(plugs="the maker says so") == sorted([*others, "standard"])
    assert doubted(standard="sold in 2021 with a 12VHPWR cable") == others
    assert doubted("assumption") == others
    assert doubted(standard="a", plugs="b", rated_power="c", twelve_volt_current="d") == others


def test_a_note_silences_no_bounds(catalog) -> None:
    """Nor what is in disorder, nor what a chip or a platform has not."""
    for kind, example in EXAMPLES:
        if example["field"] not in ("standard", "slots"):
            found = doubts(made(kind, catalog, example["wrong"], note="the maker says so"), catalog)
            assert {d.field for d in found} == {example["field"]}, example


def test_what_a_chip_says_is_not_held_against_its_card(little) -> None:
    """Only what a card states itself is compared, and exact power only where both are its own."""
    plugs = {"pcie-8-pin": 2}
    assert doubts(made("gpu", little, {"chip": "zeta-1"}), little) == []
    assert doubts(made("gpu", little, {"chip": "zeta-1", "plugs": plugs}), little) == []


def test_what_is_not_known_raises_no_doubt(little) -> None:
    for kind in KINDS:
        assert doubts(made(kind, little, {}), little) == []


def test_lane_rates_are_those_of_the_standard(catalog) -> None:
    """Doubts and rules count with the same."""
    for part_id in catalog.ids("standard"):
        curve = catalog.part(part_id).facts.get("lane_rate")
        for gen, rate in curve.value if curve else ():
            assert quantities("lane_rate")[int(gen)][0].low == pytest.approx(rate, rel=0.01)


FIELDS = [(kind, field) for kind in KINDS_WITH_RULES for field in by_field(kind, "bounds")]


def bound_of(kind: str, field: str) -> tuple[Interval, str]:
    """The bounds of a field, and what they rest on."""
    span, why = by_field(kind, "bounds")[field]
    return read_any(span)[0], why


def alone(kind: str, field: str, value: Interval) -> Part:
    """A part of which one thing is known."""
    part_id = f"{kind}/acme/made"
    return Part(part_id, "Made", {field: Sourced(value, SOURCE, "vendor", part_id)})


@settings(deadline=None)
@given(which=st.sampled_from(FIELDS), ends=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_a_value_inside_its_bounds_is_not_doubted(which, ends, catalog) -> None:
    """Whatever the field, one number or a range."""
    bound, _ = bound_of(*which)
    span = bound.high - bound.low
    low, high = (min(bound.low + share * span, bound.high) for share in sorted(ends))
    assert doubts(alone(*which, Interval(low, high)), catalog) == []


@settings(deadline=None)
@given(which=st.sampled_from(FIELDS), beyond=st.floats(0.001, 1000))
def test_a_value_outside_its_bounds_is_doubted(which, beyond, catalog) -> None:
    """Below and above, and a range that only reaches out."""
    bound, why = bound_of(*which)
    for value in (
        Interval(bound.low - beyond, bound.low - beyond),
        Interval(bound.high + beyond, bound.high + beyond),
        Interval(bound.low, bound.high + beyond),
    ):
        found = doubts(alone(*which, value), catalog)
        assert [d.field for d in found] == [which[1]]
        assert why in found[0].message


#: Kind, field, what is written, the word that is doubted, and what is proposed.
MISSPELT: list[tuple[str, str, Any, str, str]] = table("lint", "misspelt")


@pytest.mark.parametrize(("kind", "field", "written", "word", "meant"), MISSPELT)
def test_a_word_nobody_knows_is_doubted_beside_the_one_that_was_meant(
    kind, field, written, word, meant, catalog
) -> None:
    """In closed lists only; the words beside it are left alone, and the right one is none."""
    found = [d for d in doubts(made(kind, catalog, {field: written}), catalog) if d.field == field]
    assert [(d.message.split("' is no ")[0], d.suggestion) for d in found] == [
        (f"'{word}", f"Did you mean {meant}?")
    ]
    right = {meant: 1} if isinstance(written, dict) else meant
    found = [d for d in doubts(made(kind, catalog, {field: right}), catalog) if d.field == field]
    assert not [d for d in found if " is no " in d.message]


def test_a_catalogue_without_a_list_doubts_no_word(little) -> None:
    assert not doubts(made("psu", little, {"plugs": {"foo-9-pin": 3}}), little)


@each_row
def test_words_of_closed_lists(kind, facts, told, catalog) -> None:
    """What is like none has the list with it; what says that there is nothing is no unknown word."""
    found = [d for d in doubts(made(kind, catalog, facts), catalog) if d.field in facts]
    assert len(found) == len(told)
    for doubt, words in zip(found, told, strict=True):
        assert all(word in f"{doubt.message}. {doubt.suggestion}" for word in words)


@each_row
def test_days_of_sources(kind, facts, days, doubted, little) -> None:
    """None was read in the future; a price says of which day it is, none after it was read."""
    part = made(kind, little, facts)
    source = SOURCE._replace(**days)
    dated = {n: f._replace(source=source) for n, f in part.facts.items()}
    assert [d.field for d in doubts(part._replace(facts=dated), little)] == ["sources"] * doubted


@each_row
def test_siblings_are_enough_if_three(part_id, siblings, little) -> None:
    """A card is no sibling of itself, nor one of another maker's."""
    values = {"chip": "zeta-1", "board_power": Interval(650, 650)}
    facts = {n: Sourced(v, SOURCE, "vendor", part_id) for n, v in values.items()}
    messages = [d.message for d in doubts(Part(part_id, "New", facts), little)]
    assert [f"{siblings} siblings" in m for m in messages] == [True] * bool(siblings)


def test_a_way_to_split_a_slot_is_written_as_rules_compare_it(little) -> None:
    """Such as x8/x8."""
    for way, told in (("8x8", 1), ("x8+x8", 1), ("x8/x8", 0), ("x8/x4/x4", 0), ("x5/x3", 1)):
        facts = {"socket": "S1", "slots": [slot(bifurcation=[way])]}
        found = [d for d in doubts(made("motherboard", little, facts), little) if way in d.message]
        assert len(found) == told, way


def test_one_part_under_two_ids_is_seen(tmp_path) -> None:
    """By part number, by a name, by the words of the whole name; others are left alone."""
    write(tmp_path, "ups/acme/a", {}, name="Acme Up 1500", head="part_numbers: [AC-15]\n")
    write(tmp_path, "ups/acme/b", {}, name="Acme Two", head="part_numbers: [ac 15]\n")
    write(tmp_path, "ups/acme/c", {}, name="Acme 1500 Up", head="aliases: [Up 9]\n")
    write(tmp_path, "ups/acme/d", {}, name="Acme Four", head="aliases: [up 9]\n")
    write(tmp_path, "ups/acme/e", {}, name="Acme Five", head="aliases: [9 Up]\n")
    found = twins(Catalog(tmp_path), "ups")
    assert [(one, other) for one, other, _ in found] == [
        ("ups/acme/a", "ups/acme/b"),
        ("ups/acme/a", "ups/acme/c"),
        ("ups/acme/c", "ups/acme/d"),
    ]
    assert [why for *_, why in found] == [
        "both have the part number ac 15",
        "both names have the words of Acme 1500 Up",
        "both are called up 9",
    ]


CHECKED = table("lint", "checked")


@pytest.mark.parametrize("name", CHECKED)
def test_what_a_check_says(name, little, catalog, tmp_path) -> None:
    """Problems at their lines, all at once, and doubts about what can be read."""
    case = CHECKED[name]
    for part_id, given_ in case["files"].items():
        facts = given_.get("facts", given_)
        write(tmp_path, part_id, facts, name=given_.get("name", "") if "facts" in given_ else "")
    by = catalog if case.get("by") == "catalogue" else little
    problems, found = check_files(tmp_path / case.get("check", "."), by)
    wanted = case.get("problems", [])
    assert [p.path for p in problems] == [str(tmp_path / f"{part}.yaml") for part, *_ in wanted]
    for problem, (_, line, words_) in zip(problems, wanted, strict=True):
        assert line is None or problem.line == line
        assert words_ in problem.message
    for problem, words_ in zip(problems, case.get("suggests", ()), strict=False):
        assert words_ in problem.suggestion
    assert [[d.part, d.field] for d in found] == case.get("doubts", [])
    for doubt, words_ in zip(found, case.get("messages", ()), strict=False):
        assert words_ in doubt.message


def test_a_file_is_checked_by_the_id_it_states(little, tmp_path) -> None:
    """Wherever it lies; one without an id of a kind is refused."""
    path = write(tmp_path, "gpu/acme/new", {"chip": "zeta-1", "memory": "48 GB"})
    lone = path.rename(tmp_path / "some card.yaml")
    problems, found = check_files(lone, little)
    assert problems == []
    assert [(d.part, d.field) for d in found] == [("gpu/acme/new", "memory")]
    lone.write_text("id: card/acme/new\n", "utf-8")
    problems, found = check_files(lone, little)
    assert [(p.path, p.line) for p in problems] == [(str(lone), 1)]
    assert "'id' needs to be" in problems[0].message
    assert found == []


def test_a_file_that_cannot_be_read_is_a_problem(little, tmp_path) -> None:
    write(tmp_path, "ups/acme/good", {"power": "1 W"})
    for name in ("ups/acme/gone.yaml", "gone.yaml"):
        (tmp_path / name).symlink_to(tmp_path / "nothing")
    for path in (tmp_path / "ups", tmp_path / "gone.yaml"):
        problems, _ = check_files(path, little)
        assert ["it cannot be read" in p.message for p in problems] == [True]
    assert [d.field for d in check_files(tmp_path / "ups", little)[1]] == ["power"]


def test_a_broken_part_of_the_catalogue_stops_nothing(tmp_path) -> None:
    """Parts beside it are looked at as far as they go."""
    write(tmp_path / "parts", "platform/acme/bad", {"socket": "S1", "pcie_lanes": "many"})
    write(tmp_path / "parts", "platform/acme/good", {"socket": "S2"})
    write(tmp_path / "parts", "adapter/acme/bad", {"inputs": "two"})
    facts = {"plugs": "{nvidia-12-pin: 1}", "board_power": "300 W"}
    write(tmp_path / "lab", "gpu/acme/new", {**facts, "memory": "24 GB"})
    write(tmp_path / "lab", "cpu/acme/new", {"socket": "S2"})
    problems, found = check_files(tmp_path / "lab", Catalog(tmp_path / "parts"))
    assert problems == []
    assert [(d.part, d.field) for d in found] == [("gpu/acme/new", "bundled_adapter")]


def test_a_relative_path_is_checked_as_an_absolute_one(little, tmp_path, monkeypatch) -> None:
    write(tmp_path, "gpu/acme/new", {"memory": "900 GB"})
    for here, path in (
        (tmp_path, "."),
        (tmp_path, "gpu"),
        (tmp_path, "gpu/acme/new.yaml"),
        (tmp_path / "gpu", "acme"),
        (tmp_path / "gpu" / "acme", "."),
        (tmp_path / "gpu" / "acme", "new.yaml"),
    ):
        monkeypatch.chdir(here)
        problems, found = check_files(Path(path), little)
        assert problems == []
        assert [d.field for d in found] == ["memory"]


def test_a_file_of_the_catalogue_itself_is_checked_where_it_lies(tmp_path) -> None:
    """The whole, a folder or one file; broken ones say what is wrong."""
    bad = write(tmp_path, "gpu/acme/bad", {"memory": "24 mm"})
    write(tmp_path, "gpu/acme/long", {"length": "999 mm"})
    lost = write(tmp_path, "psu/acme/lost", {"standard": "ATX 9"})
    own = Catalog(tmp_path)
    problems, found = check_files(tmp_path, own)
    assert [(p.path, p.line) for p in problems] == [(str(bad), 4), (str(lost), 4)]
    assert [d.part for d in found] == ["gpu/acme/long"]
    assert check_files(tmp_path / "gpu", own) == (problems[:1], found)
    assert check_files(bad, own) == (problems[:1], [])
