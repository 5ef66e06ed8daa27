"""Figures in names of parts, such as `8 GB`, and the facts that hold them."""

from typing import Any

#: The facts that hold what is measured in names.
FIGURES = {
    "gpu": {"memory": "memory", "cooling": "cooling"},
    "cpu": {"cores": "cores"},
    "psu": {"atx": "standard", "grade": "efficiency"},
    "memory": {"ddr": "type", "total": "total", "module": "module", "count": "kit_modules"},
    "motherboard": {"ddr": "memory_generation"},
}


def is_figure(figure: str, known: Any) -> bool:
    """Does a fact, as plain data, say what a name says? A range is of two sizes, its ends.

    A word has the figure in it (`ATX 3.1`), leaves it open (`ATX 2.x`), or is of another scale.
    """
    if isinstance(known, dict):
        return "i" not in known or float(figure) in known["i"]
    if not isinstance(known, str):
        return True
    if known.startswith("ATX"):
        return known == f"ATX {figure}" or (known == "ATX 2.x" and figure.startswith("2"))
    if known.startswith("80 PLUS") or known.islower():
        return known.lower() in (figure, f"80 plus {figure}")
    return not known.startswith("DDR") or known.startswith(f"DDR{figure}")
