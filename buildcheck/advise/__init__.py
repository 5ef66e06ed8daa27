"""Which cards for which use: the guide, the chart and the catalogue put together."""

from __future__ import annotations

from buildcheck.advise.advise import Advice, Left, advise
from buildcheck.advise.asked import Asked, asked
from buildcheck.advise.cards import Card, Offer
from buildcheck.advise.charting import Path
from buildcheck.advise.choosing import Choice
from buildcheck.advise.splitting import Half, SplitUp

__all__ = [
    "Advice",
    "Asked",
    "Card",
    "Choice",
    "Half",
    "Left",
    "Offer",
    "Path",
    "SplitUp",
    "advise",
    "asked",
]
