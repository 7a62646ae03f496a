"""`passgen site --serve`: a folder of pages, served to this machine until Ctrl-C."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from passgen.commands.outcome import Outcome
from passgen.diagnostics import UserError

_HOST = "127.0.0.1"


class Handler(SimpleHTTPRequestHandler):
    """Serves files, of which a browser runs some only under these types."""

    extensions_map = {  # noqa: RUF012 - declared by the base class
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: object) -> None:
        """Report no request."""

    def copyfile(self, *files: object) -> None:
        """Send a file, as far as the browser wants it."""
        with contextlib.suppress(ConnectionError):
            super().copyfile(*files)  # type: ignore[arg-type]


def serve(folder: Path, port: int) -> Iterator[Outcome]:
    """Serve `folder` until Ctrl-C; yield its address.

    Args:
        folder: of a site.
        port: of this machine; 0 stands for one that is free.

    Raises:
        UserError: there is no site in the folder, or the port is taken.
    """
    if not (folder / "index.html").is_file():
        message = f"passgen site: error: '{folder}' has no index.html to serve"
        raise UserError(f"{message}\nnote: specs as arguments make a site there")
    try:
        server = ThreadingHTTPServer((_HOST, port), partial(Handler, directory=folder))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or "it cannot be used"
        message = f"passgen site: error: port {port}: {reason.lower()}"
        note = "note: --port names another one, and 0 one that is free"
        raise UserError(f"{message}\n{note}") from error
    return _serve(server)


def _serve(server: ThreadingHTTPServer) -> Iterator[Outcome]:
    with server, contextlib.suppress(KeyboardInterrupt):  # which is how it ends
        yield Outcome(lines=(f"http://{_HOST}:{server.server_port}/",))
        server.serve_forever()
