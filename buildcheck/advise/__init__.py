"""Which GPUs for which use: published advice, a flowchart and the catalogue put together."""

from buildcheck.advise.advice import advice_answer, part_shown
from buildcheck.advise.answer import AdviceAnswer
from buildcheck.advise.request import AdviceRequest, advice_request

__all__ = ["AdviceAnswer", "AdviceRequest", "advice_answer", "advice_request", "part_shown"]
