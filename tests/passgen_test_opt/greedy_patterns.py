"""A pass that rewrites operations of the dialect `test` by the greedy driver."""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.canonicalize import (
    GreedyRewriteConfig,
    GreedyRewriteDriver,
)
from tests.passgen_test_opt.generated.test_passes import TestGreedyPatternDriverPassBase
from tests.passgen_test_opt.test_dialect import AnyAttrOfI32StrOp

MAX_VALUE: Final = 3


class IncrementIntAttribute(RewritePattern):
    """Increments an attribute until it is `MAX_VALUE`, by one in each rewrite."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: AnyAttrOfI32StrOp, rewriter: PatternRewriter, /
    ) -> None:
        if isinstance(op.attr, IntegerAttr) and op.attr.value.data < MAX_VALUE:
            op.attr = IntegerAttr(op.attr.value.data + 1, i32)
            rewriter.notify_op_modified(op)


class TestGreedyPatternDriver(TestGreedyPatternDriverPassBase):
    """Applies one of the patterns of MLIR's pass: xDSL's `test` lacks their operations.

    The option `cse-constants` is missing, as in `canonicalize`.
    """

    def run_on_operation(self) -> None:
        options, context = self.options, self.context
        assert isinstance(context, XDSLContext)
        config = GreedyRewriteConfig(
            top_down=options.top_down,
            max_iterations=options.max_iterations,
            folds=options.fold,
        )
        patterns = [IncrementIntAttribute()]
        GreedyRewriteDriver(
            self.operation, context.xdsl, config, patterns, pass_=self
        ).run()
