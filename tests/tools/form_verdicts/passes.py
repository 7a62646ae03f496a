"""What the passes of the specs in this folder do to IR, truly or not as they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType

from xdsl.dialects.builtin import IntegerAttr, UnregisteredOp, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from passgen_runtime import (
    OperationPass,
    Pass,
    PassOptions,
    PassRegistry,
    resolve_pipeline,
)

Deed = Callable[[Pass], None]


def steps_are_one(operation: Operation) -> Iterator[str]:
    """Yield each loop with another step than one."""
    for inner in operation.walk():
        step = inner.attributes.get("step")
        if isinstance(step, IntegerAttr) and step.value.data != 1:
            yield f"'{name_of(inner)}' operation with the step {step.value.data}"


def name_of(operation: Operation) -> str:
    """Return the name of an operation, registered or not."""
    if isinstance(operation, UnregisteredOp):
        return operation.op_name.data
    return operation.name


def create(name: str, like: Operation | None = None) -> Operation:
    """Return a new operation without operands, with the attributes of another."""
    attributes = dict(like.attributes) if like else {}
    attributes.pop("op_name__", None)
    return UnregisteredOp.with_name(name).create(attributes=attributes)


def insert(name: str) -> Deed:
    """Return a deed that puts an operation before all others of each function."""

    def deed(self: Pass) -> None:
        for function in _functions(self.operation):
            first = function.body.block.first_op
            assert first
            function.body.block.insert_op_before(create(name), first)

    return deed


def lower(prefixes: tuple[str, ...], name: str) -> Deed:
    """Return a deed that replaces operations whose names begin so, by new ones."""

    def deed(self: Pass) -> None:
        for inner in [*self.operation.walk()]:
            if inner is not self.operation and name_of(inner).startswith(prefixes):
                block = inner.parent_block()
                assert block
                block.insert_op_before(create(name, inner), inner)
                block.erase_op(inner)

    return deed


def set_step(value: int) -> Deed:
    """Return a deed that sets the step of each loop."""

    def deed(self: Pass) -> None:
        for inner in self.operation.walk():
            if name_of(inner) == "loop.for":
                inner.attributes["step"] = IntegerAttr(value, i32)

    return deed


def fold(self: Pass) -> None:
    """Find no constant to fold: there is none in the IR of the tests."""
    assert all(name_of(inner) != "arith.constant" for inner in self.operation.walk())


def run_later(registry: PassRegistry) -> Deed:
    """Return a deed that runs the pipeline of the option on each function."""

    def deed(self: Pass) -> None:
        assert isinstance(self, OperationPass)
        pipeline = resolve_pipeline(
            self.options.body, registry=registry, context=self.context
        )
        for function in [*_functions(self.operation)]:
            self.run_pipeline(pipeline, function)

    return deed


def nothing(self: Pass) -> None:
    """Change nothing."""
    del self


def _functions(operation: Operation) -> Iterator[FuncOp]:
    yield from (inner for inner in operation.walk() if isinstance(inner, FuncOp))


DEEDS: dict[str, Deed] = {
    "split-kernels": insert("kernel.part"),
    "lower-kernels": lower(("kernel.",), "loop.for"),
    "lower-matmuls": lower(("kernel.matmul",), "loop.for"),
    "rebuild-kernels": insert("kernel.rebuilt"),
    "tune-kernels": insert("kernel.tuned"),
    "clone-kernels": insert("kernel.clone"),
    "hoist-loops": insert("kernel.hoisted"),
    "unroll-loops": insert("kernel.unrolled"),
    "lower-loops": lower(("loop.",), "low.loop"),
    "fold-constants": fold,
    "finish-low": lower(("kernel.", "loop."), "low.call"),
    "cast-values": insert("cast.value"),
    "scale-steps": set_step(2),
    "normalize-steps": set_step(1),
    "vendor-lower": lower(("kernel.",), "low.call"),
}
"""The deeds by the arguments of their passes; all others change nothing."""


class VendorLower(OperationPass[PassOptions]):
    """A pass that no spec declares; it lowers kernels."""

    argument = "vendor-lower"
    run_on_operation = DEEDS["vendor-lower"]


class VendorIdle(OperationPass[PassOptions]):
    """A pass that no spec declares; it changes nothing."""

    argument = "vendor-idle"
    run_on_operation = nothing


def register(module: ModuleType, registry: PassRegistry) -> None:
    """Register a class for each base class of a generated module, with its deed."""
    deeds = {**DEEDS, "run-later": run_later(registry)}
    for name, base in vars(module).items():
        if name.endswith("PassBase"):
            deed = deeds.get(base.argument, nothing)
            registry.register_pass(type(name, (base,), {"run_on_operation": deed}))
