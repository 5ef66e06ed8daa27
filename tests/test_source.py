"""Strict YAML: what is read, what is refused, and where each problem stands."""

import pytest
from conftest import each_row, table

from buildcheck.model.source import MAX_BYTES, MAX_DEPTH, MAX_NODES, read


def spots(text: str | bytes) -> list[tuple[int, int]]:
    """Line and column of every problem of a text, in order of the file."""
    raw = text.encode() if isinstance(text, str) else text
    return sorted((p.line, p.column) for p in read(raw, "build.yaml").problems)


@each_row
def test_plain_data_is_read(raw, data) -> None:
    """Text, whole numbers, decimals, truths, lists and mappings come out as they look."""
    found = read(raw.encode("latin-1"), "f")
    assert (found.problems, found.data) == ([], data)


@each_row
def test_values_that_tools_read_differently_are_refused(text) -> None:
    """YAML 1.1 and 1.2 disagree on these, so each needs quotes or another spelling."""
    found = read(f"first: 1\nsecond: {text}\n".encode(), "f")
    assert [(p.line, p.column) for p in found.problems] == [(2, 9)]
    assert text in found.problems[0].message
    assert found.problems[0].suggestion
    assert found.data["second"] is None


@pytest.mark.parametrize("price", ["8.990,00 EUR", "1,299 USD", "$1,299", "1,299", "€8.990,00"])
def test_a_text_cut_by_a_comma_in_braces_is_joined_again(price) -> None:
    """Unless what follows the comma is a key."""
    raw = f"gpus: [{{part: X, price: {price}, count: 2}}]\n".encode()
    found = read(raw, "f", ("part", "price", "count").__contains__)
    assert not found.problems
    assert found.data == {"gpus": [{"part": "X", "price": price, "count": 2}]}
    assert "a text with a comma in quotes" in read(raw, "f").problems[0].suggestion


@each_row
def test_a_problem_has_its_place(text, places) -> None:
    assert [[*place] for place in spots(text.encode("latin-1"))] == places


def nested(depth: int) -> str:
    return "a: " + "[" * depth + "1" + "]" * depth


#: The only problem of a text, and what is read of it all the same.
ONE = [
    *((f"a: {text}\nb: 1\n", "no value", {"a": None, "b": 1}) for text in ("", "~", "null", "NULL")),
    *((text, "as a key", None) for text in ("? [a]\n: b\n", "? {a: b}\n: c\n", "x:\n  ? [a]\n  : b\n")),
    ("gpus: 1\ncpu: 2\ngpus: 3\n", "line 1", {"gpus": 3, "cpu": 2}),
    *((f"a: {text}\n", "tag", ...) for text in ("!!str 1", "!mine x", "!!python/object:os.system x", "!!set {a: 1}", "!x [1]")),
    ("a: 1\n---\nb: 2\n", "", {"a": 1}),
    *((text, "empty", None) for text in (b"", b"\n\n", b"# only words\n", b"\xef\xbb\xbf", b"  \n# x")),
    *((text, "", None) for text in (b"\x7fELF\0\0", b"a: 1\n\0", "a: 1".encode("utf-16"), b"a: \x01\n")),
    *((text, "too deeply", None) for text in (nested(MAX_DEPTH + 2), nested(50_000), "- " * 50_000 + "a", "[" * 100_000)),
    # Short in bytes and still too long; one byte more than is read.
    ("a: [" + "1," * MAX_NODES + "]", "too many values", None),
    (b"a: 1\n#" + b"x" * (MAX_BYTES - 5), "more than the 1,000,000", None),
    *((text, "", None) for text in ("a: b: c\n", "a: 1\nb: [1, 2\nc: 3\n", "a: 'x\n", "a: 1\n b: 2\n")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words", "data"), ONE, ids=range(len(ONE)))
def test_one_mistake_is_one_problem(text, words, data) -> None:
    """Said in its words; nothing is guessed, and nothing crashes."""
    found = read(text.encode() if isinstance(text, str) else text, "f")
    (problem,) = found.problems
    assert words in problem.message
    assert problem.line
    assert data is ... or found.data == data


def test_what_is_large_but_not_too_large_is_read() -> None:
    assert spots(nested(MAX_DEPTH - 2)) == []
    assert spots(b"a: 1\n#" + b"x" * (MAX_BYTES - 6)) == []


def test_bytes_of_another_encoding_are_named_as_such() -> None:
    assert "UTF-8" in read(b"gpus: \xff", "f").problems[0].suggestion


def test_aliases_do_not_multiply() -> None:
    """A file of aliases to aliases stays as small as it is written."""
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    found = read("\n".join(lines).encode(), "f")
    assert found.problems
    assert found.data["a8"] == [None] * 9


def test_problems_name_the_file() -> None:
    (problem,) = read(b"a: 012\n", "folder/build.yaml").problems
    first, line, caret, *_ = problem.block().splitlines()
    assert first.startswith("folder/build.yaml:1:4: error: '012' ")
    assert (line, caret) == ("  1 | a: 012", "    |    ^^^")


TEXT = table("source", "text")


@each_row
def test_values_and_keys_have_their_places(path, value, key) -> None:
    """Lines and columns are counted from 1; an item of a list has no key of its own."""
    found = read(TEXT.encode(), "f")
    assert found.position(tuple(path)) == tuple(value)
    assert found.position(tuple(path), key=True) == tuple(key)


def test_what_is_absent_stands_where_its_holder_does() -> None:
    """A missing key is reported at the entry that lacks it."""
    found = read(TEXT.encode(), "f")
    assert found.position(("gpus", 0, "psu")) == (2, 5)
    assert found.position(("cpu", "cores")) == (1, 1)
    assert found.problem(("gpus", 1, "psu", "x"), "is missing").line == 4
