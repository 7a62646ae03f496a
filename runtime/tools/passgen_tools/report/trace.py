"""Traces: the passes of a run record as slices in Chrome's JSON format.

Perfetto and `chrome://tracing` read it. A process stands for a run, a track for a
thread or a worker. Each pass is a slice in that of its pipeline.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from passgen_runtime.output_files import replace_file
from passgen_tools.record import (
    RecordedExecution,
    RecordedPass,
    RecordError,
    RunRecord,
    report_damage,
)

_SUFFIXES: Final = (".json", ".json.gz")
_ROWS_AT_ONCE: Final = 20_000
_UNITS_PER_S: Final = 10**7
"""Times are whole numbers of tenths of a microsecond, so that slices do not overlap."""

_IDS_OF_RUN: Final = 100_000
"""How many numbers a run has: readers expect one for each thread of all processes."""

_FIRST_WORKER: Final = 50_000

_MAX_DEPTH: Final = 100
"""The limit on pipelines inside one another; a record may be made to hold us up."""

_GZIP: Final = 16 + zlib.MAX_WBITS


class _PlacedPipeline(NamedTuple):
    """A pipeline on an operation."""

    place: str
    operation: str


_Pipelines: TypeAlias = tuple[_PlacedPipeline, ...]
"""Pipelines inside one another, outermost first."""


class _Parent(NamedTuple):
    """A pass that runs pipelines itself."""

    path: str
    thread: int
    pipelines: _Pipelines


@dataclass(slots=True)
class _OpenSlice:
    pipeline: _PlacedPipeline
    begin: int
    end: int


@dataclass(slots=True)
class _Track:
    """A thread or worker of a run."""

    ids: str
    """The ids of the process and the thread, in JSON."""

    pipelines: list[_OpenSlice] = field(default_factory=list)
    """The pipelines that are open, outermost first."""

    endless: list[tuple[int, str, int]] = field(default_factory=list)
    """Executions without a known end: the id, the head of the event, and the begin."""

    current: object = None
    """What the pipelines of the last execution depend on."""

    end: int = 0
    """The last end of an execution."""

    def event(self, head: str, begin: int, end: int) -> str:
        """Return a slice, in JSON."""
        return f'{head}}},{self.ids},"ts":{begin / 10},"dur":{(end - begin) / 10}}}'

    def prolong(self, end: int) -> None:
        """Note that an execution, and what is around it, goes on until `end`."""
        self.end = max(self.end, end)
        for pipeline in self.pipelines:
            pipeline.end = max(pipeline.end, end)

    def end_last(self, end: int, more: str = "") -> str:
        """Return the slice of the last execution without an end."""
        _, head, begin = self.endless.pop()
        self.prolong(max(begin, end))
        return self.event(head + more, begin, max(begin, end))

    def close(self, pipelines: _Pipelines) -> Iterator[str]:
        """Yield the slices of open pipelines that are not among `pipelines`."""
        num_left = 0
        for known, wanted in zip(self.pipelines, pipelines, strict=False):
            if known.pipeline != wanted:
                break
            num_left += 1
        while len(self.pipelines) > num_left:
            closed = self.pipelines.pop()
            anchor = closed.pipeline.place.rpartition("/")[2].partition("[")[0]
            start = {"name": f"'{anchor}' Pipeline", "cat": "pipeline", "ph": "X"}
            text = _compact({**start, "args": closed.pipeline._asdict()})
            # Longer than a pass in it: readers may take any of two equal slices for
            # the inner one.
            end = closed.end + 1
            self.prolong(end)
            yield self.event(text[:-2], closed.begin, end)


def trace_name_error(path: Path) -> str | None:
    """Return why no trace is written to `path`; `None` if its name is that of one."""
    if path.name.endswith(_SUFFIXES):
        return None
    return f"expected a name that ends in {' or '.join(_SUFFIXES)}, found '{path}'"


def write_trace(record: str | Path, trace: Path) -> None:
    """Write the trace of the record at `record`, compressed if `trace` ends in `.gz`.

    Raises:
        RecordError: the file is no record, or one without times, or the trace cannot
            be written.
    """
    with report_damage(record):
        chunks = _chunks(_Trace(RunRecord(record)).events())
        try:
            replace_file(trace, _compress(chunks) if trace.suffix == ".gz" else chunks)
        except OSError as error:
            message = f"cannot write the trace '{trace}': {error.strerror}"
            raise RecordError(message) from error


def _chunks(events: Iterable[str]) -> Iterator[bytes]:
    """Yield the document with the events, in parts."""
    lines = ['{"displayTimeUnit":"ms","traceEvents":[']
    separator = ""
    for event in events:
        lines.append(separator + event)
        separator = ","
        if len(lines) == _ROWS_AT_ONCE:
            yield "\n".join([*lines, ""]).encode()
            lines.clear()
    yield "\n".join([*lines, "]}", ""]).encode()


def _compress(chunks: Iterable[bytes]) -> Iterator[bytes]:
    compressor = zlib.compressobj(wbits=_GZIP)
    for chunk in chunks:
        yield compressor.compress(chunk)
    yield compressor.flush()


class _Trace:
    """Makes the events of a record."""

    def __init__(self, record: RunRecord) -> None:
        """Read all but the executions.

        Raises:
            RecordError: the record has no times.
        """
        self._record = record
        runs, operations = record.runs, record.operations
        if runs and not any(run.process_id for run in runs):
            message = f"'{record.path}' has no times: it is the record of a log"
            raise RecordError(message)
        self._pipelines = {run.id: run.pipeline for run in runs}
        self._operations = paths = {id_: row.path for id_, row in operations.items()}
        self._roots = {run.id: paths.get(run.operation_id or 0, "") for run in runs}
        """The path of the outermost operation of each run."""

        lengths = {run: _units(end) for run, end in record.last_times_s().items()}
        self._begins: dict[int, int] = {}
        """When each run begins: after the one before it."""

        self._ends: dict[int, int] = {}
        end = 0
        for run in self._pipelines:
            self._begins[run], end = end, end + lengths[run]
            self._ends[run] = end
        self._heads = {id_: _head(row) for id_, row in record.passes.items()}
        self._paths = {id_: row.path for id_, row in record.passes.items()}
        self._texts = {id_: json.dumps(path) for id_, path in self._operations.items()}
        self._parent_ids = set(record.parents.values())
        self._parents: dict[int, _Parent] = {}
        self._tracks: dict[tuple[int, int], _Track] = {}

    def events(self) -> Iterator[str]:
        """Yield all events, in JSON."""
        for run, pipeline in self._pipelines.items():
            name = f"run {run}: {pipeline}" if len(self._pipelines) > 1 else pipeline
            yield _metadata("process_name", f'"pid":{_pid(run)}', {"name": name})
        for row in self._record.begun_executions():
            yield from self._execution(row)
        for (run, thread), track in self._tracks.items():
            name = f"thread {thread}" if thread >= 0 else f"worker {-thread}"
            yield _metadata("thread_name", track.ids, {"name": name})
            order = {"sort_index": _tid(run, thread)}
            yield _metadata("thread_sort_index", track.ids, order)
            while track.endless:
                yield track.end_last(self._ends[run], ',"status":"running"')
            yield from track.close(())

    def _execution(self, row: RecordedExecution) -> Iterator[str]:
        """Yield the events of an execution, and of pipelines that begin or end."""
        id_, run, pass_, operation, parent = row[:5]
        thread, before, after = row.thread, row.before_id, row.after_id
        track = self._tracks.get((run, thread))
        if track is None:
            ids = f'"pid":{_pid(run)},"tid":{_tid(run, thread)}'
            track = self._tracks[run, thread] = _Track(ids)
        begin = self._begins[run] + _units(row.begin_s)
        while track.endless and track.endless[-1][0] != parent:
            yield track.end_last(begin)
        path = self._paths[pass_]
        around = self._parents.get(parent or 0)
        current = path.rpartition("/")[0], operation, parent
        pipelines: _Pipelines = ()
        if current != track.current:
            track.current = current
            pipelines = self._pipelines_of(path, operation, around, (run, thread))
            yield from track.close(pipelines)
        if around is None or around.thread != thread:
            begin = max(begin, track.end)  # clocks of workers are not exact
        for pipeline in pipelines[len(track.pipelines) :]:
            track.pipelines.append(_OpenSlice(pipeline, begin, begin))
        if id_ in self._parent_ids:
            known_pipelines = tuple(known.pipeline for known in track.pipelines)
            self._parents[id_] = _Parent(path, thread, known_pipelines)
        changed = json.dumps(None if None in {before, after} else before != after)
        head = f'{self._heads[pass_]}{self._texts[operation]},"changed":{changed}'
        if row.status in {"failed", "skipped"}:
            head += f',"status":"{row.status}"'
        if row.end_s is None:
            track.endless.append((id_, head, begin))
            return
        end = max(self._begins[run] + _units(row.end_s), begin)
        track.prolong(end)
        yield track.event(head, begin, end)

    def _pipelines_of(
        self, path: str, operation: int, parent: _Parent | None, track: tuple[int, int]
    ) -> _Pipelines:
        """Return the pipelines around a pass, as far as its thread runs them."""
        run, thread = track
        outer: _Pipelines = ()
        begin = 0
        if parent is not None:
            begin = len(parent.path) + 1
            outer = parent.pipelines if parent.thread == thread else ()
        elif thread != 0:
            begin = path.find("/") + 1  # the first thread runs the outermost pipeline
        parts = path[begin:].split("/")[:-1][:_MAX_DEPTH]
        found: list[_PlacedPipeline] = []
        operation_path = self._operations[operation]
        for number in range(len(parts), 0, -1):
            around = path[:begin] + "/".join(parts[:number])
            found.append(_PlacedPipeline(around, operation_path))
            operation_path = operation_path.rpartition("/")[0] or self._roots[run]
        return (outer + tuple(reversed(found)))[:_MAX_DEPTH]


def _pid(run: int) -> int:
    return run * _IDS_OF_RUN


def _tid(run: int, thread: int) -> int:
    """Return the number of a thread, which for the first one is that of its process."""
    return _pid(run) + (thread if thread >= 0 else _FIRST_WORKER - thread)


def _units(seconds: float) -> int:
    return round(seconds * _UNITS_PER_S)


def _head(row: RecordedPass) -> str:
    """Return the begin of the events of a pass, which the operation follows."""
    name = row.argument or row.name
    args = {
        "argument": row.argument,
        "options": row.text.removeprefix(row.argument),
        "place": row.path,
    }
    start = _compact({"name": name, "cat": "pass", "ph": "X", "args": args})
    return f'{start[:-2]},"operation":'


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _metadata(kind: str, ids: str, args: dict[str, Any]) -> str:
    return f'{{"name":"{kind}","ph":"M",{ids},"args":{_compact(args)}}}'
