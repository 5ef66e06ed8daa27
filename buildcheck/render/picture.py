"""A drawing as a file of its own: one SVG that loads nothing, for light and dark."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from buildcheck import store

if TYPE_CHECKING:
    from buildcheck.render.drawings.pen import Drawing, Shape

#: Signs that XML cannot hold, and those that turn the direction of text around.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_PAPER = ".paper { fill: var(--panel); }"


def picture(drawing: Drawing) -> str:
    """The SVG of a drawing; its words where there is no picture."""
    width, height = drawing.width or 480.0, drawing.height or 60.0
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    about = drawing.description or drawing.why_not
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title about">',
        f'<title id="title">{_text(drawing.title)}</title>',
        f'<desc id="about">{_text(" ".join([about, *_rows(drawing)]))}</desc>',
        f"<style>{escape(_style())}</style>",
        f'<rect class="paper" x="0" y="0" width="{width:g}" height="{height:g}"/>',
        *map(_shape, drawing.shapes),
    ]
    if drawing.why_not:
        lines.append(f'<text x="16" y="34">{_text(drawing.why_not)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _rows(drawing: Drawing) -> list[str]:
    """What the table of a drawing says, for who cannot see it."""
    table = drawing.table
    return [f"{row[0]}: {', '.join(row[1:])}." for row in table.rows] if table else []


def _shape(shape: Shape) -> str:
    marks = " ".join(f"{name}={quoteattr(value)}" for name, value in shape.attributes)
    if shape.tag != "text":
        return f"<{shape.tag} {marks}/>"
    whole = f"<title>{_text(shape.whole)}</title>" if shape.whole else ""
    return f"<text {marks}>{whole}{_text(shape.text)}</text>"


def _text(words: str) -> str:
    return escape(_UNSEEN.sub("\ufffd", words))


def _style() -> str:
    """The colours of the pages, and how their drawings look."""
    folder = store.data_folder("templates") / "css"
    house = (folder / "house.css").read_text(encoding="utf-8").splitlines()
    colours = [line for line in house if ":root {" in line]
    return "\n".join([*colours, (folder / "drawings.css").read_text(encoding="utf-8"), _PAPER])
