"""Shared by all tests: the shipped rules and parts, and a cache of the tests' own."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from buildcheck.catalog import Catalog
from buildcheck.check import check
from buildcheck.rulebook import Rulebook, load_rulebook

ROOT = Path(__file__).parent.parent
TODAY = datetime.date(2026, 11, 21)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update` writes what is found into the expected files of `tests/builds`."""
    parser.addoption("--update", action="store_true", help="rewrite expected files")
    parser.addoption(
        "--screenshots", type=Path, metavar="DIR", help="keep pictures of the pages there"
    )


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory):
    """No test reads or writes the user's cache."""
    patch = pytest.MonkeyPatch()
    patch.setenv("BUILDCHECK_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


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
