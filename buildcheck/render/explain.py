"""One rule explained as text, rendered from its document."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from buildcheck.measure import shape_of
from buildcheck.units import describe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from buildcheck.model.rule import Rule

WIDTH = 88


def explanation(rule: Rule) -> str:
    """Everything the rule document says, in reading order."""
    return "\n".join(_lines(rule)) + "\n"


def _lines(rule: Rule) -> Iterator[str]:
    yield rule.id
    yield rule.title
    yield ""
    yield from _wrapped(rule.why)
    yield ""
    yield f"Judged for every {rule.applies_to}" + (f", when {rule.when}" if rule.when else "")
    yield f"Asks that    {rule.require}"
    yield ""
    for grade in rule.grades:
        limits = ", ".join(f"{n} = {v}" for n, v in grade.limits.items())
        yield f"  {grade.severity:8} {limits or 'as stated'}"
        yield from _wrapped(grade.why, "           ")
    for name, term in rule.terms.items():
        yield f"  {name} = {term['value']}"
        yield from _wrapped(term["why"], "           ")
    yield ""
    yield from _wrapped(f"Otherwise: {rule.impact}")
    yield from _wrapped(f"What to do: {rule.remedy}")
    yield ""
    yield f"Basis: {rule.basis}. Facts used:"
    for name in sorted({n for n in _names(rule) if shape_of(n) is not None}):
        shape = shape_of(name)
        yield f"  {name}  ({describe(shape) if isinstance(shape, tuple) else shape})"
    yield "Sources:"
    for source in rule.sources.values():
        yield from _wrapped(
            " — ".join(
                filter(None, (source["title"], source.get("url") or source.get("document", "")))
            ),
            "  ",
        )


def _names(rule: Rule) -> list[str]:
    from buildcheck.logic.parse import names  # noqa: PLC0415 - only to explain

    return names(rule.claim) + (names(rule.guard) if rule.guard else [])


def _wrapped(words: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        words,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
