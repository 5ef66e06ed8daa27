"""What a text says of other things than the part it names: PSUs in a server, circuits, bridges."""

from __future__ import annotations

import re
from typing import Any

from buildcheck.model.vocabulary import vocabulary
from buildcheck.words.entry import entry_of
from buildcheck.words.facts import noted_in
from buildcheck.words.keys import phrase


def without_psus(text: str) -> tuple[str, str]:
    """The name of a server or case without what it says of its PSUs, and that.

    >>> without_psus("Acme S4 (4x 2700 W PSU, rails incl.)")
    ('Acme S4 (rails incl.)', '4x 2700 W PSU')
    """
    # Of PSUs the watts are said.
    found = re.search(phrase("own_psus"), text) if "w" in text.lower() else None
    left = f"{text[: found.start()]}{text[found.end() :]}" if found else text
    name = re.sub(r"\s*\(\s*\)|(?<=\()[\s,;+]+", "", left).strip(" ,;+")
    # `4x2000W` is four.
    psus = re.sub(r"(?<=\d)[x×*](?=\d)", "x ", found["psus"].strip()) if found else ""
    return (name, psus) if found else (text, "")


def without_circuits(text: str, count: int = 0) -> tuple[str, str]:
    """PSUs without the circuits that they are said to be on, and those.

    >>> without_circuits("2x PX-1600 on a 230V 16A outlet each"), without_circuits("AX1600i")
    (('2x PX-1600', '2 circuits 230V 16A outlet'), ('AX1600i', ''))
    """
    if not (found := re.search(phrase("at_circuits"), text)):
        return text, ""
    left = f"{text[: found.start()]}{text[found.end() :]}".replace("()", "").strip(" ,;")
    is_own = found["each"] or found["own"] or found["behind"]
    number = (count or entry_of(left, "psus").count or 1) if is_own else 1
    circuit = found["circuit"] if any(map(str.isdigit, found["circuit"])) else ""
    return left, f"{number} circuits {circuit}".strip() if number > 1 or not circuit else circuit


def without_carrier(text: str) -> tuple[str, str]:
    """The drives of a text without the card in a slot that they are on, and that.

    >>> without_carrier("4x 990 Pro on ASUS Hyper M.2 card"), without_carrier("Hyper M.2 x16 Gen4")
    (('4x 990 Pro', 'ASUS Hyper M.2 card'), ('', 'Hyper M.2 x16 Gen4'))
    """
    ways = (re.fullmatch(phrase(n), text.strip()) for n in ("drives_on", "card_with", "card_alone"))
    found = next(filter(None, ways), None)
    parts = found.groupdict() if found else {"drives": text}
    return parts.get("drives") or "", parts.get("card") or ""


def without(name: str, remark: str) -> str:
    """A name without one of its remarks.

    >>> without("HX1500i (a, b)", "b"), without("HX1500i (a)", "a")
    ('HX1500i (a)', 'HX1500i')
    """
    left = name.replace(remark, "", 1)
    return re.sub(r"\s*[(\[][\s,;]*[)\]]|(?<=[(\[])[\s,;]+|[\s,;]+(?=[)\],;]|$)", "", left)


def without_bridges(text: str) -> tuple[str, str]:
    """A text that names GPUs without what it says of their NVLink bridges, and that."""
    text = re.sub(phrase("joined"), ", ", text)
    noted = noted_in("nvlink", text)
    for remark in noted:
        text = without(text, remark)
    return text, ", ".join(noted)


def clauses(value: Any) -> list[tuple[Any, str]]:
    """The values in one for several parts, each with which it is for; empty if for all.

    >>> clauses("3090s 275W, 3060 stock"), clauses("180 W on the P40s"), clauses("280 W")
    ([('275W', '3090'), ('stock', '3060')], [('180 W', 'P40')], [('280 W', '')])
    """
    if isinstance(value, dict):
        return [(str(inner), key) for key, inner in value.items()] or [("", "")]
    texts = re.split(r"\s*[,;&]\s+|\s+and\s+", value) if isinstance(value, str) else []
    ways = vocabulary()["of_some"]
    found = [next(filter(None, (re.fullmatch(f"(?i){w}", t) for w in ways)), None) for t in texts]
    some = [(one["value"], one["which"]) for one in found if one]
    return some if some and len(some) == len(found) else [(value, "")]
