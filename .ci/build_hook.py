"""Puts what is made from the data into the wheel, so that nobody's first run makes it.

That is what the cache holds once lists were judged: the index of the parts catalogue with what is
typical of them, rules, words and templates as they are compiled, and what searches need.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Folders inside the package, and those that lie beside it in a checkout.
_PACKAGE, _DATA = "buildcheck", ("parts_db", "rules", "templates")
_CODE = """
from buildcheck.catalog import Catalog
from buildcheck.configure.search.classes import CURRENCY, ROLES, Classes
from buildcheck.load.price_list import price_book
from buildcheck.model.build import SECTION_KIND

catalog = Catalog()
for layer in (*catalog.index.layers, catalog.ranges):
    layer.digest
classes = Classes(catalog, price_book(catalog), CURRENCY)
for kind in dict.fromkeys(SECTION_KIND[role] for role in ROLES):
    classes.of(kind)
"""
#: A list as people write them, with a part of each kind.
_LIST = """2x RTX 3090 (used) @ 280W, 700 EUR each
CPU: Threadripper PRO 5955WX + Noctua NH-U14S TR4-SP3
Board: ASUS Pro WS WRX80E-SAGE SE WIFI
RAM: 128GB (8x16GB) DDR4-3200 ECC RDIMM
SSD: Samsung 990 Pro 2TB
PSU: Corsair AX1600i
Case: open frame with risers
fine-tuning 7B models on a 230V 16A outlet
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
        cache, built = folder / "cache", _laid_out(Path(self.root), folder)
        (folder / "list.txt").write_text(_LIST, encoding="utf-8")
        environment = {**os.environ, "BUILDCHECK_CACHE_DIR": str(cache)}
        run = [sys.executable, "-m", _PACKAGE]
        for command in (
            [sys.executable, "-c", _CODE],
            [*run, "import", "list.txt", "-o", "build.yaml"],
            [*run, "validate", "list.txt"],
            [*run, "report", "build.yaml", "-o", "report.html"],
        ):
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, check=False
            )
            if done.returncode not in (0, 1):
                raise RuntimeError(done.stderr.decode())
        for path in sorted([built, *(p for p in cache.iterdir() if p.name != "lock")]):
            build_data["force_include"][str(path)] = f"{_PACKAGE}/_data/built/{path.name}"

    def finalize(self, *_: Any) -> None:
        """Leave nothing behind once the wheel is made."""
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


def _laid_out(root: Path, folder: Path) -> Path:
    """The package as it is installed, of links; the file that names its release."""
    package, total = folder / _PACKAGE, hashlib.sha256()
    (package / "_data" / "built").mkdir(parents=True)
    for path in (root / _PACKAGE).iterdir():
        (package / path.name).symlink_to(path)
    for name in _DATA:
        (package / "_data" / name).symlink_to(root / name)
    for top in (_PACKAGE, *_DATA):
        for path in sorted(p for p in (root / top).rglob("*.*") if p.suffix != ".pyc"):
            if path.is_file():
                total.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    release = package / "_data" / "built" / "release"
    release.write_text(total.hexdigest(), encoding="utf-8")
    return release
