"""What words of a wish mean in the catalogue: makers, sockets, chips, and what is avoided."""

from collections.abc import Sequence
from functools import cache, cached_property
from typing import NamedTuple

from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.load.sentences import near_words
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.kinds import COOLING
from buildcheck.model.part import Part
from buildcheck.words.names import said, squashed

#: Makers that a platform can go by.
_PLATFORM_MAKERS = ("AMD", "Intel")
#: Folders of the catalogue that are no makers.
_NO_MAKERS = frozenset({"generic", "general"})
_KINDS = tuple(dict.fromkeys(SECTION_KIND.values()))
_OFFERED = 3
#: Words less alike than this are not proposed; in short ones a letter is much.
_ALIKE, _ALIKE_SHORT, _SHORT = 0.75, 0.6, 4


class WishMeaning(NamedTuple):
    """Meaning of a word: a `maker`, `cooling`, `socket`, `chipset`, `chip` or `part`.

    The value is a code of the catalogue: of chips and parts the id, of makers the one word
    that `makers` gives.
    """

    what: str
    value: str


class Vocabulary:
    """The words that a wish accepts in addition to names of parts."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._codes = cache(self._codes_of)

    def _codes_of(self, kind: str, field: str) -> dict[str, str]:
        """Values of a fact over all parts of a kind, by how they are compared.

        Boards have sockets older than any platform that is known, and chipsets some of which have
        the number of something else.
        """
        found: dict[str, str] = {}
        for layer in self.catalog.index.layers:
            for _, _, facts in layer.all(kind).values():
                for name, value, *_ in facts[1] if facts else ():
                    if name == field:
                        codes = value["set"] if isinstance(value, dict) else (value,)
                        found |= {squashed(c): c for c in codes if squashed(c) not in found}
        return found

    @cached_property
    def folders(self) -> dict[str, str]:
        """Makers by the folders of the curated parts."""
        written = (part_id for kind in _KINDS for part_id, _ in self.catalog.index.written(kind))
        makers = {part_id.split("/")[1] for part_id in written} - _NO_MAKERS
        return {squashed(maker): maker.replace("-", " ") for maker in makers}

    def platform(self, text: str) -> WishMeaning:
        """A socket or a maker of CPUs. Raises `NameUnknownError`."""
        for maker in _PLATFORM_MAKERS:
            if squashed(text) == squashed(maker):
                return WishMeaning("maker", maker.lower())
        key = squashed(text)
        sockets = self._codes("platform", "socket")
        found = sockets.get(key) or self._codes("motherboard", "socket").get(key)
        if found is None:
            raise NameUnknownError(text, _near(text, [*sockets.values(), *_PLATFORM_MAKERS]))
        return WishMeaning("socket", found)

    def avoided(self, text: str) -> WishMeaning:
        """Meaning of a word of `avoid`. Raises `NameUnknownError`."""
        key = squashed(text)
        if key in _BY_COOLING:
            return WishMeaning("cooling", _BY_COOLING[key])
        for what, field in (("chipset", "chipsets"), ("socket", "socket")):
            # Some boards are called as their chipset.
            for kind, name in (("platform", field), ("motherboard", what)):
                if found := self._codes(kind, name).get(key):
                    return WishMeaning(what, found)
        if maker := _maker(text):
            return WishMeaning("maker", maker)
        named = [kind for kind in _KINDS if self.catalog.index.called(kind, text)]
        if not named and key in self.folders:
            return WishMeaning("maker", key)
        # To find that there is no such name takes long, so kinds that have it just so are enough.
        return self._part(text, named or _KINDS)

    def _part(self, text: str, kinds: Sequence[str]) -> WishMeaning:
        """The part that goes by a name."""
        try:
            found = self.catalog.find_any(kinds, text)
        except NameUnknownError as error:
            if error.ambiguous:
                raise
            fields = ("chipsets", "socket")
            codes = [code for f in fields for code in self._codes("platform", f).values()]
            words = [*_near(text, [*COOLING, *codes]), *_near(text, [*self.folders.values()])]
            raise NameUnknownError(text, (words or error.near)[:_OFFERED]) from None
        is_chip = found.startswith("gpu/") and "chip" not in self.catalog.part(found).facts
        return WishMeaning("chip" if is_chip else "part", found)

    def makers(self, part: Part) -> frozenset[str]:
        """Whose a part is: its own maker, and of a card also that of its chip."""
        named = said(part.kind, part.name)
        ids = {part.id, *filter(None, (self._chip(part),))}
        return named.makers | named.chips | {squashed(i.split("/")[1]) for i in ids}

    def _chip(self, part: Part) -> str | None:
        chip = part.value("chip")
        return self.catalog.find("gpu", chip) if chip else None

    def is_avoided(self, part: Part, meaning: WishMeaning) -> bool:
        """Is a part one that a word of `avoid` speaks of? What is not known of it is not."""
        what, value = meaning
        if what == "maker":
            return value in self.makers(part)
        if what in ("part", "chip"):
            return value == part.id or (what == "chip" and self._chip(part) == value)
        return bool(part.value(what) == value)


def _maker(text: str) -> str | None:
    """The one word of a maker that is named, and nothing else with it."""
    found = said("", text)
    named = found.makers | found.chips
    return next(iter(named)) if len(named) == 1 and not found.words else None


_BY_COOLING = {squashed(kind): kind for kind in COOLING}


def _near(text: str, known: list[str]) -> list[str]:
    by_key, key = {squashed(k): k for k in known}, squashed(text)
    alike = _ALIKE_SHORT if len(key) <= _SHORT else _ALIKE
    return [by_key[near] for near in near_words(key, by_key, _OFFERED, alike)]
