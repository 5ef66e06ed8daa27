"""Changes of a build file: what is not changed stays, and the text holds what was asked for."""

import json
import random
import re
from collections import Counter

import pytest
from conftest import THOROUGH, each_row, table
from fuzz import corpus, damaged
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from buildcheck.edit import Change, changed, difference, edit, formatted, named
from buildcheck.errors import InputError
from buildcheck.load import load
from buildcheck.model.source import read

LIMIT = (("gpus", 0, "power_limit"), "280 W")


def edited(text: str, *changes: tuple) -> str:
    """Text after changes, which hold what they should."""
    todo = [Change(*change) for change in changes]
    raw = text.encode()
    result = edit(raw, "build.yaml", todo)
    assert exact(read(result, "").data) == exact(changed(read(raw, "").data, todo))
    return result.decode()


def exact(data) -> str:
    return json.dumps(data, sort_keys=True)


def loaded(raw: bytes):
    """What a file is loaded as, or what is wrong with it."""
    try:
        return load(raw, "f").build
    except InputError as error:
        return [problem.message for problem in error.problems]


def refusal(text: str, *changes: tuple) -> str:
    """What is said about changes that cannot be made."""
    with pytest.raises(InputError) as stopped:
        edit(text.encode(), "build.yaml", [Change(tuple(path), new) for path, new in changes])
    return str(stopped.value)


#: Tables of what a change makes of a text. A short form is spelt out over several lines, one entry is the
#: first of a list, what is new comes last, and what is taken away takes the comments that can be of nothing else.
CHANGES = (
    *("a_short_form_is_spelt_out_where_a_key_goes_into_it", "what_is_new_comes_last"),
    *("one_entry_becomes_a_list_where_another_comes", "a_value_takes_the_place_of_another"),
    "what_is_taken_away_takes_its_own_comments",
)


@pytest.mark.parametrize(
    ("text", "change", "expected"), [row for name in CHANGES for row in table("edit", name)]
)
def test_a_change_is_made_as_people_would(text, change, expected) -> None:
    """The rest stays as it is written, comments in the line of their key."""
    assert edited(text, change) == expected


@each_row
@pytest.mark.parametrize("base", ["a: 1\n", "{a: 1}", "a:\n- 1\n", "a: [1]\n"])
def test_text_is_read_again_as_that_text(text, base) -> None:
    """As a value, in brackets and out, and as a key, whatever it looks like."""
    edited(base, (("a",), text), (("b",), [text, {text: text}]), ((text or "c", "d"), text))


def test_text_that_needs_no_quotes_has_none() -> None:
    """Commas only matter within brackets; a date is text for this reader."""
    assert edited("a: 1\n", (("a",), "x, 2026-11-20")) == "a: x, 2026-11-20\n"
    assert edited("a: [1]\n", (("a", 0), "x, y")) == "a:\n  - x, y\n"
    assert edited("a: {b: [1]}\n", (("a", "b", 0), "x, y")) == "a:\n  b: ['x, y']\n"


@pytest.mark.parametrize("number", [0, -3, 1.5, 0.1 + 0.2, 1.0, 123456.789, -0.000001])
def test_numbers_are_written_plainly(number) -> None:
    """Up to the nine decimals that are read."""
    assert read(edited("a: 1\n", (("a",), number)).encode(), "").data == {"a": round(number, 9)}


def test_line_ends_and_byte_order_mark_stay() -> None:
    raw = b"\xef\xbb\xbfgpus:\r\n  - part: A # \xc3\xa4\r\n\r\n# end\r\n"
    found = edit(raw, "f", [Change(*LIMIT), Change(("site", "outlet"), "X")])
    assert found == (
        b"\xef\xbb\xbfgpus:\r\n  - part: A # \xc3\xa4\r\n    power_limit: 280 W\r\n"
        b"site:\r\n  outlet: X\r\n\r\n# end\r\n"
    )


def test_no_change_changes_nothing() -> None:
    """Not even a file that could not be changed."""
    assert edit(b"\xff", "f", []) == b"\xff"


def test_later_changes_find_what_earlier_ones_left() -> None:
    """Numbers of entries count in the file as it is by then."""
    found = edited("a: [x, y, z]\n", (("a", 0), None), (("a", 0), "n"), (("a", 2), "m"))
    assert found == "a:\n  - n\n  - z\n  - m\n"


@each_row
def test_what_cannot_be_done_is_said(text, change, said) -> None:
    """With the place, and without a file that is half changed."""
    assert said in refusal(text, change)
    assert "'b' cannot be changed" in refusal("a: 1\n", (("b",), "\ud800"))


def test_data_are_left_alone() -> None:
    data = {"gpus": [{"part": "A"}]}
    assert changed(data, [Change(*LIMIT)]) == {"gpus": [{"part": "A", "power_limit": "280 W"}]}
    assert data == {"gpus": [{"part": "A"}]}
    with pytest.raises(ValueError, match="nothing to take away"):
        changed(data, [Change(("x",), None)])


def test_a_path_is_named_as_people_write_it() -> None:
    """Entries are counted as in the file's data."""
    assert named(("gpus", 0, "slots", 1)) == "gpus[0].slots[1]"


def test_the_difference_is_unified() -> None:
    """Three lines around each change, and the name of the file on top."""
    old = b"a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n"
    assert difference(old, old.replace(b"e: 5", b"e: 6"), "build.yaml") == (
        "--- build.yaml\n+++ build.yaml\n@@ -2,4 +2,4 @@\n b: 2\n c: 3\n d: 4\n-e: 5\n+e: 6\n"
    )
    assert difference(old, old, "build.yaml") == ""


def test_the_difference_is_safe_for_a_terminal() -> None:
    """Neither the name nor a line of the file does anything to it; a tab may stay."""
    found = difference(b"a: 1 # \x1b[31m\tx\r\n", b"a: 2\xe2\x80\xae\r\n", "\x1b]0;x\x07.yaml")
    assert found == (
        "--- \ufffd]0;x\ufffd.yaml\n+++ \ufffd]0;x\ufffd.yaml\n@@ -1 +1 @@\n"
        "-a: 1 # \ufffd[31m\tx\n+a: 2\ufffd\n"
    )


def test_the_difference_tells_of_a_missing_line_end() -> None:
    assert difference(b"a: 1", b"a: 1\nb: 2", "f").splitlines()[3:] == [
        "-a: 1",
        "\\ No newline at end of file",
        "+a: 1",
        "+b: 2",
        "\\ No newline at end of file",
    ]


WORDS = table("edit", "words")
LISTED = ("gpus", "psus", "storage", "risers", "memory")
SINGLE = ("cpu", "case", "ups")
words = st.sampled_from(WORDS)
leaves = st.one_of(words, st.integers(0, 99), st.booleans(), st.sampled_from([0.5, 1.25]))
details = st.one_of(
    leaves,
    st.lists(leaves, min_size=1, max_size=3),
    st.dictionaries(st.sampled_from(["8-pin", "16-pin", "24-pin"]), leaves, min_size=1),
)
entry_keys = st.sampled_from(["part", "count", "power_limit", "slots", "plugs", "riser"])
mappings = st.dictionaries(entry_keys, details, min_size=1, max_size=4)
several_entries = st.lists(st.one_of(words, mappings), min_size=1, max_size=3)


#: Files as people write them, and what else the tables above have.
TABLES = ("what_is_new_comes_last", "a_value_takes_the_place_of_another")
TEXTS = corpus()["build"] + [row[0] for name in TABLES for row in table("edit", name)]


@st.composite
def files(draw) -> tuple[dict, bytes]:
    """Data, and a file that holds them: one of those above, or what is left of it."""
    text = draw(st.sampled_from(TEXTS))
    if draw(st.booleans()):
        text = damaged(text, TEXTS, random.Random(draw(st.integers(0, 2**32))))
    end, mark = draw(st.sampled_from(["\n", "\r\n"])), draw(st.sampled_from(["", "\ufeff"]))
    raw = (mark + end.join(text.split("\n"))).encode(errors="replace")
    try:
        document = read(raw, "")
    except InputError:
        reject()
    assume(not document.problems and isinstance(document.data, dict) and document.data)
    return document.data, raw


def places(data, path: tuple = ()) -> list[tuple]:
    """Paths of all values, and of those that could be added."""
    found = [path] if path else []
    if isinstance(data, dict):
        for key, value in data.items():
            found += places(value, (*path, key))
        return found + [
            (*path, key) for key in ("power_limit", "16-pin") if path and key not in data
        ]
    if isinstance(data, list):
        for number, value in enumerate(data):
            found += places(value, (*path, number))
        return [*found, (*path, len(data))]
    if path[0] in LISTED and len(path) == 1:
        found += [(*path, 0), (*path, 1), (*path, 0, "power_limit")]
    elif (path[0] in LISTED and len(path) == 2 and isinstance(path[1], int)) or path[1:] == ():
        found += [(*path, "power_limit")] * (path[0] != "name" and isinstance(data, str))
    return found


@st.composite
def changes_of(draw, data: dict) -> list[Change]:
    """A few changes, each of what the earlier ones leave."""
    found: list[Change] = []
    for _ in range(draw(st.integers(1, 3))):
        new = [(name,) for name in (*LISTED, *SINGLE) if name not in data]
        path = draw(st.sampled_from([*places(data), *new]))
        values = st.one_of(leaves, details, mappings, several_entries)
        change = Change(path, draw(st.one_of(st.none(), values)))
        try:
            data = changed(data, [change])
        except ValueError:
            continue
        found.append(change)
    return found


def adds(data: dict, change: Change) -> bool:
    """Whether a change only adds, or puts something in the place of a single value."""
    for step in change.path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return change.value is not None
    return change.value is not None and not isinstance(data, (list, dict))


@each_row
def test_a_file_is_laid_out(text, expected) -> None:
    """In blocks by two spaces, what is in brackets in one line there; what cannot be is refused."""
    if "\n" in expected:
        assert formatted(text.encode(), "f").decode() == expected
    else:
        with pytest.raises(InputError, match=expected):
            formatted(text.encode(), "f")


#: By day the same files each time; with `BUILDCHECK_THOROUGH` others.
ANY = settings(
    max_examples=60 * THOROUGH,
    deadline=None,
    derandomize=THOROUGH == 1,
    suppress_health_check=list(HealthCheck),
)


def comments(raw: bytes) -> list[str]:
    """What stands behind the signs of comments."""
    return sorted(re.findall(r"(?m)(?:^|\s)#\s*(\S.*?)\s*$", raw.decode("utf-8-sig")))


@given(written=files())
@ANY
def test_any_file_is_laid_out_once(written) -> None:
    """It loads to what it did, holds every comment, and is not changed a second time."""
    data, raw = written
    made = formatted(raw, "f")
    assert formatted(made, "f") == made
    assert exact(read(made, "").data) == exact(data)
    assert loaded(made) == loaded(raw)
    assert comments(made) == comments(raw)


@given(drawn=st.data())
@ANY
def test_any_change_of_any_file_is_exact(drawn) -> None:
    """It reads as it should, other sections keep their lines, and additions keep all comments."""
    data, raw = drawn.draw(files())
    todo = drawn.draw(changes_of(data))
    result = edit(raw, "f", todo)
    assert exact(read(result, "").data) == exact(changed(data, todo))
    assert result.startswith(b"\xef\xbb\xbf") == raw.startswith(b"\xef\xbb\xbf")
    text, before = result.decode("utf-8-sig"), raw.decode("utf-8-sig")
    if "\r\n" in before:
        assert "\n" not in text.replace("\r\n", "")
    place, touched = 0, {change.path[0] for change in todo}
    for section in re.split(r"\r?\n(?=[^\s#-])", before):
        # A section ends above the comments in front of the next.
        kept = re.sub(r"(\r?\n[ \t]*(#.*)?)+\Z", "", section)
        name = kept.partition(":")[0]
        if name in data and name not in touched:
            assert kept in text[place:]
            place = text.index(kept, place)
    if all(adds(data, change) for change in todo[:1]) and len(todo) == 1:
        assert not Counter(comments(raw)) - Counter(comments(result))
