"""Subjects as people name them: `gpus[0]` is GPU 1."""

import re
from collections.abc import Iterable
from itertools import groupby

from buildcheck.model.vocabulary import vocabulary

_SHORT = re.compile(r"\b(bios|bmc|cpu|gpu|m2|pcie|psu|ram|ups|usb)(s?)\b")
#: Nouns of one among several, where it is another word.
_SINGLE_NOUNS = {"memory": "memory module", "prices": "price"}
_INDEXED = re.compile(r"\b([a-z_]+)\[(\d+)\]")
_LABEL = re.compile(r"([A-Za-z][A-Za-z -]*?)(?: ([1-9]\d{0,3}(?:(?:[–-]|, ?)[1-9]\d{0,3})*))?")
_RANGE = re.compile(r"\b([a-z_]+)\[(\d+)(?:\.\.(\d+))?\]")


def subject_label(subject: str) -> str:
    """A subject's id for people, counted from 1.

    >>> subject_label("gpus[0]"), subject_label("cpu_cooler"), subject_label("motherboard")
    ('GPU 1', 'CPU cooler', 'motherboard')
    """
    return subject_labels([subject])


def subject_id(label: str) -> str:
    """The ids of subjects as people name them, as a waiver has them; another text stays.

    >>> subject_id("PSU 1"), subject_id("GPU 1–3, 5"), subject_id("CPU"), subject_id("gpus[1]")
    ('psus[0]', 'gpus[0..2,4]', 'cpu', 'gpus[1]')
    """
    sections = vocabulary("build-sections").items()
    named = {name: said["noun"] for name, said in sections if "noun" in said}
    nouns = {n.lower(): s for s, n in (*named.items(), *_SINGLE_NOUNS.items())}
    found = _LABEL.fullmatch(label)
    if not found or not (section := nouns.get(found[1].lower())):
        return label
    numbers = re.sub(r"\d+", lambda n: str(int(n[0]) - 1), found[2] or "")
    return section + f"[{re.sub('[–-]', '..', numbers.replace(' ', ''))}]" * bool(numbers)


def subject_labels(subjects: Iterable[str]) -> str:
    """Several subjects, those of a kind in runs.

    >>> subject_labels(["gpus[0]", "gpus[1]", "gpus[3]", "psus[0]"])
    'GPU 1–2, 4, PSU 1'
    """
    return ", ".join(
        f"{_SINGLE_NOUNS.get(section, noun)} {runs(n + 1 for n in numbers)}" if numbers else noun
        for section, numbers in _by_section(subjects).items()
        for said in (vocabulary("build-sections").get(section, {}),)
        for noun in (said.get("noun", section.replace("_", " ")),)
    )


def spans(subjects: Iterable[str]) -> list[str]:
    """Several subjects as a waiver names them, those of a section together.

    >>> spans(["gpus[0]", "gpus[1]", "gpus[3]", "site"])
    ['gpus[0..1,3]', 'site']
    """
    return [
        f"{section}[{runs(numbers).replace('–', '..').replace(' ', '')}]" if numbers else section
        for section, numbers in _by_section(subjects).items()
    ]


def _by_section(subjects: Iterable[str]) -> dict[str, list[int]]:
    """The numbers of subjects by their section; none of what there is one of."""
    numbers: dict[str, list[int]] = {}
    for subject in dict.fromkeys(subjects):
        found = _INDEXED.fullmatch(subject)
        section = found[1] if found else subject
        numbers.setdefault(section, []).extend([int(found[2])] if found else [])
    return numbers


def runs(numbers: Iterable[int]) -> str:
    """Numbers in order, those in a row as a range.

    >>> runs([3, 1, 2, 5])
    '1–3, 5'
    """
    found = []
    for _, run in groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0]):
        (_, first), *more = run
        found.append(f"{first}–{more[-1][1]}" if more else str(first))
    return ", ".join(found)


def labelled(text: str) -> str:
    """A text with every id in it as a label.

    >>> labelled("gpus[1], gpus[3..4], motherboard")
    'GPU 2, GPU 4–5, motherboard'
    """
    return _RANGE.sub(
        lambda m: subject_labels(f"{m[1]}[{n}]" for n in range(int(m[2]), int(m[3] or m[2]) + 1)),
        text,
    )


def headline(title: str, subject: str) -> str:
    """A title about one subject of several: its number goes behind the noun.

    >>> headline("GPU does not fit", "gpus[3]"), headline("Case too small", "case")
    ('GPU 4 does not fit', 'Case too small')
    """
    if _INDEXED.fullmatch(subject) is None:
        return title
    name = subject_label(subject)
    noun, name = name.rpartition(" ")[0], name[:1].upper() + name[1:]
    rest = title[len(noun) :]
    is_named = title.lower().startswith(noun.lower()) and not rest[:1].isalnum()
    return name + rest if is_named else f"{name}: {title}"


def fact_words(name: str) -> str:
    """A fact's or field's name as words.

    >>> fact_words("circuit.psu_input"), fact_words("m2_slots")
    ('PSU input', 'M.2 slots')
    """
    words = name.rpartition(".")[2].replace("_", " ")
    return _SHORT.sub(lambda m: {"m2": "M.2", "pcie": "PCIe"}.get(m[1], m[1].upper()) + m[2], words)


def plain(words: str) -> str:
    """Names come from files: no control character of theirs reaches the terminal."""
    return "".join(c if c.isprintable() else "\ufffd" for c in words)
