"""Repeated runs of passes in another process, under conditions that vary.

A pass is made from its text, as in workers, and its operation has no ancestors. The
order of the runs, the addresses of objects and the timing of threads vary; the process
that calls `run_again` chooses the hash seed of this one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from itertools import zip_longest
from random import Random
from threading import get_ident
from typing import Any, Final, NamedTuple

from passgen_runtime.context import Context
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.operation_pass import Pass
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
_NUM_BLOCKS: Final = 1_000
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
    """The outcome of a pass, as texts."""

    ir: str
    reports: str = ""
    """Diagnostics of all severities, and remarks, in order."""

    statistics: str = ""

    def difference(self, other: Outcome) -> str:
        """Return the first difference between two outcomes, which differ."""
        if self.ir != other.ir:
            return _line_difference("made other IR", self.ir, other.ir)
        if self.reports != other.reports:
            what = "reported something else"
            return _line_difference(what, self.reports, other.reports)
        what = "counted something else"
        return _line_difference(what, self.statistics, other.statistics)


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
    """Run all tasks in this process: one after another, and then twice at once.

    Args:
        transport_class: decodes the operations.
        context_spec: describes the context that the operations are from.
        tasks: the tasks.
        seed: determines all random choices.

    Returns:
        The three outcomes of each task.
    """
    sys.stdout = sys.stderr = StringIO()  # passes have printed it before
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    random = Random(seed)  # noqa: S311 - for no secret
    runner = _TaskRunner(transport_class, context_spec, tasks, random)
    outcomes: list[list[Outcome]] = [[] for _ in tasks]
    order = random.sample(range(len(tasks)), len(tasks))
    for number in order:
        outcomes[number].append(runner.run(tasks[number]))
    twice = [number for number in order for _ in range(2)]
    with ThreadPoolExecutor(_NUM_THREADS) as threads:
        found = threads.map(runner.run, [tasks[number] for number in twice])
        for number, outcome in zip(twice, found, strict=True):
            outcomes[number].append(outcome)
    return outcomes


class _TaskRunner:
    """Runs tasks in any thread, each of which has its own context."""

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
        self._transports: dict[int, Transport] = {}
        """The transport of each thread, by the id of the thread."""

        self._random = random
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
        sizes = self._random.choices(range(_MAX_BLOCK_BYTES), k=_NUM_BLOCKS)
        blocks = [bytes(size) for size in sizes]
        self._random.shuffle(blocks)
        del blocks[::2]
        return self._outcome(task, self._transport_of_thread())

    def _transport_of_thread(self) -> Transport:
        """Return the transport of the current thread."""
        thread_id = get_ident()
        if thread_id not in self._transports:
            context = self._transport_class.make_context(self._context_spec)
            self._transports[thread_id] = self._transport_class(context)
        return self._transports[thread_id]

    def _outcome(self, task: RepeatTask, transport: Transport) -> Outcome:
        context = transport.context
        reports: list[str] = []

        def report(found: Diagnostic | Remark) -> None:
            text = str(found)
            if isinstance(found, Remark):
                text = f"{found.location}: {text}"
            reports.append(text)

        try:
            manager = parse_pass_manager(task.pipeline, context, self._registry)
            manager.verify_each = False
            manager.runner = Threads()
            operation = transport.decode(task.encoded_operation)
            manager.add_instrumentation(RemarkReceiver(context, report))
            with context.redirecting_diagnostics(report):
                manager.run(operation)
            flags = PrintingFlags(debug_info=True)
            ir = context.print_in_any_state(operation, flags=flags)
            statistics = manager.statistics_report()
        except BaseException:  # noqa: BLE001 - passes raise anything
            return Outcome(FAILURE, "\n".join(reports))
        return Outcome(ir, "\n".join(reports), statistics)
