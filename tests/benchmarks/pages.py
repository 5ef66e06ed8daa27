"""Time and size of the pages of a machine with eight cards, beside the time of judging it.

    python tests/benchmarks/pages.py [RUNS]

Warm: the catalogue, the rules and the templates are read, as in a program that makes many.
Medians of runs that take turns are printed, and their ratio to judging.
"""

from __future__ import annotations

import datetime
import statistics
import sys
import time
from typing import TYPE_CHECKING

from buildcheck.bill import bill
from buildcheck.catalog import Catalog
from buildcheck.check import check
from buildcheck.render import to_html
from buildcheck.render.bill_html import bill_html
from buildcheck.render.checklist_page import page as checklist
from buildcheck.rulebook import load_rulebook

if TYPE_CHECKING:
    from collections.abc import Callable

BUILD = b"""\
gpus: [{part: Gigabyte GeForce RTX 3090 TURBO 24G, count: 8, power_limit: 280 W, riser: true}]
cpu: {part: AMD EPYC 7302, count: 2}
motherboard: ASRock Rack ROMED8-2T
memory: {module: 32 GB, count: 8, type: DDR4 RDIMM}
psus: [Corsair AX1600i, Corsair AX1600i]
case: {kind: open frame}
risers: [{gen: 4, length: 300 mm, count: 8}]
storage: [Samsung 980 PRO 2TB]
site: {outlet: NEMA 5-20}
workload: {kind: training, parallel: data}
"""
DAY = datetime.date(2026, 11, 21)


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    catalog, rulebook = Catalog(), load_rulebook()
    pages: dict[str, Callable[..., str]] = {
        "report": to_html,
        "checklist": checklist,
        "parts list": lambda report: bill_html(bill(report), report),
    }
    times: dict[str, list[float]] = {"judging": [], **{name: [] for name in pages}}
    sizes: dict[str, int] = {}
    for _ in range(runs + 1):
        start = time.perf_counter()
        report = check(BUILD, "build.yaml", catalog, rulebook, DAY)
        times["judging"].append(time.perf_counter() - start)
        for name, make in pages.items():
            start = time.perf_counter()
            sizes[name] = len(make(report).encode())
            times[name].append(time.perf_counter() - start)
    judging = statistics.median(times["judging"][1:])
    print(f"judging    {1000 * judging:6.1f} ms")
    for name in pages:
        took = statistics.median(times[name][1:])
        ratio, size = took / judging, sizes[name] / 1000
        print(f"{name:10} {1000 * took:6.1f} ms  {ratio:4.2f}x judging  {size:.0f} kB")


if __name__ == "__main__":
    main()
