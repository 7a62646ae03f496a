"""The run of a pipeline on an operation, with MLIR's dispatch.

Implements `OpToOpPassAdaptor` of mlir/lib/Pass/Pass.cpp. Each pipeline computes once
whether it accepts an operation type; from then on, the identity of its type selects the
nested pipeline of an operation.

Failure of a pass on one operation ends the pipeline of that operation. Its siblings
still run, and then the pipeline around them ends with the first failure among them, in
the order of the operations. An exception that ends the program, such as SystemExit,
does the same, takes precedence over failures, and is raised as it is. Only
KeyboardInterrupt ends the run at once: with threads, passes may have run on operations
after the one that it interrupted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Protocol, TypeAlias

from passgen_runtime.analysis import (
    PreservedAnalyses,
    common_preservation,
    declared_preservation,
)
from passgen_runtime.context import Operation
from passgen_runtime.errors import PassFailure, PassInUseError, SchedulingError
from passgen_runtime.operation_pass import Pass, bind_all, unbind_all
from passgen_runtime.pass_instrumentation import PipelineCollection, PipelineParentInfo
from passgen_runtime.pass_manager.actions import PassExecution, execute
from passgen_runtime.pass_manager.run_state import RunState
from passgen_runtime.pass_manager.run_statistics import take_statistics
from passgen_runtime.pass_manager.scheduling import (
    optional_interface,
    schedule_error,
    schedule_error_on,
)
from passgen_runtime.textual_pipeline import ANY_ANCHOR


class PipelineGroup(Protocol):
    """Nested pipelines that share a walk: one step of the pipeline around them."""

    pipelines: Sequence[FinalizedPipeline]
    collection: PipelineCollection
    declared_preservation: PreservedAnalyses | None
    """The analyses that all passes in it declare preserved; `None` if none."""

    def begin_run(self) -> None:
        """Bind the passes and forget the previous run."""

    def end_run(self) -> None:
        """Release the passes for other runs."""

    def run_on_operation(self) -> None:
        """Run on all operations directly inside the current one."""


Element: TypeAlias = Pass | PipelineGroup
"""An element of a finalized pipeline."""


class RunOn(Protocol):
    """Runs a pipeline on an operation; returns the failure that ended it, if any."""

    def __call__(
        self, operation: Operation, parent: PipelineParentInfo | None = None, /
    ) -> PassFailure | None:
        """Run on `operation`; `parent` names the pass that runs a dynamic pipeline."""


class FinalizedPipeline:
    """A pipeline ready to run on operations of one anchor, with the state of its runs.

    It corresponds to MLIR's `OpPassManager` after `finalizePassList`: adjacent nested
    pass managers are grouped, and those of one anchor merged.
    """

    def __init__(
        self,
        state: RunState,
        anchor: str,
        elements: Sequence[Element],
        steps: Sequence[Element],
    ) -> None:
        """Make a pipeline of `elements`; `begin_run` binds their passes to `state`.

        Args:
            state: the state that the passes see.
            anchor: an operation's name, or `any`.
            elements: passes, and groups of nested pipelines, in order.
            steps: the elements to run, or replacements that run several at once.
        """
        self.state = state
        self.anchor = anchor
        self.elements = elements
        self.collection: PipelineCollection | None = None
        """The collection that a statically nested pipeline is in; set by its group."""

        self.was_matched = False
        """Whether the run has met an operation that a nested pipeline runs on."""

        self.steps = steps
        self._passes = [step for step in self.steps if isinstance(step, Pass)]
        self._groups = [step for step in self.steps if not isinstance(step, Pass)]
        self._declared: list[PreservedAnalyses | None] = [
            (
                declared_preservation(step)
                if isinstance(step, Pass)
                else step.declared_preservation
            )
            for step in self.steps
        ]
        self._call = self._execute if state.settings.handlers else self._call_step
        self._calls = [step.run_on_operation for step in self.steps]
        self._called = dict(
            zip(self._calls, zip(self.steps, self._declared, strict=True), strict=True)
        )
        self._needs_interfaces = any(map(optional_interface, self._passes))
        self._type_errors: dict[Hashable, str | None] = {}

    @property
    def is_op_agnostic(self) -> bool:
        """Whether the pipeline is anchored on `any`."""
        return self.anchor == ANY_ANCHOR

    @property
    def declared_preservation(self) -> PreservedAnalyses | None:
        """The analyses that all passes declare preserved; `None` if none."""
        return common_preservation(self._declared)

    def passes(self) -> Iterator[Pass]:
        """Yield all passes, those of nested pipelines included."""
        yield from passes_in(self.elements)

    def pipelines(self) -> Iterator[FinalizedPipeline]:
        """Yield this pipeline and all nested ones."""
        yield self
        for element in self.elements:
            for nested in () if isinstance(element, Pass) else element.pipelines:
                yield from nested.pipelines()

    def unmatched_pipelines(self) -> Iterator[FinalizedPipeline]:
        """Yield the outermost nested pipelines that matched no operation."""
        for element in self.elements:
            for nested in () if isinstance(element, Pass) else element.pipelines:
                if nested.was_matched:
                    yield from nested.unmatched_pipelines()
                else:
                    yield nested

    def __str__(self) -> str:
        """Return the textual pipeline, with adjacent nested ones merged."""
        return f"{self.anchor}({','.join(map(str, self.elements))})"

    # The outermost pipeline of a run.

    def begin_outermost_run(self) -> None:
        """Begin a run of a pass manager.

        Raises:
            PassInUseError: another run uses a pass.
        """
        try:
            self.begin_run()
        except PassInUseError:
            self.end_run()
            raise
        for pipeline in self._pipelines:
            pipeline.was_matched = False

    def check_options(self) -> None:
        """Check the options whose values may have changed in place.

        Raises:
            PassOptionError: one was changed to an invalid value.
        """
        for pass_ in self._with_mutable_options:
            pass_.check_options()

    def initialize(self) -> None:
        """Initialize all passes.

        Raises:
            PassFailure: the initialization of a pass failed.
        """
        instrumentor = self.state.instrumentor
        for pass_ in self.with_initialization:
            instrumentor.call("run_before_initialize", pass_)
            try:
                pass_.initialize(self.state.context)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise PassFailure(
                    pass_name=pass_.name,
                    argument=pass_.argument,
                    operation="its initialization",
                ) from error
            finally:
                instrumentor.call("run_after_initialize", pass_)

    @cached_property
    def _pipelines(self) -> list[FinalizedPipeline]:
        return list(self.pipelines())

    @cached_property
    def _with_mutable_options(self) -> list[Pass]:
        return [pass_ for pass_ in self.passes() if pass_.options.has_mutable_values()]

    @cached_property
    def with_initialization(self) -> list[Pass]:
        """The passes that have something to initialize."""
        inherited = Pass.initialize
        return [pass_ for pass_ in self.passes() if type(pass_).initialize != inherited]

    # Any pipeline of a run.

    def begin_run(self) -> None:
        """Bind the passes; forget the previous run, but not its dispatch by type."""
        self.state.dynamic.clear()
        bind_all(self._passes, self.state)
        for group in self._groups:
            group.begin_run()

    def end_run(self) -> None:
        """Release the passes for other runs."""
        unbind_all(self._passes, self.state)
        for group in self._groups:
            group.end_run()

    def collect(self, replica: FinalizedPipeline) -> None:
        """Merge the statistics and matches of `replica`, a copy for another thread."""
        take_statistics(self.passes(), replica.passes())
        for mine, other in zip(self.pipelines(), replica.pipelines(), strict=True):
            mine.was_matched |= other.was_matched

    def check_idle(self) -> None:
        """Check that the pipeline does not run on an operation now.

        Raises:
            SchedulingError: it does.
        """
        if self.state.operation is not None:
            raise SchedulingError(f"the pipeline '{self}' is already running")

    def run(
        self, operation: Operation, parent: PipelineParentInfo | None = None
    ) -> PassFailure | None:
        """Run everything on `operation`; return the failure that ended it, if any."""
        self.check_idle()
        self.state.share_analyses(operation)
        if self.checks_steps(operation):
            run_checked = partial(self._run_observed, checks_steps=True)
            return self._in_scope(run_checked)(operation, parent)
        return self.select_run()(operation, parent)

    def checks_steps(self, operation: Operation) -> bool:
        """Return whether each step must be checked before it runs on `operation`."""
        is_checked = self._needs_interfaces or self.schedule_error(operation)
        return bool(self.elements and is_checked)

    def schedule_error(self, operation: Operation) -> str | None:
        """Return why the type of `operation` cannot anchor the pipeline, if it cannot.

        Computed once for each type.
        """
        context = self.state.context
        key = context.type_key(operation)
        if key not in self._type_errors:
            error = schedule_error(self.elements, context.info(operation))
            self._type_errors[key] = error
        return self._type_errors[key]

    def select_run(self) -> RunOn:
        """Return the function that runs on operations without checks and analyses."""
        settings = self.state.settings
        observers = settings.instrumentor, settings.handlers, self.state.skipping
        is_observed = settings.verify_each or any(observers)
        return self._in_scope(self._run_observed if is_observed else self._run_plain)

    def _in_scope(self, run: RunOn) -> RunOn:
        """Return `run` inside of the context's `operation_scope`, if it has one."""
        scope = self.state.context.operation_scope
        if scope is None:
            return run

        def run_in_scope(
            operation: Operation, parent: PipelineParentInfo | None = None
        ) -> PassFailure | None:
            with scope(operation):
                return run(operation, parent)

        return run_in_scope

    def _run_plain(
        self, operation: Operation, _parent: PipelineParentInfo | None = None
    ) -> PassFailure | None:
        """Run all steps with no verifier and no instrumentation between them.

        This loop is the overhead of each pass on each operation: keep it to the call.
        """
        state = self.state
        if state.operation is not None:
            self.check_idle()
        state.operation = operation
        call: Callable[[], None] | None = None
        try:
            for call in self._calls:
                call()
                if state.touched:
                    step, declared = self._called[call]
                    if state.failed:
                        return state.failure_of(step, operation)
                    state.end_pass(declared)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - chained to the run's own error
            state.failed = True
            assert call is not None
            step, _ = self._called[call]
            return state.failure_of(step, operation, error)
        finally:
            if state.touched:
                state.leave()
            state.operation = None
        return None

    def _run_observed(
        self,
        operation: Operation,
        parent: PipelineParentInfo | None = None,
        *,
        checks_steps: bool = False,
    ) -> PassFailure | None:
        """Run all steps, each between its instrumentation hooks and verified.

        Args:
            operation: the operation to run on.
            parent: names the pass that runs the pipeline if it is dynamic.
            checks_steps: whether to check each step before it runs.
        """
        state, instrumentor = self.state, self.state.instrumentor
        self.check_idle()
        state.operation = operation
        try:
            if not instrumentor:
                return self._run_steps(operation, checks_steps=checks_steps)
            if parent is None:
                thread_id = threading.get_ident()
                parent = PipelineParentInfo(thread_id, None, self.collection)
            instrumentor.call("run_before_pipeline", self.anchor, parent)
            failure = self._run_steps(operation, checks_steps=checks_steps)
            instrumentor.call("run_after_pipeline", self.anchor, parent)
            return failure
        finally:
            state.leave()

    def _run_steps(
        self, operation: Operation, *, checks_steps: bool
    ) -> PassFailure | None:
        context = self.state.context
        for step, declared in zip(self.steps, self._declared, strict=True):
            error = None
            if checks_steps:
                error = schedule_error_on(step, operation, context)
            if error is None:
                failure = self._run_step(step, operation, declared)
            else:
                message = f"'{context.name(operation)}' op {error}"
                context.emit("error", message, operation)
                failure = self.state.failure_of(step, operation)
            if failure is not None:
                self.state.failed = True
                return failure
        return None

    def _run_step(
        self, step: Element, operation: Operation, declared: PreservedAnalyses | None
    ) -> PassFailure | None:
        state, settings = self.state, self.state.settings
        instrumentor = state.instrumentor or None
        if instrumentor is not None:
            if isinstance(step, Pass):
                instrumentor.call("run_before_pass", step, operation)
            else:
                instrumentor.call("run_before_collection", step.collection, operation)
        state.outcome = ""
        failure = self._call(step, operation)
        is_valid = state.end_pass(declared).is_all or state.outcome == "unchanged"
        is_due = settings.verify_each == "all" or not is_valid
        if settings.verify_each and failure is None and is_due:
            # Nested operations were verified when their own pipelines ran.
            failure = state.verify(step, operation, recursive=isinstance(step, Pass))
        if instrumentor is not None:
            if not isinstance(step, Pass):
                instrumentor.call("run_after_collection", step.collection, operation)
            elif failure is not None:
                instrumentor.call("run_after_pass_failed", step, operation)
            else:
                instrumentor.call("run_after_pass", step, operation)
                if state.failed:  # a hook has failed the pass
                    failure = state.failure_of(step, operation)
        return failure

    def _execute(self, step: Element, operation: Operation) -> PassFailure | None:
        """Run `step`, inside the handlers of actions if it is a pass."""
        if not isinstance(step, Pass):
            return self._call_step(step, operation)
        state = self.state
        name = f"{step.argument or step.name}[{self.elements.index(step)}]"
        path = f"{state.path}/{name}"
        action = state.action = PassExecution(step, operation, path, state.depth)
        failures: list[PassFailure] = []

        def run() -> bool:
            failure = self._call_step(step, operation)
            if failure is not None:
                failures.append(failure)
            return failure is None

        try:
            execute(state.settings.handlers, action, run)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - chained to the run's own error
            failures.append(state.failure_of(step, operation, error))
        finally:
            state.action = None
        return failures[0] if failures else None

    def _call_step(self, step: Element, operation: Operation) -> PassFailure | None:
        try:
            step.run_on_operation()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - chained to the run's own error
            return self.state.failure_of(step, operation, error)
        return self.state.failure_of(step, operation) if self.state.failed else None


def passes_in(elements: Iterable[Element]) -> Iterator[Pass]:
    """Yield all passes of `elements`, those of nested pipelines included."""
    for element in elements:
        if isinstance(element, Pass):
            yield element
        else:
            for nested in element.pipelines:
                yield from nested.passes()
