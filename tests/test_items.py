"""Lists of things to say of a build: when an item stands, in which words, and which lists are refused."""

from __future__ import annotations

import pytest
from conftest import table

from buildcheck import store
from buildcheck.checklist.items import Items, load_items, prove
from buildcheck.checklist.matching import applicable_items
from buildcheck.errors import RulebookError
from buildcheck.logic.quantity import Interval
from buildcheck.model.source import read

CARDS = """
gpus:
  - {part: RTX 3090, count: 2, power_limit: 280 W, plugs: {pcie-8-pin: 2}, thickness: 2 slots}
  - {board_power: 300 W}
"""


def listed(*items: str) -> str:
    """A list with these items in one group."""
    return "groups: {a: Steps}\nitems:\n" + "".join(f"  - {{{item}}}\n" for item in items)


def stand(judged, build: str, *items: str):
    """The items that stand, once the list has been proven."""
    document = read(listed(*items).encode(), "list.yaml")
    assert [*document.problems, *prove(document)] == []
    return applicable_items(Items.model_validate(document.data), judged(build))


def test_an_item_without_a_condition_stands_for_every_subject(judged):
    """Equal words for equal parts are said once, with all ids; another part is named for itself."""
    item = "id: a/x, applies_to: gpu, text: 'Look at {subject} ({name})'"
    first, second = stand(judged, CARDS, item)
    assert (first.text, first.subjects) == (
        "Look at GPU 1–2 (RTX 3090)",
        ("gpus[0]", "gpus[1]"),
    )
    assert second.subjects == ("gpus[2]",)
    assert first.state == second.state == "needed"


@pytest.mark.parametrize(("build", "state", "text"), table("items", "a_condition_that_is_decided"))
def test_a_condition_that_is_decided(build, state, text, judged):
    """It stands if it holds, and not if it does not."""
    item = "id: a/x, applies_to: gpu, when: gpu.has_limit, text: 'has {gpu.power_limit}'"
    found = stand(judged, build, item)
    assert [(s.state, s.text) for s in found] == ([(state, text)] if state else [])


def test_a_condition_that_is_not_known(judged):
    """The item stands open in its own words, says what is missing, and nothing is expected."""
    base = "id: a/x, applies_to: gpu, when: gpu.has_sixteen_pin, text: seat it, expect: no gap"
    (found,) = stand(judged, "gpus: [{board_power: 300 W}]\n", f"{base}, unknown: look for it")
    assert (found.state, found.text, found.expect) == ("open", "Look for it", "")
    assert stand(judged, "gpus: [{board_power: 300 W}]\n", base) == []


def test_a_number_nobody_gives_is_not_zero(judged):
    """A comparison with what is not known is not decided."""
    item = "id: a/x, applies_to: gpu, when: gpu.weight > 0, text: heavy, unknown: weigh it"
    assert [s.text for s in stand(judged, "gpus: [{board_power: 300 W}]\n", item)] == ["Weigh it"]
    assert [s.text for s in stand(judged, "gpus: [{weight: 1 kg}]\n", item)] == ["Heavy"]


LONG = "case: {kind: tower, card_length_max: 300 mm}\n"
FOUND = "id: a/x, applies_to: gpu, findings: [space/card-too-long], text: 'saw {subject}'"


@pytest.mark.parametrize(
    ("build", "state"),
    [
        (f"gpus: [{{length: 400 mm}}]\n{LONG}", "needed"),
        (f"gpus: [{{length: 200 mm}}]\n{LONG}", None),
        (f"gpus: [{{board_power: 300 W}}]\n{LONG}", "open"),
        (f"gpus: [{{length: 400 mm}}]\n{LONG}waivers: [{{rule: space/card-too-long, subject: 'gpus[0]', because: the panel is off, until: 2027-01-01}}]\n", "needed"),
    ],
    ids=["failed", "passed", "unknown", "waived"],
)  # fmt: skip
def test_a_finding_calls_for_an_item(build, state, judged):
    """One that failed or was waived surely, one that could not be judged perhaps."""
    found = stand(judged, build, f"{FOUND}, unknown: measure it")
    assert [s.state for s in found] == ([state] if state else [])
    if state:
        assert found[0].rules == ("space/card-too-long",)
    if state == "open":
        assert stand(judged, build, FOUND) == []


def test_a_finding_on_another_part_calls_for_nothing(judged):
    """The item stands where the finding is; one about the build stands for any."""
    build = f"gpus: [{{length: 400 mm}}, {{length: 200 mm}}]\n{LONG}"
    (found,) = stand(judged, build, FOUND)
    assert found.subjects == ("gpus[0]",)
    whole = "id: a/x, applies_to: build, findings: [space/card-too-long, space/card-too-tall], text: widen it, unknown: ask"
    (found,) = stand(judged, build, whole)
    assert (found.state, found.rules) == ("needed", ("space/card-too-long",))


def test_a_finding_and_a_condition_both_have_to_hold(judged):
    """A condition that fails takes the item away, whatever was found."""
    build = f"gpus: [{{length: 400 mm, power_limit: 280 W}}]\n{LONG}"
    both = "id: a/x, applies_to: gpu, findings: [space/card-too-long], text: words"
    assert len(stand(judged, build, f"{both}, when: gpu.has_limit")) == 1
    assert stand(judged, build, f"{both}, when: not gpu.has_limit") == []
    (found,) = stand(judged, build, f"{both}, when: gpu.has_sixteen_pin, unknown: look")
    assert found.state == "open"
    perhaps = f"gpus: [{{power_limit: 280 W}}]\n{LONG}"
    (found,) = stand(judged, perhaps, f"{both}, when: gpu.has_limit, unknown: look")
    assert found.state == "open"


def test_amounts_are_added_up(judged):
    """Over the subjects it says the same of; nothing to buy is no item; a range stays one."""
    item = "id: a/x, applies_to: gpu, amount: gpu.plug_count, text: '{amount} cables for {subject}'"
    (first, *_) = stand(judged, CARDS, item)
    assert (first.amount, first.text) == (Interval(4.0, 4.0), "4 cables for GPU 1–2")
    assert stand(judged, "gpus: [{plugs: {}}]\n", item) == []
    (open_,) = stand(judged, "gpus: [{board_power: 300 W}]\n", item)
    assert open_.text == "At most 7 cables for GPU 1"


def test_words_that_differ_are_said_apart(judged):
    """Also where only the reason, the command or what is expected differs."""
    build = "gpus: [{part: RTX 3090, power_limit: 280 W}, {part: RTX 3090, power_limit: 300 W}]\n"
    for words in ("why", "command", "expect"):
        item = f"id: a/x, applies_to: gpu, text: words, {words}: 'at {{gpu.power_limit}}'"
        found = stand(judged, build, item)
        assert [getattr(s, words) for s in found] == ["at 280 W", "at 300 W"]


def test_lines_of_a_command_stay(judged):
    """Text is put in one line, a command is not."""
    text = listed('id: a/x, applies_to: build, text: "a\\n  b c", command: "one\\ntwo"')
    document = read(text.encode(), "list.yaml")
    (found,) = applicable_items(Items.model_validate(document.data), judged("gpus: RTX 3090\n"))
    assert (found.text, found.command) == ("A b c", "one\ntwo")


def test_a_name_is_no_template(judged):
    """Braces in the name of a part are not filled."""
    build = "name: '{subject} {amount} {gpu.slot}'\ngpus: RTX 3090\n"
    (found,) = stand(judged, build, "id: a/x, applies_to: build, text: 'for {name} as {subject}'")
    assert found.text == "For {subject} {amount} {gpu.slot} as build"


@pytest.mark.parametrize(("item", "said"), table("items", "a_wrong_list_is_refused"))
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


def test_a_list_that_is_no_mapping_is_refused():
    """A word or a bare list is no list of items."""
    for text in ("words\n", "- a\n"):
        assert prove(read(text.encode(), "list.yaml"))


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


@pytest.mark.parametrize(
    ("length", "case", "stands"), table("items", "a_finding_takes_an_item_away")
)
def test_a_finding_takes_an_item_away(length, case, stands, judged):
    """Where a rule failed the other words stand, and where it is open the plain ones do not."""
    build = f"gpus: [{{{length}}}]\ncase: {{kind: tower, card_length_max: {case}}}\n"
    rules = "[space/card-too-long]"
    found = stand(
        judged,
        build,
        f"id: a/plain, applies_to: gpu, unless: {rules}, text: 'as planned'",
        f"id: a/other, applies_to: gpu, findings: {rules}, text: 'as decided'",
    )
    assert [s.item.id for s in found] == stands


def test_a_rule_that_takes_away_has_to_exist():
    """A rule that was renamed would leave both words standing."""
    document = read(
        listed("id: a/x, applies_to: gpu, unless: [no/such], text: 'plain'").encode(), "l"
    )
    assert any("no/such" in problem.message for problem in prove(document))
