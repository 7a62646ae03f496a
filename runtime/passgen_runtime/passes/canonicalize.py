"""Bring operations into their canonical form.

Before::

    %c0 = arith.constant 0 : i32
    %0 = arith.addi %a, %c0 : i32
    %1 = arith.muli %a, %a : i32
    func.return %0 : i32

After::

    func.return %a : i32

Source: `lib/Transforms/Canonicalizer.cpp` and the greedy driver of MLIR. Rounds of
rewrites by folders and canonicalization patterns alternate with simplification of
control flow, until a round changes nothing or a limit is reached. The operation that
the pass runs on is not rewritten itself.

Limits compared with MLIR's pass: patterns and folders are xDSL's, which are fewer;
equal constants stay in place (`cse` merges them), while MLIR's driver moves them to the
entry block and merges them; patterns have the names of their classes, and no labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.folder import Folder
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriterListener,
    RewritePattern,
)
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder
from xdsl.utils.worklist import Worklist

from passgen_runtime.instrumentations.pattern_hooks import pattern_hook
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.watched_patterns import watched_by
from passgen_runtime.operation_pass import Pass
from passgen_runtime.passes.analysis import EffectSummaries, walk
from passgen_runtime.passes.generated.transforms_passes import (
    CanonicalizerPassBase,
    GreedySimplifyRegionLevel,
)
from passgen_runtime.passes.region_simplification import (
    erase_unreachable_blocks,
    simplify_regions,
)

NO_LIMIT = -1


@dataclass(frozen=True, kw_only=True)
class GreedyRewriteConfig:
    """The configuration of the greedy driver."""

    top_down: bool = True
    """Start with the operations in program order, else in reverse."""

    folds: bool = True
    simplify_regions: bool = True
    merge_blocks: bool = False
    """Also merge blocks and redundant arguments when regions are simplified."""

    max_iterations: int = 10
    max_num_rewrites: int = NO_LIMIT
    """Rewrites in one iteration; the erasure of an unused operation does not count."""

    disabled_patterns: frozenset[str] = frozenset()
    enabled_patterns: frozenset[str] = frozenset()
    """The only patterns to use, unless empty."""

    def is_enabled(self, pattern: RewritePattern) -> bool:
        """Return whether `pattern` may be used."""
        name = type(pattern).__name__
        if name in self.disabled_patterns:
            return False
        return not self.enabled_patterns or name in self.enabled_patterns


@dataclass
class GreedyRewriteDriver:
    """Rewrites all operations inside one operation."""

    root: Operation
    context: Context
    config: GreedyRewriteConfig
    patterns: Sequence[RewritePattern] | None = None
    """The patterns to apply; if `None`, those that canonicalize each operation."""

    pass_: Pass | None = None
    """The running pass whose instrumentations may watch the patterns."""

    changed: bool = False
    """Whether anything was rewritten so far."""

    _worklist: Worklist = field(default_factory=Worklist)
    _effects: EffectSummaries = field(default_factory=EffectSummaries)
    _patterns_applied: bool = False
    """Whether a pattern was applied since the worklist was filled."""
    _patterns: dict[type[Operation], Sequence[RewritePattern]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        """Let instrumentations watch the patterns."""
        self._hook = None if self.pass_ is None else pattern_hook(self.pass_)
        if self.patterns is not None:
            self.patterns = [*map(self._watched, self.patterns)]

    def _watched(self, pattern: RewritePattern) -> RewritePattern:
        if self._hook is None or self.pass_ is None:
            return pattern
        return watched_by(self._hook, self.pass_, pattern)

    def run(self) -> bool:
        """Rewrite; return whether a fixed point was reached within the limits."""
        iteration = 0
        while True:
            iteration += 1
            limit = self.config.max_iterations
            if iteration > limit and limit != NO_LIMIT:
                return iteration == 1
            # Of the simplifications of regions, only this one is always on.
            changed = erase_unreachable_blocks(self.root.regions)
            self._fill_worklist()
            changed |= self._process_worklist()
            if self.config.simplify_regions:
                changed |= simplify_regions(
                    self.root.regions,
                    self._effects,
                    merge_blocks=self.config.merge_blocks,
                )
            if not changed:
                return True
            self.changed = True
            self._effects.forget_all()

    def _fill_worklist(self) -> None:
        self._patterns_applied = False
        self._worklist = Worklist()
        # The worklist is a stack: the first operation is pushed last.
        top_down = self.config.top_down
        for op in walk(self.root, reverse=top_down, region_first=top_down):
            if op is not self.root:
                self._worklist.push(op)

    def _process_worklist(self) -> bool:
        listener = PatternRewriterListener(
            operation_insertion_handler=[self._on_change],
            operation_modification_handler=[self._on_change],
            operation_removal_handler=[self._on_removal],
            operation_replacement_handler=[self._on_replacement],
        )
        changed = False
        num_rewrites = 0
        limit = self.config.max_num_rewrites
        while self._worklist and (num_rewrites < limit or limit == NO_LIMIT):
            op = self._worklist.pop()
            if self._patterns_applied and not self.root.is_ancestor(op):
                continue  # a pattern removed a block or region around it
            rewriter = PatternRewriter(op)
            rewriter.extend_from_listener(listener)
            if self._effects.is_trivially_dead(op):
                rewriter.erase(op)
                changed = True
            elif self._rewrite(op, rewriter):
                changed = True
                num_rewrites += 1
        return changed

    def _rewrite(self, op: Operation, rewriter: PatternRewriter) -> bool:
        """Fold `op`, or apply the first pattern that matches; return if one did."""
        if self._fold(op, rewriter):
            return True
        for pattern in self._patterns_for(type(op)):
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                # Rewriters do not report moved blocks and regions, nor what a pattern
                # changes without them.
                self._effects.forget_all()
                self._patterns_applied = True
                return True
        return False

    def _fold(self, op: Operation, rewriter: PatternRewriter) -> bool:
        if not self.config.folds:
            return False
        # A constant folds to itself, forever.
        if not op.has_trait(HasFolder, value_if_unregistered=False) or op.has_trait(
            ConstantLike, value_if_unregistered=False
        ):
            return False
        folded = Folder(self.context).try_fold(op)
        if folded is None:
            return False
        values, constants = folded
        if any(value.owner is op for value in values):
            return False
        rewriter.replace(op, constants, values)
        return True

    def _patterns_for(self, op_type: type[Operation]) -> Sequence[RewritePattern]:
        if self.patterns is not None:
            return self.patterns
        patterns = self._patterns.get(op_type)
        if patterns is None:
            patterns = self._patterns[op_type] = [
                self._watched(pattern)
                for trait in op_type.traits
                if isinstance(trait, HasCanonicalizationPatternsTrait)
                for pattern in trait.get_patterns(op_type)
                if self.config.is_enabled(pattern)
            ]
        return patterns

    def _push(self, op: Operation) -> None:
        if op is not self.root and self.root.is_ancestor(op):
            self._worklist.push(op)

    def _on_change(self, op: Operation) -> None:
        self._effects.forget(op)
        self._push(op)

    def _on_removal(self, op: Operation) -> None:
        self._effects.forget(op)
        operations = walk(op)
        removed = set(operations)
        for inner in operations:
            self._worklist.remove(inner)
            self._push_definitions(inner.operands, removed)

    def _push_definitions(
        self, operands: Iterable[SSAValue], removed: AbstractSet[Operation]
    ) -> None:
        """Push the definitions of `operands` that lose their only use and stay."""
        for operand in operands:
            owner = operand.owner
            if not isinstance(owner, Operation) or owner in removed:
                continue
            if operand.has_one_use():
                self._push(owner)

    def _on_replacement(
        self, op: Operation, _values: Sequence[SSAValue | None]
    ) -> None:
        for result in op.results:
            for use in result.uses:
                self._push(use.operation)


class Canonicalizer(CanonicalizerPassBase):
    """The pass `canonicalize`."""

    def run_on_operation(self) -> None:
        """Canonicalize the operations inside the operation."""
        options = self.options
        level = options.region_simplify_level
        context = self.context
        assert isinstance(context, XDSLContext)
        driver = GreedyRewriteDriver(
            self.operation,
            context.xdsl,
            GreedyRewriteConfig(
                top_down=options.top_down_processing_enabled,
                simplify_regions=level is not GreedySimplifyRegionLevel.DISABLED,
                merge_blocks=level is GreedySimplifyRegionLevel.AGGRESSIVE,
                max_iterations=options.max_iterations,
                max_num_rewrites=options.max_num_rewrites,
                disabled_patterns=frozenset(options.disabled_patterns),
                enabled_patterns=frozenset(options.enabled_patterns),
            ),
            pass_=self,
        )
        converged = driver.run()
        if not driver.changed:
            self.mark_unchanged(keeps_analyses=False)  # as in MLIR
        if not converged:
            self.mark_unfinished()
            if options.test_convergence:
                self.signal_pass_failure()
