"""Patterns of xDSL whose applications instrumentations can watch.

PatternRewriteWalker(watched(self, SumPairs())).rewrite_region(self.operation.body)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
)

from passgen_runtime.instrumentations.pattern_hooks import (
    PatternAttempt,
    PatternHook,
    pattern_hook,
)
from passgen_runtime.operation_pass import Pass


def watched(pass_: Pass, pattern: RewritePattern) -> RewritePattern:
    """Return a pattern whose attempts instrumentations of the run see.

    It is `pattern` itself if none of them looks at patterns.

    Args:
        pass_: the pass that applies it, which is running.
        pattern: a pattern, or a `GreedyRewritePatternApplier` of some.
    """
    hook = pattern_hook(pass_)
    return pattern if hook is None else watched_by(hook, pass_, pattern)


def watched_by(
    hook: PatternHook, pass_: Pass, pattern: RewritePattern
) -> RewritePattern:
    """Return a pattern each of whose attempts `hook` makes; see `watched`."""
    if isinstance(pattern, GreedyRewritePatternApplier):
        inner = [watched_by(hook, pass_, each) for each in pattern.rewrite_patterns]
        return replace(pattern, rewrite_patterns=inner)
    return _WatchedPattern(hook, pass_, pattern)


@dataclass(frozen=True)
class _WatchedPattern(RewritePattern):
    """A pattern each of whose attempts a hook makes."""

    hook: PatternHook
    pass_: Pass
    pattern: RewritePattern

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Let the hook make an attempt."""

        def run() -> bool:
            had_done_action = rewriter.has_done_action
            rewriter.has_done_action = False  # an earlier pattern may have set it
            try:
                self.pattern.match_and_rewrite(op, rewriter)
                return rewriter.has_done_action
            finally:
                rewriter.has_done_action |= had_done_action

        name = type(self.pattern).__name__
        self.hook(PatternAttempt(self.pass_, name, op, rewriter, run))
