"""What is offered where a wish leaves it open, with reasons: `rules/proposals.yaml`, read once.

Amounts are in base units, shares are parts of 1.
"""

from __future__ import annotations

from dataclasses import field, fields
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from buildcheck import store, units
from buildcheck.errors import Problem, RulebookError
from buildcheck.model.frozen import dataclass

if TYPE_CHECKING:
    from buildcheck.model.source import Document

_NUMBER = units.NUMBER
#: What the shape of a model is made of, as `workload:` names it.
MODEL_SHAPE = ("layers", "hidden_size", "heads", "kv_heads", "vocabulary")
#: Fewest characters of a reason.
_LEAST_WHY = 20


def _amount(value: Any, dimension: units.Dimension) -> float:
    """A number above zero. Raises `ValueError`."""
    from buildcheck.logic.quantity import read_any  # only when the file has changed

    found, shape = read_any(str(value))
    if isinstance(found, str) or shape != dimension or not found.is_exact or found.low <= 0:
        unit = units.BASE[dimension]
        raise ValueError(f"'{value}' is not one number above zero{f' in {unit}' * bool(unit)}")
    # What 70 % is to a float, and no more.
    return round(found.low, 9)


def _count(value: Any) -> int:
    """A whole number above zero. Raises `ValueError`."""
    if type(value) is not int or value <= 0:
        raise ValueError(f"'{value}' is not a whole number above zero")
    return value


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"'{value}' is not a word")
    return value


def _truth(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError(f"'{value}' is neither true nor false")
    return value


def _money(value: Any) -> str:
    """A price such as `700 USD`, as it is written. Raises `ValueError`."""
    from buildcheck.model.money import read_money  # only when the file has changed

    read_money(_word(value))
    return str(value)


def _tariff(value: Any) -> str:
    """A price of electricity, as it is written. Raises `ValueError`."""
    from buildcheck.model.money import read_tariff  # only when the file has changed

    read_tariff(_word(value), "kWh", "0.12 USD/kWh")
    return str(value)


def _shape(value: Any) -> dict[str, Any]:
    """A published model: its size in billions, its name, its shape and where it is read."""
    if not isinstance(value, dict) or set(value) != {*MODEL_SHAPE, "size", "model", "source"}:
        raise ValueError(f"'{value}' is not the shape of a model")
    numbers = {name: _count(value[name]) for name in ("size", *MODEL_SHAPE)}
    return {**numbers, "model": _word(value["model"]), "source": _word(value["source"])}


def _needed(value: Any) -> tuple[str, str, str]:
    """A section, a field of its parts, and the rule that cannot be judged without it."""
    if not isinstance(value, dict) or set(value) != {"field", "rule"}:
        raise ValueError(f"'{value}' is not a field and a rule")
    section, _, name = _word(value["field"]).partition(".")
    return section, name, _word(value["rule"])


def _one(read: Any, *options: Any) -> Any:
    return field(metadata={"read": lambda value: read(value, *options)})


def _several(read: Any, *options: Any) -> Any:
    return field(metadata={"read": partial(_all, read, options)})


def _all(read: Any, options: tuple[Any, ...], value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"'{value}' is not a list")
    return [read(one, *options) for one in value]


@dataclass(frozen=True)
class Proposals:
    """Each value of the file by its name there, where the reason for it is."""

    most_cards: int = _one(_count)
    limit_shares: tuple[float, ...] = _several(_amount, _NUMBER)
    limit_step: float = _one(_amount, units.POWER)
    loud_coolers: tuple[str, ...] = _several(_word)
    least_limit: float = _one(_amount, _NUMBER)
    common_limit_step: float = _one(_amount, _NUMBER)
    other_card_speed: float = _one(_amount, _NUMBER)
    least_cooler_share: float = _one(_amount, _NUMBER)
    least_cores_each: int = _one(_count)
    least_cores: int = _one(_count)
    native_plugs: tuple[str, ...] = _several(_word)
    most_generations_behind: int = _one(_count)
    least_ram_share: float = _one(_amount, _NUMBER)
    kits: tuple[int, ...] = _several(_count)
    memory_amounts: tuple[float, ...] = _several(_amount, units.DATA)
    drives: tuple[int, ...] = _several(_count)
    least_drive: float = _one(_amount, units.DATA)
    cases_on_request: tuple[str, ...] = _several(_word)
    most_supplies: int = _one(_count)
    most_fans: int = _one(_count)
    duct_airflows: tuple[float, ...] = _several(_amount, units.AIRFLOW)
    riser_length: float = _one(_amount, units.LENGTH)
    riser_generations: tuple[int, ...] = _several(_count)
    mains: tuple[float, ...] = _several(_amount, units.VOLTAGE)
    optimistic_needs: tuple[str, ...] = _several(_word)
    needed_to_replace: tuple[str, ...] = _several(_word)
    needed_to_pass: tuple[tuple[str, str, str], ...] = _several(_needed)
    settled_by_reading: tuple[str, ...] = _several(_word)
    worst_warnings: tuple[str, ...] = _several(_word)
    most_price_if_known: float = _one(_amount, _NUMBER)
    price_age: int = _one(_count)
    model_parameters: float = _one(_amount, _NUMBER)
    model_precision: str = _one(_word)
    model_older_precision: str = _one(_word)
    model_optimizer: str = _one(_word)
    model_lora_rank: int = _one(_count)
    model_flash_attention: bool = _one(_truth)
    model_batch: int = _one(_count)
    model_context: int = _one(_count)
    model_shapes: tuple[dict[str, Any], ...] = _several(_shape)
    network_rates: tuple[float, ...] = _several(_amount, units.RATE)
    compared_gpus: tuple[str, ...] = _several(_word)
    desktop_price: str = _one(_money)
    electricity_price: str = _one(_tariff)


@cache
def proposals() -> Proposals:
    """What is offered. Raises `RulebookError` with all that is wrong in the file."""
    path = store.data_folder("rules") / "proposals.yaml"
    text = path.read_text(encoding="utf-8")
    data: dict[str, Any] = store.cached(
        "proposals", store.key_of(text), lambda: _proven(text, str(path))
    )
    values: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in data.items()}
    return Proposals(**values)


def _proven(text: str, path: str) -> dict[str, Any]:
    from buildcheck.model.source import read  # only when the file has changed

    document = read(text.encode(), path)
    values, problems = prove(document)
    if problems:
        raise RulebookError(problems)
    return values


def prove(document: Document) -> tuple[dict[str, Any], list[Problem]]:
    """The values of a file of proposals as plain data, and everything that is wrong in it."""
    if document.problems or not isinstance(document.data, dict):
        return {}, [*document.problems] or [document.problem((), "this is no list of proposals")]
    readers = {one.name: one.metadata["read"] for one in fields(Proposals)}
    data: dict[str, Any] = document.data
    problems = [document.problem((), f"'{n}' is not given") for n in readers if n not in data]
    values: dict[str, Any] = {}
    for name, given in data.items():
        if name not in readers:
            problems.append(document.problem((name,), f"nothing is called '{name}'"))
        elif not isinstance(given, dict) or set(given) != {"value", "why"}:
            problems.append(document.problem((name,), f"'{name}' needs a value and a why"))
        elif len(str(given["why"])) < _LEAST_WHY:
            problems.append(document.problem((name, "why"), f"'{name}' needs a reason"))
        else:
            try:
                values[name] = readers[name](given["value"])
            except ValueError as error:
                problems.append(document.problem((name, "value"), f"'{name}': {error}"))
    return values, problems
