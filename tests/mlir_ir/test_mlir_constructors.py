"""Constructors of the bindings that would end the process look at what they get."""

from __future__ import annotations

import pytest

from passgen_runtime.ir.mlir import MLIRContext
from tests.mlir_ir.mlir_trial import (
    Native,
    Trial,
    Work,
    first_function,
    operations_in,
)


def insert_before_the_module(pass_: Native) -> None:
    pass_.context.bindings.ir.InsertionPoint(pass_.operation)


def insert_before_a_copy(pass_: Native) -> None:
    copy = first_function(pass_).clone(ip=False)
    pass_.context.bindings.ir.InsertionPoint(beforeOperation=copy)


def look_up_one_name_of_two(pass_: Native) -> None:
    ir = pass_.context.bindings.ir
    second = operations_in(pass_.operation)[1].operation
    second.attributes["sym_name"] = ir.StringAttr.get("f", pass_.operation.context)
    ir.SymbolTable(pass_.operation)


def infer_for_a_name(pass_: Native) -> None:
    pass_.context.bindings.ir.InferTypeOpInterface("arith.addi", pass_.context.mlir)


NOT_BEFORE = "is in no block: there is no insertion point before it"


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (insert_before_the_module, f"'builtin.module' at in.mlir:0:0 {NOT_BEFORE}"),
        (
            look_up_one_name_of_two,
            (
                "there is no symbol table of 'builtin.module' at in.mlir:0:0: "
                "'func.func' at in.mlir:1:1 and 'func.func' at in.mlir:7:1 are both "
                "called 'f'"
            ),
        ),
        (
            infer_for_a_name,
            (
                "found 'arith.addi', expected an operation or the class of one, such "
                "as 'arith.AddIOp'"
            ),
        ),
    ],
)
def test_it_is_an_error(trial: Trial, work: Work, expected: str) -> None:
    assert trial.failure("builtin.module(do)", work)[0] == expected


def test_before_what_is_detached_is_an_error(trial: Trial) -> None:
    failure = trial.failure("builtin.module(do)", insert_before_a_copy)
    assert failure[0] == f"'func.func' at in.mlir:1:1 {NOT_BEFORE}"


def test_insertion_points_are_made_in_all_ways(any_context: MLIRContext) -> None:
    ir = any_context.bindings.ir
    module = any_context.parse("module { func.func private @f() }", "in.mlir")
    block = module.regions[0].blocks[0]
    (function,) = block.operations
    points = {
        "before": ir.InsertionPoint(function),
        "before by name": ir.InsertionPoint(beforeOperation=function.operation),
        "at the end": ir.InsertionPoint(block),
        "after the last": ir.InsertionPoint.after(function),
        "at the beginning": ir.InsertionPoint.at_block_begin(block),
    }
    assert all(isinstance(each, ir.InsertionPoint) for each in points.values())
    assert all(each.block == block for each in points.values())
    assert {name for name, each in points.items() if each.ref_operation is None} == {
        "at the end",
        "after the last",
    }
    with points["before"] as point, function.location:
        assert ir.InsertionPoint.current is point
        ir.Operation.create("builtin.module", regions=1)
    assert [each.operation.name for each in block.operations] == [
        "builtin.module",
        "func.func",
    ]


def test_where_nothing_runs_constructors_do_what_they_did(
    any_context: MLIRContext,
) -> None:
    ir = any_context.bindings.ir
    module = any_context.parse("module { func.func private @f() }", "in.mlir")
    with pytest.raises(ValueError, match="Detached operations have no parent"):
        ir.InsertionPoint(module)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        ir.InsertionPoint(3)
    assert "f" in ir.SymbolTable(module)
