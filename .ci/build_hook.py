"""Puts what is made from the data into the wheel, so that nobody's first run makes it.

That is the index of the parts catalogue with what is typical of them, and what searches for builds
need: parts in classes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_CODE = """
import pathlib, sys
import buildcheck.catalog.layers
from buildcheck.catalog import Catalog
from buildcheck.load.price_list import price_book
from buildcheck.configure.search.classes import CURRENCY, Classes
from buildcheck import units
from buildcheck.store import rows_text

into = pathlib.Path(sys.argv[1])
buildcheck.catalog.layers.build(into)
units.pack(into)
(into / "typical.rows").write_bytes(rows_text(*Catalog().ranges.compile()).encode())
Classes(Catalog(), price_book(Catalog(), ()), CURRENCY).pack(into)
"""


class IndexHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs once for each wheel; a checkout that is installed as it lies makes its own index."""

    _folder: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files and have them taken in."""
        if version == "editable":
            return
        folder = self._folder = Path(tempfile.mkdtemp(prefix="buildcheck-index-"))
        subprocess.run([sys.executable, "-c", _CODE, str(folder)], cwd=self.root, check=True)
        for path in sorted(folder.iterdir()):
            build_data["force_include"][str(path)] = f"buildcheck/_data/built/{path.name}"

    def finalize(self, *_: Any) -> None:
        """Leave nothing behind once the wheel is made."""
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
