"""What is offered where a wish leaves it open, with reasons: `rules/proposals.yaml`, read once.

Amounts are in base units, shares are parts of 1.
"""

from dataclasses import fields
from functools import cache
from typing import Any

from buildcheck.logic.quantity import read_any
from buildcheck.model.frozen import Frozen
from buildcheck.model.vocabulary import shipped

#: What the shape of a model is made of, as `workload:` names it.
MODEL_SHAPE = ("layers", "hidden_size", "heads", "kv_heads", "vocabulary")


class Proposals(Frozen):
    """Each value of the file by its name there, where the reason for it is."""

    most_cards: int
    limit_shares: tuple[float, ...]
    limit_step: float
    loud_coolers: tuple[str, ...]
    least_limit: float
    least_limited_speed: float
    common_limit_step: float
    other_card_speed: float
    least_cooler_share: float
    least_cores_each: int
    least_cores: int
    native_plugs: tuple[str, ...]
    enough_pcie: int
    least_ram_share: float
    kits: tuple[int, ...]
    memory_amounts: tuple[float, ...]
    drives: tuple[int, ...]
    least_drive: float
    only_on_request: dict[str, list[str | bool | None]]
    only_by_name: dict[str, dict[str, list[str]]]
    most_supplies: int
    most_fans: int
    duct_airflows: tuple[float, ...]
    riser_length: float
    riser_generations: tuple[int, ...]
    optimistic_needs: tuple[str, ...]
    needed_to_replace: tuple[str, ...]
    needed_to_pass: tuple[tuple[str, str, str], ...]
    settled_by_reading: tuple[str, ...]
    doubts_that_warn: tuple[str, ...]
    worst_warnings: tuple[str, ...]
    many_parts: int
    firm_sections: tuple[str, ...]
    easier_work: dict[str, list[str]]
    most_price_if_known: float
    price_age: int
    model_parameters: float
    model_precision: str
    model_older_precision: str
    model_optimizer: str
    model_lora_rank: int
    model_flash_attention: bool
    model_batch: int
    model_context: int
    model_shapes: tuple[dict[str, Any], ...]
    network_rates: tuple[float, ...]
    compared_gpus: tuple[str, ...]
    desktop_price: str
    electricity_price: str


@cache
def proposals() -> Proposals:
    """What is offered."""
    data = shipped("rules", "proposals")
    values: dict[str, Any] = {}
    for one in fields(Proposals):
        value: Any = data[one.name]["value"]
        if "float" in str(one.type):
            value = [*map(_amount, value)] if isinstance(value, list) else _amount(value)
        values[one.name] = tuple(value) if isinstance(value, list) else value
    return Proposals(**values)


def _amount(text: Any) -> float:
    """A quantity in base units, and no more of it than 70 % is to a float."""
    found: Any = read_any(str(text))[0]
    return round(float(found.low), 9)
