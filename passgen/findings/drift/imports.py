"""Python objects that specs name, imported in another process, as imports run code."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from signal import Signals
from threading import Thread
from typing import IO, Final

from passgen.diagnostics import UserError

_PROBE: Final = Path(__file__).with_name("import_probe.py")
_PATIENCE_S: Final = 60


@dataclass(frozen=True)
class Imported:
    """The object that a `module:Name` stands for, as far as it matters here."""

    error: str = ""
    """Why it cannot be imported; empty if it can."""

    bases: Sequence[str] = ()
    """The names of the classes that a class derives from, its own first."""


class ImportsError(UserError):
    """The process that imports could not be started, or ended before it imported."""


def import_objects(
    names: Sequence[str], folders: Sequence[Path]
) -> dict[str, Imported]:
    """Import each of `names`, which are `module:Name`.

    A module that ends the process or takes too long is an error of all names in it and
    in its submodules; the other names are imported by a new process.

    Args:
        names: the objects.
        folders: where modules are looked for, after those of the standard library and
            before those that are installed.

    Raises:
        ImportsError: the process that imports cannot be started.
    """
    search = [str(folder.absolute()) for folder in folders]
    found: dict[str, Imported] = {}
    while waiting := [name for name in dict.fromkeys(names) if name not in found]:
        try:
            module, reason = _import_some(waiting, search, found)
        except (OSError, ValueError) as error:  # ValueError: an invalid answer
            raise _cannot_begin() from error
        if not reason:
            break
        if not module:
            raise _cannot_begin()
        unavailable = Imported(f"importing '{module}' {reason}")
        within = (f"{module}:", f"{module}.")
        for name in waiting:
            if name.startswith(within):
                found.setdefault(name, unavailable)
    return found


def _cannot_begin() -> ImportsError:
    return ImportsError(
        "passgen drift: error: the process that imports constructors ended early\n"
        "note: --no-imports skips this check"
    )


def _import_some(
    names: Sequence[str], search: Sequence[str], found: dict[str, Imported]
) -> tuple[str, str]:
    """Add to `found` as many of `names` as one process can import.

    Returns:
        The module that ended it, and how; the latter is empty if nothing did.
    """
    process = subprocess.Popen(  # noqa: S603 - the specs' own modules
        [sys.executable, "-P", str(_PROBE)],  # -P: nothing from the probe's folder
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    lines: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read, args=(process.stdout, lines), daemon=True).start()
    module = ""
    try:
        with process.stdin as stream:
            stream.write(json.dumps([names, search]).encode())
        while not found.keys() >= set(names):
            line = lines.get(timeout=_PATIENCE_S)
            if not line:
                return module, _how_it_ended(process.wait(_PATIENCE_S))
            first, *answer = json.loads(line)
            if not answer:
                module = first
            for reply in answer:
                found[first] = Imported(**reply)
    except (Empty, subprocess.TimeoutExpired):
        return module, f"takes over {_PATIENCE_S} s"
    finally:
        process.kill()  # threads of modules may go on for ever
        process.wait()
    return module, ""


def _read(stream: IO[bytes], lines: SimpleQueue[bytes]) -> None:
    """Put the lines of `stream` into `lines`, and an empty one after the last."""
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(b"")


def _how_it_ended(code: int) -> str:
    if code >= 0:
        return f"ended the process with exit code {code}"
    return f"ended the process by {Signals(-code).name}"
