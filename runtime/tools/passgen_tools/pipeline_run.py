"""Run a pipeline on IR in one call, at a prompt or in a notebook.

    from passgen_tools import run

    result = run("func.func(cse,canonicalize)", text)
    result                      # shows the IR, below comments on the run
    result.changes              # the difference of the IR
    result.times.by_name()

Context and registry are those of the IR: xDSL's for its operations, and MLIR's for
modules and operations of its bindings. A text is IR of the first library on whose IR
the passes run, xDSL's for a textual pipeline.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import wrong_argument
from passgen_runtime.instrumentations.observers import (
    RunStatistics,
    observing,
    timing,
)
from passgen_runtime.instrumentations.timing_manager import TimeRecord, TimingManager
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation
from passgen_runtime.pass_manager import DeclaredPass, PassManager, manager_for, to_pass
from passgen_runtime.pass_registry import PassRegistry, add_elements, parse_pass_manager
from passgen_runtime.remarks import Remark, collecting_remarks
from passgen_runtime.textual_pipeline import ANY_ANCHOR, parse_elements
from passgen_tools.ir_diff import ir_diff
from passgen_tools.ir_libraries import context_of, registry_of
from passgen_tools.notebooks import Message, PassFacts, run_html

Pipeline: TypeAlias = str | Pass | DeclaredPass | Iterable[Pass | DeclaredPass]
"""A textual pipeline, which may lack its anchor, or a pass, or passes in order."""

_INPUT: Final = "input"
"""The name of a text in the places of diagnostics."""


@dataclass(frozen=True, eq=False, repr=False)
class RunResult:
    """The result of a run, and what there is to say about it."""

    operation: Operation
    """The IR, an object of its library."""

    context: Context
    times: TimingManager
    diagnostics: tuple[Diagnostic, ...]
    remarks: tuple[Remark, ...]
    """What passes say about their decisions; see `remarks`."""

    _manager: PassManager
    _pass_facts: PassFacts
    _original_text: Callable[[], str]

    @property
    def statistics(self) -> RunStatistics:
        """The counts of the passes."""
        return RunStatistics(self._manager.statistics_nodes())

    @property
    def pipeline(self) -> str:
        """The text of the pipeline, with its anchor."""
        return str(self._manager)

    @property
    def ir(self) -> str:
        """The text of the IR."""
        return self.context.print(self.operation)

    @property
    def changes(self) -> str:
        """The operations that the run changed, as a unified diff; may be empty."""
        return ir_diff(self._original_text(), self.ir)

    def __str__(self) -> str:
        """Return the text of the IR."""
        return self.ir

    def __repr__(self) -> str:
        """Return the text of the IR, below comments on the run."""
        comments = [f"// {fact}" for fact in (self.pipeline, *self._facts())]
        return "\n".join((*comments, self.ir))

    def _repr_html_(self) -> str:
        """Return the pipeline, what was said, and the changes or the IR."""
        messages = [
            *(
                Message(found.severity, found.location, found.message)
                for found in self.diagnostics
            ),
            *(
                Message(remark.kind, remark.location, remark.message)
                for remark in self.remarks
            ),
        ]
        in_boxes = {pass_.name for pass_ in self._manager.passes()}
        times = self.times.by_name().items()
        others = {name: spent for name, spent in times if name not in in_boxes}
        summaries = self._summary(), *self._times(others)
        lines = self.changes.splitlines() or self.ir.splitlines()
        return run_html(self._manager, self._pass_facts, summaries, messages, lines)

    def _summary(self) -> str:
        """Return how many lines of the IR changed."""
        changes = self.changes.splitlines()
        num_removed = sum(line.startswith("-") for line in changes)
        num_added = sum(line.startswith("+") for line in changes)
        if not changes:
            return "nothing changed"
        return f"{_lines(num_removed)} removed, {_lines(num_added)} added"

    def _facts(self) -> Iterator[str]:
        yield self._summary()
        ordered = {pass_.name: None for pass_ in self._manager.passes()}
        yield from self._times({**ordered, **self.times.by_name()})
        for diagnostic in self.diagnostics:
            yield str(diagnostic).splitlines()[0]
        for remark in self.remarks:
            yield f"{remark.location}: {remark.kind}: {remark.message}"

    def _times(self, spent: Mapping[str, TimeRecord | None]) -> Iterator[str]:
        """Yield the times and counts of passes and analyses, but of no pipeline."""
        counts = self.statistics.by_name()
        for name, time_spent in spent.items():
            if time_spent is None or "'" in name:
                continue
            counted = counts.get(name, {}).items()
            shown = [f"{counter} {count}" for counter, count in counted if count]
            yield ", ".join((f"{name}: {time_spent.wall_s * 1e3:.3f} ms", *shown))


def _lines(count: int) -> str:
    return f"{count} line{'' if count == 1 else 's'}"


class _PassWatch(PassInstrumentation):
    """Measures the time of each pass, with the verifier after it."""

    def __init__(self) -> None:
        """Begin with no pass."""
        self.facts = PassFacts()
        self._begins_s: list[float] = []
        """The begins of the running passes, innermost last."""

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Note the begin of a pass."""
        del pass_, operation
        self._begins_s.append(time.perf_counter())

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Add the time since the begin of a pass."""
        del operation
        seconds = time.perf_counter() - self._begins_s.pop()
        self.facts.seconds[pass_] = self.facts.seconds.get(pass_, 0.0) + seconds

    def run_after_pass_failed(self, pass_: Pass, operation: Operation) -> None:
        """Add the time since the begin of a pass."""
        self.run_after_pass(pass_, operation)

    def run_on_skip(self, pass_: Pass, operation: Operation) -> None:
        """Note that a pass was skipped."""
        del operation
        self.facts.skipped.add(pass_)


def run(
    pipeline: Pipeline,
    ir: Any,  # noqa: ANN401 - of any library
    *,
    context: Context | None = None,
    registry: PassRegistry | None = None,
) -> RunResult:
    """Run `pipeline` on `ir`; if it is an operation, it changes in place.

    Args:
        pipeline: a text such as `builtin.module(cse)`, or `cse,canonicalize` for the
            anchor of the IR; or a pass, or passes, which are nested where their anchors
            need it.
        ir: a text, an operation of xDSL, or a module or an operation of MLIR's
            bindings.
        context: of the IR; needed for a text with dialects that are not installed.
        registry: of the names in a text; by default, it has the registered passes and
            those of the IR library.

    Raises:
        TypeError: an argument is of another type.
        IRError: the text is no valid IR.
        SchedulingError: another thread uses `context`.
        PipelineError: the pipeline is wrong; the error has the places.
        PassFailure: a pass failed.
    """
    given = _passes(pipeline)
    passes = () if isinstance(given, str) else given
    context = context or context_of(ir, "run()", passes)
    diagnostics: list[Diagnostic] = []
    with context.redirecting_diagnostics(diagnostics.append):
        if isinstance(ir, str):
            operation = context.parse(ir, _INPUT)
            context.verify(operation)
            original_text = partial(_parsed_text, context, ir)
            if "{-#" in ir:  # parsed again, its resources may have other names
                original_text = partial(str, context.print(operation))
        else:
            operation = getattr(ir, "operation", ir)
            original_text = partial(context.print, context.clone(operation))
        manager = _manager_of(given, context, context.name(operation), registry)
        manager.counts_optional = True
        watch = _PassWatch()
        with (
            observing(manager, watch),
            timing(manager) as times,
            collecting_remarks(manager) as remarks,
        ):
            manager.run(operation)
    messages = tuple(diagnostics), tuple(remarks)
    return RunResult(
        operation, context, times, *messages, manager, watch.facts, original_text
    )


def _parsed_text(context: Context, text: str) -> str:
    """Return the text of IR as the context prints it."""
    return context.print(context.parse(text, _INPUT))


def _passes(pipeline: Pipeline) -> str | list[Pass]:
    """Return a textual pipeline, or the passes of another one."""
    if isinstance(pipeline, str):
        return pipeline
    if isinstance(pipeline, Pass | DeclaredPass):
        return [to_pass(pipeline)]
    if not isinstance(pipeline, Iterable):
        raise wrong_argument("pipeline", pipeline, "a text, a pass or a list of passes")
    return list(map(to_pass, pipeline))


def _manager_of(
    pipeline: str | list[Pass],
    context: Context,
    anchor: str,
    registry: PassRegistry | None,
) -> PassManager:
    """Return a new manager for operations called `anchor`."""
    manager = PassManager(context, anchor, nesting="implicit")
    if not isinstance(pipeline, str):
        for pass_ in pipeline:
            manager_for(pass_, manager, context).add_pass(pass_)
        return manager
    registry = registry or registry_of(context)
    match parse_elements(pipeline).elements:
        case [only] if only.nested is not None and only.name in {anchor, ANY_ANCHOR}:
            return parse_pass_manager(pipeline, context, registry)
    add_elements(manager, pipeline, registry, context)
    return manager
