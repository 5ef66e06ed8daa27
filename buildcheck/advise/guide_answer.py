"""What `advise` answers of published advice: statements with their year and source, and the chart.

A `source` is the name of one of `AdviceAnswer.sources`.
"""

from buildcheck.model.answer import Amount, Figure
from buildcheck.model.frozen import Frozen


class GuideSource(Frozen):
    """A published document, the year it speaks of, and how far it is trusted."""

    title: str
    url: str
    year: int
    confidence: str


class MemoryAdvice(Frozen):
    """How much memory a source asks for, of which part of the use, or by which recommended GPU."""

    year: int
    source: str
    least: Figure
    of: str = ""
    from_gpu: str = ""


class MemoryNeed(Frozen):
    """Least memory of one GPU; `by` is `request`, the year of the advice, or empty."""

    least: Figure | None = None
    by: str = ""
    stated: tuple[MemoryAdvice, ...] = ()


class UseAnswer(Frozen):
    """A use that advice is on, and the memory it needs."""

    code: str
    name: str
    memory: MemoryNeed


class AdviceNote(Frozen):
    """What is advised against (`leave-out`, `warn`), or would be if something held (`condition`).

    Without `gpus` it concerns any GPU, from `min_count` in a machine on.
    """

    code: str
    effect: str
    title: str
    why: str
    years: tuple[int, ...]
    min_count: int = 1
    gpus: tuple[str, ...] = ()


class GuideList(Frozen):
    """What a source lists: GPUs recommended for something, or what counts, the first first."""

    year: int
    source: str
    of: str
    entries: tuple[str, ...]
    prices: tuple[Amount, ...] = ()


class FlowchartStep(Frozen):
    """A question on the path and its answer; `by` is what answers it, `because` the details."""

    question: str
    ask: str
    answer: bool
    by: str
    because: str = ""
    is_assumed: bool = False


class FlowchartNode(Frozen):
    """A question with the numbers its answers lead to, or an end with GPUs once recommended.

    It is drawn below the question `parent`; `at` is where to rent.
    """

    number: int
    code: str
    text: str
    on_path: bool = False
    parent: int = 0
    yes: int = 0
    no: int = 0
    recommended: tuple[str, ...] = ()
    at: str = ""


class FlowchartAnswer(Frozen):
    """The path through the flowchart, the GPUs of today that its end means, and every node."""

    source: str
    year: int
    kind: str
    end: FlowchartNode
    steps: tuple[FlowchartStep, ...]
    nodes: tuple[FlowchartNode, ...] = ()
    gpus: tuple[str, ...] = ()
