"""Hooks around each attempt to apply a pattern.

Drivers of patterns ask for them once for each run of a pass: without an instrumentation
that has them, patterns are applied as ever.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from passgen_runtime.context import Operation
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation
from passgen_runtime.pass_manager import RunState


@dataclass(slots=True)
class PatternAttempt:
    """An attempt to match a pattern with an operation, and to rewrite it."""

    pass_: Pass
    pattern: str
    operation: Operation
    rewriter: Any
    """The IR library's object through which the pattern changes the IR."""

    run: Callable[[], bool]
    """Makes the attempt; returns whether the pattern reports that it was applied."""


PatternHook: TypeAlias = Callable[[PatternAttempt], bool]
"""Makes an attempt, and looks at what it does; returns what its `run` returns."""


class MayLeaveInvalidIR:
    """Marks passes whose IR may be invalid between two patterns.

    A base beside `OperationPass`, or beside the generated base of a pass.
    """


class PatternInstrumentation(PassInstrumentation):
    """Base of instrumentations with hooks around attempts to apply patterns."""

    def run_before_patterns(self, pass_: Pass) -> None:
        """Run before a driver applies patterns of `pass_` to its operation."""

    @abstractmethod
    def around_pattern(self, attempt: PatternAttempt) -> bool:
        """Make an attempt, and return what its `run` returns.

        It raises what `run` raises.
        """


def pattern_hook(pass_: Pass) -> PatternHook | None:
    """Return the hook for patterns of a pass that is running, `None` if there is none.

    With several instrumentations, the first one is the outermost.
    """
    watchers = [
        known
        for known in RunState.of(pass_).instrumentor.instrumentations
        if isinstance(known, PatternInstrumentation)
    ]
    hook: PatternHook | None = None
    for watcher in reversed(watchers):
        watcher.run_before_patterns(pass_)
        around = watcher.around_pattern
        hook = around if hook is None else partial(_nested, around, hook)
    return hook


def _nested(outer: PatternHook, inner: PatternHook, attempt: PatternAttempt) -> bool:
    run = partial(inner, attempt)
    return outer(
        PatternAttempt(
            attempt.pass_, attempt.pattern, attempt.operation, attempt.rewriter, run
        )
    )
