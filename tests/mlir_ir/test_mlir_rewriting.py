"""Pattern rewriting with the bindings, in passes: jaxlib's have none of it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from passgen_runtime.ir.mlir import MLIRContext
from tests.mlir_bindings_needed import require_bindings
from tests.mlir_ir.mlir_trial import (
    SOURCE,
    Native,
    Trial,
    Work,
    first_function,
    operations_in,
)

require_bindings("mlir")

# They are not everywhere: the line above skips the file where they are missing.
from mlir import ir, rewrite  # noqa: E402
from mlir.dialects import arith, func  # noqa: E402
from mlir.passmanager import PassManager  # noqa: E402
from mlir.rewrite import (  # noqa: E402
    apply_patterns_and_fold_greedily,
    walk_and_apply_patterns,
)

Rewriter: TypeAlias = Any
Pattern: TypeAlias = Callable[[Native, Rewriter], object]

NESTED = """\
func.func @f(%a: i32, %n: index) -> i32 {
  %0 = arith.constant 0 : index
  %1 = scf.for %i = %0 to %n step %n iter_args(%k = %a) -> i32 {
    %2 = arith.addi %k, %a : i32
    scf.yield %2 : i32
  }
  return %1 : i32
}
"""


@pytest.fixture
def package() -> str:
    return "mlir"


def frozen(pattern: Pattern, root: object = arith.AddIOp) -> Native:
    patterns = rewrite.RewritePatternSet(context=ir.Context.current)
    patterns.add(root, pattern)
    return patterns.freeze()


def greedily(pattern: Pattern, root: object = arith.AddIOp) -> Work:
    """Return a pass that applies `pattern` until nothing changes."""

    def work(pass_: Native) -> None:
        with pass_.context.mlir:
            apply_patterns_and_fold_greedily(pass_.operation, frozen(pattern, root))

    return work


def by_walk(pattern: Pattern, root: object = arith.AddIOp) -> Work:
    """Return a pass that applies `pattern` once to each operation."""

    def work(pass_: Native) -> None:
        with pass_.context.mlir:
            walk_and_apply_patterns(pass_.operation, frozen(pattern, root))

    return work


def multiplied(operation: Native, rewriter: Rewriter) -> Native:
    with rewriter.ip, operation.location:
        return arith.muli(operation.lhs, operation.rhs)


def multiply(operation: Native, rewriter: Rewriter) -> None:
    rewriter.replace_op(operation, [multiplied(operation, rewriter)])


def multiply_by_erasure(operation: Native, rewriter: Rewriter) -> None:
    """Without the rewriter, which MLIR must hear of all the same."""
    operation.result.replace_all_uses_with(multiplied(operation, rewriter))
    operation.operation.erase()


def replace_by_an_operation(operation: Native, rewriter: Rewriter) -> None:
    rewriter.replace_op(operation, multiplied(operation, rewriter).owner)


@pytest.mark.parametrize("apply", [greedily, by_walk])
@pytest.mark.parametrize(
    "pattern", [multiply, multiply_by_erasure, replace_by_an_operation]
)
def test_patterns_do_what_they_do_elsewhere(
    trial: Trial, apply: Callable[[Pattern], Work], pattern: Pattern
) -> None:
    expected = trial.context.print(trial.module).replace("addi", "muli")
    trial.run("builtin.module(do)", apply(pattern))
    assert trial.context.print(trial.module) == expected
    assert not trial.context.erasures.holds_any


def test_patterns_may_be_applied_to_each_function(trial: Trial) -> None:
    def work(pass_: Native) -> None:
        with pass_.context.mlir:
            patterns = frozen(multiply)
        for function in pass_.operation.regions[0].blocks[0].operations:
            rewrite.apply_patterns_and_fold_greedily(op=function, set=patterns)

    trial.run("builtin.module(do,cse)", work)
    assert trial.context.print(trial.module).count("arith.muli") == 2


def test_a_pattern_may_erase_what_is_around_what_it_has_matched(trial: Trial) -> None:
    def erase_function(operation: Native, rewriter: Rewriter) -> None:
        function = operation.operation.parent
        rewriter.erase_op(function)
        with pytest.raises(RuntimeError, match="has been invalidated"):
            str(operation)
        with pytest.raises(RuntimeError, match="has been invalidated"):
            str(function)

    trial.run("builtin.module(do)", greedily(erase_function))
    assert len(operations_in(trial.module)) == 2


def test_what_a_pass_held_can_be_read_after_patterns(trial: Trial) -> None:
    texts: list[str] = []

    def work(pass_: Native) -> None:
        block = first_function(pass_).regions[0].blocks[0]
        value, operation = block.operations[1].results[0], block.operations[2]
        operations = iter(block.operations)
        greedily(multiply)(pass_)
        texts.extend((str(value), str(next(operations)), str(block.arguments[0])))
        with pytest.raises(RuntimeError, match="has been invalidated"):
            str(operation)

    trial.run("builtin.module(do,cse)", work)
    assert "arith.addi" in texts[0]
    assert "arith.addi" in texts[1]
    assert trial.context.print(trial.module).count("arith.muli") == 2


def test_what_a_pass_held_inside_a_loop_can_be_read_after_a_walk(trial: Trial) -> None:
    """A loop is not isolated from above: what is inside uses what is around it."""
    trial.module = trial.context.parse(NESTED, "in.mlir")
    texts: list[str] = []

    def work(pass_: Native) -> None:
        loop = operations_in(first_function(pass_))[1].operation
        value = operations_in(loop)[0].results[0]
        with pass_.context.mlir:
            walk_and_apply_patterns(loop, frozen(multiply))
        texts.append(str(value))

    trial.run("builtin.module(do)", work)
    assert "arith.addi" in texts[0]
    assert "arith.muli" in trial.context.print(trial.module)


@pytest.mark.parametrize("pattern", [multiply, multiply_by_erasure])
def test_what_a_pattern_keeps_is_invalid_once_it_is_gone(
    trial: Trial, pattern: Pattern
) -> None:
    kept: list[Any] = []

    def keep(operation: Native, rewriter: Rewriter) -> None:
        kept.append(operation.operation.parent)
        kept.append(kept[0].regions[0].blocks[0].operations[0])
        pattern(operation, rewriter)

    def work(pass_: Native) -> None:
        greedily(keep)(pass_)
        gc.collect()
        assert kept[0].name == "func.func"
        with pytest.raises(RuntimeError, match="has been invalidated"):
            str(kept[1])

    trial.run("builtin.module(do)", work)


def test_a_walk_in_a_pattern_survives_what_that_erases(trial: Trial) -> None:
    visited: list[str] = []

    def erase_body(function: Native, rewriter: Rewriter) -> object:
        if len(operations_in(function)) == 1:
            return True

        def visit(each: Native) -> Native:
            visited.append(each.name)
            if each.name == "arith.addi":
                *others, end = operations_in(function)
                end.operation.operands[0] = function.regions[0].blocks[0].arguments[0]
                for other in reversed(others):
                    rewriter.erase_op(other.operation)
            return ir.WalkResult.ADVANCE

        function.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
        return None

    trial.run("builtin.module(do)", greedily(erase_body, func.FuncOp))
    assert visited == ["func.func", "arith.addi", "func.return"]


def replace_by_too_few(operation: Native, rewriter: Rewriter) -> None:
    rewriter.replace_op(operation, [])


def replace_by_itself(operation: Native, rewriter: Rewriter) -> None:
    rewriter.replace_op(operation, [operation.result])


def replace_by_the_operation_itself(operation: Native, rewriter: Rewriter) -> None:
    rewriter.replace_op(operation, operation)


def replace_from_another_context(operation: Native, rewriter: Rewriter) -> None:
    module = MLIRContext("mlir").parse(SOURCE, "other.mlir")
    rewriter.replace_op(operation, [operations_in(operations_in(module)[0])[0].result])


def read_what_was_replaced(operation: Native, rewriter: Rewriter) -> None:
    multiply(operation, rewriter)
    str(operation)


def erase_what_was_replaced(operation: Native, rewriter: Rewriter) -> None:
    multiply(operation, rewriter)
    rewriter.erase_op(operation)


def insert_where_it_was(operation: Native, rewriter: Rewriter) -> None:
    multiply(operation, rewriter)
    rewriter.ip  # noqa: B018 - it ends the process


def insert_at_a_point_that_was(operation: Native, rewriter: Rewriter) -> None:
    type_ = operation.result.type
    with rewriter.ip, operation.location:
        multiply(operation, rewriter)
        arith.constant(type_, 1)


def erase_what_is_used_by_erasure(operation: Native, _rewriter: Rewriter) -> None:
    operation.operation.erase()


def apply_more_patterns(operation: Native, _rewriter: Rewriter) -> None:
    apply_patterns_and_fold_greedily(operation.operation.parent, frozen(multiply))


def run_a_pass_manager(operation: Native, _rewriter: Rewriter) -> None:
    PassManager.parse("any(cse)").run(operation.operation.parent)


def erase_from_a_symbol_table(operation: Native, _rewriter: Rewriter) -> None:
    function = operation.operation.parent
    del ir.SymbolTable(function.parent)["f"]


APPLIED = "patterns are being applied to 'builtin.module' at in.mlir:0:0"
INVALID = "RuntimeError: the operation has been invalidated"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (
            replace_by_too_few,
            "{} cannot be replaced: found 0 values for its 1 results",
        ),
        (replace_by_itself, "{} cannot be replaced by a value of its own"),
        (
            replace_by_the_operation_itself,
            "{} cannot be replaced by a value of its own",
        ),
        (
            replace_from_another_context,
            (
                "a value of type 'i32' is of another context of MLIR: parse or build it "
                "in this one"
            ),
        ),
        (read_what_was_replaced, INVALID),
        (erase_what_was_replaced, INVALID),
        (
            insert_where_it_was,
            (
                "the insertion point of the rewriter was before what the pattern has "
                "erased: insert before that"
            ),
        ),
        (insert_at_a_point_that_was, INVALID),
        (
            erase_what_is_used_by_erasure,
            "{} cannot be erased: 'func.return' at in.mlir:5:3 uses its result 0",
        ),
        (
            apply_more_patterns,
            (
                "'func.func' at in.mlir:1:1 cannot be rewritten by others in a pattern: "
                f"{APPLIED}"
            ),
        ),
        (
            run_a_pass_manager,
            f"'func.func' at in.mlir:1:1 cannot be run on in a pattern: {APPLIED}",
        ),
        (
            erase_from_a_symbol_table,
            (
                "'func.func' at in.mlir:1:1 cannot be erased from a symbol table in a "
                f"pattern: {APPLIED}"
            ),
        ),
    ],
)
def test_it_is_an_error(trial: Trial, pattern: Pattern, expected: str) -> None:
    failure = trial.failure("builtin.module(do)", greedily(pattern))
    assert expected.format("'arith.addi' at in.mlir:4:8") in "\n".join(failure)
    trial.context.print_in_any_state(trial.module)


def test_patterns_are_not_applied_greedily_to_a_loop(trial: Trial) -> None:
    trial.module = trial.context.parse(NESTED, "in.mlir")

    def work(pass_: Native) -> None:
        loop = operations_in(first_function(pass_))[1].operation
        with pass_.context.mlir:
            apply_patterns_and_fold_greedily(loop, frozen(multiply))

    assert trial.failure("builtin.module(do)", work)[0] == (
        "'scf.for' at in.mlir:3:8 is not isolated from above: patterns cannot be applied "
        "to it greedily"
    )


def test_what_patterns_are_applied_to_is_not_erased_by_one(trial: Trial) -> None:
    def erase_function(operation: Native, rewriter: Rewriter) -> None:
        rewriter.erase_op(operation.operation.parent)

    def work(pass_: Native) -> None:
        with pass_.context.mlir:
            patterns = frozen(erase_function)
            apply_patterns_and_fold_greedily(first_function(pass_), patterns)

    assert trial.failure("builtin.module(do)", work)[0] == (
        "'func.func' at in.mlir:1:1 cannot be erased: patterns are being applied to "
        "'func.func' at in.mlir:1:1"
    )


def test_a_walk_erases_nothing_but_what_it_has_matched(trial: Trial) -> None:
    def erase_next(operation: Native, rewriter: Rewriter) -> None:
        *_, total, end = operations_in(operation.operation.parent)
        end.operation.operands[0] = operation.lhs
        rewriter.erase_op(total.operation)

    assert trial.failure("builtin.module(do)", by_walk(erase_next))[0] == (
        "'arith.addi' at in.mlir:4:8 cannot be erased: in walk_and_apply_patterns, a "
        "pattern may erase what it has matched, and what is inside that"
    )


def test_a_value_inside_what_is_erased_is_not_used_outside(trial: Trial) -> None:
    trial.module = trial.context.parse(NESTED, "in.mlir")

    def erase_half(loop: Native, rewriter: Rewriter) -> None:
        addition, end = operations_in(loop)
        end.operation.operands[0] = loop.regions[0].blocks[0].arguments[1]
        addition.operation.move_before(loop)
        rewriter.replace_op(loop, [addition.result])

    failure = trial.failure("builtin.module(do)", greedily(erase_half, "scf.for"))
    assert failure[0] == (
        "'scf.for' at in.mlir:3:8 cannot be erased: 'arith.addi' at in.mlir:4:10 uses a "
        "value that is inside"
    )


def test_a_rewriter_is_not_used_after_its_pattern(trial: Trial) -> None:
    kept: list[Rewriter] = []

    def keep(operation: Native, rewriter: Rewriter) -> None:
        kept.append(rewriter)
        multiply(operation, rewriter)

    def work(pass_: Native) -> None:
        greedily(keep)(pass_)
        kept[0].ip  # noqa: B018 - it ends the process

    failure = trial.failure("builtin.module(do)", work)
    assert failure[0] == "the pattern that this rewriter is for has ended"


@pytest.mark.parametrize("once_more", ["add", "freeze"])
def test_frozen_patterns_stay_as_they_are(trial: Trial, once_more: str) -> None:
    def work(pass_: Native) -> None:
        patterns = rewrite.RewritePatternSet(context=pass_.context.mlir)
        patterns.freeze()
        if once_more == "add":
            patterns.add(arith.AddIOp, multiply)
        else:
            patterns.freeze()

    failure = trial.failure("builtin.module(do)", work)
    assert failure[0] == "the patterns are frozen: make a new set"
    # What follows is not troubled.
    trial.run("builtin.module(do,cse)", greedily(multiply))


def test_functions_of_pdl_patterns_are_patterns(trial: Trial) -> None:
    """They get a rewriter, which ends with them."""
    kept: list[Rewriter] = []
    pattern = """
    pdl.pattern : benefit(1) {
      %type = pdl.type : i32
      %operands = pdl.operands
      %op = pdl.operation "arith.addi"(%operands : !pdl.range<value>)
          -> (%type : !pdl.type)
      pdl.rewrite %op { pdl.apply_native_rewrite "multiply"(%op : !pdl.operation) }
    }
    """

    def multiply_matched(
        rewriter: Rewriter, _results: object, values: list[Any]
    ) -> None:
        kept.append(rewriter)
        multiply(values[0].opview, rewriter)

    def work(pass_: Native) -> None:
        module = ir.Module.parse(pattern, pass_.context.mlir)
        pdl = rewrite.PDLModule(module)
        pdl.register_rewrite_function("multiply", multiply_matched)
        apply_patterns_and_fold_greedily(pass_.operation, pdl.freeze())
        kept[0].ip  # noqa: B018 - it ends the process

    failure = trial.failure("builtin.module(do)", work)
    assert failure[0] == "the pattern that this rewriter is for has ended"
    assert trial.context.print_in_any_state(trial.module).count("arith.muli") == 3


def test_patterns_do_what_they_did_where_nothing_runs() -> None:
    context = MLIRContext("mlir")
    module = context.parse(SOURCE, "in.mlir")
    with context.mlir:
        apply_patterns_and_fold_greedily(module, frozen(multiply))
        walk_and_apply_patterns(module, frozen(multiply))
    assert context.print(module).count("arith.muli") == 3
    assert not context.erasures.holds_any
