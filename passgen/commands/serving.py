"""`passgen site --serve`: a folder of pages, served to this machine until Ctrl-C."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

from passgen.commands.outcome import Outcome
from passgen.diagnostics import UserError

_HOST: Final = "127.0.0.1"

_HOST_HEADER: Final = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?")
"""The names of this machine: another site may let its own name mean this address."""

_INDEX_PAGES: Final = ("index.html", "index.htm")


class Handler(SimpleHTTPRequestHandler):
    """Serves files of a folder, some of which a browser runs only under these types."""

    extensions_map = {  # noqa: RUF012 - declared by the base class
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: object) -> None:
        """Report no request."""

    def send_head(self):  # type: ignore[no-untyped-def] # noqa: ANN201 - untyped above
        """Return the file of a request, or answer one that is refused with an error."""
        if not _HOST_HEADER.fullmatch(self.headers.get("Host", "")):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        elif not self._is_in_folder():
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            return super().send_head()
        return None

    def _is_in_folder(self) -> bool:
        """Return whether the file of the request is in the folder, links followed."""
        path = Path(self.translate_path(self.path))
        folder = Path(self.directory).resolve()
        try:
            return all(
                place.resolve().is_relative_to(folder)
                for place in (path, *(path / name for name in _INDEX_PAGES))
            )
        except (OSError, ValueError, RuntimeError):  # such as a NUL, or a loop of links
            return False

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
