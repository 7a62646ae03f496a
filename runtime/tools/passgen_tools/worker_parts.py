"""Parts: the counterparts of instrumentations and action handlers in workers.

A worker has the operation that it was sent, and no instrumentation of the run. A part
names the factory of a counterpart in the worker, and takes the data that this sends.

    class CountingPart(WorkerPart):
        factory = "counting:CountingInWorker"

        def __init__(self, counting: Counting) -> None:
            self._counting = counting

        def take(self, data, worker, operation) -> None:
            self._counting.add(data)

    register_part(Counting, CountingPart)

A part is registered for one class, and not for its subclasses, which may do more. If an
instrumentation or handler of a run has no part, the run sends nothing to workers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar

from passgen_runtime.context import Operation

PlainData: TypeAlias = Any
"""The types of JSON values."""

Send: TypeAlias = Callable[[PlainData], None]
"""Sends data from a worker to the part in the run."""

T = TypeVar("T")


class WorkerPart:
    """The part of an instrumentation or action handler; this base does nothing."""

    factory: str = ""
    """`module:name` of a callable that makes the counterpart in a worker, given a
    context, the settings, and a function `Send`; empty if there is none."""

    settings: PlainData = None

    def take(self, data: PlainData, worker: str, operation: Operation) -> None:
        """Take the data of a worker; called in the order of the operations.

        Args:
            data: the argument of `Send` in the worker.
            worker: the name of the worker.
            operation: the operation, as the worker has changed it.
        """

    def run_after_loss(
        self, pipeline: str, pass_name: str, operation: Operation
    ) -> None:
        """Handle a pipeline that has ended its worker.

        Args:
            pipeline: its text.
            pass_name: the pass that ran; empty if that is not known.
            operation: the operation, as it was sent.
        """

    def run_after_batch(self, text: str) -> None:
        """Handle a batch of operations that has come back or was lost.

        Args:
            text: the progress of the run, for people.
        """


_MAKERS: Final[dict[type, Callable[[Any], WorkerPart | None]]] = {}


def register_part(cls: type[T], make_part: Callable[[T], WorkerPart | None]) -> None:
    """Let `make_part` make the parts for objects of `cls`, but not of subclasses.

    Args:
        cls: a class of instrumentations or of action handlers.
        make_part: returns the part of an object; `None` if passes must not run in
            workers with that object.
    """
    _MAKERS[cls] = make_part


def part_of(follower: object) -> WorkerPart | None:
    """Return the part of an instrumentation or a handler; `None` if it has none."""
    make_part = _MAKERS.get(type(follower))
    return None if make_part is None else make_part(follower)
