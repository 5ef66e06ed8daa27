"""How the workload uses several GPUs: separate jobs, or one job with data exchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.facts.registry import TRUTH, Ask, graph

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Kinds of work in which each GPU serves on its own unless stated otherwise.
_APART = ("inference", "rendering")
#: Kinds in which no job fills several GPUs unless stated otherwise.
_SEPARATE = ("mining", "rendering")


@graph("workload.splits_tensors", TRUTH)
def splits_tensors(workload: Subject, ask: Ask) -> bool:
    """Does the build state that layers are split over GPUs, exchanging data in each of them?"""
    return bool(ask("workload.parallel", workload) == "tensor")


@graph("workload.is_mining", TRUTH)
def is_mining(workload: Subject, ask: Ask) -> bool:
    """Is it mining, which sends next to nothing over the link?"""
    return bool(ask("workload.kind", workload) == "mining")


@graph("workload.is_inference", TRUTH)
def is_inference(workload: Subject, ask: Ask) -> bool:
    """Does the build state that models are served, not trained?"""
    return bool(ask("workload.kind", workload) == "inference")


@graph("workload.has_separate_jobs", TRUTH)
def has_separate_jobs(workload: Subject, ask: Ask) -> bool:
    """Does each GPU work on a job of its own, as far as the build states?

    Mining and rendering do unless stated otherwise.
    """
    parallel, kind = ask("workload.parallel", workload), ask("workload.kind", workload)
    return parallel == "none" or (parallel is None and kind in _SEPARATE)


@graph("workload.works_apart", TRUTH)
def works_apart(workload: Subject, ask: Ask) -> bool:
    """Does each GPU work by itself, or hand over little, as far as the build states?

    Training that does not state how it uses several GPUs counts as one job on all.
    """
    parallel, kind = ask("workload.parallel", workload), ask("workload.kind", workload)
    if parallel in ("none", "pipeline") or kind == "mining":
        return True
    return kind in _APART and parallel != "tensor"


@graph("workload.trains_together", TRUTH)
def trains_together(workload: Subject, ask: Ask) -> bool | None:
    """Do several GPUs work on one job and exchange data at each step?"""
    if ask("workload.works_apart", workload):
        return False
    parallel = ask("workload.parallel", workload)
    return None if parallel is None else parallel in ("data", "tensor")


@graph("workload.states_parallelism", TRUTH)
def states_parallelism(workload: Subject, ask: Ask) -> bool:
    """Does the build state how a job uses several GPUs?"""
    return ask("workload.parallel", workload) is not None


@graph("workload.offloads", TRUTH)
def offloads(workload: Subject, ask: Ask) -> bool:
    """Does the build state that training state is kept in RAM?"""
    return ask("workload.offload", workload) is True


@graph("workload.relies_on_peers", TRUTH)
def relies_on_peers(workload: Subject, ask: Ask) -> bool:
    """Does the build state that the work relies on copies directly from GPU to GPU?"""
    return ask("workload.peer_to_peer", workload) is True


@graph("workload.states_joint_work", TRUTH)
def states_joint_work(workload: Subject, ask: Ask) -> bool:
    """Does the build state that several GPUs work on one job?"""
    return ask("workload.trains_together", workload) is True
