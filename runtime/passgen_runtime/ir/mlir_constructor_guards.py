"""Guards of constructors that MLIR goes down in.

A class of the bindings is made by native code that calls no method. So one of ours
takes its place, whose instances are made with a look at what they are made of.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, TypeAlias

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import (
    InvalidUseError,
    children_of,
    described,
    parent_of,
)
from passgen_runtime.ir.mlir_guard_checks import Method

Check: TypeAlias = Callable[[Bindings, MLIRObject], None]
"""What looks at the first thing that an object is made of."""


def constructor_guards(bindings: Bindings) -> tuple[tuple[MLIRObject, Check], ...]:
    """Return the classes of `bindings` to replace, and what is to be checked."""
    ir = bindings.ir
    return (
        (ir.InsertionPoint, _check_in_block),
        (ir.SymbolTable, _check_names),
        (ir.InferTypeOpInterface, _check_is_operation),
        (ir.InferShapedTypeOpInterface, _check_is_operation),
    )


def checked(bindings: Bindings, cls: MLIRObject, check: Check) -> MLIRObject:
    """Return a class that takes the place of `cls`."""

    def __init__(  # noqa: N807 - what it is in the class
        self: MLIRObject, *args: MLIRObject, **named: MLIRObject
    ) -> None:
        if bindings.running:
            of_context = bindings.ir.Context
            parts = (*args, *named.values())
            for each in [each for each in parts if not isinstance(each, of_context)][
                :1
            ]:
                check(bindings, each)
        cls.__init__(self, *args, **named)

    namespace = {
        "__init__": __init__,
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "__wrapped__": cls,
    }
    replacement = type(cls)(cls.__name__, (cls,), namespace)
    for name in _POINT_MAKERS:
        if hasattr(cls, name):
            setattr(replacement, name, staticmethod(_making(cls, name, replacement)))
    return replacement


_POINT_MAKERS: Final = ("after", "at_block_begin", "at_block_terminator")
"""The other ways to make an insertion point."""


def _making(cls: MLIRObject, name: str, replacement: MLIRObject) -> Method:
    """Return the method of `cls` called `name` that makes one of `replacement`."""
    original = getattr(cls, name)

    @wraps(original)
    def make(*args: MLIRObject, **named: MLIRObject) -> MLIRObject:
        point = original(*args, **named)
        before = point.ref_operation
        return replacement(point.block if before is None else before)

    return make


def _check_in_block(bindings: Bindings, place: MLIRObject) -> None:
    ir = bindings.ir
    if isinstance(place, ir.Operation | ir.OpView):
        operation = place.operation
        if parent_of(operation) is None:
            message = (
                f"{described(operation)} is in no block: there is no insertion point "
                "before it"
            )
            raise InvalidUseError(message)


def _check_names(bindings: Bindings, table: MLIRObject) -> None:
    ir = bindings.ir
    if not isinstance(table, ir.Operation | ir.OpView):
        return
    seen: dict[str, MLIRObject] = {}
    for each in children_of(table.operation):
        name = each.attributes.get("sym_name")
        if name is None:
            continue
        other = seen.setdefault(name.value, each)
        if other is not each:
            message = (
                f"there is no symbol table of {described(table.operation)}: "
                f"{described(other)} and {described(each)} are both called "
                f"'{name.value}'"
            )
            raise InvalidUseError(message)


def _check_is_operation(bindings: Bindings, made_of: MLIRObject) -> None:
    ir = bindings.ir
    is_operation = isinstance(made_of, ir.Operation | ir.OpView)
    if not (is_operation or hasattr(made_of, "OPERATION_NAME")):
        message = (
            f"found {made_of!r}, expected an operation or the class of one, such as "
            "'arith.AddIOp'"
        )
        raise InvalidUseError(message)
