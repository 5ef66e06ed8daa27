"""How names of parts are compared: what a name says, whatever its spelling and order.

A name is taken apart into the maker, what is measured (memory, capacity, speed), colours, and
words. Words that shops add are dropped; of the others some may be left out by people (`RTX` in
front of a number), all the rest have to be the same. A digit that differs is another part.
"""

import re
from collections import Counter
from functools import cache, lru_cache, reduce
from itertools import pairwise
from typing import NamedTuple

from buildcheck.model.patterns import pattern
from buildcheck.model.vocabulary import digest, vocabulary

_FILE = "part-names"
#: Patterns that those of several kinds hold.
_SHARED = ("shop", "server", "colour")
_WORD = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_CHUNK = re.compile(r"[\w.]+")
_SIGNS = re.compile(r"[^\w.]|_|(?<!\d)\.|\.(?!\d)")
_ASCII_SIGNS = {code: None for code in range(128) if not chr(code).isalnum()}


class _Kind(NamedTuple):
    """How names of one kind of part are read."""

    #: What is measured, with the figure in the first group, and what shops add.
    measured: tuple[tuple[re.Pattern[str], str], ...]
    filler: re.Pattern[str]
    #: Words people leave out, and words that come and go.
    left_out: frozenset[str]
    loose: frozenset[str]
    #: Words of a whole line, any of which people leave out.
    line: frozenset[str]


@cache
def _spellings() -> list[tuple[list[str], re.Pattern[str], str]]:
    """Texts of which a name has one, a pattern, and what is written instead, in order."""
    rows = vocabulary(_FILE)["spellings"]
    return [(has.split() or [""], pattern(text), plain) for has, text, plain in rows]


@cache
def _any_maker() -> re.Pattern[str]:
    """Any maker; without groups, whose search would be ten times as long."""
    return pattern(rf"\b(?:{'|'.join(vocabulary(_FILE)['makers'].values())})(?![\w])")


@cache
def _listed(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(vocabulary(_FILE)[name].split())


@cache
def _kind(kind: str) -> _Kind:
    data = vocabulary(_FILE)
    how = data["kinds"].get(kind, data["kinds"]["other"])
    fillers = [
        reduce(lambda p, name: p.replace(f"{{{name}}}", data[name]), _SHARED, p)
        for p in how["filler"]
    ]
    return _Kind(
        tuple((pattern(text), name) for text, name in how.get("measured", ())),
        pattern("|".join(fillers)),
        *(frozenset(how.get(words, "").split()) for words in ("left_out", "loose", "line")),
    )


class NameWords(NamedTuple):
    """What a name says: words that tell parts apart, makers, colours, and what is measured."""

    words: frozenset[str]
    makers: frozenset[str]
    colours: frozenset[str]
    measured: tuple[tuple[str, str], ...]
    stem: str
    #: Makers of chips, whom few name; but they have to be the same.
    chips: frozenset[str] = frozenset()

    def merged(self, others: "list[NameWords]") -> "NameWords":
        """With the makers and the figures that other names of the part add."""
        makers = self.makers or frozenset(m for other in others for m in other.makers)
        chips = self.chips or frozenset(c for other in others for c in other.chips)
        figures = dict(pair for other in others for pair in other.measured) | dict(self.measured)
        return self._replace(makers=makers, chips=chips, measured=tuple(figures.items()))


@cache
def _maker(written: str) -> str:
    makers: dict[str, str] = vocabulary(_FILE)["makers"]
    # Most have but one form.
    return next(m for m, f in makers.items() if f == written or pattern(f).fullmatch(written))


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    plain = name.lower()
    for has, shape, other in _spellings():
        for text in has:
            if text in plain:
                plain = shape.sub(other, plain)
                break
    return plain


def stamp() -> str:
    """A key that changes when names are taken apart in another way."""
    return digest(_FILE)


def words(name: str) -> tuple[str, ...]:
    """The words of a name: lower case, letters and digits apart.

    >>> words("GeForce RTX3090")
    ('geforce', 'rtx', '3090')
    >>> words("Intel(R) Core(TM) i7-6850K CPU @ 3.60GHz")
    ('intel', 'core', 'i', '7', '6850', 'k')
    """
    return tuple(_WORD.findall(_plain(name)))


def squashed(name: str) -> str:
    """A name or part number without anything but letters and digits, and points between digits.

    >>> squashed("GV-N3090 TURBO") == squashed("gvn3090turbo")
    True
    """
    plain = _plain(name)
    if plain.isascii() and "." not in plain:
        return plain.translate(_ASCII_SIGNS)
    return _SIGNS.sub("", plain)


def _distinct(text: str) -> frozenset[str]:
    """The words of a text; a letter in another place again, as in `X570 UNIFY-X`, is another."""
    listed = _WORD.findall(text)
    letters = [word for word in listed if len(word) == 1 and word.isalpha()]
    if len({*letters}) == len(letters):
        return frozenset(listed)
    each = (_WORD.findall(chunk) for chunk in _CHUNK.findall(text))
    placed = {pair for found in each for pair in zip(found, [*found[1:], ""], strict=False)}
    again = Counter(word for word, _ in placed if len(word) == 1 and word.isalpha())
    return frozenset([w for w, _ in placed] + [f"{w}'" for w, n in again.items() if n > 1])


@lru_cache(maxsize=256)
def said(kind: str, name: str) -> NameWords:
    """What a name of a kind of part says.

    >>> said("gpu", "MSI GAMING X TRIO GeForce RTX 3090 24 GB Video Card").stem
    '3090 gaming trio x'
    >>> said("psu", "Corsair RM1000x 1000W 80+ Gold Certified Fully Modular").measured
    (('grade', 'gold'),)
    """
    how, plain, lower = _kind(kind), _plain(name), name.lower()
    makers: set[str] = set()

    def maker(found: re.Match[str]) -> str:
        makers.add(_maker(found[0]))
        return " "

    plain = _any_maker().sub(maker, plain)
    figures: dict[str, str] = {}
    for shape, what in how.measured:
        if figure := shape.search(plain):
            figures[what] = figure[1].replace(" ", "")
    for shape, what in how.measured:
        if what in figures:
            plain = shape.sub(" ", plain)
    if {"count", "module"} <= set(figures):
        figures["total"] = str(int(figures["count"]) * int(figures["module"]))
    colour, of_chips = pattern(vocabulary(_FILE)["colour"]), _listed("chip_makers")
    colours = frozenset(colour.findall(plain))
    if colours and kind in _listed("coloured"):
        plain = colour.sub(" ", plain)
    found = _distinct(how.filler.sub(" ", plain))
    sellers = makers - of_chips
    if kind == "gpu" and sellers and not makers & _listed("gaming_lines"):
        found -= {"gaming", "rog"}
    stem = " ".join(sorted(found - how.left_out - how.loose))
    if "founders" in found:
        # Only the maker of the chip sells these.
        sellers.add("nvidia")
    lines = {chip for word, chip in vocabulary(_FILE)["chip_lines"].items() if word in lower}
    chips = frozenset(makers & of_chips) | lines
    return NameWords(found, frozenset(sellers), colours, tuple(figures.items()), stem, chips)


def fit(asked: NameWords, known: NameWords, kind: str) -> int | None:
    """How many words a known name has to add to be the one asked for, and makers, counted twice.

    None if they do not mean the same part.
    """
    left_out, loose = _kind(kind).left_out, _kind(kind).loose
    if asked.words - known.words - loose or known.words - asked.words - loose - left_out:
        return None
    if asked.makers and known.makers and asked.makers != known.makers:
        return None
    if "cooling" in dict(known.measured).keys() - dict(asked.measured).keys():
        # One without fans is one of several designs.
        return None
    if contradict(asked, known) or (asked.chips and known.chips and not asked.chips & known.chips):
        return None
    apart = len((asked.words ^ known.words) - left_out) + 2 * (asked.makers != known.makers)
    return apart + (asked.colours != known.colours)


def lacks(asked: NameWords, known: NameWords) -> int:
    """How many of the figures asked for a known name does not speak of."""
    return len(dict(asked.measured).keys() - dict(known.measured).keys())


def adds(asked: NameWords, known: NameWords) -> bool:
    """Does a known name say more than was asked for: a figure, or a maker?"""
    return bool(set(known.measured) - set(asked.measured)) or bool(known.makers - asked.makers)


def contradict(one: NameWords, other: NameWords) -> bool:
    """Is something measured in both, and different?"""
    figures = dict(other.measured)
    return any(figures.get(what, figure) != figure for what, figure in one.measured)


#: Remarks after a name: in brackets, after a comma, after a dash with spaces.
_ASIDE = r"(?s)\([^()]*(?:\)|$)|\[[^\[\]]*\]|[,;|].*$|\s[-–—]\s.*$"
_PIECES = r"[()\[\];|]|,(?!\d)|(?:^|\s)[-–—]\s"
#: Words in the output of system tools that print the name of a card in square brackets.
_SYSTEM = r"(?i)\b(?:corporation|technologies|devices, inc|controller)\b"
_BEHIND = r"\([^()]*\)"
_BRACKETED = r"\[([^\[\]]+)\]"
#: Words as long as part numbers, with a digit.
_NUMBER = r"(?=[\w./+-]*\d)[A-Za-z\d][\w./+-]{5,}"


def asides(name: str) -> list[tuple[str, str]]:
    """Shorter forms of a name, each with what it leaves out, the likeliest first.

    >>> asides("AMD Ryzen 9 5900X (12 cores, 24 threads)")
    [('AMD Ryzen 9 5900X', '(12 cores, 24 threads)')]
    >>> asides("NVIDIA Corporation GA102 [GeForce RTX 3090] (rev a1)")[0]
    ('GeForce RTX 3090', '(rev a1)')
    """
    behind = " ".join(re.findall(_BEHIND, name))
    listed = re.search(_SYSTEM, name)
    found = [(inner, behind) for inner in re.findall(_BRACKETED, name) if listed]
    rest, short = re.findall(_ASIDE, name), " ".join(re.sub(_ASIDE, " ", name).split())
    if rest and short:
        found.append((short, " ".join(rest)))
    return found


def remarks(name: str) -> list[str]:
    """What `asides` leave out of a name, piece by piece.

    >>> remarks("RTX 3090 (used, 24 GB), 600 W | no box")
    ['used', '24 GB', '600 W', 'no box']
    """
    pieces = (re.split(_PIECES, aside) for aside in re.findall(_ASIDE, name))
    return [piece.strip() for listed in pieces for piece in listed if piece.strip()]


def is_another(aside: str, short: str = "") -> bool:
    """Could a remark after a name mean another part than the name alone?

    >>> is_another("(2.9-slot, 24 threads, rev. 1.0)"), is_another("(2024)"), is_another("V2")
    (False, True, True)
    >>> is_another("(sTRX4/AMD/TRX40)", "TRX40 AORUS MASTER")
    False
    """
    data = vocabulary(_FILE)
    left = re.sub(data["counted"], " ", aside)
    for number in filter(str.isdigit, words(short)):
        left = left.replace(number, " ")
    return re.search(data["another"], left) is not None or aside.strip(" ()[],;x").isdigit()


def describes(word: str) -> bool:
    """Does a word only describe a part: its kind, form, use or maker?"""
    return _listed("describing").issuperset(word.split("-")) or bool(_any_maker().fullmatch(word))


def line_words(kind: str) -> frozenset[str]:
    """Words that the names of many models of a kind have, which people leave out together."""
    how = _kind(kind)
    return how.line and how.line | how.left_out | how.loose


def part_numbers(name: str) -> list[str]:
    """The words of a name that could be part numbers.

    >>> part_numbers("EVGA GeForce RTX 3090 FTW3 Ultra Gaming, 24G-P5-3987-KR, 24GB GDDR6X")
    ['24G-P5-3987-KR', 'GDDR6X', '24G-P5-3987-KR, 24GB']
    """
    paired = (f"{a} {b}" for a, b in pairwise(name.split()) if re.match(_NUMBER, a))
    return [*re.findall(_NUMBER, name), *(p.strip(",;") for p in paired)]
