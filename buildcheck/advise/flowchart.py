"""The flowchart followed: answers of the user, of the use, of prices, and assumed ones."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from buildcheck.advise.gpus import GpuChip
from buildcheck.advise.guide_answer import FlowchartAnswer, FlowchartNode, FlowchartStep
from buildcheck.advise.request import AdviceRequest
from buildcheck.model.advice import chart

#: The question that says for whom the machines are.
OWNER = "organisation"
#: An answer that is assumed: plainly, or as prices are in another currency or not known.
_ASSUMED = ("assumed", "currency", "no-price")

#: An answer, what it comes from, and the details.
_Answer = tuple[bool, str, str]


def owner_of(request: AdviceRequest) -> str:
    """For whom the machine is: `organisation` or `individual`."""
    one = chart().questions.get(OWNER)
    return "organisation" if one and _answer(request, OWNER, one)[0] else "individual"


def flowchart(request: AdviceRequest, gpus: Iterable[GpuChip]) -> FlowchartAnswer:
    """The path of a request through the flowchart, with `gpus` that can be bought."""
    found, offered = chart(), tuple(gpus)

    def answer(name: str) -> _Answer:
        one = found.questions[name]
        if one.affords and name not in request.answers:
            return _affords(request, one, found.ends[one.affords], offered)
        return _answer(request, name, one)

    steps, end = follow(found, answer)
    nodes = _nodes(found, {end, *(step.question for step in steps)})
    last = next(node for node in nodes if node.code == end)
    year = found.sources[found.source].year
    return FlowchartAnswer(found.source, year, found.ends[end].kind, last, steps, nodes)


def follow(found: Any, answer: Callable[[str], _Answer]) -> tuple[tuple[FlowchartStep, ...], str]:
    """The steps of the path on which questions are answered so, and its end."""
    steps: list[FlowchartStep] = []
    at = found.start
    while at in found.questions:
        one = found.questions[at]
        is_yes, by, because = answer(at)
        steps.append(FlowchartStep(at, one.ask, is_yes, by, because, by in _ASSUMED))
        at = one.then if is_yes else one.otherwise
    return tuple(steps), at


def _nodes(found: Any, path: set[str]) -> tuple[FlowchartNode, ...]:
    """Questions and ends in the order in which yes is followed before no, each once."""
    parents: dict[str, str] = {}

    def visit(name: str, parent: str) -> None:
        if name not in parents:
            parents[name] = parent
            one = found.questions.get(name)
            for to in (one.then, one.otherwise) if one else ():
                visit(to, name)

    visit(found.start, "")
    numbers, nodes = {name: number for number, name in enumerate(parents, 1)}, []
    for name, number in numbers.items():
        place = (name in path, numbers.get(parents[name], 0))
        if one := found.questions.get(name):
            ways = (numbers[one.then], numbers[one.otherwise])
            nodes.append(FlowchartNode(number, name, one.ask, *place, *ways))
        else:
            end = found.ends[name]
            cards, at = end.cards, end.at or ""
            nodes.append(FlowchartNode(number, name, end.advice, *place, recommended=cards, at=at))
    return tuple(nodes)


def _answer(request: AdviceRequest, name: str, one: Any) -> _Answer:
    if name in request.answers:
        return request.answers[name], "request", ""
    if request.use in (*one.yes_for, *one.no_for):
        return request.use in one.yes_for, "use", request.use or ""
    return one.assume, "assumed", one.because


def _affords(request: AdviceRequest, one: Any, end: Any, gpus: Sequence[GpuChip]) -> _Answer:
    """Is what an end asks for within the budget, as far as prices are known?"""
    if end.bought == "used" and not request.used:
        return False, "not-used", ""
    prices = [(gpu.offer.cheapest, gpu) for gpu in _like(end, request, gpus) if gpu.offer]
    if request.budget is None or (end.bought == "used" and not prices):
        return one.assume, "assumed", one.because
    budget = request.budget
    fitting = [
        (price.amount * request.count, gpu.id, gpu.name)
        for price, gpu in prices
        if price.currency == budget.currency
    ]
    if not fitting:
        others = ", ".join(sorted({price.currency for price, _ in prices}))
        return one.assume, "currency" if others else "no-price", others
    amount, _, name = min(fitting)
    return amount <= budget.amount, "price", f"{name}, {amount:.2f} {budget.currency}"


def _like(end: Any, request: AdviceRequest, gpus: Iterable[GpuChip]) -> list[GpuChip]:
    """GPUs that an end asks for, whatever they cost; prices of the user may be of used ones."""
    used = end.bought == "used"
    bought = (g for g in gpus if g.offer and (g.offer.is_own and request.used) == used)
    return [gpu for gpu in bought if end.memory and gpu.has(end.memory)]


def gpus_at(end: str, request: AdviceRequest, gpus: Iterable[GpuChip]) -> list[GpuChip]:
    """GPUs of today that an end means, within the budget if their prices can be compared."""
    like = _like(chart().ends[end], request, gpus)
    counts = [(gpu, gpu.affordable(request.budget)) for gpu in like]
    if all(count is None for _, count in counts):
        return like
    return [gpu for gpu, count in counts if (count or 0) >= request.count]
