"""Hooks of patterns: around each attempt to apply one, and after those of a pass.

Drivers of patterns ask for hooks once for each run of a pass: where no instrumentation
looks at attempts, patterns are applied as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    """Base of instrumentations that look at the patterns which passes apply."""

    def around_patterns(self, pass_: Pass) -> PatternHook | None:
        """Return what makes the attempts of a pass that is about to apply patterns.

        It raises what `run` of an attempt raises. `None` costs attempts nothing.
        """
        del pass_
        return None

    def run_after_patterns(self, pass_: Pass, counts: Mapping[str, int]) -> None:
        """Run when a pass has applied declared patterns, in the thread of the pass.

        Hooks of passes in other threads may run at the same time.

        Args:
            pass_: the pass, which may do more.
            counts: how often each pattern that is enabled was applied now.
        """


def pattern_instrumentations(pass_: Pass) -> list[PatternInstrumentation]:
    """Return the instrumentations of the run that look at patterns."""
    return [
        known
        for known in RunState.of(pass_).instrumentor.instrumentations
        if isinstance(known, PatternInstrumentation)
    ]


def pattern_hook(pass_: Pass) -> PatternHook | None:
    """Return the hook for patterns of a pass that is running, `None` if there is none.

    With several instrumentations, the first one is the outermost.
    """
    hook: PatternHook | None = None
    for instrumentation in reversed(pattern_instrumentations(pass_)):
        around = instrumentation.around_patterns(pass_)
        if around is not None:
            hook = around if hook is None else partial(_nested, around, hook)
    return hook


def _nested(outer: PatternHook, inner: PatternHook, attempt: PatternAttempt) -> bool:
    run = partial(inner, attempt)
    return outer(
        PatternAttempt(
            attempt.pass_, attempt.pattern, attempt.operation, attempt.rewriter, run
        )
    )
