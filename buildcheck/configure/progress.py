"""How far a search is, for whoever waits."""

# Annotations of answers are read at run time.
import math
from decimal import Decimal
from typing import TYPE_CHECKING

from buildcheck.configure.search.classes import CENTS
from buildcheck.configure.search.space import PRICE
from buildcheck.model.answer import Amount
from buildcheck.model.frozen import Frozen

if TYPE_CHECKING:
    from buildcheck.configure.engine import SearchProblem

#: The parts that are counted: of the first of these roles that there is a choice for.
_COUNTED = ("motherboard", "gpus", "psus", "case", "cpu", "memory", "cpu_cooler", "storage")


class Progress(Frozen):
    """What is done of what there is to do, and what was found so far.

    `step` is what is counted; for a search `done` of `total` parts of `section` are ruled out.
    """

    step: str
    done: int = 0
    total: int = 0
    found: int = 0
    section: str = ""
    best: Amount | None = None
    bound: Amount | None = None


def search_progress(problem: "SearchProblem") -> Progress:
    """How far the search of a wish is: boards ruled out, or other parts."""
    search, currency = problem.running, problem.currency
    best = problem.incumbent
    price = Amount(best.price.amount, currency) if best else None
    if search is None or not search.nodes:
        return Progress("search", best=price)
    totals = problem.counts
    role = next((r for r in _COUNTED if totals[r] > 1), _COUNTED[0])
    bound = search.bound
    is_cheapest = set(problem.wish.weights) == {"price"} and bound and math.isfinite(bound[PRICE])
    return Progress(
        "search",
        totals[role] - search.left(role),
        totals[role],
        section=role,
        best=price,
        bound=Amount(Decimal(bound[PRICE]) / CENTS, currency) if is_cheapest else None,
    )
