"""Questions to another process, which runs code of authors and may end by it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from signal import Signals
from threading import Thread
from typing import IO, Any, Final

_PROBE: Final = Path(__file__).with_name("probe.py")
_PATIENCE_S: Final = 60


class ProbeError(Exception):
    """The process could not be started, or ended before it answered."""

    def __init__(self) -> None:
        """Make the error."""
        super().__init__("the process that imports and parses ended early")


def ask(
    questions: Sequence[str],
    folders: Sequence[Path],
    answers: dict[str, Any],
    **setup: object,
) -> tuple[str, str]:
    """Add the answers to as many questions as one process can answer.

    Args:
        questions: each is answered by an object of JSON.
        folders: where modules are looked for, after those of the standard library and
            before those that are installed.
        answers: by question.
        setup: further values for the process.

    Returns:
        What was tried when the process ended, and how it ended; the latter is empty if
        all questions are answered.

    Raises:
        ProbeError: the process cannot be started, or its answers are invalid.
    """
    search = [str(folder.absolute()) for folder in folders]
    try:
        tried, how = _ask(questions, {"folders": search, **setup}, answers)
    except (OSError, ValueError) as error:  # ValueError: an invalid answer
        raise ProbeError from error
    if how and not tried:
        raise ProbeError
    return tried, how


def _ask(
    questions: Sequence[str], setup: Mapping[str, object], answers: dict[str, Any]
) -> tuple[str, str]:
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
    tried = ""
    try:
        with process.stdin as stream:
            stream.write(json.dumps([questions, setup]).encode())
        while not answers.keys() >= set(questions):
            line = lines.get(timeout=_PATIENCE_S)
            if not line:
                return tried, _how_it_ended(process.wait(_PATIENCE_S))
            first, *answer = json.loads(line)
            if not answer:
                tried = first
            for reply in answer:
                answers[first] = reply
    except (Empty, subprocess.TimeoutExpired):
        return tried, f"takes over {_PATIENCE_S} s"
    finally:
        process.kill()  # threads of modules may go on for ever
        process.wait()
    return tried, ""


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
