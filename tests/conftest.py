"""Shared by all tests: the shipped rules and parts, and a cache of the tests' own."""

from __future__ import annotations

import datetime
import fcntl
import math
import os
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from remembered import check

from buildcheck import store
from buildcheck.catalog import Catalog, layers
from buildcheck.cli import main
from buildcheck.rulebook import Rulebook, load_rulebook

ROOT = Path(__file__).parent.parent
TODAY = datetime.date(2026, 11, 21)
#: A time after all others, in seconds: of a cache the oldest files go first.
LAST = 2**32
#: Of more tests than this some search for builds.
MANY = 2000


def table(stem: str, name: str) -> Any:
    """A table of `tests/tables/STEM.yaml`: the rows of a test, or entries by name."""
    return yaml.safe_load((ROOT / "tests" / "tables" / f"{stem}.yaml").read_text("utf-8"))[name]


def flat(stderr: str) -> str:
    """What a command complains of, each problem in one line: `path:1:7: message. advice`."""
    found: list[str] = []
    for line in stderr.splitlines():
        if re.match(r" +\d* \| |\d+ problems.*; nothing was ", line):
            continue
        name = line.removeprefix("  did you mean: ").removeprefix(" " * 16)
        if line.startswith("  did you mean: "):
            found[-1] += f" Did you mean '{name}'?"
        elif line.startswith(" " * 16):
            found[-1] = found[-1].removesuffix("?") + f" or '{name}'?"
        elif line.startswith("  fix: "):
            found[-1] += f" {line[7:]}"
        elif line.startswith("    "):
            # A message or fix goes on.
            apart = " " * (line[4] != ":")
            found[-1] = found[-1].removesuffix(".") + apart + line.strip() + "." * (line[4] != " ")
        else:
            found.append(line + "." * (": error:" in line or line.endswith(":")))
    return "".join(re.sub(": error: ", ": ", text, count=1) + "\n" for text in found)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update` writes what is found into the expected files of `tests/builds`."""
    parser.addoption("--update", action="store_true", help="rewrite expected files")
    parser.addoption(
        "--screenshots", type=Path, metavar="DIR", help="keep pictures of the pages there"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first, so that no worker is left alone with it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """One cache of the tests' own for all workers; no test writes the user's.

    It begins with what is there for this very program, as `.ci/setup` leaves it. Before many tests
    one worker makes the index and what searches need, if they are not there; the others wait.
    """
    patch = pytest.MonkeyPatch()
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared-cache"
    folder.mkdir(exist_ok=True)
    below, before = layers._below, store.cache_folder()
    patch.setenv("BUILDCHECK_CACHE_DIR", str(folder))
    # Commands in one process share the shipped parts, which do not change meanwhile.
    kept = cache(lambda base: below(base, built=True))

    def shared(base, *, built):
        is_own = built and store.cache_folder() == folder
        return kept(base) if is_own else below(base, built=built)

    patch.setattr(layers, "_below", shared)
    # How long a test takes is no matter of what it prints.
    patch.setattr("buildcheck.cli.search.PATIENCE", math.inf)
    with (folder.parent / "shared-cache.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not any(folder.iterdir()):
            _fill(folder, before, learn=len(request.session.items) > MANY)
    yield
    patch.undo()


def _fill(folder: Path, before: Path, *, learn: bool) -> None:
    """The index of the parts, and what searches need, copied or made; no other file replaces them."""
    for path in before.glob(f"*{store._program_stamp()}*"):
        shutil.copy(path, folder)
    if learn:
        CliRunner().invoke(main, ["configure", "--gpus", "RTX 3090"])
    for path in folder.iterdir():
        os.utime(path, (LAST, LAST))


@pytest.fixture(scope="session")
def catalog(_own_cache) -> Catalog:
    """The shipped parts."""
    return Catalog()


@pytest.fixture(scope="session")
def rulebook(_own_cache) -> Rulebook:
    """The shipped rules."""
    return load_rulebook()


@pytest.fixture
def judged(catalog: Catalog, rulebook: Rulebook):
    """Text of a build file → its report."""

    def run(text: str):
        return check(text.encode(), "build.yaml", catalog, rulebook, TODAY)

    return run


@pytest.fixture(scope="session")
def browser():
    """Debian's chromium; one for all tests, as one process has room for one driver."""
    from browsing import chromium

    with chromium() as started:
        yield started
