"""Strict YAML: what is read, what is refused, and where each problem stands."""

from __future__ import annotations

import pytest

from buildcheck.source import MAX_BYTES, MAX_DEPTH, MAX_NODES, read


def spots(text: str | bytes) -> list[tuple[int, int]]:
    """Line and column of every problem of a text, in order of the file."""
    raw = text.encode() if isinstance(text, str) else text
    return sorted((p.line, p.column) for p in read(raw, "build.yaml").problems)


def test_plain_data_is_read() -> None:
    """Text, whole numbers, decimals, truths, lists and mappings come out as they look."""
    found = read(b"a: RTX 3090\nb: 4\nc: -0.5\nd: true\ne: [false, +1]\nf: {g: 1.50}\n", "f")
    assert found.problems == []
    assert found.data == {
        "a": "RTX 3090",
        "b": 4,
        "c": -0.5,
        "d": True,
        "e": [False, 1],
        "f": {"g": 1.5},
    }


@pytest.mark.parametrize(
    "text", ["2026-11-20", "300 W", "1.6.2", "4x RTX 3090", "1,600", "12:75", "0x", "e3", "y"]
)
def test_text_that_only_looks_like_data_stays_text(text) -> None:
    """Dates, quantities and versions are text; the models read them, not YAML."""
    found = read(f"a: {text}\n".encode(), "f")
    assert found.problems == []
    assert found.data == {"a": text}


@pytest.mark.parametrize("text", ["on", "12:30", "010", "~", "1e3", ".inf", "0x1F", "&x", "<<"])
@pytest.mark.parametrize("quote", ["'", '"'])
def test_quotes_make_text_of_anything(text, quote) -> None:
    """What is refused plain is accepted in quotes, as text."""
    found = read(f"a: {quote}{text}{quote}\n".encode(), "f")
    assert found.problems == []
    assert found.data == {"a": text}


def test_block_text_is_text() -> None:
    """A literal block is text even if it says yes."""
    assert read(b"a: |\n  yes\n", "f").data == {"a": "yes\n"}


@pytest.mark.parametrize(
    "text",
    [
        *("on", "On", "off", "yes", "no", "NO", "True", "FALSE"),
        *("12:30", "1:2:3", "190:20:30.15"),
        *("010", "00", "-017", "0o17", "0x1F", "0b101"),
        *("1_000", "1_0.5", "1e3", "1.5E-3", "1e999"),
        *(".inf", "-.INF", ".nan", ".NaN"),
        *(".5", "1.", "1234567890123456", "=", "<<"),
    ],
)
def test_values_that_tools_read_differently_are_refused(text) -> None:
    """YAML 1.1 and 1.2 disagree on these, so each needs quotes or another spelling."""
    found = read(f"first: 1\nsecond: {text}\n".encode(), "f")
    assert [(p.line, p.column) for p in found.problems] == [(2, 9)]
    assert text in found.problems[0].message
    assert found.problems[0].suggestion
    assert found.data["second"] is None


@pytest.mark.parametrize("text", ["", "~", "null", "NULL"])
def test_a_key_without_a_value_is_refused(text) -> None:
    """Nothing is no value; a key that has none is left out."""
    found = read(f"a: {text}\nb: 1\n".encode(), "f")
    assert ["no value" in p.message for p in found.problems] == [True]
    assert found.data == {"a": None, "b": 1}


@pytest.mark.parametrize("key", ["on", "No", "true", "12:30"])
def test_keys_that_tools_read_differently_are_refused(key) -> None:
    """A key that some tools read as a truth or a number needs quotes."""
    assert spots(f"a: 1\n{key}: 2\n") == [(2, 1)]
    assert spots(f"a: 1\n'{key}': 2\n") == []


def test_keys_are_text() -> None:
    """A number as a key stays the text it is written as."""
    assert read(b"1: x\n2.50: y\n", "f").data == {"1": "x", "2.50": "y"}


@pytest.mark.parametrize("text", ["? [a]\n: b\n", "? {a: b}\n: c\n", "x:\n  ? [a]\n  : b\n"])
def test_lists_and_mappings_are_no_keys(text) -> None:
    """A key is one word; anything else is refused without a crash."""
    found = read(text.encode(), "f")
    assert found.data is None
    assert ["as a key" in p.message for p in found.problems] == [True]


def test_a_key_given_twice_is_refused_at_its_second_place() -> None:
    """The message names the line of the first."""
    found = read(b"gpus: 1\ncpu: 2\ngpus: 3\n", "f")
    assert [(p.line, p.column) for p in found.problems] == [(3, 1)]
    assert "line 1" in found.problems[0].message


def test_a_key_given_twice_deep_inside_is_refused() -> None:
    """Mappings inside lists are looked at too; equal keys of two mappings are fine."""
    assert spots("a: [{b: 1}, {b: 2}]\n") == []
    assert spots("a: [{b: 1}, {b: 2, b: 3}]\n") == [(1, 20)]


def test_a_key_given_three_times_is_two_problems() -> None:
    """Each repetition has a problem of its own."""
    assert spots("a: 1\na: 2\na: 3\n") == [(2, 1), (3, 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &x 1\nb: *x\n", [(1, 4), (2, 4)]),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", [(1, 4), (3, 7)]),
        ("&k a: 1\n", [(1, 1)]),
        ("a: [&x 1, 2]\n", [(1, 5)]),
    ],
)
def test_anchors_and_aliases_are_refused(text, expected) -> None:
    """Each stands in the list with its place."""
    assert spots(text) == expected


def test_aliases_do_not_multiply() -> None:
    """A file of aliases to aliases stays as small as it is written."""
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    found = read("\n".join(lines).encode(), "f")
    assert found.problems
    assert found.data["a8"] == [None] * 9


def test_merge_keys_merge_nothing() -> None:
    """`<<` is a key like any other, which the models do not know."""
    assert read(b"a: {<<: {b: 1}, c: 2}\n", "f").data == {"a": {"<<": {"b": 1}, "c": 2}}


@pytest.mark.parametrize(
    "text", ["!!str 1", "!mine x", "!!python/object:os.system x", "!!set {a: 1}", "!x [1]"]
)
def test_tags_are_refused(text) -> None:
    """No tag changes what a value is, and none makes an object."""
    found = read(f"a: {text}\n".encode(), "f")
    assert [(p.line, p.column) for p in found.problems] == [(1, 4)]
    assert "tag" in found.problems[0].message


def test_a_second_document_is_refused() -> None:
    """One file holds one build; the second one is pointed at."""
    found = read(b"a: 1\n---\nb: 2\n", "f")
    assert [(p.line, p.column) for p in found.problems] == [(2, 1)]
    assert found.data == {"a": 1}


def test_one_document_may_be_marked() -> None:
    """A single `---` or a closing `...` is plain YAML."""
    assert spots("---\na: 1\n...\n") == []


@pytest.mark.parametrize("raw", [b"", b"\n\n", b"# only words\n", b"\xef\xbb\xbf", b"  \n# x"])
def test_an_empty_file_is_refused(raw) -> None:
    """So is one with nothing but comments."""
    found = read(raw, "f")
    assert found.data is None
    assert ["empty" in p.message for p in found.problems] == [True]


@pytest.mark.parametrize("raw", [b"\x7fELF\0\0", b"a: 1\n\0", "a: 1".encode("utf-16")])
def test_a_binary_file_is_refused(raw) -> None:
    """One sentence, and nothing is made of it."""
    found = read(raw, "f")
    assert found.data is None
    assert len(found.problems) == 1


@pytest.mark.parametrize(
    ("raw", "spot"),
    [
        (b"\xff", (1, 1)),
        (b"gpus: \xff", (1, 7)),
        (b"a: 1\nb: 2\nname: M\xfcnchen\n", (3, 8)),
        (b"a: 1\n\n\xc3\x28", (3, 1)),
        (b"a: \xed\xa0\x80", (1, 4)),
    ],
)
def test_a_byte_that_is_not_utf8_has_its_place(raw, spot) -> None:
    """Line and column are those of the first such byte."""
    found = read(raw, "f")
    assert [(p.line, p.column) for p in found.problems] == [spot]
    assert "UTF-8" in found.problems[0].suggestion


@pytest.mark.parametrize(
    ("raw", "spot"), [("ä: é ".encode() + b"\xff", (1, 6)), (b"\xef\xbb\xbfa: \xff", (1, 4))]
)
def test_a_byte_that_is_not_utf8_is_counted_in_characters(raw, spot) -> None:
    """Letters of two bytes before it, or a byte order mark, do not move the column."""
    assert spots(raw) == [spot]


def test_a_byte_order_mark_is_accepted() -> None:
    """It moves no column."""
    found = read(b"\xef\xbb\xbfgpus: yes\n", "f")
    assert list(found.data) == ["gpus"]
    assert [(p.line, p.column) for p in found.problems] == [(1, 7)]


def test_line_ends_of_windows_are_accepted() -> None:
    """They count as one line each."""
    assert spots("a: 1\r\nb: yes\r\nc: no\r\n") == [(2, 4), (3, 4)]


def nested(depth: int) -> str:
    return "a: " + "[" * depth + "1" + "]" * depth


def test_deep_nesting_is_refused() -> None:
    """Far more than a build needs is accepted, and no depth breaks the reader."""
    assert spots(nested(MAX_DEPTH - 2)) == []
    for text in (nested(MAX_DEPTH + 2), nested(50_000), "- " * 50_000 + "a", "[" * 100_000):
        found = read(text.encode(), "f")
        assert found.data is None
        assert ["too deeply" in p.message for p in found.problems] == [True]


def test_too_many_values_are_refused() -> None:
    """The list is short in bytes and still too long."""
    found = read(b"a: [" + b"1," * MAX_NODES + b"]", "f")
    assert found.data is None
    assert ["too many values" in p.message for p in found.problems] == [True]


def test_a_file_of_more_than_a_megabyte_is_refused_unread() -> None:
    """At the limit it is read, one byte more and it is not."""
    filler = b"a: 1\n#" + b"x" * (MAX_BYTES - 6)
    assert read(filler, "f").problems == []
    found = read(filler + b"x", "f")
    assert found.data is None
    assert ["more than the 1,000,000" in p.message for p in found.problems] == [True]


@pytest.mark.parametrize(("text", "spot"), [("a:\n\tb: 1\n", (2, 1)), ("\ta: 1\n", (1, 1))])
def test_a_tab_as_indentation_has_its_place(text, spot) -> None:
    """YAML forbids it, and it cannot be seen."""
    assert spots(text) == [spot]


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: b: c\n", 1), ("a: 1\nb: [1, 2\nc: 3\n", 3), ("a: 'x\n", 2), ("a: 1\n b: 2\n", 2)],
)
def test_broken_syntax_is_one_problem_with_a_line(text, line) -> None:
    """Reading stops there and nothing is guessed."""
    found = read(text.encode(), "f")
    assert found.data is None
    assert [p.line for p in found.problems] == [line]


def test_a_control_character_is_refused() -> None:
    """It is a problem, not a crash."""
    found = read(b"a: \x01\n", "f")
    assert found.data is None
    assert len(found.problems) == 1


def test_all_problems_are_found_at_once() -> None:
    """Each kind stands in the list with its own place, and the good rest is read."""
    text = "a: yes\nb: &x 1\nc: 012\nd: {e: 1, e: 2}\nf: !t 1\ng:\nh: fine\n"
    found = read(text.encode(), "f")
    assert spots(text) == [(1, 4), (2, 4), (3, 4), (4, 11), (5, 4), (6, 3)]
    assert found.data["h"] == "fine"


def test_problems_name_the_file() -> None:
    """A problem reads as path, line, column and sentence."""
    (problem,) = read(b"a: yes\n", "folder/build.yaml").problems
    assert str(problem).startswith("folder/build.yaml:1:4: 'yes' ")


TEXT = """\
gpus:
  - part: RTX 3090
    count: 4
  - {part: RTX 4090, slots: [1, 3]}
"""


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        (("gpus",), (2, 3), (1, 1)),
        (("gpus", 0), (2, 5), (2, 5)),
        (("gpus", 0, "count"), (3, 12), (3, 5)),
        (("gpus", 1), (4, 5), (4, 5)),
        (("gpus", 1, "slots"), (4, 29), (4, 22)),
        (("gpus", 1, "slots", 1), (4, 33), (4, 33)),
    ],
)
def test_values_and_keys_have_their_places(path, value, key) -> None:
    """Lines and columns are counted from 1; an item of a list has no key of its own."""
    found = read(TEXT.encode(), "f")
    assert found.position(path) == value
    assert found.position(path, key=True) == key


def test_what_is_absent_stands_where_its_holder_does() -> None:
    """A missing key is reported at the entry that lacks it."""
    found = read(TEXT.encode(), "f")
    assert found.position(("gpus", 0, "psu")) == (2, 5)
    assert found.position(("cpu", "cores")) == (1, 1)
    assert found.problem(("gpus", 1, "psu", "x"), "is missing").line == 4
