"""Names of a wish that nothing goes by, and wishes that contradict each other by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.configure.engine import Engine, SearchProblem
from buildcheck.configure.wish.model import FIXED, WishFile
from buildcheck.configure.wish.reading import entries_of
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
#: What goes by a socket, and the key of a wish for each.
_OF_PLATFORM = {"cpu": "cpu", "motherboard": "board"}


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
        self._kept(file.owned, everywhere)
        for path, kind, name, avoided in self._wished(everywhere):
            if part_id := self.naming.find(kind, name, path):
                part = self.catalog.part(part_id)
                self._contradicted(part, path, [*everywhere, *avoided])
                self._loud(part, path)
        for index, card in enumerate(self.wish.gpus):
            if card.adapter:
                self.naming.find("adapter", card.adapter, ("wish", "gpus", index, "adapter"))
        for index, form in enumerate(self.wish.board.form_factor if self.wish.board else ()):
            self.naming.find("form-factor", form, ("wish", "board", "form_factor", index))
        self._platforms(everywhere)
        self._owned_and_wished()

    def _meant(
        self, words: tuple[str, ...], path: Path, find: Callable[[str], WishMeaning], what: str
    ) -> list[tuple[str, WishMeaning]]:
        """Words with their meaning, but for those without one."""
        found = []
        for index, text in enumerate(words):
            try:
                found.append((text, find(text)))
            except NameUnknownError as error:
                of = "part" if error.ambiguous else what
                self.naming.unknown(of, text, error, (*path, index))
        return found

    def _avoided(self, words: tuple[str, ...], path: Path) -> list[tuple[str, WishMeaning]]:
        what = "maker, part, chip, kind of cooler, socket or chipset"
        return self._meant(words, path, self.words.avoided, what)

    def _wished(
        self, everywhere: list[tuple[str, WishMeaning]]
    ) -> Iterator[tuple[Path, str, str, list[tuple[str, WishMeaning]]]]:
        """The parts wished for by name, each with its place, kind and what it alone avoids."""
        for index, card in enumerate(self.wish.gpus):
            at: Path = ("wish", "gpus", index)
            avoided = self._avoided(card.avoid, (*at, "avoid"))
            coolings = [(kind, WishMeaning("cooling", kind)) for kind in card.cooling]
            self._none_left(coolings, [*everywhere, *avoided], (*at, "cooling"))
            if card.part:
                yield (*at, "part"), "gpu", card.part, avoided
        for section in ("cpu", "memory", "storage", "psus", "case", "board"):
            entry: Any = getattr(self.wish, section)
            if entry and entry.part:
                kind = SECTION_KIND.get(section, "motherboard")
                yield ("wish", section, "part"), kind, entry.part, []

    def _contradicted(self, part: Part, path: Path, avoided: list[tuple[str, WishMeaning]]) -> None:
        for text, meaning in avoided:
            if self.words.is_avoided(part, meaning):
                message = f"{part.name} is wished for, and '{text}' is avoided"
                self.naming.complain(path, message, "Take it out of one of the two")

    def _kept(self, owned: Build, avoided: list[tuple[str, WishMeaning]]) -> None:
        """Parts that are owned and avoided; what is owned of an avoided maker is kept."""
        for section, kind in SECTION_KIND.items():
            for path, entry in entries_of(owned, section, ("owned",)):
                if not entry.part or not (found := self.catalog.known(kind, entry.part)):
                    continue
                for text in [text for text, meaning in avoided if meaning.value == found]:
                    message = f"{self.catalog.part(found).name} is owned, and '{text}' is avoided"
                    self.naming.complain((*path, "part"), message, "Take it out of one of the two")

    def _loud(self, part: Part, path: Path) -> None:
        cooling = part.facts.get("cooling")
        if self.wish.quiet and cooling and cooling.value in proposals().loud_coolers:
            message = f"a quiet machine has no {cooling.value} cards, and {part.name} is one"
            self.naming.complain(path, message, "Leave 'quiet' out, or name another card")

    def _none_left(
        self,
        wished: list[tuple[str, WishMeaning]],
        avoided: list[tuple[str, WishMeaning]],
        path: Path,
    ) -> None:
        """Words of which all that would do are avoided."""
        meanings = {meaning for _, meaning in avoided}
        if wished and all(meaning in meanings for _, meaning in wished):
            message = f"'{wished[0][0]}' is wished for and avoided"
            self.naming.complain(path, message, "Take it out of one of the two")

    def _platforms(self, everywhere: list[tuple[str, WishMeaning]]) -> None:
        """Sockets and makers that are none, and CPUs and boards that are of another."""
        at: Path = ("wish", "platform")
        words = self._meant(self.wish.platform, at, self.words.platform, "socket or maker of CPUs")
        self._none_left(words, everywhere, at)
        meant = [meaning for _, meaning in words]
        if not meant or len(meant) < len(self.wish.platform):
            return
        for part, how, path in self._pinned():
            socket = part.facts["socket"].value if "socket" in part.facts else None
            codes = {*self.words.makers(part)} if part.kind == "cpu" else set()
            judged = all(socket if m.what == "socket" else codes for m in meant)
            if judged and not any(m.value in ({socket}, codes)[m.what == "maker"] for m in meant):
                wished = " or ".join(self.wish.platform)
                of = f" of socket {socket}" if socket else ""
                also = "so is" if how == "wished for" else "owned is"
                message = f"{wished} is wished for, and {also} {part.name}{of}"
                self.naming.complain(path, message, "Keep one of the two")

    def _pinned(self) -> Iterator[tuple[Part, str, Path]]:
        """The CPU and the board, where they are named, and how."""
        for section, key in _OF_PLATFORM.items():
            wished, owned = getattr(self.wish, key), self.wish.owned.get(section, {}).get("part")
            named: tuple[tuple[Any, str, Path], ...] = (
                (wished and wished.part, "wished for", ("wish", key, "part")),
                (owned, "owned", ("owned", section)),
            )
            for name, how, path in named:
                if name and (found := self.catalog.known(section, str(name))):
                    yield self.catalog.part(found), how, path

    def _owned_and_wished(self) -> None:
        """A CPU or a board that is wished for, where another is owned."""
        found = {(part.kind, how): part for part, how, _ in self._pinned()}
        for section, key in _OF_PLATFORM.items():
            wished, owned = (found.get((section, how)) for how in ("wished for", "owned"))
            if wished and owned and wished.id != owned.id:
                message = f"{wished.name} is wished for, and {owned.name} is owned"
                self.naming.complain(("wish", key, "part"), message, "Keep one of the two")

    def _sections(self, file: WishFile | Build, sections: tuple[str, ...], at: Path) -> None:
        """Names in sections of a build file."""
        for section in sections:
            for path, entry in entries_of(file, section, at) if section not in _SILENT else ():
                self.naming.given(entry, path)
                if section in SECTION_KIND and entry.part:
                    self.naming.find(SECTION_KIND[section], entry.part, (*path, "part"))
