"""The program of a worker: runs nested pipelines on operations that are sent to it.

Executors call `run_operations` by its name. Nothing that they send is code: passes,
contexts and parts of instrumentations are imported by name.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from passgen_runtime.context import Context, Operation, PrintingFlags
from passgen_runtime.distribution.detached import DetachedPipelines
from passgen_runtime.distribution.header import (
    WorkerHeader,
    WorkerRefusalError,
    class_at,
)
from passgen_runtime.distribution.messages import WorkerReply, WorkerResult
from passgen_runtime.encoded_ir import unpacked, unpacked_numbers
from passgen_runtime.errors import IRError, PassError, RegistrationError
from passgen_runtime.pass_registry import PassRegistry, parse_pass_pipeline

_NUM_PREPARED = 4
"""How many headers are kept ready: those of the threads of a worker, at most."""


def run_operations(header: bytes, data: bytes) -> bytes:
    """Run the pipelines of `header` on the operations in `data`; return the reply.

    A worker that is not like the process that sends them refuses all of them.
    """
    try:
        task = _prepared(header, threading.get_ident())
    except PassError as error:
        return WorkerReply(refusal=str(error)).encode()
    return task.run(data).encode() if data else b""


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

    def run(self, data: bytes) -> WorkerReply:
        """Return what becomes of the operations in `data`."""
        numbers, encoded = unpacked(data)
        reply = WorkerReply()
        changed = self._run_each(unpacked_numbers(numbers), encoded, reply.results)
        reply.ir = self._context.encode_apart((each, ()) for each in changed)
        return reply

    def _run_each(
        self, numbers: Sequence[int], encoded: bytes, results: list[WorkerResult]
    ) -> Iterator[Operation]:
        """Run the pipeline of a number on each operation; yield those it has changed.

        Those that cannot be read here run where they come from.
        """
        context = self._context
        operations = context.decode_apart(encoded)
        for number in numbers:
            try:
                operation = next(operations)
            except IRError:
                num_unread = len(numbers) - len(results)
                results += [WorkerResult(is_unread=True) for _ in range(num_unread)]
                return
            before = context.snapshot(operation)
            begin = time.perf_counter()
            result = self._pipelines.run(number, operation)
            result.work_s = time.perf_counter() - begin
            results.append(result)
            if result.failure is not None and not self._can_travel(operation):
                continue  # a failed pass has left it so
            result.has_changed = context.snapshot(operation) != before
            if result.has_changed:
                yield operation

    def _can_travel(self, operation: Operation) -> bool:
        try:
            self._context.decode(self._context.encode(operation))
        except Exception:  # noqa: BLE001 - what was not verified may raise anything
            return False
        return True


def _maker(context: Context, part: list[Any] | None) -> Any:  # noqa: ANN401 - a factory
    if part is None:
        return None
    factory, settings = part
    return lambda send: class_at(factory)(context, settings, send)
