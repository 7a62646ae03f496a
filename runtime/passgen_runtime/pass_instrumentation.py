"""Pass instrumentation: hooks around pipelines, passes and analyses.

Implements "Pass Instrumentation" of MLIR's PassManagement page. Before-hooks run in the
order in which instrumentations were added, after-hooks in reverse; all are serialised,
so an instrumentation needs no lock of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

from passgen_runtime.context import Operation
from passgen_runtime.operation_pass import Pass


@dataclass(frozen=True, slots=True, eq=False)
class PipelineCollection:
    """Nested pipelines that share one walk over the operations inside another one.

    Each copy of a pipeline, in each thread, has its own object: an object runs on one
    operation at a time.
    """

    anchors: tuple[str, ...]
    """The anchors of the pipelines, in the order in which they are tried."""

    def __str__(self) -> str:
        """Return MLIR's name for the walk."""
        return f"Pipeline Collection : [{', '.join(map(repr, self.anchors))}]"


@dataclass(frozen=True, slots=True)
class PipelineParentInfo:
    """The pass or collection that runs a pipeline, and its thread.

    A nested pipeline may run in another thread than the one around it; this ties the
    two together. The outermost pipeline has nothing around it.
    """

    thread_id: int
    pass_: Pass | None
    """The pass that runs a dynamic pipeline."""

    collection: PipelineCollection | None = None
    """The collection that a statically nested pipeline is in."""

    @property
    def is_outermost(self) -> bool:
        """Whether the pipeline is that of the pass manager itself."""
        return self.pass_ is None and self.collection is None


class Detail(IntEnum):
    """The detail in which hooks follow passes that an IR library runs itself."""

    RUNS = 0
    """A fused run of passes is seen as one pass."""

    PASSES = 1
    """Each pass is seen once for all operations inside the current operation."""

    OPERATIONS = 2
    """Each pass is seen on each operation, with its IR."""


class PassInstrumentation:
    """Base of instrumentations: override the hooks of interest."""

    detail: ClassVar[Detail] = Detail.OPERATIONS
    """The detail that the hooks need; passes run faster if they need less."""

    @property
    def why_one_thread(self) -> str | None:
        """Why it refuses a run in several threads; `None` if it does not."""
        return None

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Run just before a pipeline anchored on `anchor` runs on an operation."""

    def run_after_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Run right after a pipeline has run, successfully or not."""

    def run_before_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        """Run just before nested pipelines run on the operations in `operation`."""

    def run_after_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        """Run right after nested pipelines have run, successfully or not."""

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Run just before `pass_` runs on `operation`."""

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Run right after `pass_` has succeeded and the IR has been verified.

        `pass_.signal_pass_failure()` fails the pass nevertheless, as in LLVM 23; the
        other instrumentations get this call all the same.
        """

    def run_after_pass_failed(self, pass_: Pass, operation: Operation) -> None:
        """Run right after `pass_` has failed; the IR may be invalid."""

    def run_on_skip(self, pass_: Pass, operation: Operation) -> None:
        """Run instead of other hooks, and of action handlers, if `pass_` is skipped.

        An idempotent pass is skipped where it would change nothing; not in MLIR.
        """

    def run_before_analysis(self, analysis: type, operation: Operation) -> None:
        """Run just before `analysis` is computed; dependencies nest inside."""

    def run_after_analysis(self, analysis: type, operation: Operation) -> None:
        """Run right after `analysis` has been computed."""

    def run_before_initialize(self, pass_: Pass) -> None:
        """Run just before `pass_` is initialized; MLIR has no such hook."""

    def run_after_initialize(self, pass_: Pass) -> None:
        """Run right after `pass_` was initialized, successfully or not."""


class PassInstrumentor:
    """The instrumentations of one pass manager, called as one."""

    def __init__(self) -> None:
        """Start without any instrumentation."""
        self._lock = threading.RLock()
        self.instrumentations: list[PassInstrumentation] = []
        self._update()

    def _update(self) -> None:
        details = (known.detail for known in self.instrumentations)
        self.detail = max(details, default=Detail.RUNS)
        """The finest detail that an instrumentation needs."""

        names = [name for name in vars(PassInstrumentation) if name.startswith("run_")]
        self._hooks = {name: self._overriding(name) for name in names}

    def _overriding(self, name: str) -> list[Callable[..., None]]:
        """Return the hooks called `name` that do anything, in order."""
        hooks = [getattr(known, name) for known in self.instrumentations]
        default = getattr(PassInstrumentation, name)
        hooks = [hook for hook in hooks if getattr(hook, "__func__", hook) != default]
        return hooks if name.startswith("run_before") else hooks[::-1]

    def __bool__(self) -> bool:
        """Return whether there is any hook to call."""
        return any(self._hooks.values())

    def add(self, instrumentation: PassInstrumentation) -> None:
        """Add `instrumentation`; its before-hooks run last, its after-hooks first.

        A hook that it does not override costs nothing later.
        """
        self.instrumentations.append(instrumentation)
        self._update()

    @property
    def why_one_thread(self) -> str | None:
        """Why one of them refuses a run in several threads; `None` if none does."""
        reasons = (known.why_one_thread for known in self.instrumentations)
        return next(filter(None, reasons), None)

    def remove(self, instrumentation: PassInstrumentation) -> None:
        """Call the hooks of `instrumentation` no more.

        Raises:
            ValueError: it was not added.
        """
        self.instrumentations.remove(instrumentation)
        self._update()

    def call(self, hook: str, *arguments: object) -> None:
        """Call `hook`, such as `run_before_pass`, on all that override it, in order.

        A hook without an override costs a look-up: passes call some on each operation.
        """
        if hooks := self._hooks[hook]:
            with self._lock:
                for call in hooks:
                    call(*arguments)
