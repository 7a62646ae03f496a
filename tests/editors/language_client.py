"""A client of language servers: it asks what an editor asks, at a mark in a text.

    with LanguageClient(["passgen", "lsp"], folder) as client:
        client.complete("passes:\n  A:\n    ¦\n")

The cursor is at the mark `¦` of a text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient as PyglsClient

CURSOR = "¦"
"""The mark of the cursor in texts."""

PATIENCE_S = 60

_Answer = TypeVar("_Answer")


class LanguageClient:
    """Starts a language server, and talks to it over its standard streams."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        *,
        settings: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Prepare to start a server.

        Args:
            command: its command line.
            folder: the folder of the workspace.
            settings: the settings that the server may ask for, by section.
            options: what the server gets when it is initialized.
        """
        self._command = command
        self._folder = folder
        self._settings = settings or {}
        self._options = options
        self._loop = asyncio.new_event_loop()
        # A browser of the same session has a running loop in this thread.
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._client = PyglsClient("tests", "1")
        self._problems: dict[str, list[lsp.Diagnostic]] = {}
        self._published = asyncio.Event()
        self._number = 0
        self.errors: list[object] = []
        """The errors that the server itself reported."""
        self._messages: asyncio.Queue[str] = asyncio.Queue()

    def __enter__(self) -> Self:
        """Start the server."""
        self._run(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        """End the server."""
        self._run(self._stop())
        self._thread.shutdown()
        self._loop.close()

    async def _start(self) -> None:
        client = self._client

        def take(params: lsp.PublishDiagnosticsParams) -> None:
            self._problems[params.uri] = list(params.diagnostics)
            self._published.set()

        def note(event: object) -> None:
            self.errors.append(event)

        def show(params: lsp.ShowMessageParams | lsp.LogMessageParams) -> None:
            self._messages.put_nowait(params.message)

        def configure(params: lsp.ConfigurationParams) -> list[Any]:
            return [self._settings.get(item.section or "") for item in params.items]

        client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(take)
        client.feature(lsp.WORKSPACE_CONFIGURATION)(configure)
        client.feature(lsp.CLIENT_REGISTER_CAPABILITY)(lambda _: None)
        client.feature("telemetry/event")(note)
        client.feature(lsp.WINDOW_SHOW_MESSAGE)(show)
        client.feature(lsp.WINDOW_LOG_MESSAGE)(show)
        await client.start_io(*self._command, cwd=self._folder)
        item = lsp.ClientCompletionItemOptions(
            snippet_support=True, documentation_format=[lsp.MarkupKind.Markdown]
        )
        capabilities = lsp.ClientCapabilities(
            workspace=lsp.WorkspaceClientCapabilities(configuration=True),
            text_document=lsp.TextDocumentClientCapabilities(
                completion=lsp.CompletionClientCapabilities(completion_item=item)
            ),
        )
        await client.initialize_async(
            lsp.InitializeParams(
                capabilities=capabilities,
                process_id=None,
                root_uri=self._folder.as_uri(),
                initialization_options=self._options,
            )
        )
        client.initialized(lsp.InitializedParams())
        client.workspace_did_change_configuration(
            lsp.DidChangeConfigurationParams(settings=self._settings)
        )

    async def _stop(self) -> None:
        await self._client.shutdown_async(None)
        self._client.exit(None)
        await self._client.stop()  # type: ignore[no-untyped-call] # pygls has no type there

    def _run(self, asked: Coroutine[Any, Any, _Answer]) -> _Answer:
        answer = asyncio.wait_for(asked, PATIENCE_S)
        return self._thread.submit(self._loop.run_until_complete, answer).result()

    def open(self, text: str, name: str = "") -> tuple[str, lsp.Position]:
        """Open a document, and return its URI and the place of the cursor."""
        self._number += 1
        path = self._folder / (name or f"opened{self._number}.yaml")
        before, _, after = text.partition(CURSOR)
        last = before.rpartition("\n")[2]
        units = len(last.encode("utf-16-le")) // 2
        item = lsp.TextDocumentItem(path.as_uri(), "yaml", 1, before + after)
        self._client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return item.uri, lsp.Position(before.count("\n"), units)

    def message(self) -> str:
        """Return the next message that the server shows or logs."""
        return self._run(self._messages.get())

    def close(self, uri: str) -> None:
        """Close a document without saving it."""
        self._problems.clear()
        document = lsp.TextDocumentIdentifier(uri)
        self._client.text_document_did_close(lsp.DidCloseTextDocumentParams(document))

    def change(self, uri: str, text: str, version: int = 2) -> None:
        """Replace the text of an open document."""
        self._problems.pop(uri, None)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        document = lsp.VersionedTextDocumentIdentifier(version, uri)
        self._client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(document, [change])
        )

    def complete(self, text: str) -> list[lsp.CompletionItem]:
        """Return what the server proposes at the cursor in `text`."""
        return self.complete_at(*self.open(text))

    def complete_at(self, uri: str, place: lsp.Position) -> list[lsp.CompletionItem]:
        """Return what the server proposes in an open document."""
        document = lsp.TextDocumentIdentifier(uri)
        params = lsp.CompletionParams(document, place)
        found = self._run(self._client.text_document_completion_async(params))
        if isinstance(found, lsp.CompletionList):
            return list(found.items)
        return list(found or ())

    def hover(self, text: str) -> str:
        """Return what the server shows at the cursor in `text`; empty for nothing."""
        uri, place = self.open(text)
        params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), place)
        found = self._run(self._client.text_document_hover_async(params))
        if found is None:
            return ""
        assert isinstance(found.contents, lsp.MarkupContent)
        return found.contents.value

    def definition(self, text: str) -> lsp.Location | None:
        """Return the place of what the cursor in `text` is on."""
        uri, place = self.open(text)
        params = lsp.DefinitionParams(lsp.TextDocumentIdentifier(uri), place)
        found = self._run(self._client.text_document_definition_async(params))
        assert found is None or isinstance(found, lsp.Location)
        return found

    def problems(self, text: str) -> list[lsp.Diagnostic]:
        """Return the diagnostics of `text`."""
        return self.problems_of(self.open(text)[0])

    def problems_of(self, uri: str) -> list[lsp.Diagnostic]:
        """Return the diagnostics of an open document, once the server sends them."""
        return self._run(self._wait_for_problems(uri))

    async def _wait_for_problems(self, uri: str) -> list[lsp.Diagnostic]:
        while uri not in self._problems:
            await self._published.wait()
            self._published.clear()
        return self._problems[uri]
