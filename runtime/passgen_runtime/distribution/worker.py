"""The program of a worker: runs nested pipelines on operations that are sent to it.

Executors call `run_items` by its name. Nothing that they send is code: passes, contexts
and parts of instrumentations are imported by name.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from passgen_runtime.context import Context, PrintingFlags
from passgen_runtime.distribution.detached import DetachedPipelines
from passgen_runtime.distribution.header import (
    WorkerHeader,
    WorkerRefusalError,
    class_at,
)
from passgen_runtime.distribution.results import WorkerResult
from passgen_runtime.encoded_ir import unpacked
from passgen_runtime.errors import IRError, PassError, RegistrationError
from passgen_runtime.pass_registry import PassRegistry, parse_pass_pipeline

_NUM_PREPARED = 4
"""How many headers are kept ready: those of the threads of a worker, at most."""

_INDEX = struct.Struct("<I")


def run_items(header: bytes, items: Sequence[bytes]) -> list[bytes]:
    """Run the pipelines of `header` on the operations in `items`; return the results.

    A worker that is not like the process that sends them refuses all of them.
    """
    worker = f"{socket.gethostname()}:{os.getpid()}"
    try:
        task = _prepared(header, threading.get_ident())
    except PassError as error:
        refused = WorkerResult(refusal=str(error), worker=worker).encode()
        return [refused] * len(items)
    return [task.run(item, worker) for item in items]


@lru_cache(_NUM_PREPARED)
def _prepared(header: bytes, _thread_id: int) -> _Task:
    """Return the task of a header; of its own for each thread: passes hold state."""
    return _Task(WorkerHeader.decode(header))


class _Task:
    """The pipelines of a header, ready to run."""

    def __init__(self, header: WorkerHeader) -> None:
        """Import what `header` names.

        Raises:
            PassError: this process is not like the one that sends it.
        """
        header.check()
        try:
            self._context: Context = class_at(header.context).of_recipe(header.recipe)
        except (ImportError, AttributeError) as error:
            message = f"the worker has no context '{header.context}': {error}"
            raise WorkerRefusalError(message) from error
        context = self._context
        context.printing_flags = PrintingFlags(**header.printing)
        context.prints_operation_on_diagnostic = header.shows_operation
        context.prints_stacktrace_on_diagnostic = header.shows_stacktrace
        registry = PassRegistry()
        for place in header.passes:
            try:
                registry.register_pass(class_at(place))
            except RegistrationError as error:
                message = f"{error}\nnote: workers know passes by their arguments"
                raise WorkerRefusalError(message) from error
        managers = [parse_pass_pipeline(text, registry) for text in header.pipelines]
        self._pipelines = DetachedPipelines(
            context,
            managers,
            [_maker(context, part) for part in header.parts],
            verify_each=header.verify_each,
            merges=header.merges,
        )

    def run(self, item: bytes, worker: str) -> bytes:
        """Return the result of one operation; nothing if it cannot be read here."""
        begin = time.perf_counter()
        (number,) = _INDEX.unpack_from(item)
        encoded = item[_INDEX.size :]
        context = self._context
        try:
            operation = context.decode_alone(encoded)
        except IRError:
            return b""  # it is run where it comes from
        decoded = time.perf_counter()
        result = self._pipelines.run(number, operation)
        ran = time.perf_counter()
        try:
            ir = context.encode_alone(operation)
        except Exception as error:
            # Such as IR that a failed pass has left, or that was not verified.
            if result.failure is None:
                raise
            del error
            ir = encoded
        is_same = unpacked(ir)[0] == unpacked(encoded)[0]
        result.ir = b"" if is_same else ir
        result.worker = worker
        result.work_s = ran - decoded
        result.codec_s = decoded - begin + time.perf_counter() - ran
        return result.encode()


def _maker(context: Context, part: list[Any] | None) -> Any:  # noqa: ANN401 - a factory
    if part is None:
        return None
    factory, settings = part
    return lambda send: class_at(factory)(context, settings, send)
