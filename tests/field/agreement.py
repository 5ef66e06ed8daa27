"""How far the verdicts agree with what happened to real machines.

    python tests/field/agreement.py [FOLDER]

Each folder beside this script holds a machine somebody described in public as a build file, and
what a good check raises on it, must not raise, and decides. Printed is, per topic (the domains of
rules, risers and bridges apart from lanes), what became of the expected findings, the false
alarms, and certain errors on machines that work; then the verdicts on whole builds, and each
disagreement. Where a topic has both, what must be raised and what must not, a false alarm is what
exceeds the expected grade. The exit code is 1 if the aims are missed: 95 % raised, no false error,
at most 3 % false alarms; 2 if a build cannot be read.
"""

import datetime
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from buildcheck.catalog import Catalog
from buildcheck.errors import InputError
from buildcheck.model.finding import Report
from buildcheck.pipeline import check
from buildcheck.rulebook import load_rulebook

FOLDER = Path(__file__).parent
FIGURES = yaml.safe_load((FOLDER / "figures.yaml").read_text(encoding="utf-8"))
TOPICS: dict[str, str] = FIGURES["topics"]
RANK = {"note": 0, "warning": 1, "error": 2}
READINGS = {"fail": "certain", "likely-fail": "likely", "unknown": "open", "not-listed": "open"}
#: What becomes of an expected finding: raised as a warning or an error, a note at best, left open
#: by a rule of its topic, nothing. Then what becomes of one that must not be raised.
LEVELS = ("certain", "likely", "noted", "open", "silent")
ALARMS = ("quiet", "likely alarm", "false alarm", "false error")
COLUMNS = ("expected", *LEVELS, "must not", *ALARMS[1:], "works, error")
#: What a list has to have for a verdict on the whole machine.
PARTS = ("gpu", "cpu", "motherboard", "module", "psu")


class Said(NamedTuple):
    """A rule that speaks up; what is likely is a warning at most."""

    topic: str
    level: str
    rank: int
    rule: str


class Case(NamedTuple):
    """What became of one expectation, and the words where it disagrees."""

    topic: str
    became: str
    words: str


class Build(NamedTuple):
    """A build: what is decided of it, its verdict, whether all `PARTS` are listed, its cases."""

    name: str
    say: str
    verdict: str
    full: bool
    cases: list[Case]

    def agrees(self) -> bool:
        """Whether the verdict is the decision; where that needs a part, it may be likely."""
        if self.say.startswith("needs"):
            return self.verdict == "unknown" or ("likely" in self.verdict and not self.full)
        return self.verdict == self.say


def spoken(report: Report) -> Iterator[Said]:
    """Rules that fail, likely fail, or are open above a note, as what is not listed is."""
    for f in report.findings:
        level, rank = READINGS.get(f.verdict), RANK[f.severity]
        if level and (rank or level != "open"):
            part = re.match(r"pcie/(?:cabled-)?(riser|nvlink)|platform/board-", f.rule.id)
            topic = (part[1] or "space") if part else f.rule.id.partition("/")[0]
            level = "open" if f.rule.id.endswith("-unlisted") else level if rank else "noted"
            rule = f"{f.rule.id} ({f.severity})"
            yield Said(topic, level, rank if level == "certain" else min(rank, 1), rule)


def raised(said: set[Said], entry: dict[str, str]) -> Case:
    """What became of something that should be raised."""
    topic, wanted = TOPICS[entry["kind"]], entry["severity"]
    rows = [Said(topic, LEVELS[-1], 0, ""), *(s for s in said if s.topic == topic)]
    best = min(rows, key=lambda s: (LEVELS.index(s.level), -s.rank, s.rule))
    if wanted == "note" and best.level == "noted":
        best = best._replace(level="certain")  # no more is asked of it
    met = best.level == "certain" and best.rank >= RANK[wanted]
    words = f"{entry['kind']} {wanted} is {best.level} {best.rule}: {entry['why']}"
    return Case(topic, best.level, "" if met or topic == "not judged" else words)


def alarmed(said: set[Said], entry: dict[str, str], most: int) -> Case:
    """What became of something that must not be raised above `most`."""
    topic = TOPICS[entry["kind"]]
    bad = [s for s in said if s.topic == topic and s.level in LEVELS[:2] and s.rank > most]
    alarms = [ALARMS[s.rank + 1 if s.level == "certain" else 1] for s in bad]
    worst = max(alarms, key=ALARMS.index, default=ALARMS[0])
    rules = ", ".join(sorted(s.rule for s in bad))
    return Case(topic, worst, f"{worst} {rules}: {entry['why']}" if bad else "")


def cases(expected: dict[str, Any], said: set[Said]) -> Iterator[Case]:
    """What became of every expectation on a build."""
    most: Counter[str] = Counter()
    for entry in expected["should_raise"]:
        yield (case := raised(said, entry))
        most[case.topic] = max(most[case.topic], RANK[entry["severity"]])
    for entry in expected["must_not_raise"]:
        yield alarmed(said, entry, most[TOPICS[entry["kind"]]])
    for s in sorted(said) if expected["outcome"].startswith("works") else ():
        if s.level == "certain" and s.rank == RANK["error"] > most[s.topic]:
            yield Case(s.topic, COLUMNS[-1], f"{expected['outcome']}, error {s.rule}")


def read(folder: Path, catalog: Catalog, rulebook: Any) -> Iterator[Build]:
    """Every build of a folder, judged; an `InputError` if one cannot be read."""
    for path in sorted(folder.glob("*/build.yaml")):
        expected = yaml.safe_load((path.parent / "expected.yaml").read_text(encoding="utf-8"))
        report = check(path.read_bytes(), str(path), catalog, rulebook, datetime.date(2026, 11, 20))
        say = expected.get("decision", {}).get("say", "")
        full = all(any(s.listed for s in report.graph.of(kind)) for kind in PARTS)
        found = list(cases(expected, set(spoken(report))))
        yield Build(path.parent.name, say, report.verdict, full, found)


def tally(builds: list[Build]) -> dict[str, Counter[str]]:
    """How often what became of expectations, by topic and of `all` that is judged."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    groups = dict.fromkeys(LEVELS, "expected") | dict.fromkeys(ALARMS, "must not")
    for case in (c for b in builds for c in b.cases):
        for topic in {case.topic, "all" if case.topic != "not judged" else case.topic}:
            found[topic].update({case.became, groups.get(case.became, case.became)})
    return found


def figures(builds: list[Build]) -> Counter[str]:
    """The figures over all builds."""
    of = tally(builds)["all"]
    of["builds"], of["full"] = len(builds), sum(b.full for b in builds)
    of["raised"], of["alarms"] = of["certain"] + of["likely"], of["must not"] - of["quiet"]
    of["decided"] = sum(b.full and b.verdict != "unknown" for b in builds)
    of["agree"] = sum(bool(b.say) and b.agrees() for b in builds)
    return of


def main(folder: Path) -> int:
    """Print the table and say whether the aims are met."""
    try:
        builds = list(read(folder, Catalog(), load_rulebook()))
    except InputError as error:
        sys.stderr.write("\n".join(map(str, error.problems)) + "\n")
        return 2
    of, counts = figures(builds), sorted(tally(builds).items())
    raised, alarms = of["raised"] / of["expected"], of["alarms"] / of["must not"]
    ways = Counter((b.say.partition(":")[0], b.verdict) for b in builds if b.say)
    lines = [
        "  ".join([f"{'topic':<10}", *COLUMNS]),
        *("  ".join([f"{t:<10}", *(f"{n[c]:>{len(c)}}" for c in COLUMNS)]) for t, n in counts),
        f"{of['builds']} builds, raised {raised:.1%}, false alarms {alarms:.1%}",
        f"{of['decided']} of {of['full']} builds with all main parts decided",
        f"{of['agree']} of {ways.total()} decisions agree",
        *(f"  {number:>2} {say}: {verdict}" for (say, verdict), number in sorted(ways.items())),
        "disagreements:",
        *(f"  {b.name}: {case.words}" for b in builds for case in b.cases if case.words),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return int(raised < 0.95 or of["false error"] > 0 or alarms > 0.03)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
