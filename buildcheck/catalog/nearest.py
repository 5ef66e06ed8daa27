"""The names nearest to one that nobody knows."""

import math
from difflib import SequenceMatcher, get_close_matches

from buildcheck.catalog.layer import BY_WORD, COMMON, TELLING, Layers, telling
from buildcheck.words.names import asides, said, words

#: Most names offered.
_OFFERED = 8
#: Names less alike than this (2 is equal) are not worth proposing.
FAR_OFF = 0.5
#: Names that share no more of their words, rare words counting most, are not alike at all.
_UNLIKE = 0.35
#: Most parts that have a word in common which tells them from others.
_RARE = 80
#: How alike a word and its misspelling are, and a whole name and its.
_MISSPELT, _SLIP = 0.75, 0.6
#: What it adds that the digits are the same, in whatever order.
TURNED = 0.3
#: Names of as many words are not proposed for a single one that they share.
_SEVERAL = 2


def near(catalog: Layers, kind: str, name: str) -> list[str]:
    """The three names nearest to one that nobody knows, or more that say more than it.

    A number that differs counts for much, unless its digits are only in another order.
    """
    asked = set(words(name))
    numbers = {w for w in asked if w[0].isdigit()}
    digits = sorted("".join(numbers))

    def likeness(other: str) -> float:
        has = set(words(other))
        same = len(asked & has) + len(numbers & has)
        turned = digits and digits == sorted("".join(w for w in has if w[0].isdigit()))
        spelled = SequenceMatcher(None, name.lower(), other.lower()).ratio()
        whole = float(bool(asked) and asked <= has)
        return whole + same / (len(asked | has) + len(numbers)) + spelled + TURNED * bool(turned)

    ranked = []
    for part_id in catalog.nearby(kind, name):
        names = [n for _, row in catalog.each(part_id) for n in row.names]
        ranked.append((-max(map(likeness, names)), names[0]))
    near = list(dict.fromkeys(n for s, n in sorted(ranked) if -s > FAR_OFF))
    if kind != "gpu" and len(name.split()) > _SEVERAL:  # Chips make names of GPUs alike.
        near = [n for n in near if _is_like(catalog, kind, name, n)]
    # Names that only say more than the one asked for are all to choose from.
    return near[: max(3, min(_OFFERED, sum(-s > 1 + FAR_OFF for s, _ in ranked)))]


def _is_like(catalog: Layers, kind: str, name: str, other: str) -> bool:
    """Has another name a word of a name that few parts have, or most of its words?

    Rare words count most; a misspelt one, or a number of one other digit, counts half.
    """
    if SequenceMatcher(None, name.lower(), other.lower()).ratio() >= _SLIP:
        return True
    name = next((short for short, _ in asides(name)), name)
    has, forms, own = set(words(other)), set(telling(other)), said(kind, name).words
    total = shared = 0.0
    for word in set(words(name)):
        lists = [layer.get(BY_WORD.format(kind), word) for layer in catalog.layers]
        common = sum(COMMON if ids == [] else len(ids) for ids in lists if ids is not None)
        if word in has & own and len(word) >= TELLING and common <= _RARE:
            return True
        weight = 1 / (1 + math.log1p(common))
        alike = not forms.isdisjoint(telling(word)) or bool(
            word.isalpha() and get_close_matches(word, has, 1, _MISSPELT)
        )
        total += weight
        shared += weight if word in has else weight * alike / 2
    return shared > _UNLIKE * total
