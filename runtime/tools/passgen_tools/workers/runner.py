"""The runner that sends nested pipelines to workers.

A group of nested pipelines is sent with batches of operations. The first operations run
in the parent process and are measured; a cost model decides whether the others are
sent. Results, diagnostics and other events are merged in the order of the operations:
the output is that of one thread.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from functools import cached_property, partial
from statistics import median
from typing import TYPE_CHECKING

from passgen_runtime.context import Context
from passgen_runtime.errors import IRError, PassFailure
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import (
    FinalizedPipeline,
    NestedPipelines,
    Runner,
    RunSettings,
    Target,
)
from passgen_tools.adaptors import pack_parts, packed_numbers
from passgen_tools.ir_libraries import inspector_of, transport_of
from passgen_tools.worker_parts import WorkerPart, part_of
from passgen_tools.workers import header
from passgen_tools.workers.available_workers import START_S, AvailableWorkers
from passgen_tools.workers.cost_model import Decision, OperationCost, decide
from passgen_tools.workers.dispatcher import BatchEvent
from passgen_tools.workers.messages import ENTRY
from passgen_tools.workers.result_merger import ResultMerger
from passgen_tools.workers.runtime_parts import register_runtime_parts

if TYPE_CHECKING:
    from concurrent.futures import Executor

register_runtime_parts()

_SLICE_S = 0.01
"""How long operations run in this process before the next decision to send."""

_NUM_SAMPLES = 2
_MAX_SAMPLE = 0.005
"""The largest share of the work that a sample may take."""

_MAX_SAMPLE_SIZE = 16
_SENDING_PER_CODEC = 2
"""The measured ratio of the cost of sending an operation to that of its codec. It
includes messages, comparisons, and garbage collection of returned operations."""


class Workers(Runner):
    """Runs groups of nested pipelines in the workers of an executor if that is faster.

    The output of a run is that of one thread.
    """

    def __init__(
        self,
        executor: Executor | Callable[[], Executor],
        *,
        job_timeout_s: float | None = None,
        sends_always: bool = False,
    ) -> None:
        """Use the workers of `executor`.

        Args:
            executor: an executor, or a callable that makes one when it is needed, and
                another one when that breaks. Those are ended after the run.
            job_timeout_s: how long a worker may take for one operation.
            sends_always: whether to send operations even if this process is faster.

        Raises:
            TypeError: `executor` is neither an executor nor a callable.
            ValueError: `job_timeout_s` is not above 0.
        """
        self._make_workers = partial(
            AvailableWorkers, executor, job_timeout_s, self._note_batch
        )
        self.workers = self._make_workers()
        self.sends_always = sends_always
        self.report: list[str] = []
        """Sentences that say which operations the last run sent, and why."""

        self.why_unused: str | None = None
        """The sentence that says why the last run could not use workers."""

        self.parts: list[WorkerPart] = []
        """The parts of the run's instrumentations and action handlers, in order."""

        self.num_sent = 0
        self._num_done = 0
        self._is_running = False
        self._obstacle: str | None = None

    def begin_run(self, pipeline: FinalizedPipeline) -> None:
        """Check that workers can make the passes of all groups.

        Raises:
            SchedulingError: they cannot; the message names the pass.
        """
        self.workers = self._make_workers()
        self.report = []
        self.why_unused = None
        self.num_sent = self._num_done = 0
        settings = pipeline.state.settings
        self.parts, self._obstacle = _find_parts(settings)
        if self._obstacle is not None:
            return
        context = settings.context
        for group in pipeline.elements:
            if isinstance(group, NestedPipelines) and not _is_native(group, context):
                for pass_ in _passes_of(group):
                    header.check_is_sendable(pass_, context)

    def run(self, group: NestedPipelines) -> Sequence[PassFailure]:
        """Run `group` in workers if that is faster; groups inside of it run in turn."""
        targets = [] if self._is_running else group.targets()
        if len(targets) < 2 or self._must_stay(group):  # noqa: PLR2004 - more than one
            return group.run_in_turn()
        self._is_running = True
        try:
            return _GroupRun(self, group, targets).run()
        finally:
            self._is_running = False

    def end_run(self) -> None:
        """End the workers that were made for the run."""
        self.workers.close()

    def _must_stay(self, group: NestedPipelines) -> bool:
        """Return whether `group` must not leave this process; report why."""
        if self._obstacle is not None:
            self.why_unused = f"all ran in this process: {self._obstacle}"
            self.report.append(self.why_unused)
        elif group.state.has_analyses:
            self.report.append(
                f"{group} ran in this process: its passes may use cached analyses of "
                "the parent operation"
            )
        elif _is_native(group, group.state.context):
            self.report.append(
                f"{group} ran in this process: the IR library runs its passes itself"
            )
        else:
            return False
        return True

    def _note_batch(self, event: BatchEvent) -> None:
        if event.loss is None:
            self._num_done += len(event.items)
        what = f"{event.loss}" if event.loss else f"last from worker {event.worker}"
        for part in self.parts:
            part.run_after_batch(
                f"{self._num_done} of {self.num_sent} operations are back from "
                f"workers, {what}"
            )


def _find_parts(settings: RunSettings) -> tuple[list[WorkerPart], str | None]:
    """Return the parts of instrumentations and handlers, or why one has none."""
    parts: list[WorkerPart] = []
    for follower in (*settings.instrumentor.instrumentations, *settings.handlers):
        part = part_of(follower)
        if part is None:
            name = getattr(follower, "__qualname__", type(follower).__qualname__)
            return [], f"{name} cannot observe passes in workers"
        parts.append(part)
    return parts, None


def _passes_of(group: NestedPipelines) -> Iterator[Pass]:
    for manager in group.managers:
        yield from header.all_passes(manager)


def _is_native(group: NestedPipelines, context: Context) -> bool:
    """Return whether an IR library runs a pass of `group` itself."""
    return any(map(inspector_of(context).is_native, _passes_of(group)))


class _GroupRun:
    """The run of one group of nested pipelines on its operations."""

    def __init__(
        self, owner: Workers, group: NestedPipelines, targets: Sequence[Target]
    ) -> None:
        self._owner = owner
        self._group = group
        self._targets = targets
        self._state = group.state
        self._transport = transport_of(group.state.context)
        self._declarations = self._transport.declarations_in(group.state.operation)
        self._merger = ResultMerger(group, owner.parts, group.run_target)
        self._work_s = math.inf
        self._cost: OperationCost | None = None
        """The cost of sending an operation."""

    def run(self) -> Sequence[PassFailure]:
        """Run the group in this process until workers are known to be faster."""
        owner, merger = self._owner, self._merger
        waiting = deque(self._targets)
        decision: Decision | None = None
        if owner.sends_always:
            num_workers = owner.workers.dispatcher.num_workers
            decision = decide(len(waiting), OperationCost(1, 0), num_workers)
            self._send([*waiting], replace(decision, reason="always"))
            return merger.failures
        # Not measured: the first operation includes work that is done only once.
        merger.run_here(waiting.popleft())
        while waiting:
            self._work_s = min(self._work_s, self._run_slice(waiting))
            if not waiting:
                break
            decision = self._decide(waiting)
            if decision.batch_size:
                self._send([*waiting], decision)
                return merger.failures
            if not owner.workers.are_starting:  # the answer would stay the same
                while waiting:
                    merger.run_here(waiting.popleft())
        why = "it was done before workers could have begun"
        reason = decision.reason if decision else f"kept in the parent process: {why}"
        owner.report.append(f"{self._group}: {reason}")
        return merger.failures

    def _run_slice(self, waiting: deque[Target]) -> float:
        """Run operations in this process for `_SLICE_S`; return their median time.

        Other programs on the same cores would distort an average.
        """
        begin = last = time.perf_counter()
        times_s = []
        while waiting and last - begin < _SLICE_S:
            self._merger.run_here(waiting.popleft())
            now = time.perf_counter()
            times_s.append(now - last)
            last = now
        return median(times_s)

    def _decide(self, waiting: Sequence[Target]) -> Decision:
        """Return whether to send what is `waiting`; start workers if they may help."""
        workers = self._owner.workers
        if self._cost is None:
            self._cost = self._codec_cost(list(waiting))
        cost = replace(self._cost, work_s=self._work_s)
        choose = partial(decide, len(waiting), cost, workers.num_workers)
        decision = choose(start_s=0 if workers.are_made else START_S)
        if not decision.batch_size:
            return decision
        # Workers start while this process runs operations.
        start_s = workers.remaining_start_s(self._header)
        limit_s = workers.job_timeout_s or math.inf
        return choose(start_s=start_s, max_batch_s=limit_s / 2)

    def _codec_cost(self, waiting: Sequence[Target]) -> OperationCost:
        """Return the cost of sending an operation, measured on a sample.

        A larger sample costs less per operation, but must not take long.
        """
        alone_s, size_bytes = self._sample(waiting[:1])
        if alone_s == math.inf:
            return OperationCost(0, math.inf)
        limit = _MAX_SAMPLE * self._work_s * len(waiting) / alone_s
        size = max(1, min(int(limit), _MAX_SAMPLE_SIZE, len(waiting)))
        sample_s, size_bytes = self._sample(waiting[:size])
        codec_s = _SENDING_PER_CODEC * sample_s / size
        return OperationCost(0, codec_s, 2 * size_bytes / size)

    def _sample(self, targets: Sequence[Target]) -> tuple[float, int]:
        """Return the time to encode and decode `targets`, and their bytes."""
        times_s = []
        size_bytes = 0
        for _ in range(_NUM_SAMPLES):
            begin = time.perf_counter()
            data = self._encode(targets)
            if data is None:
                return math.inf, 0
            deque(self._transport.decode_isolated(data), maxlen=0)
            times_s.append(time.perf_counter() - begin)
            size_bytes = len(data)
        return min(times_s), size_bytes

    def _send(self, targets: Sequence[Target], decision: Decision) -> None:
        """Send all of `targets`, and merge their results."""
        dispatcher, size = self._owner.workers.dispatcher, decision.batch_size
        batches = [
            range(start, min(start + size, len(targets)))
            for start in range(0, len(targets), size)
        ]
        self._owner.num_sent += len(targets)
        self._state.note_change()
        kept: set[int] = set()

        def encode(items: range) -> bytes:
            batch = [targets[index] for index in items]
            encoded = self._encode(batch)
            if encoded is None:
                kept.update(
                    index for index in items if self._encode([targets[index]]) is None
                )
                batch = [targets[index] for index in items if index not in kept]
                encoded = self._encode(batch)
            if encoded is None:  # each can be sent, but all together are too large
                kept.update(items)
                batch, encoded = [], self._transport.encode_isolated([])
            numbers = packed_numbers([target.pipeline_index for target in batch])
            return pack_parts([numbers, encoded])

        outcomes = dispatcher.run(ENTRY, self._header, encode, batches)
        try:
            with closing(outcomes):
                for outcome in outcomes:
                    self._merger.take(targets, outcome, kept)
        finally:
            self._note_workers(len(targets), len(batches), decision.reason)

    def _note_workers(self, num_sent: int, num_batches: int, why: str) -> None:
        """Report how much was sent, and how much each worker did."""
        self._owner.report.append(
            f"{self._group}: {num_sent} of {len(self._targets)} operations in "
            f"{num_batches} batches; {why}"
        )
        for worker, (count_, work_s) in sorted(self._merger.workers.items()):
            did = f"{count_} operations, {work_s:.4f} s in passes"
            self._owner.report.append(f"worker {worker}: {did}")

    def _encode(self, targets: Sequence[Target]) -> bytes | None:
        """Return operations as bytes; `None` if one of them cannot be sent."""
        operations = []
        for target in targets:
            declarations = self._declarations(target.operation)
            if declarations is None:
                return None
            operations.append((target.operation, declarations))
        try:
            return self._transport.encode_isolated(operations)
        except IRError:  # one uses values that are defined outside of it
            return None

    @cached_property
    def _header(self) -> bytes:
        """The header of all batches."""
        context, group = self._state.context, self._group
        classes = list(dict.fromkeys(type(pass_) for pass_ in _passes_of(self._group)))
        spec = self._transport.context_spec()
        return header.WorkerHeader(
            pipelines=[str(manager) for manager in group.managers],
            merges=group.merges,
            passes=[header.place_of(cls) for cls in classes],
            versions=header.versions_of([type(context), *classes], spec["packages"]),
            transport=header.place_of(type(self._transport)),
            context_spec=spec,
            # Without aliases, as operations inside of others are printed.
            printing=asdict(replace(context.printing_flags, local_scope=True)),
            shows_operation=context.prints_operation_on_diagnostic,
            shows_stacktrace=context.prints_stacktrace_on_diagnostic,
            settings=self._state.settings.plain(),
            parts=[[part.factory, part.settings] for part in self._owner.parts],
        ).encode()
