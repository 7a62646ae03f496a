"""The fork server of a run of pytest: how it begins and ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

import pytest

from tests.fork_server.client import START_TRULY

_PROGRAMS: Final = (
    "passgen",
    "passgen-bisect",
    "passgen-opt",
    "passgen-reduce",
    "passgen-report",
    "passgen-verify",
    "pytest",
    "python",
)
_START_TRULY: Final = {"start", "llvm", "bindings", "browser", "builds", "executors"}
"""Marks of tests whose programs the server does not run."""

STOPS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that a shell or `nohup` may let a program ignore."""

_FOLDER: Final = Path(__file__).parent
_BIN: Final = Path(sys.executable).parent


class ForkServer:
    """The server, which ends with this process."""

    def __init__(self) -> None:
        """Start it; clients wait until it has imported everything."""
        self.folder = Path(mkdtemp(prefix="programs-"))
        client = f"#!{sys.executable} -IS\n{(_FOLDER / 'client.py').read_text()}"
        (self.folder / "truly").symlink_to(_BIN)
        for name in _PROGRAMS:
            (self.folder / name).write_text(client)
            (self.folder / name).chmod(0o755)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.folder / "socket"))
            listener.listen(64)
            number = listener.fileno()
            self._process = subprocess.Popen(
                [sys.executable, _FOLDER / "server.py", self.folder, str(number)],
                stdin=subprocess.PIPE,
                pass_fds=[number],
                start_new_session=True,  # an interrupt at the terminal is pytest's
            )

    def end(self) -> int:
        """End it, and return its exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait()


_SERVER: Final = pytest.StashKey[ForkServer]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--no-fork-server",
        action="store_true",
        help="start each program truly, instead of forking a process that runs",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Put the folders of the programs in front of `PATH`, which workers inherit."""
    if hasattr(config, "workerinput"):
        return
    folders = [str(_BIN)]
    measures_coverage = config.pluginmanager.has_plugin("_cov")
    if not (
        measures_coverage
        or config.option.no_fork_server
        or config.option.collectonly
        or not hasattr(os, "pidfd_open")  # of Linux
    ):
        config.stash[_SERVER] = ForkServer()
        folders.insert(0, str(config.stash[_SERVER].folder))
    os.environ["PATH"] = os.pathsep.join((*folders, os.environ["PATH"]))


def pytest_unconfigure(config: pytest.Config) -> None:
    server = config.stash.get(_SERVER, None)
    if server is not None and (code := server.end()):
        pytest.exit(f"the fork server has ended with exit code {code}", returncode=1)


def pytest_collection_finish() -> None:
    """Let programs heed the signals that this process ignores, as in the background.

    They would inherit that it ignores them, but not that it does nothing.
    """
    for number in STOPS:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _do_nothing)


def _do_nothing(*_: object) -> None:
    pass


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    os.environ.pop(START_TRULY, None)
    if _START_TRULY & {mark.name for mark in item.iter_markers()}:
        os.environ[START_TRULY] = "1"
