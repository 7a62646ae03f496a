"""Entries that workers of the tests import."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from passgen_tools.adaptors.encoded_ir import pack_parts, unpack_parts
from passgen_tools.processes import LEAVE_NOTE

DOUBLED = f"{__name__}:doubled"
JOBS = f"{__name__}:jobs"


def doubled(header: bytes, data: bytes) -> bytes:
    """Return `header` and twice each item; what some items say is done first."""
    items = unpack_parts(data) if data else []
    for item in items:
        verb, _, argument = item.decode().partition(" ")
        if verb in _DEEDS:
            _DEEDS[verb](argument)
    return pack_parts([header + item * 2 for item in items])


def jobs(_: bytes, data: bytes) -> bytes:
    """Return the bound on workers, here and in a program that is started here."""
    code = "import os; print(os.environ['PASSGEN_JOBS'])"
    inner = subprocess.check_output([sys.executable, "-c", code])
    return pack_parts(
        [os.environ["PASSGEN_JOBS"].encode() + inner] * len(unpack_parts(data))
    )


def _kill(name: str) -> None:
    os.kill(os.getpid(), getattr(signal, name))
    time.sleep(60)  # a signal may take its time


def _kill_once(path: str) -> None:
    """End the process unless it has been done before, which a file tells."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    _kill("SIGKILL")


def _exit(code: str) -> None:
    os._exit(int(code))


def _sleep(time_s: str) -> None:
    time.sleep(float(time_s))


def _spin(_: str) -> None:
    while True:
        pass


def _spin_on(_: str) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    _spin("")


def _stop(_: str) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _note_and_die(text: str) -> None:
    leave = LEAVE_NOTE.get()
    assert leave is not None
    leave("something longer than it")
    leave(text)
    _kill("SIGKILL")


def _lack_memory(_: str) -> None:
    raise MemoryError


def _raise(text: str) -> None:
    raise ValueError(text)


def _print(text: str) -> None:
    print(text)  # noqa: T201 - passes may


def _read(_: str) -> None:
    assert not sys.stdin.read()


def _fork_and_die(_: str) -> None:
    """Leave a process behind that holds the pipes, and die."""
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    _kill("SIGKILL")


def _fork(path: str) -> None:
    """Go on in two processes; write the number of the new one to a file."""
    if process_id := os.fork():
        Path(path).write_text(str(process_id))


_DEEDS = {
    "kill": _kill,
    "kill-once": _kill_once,
    "exit": _exit,
    "sleep": _sleep,
    "spin": _spin,
    "spin-on": _spin_on,
    "stop": _stop,
    "note-and-die": _note_and_die,
    "lack-memory": _lack_memory,
    "raise": _raise,
    "print": _print,
    "read": _read,
    "fork-and-die": _fork_and_die,
    "fork": _fork,
}
