"""Nested pipelines that run in a worker, on operations without their parents."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import asdict
from pkgutil import resolve_name
from typing import Any

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PassFailure
from passgen_runtime.pass_instrumentation import (
    PassInstrumentation,
    PassInstrumentor,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_manager import (
    ActionHandler,
    FinalizedPipeline,
    OpPassManager,
    Runner,
    RunSettings,
    RunState,
    dialects_of,
    finalize,
    run_dynamic,
)
from passgen_tools.processes import LEAVE_NOTE, Breadcrumbs
from passgen_tools.worker_parts import Send
from passgen_tools.workers import messages
from passgen_tools.workers.header import WorkerHeader

_NO_SYMBOL_TABLE = "has no SymbolTable ancestor"
"""The error of xDSL when a symbol is looked up outside of a symbol table."""

_NO_SYMBOLS = (
    "a worker has no symbols but those inside of the operation that it works on: a "
    "pass on isolated operations must not look up others"
)


class DetachedPipelines:
    """A group of nested pipelines in a worker, and the events of its runs."""

    def __init__(
        self, context: Context, managers: Sequence[OpPassManager], header: WorkerHeader
    ) -> None:
        """Make `managers` ready to run.

        Args:
            context: the context of the worker.
            managers: the pipelines.
            header: the settings of the run, and the factories of its parts.

        Raises:
            PassError: a pass cannot run on its anchor, or cannot be initialized.
        """
        self._context = context
        self._events: list[Any] = []
        context.diagnostic_handler = self._note_diagnostic
        context.debug_handler = self._sender(messages.DEBUG_TEXT)
        instrumentor = PassInstrumentor()
        leave_note = LEAVE_NOTE.get()
        self._breadcrumbs = Breadcrumbs(leave_note or (lambda _: None))
        if leave_note is not None:
            instrumentor.add(self._breadcrumbs)
        handlers: list[ActionHandler] = []
        for number, (factory, part_settings) in enumerate(header.parts):
            if not factory:
                continue
            part = resolve_name(factory)(context, part_settings, self._sender(number))
            if isinstance(part, PassInstrumentation):
                instrumentor.add(part)
            else:
                handlers.append(part)
        for manager in managers:
            context.load_dialects(dialects_of(manager))
        settings = RunSettings(
            context,
            instrumentor,
            Runner(),
            run_dynamic,
            tuple(handlers),
            **header.settings,
        )
        self._pipelines = pipelines = [
            finalize(manager, RunState(settings, manager.anchor), merges=header.merges)
            for manager in managers
        ]
        collection = PipelineCollection(tuple(written.anchor for written in managers))
        self._parent = PipelineParentInfo(threading.get_ident(), None, collection)
        self._passes = [pass_ for pipeline in pipelines for pass_ in pipeline.passes()]
        self._all = [inner for pipeline in pipelines for inner in pipeline.pipelines()]
        with context.running():
            for pipeline in pipelines:
                pipeline.begin_run()
                pipeline.initialize(context)

    def _sender(self, source: int) -> Send:
        return lambda data: self._events.append((source, data))

    def _note_diagnostic(self, diagnostic: Diagnostic) -> None:
        self._events.append((messages.DIAGNOSTIC, asdict(diagnostic)))

    def run(self, number: int, operation: Operation) -> messages.WorkerResult:
        """Run the pipeline of a number on `operation`, which has no parent."""
        self._events.clear()
        self._breadcrumbs.clear()
        # Counts are left from an operation whose pipeline the sender runs instead.
        messages.take_statistics(self._passes)
        messages.take_dynamic(self._passes)
        for pipeline in self._all:
            pipeline.was_matched = False
        pipeline = self._pipelines[number]
        with self._context.running():
            try:
                failure = pipeline.run(operation, self._parent)
            except PassFailure as raised:
                failure = raised
        if failure is not None:
            self._explain(failure)
        return messages.WorkerResult(
            events=list(self._events),
            failure=None if failure is None else messages.plain_failure(failure),
            statistics=messages.take_statistics(self._passes),
            dynamic=messages.take_dynamic(self._passes),
            matched=[number for number, run in enumerate(self._all) if run.was_matched],
        )

    def _explain(self, failure: PassFailure) -> None:
        cause = failure.__cause__
        if cause is not None and _NO_SYMBOL_TABLE in str(cause):
            self._note_diagnostic(Diagnostic("note", _NO_SYMBOLS, failure.operation))


def mark_matched(
    pipelines: Sequence[FinalizedPipeline], numbers: Sequence[int]
) -> None:
    """Mark the pipelines that have matched an operation in a worker."""
    inside = [nested for pipeline in pipelines for nested in pipeline.pipelines()]
    for number in numbers:
        inside[number].was_matched = True
