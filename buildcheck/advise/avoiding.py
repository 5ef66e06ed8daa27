"""Which cards the guide advises against, for whom, and whether that takes them off a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.guide import guide

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from buildcheck.advise.cards import Card
    from buildcheck.catalog import Catalog
    from buildcheck.model.advice import Match

#: Folders of the catalogue that are called after who makes the chips.
_MAKERS = ("nvidia", "amd", "intel")
_ARCHITECTURE = "gpu-architecture"


def having(codes: Iterable[str], effect: str) -> tuple[str, ...]:
    """Those of some names in the guide that lead to this."""
    return tuple(code for code in codes if guide().avoid[code].effect == effect)


class Avoiding:
    """What is advised against, for one kind of owner, kind of network and number of cards."""

    def __init__(self, catalog: Catalog, owner: str, net: str, count: int) -> None:
        self.catalog, self.owner, self.net, self.count = catalog, owner, net, count
        found = {code: one for code, one in guide().avoid.items() if self._applies(one.match)}
        self.of_cards = {code: one for code, one in found.items() if one.match.on_cards}
        #: What is advised against whatever the card.
        self.general = tuple(code for code in found if code not in self.of_cards)
        self._chips = {
            code: {catalog.find("gpu", name) for name in one.match.chips}
            for code, one in self.of_cards.items()
        }
        self._makers: dict[str, str] = {}

    def _applies(self, match: Match) -> bool:
        is_theirs = match.owner in (None, self.owner) and match.net in (None, self.net)
        return is_theirs and match.least_count <= self.count

    def of(self, card: Card, *, has_tensor_cores: bool | None) -> dict[str, str]:
        """What is advised against a card, by its name in the guide, with what that leads to."""
        return {
            code: one.effect
            for code, one in self.of_cards.items()
            if all(self._said(code, one.match, card, has_tensor_cores=has_tensor_cores))
        }

    def _said(
        self, code: str, match: Match, card: Card, *, has_tensor_cores: bool | None
    ) -> Iterator[bool]:
        """Does each thing that is said of the cards that are meant hold of this one?"""
        if match.tensor_cores is not None:
            yield has_tensor_cores is match.tensor_cores
        if match.segments:
            yield card.fact("segment") in match.segments
        if match.makers:
            yield self._maker(card) in {maker.lower() for maker in match.makers}
        if match.chips or match.architectures:
            named = card.fact("architecture") in match.architectures
            yield named or card.part.id in self._chips[code]

    def _maker(self, card: Card) -> str:
        """Who makes the chip, by its own folder or its architecture's; empty where neither says."""
        folder = card.part.id.split("/")[1]
        architecture = card.fact("architecture")
        if folder in _MAKERS or architecture is None:
            return folder
        if architecture not in self._makers:
            found = self.catalog.find(_ARCHITECTURE, architecture)
            self._makers[architecture] = found.split("/")[1]
        return self._makers[architecture]
