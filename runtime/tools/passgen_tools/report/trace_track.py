"""A track of a trace: the slices of one thread or worker, inside one another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from passgen_tools.report.trace_json import (
    TrackIds,
    pipeline_text,
    slice_event,
    with_status,
)


class PlacedPipeline(NamedTuple):
    """A pipeline on an operation."""

    place: str
    """The path of the pipeline."""

    operation: str
    """The path of the operation."""


Pipelines: TypeAlias = tuple[PlacedPipeline, ...]
"""Pipelines inside one another, outermost first."""


class Surroundings(NamedTuple):
    """What decides which pipelines are around an execution."""

    pipeline_path: str
    operation_id: int
    parent_id: int | None


@dataclass(slots=True)
class _OpenPipeline:
    """A slice of a pipeline that ends after all passes in it."""

    pipeline: PlacedPipeline
    begin: int
    end: int
    """The last time that is known to be in it."""


class _RunningExecution(NamedTuple):
    """A slice of an execution without an end in the record."""

    id: int
    text: str
    """The begin of the slice, in JSON."""

    begin: int


@dataclass(slots=True)
class Track:
    """The open slices of a thread or worker of a run."""

    ids: TrackIds
    surroundings: Surroundings | None = None
    """Those of the last execution."""

    end: int = 0
    """The last end of a slice."""

    _open: list[_OpenPipeline] = field(default_factory=list)
    """The open pipelines, outermost first."""

    _running: list[_RunningExecution] = field(default_factory=list)
    """The running executions, outermost first."""

    @property
    def pipelines(self) -> Pipelines:
        """The open pipelines."""
        return tuple(opened.pipeline for opened in self._open)

    def open_pipelines(self, pipelines: Pipelines, begin: int) -> None:
        """Open `pipelines` inside the ones that are open already."""
        for pipeline in pipelines:
            self._open.append(_OpenPipeline(pipeline, begin, begin))

    def close_pipelines(self, kept: Pipelines) -> list[str]:
        """Close the open pipelines that are not among `kept`; return their slices."""
        slices: list[str] = []
        num_kept = 0
        for opened, pipeline in zip(self._open, kept, strict=False):
            if opened.pipeline != pipeline:
                break
            num_kept += 1
        while len(self._open) > num_kept:
            closed = self._open.pop()
            # Longer than a pass in it: readers may take any of two equal slices for
            # the inner one.
            end = closed.end + 1
            self._prolong(end)
            text = pipeline_text(*closed.pipeline)
            slices.append(slice_event(text, self.ids, closed.begin, end))
        return slices

    def add_ended(self, text: str, begin: int, end: int) -> str:
        """Return the slice of an execution that has ended."""
        self._prolong(end)
        return slice_event(text, self.ids, begin, end)

    def add_running(self, execution: int, text: str, begin: int) -> None:
        """Open the slice of an execution whose end is not known."""
        self._running.append(_RunningExecution(execution, text, begin))

    def end_running_but(self, parent: int | None, end: int) -> list[str]:
        """End the running executions that are over when another one begins.

        All are over but `parent`, which runs the other one, and those around it.
        Their slices are returned.

        Args:
            parent: the id of the execution around the other one, if there is one.
            end: when the other one begins.
        """
        slices: list[str] = []
        while self._running and self._running[-1].id != parent:
            running = self._running.pop()
            slices.append(self._end(running.text, running.begin, end))
        return slices

    def end_all(self, end: int) -> list[str]:
        """End all that is open at the end of the run; return the slices."""
        slices: list[str] = []
        while self._running:
            running = self._running.pop()
            text = with_status(running.text, "running")
            slices.append(self._end(text, running.begin, end))
        return slices + self.close_pipelines(kept=())

    def _end(self, text: str, begin: int, end: int) -> str:
        """Return the slice of an execution, which does not end before it begins."""
        return self.add_ended(text, begin, max(begin, end))

    def _prolong(self, end: int) -> None:
        """Let the open pipelines, and the track, last until `end` at least."""
        self.end = max(self.end, end)
        for opened in self._open:
            opened.end = max(opened.end, end)
