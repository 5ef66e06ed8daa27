"""A wish: what is read, what every mistake is answered with, and that options say the same."""

from pathlib import Path

import click
import pytest
import yaml
from cases import holds
from click.testing import CliRunner
from conftest import each_of, each_row, table

from buildcheck.configure.wish.model import GpuWish
from buildcheck.configure.wish.names import check_names
from buildcheck.configure.wish.options import wish_from, wish_options
from buildcheck.configure.wish.wish import Wish
from buildcheck.configure.wish.words import Vocabulary, WishMeaning
from buildcheck.errors import InputError
from buildcheck.model.build import Build

#: Wishes as people write them.
ROWS = yaml.safe_load(Path(__file__).with_name("wish.yaml").read_text("utf-8"))
WHOLE = table("wish", "whole")


def wish(text: str, **options) -> Wish:
    return wish_from(text.encode(), "wish.yaml", options)[0]


def words(wish: Wish) -> dict:
    """All a wish says, but for where it stands."""
    return {name: value for name, value in vars(wish).items() if name != "document"}


def complaints(text: str | bytes | None, **options) -> list[str]:
    """Every problem of a wish, as it is printed."""
    raw = text.encode() if isinstance(text, str) else text
    with pytest.raises(InputError) as caught:
        wish_from(raw, "wish.yaml", options)
    return [str(p) for p in caught.value.problems]


@each_of("read")
def test_what_is_read(case) -> None:
    """Every word has its field, typed; an option stands over it, and what is not said has its default."""
    found = wish(case.get("wish", WHOLE), **case.get("over", {}))
    holds(found, case)
    if "wish" not in case:
        Build.model_validate({**found.fixed, **found.owned})


@pytest.mark.parametrize(("short", "long"), ROWS["short"])
def test_short_forms(short, long) -> None:
    assert words(wish(f"wish: {{{short}}}")) == words(wish(f"wish: {{{long}}}"))


@pytest.mark.parametrize(("text", "said"), ROWS["mistakes"])
def test_mistakes_are_answered(text, said) -> None:
    assert complaints(text) == [f"wish.yaml:{said}"]


def test_all_mistakes_are_told_at_once() -> None:
    """Of the syntax, the models, and what contradicts itself."""
    found = complaints(
        "wish:\n  gpus: {part: RTX 4090, count: 0}\n  budget: -1 USD\n  best: on\n"
        "  platform: AM5\navoid: [AM5]\nsit: x\n"
    )
    assert [f.split(":")[1] for f in found] == ["2", "3", "4", "7"]


@each_row
def test_hostile_files(raw, said) -> None:
    """Nothing that can stand in a file gets past the reader, or out of it as a traceback."""
    assert f"wish.yaml{said}" in complaints(raw.encode("latin-1"))


@pytest.mark.parametrize("value", ["5", "x", "[1, {a: b}]", "{a: {b: c}}", "true", "1..2", "''"])
@each_row
def test_anything_anywhere_is_read_or_answered(place, value) -> None:
    for options in ({}, {"gpu_count": "2", "own": ("storage=x",), "avoid": ("MSI",)}):
        found = []
        try:
            wish(place % value, **options)
        except InputError as error:
            found = error.problems or ["nothing said"]
        assert all(p.path == "wish.yaml" or p.path.startswith("--") for p in found)


# -- options ------------------------------------------------------------------------------------

OPTIONS = table("wish", "options")
SAME = table("wish", "same")


def test_options_equal_the_file() -> None:
    """The same words mean the same, with a file under them or without."""
    found, _ = wish_from(None, "", OPTIONS)
    assert words(found) == words(wish(SAME))
    twice = {**OPTIONS, "avoid": ()}
    assert words(wish(SAME, **twice)) == words(found)


@each_row
def test_mistakes_in_options(options, said) -> None:
    assert complaints(None, **options) == [said]


def test_a_mistake_of_the_file_stays_at_the_file() -> None:
    """Options over a broken file mend what they say, and nothing else."""
    assert complaints("wish: {budget: 0 USD, best: x}", budget="5 EUR")[0].startswith(
        "wish.yaml:1:29: 'best' needs one of"
    )
    assert complaints("wish: 5", gpu_count="2") == [
        "wish.yaml:1:7: 'wish' needs 'key: value' lines."
    ]


def test_a_command_takes_the_options() -> None:
    """What click hands over is what is read, and what is not given says nothing."""
    got = {}

    @click.command()
    @lambda made: wish_options(made, str)
    def command(**values) -> None:
        got.update(values)

    done = CliRunner().invoke(command, [])
    assert (done.exit_code, wish_from(None, "", got)) == (0, (None, ()))
    line = ["--gpus", "4x RTX 3090", "--best", "speed", "--avoid", "MSI", "--avoid", "EVGA"]
    done = CliRunner().invoke(command, [*line, "--quiet", "--no-power-limits"])
    assert done.exit_code == 0
    found, _ = wish_from(None, "", got)
    assert found.gpus == (GpuWish(part="RTX 3090", count=4),)
    assert (found.weights, found.avoid) == ({"speed": 1.0}, ("MSI", "EVGA"))
    assert (found.quiet, found.power_limits.allowed) == (True, False)
    assert "may be given again" in CliRunner().invoke(command, ["--help"]).output


# -- names --------------------------------------------------------------------------------------


@each_row
def test_what_a_word_avoids(text, what, value, catalog) -> None:
    """A maker, part, chip, kind of cooler, socket or chipset, however it is written."""
    assert Vocabulary(catalog).avoided(text) == WishMeaning(what, value)


@each_row
def test_what_is_avoided(kind, name, text, is_avoided, catalog) -> None:
    """A card is avoided with its chip and its makers; what is not known is not avoided."""
    vocabulary = Vocabulary(catalog)
    part = catalog.part(catalog.find(kind, name))
    assert vocabulary.is_avoided(part, vocabulary.avoided(text)) == is_avoided


def test_good_names_are_no_problem(catalog) -> None:
    """The wish of the issue, and one with everything."""
    assert check_names(wish(WHOLE), catalog) == []
    assert check_names(wish("wish: {platform: amd, cpu: Ryzen 9 5950X, board: atx}"), catalog) == []


@each_row
def test_names_that_cannot_be(text, said, catalog) -> None:
    """Each is told where it stands, with what is near it."""
    (problem,) = check_names(wish(text), catalog)
    assert str(problem).startswith(f"wish.yaml:{said}")


def test_what_is_owned_of_an_avoided_maker_is_kept(catalog) -> None:
    """What is avoided is not proposed; what is there is no proposal."""
    found = wish(
        "wish: {budget: 9 USD}\navoid: [MSI, RTX 3080]\nowned: {gpus: MSI GeForce RTX 3090 SUPRIM X}"
    )
    assert check_names(found, catalog) == []


def test_one_part_under_two_names_is_no_contradiction(catalog) -> None:
    """The same CPU, wished for and owned, written in two ways."""
    found = wish("wish: {cpu: Ryzen 9 5950X}\nowned: {cpu: AMD Ryzen 9 5950X}")
    assert check_names(found, catalog) == []


def test_names_of_options_are_told_at_the_option(catalog) -> None:
    found = wish("wish: {gpus: 1}\navoid: MSI", avoid=("Gigabite",), cpu="Ryzen 9 1234X")
    told = [p.path for p in check_names(found, catalog)]
    assert told == ["--avoid", "--cpu"]
