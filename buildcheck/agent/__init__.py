"""Checking, repairing and part search as tools for agents, by the library `mcp` over stdio.

Each tool returns the JSON that the command of its name prints with `--format json`.
"""

import datetime
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent

from buildcheck import __version__
from buildcheck.cli.search import Watch
from buildcheck.cli.settings import Lab
from buildcheck.configure.repair.repair import repair as repaired
from buildcheck.importers.parts.lookup import part_search_answer
from buildcheck.model.vocabulary import caught
from buildcheck.render.envelope import enveloped
from buildcheck.report.answer import ValidateAnswer
from buildcheck.report.build import build_answer

_FILE = "build.yaml"
#: One tool works at a time: they share the catalogue.
_WORK = threading.Lock()


def serve(lab: Lab) -> None:
    """Serve an agent until it ends. Settings are those of the working folder."""
    about = "Checks a proposed multi-GPU machine. Builds are the YAML text of a build file."
    server = MCPServer("buildcheck", version=__version__, instructions=about)

    def judging() -> Any:
        return lab.judging(datetime.datetime.now(tz=datetime.UTC).date())

    @_tool(server, "validate")
    def validate(build: str, *, verbose: bool = False) -> Any:
        """Judge a build: verdict, findings with fixes, placement, budgets, and what is missing.

        `build` is the text of a build file, such as `gpus: 4x RTX 4090` and `psus: 1600W` in two
        lines. `verbose` adds what passed, and the arithmetic with its sources.
        """
        report = judging().check(build.encode(), _FILE)
        return ValidateAnswer((build_answer(report, verbose=verbose, facts=verbose),))

    @_tool(server, "repair")
    def repair(build: str, seconds: float = 30) -> Any:
        """Find the cheapest changes after which nothing fails, each with its cost and diff.

        The search ends after `seconds` with what was found until then.
        """
        return repaired(build.encode(), _FILE, judging(), stop=Watch(seconds))

    @_tool(server, "parts-search")
    def search_parts(words: str, kind: str | None = None, limit: int = 20) -> Any:
        """Find parts of the catalogue by words of their names, as build files may name them.

        `kind` is gpu, cpu, motherboard, psu, case, cooler, memory, storage or another.
        """
        return part_search_answer(words, kind, limit, lab.folders("parts"))

    server.run()


def _tool(server: MCPServer[Any], command: str) -> Callable[[Callable[..., Any]], Any]:
    """Make a function a tool that returns its answer as the JSON of a command."""

    def dress(work: Callable[..., Any]) -> Any:
        @wraps(work)
        def run(**given: Any) -> CallToolResult:
            verbose, answer = bool(given.get("verbose")), None
            with _WORK, caught(_FILE) as problems:
                answer = work(**given)
            said = enveloped(command, answer, problems, verbose=verbose)
            return CallToolResult(content=[TextContent(text=said)], is_error=answer is None)

        return server.tool(structured_output=False)(run)

    return dress
