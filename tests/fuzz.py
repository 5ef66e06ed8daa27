"""Damaged files through every command that reads them: `python tests/fuzz.py --seconds 60`.

Real files of each kind are damaged (lines, values, characters, pieces of others) and given to a
command in a process of its own. A traceback, JSON that is none, an exit code that is not documented
and more CPU than `SECONDS` are failures: each is written once, with its file kept in `--keep`.
"""

import argparse
import json
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import yaml
from click.testing import CliRunner

from buildcheck.cli import main as buildcheck

ROOT = Path(__file__).parent.parent
TABLE: dict[str, Any] = yaml.safe_load((ROOT / "tests" / "tables" / "fuzz.yaml").read_text("utf-8"))
#: Seconds of CPU for a command, for one that searches, and that a report of a sound build takes
#: where these hold; on a slower machine they are longer.
SECONDS, SEARCH_SECONDS, USUAL = 2, 10, 0.3
#: Bytes of memory that a command may take.
MEMORY = 3 << 30


class HangError(BaseException):
    """A command took more CPU than it may."""


def corpus() -> dict[str, list[str]]:
    """The texts of each kind: those of files, and those that tables of other tests hold."""
    found: dict[str, list[str]] = {}
    for kind, entry in TABLE["kinds"].items():
        paths = sorted(path for glob in entry.get("files", ()) for path in ROOT.glob(glob))
        found[kind] = [path.read_text("utf-8") for path in paths if path.is_file()]
        found[kind] += entry.get("texts", ())
    return found


def damaged(text: str, others: list[str], draw: random.Random) -> str:
    """A text with one to six changes."""
    for _ in range(draw.choice((1, 1, 2, 3, 6))):
        lines = text.split("\n")
        at = draw.randrange(len(lines))
        other = draw.choice(others).split("\n")
        start = draw.randrange(len(other))
        match draw.randrange(10):
            case 0:
                del lines[at]
            case 1:
                lines.insert(draw.randrange(len(lines)), lines[at])
            case 2:
                lines[at:at] = other[start : start + draw.randint(1, 8)]
            case 3:
                lines[at] = " " * draw.randrange(8) + lines[at].lstrip()
            case 4 | 5 | 6:
                lines[at] = replaced(lines[at], draw)
            case 7:
                place = draw.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:place] + draw.choice(TABLE["signs"]) + lines[at][place:]
            case 8:
                lines[at] = re.sub(r"\d+", lambda _: draw.choice(TABLE["numbers"]), lines[at])
            case 9:
                place, end = sorted(draw.randrange(len(lines[at]) + 1) for _ in "ab")
                lines[at] = lines[at][:place] + lines[at][end:]
        text = "\n".join(lines) or "\n"
    return text


def replaced(line: str, draw: random.Random) -> str:
    """A line with another word, or another value behind its colon."""
    value = draw.choice(TABLE["values"] + TABLE["numbers"])
    if draw.random() < 0.5:
        return re.sub(r"(?<=: ).*", lambda _: value, line, count=1)
    words = re.findall(r"[^\s,:{}\[\]]+", line)
    return line.replace(draw.choice(words), value, 1) if words else value


def stopped(*_: object) -> None:
    """Raise what no command catches."""
    raise HangError


def run(words: list[str], slower: float) -> str:
    """What is wrong with how a command ends; empty if it ends as documented."""
    is_search = {words[0], " ".join(words[:2])} & {*TABLE["searches"]}
    seconds = slower * (SEARCH_SECONDS if is_search else SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, stopped)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        done = CliRunner().invoke(buildcheck, words)
    except HangError:
        return f"more than {seconds:.0f} s of CPU\n{traceback.format_exc(limit=-6)}"
    signal.setitimer(signal.ITIMER_PROF, 0)
    if done.exc_info and not isinstance(done.exception, SystemExit | None):
        return "".join(traceback.format_exception(*done.exc_info))
    if done.exit_code not in (0, 1, 2):
        return f"exit code {done.exit_code}"
    try:
        json.loads(done.stdout) if words[-1:] == ["json"] and done.stdout else None
    except ValueError as error:
        return f"no JSON: {error}"
    return ""


def apart(words: list[str], slower: float, said: Path) -> str:
    """What `run` says in a process of its own, which may end in any way."""
    said.write_text("", "utf-8")
    if not (child := os.fork()):
        said.write_text(run(words, slower), "utf-8")
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return said.read_text("utf-8") or ("" if status == 0 else f"ended by signal {status}")


def main() -> int:
    """Damage and run until the time is over; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=TABLE["kinds"], action="append")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    draw, texts = random.Random(options.seed), corpus()
    sound = str(next(ROOT.glob("tests/builds/*/build.yaml")))
    # What every process needs is read before they part.
    first = ["cost {}", "parts-list {}", "checklist {}", *["report {} -o /dev/null --full"] * 2]
    for words in first:
        start = time.process_time()
        CliRunner().invoke(buildcheck, words.format(sound).split())
    slower = max(1.0, (time.process_time() - start) / USUAL)
    kinds = [k for k in options.kind or texts for _ in range(TABLE["kinds"][k]["share"])]
    counts: Counter[str] = Counter()
    failures: dict[str, str] = {}
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        kind = draw.choice(kinds)
        entry = TABLE["kinds"][kind]
        text = damaged(draw.choice(texts[kind]), texts[kind], draw)
        command = draw.choice(entry["commands"])
        counts[f"{kind}: {command}"] += 1
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            path, whole = folder / entry["name"], folder / "whole"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="")
            whole.write_text(texts["build"][0], "utf-8")
            words = command.format(file=path, folder=folder, whole=whole).split()
            wrong = apart(words, slower, folder / "said")
            # What others do on the machine counts once in a while; what is too slow is so again.
            wrong = wrong and apart(words, slower, folder / "said")
        where = re.findall(r'buildcheck/(\S+\.py)", line (\d+)', wrong)
        key = f"{wrong.strip().splitlines()[-1][:60]} {where[-1:]}" if wrong else ""
        if wrong and key not in failures:
            failures[key] = command
            sys.stdout.write(f"== {command}\n{wrong}\n-- {len(text)} characters\n{text[:2000]}\n")
            sys.stdout.flush()
            if options.keep:
                options.keep.mkdir(exist_ok=True)
                (options.keep / f"{len(failures)}-{path.name}").write_text(text, "utf-8")
    for command, count in sorted(counts.items()):
        sys.stdout.write(f"{count:6} {command}\n")
    sys.stdout.write(f"{counts.total():6} runs, {len(failures)} kinds of failure\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
