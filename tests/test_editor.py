"""What serves editors and agents, as clients of their protocols meet it over standard streams."""

import asyncio
import datetime
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import jsonschema
from cases import at
from conftest import TODAY, each_of, table
from lsprotocol import types as lsp
from mcp import Client, StdioServerParameters, stdio_client
from pygls.lsp.client import LanguageClient

from buildcheck.cli.settings import Lab
from buildcheck.docs.schemas import schema_of
from buildcheck.editor.document import open_build

BUILD = table("editor", "build")
SOON = datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(30)
WAIVER = f"{{rule: power/psu-overload, subject: ups, because: x, until: {SOON}}}"
UNUSED = f"{BUILD}waivers: [{WAIVER}]\n"


class Editor(LanguageClient):
    """An editor with one file open."""

    def __init__(self, path: Path) -> None:
        super().__init__("editor", "1")
        self.uri, self.version, self.shown = path.as_uri(), 0, asyncio.Queue()

        @self.feature("textDocument/publishDiagnostics")
        def _shown(shown: lsp.PublishDiagnosticsParams) -> None:
            self.shown.put_nowait(shown)

    async def found(self, rule: str) -> lsp.Diagnostic | None:
        """What is shown next of a rule."""
        shown = await asyncio.wait_for(self.shown.get(), 120)
        assert 0 <= shown.version <= self.version
        return next((d for d in shown.diagnostics if d.code == rule), None)

    async def closed(self) -> Sequence[lsp.Diagnostic]:
        """What is shown of the file once it is closed."""
        self.text_document_did_close(lsp.DidCloseTextDocumentParams(self.file))
        return (await asyncio.wait_for(self.shown.get(), 120)).diagnostics

    async def end(self) -> None:
        await self.shutdown_async(None)
        self.exit(None)
        await self.stop()
        assert self._server.returncode == 0

    def write(self, text: str) -> None:
        """Type over the whole file."""
        self.version += 1
        named = lsp.VersionedTextDocumentIdentifier(self.version, self.uri)
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(named, [whole]))

    async def completed(self, line: int, column: int) -> dict[str, lsp.CompletionItem]:
        """What is proposed at a place."""
        at = lsp.CompletionParams(self.file, lsp.Position(line, column))
        found = await self.text_document_completion_async(at)
        return {item.label: item for item in found.items}

    async def actions(self, found: list[lsp.Diagnostic], only: list[str] | None = None):
        """The changes that are offered, with the edits of each."""
        at = found[0].range if found else lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
        asked = lsp.CodeActionContext(found, only)
        offered = await self.text_document_code_action_async(
            lsp.CodeActionParams(self.file, at, asked)
        )
        return {action.title: action.edit.changes[self.uri] for action in offered}

    @property
    def file(self) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri)


async def session(path: Path) -> None:  # noqa: PLR0915 - one session
    """Open a build file, look at it, complete it, fix it."""
    editor = Editor(path)
    await editor.start_io(sys.executable, "-m", "buildcheck", "lsp", "--isolated")
    await editor.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities()))
    editor.initialized(lsp.InitializedParams())
    opened = lsp.TextDocumentItem(editor.uri, "yaml", 0, UNUSED)
    editor.text_document_did_open(lsp.DidOpenTextDocumentParams(opened))
    overload = await editor.found("power/psu-overload")
    assert overload.severity == lsp.DiagnosticSeverity.Error
    assert "PSU 1 overloaded" in overload.message
    assert (overload.range.start.line, overload.range.start.character) == (2, 6)
    assert BUILD.splitlines()[2][6 : overload.range.end.character] == "{"
    assert {i.location.range.start.line for i in overload.related_information} >= {1}

    hover = lsp.HoverParams(editor.file, lsp.Position(1, 8))
    said = (await editor.text_document_hover_async(hover)).contents.value
    assert said.count("**Gigabyte GeForce RTX 3090 TURBO 24G** · 350 W") == 1
    assert "- cooling: blower (" in said
    hover.position = lsp.Position(2, 0)
    assert "- sustained: " in (await editor.text_document_hover_async(hover)).contents.value
    hover.position = lsp.Position(0, 0)
    assert await editor.text_document_hover_async(hover) is None

    # A way of `repair` is applied: after it the PSU is not overloaded.
    ways = await editor.actions([overload])
    assert any(title.startswith("Make the safe edits") for title in ways)
    edits = next(edits for title, edits in ways.items() if "instead of Corsair RM650x" in title)
    lines = UNUSED.splitlines(keepends=True)
    for edit in reversed(edits):
        lines[edit.range.start.line : edit.range.end.line] = [edit.new_text]
    editor.write("".join(lines))
    assert await editor.found("power/psu-overload") is None
    (safe,) = (await editor.actions([], ["source.fixAll"])).values()
    assert [edit.new_text for edit in safe] == [""]

    # Names are proposed with what they would make of the build, after signs of two units too.
    text = BUILD.replace(
        "psus: {part: Corsair RM650x", "psus: {price: 90 EUR, note: 😀, part: corsair ax16"
    )
    editor.write(text)
    column = len(text.splitlines()[2].partition(", count")[0].encode("utf-16-le")) // 2
    item = (await editor.completed(2, column))["Corsair AX1600i"]
    assert item.text_edit.range.start.character == column - len("corsair ax16")
    assert item.detail.startswith("LIKELY PASS")
    editor.write(BUILD + "mother\n")
    assert "motherboard: " in await editor.completed(4, 6)
    below = (await editor.completed(5, 0))["memory: "].text_edit.range
    assert below.start == below.end == lsp.Position(5, 0)

    # What cannot be read is shown where it is, and what is no build file is left alone.
    editor.write("gpus: 4\n")
    while not (wrong := await editor.found("read")) or wrong.range.start.line:
        pass
    assert wrong.severity == lsp.DiagnosticSeverity.Error
    editor.write("jobs: [a]\n")
    assert await editor.found("read") is None
    assert await editor.completed(0, 0) == {}
    hover.text_document = lsp.TextDocumentIdentifier(f"{editor.uri}.gone")
    assert await editor.text_document_hover_async(hover) is None
    editor.write("# new\n")
    assert "gpus: " in await editor.completed(1, 0)
    assert await editor.closed() == ()
    await editor.end()


def test_an_editor_is_served(tmp_path) -> None:
    """Findings with places, hover, completion with verdicts, and fixes that fix."""
    path = tmp_path / "a büild.yaml"
    path.write_text(BUILD, "utf-8")
    asyncio.run(session(path))


@each_of("completed")
def test_what_is_typed_is_completed(completed, proposed) -> None:
    """Keys, words and names, wherever they stand."""
    text = "gpus: 2x RTX 3090\n" * ("gpus" not in completed) + completed
    build = open_build("b.yaml", text, Lab(isolated=True), TODAY)
    lines = text.split("\n")
    found = build.suggestions(len(lines), len(lines[-1]) + 1, [])
    assert proposed in [one.text for one in found]


def test_a_bug_is_said(monkeypatch) -> None:
    """An editor shows where the program failed."""
    monkeypatch.setattr("buildcheck.pipeline.load", lambda *_: 1 / 0)
    (mark,) = open_build("b.yaml", "gpus: RTX 3090\n", Lab(isolated=True), TODAY).marks
    assert "ZeroDivisionError: division by zero (" in mark.said


async def asked(tool: str, **given) -> tuple[bool, dict]:
    """Whether a tool refuses, and what it answers."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "buildcheck", "mcp", "--isolated"], env=dict(os.environ)
    )
    async with Client(stdio_client(server)) as client:
        tools = {one.name: one for one in (await client.list_tools()).tools}
        assert {*tools} == {"validate", "repair", "search_parts"}
        assert {*tools["search_parts"].input_schema["properties"]} == {"words", "kind", "limit"}
        result = await client.call_tool(tool, given)
        return bool(result.is_error), json.loads(result.content[0].text)


@each_of("agent")
def test_an_agent_is_served(tool, given, expected) -> None:
    """Each answer keeps the schema of the command; what is wrong with a build has its place."""
    is_refused, data = asyncio.run(asked(tool, **given))
    jsonschema.validate(data, schema_of(data["command"]))
    assert at(data, expected)
    assert is_refused is ("errors" in data)


@each_of("not_installed")
def test_what_is_not_installed_is_named(name, room, libraries, run, monkeypatch) -> None:
    for library in libraries:
        monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"buildcheck.{room}", raising=False)
    done = run(name)
    assert (done.exit_code, f"Install buildcheck[{name}]" in done.stderr) == (2, True)
