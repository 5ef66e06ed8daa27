"""The model that is trained or served: its shape, and the memory of each thing it is made of.

A shape that is not stated is a range over published models. Memory is in GB of 10^9 bytes, and
parameters are in billions, so that bytes times parameters are GB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import Ask, graph
from buildcheck.logic.quantity import Interval, exact

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Units of one in the units of parameters, and bytes in those of memory.
_BILLION = exact(1e9)
#: Scores of the vocabulary are kept in single precision, whatever the model computes in.
_SINGLE = exact(4)


def _power(value: Interval, exponent: float) -> Interval:
    return Interval(value.low**exponent, value.high**exponent)


def _cells(workload: Subject, ask: Ask) -> Interval | None:
    """Layers times the square of their width, as the parameters make likely."""
    billions = ask("workload.parameters", workload)
    if billions is None:
        return None
    share, squares = ask.number("standard.layer_share"), ask.number("standard.layer_weights")
    cells: Interval = share * billions * _BILLION / squares
    return cells


@graph("workload.model_layers", units.NUMBER)
def model_layers(workload: Subject, ask: Ask) -> Any:
    """Layers as stated; else by the stated width; else as many as published models have."""
    stated, width = ask("workload.layers", workload), ask("workload.hidden_size", workload)
    cells = _cells(workload, ask) if stated is None else None
    if stated is not None or cells is None:
        return stated
    if width is not None:
        return cells / (width * width)
    aspect = ask.number("standard.width_per_layer")
    return _power(cells / (aspect * aspect), 1 / 3)


@graph("workload.model_width", units.NUMBER)
def model_width(workload: Subject, ask: Ask) -> Any:
    """Hidden size as stated; else by the stated layers; else as published models have it."""
    stated, layers = ask("workload.hidden_size", workload), ask("workload.layers", workload)
    cells = _cells(workload, ask) if stated is None else None
    if stated is not None or cells is None:
        return stated
    if layers is not None:
        return _power(cells / layers, 1 / 2)
    return _power(cells * ask.number("standard.width_per_layer"), 1 / 3)


@graph("workload.all_widths", units.NUMBER)
def all_widths(workload: Subject, ask: Ask) -> Any:
    """Layers times width. An estimate of both at once is narrower than the two multiplied."""
    layers, width = ask("workload.layers", workload), ask("workload.hidden_size", workload)
    cells = _cells(workload, ask)
    if layers is not None and width is not None:
        return layers * width
    if cells is None:
        return None
    if layers is not None:
        return _power(cells * layers, 1 / 2)
    if width is not None:
        return cells / width
    return _power(cells * cells / ask.number("standard.width_per_layer"), 1 / 3)


def _per_width(whole: Interval, workload: Subject, ask: Ask) -> Interval | None:
    """Bytes a layer keeps for each token and unit of its width, split over `whole` GPUs.

    Korthikanti et al. 2022: 34 + 5 s / (width of a head) in half precision, of which 10 stay
    whole on each GPU of tensor parallelism. Fused attention never stores the scores, and
    software that serves models has it unless the build says otherwise.
    """
    number, context = ask("workload.activation_bytes", workload), ask("workload.context", workload)
    head, fused = ask("workload.model_head_width", workload), ask("workload.flash_attention")
    if number is None or context is None or head is None:
        return None
    kept = _kept("kept_numbers", "kept_masks", number, ask)
    stays = _kept("whole_numbers", "whole_masks", number, ask)
    scores = _kept("kept_scores", "kept_score_masks", number, ask) * context / head
    if fused is True or (fused is None and ask("workload.is_inference", workload)):
        scores = exact(0)
    elif fused is None:
        scores = scores.hull(exact(0))
    each: Interval = stays + (kept - stays + scores) / whole
    return each


def _kept(numbers: str, masks: str, number: Interval, ask: Ask) -> Interval:
    return ask.number(f"standard.{numbers}") * number + ask.number(f"standard.{masks}")


def activations(workload: Subject, ask: Ask, cards: Interval, *, again: bool) -> Interval | None:
    """Activations of all layers with tensor parallelism over `cards`; `again` if checkpointed.

    Checkpointed, a layer keeps its input, and one layer at a time is computed again.
    """
    each, tokens = _per_width(cards, workload, ask), ask("workload.tokens", workload)
    widths, width = ask("workload.all_widths", workload), ask("workload.model_width", workload)
    number = ask("workload.activation_bytes", workload)
    if each is None or tokens is None or widths is None or width is None:
        return None
    scores = _SINGLE * ask.number("workload.model_vocabulary", workload) / cards
    kept = number * widths + each * width if again else each * widths
    memory: Interval = tokens * (kept + scores) / _BILLION
    return memory


def at_work(workload: Subject, ask: Ask, cards: Interval) -> Interval | None:
    """Activations of one layer and scores of the vocabulary, if all tokens are served at once."""
    each, tokens = _per_width(cards, workload, ask), ask("workload.tokens", workload)
    width = ask("workload.model_width", workload)
    if each is None or tokens is None or width is None:
        return None
    scores = _SINGLE * ask.number("workload.model_vocabulary", workload) / cards
    memory: Interval = tokens * (each * width + scores) / _BILLION
    return memory


@graph("workload.kept_activations", units.DATA)
def kept_activations(workload: Subject, ask: Ask) -> Any:
    """Activations of one GPU that keeps them all."""
    return activations(workload, ask, exact(1), again=False)


@graph("workload.checkpointed_activations", units.DATA)
def checkpointed_activations(workload: Subject, ask: Ask) -> Any:
    """Activations of one GPU that keeps the inputs of layers alone."""
    return activations(workload, ask, exact(1), again=True)
