"""The run of `passgen-opt` on its input: part by part, from text to text.

As in `mlir/lib/Tools/mlir-opt/MlirOptMain.cpp`: parse, verify, run the pipeline, print.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol, runtime_checkable

from passgen_runtime.context import Context, Operation, PrintingFlags
from passgen_runtime.diagnostics import (
    UNKNOWN_LOCATION,
    Diagnostic,
    print_diagnostic,
)
from passgen_runtime.errors import IRError, PassError, PassFailure
from passgen_runtime.opt.files import OptError, read_input, write_output
from passgen_runtime.opt.observation import check_destinations, observe, recorded
from passgen_runtime.opt.options import DriverOptions
from passgen_runtime.opt.pipeline import RequestedPipeline, write_reproducer
from passgen_runtime.opt.reports import (
    DiagnosticPrinter,
    ProcessEndError,
    SourceLines,
    audited,
    report_failure,
    shown_progress,
    statistics_text,
    write_messages,
    write_report,
)
from passgen_runtime.opt.standard_streams import kept_streams
from passgen_runtime.opt.workers import report_workers, workers_of, workers_text
from passgen_runtime.output_files import check_writable
from passgen_runtime.pass_manager import PassManager, Runner
from passgen_runtime.pass_registry import PassRegistry

if TYPE_CHECKING:
    from passgen_runtime.instrumentations.timing_manager import TimingManager
    from passgen_runtime.opt.contained_run import ContainedRun, Crash
    from passgen_runtime.opt.verify_diagnostics import DiagnosticVerifier


class FailedRunError(Exception):
    """A part of the input has failed, and its errors have been printed."""


@runtime_checkable
class _ObservesTokens(Protocol):
    """A context that tells where its lexer stands, because that is Python."""

    on_token: Callable[[int], object] | None


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A part of the input that is a file of its own."""

    text: str
    """With empty lines instead of the parts before it, which keeps line numbers."""

    name: str
    number: int
    """Of the part, from 0."""


def run(
    options: DriverOptions,
    registry: PassRegistry,
    make_context: Callable[[], Context],
    contained: ContainedRun | None = None,
) -> None:
    """Process the input.

    Args:
        options: say how.
        registry: the passes.
        make_context: makes a context for each part of the input.
        contained: takes notes of the run, and knows the progress of other processes.

    Raises:
        PassError: the pipeline is wrong.
        OptError: a file cannot be read or written.
        FailedRunError: a part of the input has failed.
    """
    if options.show_dialects:
        names = sorted(make_context().registered_dialects())
        write_output("-", f"Available Dialects: {','.join(names)}\n")
        return
    if contained is not None and contained.is_repetition:
        options = _without_traces(options)
    if options.output != "-":
        _check_output(options.output)
    text, name, pipeline = _begin(options, registry, make_context(), contained)
    driver = _Driver(options, pipeline, make_context, contained)
    outputs: list[str] = []
    has_failed = False
    for number, chunk in enumerate(_chunks(text, name, options.split_marker)):
        output, is_fine = driver.outcome(number, chunk)
        outputs.append(output)
        has_failed = has_failed or not is_fine
    # A file is written only if all went well; standard output shows what there is.
    shows_parts = options.output == "-" and (len(outputs) > 1 or outputs[0])
    if not has_failed or shows_parts:
        write_output(options.output, f"{options.output_split_marker}\n".join(outputs))
    if driver.unwritten:
        raise driver.unwritten[0]
    if has_failed:
        raise FailedRunError


def _begin(
    options: DriverOptions,
    registry: PassRegistry,
    context: Context,
    contained: ContainedRun | None,
) -> tuple[str, str, RequestedPipeline]:
    """Return the text and the name of the input, and the pipeline to run on it.

    Raises:
        PassError: the pipeline is wrong.
        OptError: the input cannot be read, or a report not be written.
    """
    if contained is not None and contained.before.input is not None:
        # The process before this one has given the warnings about the pipeline.
        context.diagnostic_handler = lambda _: None
        return *contained.before.input, RequestedPipeline(options, registry, context)
    pipeline = RequestedPipeline(options, registry, context)
    check_destinations(options)
    text, name = read_input(options.input)
    if contained is not None:
        contained.note_input(text, name)
    return text, name, pipeline


class _Driver:
    """Processes the parts of the input of one call."""

    def __init__(
        self,
        options: DriverOptions,
        pipeline: RequestedPipeline,
        make_context: Callable[[], Context],
        contained: ContainedRun | None,
    ) -> None:
        self._options = options
        self._pipeline = pipeline
        self._make_context = make_context
        self._contained = contained
        self.unwritten: list[OptError] = []
        """Why reports, or the end of the record, could not be written."""

    def outcome(self, number: int, chunk: _Chunk) -> tuple[str, bool]:
        """Return the output of a part of the input, and whether all went well.

        Another process may have done the work, or ended in it.
        """
        contained = self._contained
        if contained is None:
            return self._process(chunk, None)
        known = contained.known_outcome(number)
        if known is None:
            known = self._process(
                chunk, contained.begin_part(number, self._options.timeout_s)
            )
            contained.note_outcome(known)
        return known

    def _process(self, chunk: _Chunk, crash: Crash | None) -> tuple[str, bool]:
        """Process `chunk`, or report the `crash` of another process that did so."""
        context = self._make_context()
        verifier = self._handle_diagnostics(context, chunk)
        output = ""
        has_failed = False
        try:
            if crash is not None:
                self._report_crash(chunk, context, crash)
            output = self._run(chunk, context)
        except IRError as error:
            context.handle(error.diagnostic)
            has_failed = True
        except PassError as error:
            has_failed = True
            if verifier is None:
                report_failure(self._options, error)
        if verifier is not None:
            errors = verifier.errors()
            text = "".join(f"{error}\n" for error in errors)
            write_messages(text, self._options.color)
            has_failed = bool(errors)
        return output, not has_failed

    def _handle_diagnostics(
        self, context: Context, chunk: _Chunk
    ) -> DiagnosticVerifier | None:
        """Print diagnostics about `chunk`, or let a returned verifier compare them."""
        options = self._options
        context.prints_operation_on_diagnostic = options.show_operation
        context.prints_stacktrace_on_diagnostic = options.show_stacktrace
        if options.verify_diagnostics is not None:
            from passgen_runtime.opt.verify_diagnostics import DiagnosticVerifier

            verifier = DiagnosticVerifier(
                chunk.text, chunk.name, options.verify_diagnostics
            )
            context.diagnostic_handler = verifier.handle
            return verifier
        if context.diagnostic_handler is print_diagnostic:
            source = SourceLines(chunk.text, chunk.name)
            context.diagnostic_handler = DiagnosticPrinter(source, options).handle
        return None

    def _run(self, chunk: _Chunk, context: Context) -> str:
        """Run the pipeline on `chunk`; return the IR as text with a line end."""
        options = self._options
        manager = self._manager(chunk, context)
        workers = workers_of(options)
        timing = observe(manager, options)
        try:
            with _timed(timing, "Parser"):
                operation = self._parse(context, chunk)
            self._pipeline.dump(manager)
            if options.generate_reproducer is not None:
                write_reproducer(options.generate_reproducer, manager, operation)
            if self._contained is not None:
                place = context.location(operation)
                self._contained.watch_passes(manager, place)
            try:
                with (
                    recorded(options, manager),
                    kept_streams(manager),
                    audited(options, manager),
                    shown_progress(manager),
                ):
                    _run_passes(manager, operation, workers)
                report_workers(workers, context)
                if not manager.matched_nothing:  # else the run has said so
                    manager.warn_about_unmatched()
            finally:
                if options.statistics:
                    self._report(statistics_text(options, manager))
            with _timed(timing, "Output"):
                printed = self._print(manager, operation)
        finally:
            if timing is not None:
                self._report(
                    timing.report(options.timing_display, options.report_format)
                    + workers_text(options, workers)
                )
        return printed

    def _manager(self, chunk: _Chunk, context: Context) -> PassManager:
        """Return the pass manager to run on `chunk`.

        Raises:
            IRError: it holds a reproducer that is damaged.
        """
        if not self._options.run_reproducer:
            return self._pipeline.manager(context, None)
        from passgen_runtime.instrumentations.reproducer import read_reproducer

        reproducer = read_reproducer(chunk.text, chunk.name)
        return self._pipeline.manager(context, reproducer)

    def _report_crash(self, chunk: _Chunk, context: Context, crash: Crash) -> NoReturn:
        """Report the end of another process.

        Raises:
            IRError: no pass had run.
            ProcessEndError: the pipeline ran.
        """
        if not crash.place:
            place = UNKNOWN_LOCATION
            if crash.offset is not None:
                place = _place_of(chunk, crash.offset)
            raise IRError(Diagnostic("error", str(crash), place))
        path = self._options.crash_reproducer
        where = "" if path is None else f"reproducer generated at `{path}`"
        # A stream or device gets a reproducer only when a pass fails.
        if path == "-" or (path is not None and not Path(path).is_file()):
            operation = self._parse(context, chunk)
            write_reproducer(path, self._manager(chunk, context), operation)
        if self._options.record is not None:
            from passgen_runtime.extensions.record import RecordError, end_killed_run

            try:
                end_killed_run(self._options.record, str(crash))
            except RecordError as error:
                self.unwritten.append(OptError(str(error)))
        is_local = self._options.local_reproducer
        context.handle(crash.diagnostic(where, is_local=is_local))
        raise ProcessEndError(str(crash))

    def _report(self, text: str) -> None:
        """Write a report; an error in that is raised after the IR has been written."""
        try:
            write_report(self._options, text)
        except OptError as error:
            self.unwritten.append(error)

    def _parse(self, context: Context, chunk: _Chunk) -> Operation:
        """Return the operation that `chunk` spells, verified.

        Raises:
            IRError: it does not parse or verify.
        """
        options = self._options
        if self._contained is not None and isinstance(context, _ObservesTokens):
            context.on_token = self._contained.note_offset
        try:
            operation = context.parse(
                chunk.text, chunk.name, implicit_module=not options.takes_any_operation
            )
        finally:
            if self._contained is not None:
                if isinstance(context, _ObservesTokens):
                    context.on_token = None
                self._contained.note_offset(None)
        if not options.trusts_input:
            context.verify(operation)
        if options.verify_round_trip:
            _verify_round_trip(context, operation)
        return operation

    def _print(self, manager: PassManager, operation: Operation) -> str:
        """Return the text of `operation` with the resources of its file."""
        context = manager.context
        if manager.verify_each:
            text = context.print(operation)
        else:
            text = context.print_in_any_state(operation)
        text += context.file_end
        resources = context.external_resources(operation)
        if not resources:
            return text
        from passgen_runtime.instrumentations.file_metadata import (
            append_external_resource,
        )

        for group, values in resources.items():
            if group != "mlir_reproducer" or not self._options.run_reproducer:
                text = append_external_resource(text, group, values)
        return text


def _without_traces(options: DriverOptions) -> DriverOptions:
    """Return `options` for a run that leaves no file and no output."""
    flags = (
        DriverOptions.print_tree_directory,
        DriverOptions.record,
        DriverOptions.crash_reproducer,
        DriverOptions.generate_reproducer,
        DriverOptions.report_file,
        DriverOptions.dump_pipeline,
    )
    output = {DriverOptions.given_output.name: os.devnull}
    return options.with_values(output | {flag.name: None for flag in flags})


def _verify_round_trip(context: Context, operation: Operation) -> None:
    """Check that the text of `operation` parses to the same IR; locations aside.

    Raises:
        IRError: it does not parse, or to other IR.
    """
    flags = PrintingFlags()
    text = context.print(operation, flags=flags)
    subject, location = f"'{context.name(operation)}' op", context.location(operation)
    try:
        parsed = context.parse(text, "<round-trip>", implicit_module=False)
    except IRError as error:
        message = f"{subject} failed to parse text back, cannot verify round-trip."
        notes = (error.diagnostic,)
        raise IRError(Diagnostic("error", message, location, notes)) from error
    before = context.fingerprint(operation, with_locations=False)
    if before != context.fingerprint(parsed, with_locations=False):
        again = context.print(parsed, flags=flags)
        message = (
            f"{subject} text roundTrip testing roundtripped module differ from "
            f"reference:\n<<<<<<Reference\n{text}\n=====\n{again}\n>>>>>roundtripped\n"
        )
        raise IRError(Diagnostic("error", message, location))


def _run_passes(
    manager: PassManager, operation: Operation, runner: Runner | None
) -> None:
    """Run `manager`; a pass that raises to end the program fails, the driver goes on.

    Raises:
        PassError: see `PassManager.run`.
    """
    try:
        manager.run(operation, runner)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        failure = error.__cause__
        if isinstance(failure, PassFailure):
            raise failure from error
        raise


def _timed(
    timing: TimingManager | None, name: str
) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext() if timing is None else timing.nest(name)


def _chunks(text: str, name: str, marker: str | None) -> Iterator[_Chunk]:
    """Yield the parts of `text` between markers."""
    parts = [text] if not marker else text.split(marker)
    num_lines = 0
    for number, part in enumerate(parts):
        yield _Chunk("\n" * num_lines + part, name, number)
        num_lines += part.count("\n")


def _place_of(chunk: _Chunk, offset: int) -> str:
    """Return the place of the token at `offset`, or behind blanks there."""
    text = chunk.text.removeprefix("\ufeff")
    begin = len(text) - len(text[offset:].lstrip())
    column = begin - text.rfind("\n", 0, begin)
    return f"{chunk.name}:{text.count(chr(10), 0, begin) + 1}:{column}"


def _check_output(path: str) -> None:
    try:
        check_writable(Path(path))
    except OSError as error:
        message = f"error: cannot open output file '{path}': {error.strerror}"
        raise OptError(message) from error
