"""Values of facts as answers hold them."""

import datetime
from typing import Any

from buildcheck import units
from buildcheck.logic.quantity import Interval, written
from buildcheck.measure import Facts
from buildcheck.measure.shapes import shape_of
from buildcheck.model.answer import Figure, figure
from buildcheck.model.finding import Report
from buildcheck.model.graph import Subject
from buildcheck.model.money import Tariff
from buildcheck.model.strict import Strict
from buildcheck.rulebook.wording import show_value


def plain_value(value: Any, shape: Any = None) -> Any:
    """A fact's value: a figure in its unit, a truth, a code or several; None if not known.

    Tables, lists and slots are so entry by entry.
    """
    if isinstance(value, Interval):
        return figure(value, shape if isinstance(shape, tuple) else units.NUMBER)
    if isinstance(value, Strict):
        value = {name: given for name, given in vars(value).items() if given is not None}
    if isinstance(value, dict):
        return {name: plain_value(inner) for name, inner in value.items()}
    if isinstance(value, tuple | frozenset) and not isinstance(value, Tariff):
        return tuple(map(plain_value, sorted(value) if isinstance(value, frozenset) else value))
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def value_text(value: Any, shape: Any) -> str:
    """A value in words; tables and lists of slots entry by entry."""
    if isinstance(value, dict):
        return ", ".join(f"{value_text(n, units.NUMBER)}x {k}" for k, n in value.items()) or "none"
    if isinstance(value, Tariff):
        return str(value)
    if isinstance(value, tuple):
        return "; ".join(value_text(item, None) for item in value) or "none"
    if isinstance(value, Strict):
        stated = vars(value).items()
        return " ".join(f"{n} {value_text(v, None)}" for n, v in stated if v is not None)
    return show_value(value, shape)


def of_report(report: Report) -> dict[str, Any]:
    """What answers say of the build that they are of, by their fields."""
    return {
        "name": " ".join(report.name.split()),
        "file": report.document.path,
        "digest": report.document.digest,
        "checked": datetime.date.fromisoformat(report.checked),
        "verdict": report.verdict,
        "rulebook": report.rulebook_digest,
        "catalog": report.catalog_digest,
        "version": report.version,
    }


def pasted(value: Any, shape: Any = None) -> Any:
    """A fact's value as a build file has it."""
    if isinstance(value, Interval):
        unit = units.BASE.get(shape, "") if isinstance(shape, tuple) else ""
        text = f"{written(value)} {unit}".rstrip()
        return int(text) if text.isdecimal() else text
    if isinstance(value, Strict):
        value = {name: given for name, given in vars(value).items() if given is not None}
    if isinstance(value, dict):
        return {k: pasted(v) for k, v in value.items()}
    if isinstance(value, frozenset | tuple):
        return [pasted(v) for v in (sorted(value) if isinstance(value, frozenset) else value)]
    return value if isinstance(value, int) else str(value)


def figure_of(facts: Facts, name: str, subject: Subject | None = None) -> Figure | None:
    """A quantity among the facts, in its unit; None if not known."""
    value = plain_value(facts(name, subject), shape_of(name))
    return value if isinstance(value, Figure) else None
