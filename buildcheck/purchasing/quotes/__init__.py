"""Quotes of vendors: read from the build file and other files, and compared with its parts."""

from __future__ import annotations

from buildcheck.purchasing.quotes.matching import choose, order
from buildcheck.purchasing.quotes.reading import Given, read_quotes

__all__ = ["Given", "choose", "order", "read_quotes"]
