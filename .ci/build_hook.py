"""Puts the index of the parts catalogue into the wheel, so that nobody's first run makes it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_CODE = "import sys, pathlib, buildcheck.layers as l; l.build(pathlib.Path(sys.argv[1]))"


class IndexHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs once for each wheel; a checkout that is installed as it lies makes its own index."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files of the index and have them taken in."""
        if version == "editable":
            return
        folder = Path(tempfile.mkdtemp(prefix="buildcheck-index-"))
        subprocess.run([sys.executable, "-c", _CODE, str(folder)], cwd=self.root, check=True)
        for path in sorted(folder.iterdir()):
            build_data["force_include"][str(path)] = f"buildcheck/_data/built/{path.name}"
