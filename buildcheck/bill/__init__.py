"""A report → the parts list: what to order, what it costs, and how the quotes compare.

Sums are exact and kept per currency; the sum of some lines is never called the total. What a
build implies and nobody listed stands beside the parts, and what nobody can say stands open.
"""

from __future__ import annotations

from buildcheck.bill.bill import Accessory, Bill, bill
from buildcheck.bill.comparison import Cell, Column, Comparison, Row
from buildcheck.bill.lines import MARKS, Charge, Line, LinePrice, Total

__all__ = [
    "MARKS",
    "Accessory",
    "Bill",
    "Cell",
    "Charge",
    "Column",
    "Comparison",
    "Line",
    "LinePrice",
    "Row",
    "Total",
    "bill",
]
