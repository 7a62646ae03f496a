"""Values of xDSL's interpreter that have the types of the IR, and memory to hold them.

xDSL's interpreter computes floats of all types with double precision, and knows no
memory without a value. A value that is poison is `None`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import copysign, inf, prod
from numbers import Real
from operator import index
from typing import Any, Final, Self, TypeAlias

from xdsl.dialects import affine, linalg, memref, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    TensorType,
)
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    impl,
    register_impls,
)
from xdsl.interpreters.builtin import xtype_for_el_type
from xdsl.interpreters.shaped_array import ShapedArray
from xdsl.interpreters.utils.ptr import TypedPtr
from xdsl.ir import Attribute, SSAValue

from passgen_runtime.ir.xdsl_versions import number_of, scalar_of

_Operation: TypeAlias = Any
_Value: TypeAlias = Any
_Values: TypeAlias = tuple[Any, ...]
_Allocated: TypeAlias = MemRefType[Any] | TensorType[Any]

_FLOATS: Final = (Float16Type, BFloat16Type, Float32Type, Float64Type)
_INTEGERS: Final = (IntegerType, IndexType)
_SCALARS: Final = _FLOATS + _INTEGERS


def typed(value: _Value, type_: Attribute) -> _Value:
    """Return the value of a type that a value stands for: floats are rounded.

    Raises:
        TypeError: it is of another kind.
    """
    is_integer = isinstance(type_, _INTEGERS)
    if value is None or not (is_integer or isinstance(type_, _FLOATS)):
        return value
    if is_integer and hasattr(value, "__index__"):
        return index(value)
    if isinstance(type_, _FLOATS) and isinstance(value, Real):
        try:
            return type_.unpack(type_.pack([float(value)]), 1)[0]
        except OverflowError:
            return copysign(inf, value)
    raise TypeError(f"{value!r} is no value of type '{type_}'")


class TypedInterpreter(Interpreter):
    """An interpreter in which each value has the type of the IR."""

    def set_values(self, pairs: Iterable[tuple[SSAValue, _Value]]) -> None:
        """Set values to the current scope."""
        super().set_values(
            (place, _interpreted(value, place.type)) for place, value in pairs
        )


def _interpreted(value: _Value, type_: Attribute) -> _Value:
    """Return a value or a number as the interpreter has values of a type."""
    number = typed(number_of(value), type_)
    is_scalar = isinstance(type_, _SCALARS) and number is not None
    return scalar_of(number, type_) if is_scalar else number


def shape_of(allocated: _Allocated, sizes: Sequence[int]) -> list[int]:
    """Return the shape of memory that is allocated with dynamic sizes."""
    left = iter(sizes)
    return [
        next(left) if size == DYNAMIC_INDEX else size for size in allocated.get_shape()
    ]


@dataclass
class _Memory(ShapedArray[_Value]):
    """Memory that knows which of its elements have a value."""

    stored: set[int] | None = None
    """The offsets of elements that have a value; `None` if all have."""

    @property
    def data_ptr(self) -> TypedPtr[_Value]:
        """The data as a whole; all elements count as stored from then on."""
        self.stored = None
        return super().data_ptr

    def copy(self) -> Self:
        """Return a copy, in which the same elements have a value."""
        copy = super().copy()
        copy.stored = None if self.stored is None else {*self.stored}
        return copy

    def load(self, index: Sequence[int]) -> _Value:
        """Return an element; poison if it has no value."""
        if self.stored is not None and self.offset(index) not in self.stored:
            return None
        return super().load(index)

    def store(self, index: Sequence[int], value: _Value) -> None:
        """Set an element."""
        super().store(index, value)
        if self.stored is not None:
            self.stored.add(self.offset(index))


@register_impls
class MemoryFunctions(InterpreterFunctions):
    """Implementations of operations that allocate memory or read an element of it."""

    @impl(memref.AllocOp)
    def run_alloc(
        self, interpreter: Interpreter, operation: memref.AllocOp, args: _Values
    ) -> _Values:
        """Allocate a memref."""
        return _allocate(interpreter, operation.memref.type, args)

    @impl(tensor.EmptyOp)
    def run_empty(
        self, interpreter: Interpreter, operation: tensor.EmptyOp, args: _Values
    ) -> _Values:
        """Return a tensor whose elements have no value."""
        return _allocate(interpreter, operation.tensor.type, args)

    # Those of xDSL cannot return poison, which has no attribute.

    @impl(memref.LoadOp)
    def run_load(
        self, _interpreter: Interpreter, _operation: memref.LoadOp, args: _Values
    ) -> _Values:
        """Load an element of a memref."""
        loaded, *indices = args
        return (loaded.load([*map(number_of, indices)]),)

    @impl(tensor.ExtractOp)
    def run_extract(
        self, _interpreter: Interpreter, _operation: tensor.ExtractOp, args: _Values
    ) -> _Values:
        """Return an element of a tensor."""
        source, *indices = args
        return (source.load([*map(number_of, indices)]),)

    @impl(affine.LoadOp)
    def run_affine_load(
        self, _interpreter: Interpreter, operation: affine.LoadOp, args: _Values
    ) -> _Values:
        """Load an element of a memref at the place that a map computes."""
        loaded, *operands = args
        indices = operation.map.data.eval([*map(number_of, operands)], [])
        return (loaded.load(indices),)

    @impl(affine.ForOp)
    def run_for(
        self, interpreter: Interpreter, operation: affine.ForOp, args: _Values
    ) -> _Values:
        """Run a loop; xDSL's function has no operands, results or several blocks."""
        num_lower = len(operation.lowerBoundOperands)
        num_bounds = num_lower + len(operation.upperBoundOperands)
        lower = max(_evaluate(operation.lowerBoundMap, args[:num_lower]))
        upper = min(_evaluate(operation.upperBoundMap, args[num_lower:num_bounds]))
        carried = args[num_bounds:]
        for induction in range(lower, upper, operation.step.value.data):
            elements = (induction, *carried)
            carried = interpreter.run_ssacfg_region(operation.body, elements)
        return carried


def _evaluate(bound: AffineMapAttr, operands: _Values) -> tuple[int, ...]:
    map_, numbers = bound.data, [*map(number_of, operands)]
    return map_.eval(numbers[: map_.num_dims], numbers[map_.num_dims :])


def _allocate(interpreter: Interpreter, type_: _Allocated, args: _Values) -> _Values:
    shape = shape_of(type_, [*map(number_of, args)])
    element_type = xtype_for_el_type(type_.element_type, interpreter.index_bitwidth)
    data = TypedPtr[Any].zeros(prod(shape), xtype=element_type)
    return (_Memory(data, shape, set()),)


_STRUCTURED: Final = (
    linalg.ops.AddOp,
    linalg.ops.ExpOp,
    linalg.ops.GenericOp,
    linalg.ops.LogOp,
    linalg.ops.MatmulOp,
    linalg.ops.MulOp,
    linalg.ops.SqrtOp,
    linalg.ops.TransposeOp,
)
"""Operations that run their body on each element."""


def _run_structured(
    _functions: object, interpreter: Interpreter, operation: _Operation, args: _Values
) -> _Values:
    """Run the body of an operation on the elements of its operands.

    The function of xDSL stores all outputs in the first one, and cannot read an element
    without a value, which most bodies do not use.
    """
    num_inputs = len(operation.inputs)
    outputs = args[num_inputs:]
    is_called = getattr(operation, "library_call", None) is not None
    if is_called or not all(isinstance(each, ShapedArray) for each in outputs):
        raise NotImplementedError
    if operation.results:
        outputs = tuple(output.copy() for output in outputs)
    operands = (*args[:num_inputs], *outputs)
    shapes = [each.shape for each in operands if isinstance(each, ShapedArray)]
    dimensions = [size for shape in shapes for size in shape]
    sizes = operation.get_shapes_to_loops_map().eval(dimensions, [])
    maps = [map_.data for map_ in operation.get_indexing_maps()]
    for iteration in product(*map(range, sizes)):
        places = [map_.eval(iteration, []) for map_ in maps]
        elements = tuple(
            operand.load(place) if isinstance(operand, ShapedArray) else operand
            for operand, place in zip(operands, places, strict=True)
        )
        found = interpreter.run_ssacfg_region(operation.body, elements)
        stores = zip(outputs, places[num_inputs:], found, strict=True)
        for output, place, element in stores:
            output.store(place, number_of(element))
    return outputs if operation.results else ()


StructuredFunctions: Final[type[InterpreterFunctions]] = register_impls(
    type(
        "StructuredFunctions",
        (InterpreterFunctions,),
        {operation.name: impl(operation)(_run_structured) for operation in _STRUCTURED},
    )
)
