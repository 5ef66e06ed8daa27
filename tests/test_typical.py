"""Typical ranges hold what is known of parts, and say what they rest on."""

import json

import jsonschema
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from buildcheck.catalog import Catalog
from buildcheck.catalog.typical import holds
from buildcheck.catalog.typical.making import groups, peers, trials, usual_value
from buildcheck.cli import main
from buildcheck.docs.schemas import schema_of
from buildcheck.logic.quantity import Interval, exact
from buildcheck.model.kinds import KINDS
from buildcheck.model.part import USER, Part, Sourced
from buildcheck.model.vocabulary import shipped

FEW = {"share": 0.95, "peers": 5}
VALUES = st.lists(st.integers(1, 400).map(lambda n: Interval(float(n), n + 2.0)), max_size=90)


def facts(origin="", **values):
    return {n: Sourced(v, USER, "vendor", origin) for n, v in values.items()}


def test_typical_ranges_are_right_of_the_catalogue() -> None:
    """Of 95 % of all values and 90 % of each field."""
    done = CliRunner().invoke(main, ["parts", "calibrate", "--format", "json"])
    data = json.loads(done.stdout)
    jsonschema.validate(data, schema_of("parts-calibrate"))
    total, fields = data["answer"]["total"], data["answer"]["fields"]
    assert total["covered"] >= 0.95 * total["predicted"] >= 0.8 * total["parts"]
    assert not [f for f in fields if f["covered"] < 0.9 * f["predicted"] or not f["predicted"]]
    for kind, one in shipped("rules", "typical")["kinds"].items():
        keys = {
            name.partition("/")[0] for like in one["like"].values() for key in like for name in key
        }
        assert {*one["like"], *keys} <= KINDS[kind].model_fields.keys()
        assert {f["field"] for f in fields if f["kind"] == kind} == one["like"].keys()


@given(VALUES)
def test_a_range_holds_19_of_20(values) -> None:
    usual = usual_value(values, FEW)
    assert (usual is None) == (len(values) < 5)
    assert usual is None or sum(holds(usual, v) for v in values) >= 0.95 * len(values)


def test_what_is_usual() -> None:
    two, one_more = [{"sata": exact(2.0)}] * 5, [{"sata": exact(2.0)}] * 5 + [{}]
    assert usual_value(["C14"] * 19 + ["C20"], FEW) == "C14"
    assert usual_value(["C14"] * 18 + ["C20"] * 2, FEW) is None
    assert usual_value([frozenset("ab")] * 5, FEW) == frozenset("ab")
    assert usual_value([exact(2.0)] * 4 + [exact(4.0)], FEW) == Interval(2, 4)
    assert usual_value(two, FEW) == {"sata": exact(2.0)}
    assert usual_value(one_more, FEW) == {"sata": Interval(0, 2)}


def test_too_few_parts_fall_back_on_the_next_key(monkeypatch) -> None:
    like = {"length": [["form_factor", "rated_power/200 W"], ["form_factor"], []]}
    declared = {**FEW, "kinds": {"psu": {"says": "{within} of {peers} {like} PSUs", "like": like}}}
    monkeypatch.setattr("buildcheck.catalog.typical.making.shipped", lambda *_: declared)
    parts = []
    six = [(n, "ATX", 1000.0) for n in range(6)]
    for n, form, watts in [*six, (6, "ATX", 800.0), (9, "SFX", 800.0)]:
        own = {"form_factor": form, "rated_power": exact(watts), "length": exact(150.0 + n)}
        parts.append(Part(f"psu/a/{n}", f"Acme Model{n}", facts(f"psu/a/{n}", **own)))
    titles = {ranges["length"][1] for ranges in groups(lambda _: parts)["psu"].values()}
    assert titles == {"6 of 6 ATX 1,000–1,200 W PSUs", "7 of 7 ATX PSUs", "8 of 8 PSUs"}
    found = [t.usual for t in trials("psu", parts, {p.id for p in parts})]
    ends = [(150, 156), *[(149, 156)] * 4, (149, 155), (149, 156), (149, 157)]
    assert found == [Interval(*each) for each in ends]
    same = [p._replace(name=f"Acme Ox{' OC' * (n % 2)}") for n, p in enumerate(parts)]
    assert {t.usual for t in trials("psu", same, {p.id for p in parts})} == {None}


def test_what_is_said_of_a_chip_is_not_known_of_its_gpus() -> None:
    known = facts("gpu/x/rtx", length=exact(200.0), board_power=Interval(350, 420))
    known |= {"memory": Sourced(exact(24.0), USER, "assumption", "gpu/x/rtx")}
    card = Part("gpu/y/rtx", "Y RTX", known | facts("gpu/y/rtx", chip="RTX"))
    chip, one = peers([Part("gpu/x/rtx", "RTX", known), card], {})
    assert (chip.facts.keys(), one.facts.keys()) == ({"length"}, {"chip"})
    assert chip.name == one.chip


def test_a_catalogue_says_what_comparable_parts_have() -> None:
    catalog = Catalog()
    board = catalog.typical("motherboard", facts(socket="AM4", chipset="X570"))
    assert "chipset" not in board
    assert (board["memory_generation"].value, board["sata_ports"].confidence) == ("DDR4", "typical")
    assert board["memory_generation"].source.title.endswith("X570 boards")
    chip = catalog.part(catalog.find("gpu", "RTX 3090")).facts
    thick = catalog.typical("gpu", {n: f for n, f in chip.items() if n != "thickness"})["thickness"]
    assert "RTX 3090" in thick.source.title
    assert catalog.typical("outlet", {}) == {}


def test_a_server_psu_is_compared_with_server_psus_alone() -> None:
    """Its outputs are those of a distribution board, not of ATX PSUs of its size."""
    catalog = Catalog()
    atx, server = (facts(standard=s, rated_power=exact(1600.0)) for s in ("ATX 3.1", "server"))
    assert {"plugs", "form_factor"} <= catalog.typical("psu", atx).keys()
    assert not {"plugs", "length"} & catalog.typical("psu", server).keys()
    assert not any("server" in i or "crps" in i for i in catalog.ranges.designs("psu", atx, None))


def test_cables_are_compared_for_each_head() -> None:
    heads = {"pcie-8-pin": exact(8.0)}
    found = Catalog().typical("psu", facts(rated_power=exact(1600.0), plugs=heads))
    assert found["cables"].value == {"pcie-8-pin": Interval(4.0, 8.0)}
