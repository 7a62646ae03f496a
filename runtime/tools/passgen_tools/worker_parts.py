"""Parts: the counterparts of instrumentations and action handlers in workers.

A worker has the operation that it was sent, and no instrumentation of the run. A part
names the object that the worker makes instead, and takes the data that this sends back.

    class CountingPart(WorkerPart):
        factory = "counting:CountingInWorker"

        def __init__(self, counting: Counting) -> None:
            self._counting = counting

        def take(self, data, worker, operation) -> None:
            self._counting.add(data)

    register_part(Counting, CountingPart)

Classes are matched exactly: a subclass may do more than its base class, and its part is
another one. Passes that are followed by something without a part do not leave the
process.
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
    """The part of an object that follows passes; this base does nothing."""

    factory: str = ""
    """Makes what follows passes in a worker: `module:name` of a callable that gets a
    context, the settings, and a function `Send`. Empty if there is nothing to make."""

    settings: PlainData = None

    def take(self, data: PlainData, worker: str, operation: Operation) -> None:
        """Take what was sent from a worker, in the order of the operations.

        Args:
            data: what was sent.
            worker: the name of the worker.
            operation: the one that the worker had, with all that was done to it there.
        """

    def run_after_loss(
        self, pipeline: str, pass_name: str, operation: Operation
    ) -> None:
        """Learn that a pipeline on `operation` has ended its worker.

        Args:
            pipeline: its text.
            pass_name: the pass that ran; empty if that is not known.
            operation: the operation, as it was sent.
        """

    def run_after_batch(self, text: str) -> None:
        """Learn that a batch of operations has come back, or was lost.

        Args:
            text: how far the run is, for people.
        """


_MAKERS: Final[dict[type, Callable[[Any], WorkerPart | None]]] = {}


def register_part(
    cls: type[T], make_part: Callable[[T], WorkerPart | None]
) -> Callable[[T], WorkerPart | None]:
    """Let `make_part` make the parts for objects of `cls`, but not of subclasses.

    Args:
        cls: a class of instrumentations or of action handlers.
        make_part: returns the part of an object; `None` if passes that this one follows
            must not leave the process.
    """
    _MAKERS[cls] = make_part
    return make_part


def part_of(follower: object) -> WorkerPart | None:
    """Return the part of an instrumentation or a handler; `None` if it has none."""
    make_part = _MAKERS.get(type(follower))
    return None if make_part is None else make_part(follower)
