"""What `passgen-opt` does with its input: chunk by chunk, from text to text.

After `mlir/lib/Tools/mlir-opt/MlirOptMain.cpp`: parse, verify, run the pipeline, print.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import Diagnostic, IRError, PassError, PassFailure
from passgen_runtime.opt_files import OptError, read_input, write_output
from passgen_runtime.opt_flags import SPLIT_MARKER, Request
from passgen_runtime.opt_observation import check_destinations, observe
from passgen_runtime.output_files import check_writable
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.pass_threading import outermost_level, threads_run_in_parallel
from passgen_runtime.pipeline_resolution import (
    add_pass_from_flag,
    parse_pass_manager,
    warn_about_unmatched,
)
from passgen_runtime.textual_pipeline import parse_pipeline

if TYPE_CHECKING:
    from passgen_runtime.instrumentations.reproducer import Reproducer
    from passgen_runtime.instrumentations.timing_manager import TimingManager
    from passgen_runtime.opt_verify_diagnostics import DiagnosticVerifier


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
    arguments: Sequence[str],
    *,
    survives_crashes: bool = False,
) -> None:
    """Do what `request` asks for.

    Args:
        request: what to do.
        registry: the passes.
        make_context: makes a context for each part of the input.
        arguments: what was asked for, as given.
        survives_crashes: whether to run in a copy of the process where a reproducer of
            a crash is asked for.

    Raises:
        PassError: the pipeline is wrong.
        OptError: something cannot be read or written.
        FailedRunError: a part of the input has failed.
    """
    check_destinations(request.observation)
    if request.output != "-":
        _check_output(request.output)
    driver = _Driver(
        request,
        registry,
        make_context,
        arguments,
        survives_crashes=survives_crashes,
    )
    if request.show_dialects:
        write_output("-", driver.dialects_text())
        return
    driver.check_pipeline()
    text, name = read_input(request.input)
    outputs: list[str] = []
    has_failed = False
    for chunk in _chunks(text, name, request.split_marker):
        output, is_fine = driver.process(chunk)
        outputs.append(output)
        has_failed = has_failed or not is_fine
    # A file appears only if all went well; standard output shows what there is.
    shows_parts = request.output == "-" and (len(outputs) > 1 or outputs[0])
    if not has_failed or shows_parts:
        write_output(request.output, f"{SPLIT_MARKER}\n".join(outputs))
    if has_failed:
        raise FailedRunError


class _Driver:
    """Processes the chunks of one call."""

    def __init__(
        self,
        request: Request,
        registry: PassRegistry,
        make_context: ContextFactory,
        arguments: Sequence[str],
        *,
        survives_crashes: bool,
    ) -> None:
        self._survives_crashes = survives_crashes
        self._request = request
        self._registry = registry
        self._make_context = make_context
        self._arguments = arguments

    def dialects_text(self) -> str:
        """Return the text of `--show-dialects`."""
        names = sorted(self._context().registered_dialects())
        return f"Available Dialects: {','.join(names)}\n"

    def check_pipeline(self) -> None:
        """Check the pipeline, and print it if asked to, before the input is read.

        Raises:
            PassError: it is wrong.
            OptError: the IR cannot be printed where it is to be.
        """
        request = self._request
        context = self._context()
        manager = self._manager(context, None)
        observe(manager, request.observation, generic=request.print_generic)
        if request.dump_pipeline:
            text = str(manager)
            if request.dump_pipeline == "pretty":
                text = parse_pipeline(text).pretty()
            sys.stderr.write(f"{text}\n")

    def process(self, chunk: _Chunk) -> tuple[str, bool]:
        """Return what becomes of `chunk`, and whether all went well."""
        context = self._context()
        request = self._request
        verifier: DiagnosticVerifier | None = None
        if request.verify_diagnostics is not None:
            module = import_module("passgen_runtime.opt_verify_diagnostics")
            verifier = module.DiagnosticVerifier(
                chunk.text, chunk.name, request.verify_diagnostics
            )
            assert verifier is not None
            context.diagnostic_handler = verifier.handle
        output = ""
        has_failed = False
        try:
            output = self._run(chunk, context)
        except IRError as error:
            context.handle(error.diagnostic)
            has_failed = True
        except PassError as error:
            has_failed = True
            if verifier is None:
                self._report_failure(error)
        if verifier is not None:
            errors = verifier.errors()
            sys.stderr.write("".join(f"{error}\n" for error in errors))
            has_failed = bool(errors)
        return output, not has_failed

    def _run(self, chunk: _Chunk, context: Context) -> str:
        """Return what the pipeline makes of `chunk`, as text with a line end."""
        request, observation = self._request, self._request.observation
        reproducer: Reproducer | None = None
        if observation.run_reproducer:
            module = import_module("passgen_runtime.instrumentations.reproducer")
            reproducer = module.read_reproducer(chunk.text, chunk.name)
        manager = self._manager_without_warnings(context, reproducer)
        timing = observe(manager, observation, generic=request.print_generic)
        try:
            with _timed(timing, "Parser"):
                operation = context.parse(
                    chunk.text, chunk.name, implicit_module=request.implicit_module
                )
                context.verify(operation)
            if observation.generate_reproducer is not None:
                self._write_reproducer(manager, operation)
            if observation.crash_reproducer is not None and self._survives_crashes:
                self._go_on_in_a_copy(manager, operation)
            try:
                with self._audit(manager), self._progress(manager):
                    manager.run(operation)
                warn_about_unmatched(manager)
            finally:
                if request.statistics:
                    self._report(self._statistics(manager))
            with _timed(timing, "Output"):
                printed = self._print(manager, operation)
        finally:
            if timing is not None:
                self._report(
                    timing.report(observation.timing_display, observation.report_format)
                )
        return printed

    def _go_on_in_a_copy(self, manager: PassManager, operation: Operation) -> None:
        """Return in a copy of the process, which a pass may take down.

        Raises:
            PassError: in the original, once the copy has been taken down.
            CopyEndedError: in the original, once the copy has done everything.
        """
        observation = self._request.observation
        recovery = import_module("passgen_runtime.instrumentations.crash_recovery")
        watch = recovery.CrashWatch(manager.context)
        manager.add_instrumentation(watch)
        signal_name = recovery.crash_of_copy()
        if signal_name is None:
            return
        module = import_module("passgen_runtime.instrumentations.crash_reproducer")
        subjects = watch.last if observation.is_local_reproducer else f"[{watch.last}]"
        where = f"reproducer generated at `{observation.crash_reproducer}`"
        module.report_failure(manager.context, operation, subjects, where)
        message = f"the process was ended by {signal_name} while passes ran"
        raise PassError(message)

    def _print(self, manager: PassManager, operation: Operation) -> str:
        """Return the text of `operation` with the resources of its file."""
        context = manager.context
        is_generic = self._request.print_generic
        if not manager.verify_each and not is_generic:
            # As in MLIR: custom forms rely on what the verifier checks.
            try:
                context.verify(operation)
            except IRError:
                is_generic = True
        text = context.print(operation, generic=is_generic) + context.file_end
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
        return self._make_context(allow_unregistered=self._request.allow_unregistered)

    def _manager(self, context: Context, reproducer: Reproducer | None) -> PassManager:
        """Return what is to run: a reproducer's pipeline, and that of the flags.

        Raises:
            PipelineError: anything is wrong with it, with the place.
        """
        request, registry = self._request, self._registry
        manager = PassManager(context, nesting="implicit")
        if reproducer is not None:
            manager = parse_pass_manager(reproducer.pipeline, context, registry)
        if request.pipeline is not None:
            given = parse_pass_manager(request.pipeline, context, registry)
            if reproducer is None:
                manager = given
            else:
                manager.add_pipeline(given)
        for flag in request.passes:
            add_pass_from_flag(manager, flag, registry, context)
        manager.verify_each = request.verify_each
        is_threaded = not request.observation.disable_threading
        if reproducer is not None:
            manager.verify_each = reproducer.verify_each
            is_threaded = is_threaded and not reproducer.disable_threading
        if is_threaded:
            self._enable_threads(manager)
        return manager

    def _manager_without_warnings(
        self, context: Context, reproducer: Reproducer | None
    ) -> PassManager:
        """Return what is to run: `check_pipeline` has said what there is to say."""
        handler = context.diagnostic_handler
        if reproducer is None:
            context.diagnostic_handler = _ignore
        try:
            return self._manager(context, reproducer)
        finally:
            context.diagnostic_handler = handler

    def _enable_threads(self, manager: PassManager) -> None:
        is_forced = self._request.observation.disable_threading is False
        if is_forced or threads_run_in_parallel():
            manager.enable_multithreading(policy=outermost_level)
        else:
            manager.enable_multithreading(policy=_never)

    def _write_reproducer(self, manager: PassManager, operation: Operation) -> None:
        module = import_module("passgen_runtime.instrumentations.reproducer")
        printed = manager.context.print(operation)
        text = module.Reproducer(
            str(manager),
            disable_threading=not manager.is_multithreaded,
            verify_each=manager.verify_each,
        ).append_to(printed)
        write_output(str(self._request.observation.generate_reproducer), text)

    @contextlib.contextmanager
    def _audit(self, manager: PassManager) -> Iterator[None]:
        """Let a run be audited if asked to; what it finds is said as it is found."""
        if not self._request.audit:
            yield
            return
        module = import_module("passgen_runtime.instrumentations.audit")
        audit = module.enable_audit(manager)
        yield
        if audit.violations:
            count = len(audit.violations)
            raise PassError(
                f"the audit found {count} {'violation' if count == 1 else 'violations'}"
            )

    @contextlib.contextmanager
    def _progress(self, manager: PassManager) -> Iterator[None]:
        """Show how a long run goes on, where somebody looks at standard error."""
        stderr = sys.stderr
        if not stderr.isatty():
            yield
            return
        module = import_module("passgen_runtime.instrumentations.progress")
        line = module.ProgressLine(stderr, manager.context)
        manager.add_instrumentation(line)
        try:
            with line as around:
                sys.stderr = around
                yield
        finally:
            sys.stderr = stderr

    def _statistics(self, manager: PassManager) -> str:
        display = self._request.statistics_display
        if self._request.observation.report_format == "text":
            return manager.statistics_report(display)
        module = import_module("passgen_runtime.statistics_json")
        return str(module.json_report(manager.statistics_nodes(), display))

    def _report(self, text: str) -> None:
        path = self._request.observation.report_file
        if path is None or path == "-":
            sys.stderr.write(text)
            return
        try:
            with Path(path).open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            message = f"error: cannot write '{path}': {error.strerror}"
            raise OptError(message) from error

    def _report_failure(self, error: PassError) -> None:
        message = str(error)
        prefix = "" if "error:" in message.partition("\n")[0] else "error: "
        lines = [f"{prefix}{message}"]
        observation = self._request.observation
        is_kept = observation.crash_reproducer or observation.generate_reproducer
        if isinstance(error, PassFailure) and not is_kept:
            lines.append(f"note: for a reproducer, run: {self._reproducing_command()}")
        sys.stderr.write("".join(f"{line}\n" for line in lines))

    def _reproducing_command(self) -> str:
        flag = "--mlir-pass-pipeline-crash-reproducer=reproducer.mlir"
        command = import_module("shlex").join(("passgen-opt", *self._arguments, flag))
        return f"{command} < INPUT" if self._request.input == "-" else command


def _never(*, depth: int, fans_out_above: bool, num_targets: int) -> bool:
    """Fan out nowhere: this interpreter runs one thread at a time."""
    del depth, fans_out_above, num_targets
    return False


def _ignore(_: Diagnostic) -> None:
    """Forget a diagnostic."""


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
