"""A language server for build files over standard input and output, by the library `pygls`."""

import asyncio
import datetime
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import ServerTextPosition, ServerTextRange

from buildcheck import __version__
from buildcheck.cli.batch import lists_gpus
from buildcheck.cli.search import Watch
from buildcheck.cli.settings import Lab
from buildcheck.editor.document import MOST, Mark, OpenBuild, Way, open_build

#: Seconds without a key after which a file is judged, and in which fixes are looked for.
PAUSE, PATIENCE = 0.3, 30.0
_NAME = "buildcheck"


class Server(LanguageServer):
    """Judges the build files that are open, one after the other, apart from the messages."""

    def __init__(self, lab: Lab) -> None:
        super().__init__(_NAME, __version__)
        self.lab, self._pool = lab, ThreadPoolExecutor(1)
        self._open: dict[str, OpenBuild] = {}
        self._ways: dict[str, tuple[str, list[Way]]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def text(self, uri: str) -> str:
        """The text of a file as it is in the editor now; empty if there is none."""
        with suppress(OSError):
            return self.workspace.get_text_document(uri).source
        return ""

    async def asked(self, work: Callable[..., Any], *given: Any) -> Any:
        """What work that takes a while returns."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *given)

    async def build(self, uri: str) -> OpenBuild | None:
        """An open build file, judged as it is now; None if it lists no GPUs."""
        text, path, known = self.text(uri), to_fs_path(uri) or uri, self._open.get(uri)
        if not lists_gpus(text):
            return None
        if known is None or known.text != text:
            today = datetime.datetime.now(tz=datetime.UTC).date()
            known = self._open[uri] = await self.asked(open_build, path, text, self.lab, today)
        return known

    async def ways(self, uri: str, build: OpenBuild) -> list[Way]:
        """Ways to change a build, looked for until the file is changed or patience ends."""
        text, found = self._ways.get(uri, ("", []))
        if text != build.text:
            is_late = Watch(PATIENCE)
            found = await self.asked(build.ways, lambda: is_late() or self.text(uri) != build.text)
            self._ways[uri] = build.text, found
        return found

    async def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """Judge a file."""
        await self.publish(params.text_document.uri)

    def later(self, params: types.DidChangeTextDocumentParams) -> None:
        """Judge a file once nothing was typed for a moment."""
        uri = params.text_document.uri
        if timer := self._timers.pop(uri, None):
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._timers[uri] = loop.call_later(PAUSE, lambda: loop.create_task(self.publish(uri)))

    async def publish(self, uri: str) -> None:
        """Show what is found in a file, unless it was changed meanwhile."""
        version = self.workspace.get_text_document(uri).version
        build = await self.build(uri)
        marks = await self.asked(list, build.marks) if build else []
        # What was closed meanwhile has no version, and is not shown again.
        if version is not None and self.workspace.get_text_document(uri).version == version:
            self._show(uri, [self._diagnostic(uri, mark) for mark in marks], version)

    def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a file that is no longer open, and show nothing of it."""
        uri = params.text_document.uri
        if timer := self._timers.pop(uri, None):
            timer.cancel()
        self._open.pop(uri, None)
        self._ways.pop(uri, None)
        self._show(uri, [])

    def _show(self, uri: str, found: list[types.Diagnostic], version: int | None = None) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def _diagnostic(self, uri: str, mark: Mark) -> types.Diagnostic:
        also = [
            types.DiagnosticRelatedInformation(
                types.Location(uri, self._range(uri, p.line, p.column)), p.name
            )
            for p in mark.also
        ]
        return types.Diagnostic(
            range=self._range(uri, mark.line, mark.column, mark.width),
            message=mark.said,
            severity=types.DiagnosticSeverity[mark.level.capitalize()],
            code=mark.rule,
            source=_NAME,
            related_information=also,
        )

    def _range(self, uri: str, line: int, column: int, width: int = 1) -> types.Range:
        ends = (ServerTextPosition(line - 1, column - 1 + n) for n in (0, width))
        return self.workspace.get_text_document(uri).range_to_client_units(ServerTextRange(*ends))

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """What is known of the part in a line."""
        build = await self.build(params.text_document.uri)
        said = await self.asked(build.hover, params.position.line + 1) if build else ""
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said)) if said else None

    async def completed(self, params: types.CompletionParams) -> types.CompletionList:
        """Names of parts, with what they would make of the build, and keys."""
        uri = params.text_document.uri
        document = self.workspace.get_text_document(uri)
        # Below the last end of a line is a line as well.
        text, codec = self.text(uri), document.position_codec
        lines = [*text.splitlines(keepends=True), ""]
        place = codec.position_from_client_units(lines, params.position)
        line, column = place.line + 1, place.character + 1
        build = await self.build(uri)
        if build is None and all(one.startswith("#") or ":" not in one for one in lines):
            build = OpenBuild(uri, text, None, None)
        labs = self.lab.folders("parts", build.path) if build and build.judging else []
        found = await self.asked(build.suggestions, line, column, labs) if build else []
        items = [
            types.CompletionItem(
                label=one.text,
                detail=one.detail or None,
                sort_text=f"{number:03}",
                filter_text=one.text,
                text_edit=types.TextEdit(
                    self._range(uri, line, one.column, column - one.column), one.text
                ),
            )
            for number, one in enumerate(found)
        ]
        return types.CompletionList(is_incomplete=len(found) == MOST, items=items)

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Safe edits, and where something is found in the range, what `repair` finds."""
        uri, kinds = params.text_document.uri, types.CodeActionKind
        found = [d for d in params.context.diagnostics if d.source == _NAME]
        only = params.context.only or [kinds.QuickFix] * bool(found)
        build = await self.build(uri) if only else None
        ways = await self.asked(build.safe) if build else []
        if build and found and kinds.QuickFix in only:
            ways = [*ways, *await self.ways(uri, build)]
        kind = kinds.QuickFix if kinds.QuickFix in only else kinds.SourceFixAll
        made = []
        for way, of in ((way, build) for way in ways if build):
            title = way.title[:1].upper() + way.title[1:]
            edit = types.WorkspaceEdit({uri: [*map(_text_edit, of.edits(way.text))]})
            made.append(types.CodeAction(title, kind, diagnostics=found, edit=edit))
        return made


def _text_edit(one: tuple[int, int, str]) -> types.TextEdit:
    first, last, text = one
    return types.TextEdit(
        types.Range(types.Position(first - 1, 0), types.Position(last - 1, 0)), text
    )


def serve(lab: Lab) -> None:
    """Serve an editor until it ends."""
    server = Server(lab)
    kinds = [types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll]
    features: dict[str, tuple[Callable[..., Any], Any]] = {
        types.TEXT_DOCUMENT_DID_OPEN: (server.opened, None),
        types.TEXT_DOCUMENT_DID_CHANGE: (server.later, None),
        types.TEXT_DOCUMENT_DID_CLOSE: (server.closed, None),
        types.TEXT_DOCUMENT_HOVER: (server.hover, None),
        types.TEXT_DOCUMENT_COMPLETION: (server.completed, types.CompletionOptions([" "])),
        types.TEXT_DOCUMENT_CODE_ACTION: (server.actions, types.CodeActionOptions(kinds)),
    }
    for name, (work, options) in features.items():
        # The library writes on what it is given, which a method does not take.
        server.feature(name, options)(partial(work))
    server.start_io()
