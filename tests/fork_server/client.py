"""A program of the tests, which the fork server runs.

`pytest_plugin.py` writes this file under the name of each program, below a line `#!`. It
imports only what is built into the interpreter, and so starts in some milliseconds.
What the server cannot run as a true start would, is started truly in its place.
"""

import marshal
import os
import sys
from _signal import (  # type: ignore[import-not-found] # built in
    SIG_DFL,
    SIG_IGN,
    SIGHUP,
    SIGINT,
    SIGTERM,
    getsignal,
    signal,
)
from _socket import AF_UNIX, SCM_RIGHTS, SOL_SOCKET, socket

START_TRULY = "PASSGEN_START_TRULY"
"""The variable of tests whose programs the server does not run."""


def exit_code_of_child(name: str, socket_path: str) -> int | None:
    """Return the exit code of the server's child; `None` if it has none for us."""
    ignored = SIG_IGN in map(getsignal, (SIGHUP, SIGINT, SIGTERM))  # as by `nohup`
    if ignored or START_TRULY in os.environ:
        return None
    umask = os.umask(0)
    os.umask(umask)
    request = marshal.dumps((name, sys.argv, os.getcwd(), dict(os.environ), umask))
    try:
        for stream in range(3):
            os.fstat(stream)
        server = socket(AF_UNIX)
        server.connect(socket_path)
        streams = b"".join(each.to_bytes(4, sys.byteorder) for each in range(3))
        size = len(request).to_bytes(8, "big")
        server.sendmsg([size], [(SOL_SOCKET, SCM_RIGHTS, streams)])
        server.sendall(request)
        answer = server.recv(16)
    except OSError:  # a stream is closed, or pytest has ended
        return None
    return int(answer) if answer else None


def main() -> None:
    """End as the program does."""
    folder, name = os.path.split(__file__)
    code = exit_code_of_child(name, f"{folder}/socket")
    if code is None:
        program = f"{os.readlink(f'{folder}/truly')}/{name}"
        os.execv(program, [program, *sys.argv[1:]])  # noqa: S606
    if code < 0:
        if -code == SIGINT:
            signal(SIGINT, SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
