"""The program of a worker: runs nested pipelines on operations that are sent to it.

Executors call `run_operations` by its name. They send no code: a worker imports passes,
contexts and parts of instrumentations by name.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pkgutil import resolve_name

from passgen_runtime.context import Operation
from passgen_runtime.errors import IRError, PassError, RegistrationError
from passgen_runtime.pass_registry import PassRegistry, parse_pass_pipeline
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.adaptors import Transport, unpack_parts, unpacked_numbers
from passgen_tools.ir_libraries import inspector_of
from passgen_tools.workers.detached import DetachedPipelines
from passgen_tools.workers.header import WorkerHeader, WorkerRefusalError
from passgen_tools.workers.messages import WorkerReply, WorkerResult

_NUM_PREPARED = 4
"""How many prepared headers are cached; each thread of a worker needs one."""


def run_operations(header: bytes, data: bytes) -> bytes:
    """Run the pipelines of `header` on the operations in `data`; return the reply.

    A worker with other versions than the sending process refuses all of them.
    """
    try:
        task = _prepare(header, threading.get_ident())
    except PassError as error:
        return WorkerReply(refusal=str(error)).encode()
    return task.run(data).encode() if data else b""


@lru_cache(_NUM_PREPARED)
def _prepare(header: bytes, _thread_id: int) -> _Task:
    """Return the task of a header; each thread has its own, since passes hold state."""
    return _Task(WorkerHeader.decode(header))


class _Task:
    """The pipelines of a header, ready to run."""

    def __init__(self, header: WorkerHeader) -> None:
        """Import what `header` names.

        Raises:
            PassError: this process cannot run the passes of `header`.
        """
        header.check()
        try:
            transport_class: type[Transport] = resolve_name(header.transport)
        except (ImportError, AttributeError) as error:
            message = f"the worker has no transport '{header.transport}': {error}"
            raise WorkerRefusalError(message) from error
        context = transport_class.make_context(header.context_spec)
        self._transport = transport_class(context)
        self._inspector = inspector_of(context)
        context.printing_flags = PrintingFlags(**header.printing)
        context.prints_operation_on_diagnostic = header.shows_operation
        context.prints_stacktrace_on_diagnostic = header.shows_stacktrace
        registry = PassRegistry()
        for place in header.passes:
            try:
                registry.register_pass(resolve_name(place))
            except (ImportError, AttributeError) as error:
                message = f"the worker has no pass '{place}': {error}"
                raise WorkerRefusalError(message) from error
            except RegistrationError as error:
                message = f"{error}\nnote: workers know passes by their arguments"
                raise WorkerRefusalError(message) from error
        self._verify_each = header.settings["verify_each"]
        managers = [parse_pass_pipeline(text, registry) for text in header.pipelines]
        self._pipelines = DetachedPipelines(context, managers, header)

    def run(self, data: bytes) -> WorkerReply:
        """Run the pipelines on the operations in `data`."""
        numbers, encoded = unpack_parts(data, 2)
        try:
            return self._reply(unpacked_numbers(numbers), encoded, is_careful=False)
        except Exception:  # noqa: BLE001 - IR that was not verified may raise anything
            return self._reply(unpacked_numbers(numbers), encoded, is_careful=True)

    def _reply(
        self, numbers: Sequence[int], encoded: bytes, *, is_careful: bool
    ) -> WorkerReply:
        """Run a pipeline on each operation.

        Args:
            numbers: the pipeline of each operation.
            encoded: the operations.
            is_careful: whether to encode each result on its own first, to find those
                that cannot be sent back.

        Raises:
            Exception: a result cannot be encoded.
        """
        reply = WorkerReply()
        changed = self._run_each(numbers, encoded, reply.results, is_careful=is_careful)
        reply.ir = self._transport.encode_isolated((root, ()) for root in changed)
        return reply

    def _run_each(
        self,
        numbers: Sequence[int],
        encoded: bytes,
        results: list[WorkerResult],
        *,
        is_careful: bool,
    ) -> Iterator[Operation]:
        """Run all pipelines; yield the operations that they have changed.

        An operation that cannot be decoded, or encoded again, is left to the sender.
        """
        operations = self._transport.decode_isolated(encoded)
        for number in numbers:
            try:
                operation = next(operations)
            except IRError:
                num_left = len(numbers) - len(results)
                results += [WorkerResult(is_left_to_sender=True)] * num_left
                return
            before = self._inspector.snapshot(operation)
            result = self._run(number, operation)
            has_changed = self._inspector.snapshot(operation) != before
            is_verified = self._verify_each and result.failure is None
            if has_changed and (is_careful or not is_verified):
                has_changed = self._can_encode(operation)
                if not has_changed:
                    result = WorkerResult(is_left_to_sender=True)
            result.has_changed = has_changed
            results.append(result)
            if has_changed:
                yield operation

    def _run(self, number: int, operation: Operation) -> WorkerResult:
        begin = time.perf_counter()
        try:
            result = self._pipelines.run(number, operation)
        except BaseException:  # noqa: BLE001 - a pass may raise KeyboardInterrupt
            return WorkerResult(is_left_to_sender=True)
        result.work_s = time.perf_counter() - begin
        return result

    def _can_encode(self, operation: Operation) -> bool:
        transport = self._transport
        try:
            transport.encode_isolated([(operation, ())])
            transport.decode(transport.encode(operation))
        except Exception:  # noqa: BLE001 - IR that was not verified may raise anything
            return False
        return True
