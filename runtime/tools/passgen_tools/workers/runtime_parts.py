"""The parts of the runtime's instrumentations while workers run passes.

A worker makes the objects of classes that end with `InWorker`; they send data to the
part of the same instrumentation in the parent process.
"""

from __future__ import annotations

from dataclasses import asdict, astuple, fields, replace
from functools import partial
from typing import Any, Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.instrumentations.crash_reproducer import (
    CrashReproducer,
    FailurePlace,
)
from passgen_runtime.instrumentations.file_metadata import (
    DIALECT_RESOURCES,
    metadata_text,
)
from passgen_runtime.instrumentations.ir_printing import (
    IRPrinting,
    IRPrintingConfig,
    PassesCalled,
    PassFilter,
    StreamDestination,
    TextDiff,
    every_pass,
    operation_name,
    passes_called,
    subject,
)
from passgen_runtime.instrumentations.pass_timing import PassTiming
from passgen_runtime.instrumentations.timing_manager import TimingManager
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PipelineParentInfo,
)
from passgen_runtime.remarks import Remark, RemarkFilter, RemarkReceiver
from passgen_tools.ir_diff import colored_ir_diff, ir_diff, resources_not_shown
from passgen_tools.ir_libraries import inspector_of, transport_of
from passgen_tools.worker_parts import PlainData, Send, WorkerPart, register_part

_MODULE: Final = "builtin.module"

_DIFFS: Final[dict[TextDiff | None, str | None]] = {
    None: None,
    ir_diff: "plain",
    colored_ir_diff: "colored",
}
"""The diffs of IR printing that a worker can make, by name."""


class TimingInWorkers(WorkerPart):
    """The part of timing: adds the timers of a worker below the running collection."""

    factory = f"{__name__}:TimingInWorker"

    def __init__(self, timing: PassTiming) -> None:
        """Add times to those of `timing`."""
        self._timing = timing

    def take(self, data: PlainData, worker: str, _operation: Operation) -> None:
        """Add the times of a pipeline."""
        self._timing.innermost().timer.take(data, worker)


class TimingInWorker(PassTiming):
    """The timing in a worker: sends the times of each pipeline on its own."""

    def __init__(self, _context: Context, _settings: None, send: Send) -> None:
        """Send the timers of each pipeline by `send`."""
        super().__init__(TimingManager())
        self._send = send
        self._depth = 0

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Start the timer of a pipeline; the outermost one removes earlier timers."""
        self._depth += 1
        if self._depth == 1 and parent.collection is not None:
            self._timing.root.children.clear()
            self._active.clear()
            self._collections[parent.collection] = self._timing.root_scope
        super().run_before_pipeline(anchor, parent)

    def run_after_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Stop the timer of a pipeline; the outermost one sends all timers."""
        super().run_after_pipeline(anchor, parent)
        self._depth -= 1
        if self._depth == 0:
            self._send(self._timing.root.plain())


class PrintingPart(WorkerPart):
    """The part of IR printing: a worker prints only operations that it was sent."""

    factory = f"{__name__}:printing_in_worker"

    def __init__(self, printing: IRPrinting, filters: list[PlainData]) -> None:
        """Write dumps to the destination of `printing`.

        Args:
            printing: the printing of the run.
            filters: which passes to print before and after, as plain data.
        """
        self._destination = printing.destination
        config = printing.config
        names = {field.name for field in fields(config)}
        names.remove("resources_text")  # the worker makes it again
        self.settings = {name: getattr(config, name) for name in names}
        self.settings["before"], self.settings["after"] = filters
        self.settings["first_state"] = False
        self.settings["diff"] = _DIFFS.get(config.diff)

    def take(self, data: PlainData, _worker: str, _operation: Operation) -> None:
        """Write a dump of a worker."""
        self._destination.write(data, "", None)


def _printing_part(printing: IRPrinting) -> PrintingPart | None:
    config = printing.config
    filters = [_plain_filter(config.before), _plain_filter(config.after)]
    prints_elsewhere = not isinstance(printing.destination, StreamDestination)
    if prints_elsewhere or config.module_scope or "other" in filters:
        return None
    return PrintingPart(printing, filters) if config.diff in _DIFFS else None


def _plain_filter(given: PassFilter | None) -> str | list[str] | None:
    """Return a filter as plain data; `other` if it is any other function."""
    if given is every_pass:
        return "every"
    if isinstance(given, PassesCalled):
        return list(given.arguments)
    return None if given is None else "other"


def _filter_of(plain: str | list[str] | None) -> PassFilter | None:
    if plain is None:
        return None
    return every_pass if plain == "every" else passes_called(*plain)


def printing_in_worker(
    context: Context, settings: dict[str, Any], send: Send
) -> IRPrinting:
    """Return the printing in a worker, which sends each dump."""
    filters = {name: _filter_of(settings[name]) for name in ("before", "after")}
    diff = next(diff for diff, name in _DIFFS.items() if name == settings["diff"])
    resources_text = partial(resources_not_shown, context)
    made = {"diff": diff, "resources_text": resources_text}
    config = IRPrintingConfig(**{**settings, **filters, **made})
    return IRPrinting(context, config, StreamDestination(context, send))


class CrashReproducerPart(WorkerPart):
    """The part of a crash reproducer: a worker sends which passes ran on a failure."""

    factory = f"{__name__}:CrashReproducerInWorker"

    def __init__(self, reproducer: CrashReproducer) -> None:
        """Finish `reproducer` when a pass fails in a worker."""
        self._reproducer = reproducer

    def take(self, data: PlainData, _worker: str, _operation: Operation) -> None:
        """Write the reproducer of a run in which a pass has failed."""
        if not self._reproducer.has_failed:
            subjects, *place = data
            self._reproducer.finish(subjects, FailurePlace(*place))

    def run_after_loss(
        self, pipeline: str, pass_name: str, operation: Operation
    ) -> None:
        """Write the reproducer of a pipeline that has ended its worker.

        Its IR is a module with the operation alone if that is possible, else the IR of
        the run.
        """
        reproducer = self._reproducer
        if reproducer.has_failed:
            return
        context = reproducer.context
        alone = _module_of(context, operation)
        if alone is not None:
            anchor = context.name(context.parent(operation))
            reproducer.use(f"{anchor}({pipeline})", alone)
        text = operation_name(context, operation)
        subjects = f"[`{pass_name}` on {text}]" if pass_name else f"[`{pipeline}`]"
        reproducer.finish(subjects, FailurePlace.of(context, operation))


def _module_of(context: Context, operation: Operation) -> str | None:
    """Return the text of a module with `operation` and declarations of its symbols.

    Return `None` if its parent is not a module, or if it refers to nested symbols.
    """
    around = context.parent(operation)
    if context.name(around) != _MODULE:
        return None
    declarations = transport_of(context).declarations_in(around)(operation)
    if declarations is None:
        return None
    symbol = context.symbol_name(operation)
    others = [other for other in declarations if context.symbol_name(other) != symbol]
    flags = replace(context.printing_flags.lossless(), local_scope=True)
    shown = (operation, *others)
    inside = "\n".join(context.print_in_any_state(ir, flags=flags) for ir in shown)
    inspector = inspector_of(context)
    resources: dict[tuple[str, str], str] = {}
    for ir in shown:
        resources |= inspector.resources(ir)
    metadata = metadata_text({DIALECT_RESOURCES: resources})
    module = f"{_MODULE} {{\n{inside}\n}}"
    return f"{module}\n\n{metadata}" if metadata else module


class CrashReproducerInWorker(PassInstrumentation):
    """Sends the running passes and their operations when a pass fails."""

    detail = Detail.RUNS

    def __init__(self, context: Context, _settings: None, send: Send) -> None:
        """Send the passes and the place of a failure by `send`."""
        self._context = context
        self._send = send
        self._running: list[tuple[Pass, Operation]] = []

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Note the pass."""
        self._running.append((pass_, operation))

    def run_after_pass(self, _pass: Pass, _operation: Operation) -> None:
        """Forget a pass that has succeeded."""
        self._running.pop()

    def run_after_pass_failed(self, _pass: Pass, operation: Operation) -> None:
        """Send the running passes; the last one has failed and is forgotten."""
        context = self._context
        subjects = ", ".join(subject(context, *running) for running in self._running)
        self._send([f"[{subjects}]", *FailurePlace.of(context, operation)])
        self._running.pop()


class RemarkReceiverPart(WorkerPart):
    """The part of a receiver of remarks: it receives the remarks of workers."""

    factory = f"{__name__}:remark_receiver_in_worker"

    def __init__(self, receiver: RemarkReceiver) -> None:
        """Pass the remarks of workers to `receiver`."""
        self._receiver = receiver
        self.settings = asdict(receiver.wanted)

    def take(self, data: PlainData, _worker: str, _operation: Operation) -> None:
        """Pass on the remark of a worker."""
        self._receiver.receive(replace(Remark(*data), callers=tuple(data[-1])))


def remark_receiver_in_worker(
    context: Context, settings: dict[str, Any], send: Send
) -> RemarkReceiver:
    """Return the listener that sends each remark."""
    wanted = RemarkFilter(**settings)
    return RemarkReceiver(context, lambda remark: send(list(astuple(remark))), wanted)


def register_runtime_parts() -> None:
    """Register the parts of the runtime's instrumentations."""
    register_part(PassTiming, TimingInWorkers)
    register_part(IRPrinting, _printing_part)
    register_part(CrashReproducer, CrashReproducerPart)
    register_part(RemarkReceiver, RemarkReceiverPart)
