"""`--record` and `--report`: what each pass did, in a file and on a page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TypeAlias

from passgen_runtime.opt.command_line import CommandLine, destination
from passgen_runtime.opt.driver_part import DriverPart, DriverRun
from passgen_runtime.opt.files import OptError
from passgen_runtime.opt.reports import ProcessEndError
from passgen_runtime.output_files import replace_file

_State: TypeAlias = tuple[int, int, int] | None
"""The state of a file, which writing changes; `None` if there is no file."""


class RecordingPart(DriverPart):
    """Records runs, and writes a report about them."""

    report = destination(
        "report", "write an HTML page that shows the effect of each pass", "report"
    )
    record = destination(
        "record", "record the effect of each pass in a SQLite file", "record"
    )

    def __init__(self, line: CommandLine) -> None:
        """Read the flags of `line`."""
        super().__init__(line)
        self._path = self.record
        """Of the record; a report is made of one in a temporary folder, if need be."""

        self._earlier: _State = None
        """Of the record of an earlier call, which the first input replaces."""

    @contextmanager
    def around_call(self) -> Iterator[None]:
        """Write the report at the end.

        A record that the block leaves as it was is that of an earlier call: it is not
        shown. Only the process that enters the block writes the report. A contained
        process may end early; the record then shows its progress.

        Raises:
            OptError: the report cannot be written.
        """
        if self.record is not None:
            self._earlier = _state(self.record)
        if self.report is None:
            yield
            return
        from shutil import rmtree
        from tempfile import mkdtemp

        process_id = os.getpid()
        folder = mkdtemp()
        path = self._path = self.record or str(Path(folder, "run.db"))
        try:
            yield
        finally:
            if os.getpid() == process_id:
                try:
                    if _state(path) != self._earlier:
                        _write_report(Path(self.report), Path(path))
                finally:
                    rmtree(folder)

    @contextmanager
    def around_input(self, run: DriverRun) -> Iterator[None]:
        """Begin the record; note in it that the process of a run has ended.

        Raises:
            RecordError: the record cannot be written.
        """
        if self._path is None:
            yield
            return
        from passgen_runtime.extensions.record import (
            RecordError,
            begin_record,
            end_killed_run,
        )

        if _state(self._path) == self._earlier:
            begin_record(self._path)
        try:
            yield
        except ProcessEndError as error:
            try:
                end_killed_run(self._path, str(error))
            except RecordError as problem:
                run.unwritten.append(OptError(str(problem)))
            raise

    def around_passes(self, run: DriverRun) -> AbstractContextManager[object]:
        """Record the run.

        Raises:
            RecordError: the record cannot be written.
        """
        if self._path is None:
            return nullcontext()
        from passgen_runtime.extensions.record import record

        command = run.options.command
        return record(run.manager, self._path, appends=True, command=command)


def _state(path: str) -> _State:
    try:
        stat = Path(path).stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def _write_report(report: Path, record: Path) -> None:
    """Write the report, unless the record has no run."""
    from passgen_runtime.extensions.report import html_page, report_data

    data = report_data(record)
    if not data["runs"]:
        return
    try:
        replace_file(report, html_page(data, report.stem))
    except OSError as error:
        message = f"error: cannot write report '{report}': {error.strerror}"
        raise OptError(message) from error
