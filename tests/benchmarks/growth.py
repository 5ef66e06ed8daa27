"""How placing and judging grow with the number of cards, in one warm process.

    python tests/benchmarks/growth.py [RUNS]

`judge` is the rulebook over the facts of a machine of N cards, facts included; `per 200` is
that time scaled from the rules there are to 200. `place` is the search for seats of N cards in
N slots, `with 3` the same with three other cards of different lengths. Medians, and each as a
ratio to one card.
"""

from __future__ import annotations

import datetime
import statistics
import sys
import time
from typing import TYPE_CHECKING

from buildcheck.catalog import Catalog
from buildcheck.check import check
from buildcheck.connect.slots import place
from buildcheck.judge import judge
from buildcheck.load import load
from buildcheck.measure import measure
from buildcheck.record import Record
from buildcheck.resolve import Assembly, resolve
from buildcheck.rulebook import load_rulebook

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (1, 2, 4, 8, 16)
TODAY = datetime.date(2026, 11, 20)


def build(cards: int, *, others: bool = False) -> bytes:
    """A machine of so many thin cards on as many slots."""
    slots = ", ".join(
        f"{{label: S{n}, position: {n}, mechanical: 16, lanes: 16, gen: 4, owner: cpu}}"
        for n in range(1, cards + 1)
    )
    more = (
        "add_in_cards: [{edge: 4, kind: network}, {edge: 8, kind: storage}, {edge: 16, kind: other}]\n"
        if others
        else ""
    )
    return (
        f"gpus: [{{part: RTX A4000, count: {cards}}}]\n"
        f"motherboard: {{socket: SP3, slots: [{slots}]}}\n"
        "cpu: AMD EPYC 7302P\nmemory: {module: 32 GB, count: 8, type: DDR4 RDIMM}\n"
        "psus: [Corsair AX1600i]\ncase: Fractal Design Define 7 XL\n"
        "site: {outlet: NEMA 6-20}\nworkload: {kind: training, parallel: data}\n" + more
    ).encode()


def median(run: Callable[[], object], runs: int) -> float:
    """Milliseconds, the middle of so many runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    catalog, rulebook = Catalog(), load_rulebook()

    def assembled(raw: bytes) -> Assembly:
        return resolve(load(raw, "build.yaml"), catalog)

    check(build(2), "build.yaml", catalog, rulebook, TODAY)
    print(f"{len(rulebook.rules)} rules, medians of {runs} runs in ms, ratio to one card")
    print("cards    judge   per 200   ratio    place   ratio   with 3   ratio")
    first: list[float] = []
    for cards in SIZES:
        report = check(build(cards), "build.yaml", catalog, rulebook, TODAY)
        document = report.document
        judging = median(
            lambda r=report, d=document: judge(rulebook, measure(r.graph), d, Record(TODAY)), runs
        )
        alone, crowded = (assembled(build(cards, others=o)) for o in (False, True))
        seating = median(lambda a=alone: place(a.subjects, a.pins), runs)
        mixed = median(lambda a=crowded: place(a.subjects, a.pins), runs)
        row = [judging, seating, mixed]
        first = first or row
        ratios = [now / then for now, then in zip(row, first, strict=True)]
        print(
            f"{cards:>5} {judging:>8.2f} {judging * 200 / len(rulebook.rules):>9.2f} "
            f"{ratios[0]:>7.1f} {seating:>8.2f} {ratios[1]:>7.1f} {mixed:>8.2f} {ratios[2]:>7.1f}"
        )


if __name__ == "__main__":
    main()
