"""What a larger catalogue costs: the open catalogue as it is shipped, and ten times over.

    python tests/benchmarks/catalogue.py [RUNS]

Both are made once; then a new process looks up names and reads parts, and `parts search` runs
beside `--version`, in turn. Ratios and peak memory are printed, and nothing is asserted.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from buildcheck import store
from buildcheck.index import Row
from buildcheck.layers import OPEN, build

#: Every so manieth part of a kind is looked up.
STEP = 97
_LOOK_UP = """
import sys, time
from pathlib import Path
began = time.perf_counter()
from buildcheck import store
from buildcheck.index import Index, Layer
layer = Layer("bench", Path("."), lambda: {})
layer._rows = store.Rows(Path(sys.argv[1]))
index = Index([layer])
for line in Path(sys.argv[2]).read_text().splitlines():
    kind, name = line.split("\\t")
    try:
        index.rows(index.find(kind, name))
    except LookupError:
        pass
taken = time.perf_counter() - began
high = next(l for l in Path("/proc/self/status").read_text().splitlines() if l.startswith("VmHWM"))
print(taken, high.split()[1])
"""


def times(groups: store.Groups, copies: int) -> store.Groups:
    """The rows of every group, and copies of them under names of their own."""
    grown: store.Groups = {}
    for group, rows in groups.items():
        grown[group] = dict(rows)
        for copy in range(1, copies):
            grown[group] |= {f"{name} {copy}": data for name, data in rows.items()}
    return grown


def seconds_of(command: list[str]) -> float:
    """Seconds of a whole process."""
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def main(runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _main(Path(folder), runs)


def _main(folder: Path, runs: int) -> None:
    began = time.perf_counter()
    build(folder)
    print(f"index made in {time.perf_counter() - began:.1f} s")
    rows = store.Rows(folder / f"{OPEN[0]}.rows")
    groups = {group: rows.rows(group) for group in rows._groups}
    names = [
        f"{kind}\t{Row(*row).names[0]}"
        for kind, parts in groups.items()
        if " " not in kind
        for row in list(parts.values())[::STEP]
    ]
    asked = folder / "names"
    asked.write_text("\n".join(names))
    found: dict[int, list[float]] = {1: [], 10: []}
    peak = {1: 0.0, 10: 0.0}
    for copies in found:
        (folder / f"{copies}.rows").write_bytes(store.rows_text({}, times(groups, copies)).encode())
    for _ in range(runs):
        for copies, taken in found.items():
            path = str(folder / f"{copies}.rows")
            done = subprocess.run(
                [sys.executable, "-c", _LOOK_UP, path, str(asked)],
                check=True,
                capture_output=True,
                text=True,
            )
            seconds, kilobytes = done.stdout.split()
            taken.append(float(seconds))
            peak[copies] = int(kilobytes) / 1024
    one, ten = (statistics.median(found[n]) for n in (1, 10))
    sizes = {n: (folder / f"{n}.rows").stat().st_size / 2**20 for n in found}
    print(
        f"{len(names)} names looked up: {1e3 * one:.0f} ms in {sizes[1]:.0f} MiB, peak {peak[1]:.0f} MiB"
    )
    print(
        f"the same in ten times as many parts: {1e3 * ten:.0f} ms in {sizes[10]:.0f} MiB, peak {peak[10]:.0f} MiB"
    )
    print(f"ratio {ten / one:.2f}")
    program = [sys.executable, "-m", "buildcheck"]
    pairs = []
    for _ in range(runs):
        searched = seconds_of([*program, "parts", "search", "3090", "turbo"])
        bare = seconds_of([*program, "--version"])
        pairs.append(searched / bare)
    print(f"parts search against --version: {statistics.median(pairs):.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
