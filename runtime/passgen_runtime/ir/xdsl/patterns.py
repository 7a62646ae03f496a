"""Patterns on xDSL's IR: its drivers apply them, compiled to closures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any

from xdsl.context import Context as XDSLIRContext
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)

from passgen_runtime.instrumentations.pattern_hooks import PatternAttempt
from passgen_runtime.ir.xdsl.compiled_pattern import CompiledPattern, name_of
from passgen_runtime.ir.xdsl.match_explanation import MatchExplainer
from passgen_runtime.patterns import (
    MayApply,
    NativeFunctions,
    NearMiss,
    PatternApplier,
    PatternDriver,
    PatternGraph,
    Watch,
)


class _NotConvergedError(Exception):
    """So many rewrites, or iterations, are allowed, and patterns still match."""


@dataclass
class _Run(RewritePattern):
    """One run of patterns, which applies the best one that matches an operation."""

    known: Mapping[type[Operation], Sequence[CompiledPattern]]
    """The patterns that may match operations of a class."""

    patterns_for: Callable[[Operation], Sequence[CompiledPattern]]
    """Returns the patterns that may match an operation of another class."""

    folding: RewritePattern | None
    """Removes or folds operations first, if the driver does."""

    counts: dict[str, int]
    may_apply: MayApply | None
    max_rewrites: float
    max_iterations: float
    num_rewrites: int = 0
    num_iterations: int = 0

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Fold `op`, or apply the first pattern that matches and is not vetoed.

        Raises:
            _NotConvergedError: a limit is met.
        """
        if self.num_iterations >= self.max_iterations:
            raise _NotConvergedError(f"{self.max_iterations} iterations")
        if self.folding is not None:
            self.location = op.location
            self.folding.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                return
        patterns = self.known.get(type(op))
        if patterns is None:
            patterns = self.patterns_for(op)
        for pattern in patterns:
            frame = pattern.match(op)
            if frame is not None and self.rewrite(pattern, frame, op, rewriter):
                return

    def rewrite(
        self,
        pattern: CompiledPattern,
        frame: list[Any],
        op: Operation,
        rewriter: PatternRewriter,
    ) -> bool:
        """Apply a pattern that matches; return whether it was not vetoed.

        Raises:
            _NotConvergedError: the limit of rewrites is met.
        """
        if self.num_rewrites >= self.max_rewrites:
            raise _NotConvergedError(f"{self.max_rewrites} rewrites")
        if self.may_apply is not None and not self.may_apply(pattern.name, op):
            return False
        self.location = op.location
        pattern.rewrite(frame, rewriter)
        rewriter.has_done_action = True  # also if it only called functions
        self.num_rewrites += 1
        self.counts[pattern.name] += 1
        return True

    def locate(self, operation: Operation) -> None:
        """Let a new operation have the location of the one that it replaces."""
        operation.location = self.location

    def end_iteration(self, *_: object) -> bool:
        """Return `False`: the end of an iteration changes nothing."""
        self.num_iterations += 1
        return False


@dataclass
class _WatchedRun(_Run):
    """A run each of whose attempts to apply a pattern a hook makes."""

    watch: Watch = field(kw_only=True)
    candidates: Callable[[Operation], Sequence[CompiledPattern]] = field(kw_only=True)
    """Returns the patterns that may match an operation."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Fold `op`, or let the hook try patterns until one is applied."""
        super().match_and_rewrite(op, rewriter)  # it knows no patterns, and folds
        if rewriter.has_done_action:
            return
        pass_, hook = self.watch
        for pattern in self.candidates(op):
            run = partial(self._try, pattern, op, rewriter)
            if hook(PatternAttempt(pass_, pattern.name, op, rewriter, run)):
                return

    def _try(
        self, pattern: CompiledPattern, op: Operation, rewriter: PatternRewriter
    ) -> bool:
        frame = pattern.match(op)
        return frame is not None and self.rewrite(pattern, frame, op, rewriter)


class XDSLPatternApplier(PatternApplier):
    """Applies patterns to xDSL's IR."""

    always_counts = True

    def __init__(
        self,
        xdsl: XDSLIRContext,
        graphs: Sequence[PatternGraph],
        functions: NativeFunctions,
        driver: PatternDriver,
    ) -> None:
        """Compile all, and sort them by the names of their roots."""
        # A `pdl.pattern` that is given as a whole has its benefit in its text.
        self.graphs = sorted(graphs, key=lambda graph: -graph.benefit)
        self._xdsl = xdsl
        self._driver = driver
        self._functions = functions
        compiled = [CompiledPattern(graph, xdsl, functions) for graph in self.graphs]
        self._compiled = compiled
        self._by_class: dict[type[Operation], Sequence[CompiledPattern]] = {}

    def _patterns_for(self, operation: Operation) -> Sequence[CompiledPattern]:
        """Return the patterns that may match an operation, by its name."""
        name = name_of(operation)
        found = [one for one in self._compiled if one.root_name in {name, ""}]
        if not isinstance(operation, UnregisteredOp):  # which has any name
            self._by_class[type(operation)] = found
        return found

    def _candidates(self, operation: Operation) -> Sequence[CompiledPattern]:
        """Return the patterns that may match an operation, by its class."""
        found = self._by_class.get(type(operation))
        return self._patterns_for(operation) if found is None else found

    def explain(self, name: str, root: Operation) -> tuple[bool, NearMiss | None]:
        """Return whether a pattern matches, or why not; see `PatternApplier`."""
        misses = []
        for graph in self.graphs:
            if graph.name != name or graph.root.operation not in {name_of(root), ""}:
                continue
            miss = MatchExplainer(graph, self._functions).explain(root)
            if miss is None:
                return True, None
            misses.append(miss)
        return False, max(misses, key=lambda miss: miss.num_steps, default=None)

    def apply(
        self,
        operation: Operation,
        counts: dict[str, int] | None,
        may_apply: MayApply | None,
        watch: Watch | None = None,
    ) -> str | None:
        """Apply the patterns inside `operation`; see `PatternApplier`."""
        driver, is_greedy = self._driver, self._driver.name == "greedy"
        folding = is_greedy and GreedyRewritePatternApplier(
            [], self._xdsl, folding_enabled=True, dce_enabled=True
        )
        counts = defaultdict(int) if counts is None else counts
        rest = folding or None, counts, may_apply, inf, inf
        run = (
            _Run(self._by_class, self._patterns_for, *rest)
            if watch is None
            else _WatchedRun(
                {}, lambda _: (), *rest, watch=watch, candidates=self._candidates
            )
        )
        if is_greedy:
            run.max_iterations = driver.max_iterations
            # By default few: a pattern that undoes itself reaches them soon.
            num_operations = sum(1 for _ in operation.walk())
            run.max_rewrites = driver.max_rewrites or 10_000 + 10 * num_operations
        walker = PatternRewriteWalker(
            run,
            walk_regions_first=True,
            apply_recursively=is_greedy,
            post_walk_func=run.end_iteration if is_greedy else None,
            listener=PatternRewriterListener(operation_insertion_handler=[run.locate]),
        )
        has_changed = False
        try:
            for region in operation.regions:
                run.num_iterations = 0
                has_changed |= walker.rewrite_region(region)
        except _NotConvergedError as error:
            return str(error)
        return "" if has_changed else None
