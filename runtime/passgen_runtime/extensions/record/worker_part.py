"""The part of a recording in workers: it sends rows, which the run gives their places.

A worker has one operation, and knows neither those around it nor the passes that have
run before: numbers count from the begin of its pipeline, paths of passes begin with an
empty one instead of the pipeline's, and so do those of operations without a symbol.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from passgen_runtime.context import Context, Operation
from passgen_runtime.extensions.record.operation_paths import OperationPaths
from passgen_runtime.extensions.record.pass_listener import (
    OpenPipeline,
    PassListener,
    Thread,
)
from passgen_runtime.extensions.record.rows import (
    BeginExecution,
    EndExecution,
    IRRow,
    OperationRow,
    PassRow,
    Row,
)
from passgen_runtime.extensions.worker_parts import Send
from passgen_runtime.pass_instrumentation import PipelineParentInfo


class BeginPipeline(NamedTuple):
    """The begin of a pipeline on the operation of a worker."""

    anchor: str
    time_s: float
    """By the clock that machines share, more or less; rows have seconds after it."""


class EndPipeline(NamedTuple):
    """The end of a pipeline on the operation of a worker."""

    ir: bytes | None
    """What it has left; `None` if that is not known."""


WorkerRow = Row | BeginPipeline | EndPipeline

_ROWS: dict[str, Callable[..., WorkerRow]] = {
    row_class.__name__: row_class
    for row_class in (
        BeginPipeline,
        EndPipeline,
        IRRow,
        PassRow,
        OperationRow,
        BeginExecution,
        EndExecution,
    )
}


class WorkerListener(PassListener):
    """Listens to the passes of one pipeline after another, and sends their rows."""

    def __init__(self, context: Context, settings: None, send: Send) -> None:
        """Give each row to `send`."""
        del settings
        self._send = send
        super().__init__(context, self._send_row)

    def _send_row(self, row: WorkerRow) -> None:
        self._send([type(row).__name__, *map(_plain, row)])

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Begin anew with the pipeline of an operation, or note one inside of it."""
        is_inside = parent.collection is None or parent.collection in self._collections
        if is_inside:
            super().run_before_pipeline(anchor, parent)
            return
        self._begin()
        self._send_row(BeginPipeline(anchor, time.time()))
        self._thread.pipelines.append(OpenPipeline("", {}))

    def run_after_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Send the IR that the pipeline of the operation has left."""
        ir = self._thread.pipelines[-1].ir
        super().run_after_pipeline(anchor, parent)
        if not self._thread.pipelines:
            self._send_row(EndPipeline(ir))

    def _begin_root(self, operation: Operation, ir: bytes) -> None:
        super()._begin_root(operation, ir)
        self._paths = OperationPaths(self._context, operation)


def _plain(value: object) -> object:
    """Return a field of a row as JSON can hold it: digests as text."""
    if isinstance(value, bytes):
        return {"digest": value.hex()}
    return [*map(_plain, value)] if isinstance(value, tuple) else value


def _field(plain: Any) -> Any:  # noqa: ANN401 - of any row
    if isinstance(plain, list):
        return tuple(map(_field, plain))
    digest = plain.get("digest") if isinstance(plain, dict) else None
    # A statistic may have this name, but is a number.
    return bytes.fromhex(digest) if isinstance(digest, str) else plain


def row_of(data: list[Any]) -> WorkerRow:
    """Return a row that a worker has sent."""
    kind, *values = data
    return _ROWS[kind](*map(_field, values))


@dataclass(frozen=True, slots=True)
class Relocation:
    """The place in a run for the rows of a pipeline in a worker."""

    pipeline: str
    """Its path."""

    operation_path: Callable[[str], str]
    """Completes the path of an operation."""

    parent: int | None
    """The execution that runs the pipelines around it."""

    num_executions: int
    """How many the run has had before."""

    num_positions: int
    thread: Thread
    """Stands for the worker."""

    begin_s: float

    def move(self, row: WorkerRow) -> WorkerRow:
        """Return `row` with the numbers, paths and times of the run."""
        match row:
            case PassRow():
                return row._replace(path=f"{self.pipeline}{row.path}")
            case OperationRow():
                return row._replace(path=self.operation_path(row.path))
            case BeginExecution():
                parent = self.parent
                if row.parent is not None:
                    parent = self.num_executions + row.parent
                return row._replace(
                    number=self.num_executions + row.number,
                    pass_=f"{self.pipeline}{row.pass_}",
                    operation=self.operation_path(row.operation),
                    parent=parent,
                    thread=self.thread.number,
                    begin_s=self.begin_s + row.begin_s,
                )
            case EndExecution(end_s=end_s):
                return row._replace(
                    number=self.num_executions + row.number,
                    position=self.num_positions + row.position,
                    begin_s=self.begin_s + row.begin_s,
                    end_s=None if end_s is None else self.begin_s + end_s,
                )
            case _:
                return row
