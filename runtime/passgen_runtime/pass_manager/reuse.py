"""Pipelines ready to run, and runs next to one another that share passes.

A pass manager keeps what it made ready for its next run. A pass sees one operation at a
time. So a run binds its passes first, and where one of them is bound to a run in
another thread, copies run; what these count is added to the originals once they are
free. A run inside another one waits for that in vain: it is refused if they share a
pass, whether threads run or not.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Sequence
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING

from passgen_runtime.context import Operation
from passgen_runtime.errors import (
    PassError,
    PassFailure,
    PassInUseError,
    SchedulingError,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager.run_statistics import take_statistics
from passgen_runtime.pass_manager.scheduling import ScheduledPipeline, is_repeatable
from passgen_runtime.wrong_arguments import wrong_argument

if TYPE_CHECKING:
    from passgen_runtime.pass_manager.execution import FinalizedPipeline
    from passgen_runtime.pass_manager.pass_manager import PassManager

_BINDING = threading.RLock()
"""Held to bind passes and to count for them, so that no two threads do so for one."""

_UNCOUNTED: list[tuple[Sequence[Pass], Sequence[Pass]]] = []
"""Passes, and copies of them that have run and whose counts are theirs."""


class PreparedPipeline:
    """The pipeline of the last run, which the next one uses if nothing changed."""

    def __init__(
        self, key: Hashable, pipeline: FinalizedPipeline, passes: tuple[Pass, ...]
    ) -> None:
        """Keep the `pipeline` of `passes`; they stay alive, and so the key theirs."""
        self.key = key
        self.is_repeatable = is_repeatable(passes)
        self._pipeline = pipeline
        self._passes = passes
        self._initialized = [
            each for each in passes if type(each).initialize is not Pass.initialize
        ]
        self._with_mutable_options = [
            each for each in passes if each.options.is_mutable_inside()
        ]

    @property
    def scheduled(self) -> ScheduledPipeline:
        """What runs, with what it met in the last run."""
        return self._pipeline.scheduled

    def check_options(self) -> None:
        """Check the options that may have changed inside since they were set.

        Raises:
            PassOptionError: one was changed to what it cannot be.
        """
        for pass_ in self._with_mutable_options:
            pass_.check_options()

    def bind(self) -> bool:
        """Get the passes ready to run, unless another run has one; return whether."""
        with _BINDING:
            try:
                self._pipeline.begin_run()
            except PassInUseError:
                self._pipeline.end_run()
                return False
        return True

    def run(self, operation: Operation) -> PassFailure | None:
        """Initialize all passes, run them on `operation`, and give them free.

        Returns:
            What failed, if anything.
        """
        pipeline = self._pipeline
        try:
            pipeline.run_info.initialize(self._initialized)
            return pipeline.run(operation)
        except PassFailure as failure:
            return failure
        finally:
            pipeline.end_run()
            if _UNCOUNTED:
                _count()


def dialects_of(manager: PassManager) -> dict[str, None]:
    """Return the dialects that the passes of `manager` depend on, each once.

    Raises:
        PassFailure: a pass cannot say which.
    """
    dialects: dict[str, None] = {}
    for pass_ in manager.passes():
        try:
            dialects.update(dict.fromkeys(_dialects_of(pass_)))
        except PassError:
            raise
        except Exception as error:
            raise PassFailure(
                pass_name=pass_.name,
                argument=pass_.argument,
                operation="its dependent dialects",
                pipeline=str(manager),
            ) from error
    return dialects


def _dialects_of(pass_: Pass) -> Iterable[str]:
    found = pass_.get_dependent_dialects()
    if isinstance(found, str) or not isinstance(found, Iterable):
        what = "result of get_dependent_dialects()"
        raise wrong_argument(what, found, "the names of dialects")
    return found


def count_later(passes: Sequence[Pass], copies: Sequence[Pass]) -> None:
    """Move to `passes` what `copies` of them have counted, once no run changes it."""
    with _BINDING:
        _UNCOUNTED.append((passes, copies))
    _count()


def _count() -> None:
    """Count for passes that are free; a run of another comes here when it has ended."""
    with _BINDING:
        pending = tuple(_UNCOUNTED)
        _UNCOUNTED.clear()
        for passes, copies in pending:
            if any(each.is_bound for each in passes):
                _UNCOUNTED.append((passes, copies))
            else:
                take_statistics(passes, copies)


_AROUND: ContextVar[tuple[PassManager, ...]] = ContextVar(
    "passgen_runtime.around", default=()
)
"""The pass managers that the current code is a part of a run of, in any thread."""


class RunAround:
    """The block of a run of a manager: a class, as a generator costs each run more."""

    __slots__ = ("_manager", "_token")

    def __init__(self, manager: PassManager) -> None:
        """Let all code that works for the block know that it is a run of `manager`."""
        self._manager = manager

    def __enter__(self) -> None:
        """Begin the run.

        Raises:
            SchedulingError: a run of the manager, or of one of its passes, is around.
        """
        around = _AROUND.get()
        if around:
            _check_apart(self._manager, around)
        self._token: Token[tuple[PassManager, ...]] = _AROUND.set(
            (*around, self._manager)
        )

    def __exit__(self, *_: object) -> None:
        """End the run."""
        _AROUND.reset(self._token)


def _check_apart(manager: PassManager, around: Sequence[PassManager]) -> None:
    if any(each is manager for each in around):
        message = f"the pipeline '{manager}' is already running"
        raise SchedulingError(message)
    running = {id(pass_) for each in around for pass_ in each.passes()}
    for pass_ in manager.passes():
        if id(pass_) in running:
            raise PassInUseError(pass_.argument or pass_.name)
