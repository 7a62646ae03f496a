"""Pass managers: pipelines nested like the IR, and the run of one over an operation.

Implements "Pass Manager" of MLIR's PassManagement page. `OpPassManager` is the pipeline
as written; `pass_execution` holds it as run.

    manager = PassManager(context)
    manager.nest("func.func").add_pass(CSE())
    manager.run(module)
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Self

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import Diagnostic, SchedulingError
from passgen_runtime.operation_pass import Pass, PassSequence
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PassInstrumentor,
)
from passgen_runtime.pass_manager.execution import PipelineRun
from passgen_runtime.pass_manager.manager_arguments import (
    Nesting,
    check_anchor_name,
    check_context,
    check_nesting,
    check_pass,
)
from passgen_runtime.pass_manager.reuse import (
    PreparedPipeline,
    RunAround,
    count_later,
    dialects_of,
)
from passgen_runtime.pass_manager.run_statistics import report_nodes
from passgen_runtime.pass_manager.scheduling import (
    ScheduledPipeline,
    check_anchor,
    structure_key,
)
from passgen_runtime.pass_manager.threading import (
    Threading,
    ThreadingPolicy,
    outermost_level,
)
from passgen_runtime.pass_statistics import (
    ReportNode,
    StatisticsDisplay,
    report,
)
from passgen_runtime.textual_pipeline import ANY_ANCHOR
from passgen_runtime.wrong_arguments import wrong_argument

if TYPE_CHECKING:
    from concurrent.futures import Executor


class OpPassManager(PassSequence):
    """Passes and nested pass managers that run on operations of one kind, in order.

    Op-specific if anchored on an operation type, op-agnostic if anchored on `any`.
    """

    def __init__(
        self,
        anchor: str = ANY_ANCHOR,
        *,
        nesting: Nesting = "explicit",
        context: Context | None = None,
    ) -> None:
        """Make an empty pass manager.

        Args:
            anchor: an operation's name, or `any`.
            nesting: whether a pass with another anchor is refused, or put into a nested
                manager of its anchor.
            context: if given, passes are checked against the anchor when added, else
                before the pipeline runs.

        Raises:
            TypeError: the anchor is not a text, or the context not a context.
            ValueError: there is no such nesting.
        """
        check_anchor_name(anchor)
        check_nesting(nesting)
        if context is not None:
            check_context(context)
        self.anchor = anchor
        self.nesting = nesting
        self.elements: list[Pass | OpPassManager] = []
        self._context = context

    @property
    def is_op_agnostic(self) -> bool:
        """Whether the manager is anchored on `any`."""
        return self.anchor == ANY_ANCHOR

    def add_pass(self, pass_: Pass) -> None:
        """Append `pass_`.

        Raises:
            SchedulingError: the pass cannot run on this manager's anchor.
            TypeError: it is no pass.
        """
        check_pass(pass_)
        restricted = pass_.anchor is not None and pass_.anchor != self.anchor
        if restricted and not self.is_op_agnostic:
            if self.nesting == "implicit":
                self.nest(str(pass_.anchor)).add_pass(pass_)
                return
            message = (
                f"Can't add pass '{pass_.name}' restricted to '{pass_.anchor}' on a "
                f"PassManager intended to run on '{self.anchor}', did you intend to "
                "nest?"
            )
            raise SchedulingError(message)
        if self._context is not None:
            check_anchor(pass_, self.anchor, self._context)
        self.elements.append(pass_)

    def nest(self, anchor: str) -> OpPassManager:
        """Append a manager for operations called `anchor` in this one's; return it."""
        nested = OpPassManager(anchor, nesting=self.nesting, context=self._context)
        self.elements.append(nested)
        return nested

    def nest_any(self) -> OpPassManager:
        """Append an op-agnostic manager for operations inside this one's; return it."""
        return self.nest(ANY_ANCHOR)

    def passes(self) -> Iterator[Pass]:
        """Yield all passes, those of nested managers included, in order."""
        for element in self.elements:
            if isinstance(element, OpPassManager):
                yield from element.passes()
            else:
                yield element

    def copy(self) -> Self:
        """Return a pipeline of clones of all passes."""
        duplicate = self._empty_copy()
        duplicate.elements = [
            element.copy() if isinstance(element, OpPassManager) else element.clone()
            for element in self.elements
        ]
        return duplicate

    def _empty_copy(self) -> Self:
        # A subclass may be constructed from other arguments.
        duplicate = type(self).__new__(type(self))
        vars(duplicate).update(vars(self))
        return duplicate

    def __copy__(self) -> Self:
        """Return `copy()`: no two managers share a list of passes."""
        return self.copy()

    def __deepcopy__(self, _: object) -> Self:
        """Return `copy()`: contexts and instrumentations stay shared."""
        return self.copy()

    def __len__(self) -> int:
        """Return the number of passes and managers directly in this one."""
        return len(self.elements)

    def __bool__(self) -> bool:
        """Return true: an empty manager is still a manager."""
        return True

    def __eq__(self, other: object) -> bool:
        """Return whether `other` runs the same passes with the same options."""
        if not isinstance(other, OpPassManager):
            return NotImplemented
        return self.anchor == other.anchor and _keys(self) == _keys(other)

    __hash__ = None  # type: ignore[assignment] # mutable, and equal by content

    def __str__(self) -> str:
        """Return the textual pipeline: what was built, before any merging."""
        return f"{self.anchor}({','.join(map(str, self.elements))})"


class PassManager(OpPassManager):
    """The top level of a pipeline, with everything that holds for the whole run."""

    def __init__(
        self,
        context: Context,
        anchor: str = "builtin.module",
        *,
        nesting: Nesting = "explicit",
    ) -> None:
        """Make an empty pass manager for operations of `context` called `anchor`.

        Raises:
            TypeError: the context is not a context, or the anchor not a text.
        """
        check_context(context, f"PassManager(context, {context!r})")
        super().__init__(anchor, nesting=nesting, context=context)
        self.context = context
        self.verify_each = True
        """Whether the IR is verified after each pass."""

        self._instrumentor = PassInstrumentor()
        self._threads: Threading | None = None
        self._prepared: PreparedPipeline | None = None
        self._matched: ScheduledPipeline | None = None
        """What ran last, with what it met."""

        self._busy = threading.Lock()

    def add_instrumentation(self, instrumentation: PassInstrumentation) -> None:
        """Let `instrumentation` observe all runs from now on."""
        self._instrumentor.add(instrumentation)

    def enable_multithreading(
        self,
        executor: Executor | None = None,
        *,
        max_workers: int | None = None,
        policy: ThreadingPolicy = outermost_level,
    ) -> None:
        """Run nested pipelines on independent operations in several threads.

        Results, statistics, diagnostics and their order stay those of one thread.

        Args:
            executor: runs the threads; if not given, a pool made on first use.
            max_workers: how many operations run at once; by default, one a processor.
            policy: at which levels of nesting operations run concurrently.
        """
        self._threads = Threading(executor, max_workers, policy)

    def disable_multithreading(self) -> None:
        """Run everything in the calling thread, as a new pass manager does."""
        self._threads = None

    @property
    def is_multithreaded(self) -> bool:
        """Whether nested pipelines may run in several threads."""
        return self._threads is not None

    def add_pipeline(self, pipeline: OpPassManager) -> None:
        """Append what `pipeline`, which has the same anchor, holds.

        Raises:
            SchedulingError: the anchors differ, or a pass cannot run on its anchor.
            TypeError: it is no pass manager.
        """
        if not isinstance(pipeline, OpPassManager):
            note = "parse_pass_pipeline(text) makes one of a text"
            raise wrong_argument("pipeline", pipeline, "an OpPassManager", note)
        if pipeline.anchor != self.anchor:
            message = (
                f"can't add a pipeline anchored on '{pipeline.anchor}' to a pass "
                f"manager anchored on '{self.anchor}'"
            )
            raise SchedulingError(message)
        self.elements.extend(pipeline.copy().elements)

    def run(self, operation: Operation) -> None:
        """Run the pipeline on `operation`.

        Several threads may do so at once, also with pass managers that share passes: a
        copy runs where a pass is busy, and what it counts is counted here.

        Raises:
            SchedulingError: the pipeline cannot run on this operation, or at all, or
                it was called from inside its own run, or that of one of its passes.
            DialectError: a dependent dialect is not registered.
            PassOptionError: an option was changed to what it cannot be.
            PassFailure: a pass failed; the rest of the pipeline did not run.
            BaseException: what a pass raised to end the program, such as SystemExit,
                with the failure as its cause, or what the diagnostic handler raised,
                after the run.
        """
        name = self._name_of(operation)
        if not self.is_op_agnostic and name != self.anchor:
            message = f"can't run '{self.anchor}' pass manager on '{name}' op"
            place = self.context.location(operation)
            raise SchedulingError(str(Diagnostic("error", message, place)))
        with RunAround(self):
            if self._busy.acquire(blocking=False):
                try:
                    if self._run_unless_busy(operation):
                        return
                finally:
                    self._busy.release()
            self._run_copy(operation)

    def _name_of(self, operation: Operation) -> str:
        """Return the name of the operation to run on.

        Raises:
            TypeError: it is no operation.
        """
        try:
            return self.context.name(operation)
        except AttributeError as error:
            note = "context.parse(text, name) makes one of a text"
            what = "run()"
            raise wrong_argument(what, operation, "an operation", note) from error

    def _run_unless_busy(self, operation: Operation) -> bool:
        """Run the pipeline unless another thread runs a pass of it; return whether."""
        observed = self._is_observed, self.detail
        key = structure_key(self), self.verify_each, self._threads, observed
        last = self._prepared
        if last is None or last.key != key or not last.is_repeatable:
            self._prepared = None
            self.context.load_dialects(dialects_of(self))
            last = self._prepared = self._prepare(key)
        last.check_options()
        if not last.bind():
            return False
        self._matched = last.scheduled
        with self.context.running():
            failure = last.run(operation)
        if failure is not None:
            told = failure.in_pipeline(str(self))
            if failure.exit is not None:
                told.__cause__ = None  # else each would be the cause of the other
                raise failure.exit from told
            raise told
        return True

    def _run_copy(self, operation: Operation) -> None:
        """Run a copy, because another thread runs the manager or one of its passes.

        Raises:
            SchedulingError: a pass cannot be copied.
        """
        passes = tuple(self.passes())
        try:
            duplicate = self.copy()
        except Exception as error:
            message = (
                f"the pipeline '{self}' runs in another thread, and cannot be copied "
                f"for this one: {type(error).__name__}: {error}"
            )
            raise SchedulingError(message) from error
        try:
            duplicate.run(operation)
        finally:
            self._matched = duplicate._matched  # noqa: SLF001 - same class
            count_later(passes, tuple(duplicate.passes()))

    def unmatched_pipelines(self) -> list[str]:
        """Return the nested pipelines that met no operation in the last run, as text.

        Adjacent ones for the same anchor are one. After a run that failed, pipelines
        that it did not reach are among them.
        """
        if self._matched is None:
            return []
        return [str(each) for each in self._matched.unmatched()]

    def statistics_report(self, display: StatisticsDisplay = "pipeline") -> str:
        """Return the statistics of all passes, in MLIR's format."""
        return report(self.statistics_nodes(), display)

    def statistics_nodes(self) -> tuple[ReportNode, ...]:
        """Return the statistics of all passes as what a report is made of."""
        return tuple(report_nodes(self))

    def _empty_copy(self) -> Self:
        duplicate = super()._empty_copy()
        vars(duplicate).update(_prepared=None, _matched=None, _busy=threading.Lock())
        return duplicate

    @property
    def detail(self) -> Detail:
        """How closely the instrumentations follow passes."""
        return self._instrumentor.detail

    @property
    def _is_observed(self) -> bool:
        return bool(self._instrumentor)

    def _prepare(self, key: Hashable) -> PreparedPipeline:
        """Return the pipeline scheduled and bound, for this run and later ones.

        Raises:
            SchedulingError: a pass cannot run where it was put.
        """
        run = PipelineRun(
            self.context,
            self._instrumentor,
            verify_each=self.verify_each,
            threads=self._threads,
        )
        return PreparedPipeline(key, run.finalize(self), tuple(self.passes()))


def _keys(manager: OpPassManager) -> list[object]:
    return [
        (
            element
            if isinstance(element, OpPassManager)
            else (element.argument or type(element), element.options)
        )
        for element in manager.elements
    ]
