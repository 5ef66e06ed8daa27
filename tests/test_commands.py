"""What holds for every command: its JSON has a schema and keeps it; bad files and names are harmless."""

import ast
import json
import re
import shlex
import tomllib
from typing import Any

import click
import jsonschema
import pytest
import yaml
from cases import BUILDS, holds, part_file, swapped
from click.testing import CliRunner
from conftest import ROOT, each_row, flat, table
from test_frozen import TIMELESS, called

from buildcheck.catalog.layers import kinds
from buildcheck.cli import main
from buildcheck.docs import schemas
from buildcheck.docs.schemas import ALIASES, ANSWERS, answer_class, schema_of
from buildcheck.model import source
from buildcheck.model.rule import rule_files
from buildcheck.model.vocabulary import vocabulary

BUILD = "tests/builds/t6-4x4090-1600w/build.yaml"
#: A build about which every command answers at once.
QUICK = "tests/builds/t2-2x3090-1600w/build.yaml"
#: Arguments with which each command answers within seconds.
WORDS = table("commands", "words")
#: The same in another shape.
MORE = table("commands", "more")
#: Commands that read a build file.
READERS = table("commands", "readers")
#: Ends searches early where their answer does not matter.
HURRY = table("commands", "hurry")
UNREADABLE = (b"", b"\xff\xfe\x00", b"- a list", b"gpus: [", b"gpus: 4", b"cpu: x")


def answering() -> set[str]:
    """The names that commands give where they call `frame.answer`, `form_of` or `show_answer`."""
    found = set()
    for path in (ROOT / "buildcheck").glob("cli*"):
        for file in path.rglob("*.py") if path.is_dir() else [path]:
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call) or not node.args:
                    continue
                called = getattr(node.func, "attr", "") or getattr(node.func, "id", "")
                names = ("answer", "answer_text", "list_answer", "show_answer", "form_of")
                if called in names and isinstance(node.args[0], ast.Constant):
                    found.add(node.args[0].value)
    return found


def test_every_command_that_answers_has_a_schema() -> None:
    """And no other has."""
    assert answering() == set(ANSWERS) == set(WORDS)
    assert set(ALIASES.values()) <= set(ANSWERS)


def test_every_option_is_a_variable(monkeypatch) -> None:
    """Called as the command and the option are written."""
    env = {"BUILDCHECK_PARTS_STATS_FORMAT": "json"}
    assert CliRunner(env=env).invoke(main, ["parts", "stats"]).stdout.startswith("{")
    for name in vocabulary("commands")["commands"]:
        found = main
        for word in name.split():
            found = found.get_command(click.Context(found), word)
        for one in (p for p in found.params if isinstance(p, click.Option)):
            words = f"buildcheck {name} {next(f for f in one.opts if f.startswith('--'))[2:]}"
            monkeypatch.setenv(re.sub("[- ]", "_", words).upper(), "1")
            assert one.value_from_envvar(click.Context(found)), words


@pytest.mark.parametrize("file", ["build", "wish"])
def test_a_file_has_a_schema_for_editors(file) -> None:
    """Which takes what people write, and knows the keys."""
    schema = schema_of(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    builds = [
        ROOT / "tests" / "builds" / "lab-4x3090" / "build.yaml",
        *(ROOT / "tests/field").glob("*/*.yaml"),
    ]
    validator = jsonschema.Draft202012Validator(schema)
    for path in builds[::4] if file == "build" else ():
        validator.validate(yaml.safe_load(path.read_text("utf-8")))
    assert "of one model" in schema["$defs"]["build-file-gpus"]["description"]
    site = schema["$defs"]["build-file-site"]["properties"]
    assert "NEMA 5-15" in site["outlet"]["anyOf"][0]["enum"]
    assert [*site].index("outlet") < [*site].index("socket")


#: Files of each strict form, and a slip in a key of the first.
STRICT = {
    "part": ([min((ROOT / "parts_db" / one).rglob("*.yaml")) for one in kinds()], "source:"),
    "rule": ([path for _, path in rule_files(ROOT / "rules")], "require:"),
    "config": ([ROOT / "templates/docs/lab.html.j2"], "stage ="),
}


@pytest.mark.parametrize("form", STRICT)
def test_a_strict_file_has_a_schema(form) -> None:
    """It takes what is shipped, a part of each kind, every rule, the settings of the reference."""
    files, key = STRICT[form]
    validator = jsonschema.Draft202012Validator(schema_of(form))
    validator.check_schema(validator.schema)
    for path in files:
        text = path.read_text("utf-8")
        if form == "config":
            text = re.search(r"<pre>(stage.*?)</pre>", text, re.DOTALL)[1]
        sound, slip = (
            tomllib.loads(t) if form == "config" else source.read(t.encode(), str(path)).data
            for t in (text, text.replace(key, f"x{key}"))
        )
        validator.validate(sound)
        assert not validator.is_valid(slip), path


@pytest.mark.parametrize("command", ANSWERS)
def test_a_schema_is_a_schema(command) -> None:
    """It keeps the meta-schema, and describes the fields that have comments."""
    schema = schema_of(command)
    jsonschema.Draft202012Validator.check_schema(schema)
    name = answer_class(command).__name__
    assert name in schema["$defs"] or schema["properties"]["answer"]["title"] == name


def printed(*words: str) -> dict[str, Any]:
    """What the program prints as JSON."""
    data: dict[str, Any] = json.loads(CliRunner().invoke(main, [*words, "--format", "json"]).stdout)
    return data


#: Commands whose JSON tests/test_frozen.py holds against its schema, and test_typical.py.
ELSEWHERE = {
    called(words.split())
    for words in yaml.safe_load((ROOT / "tests/frozen/cases.yaml").read_text("utf-8")).values()
    if words.endswith("--format json")
} | {"parts-calibrate"}


@pytest.mark.parametrize("command", sorted(WORDS.keys() - ELSEWHERE | {"validate", "advise"}))
def test_an_answer_keeps_its_schema(command, monkeypatch) -> None:
    """As the program prints it."""
    monkeypatch.chdir(ROOT)
    called = [command] if command in main.elsewhere else command.split("-")
    data = printed(*called, *WORDS[command])
    jsonschema.validate(data, schema_of(command))
    assert "answer" in data


@pytest.mark.parametrize("words", MORE, ids=lambda words: words[0])
def test_an_answer_of_another_shape_keeps_it_too(words, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    jsonschema.validate(printed(*words), schema_of(words[0]))


@pytest.mark.parametrize("command", READERS)
def test_what_cannot_be_read_is_refused(command) -> None:
    """Exit code 2 and a sentence, never a traceback."""
    for raw in UNREADABLE:
        done = CliRunner().invoke(main, [command, "-"], input=raw)
        assert (done.exit_code, done.stdout) == (2, "")
        assert isinstance(done.exception, SystemExit)
        assert done.stderr.strip()


#: A command, the code it ends with, and a file.
ODD = table("commands", "odd")


@pytest.mark.parametrize(("command", "code", "text"), ODD)
def test_what_is_odd_ends_no_command(command, code, text) -> None:
    done = CliRunner().invoke(main, [command, "-"], input=text)
    assert (done.exit_code, type(done.exception)) in ((code, SystemExit), (0, type(None)))


@each_row
def test_a_link_that_points_at_itself_is_refused(words, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    done = CliRunner().invoke(main, words.format(ROOT / BUILD).split())
    assert done.exit_code == 2, done.exception
    assert "loop: error: it cannot be " in done.stderr


@pytest.mark.parametrize("command", READERS)
def test_hostile_names_do_nothing_to_a_terminal(command, tmp_path) -> None:
    """What does something to a terminal is shown as a mark, in the answer and in messages."""
    path = tmp_path / "b\x1b[31m\u202e.yaml"
    for text in ((ROOT / QUICK).read_text("utf-8"), "gpus: 4x no such card\n"):
        path.write_text(f"# \u202e\n{text}", "utf-8")
        done = CliRunner().invoke(main, [command, str(path), *HURRY.get(command, ())])
        assert not {"\x1b", "\u202e"} & {*done.stdout, *done.stderr}


@pytest.mark.parametrize("command", READERS)
def test_what_loading_sets_aside_is_no_trouble_to_others(command, tmp_path) -> None:
    """Also where they load parts of the build anew."""
    kept = yaml.safe_load((ROOT / BUILD).read_text("utf-8"))
    kept |= {"cpu": {**kept["cpu"], "price": 380}, "site": {"notes": "35 C", "voltage": "x"}}
    if command == "complete":
        del kept["case"]
    path = tmp_path / "build.yaml"
    path.write_text(yaml.safe_dump(kept, sort_keys=False), "utf-8")
    words = (*WORDS.get(command, ())[1:], *HURRY.get(command, ()))
    done = CliRunner().invoke(main, [command, str(path), *words])
    assert done.exit_code < 2, done.stderr
    assert done.exception is None or isinstance(done.exception, SystemExit)


COMMANDS, FILES = table("commands", "commands"), table("commands", "files")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_answers(name, tmp_path, monkeypatch) -> None:
    """With its exit code, its words, its JSON, and the files that are there then."""
    case = COMMANDS[name]
    monkeypatch.chdir(tmp_path)
    for file, text in case.get("files", {}).items():
        made = tmp_path / file
        made.parent.mkdir(parents=True, exist_ok=True)
        is_named = isinstance(text, str) and ("\n" not in text or text in FILES)
        raw = swapped({**case, "base": text}, FILES) if is_named else text
        made.write_text(raw if isinstance(raw, str) else json.dumps(raw), "utf-8")
    for file, facts in case.get("parts", {}).items():
        folder, _, part_id = file.partition("/")
        part_file(tmp_path / folder, part_id, facts, "aliases: []" * ("-3090-turbo" in part_id))
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    for line in [case["run"]] if isinstance(case["run"], str) else case["run"]:
        answers(line, case)
    left = [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()]
    kept = [p.relative_to(tmp_path).as_posix() for p in before]
    assert sorted(left) == sorted(case.get("left", kept))
    for file, begins in case.get("writes", {}).items():
        assert (tmp_path / file).read_text("utf-8").startswith(FILES.get(begins, begins))
    assert "writes" in case or "left" in case or all(p.read_bytes() == b for p, b in before.items())


def answers(line, case) -> None:
    """A command says what its case does; refused, it prints nothing and gives each problem a line."""
    there = line.replace("@order", str(ROOT / "tests/orders/build.yaml"))
    words = shlex.split(re.sub(r"@([\w-]+)", rf"{BUILDS}/\1/build.yaml", there))
    words += ["--today=2026-11-21"] * (words[0] not in TIMELESS and "--today" not in words)
    done = CliRunner().invoke(
        main, words, input=FILES.get(case.get("stdin", ""), case.get("stdin"))
    )
    assert isinstance(done.exception, SystemExit | None), done.exception
    assert done.exit_code == case.get("code", 0), done.output
    errors = flat(done.stderr)
    assert not (done.exit_code == 2 and done.stdout)
    holds(None, case, done.stdout or errors)
    assert len(done.stdout.splitlines()) <= case.get("lines", 10**6)
    assert len(errors.splitlines()) == case.get("problems", len(errors.splitlines()))
    holds(None, {"says": case.get("errs", ())}, errors)
    if "json" in case:
        answer = json.loads(CliRunner().invoke(main, [*words, "--format", "json"]).stdout)
        holds(answer["answer"], {"is": case["json"]})


def test_the_command_prints_it() -> None:
    """`report` is `validate`; without a name all are listed, and another is refused."""
    run = CliRunner().invoke
    schema = json.loads(run(main, ["schema", "report"]).stdout)
    assert schema == schema_of("validate")
    jsonschema.validate(data := printed("validate", "no-such-file.yaml"), schema)
    assert "errors" in data
    fields = schema["$defs"]["BudgetAnswer"]["properties"]
    assert fields["share"]["description"].startswith("In percent")
    assert run(main, ["schema"]).stdout.split() == [*schemas.FILES, *ANSWERS]
    refused = run(main, ["schema", "docs"])
    assert refused.exit_code == 2
    assert "validate" in refused.stderr
