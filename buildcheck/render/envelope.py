"""Answers as JSON: one envelope for every command, format version 2. Changes only add.

And files as programs look for them.
"""

import json
import os
from collections.abc import Sequence
from os.path import normpath
from pathlib import Path
from typing import Any
from urllib.parse import quote

from buildcheck import __version__
from buildcheck.errors import Problem
from buildcheck.model.answer import plain_answer

FORMAT_VERSION = "2.0"
#: Below this depth everything is on one line: `answer`, `builds`, a build, its lists, their items.
_DEEPEST = 4
#: Where runners of GitHub and GitLab have a project.
_PROJECTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")


def enveloped(
    command: str, answer: Any, problems: Sequence[Problem] = (), *, verbose: bool = False
) -> str:
    """The answer of a command as JSON text, brief unless `verbose`, and what could not be used.

    The answer is None where there is none.
    """
    tool = {"name": "buildcheck", "version": __version__}
    data: dict[str, Any] = {"format_version": FORMAT_VERSION, "tool": tool, "command": command}
    if problems:
        data["errors"] = [problem.as_data() for problem in problems]
    if answer is not None:
        data["answer"] = plain_answer(answer, verbose=verbose)
    return _laid_out(data) + "\n"


def _laid_out(value: Any, depth: int = 0) -> str:
    """JSON with a finding, a part or a field a line."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if depth > _DEEPEST or not any(isinstance(item, dict | list) for item in items):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    rows = [_laid_out(item, depth + 1) for item in items]
    if isinstance(value, dict):
        names = (json.dumps(name, ensure_ascii=False) for name in value)
        rows = [f"{name}: {row}" for name, row in zip(names, rows, strict=True)]
    indent = f"\n{' ' * (depth + 1)}"
    ends = "{}" if isinstance(value, dict) else "[]"
    return f"{ends[0]}{indent}{f',{indent}'.join(rows)}{indent[:-1]}{ends[1]}"


def relative(path: str) -> str:
    """A file as from the project that is checked out, else the working folder, if it is in it."""
    full, here = Path(normpath(Path(path).absolute())), Path.cwd()
    tops = [Path(os.environ[n]) for n in _PROJECTS if os.environ.get(n)]
    tops += [*[f for f in (here, *here.parents) if (f / ".git").exists()][:1], here]
    return str(next((full.relative_to(top) for top in tops if full.is_relative_to(top)), full))


def address(path: str) -> dict[str, str]:
    """Where SARIF finds a file: as from the working folder, or of one outside from the root."""
    uri = quote(relative(path))
    return {"uri": uri[1:], "uriBaseId": "ROOT"} if uri.startswith("/") else {"uri": uri}
