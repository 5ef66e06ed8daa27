"""A report → what the machine costs to buy, run and own, and when renting costs as much."""

from buildcheck.purchasing.cost.answer import CostAnswer, cost_answer
from buildcheck.purchasing.cost.scenario import with_overrides

__all__ = ["CostAnswer", "cost_answer", "with_overrides"]
