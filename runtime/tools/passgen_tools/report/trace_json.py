"""The JSON of traces: the events of Chrome's format as texts.

Events are put together from texts that are made once, because a trace may have millions
of slices. Times are whole numbers of tenths of a microsecond, so that slices do not
overlap.
"""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from passgen_tools.record import RecordedPass

_UNITS_PER_S: Final = 10**7
_UNITS_PER_US: Final = 10

_IDS_OF_RUN: Final = 100_000
"""How many numbers a run has: readers expect one for each thread of all processes."""

_FIRST_WORKER: Final = 50_000

_JSON_OF_CHANGED: Final = {None: "null", False: "false", True: "true"}


class TrackIds(NamedTuple):
    """The ids of a track: a run is a process, a thread or a worker is a thread."""

    thread: int
    text: str
    """The members of an event that name the process and the thread."""


def process_id(run: int) -> int:
    """Return the number of the process that stands for a run."""
    return run * _IDS_OF_RUN


def track_ids(run: int, thread: int) -> TrackIds:
    """Return the ids of a thread, or of a worker, whose number is negative.

    The first thread has the number of its process.
    """
    number = thread if thread >= 0 else _FIRST_WORKER - thread
    process = process_id(run)
    thread_id = process + number
    return TrackIds(thread_id, f'"pid":{process},"tid":{thread_id}')


def time_units(seconds: float) -> int:
    """Return a time as a whole number of tenths of a microsecond."""
    return round(seconds * _UNITS_PER_S)


def process_name(run: int, name: str) -> str:
    """Return the event that names the process of a run."""
    return _metadata("process_name", f'"pid":{process_id(run)}', {"name": name})


def thread_name(ids: TrackIds, name: str) -> str:
    """Return the event that names a track."""
    return _metadata("thread_name", ids.text, {"name": name})


def thread_sort_index(ids: TrackIds) -> str:
    """Return the event that sorts a track by its id."""
    return _metadata("thread_sort_index", ids.text, {"sort_index": ids.thread})


def slice_event(open_text: str, ids: TrackIds, begin: int, end: int) -> str:
    """Return a slice.

    Args:
        open_text: the begin of its text, which the brace that ends `args` follows.
        ids: its track.
        begin: its first time.
        end: its last time.
    """
    begin_us = begin / _UNITS_PER_US
    duration_us = (end - begin) / _UNITS_PER_US
    return f'{open_text}}},{ids.text},"ts":{begin_us},"dur":{duration_us}}}'


def pass_text(row: RecordedPass) -> str:
    """Return the begin of all slices of a pass; `execution_text` continues it."""
    args = {
        "argument": row.argument,
        "options": row.text.removeprefix(row.argument),
        "place": row.path,
    }
    return _open_text(row.argument or row.name, "pass", args)


def execution_text(
    pass_text: str, operation: str, *, changed: bool | None, status: str
) -> str:
    """Return the begin of the slice of an execution.

    Args:
        pass_text: the begin of all slices of the pass.
        operation: the path of the operation, in JSON.
        changed: whether the operation has changed, if that is known.
        status: the status in the record; slices do not show that a pass succeeded.
    """
    changed_text = _JSON_OF_CHANGED[changed]
    text = f'{pass_text},"operation":{operation},"changed":{changed_text}'
    if status in {"failed", "skipped"}:
        text = with_status(text, status)
    return text


def with_status(open_text: str, status: str) -> str:
    """Return the begin of a slice with a status at its end."""
    return f'{open_text},"status":"{status}"'


def pipeline_text(place: str, operation: str) -> str:
    """Return the begin of the slice of a pipeline.

    Args:
        place: the path of the pipeline.
        operation: the path of the operation that it runs on.
    """
    last_element = place.rpartition("/")[2]
    anchor, _, _ = last_element.partition("[")
    args = {"place": place, "operation": operation}
    return _open_text(f"'{anchor}' Pipeline", "pipeline", args)


def _open_text(name: str, category: str, args: dict[str, str]) -> str:
    """Return a slice without its end: further `args`, its track and its times."""
    text = _compact({"name": name, "cat": category, "ph": "X", "args": args})
    return text.removesuffix("}}")


def _metadata(kind: str, ids: str, args: dict[str, object]) -> str:
    """Return an event that says something about a process or a track."""
    return f'{{"name":"{kind}","ph":"M",{ids},"args":{_compact(args)}}}'


def _compact(value: object) -> str:
    """Return the JSON of `value` without blanks."""
    return json.dumps(value, separators=(",", ":"))
