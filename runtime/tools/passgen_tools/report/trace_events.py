"""The events of a trace: the slices of a run record, and the names of their tracks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, NamedTuple

from passgen_tools.record import RecordedExecution, RecordError, RunRecord
from passgen_tools.report.trace_json import (
    execution_text,
    pass_text,
    process_name,
    thread_name,
    thread_sort_index,
    time_units,
    track_ids,
)
from passgen_tools.report.trace_track import (
    Pipelines,
    PlacedPipeline,
    Surroundings,
    Track,
)

_MAX_DEPTH: Final = 100
"""The limit on pipelines inside one another; a record may be made to hold us up."""


class _Parent(NamedTuple):
    """An execution of a pass that runs pipelines itself."""

    path: str
    """The path of the pass."""

    thread: int
    pipelines: Pipelines
    """The pipelines around it."""


class TraceEvents:
    """Makes the events of a record."""

    def __init__(self, record: RunRecord) -> None:
        """Read all but the executions.

        Raises:
            RecordError: the record has no times.
        """
        self._record = record
        runs = record.runs
        if runs and not any(run.process_id for run in runs):
            message = f"'{record.path}' has no times: it is the record of a log"
            raise RecordError(message)
        self._run_pipelines = {run.id: run.pipeline for run in runs}
        """The textual pipeline of each run."""

        self._operation_paths = {
            id_: operation.path for id_, operation in record.operations.items()
        }
        self._operation_texts = {
            id_: json.dumps(path) for id_, path in self._operation_paths.items()
        }
        """The path of each operation, in JSON."""

        self._root_paths = {
            run.id: self._operation_paths.get(run.operation_id or 0, "") for run in runs
        }
        """The path of the outermost operation of each run."""

        passes = record.passes
        self._pass_paths = {id_: row.path for id_, row in passes.items()}
        self._pass_texts = {id_: pass_text(row) for id_, row in passes.items()}
        """The begin of the slices of each pass."""

        self._run_begins: dict[int, int] = {}
        """When each run begins: after the one before it."""

        self._run_ends: dict[int, int] = {}
        self._place_runs()
        self._parent_ids = set(record.parents.values())
        self._parents: dict[int, _Parent] = {}
        """The executions so far that run pipelines themselves, by id."""

        self._tracks: dict[tuple[int, int], Track] = {}
        """The tracks so far, by run and thread."""

    def events(self) -> Iterator[str]:
        """Yield all events, in JSON."""
        is_only_run = len(self._run_pipelines) == 1
        for run, pipeline in self._run_pipelines.items():
            yield process_name(
                run, pipeline if is_only_run else f"run {run}: {pipeline}"
            )
        for execution in self._record.begun_executions():
            yield from self._slices_of(execution)
        for (run, thread), track in self._tracks.items():
            name = f"thread {thread}" if thread >= 0 else f"worker {-thread}"
            yield thread_name(track.ids, name)
            yield thread_sort_index(track.ids)
            yield from track.end_all(self._run_ends[run])

    def _place_runs(self) -> None:
        """Let each run begin where the one before it ends."""
        last_times_s = self._record.last_times_s()
        end = 0
        for run in self._run_pipelines:
            self._run_begins[run] = end
            end += time_units(last_times_s[run])
            self._run_ends[run] = end

    def _slices_of(self, execution: RecordedExecution) -> Iterator[str]:
        """Yield the slices that end before an execution begins, and its own slice.

        The slice of a running execution comes later, with those that end.
        """
        track = self._track_of(execution)
        begin = self._run_begins[execution.run_id] + time_units(execution.begin_s)
        yield from track.end_running_but(execution.parent_id, end=begin)

        parent = self._parent_of(execution)
        pipeline_path, _, _ = self._pass_paths[execution.pass_id].rpartition("/")
        surroundings = Surroundings(
            pipeline_path, execution.operation_id, execution.parent_id
        )
        new_pipelines: Pipelines = ()
        if surroundings != track.surroundings:
            track.surroundings = surroundings
            pipelines = self._pipelines_around(execution, parent)
            yield from track.close_pipelines(kept=pipelines)
            new_pipelines = pipelines[len(track.pipelines) :]

        is_in_slice_of_parent = parent is not None and parent.thread == execution.thread
        if not is_in_slice_of_parent:
            begin = max(begin, track.end)  # clocks of workers are not exact
        track.open_pipelines(new_pipelines, begin)
        self._note_parent(execution, track)
        yield from self._own_slice(execution, track, begin)

    def _own_slice(
        self, execution: RecordedExecution, track: Track, begin: int
    ) -> Iterator[str]:
        """Yield the slice of an execution, unless it is running: then open it."""
        text = self._text_of(execution)
        if execution.end_s is None:
            track.add_running(execution.id, text, begin)
            return
        end = self._run_begins[execution.run_id] + time_units(execution.end_s)
        yield track.add_ended(text, begin, max(begin, end))

    def _note_parent(self, execution: RecordedExecution, track: Track) -> None:
        """Note where an execution is if it runs pipelines itself."""
        if execution.id in self._parent_ids:
            path = self._pass_paths[execution.pass_id]
            parent = _Parent(path, execution.thread, track.pipelines)
            self._parents[execution.id] = parent

    def _track_of(self, execution: RecordedExecution) -> Track:
        """Return the track of the thread that an execution is in."""
        key = execution.run_id, execution.thread
        track = self._tracks.get(key)
        if track is None:
            track = self._tracks[key] = Track(track_ids(*key))
        return track

    def _parent_of(self, execution: RecordedExecution) -> _Parent | None:
        """Return the execution that runs the pipeline around another one, if any."""
        if execution.parent_id is None:
            return None
        return self._parents.get(execution.parent_id)

    def _text_of(self, execution: RecordedExecution) -> str:
        """Return the begin of the slice of an execution."""
        before = execution.before_id
        after = execution.after_id
        is_known = before is not None and after is not None
        return execution_text(
            self._pass_texts[execution.pass_id],
            self._operation_texts[execution.operation_id],
            changed=before != after if is_known else None,
            status=execution.status,
        )

    def _pipelines_around(
        self, execution: RecordedExecution, parent: _Parent | None
    ) -> Pipelines:
        """Return the pipelines around an execution, as far as its thread runs them."""
        if parent is None:
            # The first thread runs the outermost pipeline.
            is_in_first_thread = execution.thread == 0
            return self._pipelines_in(
                execution, num_skipped=0 if is_in_first_thread else 1
            )
        inner = self._pipelines_in(execution, len(parent.path.split("/")))
        outer = parent.pipelines if parent.thread == execution.thread else ()
        return (outer + inner)[:_MAX_DEPTH]

    def _pipelines_in(
        self, execution: RecordedExecution, num_skipped: int
    ) -> Pipelines:
        """Return the pipelines that the path of a pass names, with their operations.

        The pass `builtin.module/func.func/cse` is in the pipelines `builtin.module` and
        `builtin.module/func.func`. The latter runs on the operation of the execution,
        the former on the operation around it.

        Args:
            execution: an execution of the pass.
            num_skipped: how many elements of the path, outermost first, are left out.
        """
        *elements, _ = self._pass_paths[execution.pass_id].split("/")
        operation_path = self._operation_paths[execution.operation_id]
        innermost_first: list[PlacedPipeline] = []
        last = min(len(elements), num_skipped + _MAX_DEPTH)
        for num_elements in range(last, num_skipped, -1):
            place = "/".join(elements[:num_elements])
            innermost_first.append(PlacedPipeline(place, operation_path))
            path_around, _, _ = operation_path.rpartition("/")
            operation_path = path_around or self._root_paths[execution.run_id]
        return tuple(reversed(innermost_first))
