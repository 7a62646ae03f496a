"""`passgen site --serve`: this machine alone, and the folder alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from passgen.commands.serving import Handler


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """The port of a server of a site, in which links lead elsewhere."""
    site = tmp_path / "site"
    (site / "deep").mkdir(parents=True)
    (site / "index.html").write_text("the site")
    (tmp_path / "secret").write_text("the secret")
    (site / "link").symlink_to(tmp_path / "secret")
    (site / "loop").symlink_to("loop")
    (site / "up").symlink_to(tmp_path)
    (site / "deep" / "index.html").symlink_to(tmp_path / "secret")
    handler = partial(Handler, directory=site)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def get(port: int, path: str, host: str | None = None) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest("GET", path, skip_host=host is not None)
    if host:
        connection.putheader("Host", host)
    connection.endheaders()
    response = connection.getresponse()
    return response.status, response.read().decode()


@pytest.mark.parametrize("host", [None, "localhost", "localhost:80", "[::1]:8000"])
def test_the_site_is_served_under_the_names_of_this_machine(
    host: str | None, port: int
) -> None:
    assert get(port, "/", host) == (200, "the site")


@pytest.mark.parametrize(
    "host", ["", "evil.example", "evil.example:80", "127.0.0.1.evil.example"]
)
def test_another_host_is_refused(host: str, port: int) -> None:
    status, body = get(port, "/", host)

    assert status == 421
    assert "the site" not in body


@pytest.mark.parametrize(
    "path",
    [
        "/link",
        "/up/secret",
        "/up/",
        "/deep/",
        "/loop",
        "/%00",
        "/../secret",
        "/nothing",
    ],
)
def test_what_is_not_in_the_folder_is_not_found(
    path: str, port: int, capfd: pytest.CaptureFixture[str]
) -> None:
    status, body = get(port, path)

    assert (status, "the secret" in body) == (404, False)
    assert capfd.readouterr().err == ""
