"""A doubt about a part file."""

from typing import NamedTuple


class Doubt(NamedTuple):
    """What could not be true of a part, or hardly: in which field, and what to do about it."""

    part_id: str
    field: str
    message: str
    suggestion: str

    def __str__(self) -> str:
        return f"{self.part_id}: {self.field}: {self.message}. {self.suggestion}"
