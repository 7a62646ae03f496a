"""Actions: the executions of a run, which handlers wrap.

Implements "Actions: Tracing and Debugging MLIR-based Compilers" of MLIR's documentation
for one kind of action, the execution of a pass. A handler decides whether and when the
action is executed: it may skip the action, or substitute a stored result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Protocol, runtime_checkable

from passgen_runtime.context import Operation
from passgen_runtime.operation_pass import Pass


@dataclass(frozen=True, slots=True)
class PassExecution:
    """The execution of a pass on an operation: MLIR's `PassExecutionAction`."""

    tag: ClassVar[str] = "pass-execution"

    pass_: Pass
    operation: Operation
    path: str
    """The place of the pass, such as `builtin.module/func.func[0]/cse[1]`: the numbers
    count the elements of each pipeline, with adjacent nested ones merged."""

    depth: int
    """The number of pipelines around the one of the pass."""

    @property
    def options(self) -> str:
        """The options of the pass as a textual pipeline spells them."""
        return self.pass_.check_options()


class ActionHandler(Protocol):
    """A function `handler(action, run)` that wraps the execution of a pass."""

    def __call__(self, action: PassExecution, run: Callable[[], bool], /) -> object:
        """Execute `action` by calling `run`, or do something else instead.

        `run` returns whether the action has succeeded. An exception of the pass, or of
        a handler inside this one, fails it after the handler has returned; an exception
        of the handler fails it, too. A handler that changes the operation after `run`
        calls `action.pass_.mark_unfinished()`, so that no pass is skipped on it.
        """


@runtime_checkable
class TaggedActionHandler(ActionHandler, Protocol):
    """A handler that also wraps actions other than executions of passes."""

    tags: Collection[str]
    """The tags of these actions, such as that of `PatternApplication`."""


def execute(
    handlers: Sequence[ActionHandler], action: PassExecution, run: Callable[[], bool]
) -> None:
    """Execute `action` inside all `handlers`; the first one is the outermost.

    Args:
        handlers: the handlers.
        action: the action.
        run: executes the action alone, and returns whether it has succeeded.

    Raises:
        BaseException: `run` or a handler raised it; of several, the first one.
    """
    raised: list[BaseException] = []
    run = partial(_call, run, raised)
    for handler in reversed(handlers):
        run = partial(_call, partial(_execute_in, handler, action, run), raised)
    run()
    if raised:
        raise raised[0]


def _execute_in(
    handler: ActionHandler, action: PassExecution, run: Callable[[], bool]
) -> bool:
    """Execute `action` inside `handler`; return `False` if it has failed."""
    has_succeeded = True

    def run_and_note() -> bool:
        nonlocal has_succeeded
        has_succeeded = run()
        return has_succeeded

    handler(action, run_and_note)
    return has_succeeded


def _call(function: Callable[[], bool], raised: list[BaseException]) -> bool:
    """Return the result of `function`; if it raises, append this to `raised`."""
    try:
        return function()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - raised behind all handlers
        raised.append(error)
        return False
