"""How the workload uses several GPUs: separate jobs, or one job with data exchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildcheck.facts.registry import TRUTH, Ask, graph, is_surely, is_true, states

if TYPE_CHECKING:
    from buildcheck.model.graph import Subject

#: Kinds of work in which each GPU serves on its own unless stated otherwise.
_APART = ("inference", "rendering")
#: Kinds in which no job fills several GPUs unless stated otherwise.
_SEPARATE = ("mining", "rendering")

# Layers are split over GPUs, which exchange data in each of them.
is_surely("workload.splits_tensors", "parallel", "tensor")
# Mining sends next to nothing over the link.
is_surely("workload.is_mining", "kind", "mining")
is_surely("workload.is_inference", "kind", "inference")
states("workload.states_parallelism", "parallel")
# Training state is kept in RAM.
is_true("workload.offloads", "offload")
is_true("workload.relies_on_peers", "peer_to_peer")
is_true("workload.states_joint_work", "trains_together")


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
