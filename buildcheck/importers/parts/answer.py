"""What the `parts` commands answer."""

from typing import Any

from buildcheck.model.frozen import Frozen


class FoundPart(Frozen):
    """One part that has all words searched for."""

    id: str
    kind: str
    name: str
    layer: str
    part_numbers: tuple[str, ...] = ()


class PartSearchAnswer(Frozen):
    """Parts found, up to a limit, and how many there are in all."""

    total: int
    parts: tuple[FoundPart, ...] = ()
    #: Were words searched for, or all parts of a kind listed?
    has_words: bool = True


class PartSource(Frozen):
    """A document that values are from."""

    title: str
    url: str = ""
    read: str = ""
    #: Of a price: the day, month or year that it is of.
    as_of: str = ""
    #: The part or file that names the document, where it is another one.
    origin: str = ""


class PartValue(Frozen):
    """One value of a part."""

    field: str
    #: Quantities as figures with their unit; tables and lists entry by entry.
    value: Any
    text: str
    confidence: str
    #: Number of its source, from 1.
    source: int
    note: str = ""
    #: Is it stated for the part itself, or for what it refers to, such as its chip?
    is_own: bool = False

    @property
    def is_assumed(self) -> bool:
        """Is it a working assumption?"""
        return self.confidence == "assumption"


class UnknownValue(Frozen):
    """A field that is not known of a part, and the rules that need it."""

    field: str
    means: str
    rules: tuple[str, ...] = ()


class PartShowAnswer(Frozen):
    """Everything known of one part."""

    id: str
    kind: str
    name: str
    layers: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    part_numbers: tuple[str, ...] = ()
    values: tuple[PartValue, ...] = ()
    unknown: tuple[UnknownValue, ...] = ()
    sources: tuple[PartSource, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[UnknownValue, ...]:
        """Fields that rules need, those of most rules first."""
        found = [field for field in self.unknown if field.rules]
        return tuple(sorted(found, key=lambda field: -len(field.rules)))


class LayerCount(Frozen):
    """Parts of one kind in one layer of the catalogue."""

    layer: str
    parts: int
    #: Field → the share of these parts of which it is known.
    known: dict[str, float]


class KindCount(Frozen):
    """Parts of one kind, by layer."""

    kind: str
    #: Can a build file list such a part?
    is_listed: bool = False
    layers: tuple[LayerCount, ...] = ()

    def parts(self, layer: str) -> int:
        """Parts in a layer."""
        return sum(count.parts for count in self.layers if count.layer == layer)


class PartStatsAnswer(Frozen):
    """How many parts the catalogue has, and how much is known of them."""

    layers: tuple[str, ...]
    kinds: tuple[KindCount, ...]


class TypicalField(Frozen):
    """How well a field of a kind is predicted from other parts."""

    kind: str
    field: str
    #: Parts of which it is known, of them those with a typical range, and those that it holds.
    parts: int
    predicted: int
    covered: int
    #: Median width of the range as a share of what is known; None of words.
    width: float | None = None


class CalibrationAnswer(Frozen):
    """How often typical ranges hold what is known of parts, each left out in turn."""

    fields: tuple[TypicalField, ...]
    total: TypicalField


class ImplausibleValue(Frozen):
    """A value of a part file that could not be true."""

    part: str
    field: str
    message: str
    suggestion: str = ""


class PartCheckAnswer(Frozen):
    """Values of part files that could not be true."""

    doubts: tuple[ImplausibleValue, ...] = ()


class FieldToFill(Frozen):
    """A field of a part file to fill in."""

    name: str
    means: str
    example: str
    rules: tuple[str, ...] = ()


class PartFileAnswer(Frozen):
    """A part file to fill in: its id and name, and its fields, those of most rules first."""

    id: str
    name: str
    fields: tuple[FieldToFill, ...]
    confidences: tuple[str, ...]
