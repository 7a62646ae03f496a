"""The part of a recording in workers: it sends rows, which the run completes.

A worker has one operation, and knows neither its parents nor earlier passes. So its
numbers count from the begin of its pipeline, the path of its pipeline is empty, and so
is the path of its operation if that has no symbol.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.pass_instrumentation import PipelineParentInfo
from passgen_tools.record.operation_paths import OperationPaths
from passgen_tools.record.pass_listener import OpenPipeline, PassListener
from passgen_tools.record.rows import (
    BeginExecution,
    EndExecution,
    IRRow,
    RemarkRow,
    ResourceRow,
)
from passgen_tools.worker_parts import PlainData, Send


class BeginPipeline(NamedTuple):
    """The begin of a pipeline on the operation of a worker."""

    anchor: str
    time_s: float
    """The time of day; times in rows are seconds after it."""


class EndPipeline(NamedTuple):
    """The end of a pipeline on the operation of a worker."""

    ir: str | None
    """The IR after the pipeline; `None` if it is not known."""


WorkerRow: TypeAlias = (
    BeginPipeline
    | ResourceRow
    | IRRow
    | BeginExecution
    | RemarkRow
    | EndExecution
    | EndPipeline
)

_ROWS = (
    BeginPipeline,
    ResourceRow,
    IRRow,
    BeginExecution,
    RemarkRow,
    EndExecution,
    EndPipeline,
)
_ROW_CLASSES: Final[Mapping[str, type[Any]]] = {cls.__name__: cls for cls in _ROWS}

Conversions: TypeAlias = Mapping[str, Callable[[Any], object]]
"""Functions that convert the fields of a worker's rows to those of the run."""


def row_of(data: PlainData, conversions: Conversions) -> WorkerRow:
    """Return a row that a worker has sent, with its fields converted."""
    kind, *values = data
    row_class = _ROW_CLASSES[kind]
    row: WorkerRow = row_class(
        *(
            conversions[name](value) if name in conversions else value
            for name, value in zip(row_class._fields, values, strict=True)
        )
    )
    return row


class WorkerListener(PassListener):
    """Listens to passes in a worker, and sends the rows of each pipeline on its own."""

    def __init__(self, context: Context, _settings: None, send: Send) -> None:
        """Send each row by `send`."""
        self._send = send
        super().__init__(context, self._send_row)

    def _send_row(self, row: tuple[object, ...]) -> None:
        self._send([type(row).__name__, *row])

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Note a pipeline; the outermost one resets the listener."""
        if parent.collection is None or parent.collection in self._collections:
            super().run_before_pipeline(anchor, parent)
            return
        self._begin()
        self._send_row(BeginPipeline(anchor, time.time()))
        self._thread.pipelines.append(OpenPipeline(""))

    def run_after_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Send the IR after the outermost pipeline."""
        ir = self._thread.pipelines[-1].ir
        super().run_after_pipeline(anchor, parent)
        if not self._thread.pipelines:
            self._send_row(EndPipeline(ir))

    def _begin_root(self, operation: Operation, _ir: str) -> None:
        """Let paths begin with the worker's operation; the run has written it."""
        self._root = operation
        self._paths = OperationPaths(self._context, operation)
