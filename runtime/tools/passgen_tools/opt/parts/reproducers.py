"""Reproducers: files that hold the IR, and the pipeline to run on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from passgen_runtime.context import Operation
from passgen_runtime.errors import PassFailure
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.command_line import UsageError, destination, switch
from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.files import earlier_files, write_output
from passgen_tools.opt.options import DriverOptions
from passgen_tools.opt.reports import ProcessEndError


class ReproducersPart(DriverPart):
    """Writes a reproducer if a pass fails, or of each run."""

    crash_reproducer = destination(
        "mlir-pass-pipeline-crash-reproducer",
        "leave a reproducer if a pass fails or crashes",
        "crash reproducer",
    )
    local_reproducer = switch(
        "mlir-pass-pipeline-local-reproducer",
        "write only the failing pass to the reproducer; needs --mlir-disable-threading",
    )
    generate_reproducer = destination(
        "mlir-generate-reproducer",
        "write a reproducer of the run, also if it succeeds",
        "reproducer",
    )

    def check(self, _passes: Callable[[], PassRegistry]) -> None:
        """Check that a local reproducer is written by one thread.

        Raises:
            UsageError: there may be several.
        """
        is_local = self.crash_reproducer is not None and self.local_reproducer
        if is_local and not DriverOptions(self.line).disable_threading:
            from passgen_runtime.instrumentations.crash_reproducer import (
                NEEDS_ONE_THREAD,
            )

            raise UsageError(f"{NEEDS_ONE_THREAD}\nadd --mlir-disable-threading")

    def emptied_files(self) -> Sequence[str]:
        """Return the reproducer of an earlier run; that of a failure may stay."""
        return earlier_files(self.generate_reproducer)

    @contextmanager
    def around_input(self, _run: DriverRun) -> Iterator[None]:
        """Note on a failure without a reproducer the flag that writes one."""
        try:
            yield
        except (PassFailure, ProcessEndError) as error:
            if self.crash_reproducer is None and self.generate_reproducer is None:
                flag = "--mlir-pass-pipeline-crash-reproducer=reproducer.mlir"
                error.add_note(f"for a reproducer, add {flag}")
            raise

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Write a reproducer, or let the manager write one when a pass fails."""
        if self.crash_reproducer is not None:
            self._enable(run, self.crash_reproducer)
        if self.generate_reproducer is not None:
            write_reproducer(self.generate_reproducer, run.manager, run.operation)
        yield

    def _enable(self, run: DriverRun, path: str) -> None:
        from passgen_runtime.instrumentations import (
            crash_reproducer,
            reproducer_destination,
        )

        crash_reproducer.enable_crash_reproducer_generation(
            run.manager,
            reproducer_destination.StandardOutput if path == "-" else path,
            local=self.local_reproducer,
            is_verified=not run.options.trusts_input,
        )


def write_reproducer(path: str, manager: PassManager, operation: Operation) -> None:
    """Write a reproducer of a run that is about to begin.

    Raises:
        OptError: it cannot be written.
    """
    from passgen_runtime.instrumentations.reproducer import Reproducer

    context = manager.context
    flags = context.printing_flags.lossless()
    printed = context.print_in_any_state(operation, flags=flags)
    reproducer = Reproducer(
        str(manager),
        disable_threading=not manager.is_multithreaded,
        verify_each=bool(manager.verify_each),
    )
    write_output(path, reproducer.append_to(printed))
