"""Crash and failure reproducers, complete before the process can die.

Implements "Crash and Failure Reproduction" of MLIR's PassManagement page, from
`PassCrashRecovery.cpp`.

MLIR writes a reproducer once a pass has failed or a signal has arrived. A Python pass
can end the process in ways that no handler can intercept: `os._exit`, a crash in native
code, an out-of-memory kill. So the file is written under its own name before the first
pass runs, and removed after a successful run.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import SchedulingError
from passgen_runtime.instrumentations.ir_printing import (
    PIPELINE_FAILED,
    subject,
    top_level_operation,
)
from passgen_runtime.instrumentations.reproducer import Reproducer
from passgen_runtime.instrumentations.reproducer_destination import (
    Destination,
    ReproducerError,
    ReproducerFileDestination,
    ReproducerStreamDestination,
    ReproducerStreamFactory,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_manager import PassManager

NEEDS_ONE_THREAD = (
    "Local crash reproduction may not be used without disabling mutli-threading first."
)
"""MLIR's message, in its spelling, about local reproducers while threads run."""


@dataclass(slots=True)
class _WatchedRun:
    """The state of one run; copies of a manager share the instrumentation."""

    texts: list[str] = field(default_factory=list)
    """The reproducer of the run, then those of the running passes, innermost last."""

    operation: Operation = None
    """The operation that the pass manager runs on, once it is known."""

    running: dict[tuple[int, int], tuple[Pass, Operation]] = field(default_factory=dict)
    """The running passes, by thread and identity; a failed pass stays."""

    has_failed: bool = False


_RUNS: ContextVar[Mapping[int, _WatchedRun]] = ContextVar(
    "passgen_runtime.reproduced_runs", default=MappingProxyType({})
)
"""The runs around the current code, by the identity of their instrumentation."""


class FailurePlace(NamedTuple):
    """The place of a failure."""

    location: str
    callers: Sequence[str]
    stack: Sequence[str]
    """The Python stack, if the context shows it."""

    @classmethod
    def of(cls, context: Context, operation: Operation) -> FailurePlace:
        """Return the place of `operation`."""
        notes = context.context_notes("error", operation, shows_operation=False)
        stack = [note.message for note in notes]
        return cls(context.location(operation), context.callers(operation), stack)


class CrashReproducer(PassInstrumentation):
    """Writes a reproducer of the whole pipeline before its first pass runs."""

    detail = Detail.RUNS

    def __init__(
        self, manager: PassManager, destination: Destination, *, is_verified: bool
    ) -> None:
        """Write reproducers of runs of `manager`, on IR that may be verified."""
        self._manager = manager
        self.context = manager.context
        self._destination = destination
        self._is_verified = is_verified
        self._latest = _WatchedRun()

    def run_before_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Begin the state of a run; the next hook gets its operation."""
        if parent.is_outermost:
            self._latest = _WatchedRun()
            _RUNS.set({**_RUNS.get(), id(self): self._latest})

    def run_after_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Discard the reproducer of a run in which nothing failed."""
        if parent.is_outermost:
            run = self._run
            if run.texts and not run.has_failed:
                self._destination.discard()
            runs = _RUNS.get().items()
            _RUNS.set({key: other for key, other in runs if other is not run})

    def run_before_collection(
        self, _collection: PipelineCollection, operation: Operation
    ) -> None:
        """Write the reproducer of the run, if no hook has done so."""
        self._begin(operation)

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Write the reproducer of the run, if no hook has done so; record the pass."""
        self._begin(operation)
        self._run.running[threading.get_ident(), id(pass_)] = pass_, operation

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Forget a pass that has succeeded, unless an instrumentation has failed it."""
        if pass_.state.failed:
            self.run_after_pass_failed(pass_, operation)
            return
        self._run.running.pop((threading.get_ident(), id(pass_)), None)

    def run_after_pass_failed(self, pass_: Pass, operation: Operation) -> None:
        """Write and report the reproducer; once in each run."""
        if not self.has_failed:
            place = FailurePlace.of(self.context, operation)
            self.finish(self._subjects(pass_, operation), place)

    @property
    def has_failed(self) -> bool:
        """Whether a pass has failed, so that there is a reproducer of the run."""
        return self._run.has_failed

    def use(self, pipeline: str, text: str) -> None:
        """Replace the reproducer by one that runs `pipeline` on the IR in `text`."""
        self._run.texts.append(self._with_pipeline(pipeline, text))
        self._prepare_again()

    def finish(self, subjects: str, place: FailurePlace) -> None:
        """Write and report the reproducer.

        Args:
            subjects: the passes that were running, for the message.
            place: the place of the failure.
        """
        location, callers, stack = place
        run = self._run
        run.has_failed = True
        try:
            written = self._destination.finish(run.texts[-1])
            where = f"reproducer generated at `{written}`"
        except ReproducerError as error:
            where = f"failed to create output stream: {error}"
        message = f"Pipeline failed while executing {subjects}: {where}"
        notes = [Diagnostic("note", text, location) for text in (*stack, message)]
        details = location, tuple(notes), tuple(callers)
        self.context.handle(Diagnostic("error", PIPELINE_FAILED, *details))

    def _subjects(self, _pass: Pass, _operation: Operation) -> str:
        """Return the passes that were running, for the message about a failure."""
        running = self._run.running.values()
        return f"[{', '.join(subject(self.context, *pair) for pair in running)}]"

    @property
    def _run(self) -> _WatchedRun:
        # A thread that a pass itself starts may lack the context variable.
        return _RUNS.get().get(id(self), self._latest)

    def _begin(self, operation: Operation) -> None:
        run = self._run
        if not run.texts:
            run.operation = operation
            run.texts.append(self._make(str(self._manager), operation))
            self._destination.prepare(run.texts[0])

    def _prepare_again(self) -> None:
        # If this reproducer cannot be written, the one before stays.
        with contextlib.suppress(ReproducerError):
            self._destination.prepare(self._run.texts[-1])

    def _make(self, pipeline: str, outermost: Operation) -> str:
        context = self.context
        flags = context.printing_flags.lossless()
        if self._is_verified and not self._run.texts:  # no pass has run
            flags = replace(flags, assume_verified=True)
        text = context.print_in_any_state(outermost, flags=flags)
        return self._with_pipeline(pipeline, text)

    def _with_pipeline(self, pipeline: str, text: str) -> str:
        manager = self._manager
        reproducer = Reproducer(
            pipeline,
            disable_threading=not manager.is_multithreaded,
            verify_each=bool(manager.verify_each),
        )
        return reproducer.append_to(text)


class LocalCrashReproducer(CrashReproducer):
    """Writes a reproducer of each pass before it runs, on the IR that it gets."""

    detail = Detail.OPERATIONS

    @property
    def why_one_thread(self) -> str:
        """Other threads would change the IR that it prints."""
        return NEEDS_ONE_THREAD

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Write the reproducer of the pass."""
        super().run_before_pass(pass_, operation)
        run = self._run
        if not run.has_failed:
            pipeline = self._nested_pipeline(pass_, operation)
            run.texts.append(self._make(pipeline, run.operation))
            self._prepare_again()

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Restore the reproducer of the run, or of the pass that ran this one."""
        super().run_after_pass(pass_, operation)
        run = self._run
        if not run.has_failed:
            run.texts.pop()
            self._prepare_again()

    def _subjects(self, pass_: Pass, operation: Operation) -> str:
        return subject(self.context, pass_, operation)

    def _make(self, pipeline: str, outermost: Operation) -> str:
        # A pipeline runs on the outermost operation of a file.
        return super()._make(pipeline, top_level_operation(self.context, outermost))

    def _nested_pipeline(self, pass_: Pass, operation: Operation) -> str:
        """Return `pass_` in a pipeline anchored on each operation around its own."""
        pipeline = str(pass_)
        for around in self.context.ancestors(operation):
            pipeline = f"{self.context.name(around)}({pipeline})"
        return pipeline


def enable_crash_reproducer_generation(
    manager: PassManager,
    output: str | Path | ReproducerStreamFactory,
    *,
    local: bool = False,
    is_verified: bool = False,
) -> None:
    """Let `manager` leave a reproducer of a run in which a pass fails or crashes.

    Args:
        manager: the pass manager.
        output: a file, or a factory of streams. A file is written before passes run, so
            that it outlives the process; the factory is called on failure.
        local: whether to reproduce only the pass that fails, on the IR that it gets.
            The IR is then printed before each pass.
        is_verified: whether the IR of each run is known to be valid. If not, it is
            verified before it is printed; invalid IR is printed in the generic form.

    Raises:
        SchedulingError: `local` is set, and `manager` runs several threads.
    """
    if local and manager.is_multithreaded:
        raise SchedulingError(NEEDS_ONE_THREAD)
    if callable(output):
        destination: Destination = ReproducerStreamDestination(output)
    else:
        destination = ReproducerFileDestination(Path(output))
    kind = LocalCrashReproducer if local else CrashReproducer
    manager.add_instrumentation(kind(manager, destination, is_verified=is_verified))
