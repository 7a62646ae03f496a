"""Repeated runs of passes in another process, under conditions that vary.

A pass is made from its text, as in workers, and its operation has no ancestors. The
order of the runs, the addresses of objects and the timing of threads vary; the process
that calls `run_again` chooses the hash seed of this one.
"""

from __future__ import annotations

import gc
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from itertools import zip_longest
from random import Random
from threading import get_ident
from typing import Any, Final, NamedTuple

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_registry import PassRegistry, parse_pass_manager
from passgen_runtime.printing_flags import PrintingFlags
from passgen_runtime.remarks import Remark, RemarkReceiver
from passgen_runtime.runners import Threads
from passgen_tools.adaptors import Transport
from passgen_tools.ir_libraries import find_ir_library
from passgen_tools.processes import LEAVE_NOTE

FAILURE: Final = "it fails"
"""The text of an outcome instead of IR if the pass fails."""

_NUM_THREADS: Final = 4
_SWITCH_INTERVAL_S: Final = 1e-4
_MANY_OPERATIONS: Final = 50
_GC_THRESHOLD: Final = 50_000
_NUM_BLOCKS: Final = 400
_MAX_BLOCK_BYTES: Final = 512


class RepeatTask(NamedTuple):
    """A pass to run again on an operation."""

    pipeline: str
    """The pass as the only one in a pipeline on the operation."""

    pass_classes: tuple[type[Pass], ...]
    """The classes of the passes that the registry of the IR library lacks."""

    encoded_operation: bytes
    """The operation, as a transport encodes it."""


class Outcome(NamedTuple):
    """The outcome of a pass; equal IR may have different bytes."""

    ir: str | bytes
    """As a transport encodes it; a text where it cannot be encoded."""

    reports: str = ""
    """Diagnostics of all severities, and remarks, in order."""

    statistics: str = ""

    def difference(self, other: Outcome, transport: Transport) -> str | None:
        """Return the first difference between two outcomes, `None` if there is none."""
        if self == other:
            return None
        if self.ir != other.ir:
            ir, other_ir = self._ir_text(transport), other._ir_text(transport)
            if ir != other_ir:
                return _line_difference("made other IR", ir, other_ir)
        if self.reports != other.reports:
            what = "reported something else"
            return _line_difference(what, self.reports, other.reports)
        if self.statistics != other.statistics:
            what = "counted something else"
            return _line_difference(what, self.statistics, other.statistics)
        return None

    def _ir_text(self, transport: Transport) -> str:
        if isinstance(self.ir, str):
            return self.ir
        return _text_of(transport.context, transport.decode(self.ir))


def _text_of(context: Context, operation: Operation) -> str:
    flags = PrintingFlags(debug_info=True)
    return context.print_in_any_state(operation, flags=flags)


def _line_difference(what: str, text: str, other_text: str) -> str:
    """Return a message with the first lines that differ; one may be missing."""
    pairs = zip_longest(text.splitlines(), other_text.splitlines(), fillvalue="")
    differing = (pair for pair in pairs if pair[0] != pair[1])
    line, other_line = next(differing, ("", ""))
    lines = f"'{line.strip()}', and '{other_line.strip()}'"
    return f"{what} when it ran again: {lines}"


def library_registry(context: Context) -> PassRegistry:
    """Return a registry of the passes that the IR library of `context` has."""
    registry = PassRegistry()
    library = find_ir_library(context.library)
    return registry if library is None else library.add_passes(registry)


def run_again(
    transport_class: type[Transport],
    context_spec: Mapping[str, Any],
    tasks: Sequence[RepeatTask],
    seed: int,
) -> list[list[Outcome]]:
    """Run all tasks in this process: one after another, and then in threads.

    Args:
        transport_class: decodes the operations.
        context_spec: describes the context that the operations are from.
        tasks: the tasks.
        seed: determines all random choices.

    Returns:
        The different ones among the outcomes of each task.
    """
    sys.stdout = sys.stderr = StringIO()  # passes have printed it before
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    gc.set_threshold(_GC_THRESHOLD)
    random = Random(seed)  # noqa: S311 - for no secret
    runner = _TaskRunner(transport_class, context_spec, tasks, random)
    outcomes: list[dict[Outcome, None]] = [{} for _ in tasks]
    gc.freeze()  # modules and tasks are no garbage: looking takes long
    order = random.sample(range(len(tasks)), len(tasks))
    for number in order:
        outcomes[number][runner.run(tasks[number])] = None
    at_once = list(_order_in_threads(tasks, order))
    with ThreadPoolExecutor(_NUM_THREADS) as threads:
        found = threads.map(runner.run, [tasks[number] for number in at_once])
        for number, outcome in zip(at_once, found, strict=True):
            outcomes[number][outcome] = None
    return [list(different) for different in outcomes]


def _order_in_threads(
    tasks: Sequence[RepeatTask], order: Sequence[int]
) -> Iterator[int]:
    """Yield the numbers of tasks so that runs of one pass are at the same time.

    A pass with few operations runs on each of them twice at once.
    """
    by_pipeline: defaultdict[str, list[int]] = defaultdict(list)
    for number in order:
        by_pipeline[tasks[number].pipeline].append(number)
    for numbers in by_pipeline.values():
        num_runs = 1 if len(numbers) >= _MANY_OPERATIONS else 2
        for number in numbers:
            yield from [number] * num_runs


class _TaskRunner:
    """Runs tasks in any thread."""

    def __init__(
        self,
        transport_class: type[Transport],
        context_spec: Mapping[str, Any],
        tasks: Sequence[RepeatTask],
        random: Random,
    ) -> None:
        """Register the passes of `tasks`."""
        self._transport_class = transport_class
        self._context_spec = context_spec
        self._threads: dict[int, _ThreadRunner] = {}
        """By the id of the thread."""

        self._block_sizes = random.choices(range(_MAX_BLOCK_BYTES), k=_NUM_BLOCKS)
        self._kept_blocks = random.sample(range(_NUM_BLOCKS), _NUM_BLOCKS // 2)
        self._leave_note = LEAVE_NOTE.get() or str
        self._registry = library_registry(transport_class.make_context(context_spec))
        pass_classes: dict[type[Pass], None] = {}
        for task in tasks:
            pass_classes |= dict.fromkeys(task.pass_classes)
        for pass_class in pass_classes:
            self._registry.register_pass(pass_class)

    def run(self, task: RepeatTask) -> Outcome:
        """Run a task, and leave a note that it runs."""
        self._leave_note(task.pipeline)
        # Objects that are made from now on get unusual addresses: the gaps in memory.
        blocks = [bytes(size) for size in self._block_sizes]
        blocks = [blocks[number] for number in self._kept_blocks]
        return self._runner_of_thread().run(task)

    def _runner_of_thread(self) -> _ThreadRunner:
        """Return the runner of the current thread."""
        thread_id = get_ident()
        if thread_id not in self._threads:
            context = self._transport_class.make_context(self._context_spec)
            transport = self._transport_class(context)
            self._threads[thread_id] = _ThreadRunner(transport, self._registry)
        return self._threads[thread_id]


class _ThreadRunner:
    """Runs tasks in one thread, in a context of its own."""

    def __init__(self, transport: Transport, registry: PassRegistry) -> None:
        """Make the passes of tasks as `registry` says."""
        self._transport = transport
        self._registry = registry
        self._managers: dict[str, PassManager] = {}
        """The parsed managers by pipeline; each run has a copy with new passes."""

        self._reports: list[str] = []
        """The diagnostics and remarks of the present run."""

    def run(self, task: RepeatTask) -> Outcome:
        """Run a task."""
        self._reports.clear()
        try:
            manager = self._parsed(task.pipeline).copy()
            operation = self._transport.decode(task.encoded_operation)
            with self._transport.context.redirecting_diagnostics(self._report):
                manager.run(operation)
            ir = _encoded_or_text(self._transport, operation)
            statistics = manager.statistics_report()
        except BaseException:  # noqa: BLE001 - passes raise anything
            return Outcome(FAILURE, "\n".join(self._reports))
        return Outcome(ir, "\n".join(self._reports), statistics)

    def _parsed(self, pipeline: str) -> PassManager:
        manager = self._managers.get(pipeline)
        if manager is None:
            context = self._transport.context
            manager = parse_pass_manager(pipeline, context, self._registry)
            manager.verify_each = False
            manager.runner = Threads()
            manager.add_instrumentation(RemarkReceiver(context, self._report))
            self._managers[pipeline] = manager
        return manager

    def _report(self, found: Diagnostic | Remark) -> None:
        text = str(found)
        if isinstance(found, Remark):
            text = f"{found.location}: {text}"
        self._reports.append(text)


def _encoded_or_text(transport: Transport, operation: Operation) -> str | bytes:
    try:
        return transport.encode(operation)
    except IRError:  # the pass has made IR that is not valid
        return _text_of(transport.context, operation)
