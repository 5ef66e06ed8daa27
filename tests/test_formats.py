"""Findings for other programs, each format read by one: no name in a build file breaks it."""

import json
import re
from urllib.parse import unquote

import pytest
from click.testing import CliRunner
from junitparser import JUnitXml
from sarif_pydantic import Sarif

from buildcheck.cli import main
from buildcheck.rulebook import load_rulebook

NAME = '](x) | 100 %, <b>&"]]> ::warning::`x`'
BUILD = f"""name: {json.dumps(NAME)}
gpus: 2x RTX 5090 Founders Edition
cpu: Ryzen 9 9950X
motherboard: ASUS ProArt X870E-Creator WiFi
psus: Corsair HX1000i
site: {{outlet: NEMA 5-15}}
waivers:
- {{rule: circuit/continuous-overload-if-it-lasts, subject: site, because: {json.dumps(NAME)}, until: 2026-12-01}}
"""
FILE = "builds/a b,50%.yaml"
ACTION = re.compile(
    r"::(error|warning|notice) file=([^,:]+),line=(\d+)(,col=\d+)?,title=([^,:]+)::(.+)"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Each format of the findings of two builds, one of them with hostile names."""
    folder = tmp_path_factory.mktemp("formats")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "builds").mkdir()
        (folder / FILE).write_text(BUILD, encoding="utf-8")
        (folder / "two.yaml").write_text("gpus: 2x RTX 4090\npsus: 1000W\n", encoding="utf-8")
        forms = ("json", "jsonl", "sarif", "junit", "github", "gitlab", "markdown", "concise")
        outputs = [part for form in forms for part in ("-o", f"{form}={form}")]
        files = (str(folder / FILE), "two.yaml", "--today", "2026-11-21")
        done = CliRunner().invoke(main, ["validate", *files, *outputs, "--statistics"])
        assert done.exit_code == 1, done.output
        return {form: (folder / form).read_text("utf-8") for form in forms} | {"": done.stdout}


@pytest.fixture(scope="module")
def found(made):
    """The findings that every format has: rules by file, without consequences, passes and waived."""
    return [
        (build["file"].rsplit("/")[-1], f["rule"])
        for build in json.loads(made["json"])["answer"]["builds"]
        for f in build["findings"]
        if f.get("cause") is None
        and (
            f["verdict"] in ("fail", "likely-fail")
            or (f["verdict"], f["severity"]) == ("unknown", "error")
        )
    ]


def test_lines(made, found) -> None:
    """One line a finding, as editors and scripts read them; then the verdict, and how often."""
    lines = [
        re.match(r"(.+?\.yaml):\d+:\d+: [a-z ]+ (\w+/\S+) \S", n)
        for n in made["concise"].splitlines()
    ]
    assert sorted((m[1].rsplit("/")[-1], m[2]) for m in lines if m) == sorted(found)
    assert len(lines) == len(found) + 2
    objects = [json.loads(line) for line in made["jsonl"].splitlines()]
    assert sorted((o["file"].rsplit("/")[-1], o["rule"]) for o in objects) == sorted(found)
    assert {line.split()[-1] for line in made[""].splitlines()} == {rule for _, rule in found}


def test_sarif(made, found) -> None:
    """Every rule, places as from the working folder, waived findings as suppressions."""
    run, plain = (
        Sarif.model_validate_json(made["sarif"]).runs[0],
        json.loads(made["sarif"])["runs"][0],
    )
    rules = [rule.id for rule in run.tool.driver.rules]
    assert sorted(rules) == sorted(rule.id for rule in load_rulebook().rules)
    results = [
        (unquote(r.locations[0].physical_location.artifact_location.uri), r) for r in run.results
    ]
    assert {uri for uri, _ in results} == {FILE, "two.yaml"}
    waived = [r.get("suppressions", [])[:1] for r in plain["results"]]
    kept = [
        (uri.rsplit("/")[-1], r.rule_id)
        for (uri, r), one in zip(results, waived, strict=True)
        if not one
    ]
    assert sorted(kept) == sorted(found)
    assert [one[0]["justification"] for one in waived if one] == [NAME]
    prints = [(uri, *r.partial_fingerprints.values()) for uri, r in results]
    assert len(prints) == len(set(prints))


def test_ci(made, found) -> None:
    """JUnit fails what is certain; GitHub and GitLab show each finding at its line."""
    cases = [case for suite in JUnitXml.fromstring(made["junit"]) for case in suite]
    failed = [case for case in cases if case.result and type(case.result[0]).__name__ == "Failure"]
    errors = json.loads(made["json"])["answer"]["builds"]
    assert len(failed) == sum(build["counts"].get("error", 0) for build in errors) > 0
    assert len(cases) > 3 * len(found)
    commands = [ACTION.fullmatch(line) for line in made["github"].splitlines()]
    assert len(commands) == len(found) + 2
    assert {m[2] for m in commands} == {"builds/a b%2C50%25.yaml", "two.yaml"}
    issues = json.loads(made["gitlab"])
    assert [i["check_name"] for i in issues] == [rule for _, rule in found]
    assert len({i["fingerprint"] for i in issues}) == len(issues)


def test_markdown(made, found) -> None:
    """A table of one row a finding; no name ends a cell or is read as markup."""
    rows = [
        re.split(r"(?<!\\)\|", line)
        for line in made["markdown"].splitlines()
        if line.startswith("|")
    ]
    assert {len(row) for row in rows} == {6}
    assert len(rows) == len(found) + 4
    assert "<b>" not in made["markdown"]


def test_colour_is_forced(tmp_path, monkeypatch) -> None:
    """On what is no terminal: the same words as without, of a build that is not decided as well."""
    (tmp_path / "b.yaml").write_text(
        "gpus: 3x RTX 4090\nmobo: MSI Z790 Carbon\npsu: 1600W\n", "utf-8"
    )
    plain = CliRunner().invoke(main, ["validate", str(tmp_path / "b.yaml")]).stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    painted = CliRunner().invoke(main, ["validate", str(tmp_path / "b.yaml")]).stdout
    assert "UNKNOWN" in plain
    assert painted != plain == re.sub("\033\\[\\d+m", "", painted)
