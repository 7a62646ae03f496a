"""The language server of specs: `passgen lsp` answers what editors ask, by pygls.

`editor` has the answers; here they get the positions and types of the protocol.
"""

from __future__ import annotations

import asyncio
import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from passgen.diagnostics import Diagnostic
from passgen.editor import Name, Settings, Workspace
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
}


_Position: TypeAlias = lsp.CompletionParams | lsp.HoverParams | lsp.DefinitionParams


class SpecServer(LanguageServer):
    """Answers an editor about the specs of one folder."""

    def __init__(self) -> None:
        """Prepare to be started by the editor."""
        super().__init__("passgen", __version__)
        self.specs = Workspace(Path.cwd())

    def configure(self, params: lsp.InitializeParams) -> None:
        """Take the folder and the settings of the editor."""
        options: dict[str, Any] = dict(params.initialization_options or {})
        root = to_fs_path(params.root_uri) if params.root_uri else None
        settings = Settings(
            specs=tuple(options.get("specs", ())),
            schema=bool(options.get("schema", True)),
            registered=_registered_passes(str(options.get("driver", ""))),
        )
        self.specs = Workspace(Path(root) if root else Path.cwd(), settings)

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
    if server.specs.text_of(path) == text:
        server.publish(uri)
        for other in server.specs.open_paths:
            if other != path:  # it may include the document, or name its passes
                server.publish(from_fs_path(other) or other)


def _close(server: SpecServer, params: lsp.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    server.specs.remove(_path(uri))
    server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def _complete(
    server: SpecServer, params: lsp.CompletionParams
) -> list[lsp.CompletionItem]:
    return [_item(name) for name in server.specs.completions(*server.place(params))]


def _hover(server: SpecServer, params: lsp.HoverParams) -> lsp.Hover | None:
    name = server.specs.name_at(*server.place(params))
    return lsp.Hover(_markdown(name)) if name else None


def _define(server: SpecServer, params: lsp.DefinitionParams) -> lsp.Location | None:
    found = server.specs.definition(*server.place(params))
    return server.location(found) if found else None


_FEATURES: Final[Mapping[str, Callable[..., object]]] = {
    lsp.INITIALIZE: _initialize,
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


def _item(name: Name) -> lsp.CompletionItem:
    return lsp.CompletionItem(
        name.name,
        kind=_ICONS[name.kind],
        detail=name.summary,
        documentation=_markdown(name),
    )


def _path(uri: str) -> str:
    """Return the path of a document; of one without a file, its URI."""
    return to_fs_path(uri) or uri


def _registered_passes(driver: str) -> tuple[str, ...]:
    """Return the passes of the driver with a command line, by its own completion."""
    command = shlex.split(driver)
    if not command:
        return ()
    asked = f"{command[-1]} --pass-pipeline=any("
    try:
        done = subprocess.run(  # noqa: S603 - the user's own driver
            [*command, "--complete", asked],
            capture_output=True,
            text=True,
            check=True,
            timeout=_DRIVER_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    _, *names = done.stdout.split("\n")
    return tuple(name for name in names if name and not name.endswith("("))
