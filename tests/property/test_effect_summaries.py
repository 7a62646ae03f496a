"""What is known of the effects of operations is never stale.

Each answer that a pass gets is compared with one that is computed anew.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
)

from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes import loop_invariant_code_motion
from passgen_runtime.passes.affine import loop_invariant_code_motion as affine_motion
from passgen_runtime.passes.analysis import EffectSummaries, walk
from passgen_runtime.passes.canonicalize import GreedyRewriteConfig, GreedyRewriteDriver


class CheckedSummaries(EffectSummaries):
    """Summaries that compare each answer with a new one."""

    def is_free(self, op: Operation) -> bool:
        return self._check(super().is_free(op), EffectSummaries().is_free(op))

    def would_be_trivially_dead(self, op: Operation) -> bool:
        fresh = EffectSummaries().would_be_trivially_dead(op)
        return self._check(super().would_be_trivially_dead(op), fresh)

    @staticmethod
    def _check(known: bool, fresh: bool) -> bool:  # noqa: FBT001 - two equal answers
        assert known == fresh
        return known


LEAVES = (
    "%v{n} = arith.addi %x, %x : i32",
    "%v{n} = arith.divsi %x, %x : i32",
    "%v{n} = memref.load %m[%a] : memref<8xi32>",
    "%v{n} = affine.load %m[0] : memref<8xi32>",
    "memref.store %x, %m[%a] : memref<8xi32>",
    "affine.store %x, %m[0] : memref<8xi32>",
    '%v{n} = "test.op"(%x) : (i32) -> i32',
    "%v{n} = memref.alloc() : memref<8xi32>",
    "%v{n} = arith.addi %x, %zero : i32\n%w{n} = arith.muli %v{n}, %x : i32",
)
HEADS = (
    "scf.for %i{n} = %a to %b step %one {{",
    "scf.for %i{n} = %a to %b step %b {{",
    "scf.if %true {{",
    "affine.for %i{n} = 0 to 8 {{",
    "affine.for %i{n} = 0 to %b {{",
)

Tree = list["int | tuple[int, Tree]"]

trees: st.SearchStrategy[Tree] = st.recursive(
    st.lists(st.integers(0, len(LEAVES) - 1), max_size=3),
    lambda inner: st.lists(
        st.integers(0, len(LEAVES) - 1)
        | st.tuples(st.integers(0, len(HEADS) - 1), inner),
        max_size=4,
    ),
    max_leaves=12,
)


def lines_of(tree: Tree, numbers: Iterator[int]) -> Iterator[str]:
    for node in tree:
        if isinstance(node, int):
            yield LEAVES[node].format(n=next(numbers))
        else:
            head, inside = node
            yield HEADS[head].format(n=next(numbers))
            yield from lines_of(inside, numbers)
            yield "}"


def module_of(tree: Tree, context: XDSLContext) -> Operation:
    body = "\n".join(lines_of(tree, iter(range(1_000_000))))
    module = context.parse(
        f"""
        func.func @f(%a: index, %b: index, %x: i32, %m: memref<8xi32>, %c: i1) {{
          %one = arith.constant 1 : index
          %zero = arith.constant 0 : i32
          %true = arith.constant true
          {body}
          return
        }}
        """,
        "summaries.mlir",
    )
    assert isinstance(module, Operation)
    return module


@given(trees)
def test_canonicalize_has_no_stale_answer(tree: Tree) -> None:
    context = XDSLContext(allow_unregistered=True)
    module = module_of(tree, context)
    checked = CheckedSummaries()

    GreedyRewriteDriver(
        module, context.xdsl, GreedyRewriteConfig(), _effects=checked
    ).run()


@pytest.mark.parametrize("passes", [loop_invariant_code_motion, affine_motion])
@given(tree=trees)
def test_code_motion_has_no_stale_answer(passes: object, tree: Tree) -> None:
    module = module_of(tree, XDSLContext(allow_unregistered=True))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "EffectSummaries", CheckedSummaries)
        loop_invariant_code_motion.hoist_loop_invariant_code(module)
        affine_motion.hoist_loop_invariants(module)


@given(trees)
def test_a_linear_walk_is_that_of_the_library(tree: Tree) -> None:
    module = module_of(tree, XDSLContext(allow_unregistered=True))

    assert walk(module) == list(module.walk())
    inner_first = walk(module, region_first=True)
    assert inner_first == list(module.walk(region_first=True))


@irdl_op_definition
class FoldingOp(IRDLOperation, HasFolderInterface):
    """An operation that folds to its operand, and declares no effects."""

    name = "fold.value"
    operand = operand_def()
    result = result_def()

    def fold(self) -> tuple[SSAValue | Attribute]:
        return (self.operand,)


def test_an_operation_that_was_folded_does_not_keep_the_one_around_it() -> None:
    context = XDSLContext()
    context.xdsl.load_dialect(Dialect("fold", [FoldingOp]))
    module = context.parse(
        """
        func.func @f(%x: i32, %condition: i1, %m: memref<i32>) {
          scf.if %condition {
            %0 = scf.if %condition -> (i32) {
              %1 = "fold.value"(%x) : (i32) -> i32
              scf.yield %1 : i32
            } else {
              scf.yield %x : i32
            }
            %2 = arith.addi %0, %x : i32
            memref.store %x, %m[] : memref<i32>
          }
          return
        }
        """,
        "folded.mlir",
    )
    assert isinstance(module, Operation)
    config = GreedyRewriteConfig(max_iterations=1, simplify_regions=False)

    GreedyRewriteDriver(module, context.xdsl, config).run()

    names = [op.name for op in walk(module)]
    assert names.count("scf.if") == 1
