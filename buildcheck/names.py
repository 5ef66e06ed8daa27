"""How names of parts are compared: what a name says, whatever its spelling and order.

A name is taken apart into the maker, what is measured (memory, capacity, speed), colours, and
words. Words that shops add are dropped; of the others some may be left out by people (`RTX` in
front of a number), all the rest have to be the same. A digit that differs is another part.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

_WORD = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_SIGNS = re.compile(r"[^\w.]|_|(?<!\d)\.|\.(?!\d)")
#: How systems and shops write what catalogues call otherwise: what stands around the model of a
#: CPU or a board, and signs that say nothing. In this order, on lower case.
_SPELLINGS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"\((?:r|tm|c|ms-\w+)\)|[®™©]", " "),
        (r"\basrockrack\b", "asrock rack"),
        (r"@ ?[\d.]+ ?ghz", " "),
        (r"\b\d+th gen (?=intel)", ""),
        (r"\b(?:\w+-cores?|processor)\b|\bwith radeon (?:\w+ )?graphics\b", " "),
        (r"(?<=core )\s*cpu\b|(?<=xeon )\s*cpu\b|\bcpu\s*$", " "),
        (r"\bwi-?\s?fi\b", "wifi"),
        (r"\brev(?:ision)?\.? ?(?=\d)", "rev "),
        (r"\(rev a\d\)|\brev\. a\b|\blite hash rate\b", " "),
        (r"\bfe\b", "founders edition"),
        (r"\b(\d)u\b", r"\1 units high"),
    )
)
#: Makers by the one word each has here, and how they are written.
_MAKERS = {
    "adata": "adata|xpg",
    "amd": "amd",
    "antec": "antec",
    "arctic": "arctic",
    "asrock": r"asrock(?: rack)?",
    "asus": r"asustek computer inc\.?|asustek|asus",
    "bequiet": r"be ?quiet!?",
    "biostar": "biostar",
    "chenbro": "chenbro",
    "coolermaster": r"cooler ?master",
    "colorful": "colorful",
    "corsair": "corsair",
    "crucial": "crucial",
    "deepcool": "deepcool",
    "dell": "dell",
    "enermax": "enermax",
    "evga": "evga",
    "fractal": r"fractal(?: design)?",
    "fsp": r"fsp(?: group)?",
    "gainward": "gainward",
    "galax": "galax",
    "gigabyte": r"gigabyte technology co\., ?ltd\.?|gigabyte",
    "gskill": r"g\.? ?skill",
    "hp": r"hpe?|hewlett[- ]packard",
    "hynix": r"sk ?hynix|hynix",
    "idcooling": r"id-?cooling",
    "inno": r"inno ?3d",
    "intel": "intel",
    "inwin": r"in ?win",
    "jonsbo": "jonsbo",
    "kfa": "kfa2",
    "kingston": "kingston",
    "leadtek": "leadtek",
    "lenovo": "lenovo",
    "lianli": r"lian[- ]?li",
    "manli": "manli",
    "maxsun": "maxsun",
    "mellanox": "mellanox",
    "micron": "micron",
    "msi": r"micro-star international co\., ?ltd\.?|msi",
    "noctua": "noctua",
    "nvidia": "nvidia",
    "nzxt": "nzxt",
    "palit": "palit",
    "phanteks": "phanteks",
    "pny": "pny",
    "powercolor": r"power ?color",
    "samsung": "samsung",
    "sapphire": r"sapphire(?: technology)?",
    "seagate": "seagate",
    "seasonic": r"sea ?sonic",
    "siliconpower": r"silicon power",
    "silverstone": r"silverstone(?: technology)?",
    "superflower": r"super ?flower",
    "supermicro": r"super ?micro",
    "teamgroup": r"team ?group",
    "thermalright": "thermalright",
    "thermaltake": "thermaltake",
    "toshiba": "toshiba",
    "vcolor": r"v-color",
    "wd": r"western digital|wd",
    "xfx": "xfx",
    "yeston": "yeston",
    "zotac": "zotac",
}
#: Makers of chips, whom nobody needs to name.
_CHIP_MAKERS = frozenset({"nvidia", "amd", "intel"})
_COLOUR = (
    r"\b(?:matte |snow |arctic |chalk |space |charcoal )?"
    r"(?:black|white|silver|gr[ae]y|red|blue|green|pink|orange|yellow|purple|brown|beige|snow)\b"
    r"(?: edition\b)?"
)


class _Kind(NamedTuple):
    """How names of one kind of part are read."""

    #: What is measured: a pattern with the figure in its first group, and a name for it.
    measured: tuple[tuple[str, str], ...] = ()
    #: What shops add, in order.
    filler: tuple[str, ...] = ()
    #: Words people leave out.
    left_out: str = ""
    #: Words that come and go.
    loose: str = ""


_SHOP = r"\b(?:brand new|used|refurbished|retail|bulk|oem/tray|tray|boxed|box pack)\b"
_FORMS = (
    r"\b(?:extended|micro|mini|full|flex|e|m|μ|u)?[- ]?(?:atx|itx|dtx)\b",
    r"\b(?:ssi[- ]?)?(?:eeb|ceb)\b",
)
_OTHER = _Kind(filler=(r"(?<=\d)\s*gb\b", _SHOP), loose="the edition")
_KINDS = {
    "gpu": _Kind(
        measured=((r"\b(\d+) ?gb?\b(?!\w)", "memory"),),
        filler=(
            r"\bg?ddr ?\d+x?\b|\bhbm2?e?\b",
            r"\b(?:video|graphics?) ?(?:cards?|adapter|boards?)\b|\bgraphics\b|\bgpus?\b|\bvga\b",
            r"\bpci[- ]?e(?:xpress)?\b(?: ?(?:gen ?)?\d(?:\.0)?)?(?: ?x16)?",
            r"\b\d+[- ]bit\b|\b(?:dlss|hdcp) ?\d?\b",
            r"\b(?:geforce|radeon|edition|series)\b|\b(?:dual|triple) fan\b|\baccelerators?\b",
            _SHOP,
        ),
        left_out="rtx gtx rx",
        loose="lhr generation rog",
    ),
    "cpu": _Kind(
        filler=(
            r"\b[\d.]+ ?ghz\b|\b\d+[- ]core\b",
            r"\b(?:socket )?(?:lga ?\d+(?:-\d)?|am\d\+?|s?trx?\d|swrx\d|sp\d)\b",
            r"\b(?:desktop|unlocked|oem|tray|processors?)\b",
            _SHOP,
        ),
        left_out="ryzen threadripper epyc core ultra xeon i 3 5 7 9 gold silver platinum",
        loose="rome milan genoa naples turin",
    ),
    "motherboard": _Kind(
        measured=((r"\bddr ?(\d)\b", "ddr"),),
        filler=(
            r"\b(?:socket )?(?:lga ?\d+(?:-v?\d)?|am\d\+?|s?tr\d\b|strx\d|swrx\d|sp\d)\b",
            *_FORMS,
            r"\b(?:server |gaming |workstation )?(?:mother|main)boards?\b",
            r"\bmatx\b|\beatx\b|\bw/ ?",
            _SHOP,
        ),
        left_out="amd intel",
        loose="rog",
    ),
    "psu": _Kind(
        measured=(
            (r"\batx ?v?([23]\.\d+)\b", "atx"),
            (r"\b(bronze|gold|platinum|titanium|diamond)\b", "grade"),
        ),
        filler=(
            r"\b80 ?(?:\+|plus)[ -]?",
            r"\b(?:certified|rated)\b",
            r"\b(?:fully?|semi|non)?[- ]?modular\b|\bfull(?=\s*$)",
            r"\b(?:power suppl(?:y|ies)|psu|smps)\b|\bsupply\b",
            r"(?<=\d)\s*w(?:atts?)?\b|\bwatts?\b",
            r"\bpcie ?5(?:\.\d)?\b",
            r"\batx(?:12v)?\b",
            _COLOUR,
            _SHOP,
        ),
        loose="series",
    ),
    "case": _Kind(
        filler=(
            r"\bwith\b.*\bpanel\b.*$|\bwith tempered glass.*$",
            r"\bdimensions:.*$",
            r"\busb ?\d(?:\.\d)?(?: gen ?\d)?(?: ?type-[ac])?",
            r"\b(?:front|side) panel\b|\btempered glass\b|\bacrylic\b|\bwindow(?:ed)?\b",
            r"\b(?:dark|light|clear) tint(?:ed)?\b|\bflexible\b",
            *_FORMS,
            r"\bmicroatx\b|\bmatx\b|\beatx\b",
            r"\b(?:mid|full|mini|super|ultra)?[- ]?tower\b|\bdesktop\b",
            r"\b(?:rack ?mount(?:ed)? |computer |pc |gaming )?(?:case|chassis)\b|\bpc-(?=o11)",
            _COLOUR,
            _SHOP,
        ),
        loose="series",
    ),
    "cooler": _Kind(
        filler=(
            r"\bair\s+\d+(?:\.\d+)? ?(?:mm|cfm)\b|(?<=\d)\s*mm\b",
            r"\b[\d.]+ ?cfm\b|\b(?:fluid dynamic|sleeve|ball|rifle)? ?bearing\b",
            r"\b(?:air|water|liquid)? ?cpu ?(?:air |liquid |water )?coolers?\b",
            r"\bwater(?= \d)|\bair$",
            r"\b(?:aio|all[- ]in[- ]one)\b",
            _COLOUR,
            _SHOP,
        ),
        loose="edition cooler series",
    ),
    "memory": _Kind(
        measured=(
            (r"\b(\d+) ?x ?\d+ ?gb?\b", "count"),
            (r"(?<=[\d ])x ?(\d+) ?gb?\b", "module"),
            (r"\b(\d+) ?gb?\b", "total"),
            (r"\bddr ?(\d)\b", "ddr"),
            (r"(?:-| |^)(\d{4,5})\b ?(?:mhz|mt/s)?", "speed"),
            (r"\bcl? ?(\d\d)\b", "latency"),
        ),
        filler=(
            r"\b(?:desktop |gaming )?(?:memory|ram)(?: kit)?\b|\bkit\b|\b\d*[- ]?pin\b",
            r"\b(?:u?dimm|unbuffered|non-ecc)\b|\bpc\d-\d+\w?\b",
            r"(?<=\d) ?(?:mhz|mt/s)\b",
            _COLOUR,
            _SHOP,
        ),
        loose="series",
    ),
    "ups": _Kind(
        filler=(
            r"\b(?:line[- ]interactive |online |double[- ]conversion )?ups\b",
            r"(?<=\d) ?k?va\b|\b(?:tower|rack ?mount(?:ed)?)\b",
            _SHOP,
        ),
        loose="series",
    ),
    "add-in-card": _Kind(
        filler=(
            r"\b(?:\d+ ?x ?)?[\d.]+ ?gb/s\b|\b(?:\d+[- ]?)?gigabit\b|\bethernet\b",
            r"\b(?:wireless |wi-?fi |wired )?(?:network )?(?:adapter|card|controller)\b",
            r"\bpci[- ]?e(?:xpress)?\b(?: ?(?:gen ?)?\d(?:\.0)?)?(?: ?x\d+)?",
            _SHOP,
        ),
        loose="wifi network",
    ),
    "storage": _Kind(
        measured=((r"\b([\d.]+ ?[tg]b)\b(?!/s)", "capacity"),),
        filler=(
            r"\bsata (?:iii|3)\b|\b\d(?:\.\d)? ?gb/s\b",
            r"\b(?:internal )?(?:solid state|hard) ?(?:drive|disk)\b",
            r"\b(?:internal|ssd|hdd|drive)\b",
            r"\bm\.2(?:[- ]?22\d+)?\b|\b2280\b|\bnvme\b",
            r"\bpci[- ]?e(?:xpress)?(?: ?(?:gen ?)?\d(?:\.0)?)?(?: ?x\d)?\b",
            r"\bsata\b|\b[23]\.5(?:\"|''|”| ?inch|-inch)?",
            r"\b\d+ ?rpm\b|\b\d+ ?mb cache\b",
            _SHOP,
        ),
        left_out="sas",
        loose="series",
    ),
}


@cache
def _patterns(kind: str) -> tuple[tuple[tuple[re.Pattern[str], str], ...], re.Pattern[str]]:
    how = _KINDS.get(kind, _OTHER)
    measured = tuple((re.compile(p), name) for p, name in how.measured)
    return measured, re.compile("|".join(how.filler))


@cache
def _optional(kind: str) -> tuple[frozenset[str], frozenset[str]]:
    how = _KINDS.get(kind, _OTHER)
    return frozenset(how.left_out.split()), frozenset(how.loose.split())


class Said(NamedTuple):
    """What a name says: words that tell parts apart, makers, colours, and what is measured."""

    words: frozenset[str]
    makers: frozenset[str]
    colours: frozenset[str]
    measured: tuple[tuple[str, str], ...]
    stem: str
    #: Makers of chips, whom few name; but they have to be the same.
    chips: frozenset[str] = frozenset()

    def beside(self, others: list[Said]) -> Said:
        """With the makers and the figures that other names of the part add."""
        makers = self.makers or frozenset(m for other in others for m in other.makers)
        chips = self.chips or frozenset(c for other in others for c in other.chips)
        figures = dict(pair for other in others for pair in other.measured) | dict(self.measured)
        return self._replace(makers=makers, chips=chips, measured=tuple(figures.items()))


@cache
def _any_maker() -> re.Pattern[str]:
    """Without groups, whose search would be ten times as long; `_maker` says which it is."""
    return re.compile(r"\b(?:" + "|".join(_MAKERS.values()) + r")(?![\w])")


@cache
def _maker(written: str) -> str:
    return next(maker for maker, form in _MAKERS.items() if re.fullmatch(form, written))


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    plain = name.lower()
    for pattern, other in _SPELLINGS:
        plain = pattern.sub(other, plain)
    return plain


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
    return _SIGNS.sub("", _plain(name))


@lru_cache(maxsize=256)
def said(kind: str, name: str) -> Said:
    """What a name of a kind of part says.

    >>> said("gpu", "MSI GAMING X TRIO GeForce RTX 3090 24 GB Video Card").stem
    '3090 gaming trio x'
    >>> said("psu", "Corsair RM1000x 1000W 80+ Gold Certified Fully Modular").measured
    (('grade', 'gold'),)
    """
    measured, filler = _patterns(kind)
    plain = _plain(name)
    makers: set[str] = set()

    def maker(found: re.Match[str]) -> str:
        makers.add(_maker(found[0]))
        return " "

    plain = _any_maker().sub(maker, plain)
    figures: dict[str, str] = {}
    for pattern, what in measured:
        figure = pattern.search(plain)
        if figure:
            figures[what] = figure[1].replace(" ", "")
    for pattern, what in measured:
        if what in figures:
            plain = pattern.sub(" ", plain)
    if {"count", "module"} <= set(figures):
        figures["total"] = str(int(figures["count"]) * int(figures["module"]))
    colours = frozenset(re.findall(_COLOUR, plain))
    plain = filler.sub(" ", re.sub(_COLOUR, " ", plain) if kind in _COLOURED else plain)
    found = frozenset(_WORD.findall(plain))
    if kind == "gpu" and makers - _CHIP_MAKERS and not makers & _NOT_ALL_GAMING:
        found -= {"gaming", "rog"}
    left_out, loose = _optional(kind)
    stem = " ".join(sorted(found - left_out - loose))
    sellers = makers - _CHIP_MAKERS
    if "founders" in found:
        # Only the maker of the chip sells these.
        sellers.add("nvidia")
    chips = frozenset(makers & _CHIP_MAKERS) | {c for w, c in _LINES.items() if w in name.lower()}
    return Said(found, frozenset(sellers), colours, tuple(figures.items()), stem, chips)


#: Kinds whose colour is no part of the model's name.
_COLOURED = frozenset({"gpu", "psu", "case", "cooler", "memory"})
#: Lines of cards that only one maker of chips has.
_LINES = {"geforce": "nvidia", "quadro": "nvidia", "tesla": "nvidia", "radeon": "amd"}
#: Makers to whom "gaming" is one line of cards; to the others it is all.
_NOT_ALL_GAMING = frozenset({"gigabyte", "msi"})


def fit(asked: Said, known: Said, kind: str) -> int | None:
    """How many words a known name has to add to be the one asked for, and makers, counted twice.

    None if they do not mean the same part.
    """
    left_out, loose = _optional(kind)
    if asked.words - known.words - loose or known.words - asked.words - loose - left_out:
        return None
    if asked.makers and known.makers and asked.makers != known.makers:
        return None
    if contradict(asked, known) or (asked.chips and known.chips and not asked.chips & known.chips):
        return None
    apart = len((asked.words ^ known.words) - left_out) + 2 * (asked.makers != known.makers)
    return apart + (asked.colours != known.colours)


def lacks(asked: Said, known: Said) -> int:
    """How many of the figures asked for a known name does not speak of."""
    return len(dict(asked.measured).keys() - dict(known.measured).keys())


def adds(asked: Said, known: Said) -> bool:
    """Does a known name say more than was asked for: a figure, or a maker?"""
    more = set(known.measured) - set(asked.measured)
    return bool(more) or bool(known.makers - asked.makers)


def contradict(one: Said, other: Said) -> bool:
    """Is something measured in both, and different?"""
    figures = dict(other.measured)
    return any(figures.get(what, figure) != figure for what, figure in one.measured)


#: What people set beside a name: in brackets, after a comma, after a dash with spaces.
_ASIDE = r"(?s)\([^()]*\)|\[[^\[\]]*\]|[,;|].*$|\s[-–—]\s.*$"
#: What stands in the lists of systems, which have the name of a card in square brackets.
_SYSTEM = r"(?i)\b(?:corporation|technologies|devices, inc|controller)\b"
_BEHIND = r"\([^()]*\)"
_BRACKETED = r"\[([^\[\]]+)\]"
#: Numbers that say how many or how much, which versions of what, and the first revision.
_COUNTED = (
    r"(?i)\b(?:\d+(?:\.\d+)?[- ]?[+x]?[- ]?(?:cores?|threads?|slots?|pins?|bits?|fans?|watts?|w|v|"
    r"mm|cm|inch|[gm]hz|mt/s|[gt]b|[gm]bps|gb/s|lan|copper|heat ?pipes?|years?)\b"
    r"|80 ?(?:\+|plus)|x(?:16|8|4)\b|\d+\.\d+\w?\b|rev\.? (?:1\.\d|\w\d)\b)"
)
#: What makes another part of one: a version, a form that is no card, a number that is left.
_ANOTHER = (
    r"(?i)\bv\.? ?\d|\d\d|\b(?:rev|mk|super|m|hgx|dgx|nvlink|sxm\d?|mxm|oam|mobile|laptop|"
    r"notebook|max-q|qty|quantity|set|pair|pcs|pieces)\b"
)
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
    rest: list[str] = []

    def aside(match: re.Match[str]) -> str:
        rest.append(match[0])
        return " "

    short = " ".join(re.sub(_ASIDE, aside, name).split())
    if rest and short:
        found.append((short, " ".join(rest)))
    return found


def is_another(aside: str, short: str = "") -> bool:
    """Could what stands beside a name mean another part than the name alone?

    >>> is_another("(2.9-slot, 24 threads, rev. 1.0)"), is_another("(2024)"), is_another("V2")
    (False, True, True)
    >>> is_another("(sTRX4/AMD/TRX40)", "TRX40 AORUS MASTER")
    False
    """
    left = re.sub(_COUNTED, " ", aside)
    for number in filter(str.isdigit, words(short)):
        left = left.replace(number, " ")
    return re.search(_ANOTHER, left) is not None or aside.strip(" ()[],;x").isdigit()


def part_numbers(name: str) -> list[str]:
    """The words of a name that could be part numbers.

    >>> part_numbers("EVGA GeForce RTX 3090 FTW3 Ultra Gaming, 24G-P5-3987-KR, 24GB GDDR6X")
    ['24G-P5-3987-KR', 'GDDR6X', '24G-P5-3987-KR, 24GB']
    """
    listed = name.split()
    paired = (f"{a} {b}" for a, b in pairwise(listed) if re.match(_NUMBER, a))
    return [*re.findall(_NUMBER, name), *(p.strip(",;") for p in paired)]
