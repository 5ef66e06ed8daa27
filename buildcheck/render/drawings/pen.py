"""Shapes in drawing units (about a pixel), with classes that the page's style sheet colours."""

from dataclasses import dataclass, field
from typing import Literal

#: How wide the drawings of a page are: a phone shows them whole.
WIDTH = 480.0
#: About how wide signs are in type of 12 units, in the widest of the usual sans-serif types.
#: Names that do not fit are cut, and say so.
_WIDTHS = {
    **dict.fromkeys("ijl.,:;|!'`()[]/\\ ", 4.7),
    **dict.fromkeys('abcdeghknopqstuvxyzfr-_?"*', 7.4),
    **dict.fromkeys("mwMWOQ@%&#=<>+~", 11.9),
}
#: Capitals and figures; and all other signs, as wide as those of East Asian scripts.
_CAPITAL, _OTHER = 8.3, 14.0
#: Larger or bolder type, by the first word of its style; what has none is plain.
_STYLES = {"strong": 1.12, "small": 1.0, "head": 1.0}
_PLAIN = 1.09
#: How far apart slanted lines are.
_HATCH = 9


@dataclass(frozen=True)
class Shape:
    """One element: `tag` with attributes, and its text."""

    tag: Literal["rect", "path", "text", "circle"]
    attributes: tuple[tuple[str, str], ...]
    text: str = ""
    #: What the text would be if there were room.
    whole: str = ""


@dataclass(frozen=True)
class Drawing:
    """A picture without words of its own: those are the template's."""

    id: str
    width: float
    height: float
    shapes: tuple[Shape, ...]

    @property
    def styles(self) -> set[str]:
        """The classes of its shapes."""
        return {v for shape in self.shapes for name, v in shape.attributes if name == "class"}


@dataclass
class Pen:
    """Collects the shapes of a drawing."""

    shapes: list[Shape] = field(default_factory=list)

    def box(self, x: float, y: float, width: float, height: float, style: str) -> None:
        """A rectangle from its upper left corner."""
        sizes = {"x": x, "y": y, "width": max(width, 0.0), "height": max(height, 0.0)}
        self._add("rect", style, sizes)

    def line(self, style: str, *points: tuple[float, float], close: str = "") -> None:
        """A line through points; with " Z" as its `close` an area."""
        steps = " ".join(f"{'L' if n else 'M'}{_at(x)} {_at(y)}" for n, (x, y) in enumerate(points))
        self.shapes.append(Shape("path", (("class", style), ("d", steps + close))))

    def hatch(self, x: float, y: float, width: float, height: float, style: str) -> None:
        """Slanted lines over a rectangle."""
        for start in range(0, int(width + height), _HATCH):
            left, right = max(0.0, start - height), min(float(start), width)
            self.line(style, (x + left, y + start - left), (x + right, y + start - right))

    def dot(self, x: float, y: float, radius: float, style: str) -> None:
        """A round mark."""
        self._add("circle", style, {"cx": x, "cy": y, "r": radius})

    def write(
        self, x: float, y: float, words: str, style: str = "", *, room: float = 0.0, to: str = ""
    ) -> None:
        """A text from its left end, or up to (`end`) or around (`middle`) x, cut to the room."""
        short = fit(words, room, style) if room else words
        marks = [("x", _at(x)), ("y", _at(y))]
        marks += [("class", style)] if style else []
        marks += [("text-anchor", to)] if to else []
        self.shapes.append(Shape("text", tuple(marks), short, words if short != words else ""))

    def drawn(self, name: str, height: float, width: float = WIDTH) -> Drawing:
        """What it drew."""
        return Drawing(name, width, height, tuple(self.shapes))

    def _add(self, tag: Literal["rect", "circle"], style: str, sizes: dict[str, float]) -> None:
        marks = (("class", style), *((n, _at(v)) for n, v in sizes.items()))
        self.shapes.append(Shape(tag, marks))


def _at(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def width_of(words: str, style: str = "") -> float:
    """About how wide a text is, rather too wide than too narrow."""
    wide = sum(
        _WIDTHS.get(c) or (_CAPITAL if c.isascii() and c.isprintable() else _OTHER) for c in words
    )
    return wide * _STYLES.get(style.partition(" ")[0], _PLAIN)


def fit(words: str, room: float, style: str = "") -> str:
    """Words that fit into so much room, cut in their middle: names differ at their ends.

    >>> fit("Gigabyte GeForce RTX 3090 TURBO 24G", 150)
    'Gigabyte…RBO 24G'
    """
    if width_of(words, style) <= room:
        return words
    kept = len(words)
    while kept and width_of(_cut(words, kept), style) > room:
        kept -= 1
    return _cut(words, kept)


def folded(words: str, room: float, style: str = "") -> list[str]:
    """Words in lines that fit into so much room; a word too long for a line is cut.

    >>> folded("Gigabyte GeForce RTX 3090 TURBO 24G", 150)
    ['Gigabyte GeForce', 'RTX 3090 TURBO', '24G']
    """
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, style) <= room:
            lines[-1] = longer
        else:
            lines.append(fit(word, room, style))
    return lines


def _cut(words: str, kept: int) -> str:
    """A text cut to `kept` characters, half of them from each end."""
    tail = kept // 2
    return f"{words[: kept - tail].rstrip()}…{words[len(words) - tail :].lstrip()}"
