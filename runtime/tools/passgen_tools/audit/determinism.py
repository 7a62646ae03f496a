"""Determinism: the passes of a run do the same in other processes, on equal IR."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from operator import attrgetter
from random import Random
from typing import Final, NamedTuple

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import UNKNOWN_LOCATION, Diagnostic
from passgen_runtime.errors import PassError
from passgen_runtime.operation_pass import Pass, owned_sequences
from passgen_runtime.pass_instrumentation import PassInstrumentation, PipelineParentInfo
from passgen_runtime.pass_manager import PassManager, Runner
from passgen_tools.audit.audit import AuditError, Subject, Violation, subject_of
from passgen_tools.audit.repeated_runs import (
    FAILURE,
    Outcome,
    RepeatTask,
    library_registry,
    run_again,
)
from passgen_tools.ir_libraries import transport_of
from passgen_tools.processes import ProcessPool, WorkerLostError
from passgen_tools.workers import check_is_sendable

SAME_EVERY_TIME: Final = "a pass does the same on the same IR, in every process"

SAMPLE_SIZE: Final = 1_000
"""On how many operations each pass runs again at most, unless it is to on all."""

_NUM_PROCESSES: Final = 4


def verify_determinism(
    manager: PassManager, *, sample_size: int | None = SAMPLE_SIZE
) -> DeterminismCheck:
    """Let passes of `manager` run again in other processes, after each of its runs.

    Args:
        manager: runs the passes for the first time.
        sample_size: on how many operations a pass runs again at most, drawn at random;
            `None` for all.
    """
    check = DeterminismCheck(manager.context, sample_size)
    manager.runner = Runner()
    manager.add_instrumentation(check)
    return check


class _DrawnRun(NamedTuple):
    """A run of a pass that is judged."""

    number: int
    """Among all runs of passes."""

    task: RepeatTask
    subject: Subject


class _Sample:
    """A random sample of the runs of a pass, all of which are equally likely in it."""

    def __init__(self, max_size: int | None) -> None:
        """Start without runs."""
        self.num_runs = 0
        self._max_size = max_size
        self._random = Random(0)  # noqa: S311 - the same runs in the same program
        self.drawn: list[_DrawnRun] = []

    @property
    def is_partial(self) -> bool:
        """Whether there are runs that are not drawn."""
        return self._max_size is not None and self.num_runs > self._max_size

    def place(self) -> int | None:
        """Count a run; return its place in the sample, `None` if it is not drawn."""
        self.num_runs += 1
        if not self.is_partial:
            return len(self.drawn)
        place = self._random.randrange(self.num_runs)
        return place if place < len(self.drawn) else None

    def put(self, place: int, run: _DrawnRun) -> None:
        """Put the last run at a place, instead of an earlier one that may be there."""
        self.drawn[place : place + 1] = [run]


class DeterminismCheck(PassInstrumentation):
    """Compares what the passes of a run do in other processes, after the run."""

    def __init__(self, context: Context, sample_size: int | None) -> None:
        """Start without violations."""
        self.violations: list[Violation] = []
        self._context = context
        self._transport = transport_of(context)
        self._registry = library_registry(context)
        self._sample_size = sample_size
        self._samples: dict[str, _Sample] = {}
        """The runs to judge, by pipeline."""

        self._num_runs = 0
        self._running: list[Subject] = []
        """The subjects of the passes that have not ended, outer ones first."""

        self._failed: set[Subject] = set()
        self._unjudged = defaultdict[str, list[str]](list)
        """The locations of operations by the reason why a run is not judged."""

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Keep the pass, and the operation as it is, to run them again."""
        subject = subject_of(self._context, pass_, operation)
        self._running.append(subject)
        self._num_runs += 1
        try:
            pass_classes = tuple(self._classes_to_register(pass_))
            pipeline = f"{self._context.name(operation)}({pass_})"
            sample = self._samples.get(pipeline)
            if sample is None:
                sample = self._samples[pipeline] = _Sample(self._sample_size)
            place = sample.place()
            if place is None:
                return
            encoded_operation = self._transport.encode(operation)
        except PassError as error:
            reason, _, _ = str(error).partition("\n")
            self._unjudged[reason].append(subject.location)
            return
        task = RepeatTask(pipeline, pass_classes, encoded_operation)
        sample.put(place, _DrawnRun(self._num_runs, task, subject))

    def run_after_pass(self, _pass: Pass, _operation: Operation) -> None:
        """Note that the innermost pass has ended."""
        self._running.pop()

    def run_after_pass_failed(self, _pass: Pass, _operation: Operation) -> None:
        """Note that the innermost pass has failed in this process already."""
        self._failed.add(self._running.pop())

    def run_after_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Report passes that do not do the same each time; count what is not judged."""
        if not parent.is_outermost:
            return
        samples, self._samples = self._samples, {}
        drawn = [run for sample in samples.values() for run in sample.drawn]
        subjects: dict[RepeatTask, Subject] = {}
        for run in sorted(drawn, key=attrgetter("number")):
            subjects.setdefault(run.task, run.subject)
        if subjects:
            outcomes_by_task = self._find_outcomes(tuple(subjects))
            judged = zip(subjects.values(), outcomes_by_task, strict=True)
            for subject, outcomes in judged:
                self._judge(subject, outcomes)
        self._warn_about_samples(samples)
        self._warn_about_unjudged()
        self._running.clear()
        self._failed.clear()

    def _classes_to_register(self, pass_: Pass) -> Iterator[type[Pass]]:
        """Yield the classes of a pass and its inner passes that the IR library lacks.

        Raises:
            PassError: one cannot be made from its text, or must not run again.
        """
        passes = [pass_]
        for sequence in owned_sequences(pass_):
            passes += sequence.passes()
        for part in passes:
            if reason := part.reaches_outside():
                raise PassError(
                    f"pass '{part.argument}' reaches beyond the IR: {reason}"
                )
            entry = self._registry.lookup_pass(part.argument)
            # The IR library makes such classes anew for each registry.
            if entry is None or str(entry.pass_class) != str(type(part)):
                check_is_sendable(part, self._context)
                yield type(part)

    def _find_outcomes(self, tasks: Sequence[RepeatTask]) -> Iterator[list[Outcome]]:
        """Run tasks again in other processes; yield the different outcomes of each."""
        outcomes_by_process = self._run_again(tasks)
        for outcomes_of_task in zip(*outcomes_by_process, strict=True):
            different: dict[Outcome, None] = {}
            for outcomes in outcomes_of_task:
                different |= dict.fromkeys(outcomes)
            yield list(different)

    def _run_again(self, tasks: Sequence[RepeatTask]) -> list[list[list[Outcome]]]:
        """Return the outcomes by process and task.

        Raises:
            AuditError: a process ended.
        """
        transport_class = type(self._transport)
        context_spec = self._transport.context_spec()
        with ExitStack() as pools:
            futures = []
            for seed in range(_NUM_PROCESSES):
                pool = pools.enter_context(ProcessPool(1, PYTHONHASHSEED=str(seed)))
                future = pool.submit(
                    run_again, transport_class, context_spec, tasks, seed
                )
                futures.append(future)
            try:
                return [future.result() for future in futures]
            except WorkerLostError as error:
                pipeline = error.loss.last_note
                message = f"{pipeline} ran again in a process: {error}"
                raise AuditError(message) from error

    def _judge(self, subject: Subject, outcomes: Sequence[Outcome]) -> None:
        """Report a violation if there is more than one outcome."""
        first, *others = outcomes
        differences = (first.difference(other, self._transport) for other in others)
        found = next(filter(None, differences), None)
        if found is not None:
            violation = Violation(*subject, SAME_EVERY_TIME, found)
            self.violations.append(violation)
            self._context.handle(violation.diagnostic)
        elif first.ir == FAILURE and subject not in self._failed:
            reason = f"pass '{subject.pass_name}' fails on its operation alone"
            self._unjudged[reason].append(subject.location)

    def _warn_about_samples(self, samples: Mapping[str, _Sample]) -> None:
        """Report the passes that have run again on a part of their operations."""
        for pipeline, sample in samples.items():
            if sample.is_partial:
                message = (
                    f"the determinism of '{pipeline}' is judged by {len(sample.drawn)} "
                    f"operations, drawn from {sample.num_runs}"
                )
                note = Diagnostic(
                    "note", "--verify-determinism=all judges by all", UNKNOWN_LOCATION
                )
                warning = Diagnostic("warning", message, UNKNOWN_LOCATION, (note,))
                self._context.handle(warning)

    def _warn_about_unjudged(self) -> None:
        """Report the number of runs that are not judged, by reason."""
        for reason, locations in self._unjudged.items():
            message = f"runs of unknown determinism: {len(locations)}; {reason}"
            self._context.handle(Diagnostic("warning", message, locations[0]))
        self._unjudged.clear()
