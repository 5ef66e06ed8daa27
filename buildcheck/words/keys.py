"""The words people have for sections of a build file, and for keys of their entries."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

from buildcheck.model.patterns import pattern
from buildcheck.model.vocabulary import listed, vocabulary

#: No section: the word is known, and buildcheck looks at no such part.
NONE = ""
#: The word says nothing about the kind of part.
ANY = "?"
#: Signs of a clause that are weighed together.
_CLAUSE = 400
#: Of remarks on any part, those that name a model.
_MODEL = "??"
#: What the vocabulary calls parts that no rule looks at, and the keys of all entries.
_UNCHECKED, _ENTRIES = "unchecked", "entries"


class _Words(NamedTuple):
    """The vocabulary as it is asked for."""

    #: Words of sections, by the section and the other way round.
    of: dict[str, tuple[str, ...]]
    sections: dict[str, str]
    loose: frozenset[str]
    machines: frozenset[str]
    #: Words at the top of a file, and keys of entries by section, with where or what they are.
    places: dict[str, tuple[str, ...]]
    keys: dict[tuple[str, str], str]
    fields: dict[str, dict[str, tuple[str, ...]]]
    #: Where facts belong that no check reads, by key of a section and by the value of a field.
    hints: dict[tuple[str, str], str]
    values: tuple[tuple[str, str, str], ...]
    said: tuple[tuple[str, str], ...]


@cache
def _words() -> _Words:
    data = vocabulary()
    of = {section: listed(words) for section, words in data["sections"].items()}
    every = {**of, NONE: listed(data["unchecked"]), ANY: listed(data["unspecific"])}
    at = {w: p for p, words in data["places"].items() for w in listed(words)}
    fields = {s: {n: listed(w) for n, w in f.items()} for s, f in data["keys"].items()}
    return _Words(
        of,
        {word: section for section, words in every.items() for word in words},
        frozenset(listed(data["loose"])),
        frozenset(listed(data["machines"])),
        {w: () if p == _UNCHECKED else tuple(p.split(".")) for w, p in at.items()},
        {(s, w): n for s, f in fields.items() for n, words in f.items() for w in words},
        fields,
        {(s, w): hint for s, words, hint in data["hints"] for w in listed(words)},
        tuple((at, f"(?i){woven(text)}", hint) for at, text, hint in data["values"]),
        tuple((f"(?i){text}", NONE if s == _UNCHECKED else s) for text, s in data["said"]),
    )


def woven(pattern: str) -> str:
    """A pattern with those of `line` that it names in braces."""
    return re.sub(r"\{([a-z_]+)\}", lambda other: written(other[1]), pattern)


@cache
def written(name: str) -> str:
    """A pattern of what is around a name, with those that it is put together from, in lines."""
    return woven("".join(vocabulary()["line"][name]))


@cache
def phrase(name: str) -> re.Pattern[str]:
    """The same, to search with."""
    return pattern(f"(?i){written(name)}")


def _plain(key: str) -> str:
    return " ".join(re.sub(r"[_-]", " ", key.lower()).split())


def place_of(key: str) -> tuple[str, ...] | None:
    """Where a key at the top of a build file belongs; `()` if to no check, None if not known.

    >>> place_of("RAM"), place_of("outlet"), place_of("monitor"), place_of("colour")
    (('memory',), ('site', 'outlet'), (), None)
    """
    plain = _plain(key)
    if plain in _words().places:
        return _words().places[plain]
    where = place_of(plain[: at.start()]) if (at := re.search(phrase("where"), plain)) else ()
    if where and where[0] == "site":
        return where
    section = next((s for w in (key.lower(), plain) if (s := section_of(w)) is not None), ANY)
    return None if section == ANY else (section,) if section else ()


def is_machine(key: str) -> bool:
    """Does a key mean whole machines: `server`, `nodes`?"""
    return _plain(key) in _words().machines


def field_of(section: str, key: str) -> str:
    """The field that a key of an entry means, or the key as fields are written.

    >>> field_of("cpu", "TDP"), field_of("gpus", "Power Limit"), field_of("psus", "qty")
    ('base_power', 'power_limit', 'count')
    """
    plain = _plain(key)
    has_parts = section not in ("site", "workload", "cost", "quotes")
    common = _words().keys.get((_ENTRIES, plain), "") if has_parts else ""
    found = _words().keys.get((section, plain)) or common
    if not found and section == "site" and (at := re.search(phrase("where"), plain)):
        return field_of(section, plain[: at.start()])
    return found or plain.replace(" ", "_")


def hint_of(section: str, key: str) -> str:
    """Where a fact belongs that no check reads under a key; empty if nowhere.

    >>> hint_of("", "Undervolt"), hint_of("", "vendor")
    ("a power limit is written as 'power_limit: 280 W'", '')
    """
    return _words().hints.get((section, _plain(key)), "")


def value_hint(place: tuple[str | int, ...], value: Any) -> str:
    """Where a fact belongs that no check reads as a value of a section or field; or empty."""
    if not isinstance(value, (str, int, float)):
        return ""
    at, text = ".".join(map(str, place)), str(value).strip()
    return next((h for a, p, h in _words().values if a == at and pattern(p).fullmatch(text)), "")


def doubted(text: str, section: str = "", listed: str = "") -> dict[str, frozenset[str]]:
    """The fields that a remark which no check reads may be about, by section; `*` is all.

    Each clause is about the section it is in, those it names, or those of the clause before. A
    model that is among those listed is no other.

    >>> doubted("cables from the old Corsair")["psus"] >= {"cables"}, doubted("never reboots")
    (True, {})
    >>> doubted("no, really a Foo", "case"), doubted("really cheap, black", "case")
    ({'case': frozenset({'*'})}, {})
    """
    return _said(("broken", "doubts"), text, section, listed)


def said_broken(text: str, section: str = "") -> dict[str, frozenset[str]]:
    """The sections that a remark says another, less or nothing is there of; `*` is all fields.

    >>> said_broken("one fan is dead", "gpus"), said_broken("stock 260 W", "gpus")
    ({'gpus': frozenset({'*'})}, {})
    >>> sorted(said_broken("one cable melted, fed from molex", "gpus")["gpus"])
    ['*', 'plugs']
    """
    return _said(("broken",), text, section)


def _said(
    tables: tuple[str, ...], text: str, section: str, listed: str = ""
) -> dict[str, frozenset[str]]:
    """The fields that words of tables say a remark is about, by section."""
    found: dict[str, frozenset[str]] = {}
    for left, about in _clauses(text, section):
        for of, words, fields in (row for name in tables for row in _patterns(name)):
            at = [m for m in words.finditer(left) if of != _MODEL or m[0].lower() not in listed]
            before = (left[: match.start()].rstrip().lower() for match in at)
            others = about if of in (ANY, _MODEL) else {of} & about
            if others and not all(re.search(phrase("denied"), b) for b in before):
                found |= {s: found.get(s, frozenset()).union(fields) for s in others}
    return found


def is_idle(text: str, section: str = "") -> bool:
    """Is all that a remark says of parts known to change nothing?

    >>> is_idle("used, 700 EUR each", "gpus"), is_idle("fanless", "gpus"), is_idle("as planned")
    (True, False, True)
    """
    clauses = () if re.match(phrase("reasoned"), text) else _clauses(text, section)
    return not any(about and re.search(phrase("word"), left) for left, about in clauses)


def _clauses(text: str, section: str) -> Iterator[tuple[str, set[str]]]:
    """What is left of each clause without what changes nothing, and what it is about."""
    about: set[str] = set()
    clauses = re.split(phrase("clauses"), text.replace("_", " "))
    # Words are looked for around each other: in a text without an end that takes its square.
    for clause in (c[at : at + _CLAUSE] for c in clauses for at in range(0, len(c), _CLAUSE)):
        left = re.sub(phrase("harmless"), " ", clause)
        about = {section, *_named(left, section)} - {NONE, ANY} or about
        yield left, about


def _named(text: str, section: str) -> set[str]:
    """The sections that words of a text are about; a part in a section is what that says it is."""
    words = {section_of(word) or NONE for word in re.findall(r"[^\W\d_]+", text)}
    words |= {s for said, s in _words().said if not section and pattern(said).search(text)}
    return words | {s for s, named, _ in _patterns("named") if named.search(text)}


@cache
def _patterns(name: str) -> tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...]:
    """A table of sections with the words that are about them, and fields."""
    return tuple(
        (section, pattern(rf"(?i)(?<!\w)(?:{woven(words)})(?!\w)"), (*"".join(fields).split(),))
        for section, words, *fields in vocabulary()[name]
    )


def meant_by(place: tuple[str | int, ...], value: Any) -> tuple[str, Any] | None:
    """The field and value that a value means which is none of its own field; None if it is one.

    >>> meant_by(("gpus", "thickness"), "x8"), meant_by(("gpus", "thickness"), "2 slots")
    (('pcie_lanes', '8'), None)
    """
    at, text = ".".join(map(str, place)), str(value).strip().lower()
    for where, of_value, name, given in vocabulary()["meant"]:
        if where == at and (found := pattern(of_value).fullmatch(text)):
            groups = [g for g in found.groups() if g]
            return name, given.format(*groups) if isinstance(given, str) else given
    return None


def synonyms(section: str) -> dict[str, tuple[str, ...]]:
    """Other words for a section and for the keys of its entries; with `""`, those of all entries.

    >>> synonyms("cpu")["base_power"], synonyms("workload")["workload"][:2]
    (('tdp', 'power', 'watts', 'wattage'), ('use', 'usage'))
    """
    own = [w for w, place in _words().places.items() if place == (section,)]
    words = {section: _words().of.get(section, tuple(own))} if section else {}
    found = words | _words().fields.get(section or _ENTRIES, {})
    return {n: tuple(w for w in texts if w not in ("", n)) for n, texts in found.items()}


def section_of(word: str) -> str | None:
    """The section a list's word means; `NONE`, `ANY`, or None if it is no known word.

    >>> section_of("Video Card"), section_of("GPU #2"), section_of("Monitor"), section_of("Fox")
    ('gpus', 'gpus', '', None)
    >>> section_of("Storage (Linux)")
    'storage'
    """
    plain = re.sub(phrase("what_for"), "", " ".join(word.lower().split()).strip(" :-–*_"))
    known = _words().sections
    return known.get(plain, known.get(re.sub(phrase("numbered_word"), "", plain[-60:])))


def is_said(word: str) -> bool:
    """Does a list's word say what kind of part is below it?

    >>> is_said("CPU"), is_said("Storage SATA"), is_said("Custom"), is_said("Case Accessory")
    (True, True, False, False)
    """
    if " ".join(word.lower().split()).strip(" :-–*_") in _words().loose:
        return False
    return (section_of(word) if word else ANY) not in (None, ANY) or begun_by(word) != ANY


def begun_by(word: str) -> str:
    """The section of the word that another begins with; `ANY` if there is none.

    >>> begun_by("Storage SATA"), begun_by("CPU cooler top"), begun_by("Fox")
    ('storage', 'cpu_cooler', '?')
    """
    first = word.split()[:2]
    starts = (section_of(" ".join(first[:n])) for n in (2, 1) if len(first) >= n)
    return next((s for s in starts if s is not None), ANY)


@lru_cache(maxsize=4096)
def said_by(name: str) -> str:
    """The section a name without a word for it belongs to; `ANY` if it does not say.

    >>> said_by("AX1200 PSU (I keep the cables of the old one)"), said_by("Foo (cable)")
    ('psus', '')
    """
    # What a remark of several words is about is not what the part is.
    name = re.sub(phrase("remark"), "", name)
    return next((key for said, key in _words().said if pattern(said).search(name)), ANY)


def is_charge(name: str) -> bool:
    """Is a line of a quote a service, shipping, a tax or a rebate, by its words?

    >>> is_charge("Assembly & burn-in"), is_charge("5 Jahre Garantie"), is_charge("NVIDIA L40S")
    (True, True, False)
    """
    return pattern(vocabulary("part-lists")["reading"]["charge"]).search(name) is not None


def charge_of(label: str) -> str:
    """What a whole line of a quote is by its label: a sum, or what is added or taken off; or "".

    >>> [charge_of(n) for n in ("Net", "Rabatt 5 %", "zzgl. 19 % MwSt.", "Delivery", "AX1600i")]
    ['sum', 'discount', 'tax', 'shipping', '']
    """
    kinds = vocabulary("part-lists")["reading"]["totals"].items()
    return next((kind for kind, text in kinds if pattern(text).fullmatch(label)), "")
