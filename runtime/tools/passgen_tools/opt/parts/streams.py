"""Standard output and standard error, which passes share with the driver.

A pass may print, or replace one of them while it runs. A pass that closes or removes
one is in error; the driver opens that stream again.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import ClassVar, Final, Literal, TextIO

from passgen_runtime.context import Operation
from passgen_runtime.diagnostics import is_open
from passgen_runtime.errors import PassError
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
)
from passgen_runtime.pass_manager import PassManager
from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.platform import lack_of_threads
from passgen_tools.worker_parts import WorkerPart, register_part

_NAMES: Final[tuple[Literal["stdout", "stderr"], ...]] = ("stdout", "stderr")


class StandardStreamsPart(DriverPart):
    """Keeps the streams in `sys` as they are, whatever passes do to them."""

    @contextlib.contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Restore them.

        Raises:
            PassError: a pass that succeeded has closed or removed one.
        """
        guard = _StreamGuard(run.manager)
        run.manager.add_instrumentation(guard)
        try:
            yield
        finally:
            guard.restore()
        if guard.findings:
            raise PassError(guard.findings[0])


class ProgressPart(DriverPart):
    """Shows the progress of a long run if standard error is a terminal."""

    @contextlib.contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Keep a line on the terminal up to date."""
        stderr = sys.stderr
        if stderr is None or not stderr.isatty() or lack_of_threads():
            yield
            return
        from passgen_tools.opt.progress import ProgressLine

        line = ProgressLine(stderr, run.context)
        run.manager.add_instrumentation(line)
        try:
            with line as around:
                sys.stderr = around
                yield
        finally:
            sys.stderr = stderr


class _Stream:
    """A stream of the process, which can be opened again."""

    def __init__(self, name: Literal["stdout", "stderr"], stream: TextIO) -> None:
        """Keep what is needed to open `stream`."""
        self.name: Final = name
        self._stream = stream
        self._encoding = getattr(stream, "encoding", "utf-8")
        try:
            self._file_number = stream.fileno()
        except (OSError, AttributeError):  # it is in memory
            self._file_number = -1

    def restore(self) -> None:
        """Put the stream into `sys` again, opened anew if it was closed."""
        if not is_open(self._stream) and self._file_number >= 0:
            with contextlib.suppress(OSError):
                self._stream = open(  # noqa: SIM115 - a number; it stays open
                    self._file_number,
                    "w",
                    encoding=self._encoding,
                    errors="backslashreplace",
                    closefd=False,
                )
        setattr(sys, self.name, self._stream)


class _StreamGuard(PassInstrumentation):
    """Checks after each pass that the standard streams are open."""

    detail: ClassVar[Detail] = Detail.RUNS

    def __init__(self, manager: PassManager) -> None:
        self.findings: list[str] = []
        self._context = manager.context
        self._streams = [
            _Stream(name, getattr(sys, name))
            for name in _NAMES
            if is_open(getattr(sys, name, None))
        ]

    def restore(self) -> None:
        """Put the streams into `sys` again that code has replaced."""
        for stream in self._streams:
            stream.restore()

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Note which streams the pass has closed or removed, and open them again."""
        gone = [
            stream
            for stream in self._streams
            if not is_open(getattr(sys, stream.name, None))
        ]
        if not gone:
            return
        self.restore()
        names = " and ".join(f"sys.{stream.name}" for stream in gone)
        place = self._context.location(operation)
        self.findings.append(
            f"pass '{pass_.argument or pass_.name}' has closed or removed {names} on "
            f"'{self._context.name(operation)}' operation at {place}\n"
            "note: the driver writes there when passes have run"
        )


register_part(_StreamGuard, lambda _: WorkerPart())  # workers have their own streams
