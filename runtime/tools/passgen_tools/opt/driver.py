"""The run of a driver on its input: part by part, from text to text.

As in `mlir/lib/Tools/mlir-opt/MlirOptMain.cpp`: parse, verify, run the pipeline, print.
The parts of the driver do all else, around these steps.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic, print_diagnostic
from passgen_runtime.errors import IRError, PassError, PassFailure
from passgen_runtime.output_files import check_writable, shown_path
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.ir_libraries import inspector_of
from passgen_tools.opt.driver_part import DriverCall, DriverInput, DriverRun
from passgen_tools.opt.files import (
    FailedRunError,
    OptError,
    begin_file,
    read_input,
    write_output,
)
from passgen_tools.opt.options import DriverOptions
from passgen_tools.opt.pipeline import RequestedPipeline
from passgen_tools.opt.process import flush_native_output
from passgen_tools.opt.reports import SourceLines, print_with_source, report_failure

if TYPE_CHECKING:
    from passgen_runtime.instrumentations.reproducer import Reproducer


DriverFactory: TypeAlias = Callable[
    [DriverOptions, DriverCall, PassRegistry, Callable[[], Context]], "Driver"
]
"""Makes a `Driver`, or one of a subclass."""

DriverRunner: TypeAlias = Callable[[Callable[[DriverFactory], int]], int]
"""Runs the driver, perhaps in another process, and returns its exit code."""


@dataclass
class Driver:
    """Processes the input of one call."""

    options: DriverOptions
    call: DriverCall
    """Its parts stand around the work, the first one outermost."""

    registry: PassRegistry
    make_context: Callable[[], Context]
    """Makes a context for each part of the input."""

    unwritten: list[OptError] = field(default_factory=list, init=False)
    """Errors of writing reports."""

    def run(self) -> None:
        """Process the input.

        Raises:
            PassError: the pipeline is wrong.
            OptError: a file cannot be read or written.
            FailedRunError: a part of the input has failed.
        """
        options = self.options
        if options.output != "-":
            _check_output(options.output)
        context = self.make_context()
        self._pipeline = self.parse_pipeline(context)
        self._input = self.read_input()
        outputs, has_failed = list[str](), False
        marker = options.split_marker
        last = self._input.text.count(marker) if marker else 0
        for run in self._runs(self._input, context):
            output, is_fine = self.process(run)
            flush_native_output()
            if run.number < last:
                output += f"{options.output_split_marker}\n"
            outputs.append(output)
            has_failed = has_failed or not is_fine
            # A file is written only if all went well. Standard output gets each part
            # behind what its passes have printed there.
            if options.output == "-" and (output or is_fine):
                self.write_part(run, output)
        if options.output != "-" and not has_failed:
            write_output(options.output, "".join(outputs))
        if self.unwritten:
            raise self.unwritten[0]
        if has_failed:
            raise FailedRunError

    def _runs(self, whole: DriverInput, first: Context) -> Iterator[DriverRun]:
        """Yield the run on each part of the input; `first` has parsed all patterns."""
        marker, text = self.options.split_marker, whole.text
        num_lines = 0
        for number, part in enumerate(text.split(marker) if marker else [text]):
            context = self.make_context() if number else first
            yield DriverRun(
                self.options,
                self.call,
                "\n" * num_lines + part,
                whole.name,
                number,
                context,
                self.unwritten,
            )
            num_lines += part.count("\n")

    # The steps, which containment does in processes that may end.

    def parse_pipeline(self, context: Context) -> RequestedPipeline:
        """Return the pipeline to run; warnings go to the handler of `context`."""
        return RequestedPipeline(self.options, self.registry, context)

    def read_input(self) -> DriverInput:
        """Return the input, of a part or from a file; empty files of earlier calls."""
        brought = filter(None, (part.input() for part in self.call.parts))
        found = next(brought, None) or DriverInput(*read_input(self.options.input))
        for part in self.call.parts:
            for path in part.emptied_files():
                begin_file(path)
        if self.options.split_marker:
            self._warn_of_near_misses(found, self.options.split_marker)
        return found

    def _warn_of_near_misses(self, found: DriverInput, marker: str) -> None:
        """Warn of a split marker without its end, as `mlir-opt` does."""
        text, name, begin = found.text, found.name, marker[:-2]
        source = SourceLines(text, name)
        for match in re.finditer(re.escape(begin), text) if begin else ():
            if not text.startswith(marker, match.start()):
                line = text.count("\n", 0, match.start()) + 1
                column = match.end() - text.rfind("\n", 0, match.start())
                message = "near miss with file split marker"
                warning = Diagnostic("warning", message, f"{name}:{line}:{column}")
                print_with_source(source, self.options, warning)

    def process(self, run: DriverRun) -> tuple[str, bool]:
        """Return the output of `run`, and whether all went well; report errors."""
        context, options = run.context, self.options
        context.prints_operation_on_diagnostic = options.shows_operation
        context.prints_stacktrace_on_diagnostic = options.show_stacktrace
        if context.diagnostic_handler is print_diagnostic:
            source = SourceLines(self._input.text, run.name)
            context.diagnostic_handler = partial(print_with_source, source, options)
        output = ""
        try:
            with ExitStack() as blocks:
                for part in self.call.parts:
                    blocks.enter_context(part.around_input(run))
                output = self.output_of(run)
        except IRError as error:
            context.handle(error.diagnostic)
        except PassError as error:
            report_failure(options, error)
        except FailedRunError:
            pass
        else:
            return output, True
        return output, False

    def write_part(self, run: DriverRun, output: str) -> None:
        """Write the output of `run` to standard output.

        Raises:
            OptError: it cannot be written.
        """
        del run
        write_output("-", output)

    def output_of(self, run: DriverRun) -> str:
        """Run the pipeline; return the IR as text with a line end."""
        reproducer = self.read_reproducer(run)
        with run.timed("Parser"):
            run.operation = self.parse_and_verify(run)
        run.manager = self.make_manager(run, reproducer)
        self._pipeline.dump(run.manager)
        with ExitStack() as blocks:
            for part in self.call.parts:
                blocks.enter_context(part.around_passes(run))
            blocks.enter_context(run.watch.get()(run))
            self.run_passes(run)
        if not run.manager.matched_nothing:  # else the run has said so
            run.manager.warn_about_unmatched()
        with run.timed("Output"):
            return self._print(run)

    @property
    def _runs_reproducer(self) -> bool:
        return self.options.run_reproducer or self._input.runs_reproducer

    def read_reproducer(self, run: DriverRun) -> Reproducer | None:
        """Return the reproducer in the text of `run` if it is to run.

        Raises:
            IRError: it is damaged.
        """
        if not self._runs_reproducer:
            return None
        from passgen_runtime.instrumentations.reproducer import read_reproducer

        return read_reproducer(run.text, run.name)

    def make_manager(
        self, run: DriverRun, reproducer: Reproducer | None
    ) -> PassManager:
        """Return the pass manager for `run`, whose input was parsed.

        Raises:
            PipelineError: the pipeline of the reproducer is wrong.
        """
        anchor = run.context.name(run.operation)
        return self._pipeline.manager(run.context, anchor, reproducer)

    def parse(self, run: DriverRun) -> Operation:
        """Return the operation that the text of `run` spells.

        Raises:
            IRError: it does not parse.
        """
        is_implicit = not self.options.takes_any_operation
        try:
            return run.context.parse(run.text, run.name, implicit_module=is_implicit)
        except IRError as error:
            found = error.diagnostic
            if run.number == 0 or found.location != f"{run.name}:0:0":
                raise
            # About the part as a whole: as in MLIR, at the end of the marker before it.
            marker = self.options.split_marker or ""
            before = marker.join((*self._input.text.split(marker)[: run.number], ""))
            line = before.count("\n") + 1
            place = f"{run.name}:{line}:{len(before) - before.rfind(chr(10))}"
            raise IRError(replace(found, location=place)) from error

    def parse_and_verify(self, run: DriverRun) -> Operation:
        """Return the operation that the text of `run` spells, which is valid.

        Raises:
            IRError: it does not parse or verify.
        """
        options, context = self.options, run.context
        operation = self.parse(run)
        if not options.trusts_input:
            context.verify(operation)
        if options.verify_round_trip:
            _verify_round_trip(context, operation, self.make_context())
        return operation

    def run_passes(self, run: DriverRun) -> None:
        """Run the passes; one that raises to end the program fails alone.

        Raises:
            PassError: see `PassManager.run`.
        """
        try:
            # A pass may replace them.
            with redirect_stdout(sys.stdout), redirect_stderr(sys.stderr):
                run.manager.run(run.operation, run.runner)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            failure = error.__cause__
            if isinstance(failure, PassFailure):
                raise failure from error
            raise

    def _print(self, run: DriverRun) -> str:
        """Return the text of the operation with the resources of its file."""
        context, operation = run.context, run.operation
        if run.manager.verify_each and not self.options.trusts_input:
            text = context.print(operation)
        else:
            text = context.print_in_any_state(operation)
        text += context.file_end
        if "{-#" not in run.text or context.printing_flags.local_scope:
            return text
        from passgen_runtime.instrumentations.file_metadata import (
            append_external_resources,
            external_resources,
        )
        from passgen_runtime.instrumentations.reproducer import RESOURCE

        kept = []
        for resource in external_resources(run.text, run.name):
            if resource.key != RESOURCE or not self._runs_reproducer:
                values = {
                    value.key: (
                        value.word == "true" if value.string is None else value.string
                    )
                    for value in resource.children
                }
                kept.append((resource.key, values))
        return append_external_resources(text, kept)


def _verify_round_trip(
    context: Context, operation: Operation, other_context: Context
) -> None:
    """Check that the text of `operation` parses to the same IR; locations aside.

    Args:
        context: that of the operation.
        operation: the IR.
        other_context: parses the text; in the same one, MLIR would rename resources.

    Raises:
        IRError: it does not parse, or to other IR.
    """
    flags = PrintingFlags()
    text = context.print(operation, flags=flags)
    subject, location = f"'{context.name(operation)}' op", context.location(operation)
    try:
        parsed = other_context.parse(text, "<round-trip>", implicit_module=False)
    except IRError as error:
        message = f"{subject} failed to parse text back, cannot verify round-trip."
        notes = (error.diagnostic,)
        raise IRError(Diagnostic("error", message, location, notes)) from error
    different = inspector_of(context).first_difference(operation, parsed)
    if different is not None:
        again = other_context.print(parsed, flags=flags)
        message = (
            f"{subject} text roundTrip testing roundtripped module differ from "
            f"reference:\n<<<<<<Reference\n{text}\n=====\n{again}\n>>>>>roundtripped\n"
        )
        note = f"'{context.name(different)}' op is not read back as it was"
        notes = (Diagnostic("note", note, context.location(different)),)
        raise IRError(Diagnostic("error", message, location, notes))


def _check_output(path: str) -> None:
    try:
        check_writable(Path(path))
    except OSError as error:
        raise OptError(
            f"error: cannot open output file '{shown_path(path)}': {error.strerror}"
        ) from error
