"""Memory that no catalogue has, by what its name says: `256 GB (8 x 32 GB) Registered DDR5`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from buildcheck.model.build import MOST

if TYPE_CHECKING:
    from collections.abc import Callable

_SIZE = r"(\d{1,4}) ?Gi?B\b"
_KIT = re.compile(rf"(?<![\d.])(\d{{1,2}}) ?[x×] ?{_SIZE}", re.IGNORECASE)
_TURNED = re.compile(rf"(?<![\d.]){_SIZE} ?[x×] ?(\d{{1,2}})\b", re.IGNORECASE)
_ALONE = re.compile(rf"(?<![\d.]){_SIZE}", re.IGNORECASE)
#: A word for one module, which a size without a number of them belongs to.
_ONE = re.compile(r"\b(?:(?:r|lr|u|so)?-?dimm|modules?|sticks?)\b", re.IGNORECASE)
_SET = re.compile(r"\bkits?\b", re.IGNORECASE)
_GENERATION = re.compile(r"\bddr ?([345])(?![\d])", re.IGNORECASE)
_FORMS = (
    ("LRDIMM", re.compile(r"\b(?:lr-?dimms?|load[- ]reduced)\b", re.IGNORECASE)),
    ("RDIMM", re.compile(r"(?<!non-)(?<!non )\b(?:r-?dimms?|registered|reg)\b", re.IGNORECASE)),
    ("SO-DIMM", re.compile(r"\bso-?dimms?\b", re.IGNORECASE)),
    ("UDIMM", re.compile(r"\b(?:u-?dimms?|unbuffered|unregistered)\b", re.IGNORECASE)),
)
#: All that a line without a word for its kind may say, to be no sentence.
_WORDS = re.compile(
    r"(?:\d[\d.,]*|x\d*|\d+x\d*|[gm]i?b|\d+gi?b|ddr\d?|mhz|mt|s|mts|\d+(?:mhz|mts)|c?l\d*|ecc"
    r"|(?:lr|r|u|so)?dimms?|so|registered|reg|unbuffered|load|reduced|memory|ram|server|modules?|sticks?"
    r"|kits?|pc[345]l?|\d+[a-z]{1,2}|[1248]r|[1248]rx[48]|samsung|sk|hynix|micron|kingston|crucial"
    r"|corsair|g|skill|nemix|teamgroup|v|color|supermicro|hpe?|dell|lenovo|of)",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[^\W_]+")


class Facts(NamedTuple):
    """What a name says of the modules."""

    #: Size of one module in GB.
    module: int
    #: Modules in what goes by the name once.
    modules: int
    #: The kind of module, such as `DDR4 RDIMM`; empty if the name does not say.
    type: str


def facts_of(name: str, count: int, known: Callable[[str], bool]) -> Facts | None:
    """What a name of memory says that is there `count` times; None if it is not enough.

    `known` says whether there is such a kind of module.

    >>> facts_of("Acme 256 GB (8 x 32 GB) Registered DDR5-5600 CL36", 1, lambda _: True)
    Facts(module=32, modules=8, type='DDR5 RDIMM')
    >>> facts_of("Acme 256 GB DDR5", 1, lambda _: True)
    """
    sizes = _sizes(name, count)
    generations = set(_GENERATION.findall(name))
    if sizes is None or len(generations) != 1:
        return None
    module, modules = sizes
    if not (module and modules >= 1 and modules * count <= MOST):
        return None
    (number,) = generations
    forms = [form for form, pattern in _FORMS if pattern.search(name)]
    if "LRDIMM" in forms and "RDIMM" in forms:
        # Load-reduced modules are registered ones.
        forms.remove("RDIMM")
    if "SO-DIMM" in forms and "UDIMM" in forms:
        # The one is its size, the other what is on it.
        forms.remove("UDIMM")
    plain = f"DDR{number}"
    types = [f"{plain} {forms[0]}"] if len(forms) == 1 else []
    return Facts(module, modules, next((t for t in (*types, plain) if known(t)), ""))


def is_all_memory(text: str) -> bool:
    """Does a text speak of memory alone, in words that are in no sentence?"""
    return all(_WORDS.fullmatch(word) for word in _TOKEN.findall(text))


def _sizes(name: str, count: int) -> tuple[int, int] | None:
    """Size and number of modules; None if the name does not say or says two things."""
    kits = {(int(m[2]), int(m[1])) for m in _KIT.finditer(name)}
    kits |= {(int(m[1]), int(m[2])) for m in _TURNED.finditer(name) if not kits}
    left = {int(m[1]) for m in _ALONE.finditer(name)}
    if len(kits) == 1:
        ((module, modules),) = kits
        return (module, modules) if left <= {module, module * modules} else None
    if not kits and len(left) == 1 and count > 1 and _ONE.search(name) and not _SET.search(name):
        return left.pop(), 1
    return None
