"""What a pass has outside the IR: detached and parsed operations, modules of its own."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from tests.mlir_ir.mlir_trial import (
    Native,
    Trial,
    Work,
    first_function,
    name_of,
    operations_in,
)

BRANCHES = """\
func.func @f(%a: i32, %c: i1) -> i32 {
  %0 = arith.addi %a, %a : i32
  cf.cond_br %c, ^bb1, ^bb2(%a : i32)
^bb1:
  %1 = arith.muli %0, %a : i32
  cf.br ^bb2(%1 : i32)
^bb2(%r: i32):
  return %r : i32
}
"""


def trash_of(pass_: Native, kind: str) -> Any:  # noqa: ANN401 - of any bindings
    """Return what blocks can be moved to; there is no other way to erase them."""
    ir = pass_.context.bindings.ir
    location = ir.Location.unknown(pass_.operation.context)
    if kind == "module":
        return ir.Module.create(location)
    return ir.Operation.create("builtin.module", regions=1, loc=location, ip=False)


@pytest.mark.parametrize("kind", ["module", "operation"])
@pytest.mark.parametrize("end", ["erase", "let go"])
def test_a_block_is_erased_by_moving_it(trial: Trial, kind: str, end: str) -> None:
    kept: list[Any] = []

    def erase_block(pass_: Native) -> None:
        ir = pass_.context.bindings.ir
        entry, dead, target = first_function(pass_).regions[0].blocks
        addition, branch = entry.operations
        with ir.InsertionPoint(branch), branch.location:
            ir.Operation.create(
                "cf.br", operands=[entry.arguments[0]], successors=[target]
            )
        branch.operation.erase()
        trash = trash_of(pass_, kind)
        dead.append_to(trash.operation.regions[0])
        kept.extend((dead, next(iter(dead.operations)).results[0]))
        if end == "erase" and kind == "operation":
            trash.erase()
        del trash
        addition.operation.erase()

    trial.module = trial.context.parse(BRANCHES, "in.mlir")
    trial.run("builtin.module(do,cse)", erase_block)
    assert "cf.br ^bb1(%arg0 : i32)" in trial.context.print(trial.module)
    block, value = kept
    del kept[:]
    gc.collect()
    assert len(list(block.operations)) == 2
    assert "arith.muli" in str(value)


def move_a_block_that_is_branched_to(pass_: Native) -> None:
    _, target, _ = first_function(pass_).regions[0].blocks
    target.append_to(trash_of(pass_, "module").operation.regions[0])


def move_a_block_whose_value_is_used(pass_: Native) -> None:
    _, dead, target = first_function(pass_).regions[0].blocks
    product, _ = dead.operations
    (end,) = target.operations
    end.operation.operands[0] = product.results[0]
    dead.append_to(trash_of(pass_, "operation").operation.regions[0])


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (
            move_a_block_that_is_branched_to,
            (
                "the pass has erased 'builtin.module' at in.mlir:0:0, and 'cf.cond_br' "
                "at in.mlir:3:3 branches to a block of it: let it branch elsewhere "
                "before"
            ),
        ),
        (
            move_a_block_whose_value_is_used,
            (
                "'builtin.module' at loc(unknown) is outside the IR, and 'func.return' "
                "at in.mlir:8:3 uses a value that is inside: give it an insertion point"
            ),
        ),
    ],
)
def test_what_is_moved_away_must_not_be_in_use(
    trial: Trial, work: Work, expected: str
) -> None:
    trial.module = trial.context.parse(BRANCHES, "in.mlir")
    failure = trial.failure("builtin.module(do)", work)
    assert expected.replace("in.mlir:0:0", "loc(unknown)") in "\n".join(
        (*failure, *trial.said)
    )


def test_what_is_in_a_module_of_a_pass_is_there_while_the_pass_runs(
    trial: Trial,
) -> None:
    names: list[str] = []

    def move_away(pass_: Native) -> None:
        functions = pass_.operation.regions[0].blocks[0].operations
        others = operations_in(pass_.operation)
        for each in functions:
            trash_of(pass_, "module").body.append(each)
        names.extend(name_of(each) for each in others)

    trial.run("builtin.module(do,cse)", move_away)
    assert names == ["f", "g", "h"]


def test_a_parsed_operation_is_outside_the_ir(trial: Trial) -> None:
    def use_parsed(pass_: Native) -> None:
        ir = pass_.context.bindings.ir
        text = "%0 = arith.constant 1 : i32"
        one = ir.Operation.parse(text, context=pass_.operation.context)
        operations_in(first_function(pass_))[0].operation.operands[0] = one.result

    failure = trial.failure("builtin.module(do)", use_parsed)
    assert (
        "'arith.constant' at -:1:6 is outside the IR, and 'arith.addi' at in.mlir:2:8 "
        "uses its result 0: give it an insertion point"
    ) in "\n".join((*failure, *trial.said))


def test_another_handle_to_what_is_detached_outlives_the_pass(trial: Trial) -> None:
    kept: list[Any] = []

    def detach(pass_: Native) -> None:
        one, other = (operations_in(pass_.operation)[1].operation for _ in range(2))
        kept.append(other.regions[0].blocks[0])
        one.detach_from_parent()

    trial.run("builtin.module(do,cse)", detach)
    gc.collect()
    assert [each.operation.name for each in kept[0].operations] == ["func.return"]


def test_another_handle_puts_back_what_was_detached(trial: Trial) -> None:
    def move_to_the_end(pass_: Native) -> None:
        one, other = (operations_in(pass_.operation)[0].operation for _ in range(2))
        one.detach_from_parent()
        pass_.operation.regions[0].blocks[0].append(other)

    trial.run("builtin.module(do)", move_to_the_end)
    gc.collect()
    assert [name_of(each) for each in operations_in(trial.module)] == ["g", "h", "f"]


def append_a_whole_module(pass_: Native) -> None:
    module = trash_of(pass_, "module")
    pass_.operation.regions[0].blocks[0].append(module.operation)


def erase_a_whole_module(pass_: Native) -> None:
    module = trash_of(pass_, "module")
    module.operation.erase()


@pytest.mark.parametrize(
    ("work", "done"),
    [(append_a_whole_module, "moved"), (erase_a_whole_module, "erased")],
)
def test_a_module_keeps_its_operation(trial: Trial, work: Work, done: str) -> None:
    failure = trial.failure("builtin.module(do)", work)
    assert failure[0] == (
        f"'builtin.module' at loc(unknown) cannot be {done}: a `Module` owns it; take a "
        "clone of it"
    )
