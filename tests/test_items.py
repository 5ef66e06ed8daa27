"""Lists of things to say of a build: when an item stands, in which words, and which lists are refused."""

import pytest
from cases import holds
from conftest import each_row, table

from buildcheck import store
from buildcheck.checklist.items import Items, load_items, prove
from buildcheck.checklist.matching import applicable_items
from buildcheck.errors import RulebookError
from buildcheck.model.source import read


def listed(*items: str) -> str:
    """A list with these items in one group."""
    return "groups: {a: Steps}\nitems:\n" + "".join(f"  - {{{item}}}\n" for item in items)


def stand(judged, build: str, *items: str):
    """The items that stand, once the list has been proven."""
    document = read(listed(*items).encode(), "list.yaml")
    assert [*document.problems, *prove(document)] == []
    return applicable_items(Items.model_validate(document.data), judged(build))


BUILDS = table("items", "builds")


@each_row
def test_what_stands(case, judged):
    """Which items, for which subjects, in which words; in the order of the list."""
    found = stand(judged, BUILDS.get(case["build"], case["build"]), *case["items"])
    for one, wanted in zip(found, case.get("stands", ()), strict=True):
        holds(one, {"is": wanted})


@each_row
def test_a_wrong_list_is_refused(item, said):
    """With what is wrong, and where in the file."""
    problems = prove(read(listed(item).encode(), "list.yaml"))
    assert len(problems) == 1
    assert said in problems[0].message
    assert problems[0].line == 3


def test_everything_wrong_is_said_at_once():
    """Groups that are not there, ids given twice, and faults of several items."""
    text = listed("id: a/x, applies_to: gpu, text: words", "id: a/x, applies_to: none, text: words")
    problems = prove(read(text.replace("a: Steps", "other: Steps").encode(), "list.yaml"))
    said = " ".join(p.message for p in problems)
    assert said.count("there is no group 'a'") == 2
    assert "given twice" in said
    assert "no kind of subject 'none'" in said


def test_a_shipped_list_that_is_wrong_stops_the_program(tmp_path, monkeypatch):
    """Loading raises with the problems, and keeps nothing."""
    for folder in ("templates", "rules"):
        (tmp_path / folder).mkdir()
    file = tmp_path / "templates" / "own.yaml"
    file.write_text(listed("id: a/x, applies_to: gpu, when: gpu.nonsense, text: words"), "utf-8")
    monkeypatch.setattr(store, "data_folder", lambda name: tmp_path / name)
    for _ in range(2):
        with pytest.raises(RulebookError, match=r"gpu\.nonsense"):
            load_items("own")
    file.write_text(listed("id: a/x, applies_to: gpu, text: mended words"), "utf-8")
    assert load_items("own").items[0].text == "mended words"


def test_a_list_is_proven_again_when_a_rule_goes(tmp_path, monkeypatch):
    """A finding that no rule makes any more would call for nothing, unseen."""
    for folder in ("templates", "rules"):
        (tmp_path / folder).mkdir()
    rule = tmp_path / "rules" / "power" / "mine.yaml"
    rule.parent.mkdir()
    rule.write_text("id: power/mine\n", "utf-8")
    (tmp_path / "templates" / "own.yaml").write_text(
        listed("id: a/x, applies_to: gpu, findings: [power/mine], text: words"), "utf-8"
    )
    monkeypatch.setattr(store, "data_folder", lambda name: tmp_path / name)
    assert load_items("own").items
    rule.unlink()
    with pytest.raises(RulebookError, match="no rule 'power/mine'"):
        load_items("own")
