"""The language server of specs: `passgen lsp` answers what editors ask, by pygls.

`editor` has the answers; here they get the positions and types of the protocol.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from passgen.diagnostics import Diagnostic
from passgen.editor import Name, Workspace, read_settings
from passgen.source import Location, SourceFile
from passgen.version import __version__

_SETTLE_S: Final = 0.05
"""How long a document is left alone before its problems are looked for."""

_DRIVER_TIMEOUT_S: Final = 20

_SEVERITIES: Final = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}

_ICONS: Final = {
    "pass": lsp.CompletionItemKind.Function,
    "bundle": lsp.CompletionItemKind.Module,
    "pipeline": lsp.CompletionItemKind.Module,
    "form": lsp.CompletionItemKind.Property,
    "analysis": lsp.CompletionItemKind.Class,
    "tag": lsp.CompletionItemKind.Keyword,
    "rule": lsp.CompletionItemKind.Keyword,
    "option": lsp.CompletionItemKind.Field,
    "value": lsp.CompletionItemKind.EnumMember,
    "key": lsp.CompletionItemKind.Property,
}


_Position: TypeAlias = lsp.CompletionParams | lsp.HoverParams | lsp.DefinitionParams


class SpecServer(LanguageServer):
    """Answers an editor about the specs in its folders."""

    def __init__(self) -> None:
        """Prepare to be started by the editor."""
        super().__init__("passgen", __version__)
        self.specs = Workspace((Path.cwd(),))
        self.mistakes: list[str] = []
        """What is wrong with the options of the editor."""

    def configure(self, params: lsp.InitializeParams) -> None:
        """Take the folders and the settings of the editor."""
        settings, self.mistakes = read_settings(params.initialization_options)
        self.specs = Workspace((Path.cwd(),), settings)
        self.take_folders()

    def take_folders(self) -> None:
        """Take the folders that the editor has open now."""
        uris = [*self.workspace.folders] or [self.workspace.root_uri]
        paths = [to_fs_path(uri) for uri in uris if uri]
        if folders := tuple(Path(path) for path in paths if path):
            self.specs.folders = folders

    def warn(self, text: str) -> None:
        """Show a message about the settings to the user."""
        message = lsp.ShowMessageParams(lsp.MessageType.Warning, f"passgen lsp: {text}")
        self.window_show_message(message)

    async def ask_driver(self) -> None:
        """Let the driver of the settings list its passes."""
        settings = self.specs.settings
        if not settings.driver:
            return
        try:
            names = await _registered_passes(settings.driver)
        except _DriverError as error:
            self.warn(
                f"driver '{settings.driver[0]}' does not list its passes: {error}"
            )
            return
        self.specs.settings = replace(settings, registered=names)
        text = f"driver '{settings.driver[0]}' has {len(names)} passes"
        self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, text))

    def publish(self, uri: str) -> None:
        """Send the problems of an open document."""
        path = _path(uri)
        source = SourceFile(path, self.specs.text_of(path))
        problems = [
            self._diagnostic(problem, source) for problem in self.specs.problems(path)
        ]
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, problems)
        )

    def place(self, params: _Position) -> tuple[str, int, int]:
        """Return path, line and column of a position, counted from 0."""
        path = _path(params.text_document.uri)
        lines = self.specs.text_of(path).split("\n")
        codec = self.workspace.position_codec
        place = codec.position_from_client_units(lines, params.position)
        return path, place.line, place.character

    def location(self, location: Location) -> lsp.Location:
        """Return a location as editors count."""
        uri = from_fs_path(location.source.name) or ""
        return lsp.Location(uri, self._range(location))

    def _range(self, location: Location) -> lsp.Range:
        line, start = location.line - 1, location.column - 1
        text = location.source.line_text(location.line)
        end = max(start, min(start + location.length, len(text)))
        units = self.workspace.position_codec.client_num_units
        return lsp.Range(
            lsp.Position(line, units(text[:start])),
            lsp.Position(line, units(text[:end])),
        )

    def _diagnostic(self, problem: Diagnostic, source: SourceFile) -> lsp.Diagnostic:
        """Return a problem of `source`; one in an included file is linked to."""
        notes = [(note.message, note.location) for note in problem.notes]
        places = [problem.location, *(place for _, place in notes)]
        own = [place for place in places if place and place.source.name == source.name]
        if problem.location not in own:
            notes.insert(0, (problem.message, problem.location))
        message = [problem.message, *(text for text, place in notes if place is None)]
        related = [
            lsp.DiagnosticRelatedInformation(self.location(place), text)
            for text, place in notes
            if place is not None
        ]
        return lsp.Diagnostic(
            self._range(own[0] if own else Location(source, 1, 1)),
            "\n".join(message),
            _SEVERITIES[problem.severity],
            source="passgen",
            related_information=related,
        )


def _initialize(server: SpecServer, params: lsp.InitializeParams) -> None:
    server.configure(params)


async def _initialized(server: SpecServer, _params: lsp.InitializedParams) -> None:
    for mistake in server.mistakes:
        server.warn(mistake)
    await server.ask_driver()


def _change_folders(
    server: SpecServer, _params: lsp.DidChangeWorkspaceFoldersParams
) -> None:
    server.take_folders()


async def _open(server: SpecServer, params: lsp.DidOpenTextDocumentParams) -> None:
    await _take(server, params.text_document.uri)


async def _change(server: SpecServer, params: lsp.DidChangeTextDocumentParams) -> None:
    await _take(server, params.text_document.uri)


async def _take(server: SpecServer, uri: str) -> None:
    """Take the text of a document, and publish problems once it is left alone."""
    path = _path(uri)
    text = server.workspace.get_text_document(uri).source
    server.specs.put(path, text)
    await asyncio.sleep(_SETTLE_S)
    is_open = path in server.specs.open_paths
    if is_open and server.specs.text_of(path) == text:
        server.publish(uri)
        _publish_others(server, path)


def _publish_others(server: SpecServer, path: str) -> None:
    """Publish the problems of documents that may include `path`, or name its passes."""
    for other in server.specs.open_paths:
        if other != path:
            server.publish(from_fs_path(other) or other)


def _close(server: SpecServer, params: lsp.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    server.specs.remove(_path(uri))
    server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))
    _publish_others(server, _path(uri))


def _complete(
    server: SpecServer, params: lsp.CompletionParams
) -> list[lsp.CompletionItem]:
    path, line, column = server.place(params)
    row = server.specs.text_of(path).split("\n")[line]
    colon = "" if ":" in row[column:] else ": "
    names = server.specs.completions(path, line, column)
    return [_item(name, colon if name.kind == "key" else "") for name in names]


def _hover(server: SpecServer, params: lsp.HoverParams) -> lsp.Hover | None:
    name = server.specs.name_at(*server.place(params))
    return lsp.Hover(_markdown(name)) if name else None


def _define(server: SpecServer, params: lsp.DefinitionParams) -> lsp.Location | None:
    found = server.specs.definition(*server.place(params))
    return server.location(found) if found else None


_FEATURES: Final[Mapping[str, Callable[..., object]]] = {
    lsp.INITIALIZE: _initialize,
    lsp.INITIALIZED: _initialized,
    lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: _change_folders,
    lsp.TEXT_DOCUMENT_DID_OPEN: _open,
    lsp.TEXT_DOCUMENT_DID_CHANGE: _change,
    lsp.TEXT_DOCUMENT_DID_CLOSE: _close,
    lsp.TEXT_DOCUMENT_HOVER: _hover,
    lsp.TEXT_DOCUMENT_DEFINITION: _define,
}


def serve() -> None:
    """Answer an editor on standard input and output, until it ends the server."""
    server = SpecServer()
    for name, function in _FEATURES.items():
        server.feature(name)(function)
    begins = lsp.CompletionOptions(trigger_characters=[" ", "(", ",", "{", "["])
    server.feature(lsp.TEXT_DOCUMENT_COMPLETION, begins)(_complete)
    server.start_io()


def _markdown(name: Name) -> lsp.MarkupContent:
    return lsp.MarkupContent(lsp.MarkupKind.Markdown, name.markdown)


def _item(name: Name, end: str) -> lsp.CompletionItem:
    """Return the item that types a name, and `end` behind it."""
    return lsp.CompletionItem(
        name.name,
        insert_text=name.name + end,
        kind=_ICONS[name.kind],
        detail=name.summary,
        documentation=_markdown(name),
    )


def _path(uri: str) -> str:
    """Return the path of a document; of one without a file, its URI."""
    return to_fs_path(uri) or uri


class _DriverError(Exception):
    """A driver does not list its passes."""


async def _registered_passes(command: Sequence[str]) -> tuple[str, ...]:
    """Return the passes of the driver with a command line, by its own completion."""
    asked = f"{command[-1]} --pass-pipeline=any("
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            "--complete",
            asked,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        raise _DriverError(error.strerror or "it cannot be started") from error
    try:
        answer = process.communicate()
        text, messages = await asyncio.wait_for(answer, _DRIVER_TIMEOUT_S)
    except TimeoutError as error:
        message = f"it has not answered within {_DRIVER_TIMEOUT_S} seconds"
        raise _DriverError(message) from error
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode:
        *_, last = ["", *messages.decode("utf-8", "replace").splitlines()]
        raise _DriverError(f"it ended with {process.returncode}: {last}".rstrip(": "))
    _, *names = text.decode("utf-8", "replace").split("\n")
    return tuple(name for name in names if name and not name.endswith("("))
