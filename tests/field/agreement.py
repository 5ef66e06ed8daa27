"""How far the verdicts agree with what happened to real machines.

    python tests/field/agreement.py [FOLDER]

Each folder beside this script holds a machine somebody described in public as a build file,
and what a good check raises on it, or must not raise. Printed are, per domain, how many of
the expected findings were raised, how many false alarms there were, and which builds disagree.
The exit code is 1 if the aims are missed: 95 % raised, no false error, at most 3 % false alarms.

A finding counts as raised where it fails as a warning or an error in the domain; `graded`
counts those that reach the expected severity, and `noted` those for which there is at least a note. Where a domain has both, what must be raised and
what must not be an error, a warning is right and only an error is a false alarm.
"""

from __future__ import annotations

import datetime
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from buildcheck.catalog import Catalog
from buildcheck.check import check
from buildcheck.errors import InputError
from buildcheck.rulebook import load_rulebook

FOLDER = Path(__file__).parent
#: The domains in which each kind of trouble is raised.
DOMAINS = {
    "psu": ("power",),
    "transient": ("power",),
    "circuit": ("circuit",),
    "connector": ("cable",),
    "slot-width": ("space",),
    "case-fit": ("space",),
    "spacing/thermal": ("cooling",),
    "lanes": ("pcie",),
    "riser": ("pcie",),
    "ram": ("memory",),
    "cpu": ("cpu",),
    "bios": ("platform",),
}
RANK = {"note": 0, "warning": 1, "error": 2}
#: Rules about one kind of trouble in a domain that has several.
RISER = ("riser",)
RAISED, FALSE_ERRORS, FALSE_ALARMS = 0.95, 0.0, 0.03


@dataclass
class Tally:
    """Counts of one domain."""

    expected: int = 0
    noted: int = 0
    raised: int = 0
    graded: int = 0
    forbidden: int = 0
    alarms: int = 0
    errors: int = 0
    builds: list[str] = field(default_factory=list)


def found(folder: Path, catalog: Catalog, rulebook: object) -> list[tuple[str, str]]:
    """Rule and severity of every finding that fails."""
    path = folder / "build.yaml"
    report = check(path.read_bytes(), str(path), catalog, rulebook, datetime.date(2026, 11, 20))
    return sorted(
        {
            (f.rule.id, f.severity)
            for f in report.findings
            if f.verdict == "fail" and f.severity in RANK
        }
    )


def of_kind(findings: list[tuple[str, str]], kind: str) -> list[tuple[str, str]]:
    """The findings in the domain of a kind of trouble; risers are told from lanes."""
    rows = [f for f in findings if f[0].partition("/")[0] in DOMAINS[kind]]
    if kind in ("lanes", "riser"):
        rows = [f for f in rows if any(w in f[0] for w in RISER) == (kind == "riser")]
    return rows


def judge(name: str, expected: dict, findings: list[tuple[str, str]], tallies: dict) -> None:
    """Count one build."""
    wanted = {domain for e in expected["should_raise"] for domain in DOMAINS.get(e["kind"], ())}
    for entry in expected["should_raise"]:
        tally = tallies[DOMAINS[entry["kind"]][0]]
        rows = [f for f in findings if f[0].partition("/")[0] in DOMAINS[entry["kind"]]]
        worst = max((RANK[s] for _, s in rows), default=-1)
        tally.expected += 1
        tally.noted += worst >= 0
        tally.raised += worst > 0
        tally.graded += worst >= RANK[entry["severity"]]
        if worst < RANK[entry["severity"]]:
            short = ("not raised", "only a note", "only a warning")[worst + 1]
            tally.builds.append(
                f"{name}: {entry['kind']} {entry['severity']} {short}: {entry['why']}"
            )
    for entry in expected["must_not_raise"]:
        tally = tallies[DOMAINS[entry["kind"]][0]]
        rows = [f for f in of_kind(findings, entry["kind"]) if RANK[f[1]]]
        both = bool(wanted & set(DOMAINS[entry["kind"]]))
        bad = [f for f in rows if f[1] == "error" or not both]
        if any(
            e["kind"] == entry["kind"] and e["severity"] == "error"
            for e in expected["should_raise"]
        ):
            # The error is right as the build stands; what must not be raised is about its repair.
            bad = []
        tally.forbidden += 1
        tally.alarms += bool(bad)
        tally.errors += any(s == "error" for _, s in bad)
        if bad:
            rules = ", ".join(f"{rule} ({severity})" for rule, severity in bad)
            tally.builds.append(f"{name}: false alarm {rules}: {entry['why']}")


def main(folder: Path) -> int:
    """Print the table and say whether the aims are met."""
    catalog, rulebook = Catalog(), load_rulebook()
    tallies: dict[str, Tally] = defaultdict(Tally)
    unread = 0
    builds = sorted(p.parent for p in folder.glob("*/expected.yaml"))
    for build in builds:
        expected = yaml.safe_load((build / "expected.yaml").read_text(encoding="utf-8"))
        try:
            findings = found(build, catalog, rulebook)
        except InputError as error:
            sys.stderr.write("\n".join(map(str, error.problems)) + "\n")
            unread += 1
            continue
        judge(build.name, expected, findings, tallies)
    write = sys.stdout.write
    write(f"{len(builds)} builds\n\n")
    write("domain     expected  noted  raised  graded   must not  false alarms  false errors\n")
    total = Tally()
    for domain, t in sorted(tallies.items()):
        write(
            f"{domain:<10} {t.expected:>8}  {t.noted:>5}  {t.raised:>6}  {t.graded:>6}   {t.forbidden:>8}  "
            f"{t.alarms:>12}  {t.errors:>12}\n"
        )
        for name in ("expected", "noted", "raised", "graded", "forbidden", "alarms", "errors"):
            setattr(total, name, getattr(total, name) + getattr(t, name))
        total.builds += t.builds
    raised, alarms = total.raised / total.expected, total.alarms / max(1, total.forbidden)
    write(
        f"\nraised {total.raised} of {total.expected} ({raised:.1%}), at the expected grade "
        f"{total.graded}, at least as a note {total.noted}; false alarms {total.alarms} of {total.forbidden} ({alarms:.1%}), "
        f"as errors {total.errors}\n\n"
    )
    write("\n".join(["disagreements:", *(f"  {b}" for b in total.builds)]) + "\n")
    met = raised >= RAISED and total.errors == FALSE_ERRORS and alarms <= FALSE_ALARMS
    return 2 if unread else 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
