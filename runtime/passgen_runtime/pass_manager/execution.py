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
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Protocol, TypeAlias

from passgen_runtime.analysis import (
    PreservedAnalyses,
    common_preservation,
    declared_preservation,
)
from passgen_runtime.context import Operation
from passgen_runtime.errors import PassFailure, PassInUseError, SchedulingError
from passgen_runtime.operation_pass import (
    Pass,
    bind_all,
    initialization_of,
    initialize_pass,
    unbind_all,
)
from passgen_runtime.pass_instrumentation import PipelineCollection, PipelineParentInfo
from passgen_runtime.pass_manager.actions import PassExecution, execute
from passgen_runtime.pass_manager.run_state import RunState
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
        self._declared_steps = [(step, _declared_preservation(step)) for step in steps]
        """The steps, each with the analyses that it declares preserved, if any."""

        self._needs_interfaces = any(map(optional_interface, self._passes))
        self._type_errors: dict[Hashable, str | None] = {}

    @property
    def is_op_agnostic(self) -> bool:
        """Whether the pipeline is anchored on `any`."""
        return self.anchor == ANY_ANCHOR

    @property
    def declared_preservation(self) -> PreservedAnalyses | None:
        """The analyses that all passes declare preserved; `None` if none."""
        return common_preservation(declared for _, declared in self._declared_steps)

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

    def initialize(self, key: object) -> None:
        """Initialize all passes, unless the last initialization of each had this key.

        As in MLIR, all of them are initialized again if one was added.

        Args:
            key: equal for as long as nothing has changed that initializations use.

        Raises:
            PassFailure: the initialization of a pass failed.
        """
        instrumentor, context = self.state.instrumentor, self.state.context
        passes = self.with_initialization
        if all(initialization_of(pass_) == key for pass_ in passes):
            return
        for pass_ in passes:
            instrumentor.call("run_before_initialize", pass_)
            try:
                initialize_pass(pass_, context, key)
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
        return self.select_run(operation)(operation, parent)

    def select_run(self, operation: Operation) -> RunOn:
        """Return the function that runs on operations of the type of `operation`.

        Unlike `run`, it does not look for analyses that the pipeline around has.
        """
        run: RunOn = self._run_plain
        if self._needs_interfaces or self.schedule_error(operation):
            run = partial(self._run_observed, checks_steps=True)
        elif self._is_observed():
            run = self._run_observed
        scope = self.state.context.operation_scope
        if scope is None:
            return run

        def run_in_scope(
            operation: Operation, parent: PipelineParentInfo | None = None
        ) -> PassFailure | None:
            with scope(operation):
                return run(operation, parent)

        return run_in_scope

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

    def _run_plain(
        self, operation: Operation, _parent: PipelineParentInfo | None = None
    ) -> PassFailure | None:
        """Run all steps with no verifier and no instrumentation between them.

        This loop is here for speed alone: with ten passes that do nothing in a nest, it
        takes 1.3 times as long as a bare loop over them, `_run_observed` 17 times.
        """
        state = self.state
        if state.operation is not None:
            self.check_idle()
        state.operation = operation
        step: Element | None = None
        try:
            for step, declared in self._declared_steps:
                step.run_on_operation()
                if state.touched:
                    if state.failed:
                        return state.failure_of(step, operation)
                    state.end_pass(declared)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - chained to the run's own error
            state.failed = True
            return state.failure_of(step, operation, error)
        finally:
            if state.touched:
                state.leave()
            state.operation = None
        return None

    def _is_observed(self) -> bool:
        """Return whether anything happens between the steps."""
        settings = self.state.settings
        return bool(settings.verify_each or settings.instrumentor or settings.handlers)

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
        state, call = self.state, self.state.instrumentor.call
        self.check_idle()
        state.operation = operation
        if parent is None:
            parent = PipelineParentInfo(threading.get_ident(), None, self.collection)
        failure = None
        try:
            call("run_before_pipeline", self.anchor, parent)
            for step, declared in self._declared_steps:
                if checks_steps:
                    failure = self._check_step(step, operation)
                if failure is None:
                    failure = self._run_step(step, operation, declared)
                if failure is not None:
                    state.failed = True
                    break
            call("run_after_pipeline", self.anchor, parent)
        finally:
            state.leave()
        return failure

    def _check_step(self, step: Element, operation: Operation) -> PassFailure | None:
        """Report the reason why `step` cannot run on `operation`, if there is one."""
        context = self.state.context
        error = schedule_error_on(step, operation, context)
        if error is None:
            return None
        context.emit("error", f"'{context.name(operation)}' op {error}", operation)
        return self.state.failure_of(step, operation)

    def _run_step(
        self, step: Element, operation: Operation, declared: PreservedAnalyses | None
    ) -> PassFailure | None:
        """Run `step` between its hooks, and verify what it has changed."""
        state, call = self.state, self.state.instrumentor.call
        handlers, verify_each = state.settings.handlers, state.settings.verify_each
        if isinstance(step, Pass):
            call("run_before_pass", step, operation)
        else:
            call("run_before_collection", step.collection, operation)
        state.outcome = ""
        failure = None
        try:
            if handlers and isinstance(step, Pass):
                self._execute(step, operation)
            else:
                step.run_on_operation()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - chained to the run's own error
            failure = state.failure_of(step, operation, error)
        else:
            failure = state.failure_of(step, operation) if state.failed else None
        is_valid = state.end_pass(declared).is_all or state.outcome == "unchanged"
        is_due = verify_each == "all" or not is_valid
        if verify_each and failure is None and is_due:
            # Nested operations were verified when their own pipelines ran.
            failure = state.verify(step, operation, recursive=isinstance(step, Pass))
        if not isinstance(step, Pass):
            call("run_after_collection", step.collection, operation)
        elif failure is not None:
            call("run_after_pass_failed", step, operation)
        else:
            call("run_after_pass", step, operation)
            if state.failed:  # a hook has failed the pass
                failure = state.failure_of(step, operation)
        return failure

    def _execute(self, pass_: Pass, operation: Operation) -> None:
        """Run `pass_` inside the handlers of actions."""
        state = self.state
        name = f"{pass_.argument or pass_.name}[{self.elements.index(pass_)}]"
        path = f"{state.path}/{name}"
        state.action = PassExecution(pass_, operation, path, state.depth)
        state.outcome = "unfinished"  # unless a handler runs it

        def run() -> bool:
            state.outcome = ""
            pass_.run_on_operation()
            return not state.failed

        try:
            execute(state.settings.handlers, state.action, run)
        finally:
            state.action = None


def _declared_preservation(step: Element) -> PreservedAnalyses | None:
    """Return the analyses that `step` declares preserved; `None` if none."""
    if isinstance(step, Pass):
        return declared_preservation(step)
    return step.declared_preservation


def passes_in(elements: Iterable[Element]) -> Iterator[Pass]:
    """Yield all passes of `elements`, those of nested pipelines included."""
    for element in elements:
        if isinstance(element, Pass):
            yield element
        else:
            for nested in element.pipelines:
                yield from nested.passes()
