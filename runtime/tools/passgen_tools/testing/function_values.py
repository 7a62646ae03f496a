"""Values of xDSL's interpreter that have the types of the IR, and memory to hold them.

xDSL's interpreter computes floats of all types with double precision, and knows no
memory without a value. A value that is poison is `None`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import copysign, inf, prod
from numbers import Real
from operator import index
from typing import Any, Final, Self, TypeAlias

from xdsl.dialects import memref, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
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

_Value: TypeAlias = Any
_Values: TypeAlias = tuple[Any, ...]
_Allocated: TypeAlias = MemRefType[Any] | TensorType[Any]

_FLOATS: Final = (Float16Type, BFloat16Type, Float32Type, Float64Type)


def typed(value: _Value, type_: Attribute) -> _Value:
    """Return the value of a type that a value stands for: floats are rounded.

    Raises:
        TypeError: it is of another kind.
    """
    is_integer = isinstance(type_, IntegerType | IndexType)
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
        super().set_values((place, typed(value, place.type)) for place, value in pairs)


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
    """Implementations of operations that allocate memory."""

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


def _allocate(
    interpreter: Interpreter, type_: _Allocated, args: Sequence[int]
) -> _Values:
    shape = shape_of(type_, args)
    element_type = xtype_for_el_type(type_.element_type, interpreter.index_bitwidth)
    data = TypedPtr[Any].zeros(prod(shape), xtype=element_type)
    return (_Memory(data, shape, set()),)
