"""Names of a wish that nothing goes by. What of it cannot stand together is for `why` to say."""

from collections.abc import Callable, Iterator

from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.configure.engine import Engine, SearchProblem
from buildcheck.configure.wish.model import FIXED, WishFile
from buildcheck.configure.wish.reading import entries_of
from buildcheck.configure.wish.wish import Wish
from buildcheck.configure.wish.words import Vocabulary, WishMeaning
from buildcheck.errors import InputError, Problem
from buildcheck.model.build import SECTION_KIND, Build
from buildcheck.model.source import Path
from buildcheck.resolve.naming import Naming

#: What is called when a word of `avoid` or `platform` has no meaning.
_AVOIDED = "maker, part, chip, kind of cooler, socket or chipset"
_PLATFORM = "socket or maker of CPUs"
#: Words of a wish, where they stand, what finds their meaning, and what they are called.
_Words = tuple[tuple[str, ...], Path, Callable[[str], WishMeaning], str]


def check_names(wish: Wish, catalog: Catalog) -> list[Problem]:
    """Every name of a wish that nothing goes by, and parts that are owned as another."""
    naming = Naming(catalog, wish.document, [])
    file = WishFile.model_validate({**wish.fixed, "owned": wish.owned})
    _sections(naming, file, FIXED, ())
    _sections(naming, file.owned, tuple(SECTION_KIND), ("owned",))
    for words, at, find, what in _words(wish, Vocabulary(catalog)):
        for index, text in enumerate(words):
            try:
                find(text)
            except NameUnknownError as error:
                of = "part" if error.ambiguous else what
                naming.unknown(of, text, error, (*at, index))
    found = {at: naming.find(kind, name, at) for kind, name, at in _named(wish)}
    cpu, path = file.owned.cpu, ("wish", "cpu", "part")
    there = naming.catalog.known("cpu", cpu.part) if cpu and cpu.part else None
    if there and found.get(path) not in (None, there):
        part, other = (catalog.index.name(str(one)) for one in (found[path], there))
        naming.complain(path, "other-owned", part=part, other=other)
    return sorted(set(naming.problems))


def checked_problem(engine: Engine, wish: Wish, asked: Wish | None = None) -> SearchProblem:
    """A wish made ready to be searched; the names in `asked`, or all of them, are looked up.

    Raises `InputError` with every name and price that is wrong.
    """
    problems = check_names(asked or wish, engine.catalog)
    try:
        found = engine.problem(wish)
    except InputError as error:
        problems += error.problems
    except LookupError:
        # A name that is not known, which is reported above.
        if not problems:
            raise
    InputError.raise_any(problems)
    return found


def _words(wish: Wish, words: Vocabulary) -> Iterator[_Words]:
    """Words that are no names of parts, or not of parts alone."""
    yield wish.avoid, ("avoid",), words.avoided, _AVOIDED
    yield wish.platform, ("wish", "platform"), words.platform, _PLATFORM
    for index, card in enumerate(wish.gpus):
        yield card.avoid, ("wish", "gpus", index, "avoid"), words.avoided, _AVOIDED


def _named(wish: Wish) -> Iterator[tuple[str, str, Path]]:
    """What is wished for by name: its kind, the name, and where it stands."""
    for index, card in enumerate(wish.gpus):
        at: Path = ("wish", "gpus", index)
        given = (("gpu", "part", card.part), ("adapter", "adapter", card.adapter))
        yield from ((kind, name, (*at, key)) for kind, key, name in given if name)
    for index, form in enumerate(wish.board.form_factor if wish.board else ()):
        yield "form-factor", form, ("wish", "board", "form_factor", index)
    for section in ("cpu", "memory", "storage", "psus", "case", "board"):
        entry = getattr(wish, section)
        if entry and entry.part:
            yield SECTION_KIND.get(section, "motherboard"), entry.part, ("wish", section, "part")


def _sections(naming: Naming, file: WishFile | Build, sections: tuple[str, ...], at: Path) -> None:
    """Names in sections of a build file."""
    for section in sections:
        silent = section in ("name", "psu_sync", "waivers")
        for path, entry in () if silent else entries_of(file, section, at):
            naming.given(entry, path)
            if section in SECTION_KIND and entry.part:
                naming.find(SECTION_KIND[section], entry.part, (*path, "part"))
