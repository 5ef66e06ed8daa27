"""Memory, CPU, platform and what the build file lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from buildcheck import units
from buildcheck.facts.registry import CODE, CODES, TRUTH, Ask, graph, total, worst
from buildcheck.model.quantity import Interval, exact
from buildcheck.model.quantity import total as add_up

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

worst("build.largest_card_memory", units.DATA, over="cards", of="gpu.memory")
total("build.card_memory", units.DATA, over="cards", of="gpu.memory")


@graph("module.amount", units.DATA)
def amount(entry: Subject, ask: Ask) -> Any:
    """Memory of one entry: its total times its count, or its modules."""
    whole, size = ask("module.total", entry), ask("module.module", entry)
    if whole is not None:
        return whole * exact(entry.count)
    modules = ask("module.count", entry)
    return None if size is None or modules is None else size * modules


@graph("memory.total", units.DATA)
def memory_total(memory: Subject, ask: Ask) -> Any:
    """All memory of the machine."""
    parts = [ask("module.amount", entry) for entry in ask.graph.ends("holds", memory)]
    return None if None in parts else add_up(parts)


@graph("memory.modules", units.NUMBER)
def memory_modules(memory: Subject, ask: Ask) -> Any:
    """All modules of the machine."""
    parts = [ask("module.count", entry) for entry in ask.graph.ends("holds", memory)]
    return None if None in parts else add_up(parts)


def _agreed(memory: Subject, ask: Ask, name: str) -> Any:
    """What all entries say, if they all say the same."""
    found = {ask(f"module.{name}", entry) for entry in ask.graph.ends("holds", memory)}
    return found.pop() if len(found) == 1 else None


@graph("memory.generation", CODE)
def memory_generation(memory: Subject, ask: Ask) -> Any:
    """Generation of the modules, such as DDR4."""
    return _agreed(memory, ask, "generation")


@graph("memory.module_kind", CODE)
def memory_module_kind(memory: Subject, ask: Ask) -> Any:
    """udimm, rdimm or lrdimm; mixed kinds have none in common."""
    return _agreed(memory, ask, "module_kind")


@graph("motherboard.module_kinds", CODES)
def module_kinds(board: Subject, ask: Ask) -> Any:
    """Kinds of memory module that both the board and the CPU's platform take."""
    own, platform = ask("motherboard.memory_modules", board), ask("cpu.memory_modules")
    if own is None or platform is None:
        return platform if own is None else own
    return own & platform


@graph("case.states_psu_form_factors", TRUTH)
def states_psu_form_factors(case: Subject, ask: Ask) -> bool:
    """Does the case's sheet list the supply forms it takes?"""
    return ask("case.psu_form_factors", case) is not None


@graph("cpu.all_channels", units.NUMBER)
def all_channels(cpu: Subject, ask: Ask) -> Any:
    """Memory channels of all CPUs in their sockets."""
    channels = ask("cpu.memory_channels", cpu)
    return None if channels is None else channels * exact(cpu.count)


def _per_card(cpu: Subject, ask: Ask, name: str) -> Any:
    number = ask(name, cpu)
    cards = len(ask.graph.of("gpu"))
    return None if number is None or not cards else number * exact(cpu.count) / exact(cards)


@graph("cpu.threads_per_card", units.NUMBER)
def threads_per_card(cpu: Subject, ask: Ask) -> Any:
    """Hardware threads for each card."""
    return _per_card(cpu, ask, "cpu.threads")


@graph("cpu.cores_per_card", units.NUMBER)
def cores_per_card(cpu: Subject, ask: Ask) -> Any:
    """Cores for each card."""
    return _per_card(cpu, ask, "cpu.cores")


@graph("cpu.count", units.NUMBER)
def cpu_count(cpu: Subject, ask: Ask) -> Interval:  # noqa: ARG001 - a fact's signature
    """CPUs listed."""
    return exact(cpu.count if cpu.listed else 0)


@graph("workload.prepares_on_the_fly", TRUTH)
def prepares_on_the_fly(workload: Subject, ask: Ask) -> bool | None:
    """Are data prepared while the cards work?"""
    preprocessing = ask("workload.preprocessing", workload)
    return None if preprocessing is None else preprocessing == "on-the-fly"


@graph("workload.states_memory", TRUTH)
def states_memory(workload: Subject, ask: Ask) -> bool:
    """Does the build say how much GPU memory a job needs?"""
    return ask("workload.model_memory", workload) is not None


@graph("build.has_several_cards", TRUTH)
def has_several_cards(build: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Is there more than one card?"""
    return len(ask.graph.of("gpu")) > 1


@graph("build.has_several_supplies", TRUTH)
def has_several_supplies(build: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
    """Is there more than one power supply?"""
    return len(ask.graph.of("psu")) > 1


@graph("build.card_models", units.NUMBER)
def card_models(build: Subject, ask: Ask) -> Interval:  # noqa: ARG001 - a fact's signature
    """How many different card models are listed."""
    return exact(len({c.name for c in ask.graph.of("gpu")}))


def _listed(name: str, kind: str) -> None:
    @graph(name, TRUTH)
    def listed(subject: Subject, ask: Ask) -> bool:  # noqa: ARG001 - a fact's signature
        return any(s.listed for s in ask.graph.of(kind))

    listed.__doc__ = f"Does the build list a {kind}?"


_listed("build.lists_cpu", "cpu")
_listed("build.lists_motherboard", "motherboard")
_listed("build.lists_memory", "memory")
_listed("build.lists_supply", "psu")
_listed("cpu.is_listed", "cpu")
_listed("motherboard.is_listed", "motherboard")
_listed("memory.is_listed", "memory")
_listed("cooler.is_listed", "cooler")


@graph("cooler.is_air", TRUTH)
def is_air(cooler: Subject, ask: Ask) -> bool | None:
    """Is the CPU cooler a tower with fins on the CPU, not a radiator elsewhere?"""
    kind = ask("cooler.kind", cooler)
    return None if kind is None else kind == "air"


@graph("network.is_stated", TRUTH)
def network_is_stated(network: Subject, ask: Ask) -> bool:
    """Does the build say how fast the link between machines is?"""
    return ask("network.between_machines", network) is not None


@graph("workload.splits_models", TRUTH)
def splits_models(workload: Subject, ask: Ask) -> bool | None:
    """Is one model spread over several cards?"""
    parallel = ask("workload.parallel", workload)
    return None if parallel is None else parallel in ("tensor", "pipeline")
