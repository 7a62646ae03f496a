"""The process that has imported what programs import, and forks for each of them.

It has one thread, and imports neither MLIR nor an executor. It ends with the process that
holds the other end of its standard input; its children and its folder end with it.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import marshal
import os
import pathlib
import pkgutil
import runpy
import selectors
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from importlib.machinery import FileFinder
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Final, NamedTuple

_LIBRARIES: Final = ("black", "jinja2.ext", "jsonschema", "pytest", "sqlite3", "yaml")
_PACKAGES: Final = (
    *("passgen", "passgen_rules", "passgen_runtime", "passgen_tools"),
    "xdsl.dialects",
)
_SPEC: Final = pathlib.Path(__file__).parents[2] / "specs/test.yaml"
_READ_AT_START: Final = ("PYTHON", "LC_", "LANG")
"""Prefixes of the variables that an interpreter reads while it starts."""


class Request(NamedTuple):
    """A program to be run, as a client sends it."""

    name: str
    argv: list[str]
    folder: str
    environment: dict[str, str]
    umask: int

    def can_be_forked(self) -> bool:
        """Return whether a child does what an interpreter of its own would do."""
        if _read_at_start(self.environment) != _read_at_start(os.environ):
            return False
        first = self.argv[1] if len(self.argv) > 1 else ""
        return self.name != "python" or first in {"-c", "-m"} or first.endswith(".py")


class Child(NamedTuple):
    """What a child is to run, with its standard streams."""

    request: Request
    streams: list[int]


class Server:
    """The loop that forks for each client and sends it the exit code."""

    def __init__(self, listener: socket.socket) -> None:
        """Serve the clients of `listener` until standard input ends."""
        self._listener = listener
        self._clients: dict[int, socket.socket] = {}
        """By the descriptor of the process that runs for the client."""
        self._selector = selectors.DefaultSelector()
        self._selector.register(0, selectors.EVENT_READ)
        self._selector.register(listener, selectors.EVENT_READ, self._accept)

    def serve(self) -> Child | None:
        """Return in each child with what it is to run, and in the server with None."""
        while True:
            for key, _ in self._selector.select():
                if key.data is None:
                    return None
                if (child := key.data()) is not None:
                    assert isinstance(child, Child)
                    return child

    def close(self) -> None:
        """Close what only the server needs."""
        self._listener.close()
        self._selector.close()
        for process, client in self._clients.items():
            os.close(process)
            client.close()

    def kill(self) -> None:
        """Kill all children."""
        for process in self._clients:
            signal.pidfd_send_signal(process, signal.SIGKILL)

    def _watch(
        self, source: int | socket.socket, action: Callable[[], Child | None]
    ) -> None:
        self._selector.register(source, selectors.EVENT_READ, action)

    def _accept(self) -> Child | None:
        client, _ = self._listener.accept()
        request, streams = _receive(client)
        if request is None or not request.can_be_forked():
            client.close()  # which tells it to start the program itself
        elif (pid := os.fork()) == 0:
            client.close()
            return Child(request, streams)
        else:
            process = os.pidfd_open(pid)
            self._clients[process] = client
            self._watch(process, partial(self._answer, pid, process))
            self._watch(client, partial(self._abandon, process, client))
        for stream in streams:
            os.close(stream)
        return None

    def _answer(self, pid: int, process: int) -> None:
        """Send the exit code of a process that has ended."""
        _, status = os.waitpid(pid, 0)
        client = self._clients.pop(process)
        for source in (process, client):
            with suppress(KeyError):  # the client has been killed
                self._selector.unregister(source)
        with suppress(OSError):
            client.sendall(str(os.waitstatus_to_exitcode(status)).encode())
        client.close()
        os.close(process)

    def _abandon(self, process: int, client: socket.socket) -> None:
        """Kill a process whose client has been killed, unless it has ended."""
        if self._clients.get(process) is client:
            self._selector.unregister(client)
            signal.pidfd_send_signal(process, signal.SIGKILL)


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: text
        for name, text in environment.items()
        if name.startswith(_READ_AT_START) and name != "PYTHONPATH"
    }


def _receive(client: socket.socket) -> tuple[Request | None, list[int]]:
    """Return a request with its streams, or None if its client was killed."""
    size, streams, _, _ = socket.recv_fds(client, 8, 3)
    data = client.recv(int.from_bytes(size), socket.MSG_WAITALL)
    if len(data) < int.from_bytes(size) or not data:
        return None, streams
    return Request(*marshal.loads(data)), streams  # noqa: S302 - of our own client


def import_all() -> None:
    """Import what a program may import, as far as this environment has it."""
    for name in _LIBRARIES:
        importlib.import_module(name)
    for name in _PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith(".__main__"):
                with suppress(ImportError):  # of a library that is optional
                    importlib.import_module(module.name)


def generate_once() -> None:
    """Fill the caches of templates, the schema and black, which are long to make."""
    from passgen import Options, generate  # noqa: PLC0415 - takes long
    from passgen.targets import TARGETS  # noqa: PLC0415 - as above

    generate([str(_SPEC)], Options(targets=tuple(TARGETS)))


def run(child: Child, scripts: Mapping[str, EntryPoint]) -> None:
    """Run a program as an interpreter of its own would: it may end by `SystemExit`.

    Args:
        child: the program.
        scripts: the installed programs by name; to find them takes as long as a fork.
    """
    request, streams = child
    for descriptor, stream in enumerate(streams):
        os.dup2(stream, descriptor)
        os.close(stream)
    _open_streams()
    os.chdir(request.folder)
    os.umask(request.umask)
    os.environ.clear()
    os.environ.update(request.environment)
    tempfile.tempdir = None
    for finder in sys.path_importer_cache.values():
        if isinstance(finder, FileFinder):
            finder.invalidate_caches()  # and not what is known of installed packages
    sys.path[:0] = filter(None, request.environment.get("PYTHONPATH", "").split(":"))
    if request.name == "python":
        _run_python(request.argv[1:])
    else:
        sys.argv = request.argv
        sys.exit(scripts[request.name].load()())


def _open_streams() -> None:
    """Open the standard streams as an interpreter does that starts."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        servers = getattr(sys, name)
        stream = open(  # noqa: SIM115 - as long as the process
            descriptor,
            "w" if descriptor else "r",
            buffering=1 if name == "stderr" else -1,
            encoding=servers.encoding,
            errors=servers.errors,
            newline="\n" if descriptor else None,
            closefd=False,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _run_python(arguments: list[str]) -> None:
    """Do what the interpreter does for `-c TEXT`, `-m MODULE` or a file."""
    first = arguments[0]
    if first == "-c":
        sys.argv = ["-c", *arguments[2:]]
        sys.path.insert(0, "")
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(arguments[1], "<string>", "exec"), main.__dict__)  # noqa: S102
    elif first == "-m":
        name = arguments[1]
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        if not hasattr(sys.modules.get(name), "__path__"):
            sys.modules.pop(name, None)  # it is not run twice
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(os.path.realpath(first)))
        runpy.run_path(first, run_name="__main__")


def run_to_the_end(child: Child, scripts: Mapping[str, EntryPoint]) -> None:
    """Run a program and end this process, but for a traceback and the like.

    To free all that is imported would take longer than most programs do.
    """
    code: object = ...

    def end() -> None:  # called last, when threads and what they print have ended
        if code is None or isinstance(code, int):
            with suppress(OSError):  # which the interpreter reports
                sys.stdout.flush()
                with suppress(OSError):  # which it does not report
                    sys.stderr.flush()
                os._exit((code or 0) & 0xFF)

    atexit.register(end)
    try:
        run(child, scripts)
        code = None
    except SystemExit as exit_:
        code = exit_.code
        raise


def main(folder: str, listener: str) -> None:
    """Serve the clients in `folder`; in each child, run the program of its client.

    Args:
        folder: it is removed at the end, since pytest may have been killed.
        listener: the descriptor of the socket that clients connect to.
    """
    del sys.path[0]  # the folder of this file
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # even if pytest ignores it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    import_all()
    generate_once()
    scripts = {each.name: each for each in entry_points(group="console_scripts")}
    gc.collect()
    gc.freeze()  # so that no collection copies these pages for a child
    server = Server(socket.socket(fileno=int(listener)))
    child = server.serve()
    if child is None:
        server.kill()
        shutil.rmtree(folder)
    else:
        server.close()
        run_to_the_end(child, scripts)


if __name__ == "__main__":
    main(*sys.argv[1:])
