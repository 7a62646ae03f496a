"""Calls with a stack that has room for deeply nested IR."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Final, TypeVar

T = TypeVar("T")

_STACK_SIZE_BYTES: Final = 512 * 1024 * 1024
_RECURSION_LIMIT: Final = 100_000
_PAUSE_S: Final = 0.1


def call_with_deep_stack(
    name: str,
    function: Callable[[], T],
    on_interrupt: Callable[[], object] | None = None,
) -> T:
    """Return the result of `function`, called in a thread with a large stack.

    Args:
        name: of the thread: messages show it.
        function: what to call.
        on_interrupt: tells the function to end after an exception of a signal, which
            is raised when it has; without it, the function is left alone at once.
    """
    limit = sys.getrecursionlimit()
    results: list[T] = []
    errors: list[BaseException] = []
    # Not `join`: before Python 3.13, one that was interrupted takes the thread for
    # ended.
    has_ended = threading.Event()

    def work() -> None:
        try:
            results.append(function())
        except BaseException as error:  # noqa: BLE001 - raised again below
            errors.append(error)
        finally:
            has_ended.set()

    # A daemon thread does not keep a program alive that the user has interrupted.
    run = copy_context().run
    thread = threading.Thread(target=run, args=(work,), name=name, daemon=True)
    try:
        sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
        previous = threading.stack_size(_STACK_SIZE_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(previous)
        try:
            # A signal that another thread gets does not end a wait without a limit.
            while not has_ended.wait(_PAUSE_S):
                pass
        except BaseException:
            if on_interrupt is not None:
                on_interrupt()
                has_ended.wait()
            raise
    finally:
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]
