"""Names of a wish that nothing goes by, and wishes that contradict each other by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.configure.engine import Engine, SearchProblem
from buildcheck.configure.wish.model import FIXED, WishFile
from buildcheck.configure.wish.reading import entries_of, worded
from buildcheck.configure.wish.wish import Wish
from buildcheck.configure.wish.words import Vocabulary, WishMeaning
from buildcheck.errors import InputError, Problem
from buildcheck.model.build import SECTION_KIND, Build
from buildcheck.model.part import Part
from buildcheck.model.source import Path
from buildcheck.resolve.naming import Naming
from buildcheck.rulebook.proposals import proposals

#: Sections that name nothing in the catalogue.
_SILENT = ("name", "psu_sync", "waivers")
#: Kinds that go by a socket.
_OF_PLATFORM = ("cpu", "motherboard")
#: A word of a wish and its meaning.
_Word = tuple[str, WishMeaning]


def check_names(wish: Wish, catalog: Catalog) -> list[Problem]:
    """Every name of a wish that nothing goes by, and wishes that contradict each other by name."""
    checking = _Checking(wish, catalog)
    checking.run()
    return sorted(set(checking.naming.problems))


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
    if problems:
        raise InputError(problems)
    return found


class _Named(NamedTuple):
    """A part that is wished for or owned, where, and the words that it may not be."""

    part: Part
    path: Path
    avoided: Sequence[_Word] = ()


class _Checking:
    """One run over the names of a wish."""

    def __init__(self, wish: Wish, catalog: Catalog) -> None:
        self.wish, self.catalog = wish, catalog
        self.words = Vocabulary(catalog)
        self.naming = Naming(catalog, wish.document, [])

    def run(self) -> None:
        """Look at everything."""
        file = WishFile.model_validate({**self.wish.fixed, "owned": self.wish.owned})
        self._sections(file, FIXED, ())
        self._sections(file.owned, tuple(SECTION_KIND), ("owned",))
        everywhere = self._avoided(self.wish.avoid, ("avoid",))
        wished, owned = [*self._wished(everywhere)], [*self._owned(file.owned)]
        for one in wished:
            self._refused(one)
        for part, path, _ in owned:
            # What is owned of an avoided maker is kept.
            for text in (text for text, meaning in everywhere if meaning.value == part.id):
                self._complain(path, "owned-avoided", part=part.name, word=text)
        self._platforms(everywhere, wished, owned)
        for (part, path, _), (there, *_) in product(wished, owned):
            if part.kind == there.kind and part.kind in _OF_PLATFORM and part.id != there.id:
                self._complain(path, "other-owned", part=part.name, other=there.name)

    def _complain(self, path: Path, code: str, **values: Any) -> None:
        self.naming.complain(path, *worded(code, **values))

    def _meant(
        self, words: tuple[str, ...], path: Path, find: Callable[[str], WishMeaning], what: str
    ) -> list[_Word]:
        """Words with their meaning, but for those without one."""
        found = []
        for index, text in enumerate(words):
            try:
                found.append((text, find(text)))
            except NameUnknownError as error:
                of = "part" if error.ambiguous else what
                self.naming.unknown(of, text, error, (*path, index))
        return found

    def _avoided(self, words: tuple[str, ...], path: Path) -> list[_Word]:
        what = "maker, part, chip, kind of cooler, socket or chipset"
        return self._meant(words, path, self.words.avoided, what)

    def _wished(self, everywhere: list[_Word]) -> Iterator[_Named]:
        """The parts wished for by name, and other names of the wish."""
        entries: list[tuple[str, Any, Path, list[_Word]]] = []
        for index, card in enumerate(self.wish.gpus):
            at: Path = ("wish", "gpus", index)
            avoided = [*everywhere, *self._avoided(card.avoid, (*at, "avoid"))]
            coolings = [(kind, WishMeaning("cooling", kind)) for kind in card.cooling]
            self._none_left(coolings, avoided, (*at, "cooling"))
            if card.adapter:
                self.naming.find("adapter", card.adapter, (*at, "adapter"))
            entries.append(("gpu", card, at, avoided))
        for index, form in enumerate(self.wish.board.form_factor if self.wish.board else ()):
            self.naming.find("form-factor", form, ("wish", "board", "form_factor", index))
        for section in ("cpu", "memory", "storage", "psus", "case", "board"):
            kind, entry = SECTION_KIND.get(section, "motherboard"), getattr(self.wish, section)
            entries.append((kind, entry, ("wish", section), everywhere))
        for kind, entry, at, avoided in entries:
            path = (*at, "part")
            if entry and entry.part and (found := self.naming.find(kind, entry.part, path)):
                yield _Named(self.catalog.part(found), path, avoided)

    def _owned(self, owned: Build) -> Iterator[_Named]:
        """The parts that are owned; names that are not known were reported with the sections."""
        for section, kind in SECTION_KIND.items():
            for path, entry in entries_of(owned, section, ("owned",)):
                if entry.part and (found := self.catalog.known(kind, entry.part)):
                    yield _Named(self.catalog.part(found), (*path, "part"))

    def _refused(self, wished: _Named) -> None:
        """A part that is wished for and avoided, or louder than wished for."""
        part, path, avoided = wished
        for text, meaning in avoided:
            if self.words.is_avoided(part, meaning):
                self._complain(path, "wished-avoided", part=part.name, word=text)
        cooling = part.facts.get("cooling")
        if self.wish.quiet and cooling and cooling.value in proposals().loud_coolers:
            self._complain(path, "quiet-part", part=part.name, cooling=cooling.value)

    def _none_left(self, wished: list[_Word], avoided: list[_Word], path: Path) -> None:
        """Words of which all that would do are avoided."""
        meanings = {meaning for _, meaning in avoided}
        if wished and all(meaning in meanings for _, meaning in wished):
            self._complain(path, "word-avoided", word=wished[0][0])

    def _platforms(
        self, everywhere: list[_Word], wished: list[_Named], owned: list[_Named]
    ) -> None:
        """Sockets and makers that are none, and CPUs and boards that are of another."""
        at: Path = ("wish", "platform")
        words = self._meant(self.wish.platform, at, self.words.platform, "socket or maker of CPUs")
        self._none_left(words, everywhere, at)
        meant = [meaning for _, meaning in words]
        if not meant or len(meant) < len(self.wish.platform):
            return
        for part, path, _ in (n for n in (*wished, *owned) if n.part.kind in _OF_PLATFORM):
            socket = part.facts["socket"].value if "socket" in part.facts else None
            codes = {*self.words.makers(part)} if part.kind == "cpu" else set()
            judged = all(socket if m.what == "socket" else codes for m in meant)
            if judged and not any(m.value in ({socket}, codes)[m.what == "maker"] for m in meant):
                names, of = " or ".join(self.wish.platform), f" of socket {socket}"
                code = "owned-platform" if path[0] == "owned" else "wished-platform"
                self._complain(path, code, words=names, part=part.name, of=of if socket else "")

    def _sections(self, file: WishFile | Build, sections: tuple[str, ...], at: Path) -> None:
        """Names in sections of a build file."""
        for section in sections:
            for path, entry in entries_of(file, section, at) if section not in _SILENT else ():
                self.naming.given(entry, path)
                if section in SECTION_KIND and entry.part:
                    self.naming.find(SECTION_KIND[section], entry.part, (*path, "part"))
