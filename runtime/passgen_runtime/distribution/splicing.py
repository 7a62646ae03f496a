"""The results of workers, put in the place of the operations that were sent."""

from __future__ import annotations

from collections.abc import Callable

from passgen_runtime.context import Context, Operation
from passgen_runtime.distribution.detached import matched_in
from passgen_runtime.distribution.header import WorkerRefusalError
from passgen_runtime.distribution.results import (
    DEBUG_TEXT,
    DIAGNOSTIC,
    WorkerResult,
    count,
    count_dynamic,
    diagnostic_of,
    failure_of,
)
from passgen_runtime.errors import IRError, PassError, PassFailure
from passgen_runtime.executors import ItemLost, ItemReply
from passgen_runtime.pass_instrumentation import PassInstrumentor
from passgen_runtime.pass_manager import NestedPipelines, Target


class LostOperationError(PassError):
    """A worker ended each time that it worked on an operation."""


class Splicer:
    """Takes the results for the operations of a group, in their order."""

    def __init__(
        self,
        group: NestedPipelines,
        instrumentor: PassInstrumentor,
        run_here: Callable[[Target], None],
    ) -> None:
        """Take results for `group`.

        Args:
            group: the pipelines that have run.
            instrumentor: calls the instrumentations.
            run_here: runs a pipeline in this process, for a worker that could not.
        """
        self._state = group.state
        self._context: Context = group.state.context
        self._pipelines = group.pipelines
        self._passes = [each for one in group.pipelines for each in one.passes()]
        self._instrumentor = instrumentor
        self._run_here = run_here
        self.workers: dict[str, tuple[int, float]] = {}
        """The operations of each worker, and its seconds in passes."""

    def take(self, target: Target, reply: ItemReply) -> None:
        """Put the result for an operation in its place, and show what it shows.

        Raises:
            WorkerRefusalError: the worker is not like this process.
        """
        if isinstance(reply, ItemLost):
            self._state.fail(self._lost(target, reply))
            pipeline = self._pipelines[target.pipeline_index]
            self._instrumentor.run_after_loss(f"`{pipeline}`", target.operation)
            return
        if not reply.reply:
            self._run_here(target)
            return
        result = WorkerResult.decode(reply.reply)
        if result.has_recursed_too_deeply:
            self._run_here(target)  # this process may have a larger stack
            return
        if result.refusal:
            message = f"worker {reply.worker} refuses the work: {result.refusal}"
            raise WorkerRefusalError(message)
        operation = self._splice(target, result)
        for source, data in result.events:
            if source == DIAGNOSTIC:
                self._context.handle(diagnostic_of(data))
            elif source == DEBUG_TEXT:
                self._context.print_debug(data)
            else:
                self._instrumentor.take(source, data, reply.worker, operation)
        num_done, work_s = self.workers.get(reply.worker, (0, 0.0))
        self.workers[reply.worker] = num_done + 1, work_s + result.work_s
        count(self._passes, result.statistics)
        count_dynamic(self._passes, result.dynamic)
        matched_in(self._pipelines, result.matched)
        if result.failure is not None:
            self._state.fail(failure_of(result.failure, reply.worker))

    def _splice(self, target: Target, result: WorkerResult) -> Operation:
        """Put the operation of a result in the place of its target, if it differs.

        The operation that stands there then is returned.

        Raises:
            IRError: its IR is not valid, although no pass has failed.
        """
        if not result.ir:
            return target.operation
        try:
            other = self._context.decode_alone(result.ir)
        except IRError:
            if result.failure is None:
                raise
            return target.operation
        return self._context.take_contents(target.operation, other)

    def _lost(self, target: Target, lost: ItemLost) -> PassFailure:
        """Return the failure of the pipeline that has ended its worker."""
        pipeline = self._pipelines[target.pipeline_index]
        passes = list(pipeline.passes())
        described = self._context.describe(target.operation)
        times = "once" if lost.attempts == 1 else f"{lost.attempts} times"
        message = f"{lost.loss}, {times}, while it ran {pipeline} on {described}"
        notes = (f"note: {note}" for note in lost.loss.notes)
        only = passes[0] if len(passes) == 1 else None
        failure = PassFailure(
            pass_name=only.name if only else "",
            argument=only.argument if only else "",
            operation=described,
        )
        failure.__cause__ = LostOperationError("\n".join((message, *notes)))
        return failure
