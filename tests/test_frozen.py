"""What the program answers, frozen in `tests/frozen` while its inside is redesigned; gone when that is done.

`law/BUILD.txt` pins every finding, connection, budget and fact of a golden build, taken from the
Python objects; it must not change. New facts are allowed.
The other files pin text, JSON and pages of every command, shortened; those change on purpose:

    BUILDCHECK_FREEZE=1 pytest tests/test_frozen.py      # rewrites all but the law
    BUILDCHECK_FREEZE=law pytest tests/test_frozen.py    # rewrites the law too: never without a word in the commit
"""

import dataclasses
import difflib
import hashlib
import itertools
import json
import os
import re
import shlex
from functools import cache
from html.parser import HTMLParser
from typing import Any

import jsonschema
import pytest
import yaml
from click.testing import CliRunner
from conftest import ROOT, TODAY

from buildcheck import __version__
from buildcheck.cli import main
from buildcheck.docs.schemas import schema_of
from buildcheck.facts import FACTS
from buildcheck.logic.quantity import Interval
from buildcheck.model.labels import spans
from buildcheck.model.strict import Strict
from buildcheck.pipeline import check
from buildcheck.report.budgets import budget_answers

FROZEN = ROOT / "tests" / "frozen"
FREEZE = os.environ.get("BUILDCHECK_FREEZE", "")
BUILDS = {p.parent.name: p for p in sorted((ROOT / "tests" / "builds").glob("*/build.yaml"))}
#: Those that are no variants of one another.
SCENARIOS = tuple(name for name in BUILDS if not name.startswith("seed-"))
FEW = ("lab-4x3090", "t6-4x4090-1600w", "t15-2x4090-japan")
#: Subjects whose fields come from the catalogue alone, the same for every build.
SHARED = ("standard", "connector", "adapter", "allowance")
#: Fields of edges, and facts, that are sentences.
SENTENCES = (
    "why",
    "gpu.why_dead",
    "build.copies_over",
    "build.crowded_positions",
    "build.ways_to_place",
)
#: No text is kept longer than this outside of plain text; what is cut off is kept as a digest.
LONGEST = 90
#: Lines of a difference that are shown.
MOST_SHOWN = 60


def value_text(value: Any) -> str:
    """A value of a fact in one word or a few; quantities in base units with six digits."""
    if isinstance(value, Strict):
        value = vars(value)
    elif dataclasses.is_dataclass(value) and not hasattr(value, "low"):
        value = [getattr(value, f.name) for f in dataclasses.fields(value)]
    if isinstance(value, (set, frozenset)):
        value = {"": sorted(map(value_text, value))}
    if isinstance(value, dict):
        pairs = (f"{value_text(k)}:{value_text(v)}" for k, v in sorted(value.items()))
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, (tuple, list)):
        return "[" + ",".join(map(value_text, value)) + "]"
    return one_text(value)


def one_text(value: Any) -> str:
    """A quantity, a truth or a code; `?` if it is not known."""
    if hasattr(value, "low"):
        low, high = one_text(float(value.low)), one_text(float(value.high))
        return low if low == high else f"{low}..{high}"
    if isinstance(value, float):
        return f"{value:.6g}"
    return (
        {None: "?", True: "yes", False: "no"}[value] if value in (None, True, False) else str(value)
    )


def short(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - 20]}… {digest(text)}"


def digest(text: str) -> str:
    return "#" + hashlib.sha256(text.encode()).hexdigest()[:8]


def grouped(rows: list[tuple[str, str]]) -> list[str]:
    """One line for all subjects of which the same holds: `power/psu-overload fail error: psus[0]`."""
    found: dict[str, list[str]] = {}
    for words, subject in rows:
        found.setdefault(words, []).append(subject)
    return sorted(f"{words}: {runs(subjects)}" for words, subjects in found.items())


def runs(subjects: list[str]) -> str:
    """Subjects, runs of one list as one: `gpus[0-3] psus[0]`."""
    return " ".join(spans(subjects)).replace("..", "-")


def fact_rows(report: Any) -> list[tuple[str, str]]:
    """Every fact of every subject, computed and given, with its value."""
    rows = []
    for subject in report.graph.subjects.values():
        values = {f"{subject.kind}.{n}": s.value for n, s in subject.facts.items()}
        if subject.kind in SHARED:
            values = {}
        values |= {n: report.facts(n, subject) for n, f in FACTS.items() if f.of == subject.kind}
        rows += [
            (f"{n} = {short(value_text(v))}", subject.id)
            for n, v in values.items()
            if n not in SENTENCES
        ]
    return rows


def edge_line(edge: Any) -> str:
    data = {k: value_text(v) for k, v in edge.data.items() if v is not None and k not in SENTENCES}
    tail = "".join(f" {k}={short(v)}" for k, v in sorted(data.items()))
    return f"edge {edge.kind} {edge.start} -> {edge.end}{tail}"


def law(report: Any) -> list[str]:
    """The verdict, findings, edges, budgets and facts of a build, one sorted line each."""
    findings = [(f"{f.rule.id} {f.verdict} {f.severity}", f.subject) for f in report.findings]
    parts = [
        f"part {s.id} {s.kind} {s.part or '-'} x{s.count}{'' if s.listed else ' not listed'}"
        for s in report.graph.subjects.values()
        if s.kind not in SHARED
    ]
    measures = [
        f"budget {value_text(Interval(b.used.low, b.used.high))} of "
        f"{value_text(Interval(b.available.low, b.available.high))} "
        f"{b.state.replace('edge', 'at the edge')} {b.severity or '-'}"
        for b in budget_answers(report)
    ]
    return [
        f"verdict {report.verdict}",
        *grouped(findings),
        *sorted(parts),
        *sorted(map(edge_line, report.graph.edges)),
        *sorted(measures),
        *grouped([row for row in fact_rows(report) if "._" not in row[0]]),
    ]


def hold(name: str, lines: list[str]) -> None:
    """Compare with a law, but for facts that it does not name; or write it anew."""
    path = FROZEN / "law" / f"{name}.txt"
    if FREEZE != "law":
        known = {x.partition(" = ")[0] for x in path.read_text(encoding="utf-8").splitlines()}
        lines = [x for x in lines if " = " not in x or x.partition(" = ")[0] in known]
    compare(path, lines, rewrite=FREEZE == "law")


@pytest.mark.parametrize("name", BUILDS)
def test_the_law_of_a_build_stays(name, catalog, rulebook) -> None:
    """Findings, placement, budgets and facts are what they were."""
    hold(name, law(check(BUILDS[name].read_bytes(), "build.yaml", catalog, rulebook, TODAY)))


def test_the_law_of_what_all_builds_share_stays(catalog, rulebook) -> None:
    """What standards, connectors and adapters are taken for."""
    rows: dict[tuple[str, str], None] = {}
    for build in BUILDS.values():
        graph = check(build.read_bytes(), "build.yaml", catalog, rulebook, TODAY).graph
        for subject in graph.subjects.values():
            if subject.kind in SHARED:
                facts = {n: short(value_text(f.value)) for n, f in subject.facts.items()}
                rows |= {(f"{subject.kind}.{n} = {v}", subject.id): None for n, v in facts.items()}
    hold("shared", grouped(list(rows)))


GROUPS = {"@all": tuple(BUILDS), "@scenarios": SCENARIOS, "@few": FEW}


def cases() -> dict[str, str]:
    """Name of the file → arguments of the program."""
    found = {}
    for name, words in yaml.safe_load((FROZEN / "cases.yaml").read_text(encoding="utf-8")).items():
        which = re.search("|".join(GROUPS), words)
        for build in GROUPS[which[0]] if which else ("",):
            found[name.replace("*", build)] = re.sub("|".join(GROUPS), f"@{build}", words)
    return found


CASES = cases()
#: Pages and JSON of this build are kept whole.
WHOLE = tuple(
    f"{name}{tail}" for name in ("lab-4x3090", "t6-4x4090-1600w") for tail in ("", ".json")
)
#: Commands that have no day.
TIMELESS = ("rules", "explain", "parts", "import", "init")
#: Commands whose JSON lists everything there is.
LONG = ("rules", "parts")
#: Answers in text that are not asked for at length.
SCREENS = re.compile(
    "(validate|cost|fit|scale|limit|speed|repair|why|sensitivity|configure|complete|advise) (?!.*(@.* @|--(all|chart|format|verbose))).+"
)
#: Headings of tags that begin a line of a page.
BLOCKS = re.compile(
    "address|article|aside|blockquote|caption|d[dlt]|details|div|fig.*|footer|form|h[1-6r]|header|legend"
    "|li|main|nav|ol|p|pre|section|summary|table|t(body|ext|head|itle|r)|ul"
)


class Visible(HTMLParser):
    """The visible text of a page, one block a line."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.hidden = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag in ("style", "script"):
            self.hidden = tag
        if tag == "input":
            self.text += "[x] " if dict(attrs).get("checked") is not None else "[ ] "
        self.text += "\n" if BLOCKS.fullmatch(tag) else " | " if tag in ("td", "th") else ""
        self.text += "# " if tag == "h2" else ""

    def handle_endtag(self, tag: str) -> None:
        self.hidden = "" if tag == self.hidden else self.hidden
        self.text += "\n" if BLOCKS.fullmatch(tag) else ""

    def handle_data(self, data: str) -> None:
        self.text += "" if self.hidden else re.sub(r"\s+", " ", data)


def page_lines(text: str, *, whole: bool) -> list[str]:
    """The blocks of a page; or, if it is not kept whole, its headings with digests of what follows."""
    page = Visible()
    page.feed(text)
    lines = [re.sub(r"\s+", " ", line).strip(" |") for line in page.text.splitlines()]
    lines = [line for line in lines if line]
    if whole:
        return [short(line) for line in lines]
    found, heads = [], [n for n, line in enumerate(lines) if line.startswith("# ")]
    for start, end in itertools.pairwise([*heads, len(lines)]):
        found.append(
            f"{lines[start]}: {end - start - 1} lines {digest(chr(10).join(lines[start:end]))}"
        )
    return [*map(short, lines[: heads[0]]), *found]


def data_lines(name: str, value: Any, depth: int, deepest: int) -> list[str]:
    """JSON as lines: what holds no more lists or objects, or lies deep, is one; passes are left out."""
    head = "  " * depth + name
    if isinstance(value, dict):
        value = {
            k: v for k, v in value.items() if k not in ("trail", "facts", "sources", "seconds")
        }
        if depth < deepest and any(map(is_nested, value.values())):
            inner = (data_lines(f"{k}: ", v, depth + 1, deepest) for k, v in value.items())
            return [head, *itertools.chain.from_iterable(inner)]
        plain = (f"{k}={short(json.dumps(v, ensure_ascii=False))}" for k, v in value.items())
        return [head + (" ".join(plain) if depth < deepest else short(" ".join(plain)))]
    if isinstance(value, list) and depth < deepest and is_nested(value):
        kept = [v for v in value if not (isinstance(v, dict) and is_pass(v))]
        return [head, *(x for v in kept for x in data_lines("- ", v, depth + 1, deepest))]
    return [head + short(json.dumps(value, ensure_ascii=False))]


def is_nested(value: Any) -> bool:
    """Does it hold objects?"""
    return isinstance(value, dict) or (isinstance(value, list) and any(map(is_nested, value)))


def is_pass(finding: dict[str, Any]) -> bool:
    return "rule" in finding and finding.get("verdict") in ("pass", "not-applicable")


def lines_of(raw: bytes, *, whole: bool) -> list[str]:
    """An output as lines that stay the same from run to run; pages and JSON in outline unless whole."""
    text = re.sub(r"sha256:[0-9a-f]+(\+sha256:[0-9a-f]+)*", "DIGEST", raw.decode())
    text = text.replace(__version__, "VERSION")
    if text.lower().startswith("<!doctype"):
        return page_lines(text, whole=whole)
    if text.startswith("{"):
        lines = data_lines("", json.loads(text), 0, 7 if whole else 4)
        return lines if whole else [short(line) for line in lines]
    return text.splitlines()


def called(words: list[str]) -> str:
    """The name of a command in its schema."""
    return "-".join(words[:2]) if words[0] == "parts" else words[0]


@cache
def schema(name: str) -> Any:
    """What checks the answer of a command."""
    return jsonschema.Draft202012Validator(schema_of(name))


@pytest.mark.usefixtures("_one_answer")
@pytest.mark.parametrize("name", CASES)
def test_what_a_command_prints_stays(name, monkeypatch) -> None:
    """Its exit code, standard output and standard error; JSON is short and keeps its schema."""
    monkeypatch.chdir(ROOT)
    words = shlex.split(re.sub(r"@([\w-]+)", r"tests/builds/\1/build.yaml", CASES[name]))
    if words[0] not in TIMELESS:
        words.append("--today=2026-11-20")
    result = CliRunner().invoke(main, words)
    assert isinstance(result.exception, SystemExit | None), result.exception
    if "json" in words:
        schema(called(words)).validate(json.loads(result.stdout))
        assert len(result.stdout) <= 20_000 or words[0] in LONG
    errors = [f"stderr: {line}" for line in result.stderr.splitlines()]
    lines = [
        f"$ buildcheck {CASES[name]}  -> {result.exit_code}",
        *lines_of(result.stdout_bytes, whole=name.endswith(WHOLE)),
        *errors,
    ]
    compare(FROZEN / f"{name}.txt", lines, rewrite=bool(FREEZE))


def compare(path: Any, lines: list[str], *, rewrite: bool) -> None:
    """Fails with a short difference; or writes the lines."""
    if rewrite:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    frozen = path.read_text(encoding="utf-8").splitlines()
    if frozen == lines:
        return
    shown = [*difflib.unified_diff(frozen, lines, "frozen", "now", n=0, lineterm="")]
    more = f"\n... {len(shown) - MOST_SHOWN} lines more" if len(shown) > MOST_SHOWN else ""
    pytest.fail(
        f"{path.relative_to(ROOT)} has changed\n" + "\n".join(shown[:MOST_SHOWN]) + more,
        pytrace=False,
    )


@pytest.mark.parametrize("name", [n for n in CASES if SCREENS.fullmatch(CASES[n])])
def test_a_plain_answer_fits_a_screen(name) -> None:
    """At most 30 lines of 100 columns, a build 23, and a few more where margins are listed.

    The verdict of a build is in its first line and its last.
    """
    lines = (FROZEN / f"{name}.txt").read_text(encoding="utf-8").splitlines()[1:]
    shown = [line for line in lines if not line.startswith("stderr: ")]
    most = {"sensitivity": 36, "validate": 23}
    assert len(shown) <= most.get(name.partition("/")[0], 30)
    assert max(map(len, shown), default=0) <= 100
    if name.startswith("validate") and CASES[name].count("@") == 1:
        verdict = re.search(r": (FAIL|UNKNOWN|PASS|LIKELY PASS|LIKELY FAIL) ", shown[0])[1]
        assert any(line.startswith(verdict) for line in shown[-2:])


def test_nothing_else_is_frozen() -> None:
    """Each file belongs to a case, and all are small."""
    kept = {p.relative_to(FROZEN).as_posix() for p in FROZEN.rglob("*.txt")}
    laws = {f"law/{name}.txt" for name in (*BUILDS, "shared")}
    assert kept == laws | {f"{name}.txt" for name in CASES}
    assert sum(p.stat().st_size for p in FROZEN.rglob("*.txt")) < 3_000_000
