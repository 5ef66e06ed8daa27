"""Puts what is made from the data into the wheel, so that nobody's first run makes it.

That is the index of the parts catalogue with what is typical of them, and what searches for builds
need: parts in classes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_CODE = """
import pathlib, sys
from buildcheck import store, units
from buildcheck.catalog import Catalog
from buildcheck.configure.search.classes import CURRENCY, ROLES, Classes
from buildcheck.load.price_list import price_book
from buildcheck.model.build import SECTION_KIND

into, catalog = pathlib.Path(sys.argv[1]), Catalog()
for layer in (*catalog.index.layers, catalog.ranges):
    layer.digest
    (made,) = store.cache_folder().glob(f"{layer.name}-*.rows")
    made.rename(into / f"{layer.name}.rows")
store.pack(into, "units", units.FILE.read_text(encoding="utf-8"), units.compiled())
classes = Classes(catalog, price_book(catalog), CURRENCY)
for kind in dict.fromkeys(SECTION_KIND[role] for role in ROLES):
    key, make = classes.made(kind)
    store.pack(into, f"classes-{kind}", key, make())
"""


class IndexHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs once for each wheel; a checkout that is installed as it lies makes its own index."""

    _folder: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files and have them taken in."""
        if version == "editable":
            return
        folder = self._folder = Path(tempfile.mkdtemp(prefix="buildcheck-index-"))
        # What is made lies in a cache of its own: nothing is taken from one of somebody's.
        environment = {**os.environ, "BUILDCHECK_CACHE_DIR": str(folder / "cache")}
        command = [sys.executable, "-c", _CODE, str(folder)]
        subprocess.run(command, cwd=self.root, env=environment, check=True)
        for path in sorted(path for path in folder.iterdir() if path.is_file()):
            build_data["force_include"][str(path)] = f"buildcheck/_data/built/{path.name}"

    def finalize(self, *_: Any) -> None:
        """Leave nothing behind once the wheel is made."""
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
