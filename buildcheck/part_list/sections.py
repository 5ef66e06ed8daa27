"""The words lists use for kinds of parts → the sections of the build file."""

from __future__ import annotations

import re

#: No section: the word is known, and buildcheck looks at no such part.
NONE = ""
#: The word says nothing about the kind of part.
ANY = "?"

_WORDS = {
    "gpus": "video card, videocard, gpu, gpus, graphics card, graphics cards, graphics, vga,"
    " accelerator, grafikkarte, grafikkarten, carte graphique, tarjeta grafica, grafikkort,"
    " scheda video, videokaart",
    "cpu": "cpu, cpus, processor, processors, prozessor, processeur, procesador, processore",
    "cpu_cooler": "cpu cooler, cooler, cpu cooling, cpu fan, heatsink, cpu-kühler, cpu kühler,"
    " kühler, prozessorkühler, aio, ventirad, refroidissement, cpu-kylare",
    "motherboard": "motherboard, mobo, mainboard, mb, board, carte mère, carte mere, placa base,"
    " moederbord, moderkort, scheda madre",
    "memory": "memory, ram, system memory, dimm, dimms, arbeitsspeicher, mémoire, memoria,"
    " geheugen, minne",
    "storage": "storage, ssd, hdd, nvme, nvme ssd, m.2 ssd, m.2, hard drive, hard disk,"
    " solid state drive, boot drive, os drive, data drive, drive, disk, festplatte, speicher,"
    " stockage, almacenamiento, opslag, lagring",
    "case": "case, chassis, enclosure, tower, computer case, pc case, frame, gehäuse, boîtier,"
    " boitier, caja, behuizing, chassi",
    "psus": "power supply, psu, psus, power supplies, power supply unit, netzteil, alimentation,"
    " fuente de alimentación, voeding, nätaggregat, alimentatore",
    "add_in_cards": "wired network adapter, wireless network adapter, wired network card,"
    " wireless network card, network card, network adapter, network, networking, nic, hba,"
    " raid card, raid controller,"
    " sound card, capture card, expansion card, add-in card, netzwerkkarte, carte réseau",
    "risers": "riser, risers, riser cable, riser cables, pcie riser, pcie risers",
    "cables": "cable, cables, power cable, power cables, psu cables",
    "nvlink": "nvlink, nvlink bridge, sli bridge, bridge, bridges",
    "ups": "ups, uninterruptible power supply, usv, ups system, onduleur",
    NONE: "thermal compound, thermal paste, wärmeleitpaste, case fan, case fans, fan, fans, lüfter,"
    " fan controller, case accessory, accessory, accessories, monitor, monitors, display,"
    " keyboard, mouse, headphones, headset, speakers, webcam, optical drive, operating system, os,"
    " software, external storage, external hard drive, laptop, betriebssystem, zubehör, tools,"
    " controller, mousepad, mouse pad, license, warranty, assembly, peripherals",
    ANY: "custom, other, misc, miscellaneous, extra, extras, part, item, sonstiges, autre",
}
#: Words below which people put whatever fits nowhere else, parts among them.
_LOOSE = frozenset({"case accessory", "accessory", "accessories", "zubehör", "peripherals"})
_SECTIONS = {word.strip(): key for key, words in _WORDS.items() for word in words.split(",")}
#: Those of PCPartPicker, which stand in front of a name without a sign when a page is copied.
_LEADING = sorted(
    (
        *("cpu cooler", "cpu", "thermal compound", "motherboard", "memory", "storage"),
        *("video card", "case accessory", "case fan", "case", "power supply", "optical drive"),
        *("operating system", "software", "sound card", "wired network adapter"),
        *("wireless network adapter", "fan controller", "monitor", "keyboard", "mouse"),
        *("headphones", "speakers", "webcam", "external storage", "ups", "custom", "other"),
    ),
    key=len,
    reverse=True,
)
_LEADER = re.compile(rf"({'|'.join(_LEADING)})(?:\s+|$)", re.IGNORECASE)
#: What it is for, behind it.
_ASIDE = re.compile(r"(?<=\w) ?\([^()]{0,40}\)$")
_NUMBERED = re.compile(r"\s{0,3}[#(]?\s{0,3}\d{1,2}\)?$")
#: What a name without such a word says itself, in order.
_SAID = tuple(
    (re.compile(pattern, re.IGNORECASE), key)
    for pattern, key in (
        (r"\b(?:thermal|monitor|windows|keyboard|warranty|water ?block|screw|fans?)\b", NONE),
        (r"\b(?:riser|extender)\b", "risers"),
        (r"\bnvlink\b", "nvlink"),
        (r"\b(?:cables?|adapter)\b", NONE),
        (r"\bcpu (?:air |liquid |water )?cooler\b|\baio\b", "cpu_cooler"),
        (r"\b(?:motherboard|mainboard)\b", "motherboard"),
        (r"\b(?:power supply|psu|netzteil)\b|\b80 ?(?:\+|plus)\b", "psus"),
        (r"\b(?:video|graphics) card\b|\b(?:geforce|rtx|gtx|radeon rx)\b|\btesla\b", "gpus"),
        (r"\b(?:processor|ryzen|threadripper|epyc|xeon|core i\d)\b", "cpu"),
        (r"\b(?:ssd|hdd|nvme|hard drive|solid state)\b", "storage"),
        (r"\b(?:u?dimm|rdimm|lrdimm|memory|ddr[345])\b", "memory"),
        (r"\b(?:case|chassis|tower|open frame)\b", "case"),
        (r"\b(?:network (?:card|adapter)|nic|hba)\b", "add_in_cards"),
    )
)


def section_of(word: str) -> str | None:
    """The section a list's word stands for; `NONE`, `ANY`, or None if nobody knows it.

    >>> section_of("Video Card"), section_of("GPU #2"), section_of("Monitor"), section_of("Fox")
    ('gpus', 'gpus', '', None)
    >>> section_of("Storage (Linux)")
    'storage'
    """
    plain = _ASIDE.sub("", " ".join(word.lower().split()).strip(" :-–*_"))
    return _SECTIONS.get(plain, _SECTIONS.get(_NUMBERED.sub("", plain[-60:])))


def is_said(word: str) -> bool:
    """Does a list's word tell what kind of part stands below it?

    >>> is_said("CPU"), is_said("Storage SATA"), is_said("Custom"), is_said("Case Accessory")
    (True, True, False, False)
    """
    if " ".join(word.lower().split()).strip(" :-–*_") in _LOOSE:
        return False
    section = section_of(word) if word else ANY
    return section not in (None, ANY) or begun_by(word) != ANY


def begun_by(word: str) -> str:
    """The section of the word that another begins with; `ANY` if there is none.

    >>> begun_by("Storage SATA"), begun_by("CPU cooler top"), begun_by("Fox")
    ('storage', 'cpu_cooler', '?')
    """
    first = word.split()[:2]
    starts = (section_of(" ".join(first[:n])) for n in (2, 1) if len(first) >= n)
    return next((s for s in starts if s is not None), ANY)


def leading(text: str) -> tuple[str, str]:
    """A word of PCPartPicker's that a line begins with, and the rest; empty if there is none."""
    found = _LEADER.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def said_by(name: str) -> str:
    """The section a name without a word for it belongs to; `ANY` if it does not say."""
    return next((key for pattern, key in _SAID if pattern.search(name)), ANY)
