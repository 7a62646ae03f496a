"""The merge of the results of workers into the IR."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassError, PassFailure
from passgen_runtime.pass_manager import NestedPipelines, Target
from passgen_tools.ir_libraries import transport_of
from passgen_tools.processes import running_passes
from passgen_tools.worker_parts import WorkerPart
from passgen_tools.workers import messages
from passgen_tools.workers.detached import mark_matched
from passgen_tools.workers.dispatcher import ItemLost, Outcome
from passgen_tools.workers.header import WorkerRefusalError


class LostOperationError(PassError):
    """An operation ended each worker that ran its pipeline."""


class ResultMerger:
    """Merges the results of workers into the IR, in the order of the operations."""

    def __init__(
        self,
        group: NestedPipelines,
        parts: Sequence[WorkerPart],
        run_target: Callable[[Target], PassFailure | None],
    ) -> None:
        """Merge the results of `group`.

        Args:
            group: the pipelines that workers run.
            parts: the parts of instrumentations and action handlers, by number.
            run_target: runs a pipeline in this process.
        """
        self._context: Context = group.state.context
        self._transport = transport_of(self._context)
        self._pipelines = pipelines = group.pipelines
        self._passes = [pass_ for pipeline in pipelines for pass_ in pipeline.passes()]
        self._parts = parts
        self._run_target = run_target
        self.failures: list[PassFailure] = []
        """The failures, in the order of the operations."""

        self.workers: dict[str, tuple[int, float]] = {}
        """The number of operations of each worker, and its seconds in passes."""

    def run_here(self, target: Target) -> None:
        """Run a pipeline in this process."""
        try:
            failure = self._run_target(target)
        except PassFailure as raised:
            failure = raised
        if failure is not None:
            self.failures.append(failure)

    def take(
        self, targets: Sequence[Target], outcome: Outcome, kept: Container[int]
    ) -> None:
        """Replace operations by their results, and replay the events of the worker.

        Args:
            targets: all operations of the run, with their pipelines.
            outcome: the outcome of some of them.
            kept: the numbers of targets that could not be sent.

        Raises:
            WorkerRefusalError: the worker has refused the work.
            IRError: IR of the worker is not valid here.
        """
        if isinstance(outcome, ItemLost):
            self._fail_lost(targets[outcome.index], outcome)
            return
        reply = messages.WorkerReply.decode(outcome.reply)
        if reply.refusal:
            message = f"worker {outcome.worker} refuses the work: {reply.refusal}"
            raise WorkerRefusalError(message)
        results = iter(reply.results)
        changed = self._transport.decode_isolated(reply.ir)
        for index in outcome.items:
            target = targets[index]
            left = messages.WorkerResult(is_left_to_sender=True)
            result = left if index in kept else next(results)
            other = next(changed) if result.has_changed else None
            if result.is_left_to_sender or result.has_recursed_too_deeply:
                self.run_here(target)  # this process may have a larger stack
                continue
            operation = target.operation
            if other is not None:
                operation = self._transport.take_contents(operation, other)
            self._replay(result, outcome.worker, operation)

    def _replay(
        self, result: messages.WorkerResult, worker: str, operation: Operation
    ) -> None:
        """Replay the events, statistics and failure of a worker."""
        for source, data in result.events:
            if source == messages.DIAGNOSTIC:
                self._context.handle(messages.decode_diagnostic(data))
            elif source == messages.DEBUG_TEXT:
                self._context.print_debug(data)
            else:
                self._parts[source].take(data, worker, operation)
        num_done, work_s = self.workers.get(worker, (0, 0.0))
        self.workers[worker] = num_done + 1, work_s + result.work_s
        messages.count(self._passes, result.statistics)
        messages.count_dynamic(self._passes, result.dynamic)
        mark_matched(self._pipelines, result.matched)
        if result.failure is not None:
            self.failures.append(messages.failure_of(result.failure, worker))

    def _fail_lost(self, target: Target, lost: ItemLost) -> None:
        failure = self._failure_of_lost(target, lost)
        self.failures.append(failure)
        pipeline = str(self._pipelines[target.pipeline_index])
        name = failure.pass_name
        for part in reversed(self._parts):
            part.run_after_loss(pipeline, name, target.operation)

    def _failure_of_lost(self, target: Target, lost: ItemLost) -> PassFailure:
        """Return the failure of the pipeline that has ended its worker."""
        pipeline = self._pipelines[target.pipeline_index]
        passes = [*pipeline.passes()]
        noted = running_passes(lost.loss.last_note)
        if noted:
            argument, name = noted[-1].argument, noted[-1].name
        elif len(passes) == 1:
            argument, name = passes[0].argument, passes[0].name
        else:
            argument = name = ""
        described = self._context.describe(target.operation)
        times = "once" if lost.attempts == 1 else f"{lost.attempts} times"
        running = f"'{argument or name}' of {pipeline}" if name else f"{pipeline}"
        message = f"{lost.loss}, {times}, while it ran {running} on {described}"
        notes = (f"note: {note}" for note in lost.loss.notes)
        failure = PassFailure(pass_name=name, argument=argument, operation=described)
        failure.__cause__ = LostOperationError("\n".join((message, *notes)))
        return failure
