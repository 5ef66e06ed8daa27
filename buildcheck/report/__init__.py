"""A judged build → the answer that is shown of it: plain values, made before rendering."""

from buildcheck.report.answer import BuildAnswer, FindingAnswer, ValidateAnswer
from buildcheck.report.build import build_answer

__all__ = ["BuildAnswer", "FindingAnswer", "ValidateAnswer", "build_answer"]
