"""`--record`, `--report`, `--trace`: what each pass did, in a file and on a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from passgen_runtime.ir.digests import Resources
from passgen_runtime.output_files import replace_file
from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.command_line import CommandLine, UsageError, destination, switch
from passgen_tools.opt.driver_part import DriverCall, DriverPart, DriverRun
from passgen_tools.opt.files import OptError, earlier_files, unwritable
from passgen_tools.opt.reports import ProcessEndError

_State: TypeAlias = tuple[int, int, int] | None
"""The state of a file, which writing changes; `None` if there is no file."""


class RecordingPart(DriverPart):
    """Records runs, and writes a report about them, and a trace."""

    report = destination(
        "report", "write an HTML page that shows the effect of each pass", "report"
    )
    record = replace(
        destination(
            "record", "record the effect of each pass in a SQLite file", "record"
        ),
        is_record=True,
    )
    record_resource_hashes = switch(
        "record-resource-hashes",
        "let the record keep only the hashes of resources: it can be compared, but no"
        " run can go on from it",
    )
    trace = destination(
        "trace",
        "write the times of passes for Perfetto or Chrome, FILE.json or FILE.json.gz",
        "trace",
    )

    def __init__(self, line: CommandLine) -> None:
        """Read the flags of `line`."""
        super().__init__(line)
        self._path = self.record
        """The record, which is in a temporary folder if none was asked for."""

        self._earlier: _State = None
        """The state of an earlier call's record, which the first input replaces."""

    def check(self, _passes: Callable[[], PassRegistry]) -> None:
        """Check the name of the trace, and that hashes have a record.

        Raises:
            UsageError: one of them is wrong.
        """
        if self.record_resource_hashes and self.record is None:
            raise UsageError(
                "for the --record-resource-hashes option: it needs --record"
            )
        if self.trace is None:
            return
        from passgen_tools.report import trace_name_error

        problem = trace_name_error(Path(self.trace))
        if problem is not None:
            raise UsageError(f"--trace: {problem}")

    def emptied_files(self) -> Sequence[str]:
        """Return the report and the trace that an earlier call has left."""
        return earlier_files(self.report, self.trace)

    @contextmanager
    def around_call(self, _call: DriverCall) -> Iterator[None]:
        """Write the report and the trace at the end.

        A record that the block leaves as it was is that of an earlier call: it is not
        shown. A contained process may end early; the record then shows its progress.

        Raises:
            OptError: one of them cannot be written.
        """
        if self.record is not None:
            self._earlier = _state(self.record)
        if self.report is None and self.trace is None:
            yield
            return
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as folder:
            path = self._path = self.record or str(Path(folder, "run.db"))
            try:
                yield
            finally:
                if _state(path) != self._earlier:
                    self._export(Path(path))

    def _export(self, record: Path) -> None:
        """Write the report and the trace, unless the record has no run."""
        from passgen_tools.record import RunRecord
        from passgen_tools.report import html_page, report_data, write_trace

        if not RunRecord(record).runs:
            return
        if self.trace is not None:
            write_trace(record, Path(self.trace))
        if self.report is None:
            return
        report = Path(self.report)
        try:
            replace_file(report, html_page(report_data(record), report.stem))
        except OSError as error:
            raise unwritable(report, error, "report ") from error

    @contextmanager
    def around_input(self, run: DriverRun) -> Iterator[None]:
        """Begin the record; note in it that the process of a run has ended.

        Raises:
            RecordError: the record cannot be written.
        """
        if self._path is None:
            yield
            return
        from passgen_tools.record import RecordError, begin_record, end_killed_run

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
        from passgen_tools.record import RecordedResources, record

        return record(
            run.manager,
            self._path,
            appends=True,
            command=run.options.command,
            resources=RecordedResources(
                _external_resources(run), has_contents=not self.record_resource_hashes
            ),
        )


def _external_resources(run: DriverRun) -> Resources:
    """Return the resources of the input's file, without its reproducer."""
    from passgen_runtime.instrumentations.file_metadata import (
        EXTERNAL_RESOURCES,
        section_values,
    )
    from passgen_runtime.instrumentations.reproducer import RESOURCE

    values = section_values(run.text, EXTERNAL_RESOURCES, run.name)
    return {name: literal for name, literal in values.items() if name[0] != RESOURCE}


def _state(path: str) -> _State:
    try:
        stat = Path(path).stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size
