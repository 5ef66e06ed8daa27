"""Shared by all tests: the shipped rules and parts, and a cache of the tests' own."""

import datetime
import fcntl
import inspect
import math
import os
import re
import shutil
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from remembered import check

from buildcheck import store
from buildcheck.catalog import Catalog, layers
from buildcheck.cli import main
from buildcheck.configure.engine import Engine
from buildcheck.configure.wish.wish import read_wish
from buildcheck.errors import BuildcheckError
from buildcheck.pipeline import Judging
from buildcheck.rulebook import Rulebook, load_rulebook

ROOT = Path(__file__).parent.parent
TODAY = datetime.date(2026, 11, 21)
#: A time after all others, in seconds: of a cache the oldest files go first.
LAST = 2**32
#: How many times as many examples of a property are tried, such as 10 at night.
THOROUGH = int(os.environ.get("BUILDCHECK_THOROUGH", "1"))
#: Files with tests that take several seconds each, the longest first.
LONG = (
    *("test_repair", "test_field", "test_frozen", "test_why", "test_configure_cli", "test_browser"),
    *("test_configure_law", "test_search", "test_properties", "test_limit", "test_commands"),
    *("test_properties_builds", "test_checklist_browser", "test_docs"),
)
#: Of more tests than this some search for builds.
MANY = 2000


@cache
def _tables(stem: str) -> Any:
    return yaml.safe_load((ROOT / "tests" / "tables" / f"{stem}.yaml").read_text("utf-8"))


def table(stem: str, name: str) -> Any:
    """A table of `tests/tables/STEM.yaml`: the rows of a test, or entries by name."""
    return deepcopy(_tables(stem)[name])


def each_row(test: Any, name: str = "") -> Any:
    """A test of each row of the table that is called as it, or each entry by its name.

    The values of a row are what the test takes first.
    """
    stem = Path(test.__code__.co_filename).stem.removeprefix("test_")
    found = table(stem, name or test.__name__.removeprefix("test_"))
    takes = [one for one in inspect.signature(test).parameters if one != "self"]
    if isinstance(found, dict):
        named = [pytest.param(entry, id=key) for key, entry in found.items()]
        return pytest.mark.parametrize(takes[0], named)(test)
    count = len(found[0]) if isinstance(found[0], list) else 1
    return pytest.mark.parametrize(takes[:count] if count > 1 else takes[0], found)(test)


def each_of(name: str) -> Any:
    """A test of each row or entry of a table of another name."""
    return partial(each_row, name=name)


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


def refused(done: Any, *patterns: str) -> None:
    """Exit code 2, nothing on standard output, a sentence in each line, and each pattern on one."""
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    assert isinstance(done.exception, SystemExit)
    lines = flat(done.stderr).splitlines()
    assert all(re.match(r"\S.*: \S.*\.( .*[^ ])?$", line) for line in lines), lines
    for pattern in patterns:
        assert any(re.search(pattern, line) for line in lines), (pattern, lines)


def problems_in(function: Any, *given: Any, **more: Any) -> list[Any]:
    """The problems that a function finds in what it is given."""
    with pytest.raises(BuildcheckError) as raised:
        function(*given, **more)
    return raised.value.problems


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update` writes what the README shows anew."""
    parser.addoption("--update", action="store_true", help="rewrite the README")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first, so that no worker is left alone with it at the end."""

    def place(item: pytest.Item) -> int:
        if item.get_closest_marker("slow"):
            return -1
        return LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG)

    items.sort(key=place)


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
    # Commands in one process share the shipped parts and rules, which do not change meanwhile.
    kept = cache(lambda base: below(base, is_shipped=True))

    def shared(base, *, is_shipped):
        is_own = is_shipped and store.cache_folder() == folder
        return kept(base) if is_own else below(base, is_shipped=is_shipped)

    patch.setattr(layers, "_below", shared)
    book = cache(load_rulebook)

    def rules(given=None, labs=(), limits=()):
        is_own = not (given or labs or limits) and store.cache_folder() == folder
        return book() if is_own else load_rulebook(given, labs, limits)

    patch.setattr("buildcheck.rulebook.load_rulebook", rules)
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
    assert Catalog().ranges.digest
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


def only(rulebook: Rulebook, *names: str) -> Rulebook:
    """The rules of some domains, or of some ids: the others need not be judged to see theirs."""
    rules = tuple(r for r in rulebook.rules if r.domain in names or r.id in names)
    return Rulebook(rules, rulebook.digest)


@pytest.fixture(scope="module")
def _one_answer():
    """What commands search for is found once for text and JSON, as reports are."""
    from buildcheck.configure.repair import repair
    from buildcheck.configure.sweep import limit, sensitivity
    from buildcheck.configure.why import build

    kept: dict[Any, Any] = {}

    def once(found, key):
        def run(*given, **more):
            name = (found, key(*given))
            if name not in kept:
                # What a key is made of must not go away.
                kept[name] = found(*given, **more), given
            return kept[name][0]

        return run

    def of(report):
        return report.document.path, report.document.digest

    with pytest.MonkeyPatch.context() as patch:
        for home, name, key in (
            (repair, "repair", lambda raw, path, *_: (raw, path)),
            (limit, "limits", lambda report, _, aim: (of(report), aim)),
            (sensitivity, "sensitivity", lambda trials: of(trials.report)),
            (build, "why_build", lambda trials, *_: of(trials.report)),
        ):
            patch.setattr(home, name, once(getattr(home, name), key))
        yield


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the program in an empty folder that holds `build.yaml` with the given text; it never falls over."""
    monkeypatch.chdir(tmp_path)

    def start(
        *arguments: object, text: str | bytes | None = None, stdin: str | bytes | None = None
    ):
        if text is not None:
            Path("build.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
        done = CliRunner().invoke(main, [str(a) for a in arguments], input=stdin)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        assert "Traceback" not in done.output
        return done

    return start


@pytest.fixture(scope="session")
def judging(catalog: Catalog, rulebook: Rulebook) -> Judging:
    """What builds are judged by."""
    return Judging(catalog, rulebook, TODAY)


def build_text(given: str | bytes) -> str:
    """The text of a build of `tests/builds` or `tests/field` by its name, or what is one."""
    text = given if isinstance(given, str) else given.decode()
    home = ROOT / "tests" / ("" if "/" in text else "builds") / text / "build.yaml"
    is_name = text and not {*" \n"} & {*text}
    return home.read_text("utf-8") if is_name else text


@pytest.fixture(scope="session")
def judged(catalog: Catalog, rulebook: Rulebook):
    """Text or name of a build → its report, on demand by the rules of some domains alone."""

    def run(given: str | bytes, *domains: str):
        book = only(rulebook, *domains) if domains else rulebook
        return check(build_text(given).encode(), "build.yaml", catalog, book, TODAY)

    return run


@pytest.fixture(scope="session")
def engine(catalog: Catalog, rulebook: Rulebook) -> Engine:
    """What searches share."""
    return Engine(catalog, rulebook, TODAY)


@pytest.fixture(scope="session")
def sought(engine: Engine):
    """Text of a wish, with other words for some of it → what is searched for it."""
    return lambda text, **but: engine.problem(read_wish(text.encode(), "wish.yaml").but(**but))


@pytest.fixture
def unjudged(catalog: Catalog, rulebook: Rulebook):
    """Text of a build file → its report without a finding, for what is of facts alone."""
    return lambda text: check(text.encode(), "build.yaml", catalog, only(rulebook), TODAY)


@pytest.fixture(scope="session")
def browser():
    """Debian's chromium; one for all tests, as one process has room for one driver."""
    from browsing import chromium

    with chromium() as started:
        yield started
