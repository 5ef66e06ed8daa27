"""A model and a machine → whether it fits, how it can be made to fit, how large one may be."""

from __future__ import annotations

from buildcheck.workload.fit.answer import FitAnswer, fit_answer, read_fit

__all__ = ["FitAnswer", "fit_answer", "read_fit"]
