"""Traces: the passes of a run record as slices in Chrome's JSON format.

Perfetto and `chrome://tracing` read it. A process stands for a run, a track for a
thread or a worker. Each pass is a slice in that of its pipeline.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from passgen_runtime.output_files import replace_file
from passgen_tools.record import RecordError, RunRecord, report_damage
from passgen_tools.report.trace_events import TraceEvents

_SUFFIXES: Final = (".json", ".json.gz")
_EVENTS_AT_ONCE: Final = 20_000
_GZIP: Final = 16 + zlib.MAX_WBITS


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
        chunks = _chunks(TraceEvents(RunRecord(record)).events())
        if trace.suffix == ".gz":
            chunks = _compress(chunks)
        try:
            replace_file(trace, chunks)
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
        if len(lines) == _EVENTS_AT_ONCE:
            yield _encode(lines)
            lines.clear()
    yield _encode([*lines, "]}"])


def _encode(lines: Iterable[str]) -> bytes:
    """Return the bytes of whole lines."""
    return "".join(f"{line}\n" for line in lines).encode()


def _compress(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the chunks in the format of gzip."""
    compressor = zlib.compressobj(wbits=_GZIP)
    for chunk in chunks:
        yield compressor.compress(chunk)
    yield compressor.flush()
