"""Listeners: the instrumentations that are told how often patterns were applied."""

from __future__ import annotations

from collections.abc import Mapping

from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation


class PatternListener(PassInstrumentation):
    """Base class of instrumentations that count applications of patterns."""

    def run_after_patterns(self, pass_: Pass, counts: Mapping[str, int]) -> None:
        """Run when a pass has applied its patterns, in the thread of the pass.

        Hooks of passes in other threads may run at the same time.

        Args:
            pass_: the pass, which may do more.
            counts: how often each pattern that is enabled was applied now.
        """
