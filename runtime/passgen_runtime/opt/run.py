"""What `passgen-opt` does with its input: chunk by chunk, from text to text.

After `mlir/lib/Tools/mlir-opt/MlirOptMain.cpp`: parse, verify, run the pipeline, print.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import UNKNOWN_LOCATION, Diagnostic, print_diagnostic
from passgen_runtime.errors import IRError, PassError, PassFailure
from passgen_runtime.opt.files import OptError, read_input, write_output
from passgen_runtime.opt.flags import Request
from passgen_runtime.opt.observation import check_destinations, observe
from passgen_runtime.opt.opt_pipeline import RequestedPipeline
from passgen_runtime.opt.opt_reproducers import write_reproducer
from passgen_runtime.opt.reports import (
    DiagnosticPrinter,
    ProcessEndError,
    SourceLines,
    audited,
    report_failure,
    shown_progress,
    statistics_text,
    write_report,
)
from passgen_runtime.output_files import check_writable
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_registry import PassRegistry, warn_about_unmatched

if TYPE_CHECKING:
    from passgen_runtime.instrumentations.reproducer import Reproducer
    from passgen_runtime.instrumentations.timing_manager import TimingManager
    from passgen_runtime.opt.containment import ContainedRun, Crash
    from passgen_runtime.opt.verify_diagnostics import DiagnosticVerifier


class ContextFactory(Protocol):
    """Makes the context of a run."""

    def __call__(self, *, allow_unregistered: bool) -> Context:
        """Return a context, which may accept unregistered dialects."""


class FailedRunError(Exception):
    """A part of the input has failed, and what has to be said about it has been."""


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A part of the input that is a file of its own."""

    text: str
    """With empty lines in the place of the parts before it: places stay right."""

    name: str


def run(
    request: Request,
    registry: PassRegistry,
    make_context: ContextFactory,
    contained: ContainedRun | None = None,
) -> None:
    """Do what `request` asks for.

    Args:
        request: what to do.
        registry: the passes.
        make_context: makes a context for each part of the input.
        contained: takes notes of the run, and knows what other processes have done.

    Raises:
        PassError: the pipeline is wrong.
        OptError: something cannot be read or written.
        FailedRunError: a part of the input has failed.
    """
    if contained is not None and contained.is_repetition:
        request = _without_traces(request)
    check_destinations(request.observation)
    if request.output != "-":
        _check_output(request.output)
    driver = _Driver(request, registry, make_context, contained)
    if request.show_dialects:
        write_output("-", driver.dialects_text())
        return
    text, name = driver.begin()
    outputs: list[str] = []
    has_failed = False
    for number, chunk in enumerate(_chunks(text, name, request.split_marker)):
        output, is_fine = driver.outcome(number, chunk)
        outputs.append(output)
        has_failed = has_failed or not is_fine
    # A file appears only if all went well; standard output shows what there is.
    shows_parts = request.output == "-" and (len(outputs) > 1 or outputs[0])
    if not has_failed or shows_parts:
        write_output(request.output, f"{request.output_split_marker}\n".join(outputs))
    if driver.unwritten:
        raise driver.unwritten[0]
    if has_failed:
        raise FailedRunError


class _Driver:
    """Processes the chunks of one call."""

    def __init__(
        self,
        request: Request,
        registry: PassRegistry,
        make_context: ContextFactory,
        contained: ContainedRun | None,
    ) -> None:
        self._contained = contained
        self._request = request
        self._pipeline = RequestedPipeline(request, registry)
        self._make_context = make_context
        self.unwritten: list[OptError] = []
        """Why reports could not be written."""

    def dialects_text(self) -> str:
        """Return the text of `--show-dialects`."""
        names = sorted(self._context().registered_dialects())
        return f"Available Dialects: {','.join(names)}\n"

    def begin(self) -> tuple[str, str]:
        """Return the text and the name of the input, once the pipeline is checked.

        Raises:
            PassError: the pipeline is wrong.
            OptError: the input cannot be read.
        """
        contained = self._contained
        if contained is not None and contained.before.input is not None:
            return contained.before.input
        self._check_pipeline()
        text, name = read_input(self._request.input)
        if contained is not None:
            contained.note_input(text, name)
        return text, name

    def _check_pipeline(self) -> None:
        """Check the pipeline, and print it if asked to.

        Raises:
            PassError: it is wrong.
            OptError: the IR cannot be printed where it is to be.
        """
        manager = self._pipeline.make(self._context(), None)
        observe(manager, self._request.observation)
        self._pipeline.dump(manager)

    def outcome(self, number: int, chunk: _Chunk) -> tuple[str, bool]:
        """Return what becomes of the part with this number, and whether all went well.

        Another process may have done the work, or ended in it.
        """
        contained = self._contained
        if contained is None:
            return self._process(chunk, None)
        known = contained.known_outcome(number)
        if known is None:
            known = self._process(chunk, contained.begin_part(number))
            contained.note_outcome(known)
        return known

    def _process(self, chunk: _Chunk, crash: Crash | None) -> tuple[str, bool]:
        """Process `chunk`, unless another process has ended in that by `crash`."""
        context = self._context()
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
                report_failure(self._request, error)
        if verifier is not None:
            errors = verifier.errors()
            sys.stderr.write("".join(f"{error}\n" for error in errors))
            has_failed = bool(errors)
        return output, not has_failed

    def _handle_diagnostics(
        self, context: Context, chunk: _Chunk
    ) -> DiagnosticVerifier | None:
        """Let diagnostics about `chunk` be printed, or compared by what is returned."""
        request = self._request
        context.prints_operation_on_diagnostic = request.diagnostics.with_operation
        context.prints_stacktrace_on_diagnostic = request.diagnostics.with_stacktrace
        if request.verify_diagnostics is not None:
            module = import_module("passgen_runtime.opt.verify_diagnostics")
            verifier: DiagnosticVerifier = module.DiagnosticVerifier(
                chunk.text, chunk.name, request.verify_diagnostics
            )
            context.diagnostic_handler = verifier.handle
            return verifier
        if context.diagnostic_handler is print_diagnostic:
            source = SourceLines(chunk.text, chunk.name)
            printer = DiagnosticPrinter(source, request.diagnostics)
            context.diagnostic_handler = printer.handle
        return None

    def _run(self, chunk: _Chunk, context: Context) -> str:
        """Return what the pipeline makes of `chunk`, as text with a line end."""
        request, observation = self._request, self._request.observation
        manager = self._manager(chunk, context)
        timing = observe(manager, observation)
        try:
            with _timed(timing, "Parser"):
                operation = self._parse(context, chunk)
            if observation.generate_reproducer is not None:
                write_reproducer(observation.generate_reproducer, manager, operation)
            if self._contained is not None:
                place = context.location(operation)
                self._contained.watch_passes(manager, place)
            try:
                with audited(request, manager), shown_progress(manager):
                    _run_passes(manager, operation)
                warn_about_unmatched(manager)
            finally:
                if request.statistics:
                    self._report(statistics_text(request, manager))
            with _timed(timing, "Output"):
                printed = self._print(manager, operation)
        finally:
            if timing is not None:
                report = timing.report(
                    observation.timing_display, observation.report_format
                )
                self._report(report)
        return printed

    def _manager(self, chunk: _Chunk, context: Context) -> PassManager:
        """Return what is to run on `chunk`.

        Raises:
            IRError: it holds a reproducer that is damaged.
        """
        reproducer: Reproducer | None = None
        if self._request.observation.run_reproducer:
            module = import_module("passgen_runtime.instrumentations.reproducer")
            reproducer = module.read_reproducer(chunk.text, chunk.name)
        return self._pipeline.make_again(context, reproducer)

    def _report_crash(self, chunk: _Chunk, context: Context, crash: Crash) -> NoReturn:
        """Report what has ended another process.

        Raises:
            IRError: no pass had run.
            ProcessEndError: the pipeline ran.
        """
        if not crash.place:
            raise IRError(Diagnostic("error", str(crash), UNKNOWN_LOCATION))
        observation = self._request.observation
        path = observation.crash_reproducer
        where = "" if path is None else f"reproducer generated at `{path}`"
        # What is no file gets a reproducer only when a pass fails.
        if path == "-" or (path is not None and not Path(path).is_file()):
            operation = self._parse(context, chunk)
            write_reproducer(path, self._manager(chunk, context), operation)
        is_local = observation.is_local_reproducer
        context.handle(crash.diagnostic(where, is_local=is_local))
        raise ProcessEndError(str(crash))

    def _report(self, text: str) -> None:
        """Write a report; what is in its way is told after the IR has been written."""
        try:
            write_report(self._request, text)
        except OptError as error:
            self.unwritten.append(error)

    def _parse(self, context: Context, chunk: _Chunk) -> Operation:
        """Return what `chunk` holds, verified.

        Raises:
            IRError: it does not parse or verify.
        """
        request = self._request
        operation = context.parse(
            chunk.text, chunk.name, implicit_module=request.implicit_module
        )
        if request.verifies_input:
            context.verify(operation)
        if request.verifies_round_trip:
            module = import_module("passgen_runtime.opt.opt_round_trip")
            module.verify_round_trip(context, operation)
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
        module = import_module("passgen_runtime.instrumentations.file_metadata")
        for group, values in resources.items():
            is_used_up = self._request.observation.run_reproducer
            if group != "mlir_reproducer" or not is_used_up:
                text = module.append_external_resource(text, group, values)
        return text

    def _context(self) -> Context:
        context = self._make_context(
            allow_unregistered=self._request.allow_unregistered
        )
        context.printing_flags = self._request.printing
        return context


def _without_traces(request: Request) -> Request:
    """Return `request` for a run of which nothing is to be seen."""
    printing = replace(request.observation.printing, tree_directory=None)
    observation = replace(
        request.observation,
        printing=printing,
        crash_reproducer=None,
        generate_reproducer=None,
        report_file=None,
    )
    return replace(request, output=os.devnull, observation=observation)


def _run_passes(manager: PassManager, operation: Operation) -> None:
    """Run `manager`; a pass that raises `SystemExit` ends itself, not the driver.

    Raises:
        PassError: see `PassManager.run`.
    """
    try:
        manager.run(operation)
    except SystemExit as error:
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
    for part in parts:
        yield _Chunk("\n" * num_lines + part, name)
        num_lines += part.count("\n")


def _check_output(path: str) -> None:
    try:
        check_writable(Path(path))
    except OSError as error:
        message = f"error: cannot open output file '{path}': {error.strerror}"
        raise OptError(message) from error
