"""Start-up, throughput and memory of `buildcheck validate`, as ratios in one run.

    python tests/benchmarks/validate.py [RUNS]

Cold means a new process with warm file caches, kept bytecode and a compiled catalogue,
as on every run but the first. The commands take turns, so that a machine that slows down slows
all of them; medians and the ratios of medians are printed. cfn-lint is compared if it
is installed beside buildcheck (`pip install .[bench]`).
"""

import datetime
import gc
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import buildcheck.pipeline as checking
from buildcheck.catalog import Catalog
from buildcheck.judge import Readings, judge
from buildcheck.measure import measure
from buildcheck.pipeline import check
from buildcheck.render.page import to_html
from buildcheck.rulebook import load_rulebook
from buildcheck.whole_report.answer import report_answer

EXAMPLE = Path(__file__).parent.parent / "builds" / "lab-4x3090" / "build.yaml"
EIGHT = EXAMPLE.parent.parent.parent / "field" / "localaiservers-8x4090d" / "build.yaml"
TEMPLATE = "Resources:\n  Bucket:\n    Type: AWS::S3::Bucket\n"
WARM_SECONDS = 2.0


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    gc.set_threshold(300_000)  # as the program itself has it
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder, "template.yaml")
        template.write_text(TEMPLATE, encoding="utf-8")
        cold(runs, commands(template))
    warm()
    readings(runs)
    report(runs)


def commands(template: Path) -> dict[str, list[str]]:
    """What is timed, by name."""
    found = {
        "validate": [sys.executable, "-m", "buildcheck", "validate", str(EXAMPLE)],
        "imports": [sys.executable, "-c", "import click, yaml, pydantic"],
    }
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    if cfn_lint := shutil.which("cfn-lint", path=beside):
        found["cfn-lint"] = [cfn_lint, str(template)]
    return found


#: As an installed program runs: bytecode is kept, whatever this shell says.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def cold(runs: int, timed: dict[str, list[str]]) -> None:
    """Print the median time of each command, and validate's as a ratio to the others."""
    times: dict[str, list[float]] = {name: [] for name in timed}
    for number in range(runs + 1):
        for name, command in timed.items():
            start = time.perf_counter()
            subprocess.run(
                command,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
                env=ENVIRONMENT,
            )
            if number:  # the first round warms caches
                times[name].append(time.perf_counter() - start)
    for name, values in times.items():
        print(
            f"cold {name:9} {statistics.median(values) * 1000:7.0f} ms  (min {min(values) * 1000:.0f}, max {max(values) * 1000:.0f}, {runs} runs)"
        )
    own = statistics.median(times["validate"])
    for name in timed:
        if name != "validate":
            print(f"validate / {name}: {own / statistics.median(times[name]):.2f}")
    print(f"peak memory of validate: {_peak(timed['validate'])} MiB")


def _peak(command: list[str]) -> int:
    """Peak resident memory of one command, in MiB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    return os.wait4(process.pid, 0)[2].ru_maxrss // 1024


def warm() -> None:
    """Print validations per second from YAML text in one process."""
    catalog, rulebook = Catalog(), load_rulebook()
    raw, today = EXAMPLE.read_bytes(), datetime.date(2026, 11, 20)
    check(raw, "build.yaml", catalog, rulebook, today)
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < WARM_SECONDS:
        check(raw, "build.yaml", catalog, rulebook, today)
        count += 1
    rate = count / (time.perf_counter() - start)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"warm: {rate:.0f} validations per second from YAML text, peak memory {own} MiB")


def readings(runs: int) -> None:
    """Print how long judging eight GPUs in both readings takes, and in one, by processor time."""
    asked = []
    checking.judge = lambda *given: asked.append(given) or judge(*given)
    check(EIGHT.read_bytes(), "build.yaml", Catalog(), load_rulebook(), datetime.date(2026, 11, 20))
    ((rulebook, facts, *rest),) = asked
    times: dict[str, list[float]] = {"both": [], "one": []}
    for name in [*times] * (runs + 1):
        usual = measure(facts.expected.graph)
        certain = usual if name == "one" else measure(facts.certain.graph)
        start = time.process_time()
        judge(rulebook, Readings(certain, usual), *rest)
        times[name].append(time.process_time() - start)
    both, one = (min(values) * 1000 for values in times.values())
    print(f"judging eight GPUs: {both:.1f} ms in both readings, {one:.1f} in one: {both / one:.2f}")


def report(runs: int) -> None:
    """Print how long check, report and page of eight GPUs take together, by processor time."""
    given = (EIGHT.read_bytes(), "build.yaml", Catalog(), load_rulebook())
    times = []
    for _ in range(runs + 1):
        start = time.process_time()
        to_html(report_answer(check(*given, datetime.date(2026, 11, 20))))
        times.append(time.process_time() - start)
    print(f"report of eight GPUs: {min(times) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
