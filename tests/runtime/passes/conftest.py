"""Programs that xDSL's interpreter runs before and after a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from xdsl.dialects import affine, func
from xdsl.dialects.builtin import AffineMapAttr, IndexType, ModuleOp
from xdsl.interpreter import (
    Interpreter,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.interpreters.affine import AffineFunctions
from xdsl.interpreters.arith import ArithFunctions
from xdsl.interpreters.cf import CfFunctions
from xdsl.interpreters.func import FuncFunctions
from xdsl.interpreters.memref import MemRefFunctions
from xdsl.interpreters.scf import ScfFunctions
from xdsl.interpreters.shaped_array import ShapedArray
from xdsl.interpreters.utils.ptr import TypedPtr

from passgen_runtime import parse_pass_manager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl_versions import number_of, scalar_of
from passgen_tools.opt import shipped_registry

MEMORY_SIZE = 16
"""Elements of the memref that a program gets."""


def _evaluate(bound: AffineMapAttr, operands: Sequence[object]) -> tuple[int, ...]:
    map_, numbers = bound.data, [*map(number_of, operands)]
    return map_.eval(numbers[: map_.num_dims], numbers[map_.num_dims :])


def _in_bounds(memory: ShapedArray[int], indices: tuple[int, ...]) -> tuple[int, ...]:
    for index, size in zip(indices, memory.shape, strict=True):
        assert 0 <= index < size, f"access to {indices} of {memory.shape}"
    return indices


@register_impls
class FullAffineFunctions(AffineFunctions):
    """The affine dialect with operands of bounds and symbols, which xDSL's class lacks."""

    @impl(affine.ForOp)
    def run_for(
        self, interpreter: Interpreter, op: affine.ForOp, args: PythonValues
    ) -> PythonValues:
        num_lower, num_upper = len(op.lowerBoundOperands), len(op.upperBoundOperands)
        lower = max(_evaluate(op.lowerBoundMap, args[:num_lower]))
        args = args[num_lower:]
        upper = min(_evaluate(op.upperBoundMap, args[:num_upper]))
        carried = args[num_upper:]
        for number in range(lower, upper, op.step.value.data):
            index = scalar_of(number, IndexType())
            carried = interpreter.run_ssacfg_region(op.body, (index, *carried))
        return carried

    @impl(affine.LoadOp)
    def run_load(
        self, interpreter: Interpreter, op: affine.LoadOp, args: PythonValues
    ) -> PythonValues:
        del interpreter
        memory, *operands = args
        loaded = memory.load(_in_bounds(memory, _evaluate(op.map, operands)))
        return (scalar_of(loaded, op.result.type),)

    @impl(affine.StoreOp)
    def run_store(
        self, interpreter: Interpreter, op: affine.StoreOp, args: PythonValues
    ) -> PythonValues:
        del interpreter
        value, memory, *operands = args
        indices = _in_bounds(memory, _evaluate(op.map, operands))
        memory.store(indices, number_of(value))
        return ()

    @impl(affine.ApplyOp)
    def run_apply(
        self, interpreter: Interpreter, op: affine.ApplyOp, args: PythonValues
    ) -> PythonValues:
        del interpreter
        (found,) = _evaluate(op.map, args)
        return (scalar_of(found, op.result.type),)


@dataclass(frozen=True)
class Outcome:
    """The results of a program, and its memory afterwards."""

    results: tuple[object, ...]
    memory: tuple[int, ...]


class Program:
    """A module whose function `main` takes a memref<16xi64> and other arguments."""

    def __init__(self, text: str) -> None:
        self.context = XDSLContext()
        module = self.context.parse(text, "program.mlir")
        assert isinstance(module, ModuleOp)
        self.module = module
        self.context.verify(module)

    def run_passes(self, pipeline: str) -> None:
        parse_pass_manager(pipeline, self.context, shipped_registry()).run(self.module)

    def __call__(self, *arguments: float) -> Outcome:
        """Run the program; arguments are numbers."""
        interpreter = Interpreter(self.module, index_bitwidth=64)
        for functions in (
            FullAffineFunctions(),
            ArithFunctions(),
            CfFunctions(),
            FuncFunctions(),
            MemRefFunctions(),
            ScfFunctions(),
        ):
            interpreter.register_implementations(functions)
        memory = ShapedArray(TypedPtr.new_int64(range(MEMORY_SIZE)), [MEMORY_SIZE])
        main = self.module.body.block.first_op
        assert isinstance(main, func.FuncOp)
        types = main.function_type.inputs.data[1:]
        values = map(scalar_of, arguments, types)
        results = interpreter.call_op("main", (memory, *values))
        return Outcome(tuple(map(number_of, results)), tuple(memory.data))

    def __str__(self) -> str:
        return self.context.print(self.module)


@pytest.fixture(scope="session")
def program() -> Callable[[str], Program]:
    """Return the class of programs: its text is the argument."""
    return Program
