"""The effects that passes compute once are those of the IR as it is."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith, scf, test
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import MemoryEffectKind

from passgen_runtime import parse_pass_manager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes import canonicalize, loop_invariant_code_motion
from passgen_runtime.passes.affine import (
    loop_invariant_code_motion as affine_loop_invariant_code_motion,
)
from passgen_runtime.passes.analysis import EffectSummaries, memory_effects
from passgen_tools.opt import shipped_registry

USERS = (canonicalize, loop_invariant_code_motion, affine_loop_invariant_code_motion)
PIPELINES = (
    "canonicalize",
    "canonicalize{top-down=false}",
    "canonicalize{max-iterations=1 region-simplify=aggressive}",
    "loop-invariant-code-motion",
    "func.func(affine-loop-invariant-code-motion)",
    "func.func(affine-loop-invariant-code-motion),loop-invariant-code-motion,canonicalize",
)

LEAVES = (
    "%u{n} = arith.addi %x, %x : i32",
    "%u{n} = arith.divsi %x, %x : i32",
    "%z{n} = arith.constant 0 : i32\n%u{n} = arith.addi %x, %z{n} : i32",
    '%z{n} = arith.constant 0 : i32\n%u{n} = arith.addi %x, %z{n} : i32\n"test.op"(%u{n}) : (i32) -> ()',
    "%u{n} = affine.load %m[0] : memref<4xi32>",
    "%u{n} = memref.load %m[%l] : memref<4xi32>",
    "affine.store %x, %m[1] : memref<4xi32>",
    "memref.store %x, %k[%l] : memref<4xi32>",
    "%u{n} = memref.alloc() : memref<4xi32>",
    '"test.op"(%x) : (i32) -> ()',
    '%u{n} = "test.pureop"(%x) : (i32) -> i32',
)
NESTS = (
    "scf.for %i{n} = %l to %one step %one {{\n{body}}}",
    "scf.if %c {{\n{body}}}",
    "scf.if %no {{\n{body}}}",
    "affine.for %i{n} = 0 to 4 {{\n{body}}}",
    "%v{n} = scf.if %c -> (i32) {{\n{body}scf.yield %x : i32\n}} else {{\nscf.yield %x : i32\n}}",
    "%v{n} = scf.if %c -> (i32) {{\n{body}scf.yield %x : i32\n}} else {{\nscf.yield %x : i32\n}}\n%w{n} = arith.muli %v{n}, %x : i32",
    "%v{n} = scf.while (%a{n} = %x) : (i32) -> i32 {{\n{body}scf.condition(%c) %a{n} : i32\n}} do {{\n^bb0(%b{n}: i32):\nscf.yield %b{n} : i32\n}}",
)
BODIES = st.recursive(
    st.lists(st.sampled_from(LEAVES), max_size=3),
    lambda bodies: st.lists(
        st.one_of(st.sampled_from(LEAVES), st.tuples(st.sampled_from(NESTS), bodies)),
        min_size=1,
        max_size=4,
    ),
    max_leaves=12,
)


def program_of(body: list[Any]) -> str:
    """Return a function with `body`, whose values are numbered."""
    count = 0

    def lines(items: list[Any]) -> str:
        nonlocal count
        written = []
        for item in items:
            count += 1
            if isinstance(item, str):
                written.append(item.format(n=count))
            else:
                nest, inner = item
                number = count
                written.append(nest.format(n=number, body=lines(inner)))
        return "".join(f"{line}\n" for line in written)

    head = (
        "func.func @f(%x: i32, %c: i1, %l: index, "
        "%m: memref<4xi32>, %k: memref<4xi32>) {\n"
        "%one = arith.constant 1 : index\n%no = arith.constant false\n"
    )
    return f"{head}{lines(body)}return\n}}"


def parse(text: str) -> tuple[XDSLContext, ModuleOp]:
    context = XDSLContext()
    module = context.parse(text, "input.mlir")
    assert isinstance(module, ModuleOp)
    return context, module


class FreshEffects(EffectSummaries):
    """Answers that are computed for each question."""

    def kinds(self, op: Operation) -> AbstractSet[MemoryEffectKind] | None:
        return EffectSummaries().kinds(op)

    def would_be_trivially_dead(self, op: Operation) -> bool:
        return EffectSummaries().would_be_trivially_dead(op)


def result_of(text: str, pipeline: str) -> str:
    context, module = parse(text)
    manager = parse_pass_manager(
        f"builtin.module({pipeline})", context, shipped_registry()
    )
    manager.run(module)
    return context.print(module)


@settings(deadline=None)
@given(BODIES, st.sampled_from(PIPELINES))
def test_passes_do_what_they_do_where_each_answer_is_fresh(
    body: list[Any], pipeline: str
) -> None:
    text = program_of(body)
    found = result_of(text, pipeline)
    with pytest.MonkeyPatch.context() as patch:
        for user in USERS:
            patch.setattr(user, "EffectSummaries", FreshEffects)
        fresh = result_of(text, pipeline)

    assert found == fresh


def insert(effects: EffectSummaries, op: Operation, other: Operation) -> None:
    del other
    new = test.TestOp() if op.name == "arith.addi" else op.clone()
    Rewriter.insert_op(new, InsertPoint.before(op))
    effects.forget_around(new)


def move(effects: EffectSummaries, op: Operation, other: Operation) -> None:
    if op.is_ancestor(other):
        return
    effects.forget_around(op)
    assert op.parent is not None
    op.parent.detach_op(op)
    Rewriter.insert_op(op, InsertPoint.before(other))
    effects.forget_around(op)


def erase(effects: EffectSummaries, op: Operation, other: Operation) -> None:
    del other
    effects.forget(op)
    Rewriter.erase_op(op, safe_erase=False)


def empty(effects: EffectSummaries, op: Operation, other: Operation) -> None:
    del other
    for region in op.regions:
        for block in region.blocks:
            for inner in reversed(block.ops):
                effects.forget(inner)
                Rewriter.erase_op(inner, safe_erase=False)


EDITS = (insert, move, erase, empty)
NUMBERS = st.integers(0, 10_000)


@settings(deadline=None)
@given(
    BODIES,
    st.lists(st.tuples(st.sampled_from(EDITS), NUMBERS, NUMBERS, NUMBERS), max_size=8),
)
def test_answers_after_changes_are_those_of_fresh_summaries(
    body: list[Any],
    edits: list[tuple[Callable[..., None], int, int, int]],
) -> None:
    _, module = parse(program_of(body))
    effects = EffectSummaries()
    for edit, first, second, asked in edits:
        operations = list(module.walk())
        # Some have an answer, some have none, and their order differs.
        for op in operations[asked % len(operations) :: 1 + asked % 3]:
            effects.kinds(op)
            effects.would_be_trivially_dead(op)
        editable = operations[2:]
        if editable:
            edit(
                effects,
                editable[first % len(editable)],
                editable[second % len(editable)],
            )

        left = list(module.walk())
        for op in left[asked % len(left) :] + left:
            fresh = EffectSummaries()
            assert effects.kinds(op) == fresh.kinds(op)
            assert effects.would_be_trivially_dead(op) == fresh.would_be_trivially_dead(
                op
            )


def test_a_change_is_seen_in_all_operations_around_it() -> None:
    _, module = parse(nest_of(4, "scf.for %i{level} = %l to %l step %l"))
    loop = next(op for op in module.walk() if isinstance(op, scf.ForOp))
    effects = EffectSummaries()
    assert effects.kinds(loop) is None

    for op in list(loop.walk()):
        if isinstance(op, test.TestOp):
            erase(effects, op, op)

    assert effects.kinds(loop) == {MemoryEffectKind.WRITE}


class FillCondition(RewritePattern):
    """Gives a condition around a constant an effect, without a report of it."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        condition = op.parent_op()
        assert condition is not None
        if isinstance(op, arith.ConstantOp) and "filled" not in condition.attributes:
            condition.attributes["filled"] = op.value
            Rewriter.insert_op(test.TestOp(), InsertPoint.before(op))
            rewriter.has_done_action = True


def test_an_effect_that_a_pattern_does_not_report_is_kept() -> None:
    context, module = parse("""
        func.func @f(%c: i1, %x: i32, %l: index) {
          scf.for %i = %l to %l step %l {
            %v = scf.if %c -> (i32) {
              %seven = arith.constant 7 : i32
              scf.yield %seven : i32
            } else {
              scf.yield %x : i32
            }
            %dead = arith.muli %v, %x : i32
            "test.op"(%x) : (i32) -> ()
          }
          return
        }
        """)
    config = canonicalize.GreedyRewriteConfig(max_iterations=1)
    driver = canonicalize.GreedyRewriteDriver(
        module, context.xdsl, config, [FillCondition()]
    )
    driver.run()

    text = context.print(module)
    assert "muli" not in text
    assert text.count("test.op") == 2


def nest_of(depth: int, head: str) -> str:
    body = 'memref.store %x, %m[%l] : memref<4xi32>\n"test.op"(%x) : (i32) -> ()\n'
    for level in range(depth):
        loop = head.format(level=level)
        body = f"{loop} {{\n%s{level} = arith.addi %x, %x : i32\n{body}}}\n"
    return f"func.func @f(%x: i32, %l: index, %m: memref<4xi32>) {{\n{body}return\n}}"


@pytest.mark.parametrize(
    ("argument", "head"),
    [
        ("canonicalize", "scf.for %i{level} = %l to %l step %l"),
        ("loop-invariant-code-motion", "scf.for %i{level} = %l to %l step %l"),
        (
            "func.func(affine-loop-invariant-code-motion)",
            "affine.for %i{level} = 0 to 4",
        ),
    ],
)
def test_effects_are_computed_as_often_for_an_operation_in_a_deep_nest(
    argument: str, head: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[object] = []

    def counting(op: Operation) -> memory_effects.Effects | None:
        calls.append(op)
        return own_effects(op)

    own_effects = memory_effects.own_effects
    for user in (memory_effects, affine_loop_invariant_code_motion):
        monkeypatch.setattr(user, "own_effects", counting)
    counts = []
    for depth in (10, 20):
        calls.clear()
        result_of(nest_of(depth, head), argument)
        counts.append(len(calls))

    assert 0 < counts[1] <= 2.2 * counts[0]
