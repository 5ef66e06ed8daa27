"""A part: named facts, each with where it comes from and how sure it is."""

from typing import Any, NamedTuple

#: How a source knows, surest first.
CONFIDENCE = (
    *("standard", "manual", "vendor", "review", "measured", "third-party", "derived", "method"),
    *("typical", "recollection", "assumption"),
)
#: Of what is only usual: no part of the certain reading, and nothing that follows from it is.
USUAL = frozenset({"typical", "recollection", "assumption"})


class Source(NamedTuple):
    """A document somebody can look up."""

    title: str
    url: str
    confidence: str
    #: The day somebody looked it up.
    read: str = ""
    #: The day, month or year that it speaks of, where values change with time: prices above all.
    as_of: str = ""


class Sourced(NamedTuple):
    """A value with its source. `origin` is the part file or build file that states it."""

    value: Any
    source: Source
    confidence: str
    origin: str
    note: str = ""

    @property
    def is_usual(self) -> bool:
        """Is it what such parts usually have, and not what is known of this one?"""
        return self.confidence in USUAL


class Part(NamedTuple):
    """One entry of the catalogue."""

    id: str
    name: str
    facts: dict[str, Sourced]

    @property
    def kind(self) -> str:
        """The folder it lies in."""
        return self.id.partition("/")[0]

    def value(self, name: str) -> Any:
        """The plain value of a fact, its own or inherited; None if it is not known."""
        found = self.facts.get(name)
        return None if found is None else found.value

    def states(self, name: str) -> bool:
        """Is a fact stated for the part itself? A lab's own are known by their file."""
        origin = self.facts[name].origin
        return f"/{origin}".replace("\\", "/").endswith((f"/{self.id}", f"/{self.id}.yaml"))


#: The source of what a build file says itself.
USER = Source("the build file", "", "given")
#: The source of what is taken to be so where no build file says it.
NO_WORD = Source("default of this program", "", "assumption")


def is_same_model(one: str | None, other: str | None) -> bool:
    """Are two parts one product by their ids, such as board and case of a server?"""
    tails = [(part or "").partition("/")[2] for part in (one, other)]
    return bool(tails[0]) and tails[0] == tails[1]
