"""Recording: a listener to runs, and the file that its rows go to.

    with record(manager, "run.db"):
        manager.run(module)

Each pass is in the file before it runs, so the record of a process that was killed
says which pass ran; those in workers come with the results. Ends of passes come in the
order of one thread, also with threads and workers.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from passgen_runtime.diagnostics import UNKNOWN_LOCATION, Diagnostic
from passgen_runtime.extensions.record.record_file import RecordFile
from passgen_runtime.extensions.record.run_listener import RunListener
from passgen_runtime.pass_manager import PassManager


class Recording:
    """A record that is being written of the runs of a pass manager."""

    def __init__(
        self,
        manager: PassManager,
        path: Path,
        *,
        appends: bool = False,
        command: Sequence[str] = (),
    ) -> None:
        """Begin the record at `path`, or go on with it.

        Args:
            manager: the pass manager whose runs are recorded.
            path: of the file; a record that is there is replaced.
            appends: whether the record that is there is kept instead.
            command: the driver that runs the passes, with the flags that they need.

        Raises:
            RecordError: the file cannot be written, or is no record.
        """
        self._context = manager.context
        self._path = path
        self._file = RecordFile(path, appends=appends, on_error=self._warn)
        self._listener = RunListener(manager, self._file.write, command)
        manager.add_instrumentation(self._listener)

    def __repr__(self) -> str:
        """Return the path, and whether the recording has ended."""
        state = "ended" if self.is_closed else "open"
        return f"<Recording to '{self._path}', {state}>"

    @property
    def is_closed(self) -> bool:
        """Whether nothing more is written."""
        return self._file.is_closed

    def close(self, error: BaseException | None = None) -> None:
        """End the record.

        Args:
            error: what ended the last run.
        """
        self._listener.stop(error)
        self._file.close()

    def _warn(self, error: sqlite3.Error) -> None:
        """Say that no more is written, because of `error`; the run goes on."""
        message = f"the run is no longer recorded: cannot write '{self._path}': {error}"
        self._context.handle(Diagnostic("warning", message, UNKNOWN_LOCATION))


def enable_recording(
    manager: PassManager,
    path: str | Path,
    *,
    appends: bool = False,
    command: Sequence[str] = (),
) -> Recording:
    """Let `manager` write all runs from now on to a record at `path`.

    `Recording.close` ends the record; `record` does so by itself.

    Args:
        manager: the pass manager.
        path: of the file; a record that is there is replaced.
        appends: whether the record that is there is kept instead.
        command: the driver that runs the passes, with the flags that they need, which
            a report puts before the pipeline to repeat a pass.

    Raises:
        RecordError: the file cannot be written, or is no record.
    """
    return Recording(manager, Path(path), appends=appends, command=command)


@contextlib.contextmanager
def record(
    manager: PassManager,
    path: str | Path,
    *,
    appends: bool = False,
    command: Sequence[str] = (),
) -> Iterator[Recording]:
    """Record the runs of `manager` during the block, as `enable_recording` does.

    The exception that ends the block becomes a part of the record.

    Raises:
        RecordError: the file cannot be written, or is no record.
    """
    recording = enable_recording(manager, path, appends=appends, command=command)
    try:
        yield recording
    except BaseException as error:
        recording.close(error)
        raise
    recording.close()
