"""The sentences of the terminal: every one that is said is there, and every one there is said."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from buildcheck import store
from buildcheck.errors import RulebookError
from buildcheck.render.words import FORMS, PLACE, Words

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = store.data_folder("templates") / "words"
FILES = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in FOLDER.glob("*.yaml")}
TREES = [
    ast.parse(path.read_text("utf-8")) for path in sorted(store.program_folder().rglob("*.py"))
]


class Call(NamedTuple):
    """A sentence that the program says, and what it is given; `open` if more may be."""

    key: str
    places: set[str]
    open: bool


def homes() -> dict[str, str]:
    """What the words of a file are called → the file; each name stands for one everywhere."""
    found: dict[str, str] = {}
    for node in (n for tree in TREES for n in ast.walk(tree)):
        match node:
            case ast.Assign(
                targets=[ast.Name(name)],
                value=ast.Call(func=ast.Name("Words"), args=[ast.Constant(str(file))]),
            ):
                assert found.setdefault(name, file) == file, f"{name} is two files"
    return found


HOMES = homes()


def keys(node: ast.expr) -> Iterator[str]:
    """The names of sentences that an argument can be."""
    match node:
        case ast.Constant(str(key)):
            yield key
        case ast.IfExp(body=body, orelse=other):
            yield from keys(body)
            yield from keys(other)


def calls(file: str) -> Iterator[Call]:
    """Every sentence of a file that the program says by name."""
    for node in (n for tree in TREES for n in ast.walk(tree)):
        match node:
            case ast.Call(func=ast.Name(name), args=[first, *number], keywords=given) if (
                HOMES.get(name) == file
            ):
                places = {k.arg for k in given if k.arg} | ({"n"} if number else set())
                for key in keys(first):
                    yield Call(key, places, any(k.arg is None for k in given))
            case ast.Call(
                func=ast.Attribute(ast.Name(name), "table"), args=[ast.Constant(str(key))]
            ) if HOMES.get(name) == file:
                yield Call(key, set(), open=True)


def literals() -> set[str]:
    return {
        node.value
        for tree in TREES
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def sentences(value: Any) -> list[str]:
    return list(value.values()) if isinstance(value, dict) else [value]


def test_every_file_of_words_has_a_home() -> None:
    """No file is left behind, and none is asked for that is not there."""
    assert set(HOMES.values()) == set(FILES)


@pytest.mark.parametrize("file", sorted(FILES))
def test_what_is_said_is_there(file) -> None:
    """With something for each of its places, and with a number where it has two forms."""
    words = FILES[file]
    for call in calls(file):
        assert call.key in words, call.key
        wanted = {p for one in sentences(words[call.key]) for p in PLACE.findall(one)}
        if isinstance(words[call.key], dict) and set(words[call.key]) == FORMS:
            wanted |= {"n"}
        assert wanted <= call.places or call.open, f"{call.key} lacks {wanted - call.places}"
        assert call.places - {"n"} <= wanted or call.open, f"{call.key} has no such place"


@pytest.mark.parametrize("file", sorted(FILES))
def test_what_is_there_is_said(file) -> None:
    """No sentence outlives its use."""
    assert set(FILES[file]) <= literals()


@pytest.mark.parametrize("file", sorted(FILES))
def test_no_place_is_misspelt(file) -> None:
    """Braces hold places, and nothing else."""
    for one in (s for value in FILES[file].values() for s in sentences(value)):
        assert not set("{}") & set(PLACE.sub("", one)), one


def test_what_is_filled_in_is_no_template(tmp_path, monkeypatch) -> None:
    """A part may be called anything; a number chooses the form."""
    (tmp_path / "words").mkdir()
    file = tmp_path / "words" / "own.yaml"
    file.write_text("told: '{a} and {b}'\nmany: {one: '{n} card', more: '{n} cards'}\n", "utf-8")
    monkeypatch.setattr(store, "data_folder", lambda _: tmp_path)
    say = Words("own")
    assert say("told", a="{b}", b=2) == "{b} and 2"
    assert (say("many", 1), say("many", 0), say("many", 2)) == ("1 card", "0 cards", "2 cards")
    assert say.table("many")["one"] == "{n} card"
    for wrong in (lambda: say("told", a=1), lambda: say("tell"), lambda: say.table("told")):
        with pytest.raises(KeyError):
            wrong()


@pytest.mark.parametrize("text", ["- a\n", "a: 1\n", "a: {b: 1}\n", "a: ''\n", "a: b\na: c\n"])
def test_a_broken_file_of_words_stops_the_program(tmp_path, monkeypatch, text) -> None:
    """With its name, as any data of the program does."""
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "own.yaml").write_text(text, "utf-8")
    monkeypatch.setattr(store, "data_folder", lambda _: tmp_path)
    with pytest.raises(RulebookError, match=r"own\.yaml"):
        Words("own")("a")
