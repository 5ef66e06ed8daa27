"""Findings for other programs, each format read by one: no name in a build file breaks it."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote

import click
import jsonschema
import mypy.api
import pytest
import yaml
from click.testing import CliRunner
from conftest import ROOT, each_row, flat, table
from junitparser import JUnitXml
from sarif_pydantic import Sarif

import buildcheck
from buildcheck import api
from buildcheck.cli import main
from buildcheck.cli.declared import parsed
from buildcheck.rulebook import load_rulebook

#: A build whose names are markup, and whose waiver has its name for a reason.
BUILD = table("formats", "build")
NAME = yaml.safe_load(BUILD)["name"]
WAIVER = "- {rule: space/cards-touch, subject: 'gpus[0]', because: a test, until: 2026-12-01}\n"
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
        (folder / "two.yaml").write_text("gpus: 4x RTX 3080\npsus: 1600W\n", encoding="utf-8")
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
    run = Sarif.model_validate_json(made["sarif"]).runs[0]
    plain = json.loads(made["sarif"])["runs"][0]
    assert {rule.id for rule in run.tool.driver.rules} == {r.id for r in load_rulebook().rules}
    places = [one.locations[0].physical_location for one in run.results]
    results = [
        (unquote(p.artifact_location.uri), r) for p, r in zip(places, run.results, strict=True)
    ]
    assert {uri for uri, _ in results} == {FILE, "two.yaml"}
    waived = [r.get("suppressions", [])[:1] for r in plain["results"]]
    kept = [
        (uri.rsplit("/")[-1], r.rule_id)
        for (uri, r), one in zip(results, waived, strict=True)
        if not one
    ]
    assert sorted(kept) == sorted(found)
    assert [one[0]["justification"] for one in waived if one] == [
        f"until 2026-12-01 by Ana: {NAME}"
    ]
    prints = [r.partial_fingerprints["primaryLocationLineHash"] for r in run.results]
    assert len(prints) == len(set(prints))


def test_a_file_outside_has_an_address(run, tmp_path, monkeypatch) -> None:
    """As from the root, which is named; a line above it leaves the fingerprints as they are."""
    (tmp_path / "work").mkdir()
    (tmp_path / "b c.yaml").write_text("# new\n" + BUILD, "utf-8")
    (tmp_path / "a.yaml").write_text(BUILD, "utf-8")
    monkeypatch.chdir(tmp_path / "work")
    words = ("validate", "../a.yaml", "../b c.yaml", "../d.yaml", "--format", "sarif")
    (one,) = json.loads(run(*words).stdout)["runs"]
    notes = one["invocations"][0]["toolExecutionNotifications"]
    found, prints = [], {}
    for result in [*one["results"], *notes]:
        found.append(result["locations"][0]["physicalLocation"]["artifactLocation"])
        of = prints.setdefault(found[-1]["uri"], [])
        of.append(
            "".join({*result.get("partialFingerprints", {}).values()}).rpartition(".yaml ")[2]
        )
    base = one["originalUriBaseIds"]["ROOT"]["uri"]
    assert {base + a["uri"] for a in found if a["uriBaseId"] == "ROOT"} == {
        (tmp_path / name).as_uri() for name in ("a.yaml", "b c.yaml", "d.yaml")
    }
    assert sorted(map(len, prints.values()))[1] > 1
    assert len({*map(tuple, prints.values())}) == 2


def test_paths_are_those_of_the_project(run, tmp_path, monkeypatch) -> None:
    """Wherever in it the program runs."""
    (tmp_path / ".git" / "a").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / ".git" / "a")
    words = ("validate", "build.yaml", "--format", "github")
    assert " file=.git/a/build.yaml," in run(*words, text=BUILD).stdout


def test_ci(made, found) -> None:
    """JUnit fails what is certain; GitHub and GitLab show each finding at its line."""
    cases = [case for suite in JUnitXml.fromstring(made["junit"]) for case in suite]
    failed = [case for case in cases if case.result and type(case.result[0]).__name__ == "Failure"]
    errors = json.loads(made["json"])["answer"]["builds"]
    assert len(failed) == sum(build["counts"].get("error", 0) for build in errors) > 0
    assert len(cases) > 3 * len(found)
    names = [(case._elem.get("file"), case.name) for case in cases]
    assert len({*names}) == len(names)
    assert not [form for form in ("sarif", "junit", "github", "gitlab") if "–" in made[form]]
    commands = [ACTION.fullmatch(line) for line in made["github"].splitlines()]
    assert len(commands) == len(found) + 2
    assert {m[2] for m in commands} == {"builds/a b%2C50%25.yaml", "two.yaml"}
    issues = json.loads(made["gitlab"])
    assert [i["check_name"] for i in issues] == [rule for _, rule in found]
    assert len({i["fingerprint"] for i in issues}) == len(issues)


def test_markdown(made, found) -> None:
    """A table of one row a finding; no name ends a cell or is read as markup."""
    lines = made["markdown"].splitlines()
    rows = [re.split(r"(?<!\\)\|", line) for line in lines if line.startswith("|")]
    assert {len(row) for row in rows} == {6}
    assert len(rows) == len(found) + 4
    assert "<b>" not in made["markdown"]


def test_colour_is_forced(run, monkeypatch) -> None:
    """On what is no terminal: the same words as without, of a build that is not decided as well."""
    text = "gpus: 3x RTX 4090\nmobo: MSI MEG X670E Ace\npsu: 1600W\n"
    plain = run("validate", "build.yaml", text=text).stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    painted = run("validate", "build.yaml").stdout
    assert "UNKNOWN" in plain
    assert painted != plain == re.sub("\033\\[\\d+m", "", painted)
    assert run("validate", "build.yaml", "--color", "never").stdout == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert run("validate", "build.yaml").stdout == plain
    assert run("validate", "build.yaml", "--color", "always").stdout == painted


@pytest.mark.parametrize("name", ["buildcheck.toml", "pyproject.toml"])
@each_row
def test_rules_are_selected(text, options, expected, run, tmp_path, name) -> None:
    """The narrower name wins, and the command line over the file; TOML reads what is printed."""
    table = "[tool.buildcheck]\n" * (name == "pyproject.toml")
    (tmp_path / name).write_text(table + text if text else "", "utf-8")
    done = run("validate", "b.yaml", *options.split(), "--show-settings")
    if done.exit_code:
        assert re.search(expected, flat(done.stderr), re.DOTALL), done.stderr
        return
    left_out = tomllib.loads(done.stdout)["judged"]["left-out"]
    found = [f"{'-' if rule[1:] in left_out else '+'}{rule[1:]}" for rule in expected.split()]
    assert found == expected.split()


def test_a_verdict_by_some_rules_says_so(run, tmp_path) -> None:
    """In every format that has one, on the page as well; programs get the number or the rules."""
    left = sum(rule.domain == "space" for rule in load_rulebook().rules)
    words = f" so far, {left} rules left out"
    said = dict.fromkeys(("github", "markdown", "concise", "html"), words)
    said |= {"json": f'"left_out": {left},', "junit": f'name="rules left out" value="{left}"'}
    outputs = [part for form in (*said, "sarif") for part in ("-o", f"{form}=f.{form}")]
    asked = ("validate", "build.yaml", "--ignore", "space")
    text = run(*asked, *outputs, text="gpus: RTX 3090\nwaivers:\n" + WAIVER).stdout
    assert text.count(words) == 2
    for form, wanted in said.items():
        assert wanted in (tmp_path / f"f.{form}").read_text("utf-8"), form
    read = Sarif.model_validate_json((tmp_path / "f.sarif").read_text("utf-8")).runs[0]
    off = [one["descriptor"]["id"] for one in read.invocations[0].ruleConfigurationOverrides]
    assert (len(off), {name.partition("/")[0] for name in off}) == (left, {"space"})
    # Of a waiver of a rule that does not judge it is not known whether it covers anything.
    assert "Waiver covers nothing" not in text + run(*asked, "-v").stdout.partition("Unknown")[0]


def test_a_machine_that_exists_is_accepted(run, tmp_path) -> None:
    """Until a day, in the file as it is written; what is new fails, and a far end is found."""
    words = ("build.yaml", "--stage", "quote", "--fail-on", "warning", "--today", "2026-11-21")
    text = "gpus: 3x RTX 4090  # bought in 2024\npsus: 1600W\n"
    assert run("validate", *words, text=text).exit_code == 1
    why = ("--because", "it: has run since 2024", "--by", "Ana")
    assert "is past" in run("baseline", *words, *why, "--until", "2026-11-20").stderr
    assert run("baseline", *words, *why).exit_code == 0
    assert (tmp_path / "build.yaml").read_text("utf-8").startswith(text + "waivers:\n  - rule: ")
    done = run("validate", *words, "--format", "concise")
    assert (done.exit_code, " waived)" in done.stdout) == (0, True), done.stdout
    assert "nothing to accept" in run("baseline", *words, *why).stderr
    assert run("validate", *words[:-1], "2027-11-22").exit_code == 1
    renewed = run("baseline", *words[:-1], "2027-11-22", *why, "-o", "-").stdout
    assert renewed == (tmp_path / "build.yaml").read_text("utf-8").replace("2027-11-2", "2028-11-2")
    worse = (tmp_path / "build.yaml").read_text("utf-8").replace("3x RTX 4090", "4x RTX 4090")
    new = run("baseline", *words, *why, "--until", "2029-01-01", "-o", "-", text=worse).stdout
    assert "subject: build" in new.removeprefix(worse)
    found = run("validate", *words, "--format", "concise", text=new).stdout
    assert "record/waiver-far-off Waiver ends in more than a year" in found
    assert ("psu-overload" in found, "psus[0]\n" in new) == (False, True)


@each_row
def test_shells_complete(words, offered, run, tmp_path) -> None:
    """What is typed in bash, by the script that it sources."""
    (tmp_path / "script").write_text(run("completion", "bash").stdout, "utf-8")
    given = f"COMP_WORDS=(buildcheck {words}); COMP_CWORD={len(shlex.split(words))}"
    asked = f'. ./script; {given}; _buildcheck_completion buildcheck; printf "%s\\n" "${{COMPREPLY[@]}}"'
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    replies = subprocess.check_output(["bash", "-c", asked], text=True, env=environ)
    assert sorted(replies.splitlines()) == sorted(offered)
    name = words.split()[0]
    # No module is read for what the table of commands has.
    if quick := parsed(name):
        whole = main.get_command(click.Context(main), name)
        assert [p.opts for p in quick.params] == [p.opts for p in whole.params]


def test_a_first_build_file(run, tmp_path) -> None:
    """It is checked as it is, by its schema as well, and once all its comments are taken out."""
    words = ("--gpus", "2x RTX 3090", "--site", "NEMA 5-15", "--name", "a: [b")
    assert run("init", *words).exit_code == 0
    text = (tmp_path / "build.yaml").read_text("utf-8")
    schema = tmp_path / re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)[1]
    validator = jsonschema.Draft202012Validator(json.loads(schema.read_text("utf-8")))
    bare = re.sub(r"(?m)^# (?=\w+:)|^#(?=   -)", "", text)
    for one, sections in ((text, 3), (bare, 12)):
        validator.validate(data := yaml.safe_load(one))
        assert len(data) == sections
        assert run("validate", "-", stdin=one).exit_code in (0, 1)
    assert "there already" in run("init").stderr
    assert (tmp_path / "build.yaml").read_text("utf-8") == text
    assert run("init", "-o", "-", *words).stdout == text.replace("build.yaml", "-")
    assert "'count' is 0" in run("init", "-o", "x.yaml", "--gpus", "0x RTX 3090").stderr


def test_other_programs_import_it(run, tmp_path) -> None:
    """A path and data alike, as the command line has it; what is wrong has its place; it is lazy."""
    asked = "import sys, buildcheck, buildcheck.cli; print({'yaml', 'pydantic'} & {*sys.modules})"
    assert subprocess.check_output([sys.executable, "-c", asked], cwd=ROOT, text=True) == "set()\n"
    data = {"gpus": "4x RTX 4090", "psus": "1600W"}
    (tmp_path / "build.yaml").write_text(yaml.safe_dump(data), "utf-8")
    printed = json.loads(run("validate", "build.yaml", "--format", "json").stdout)["answer"]
    build, same = buildcheck.check("build.yaml"), buildcheck.check(data)
    assert buildcheck.as_data(build, verbose=False) == printed["builds"][0]
    assert [f.rule for f in build.findings] == [f.rule for f in same.findings]
    by_some = buildcheck.Checker(ignore=("power",)).check(data)
    assert by_some.left_out > 0 == sum(f.rule.startswith("power/") for f in by_some.findings)
    ways = buildcheck.repair(data)
    (tmp_path / "fixed.yaml").write_bytes(ways[0].raw)
    assert ways[0].verdict != "fail"
    change = buildcheck.diff("build.yaml", "fixed.yaml")
    assert (change.before.verdict, change.after.verdict) == ("fail", ways[0].verdict)
    assert buildcheck.find_parts("RTX 4090", "gpu", limit=1).parts[0].kind == "gpu"
    assert {r.id for r in buildcheck.rules()} == {r.id for r in load_rulebook().rules}
    with pytest.raises(buildcheck.InputError) as wrong:
        buildcheck.check({"gpus": "0x RTX 3090"})
    assert [p.message for p in wrong.value.problems] == ["'count' is 0"]
    for bad in (lambda: buildcheck.check(None), lambda: buildcheck.find_parts("x", "gpus")):
        with pytest.raises(buildcheck.InputError, match=r"Give a path|Kinds: "):
            bad()
    assert all(hasattr(buildcheck, n) == (n in buildcheck.NAMES) for n in ("x", *buildcheck.NAMES))


@pytest.mark.slow
def test_other_programs_are_type_checked(tmp_path) -> None:
    """`mypy --strict` knows what each name returns, and a name that is none."""
    file = tmp_path / "consumer.py"
    file.write_text(table("formats", "consumer"), "utf-8")
    cache = Path(os.environ["BUILDCHECK_CACHE_DIR"]) / "mypy"
    said = mypy.api.run(["--strict", "--cache-dir", str(cache), "--config-file", "", str(file)])[0]
    assert [line.partition("  [")[0] for line in said.splitlines()[:-1]] == [
        f"{tmp_path}/{line}" for line in table("formats", "wrong")
    ]
    assert sorted(api.__all__) == sorted(buildcheck.NAMES) == dir(buildcheck)


def test_what_cannot_be_judged_is_written_as_well(run, tmp_path) -> None:
    """With its place, in each format that a program reads, to a file and to the screen."""
    forms = ("json", "jsonl", "sarif", "junit", "github", "gitlab", "concise")
    outputs = [part for form in forms for part in ("-o", f"{form}=f.{form}")]
    text = "gpus: 0x RTX 3090\n"
    done = run("validate", "build.yaml", "none.yaml", *outputs, "--format", "sarif", text=text)
    assert done.exit_code == 2
    made = {form: (tmp_path / f"f.{form}").read_text("utf-8") for form in forms}
    assert made["sarif"] == done.stdout
    (invocation,) = Sarif.model_validate_json(done.stdout).runs[0].invocations
    notes = [] if invocation.execution_successful else invocation.toolExecutionNotifications
    said = ["'count' is 0", "there is no such file"]
    assert [note["message"]["text"].partition(".")[0] for note in notes] == said
    assert notes[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 1
    cases = [case for suite in JUnitXml.fromstring(made["junit"]) for case in suite]
    assert [type(case.result[0]).__name__ for case in cases] == ["Error", "Error"]
    files = [ACTION.fullmatch(line)[2] for line in made["github"].splitlines()]
    assert files == ["build.yaml", "none.yaml"]
    lines = [json.loads(line)["message"] for line in made["jsonl"].splitlines()]
    assert [one["severity"] for one in json.loads(made["gitlab"])] == ["blocker"] * len(lines)
    assert lines == said == [e["message"] for e in json.loads(made["json"])["errors"]]
    assert made["concise"].startswith("build.yaml:1:7: error: 'count' is 0. ")


@each_row
def test_settings_decide(text, options, code, verdict, run, tmp_path) -> None:
    """What makes the exit code 1, and the limits of rules; options win."""
    (tmp_path / "buildcheck.toml").write_text(text, "utf-8")
    build = "gpus: 2x RTX 3080\npsus: 1200W\n"
    done = run("validate", "build.yaml", "-q", *options.split(), text=build)
    assert (done.exit_code, verdict in done.stdout) == (code, True), done.output


def test_a_folder_of_builds(run, tmp_path, monkeypatch) -> None:
    """Each is judged, broken ones as well, in order, by several processes as by one."""
    texts = table("formats", "folder")
    for name, text in texts.items():
        (tmp_path / "labs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "labs" / name).write_text(text, "utf-8")
    forms = ("json", "sarif", "junit", "gitlab", "jsonl", "github", "markdown", "concise")
    outputs = [part for form in forms for part in ("-o", f"{form}=f.{form}")]
    words = ("validate", "labs", "b.yaml", "--select", "power/psu-overload", *outputs)
    (tmp_path / "b.yaml").write_text(texts["a/x.yml"], "utf-8")
    done = run(*words)
    made = {form: (tmp_path / f"f.{form}").read_text("utf-8") for form in forms}
    assert (done.exit_code, flat(done.stderr)[:44]) == (
        2,
        "labs: 2 YAML files without `gpus:` not judge",
    )
    assert "labs/c.yaml:2:1: this is not valid YAML" in flat(done.stderr)
    answer = json.loads(made["json"])
    files = ["labs/a/x.yml", "labs/b.yaml", "b.yaml"]
    assert [build["file"] for build in answer["answer"]["builds"]] == files
    assert [error["path"] for error in answer["errors"]] == ["labs/c.yaml"]
    read = Sarif.model_validate_json(made["sarif"]).runs[0]
    assert [r.rule_id for r in read.results] == ["power/psu-overload"]
    assert [i["check_name"] for i in json.loads(made["gitlab"])] == ["power/psu-overload", "read"]
    suites = [suite.name for suite in JUnitXml.fromstring(made["junit"])]
    assert suites == [*files, "labs/c.yaml"]
    assert all("labs/c.yaml" in text for text in made.values())
    monkeypatch.setattr("buildcheck.cli.batch._WORTH_A_PROCESS", 2)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert run(*words).stdout == done.stdout
    (tmp_path / "labs" / "a" / "x.yml").write_text("jobs: 1\n", "utf-8")
    assert "none of 1 YAML file" in run("validate", "labs/a").stderr
    assert made == {form: (tmp_path / f"f.{form}").read_text("utf-8") for form in forms}


def test_a_folder_that_cannot_be_read_is_not_empty(run, tmp_path, monkeypatch) -> None:
    """It is named, wherever it is; what else there is is judged, and no pipe is waited for."""
    (tmp_path / "labs" / "own").mkdir(parents=True)
    (tmp_path / "labs" / "b.yaml").write_text("gpus: RTX 3090\n", "utf-8")
    os.mkfifo(tmp_path / "labs" / "pipe.yaml")
    scanned = os.scandir

    def scandir(path):
        if str(path).endswith("own"):
            raise PermissionError(13, "Permission denied", str(path))
        return scanned(path)

    monkeypatch.setattr("os.scandir", scandir)
    for words, said in ((["labs"], "1x RTX 3090: "), (["labs/own", "x.yaml"], "x.yaml: error: ")):
        done = run("validate", *words, "-q")
        assert (done.exit_code, said in done.output) == (2, True)
        assert "labs/own: error: it cannot be read: Permission denied\n" in done.stderr


def test_files_are_laid_out(run, tmp_path) -> None:
    """One that cannot be is named, and the others are; looking at what would change writes none."""
    bad, good = "gpus:   RTX 3090\n", "gpus: RTX 3090\n"
    done = run("fmt", "build.yaml", "none.yaml", "--check", text=bad)
    assert (done.exit_code, done.stdout) == (2, "build.yaml\n")
    assert "no such file" in done.stderr
    assert run("fmt", "build.yaml", "--diff").stdout.endswith(f"-{bad}+{good}")
    assert run("fmt", "-", stdin=bad).stdout == good
    codes = [run("fmt", *words).exit_code for words in (["--diff", "."], ["."], [".", "--check"])]
    assert (codes, (tmp_path / "build.yaml").read_text("utf-8")) == ([1, 0, 0], good)
