"""A line on a terminal about a long run: its time, and the pass that runs.

12 s  canonicalize on 'func.func' operation: @main (41 passes done)
"""

from __future__ import annotations

import shutil
import threading
import time
from typing import TextIO, cast

from passgen_runtime.context import Context, Operation
from passgen_runtime.instrumentations.ir_printing import operation_name
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation
from passgen_tools.worker_parts import WorkerPart, register_part

_PATIENCE_S = 2.0
"""The time before the line of a run is shown."""

_INTERVAL_S = 0.2
_CLEAR = "\r\x1b[K"


class ProgressLine(PassInstrumentation, WorkerPart):
    """An instrumentation whose thread updates the line, also during a long pass.

    It is its own part: it shows the batches that have come back from workers.
    """

    def __init__(self, stream: TextIO, context: Context) -> None:
        """Write to `stream`, a terminal."""
        self._stream = stream
        self._context = context
        self._started_s = time.monotonic()
        self._lock = threading.Lock()
        self._current = ""
        self._num_done = 0
        self._is_shown = False
        self._is_line_open = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> TextIO:
        """Start; return the stream for other output: writing to it clears the line."""
        self._thread.start()
        return cast("TextIO", _AroundLine(self._stream, self))

    def __exit__(self, *_: object) -> None:
        """Stop, and clear the line."""
        self._ended.set()
        self._thread.join()
        with self._lock:
            self._clear()

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Record the pass that runs."""
        name = pass_.argument or pass_.name
        self._current = f"{name} on {operation_name(self._context, operation)}"

    def run_after_pass(self, _pass: Pass, _operation: Operation) -> None:
        """Count the pass."""
        self._num_done += 1

    def run_after_batch(self, text: str) -> None:
        """Show how many operations have come back, instead of the pass that runs."""
        self._current = text

    def write_around(self, text: str) -> int:
        """Write `text` of other code; do not overwrite its unfinished line."""
        with self._lock:
            self._clear()
            if text:
                self._is_line_open = not text.endswith("\n")
            return self._stream.write(text)

    def _clear(self) -> None:
        if self._is_shown:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._is_shown = False

    def _work(self) -> None:
        if self._ended.wait(_PATIENCE_S):
            return
        while not self._ended.wait(_INTERVAL_S):
            elapsed_s = time.monotonic() - self._started_s
            width = shutil.get_terminal_size().columns - 1
            passes = "1 pass" if self._num_done == 1 else f"{self._num_done} passes"
            line = f"{elapsed_s:.0f} s  {self._current} ({passes} done)"
            with self._lock:
                if self._is_line_open:
                    continue
                self._stream.write(f"{_CLEAR}{line[:width]}")
                self._stream.flush()
                self._is_shown = True


class _AroundLine:
    """The stream for other code: each write clears the progress line first."""

    def __init__(self, stream: TextIO, line: ProgressLine) -> None:
        self._stream = stream
        self._line = line

    def write(self, text: str) -> int:
        return self._line.write_around(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


register_part(ProgressLine, lambda line: line)
