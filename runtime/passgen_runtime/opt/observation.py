"""The instrumentations that `passgen-opt` adds to a run, and the files they write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from passgen_runtime.opt.command_line import CommandLine
from passgen_runtime.opt.files import OptError
from passgen_runtime.opt.options import DriverOptions
from passgen_runtime.opt.reports import shows_color
from passgen_runtime.output_files import check_writable, is_same_file, replace_file

if TYPE_CHECKING:
    # Instrumentations are imported where their flags are given: starting is measured.
    from passgen_runtime.instrumentations.timing_manager import TimingManager
    from passgen_runtime.pass_manager import PassManager


def check_destinations(options: DriverOptions) -> None:
    """Check that all files that are asked for can be written; begin the record.

    Raises:
        OptError: one cannot.
        PassError: the folder for printed IR cannot be made, or the record not be begun.
    """
    for what, path in (
        ("reproducer", options.crash_reproducer),
        ("reproducer", options.generate_reproducer),
        ("report", options.report_file),
        ("record", options.record),
    ):
        if path is not None and path != "-":
            _check_file(what, path)
    if options.record is not None:
        from passgen_runtime.extensions.record import begin_record

        begin_record(options.record)
    if options.print_tree_directory is not None and _prints_ir(options):
        from passgen_runtime.instrumentations.ir_printing import make_folder

        make_folder(Path(options.print_tree_directory))


def _check_distinct(line: CommandLine) -> None:
    """Check that no file is overwritten by another one, or by a report on the run.

    The output may replace the input.

    Raises:
        OptError: two files are the same.
    """
    named = [("the input", path) for path in line.positional]
    for what, flag in (
        ("the output", "o"),
        ("the report", "report"),
        ("the record", "record"),
        ("the crash reproducer", "mlir-pass-pipeline-crash-reproducer"),
        ("the reproducer", "mlir-generate-reproducer"),
    ):
        named.append((what, line.values[flag]))
    files = [(what, Path(path)) for what, path in named if path and path != "-"]
    for (what, path), (other, written) in combinations(files, 2):
        is_in_place = (what, other) == ("the input", "the output")
        if not is_in_place and is_same_file(path, written):
            message = f"error: {other} '{written}' would overwrite {what}"
            raise OptError(f"{message}; name another file")


def _check_file(what: str, path: str) -> None:
    try:
        check_writable(Path(path))
    except OSError as error:
        message = f"error: cannot write {what} '{path}': {error.strerror}"
        raise OptError(message) from error


def observe(manager: PassManager, options: DriverOptions) -> TimingManager | None:
    """Add the requested instrumentations to `manager`; return its timers, if any."""
    if _prints_ir(options):
        _print_ir(manager, options)
    if options.crash_reproducer is not None:
        from passgen_runtime.instrumentations import (
            crash_reproducer,
            reproducer_destination,
        )

        path = options.crash_reproducer
        crash_reproducer.enable_crash_reproducer_generation(
            manager,
            reproducer_destination.StandardOutput if path == "-" else path,
            local=options.local_reproducer,
            is_verified=not options.trusts_input,
        )
    if not options.timing:
        return None
    from passgen_runtime.instrumentations.pass_timing import enable_timing
    from passgen_runtime.instrumentations.timing_manager import TimingManager

    return enable_timing(manager, TimingManager())


@contextmanager
def report_written(line: CommandLine) -> Iterator[None]:
    """Write a report about the run in the block, if `line` asks for one.

    It is made of a record, which a temporary folder holds unless `line` names a file.
    A record that the block leaves as it was is that of an earlier run: it is not shown.
    Only the process that enters the block writes: the others that leave it may end
    before, and the record then says how far they came.

    Raises:
        OptError: the report cannot be written, or would overwrite another file.
    """
    _check_distinct(line)
    report = line.values["report"]
    if not report:
        yield
        return
    from shutil import rmtree
    from tempfile import mkdtemp

    _check_file("report", report)
    process_id = os.getpid()
    folder = mkdtemp()
    record = line.values["record"] or str(Path(folder, "run.db"))
    line.values["record"] = record
    earlier = _state(Path(record))
    try:
        yield
    finally:
        if os.getpid() == process_id:
            try:
                if _state(Path(record)) != earlier:
                    _write_report(Path(report), Path(record))
            finally:
                rmtree(folder)


def _state(file: Path) -> tuple[int, int, int] | None:
    """Return what tells whether a file was written meanwhile; None if there is none."""
    try:
        stat = file.stat()
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


def recorded(
    options: DriverOptions, manager: PassManager
) -> AbstractContextManager[object]:
    """Return a block in which runs of `manager` are recorded, if that is asked for."""
    if options.record is None:
        return nullcontext()
    from passgen_runtime.extensions.record import record

    return record(manager, options.record, appends=True, command=options.command)


def _prints_ir(options: DriverOptions) -> bool:
    before = options.print_before or options.print_before_all or options.print_initial
    after = options.print_after or options.print_after_all
    return bool(before or after or options.print_after_failure or options.print_diff)


def _print_ir(manager: PassManager, options: DriverOptions) -> None:
    from passgen_runtime.instrumentations import ir_printing

    every, called = ir_printing.every_pass, ir_printing.passes_called
    is_diff_of_all = options.print_diff and not options.print_after
    after_all = options.print_after_all or options.print_after_failure or is_diff_of_all
    config = ir_printing.IRPrintingConfig(
        before=every if options.print_before_all else called(*options.print_before),
        after=every if after_all else called(*options.print_after),
        after_only_on_change=options.print_after_change,
        after_only_on_failure=options.print_after_failure,
        module_scope=options.print_module_scope,
        first_state=options.print_initial,
        pass_options=options.print_pass_options,
        diff=options.print_diff,
        color=shows_color(options.color),
    )
    destination = None
    if options.print_tree_directory is not None:
        root = Path(options.print_tree_directory)
        destination = ir_printing.FileTreeDestination(manager.context, root)
    ir_printing.enable_ir_printing(manager, config, destination)
