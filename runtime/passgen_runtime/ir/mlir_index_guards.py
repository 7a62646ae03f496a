"""Guards of what is read from attributes, types and locations that do not have it.

MLIR checks by assertions that an index is in range, that a number fits 64 bits and that
a location is of the kind asked for.
"""

from __future__ import annotations

from typing import Final

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import InvalidUseError
from passgen_runtime.ir.mlir_guard_checks import Guard, Method

_ARRAYS: Final = (
    *("ArrayAttr", "DenseBoolArrayAttr", "DenseI8ArrayAttr", "DenseI16ArrayAttr"),
    *("DenseI32ArrayAttr", "DenseI64ArrayAttr", "DenseF32ArrayAttr"),
    "DenseF64ArrayAttr",
)

_KINDS: Final = {
    "filename": "file",
    "name_str": "name",
    "child_loc": "name",
    "callee": "callsite",
    "caller": "callsite",
}
"""What locations of one kind have: others end the process where it is asked for."""

_ALL_KINDS: Final = ("file", "name", "callsite", "fused")

_MAX_BITS: Final = 64
"""What MLIR hands over of an integer attribute."""


def index_guards(bindings: Bindings) -> tuple[Guard, ...]:
    """Return the guards of `bindings` of what is read."""
    ir = bindings.ir
    dims = ("get_dim_size", "is_dynamic_dim", "is_static_dim")
    return (
        *((getattr(ir, each), "__getitem__", _get_item) for each in _ARRAYS),
        *((ir.ShapedType, each, _of_dim) for each in dims),
        (ir.TupleType, "get_type", _get_type),
        (ir.IntegerAttr, "value", _integer_value),
        (ir.IntegerAttr, "__int__", _integer_value),
        *((ir.Location, each, _GETTERS[each]) for each in _KINDS),
    )


def _get_item(bindings: Bindings, original: Method) -> Method:
    def get_item(self: MLIRObject, index: int, /) -> MLIRObject:
        if bindings.running and index < 0:
            count = len(self)
            if index < -count:
                message = f"index {index} is out of range: there are {count} elements"
                raise IndexError(message)
            index += count
        return original(self, index)

    return get_item


def _of_dim(bindings: Bindings, original: Method) -> Method:
    def of_dim(self: MLIRObject, dim: int) -> MLIRObject:
        if bindings.running and self.has_rank and not 0 <= dim < self.rank:
            message = (
                f"dimension {dim} is out of range: the type '{self}' has {self.rank}"
            )
            raise IndexError(message)
        return original(self, dim)

    return of_dim


def _get_type(bindings: Bindings, original: Method) -> Method:
    def get_type(self: MLIRObject, pos: int) -> MLIRObject:
        if bindings.running and not 0 <= pos < self.num_types:
            message = (
                f"position {pos} is out of range: the type '{self}' has "
                f"{self.num_types}"
            )
            raise IndexError(message)
        return original(self, pos)

    return get_type


def _integer_value(bindings: Bindings, original: Method) -> Method:
    def value(self: MLIRObject) -> int:
        if bindings.running:
            type_ = self.type
            is_integer = isinstance(type_, bindings.ir.IntegerType)
            if is_integer and type_.width > _MAX_BITS:
                return int(str(self).partition(" ")[0])
        number: int = original(self)
        return number

    return value


def _getter_of(name: str, kind: str) -> Method:
    def make(bindings: Bindings, original: Method) -> Method:
        def get(self: MLIRObject) -> MLIRObject:
            if bindings.running and not getattr(self, f"is_a_{kind}")():
                message = (
                    f"'{name}' is of locations of kind '{kind}', of which "
                    f"'is_a_{kind}()' is true: found '{self}', of kind "
                    f"'{_kind_of(self)}'"
                )
                raise InvalidUseError(message)
            return original(self)

        return get

    return make


_GETTERS: Final = {name: _getter_of(name, kind) for name, kind in _KINDS.items()}


def _kind_of(location: MLIRObject) -> str:
    """Return `file`, and the like."""
    kinds = (each for each in _ALL_KINDS if getattr(location, f"is_a_{each}")())
    return next(kinds, "unknown")
