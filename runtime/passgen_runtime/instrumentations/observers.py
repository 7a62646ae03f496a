"""Context managers that observe the runs in their block.

    with timing(manager) as times:
        manager.run(module)

    times.by_name()["CSE"].wall_s  # the result as data
    times.report()  # as text, in MLIR's format where MLIR has one

They observe the manager only during the block. `observing` does so with any
instrumentation; `passgen_tools.record.record` has the same form.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from passgen_runtime.context import Context, Operation
from passgen_runtime.instrumentations.ir_printing import (
    IRPrinting,
    IRPrintingConfig,
    check_threads,
    every_pass,
)
from passgen_runtime.instrumentations.pass_timing import PassTiming
from passgen_runtime.instrumentations.timing_manager import TimingManager
from passgen_runtime.pass_instrumentation import PassInstrumentation
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_statistics import (
    ReportNode,
    StatisticsDisplay,
    merge_nodes,
    report,
)

I = TypeVar("I", bound=PassInstrumentation)  # noqa: E741 - a type


@contextmanager
def observing(manager: PassManager, instrumentation: I) -> Iterator[I]:
    """Let `instrumentation` observe the runs in the block."""
    manager.add_instrumentation(instrumentation)
    try:
        yield instrumentation
    finally:
        manager.remove_instrumentation(instrumentation)


@contextmanager
def timing(manager: PassManager) -> Iterator[TimingManager]:
    """Measure the passes, pipelines and analyses of the runs in the block."""
    times = TimingManager()
    with observing(manager, PassTiming(times)):
        try:
            yield times
        finally:
            times.finish()


@dataclass(repr=False, eq=False)
class RunStatistics:
    """The statistics of the passes of a manager at the end of a block."""

    nodes: tuple[ReportNode, ...] = ()
    """The passes and pipelines, which mirror the nesting of the pipeline."""

    def __repr__(self) -> str:
        """Return the report: notebooks show it."""
        return self.report()

    def by_name(self) -> dict[str, dict[str, int]]:
        """Return the counts of each pass that has any, by name of the statistic.

        Several passes of one name are added up.
        """
        return {
            node.name: {
                counter.display_name: counter.value for counter in node.statistics
            }
            for node in merge_nodes(self.nodes)
        }

    def report(self, display: StatisticsDisplay = "pipeline") -> str:
        """Return MLIR's report."""
        return report(self.nodes, display)


@contextmanager
def statistics(manager: PassManager) -> Iterator[RunStatistics]:
    """Collect the statistics of `manager` at the end of the block.

    Passes count from run to run: the runs before the block are included.
    """
    counts = RunStatistics()
    try:
        yield counts
    finally:
        counts.nodes = manager.statistics_nodes()


@dataclass(frozen=True, slots=True)
class IRDump:
    """The IR at one place of a run."""

    label: str
    """The argument of the pass; `initial` before the first one."""

    text: str
    """MLIR's header, and the IR below it."""

    @property
    def ir(self) -> str:
        """The IR without the header."""
        return self.text.partition("\n")[2].strip()


@dataclass(repr=False)
class IRDumps:
    """The dumps of the runs in a block, in the order of the IR."""

    context: Context
    dumps: list[IRDump] = field(default_factory=list)

    def __repr__(self) -> str:
        """Return the report: notebooks show it."""
        return self.report()

    def write(self, text: str, label: str, _operation: Operation) -> None:
        """Store a dump."""
        self.context.in_order(lambda: self.dumps.append(IRDump(label, text)))

    def report(self) -> str:
        """Return the text that MLIR's tools print."""
        return "".join(dump.text for dump in self.dumps)


@contextmanager
def ir_printing(
    manager: PassManager, config: IRPrintingConfig | None = None
) -> Iterator[IRDumps]:
    """Collect the IR before and after passes of the runs in the block.

    Args:
        manager: the pass manager.
        config: which dumps to collect; by default, those after every pass.

    Raises:
        SchedulingError: at module scope the whole module would be printed while other
            threads change it.
    """
    config = config or IRPrintingConfig(after=every_pass)
    check_threads(manager, config)
    dumps = IRDumps(manager.context)
    with observing(manager, IRPrinting(manager.context, config, dumps)):
        yield dumps
