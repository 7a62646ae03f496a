"""Determinism: the passes of a run do the same in other processes, on equal IR.

A pass is made from its text, as in workers, and its operation has no ancestors.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import lru_cache
from io import StringIO
from itertools import chain, zip_longest
from random import Random
from threading import get_ident
from typing import Any, Final, NamedTuple, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PassError
from passgen_runtime.operation_pass import Pass, owned_sequences
from passgen_runtime.pass_instrumentation import PassInstrumentation, PipelineParentInfo
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_registry import PassRegistry, parse_pass_manager
from passgen_runtime.printing_flags import PrintingFlags
from passgen_runtime.remarks import Remark, RemarkReceiver
from passgen_tools.adaptors import Transport
from passgen_tools.audit.audit import AuditError, Violation, subject_of
from passgen_tools.ir_libraries import find_ir_library, transport_of
from passgen_tools.processes import LEAVE_NOTE, ProcessPool, WorkerLostError
from passgen_tools.workers import check_is_sendable

SAME_EVERY_TIME = "a pass does the same on the same IR, in every process"

_Task: TypeAlias = tuple[str, tuple[type[Pass], ...], bytes]  # pipeline, classes, IR


class _Outcome(NamedTuple):
    """The outcome of a pass, as texts."""

    ir: str
    diagnostics: str = ""
    """Diagnostics of all severities, and remarks, in order."""

    statistics: str = ""

    def difference(self, other: _Outcome) -> str:
        """Return the first difference between two outcomes."""
        verbs = "made other IR", "reported something else", "counted something else"
        verb, *texts = next(
            row for row in zip(verbs, self, other, strict=True) if row[1] != row[2]
        )
        lines = zip_longest(*map(str.splitlines, texts), fillvalue="")
        differing = next((row for row in lines if row[0] != row[1]), ("", ""))
        shown = ", and ".join(f"'{line.strip()}'" for line in differing)
        return f"{verb} when it ran again: {shown}"


_FAILED: Final = "it fails"


class DeterminismCheck(PassInstrumentation):
    """Compares what the passes of a run do in other processes, after the run."""

    def __init__(self, context: Context) -> None:
        """Start without violations."""
        self.violations: list[Violation] = []
        self._context = context
        self._transport = transport_of(context)
        self._registry = _registry(context)
        self._tasks: dict[_Task, tuple[str, str, str]] = {}
        self._running: list[tuple[str, str, str]] = []
        """The subjects of the passes that have not ended, outer ones first."""

        self._failed: set[tuple[str, str, str]] = set()
        self._unjudged = defaultdict[str, list[str]](list)

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Keep the operation as it is."""
        context = self._context
        subject = subject_of(context, pass_, operation)
        self._running.append(subject)
        try:
            classes = tuple(self._classes_of(pass_))
            data = self._transport.encode(operation)
        except PassError as error:
            self._unjudged[str(error).partition("\n")[0]].append(subject[-1])
            return
        task = f"{context.name(operation)}({pass_})", classes, data
        self._tasks.setdefault(task, subject)

    def run_after_pass(self, _pass: Pass, _operation: Operation) -> None:
        """Note that the last pass has ended."""
        self._running.pop()

    def run_after_pass_failed(self, _pass: Pass, _operation: Operation) -> None:
        """Note that the last pass has failed here, too."""
        self._failed.add(self._running.pop())

    def run_after_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Report passes that do not do the same each time; count what is not judged."""
        if not parent.is_outermost:
            return
        tasks, self._tasks = self._tasks, {}
        found = self._outcomes([*tasks]) if tasks else ()
        for subject, outcomes in zip(tasks.values(), found, strict=True):
            first, *others = outcomes
            if others:
                what = first.difference(others[0])
                self.violations.append(Violation(*subject, SAME_EVERY_TIME, what))
                self._context.handle(self.violations[-1].diagnostic)
            elif first.ir == _FAILED and subject not in self._failed:
                reason = f"pass '{subject[0]}' fails on its operation alone"
                self._unjudged[reason].append(subject[-1])
        for reason, (place, *rest) in self._unjudged.items():
            text = f"runs of unknown determinism: {1 + len(rest)}; {reason}"
            self._context.handle(Diagnostic("warning", text, place))
        self._unjudged.clear()
        self._running, self._failed = [], set()

    def _classes_of(self, pass_: Pass) -> Iterator[type[Pass]]:
        """Yield the classes that are not of the IR library.

        Raises:
            PassError: the pass cannot be made from its text, or must not run again.
        """
        inner = (part for owned in owned_sequences(pass_) for part in owned.passes())
        for made in (pass_, *inner):
            if why := made.reaches_outside():
                raise PassError(f"pass '{made.argument}' reaches beyond the IR: {why}")
            entry = self._registry.lookup_pass(made.argument)
            # The IR library makes such classes anew for each registry.
            if entry is None or str(entry.pass_class) != str(type(made)):
                check_is_sendable(made, self._context)
                yield type(made)

    def _outcomes(self, tasks: Sequence[_Task]) -> Iterator[dict[_Outcome, None]]:
        """Yield the different outcomes of each task."""
        given = type(self._transport), self._transport.context_spec(), tasks
        with ExitStack() as pools:
            futures = [
                pools.enter_context(ProcessPool(1, PYTHONHASHSEED=str(seed))).submit(
                    run_again, *given, seed
                )
                for seed in range(4)
            ]
            try:
                found = [future.result() for future in futures]
            except WorkerLostError as error:
                ran = error.loss.last_note
                raise AuditError(f"{ran} ran again in a process: {error}") from error
        for outcomes in zip(*found, strict=True):
            yield dict.fromkeys(chain(*outcomes))


def verify_determinism(manager: PassManager) -> DeterminismCheck:
    """Let passes of `manager` run again in other processes, after each of its runs."""
    check = DeterminismCheck(manager.context)
    manager.disable_multithreading()
    manager.add_instrumentation(check)
    return check


def _registry(context: Context) -> PassRegistry:
    library = find_ir_library(context.library)
    return library.add_passes(PassRegistry()) if library else PassRegistry()


def run_again(
    make: type[Transport], spec: Mapping[str, Any], tasks: Sequence[_Task], seed: int
) -> list[list[_Outcome]]:
    """Run all tasks, and in threads twice more, in this process.

    Returns:
        The three outcomes of each task.
    """
    sys.stdout = sys.stderr = StringIO()  # passes have printed it before
    sys.setswitchinterval(1e-4)
    registry = _registry(make.make_context(spec))
    for class_ in {class_: None for _, classes, _ in tasks for class_ in classes}:
        registry.register_pass(class_)
    transport_here = lru_cache(lambda _thread_id: make(make.make_context(spec)))
    leave_note = LEAVE_NOTE.get() or str
    chance = Random(seed)  # noqa: S311 - for no secret

    def run(number: int) -> _Outcome:
        pipeline, _, data = tasks[number]
        leave_note(pipeline)
        blocks = [*map(bytes, chance.choices(range(512), k=1_000))]
        chance.shuffle(blocks)
        del blocks[::2]  # objects that are made now get unusual addresses
        transport = transport_here(get_ident())
        context, flags = transport.context, PrintingFlags(debug_info=True)
        reported: list[str] = []

        def report(found: Diagnostic | Remark) -> None:
            is_remark = isinstance(found, Remark)
            reported.append(f"{found.location}: {found}" if is_remark else str(found))

        try:
            manager = parse_pass_manager(pipeline, context, registry)
            manager.verify_each = False
            manager.enable_multithreading()
            operation = transport.decode(data)
            manager.add_instrumentation(RemarkReceiver(context, report))
            with context.redirecting_diagnostics(report):
                manager.run(operation)
            return _Outcome(
                context.print_in_any_state(operation, flags=flags),
                "\n".join(reported),
                manager.statistics_report(),
            )
        except BaseException:  # noqa: BLE001 - passes raise anything
            return _Outcome(_FAILED, "\n".join(reported))

    order = chance.sample(range(len(tasks)), len(tasks))
    twice = [number for number in order for _ in range(2)]  # at the same time
    with ThreadPoolExecutor(4) as threads:
        found = (*map(run, order), *threads.map(run, twice))
    outcomes: list[list[_Outcome]] = [[] for _ in tasks]
    for number, outcome in zip(order + twice, found, strict=True):
        outcomes[number].append(outcome)
    return outcomes
