"""The interpreter of the transform dialect in passes: it erases as native passes do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from passgen_runtime.ir.mlir import MLIRContext, Operation
from tests.mlir_ir.mlir_trial import Native, Trial, operations_in

LOOP = """\
func.func @l(%m: memref<16xf32>, %c: f32) {
  %z = arith.constant 0 : index
  %u = arith.constant 8 : index
  %s = arith.constant 1 : index
  scf.for %i = %z to %u step %s {
    memref.store %c, %m[%i] : memref<16xf32>
  }
  return
}
"""
UNROLL = """\
transform.named_sequence @__transform_main(%r: !transform.any_op) {
  %l = transform.structured.match ops{["scf.for"]} in %r
      : (!transform.any_op) -> !transform.any_op
  transform.loop.unroll %l {factor = 8} : !transform.any_op
  transform.yield
}
"""
INVALID = "the operation has been invalidated"


def module_of(*parts: str) -> str:
    return f"module attributes {{transform.with_named_sequence}} {{\n{''.join(parts)}}}"


@pytest.fixture
def trial() -> Trial:
    trial = Trial("mlir")
    trial.module = trial.context.parse(module_of(LOOP, UNROLL), "in.mlir")
    return trial


def loops_in(module: Operation) -> list[Native]:
    function = operations_in(module)[0]
    return [each for each in operations_in(function) if each.name == "scf.for"]


def apply(pass_: Native, payload: Native, sequence: Native, module: Native) -> None:
    from mlir.dialects.transform import interpreter  # noqa: PLC0415 - in the pass

    assert pass_.context.bindings.package == "mlir"
    interpreter.apply_named_sequence(payload, sequence, module)


def in_one_module(pass_: Native) -> tuple[Native, Native, Native]:
    return pass_.operation, operations_in(pass_.operation)[1], pass_.operation


def from_another_module(pass_: Native) -> tuple[Native, Native, Native]:
    ir = pass_.context.bindings.ir
    script = ir.Module.parse(module_of(UNROLL), pass_.context.mlir)
    return pass_.operation, operations_in(script.operation)[0], script.operation


def of_a_sequence_outside(pass_: Native) -> tuple[Native, Native, Native]:
    ir = pass_.context.bindings.ir
    library = ir.Module.parse(module_of(), pass_.context.mlir)
    return pass_.operation, operations_in(pass_.operation)[1], library.operation


@pytest.mark.parametrize(
    "given", [in_one_module, from_another_module, of_a_sequence_outside]
)
def test_what_a_transformation_erases_is_invalid(
    trial: Trial, given: Callable[[Native], tuple[Native, Native, Native]]
) -> None:
    texts: list[str] = []

    def work(pass_: Native) -> None:
        (loop,) = loops_in(pass_.operation)
        variable = loop.regions[0].blocks[0].arguments[0]
        apply(pass_, *given(pass_))
        texts.append(str(variable.type))
        with pytest.raises(RuntimeError, match=INVALID):
            str(loop)

    trial.run("builtin.module(do,cse)", work)
    assert loops_in(trial.module) == []
    assert texts == ["index"]
    assert trial.context.print(trial.module).count("memref.store") == 8


def test_it_can_be_applied_to_a_function_that_the_pass_goes_on_with(
    trial: Trial,
) -> None:
    def work(pass_: Native) -> None:
        function, sequence = operations_in(pass_.operation)
        apply(pass_, function, sequence, pass_.operation)
        function.attributes["done"] = pass_.context.bindings.ir.UnitAttr.get()

    with trial.context.mlir:
        trial.run("builtin.module(do)", work)
    assert "done" in operations_in(trial.module)[0].attributes
    assert loops_in(trial.module) == []


def test_a_loop_that_is_the_payload_and_goes_is_invalid(trial: Trial) -> None:
    def work(pass_: Native) -> None:
        (loop,) = loops_in(pass_.operation)
        apply(pass_, loop, operations_in(pass_.operation)[1], pass_.operation)
        with pytest.raises(RuntimeError, match=INVALID):
            str(loop)

    trial.run("builtin.module(do)", work)
    assert loops_in(trial.module) == []


def test_a_script_of_another_context_is_an_error(trial: Trial) -> None:
    def work(pass_: Native) -> None:
        other = MLIRContext().parse(module_of(UNROLL), "script.mlir")
        apply(pass_, pass_.operation, operations_in(other)[0], other)

    failure = trial.failure("builtin.module(do)", work)
    assert failure[0] == (
        "'transform.named_sequence' at script.mlir:2:1 is of another context of MLIR: "
        "parse or build it in this one"
    )


def test_symbols_that_others_take_the_place_of_are_invalid(trial: Trial) -> None:
    def work(pass_: Native) -> None:
        from mlir.dialects.transform import interpreter  # noqa: PLC0415 - in the pass

        ir = pass_.context.bindings.ir
        held = operations_in(pass_.operation)[1]
        library = ir.Module.parse(module_of(), pass_.context.mlir)
        interpreter.copy_symbols_and_merge_into(pass_.operation, library.operation)
        with pytest.raises(RuntimeError, match=INVALID):
            str(held)

    trial.run("builtin.module(do)", work)
